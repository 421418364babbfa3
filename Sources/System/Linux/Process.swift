// SPDX-License-Identifier: Apache-2.0
// This process: its identity, limits, memory and capabilities, and its signals as events. Raises
// `SystemError`.

internal import CLinux
package import Vocabulary

package enum ThisProcess {
  package static var identifier: Int32 { dr_process() }
  package static var user: UInt32 { dr_user() }
  /// Root and the user of this process. The limits that protect a daemon from its users do not hold for them.
  package static var keepers: Set<UInt32> { [0, user] }
  package static var residentBytes: Int64 { dr_resident_bytes() }

  /// The number of processors this process may run on.
  package static var processors: Int { max(1, Int(dr_processors())) }

  /// Ends the process at once (_exit): no library's destructor waits for a thread that still runs.
  package static func exit(_ code: Int32) -> Never { dr_exit(code) }

  /// Ends the process by SIGABRT, with a core dump if these are on.
  package static func abort() -> Never { dr_end_with_dump() }

  /// Call it before the first thread: all threads share one heap. A heap per thread would hold megabytes
  /// that are rarely all in use.
  package static func shareOneHeap() { dr_memory_one_arena() }

  /// Returns memory that is free after a burst of work to the kernel.
  package static func returnMemory() { dr_memory_return() }

  /// Call it before the first thread: programs executed later (workers) then inherit no capability.
  package static func clearAmbientCapabilities() { _ = dr_clear_ambient() }

  /// Raises the limit to its maximum, at most 65536: libdispatch ends a process that cannot open a file.
  package static func raiseDescriptorLimit() { _ = dr_descriptor_limit_raise() }

  /// Ignores SIGXFSZ: a write beyond the limit on the size of a file then fails with EFBIG, and its caller has the words.
  package static func reportLongFiles() { _ = dr_signal_ignore(25) }

  /// The limit on descriptors.
  package static var descriptorLimit: Int { Int(dr_descriptor_limit()) }

  package static func randomBytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try Calls.run("getrandom", "random bytes") { unsafe dr_random(&bytes, UInt64(count)) }
    return bytes
  }
}

/// Signals as events. Make it before the first thread, so that every thread blocks them.
package final class Signals: Sendable {
  private let handle: Descriptor

  package static let hangup: Int32 = 1
  package static let interrupt: Int32 = 2
  package static let terminate: Int32 = 15

  /// Ignores SIGIO (a lease is broken), SIGPIPE (a peer has gone), SIGXFSZ (see `reportLongFiles`), SIGUSR1 and SIGUSR2:
  /// each would end the process.
  package init(_ signals: [Int32]) throws(SystemError) {
    for number: Int32 in [10, 12, 13, 25, 29] {
      try Calls.run("sigaction", "signal") { dr_signal_ignore(number) }
    }
    try Calls.run("pthread_sigmask", "signals") {
      unsafe dr_signals_block(signals, UInt64(signals.count))
    }
    let number = try Calls.run("signalfd", "signals") {
      unsafe dr_signals_file(signals, UInt64(signals.count))
    }
    handle = Descriptor(owning: number)
  }

  package var descriptor: Int32 { handle.number }

  /// The next pending signal, if any.
  package func next() -> Int32? {
    let signal = dr_signal_next(handle.number)
    return signal > 0 ? signal : nil
  }
}
