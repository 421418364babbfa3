// SPDX-License-Identifier: Apache-2.0
// Waiting for descriptors: poll(2), and an event that wakes a waiting thread. Raises `SystemError`.

internal import CLinux
package import Vocabulary

package enum Poll {
  package struct Watch: Sendable {
    package let descriptor: Int32
    package let wantsWrite: Bool
    package let wantsPriority: Bool
    private let wantsEnd: Bool
    /// Filled by `wait`.
    package var isReadable = false
    package var isWritable = false
    package var isPriority = false
    package var isClosed = false

    package var isReady: Bool { isReadable || isWritable || isPriority || isClosed }

    package init(_ descriptor: Int32, wantsWrite: Bool = false, wantsPriority: Bool = false) {
      self.descriptor = descriptor
      self.wantsWrite = wantsWrite
      self.wantsPriority = wantsPriority
      wantsEnd = false
    }

    /// Is closed when the peer of the socket sends no more; bytes that wait in it do not count.
    package init(endOf socket: Int32) {
      descriptor = socket
      (wantsWrite, wantsPriority, wantsEnd) = (false, false, true)
    }

    fileprivate var events: Int16 {
      if wantsEnd { return Int16(DR_PEER_GONE) }
      return Int16((wantsPriority ? DR_PRIORITY : DR_READABLE) | (wantsWrite ? DR_WRITABLE : 0))
    }
  }

  /// Waits until a descriptor is ready or the time is over; nil waits without limit. Returns early, with no
  /// descriptor ready, if a signal interrupts.
  package static func wait(_ watches: [Watch], for limit: Duration?) throws(SystemError) -> [Watch]
  {
    var raw = watches.map { watch in
      dr_watch(file: watch.descriptor, events: watch.events, happened: 0)
    }
    // Rounded up: a caller whose wait ends early would spin.
    let milliseconds = limit.map { max(0, ($0.nanoseconds + 999_999) / 1_000_000) } ?? -1
    do throws(SystemError) {
      try Calls.run("poll", "descriptors", interrupted: .returns) {
        unsafe dr_poll(&raw, UInt64(watches.count), milliseconds)
      }
    } catch {
      if error.name == .interrupted { return watches }
      throw error
    }
    return zip(watches, raw).map { watch, raw in
      var watch = watch
      let happened = Int(raw.happened)
      watch.isReadable = happened & DR_READABLE != 0
      watch.isWritable = happened & DR_WRITABLE != 0
      watch.isPriority = happened & (DR_PRIORITY | DR_ERROR) != 0
      watch.isClosed = happened & (DR_HANGUP | DR_ERROR | DR_PEER_GONE) != 0
      return watch
    }
  }
}

/// Wakes a thread in `Poll.wait`, from any other thread.
package final class WakeEvent: Sendable {
  private let handle: Descriptor

  package init() throws(SystemError) {
    handle = Descriptor(owning: try Calls.run("eventfd", "wake event") { dr_event() })
  }

  package var descriptor: Int32 { handle.number }
  package func ring() { _ = dr_event_ring(handle.number) }
  package func clear() { _ = dr_event_clear(handle.number) }
}
