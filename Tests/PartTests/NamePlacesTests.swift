// SPDX-License-Identifier: Apache-2.0
// The index of a catalog's names.

import Catalog
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct NamePlacesTests {
  private func places(_ photos: [(String, String)]) async throws -> NamePlaces {
    try await NamePlaces(
      CatalogFile(SampleList { $0.photos = photos }.catalog(), limits: ListLimits()))
  }

  @Test func `every photo is found by its name, wherever it stands`() async throws {
    let names = (1...40).map { "Photo \($0)" }
    let places = try await places(names.map { ($0, "https://h/\($0)") })
    for (place, name) in names.enumerated() {
      #expect(places.candidates(name).contains(UInt32(place + 1)))
    }
    #expect(places.candidates("Photo 41").isEmpty && places.candidates("").isEmpty)
  }

  @Test func `photos of one name are found in the order of the list`() async throws {
    let places = try await places(
      ["Barn", "Cow", "Barn", "Barn"].map { ($0, "https://h/\($0)") })
    #expect(Array(places.candidates("Barn")) == [1, 3, 4])
  }

  @Test func `entries that cannot be read are left out`() async throws {
    let catalog = try SampleList(count: 20).catalog()
    // A byte in the first block of sixteen photos.
    let byte = try catalog.read(at: 20, upTo: 1)
    try catalog.write([~byte[0]], at: 20)
    let places = try await NamePlaces(CatalogFile(catalog, limits: ListLimits()))
    #expect(places.candidates("Photo 3").isEmpty)
    #expect(Array(places.candidates("Photo 17")) == [17])
  }

  @Test func `the index of a long list ends early when its task is cancelled`() async throws {
    let catalog = try SampleList(count: 4096).catalog()
    let failure = await Cancelled.run { () async throws(Failure) in
      _ = try await NamePlaces(CatalogFile(catalog, limits: ListLimits()))
    }
    #expect(failure == .cancelled)
  }
}
