// SPDX-License-Identifier: Apache-2.0
// The changes of state that were recorded last, for followers: a ring in memory, so that neither a slow follower nor
// none costs the writer anything. A follower that comes too late, or after a restart, is told that it has missed
// some.
// Concurrency model: one Mutex around the ring.

internal import Synchronization
package import Vocabulary

/// A recorded change of the state of a list or of a photo.
package struct RecordedStep: Equatable, Sendable {
  package enum State: Equatable, Sendable {
    case list(ListState)
    /// A dropped file that became no list.
    case rejected
    /// Its owner or root has removed the list.
    case removed
    case photo(UInt32, PhotoState)
  }

  /// The number of its record.
  package let record: UInt64
  /// Milliseconds since 1970.
  package let time: UInt64
  package let list: ListID
  package let state: State
}

package final class RecordTail: Sendable {
  package struct Look: Equatable, Sendable {
    /// In order; at most as many as were asked for.
    package var steps: [RecordedStep] = []
    /// The next look begins after this record.
    package var last: UInt64
    /// Steps between `after` and the first one were forgotten.
    package var isTorn = false
  }

  private struct Ring {
    /// Records up to here were forgotten, or had passed before the start.
    var forgotten: UInt64
    var last: UInt64
    var steps: [RecordedStep] = []
    /// The place of the oldest step, once the ring is full.
    var oldest = 0
  }

  private let ring: Mutex<Ring>
  private let most: Int

  package init(after record: UInt64, most: Int = 16_384) {
    ring = Mutex(Ring(forgotten: record, last: record))
    self.most = most
  }

  /// The number of the last record.
  package var last: UInt64 { ring.withLock { $0.last } }

  /// Adds recorded transitions; the first one has the number `first`.
  func add(_ transitions: [Transition], from first: UInt64) {
    guard !transitions.isEmpty else { return }
    ring.withLock { ring in
      for (place, transition) in transitions.enumerated() {
        ring.last = first + UInt64(place)
        guard let step = RecordedStep(ring.last, transition) else { continue }
        if ring.steps.count < most {
          ring.steps.append(step)
        } else {
          ring.forgotten = ring.steps[ring.oldest].record
          ring.steps[ring.oldest] = step
          ring.oldest = (ring.oldest + 1) % most
        }
      }
    }
  }

  /// The steps after a record, of one list or of all.
  package func look(after record: UInt64, of list: ListID? = nil, most count: Int) -> Look {
    ring.withLock { ring in
      var look = Look(last: max(record, ring.last))
      look.isTorn = record < ring.forgotten || record > ring.last
      for place in ring.steps.indices {
        let step = ring.steps[(ring.oldest + place) % ring.steps.count]
        guard look.isTorn || step.record > record, list == nil || step.list == list else {
          continue
        }
        look.steps.append(step)
        if look.steps.count == count {
          look.last = step.record
          break
        }
      }
      if look.isTorn, look.steps.count < count { look.last = ring.last }
      return look
    }
  }
}

extension RecordedStep {
  /// Nil for a record that changes no state.
  init?(_ record: UInt64, _ transition: Transition) {
    let change = transition.change
    switch change {
    case .accepted: state = .list(.accepted)
    case .rejected: state = .rejected
    case .removed: state = .removed
    case .paused: state = .list(.paused)
    case .resumed: state = .list(.running)
    case .cancelled: state = .list(.cancelled)
    case .finished: state = .list(.finished)
    case .downloaded(let photo, _): state = .photo(photo.number, .downloaded)
    case .filtered(let photo, _): state = .photo(photo.number, .filtered)
    case .failed(let photo, _, _, _): state = .photo(photo.number, .failed)
    case .lost(let photo): state = .photo(photo.number, .new)
    case .retry, .died, .quality: return nil
    }
    self.record = record
    time = transition.time
    list = change.list
  }
}
