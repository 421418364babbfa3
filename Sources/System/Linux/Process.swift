// SPDX-License-Identifier: Apache-2.0
// This process: who it is, what it may, and the signals it gets as events.

internal import CLinux
package import Vocabulary

package enum ThisProcess {
  package static var identifier: Int32 { dr_process() }
  package static var user: UInt32 { dr_user() }
  package static var residentBytes: Int64 { dr_resident_bytes() }
  package static func isTerminal(_ descriptor: Int32) -> Bool { dr_is_terminal(descriptor) == 1 }

  /// Processors this process may run on.
  package static var processors: Int { max(1, Int(dr_processors())) }

  /// Ends the process as it is: no destructor of a library waits for a thread that is still there.
  package static func exit(_ code: Int32) -> Never { dr_exit(code) }

  /// Before the first thread: one heap for all threads. A heap for each would keep megabytes that no
  /// thread uses at the same time as another.
  package static func shareOneHeap() { dr_memory_one_arena() }

  /// Gives the kernel back what a burst of work has left free.
  package static func returnMemory() { dr_memory_return() }

  /// Before the first thread: what is executed later (workers) inherits no capability.
  package static func clearAmbientCapabilities() { _ = dr_clear_ambient() }

  /// libdispatch stops the process when it cannot open a file; so the limit is as high as it may be.
  package static func raiseDescriptorLimit() { _ = dr_descriptor_limit_raise() }

  package static func randomBytes(_ count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try Calls.run("getrandom", "random bytes") {
      unsafe bytes.withUnsafeMutableBytes { raw in
        unsafe dr_random(raw.baseAddress, UInt64(raw.count))
      }
    }
    return bytes
  }
}

/// Signals as events. Made before the first thread, so that every thread has them blocked.
package final class Signals: Sendable {
  private let handle: Descriptor

  package static let hangup: Int32 = 1
  package static let interrupt: Int32 = 2
  package static let userOne: Int32 = 10
  package static let terminate: Int32 = 15

  /// SIGIO (a lease is broken) and SIGPIPE (a peer has gone) are ignored: both would end the process.
  package init(_ signals: [Int32]) throws(SystemError) {
    for number: Int32 in [13, 29] {
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

  /// The next signal that came, if any.
  package func next() -> Int32? {
    let signal = dr_signal_next(handle.number)
    return signal > 0 ? signal : nil
  }
}
