// SPDX-License-Identifier: Apache-2.0
// Files and folders of lists become durable with the effects of photos. Raises the failures of `Recorder.record`.

package import Vocabulary

extension Recorder: SyncGroups {
  package func sync(_ steps: [SyncStep]) async throws(Failure) {
    if steps.isEmpty { return }
    try await record([], after: steps.map(Effect.init))
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
