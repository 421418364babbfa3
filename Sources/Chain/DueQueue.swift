// SPDX-License-Identifier: Apache-2.0
// Photos that wait for another attempt, soonest due first: a binary heap that knows what it holds.
// A dead host can put a whole list here, so nothing is linear.

package struct DueQueue: Sendable {
  private var heap: [(number: UInt32, due: Duration)] = []
  private var held: Set<UInt32> = []

  package init() {}

  package var isEmpty: Bool { heap.isEmpty }
  package var count: Int { heap.count }
  package var firstDue: Duration? { heap.first?.due }
  package func contains(_ number: UInt32) -> Bool { held.contains(number) }

  package mutating func insert(_ number: UInt32, due: Duration) {
    guard held.insert(number).inserted else { return }
    heap.append((number, due))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].due < heap[parent].due else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// The soonest, if it is due.
  package mutating func take(now: Duration) -> UInt32? {
    guard let first = heap.first, first.due <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    held.remove(first.number)
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return first.number }
      let right = left + 1
      let child = right < heap.count && heap[right].due < heap[left].due ? right : left
      guard heap[child].due < heap[parent].due else { return first.number }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
