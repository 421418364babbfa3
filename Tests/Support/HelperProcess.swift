// SPDX-License-Identifier: Apache-2.0
// Another program, spoken to over its standard input and output; it ends when its input closes.
// Concurrency model: `rest` guards what was read too much; one thread reads, any may write.

import Foundation
import Synchronization

package final class HelperProcess: Sendable {
  private let process: Process
  private let input: FileHandle
  private let output: FileHandle
  private let rest = Mutex<[UInt8]>([])

  /// The program is looked up in PATH.
  package init(_ arguments: [String]) throws {
    let input = Pipe()
    let output = Pipe()
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    // Else a program started later would hold this one's input open.
    for handle in [self.input, self.output] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    try process.run()
  }

  package func write(_ text: String) { try? input.write(contentsOf: Data(text.utf8)) }
  package func closeInput() { try? input.close() }

  /// The next line, waiting for it; nil once the program has closed its output.
  package func readLine() -> String? {
    rest.withLock { rest in
      while true {
        if let end = rest.firstIndex(of: 0x0A) {
          defer { rest.removeFirst(end + 1) }
          return String(decoding: rest[..<end], as: UTF8.self)
        }
        let more = output.readSome()
        if more.isEmpty { return nil }
        rest += more
      }
    }
  }

  /// Runs a program to its end, without input; nil where it cannot be started.
  package static func status(of arguments: [String]) async -> Int32? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return await withCheckedContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(returning: nil) }
    }
  }
}
