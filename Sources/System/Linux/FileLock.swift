// SPDX-License-Identifier: Apache-2.0
// One daemon per state folder: an open file description lock. Closing another descriptor of the file does
// not release it; the kernel releases it when the process dies. Raises `SystemError`.

internal import CLinux
package import Vocabulary

extension LinuxFile {
  /// Locks the whole file; EAGAIN if another process holds the lock.
  package func lock() throws(SystemError) {
    try Calls.run("fcntl(OFD_SETLK)", "lock") { dr_lock_whole(descriptor) }
  }

  /// The same, but retries for a second: a child that a killed daemon was just starting may hold the lock
  /// for a moment.
  package func lockPatiently() throws(SystemError) {
    for _ in 0..<50 {
      do throws(SystemError) { return try lock() } catch {
        guard error.name == .again else { throw error }
      }
      _ = try? Poll.wait([], for: .milliseconds(20))
    }
    try lock()
  }

  /// Another open file of any process has the lock. Takes none, and needs no right to write.
  package func isLocked() throws(SystemError) -> Bool {
    try Calls.run("fcntl(OFD_GETLK)", "lock") { dr_is_locked(descriptor) } != 0
  }

  /// Releases the lock. A close alone does not, as long as a new child still has the descriptor.
  package func unlock() { _ = dr_unlock_whole(descriptor) }
}
