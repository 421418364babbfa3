// SPDX-License-Identifier: Apache-2.0
// Elements by due time: a binary heap and a set of its elements. A dead host can put a whole list here, so
// only `remove` and `hurry` are linear.

package struct DueQueue<Element: Hashable & Sendable>: Sendable {
  private var heap: [(element: Element, due: Duration)] = []
  private var held: Set<Element> = []

  package init() {}

  package var isEmpty: Bool { heap.isEmpty }
  package var count: Int { heap.count }
  package var first: (element: Element, due: Duration)? { heap.first }
  package var firstDue: Duration? { heap.first?.due }
  package func contains(_ element: Element) -> Bool { held.contains(element) }

  package mutating func insert(_ element: Element, due: Duration) {
    guard held.insert(element).inserted else { return }
    heap.append((element, due))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].due < heap[parent].due else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the first element, if it is due.
  package mutating func take(now: Duration) -> Element? {
    guard let first = heap.first, first.due <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    held.remove(first.element)
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return first.element }
      let right = left + 1
      let child = right < heap.count && heap[right].due < heap[left].due ? right : left
      guard heap[child].due < heap[parent].due else { return first.element }
      heap.swapAt(child, parent)
      parent = child
    }
  }

  package mutating func remove(_ element: Element) {
    guard held.contains(element) else { return }
    let rest = heap.filter { $0.element != element }
    (heap, held) = ([], [])
    for (element, due) in rest { insert(element, due: due) }
  }

  /// Makes all elements due now.
  package mutating func hurry(to now: Duration) {
    for place in heap.indices { heap[place].due = min(heap[place].due, now) }
  }
}
