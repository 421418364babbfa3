// SPDX-License-Identifier: Apache-2.0
// The parts that answer people, joined as `Darkroom` joins them: with an inbox, chains, lives and reloads that
// run. Downloads wait until a test lets them go.

import Accept
import Chain
import Linux
import Report
import Steer
import Support
import Vocabulary

@testable import darkroomd

final class PeopleBench: Sendable {
  let parts: PartBench
  let events: EventBoard<[ChainEvent]>
  let inbox: Inbox
  let reload: Reload
  let views: Views
  let remover: ListRemover
  let calls: ControlCalls

  private init(_ parts: PartBench, _ events: EventBoard<[ChainEvent]>) throws {
    let ground = parts.ground
    self.parts = parts
    self.events = events
    inbox = try .make(ground, rules: parts.intake)
    reload = Reload(
      ConfigurationFile(path: ground.places.configuration, isNamed: false), ground.settings)
    views = Views(
      ground: ground, chains: parts.photos.chains, notes: parts.notes,
      downloader: parts.photos.downloader, inbox: inbox, departures: parts.departures,
      started: parts.clock.wallTime())
    remover = ListRemover(
      ground.recorder, parts.index, parts.lists, parts.keeper, parts.narrator, parts.health,
      clock: parts.clock)
    calls = ControlCalls(
      views, PageCalls(views, in: ground.folders.state), keeper: parts.keeper, remover: remover,
      sheets: parts.sheets, reload: reload,
      narrator: parts.narrator, changes: ground.changes, stop: ground.stop,
      metrics: { MetricsReport(families: []) }, expiring: { ["prints are about to go"] },
      old: { [retention = parts.retention] age throws(Failure) in try retention.old(age) })
  }

  static func use(
    settings change: (inout Settings) -> Void = { _ in },
    _ body: (PeopleBench) async throws -> Void
  ) async throws {
    try await PartBench.use(settings: change) { parts in
      try await useUnread(parts) { bench in
        parts.index.load([], from: parts.folders.lists)
        try await body(bench)
      }
    }
  }

  /// A daemon that has not read the labels of its lists.
  static func useUnread(
    _ parts: PartBench, _ body: (PeopleBench) async throws -> Void
  ) async throws {
    try await parts.chaining { events in
      let bench = try PeopleBench(parts, events)
      let tasks = bench.start()
      let removals = Task { await bench.remover.run([]) }
      // The inbox looks through the folder of lists when it begins.
      await bench.inbox.settled()
      let result: Result<Void, any Error>
      do { result = .success(try await body(bench)) } catch { result = .failure(error) }
      bench.inbox.stop()
      parts.keeper.stop()
      bench.reload.stop()
      bench.remover.stop()
      for task in tasks + [removals] { await task.value }
      try result.get()
    }
  }

  private func start() -> [Task<Void, Never>] {
    [
      Task { await inbox.run() }, Task { await parts.keeper.run(parts.work) },
      Task {
        await reload.run(
          .unheard, parts.health, telling: { _ in },
          forecast: { _, new in
            new.record.keepPrints.map { ["KeepPrints= is \($0.spoken)"] } ?? []
          }, [])
      },
    ]
  }

  // MARK: lists

  /// A list whose life has begun.
  @discardableResult
  func begin(_ number: UInt64, _ sample: SampleList = SampleList()) async throws -> ListID {
    let list = try await parts.add(number, sample)
    parts.keeper.begin(.init(list, .accepted, prints: sample.terms.prints))
    return list
  }

  /// Returns when the list is open.
  func opened(_ list: ListID) async {
    while !Task.isCancelled {
      if case .open = await parts.keeper.lives()?[list]?.phase { return }
      await Task.yield()
    }
  }

  func drop(_ name: String, _ bytes: [UInt8] = SampleList().bytes) throws {
    try parts.scratch.write(bytes, to: "daemon/inbox/\(name)")
  }

  func holds(_ name: String) -> Bool {
    let inbox = try? LinuxFolder.open(path: parts.ground.places.inbox)
    return (try? inbox?.has(FileName(made: name))) == true
  }

  /// Removes a file from the inbox, and rings.
  func take(_ name: String) throws {
    try LinuxFolder.open(path: parts.ground.places.inbox).remove(FileName(made: name))
    parts.ground.changes.changed()
  }

  /// A host that answers each photo with a wish to be left alone.
  func closeHost(of list: ListID) async -> Bool {
    parts.network.fail(
      Failure(.passing, code: "http.503", reason: "it answered 503", waitSeconds: 600))
    parts.photos.chains.suspendDownloads(false)
    return await events.wait { $0.contains { if case .host = $0 { true } else { false } } }
  }
}

extension ControlPeer {
  static let root = ControlPeer(process: 1, user: 0, group: 0)
  /// The owner of sample lists.
  static let owner = ControlPeer(process: 1, user: 1000, group: 1000)
  static let stranger = ControlPeer(process: 1, user: 4_000_001, group: 4_000_001)
}
