// SPDX-License-Identifier: Apache-2.0
// What the daemon may want to log about its workers, beside the failures that callers get.

package enum WorkerNotice: Equatable, Sendable {
  /// Which layers of the sandbox hold here: told at the first worker and when it changes.
  case sandbox(SandboxLayers)
  /// A line a worker wrote to its log, made safe to show. `process` is its number.
  case said(process: Int32, line: String)
  /// A worker ended that nobody had ended. `words` fit "the worker …".
  case died(list: UInt64?, words: String)
}
