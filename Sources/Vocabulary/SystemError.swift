// SPDX-License-Identifier: Apache-2.0
// What the kernel answered: which call, on what, and why not.

package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kernel's error number. Linux uses the same ones on every machine we run on.
  package let code: Int32
  package let call: String
  package let thing: String

  package init(code: Int32, call: String, thing: String) {
    self.code = code
    self.call = call
    self.thing = thing
  }

  package var description: String { "\(call) \(thing): \(words)" }

  /// What the number says.
  package var words: String { Self.words(code) }

  package var isMissing: Bool { code == 2 }
  package var exists: Bool { code == 17 }
  /// No room: ENOSPC, EDQUOT.
  package var isDiskFull: Bool { code == 28 || code == 122 }

  /// This machine is in trouble, not the input: EIO, ENOMEM, ENFILE, EMFILE, ENOSPC, EROFS, EDQUOT.
  package var isMachineTrouble: Bool { [5, 12, 23, 24, 28, 30, 122].contains(code) }

  package var failure: Failure { failure(isMachineTrouble ? .machine : .final) }

  /// For files and folders of our own: whatever the number, no input is at fault.
  package var machineFailure: Failure { failure(.machine) }

  private func failure(_ kind: Failure.Kind) -> Failure {
    Failure(kind, code: isDiskFull ? "disk.full" : "system.\(code)", reason: description)
  }

  private static func words(_ code: Int32) -> String {
    switch code {
    case 1: "operation not permitted"
    case 2: "no such file or directory"
    case 5: "input/output error"
    case 9: "bad file descriptor"
    case 11: "try again"
    case 12: "out of memory"
    case 13: "permission denied"
    case 17: "it exists already"
    case 18: "on another file system"
    case 20: "not a directory"
    case 21: "is a directory"
    case 22: "invalid argument"
    case 23: "too many open files on this machine"
    case 24: "too many open files"
    case 28: "no space left on device"
    case 30: "read-only file system"
    case 36: "file name too long"
    case 39: "directory not empty"
    case 40: "it is a symbolic link"
    case 98: "address already in use"
    case 111: "connection refused"
    case 122: "disk quota exceeded"
    default: "error \(code)"
    }
  }
}
