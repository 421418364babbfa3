// SPDX-License-Identifier: Apache-2.0
// The index of a catalog's photos.

import Catalog
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct EntryPlacesTests {
  private func catalog(_ photos: [(String, String)]) throws -> CatalogFile {
    try CatalogFile(SampleList { $0.photos = photos }.catalog(), limits: ListLimits())
  }

  @Test func `every photo is found, wherever it stands, whatever photos have its name`()
    async throws
  {
    let photos = (1...40).map { ("Photo \($0 % 3)", "https://h/\($0)") }
    let places = try await EntryPlaces(CatalogPart(catalog(photos)))
    for (place, entry) in try catalog(photos.reversed()).numbers.map({
      try catalog(photos.reversed()).entry($0)
    }).enumerated() {
      #expect(Array(places.candidates(entry.workHash)) == [UInt32(40 - place)])
    }
    let other = try catalog([("Photo 1", "https://h/41")]).entry(1)
    #expect(places.candidates(other.workHash).isEmpty)
  }

  @Test func `equal photos are found in the order of the list`() async throws {
    let photos = ["Barn", "Cow", "Barn", "Barn"].map { ($0, "https://h/\($0)") }
    let places = try await EntryPlaces(CatalogPart(catalog(photos)))
    #expect(Array(places.candidates(try catalog(photos).entry(1).workHash)) == [1, 3, 4])
  }

  @Test func `entries that cannot be read are left out`() async throws {
    let catalog = try SampleList(count: 20).catalog()
    let whole = try CatalogFile(SampleList(count: 20).catalog(), limits: ListLimits())
    // A byte in the first block of sixteen photos.
    let byte = try catalog.read(at: 20, upTo: 1)
    try catalog.write([~byte[0]], at: 20)
    let places = try await EntryPlaces(CatalogPart(CatalogFile(catalog, limits: ListLimits())))
    #expect(places.candidates(try whole.entry(3).workHash).isEmpty)
    #expect(Array(places.candidates(try whole.entry(17).workHash)) == [17])
  }

  @Test func `the index of a long list ends early when its task is cancelled`() async throws {
    let catalog = try SampleList(count: 4096).catalog()
    let failure = await Cancelled.run { () async throws(Failure) in
      _ = try await EntryPlaces(CatalogPart(CatalogFile(catalog, limits: ListLimits())))
    }
    #expect(failure == .cancelled)
  }
}
