// SPDX-License-Identifier: Apache-2.0
// Limits on streams and on other calls to the daemon at once: each holds a thread, and a connection to the daemon, which
// allows few to one user. A viewer has at most an eighth of both. A stream without a place is refused; a call waits for
// one. Raises `SystemError` when it is made.
// Concurrency model: one Mutex around the places that are taken; the kernel counts the free places for calls.

import Linux
import Synchronization
import Vocabulary

final class ViewerPlaces: Sendable {
  /// The place of a stream is free again when nothing refers to it.
  final class Stream: Sendable {
    private let places: ViewerPlaces
    private let viewer: UInt32

    fileprivate init(_ places: ViewerPlaces, _ viewer: UInt32) {
      (self.places, self.viewer) = (places, viewer)
    }

    deinit {
      places.state.withLock { state in
        state.streams[viewer, default: 0] -= 1
        if state.streams[viewer] == 0 { state.streams[viewer] = nil }
      }
    }
  }

  private struct Share {
    let places: FreePlaces
    var users = 0
  }

  private struct State {
    var streams: [UInt32: Int] = [:]
    /// Calls without a view belong to one viewer.
    var shares: [UInt32?: Share] = [:]
  }

  private let streams: Int
  private let calls: FreePlaces
  private let callsOfViewer: UInt32
  private let state = Mutex(State())

  init(streams: Int, calls: UInt32) throws(SystemError) {
    self.streams = streams
    self.calls = try FreePlaces(calls)
    callsOfViewer = max(1, calls / 8)
  }

  func stream(for viewer: UInt32) -> Stream? {
    let isFree = state.withLock { state in
      let (all, own) = (state.streams.values.reduce(0, +), state.streams[viewer, default: 0])
      guard all < streams, own < max(1, streams / 8) else { return false }
      state.streams[viewer] = own + 1
      return true
    }
    return isFree ? Stream(self, viewer) : nil
  }

  /// Makes a call on a place. The calling thread waits until one is free.
  func call<Value, Problem: Error>(
    for viewer: UInt32?, _ act: () throws(Problem) -> Value
  ) throws(Problem) -> Value {
    // Without descriptors for separate places, a viewer uses the places of all.
    guard let own = share(of: viewer) else { return try calls.use(act) }
    defer { leave(viewer) }
    return try own.use { () throws(Problem) in try calls.use(act) }
  }

  private func share(of viewer: UInt32?) -> FreePlaces? {
    state.withLock { state in
      if state.shares[viewer] == nil, let places = try? FreePlaces(callsOfViewer) {
        state.shares[viewer] = Share(places: places)
      }
      state.shares[viewer]?.users += 1
      return state.shares[viewer]?.places
    }
  }

  private func leave(_ viewer: UInt32?) {
    state.withLock { state in
      state.shares[viewer]?.users -= 1
      if state.shares[viewer]?.users == 0 { state.shares[viewer] = nil }
    }
  }
}
