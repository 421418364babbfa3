// SPDX-License-Identifier: Apache-2.0
// A program that is used through its standard input and output, and ends when its input closes.
// Concurrency model: `rest` guards the bytes read beyond a line; one thread reads, any may write,
// another waits for the end.

import Foundation
internal import Linux
import Synchronization

package final class HelperProcess: Sendable {
  private let input: FileHandle
  private let output: FileHandle
  private let rest = Mutex<[UInt8]>([])

  /// The program is looked up in PATH.
  package init(_ arguments: [String]) throws {
    let (input, output) = (Pipe(), Pipe())
    let child = try ChildProgram.start(
      arguments,
      ChildProgram.Streams(
        input: input.fileHandleForReading.fileDescriptor,
        output: output.fileHandleForWriting.fileDescriptor, errors: STDERR_FILENO))
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
    try OwnThread.start("helper") { _ = ChildProgram.waitForEnd(of: child) }
  }

  package func write(_ text: String) { try? input.write(contentsOf: Data(text.utf8)) }
  package func closeInput() { try? input.close() }

  /// Waits for the next line; nil once the program has closed its output.
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

  /// Runs a program to its end, without input; nil if it cannot be started.
  package static func status(of arguments: [String]) async -> Int32? {
    guard let child = try? ChildProgram.start(arguments) else { return nil }
    return await withCheckedContinuation { continuation in
      do {
        try OwnThread.start("helper") {
          continuation.resume(returning: ChildProgram.waitForEnd(of: child))
        }
      } catch { continuation.resume(returning: nil) }
    }
  }
}
