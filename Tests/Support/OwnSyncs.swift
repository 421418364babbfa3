// SPDX-License-Identifier: Apache-2.0
// Syncs without a group: each caller makes its own steps durable, on its own thread. A hook sees each call before it
// begins.

package import Vocabulary

package struct OwnSyncs: SyncGroups {
  private let before: @Sendable ([SyncStep]) async -> Void

  package init(before: @escaping @Sendable ([SyncStep]) async -> Void = { _ in }) {
    self.before = before
  }

  package func sync(_ steps: [SyncStep]) async throws(Failure) {
    await before(steps)
    do throws(SystemError) { try steps.run() } catch { throw error.machineFailure }
  }
}
