// SPDX-License-Identifier: Apache-2.0
// Answers the calls of users on the control socket: checks permissions, reads views, makes changes. A change
// of a list is durable before the answer. `CallTable` has the handler of each method. Raises nothing: answers
// `failed` for a `ControlError`.
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
  let views: Views
  let keeper: ListKeeper
  let remover: ListRemover
  private let sheets: ContactSheets
  let pages: PageCalls
  private let reload: Reload
  private let narrator: Narrator
  /// Rings at every change that users can see.
  private let changes: ChangeSignal
  private let stop: StopFlag
  let user = ThisProcess.user
  let metrics: @Sendable () async -> MetricsReport
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

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    await answer(call, peer, nil)
  }

  func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    await answer(call, peer, caller)
  }

  private func answer(
    _ call: any ControlMethod, _ peer: ControlPeer, _ caller: ReplyStream?
  ) async -> ControlReply {
    guard let row = CallTable.all[call] else {
      return .failed(.methodNotImplemented(type(of: call).name))
    }
    if !row.isEarly { await views.index.loaded() }
    return await judge.answer(peer) { () throws(ControlError) in
      try await row.answer(self, call, try await pages.admitted(call, peer), caller)
    }
  }

  private var judge: NameJudge { NameJudge(views: views, cluster: cluster, stop: stop) }

  // MARK: streams

  /// Sends a report at each change until the list is over and its files are returned.
  func showChanges(
    _ order: ShowOrder, for peer: ControlPeer, _ caller: ReplyStream
  ) async throws(ControlError) -> ShowReport {
    try await arrival(of: order.list, for: peer)
    // A list that takes the name meanwhile is another one.
    var order = order
    let list = try views.choose(order.list, by: peer)
    order.list = ListReference("\(list)")
    while true {
      guard await caller.room() else { throw .unread }
      let seen = changes.version
      let report = try await views.show(order, for: peer)
      if stop.isOn { return report }
      if report.list.end.isReturned {
        guard let loss = await views.loss(of: list) else { return report }
        throw .notPossible(why: "'\(report.list.name)' is over, and is lost: \(loss.reason)")
      }
      if report.list.isFinal, let loss = await keeper.lives()?[list]?.loss {
        throw .notPossible(why: "'\(report.list.name)' is over, and has no copy: \(loss.reason)")
      }
      guard await caller.send(.answer(report)) else { return report }
      await changes.change(after: seen)
      // Otherwise a fast list would send a report for every photo.
      await views.clock.rest(.milliseconds(200))
      if Task.isCancelled { return report }
    }
  }

  /// Reports every second while photos are being worked on, otherwise at each change.
  func watch(
    _ order: WatchOrder, for peer: ControlPeer, _ caller: ReplyStream
  ) async throws(ControlError) -> WatchReport {
    if let list = order.list { try await arrival(of: list, for: peer) }
    while true {
      guard await caller.room() else { throw .unread }
      let seen = changes.version
      let isAtWork = views.isAtWork
      let report = try await views.watch(order, for: peer)
      let isOver = order.list != nil && report.lists.allSatisfy(\.isFinal)
      if isOver || stop.isOn { return report }
      guard await caller.send(.answer(report)) else { return report }
      if !isAtWork { await changes.change(after: seen) }
      await views.clock.rest(isAtWork ? .seconds(1) : .milliseconds(200))
      if Task.isCancelled { return report }
    }
  }

  /// Sends the recorded steps; the first reply comes at once and has the place where they begin.
  func followSteps(
    _ order: FollowOrder, for peer: ControlPeer, _ caller: ReplyStream
  ) async throws(ControlError) -> FollowReport {
    if let list = order.list { try await arrival(of: list, for: peer) }
    var order = order
    var isFirst = true
    var pace = FollowPace()
    while true {
      let seen = changes.version
      let isOver = try views.isOver(order.list, for: peer)
      let report = try views.followed(order, for: peer)
      let isWhole = report.steps.count < FollowReport.most
      if stop.isOn || (isOver && isWhole) { return report }
      if isFirst || !report.steps.isEmpty || report.missed {
        guard await caller.send(.answer(report)) else { return report }
      }
      (isFirst, order.since) = (false, report.last)
      if isWhole {
        await changes.change(after: seen)
        await views.clock.rest(pace.rest(at: views.clock.uptime()))
      }
      if Task.isCancelled { return FollowReport(last: report.last) }
    }
  }

  /// Waits while a file of this name is in the inbox and may still become a list: the caller means that list,
  /// not an older one of the same name. Without a list, tells why a file of this name became none. The files of others
  /// are meant only if the caller has neither a file nor a list of the name.
  private func arrival(of list: ListReference, for peer: ControlPeer) async throws(ControlError) {
    if let number = list.number, views.isKnown(ListID(number)) { return }
    while true {
      let ignored = try await ignoredFile(of: list, for: peer)
      var newest: UInt64 = 0
      var missing: ControlError?
      do throws(ControlError) { newest = try views.choose(list, by: peer).number } catch {
        guard case .noSuchList = error else { throw error }
        missing = error
      }
      if let reason = views.rejection(of: list, after: newest, for: peer) {
        throw views.sight(of: peer).rejection(of: list, reason)
      }
      guard let missing else { return }
      guard let ignored else { throw missing }
      guard ignored.isUndecided, !Task.isCancelled, !stop.isOn else {
        throw .notPossible(why: "'\(ignored.name)' in the inbox is ignored: \(ignored.reason)")
      }
      // Nothing rings when its time is over.
      await views.clock.rest(.seconds(1))
    }
  }

  private struct IgnoredFile {
    let name: FileName
    let reason: IgnoredReason
    /// A new folder, which may still get pictures.
    let isUndecided: Bool
  }

  /// Waits while a file may still become the list; then returns the one that is ignored, if there is one.
  private func ignoredFile(
    of list: ListReference, for peer: ControlPeer
  ) async throws(ControlError) -> IgnoredFile? {
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
        guard sweep.waiting.isEmpty else { return nil }
        let first =
          sweep.undecided.min().map { ($0, .noPictures) } ?? sweep.ignored.min { $0.key < $1.key }
        return first.map { name, reason in
          IgnoredFile(name: name, reason: reason, isUndecided: sweep.undecided.contains(name))
        }
      }
      if let file = files.first, files.allSatisfy(\.needsPerson) {
        let words = views.sight(of: peer).words(file.waitsFor)
        throw .notPossible(why: "'\(file.name)' waits: \(words)")
      }
      await changes.change(after: seen)
    }
    return nil
  }

  // MARK: changes

  /// A list that the caller may change, here or else at another node, where it has the name alone.
  private func steer<Answer>(
    _ reference: ListReference, _ peer: ControlPeer,
    here: (ListID) async throws(ControlError) -> Answer,
    elsewhere: (ClusterNode, ControlError) async throws(ControlError) -> Answer
  ) async throws(ControlError) -> Answer {
    let list: ListID
    do throws(ControlError) { list = ListID(try changeable(reference, peer).id) } catch {
      guard case .noSuchList = error, let cluster else { throw error }
      return try await elsewhere(cluster, error)
    }
    return try await here(list)
  }

  func change(
    _ reference: ListReference, _ ask: ListLife.Ask, _ peer: ControlPeer
  ) async throws(ControlError) -> ListReply {
    try await steer(reference, peer) { list throws(ControlError) in
      do throws(Failure) { try await keeper.ask(ask, of: list, by: peer.user) } catch {
        throw .notPossible(why: error.reason)
      }
      return ListReply(try views.summary(list))
    } elsewhere: { cluster, missing throws(ControlError) in
      ListReply(
        try await ForeignLists(office: cluster.office).change(reference, ask, peer, or: missing))
    }
  }

  func focus(
    _ order: FocusOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> FocusReport {
    let calls = FocusCalls(views: views, cluster: cluster)
    return try await steer(order.list, peer) { list throws(ControlError) in
      try await calls.focus(order, on: list, by: peer.user)
    } elsewhere: { cluster, missing throws(ControlError) in
      try await calls.focus(order, at: cluster, by: peer, or: missing)
    }
  }

  func unfocus(
    _ order: UnfocusOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> FocusReport {
    let calls = FocusCalls(views: views, cluster: cluster)
    return try await steer(order.list, peer) { list throws(ControlError) in
      try await calls.unfocus(list, viewer: order.viewer, by: peer.user)
    } elsewhere: { cluster, missing throws(ControlError) in
      try await calls.unfocus(order, at: cluster, by: peer, or: missing)
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

  func remove(
    _ order: RemoveOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> ListReply {
    let exact = try views.chooseExactly(order.list, by: peer)
    let summary = try changeable(ListReference("\(exact)"), peer)
    guard summary.isFinal else {
      throw .notPossible(why: "it is at work; cancel it first, or wait for its end")
    }
    let list = ListID(summary.id)
    try await departure(of: list)
    let rest = await onDisk { remover.rest(of: list) }
    do throws(Failure) {
      try await remover.remove(list, by: peer.user, isSparing: order.spare)
    } catch {
      throw .notPossible(why: error.reason)
    }
    return ListReply(summary, rest: rest)
  }

  func sheet(
    _ order: SheetOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> SheetReport {
    let summary = try changeable(order.list, peer)
    guard summary.isFinal else {
      throw .notPossible(why: "it is at work; its contact sheet is made by itself")
    }
    let list = ListID(summary.id)
    if views.index[list]?.terms.storedPrints(in: views.lists.folders) != nil {
      throw .notPossible(why: "its prints are in a store, which has no contact sheets")
    }
    try await departure(of: list)
    if stop.isOn { throw .notPossible(why: "the daemon is stopping") }
    do throws(Failure) { return try await sheets.make(list) } catch {
      throw .notPossible(why: error.reason)
    }
  }

  func retry(
    _ order: RetryOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> ListReply {
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
    return ListReply(try views.summary(new))
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

  func reload(_ peer: ControlPeer) async throws(ControlError) -> NotesReply {
    guard peer.mayReload(daemonOf: user) else {
      throw .permissionDenied(why: "only root and the daemon's own user may reload it")
    }
    switch await reload.ask(by: peer.user) {
    case .success(let notes): return NotesReply(notes)
    case .failure(let error): throw .reloadFailed(why: error.reason)
    case nil: throw .notPossible(why: "the daemon is stopping")
    }
  }

  func forecast(
    _ order: ForecastOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> NotesReply {
    guard peer.mayReload(daemonOf: user) else {
      throw .permissionDenied(why: "only root and the daemon's own user may ask what is removed")
    }
    guard let notes = await reload.forecast(order) else {
      throw .notPossible(why: "the daemon is stopping")
    }
    return NotesReply(notes)
  }

  func cache(_ order: CacheOrder, _ peer: ControlPeer) async throws(ControlError) -> CacheReply {
    if order.clear {
      guard peer.mayReload(daemonOf: user) else {
        throw .permissionDenied(why: "only root and the daemon's own user may empty the cache")
      }
      await onDisk { views.downloader.cache?.clear() }
      narrator.tell(.cacheCleared(by: Person(peer.user)))
    }
    return CacheReply(views.cache())
  }

  func aged(
    _ order: AgedOrder, _ peer: ControlPeer
  ) async throws(ControlError) -> ListsReply {
    let old: Set<UInt64>
    do throws(Failure) { old = Set(try self.old(order.age).map(\.number)) } catch {
      throw .notPossible(why: error.words)
    }
    return ListsReply(try await views.summaries(for: peer).filter { old.contains($0.id) })
  }

  func status(for peer: ControlPeer) -> StatusReport {
    var report = views.status(isStopping: stop.isOn, for: peer)
    report.cluster = cluster.map { NodeCalls(node: $0).summary }
    report.expiring = expiring()
    return report
  }

  func nodeCalls() throws(ControlError) -> NodeCalls {
    guard let cluster else {
      throw .notPossible(why: "this darkroomd does not belong to a cluster: Ledger= is not set")
    }
    return NodeCalls(node: cluster)
  }

  /// Flushing one host costs at most one attempt of one photo of each user whose lists the caller may look at; flushing all
  /// costs an attempt of every user's photos.
  func flush(_ order: FlushOrder, _ peer: ControlPeer) throws(ControlError) -> FlushReply {
    let count =
      peer.mayReload(daemonOf: user)
      ? views.chains.flush(order.host) : try flush(order.host, asMember: peer)
    narrator.tell(.hostsFlushed(order.host, count: UInt64(count), by: Person(peer.user)))
    return FlushReply(count)
  }

  private func flush(_ host: String?, asMember peer: ControlPeer) throws(ControlError) -> Int {
    let owners = "only root and the daemon's own user"
    guard let host else {
      throw .permissionDenied(why: "\(owners) may flush all hosts; name one")
    }
    let sight = views.sight(of: peer)
    let closed = views.chains.closedHosts().filter {
      ServerName.isMeant($0.name, by: host) && sight.mayName($0)
    }
    // A host of private lists gets the same answer as a host without lists.
    if closed.isEmpty {
      throw .notPossible(why: "no list that you may look at waits for that host")
    }
    if closed.allSatisfy(\.isWish) {
      throw .permissionDenied(
        why: "the host asked to be left alone; \(owners) may flush it")
    }
    return views.chains.flush(closed)
  }
}
