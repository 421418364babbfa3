// SPDX-License-Identifier: Apache-2.0
// A failed system call: which call, on which thing, and why.

package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kernel's error number: the same on every supported architecture.
  package let code: Int32
  package let call: String
  package let thing: String

  package init(code: Int32, call: String, thing: String) {
    self.code = code
    self.call = call
    self.thing = thing
  }

  package init(_ name: Name, call: String, thing: String) {
    self.init(code: name.rawValue, call: call, thing: thing)
  }

  /// A copy was stopped on request; nothing failed.
  package static let cancelled = SystemError(.cancelled, call: "copy", thing: "a file")

  package static func unmounted(_ path: String) -> SystemError {
    SystemError(.unmounted, call: "open", thing: "\(path), whose disk is not mounted")
  }

  /// Of the bare folder below a mount point, or of another disk.
  package static func unmarked(_ path: String) -> SystemError {
    SystemError(.unmounted, call: "open", thing: "\(path), which lacks the mark of the cluster")
  }

  /// Of a folder that belongs to another daemon, with the state folder of that one.
  package static func taken(_ path: String, by state: String) -> SystemError {
    SystemError(
      .busy, call: "open", thing: "\(path), which the darkroomd of the state folder \(state) uses")
  }

  package var isUnmounted: Bool { name == .unmounted }

  package var description: String { "\(call) \(thing): \(words)" }

  package var isMissing: Bool { name == .missing }
  package var exists: Bool { name == .exists }
  package var isCancelled: Bool { name == .cancelled }
  package var isDiskFull: Bool { name == .noSpace || name == .overQuota }

  /// The disk, not the process, lacks something; it may pass.
  package var isDiskTrouble: Bool { isDiskFull || name == .readOnly || name == .inputOutput }

  /// This machine is in trouble; the input is not to blame.
  package var isMachineTrouble: Bool {
    switch name {
    case .inputOutput, .outOfMemory, .noBuffers, .machineFilesOpen, .filesOpen, .noSpace, .readOnly,
      .overQuota, .stale, .fileTooLarge:
      true
    default: false
    }
  }

  /// One file or folder alone may be at fault. Disk space, memory and descriptors run out for all work.
  package var isOfOneThing: Bool {
    switch name {
    case .inputOutput, .stale, .fileTooLarge: true
    default: !isMachineTrouble && !isCancelled
    }
  }

  package var failure: Failure { failure(isMachineTrouble ? .machine : .final) }

  /// For the daemon's own files and folders: no input is to blame, whatever the error number.
  package var machineFailure: Failure { isCancelled ? .cancelled : failure(.machine) }

  private func failure(_ kind: Failure.Kind) -> Failure {
    Failure(
      kind, scope: isOfOneThing ? .one : .everything,
      code: failureCode, reason: description,
      advice: advice(kind))
  }
}

extension SystemError {
  /// The calls that need rights on a folder.
  private static let folderCalls: Set<String> = [
    "open", "openat", "mkdirat", "renameat", "renameat2", "linkat", "unlinkat",
  ]

  private func advice(_ kind: Failure.Kind) -> String {
    switch name {
    case .fileTooLarge: limitAdvice ?? ""
    // Only of the daemon's own folders: systemd-tmpfiles gives no folder of root below a folder of another user away.
    case .denied where kind == .machine && Self.folderCalls.contains(call):
      "Let the user of darkroomd read and change it; if it belongs to another user: chown -R USER FOLDER"
    default: ""
    }
  }

  /// The advice for an error of a limit: of a process that cannot be started, or of a long file.
  package var limitAdvice: String? {
    switch name {
    case .again:
      "A limit on processes and threads is reached: raise TasksMax= of the service, or LimitNPROC= (ulimit -u) "
        + "of its user, or lower Workers= under [Filter]"
    case .outOfMemory:
      "There is not enough memory for another process: raise MemoryMax= of the service, or lower MaximumMemory= "
        + "or Workers= under [Filter]"
    case .filesOpen: "Raise LimitNOFILE= of the service (ulimit -n)"
    case .machineFilesOpen: "Raise the limit of this machine: sysctl fs.file-max"
    case .fileTooLarge:
      "Raise LimitFSIZE= of the service (ulimit -f), or use a file system for larger files"
    default: nil
    }
  }
}

/// For files that people name: the kind of the failure follows from the error.
package func asFailure<Value: ~Copyable>(
  _ act: () throws(SystemError) -> Value
) throws(Failure) -> Value {
  do throws(SystemError) { return try act() } catch { throw error.failure }
}

/// For the daemon's own files and folders: an error is this machine's trouble.
package func asMachine<Value>(
  _ act: () throws(SystemError) -> Value
) throws(Failure) -> Value {
  do throws(SystemError) { return try act() } catch { throw error.machineFailure }
}
