// SPDX-License-Identifier: Apache-2.0
// A pager. From its start on, it reads everything that this process writes to its standard output. Start it after
// asking whether standard output is a terminal. Raises `SystemError`.

internal import CLinux
package import Vocabulary

package struct PagerProcess: Sendable {
  private let number: Int32

  /// Starts a program, looked up in PATH; a command with spaces is one for /bin/sh.
  package static func start(_ command: String) throws(SystemError) -> PagerProcess {
    let isLine = command.utf8.contains(UInt8(ascii: " "))
    return PagerProcess(
      number: try Calls.run("posix_spawn", command) {
        unsafe dr_pager_start(command, isLine ? 1 : 0)
      })
  }

  /// Ends standard output, and waits until the reader quits.
  package func end() { dr_pager_end(number) }
}

extension ThisProcess {
  /// A write to a pipe without a reader then fails, instead of ending the process.
  package static func ignoreBrokenPipes() { _ = dr_signal_ignore(13) }
}
