// SPDX-License-Identifier: Apache-2.0
// The bytes kept of a transfer that failed: later only as many are believed as the notes prove, whatever
// a crash did to the file, the notes or both.

import Digests
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Download

struct PartialTests {
  let url = "https://photos.example.org/a.jpg"
  let entity = EntityFacts(
    etag: "\"v1\"", total: 70_000, place: "https://photos.example.org:443/a.jpg")
  let disk = SimulatedDisk()
  let clock = SimulatedClock(wallTime: 0)
  /// Long enough for marks in the notes.
  private static let body: [UInt8] = (0..<70_000).map {
    UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7)
  }
  private var body: [UInt8] { Self.body }

  private static var limits: PartialShelf.Limits {
    var limits = PartialShelf.Limits()
    limits.firstMark = 26_214
    return limits
  }

  private var shelf: PartialShelf {
    PartialShelf(disk.rootFolder, clock: clock, limits: Self.limits)
  }
  private var name: FileName { PartialShelf.name(of: url) }
  private var noteName: FileName {
    FileName(keeping: url, suffix: ".note")
  }

  /// Writes the bytes from `start` to `count`, in small portions.
  private func receive(_ count: Int, from start: Int = 0, into file: inout PartialFile) throws {
    for offset in stride(from: start, to: count, by: 4096) {
      try file.write(Array(body[offset..<min(count, offset + 4096)]))
    }
  }

  private func file(
    _ count: Int, on shelf: PartialShelf, of entity: EntityFacts? = nil, from url: String? = nil,
    owner: UInt32 = 0
  ) throws -> PartialFile {
    var file = shelf.create(url ?? self.url, of: owner)
    try file.begin(entity ?? self.entity, at: 0)
    try receive(count, into: &file)
    return file
  }

  private func keep(_ count: Int) throws -> PartialShelf {
    let shelf = shelf
    shelf.keep(try file(count, on: shelf))
    return shelf
  }

  private func bytes(_ name: FileName) throws -> [UInt8] {
    try disk.rootFolder.open(name, .read).read(at: 0, upTo: 2_000_000)
  }

  @Test(arguments: [1, 511, 26_214, 30_001, 69_999])
  func `a kept file is resumed, and its digest is that of the whole in the end`(count: Int) throws {
    let kept = try keep(count)
    #expect(kept.holds(url) && kept.bytes == UInt64(count))
    // The next run of the daemon resumes it, too.
    for shelf in [kept, shelf] where shelf.holds(url) {
      var (file, known) = try shelf.reopen(url)
      #expect(file.size == UInt64(count))
      #expect(known == entity)
      shelf.keep(file)
      try file.begin(entity, at: file.size)
      shelf.keep(file)
    }
    var (file, _) = try shelf.reopen(url)
    try file.begin(entity, at: file.size)
    try receive(body.count, from: Int(file.size), into: &file)
    #expect(file.digest == SHA256.digest(of: body))
    #expect(file.head == Array(body.prefix(512)))
    #expect(try bytes(name) == body)
  }

  @Test(arguments: [1, 511, 513, 26_213, 32_768, 32_769, 70_000])
  func `the first bytes of a file are known, wherever the others are`(count: Int) throws {
    var file = try file(count, on: shelf)
    #expect(file.head == Array(body.prefix(512).prefix(count)))
    #expect(file.size == UInt64(count))
    // Another answer replaces it.
    try file.begin(entity, at: 0)
    #expect(file.head == [])
    try file.write([7, 8, 9])
    #expect(file.head == [7, 8, 9])
    #expect(file.digest == SHA256.digest(of: [7, 8, 9]))
    #expect(try bytes(name) == [7, 8, 9])
  }

  @Test func `a file with a gap is never resumed`() throws {
    let shelf = shelf
    var file = try file(30_000, on: shelf)
    try file.begin(entity, at: 40_000)
    try receive(50_000, from: 40_000, into: &file)
    shelf.keep(file)
    #expect(!shelf.holds(url))
    #expect(try disk.rootFolder.names().isEmpty)
  }

  @Test func `the last byte of a file that looks whole is requested again`() throws {
    let (file, _) = try keep(body.count).reopen(url)
    #expect(file.size == UInt64(body.count) - 1)
    #expect(file.digest == SHA256.digest(of: Array(body.dropLast())))
  }

  @Test func `a daemon that was killed resumes from its last mark`() throws {
    // The writer never ends its work.
    _ = try file(65_000, on: shelf)
    let (reopened, _) = try shelf.reopen(url)
    #expect(reopened.size > 55_000 && reopened.size <= 65_000)
    #expect(try bytes(name).count == Int(reopened.size))
    #expect(reopened.digest == SHA256.digest(of: Array(body.prefix(Int(reopened.size)))))
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `after a power cut only bytes as they were sent are believed`(seed: UInt64) throws {
    var random = SimulatedRandom(seed: seed)
    let count = 1 + random.number(below: body.count - 1)
    let before = shelf
    let file = try file(count, on: before)
    if random.oneIn(2) { before.keep(file) }
    if random.oneIn(2) { try disk.rootFolder.sync() }
    if random.oneIn(4) { try disk.rootFolder.syncFileSystem() }
    disk.crash(seed: seed)
    let after = shelf
    let (reopened, _) = try after.reopen(url)
    let size = Int(reopened.size)
    #expect(size <= count)
    #expect(try size == 0 ? reopened.file == nil : bytes(name) == Array(body.prefix(size)))
    #expect(reopened.digest == SHA256.digest(of: Array(body.prefix(size))))
  }

  @Test func `a file with a lost or zeroed tail is believed as far as it is proven`()
    throws
  {
    _ = try keep(65_000)
    let notes = try bytes(noteName)
    let file = try disk.rootFolder.open(name, .write)
    try file.truncate(to: 50_000)
    try file.truncate(to: 65_000)
    let (reopened, _) = try shelf.reopen(url)
    #expect(reopened.size > 40_000 && reopened.size <= 50_000)
    #expect(notes.count < 8000, "notes stay small")
  }

  @Test func `a changed byte anywhere in the file or its notes costs bytes, never the photo`()
    throws
  {
    for seed in 0..<40 as Range<UInt64> {
      var random = SimulatedRandom(seed: seed)
      _ = try keep(60_000)
      let target = random.oneIn(2) ? name : noteName
      var bytes = try bytes(target)
      bytes[random.number(below: bytes.count)] ^= UInt8(1 << random.number(below: 8))
      try disk.rootFolder.open(target, .write).write(bytes, at: 0)
      let (reopened, known) = try shelf.reopen(url)
      let size = Int(reopened.size)
      #expect(reopened.digest == SHA256.digest(of: Array(body.prefix(size))))
      #expect(known == nil || known == entity)
      #expect(known != nil || size == 0)
      try disk.rootFolder.removeIfThere(name)
      try disk.rootFolder.removeIfThere(noteName)
    }
  }

  @Test(
    "bytes that If-Range cannot resume are not kept",
    arguments: [
      EntityFacts(total: 9), EntityFacts(etag: "W/\"1\"", total: 9),
      EntityFacts(lastModified: "Tue, 18 Nov 2025 08:00:00 GMT", total: 9),
      EntityFacts(
        etag: "W/\"1\"", lastModified: "Tue, 18 Nov 2025 08:00:00 GMT", isDateStrong: true),
      EntityFacts(etag: "no quotes"), EntityFacts(etag: "\"a\"b\""),
      EntityFacts(etag: "\"\u{7F}\""),
    ])
  func weak(_ entity: EntityFacts) throws {
    let shelf = shelf
    shelf.keep(try file(50_000, on: shelf, of: entity))
    #expect(!shelf.holds(url))
    #expect(try disk.rootFolder.names().isEmpty)
  }

  @Test func `a strong date is a validator if there is no tag`() {
    let dated = EntityFacts(lastModified: "Tue, 18 Nov 2025 08:00:00 GMT", isDateStrong: true)
    #expect(dated.strongValidator == "Tue, 18 Nov 2025 08:00:00 GMT")
    #expect(entity.strongValidator == "\"v1\"")
  }

  @Test func `a file that has become an original is never written to`() throws {
    _ = try keep(60_000)
    let list = try disk.rootFolder.folder(FileName(literal: "17"), creating: true)
    let original = FileName(literal: "000000001")
    try disk.rootFolder.link(name, to: list, as: original)
    // Its notes were not removed, as after a power cut.
    var (reopened, known) = try shelf.reopen(url)
    #expect(reopened.size == 0 && known == nil)
    try reopened.write([1, 2, 3])
    let kept = try list.open(original, .read).read(at: 0, upTo: 100_000)
    #expect(kept == Array(body.prefix(60_000)))
  }

  @Test func `a file that became an original while it was kept is not resumed`() throws {
    let shelf = try keep(60_000)
    let list = try disk.rootFolder.folder(FileName(literal: "17"), creating: true)
    let original = FileName(literal: "000000001")
    try disk.rootFolder.link(name, to: list, as: original)
    #expect(shelf.holds(url))
    var (reopened, known) = try shelf.reopen(url)
    #expect(reopened.size == 0 && known == nil)
    try reopened.write([1, 2, 3])
    let kept = try list.open(original, .read).read(at: 0, upTo: 100_000)
    #expect(kept == Array(body.prefix(60_000)))
  }

  @Test func `a start removes files without notes, notes without files, and strangers`() throws {
    _ = try keep(1000)
    for stray in ["junk", "0f.part", "1f.note"] {
      _ = try disk.rootFolder.open(#require(FileName(stray)), .create)
    }
    #expect(shelf.count == 1)
    #expect(try Set(disk.rootFolder.names()) == [name, noteName])
  }

  @Test func `files that are too many, too large or too old go, the oldest first`() throws {
    var limits = Self.limits
    limits.count = 3
    limits.bytes = 250
    limits.age = .seconds(100)
    let shelf = PartialShelf(disk.rootFolder, clock: clock, limits: limits)
    func add(_ url: String, _ size: Int) throws {
      shelf.keep(try file(size, on: shelf, from: url))
    }
    for number in 1...4 {
      try add("http://h/\(number)", 50)
      clock.advance(by: .seconds(1))
    }
    #expect(shelf.count == 3 && !shelf.holds("http://h/1"))
    try add("http://h/5", 200)
    #expect(shelf.bytes <= 250 && shelf.holds("http://h/5") && !shelf.holds("http://h/2"))
    clock.advance(by: .seconds(200))
    try add("http://h/6", 1)
    #expect(shelf.count == 1 && shelf.holds("http://h/6"))
    #expect(try disk.rootFolder.names().count == 2)
    shelf.clear()
    #expect(try disk.rootFolder.names().isEmpty)
  }

  @Test func `no file of a user goes because another user has many, in this run or the next one`()
    throws
  {
    var limits = Self.limits
    limits.count = 4
    limits.bytes = 1000
    let shelf = PartialShelf(disk.rootFolder, clock: clock, limits: limits)
    func add(_ url: String, _ size: Int, _ owner: UInt32, on shelf: PartialShelf) throws {
      clock.advance(by: .seconds(1))
      shelf.keep(try file(size, on: shelf, from: url, owner: owner))
    }
    try add("http://h/mine", 50, 1000, on: shelf)
    for number in 1...9 { try add("http://h/\(number)", 10, 2000, on: shelf) }
    #expect(shelf.count == 4 && shelf.holds("http://h/mine") && shelf.holds("http://h/9"))
    #expect(!shelf.holds("http://h/6") && shelf.holds("http://h/7"))
    // A transfer for another user resumes it, and it stays the first one's.
    let (mine, entity) = try shelf.reopen("http://h/mine", of: 2000)
    #expect(mine.owner == 1000 && entity != nil)
    shelf.keep(mine)
    try add("http://h/large", 940, 2000, on: shelf)
    #expect(shelf.holds("http://h/mine") && shelf.holds("http://h/large") && shelf.bytes == 1000)
    let next = PartialShelf(disk.rootFolder, clock: clock, limits: limits)
    for number in 10...19 { try add("http://h/\(number)", 10, 2000, on: next) }
    #expect(next.holds("http://h/mine") && next.count == 4)
  }

  @Test(arguments: ["\"v1\"", "W/\"v1\""])
  func `a file that could not be written is kept only if it can be resumed`(
    tag: String
  ) throws {
    let shelf = shelf
    var file = shelf.create(url)
    try file.begin(EntityFacts(etag: tag, total: 70_000, place: "p"), at: 0)
    disk.fail(SimulatedDisk.Fault(.write, code: 28, isPermanent: true))
    #expect(throws: SystemError.self) { try receive(60_000, into: &file) }
    disk.fail(nil)
    #expect(try disk.rootFolder.names() == [name])
    shelf.keep(file)
    #expect(shelf.holds(url) == tag.hasPrefix("\""))
    #expect(try disk.rootFolder.names().count == (shelf.holds(url) ? 2 : 0))
  }

  @Test func `notes that cannot be written cost only the resumption`() throws {
    let shelf = shelf
    var file = try file(4096, on: shelf)
    disk.fail(SimulatedDisk.Fault(.open, code: 28, isPermanent: true))
    try receive(60_000, from: 4096, into: &file)
    disk.fail(nil)
    shelf.keep(file)
    #expect(!shelf.holds(url))
    #expect(try disk.rootFolder.names().isEmpty)
  }
}
