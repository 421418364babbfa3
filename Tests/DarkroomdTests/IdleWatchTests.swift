// SPDX-License-Identifier: Apache-2.0
// The end of `--until-idle`, and its exit code.

import Accept
import Chain
import Linux
import Record
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct IdleWatchTests {
  private let list = ListID(1)

  private func watch(_ bench: PeopleBench, hooks: HookOutbox? = nil) -> IdleWatch {
    IdleWatch(
      bench.parts.ground, inbox: bench.inbox, keeper: bench.parts.keeper,
      departures: bench.parts.departures, hooks: hooks, areWebhooksTried: { true })
  }

  private func fail(_ bench: PeopleBench, _ list: ListID) async throws {
    let photo = PhotoID(list: list, number: 1)
    try await bench.parts.recorder.record([
      .failed(photo, .download, code: "http.404", attempt: 1), .finished(list),
    ])
  }

  @Test func `a daemon without work ends at once, with success`() async throws {
    try await PeopleBench.use { bench in
      #expect(await watch(bench).run() == 0)
    }
  }

  @Test func `a list at work keeps the daemon until it is over`() async throws {
    try await PeopleBench.use { bench in
      let watch = watch(bench)
      try await bench.begin(1)
      // The code, and the state of the list at that moment.
      async let end = { (await watch.run(), bench.parts.state(list)) }()
      #expect(await bench.parts.keeper.lives()?.isSettled == false)
      try await bench.parts.keeper.ask(.cancel, of: list, by: 0)
      let (code, state) = await end
      #expect(code == 0 && state == .cancelled)
    }
  }

  @Test func `a paused list does not keep the daemon, but the code says that it waits`()
    async throws
  {
    try await PeopleBench.use { bench in
      let watch = watch(bench)
      try await bench.begin(1)
      try await bench.parts.keeper.ask(.pause, of: list, by: 0)
      #expect(await watch.run() == 4)
    }
  }

  @Test func `orders for hooks keep the daemon, also while they cannot be looked at`() async throws
  {
    try await PeopleBench.use { bench in
      let path = "\(bench.parts.folders.state.path)/orders"
      let folder = try bench.parts.folders.state.folder(FileName(literal: "orders"), creating: true)
      FaultPlan.set(.init("getdents64", on: path, code: 12), for: path)
      defer { FaultPlan.set(nil, for: path) }
      let watch = watch(bench, hooks: HookOutbox(folder))
      let over = ChangeSignal()
      async let code = {
        defer { over.changed() }
        return await watch.run()
      }()
      // Nothing but time tells that the folder can be read again.
      while over.version == 0 {
        bench.parts.clock.advance(by: .seconds(1))
        await Task.yield()
      }
      #expect(await code == 0)
    }
  }

  @Test func `a file that may become a list keeps the daemon`() async throws {
    try await PeopleBench.use { bench in
      let watch = watch(bench)
      try bench.drop("barn.plist")
      // The code, and whether the file was there at that moment.
      async let end = { (await watch.run(), bench.holds("barn.plist")) }()
      #expect(await bench.inbox.look().candidates == 1)
      try bench.take("barn.plist")
      let (code, isThere) = await end
      #expect(code == 0 && !isThere)
    }
  }

  @Test func `a failed photo, or a rejected file, is in the code`() async throws {
    try await PeopleBench.use { bench in
      let watch = watch(bench)
      try await bench.parts.add(1)
      try await fail(bench, list)
      #expect(await watch.run() == 3)
    }
    try await PeopleBench.use { bench in
      bench.parts.departures.note(ListID(1), "barn.plist", of: 1000, rejected: "it is empty")
      #expect(await watch(bench).run() == 3)
    }
  }

  @Test func `a list that had ended before the start is not in the code; an open one is`()
    async throws
  {
    try await PeopleBench.use { bench in
      try await bench.parts.add(1)
      try await bench.parts.add(2)
      try await fail(bench, list)
      let watch = watch(bench)
      #expect(await watch.run() == 0)
      try await fail(bench, ListID(2))
      #expect(await watch.run() == 3)
    }
  }

  @Test func `a list that waits for repair is in the code`() async throws {
    try await PeopleBench.use { bench in
      bench.parts.health.set(.missing, for: .list(list))
      #expect(await watch(bench).run() == 4)
    }
  }

  @Test func `a daemon that stops has no code`() async throws {
    try await PeopleBench.use { bench in
      let watch = watch(bench)
      bench.parts.keeper.stop()
      #expect(await watch.run() == nil)
    }
    try await PeopleBench.use { bench in
      let watch = watch(bench)
      bench.inbox.stop()
      #expect(await watch.run() == nil)
    }
  }
}
