// SPDX-License-Identifier: Apache-2.0
// The download of one photo: the files it leaves, its outcome and its refusals.

import Digests
import Download
import Linux
import Support
import Testing
import Vocabulary

struct DownloaderTests {
  let photo = PhotoID(list: ListID(17), number: 38211)
  let fresh: FreshFolder
  let incoming: FreshFolder
  let url = "https://photos.example.org/a.jpg"

  init() throws {
    fresh = try FreshFolder()
    incoming = try FreshFolder()
  }

  private func downloader(_ network: ScriptedNetwork, _ settings: DownloadSettings = .init())
    -> RunningDownloader
  {
    RunningDownloader(
      network: network, partials: PartialShelf(incoming.folder, clock: SimulatedClock()),
      settings: settings)
  }

  private func download(_ network: ScriptedNetwork, url: String? = nil) async throws -> Original {
    try await downloader(network).download(
      photo, from: url ?? self.url, into: fresh.folder, priority: .default)
  }

  private func download(
    _ body: [UInt8], checksum: SHA256Digest, from url: String? = nil
  ) async throws -> Original {
    let network = ScriptedNetwork(.body(Array(body.prefix(3)), Array(body.dropFirst(3))))
    return try await downloader(network).download(
      photo, from: url ?? self.url, into: fresh.folder, priority: .default, checksum: checksum)
  }

  private var partial: [UInt8]? { fresh.bytes(of: "000038211") }

  @Test func `A whole photo waits for its record, with its size and digest`() async throws {
    let body = Array("a photo, really".utf8)
    let original = try await download(ScriptedNetwork(.body(Array(body[..<4]), Array(body[4...]))))
    #expect(original.name.description == "000038211")
    #expect(original.contents == Contents(size: 15, hash: SHA256.digest(of: body).prefix))
    #expect(original.host == "photos.example.org")
    #expect(original.status == 200)
    #expect(partial == body)
    #expect(try original.file.read(at: 0, upTo: 100) == body)
  }

  @Test func `A dropped picture becomes an original without a transfer, and stays`() async throws {
    let pictures = try FreshFolder()
    let downloader = downloader(ScriptedNetwork())
    let body = Array("a picture".utf8)
    func take(_ checksum: SHA256Digest?) throws(Failure) -> Original {
      try downloader.downloader.take(
        photo, from: pictures.folder, into: fresh.folder, checksum: checksum)
    }
    #expect(throws: Failure.self) { try take(nil) }
    try pictures.write([], to: "picture-38211")
    #expect(#expect(throws: Failure.self) { try take(nil) }?.code == "download.empty")
    #expect(partial == nil)
    try pictures.write(body, to: "picture-38211")
    for checksum in [nil, SHA256.digest(of: body)] {
      let original = try take(checksum)
      #expect(original.contents == Contents(size: 9, hash: SHA256.digest(of: body).prefix))
      #expect(original.name == Original.name(of: photo) && partial == body)
      try fresh.folder.remove(original.name)
    }
    #expect(pictures.bytes(of: "picture-38211") == body)
  }

