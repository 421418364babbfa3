// SPDX-License-Identifier: Apache-2.0
// Removals beside a return that hangs: only the orders for its list wait, and no age removes a list that other nodes would
// return again.

import Files
import Linux
import Record
import Return
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

/// Lists whose copies wait. Some returns last until they are released.
final class HungReturn: ListEffects {
  private struct State {
    var returns: [ListID: Int] = [:]
    var held: [Reply<Void>] = []
  }

  private let state = Mutex(State())
  private let failure: Failure
  /// By the list and the number of its return.
  private let isMeant: @Sendable (ListID, Int) -> Bool

  init(_ isMeant: @escaping @Sendable (ListID, Int) -> Bool) {
    (failure, self.isMeant) = (Self.loss, isMeant)
  }

  /// The second return of the list.
  init(_ failure: Failure = HungReturn.loss, of held: ListID = ListID(1)) {
    self.failure = failure
    isMeant = { list, number in list == held && number == 2 }
  }

  static let loss = ListLoss.missing.failure("it is missing")

  var isHeld: Bool { count > 0 }
  /// Of the returns that are held.
  var count: Int { state.withLock { $0.held.count } }

  func release() {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for reply in held { reply.give() }
  }

  func giveBack(_ list: ListID) async -> Failure? {
    await Reply.wait { reply in
      let isHeld = state.withLock { state in
        state.returns[list, default: 0] += 1
        guard isMeant(list, state.returns[list] ?? 0) else { return false }
        state.held.append(reply)
        return true
      }
      if !isHeld { reply.give() }
    }
    return failure
  }

  func record(
    _ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?
  ) async -> Failure? { nil }
  func takeOver(_ list: ListID) async -> Failure? { nil }
  func open(_ list: ListID) async -> Failure? { nil }
  func idle(_ list: ListID) async {}
  func isOpen(_ list: ListID) -> Bool { false }
  func pauseChains(_ list: ListID) {}
  func resumeChains(_ list: ListID) {}
  func setClass(_ serviceClass: ServiceClass, of list: ListID) {}
  func dropChains(_ list: ListID) {}
  func tell(_ turn: ListLife.Turn, of list: ListID, by asker: ListLife.Asker?) {}
  func health(_ failure: Failure?, of list: ListID) {}
  func copyHealth(_ failure: Failure?, of list: ListID) {}
  func forget(_ list: ListID) {}
  func forgetAll() {}
}

