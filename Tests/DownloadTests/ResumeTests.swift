// SPDX-License-Identifier: Apache-2.0
// A second attempt requests only the rest of a photo, even in another run of the daemon.

import Digests
import Download
import Linux
import Support
import Testing
import Vocabulary

struct ResumeTests {
  let photo = PhotoID(list: ListID(17), number: 1)
  let fresh: FreshFolder
  let incoming: FreshFolder
  let url = "https://photos.example.org/a.jpg"
  let broken = Failure(.passing, code: "connect.reset", reason: "the connection broke")
  let entity = EntityFacts(
    etag: "\"v1\"", total: 10, place: "https://photos.example.org:443/a.jpg")

  init() throws {
    fresh = try FreshFolder()
    incoming = try FreshFolder()
  }

  private func downloader(_ network: ScriptedNetwork) -> RunningDownloader {
    RunningDownloader(
      network: network, partials: PartialShelf(incoming.folder, clock: SimulatedClock()))
  }

  private func download(_ downloader: RunningDownloader) async throws -> Original {
    try await downloader.download(photo, from: url, into: fresh.folder, priority: .default)
  }

  @Test(arguments: [false, true])
  func `only the rest is requested, and the photo is whole`(isRestarted: Bool) async throws {
    let network = ScriptedNetwork(
      .failing(broken, after: [1, 2, 3, 4], of: entity),
      .part([5, 6, 7, 8, 9, 10], whole: 10, entity))
    let first = downloader(network)
    await #expect(throws: broken) { try await download(first) }
    let original = try await download(isRestarted ? downloader(network) : first)
    #expect(network.requests.last?.scope == .rest(of: entity, from: 4))
    #expect(fresh.bytes(of: "000000001") == Array(1...10))
    #expect(
      original.contents == Contents(size: 10, hash: SHA256.digest(of: Array(1...10)).prefix))
    #expect(try incoming.folder.names().isEmpty)
  }

  @Test func `an origin that sends the whole photo again is followed`() async throws {
    var other = entity
    (other.etag, other.total) = ("\"v2\"", 3)
    let network = ScriptedNetwork(
      .failing(broken, after: [1, 2, 3, 4], of: entity), .sent([[7, 8, 9]], other))
    let downloader = downloader(network)
    await #expect(throws: broken) { try await download(downloader) }
    let original = try await download(downloader)
    #expect(fresh.bytes(of: "000000001") == [7, 8, 9])
    #expect(original.contents.hash == SHA256.digest(of: [7, 8, 9]).prefix)
    #expect(try incoming.folder.names().isEmpty)
  }

  @Test func `each attempt gets further`() async throws {
    let network = ScriptedNetwork(
      .failing(broken, after: [1, 2, 3], of: entity),
      .init(pieces: [[4, 5]], result: .failure(broken), entity: entity, isPart: true),
      .init(pieces: [[6, 7]], result: .failure(.cancelled), entity: entity, isPart: true),
      .part([8, 9, 10], whole: 10, entity))
    for _ in 1...3 {
      await #expect(throws: Failure.self) { try await download(downloader(network)) }
    }
    _ = try await download(downloader(network))
    let lengths = network.requests.map { request -> UInt64 in
      if case .rest(_, let length) = request.scope { length } else { 0 }
    }
    #expect(lengths == [0, 3, 5, 7])
    #expect(fresh.bytes(of: "000000001") == Array(1...10))
  }

  @Test func `without lists nothing is kept`() async throws {
    let downloader = downloader(ScriptedNetwork(.failing(broken, after: [1], of: entity)))
    await #expect(throws: broken) { try await download(downloader) }
    #expect(try incoming.folder.names().count == 2)
    downloader.discardPartials()
    await downloader.end()
    #expect(try incoming.folder.names().isEmpty)
  }
}
