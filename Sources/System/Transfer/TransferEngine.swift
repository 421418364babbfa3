// SPDX-License-Identifier: Apache-2.0
// The transfers in progress and libcurl's handles. Made and used on the loop's thread alone.

import CCurl
import Linux
import Synchronization
import Vocabulary

final class TransferEngine {
  private var terms: TransferTerms
  private var queue: TransferQueue<String>
  private var multi: MultiHandle?
  private var transfers: [UInt64: ActiveTransfer] = [:]
  /// Free handles, settled for `terms`: making one costs as much as a small transfer.
  private var spare: [EasyHandle] = []
  /// When the proxy last passed on the answer of a host.
  private var proven: ContinuousClock.Instant?
  /// libcurl may have work.
  private var isDue = false
  /// The time of the next check for transfers without new bytes; nil if no transfer has any.
  private var nextLook: ContinuousClock.Instant?
  private var lapses = LapseWatch()
  private let finished: (UInt64) -> Void

  init(_ settings: TransferSettings, finished: @escaping (UInt64) -> Void) {
    terms = TransferTerms(settings)
    self.finished = finished
    queue = TransferQueue(
      total: settings.connections, perHost: settings.connectionsPerHost,
      kept: settings.keptConnections)
  }

  /// The longest time of a transfer from a quick host.
  private static let quick = Duration.seconds(2)
  private static let restTime = Duration.milliseconds(100)

  var isIdle: Bool { transfers.isEmpty }
  /// A new transfer has to wait until another ends.
  var isFull: Bool { queue.isFull }
  var keepsConnections: Bool { multi != nil }

  func start(_ job: TransferJob) {
    if isIdle { lapses.begin(now: .now, worked: Self.worked) }
    let transfer = ActiveTransfer(job, terms)
    transfers[job.ticket] = transfer
    queue.add(
      job.ticket, host: job.url.serverName, of: transfer.demand.owners, transfer.demand.priority,
      isNamed: isNamed(job.url))
  }

  func cancel(_ ticket: UInt64) {
    guard let transfer = transfers[ticket] else { return }
    finish(transfer, .failure(.cancelled))
  }

  /// libcurl offers the refused bytes to the sink again, inside this call. A late letter, for a transfer
  /// that is over or has moved to another request, changes nothing.
  func goOn(_ ticket: UInt64) {
    guard let transfer = transfers[ticket], transfer.isPaused, transfer.isAsking else { return }
    isDue = true
    let result = transfer.goOn()
    // libcurl reports an error of this call here alone, not through `nextDone`.
    if result != CURLE_OK { conclude(transfer, transfer.ending(result)) }
  }

  func change(_ ticket: UInt64, to demand: TransferDemand) {
    guard let transfer = transfers[ticket] else { return }
    transfer.demand = demand
    queue.change(ticket, to: demand.priority, for: demand.owners)
  }

  func cancelAll() { for ticket in Array(transfers.keys) { cancel(ticket) } }

  func change(_ new: TransferSettings) {
    if new.route.server != terms.settings.route.server || new.login != terms.settings.login {
      proven = nil
    }
    terms = TransferTerms(new, turns: terms.turns)
    spare = []
    queue.limit(
      total: new.connections, perHost: new.connectionsPerHost, kept: new.keptConnections)
    multi?.limit(new)
  }

  /// Does all work that needs no wait; returns whether a transfer ended, which makes room for others.
  /// libcurl visits all its transfers at each call, so it is called only if there is work.
  func turn() -> Bool {
    terms.turns.next()
    forgiveLapse()
    if admit() || isDue {
      multi?.work()
      nextLook = nextLook ?? .now + Self.restTime
    }
    isDue = false
    lookForRest()
    return collect()
  }

  private static var worked: Duration { .nanoseconds(dr_curl_worked()) }

  /// If this process did not run, the times that libcurl measured since the last turn do not count against a host.
  /// The work of this thread does count, because a server that causes much work would have no time limit.
  private func forgiveLapse() {
    switch lapses.turn(now: .now, worked: Self.worked, for: terms.settings.slowestTime) {
    case .lapse(let lapse, let sum):
      for transfer in transfers.values where transfer.isAsking { transfer.grant(lapse, sum: sum) }
    case .over: for transfer in transfers.values where transfer.isAsking { transfer.endGrant() }
    case nil: break
    }
  }

  /// While an origin is slow, sinks should not keep bytes in memory that a crash would lose.
  private func lookForRest() {
    guard let look = nextLook, look <= .now else { return }
    var isBusy = false
    for transfer in transfers.values where transfer.isAsking && !transfer.rests() { isBusy = true }
    nextLook = isBusy ? .now + Self.restTime : nil
  }

