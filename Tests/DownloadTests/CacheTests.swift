// SPDX-License-Identifier: Apache-2.0
// The cache: always asks the origin, never trusts its own disk, stays within its room.

import Digests
import Download
import Linux
import Support
import Testing
import Vocabulary

struct CacheTests {
  let fresh: FreshFolder
  let incoming: FreshFolder
  let kept: FreshFolder
  let clock = SimulatedClock()
  let url = "https://photos.example.org/a.jpg"
  let entity = EntityFacts(
    etag: "W/\"v1\"", total: 3, place: "https://photos.example.org:443/a.jpg")

  init() throws {
    fresh = try FreshFolder()
    incoming = try FreshFolder()
    kept = try FreshFolder()
  }

  private func downloader(_ network: ScriptedNetwork, room: UInt64 = 1000) -> RunningDownloader {
    RunningDownloader(
      network: network, partials: PartialShelf(incoming.folder, clock: clock),
      cache: OriginalCache(kept.folder, clock: clock), settings: DownloadSettings(cache: room))
  }

  @discardableResult
  private func download(_ downloader: RunningDownloader, _ number: UInt32 = 1, _ url: String? = nil)
    async throws -> Original
  {
    clock.advance(by: .seconds(1))
    return try await downloader.download(
      PhotoID(list: ListID(1), number: number), from: url ?? self.url, into: fresh.folder,
      priority: .default)
  }

  private func counts(_ downloader: RunningDownloader) -> [UInt64] {
    let counts = downloader.cache?.counts ?? CacheCounts()
    return [UInt64(counts.entries), counts.bytes, counts.hits, counts.misses]
  }

  @Test(arguments: [false, true])
  func `an original that the origin still has is not sent again`(isRestarted: Bool) async throws {
    let network = ScriptedNetwork(.sent([[1, 2, 3]], entity), .unchanged)
    let first = downloader(network)
    try await download(first)
    #expect(counts(first) == [1, 3, 0, 1])
    let second = isRestarted ? downloader(network) : first
    let original = try await download(second, 2)
    #expect(network.requests.last?.scope == .change(since: entity))
    #expect(original.contents == Contents(size: 3, hash: SHA256.digest(of: [1, 2, 3]).prefix))
    #expect(original.status == 304)
    #expect(fresh.bytes(of: "000000002") == [1, 2, 3])
    #expect(second.cache?.counts.hits == 1)
    #expect(try incoming.folder.names().isEmpty)
    // Removing an original leaves the cache entry.
    try fresh.folder.remove(original.name)
    #expect(second.cache?.counts.entries == 1)
  }

  @Test func `a cache on another disk gets copies, and gives them`() async throws {
    let body = [UInt8](repeating: 7, count: 3 << 20)
    let whole = EntityFacts(etag: entity.etag, total: UInt64(body.count), place: entity.place)
    let code = SystemError.Name.crossesDevices.rawValue
    for folder in [incoming, kept] {
      FaultPlan.set(
        .init("linkat", on: folder.path, code: code, isPermanent: true), for: folder.path)
    }
    defer { for folder in [incoming, kept] { FaultPlan.set(nil, for: folder.path) } }
    let downloader = downloader(ScriptedNetwork(.sent([body], whole), .unchanged), room: 4 << 20)
    for number in 1...2 as ClosedRange<UInt32> { try await download(downloader, number) }
    #expect(fresh.bytes(of: "000000001") == body && fresh.bytes(of: "000000002") == body)
    #expect(counts(downloader) == [1, UInt64(body.count), 1, 1])
  }

