// SPDX-License-Identifier: Apache-2.0
// A retry list that was dropped under its own name, `NAME.retry.plist`: it continues list NAME if all of its
// photos are photos of that list, unchanged, and its options are those of that list. Photos may be missing:
// those are not tried again. Raises `cancelled`, or a failure of the draft's catalog. Waits for a disk.

import Accept
import Catalog
import Vocabulary

struct RetryDrop {
  let draft: ListDraft
  let earlier: ListID
  /// For options that the draft does not set.
  let standard: Settings.Filter

  /// Nil if the draft is another list, or if the earlier one cannot be read.
  func order(of old: OpenList) async throws(Failure) -> RepeatOrder? {
    let catalog = try CatalogFile(draft.catalog, limits: OpenList.limits)
    guard hasTerms(catalog.options, of: old) else { return nil }
    let places = try await NamePlaces(old.catalog)
    var numbers: [UInt32] = []
    for number in catalog.numbers {
      let entry = try catalog.entry(number)
      let same = places.candidates(entry.name).filter { place in
        (try? old.catalog.entry(place)).map { $0.isSame(as: entry) } ?? false
      }
      if same.isEmpty { return nil }
      numbers += same
      if number % 4096 == 0 {
        if Task.isCancelled { throw .cancelled }
        await Task.yield()
      }
    }
    return NumberRanges(numbers).map {
      RepeatOrder(earlier, photos: $0, serviceClass: catalog.options.serviceClass)
    }
  }

  private func hasTerms(_ options: ListOptions, of old: OpenList) -> Bool {
    (options.filter ?? standard.function) == old.terms.filter
      && (options.quality ?? standard.quality) == old.terms.quality
      && (options.metadata ?? standard.metadata) == old.terms.metadata
  }
}
