// SPDX-License-Identifier: Apache-2.0
// Files and folders of lists become durable in groups. Those of another file system than STATE's, such as an inbox on
// a server, are synced by their caller's own task: one that hangs, or is slow, delays no other list. Raises the failures
// of `GroupSyncer`.

internal import Linux
package import Vocabulary

extension Recorder: SyncGroups {
  package func sync(_ steps: [SyncStep]) async throws(Failure) {
    let (near, far) = steps.split(by: stateDevice)
    try await syncAside(far.filter(\.isFile))
    if !near.isEmpty { try await groups.sync(near.map(Effect.init)) }
    try await syncAside(far.filter { !$0.isFile })
  }

  private func syncAside(_ steps: [SyncStep]) async throws(Failure) {
    if steps.isEmpty { return }
    do throws(SystemError) {
      try await onDisk { () throws(SystemError) in try steps.run() }
    } catch { throw error.machineFailure }
  }
}

extension [SyncStep] {
  /// The steps on the file system, and those on others.
  fileprivate func split(by device: UInt64) -> (near: [SyncStep], far: [SyncStep]) {
    var (near, far): ([SyncStep], [SyncStep]) = ([], [])
    for step in self {
      if (try? step.device()) == device { near.append(step) } else { far.append(step) }
    }
    return (near, far)
  }
}

extension SyncStep {
  fileprivate var isFile: Bool { if case .file = self { true } else { false } }

  fileprivate func device() throws(SystemError) -> UInt64 {
    switch self {
    case .file(let file): try file.status().device
    case .folder(let folder): try folder.device()
    }
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
