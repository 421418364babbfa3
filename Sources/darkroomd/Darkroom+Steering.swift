// SPDX-License-Identifier: Apache-2.0
// What people see of the daemon and what they change: status, lists, photos, pause, resume, cancel.

import Accept
import Catalog
import Chain
import Linux
import Output
import Record
import Report
import Steer
import Vocabulary

extension Darkroom {
  // MARK: seeing

  func statusReport() -> StatusReport {
    let counts = runner.counts()
    let open = recorder.ledger { $0.open }
    let closed = runner.closedHosts()
    let now = clock.wallTime()
    return StatusReport(
      version: Release.version, state: stateWords, since: started, lists: open.lists,
      photosWaiting: max(0, open.photos - counts.inFlight), photosRunning: counts.inFlight,
      downloads: counts.downloading, filters: counts.filtering, outputs: counts.outputting,
      degraded: degraded(counts.trouble), prints: places.prints, inbox: places.inbox,
      residentBytes: UInt64(max(0, ThisProcess.residentBytes)), sandbox: sandboxWords,
      hosts: closed.prefix(HostSummary.mostShown).map { HostSummary($0, now: now) },
      moreHosts: max(0, closed.count - HostSummary.mostShown))
  }

  private var stateWords: String {
    if isStopping { return "stopping" }
    guard let trouble = runner.counts().trouble ?? space.shortage else { return "running" }
    return "waiting: \(trouble.reason)"
  }

  private func degraded(_ trouble: Failure?) -> [String] {
    [trouble, space.shortage].compactMap { $0?.reason } + frontDesk.inboxWords + chores.words
      + frontDesk.waitingFiles
  }

  func names() -> [(id: UInt64, name: String, isFinal: Bool)] {
    let lists = recorder.ledger { ledger in ledger.lists.values.map { ($0.id, $0.state.isFinal) } }
    shelf.keepCards(of: Set(lists.map(\.0)))
    return lists.map { id, isFinal in
      (id.number, shelf.card(id)?.name ?? "list \(id)", isFinal)
    }
  }

  /// Every list, the oldest first.
  func summaries() -> [ListSummary] {
    recorder.ledger { Array($0.lists.values) }.sorted { $0.id < $1.id }.map(summary)
  }

  func summary(_ list: ListID) throws(ControlError) -> ListSummary {
    guard let entry = recorder.ledger({ $0[list] }) else {
      throw .noSuchList(name: "\(list)")
    }
    return summary(entry)
  }

  private func summary(_ entry: ListEntry) -> ListSummary {
    let card = shelf.card(entry.id)
    return ListSummary(
      id: entry.id.number, name: card?.name ?? "list \(entry.id)",
      title: card?.terms.title ?? "", owner: card?.owner ?? 0, state: entry.state,
      serviceClass: entry.acceptance.serviceClass,
      total: entry.acceptance.photos, new: entry.counts.new, downloaded: entry.counts.downloaded,
      filtered: entry.counts.filtered, failed: entry.counts.failed, accepted: entry.acceptedTime)
  }

  func show(_ order: ShowOrder) throws(ControlError) -> ShowReport {
    let list = ListID(try order.list.choose(among: names()))
    var report = ShowReport(list: try summary(list))
    if order.limit == 0 { return report }
    let room: ListRoom
    do throws(Failure) { room = try shelf.look(list) } catch {
      throw .notPossible(why: "its photos cannot be shown: \(error.reason)")
    }
    var number = order.offset
    // Looking for a rare state in a long list ends after a while; `more` says where to go on.
    let end = min(room.catalog.count, number.addingReportingOverflow(100_000).partialValue)
    while number < end, report.photos.count < order.limit {
      number += 1
      if let photo = photoSummary(room, number, wanted: order.state) { report.photos.append(photo) }
    }
    if number < room.catalog.count { report.more = number }
    return report
  }

  private func photoSummary(_ room: ListRoom, _ number: UInt32, wanted: PhotoState?)
    -> PhotoSummary?
  {
    let photo = PhotoID(list: room.id, number: number)
    let live = recorder.ledger { ($0.state(of: photo), $0[room.id]?.attempts(of: number) ?? 0) }
    // The ledger forgets the photos of a list that is over; their rows remember.
    let row = live.0.map(\.isFinal) != false ? (try? recorder.results.row(photo)) ?? nil : nil
    let state = live.0 ?? row?.state ?? .new
    guard wanted == nil || wanted == state, let entry = try? room.catalog.entry(number) else {
      return nil
    }
    let plan = recorder.ledger { $0[room.id]?.retries[number] }
    var summary = PhotoSummary(
      number: number, name: entry.name, url: shownURL(entry.url), state: state,
      attempts: row?.attempts ?? live.1)
    if let plan, !state.isFinal, plan.until > clock.wallTime() {
      summary.retry = plan.until
      if let failure = reasons.reason(photo) {
        (summary.code, summary.reason) = (failure.code, failure.reason)
      }
    }
    if state == .new, let server = try? PhotoURL(parsing: entry.url).server {
      noteHost(server, photo, &summary)
    }
    if let row {
      summary.bytes = row.bytes
      summary.width = row.width
      summary.height = row.height
      summary.code = row.code
      summary.reason = row.reason
      if let format = PictureFormat(rawValue: row.format) {
        summary.print = "\(room.printName(number, entry.name, format))"
      }
    }
    return summary
  }

