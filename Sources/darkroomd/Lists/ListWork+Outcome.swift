// SPDX-License-Identifier: Apache-2.0
// The outcome of a list that is over, for the results beside its copy: from the record, the list's own files
// and its rows. Raises a `Failure`, `list.gone` for a list without a record.
// Concurrency: immutable; runs in `onDisk`.

import Accept
import Catalog
import Digests
import Files
import Linux
import Output
import Record
import Return
import Vocabulary

extension ListWork {
  /// The facts about the dropped file; nil if `about` is damaged or gone.
  func dropped(_ list: ListID) throws(Failure) -> AboutFile? {
    if let open = lists.known(list) { return open.about }
    let folder = try asMachine { () throws(SystemError) in
      try lists.folders.lists.folder(ifThere: ListFolder.name(list))
    }
    do throws(Failure) {
      return try folder.map(AboutFile.read)
    } catch {
      if error.kind != .final { throw error }
      // A file that may not be read is not damaged.
      if error.code.hasPrefix("system.") { throw ListLoss.unread.failure(error.reason) }
      return nil
    }
  }

  /// Raises a `ListLoss` if the list cannot be read; a row of its results that still cannot be read costs this row.
  /// - Parameter isLast: there is no later attempt.
  func outcome(of list: ListID, isLast: Bool = false) throws(Failure) -> ListOutcome {
    let (entry, open, rows) = try sources(of: list)
    let isCancelled = entry.state == .cancelled
    let prints = isCancelled ? CancelledPrints(open, in: lists.folders) : nil
    let hasAll = isCancelled ? try hasAll(rows, entry, of: open.catalog.count, isLast) : false
    return ListOutcome(
      list: list, name: open.name, title: open.terms.title, owner: open.about.owner,
      state: entry.state, accepted: entry.acceptedTime, ended: entry.endedTime,
      serviceClass: entry.acceptance.serviceClass, filter: open.terms.filter,
      quality: open.terms.quality, metadata: open.terms.metadata,
      kept: .init(
        notify: open.terms.notify, isPrivate: open.terms.isPrivate,
        hasSheet: open.catalog.options.contactSheet),
      prints: places.shownPrints(of: open.terms),
      total: open.catalog.count
    ) { number throws(Failure) in
      let photo: CatalogEntry
      do throws(Failure) { photo = try open.catalog.entry(number) } catch {
        throw ListLoss.failure(reading: error)
      }
      func lost(_ failure: Failure) -> PhotoOutcome {
        health.lostResults(of: list, failure)
        return PhotoOutcome(name: photo.name, url: photo.url, ending: .unknown)
      }
      let row: ResultRow?
      do throws(Failure) { row = try rows.row(number) } catch {
        if error.kind == .final { return lost(error) }
        guard canSpare(error, of: list, isLast) else { throw error }
        return lost(ResultRows.unread(PhotoID(list: list, number: number), error))
      }
      // Only a photo that had not ended has no row, if no other row is missing.
      if row == nil, !hasAll {
        return lost(ResultRows.missing(PhotoID(list: list, number: number)))
      }
      guard let row, prints?.lack(row, photo, open) != true else {
        return PhotoOutcome(name: photo.name, url: photo.url, ending: .new)
      }
      return PhotoOutcome(photo, row, open)
    }
  }
}

extension ListWork {
  private func sources(
    of list: ListID
  ) throws(Failure) -> (entry: ListEntry, open: OpenList, rows: ResultReader) {
    guard let entry = recorder.ledger({ $0[list] }) else {
      throw Failure(.final, code: "list.gone", reason: "the list is missing from the record")
    }
    do throws(Failure) {
      return (entry, try lists.look(list), try recorder.results.reader(list))
    } catch { throw ListLoss.failure(reading: error) }
  }

  private func hasAll(
    _ rows: ResultReader, _ entry: ListEntry, of total: UInt32, _ isLast: Bool
  ) throws(Failure) -> Bool {
    do throws(Failure) { return try !rows.lacks(entry.counts, of: total) } catch {
      guard canSpare(error, of: entry.id, isLast) else { throw error }
      return false
    }
  }

  /// The results do without what a bad sector held, but a disk may err for a moment: only after a failed attempt.
  private func canSpare(_ failure: Failure, of list: ListID, _ isLast: Bool) -> Bool {
    failure.code == SystemError.Name.inputOutput.failureCode
      && (isLast || health.health[.copy(list)] != nil)
  }
}

/// The prints of a cancelled list. A row is written before its print appears, and the record has forgotten the
/// photos of the list.
private struct CancelledPrints: Sendable {
  /// Nil if it is missing.
  private let folder: (any Folder)?

  /// Nil if the folder cannot be looked at: the rows decide. Those of an entry come from the ledger, after the prints.
  init?(_ list: OpenList, in folders: StateFolders) {
    guard case .folder = folders.place(of: list.terms) else { return nil }
    do throws(Failure) {
      folder = try folders.printFolder(of: list.id, list.terms, orLater: true)
    } catch { return nil }
  }

  /// True if the row is of a print that is not there, or of another size.
  func lack(_ row: ResultRow, _ photo: CatalogEntry, _ list: OpenList) -> Bool {
    guard row.state == .filtered, let format = PictureFormat(rawValue: row.format) else {
      return false
    }
    let name = list.printName(row.photo, photo.name, format)
    do throws(SystemError) {
      return try folder?.status(ifThere: name)?.size != row.bytes
    } catch { return false }
  }
}

extension PhotoOptions {
  fileprivate var texts: PhotoOutcome.Options {
    var texts = PhotoOutcome.Options()
    texts.sha256 = checksum?.hex
    texts.filter = filter.map { "\($0)" }
    texts.quality = quality.map { "\($0)" }
    texts.metadata = metadata?.name
    texts.serviceClass = serviceClass?.name
    return texts
  }
}

extension PhotoOutcome {
  fileprivate init(_ photo: CatalogEntry, _ row: ResultRow, _ list: OpenList) {
    let ending: Ending
    if row.state == .filtered, let format = PictureFormat(rawValue: row.format) {
      let name = list.printName(row.photo, photo.name, format)
      ending = .filtered(
        Print(
          name: String(decoding: name.bytes, as: UTF8.self),
          sha256: SHA256Digest(bytes: row.sha256).hex, bytes: row.bytes, width: row.width,
          height: row.height))
    } else if row.state == .failed {
      ending = .failed(
        code: row.code, reason: row.reason,
        isListed: photo.problem != nil || row.code.hasPrefix("url.") || list.terms.isRoll)
    } else {
      ending = .unknown
    }
    self.init(name: photo.name, url: photo.url, ending: ending)
    options = photo.options.texts
    attempts = row.attempts
    queuedMicroseconds = row.queuedMicroseconds
    downloadMicroseconds = row.downloadMicroseconds
    filterMicroseconds = row.filterMicroseconds
    outputMicroseconds = row.outputMicroseconds
  }
}
