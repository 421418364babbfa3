// SPDX-License-Identifier: Apache-2.0
// Answers the calls of users on the control socket: checks permissions, reads views, makes changes. A change
// of a list is durable before the answer. Raises nothing: answers `failed` for a `ControlError`.
// Concurrency: immutable; its parts have their own locks. Runs in the home of calls; `onDisk` for the cache.

import Accept
import Chain
import Download
import Linux
import Record
import Report
import Steer
import Vocabulary

final class ControlCalls: ControlService {
  private let views: Views
  private let keeper: ListKeeper
  let remover: ListRemover
  private let sheets: ContactSheets
  private let pages: PageCalls
  private let reload: Reload
  private let narrator: Narrator
  /// Rings at every change that users can see.
  private let changes: ChangeSignal
  private let stop: StopFlag
  private let user = ThisProcess.user
  private let metrics: @Sendable () async -> MetricsReport
  /// The prints that are about to be removed, one clause each.
  private let expiring: @Sendable () -> [String]
  /// The lists that ended at least that time ago.
  private let old: @Sendable (Duration) throws(Failure) -> [ListID]
  /// Nil for a machine that works alone.
  let cluster: ClusterNode?

  init(
    _ views: Views, _ pages: PageCalls, keeper: ListKeeper, remover: ListRemover,
    sheets: ContactSheets, reload: Reload, narrator: Narrator, changes: ChangeSignal,
    stop: StopFlag, metrics: @escaping @Sendable () async -> MetricsReport,
    expiring: @escaping @Sendable () -> [String],
    old: @escaping @Sendable (Duration) throws(Failure) -> [ListID], cluster: ClusterNode? = nil
  ) {
    (self.metrics, self.expiring, self.old) = (metrics, expiring, old)
    self.cluster = cluster
    self.views = views
    self.pages = pages
    self.keeper = keeper
    self.remover = remover
    self.sheets = sheets
    self.reload = reload
    self.narrator = narrator
    self.changes = changes
    self.stop = stop
  }

  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply {
    switch call {
    case .status, .reload, .settings, .cache, .flush, .metrics, .nodes, .drain: break
    default: await views.index.loaded()
    }
    return await judge.answer(peer) { () throws(ControlError) in
      let peer = try await pages.admitted(call, peer)
      switch call {
      case .status: return .status(status(for: peer))
      case .reload: return .reloaded(notes: try await reload(peer))
      case .forecast(let order): return .foreseen(notes: try await forecast(order, peer))
      case .settings: return .settings(views.settingSummaries())
      case .cache(let clear): return try await cache(clear, peer)
      case .metrics: return .metrics(await metrics())
      case .flush(let host): return try flush(host, peer)
      case .nodes: return .nodes(try await nodeCalls().report())
      case .drain(let order):
        return .drained(
          try await nodeCalls().drain(order, mayDrain: peer.mayReload(daemonOf: user)))
      case .lists: return .lists(try await views.summaries(for: peer))
      case .aged(let age): return .lists(try await aged(age, peer))
      case .inbox: return .inbox(await views.inboxReport(for: peer))
      case .show(let order): return .show(try await views.show(order, for: peer))
      case .watch(let order): return .watch(try await views.watch(order, for: peer))
      case .follow(let order): return .followed(try views.followed(order, for: peer))
      case .open(let list): return try pages.open(list, peer)
      case .redeem(let token): return try await pages.redeem(token)
      case .states(let order): return try await pages.states(order, peer)
      case .colours(let order): return try await pages.colours(order, peer)
      case .find(let order): return try await pages.find(order, peer)
      case .picture(let order): return try await pages.picture(order, peer)
      case .why(let order):
        return .why(try await WhyView(views: views, keeper: keeper).why(order, for: peer))
      case .pause(let list): return try await change(list, .pause, peer)
      case .resume(let list): return try await change(list, .resume, peer)
      case .cancel(let list): return try await change(list, .cancel, peer)
      case .quality(let list, let serviceClass):
        return try await change(list, .quality(serviceClass), peer)
      case .focus(let order): return try await focus(order, peer)
      case .unfocus(let list, let viewer): return try await unfocus(list, viewer: viewer, peer)
      case .retry(let order): return try await retry(order, peer)
      case .remove(let list, let isSparing): return try await remove(list, isSparing, peer)
      case .sheet(let list): return try await sheet(list, peer)
      }
    }
  }

