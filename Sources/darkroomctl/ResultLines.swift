// SPDX-License-Identifier: Apache-2.0
// The lines of a results file of `darkroomd run`, one JSON object each, read in pieces. Raises `results.damaged`, and
// the errors of the file.

internal import Linux
internal import Steer
internal import Vocabulary

struct ResultLines {
  private static let longest = 64 << 10

  private let file: LinuxFile
  private var offset: UInt64 = 0
  private var buffer: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// The lines read.
  private(set) var number: UInt64 = 0

  init(_ file: LinuxFile) { self.file = file }

  static func damage(line: UInt64) -> Failure {
    Failure(
      .final, code: "results.damaged", reason: "line \(line) is not one of darkroomd run",
      advice: "Run darkroomd run again with the same range: it writes the results again")
  }

  /// Nil after the last line.
  mutating func next() throws(Failure) -> JSONObject? {
    guard let line = try line() else { return nil }
    number += 1
    guard let object = (try? JSONReader.read(line))?.object else {
      throw Self.damage(line: number)
    }
    return object
  }

  private mutating func line() throws(Failure) -> [UInt8]? {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        defer { buffer = buffer[(end + 1)...] }
        return Array(buffer[..<end])
      }
      // A file without a newline at its end was cut off.
      guard !isAtEnd, buffer.count < Self.longest else {
        if buffer.isEmpty { return nil }
        throw Self.damage(line: number + 1)
      }
      let piece = try asFailure { () throws(SystemError) in
        try file.read(at: offset, upTo: Self.longest)
      }
      offset += UInt64(piece.count)
      isAtEnd = piece.isEmpty
      buffer = ArraySlice(Array(buffer) + piece)
    }
  }
}
