// SPDX-License-Identifier: Apache-2.0
// Starts other programs for tests, and waits for their ends. Not Foundation's `Process`: when it looks for
// open descriptors, it reads past the end of its buffer, which sometimes crashes the run.

internal import CPrograms
import Foundation

package enum ChildProgram {
  /// The descriptors for standard input, output and errors; nil is /dev/null.
  package struct Streams {
    var input: Int32?
    var output: Int32?
    var errors: Int32?

    package init(input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil) {
      (self.input, self.output, self.errors) = (input, output, errors)
    }
  }

  /// Starts a program, looked up in PATH. The caller must wait for its end.
  package static func start(
    _ arguments: [String], _ streams: Streams = Streams(),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Int32 {
    let numbers = [streams.input, streams.output, streams.errors].map { $0 ?? -1 }
    let child = unsafe withTexts(arguments) { words in
      unsafe withTexts(environment.map { "\($0.key)=\($0.value)" }) { variables in
        unsafe program_start(words, variables, numbers)
      }
    }
    guard child > 0 else { throw ProgramProblem("could not start \(arguments): error \(-child)") }
    return child
  }

  /// Returns once the child has ended; its number is not reused before `waitForEnd`.
  static func awaitEnd(of child: Int32) { program_await(child) }

  /// Waits for the end; returns the exit code, or 128 plus the number of the signal.
  package static func waitForEnd(of child: Int32) -> Int32 { program_end(child) }

  /// Runs a program to its end; returns whether it started and exited with 0.
  package static func succeeds(_ arguments: [String]) -> Bool {
    guard let child = try? start(arguments) else { return false }
    return waitForEnd(of: child) == 0
  }

  private static func withTexts<Result>(
    _ texts: [String], _ act: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = unsafe texts.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    return unsafe act(copies + [nil])
  }
}