  /// Waits; returns whether `wake` has rung or may have.
  func wait(_ wake: Int32) -> Bool {
    if let news = multi?.wait(
      wake,
      for: nextLook.map {
        min(LapseWatch.wait, max(.milliseconds(1), ContinuousClock.now.duration(to: $0)))
      } ?? LapseWatch.wait)
    {
      isDue = news.isDue
      return news.isRung
    }
    isDue = true
    // Out of memory or descriptors: wait by the clock instead of spinning.
    _ = try? Poll.wait([Poll.Watch(wake)], for: .milliseconds(100))
    return true
  }

  func closeConnections() {
    guard isIdle else { return }
    spare = []
    multi = nil
  }

  /// Starts waiting transfers; returns whether libcurl got a new one.
  private func admit() -> Bool {
    var isChanged = false
    queue.expire(now: .now)
    while let ticket = queue.next() {
      guard let transfer = transfers[ticket] else {
        queue.remove(ticket)
        continue
      }
      do throws(Failure) {
        guard let handle = handle(), let multi = ready() else { throw TransferEnding.resources }
        try transfer.prepare(handle, terms)
        guard multi.add(handle) else { throw TransferEnding.resources }
        transfer.isAsking = true
        transfer.job.gauge.withLock { $0.isRunning = true }
        isChanged = true
      } catch {
        finish(transfer, .failure(error))
      }
    }
    return isChanged
  }

  private func handle() -> EasyHandle? {
    if let handle = spare.popLast() { return handle }
    let handle = EasyHandle()
    handle?.settle(terms.settings)
    return handle
  }

  private func ready() -> MultiHandle? {
    if multi == nil {
      multi = MultiHandle()
      multi?.limit(terms.settings)
    }
    return multi
  }

  /// Concludes finished requests; returns whether there was any.
  private func collect() -> Bool {
    var isChanged = false
    while let (transfer, result) = multi?.nextDone() {
      isChanged = true
      conclude(transfer, transfer.ending(result))
    }
    return isChanged
  }

  private func conclude(_ transfer: ActiveTransfer, _ found: TransferEnding) {
    var ending = found
    if ending.provesProxy { proven = .now }
    ending.answer.proxy?.isProven = proven.map { .now - $0 < ProxyFacts.proofTime } ?? false
    let request = transfer.job.request
    switch ending.outcome(timeout: request.timeout, connectTimeout: request.connectTimeout) {
    case .whole(let reply):
      queue.note(transfer.url.serverName, isQuick: transfer.time <= Self.quick)
      finish(transfer, .success(reply))
    case .failed(let failure): finish(transfer, .failure(failure))
    case .elsewhere(let place):
      letGo(transfer)
      do throws(Failure) {
        try transfer.redirect(to: place)
        goOn(transfer)
      } catch {
        finish(transfer, .failure(error))
      }
    case .again:
      letGo(transfer)
      transfer.startOver()
      goOn(transfer)
    }
  }

  private func goOn(_ transfer: ActiveTransfer) {
    queue.add(
      transfer.job.ticket, host: transfer.url.serverName, of: transfer.demand.owners,
      transfer.demand.priority, isNamed: isNamed(transfer.url), isFirst: true)
  }

  /// libcurl may have to look up the name of the host, or of the proxy.
  private func isNamed(_ url: PhotoURL) -> Bool {
    terms.settings.route.leads(to: url.host) || NetworkAddress(numeric: url.host) == nil
  }

  /// After this call libcurl no longer calls the transfer, and the sink belongs to the caller. A paused
  /// handle is not reused.
  private func letGo(_ transfer: ActiveTransfer) {
    if transfer.isAsking, transfer.handle?.isLookingUp == true {
      queue.leaveLookup(transfer.job.ticket, now: .now)
    }
    queue.remove(transfer.job.ticket)
    guard let handle = transfer.handle, transfer.isAsking else { return }
    transfer.isAsking = false
    multi?.remove(handle)
    guard transfer.terms === terms, !transfer.isPaused else { return }
    if spare.count < terms.settings.connections { spare.append(handle) }
  }

  private func finish(_ transfer: ActiveTransfer, _ result: Result<TransferReply, Failure>) {
    letGo(transfer)
    transfers[transfer.job.ticket] = nil
    finished(transfer.job.ticket)
    transfer.job.whenOver(transfer.signed(result))
  }
}
