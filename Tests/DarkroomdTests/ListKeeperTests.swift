// SPDX-License-Identifier: Apache-2.0
// The keeper with scripted effects: answers, order, and a stop that waits for effects that were
// begun.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

/// Effects that note themselves, and wait at a gate if the test holds them.
private final class NotedEffects: ListEffects {
  struct State {
    var notes: [String] = []
    var refusal: Failure?
    var isHeld: Set<String> = []
    var waiting: [String: Reply<Void>] = [:]
    var ended = 0
  }

  let state = Mutex(State())
  let noted = ChangeSignal()

  var notes: [String] { state.withLock { $0.notes } }

  func hold(_ name: String) { state.withLock { _ = $0.isHeld.insert(name) } }

  func release(_ name: String) {
    state.withLock { state in
      state.isHeld.remove(name)
      return state.waiting.removeValue(forKey: name)
    }?.give()
  }

  func reaches(_ note: String) async {
    while true {
      let seen = noted.version
      if notes.contains(note) { return }
      await noted.change(after: seen)
    }
  }

  private func note(_ note: String) {
    state.withLock { $0.notes.append(note) }
    noted.changed()
  }

  private func act(_ name: String, _ list: ListID) async -> Failure? {
    note("\(name) \(list)")
    await Reply.wait { reply in
      let isHeld = state.withLock { state in
        guard state.isHeld.contains("\(name) \(list)") else { return false }
        state.waiting["\(name) \(list)"] = reply
        return true
      }
      if !isHeld { reply.give() }
    }
    return state.withLock { state in
      state.ended += 1
      return state.refusal
    }
  }

  func record(
    _ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?
  ) async -> Failure? {
    await act("record \(turn)", list)
  }
  func takeOver(_ list: ListID) async -> Failure? { await act("take over", list) }
  func open(_ list: ListID) async -> Failure? { await act("open", list) }
  func idle(_ list: ListID) async { _ = await act("idle", list) }
  func giveBack(_ list: ListID) async -> Failure? { await act("give back", list) }
  func isOpen(_ list: ListID) -> Bool { list == ListID(17) }
  func pauseChains(_ list: ListID) { note("pause \(list)") }
  func resumeChains(_ list: ListID) { note("resume \(list)") }
  func setClass(_ serviceClass: ServiceClass, of list: ListID) { note("\(serviceClass) \(list)") }
  func dropChains(_ list: ListID) { note("drop \(list)") }
  func tell(_ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?) {
    note("tell \(turn) \(list)")
  }
  func health(_ failure: Failure?, of list: ListID) {}
  func copyHealth(_ failure: Failure?, of list: ListID) {}
  func forget(_ list: ListID) { note("forget \(list)") }
  func forgetAll() { note("forget all") }
}

@Suite struct ListKeeperTests {
  private let keeper = ListKeeper(clock: SimulatedClock(), changes: ChangeSignal())
  private let effects = NotedEffects()

  private func running(_ test: () async throws -> Void) async throws {
    async let end: Void = keeper.run(effects)
    defer { keeper.stop() }
    try await test()
    keeper.stop()
    await end
  }

  @Test func `a cancel is answered when nothing runs, before the copy is made`() async throws {
    effects.hold("give back 1")
    try await running {
      keeper.begin(.init(ListID(1), .accepted))
      await effects.reaches("resume 1")
      try await keeper.ask(.cancel, of: ListID(1), by: 0)
      #expect(effects.notes.contains("idle 1") && !effects.notes.contains("forget 1"))
      await effects.reaches("give back 1")
      effects.release("give back 1")
      await effects.reaches("forget 1")
    }
  }

  @Test func `what is kept for any list is released when the last list is forgotten`()
    async throws
  {
    effects.hold("give back 1")
    try await running {
      for list in 1...2 as ClosedRange<UInt64> { keeper.begin(.init(ListID(list), .accepted)) }
      for list in 1...2 as ClosedRange<UInt64> {
        try await keeper.ask(.cancel, of: ListID(list), by: 0)
      }
      await effects.reaches("forget 2")
      await effects.reaches("give back 1")
      #expect(!effects.notes.contains("forget all"), "a list is being returned")
      effects.release("give back 1")
      await effects.reaches("forget all")
      #expect(effects.notes.suffix(2) == ["forget 1", "forget all"])
      #expect(effects.notes.count { $0 == "forget all" } == 1)
    }
  }

  @Test func `a request about a recorded list waits until the life of the list begins`()
    async throws
  {
    try await running {
      async let cancel: Void = keeper.ask(.cancel, of: ListID(17), by: 0)
      await #expect(throws: OpenList.over) { try await keeper.ask(.cancel, of: ListID(1), by: 0) }
      keeper.begin(.init(ListID(17), .accepted))
      try await cancel
      #expect(effects.notes.contains("record cancelled 17"))
    }
  }

  @Test func `a list that takes long to open does not delay others`() async throws {
    effects.hold("open 1")
    try await running {
      keeper.begin(.init(ListID(1), .accepted))
      keeper.begin(.init(ListID(2), .accepted))
      await effects.reaches("resume 2")
      try await keeper.ask(.pause, of: ListID(2), by: 0)
      try await keeper.ask(.pause, of: ListID(1), by: 0)
      try await keeper.ask(.resume, of: ListID(1), by: 0)
      try await keeper.ask(.cancel, of: ListID(2), by: 0)
      effects.release("open 1")
      await effects.reaches("resume 1")
    }
  }

  @Test func `a change that cannot be recorded is answered with the reason`() async throws {
    let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
    try await running {
      keeper.begin(.init(ListID(1), .accepted))
      await effects.reaches("resume 1")
      effects.state.withLock { $0.refusal = full }
      await #expect(throws: full) { try await keeper.ask(.pause, of: ListID(1), by: 0) }
      #expect(!effects.notes.contains("pause 1"))
    }
  }

  @Test func `a stop answers waiting callers, begins nothing, and waits for running effects`()
    async throws
  {
    effects.hold("record paused 1")
    let isOver = Mutex(false)
    async let end: Void = {
      await keeper.run(effects)
      isOver.withLock { $0 = true }
    }()
    keeper.begin(.init(ListID(1), .accepted))
    await effects.reaches("resume 1")
    async let answer: Failure? = {
      do throws(Failure) { try await keeper.ask(.pause, of: ListID(1), by: 0) } catch {
        return error
      }
      return nil
    }()
    await effects.reaches("record paused 1")
    keeper.stop()
    #expect(await answer == .cancelled)
    keeper.begin(.init(ListID(2), .accepted))
    await #expect(throws: Failure.cancelled) { try await keeper.ask(.pause, of: ListID(1), by: 0) }
    #expect(await keeper.lives() == nil)
    #expect(!isOver.withLock { $0 })
    effects.release("record paused 1")
    await end
    #expect(!effects.notes.contains("open 2") && !effects.notes.contains("tell paused 1"))
  }

  @Test func `lives are read once every earlier event is handled`() async throws {
    try await running {
      keeper.begin(.init(ListID(1), .paused))
      await effects.reaches("idle 1")
      var isSettled = false
      while !isSettled { isSettled = await keeper.lives()?.isSettled == true }
      #expect(await keeper.lives()?[ListID(1)]?.isPaused == true)
    }
  }
}
