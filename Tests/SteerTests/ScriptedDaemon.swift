// SPDX-License-Identifier: Apache-2.0
// A handler that answers from a script, holds calls back until they are released, and remembers
// calls and callers. Concurrency model: one lock guards all; continuations are resumed outside it.

import Steer
import Synchronization
import Vocabulary

final class ScriptedDaemon: ControlService {
  private struct State {
    var calls: [ControlCall] = []
    var peers: [ControlPeer] = []
    var isHolding = false
    var held: [CheckedContinuation<Void, Never>] = []
    var waiters: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []
    var streamEnds: [Bool] = []
    var endWaiters: [CheckedContinuation<Bool, Never>] = []
  }

  private let state = Mutex(State())
  /// The lists that a stream sends, one reply each.
  let steps: [ListSummary]
  let photos: [PhotoSummary]
  /// The replies to `show`, one for each offset; without them all photos are one reply.
  let pages: [[PhotoSummary]]
  let picture: PictureReport

  init(
    steps: [ListSummary] = [], photos: [PhotoSummary] = [], pages: [[PhotoSummary]] = [],
    picture: PictureReport = PictureReport(), holding: Bool = false
  ) {
    self.steps = steps
    self.photos = photos
    self.pages = pages
    self.picture = picture
    state.withLock { $0.isHolding = holding }
  }

  var calls: [ControlCall] { state.withLock { $0.calls } }
  var peers: [ControlPeer] { state.withLock { $0.peers } }

  /// Returns after this number of calls.
  func reached(_ count: Int) async {
    await withCheckedContinuation { waiter in
      let isThere = state.withLock { state in
        if state.calls.count >= count { return true }
        state.waiters.append((count, waiter))
        return false
      }
      if isThere { waiter.resume() }
    }
  }

  /// Lets the held calls, and all later ones, proceed.
  func release() {
    let held = state.withLock { state in
      state.isHolding = false
      defer { state.held = [] }
      return state.held
    }
    for call in held { call.resume() }
  }

  /// Returns whether the caller of the next stream to end took all of it.
  func streamEnded() async -> Bool {
    await withCheckedContinuation { waiter in
      let end = state.withLock { state -> Bool? in
        if !state.streamEnds.isEmpty { return state.streamEnds.removeFirst() }
        state.endWaiters.append(waiter)
        return nil
      }
      if let end { waiter.resume(returning: end) }
    }
  }

  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply {
    note(call, peer)
    await hold()
    return answer(call)
  }

  private func hold() async {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHolding { state.held.append(continuation) }
        return state.isHolding
      }
      if !isHeld { continuation.resume() }
    }
  }

  func stream(
    _ call: ControlCall, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    note(call, peer)
    var isTaken = true
    for step in steps {
      isTaken = await caller.send(.show(ShowReport(list: step, photos: photos)))
      if !isTaken { break }
    }
    let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if !state.endWaiters.isEmpty { return state.endWaiters.removeFirst() }
      state.streamEnds.append(isTaken)
      return nil
    }
    waiter?.resume(returning: isTaken)
    if isTaken { await hold() }
    return answer(call)
  }

  private func note(_ call: ControlCall, _ peer: ControlPeer) {
    let ready = state.withLock { state in
      state.calls.append(call)
      state.peers.append(peer)
      let count = state.calls.count
      let ready = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return ready
    }
    for (_, waiter) in ready { waiter.resume() }
  }

  private func page(_ order: ShowOrder) -> ShowReport {
    let place = Int(order.offset)
    guard pages.indices.contains(place) else {
      return ShowReport(list: Samples.list, photos: photos)
    }
    var report = ShowReport(list: Samples.list, photos: pages[place])
    if place + 1 < pages.count { report.more = order.offset + 1 }
    return report
  }

  private func answer(_ call: ControlCall) -> ControlReply {
    switch call {
    case .status: .status(Samples.status)
    case .lists, .aged: .lists([Samples.list])
    case .inbox: .inbox(Samples.inbox)
    case .show(let order): .show(page(order))
    case .pause, .resume: .changed(Samples.list)
    case .why(let order):
      .why(
        WhyReport(
          list: Samples.list, wait: Samples.waits[order.photo == nil ? 0 : 2],
          groups: order.photo == nil ? Array(Samples.waits[1...]) : []))
    case .retry, .quality, .remove: .changed(Samples.list)
    case .sheet: .sheet(SheetReport(page: "/prints/summer/index.html", pages: 2, thumbnails: 0))
    case .focus: .focused(Samples.focus)
    case .unfocus: .focused(FocusReport(list: Samples.list))
    case .cancel(let list): .failed(.noSuchList(name: list.text))
    case .flush(let host): .flushed(hosts: host == nil ? 2 : 1)
    case .nodes: .nodes(Samples.nodes)
    case .drain(let order):
      order.node == "beta"
        ? .drained(Samples.nodes.nodes[order.isNow ? 2 : 1])
        : .failed(.notPossible(why: "the ledger knows no node 'betta'"))
    case .settings: .settings(Samples.settings)
    case .metrics: .metrics(Samples.metrics)
    case .reload: .failed(.reloadFailed(why: "line 3 of darkroomd.conf"))
    case .forecast: .foreseen(notes: [])
    case .watch: .watch(Samples.watch)
    case .follow: .followed(FollowReport(last: 1))
    case .open: .opened(OpenReport(list: Samples.list, token: Samples.token))
    case .redeem: .redeemed(RedeemReport(list: 17, user: 1000, view: Samples.view, seconds: 86_400))
    case .states: .states(StatesReport(list: Samples.list, record: 7, states: "0123"))
    case .colours: .colours(ColoursReport(groups: []))
    case .find: .found(FindReport(photo: 3))
    case .picture: .picture(picture)
    case .cache(let clear):
      clear
        ? .failed(.permissionDenied(why: "only root and the daemon's own user may empty the cache"))
        : .cache(Samples.cache)
    }
  }
}
