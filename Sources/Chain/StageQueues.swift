// SPDX-License-Identifier: Apache-2.0
// One named queue per stage, as wide as the concurrency behind it: only then does `queuePriority` decide the
// order, and only then does a suspension stop work. Where users share the machine, the queue of downloads has a place
// for each photo: it knows no users, and the network orders the transfers.
// Concurrency: immutable; OperationQueue has its own lock.

package import Foundation
internal import Queues
package import Vocabulary

package final class StageQueues: Sendable {
  package struct Widths: Equatable, Sendable {
    package let download: Int
    package let filter: Int
    /// Extra places at the filter, for photos that should not wait for the end of a large picture.
    package let urgent: Int
    package let output: Int

    /// How many photos are admitted at once: enough that no stage waits for admission, and few enough that
    /// memory does not depend on the length of a list.
    package let window: Int
    /// The number of further photos that are admitted if they are more urgent.
    package let reserve: Int
    /// The places that are only for users with few photos in the window.
    package let kept: Int
    /// Photos whose downloads have begun: they transfer, or wait for a connection.
    package let begun: Int

    package var size: WindowSize { WindowSize(photos: window, reserve: reserve, kept: kept) }

    /// - Parameter isShared: by users, so that no photo waits for the downloads of another user.
    package init(
      download: Int, filter: Int, urgent: Int = 0, output: Int, most: Int = .max,
      isShared: Bool = false
    ) {
      self.download = download
      self.filter = filter
      self.urgent = urgent
      self.output = output
      window = min(2 * (download + filter) + output, most)
      reserve = min(download + filter, most - window)
      kept = isShared ? window / 4 : 0
      begun = isShared ? window + reserve : download
    }
  }

  private let queues: [Stage: StarterQueue]

  package init(_ widths: Widths) {
    queues = Dictionary(
      uniqueKeysWithValues: Stage.allCases.map { stage in
        (stage, StarterQueue("darkroom.\(stage.name)"))
      })
    setWidths(widths)
  }

  package func setWidths(_ widths: Widths) {
    queues[.download]?.operations.maxConcurrentOperationCount = widths.begun
    queues[.filter]?.operations.maxConcurrentOperationCount =
      widths.filter + widths.urgent
    queues[.output]?.operations.maxConcurrentOperationCount = widths.output
  }

  package func add(_ operation: Operation, to stage: Stage) {
    queues[stage]?.operations.addOperation(operation)
  }

  /// While suspended, no operation begins; running ones continue.
  package var isSuspended: Bool {
    get { queues.values.contains { $0.operations.isSuspended } }
    set { for queue in queues.values { queue.operations.isSuspended = newValue } }
  }

  /// Operations in the stage's queue: waiting and running.
  package func depth(of stage: Stage) -> Int { queues[stage]?.operations.operationCount ?? 0 }
}
