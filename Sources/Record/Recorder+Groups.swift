// SPDX-License-Identifier: Apache-2.0
// Files and folders of lists become durable in groups. A folder of another file system than STATE's, such as an inbox on
// a server, is synced by its caller's own task: one that hangs, or is slow, delays no other list. Raises the failures of
// `GroupSyncer`.

internal import Linux
package import Vocabulary

extension Recorder: SyncGroups {
  package func sync(_ steps: [SyncStep]) async throws(Failure) {
    let (near, far) = steps.split(by: stateDevice)
    if !near.isEmpty { try await groups.sync(near.map(Effect.init)) }
    if far.isEmpty { return }
    do throws(SystemError) {
      try await onDisk { () throws(SystemError) in try far.run() }
    } catch { throw error.machineFailure }
  }
}

extension [SyncStep] {
  /// The steps on the file system, and the folders on others. Files are those of STATE.
  fileprivate func split(by device: UInt64) -> (near: [SyncStep], far: [SyncStep]) {
    var (near, far): ([SyncStep], [SyncStep]) = ([], [])
    for step in self {
      if case .folder(let folder) = step, (try? folder.device()) != device {
        far.append(step)
      } else {
        near.append(step)
      }
    }
    return (near, far)
  }
}

extension Effect {
  init(_ step: SyncStep) {
    switch step {
    case .file(let file): self = .sync(file)
    case .folder(let folder): self = .syncFolder(folder)
    }
  }
}
