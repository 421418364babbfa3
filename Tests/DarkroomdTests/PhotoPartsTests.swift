// SPDX-License-Identifier: Apache-2.0
// The parts that work on photos, joined; and the settings as each of them takes them.

import Chain
import Download
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct PhotoPartsTests {
  private let list = ListID(1)
  private let photo = PhotoID(list: ListID(1), number: 1)

  /// Runs the watch on free space.
  private func watching(_ bench: PartBench, _ body: () async throws -> Void) async throws {
    let watch = Task { await bench.photos.watchSpace(bench.health, bench.recorder) }
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    watch.cancel()
    await watch.value
    try result.get()
  }

  @Test func `no photo is downloaded before the free space is measured`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      try await bench.chaining { events in
        bench.photos.chains.add(list, ListLines(.default))
        await bench.photos.chains.idle(list)
        #expect(bench.state(photo) == .new)
        try await watching(bench) {
          let isDone = await events.wait { $0.contains(.done(ListID(1))) }
          #expect(isDone && bench.state(photo) == .filtered)
        }
        let prints = bench.prints()
        #expect(prints == [".sheet", "Barn.jpg"])
      }
    }
  }

  @Test func `a shortage empties the cache and holds downloads, with its reason`() async throws {
    try await PartBench.use(settings: { $0.download.freeSpace = .max / 8 }) { bench in
      try await bench.addBarn()
      try await bench.chaining { _ in
        bench.photos.chains.add(list, ListLines(.default))
        try await watching(bench) {
          let isHeld = try await Patience.sees { bench.health.health.hold?.code == "disk.low" }
          #expect(isHeld)
          await bench.photos.chains.idle(list)
          #expect(bench.state(photo) == .new)
        }
      }
    }
  }

  @Test func `a reload applies to the next download`() async throws {
    try await PartBench.use { bench in
      try await bench.addBarn()
      var settings = bench.ground.settings.current
      settings.download.maximumSize = 10
      bench.photos.apply(settings)
      let failure = await #expect(throws: Failure.self) {
        _ = try await bench.stages.download(bench.work()) { _ in }
      }
      #expect(failure?.code == "size.limit")
      settings.download.fileFolders = []
      bench.photos.apply(settings)
      let refusal = await #expect(throws: Failure.self) {
        _ = try await bench.stages.download(bench.work()) { _ in }
      }
      #expect(refusal?.code == "file.refused")
    }
  }

  // MARK: settings

  @Test func `the queues have a place for each connection and each worker`() {
    var settings = Settings()
    settings.download.connections = 5
    settings.filter.workers = 3
    let widths = StageQueues.Widths(settings)
    #expect(widths.download == 5 + Admission.mostRiders && widths.filter == 3)
    #expect(widths.urgent == 1 && widths.output >= 64)
    #expect(widths.begun == widths.window + widths.reserve && widths.kept == widths.window / 4)
  }

  @Test func `with a single attempt no photo waits for a host`() {
    var settings = Settings()
    (settings.download.connectionsPerHost, settings.download.hostPatience) = (3, .seconds(90))
    #expect(HostLimits(settings) == HostLimits(most: 3, connections: 16, patience: .seconds(90)))
    settings.download.attempts = 1
    #expect(HostLimits(settings) == HostLimits(most: 3, connections: 16, patience: .zero))
  }

  @Test func `the nodes of a cluster share the connections to a host`() {
    var settings = Settings()
    #expect(!HostLimits(settings).areShared)
    settings.cluster.ledger = "dbname=darkroom"
    #expect(HostLimits(settings).areShared && HostLimits(settings).useful == 6)
    settings.download.connections = 4
    #expect(HostLimits(settings).useful == 4)
  }

  @Test func `the settings of downloads are passed on`() {
    var settings = Settings.Download()
    settings.maximumSize = 1
    settings.timeout = .seconds(2)
    settings.connectTimeout = .seconds(3)
    settings.cache = 4
    #expect(
      DownloadSettings(settings)
        == DownloadSettings(
          maximumSize: 1, timeout: .seconds(2), connectTimeout: .seconds(3), cache: 4))
  }
}
