// SPDX-License-Identifier: Apache-2.0
// The limits of a service that keep a process from being started, as advice.

extension SystemError {
  /// What to change if a limit kept a process from being started; nil if no limit did.
  package var limitAdvice: String? {
    switch name {
    case .again:
      "A limit on processes and threads is reached: raise TasksMax= of the service, or LimitNPROC= (ulimit -u) "
        + "of its user, or lower Workers= under [Filter]"
    case .outOfMemory:
      "The memory for another process is missing: raise MemoryMax= of the service, or lower MaximumMemory= or "
        + "Workers= under [Filter]"
    case .filesOpen: "Raise LimitNOFILE= of the service (ulimit -n)"
    case .machineFilesOpen: "Raise the limit of this machine: sysctl fs.file-max"
    default: nil
    }
  }
}