  @Test func `A dropped picture over the size limit is refused before it is linked or read`() throws
  {
    let pictures = try FreshFolder()
    try pictures.write([1, 2, 3, 4, 5, 6], to: "picture-38211")
    let downloader = downloader(ScriptedNetwork(), DownloadSettings(maximumSize: 5))
    // A name in it would fail.
    let removed = FileName(literal: "removed")
    let folder = try fresh.folder.folder(removed, creating: true)
    try fresh.folder.removeFolder(removed)
    let failure = #expect(throws: Failure.self) {
      try downloader.downloader.take(photo, from: pictures.folder, into: folder, checksum: nil)
    }
    #expect(failure?.code == "size.limit" && failure?.reason == "the picture has more than 5 bytes")
    downloader.change(DownloadSettings(maximumSize: 6))
    let original = try downloader.downloader.take(
      photo, from: pictures.folder, into: fresh.folder, checksum: nil)
    #expect(original.contents.size == 6)
  }

  @Test func `Each request uses the current settings`() async throws {
    let network = ScriptedNetwork(.body([1]), .body([1]))
    let first = DownloadSettings(
      maximumSize: 5, timeout: .seconds(6), connectTimeout: .seconds(7))
    let downloader = downloader(network, first)
    for priority in [ServiceClass.background, .userInitiated] {
      _ = try await downloader.download(
        photo, from: "HTTP://Example.org:80", into: fresh.folder, priority: priority)
      downloader.change(DownloadSettings(maximumSize: 50))
    }
    #expect(network.requests.map(\.url.text) == ["http://example.org/", "http://example.org/"])
    #expect(network.requests.map(\.maximumSize) == [5, 50])
    #expect(network.requests.map(\.priority) == [.background, .userInitiated])
    #expect(network.requests.first?.timeout == .seconds(6))
    #expect(network.requests.first?.connectTimeout == .seconds(7))
  }

  @Test func `A second attempt starts over if the first one left no proof of its bytes`()
    async throws
  {
    let broken = Failure(.passing, code: "connect.reset", reason: "the connection broke")
    let network = ScriptedNetwork(
      .failing(broken, after: Array("much longer than the photo".utf8)), .body([1, 2, 3]))
    await #expect(throws: broken) { try await download(network) }
    #expect(partial == nil)
    #expect(try incoming.folder.names().isEmpty)
    let original = try await download(network)
    #expect(partial == [1, 2, 3])
    #expect(original.contents.hash == SHA256.digest(of: [1, 2, 3]).prefix)
    #expect(network.requests.map(\.scope) == [.whole, .whole])
  }

  @Test(
    "The bytes of an attempt are kept only if another attempt may follow",
    arguments: [
      (Failure.Kind.passing, true), (.machine, true), (.cancelled, true), (.final, false),
    ])
  func leftovers(_ kind: Failure.Kind, _ stays: Bool) async throws {
    let failure = Failure(kind, code: "some.code", reason: "it went wrong")
    let network = ScriptedNetwork(
      .failing(failure, after: [1, 2], of: EntityFacts(etag: "\"a\"", place: "p")))
    await #expect(throws: failure) { try await download(network) }
    #expect(try incoming.folder.names().isEmpty != stays)
    #expect(try fresh.folder.names().isEmpty)
  }

  @Test func `A photo given up after its last attempt leaves nothing`() async throws {
    let network = ScriptedNetwork(
      .failing(
        Failure(.passing, code: "time.out", reason: "too late"), after: [1],
        of: EntityFacts(etag: "\"a\"", place: "p")))
    let downloader = downloader(network)
    _ = try? await downloader.download(
      photo, from: url, into: fresh.folder, priority: .default)
    #expect(try incoming.folder.names().count == 2)
    try downloader.discard(photo, from: url, in: fresh.folder)
    #expect(try incoming.folder.names().isEmpty)
    try downloader.discard(photo, from: url, in: fresh.folder)
  }

  @Test func `A photo with the checksum from its list is accepted`() async throws {
    let body = Array("a photo, really".utf8)
    let original = try await download(body, checksum: SHA256.digest(of: body))
    #expect(original.contents.size == 15)
    #expect(partial == body)
  }

  @Test func `A photo with another checksum fails for good and leaves nothing`()
    async throws
  {
    let body = Array("a photo, really".utf8)
    let digest = SHA256.digest(of: body)
    // Also one that differs in its last bit alone, although only the beginning of a digest is
    // recorded.
    let last = try #require(digest.bytes.last)
    let near = try #require(SHA256Digest(raw: digest.bytes.dropLast() + [last ^ 1]))
    for wrong in [SHA256.digest(of: []), near] {
      let failure = await #expect(throws: Failure.self) {
        try await download(body, checksum: wrong)
      }
      #expect(
        failure
          == Failure(
            .final, code: "download.sha256",
            reason: "its SHA-256 is \(digest.hex), not the one in the list",
            advice: "Correct SHA256 in the list if this is the right photo"))
      #expect(partial == nil)
    }
  }

  @Test func `An empty body or a web page is named as such, whatever its checksum`() async {
    for (body, code) in [("", "download.empty"), ("<html>", "download.html")] {
      let failure = await #expect(throws: Failure.self) {
        try await download(Array(body.utf8), checksum: SHA256.digest(of: [1]))
      }
      #expect(failure?.code == code)
    }
  }

  @Test func `an original, and a refusal of its bytes, name the server that has sent them`()
    async throws
  {
    func network(_ text: String) -> ScriptedNetwork {
      var reply = TransferReply(status: 200, size: UInt64(text.utf8.count))
      reply.server = "b.example.org"
      return ScriptedNetwork(.init(pieces: [Array(text.utf8)], result: .success(reply)))
    }
    #expect(try await download(network("a photo")).server == "b.example.org")
    let failure = await #expect(throws: Failure.self) { try await download(network("<html>")) }
    #expect(failure?.code == "download.html" && failure?.server == "b.example.org")
  }

  @Test func `An empty photo fails`() async {
    let failure = await #expect(throws: Failure.self) {
      try await download(ScriptedNetwork(.body()))
    }
    #expect(failure?.code == "download.empty")
    #expect(failure?.reason == "the response from photos.example.org is empty")
    #expect(failure?.kind == .final)
    #expect(partial == nil)
  }

  @Test(
    "A web page in a photo's place is named as such",
    arguments: [
      "<!DOCTYPE html><html>", "  \r\n<html lang=de>", "\u{FEFF}<!doctype HTML>", "<HEAD>",
      "<!-- login --><html>", "<script>location='/login'</script>",
    ])
  func pages(_ text: String) async {
    let failure = await #expect(throws: Failure.self) {
      try await download(ScriptedNetwork(.body(Array(text.utf8))))
    }
    #expect(failure?.code == "download.html")
    #expect(failure?.advice.contains("login") == true)
  }

  @Test(
    "Other text than a web page is left to the filter",
    arguments: ["<svg xmlns='x'>", "<?xml version='1.0'?>", "<", "<!doctyp", "GIF89a", "\u{FF}"])
  func others(_ text: String) async throws {
    let original = try await download(ScriptedNetwork(.body(Array(text.utf8))))
    #expect(original.contents.size == UInt64(text.utf8.count))
  }

  @Test func `A reply whose size differs from the file is not believed`() async {
    let reply = TransferReply(status: 200, size: 5)
    let network = ScriptedNetwork(.init(pieces: [[1, 2, 3]], result: .success(reply)))
    let failure = await #expect(throws: Failure.self) { try await download(network) }
    #expect(failure?.code == "size.short")
    #expect(failure?.kind == .passing)
  }

  @Test func `A download cancelled before it began makes no request`() async {
    let network = ScriptedNetwork(.body([1]))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await download(network)
    }
    task.cancel()
    await #expect(throws: Failure.cancelled) { try await task.value }
    #expect(network.requests.isEmpty)
  }
}