  private var judge: NameJudge { NameJudge(views: views, cluster: cluster, stop: stop) }

  // MARK: streams

  /// Sends a report at each change until the list is over; the reports of `show` end when its files are returned.
  func stream(
    _ call: ControlCall, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    await views.index.loaded()
    return await judge.answer(peer) { () throws(ControlError) in
      let admitted = try await pages.admitted(call, peer)
      switch call {
      case .watch(let order): return try await watch(order, for: admitted, caller)
      case .follow(let order): return try await followSteps(order, for: admitted, caller)
      case .show(let order): return try await follow(order, for: admitted, caller)
      default: return await handle(call, from: peer)
      }
    }
  }

  private func follow(
    _ order: ShowOrder, for peer: ControlPeer, _ caller: ReplyStream
  ) async throws(ControlError) -> ControlReply {
    try await arrival(of: order.list, for: peer)
    // A list that takes the name meanwhile is another one.
    var order = order
    let list = try views.choose(order.list, by: peer)
    order.list = ListReference("\(list)")
    while true {
      guard await caller.room() else { return .unread }
      let seen = changes.version
      let report = try await views.show(order, for: peer)
      if report.list.end.isReturned || stop.isOn { return .show(report) }
      if report.list.isFinal, let loss = await keeper.lives()?[list]?.loss {
        throw .notPossible(why: "'\(report.list.name)' is over, and has no copy: \(loss.reason)")
      }
      guard await caller.send(.show(report)) else { return .show(report) }
      await changes.change(after: seen)
      // Otherwise a fast list would send a report for every photo.
      await views.clock.rest(.milliseconds(200))
      if Task.isCancelled { return .show(report) }
    }
  }

  /// Reports every second while photos are being worked on, otherwise at each change.
  private func watch(
    _ order: WatchOrder, for peer: ControlPeer, _ caller: ReplyStream
  ) async throws(ControlError) -> ControlReply {
    if let list = order.list { try await arrival(of: list, for: peer) }
    while true {
      guard await caller.room() else { return .unread }
      let seen = changes.version
      let isAtWork = views.isAtWork
      let report = try await views.watch(order, for: peer)
      let isOver = order.list != nil && report.lists.allSatisfy(\.isFinal)
      if isOver || stop.isOn { return .watch(report) }
      guard await caller.send(.watch(report)) else { return .watch(report) }
      if !isAtWork { await changes.change(after: seen) }
      await views.clock.rest(isAtWork ? .seconds(1) : .milliseconds(200))
      if Task.isCancelled { return .watch(report) }
    }
  }

  /// Sends the recorded steps; the first reply comes at once and has the place where they begin.
  private func followSteps(
    _ order: FollowOrder, for peer: ControlPeer, _ caller: ReplyStream
  ) async throws(ControlError) -> ControlReply {
    if let list = order.list { try await arrival(of: list, for: peer) }
    var order = order
    var isFirst = true
    var pace = FollowPace()
    while true {
      let seen = changes.version
      let isOver = try views.isOver(order.list, for: peer)
      let report = try views.followed(order, for: peer)
      let isWhole = report.steps.count < FollowReport.most
      if stop.isOn || (isOver && isWhole) { return .followed(report) }
      if isFirst || !report.steps.isEmpty || report.missed {
        guard await caller.send(.followed(report)) else { return .followed(report) }
      }
      (isFirst, order.since) = (false, report.last)
      if isWhole {
        await changes.change(after: seen)
        await views.clock.rest(pace.rest(at: views.clock.uptime()))
      }
      if Task.isCancelled { return .followed(FollowReport(last: report.last)) }
    }
  }

