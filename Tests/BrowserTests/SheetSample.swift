// SPDX-License-Identifier: Apache-2.0
// A contact sheet on disk, with prints and thumbnails that the filter has made: usual names and hostile ones, pictures
// of several forms, and failures.

import Digests
import Filter
import Linux
import Present
import Support
import Vocabulary

struct SheetSample {
  static let markup = "<script>document.title='hit'</script><img src=x onerror=alert(1)>"
  static let rightToLeft = "صورة من البحر عند الغروب"
  static let long = String(repeating: "long-name-", count: 24)
  static let emoji = "Alps 🏔️ at dawn 👩‍👩‍👧"

  private static let names = [
    "Rolling Hills", "The Lighthouse", "Panorama of the Bay", markup, rightToLeft, long, emoji,
    "Not There", "Wheel of Colours", "Dunes", "High Peaks", "Stars", "Gone Fishing", "The Lake",
    "Morning Mist", "Dusk",
  ]
  private static let sizes = [
    (480, 320), (256, 384), (640, 200), (420, 320), (480, 320), (400, 300), (480, 270), (0, 0),
    (400, 300), (480, 320), (320, 320), (480, 320), (0, 0), (256, 384), (480, 320), (480, 300),
  ]
  private static let reasons: [Int: String] = [
    7: "photos.example.org answered 404 Not Found",
    12: "the JPEG is truncated: the file ends before the picture does <b>here</b>",
  ]

  let place: FreshFolder
  private let tiles: [SheetTile]

  init() throws {
    let place = try FreshFolder()
    var tiles: [SheetTile] = []
    for (index, name) in Self.names.enumerated() {
      let number = UInt32(index + 1)
      if let reason = Self.reasons[index] {
        tiles.append(SheetTile(number: number, name: name, content: .failed(reason: reason)))
        continue
      }
      let file = FileName(made: index == 3 ? "<script>%2Fx?#.jpg" : "Photo \(number).jpg")
      let print = try Self.develop(index, number, file, in: place)
      tiles.append(SheetTile(number: number, name: name, content: .print(print)))
    }
    (self.place, self.tiles) = (place, tiles)
  }

  private static func develop(
    _ index: Int, _ number: UInt32, _ file: FileName, in place: FreshFolder
  ) throws -> SheetTile.Print {
    let (width, height) = sizes[index]
    let original = SamplePictures.jpeg(width: width, height: height, seed: number * 17)
    let (print, small) = (try ScratchFile.make(), try ScratchFile.make())
    let developed = try PictureFilter.develop(
      original: try ScratchFile.make(original), print: print, function: .standard,
      thumbnail: Thumbnail.Order(file: small, height: 240))
    let name = String(decoding: file.bytes, as: UTF8.self)
    try place.write(try ScratchFile.bytes(of: print), to: name)
    try place.write(try ScratchFile.bytes(of: small), to: ".sheet/\(number).jpg")
    return SheetTile.Print(
      file: file, width: developed.width, height: developed.height, thumbnail: developed.thumbnail)
  }

  /// Writes the page; `done` photos of a list at work have ended. Returns its URL.
  func write(_ name: String, done: Int? = nil, title: String = "Holiday by the sea") throws
    -> String
  {
    let shown = tiles.enumerated().map { index, tile in
      index < done ?? .max
        ? tile : SheetTile(number: tile.number, name: tile.name, content: .missing)
    }
    let failed = shown.count { if case .failed = $0.content { true } else { false } }
    let missing = shown.count { $0.content == .missing }
    let head = SheetHead(
      list: ListID(33), name: "Holiday", title: title, filter: .standard, quality: .source,
      state: done == nil ? .finished : .running, accepted: 1_763_712_345_000,
      total: UInt32(shown.count), filtered: UInt32(shown.count - failed - missing),
      failed: UInt32(failed))
    let html = SheetPage(head, number: 1, tiles: shown).html { SHA256.digest(of: $0).bytes }
    try place.write(html, to: "\(name).html")
    return "file://\(place.path)/\(name).html"
  }

  /// The list as the live page shows it, after `done` photos; more photos than there are samples repeat these.
  func facts(total: UInt32 = 16, done: UInt32, state: ListState = .running) throws
    -> GiantDaemon.Facts
  {
    let count = UInt32(tiles.count)
    let grids = tiles.map { tile -> String in
      guard case .print(let print) = tile.content else { return "" }
      return print.thumbnail?.grid.digits ?? ""
    }
    for number in count..<max(count, min(total, 100)) {
      let twin = ".sheet/\(number % count + 1).jpg"
      guard let bytes = place.bytes(of: twin) else { continue }
      try place.write(bytes, to: ".sheet/\(number + 1).jpg")
    }
    var facts = GiantDaemon.Facts(total: total)
    (facts.name, facts.title, facts.state) = ("Holiday", "Holiday by the sea", state)
    facts.prints = place.path
    facts.states = { number in
      if number > done { return number == done + 1 ? .downloaded : .new }
      return Self.reasons[Int((number - 1) % count)] == nil ? .filtered : .failed
    }
    facts.names = { Self.names[Int(($0 - 1) % count)] }
    facts.reasons = { Self.reasons[Int(($0 - 1) % count)] ?? "" }
    facts.colours = { grids[Int(($0 - 1) % count)] }
    return facts
  }

  /// As the page shows it.
  func shownName(_ place: Int) -> String { Self.names[place - 1] }
}
