// SPDX-License-Identifier: Apache-2.0
// Where the names of a catalog stand, for finding photos that were moved about: twelve bytes a photo. Raises
// what the catalog raises.
// Concurrency: immutable once made.

import Catalog
import Vocabulary

struct NamePlaces {
  /// In order. A hash that two names share is told apart by whoever reads the catalog there.
  private let hashes: [UInt64]
  private let numbers: [UInt32]

  init(_ catalog: CatalogFile) async throws(Failure) {
    var pairs: [(hash: UInt64, number: UInt32)] = []
    pairs.reserveCapacity(Int(catalog.count))
    for number in 1...catalog.count {
      if let entry = try? catalog.entry(number) { pairs.append((Self.hash(entry.name), number)) }
      if number % 4096 == 0 {
        if Task.isCancelled { throw .cancelled }
        await Task.yield()
      }
    }
    pairs.sort { ($0.hash, $0.number) < ($1.hash, $1.number) }
    hashes = pairs.map(\.hash)
    numbers = pairs.map(\.number)
  }

  /// Numbers whose name may be this one.
  func candidates(_ name: String) -> ArraySlice<UInt32> {
    let hash = Self.hash(name)
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

  private static func hash(_ name: String) -> UInt64 {
    UInt64(bitPattern: Int64(name.hashValue))
  }
}
