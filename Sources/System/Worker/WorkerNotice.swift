// SPDX-License-Identifier: Apache-2.0
// Notices about workers for the daemon's log, besides the failures that callers get.

package enum WorkerNotice: Equatable, Sendable {
  /// The layers of the sandbox that hold here: sent for the first worker and after a change.
  case sandbox(SandboxLayers)
  /// A line of a worker's log, made safe to show. `process` is the worker's process number.
  case said(process: Int32, line: String)
  /// A worker ended without being killed by the pool. `words` fit "the worker …".
  case died(owner: UInt32?, words: String)
}
