// SPDX-License-Identifier: Apache-2.0
// How tests start other programs and wait for their ends. Not Foundation's `Process`: looking what is open
// here it reads past the end of its own buffer, which now and then is the end of what it may read.

internal import CPrograms
import Foundation

package enum ChildProgram {
  /// What it has as its standard input, output and errors; where there is none, nothing.
  package struct Streams {
    var input: Int32?
    var output: Int32?
    var errors: Int32?

    package init(input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil) {
      (self.input, self.output, self.errors) = (input, output, errors)
    }
  }

  /// The program is looked up in PATH. Whoever starts it waits for its end.
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

  /// Returns once it has ended; its number stays its own until `waitForEnd`.
  static func awaitEnd(of child: Int32) { program_await(child) }

  /// The exit code, or 128 and the number of the signal.
  package static func waitForEnd(of child: Int32) -> Int32 { program_end(child) }

  /// Whether it can be started and says that all went well; waits for its end.
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
