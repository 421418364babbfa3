// SPDX-License-Identifier: Apache-2.0
// Answers `Why`: what a list, its photos by groups, or one photo wait for. The photos of a list are counted where
// they wait; none is read but one of each group. Changes nothing. Raises `ControlError`.
// Concurrency: immutable; disks are read in `onDisk`.
//
// The walk: what waits, from the inside out, and who decides.
// - a file before it is a list: `InboxState`, `WaitingFile` (not yet quiet, open for writing, `inbox.full`)
// - dropped pictures before they are a list: the same, with a `Roll` as one candidate (something was added,
//   `pictures.closed`, `pictures.limit`, `pictures.room`); pictures of a recorded list that cannot leave the
//   inbox: `RollPaces`, `ClaimMemory.rolls`
// - a list: `ListLife.phase` (a list to take over from, its files, paused, its copy), and its turn in `ListLives`
// - all photos of a list: `Setback` in Chain (trouble of this list's folders alone)
// - one photo: `Admission` (its host, its next attempt, its turn); `FocusBoard` puts photos first
// - all downloads: `SpaceWatch` (`disk.low`); downloads through the proxy: `proxyTrouble` in Chain, where
//   `ProxyFacts` distinguishes trouble of the proxy from trouble of a host
// - a list that is over: nothing; `LeftHooks` knows why its hook was not ordered
// - a list that nodes share: the ledger, whose trouble `ShareDesk` notes in `Health`, or a node that takes photos
//   (`NodeShortage`)
// - everything: `MachineTrouble` in Chain (trouble of this machine)

import Catalog
import Chain
import Download
import Linux
import Record
import Steer
import Vocabulary

struct WhyView {
  private typealias Kind = WaitSummary.Kind

  let views: Views
  let keeper: ListKeeper
  /// Why no node of a cluster takes new photos.
  var shortage: ShareDesk.Silence?

  /// The closed and busy hosts that are named; the photos at others are one group.
  private static let mostHosts = 10

  func why(
    _ order: WhyOrder, for peer: ControlPeer
  ) async throws(ControlError) -> WhyReport {
    let list = try views.choose(order.list, for: peer)
    let summary = try views.summary(list)
    let wait = await wait(of: summary, views.sight(of: peer))
    guard let photo = order.photo else {
      var groups = groups(of: summary, isAtWork: wait.kind == Kind.working.rawValue)
      groups = await onDisk { named(groups, in: list) }
      return WhyReport(list: summary, wait: wait, groups: groups)
    }
    let found = try await views.scans.run(of: peer.user) { () throws(ControlError) in
      try entry(photo, in: list)
    }
    return WhyReport(list: summary, wait: self.wait(of: found, summary, wait))
  }

  // MARK: a list

  private func wait(of summary: ListSummary, _ sight: ListSight) async -> WaitSummary {
    let list = ListID(summary.id)
    let lives = await keeper.lives()
    let life = lives?[list]
    let isInLine = lives?.isWaitingForTurn(list) == true
    let health = views.health.health
    var wait = WaitSummary(.working, photos: summary.new + summary.downloaded)
    switch life?.phase {
    case .takingOver: wait.kind = Kind.takeOver.rawValue
    case .opening: wait.kind = (isInLine ? Kind.openingTurn : .opening).rawValue
    case .blocked(_, let failure, let until): note(.blocked, failure, until, &wait)
    case .damaged(let failure): note(.damaged, failure, nil, &wait)
    case .finishing(let failure, let until): note(.finishing, failure, until, &wait)
    case .ending: wait.kind = Kind.ending.rawValue
    // The list waits because of the other nodes alone.
    case .returning where isInLine: wait.kind = Kind.returningTurn.rawValue
    case .returning(let failure, let until): note(.returning, failure, until, &wait)
    case .open(let trouble):
      if life?.isPaused == true {
        wait.kind = Kind.paused.rawValue
      } else if let failure = sight.trouble(.work, in: health) {
        note(.machine, failure, nil, &wait)
      } else if let failure = ledgerTrouble(of: list) {
        note(.ledger, failure, nil, &wait)
      } else if let shortage, views.index[list]?.terms.isEntry == true {
        note(.nodes, shortage.failure, nil, &wait)
        wait.since = shortage.since
      } else if let trouble {
        note(.trouble, trouble, nil, &wait)
      } else if let failure = sight.trouble(.downloads, in: health) ?? proxyTrouble(of: summary) {
        note(.downloads, failure, nil, &wait)
      }
    case .over, nil:
      if !summary.isFinal {
        wait.kind = Kind.opening.rawValue
      } else if let loss = await views.loss(of: list) {
        note(.lost, loss, nil, &wait)
      } else {
        note(.over, views.health.leftHook(of: list), nil, &wait)
      }
    }
    return wait
  }

