// SPDX-License-Identifier: Apache-2.0
// Finds the photos of a catalog that ask for the same print, even after they have moved: twelve bytes a photo.
// Skips entries that cannot be read; raises only `cancelled`.
// Concurrency: immutable once made.

import Catalog
import Vocabulary

struct EntryPlaces {
  /// Sorted. Two entries may share a hash; the caller compares the entries in the catalog. A hash of the name alone
  /// would not do: many photos may have one name.
  private let hashes: [Int]
  private let numbers: [UInt32]

  init(_ catalog: CatalogPart) async throws(Failure) {
    var pairs: [(hash: Int, number: UInt32)] = []
    pairs.reserveCapacity(Int(catalog.count))
    for number in 1...catalog.count {
      if let entry = try? catalog.entry(number) { pairs.append((entry.workHash, number)) }
      if number % 4096 == 0 {
        if Task.isCancelled { throw .cancelled }
        await Task.yield()
      }
    }
    pairs.sort { ($0.hash, $0.number) < ($1.hash, $1.number) }
    hashes = pairs.map(\.hash)
    numbers = pairs.map(\.number)
  }

  /// The numbers of photos that may be the same, ascending.
  func candidates(_ hash: Int) -> ArraySlice<UInt32> {
    var low = 0
    var high = hashes.count
    while low < high {
      let middle = (low + high) / 2
      if hashes[middle] < hash { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < hashes.count, hashes[end] == hash { end += 1 }
    return numbers[low..<end]
  }
}