  /// Waits while a file of this name is in the inbox and may still become a list: the caller means that list,
  /// not an older one of the same name. Without a list, tells why a file of this name became none. The files of others
  /// are meant only if the caller has neither a file nor a list of the name.
  private func arrival(of list: ListReference, for peer: ControlPeer) async throws(ControlError) {
    if let number = list.number, views.isKnown(ListID(number)) { return }
    let sight = views.sight(of: peer)
    var ignored: (name: FileName, reason: IgnoredReason)?
    while !Task.isCancelled, !stop.isOn {
      let seen = changes.version
      let sweep = await views.inbox.look(
        for: SweepQuestion(user: peer.user) { name in
          list.means(file: String(decoding: name.bytes, as: UTF8.self))
        })
      var files = sweep.waiting.filter { !$0.isRejected }
      let own = files.filter { $0.owner == peer.user }
      if !files.isEmpty, !own.isEmpty || views.hasOwn(list, peer) { files = own }
      if files.isEmpty {
        if sweep.waiting.isEmpty {
          ignored = sweep.ignored.min { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        break
      }
      if let file = files.first, files.allSatisfy(\.isUnreadable) {
        throw .notPossible(why: "'\(file.name)' waits: \(sight.words(file.waitsFor))")
      }
      await changes.change(after: seen)
    }
    var newest: UInt64 = 0
    var missing: ControlError?
    do throws(ControlError) { newest = try views.choose(list, by: peer).number } catch {
      guard case .noSuchList = error else { throw error }
      missing = error
    }
    if let reason = views.rejection(of: list, after: newest, for: peer) {
      throw sight.rejection(of: list, reason)
    }
    guard let missing else { return }
    if let ignored {
      throw .notPossible(why: "'\(ignored.name)' in the inbox is ignored: \(ignored.reason)")
    }
    throw missing
  }

  // MARK: changes

  /// A list that the caller may change, here or else at another node, where it has the name alone.
  private func steer(
    _ reference: ListReference, _ peer: ControlPeer,
    here: (ListID) async throws(ControlError) -> ControlReply,
    elsewhere: (ClusterNode, ControlError) async throws(ControlError) -> ControlReply
  ) async throws(ControlError) -> ControlReply {
    let list: ListID
    do throws(ControlError) { list = ListID(try changeable(reference, peer).id) } catch {
      guard case .noSuchList = error, let cluster else { throw error }
      return try await elsewhere(cluster, error)
    }
    return try await here(list)
  }

  private func change(
    _ reference: ListReference, _ ask: ListLife.Ask, _ peer: ControlPeer
  ) async throws(ControlError) -> ControlReply {
    try await steer(reference, peer) { list throws(ControlError) in
      do throws(Failure) { try await keeper.ask(ask, of: list, by: peer.user) } catch {
        throw .notPossible(why: error.reason)
      }
      return .changed(try views.summary(list))
    } elsewhere: { cluster, missing throws(ControlError) in
      .changed(
        try await ForeignLists(office: cluster.office).change(reference, ask, peer, or: missing))
    }
  }

  private func focus(
    _ order: FocusOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> ControlReply {
    let calls = FocusCalls(views: views, cluster: cluster)
    return try await steer(order.list, peer) { list throws(ControlError) in
      try await calls.focus(order, on: list, by: peer.user)
    } elsewhere: { cluster, missing throws(ControlError) in
      try await calls.focus(order, at: cluster, by: peer, or: missing)
    }
  }

  private func unfocus(
    _ reference: ListReference, viewer: String, _ peer: ControlPeer
  ) async throws(ControlError) -> ControlReply {
    let calls = FocusCalls(views: views, cluster: cluster)
    return try await steer(reference, peer) { list throws(ControlError) in
      try await calls.unfocus(list, viewer: viewer, by: peer.user)
    } elsewhere: { cluster, missing throws(ControlError) in
      try await calls.unfocus(reference, viewer: viewer, at: cluster, by: peer, or: missing)
    }
  }

  /// The list, if the caller may change it.
  private func changeable(
    _ reference: ListReference, _ peer: ControlPeer
  ) throws(ControlError) -> ListSummary {
    let summary = try views.summary(try views.choose(reference, by: peer))
    guard peer.mayChange(listOf: summary.owner) else {
      throw .permissionDenied(
        why: "list '\(summary.name)' belongs to another user; only its owner or root can change it")
    }
    return summary
  }

  /// Waits until a list that has just ended has its copy and its results. A copy that waits for a person is not awaited.
  private func departure(of list: ListID) async throws(ControlError) {
    while !stop.isOn, !Task.isCancelled {
      let seen = keeper.changes.version
      guard let life = await keeper.lives()?[list], life.loss == nil,
        !views.recorder.ledger({ $0.isArchived(list) })
      else { return }
      if case .returning(let failure?, _) = life.phase {
        throw .notPossible(why: "its results cannot be written yet: \(failure.reason)")
      }
      await keeper.changes.change(after: seen)
    }
  }

  private func remove(
    _ reference: ListReference, _ isSparing: Bool, _ peer: ControlPeer
  ) async throws(ControlError) -> ControlReply {
    let exact = try views.chooseExactly(reference, by: peer)
    let summary = try changeable(ListReference("\(exact)"), peer)
    guard summary.isFinal else {
      throw .notPossible(why: "it is at work; cancel it first, or wait for its end")
    }
    let list = ListID(summary.id)
    try await departure(of: list)
    do throws(Failure) {
      try await remover.remove(list, by: peer.user, isSparing: isSparing)
    } catch {
      throw .notPossible(why: error.reason)
    }
    return .changed(summary)
  }

  private func sheet(
    _ reference: ListReference, _ peer: ControlPeer
  ) async throws(ControlError) -> ControlReply {
    let summary = try changeable(reference, peer)
    guard summary.isFinal else {
      throw .notPossible(why: "it is at work; its contact sheet is made by itself")
    }
    let list = ListID(summary.id)
    if views.index[list]?.terms.storedPrints(in: views.lists.folders) != nil {
      throw .notPossible(why: "its prints are in a store, which has no contact sheets")
    }
    try await departure(of: list)
    if stop.isOn { throw .notPossible(why: "the daemon is stopping") }
    do throws(Failure) { return .sheet(try await sheets.make(list)) } catch {
      throw .notPossible(why: error.reason)
    }
  }

  private func retry(
    _ order: RetryOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> ControlReply {
    let list = try changeable(order.list, peer)
    if views.index[ListID(list.id)]?.terms.isEntry == true {
      throw .notPossible(
        why: "nodes share its photos; drop the list, or its retry list, under a name of its own")
    }
    if list.state == ListState.paused.name {
      throw .notPossible(why: "it is paused; resume it first")
    }
    if list.failed == 0, list.state != ListState.cancelled.name {
      let isOver = list.state == ListState.finished.name
      throw .notPossible(
        why: "none of its photos has failed"
          + (list.end.printsExpired != nil
            ? "; its prints have expired (KeepPrints=), drop it again to have new ones"
            : isOver ? "" : "; it is still at work"))
    }
    // Those that were given back as prints are not kept.
    if list.end.printsExpired != nil, views.index[ListID(list.id)]?.terms.isRoll == true {
      throw .notPossible(
        why:
          "its prints have expired (KeepPrints=), and its pictures are not here any more; drop them again"
      )
    }
    let again = RepeatOrder(
      ListID(list.id), of: list.owner, photos: try await failed(of: order, in: list, by: peer.user),
      by: peer.user)
    let stem = views.index[again.earlier].map { Array($0.name.stem) } ?? []
    let new: ListID
    do throws(Failure) { new = try await views.inbox.again(again, stem: stem) } catch {
      throw .notPossible(why: error.words)
    }
    return .changed(try views.summary(new))
  }

  /// The named photos that failed; nil if none are named.
  private func failed(
    of order: RetryOrder, in list: ListSummary, by user: UInt32
  ) async throws(ControlError) -> RetryChoice? {
    if order.photos.isEmpty { return nil }
    if list.state == ListState.cancelled.name {
      throw .notPossible(why: "it was cancelled; name no photos, and all that is missing is done")
    }
    let (named, all) = try await views.scans.run(of: user) { () throws(ControlError) in
      try views.failed(order.photos, in: ListID(list.id))
    }
    if named.isEmpty { throw .notPossible(why: "none of the named photos has failed") }
    guard let choice = RetryChoice(named, among: all) else {
      throw .notPossible(
        why: "the named photos that failed are in more than \(NumberRanges.most) places; name fewer"
      )
    }
    return choice
  }

  private func reload(_ peer: ControlPeer) async throws(ControlError) -> [String] {
    guard peer.mayReload(daemonOf: user) else {
      throw .permissionDenied(why: "only root and the daemon's own user may reload it")
    }
    switch await reload.ask(by: peer.user) {
    case .success(let notes): return notes
    case .failure(let error): throw .reloadFailed(why: error.description)
    case nil: throw .notPossible(why: "the daemon is stopping")
    }
  }

  private func forecast(
    _ order: ForecastOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> [String] {
    guard peer.mayReload(daemonOf: user) else {
      throw .permissionDenied(why: "only root and the daemon's own user may ask what is removed")
    }
    guard let notes = await reload.forecast(order) else {
      throw .notPossible(why: "the daemon is stopping")
    }
    return notes
  }

  private func cache(_ clear: Bool, _ peer: ControlPeer) async throws(ControlError) -> ControlReply
  {
    if clear {
      guard peer.mayReload(daemonOf: user) else {
        throw .permissionDenied(why: "only root and the daemon's own user may empty the cache")
      }
      await onDisk { views.downloader.cache?.clear() }
      narrator.tell(.cacheCleared(by: Person(peer.user)))
    }
    return .cache(views.cache())
  }

  private func aged(
    _ age: Duration, _ peer: ControlPeer
  ) async throws(ControlError) -> [ListSummary] {
    let old: Set<UInt64>
    do throws(Failure) { old = Set(try self.old(age).map(\.number)) } catch {
      throw .notPossible(why: error.words)
    }
    return try await views.summaries(for: peer).filter { old.contains($0.id) }
  }

  private func status(for peer: ControlPeer) -> StatusReport {
    var report = views.status(isStopping: stop.isOn, for: peer)
    report.cluster = cluster.map { NodeCalls(node: $0).summary }
    report.expiring = expiring()
    return report
  }

  private func nodeCalls() throws(ControlError) -> NodeCalls {
    guard let cluster else {
      throw .notPossible(why: "this darkroomd does not belong to a cluster: Ledger= is not set")
    }
    return NodeCalls(node: cluster)
  }

  /// Flushing one host costs at most one attempt of one photo; flushing all costs an attempt of every
  /// user's photos.
  private func flush(_ host: String?, _ peer: ControlPeer) throws(ControlError) -> ControlReply {
    let mayAll = peer.mayReload(daemonOf: user)
    if !mayAll {
      let owners = "only root and the daemon's own user"
      guard let host else {
        throw .permissionDenied(why: "\(owners) may flush all hosts; name one")
      }
      let closed = views.chains.closedHost(host)
      // A host of private lists gets the same answer as a host without lists.
      guard let closed, views.sight(of: peer).mayName(closed) else {
        throw .notPossible(why: "no list that you may look at waits for that host")
      }
      if closed.isWish {
        throw .permissionDenied(
          why: "the host asked to be left alone; \(owners) may flush it")
      }
    }
    let count = views.chains.flush(host, wishes: mayAll)
    narrator.tell(.hostsFlushed(host, count: UInt64(count), by: Person(peer.user)))
    return .flushed(hosts: count)
  }
}
