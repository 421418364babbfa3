// SPDX-License-Identifier: Apache-2.0
// A handler that answers from a script, holds calls back until they are released, and remembers
// calls and callers. Concurrency model: one lock guards all; continuations are resumed outside it.

import Steer
import Synchronization
import Vocabulary

final class ScriptedDaemon: ControlService {
  private struct State {
    var calls: [ControlRequest] = []
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

  var calls: [ControlRequest] { state.withLock { $0.calls } }
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

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
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
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    note(call, peer)
    var isTaken = true
    for step in steps {
      isTaken = await caller.send(.answer(ShowReport(list: step, photos: photos)))
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

  private func note(_ call: any ControlMethod, _ peer: ControlPeer) {
    let ready = state.withLock { state in
      state.calls.append(ControlRequest(call))
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

  private func answer(_ call: any ControlMethod) -> ControlReply {
    switch call {
    case let order as CancelOrder: .failed(.noSuchList(name: order.list.text))
    case let order as DrainOrder where order.node != "beta":
      .failed(.notPossible(why: "the ledger knows no node 'betta'"))
    case is ReloadOrder: .failed(.reloadFailed(why: "line 3 of darkroomd.conf"))
    case let order as CacheOrder where order.clear:
      .failed(.permissionDenied(why: "only root and the daemon's own user may empty the cache"))
    default: .answer(message(call))
    }
  }

  private func message(_ call: any ControlMethod) -> any MessageValue {
    switch call {
    case is StatusOrder: StatusReply(Samples.status)
    case is ListsOrder, is AgedOrder: ListsReply([Samples.list])
    case is InboxOrder: InboxReply(Samples.inbox)
    case let order as ShowOrder: page(order)
    case let order as WhyOrder:
      WhyReport(
        list: Samples.list, wait: Samples.waits[order.photo == nil ? 0 : 2],
        groups: order.photo == nil ? Array(Samples.waits[1...]) : [])
    case is SheetOrder: SheetReport(page: "/prints/summer/index.html", pages: 2, thumbnails: 0)
    case is FocusOrder: Samples.focus
    case is UnfocusOrder: FocusReport(list: Samples.list)
    case let order as FlushOrder: FlushReply(order.host == nil ? 2 : 1)
    case is NodesOrder: Samples.nodes
    case let order as DrainOrder: NodeReply(Samples.nodes.nodes[order.isNow ? 2 : 1])
    case is SettingsOrder: SettingsReply(Samples.settings)
    case is MetricsOrder: Samples.metrics
    case is ForecastOrder: NotesReply([])
    case is WatchOrder: Samples.watch
    case is FollowOrder: FollowReport(last: 1)
    case is OpenOrder: OpenReport(list: Samples.list, token: Samples.token)
    case is RedeemOrder: RedeemReport(list: 17, user: 1000, view: Samples.view, seconds: 86_400)
    case is StatesOrder: StatesReport(list: Samples.list, record: 7, states: "0123")
    case is ColoursOrder: ColoursReport(groups: [])
    case is FindOrder: FindReport(photo: 3)
    case is PictureOrder: picture
    case is CacheOrder: CacheReply(Samples.cache)
    default: ListReply(Samples.list)
    }
  }
}
