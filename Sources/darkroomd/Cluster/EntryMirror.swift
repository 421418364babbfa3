// SPDX-License-Identifier: Apache-2.0
// Brings the ledger's state of a list into the record of the node where it was dropped: its photos, and orders that
// were given at other nodes. Raises the failures of the ledger and of the record.
// Concurrency: immutable; one caller. Waits for disks in `onDisk`.

import Catalog
import Cluster
import Digests
import Linux
import Record
import Report
import Vocabulary

struct EntryMirror: Sendable {
  let office: any ListOffice
  let recorder: Recorder
  let lists: OpenLists
  let keeper: ListKeeper
  let narrator: Narrator

  /// Photos in one question; more where nodes have passed over many.
  private static let (span, largestSpan): (UInt32, UInt32) = (1024, 65_536)

  func follow(
    _ list: ListID, _ progress: ListProgress, from origin: String
  ) async throws(Failure) {
    guard let entry = recorder.ledger({ $0[list] }), !entry.state.isFinal else { return }
    try await takePhotos(of: list, progress, from: origin)
    switch progress.state {
    case .running: if entry.state == .paused { ask(.resume, list) }
    case .paused: if entry.state != .paused { ask(.pause, list) }
    case .cancelling, .cancelled: ask(.cancel, list)
    case .finished: finish(list)
    }
    if progress.serviceClass != entry.acceptance.serviceClass {
      ask(.quality(progress.serviceClass), list)
    }
  }

  /// In the record here.
  func isOver(_ list: ListID) -> Bool { recorder.ledger { $0[list]?.state.isFinal ?? true } }

  private func ask(_ ask: ListLife.Ask, _ list: ListID) {
    keeper.happened(.asked(ask, .ledger), to: list)
  }

  private func finish(_ list: ListID) {
    guard recorder.ledger({ $0[list]?.counts.unfinished == 0 }) else { return }
    keeper.happened(.photosDone, to: list)
  }

  /// Those that the record here lacks.
  private func takePhotos(
    of list: ListID, _ progress: ListProgress, from origin: String
  ) async throws(Failure) {
    var last: UInt32 = 0
    var span = Self.span
    while true {
      let (next, done) = recorder.ledger { ledger -> (UInt32?, UInt32) in
        let entry = ledger[list]
        let counts = entry?.counts
        return (
          entry?.nextUnfinished(after: last), (counts?.filtered ?? 0) + (counts?.failed ?? 0)
        )
      }
      guard let next, done < progress.filtered + progress.failed else { return }
      let (sum, isOver) = next.addingReportingOverflow(span - 1)
      last = isOver ? .max : sum
      let outcomes = try await office.outcomes(of: progress.list, from: origin, in: next...last)
      let isNew = try await take(outcomes, into: list, progress.list)
      span = isNew ? Self.span : min(span * 2, Self.largestSpan)
    }
  }

  /// False if the record here has all results.
  private func take(
    _ outcomes: [Outcome], into list: ListID, _ number: LedgerList
  ) async throws(Failure) -> Bool {
    var changes: [Change] = []
    var effects: [Effect] = []
    var rows: [ResultRow] = []
    for outcome in outcomes {
      let photo = PhotoID(list: list, number: outcome.photo)
      guard recorder.ledger({ $0.state(of: photo).isUnfinished }) else { continue }
      let row = ShareRows.row(outcome, of: number)
      changes.append(Self.change(photo, outcome, row))
      if let row {
        effects.append(.row(list, row))
        rows.append(row)
      }
    }
    if changes.isEmpty { return false }
    let open = try await onDisk { () throws(Failure) in try lists.look(list) }
    try await recorder.record(changes, after: effects)
    await onDisk {
      for row in rows {
        guard let entry = try? open.catalog.entry(row.photo) else { continue }
        narrator.mirrored(row, PhotoOrder(entry, of: open))
      }
    }
    narrator.progress(list)
    return true
  }

  private static func change(_ photo: PhotoID, _ outcome: Outcome, _ row: ResultRow?) -> Change {
    if outcome.isFiltered {
      let digest = row.map { SHA256Digest(bytes: $0.sha256) }
      return .filtered(photo, Contents(size: row?.bytes ?? 0, hash: digest?.prefix ?? 0))
    }
    return .failed(
      photo, stage(row), code: row?.code ?? "results.damaged", attempt: row?.attempts ?? 1)
  }

  /// Of a photo that failed: the first one that has no time.
  static func stage(_ row: ResultRow?) -> Stage {
    row.map { $0.downloadMicroseconds == 0 } ?? true ? .download : .filter
  }
}