@Suite struct HungReturnTests {
  @Test func `a return that hangs holds up the removals of its own list alone`() async throws {
    try await DiskBench.use { bench in
      let keeper = ListKeeper(clock: bench.clock, changes: bench.changes)
      let effects = HungReturn()
      for (number, name) in [(1, "barn"), (2, "lake")] as [(UInt64, String)] {
        let list = try await bench.add(
          number,
          SampleList {
            $0.name = "\(name).plist"
            $0.terms.prints = FileName(made: name)
          })
        try await bench.recorder.record([.cancelled(list)])
        try bench.folder(of: list).put(ListFolder.resulted, "")
        keeper.begin(.init(list, .cancelled))
      }
      let lives = Task { await keeper.run(effects) }
      for number in 1...2 as ClosedRange<UInt64> {
        while await keeper.lives()?[ListID(number)]?.loss == nil { await Task.yield() }
      }
      keeper.relieve()
      while !effects.isHeld { await Task.yield() }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, keeper, bench.narrator(),
        HealthBoard(bench.told.reporter, inbox: "/inbox", changes: bench.changes),
        clock: bench.clock)
      let removals = Task { await remover.run([]) }
      let answers = ([1, 1, 2] as [UInt64]).map { number in
        Task.immediate { () -> Failure? in
          do throws(Failure) { try await remover.remove(ListID(number), by: 1000) } catch {
            return error
          }
          return nil
        }
      }
      #expect(await answers[2].value == nil && bench.state(ListID(2)) == nil)
      // Nothing wakes those who watch the lists meanwhile, but for the letter about list 1, which may come late.
      let version = bench.changes.version
      for _ in 0..<100 { _ = await keeper.lives() }
      #expect(bench.changes.version <= version + 1)
      #expect(bench.state(ListID(1)) == .cancelled && bench.index[ListID(1)] != nil)
      effects.release()
      let reasons = [await answers[0].value, await answers[1].value, await answers[2].value]
      #expect(reasons.map { $0?.reason } == [nil, "list 1 is not known any more", nil])
      #expect(try bench.folders.lists.listing().isEmpty)
      remover.stop()
      keeper.stop()
      await removals.value
      await lives.value
    }
  }

  @Test func `an earlier list whose name comes back during a removal is not removed unseen`()
    async throws
  {
    try await DiskBench.use { bench in
      let keeper = ListKeeper(clock: bench.clock, changes: bench.changes)
      let (earlier, list) = (ListID(1), ListID(2))
      let effects = HungReturn(of: list)
      for number in 1...2 as ClosedRange<UInt64> {
        try await bench.add(number)
        try await bench.recorder.record([.cancelled(ListID(number))])
        try bench.folder(of: ListID(number)).put(ListFolder.resulted, "")
        keeper.begin(.init(ListID(number), .cancelled))
      }
      bench.index.forget(earlier)
      let lives = Task { await keeper.run(effects) }
      for list in [earlier, list] {
        while await keeper.lives()?[list]?.loss == nil { await Task.yield() }
      }
      keeper.relieve()
      while !effects.isHeld { await Task.yield() }
      let remover = ListRemover(
        bench.recorder, bench.index, bench.lists, keeper, bench.narrator(),
        HealthBoard(bench.told.reporter, inbox: "/inbox", changes: bench.changes),
        clock: bench.clock)
      let removals = Task { await remover.run([]) }
      let answer = Task.immediate { () -> String? in
        do throws(Failure) { try await remover.remove(list, by: 1000) } catch {
          return error.reason
        }
        return nil
      }
      // The order is taken when a later one is answered.
      await #expect(throws: Failure.self) { try await remover.remove(ListID(9), by: 1000) }
      #expect(bench.index.read(earlier, from: bench.folders.lists) != nil)
      effects.release()
      #expect(
        await answer.value == "list 1, whose name is known again, goes with it; try again")
      #expect(try bench.folders.lists.listing() == ["1", "2"])
      #expect(bench.state(earlier) == .cancelled && bench.index[list] != nil)
      #expect(await keeper.lives()?[list] != nil, "it waits for its copy again")
      try await remover.remove(list, by: 1000)
      #expect(try bench.folders.lists.listing().isEmpty && bench.state(earlier) == nil)
      remover.stop()
      keeper.stop()
      await removals.value
      await lives.value
    }
  }

  @Test func `a list of a cluster is not removed for its age before its return is over`()
    async throws
  {
    try await DiskBench.use { bench in
      let keeper = ListKeeper(clock: bench.clock, changes: bench.changes)
      func add(_ number: UInt64, origin: FileName? = nil) async throws {
        let list = try await bench.add(
          number, SampleList { if let origin { $0.terms.kind = .entry(origin) } })
        try await bench.recorder.record([.cancelled(list)])
        try ListMarks.noteReturn(in: bench.folder(of: list))
      }
      func left() -> [String]? { try? bench.folders.lists.listing() }
      let list = ListID(1)
      try await add(1, origin: FileName(literal: "mine"))
      keeper.begin(.init(list, .cancelled))
      let full = Failure(.machine, code: "disk.full", reason: "no space left on device")
      let lives = Task { await keeper.run(HungReturn(full)) }
      while case .returning(nil, _)? = await keeper.lives()?[list]?.phase { await Task.yield() }
      var settings = Settings()
      settings.record.keepLists = .zero
      let retention = ListRetention(
        bench.recorder, bench.index, bench.folders, settings: LiveSettings(settings),
        bench.narrator(),
        HealthBoard(bench.told.reporter, inbox: "/inbox", changes: bench.changes),
        clock: bench.clock, grace: .none, keeper: keeper)
      let run = Task { await retention.run([]) }
      // Two looks: the first one is over when the second begins.
      for number in 2...3 as ClosedRange<UInt64> {
        try await add(number)
        retention.look()
        #expect(try await Patience.sees { bench.state(ListID(number)) == nil })
      }
      #expect(left() == ["1"] && bench.state(list) == .cancelled)
      keeper.happened(.abandoned, to: list)
      retention.look()
      #expect(try await Patience.sees { left() == [] })
      run.cancel()
      await run.value
      keeper.stop()
      await lives.value
    }
  }
}
