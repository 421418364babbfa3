// SPDX-License-Identifier: Apache-2.0
// A read lease: the kernel's guarantee that no process has a file open for writing, neither by descriptor
// nor by mapping. While it is held, a writer's open waits (45 s by default) and `stands` turns false.
// It ends with `drop` or when the file is closed. A break sends SIGIO, which must be ignored.
// Raises `SystemError`.

internal import CLinux
package import Vocabulary

package enum FileLease {
  package enum Answer: Equatable, Sendable {
    case held
    /// A process has the file open for writing.
    case writer
    /// The file system has no leases (EINVAL, ENOLCK, EOPNOTSUPP), the file belongs to another user and this
    /// process lacks CAP_LEASE, or the file is a simulated one.
    case unavailable
  }

  package static func take(_ file: any OpenFile, _ thing: String) throws(SystemError) -> Answer {
    do throws(SystemError) {
      try Calls.run("fcntl(F_SETLEASE)", thing) { dr_take_read_lease(file.descriptor) }
      return .held
    } catch {
      switch error.name {
      case .again: return .writer
      case .badDescriptor, .invalid, .noLocks, .notSupported, .notPermitted, .denied:
        return .unavailable
      default: throw error
      }
    }
  }

  /// True if the lease still holds: false as soon as a writer opens the file.
  package static func stands(_ file: any OpenFile, _ thing: String) throws(SystemError) -> Bool {
    try Calls.run("fcntl(F_GETLEASE)", thing) { dr_has_read_lease(file.descriptor) } == 1
  }

  /// Ends the lease; a waiting writer's open returns.
  package static func drop(_ file: any OpenFile) { _ = dr_drop_lease(file.descriptor) }

  /// Ignores SIGIO in the whole process: a broken lease must not end it.
  package static func ignoreBreaks() { _ = dr_signal_ignore(29) }
}
