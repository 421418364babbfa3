// SPDX-License-Identifier: Apache-2.0
// Syncs that several callers share: one group makes durable what all callers ask for at the same time, and each
// waits for its own part. `Recorder` is the real one. Raises a `Failure` of kind `machine`.

package enum SyncStep: Sendable {
  /// The file's contents.
  case file(any OpenFile)
  /// Names created, renamed or removed in the folder.
  case folder(any Folder)
}

package protocol SyncGroups: Sendable {
  /// All steps are durable on return: the files first, then the folders. A cancelled task also waits.
  func sync(_ steps: [SyncStep]) async throws(Failure)
}

extension [SyncStep] {
  /// The same for one caller alone, on its own thread.
  package func run() throws(SystemError) {
    for case .file(let file) in self { try file.sync() }
    for case .folder(let folder) in self { try folder.sync() }
  }
}