  /// Why a photo waits that nothing is wrong with.
  private func noteHost(_ server: String, _ photo: PhotoID, _ summary: inout PhotoSummary) {
    if recorder.ledger({ $0[photo.list]?.state }) == .paused || runner.isUnderWay(photo) { return }
    if let closed = runner.closedHost(server) {
      let until = clock.wallTime() + UInt64(max(0, closed.wait / .milliseconds(1)))
      // The photo's own time says it already.
      guard until > summary.retry + 1000 else { return }
      (summary.code, summary.retry) = (closed.failure.code, until)
      summary.reason = "\(closed.failure.reason); its host is asked again then"
    } else if summary.retry == 0, let shortage = space.shortage, runner.isAside(photo) {
      (summary.code, summary.reason) = (shortage.code, shortage.reason)
    } else if summary.retry == 0, runner.isAside(photo) {
      (summary.code, summary.reason) = ("host.busy", "it waits for a connection to \(server)")
    }
  }

  private func shownURL(_ text: String) -> String {
    guard let url = try? PhotoURL(parsing: text) else {
      return String(ShownURL.text(text).prefix(100))
    }
    return "\(url.scheme.rawValue)://\(url.server)\(url.path)"
  }

  /// Every file in the inbox, after a fresh look at it.
  func inboxReport() async -> InboxReport {
    let sweep = await inbox.sweepNow()
    var files = sweep.waiting.map { file in
      InboxFile(
        name: String(decoding: file.name.bytes, as: UTF8.self),
        fate: file.isRejected ? .rejected : .waiting,
        list: file.list?.number ?? 0, why: file.waitsFor)
    }
    files += sweep.ignored.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
      .map { name, reason in
        InboxFile(
          name: String(decoding: name.bytes, as: UTF8.self), fate: .ignored, why: "\(reason)")
      }
    let shown = files.prefix(Self.longestInbox)
    let all = sweep.waitingCount + sweep.ignoredCount
    let gone = frontDesk.departures.all.map { file in
      InboxFile(
        name: file.file, fate: file.rejection == nil ? .accepted : .rejected,
        list: file.rejection == nil ? file.list.number : 0, why: file.rejection ?? "")
    }
    return InboxReport(
      files: Array(shown) + gone, more: UInt64(max(0, all - shown.count)),
      trouble: frontDesk.inboxWords.joined(separator: "; "))
  }

  private static let longestInbox = 1000

  func isKnown(_ list: ListID) -> Bool { recorder.ledger { $0[list] != nil } }

  // MARK: changing

  func pause(_ list: ListID) async throws(Failure) {
    try await turnstile.pass { () async throws(Failure) in
      guard let state = recorder.ledger({ $0[list]?.state }), !state.isFinal else {
        throw Self.over
      }
      guard state != .paused else { return }
      guard try await recorder.record([.paused(list)]) else { throw Self.over }
      runner.pause(list)
      if let room = try? shelf.look(list) { teller.changed(room) { .listPaused($0) } }
    }
    // What was under way ends soon; --until-idle looks again then.
    TaskHome.start {
      await self.runner.idle(list)
      self.ends.listChanged()
    }
  }

  func resume(_ list: ListID) async throws(Failure) {
    try await turnstile.pass { () async throws(Failure) in
      guard let state = recorder.ledger({ $0[list]?.state }), !state.isFinal else {
        throw Self.over
      }
      guard state == .paused else { return }
      guard try await recorder.record([.resumed(list)]) else { throw Self.over }
      runner.resume(list)
      if let room = try? shelf.look(list) { teller.changed(room) { .listResumed($0) } }
    }
  }

  /// Recorded first: what ends after that is no longer of the list, and is not told.
  func cancel(_ list: ListID) async throws(Failure) {
    var isNews = false
    beginClosing()
    defer { endClosing() }
    try await turnstile.pass { () async throws(Failure) in
      guard let state = recorder.ledger({ $0[list]?.state }) else { throw Self.over }
      guard state != .cancelled else { return }
      guard state != .finished, try await recorder.record([.cancelled(list)]) else {
        throw Self.over
      }
      isNews = true
      runner.giveUp(list)
    }
    guard isNews else { return }
    // Not in the turnstile: steps take their time to end, and the copy is made on the inbox's thread,
    // which may wait before it.
    await runner.idle(list)
    if let room = try? shelf.look(list) { teller.changed(room) { .listCancelled($0) } }
    await close(list)
  }

  static let over = Failure(
    .final, code: "list.over", reason: "the list is over; there is nothing left to change")
}

extension HostSummary {
  fileprivate init(_ closed: ClosedHost, now: UInt64) {
    self.init(
      name: closed.name, code: closed.failure.code, reason: closed.failure.reason,
      attempts: closed.attempts,
      since: now - min(now, UInt64(max(0, closed.age / .milliseconds(1)))),
      until: now + UInt64(max(0, closed.wait / .milliseconds(1))))
  }
}
