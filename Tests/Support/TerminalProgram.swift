// SPDX-License-Identifier: Apache-2.0
// A program in a pseudo-terminal of its own: its standard streams are all the terminal.

internal import CPrograms
import Foundation

package enum TerminalProgram {
  /// Runs a program to its end; returns its exit code and everything that it wrote. It is ended if it takes
  /// too long.
  package static func run(
    _ arguments: [String], columns: Int, rows: Int = 24, environment: [String: String] = [:]
  ) async throws -> (code: Int32, text: String) {
    try await onOwnThread {
      var ends: [Int32] = [-1, -1]
      let result = unsafe terminal_pair(Int32(columns), Int32(rows), &ends)
      guard result == 0 else { throw ProgramProblem("no pseudo-terminal: error \(-result)") }
      let screen = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
      let own = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
      // TERM chooses colours, as on most terminals.
      let variables = ProcessInfo.processInfo.environment
        .merging(["TERM": "xterm", "NO_COLOR": "", "LESS": "FRX"]) { $1 }
        .merging(environment) { $1 }
      let child = try ChildProgram.start(
        ["timeout", "\(Patience.seconds)"] + arguments,
        ChildProgram.Streams(input: ends[1], output: ends[1], errors: ends[1]),
        environment: variables)
      try own.close()
      var text: [UInt8] = []
      while true {
        let bytes = screen.readSome()
        if bytes.isEmpty { break }
        text += bytes
      }
      return (ChildProgram.waitForEnd(of: child), String(decoding: text, as: UTF8.self))
    }
  }
}
