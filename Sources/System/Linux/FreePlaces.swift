// SPDX-License-Identifier: Apache-2.0
// A number of places for calls at the same time: a thread without one waits for it. Raises `SystemError` when it is made.
// Concurrency: the kernel counts the free places.

internal import CLinux
package import Vocabulary

package final class FreePlaces: Sendable {
  private let handle: Descriptor

  package init(_ count: UInt32) throws(SystemError) {
    handle = Descriptor(owning: try Calls.run("eventfd", "places") { dr_places(count) })
  }

  /// Calls `act` on a place. The calling thread waits until one is free.
  package func use<Value, Problem: Error>(
    _ act: () throws(Problem) -> Value
  ) throws(Problem) -> Value {
    _ = dr_place_take(handle.number)
    defer { _ = dr_event_ring(handle.number) }
    return try act()
  }
}
