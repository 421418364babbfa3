// SPDX-License-Identifier: Apache-2.0
// Wakes a thread that sleeps until there is work. Rings are counted: a ring before the wait is
// not lost. Concurrency: a semaphore of the C library, safe for many threads.

internal import CLinux
internal import Vocabulary

@safe package final class ThreadSignal: Sendable {
  nonisolated(unsafe) private let signal: OpaquePointer
  // Safe to share: set once, and every use is a single call that the C library makes atomic.

  package init() { unsafe signal = dr_thread_signal_make() }

  deinit { unsafe dr_thread_signal_free(signal) }

  package func ring() { _ = unsafe dr_thread_signal_ring(signal) }

  /// Sleeps until a ring and consumes it.
  package func wait() {
    while unsafe dr_thread_signal_wait(signal) < 0 {}
  }

  /// The same, for at most `time`. False if the time is over; true may also mean an interruption by a signal.
  package func wait(atMost time: Duration) -> Bool {
    unsafe dr_thread_signal_wait_for(signal, UInt64(max(0, time.nanoseconds))) != 0
  }
}
