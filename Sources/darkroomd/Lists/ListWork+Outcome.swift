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
      if error.kind == .final { return nil }
      throw error
    }
  }

  func outcome(of list: ListID) throws(Failure) -> ListOutcome {
    guard let entry = recorder.ledger({ $0[list] }) else {
      throw Failure(.final, code: "list.gone", reason: "the list is missing from the record")
    }
    let open = try lists.look(list)
    let rows = try recorder.results.reader(list)
    let isCancelled = entry.state == .cancelled
    let prints = isCancelled ? CancelledPrints(open, in: lists.folders) : nil
    let hasAll = isCancelled ? try !rows.lacks(entry.counts, of: open.catalog.count) : false
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
      let photo = try open.catalog.entry(number)
      func lost(_ failure: Failure) -> PhotoOutcome {
        health.lostResults(of: list, failure)
        return PhotoOutcome(name: photo.name, url: photo.url, ending: .unknown)
      }
      let row: ResultRow?
      do throws(Failure) { row = try rows.row(number) } catch {
        guard error.kind == .final else { throw error }
        return lost(error)
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

/// The prints of a cancelled list. A row is written before its print appears, and the record has forgotten the
/// photos of the list.
private struct CancelledPrints: Sendable {
  /// Nil if it is missing.
  private let folder: (any Folder)?

  /// Nil if the folder cannot be looked at: the rows decide. Those of an entry come from the ledger, after the prints.
  init?(_ list: OpenList, in folders: StateFolders) {
    guard case .folder = folders.place(of: list.terms) else { return nil }
    do throws(Failure) {
      folder = try folders.printFolder(of: list.terms)
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