  /// No photo of a list that nodes share is leased, and none is told, while the ledger is in trouble.
  private func ledgerTrouble(of list: ListID) -> Failure? {
    views.index[list]?.terms.isEntry == true ? views.health.health[.ledger] : nil
  }

  /// The proxy's trouble, if nothing of the list goes on without it.
  private func proxyTrouble(of summary: ListSummary) -> Failure? {
    guard let waits = views.chains.waits(of: ListID(summary.id)), waits.chains.isEmpty else {
      return nil
    }
    return waits.hosts.lazy.compactMap { views.shortage(at: $0.host) }.first
  }

  private func note(
    _ kind: Kind, _ failure: Failure?, _ until: Duration?, _ wait: inout WaitSummary
  ) {
    wait.kind = kind.rawValue
    wait.until = until.map(wall) ?? 0
    guard let failure else { return }
    (wait.code, wait.reason) = (failure.code, failure.words)
  }

  /// While the whole list waits, only the photos whose steps are still running, and those that failed.
  private func groups(of summary: ListSummary, isAtWork: Bool) -> [WaitSummary] {
    let list = ListID(summary.id)
    var groups: [WaitSummary] = []
    if let waits = views.chains.waits(of: list) {
      groups = working(waits, in: list) + (isAtWork ? waiting(waits, of: summary) : [])
    }
    if summary.failed > 0 { groups.append(WaitSummary(.failed, photos: summary.failed)) }
    return groups
  }

  /// Photos without chains.
  private func waiting(_ waits: ListWaits, of summary: ListSummary) -> [WaitSummary] {
    let list = ListID(summary.id)
    var groups = atHosts(waits, of: list)
    if let retry = waits.retry {
      var group = WaitSummary(
        .retry, photos: UInt32(clamping: waits.retrying), number: retry.number,
        until: wall(retry.due))
      if let failure = views.notes.failure(of: PhotoID(list: list, number: retry.number)) {
        (group.code, group.reason) = (failure.code, failure.reason)
      }
      groups.append(group)
    }
    let counted = groups.reduce(waits.chains.count) { $0 + Int($1.photos) }
    let rest = Int(summary.new) + Int(summary.downloaded) - counted
    if rest > 0 {
      var turn = WaitSummary(.turn, photos: UInt32(clamping: rest), number: waits.next ?? 0)
      noteOthers(list, &turn)
      groups.append(turn)
    }
    return groups
  }

  /// Photos with chains, by what happens to them.
  private func working(_ waits: ListWaits, in list: ListID) -> [WaitSummary] {
    let transfers = Dictionary(
      views.downloader.progress().flatMap { download in
        download.photos.map { ($0, download.transfer) }
      }, uniquingKeysWith: { first, _ in first })
    var found: [Kind: WaitSummary] = [:]
    for place in waits.chains {
      let photo = PhotoID(list: list, number: place.number)
      let kind = kind(place.stage, transfers[photo])
      var group = found[kind] ?? WaitSummary(kind, number: place.number)
      group.photos += 1
      found[kind] = group
    }
    return Kind.allCases.compactMap { found[$0] }
  }

  private func kind(_ stage: Stage?, _ transfer: TransferProgress?) -> Kind {
    switch stage {
    case .download: transfer?.isRunning == false ? .connection : .downloading
    case .filter: .filtering
    case .output: .writing
    case nil: .step
    }
  }

  private func atHosts(_ waits: ListWaits, of list: ListID) -> [WaitSummary] {
    let crowds = waits.hosts.sorted { ($1.photos, $0.host) < ($0.photos, $1.host) }
    var groups = crowds.prefix(Self.mostHosts).map { crowd in
      var group = WaitSummary(
        .room, photos: UInt32(clamping: crowd.photos), number: crowd.first, host: crowd.host)
      if let closed = views.chains.closedHost(crowd.host, for: list) { note(closed, &group) }
      return group
    }
    let rest = crowds.dropFirst(Self.mostHosts)
    if let first = rest.first {
      let photos = rest.reduce(0) { $0 + $1.photos }
      groups.append(
        WaitSummary(.room, photos: UInt32(clamping: photos), number: first.first))
    }
    return groups
  }

  private func note(_ closed: ClosedHost, _ wait: inout WaitSummary) {
    wait.kind = Kind.host.rawValue
    (wait.host, wait.code, wait.reason) = (closed.name, closed.failure.code, closed.failure.reason)
    wait.attempt = closed.attempts
    let now = views.clock.wallTime()
    wait.since = now - min(now, closed.age.milliseconds)
    wait.until = now + closed.wait.milliseconds
  }

  /// The lists that go first, or take turns with this one.
  private func noteOthers(_ list: ListID, _ wait: inout WaitSummary) {
    (wait.ahead, wait.beside) = views.recorder.ledger { ledger in
      let own = ledger[list]?.acceptance.serviceClass ?? .default
      var (ahead, beside): (UInt64, UInt64) = (0, 0)
      for (other, entry) in ledger.lists where other != list {
        if entry.state.isFinal || entry.state == .paused { continue }
        if entry.acceptance.serviceClass < own { ahead += UInt64(entry.counts.unfinished) }
        if entry.acceptance.serviceClass == own { beside += 1 }
      }
      return (ahead, beside)
    }
  }

