// SPDX-License-Identifier: Apache-2.0
// What came of a list that is over, for the results beside its copy: from the record, the list's own
// files and its rows.

import Accept
import Catalog
import Digests
import Record
import Vocabulary

extension Darkroom {
  func outcome(of list: ListID) throws(Failure) -> ListOutcome {
    guard let entry = recorder.ledger({ $0[list] }) else {
      throw Failure(.final, code: "list.gone", reason: "the record has forgotten the list")
    }
    let room = try shelf.look(list)
    let rows = try recorder.results.reader(list)
    let isCancelled = entry.state == .cancelled
    return ListOutcome(
      list: list, name: room.name, title: room.terms.title, owner: room.about.owner,
      state: entry.state, accepted: entry.acceptedTime, ended: entry.endedTime,
      serviceClass: entry.acceptance.serviceClass, filter: room.terms.filter,
      quality: room.terms.quality, metadata: room.terms.metadata,
      prints: "\(places.prints)/\(String(decoding: room.terms.prints.bytes, as: UTF8.self))",
      total: room.catalog.count
    ) { number throws(Failure) in
      let photo = try room.catalog.entry(number)
      let row: ResultRow?
      do throws(Failure) { row = try rows.row(number) } catch {
        guard error.kind == .final else { throw error }
        return PhotoOutcome(name: photo.name, url: photo.url, ending: .unknown)
      }
      guard let row else {
        return PhotoOutcome(
          name: photo.name, url: photo.url, ending: isCancelled ? .new : .unknown)
      }
      return PhotoOutcome(photo, row, room)
    }
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
  fileprivate init(_ photo: CatalogEntry, _ row: ResultRow, _ room: ListRoom) {
    let ending: Ending
    if row.state == .filtered, let format = PictureFormat(rawValue: row.format) {
      let name = room.printName(row.photo, photo.name, format)
      ending = .filtered(
        Print(
          name: String(decoding: name.bytes, as: UTF8.self),
          sha256: SHA256Digest(bytes: row.sha256).hex, bytes: row.bytes, width: row.width,
          height: row.height))
    } else if row.state == .failed {
      ending = .failed(
        code: row.code, reason: row.reason,
        isListed: photo.problem != nil || row.code.hasPrefix("url."))
    } else {
      ending = .unknown
    }
    self.init(
      name: photo.name, url: photo.url, options: photo.options.texts, ending: ending,
      attempts: row.attempts,
      queuedMicroseconds: row.queuedMicroseconds,
      downloadMicroseconds: row.downloadMicroseconds,
      filterMicroseconds: row.filterMicroseconds, outputMicroseconds: row.outputMicroseconds)
  }
}
