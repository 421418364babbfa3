// SPDX-License-Identifier: Apache-2.0
// The bytes of a dropped list, piece by piece, as they are or decoded to UTF-8. Raises `list.syntax` with the
// line and column of the first bytes that are not text, after the text before them; and the file's errors.

internal import Vocabulary

struct ListSource {
  private static let pieceSize = 64 << 10

  private let list: any OpenFile
  private let start: UInt64
  private let size: UInt64
  /// Nil if the bytes are passed on as they are.
  private let encoding: ListEncoding?
  private var decoder: ListDecoder?
  private var offset: UInt64

  /// `start` is the offset after a byte order mark.
  init(_ list: any OpenFile, from start: UInt64, size: UInt64, encoding: ListEncoding?) {
    self.list = list
    self.start = start
    self.size = size
    self.encoding = encoding
    decoder = encoding.map { ListDecoder($0) }
    offset = start
  }

  /// The next piece; of a decoded list it has whole characters. Empty at the end.
  mutating func next() throws(Failure) -> [UInt8] {
    if !isBroken {
      let piece = try piece()
      if !piece.isEmpty || !isBroken { return piece }
    }
    throw try refusal()
  }

  var isDecoded: Bool { encoding != nil }

  private var isBroken: Bool { decoder?.isBroken == true }

  private mutating func piece() throws(Failure) -> [UInt8] {
    while true {
      let bytes: [UInt8]
      do throws(SystemError) {
        bytes = try list.read(
          at: offset, upTo: Int(min(UInt64(Self.pieceSize), size - min(size, offset))))
      } catch { throw error.failure }
      offset += UInt64(bytes.count)
      guard let decoded = decoder?.decode(bytes) else { return bytes }
      if bytes.isEmpty || !decoded.isEmpty || isBroken { return decoded }
    }
  }

  /// Reads the text again to find the place: to count lines at all times would cost more.
  private func refusal() throws(Failure) -> Failure {
    var again = ListSource(list, from: start, size: size, encoding: encoding)
    var line: UInt64 = 1
    var column: UInt64 = 1
    while !again.isBroken {
      let piece = try again.piece()
      if piece.isEmpty { break }
      for byte in piece {
        if byte == 0x0A {
          line += 1
          column = 1
        } else if byte & 0xC0 != 0x80 {
          column += 1
        }
      }
    }
    return ListRefusal.encoding(.spot(line: line, column: column), encoding)
  }
}