  private func named(_ groups: [WaitSummary], in list: ListID) -> [WaitSummary] {
    guard let open = try? views.lists.look(list) else { return groups }
    return groups.map { group in
      var group = group
      if group.number > 0 {
        group.name = (try? open.catalog.entry(group.number).name) ?? ""
      }
      return group
    }
  }

  // MARK: a photo

  private struct Entry {
    let photo: PhotoID
    let name: String
    let server: String
    let row: Result<ResultRow?, Failure>
  }

  private func entry(_ word: String, in list: ListID) throws(ControlError) -> Entry {
    do throws(Failure) {
      let open = try views.lists.look(list)
      let numbers: [UInt32]
      do throws(ControlError) {
        numbers = try PhotoWords(open.catalog).numbers([word], most: 1)
      } catch {
        throw Failure(.final, code: "photo", reason: "\(error)")
      }
      let photo = PhotoID(list: list, number: numbers.first ?? 0)
      let entry = try open.catalog.entry(photo.number)
      let url = try? PhotoURL(parsing: entry.url)
      let server = url.map { $0.scheme == .file ? HostWindows.here : $0.serverName } ?? ""
      return Entry(
        photo: photo, name: entry.name, server: server, row: views.recorder.results.look(photo))
    } catch { throw .notPossible(why: error.reason) }
  }

  private func wait(
    of entry: Entry, _ summary: ListSummary, _ list: WaitSummary
  ) -> WaitSummary {
    let photo = entry.photo
    let (known, plan) = views.recorder.ledger { ledger in
      (ledger.state(of: photo), ledger[photo.list]?.retries[photo.number])
    }
    var wait = list
    switch known.state(with: entry.row) {
    case .filtered:
      wait = WaitSummary(.filtered)
      if summary.end.printsExpired != nil {
        (wait.code, wait.reason) = (Views.expiredCode, Views.expiredReason)
      }
    case .failed:
      wait = WaitSummary(.failed)
      let row = try? entry.row.get()
      (wait.code, wait.reason) = (row?.code ?? "", row?.reason ?? "")
    case .unknown:
      wait = WaitSummary(.unknown)
      if let loss = known.loss(entry.row, of: photo) {
        views.health.lostResults(of: photo.list, loss)
        (wait.code, wait.reason) = (loss.code, loss.reason)
      }
    case _ where summary.isFinal: wait = WaitSummary(.cancelled)
    default:
      if let own = working(entry, plan) { wait = own }
    }
    (wait.photos, wait.number, wait.name) = (1, photo.number, entry.name)
    wait.attempts = wait.kind == Kind.retry.rawValue ? views.chains.attempts : 0
    return wait
  }

  /// Nil while the whole list waits.
  private func working(_ entry: Entry, _ plan: RetryPlan?) -> WaitSummary? {
    let photo = entry.photo
    switch views.chains.place(of: photo, at: entry.server) {
    case nil, .list: return nil
    case .chain(let stage, let admitted):
      let download = views.downloader.progress().first { $0.photos.contains(photo) }
      var wait = WaitSummary(kind(stage, download?.transfer), since: wall(admitted))
      if stage == .download { wait.host = entry.server }
      wait.received = download?.transfer.received ?? 0
      wait.total = download?.transfer.total ?? 0
      return wait
    case .host(.closed(let closed)):
      var wait = WaitSummary(.host)
      note(closed, &wait)
      return wait
    case .host(.room(let server)):
      return views.shortage(at: server) == nil ? WaitSummary(.room, host: server) : nil
    case .host(.seat(let server)):
      guard views.shortage(at: server) == nil else { return nil }
      var wait = WaitSummary(.room, host: server)
      (wait.code, wait.reason) = (Views.sharedCode, Views.sharedReason)
      return wait
    case .retry:
      var wait = WaitSummary(.retry, until: plan?.until ?? 0)
      wait.attempt = plan?.attempt ?? 0
      if let failure = views.notes.failure(of: photo) {
        (wait.code, wait.reason) = (failure.code, failure.reason)
      }
      return wait
    case .turn:
      var wait = WaitSummary(.turn)
      noteOthers(photo.list, &wait)
      return wait
    }
  }

  /// The wall time of an uptime.
  private func wall(_ uptime: Duration) -> UInt64 {
    let (now, up) = (views.clock.wallTime(), views.clock.uptime())
    return uptime >= up
      ? now + (uptime - up).milliseconds : now - min(now, (up - uptime).milliseconds)
  }
}

extension Duration {
  fileprivate var milliseconds: UInt64 { UInt64(max(0, self / .milliseconds(1))) }
}
