// SPDX-License-Identifier: Apache-2.0
// A hanging disk under the real network: only the photos that need it wait, and the network's thread never
// calls a folder of ours.

import Digests
import Linux
import Support
import Testing
import Transfer
import Vocabulary

@testable import Download

struct BlockedDiskTests {
  private static let thread = "test-network"

  private struct Bench: Sendable {
    let fresh: FreshFolder
    let incoming: FreshFolder
    let kept: FreshFolder
    let served: FreshFolder
    let gate = DiskGate()
    let origin: Origin
    let loop: TransferLoop
    let downloader: RunningDownloader
    let pool: OwnExecutor

    init(cache: UInt64 = 0, limits: PartialShelf.Limits = .init()) throws {
      pool = try TestHomes.settle()
      (fresh, incoming, kept) = (try FreshFolder(), try FreshFolder(), try FreshFolder())
      served = try FreshFolder()
      try served.write([UInt8](repeating: 7, count: 2048), to: "small.jpg")
      try served.write(BlockedDiskTests.body, to: "large.jpg")
      origin = try Origin(folder: served.path, log: "\(served.path)/log")
      var settings = TransferSettings(
        rules: try AddressRules(allow: ["127.0.0.0/8"], deny: []))
      settings.slowestTime = .seconds(600)
      loop = try TransferLoop(settings, name: BlockedDiskTests.thread)
      let clock = SimulatedClock()
      downloader = RunningDownloader(
        network: loop,
        partials: PartialShelf(GatedFolder(incoming.folder, gate), clock: clock, limits: limits),
        cache: OriginalCache(GatedFolder(kept.folder, gate), clock: clock),
        settings: DownloadSettings(cache: cache))
    }

    func start(_ number: UInt32, _ path: String) -> Task<Original, any Error> {
      Task(executorPreference: pool) {
        try await downloader.download(
          PhotoID(list: ListID(1), number: number), from: origin.url(path), into: fresh.folder)
      }
    }

    func bytes(_ number: UInt32) -> [UInt8]? { fresh.bytes(of: "00000000\(number)") }

    func stop() async {
      await loop.stop()
      await downloader.end()
      origin.stop()
      #expect(!gate.threads.contains(BlockedDiskTests.thread), "\(gate.threads)")
    }
  }

  private static let body = (0..<1_000_000).map {
    UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7)
  }

  @Test(arguments: [DiskGate.Call.open, .write, .remove, .rename])
  func `a large body on a hanging disk does not delay small ones`(call: DiskGate.Call)
    async throws
  {
    let bench = try Bench()
    bench.gate.close(call)
    // Notes are written about it, and removed when it is whole.
    let large = bench.start(1, "/large.jpg?tag=%22v1%22")
    #expect(await bench.gate.visited())
    for number in 2...4 as ClosedRange<UInt32> {
      #expect(try await bench.start(number, "/small.jpg?\(number)").value.contents.size == 2048)
    }
    bench.gate.open()
    #expect(try await large.value.contents.hash == SHA256.digest(of: Self.body).prefix)
    #expect(bench.bytes(1) == Self.body)
    await bench.stop()
    #expect(try bench.incoming.folder.names().isEmpty)
  }

  @Test(arguments: [DiskGate.Call.link, .open, .write])
  func `a landing in a hanging cache does not delay other bodies`(call: DiskGate.Call)
    async throws
  {
    let bench = try Bench(cache: 1 << 30)
    bench.gate.close(call)
    let kept = bench.start(1, call == .link ? "/large.jpg?tag=%22v1%22" : "/small.jpg?tag=%22v1%22")
    #expect(await bench.gate.visited())
    // Without a validator it does not go into the cache.
    #expect(try await bench.start(2, "/bytes?size=2048").value.contents.size == 2048)
    bench.gate.open()
    _ = try await kept.value
    #expect(bench.downloader.cache?.counts.entries == 1)
    await bench.stop()
  }

  @Test func `a photo given up while its disk hangs leaves the network at once`() async throws {
    let bench = try Bench()
    bench.gate.close(.write)
    let large = bench.start(1, "/large.jpg?tag=%22v1%22")
    #expect(await bench.gate.visited())
    large.cancel()
    await #expect(throws: Failure.cancelled) { try await large.value }
    #expect(try await Patience.sees { bench.loop.progress().isEmpty })
    #expect(!bench.downloader.isQuiet, "its bytes are kept first")
    // A photo that wants the same URL waits for that, and resumes from there.
    let again = bench.start(2, "/large.jpg?tag=%22v1%22")
    bench.gate.open()
    #expect(try await again.value.contents.size == 1_000_000)
    #expect(bench.bytes(2) == Self.body)
    #expect(try await Patience.sees { bench.downloader.isQuiet })
    await bench.stop()
    #expect(bench.origin.requests().last?.contains("range=bytes=") == true)
    #expect(try bench.incoming.folder.names().isEmpty)
  }

  @Test func `many large bodies arrive whole through a disk that hangs repeatedly`() async throws {
    let bench = try Bench(cache: 1 << 30)
    let tasks = (1...6).map { bench.start($0, "/large.jpg?tag=%22v1%22&photo=\($0)") }
    for call in [DiskGate.Call.open, .write, .write, .write, .link, .write] {
      let before = bench.gate.count(call)
      bench.gate.close(call)
      _ = try await Patience.sees {
        bench.gate.count(call) > before || bench.downloader.isQuiet
      }
      bench.gate.open()
    }
    for (place, task) in tasks.enumerated() {
      #expect(try await task.value.contents.size == 1_000_000)
      #expect(bench.bytes(UInt32(place + 1)) == Self.body)
    }
    await bench.stop()
  }

  @Test func `no transfer touches a folder from the network's thread, however it ends`()
    async throws
  {
    var limits = PartialShelf.Limits()
    limits.firstMark = 1000
    let bench = try Bench(cache: 1 << 30, limits: limits)
    let paths = [
      "/small.jpg?tag=%22v1%22", "/small.jpg?tag=%22v1%22", "/large.jpg?tag=%22v1%22",
      "/large.jpg?tag=%22v1%22",
      "/404", "/503", "/short", "/html", "/empty", "/entity?key=a&size=1000000&tag=%22v1%22",
      "/entity?key=a&size=1000000&tag=%22v1%22", "/entity?key=b&size=1000&tag=%22v1%22",
      "/entity?key=b&size=1000&tag=%22v1%22&then=changed", "/endless",
    ]
    for (number, path) in paths.enumerated() {
      _ = try? await bench.start(UInt32(number % 9 + 1), path).value
    }
    await bench.stop()
    #expect(bench.gate.count(.write) > 20 && bench.gate.count(.link) > 0)
  }
}
