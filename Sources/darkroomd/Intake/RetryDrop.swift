// SPDX-License-Identifier: Apache-2.0
// A retry list that was dropped under its own name, `NAME.retry.plist`: it continues list NAME if all of its
// photos are photos of that list, unchanged, and it has the options of that list. Photos may be missing:
// those are not tried again. Raises `cancelled`, or a failure of a catalog or of the results. Waits for a disk.

import Catalog
import Record
import Vocabulary

struct RetryDrop {
  let catalog: CatalogFile
  /// For options that the draft does not set.
  let standard: Settings.Filter

  /// Nil if it is another list.
  func choice(of old: OpenList, _ results: ResultReader) async throws(Failure) -> RetryChoice? {
    guard hasTerms(catalog.options, of: old), let chosen = try await numbers(in: old) else {
      return nil
    }
    if let ranges = NumberRanges(chosen) { return .only(ranges) }
    return try RetryChoice(chosen, among: results.failed(of: old.catalog.count))
  }

  /// Ascending; nil if a photo is none of the list. Equal photos of the list count together, so each is read once.
  private func numbers(in old: OpenList) async throws(Failure) -> [UInt32]? {
    let places = try await EntryPlaces(old.catalog)
    var taken = [Bool](repeating: false, count: Int(old.catalog.count) + 1)
    for number in catalog.numbers {
      let entry = try catalog.entry(number)
      var isFound = false
      for place in places.candidates(entry.workHash) {
        guard let other = try? old.catalog.entry(place), other.isSame(as: entry) else { continue }
        isFound = true
        if taken[Int(place)] { break }
        taken[Int(place)] = true
      }
      if !isFound { return nil }
      if number % 4096 == 0 {
        if Task.isCancelled { throw .cancelled }
        await Task.yield()
      }
    }
    return old.catalog.numbers.filter { taken[Int($0)] }
  }

  private func hasTerms(_ options: ListOptions, of old: OpenList) -> Bool {
    (options.filter ?? standard.function) == old.terms.filter
      && (options.quality ?? standard.quality) == old.terms.quality
      && (options.metadata ?? standard.metadata) == old.terms.metadata
      && options.notify == old.terms.notify
      && (options.isPrivate ?? old.terms.isPrivate) == old.terms.isPrivate
  }
}
