// SPDX-License-Identifier: Apache-2.0
// Wakes a thread of our own that sleeps until there is work. Rings are counted: one that comes before
// the wait is not lost. Concurrency: a semaphore of the C library, made for many threads.

internal import CLinux

@safe package final class ThreadSignal: Sendable {
  nonisolated(unsafe) private let signal: OpaquePointer
  // Safe to share: set once, and every use of it is one call that the C library makes atomic.

  package init() { unsafe signal = dr_thread_signal_make() }

  deinit { unsafe dr_thread_signal_free(signal) }

  package func ring() { _ = unsafe dr_thread_signal_ring(signal) }

  /// Sleeps until it rings; takes one ring away.
  package func wait() {
    while unsafe dr_thread_signal_wait(signal) < 0 {}
  }

  /// The same, but for so long at most. False when the time is over; true may come too soon.
  package func wait(atMost time: Duration) -> Bool {
    unsafe dr_thread_signal_wait_for(signal, UInt64(max(0, time.nanoseconds))) != 0
  }
}
