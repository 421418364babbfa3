// SPDX-License-Identifier: Apache-2.0
// One daemon per state folder: a lock that belongs to the open file, so that no other descriptor of the
// same file drops it, and that the kernel drops when we die.

internal import CLinux
package import Vocabulary

extension LinuxFile {
  /// Takes the whole file for ourselves; EAGAIN when somebody has it.
  package func lock() throws(SystemError) {
    try Calls.run("fcntl(OFD_SETLK)", "lock") { dr_lock_whole(descriptor) }
  }

  /// The same, but asks again for a second: of whoever was killed just now, a child that was being made may
  /// have it for a moment.
  package func lockPatiently() throws(SystemError) {
    for _ in 0..<50 {
      do throws(SystemError) { return try lock() } catch {
        guard error.code == 11 else { throw error }
      }
      _ = try? Poll.wait([], for: .milliseconds(20))
    }
    try lock()
  }

  /// Closing alone keeps it as long as a child that was just made holds the descriptor, too.
  package func unlock() { _ = dr_unlock_whole(descriptor) }
}