  @Test func `a changed original replaces the cached one`() async throws {
    var other = entity
    other.etag = "\"v2\""
    let network = ScriptedNetwork(
      .sent([[1, 2, 3]], entity), .sent([[4, 5]], other), .unchanged)
    let downloader = downloader(network)
    for number in 1...3 as ClosedRange<UInt32> { try await download(downloader, number) }
    #expect(
      network.requests.map(\.scope) == [
        .whole, .change(since: entity), .change(since: other),
      ])
    #expect(fresh.bytes(of: "000000003") == [4, 5])
    #expect(counts(downloader) == [1, 2, 1, 2])
  }

  @Test func `an entry that could not be replaced is neither kept nor counted`() async throws {
    var other = entity
    other.etag = "\"v2\""
    let disk = SimulatedDisk()
    let network = ScriptedNetwork(
      .sent([[1, 2, 3]], entity), .sent([[4, 5]], other), .sent([[6]], other))
    let downloader = RunningDownloader(
      network: network, partials: PartialShelf(incoming.folder, clock: clock),
      cache: OriginalCache(disk.rootFolder, clock: clock), settings: DownloadSettings(cache: 1000))
    try await download(downloader)
    disk.fail(SimulatedDisk.Fault(.write, code: 28))
    try await download(downloader, 2)
    #expect(fresh.bytes(of: "000000002") == [4, 5])
    #expect(counts(downloader).prefix(2) == [0, 0])
    try await download(downloader, 3)
    #expect(network.requests.last?.scope == .whole)
    #expect(counts(downloader).prefix(2) == [1, 1])
  }

  @Test func `a cut-off download is resumed although the cache has an older original`()
    async throws
  {
    var other = entity
    (other.etag, other.total) = ("\"v2\"", 5)
    let broken = Failure(.passing, code: "connect.reset", reason: "the connection broke")
    let network = ScriptedNetwork(
      .sent([[1, 2, 3]], entity), .failing(broken, after: [4, 5, 6], of: other),
      .part([7, 8], whole: 5, other), .unchanged)
    let downloader = downloader(network)
    try await download(downloader)
    await #expect(throws: broken) { try await download(downloader, 2) }
    try await download(downloader, 2)
    #expect(fresh.bytes(of: "000000002") == [4, 5, 6, 7, 8])
    try await download(downloader, 3)
    #expect(
      network.requests.map(\.scope) == [
        .whole, .change(since: entity), .rest(of: other, from: 3), .change(since: other),
      ])
    #expect(fresh.bytes(of: "000000003") == [4, 5, 6, 7, 8])
  }

  @Test func `the cache is used if no byte of a cut-off download is proven`() async throws {
    var other = entity
    other.etag = "\"v2\""
    let broken = Failure(.passing, code: "connect.reset", reason: "the connection broke")
    let network = ScriptedNetwork(
      .sent([[1, 2, 3]], entity), .failing(broken, after: [4, 5], of: other), .unchanged)
    let downloader = downloader(network)
    try await download(downloader)
    await #expect(throws: broken) { try await download(downloader, 2) }
    let name = try #require(try incoming.folder.names().first { $0.hasSuffix(".part") })
    try incoming.folder.open(name, .write).write([9], at: 0)
    try await download(downloader, 2)
    #expect(network.requests.last?.scope == .change(since: entity))
    #expect(fresh.bytes(of: "000000002") == [1, 2, 3])
    #expect(try incoming.folder.names().isEmpty)
  }

  @Test func `an entry larger than the current MaximumSize= is not used`() async throws {
    let tooBig = Failure(.final, code: "size.limit", reason: "photos.example.org sends too much")
    let network = ScriptedNetwork(.sent([[1, 2, 3]], entity), .failing(tooBig), .unchanged)
    let downloader = downloader(network)
    try await download(downloader)
    downloader.change(DownloadSettings(maximumSize: 2, cache: 1000))
    await #expect(throws: tooBig) { try await download(downloader, 2) }
    downloader.change(DownloadSettings(maximumSize: 3, cache: 1000))
    try await download(downloader, 3)
    #expect(network.requests.map(\.scope) == [.whole, .whole, .change(since: entity)])
    #expect(counts(downloader) == [1, 3, 1, 2])
  }

  @Test(
    "an entry that the disk has changed is removed, and its photo downloaded",
    arguments: ["body", "size", "note", "no note", "no body"])
  func damage(_ kind: String) async throws {
    let network = ScriptedNetwork(.sent([[1, 2, 3]], entity), .sent([[1, 2, 3]], entity))
    try await download(downloader(network))
    let name = try #require(try kept.folder.names().first { $0.hasSuffix(".body") })
    let note = try #require(try kept.folder.names().first { $0.hasSuffix(".note") })
    switch kind {
    case "body": try kept.folder.open(name, .write).write([9], at: 1)
    case "size": try kept.folder.open(name, .write).truncate(to: 2)
    case "note": try kept.folder.open(note, .write).write([9], at: 40)
    case "no note": try kept.folder.remove(note)
    default: try kept.folder.remove(name)
    }
    // The first original is the damaged file itself, so another photo is downloaded.
    let again = downloader(network)
    try await download(again, 2)
    #expect(network.requests.last?.scope == .whole)
    #expect(fresh.bytes(of: "000000002") == [1, 2, 3])
    #expect(counts(again) == [1, 3, 0, 1])
  }

  @Test func `the least recently used entry goes first`() async throws {
    let urls = (1...4).map { "https://photos.example.org/\($0)" }
    let network = ScriptedNetwork(
      .sent([[UInt8](repeating: 1, count: 300)], entity),
      .sent([[UInt8](repeating: 2, count: 300)], entity),
      .unchanged, .sent([[UInt8](repeating: 3, count: 400)], entity), .unchanged, .unchanged)
    let downloader = downloader(network)
    try await download(downloader, 1, urls[0])
    try await download(downloader, 2, urls[1])
    try await download(downloader, 3, urls[0])
    downloader.change(DownloadSettings(cache: 900))
    try await download(downloader, 4, urls[2])
    #expect(counts(downloader) == [2, 700, 1, 3])
    try await download(downloader, 5, urls[0])
    try await download(downloader, 6, urls[2])
    await downloader.end()
    #expect(downloader.cache?.counts.hits == 3)
    #expect(try kept.folder.names().count == 4)
  }

  @Test func `only as many entries go as must, and one used meanwhile stays`() async throws {
    let urls = (1...6).map { "https://photos.example.org/\($0)" }
    let sent = (1...6).map {
      ScriptedNetwork.Turn.sent([[UInt8](repeating: $0, count: 300)], entity)
    }
    let network = ScriptedNetwork(Array(sent[..<4]) + [.unchanged] + Array(sent[4...]))
    let downloader = downloader(network, room: 900)
    for (number, place) in [0, 1, 2, 3, 1, 4, 5].enumerated() {
      try await download(downloader, UInt32(number + 1), urls[place])
      #expect(downloader.cache?.counts.entries == min(number + 1, 3))
    }
    #expect(downloader.cache?.counts.hits == 1)
    let left = try kept.folder.names().filter { $0.hasSuffix(".body") }
    #expect(Set(left.compactMap { kept.bytes(of: "\($0)")?.first }) == [2, 5, 6])
  }

  @Test func `without room nothing is kept, and older entries go`() async throws {
    let network = ScriptedNetwork(
      .sent([[1, 2, 3]], entity), .sent([[1, 2, 3]], entity), .sent([[1, 2, 3]], entity))
    try await download(downloader(network))
    #expect(try kept.folder.names().count == 2)
    let without = downloader(network, room: 0)
    try await download(without, 2)
    await without.end()
    #expect(try kept.folder.names().isEmpty)
    try await download(downloader(network, room: 2), 3)
    #expect(try kept.folder.names().isEmpty)
    #expect(network.requests.map(\.scope) == [.whole, .whole, .whole])
  }

  @Test func `clearing leaves only the counts`() async throws {
    let downloader = downloader(ScriptedNetwork(.sent([[1, 2, 3]], entity)))
    try await download(downloader)
    downloader.cache?.clear()
    #expect(counts(downloader) == [0, 0, 0, 1])
    #expect(try kept.folder.names().isEmpty)
    #expect(fresh.bytes(of: "000000001") == [1, 2, 3])
  }

  @Test(
    "an original without a validator, not to be kept, or not a photo is not kept",
    arguments: [
      ScriptedNetwork.Turn.sent([[1, 2, 3]], EntityFacts(total: 3)),
      .sent([[1, 2, 3]], EntityFacts(etag: "\"v1\"", total: 3, mayBeKept: false)),
      .sent([Array("<html>".utf8)], EntityFacts(etag: "\"v1\"")),
      .init(
        pieces: [[1, 2, 3]],
        result: .success(
          TransferReply(
            status: 200, size: 3, isEndSure: false,
            entity: EntityFacts(etag: "\"v1\"")))),
    ])
  func unfit(_ turn: ScriptedNetwork.Turn) async throws {
    let downloader = downloader(ScriptedNetwork(turn))
    _ = try? await download(downloader)
    #expect(downloader.cache?.counts.entries == 0)
    #expect(try kept.folder.names().isEmpty)
  }
}
