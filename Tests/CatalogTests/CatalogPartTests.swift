// SPDX-License-Identifier: Apache-2.0
// A part of a catalog is a list of its own, whose photos know their places in the whole list.

import Catalog
import Support
import Testing
import Vocabulary

struct CatalogPartTests {
  /// Forty photos, of which 5 to 8 have one class and 30 another.
  private func whole() throws -> CatalogFile {
    let file = MemoryFile("")
    var writer = try CatalogWriter(file, limits: ListLimits())
    for number in 1...40 {
      var options = PhotoOptions()
      if 5...8 ~= number { options.serviceClass = .utility }
      if number == 30 { options.serviceClass = .background }
      try writer.add(
        CatalogRow(
          name: Array("photo \(number)".utf8), url: Array("http://x/\(number)".utf8),
          options: options, place: .byte(UInt64(number))))
    }
    try writer.finish(ListOptions())
    return try CatalogFile(file, limits: ListLimits())
  }

  private func part(_ text: String) throws -> CatalogPart {
    let range = try #require(NumberRanges(text: text))
    return CatalogPart(try whole(), part: range)
  }

  @Test func `a part counts from 1, and its photos are those of the range`() throws {
    let part = try part("7-9,20,38-99")
    #expect(part.count == 7 && part.numbers == 1..<8)
    let places = [7, 8, 9, 20, 38, 39, 40] as [UInt32]
    #expect(part.numbers.map(part.place) == places)
    #expect(try part.numbers.map { try part.entry($0).name } == places.map { "photo \($0)" })
    for number in [0, 8, .max] as [UInt32] {
      #expect(throws: Failure.self) { try part.entry(number) }
    }
  }

  @Test func `without a part all photos keep their numbers`() throws {
    let all = CatalogPart(try whole())
    #expect(all.count == 40 && all.place(of: 40) == 40)
    #expect(try all.entry(17).name == "photo 17")
    #expect(all.spans == (try whole().spans))
  }

  @Test func `photos with a class of their own are found where the part has them`() throws {
    func spans(_ text: String) throws -> [String] {
      try part(text).spans.map { "\($0.serviceClass) \($0.first)-\($0.last)" }
    }
    #expect(try spans("1-40") == ["utility 5-8", "background 30-30"])
    #expect(try spans("7-40") == ["utility 1-2", "background 24-24"])
    #expect(try spans("1-4,9-29,31-40").isEmpty)
    #expect(try spans("4,6,29-31") == ["utility 2-2", "background 4-4"])
  }

  @Test func `a part behind the end of the list is empty`() throws {
    #expect(try part("41-50").count == 0)
  }
}
