// SPDX-License-Identifier: Apache-2.0
// The photos of a list as `Show` tells about them: what became of each, or why it waits. Raises `ControlError`.

import Catalog
import Chain
import Digests
import Linux
import Output
import Record
import Steer
import Vocabulary

extension Views {
  /// The report with the photos.
  func photos(
    _ order: ShowOrder, of list: ListID, after report: ShowReport
  ) throws(ControlError) -> ShowReport {
    var report = report
    let open: OpenList
    do throws(Failure) { open = try lists.look(list) } catch {
      throw .notPossible(why: "its photos cannot be shown: \(error.reason)")
    }
    report.prints = places.shownPrints(of: open.terms)
    let isPaused = recorder.ledger { $0[list]?.state } == .paused
    var page = ReplyPage()
    // A search for a rare state in a long list is limited, and a page of long texts; `more` says where to continue.
    let span = order.state == nil ? order.limit : 100_000
    let (last, isOver) = order.offset.addingReportingOverflow(span)
    let end = isOver ? open.catalog.count : min(open.catalog.count, last)
    var next = order.offset
    try PhotoScans.each(of: order.offset..<max(order.offset, end)) { block in
      for number in candidates(order.state, of: list, in: block) {
        next = number
        guard let photo = summary(open, number + 1, wanted: order.state, isPaused: isPaused)
        else { continue }
        guard page.takes(photo) else { return false }
        report.photos.append(photo)
        next = number + 1
        if report.photos.count == order.limit { return false }
      }
      next = block.upperBound
      return true
    }
    if next < open.catalog.count { report.more = next }
    return report
  }

  /// The photos that may be in the wanted state, as far as memory has their states.
  private func candidates(
    _ wanted: SeenState?, of list: ListID, in block: Range<UInt32>
  ) -> [UInt32] {
    guard let wanted else { return Array(block) }
    return recorder.ledger { ledger in
      block.filter { number in
        if case .known(let state) = ledger.state(of: PhotoID(list: list, number: number + 1)) {
          return SeenState(state) == wanted
        }
        return true
      }
    }
  }

  private func summary(
    _ list: OpenList, _ number: UInt32, wanted: SeenState?, isPaused: Bool
  ) -> PhotoSummary? {
    let photo = PhotoID(list: list.id, number: number)
    let (known, attempts, plan) = recorder.ledger { ledger in
      let entry = ledger[list.id]
      return (ledger.state(of: photo), entry?.attempts(of: number) ?? 0, entry?.retries[number])
    }
    // The photos of a list that is over are not in memory; their rows still have the states.
    let look = known.isUnfinished ? .success(nil) : recorder.results.look(photo)
    let row = (try? look.get()) ?? nil
    let state = known.state(with: look)
    guard wanted == nil || wanted == state, let entry = try? list.catalog.entry(number) else {
      return nil
    }
    let url = try? PhotoURL(parsing: entry.url)
    var summary = PhotoSummary(
      number: number, name: entry.name, url: url?.shown ?? Self.shown(entry.url), state: state,
      attempts: row?.attempts ?? attempts)
    if let plan, !state.isFinal, plan.until > clock.wallTime() {
      summary.retry = plan.until
      if let failure = notes.failure(of: photo) {
        (summary.code, summary.reason) = (failure.code, failure.reason)
      }
    }
    if state == .new, !isPaused, let server = url?.serverName { noteHost(server, photo, &summary) }
    if let row { note(row, list, entry, &summary) }
    if let loss = known.loss(look, of: photo) {
      health.lostResults(of: list.id, loss)
      (summary.code, summary.reason) = (loss.code, loss.reason)
    }
    return summary
  }

  private func note(
    _ row: ResultRow, _ list: OpenList, _ entry: CatalogEntry, _ summary: inout PhotoSummary
  ) {
    if row.state == .filtered, expiry(of: list.id) != nil {
      (summary.code, summary.reason) = (Self.expiredCode, Self.expiredReason)
      return
    }
    summary.bytes = row.bytes
    summary.width = row.width
    summary.height = row.height
    summary.code = row.code
    summary.reason = row.reason
    if let format = PictureFormat(rawValue: row.format) {
      summary.print = "\(list.printName(row.photo, entry.name, format))"
      summary.sha256 = SHA256Digest(bytes: row.sha256).hex
    }
  }

  static let expiredCode = "print.expired"
  static let expiredReason = "its print has expired (KeepPrints=)"

  /// Why a photo waits that has not failed.
  private func noteHost(_ server: String, _ photo: PhotoID, _ summary: inout PhotoSummary) {
    switch chains.hostWait(of: photo, at: server) {
    case nil: break
    case .closed(let closed):
      let until = clock.wallTime() + UInt64(max(0, closed.wait / .milliseconds(1)))
      // The photo's own retry is not earlier: its reason stands.
      guard until > summary.retry + 1000 else { return }
      (summary.code, summary.retry) = (closed.failure.code, until)
      summary.reason = "\(closed.failure.reason); the host is tried again then"
    case .room(let server), .seat(let server):
      guard summary.retry == 0 else { return }
      if let shortage = shortage(at: server) {
        (summary.code, summary.reason) = (shortage.code, shortage.reason)
      } else {
        (summary.code, summary.reason) = ("host.busy", "it waits for a connection to \(server)")
      }
    }
  }

  static let sharedCode = "host.shared"
  static let sharedReason = "other nodes have the remaining connections to it"

  /// The trouble of this machine for which downloads from the host wait, as every user may read it: the reason may name
  /// the host of another list.
  func shortage(at server: String) -> Failure? {
    let health = health.health
    func told(_ subject: Health.Subject) -> Failure? { health.told(subject) { $0 == .everyone } }
    if let failure = told(.downloads) { return failure }
    return settings.current.network.route.leads(toServer: server) ? told(.proxy) : nil
  }

  /// For a text that does not parse as the URL of a photo.
  private static func shown(_ text: String) -> String { String(ShownURL.text(text).prefix(100)) }
}
