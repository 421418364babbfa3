// SPDX-License-Identifier: Apache-2.0
// The ended photos of shares, from this node's record and rows of results: the outbox, which needs no separate
// file. A row in the ledger belongs to a list with the ledger's number and the photo's number in the whole list.
// Concurrency: immutable; waits for a disk.

import Catalog
import Cluster
import Record
import Vocabulary

struct ShareRows: OnGround {
  let ground: Ground

  /// In one transaction.
  private static let most = 1024

  struct Look: Sendable {
    var reports: [ShareReport] = []
    /// Lists that are over and have no readable row for some photos.
    var broken: [ListID] = []
  }

  func look(_ book: LeaseBook) -> Look {
    var look = Look()
    var count = 0
    for holding in book.holdings.values.sorted(by: { $0.mark.id < $1.mark.id }) {
      guard let list = holding.list, !holding.isCancelled, count < Self.most else { continue }
      do throws(Failure) {
        guard let report = try report(list, holding, book, Self.most - count) else { continue }
        look.reports.append(report)
        count += report.outcomes.count
      } catch {
        // Another look may read them.
        if error.kind == .final { look.broken.append(list) }
      }
    }
    return look
  }

  /// The photos that have ended here and that the ledger does not have.
  func unreported(_ holding: LeaseBook.Holding) -> Int {
    guard let list = holding.list, let entry = recorder.ledger({ $0[list] }) else { return 0 }
    let done = Int(entry.counts.filtered + entry.counts.failed)
    let others = holding.mark.photos - Int(entry.acceptance.photos)
    return max(0, done - (holding.recorded.photos - others))
  }

  private static let broken = Failure(
    .final, code: "share.broken", reason: "results of the share are missing")

  private func report(
    _ list: ListID, _ holding: LeaseBook.Holding, _ book: LeaseBook, _ most: Int
  ) throws(Failure) -> ShareReport? {
    guard unreported(holding) > 0, let entry = recorder.ledger({ $0[list] }) else { return nil }
    let catalog = try lists.look(list).catalog
    let reader = try recorder.results.reader(list)
    var outcomes: [Outcome] = []
    for number in catalog.numbers where outcomes.count < most {
      let place = catalog.place(of: number)
      // The record drops the photos of a list that is over: all have ended then.
      guard !holding.recorded.contains(Int(place - holding.mark.id.first)),
        Self.hasEnded(number, entry)
      else { continue }
      guard let row = try reader.row(number) else { throw Self.broken }
      outcomes.append(Self.outcome(row, at: place, of: holding.mark.id.list))
    }
    return book.report(list, outcomes)
  }

  private static func hasEnded(_ number: UInt32, _ entry: ListEntry) -> Bool {
    switch entry.state(of: number) {
    case .known(let state): state.isFinal
    case .finished: true
    case .cancelled, .unknown: false
    }
  }

  static func outcome(_ row: ResultRow, at place: UInt32, of list: LedgerList) -> Outcome {
    var row = row
    row.photo = place
    return Outcome(
      photo: place, isFiltered: row.state == .filtered,
      row: row.encoded(for: ListID(list.number)))
  }

  /// Nil for a row that cannot be read.
  static func row(_ outcome: Outcome, of list: LedgerList) -> ResultRow? {
    ResultRow(outcome.row, for: PhotoID(list: ListID(list.number), number: outcome.photo))
  }
}
