// SPDX-License-Identifier: Apache-2.0
// A read lease: the kernel's word that nobody has a file open for writing, neither by a descriptor
// nor by a mapping. While it is held a writer's open waits for us (45 s by default), and we are told.
// It ends with `drop` or when the file is closed. A break sends SIGIO, which must be ignored.

internal import CLinux
package import Vocabulary

package enum FileLease {
  package enum Answer: Equatable, Sendable {
    case held
    /// Somebody has the file open for writing.
    case writer
    /// The file system has no leases (EINVAL, ENOLCK, EOPNOTSUPP), or the file is a simulated one.
    case unsupported
    /// The file is another user's and we lack CAP_LEASE.
    case notPermitted
  }

  package static func take(_ file: any OpenFile, _ thing: String) throws(SystemError) -> Answer {
    do throws(SystemError) {
      try Calls.run("fcntl(F_SETLEASE)", thing) { dr_take_read_lease(file.descriptor) }
      return .held
    } catch {
      switch error.code {
      case 11: return .writer
      case 9, 22, 37, 95: return .unsupported
      case 1, 13: return .notPermitted
      default: throw error
      }
    }
  }

  /// Whether the lease still stands: false from the moment a writer asks for the file.
  package static func stands(_ file: any OpenFile, _ thing: String) throws(SystemError) -> Bool {
    try Calls.run("fcntl(F_GETLEASE)", thing) { dr_has_read_lease(file.descriptor) } == 1
  }

  /// Lets a waiting writer go on.
  package static func drop(_ file: any OpenFile) { _ = dr_drop_lease(file.descriptor) }

  /// For the whole process: a broken lease must not end it.
  package static func ignoreBreaks() { _ = dr_signal_ignore(29) }
}
