// SPDX-License-Identifier: Apache-2.0
// What people see of downloads: what is on its way, and what the cache holds.

import Catalog
import Chain
import Download
import Record
import Steer
import Vocabulary

extension Darkroom {
  func watchReport(_ order: WatchOrder) throws(ControlError) -> WatchReport {
    var report = WatchReport()
    if let reference = order.list {
      report.lists = [try summary(ListID(try reference.choose(among: names())))]
    } else {
      report.lists = summaries().filter { !$0.isFinal }
    }
    let wanted = order.list == nil ? nil : report.lists.first?.id
    report.transfers = downloader.progress().compactMap { summary($0, only: wanted) }
    return report
  }

  /// Whether the next second could show anything else.
  var isAtWork: Bool { runner.counts().inFlight > 0 }

  private func summary(_ progress: DownloadProgress, only list: UInt64?) -> TransferSummary? {
    let photo = progress.photos.first { list == nil || $0.list.number == list }
    guard let photo else { return nil }
    let entry = try? shelf.look(photo.list).catalog.entry(photo.number)
    return TransferSummary(
      list: photo.list.number, photo: photo.number, name: entry?.name ?? "photo \(photo.number)",
      photos: progress.photos.count, server: progress.transfer.server,
      received: progress.transfer.received, total: progress.transfer.total,
      rate: progress.transfer.rate)
  }

  func clearCache() { downloader.cache?.clear() }

  func cacheReport() -> CacheReport {
    let counts = downloader.cache?.counts ?? CacheCounts()
    return CacheReport(
      limit: counts.limit, entries: counts.entries, bytes: counts.bytes, hits: counts.hits,
      misses: counts.misses)
  }

  /// Downloads of lists that are over, where a crash came before they were removed.
  func removeStrayOriginals() {
    let open = Set(recorder.ledger { $0.openLists.map(\.id) })
    for name in (try? shelf.folders.originals.names()) ?? [] {
      guard let number = UInt64(String(decoding: name.bytes, as: UTF8.self)) else { continue }
      if !open.contains(ListID(number)) {
        try? shelf.folders.removeOriginals(of: ListID(number))
      }
    }
  }

  /// Nobody names their URLs any more.
  func removeStrayPartials() {
    if recorder.ledger({ $0.open.lists == 0 }) { downloader.discardPartials() }
  }
}
