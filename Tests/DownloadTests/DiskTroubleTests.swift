// SPDX-License-Identifier: Apache-2.0
// A disk that fails: an error of reading costs the photo an attempt; one of writing, or a lack of
// descriptors, is trouble of this machine.

import Download
import Support
import Testing
import Vocabulary

struct DiskTroubleTests {
  let photo = PhotoID(list: ListID(1), number: 2)
  let photos = SimulatedDisk()
  let originals = SimulatedDisk()

  init() throws {
    let folder = try photos.rootFolder.folder(FileName(literal: "sea"), creating: true)
    try folder.open(FileName(literal: "a.jpg"), .create).write([1, 2, 3], at: 0)
  }

  private func failure(of url: String) async -> Failure? {
    let photos = photos.rootFolder
    let downloader = RunningDownloader(
      network: ScriptedNetwork(.body([1, 2, 3])),
      partials: PartialShelf(originals.rootFolder, clock: SimulatedClock()),
      files: FileFolders(paths: ["/disk"]) { _ in photos })
    do throws(Failure) {
      _ = try await downloader.download(photo, from: url, into: originals.rootFolder)
      return nil
    } catch { return error }
  }

  static let codes: [Int32] = [5, 12, 28, 30, 61, 110, 116]

  @Test(
    arguments: [SimulatedDisk.Call.openFolder, .open, .status, .read], codes)
  func `a file that cannot be read is tried again, and stops no other photo`(
    call: SimulatedDisk.Call, code: Int32
  ) async {
    photos.fail(SimulatedDisk.Fault(call, code: code))
    let failure = await failure(of: "file:///disk/sea/a.jpg")
    #expect(failure?.kind == .passing && failure?.code == "file.unreadable")
    #expect(failure?.reason.hasPrefix("the file cannot be read: ") == true)
  }

  private var calls: Int {
    SimulatedDisk.Call.allCases.reduce(0) { $0 + originals.count($1) }
  }

  @Test(arguments: [Failure.Kind.passing, .machine, .cancelled, .final], [false, true])
  func `an attempt without bytes touches no partial file`(
    kind: Failure.Kind, isBegun: Bool
  ) async throws {
    let failure = Failure(kind, code: "http.503", reason: "photos.example.org answered 503")
    let entity = EntityFacts(etag: "\"v1\"", total: 3, place: "p")
    let turn = ScriptedNetwork.Turn(result: .failure(failure), entity: isBegun ? entity : nil)
    let downloader = RunningDownloader(
      network: ScriptedNetwork(turn),
      partials: PartialShelf(originals.rootFolder, clock: SimulatedClock()))
    let before = calls
    await #expect(throws: failure) {
      try await downloader.download(
        photo, from: "https://photos.example.org/a.jpg", into: photos.rootFolder)
    }
    await downloader.end()
    #expect(calls == before)
  }

  @Test(arguments: [("\"v1\"", 28, 40_000), ("\"v1\"", 5, 40_000), ("W/\"v1\"", 28, 0)])
  func `a whole download that cannot be renamed is kept if it can be resumed`(
    tag: String, code: Int32, kept: UInt64
  ) async throws {
    let body = (0..<40_000).map { UInt8($0 % 251) }
    let entity = EntityFacts(etag: tag, total: 40_000, place: "p")
    let network = ScriptedNetwork(
      .sent([body], entity),
      kept > 0 ? .part([body[39_999]], whole: kept, entity) : .sent([body], entity))
    let partials = PartialShelf(originals.rootFolder, clock: SimulatedClock())
    let downloader = RunningDownloader(network: network, partials: partials)
    let list = try originals.rootFolder.folder(FileName(literal: "17"), creating: true)
    let url = "https://photos.example.org/a.jpg"
    originals.fail(SimulatedDisk.Fault(.rename, code: code))
    let failure = await #expect(throws: Failure.self) {
      try await downloader.download(photo, from: url, into: list)
    }
    #expect(failure?.kind == .machine)
    #expect(partials.bytes == kept)
    let original = try await downloader.download(photo, from: url, into: list)
    #expect(network.requests.last?.scope == (kept > 0 ? .rest(of: entity, from: 39_999) : .whole))
    #expect(try original.file.read(at: 0, upTo: 50_000) == body)
    #expect(try originals.rootFolder.names() == [FileName(literal: "17")])
  }

  @Test(arguments: [1, 2, 13, 21, 24] as [Int32])
  func `an error in the middle of a file is passing, whatever its number`(code: Int32) async {
    photos.fail(SimulatedDisk.Fault(.read, code: code))
    let failure = await failure(of: "file:///disk/sea/a.jpg")
    #expect(failure?.kind == .passing && failure?.code == "file.unreadable")
  }

  @Test(arguments: [23, 24] as [Int32])
  func `a lack of descriptors for a file is trouble of this machine`(code: Int32) async {
    photos.fail(SimulatedDisk.Fault(.open, code: code))
    #expect(await failure(of: "file:///disk/sea/a.jpg")?.kind == .machine)
  }

  static let urls = ["file:///disk/sea/a.jpg", "https://photos.example.org/a.jpg"]
  static let troubles: [(SimulatedDisk.Call, Int32, String)] = [
    SimulatedDisk.Call.open, .write,
  ].flatMap { call in
    [2, 5, 13, 24, 27, 40, 116].map { (call, $0, "system.\($0)") }
      + [28, 122].map { (call, $0, "disk.full") }
  }

  @Test(arguments: urls, troubles)
  func `any error of our own folder is trouble of this machine`(
    url: String, trouble: (call: SimulatedDisk.Call, code: Int32, word: String)
  ) async {
    originals.fail(SimulatedDisk.Fault(trouble.call, code: trouble.code))
    let failure = await failure(of: url)
    #expect(failure?.kind == .machine && failure?.code == trouble.word)
  }
}
