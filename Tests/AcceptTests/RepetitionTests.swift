// SPDX-License-Identifier: Apache-2.0
// A list made of an earlier one: killed at every step and restarted, failed at every step and repeated.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct RepetitionTests {
  private let first = ListID(1)

  /// A bench with one accepted list.
  private func bench() async throws -> ClaimBench {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, ClaimTests.good)
    try await bench.settle()
    return bench
  }

  @Test func `a repeated list has the bytes, name, owner and terms of the earlier one`()
    async throws
  {
    let bench = try await bench()
    let list = try await Repetition(claim: bench.claim).run(RepeatOrder(first, of: 0))
    #expect(list == ListID(2))
    #expect(try bench.acceptedTexts() == [ClaimTests.good, ClaimTests.good])
    let (old, new) = (
      try #require(bench.rules.recorded[first]), try #require(bench.rules.recorded[list])
    )
    #expect(new.name == old.name && new.owner == old.owner && new.sha256 == old.sha256)
    #expect(
      new.terms.photos == old.terms.photos && new.terms.settings == "again 1\n\(old.terms.settings)"
    )
    #expect(old.wasDropped && !new.wasDropped)
    try await bench.restart()
    try bench.expectTidy("at the end")
    #expect(bench.rules.state.withLock { $0.accepts } == 2)
  }

  @Test(
    "A repeat that is killed at any step, or fails there once, makes one list or none",
    arguments: [Cut.Kind.kill, .fault])
  func everyStep(_ kind: Cut.Kind) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try await bench()
      bench.cut.set(kind, at: steps)
      var answer: ListID?
      do throws(Failure) {
        answer = try await Repetition(claim: bench.claim).run(RepeatOrder(first, of: 0))
      } catch {
        #expect(error.kind == .machine, "\(error)")
      }
      guard let step = bench.cut.step else { break }
      let accepted = bench.rules.recorded.count
      if answer != nil { #expect(accepted == 2, "answered without a record: \(kind) at \(step)") }
      try await bench.restart()
      try bench.expectTidy("\(kind) at \(step)")
      #expect(bench.rules.recorded.count == accepted, "\(kind) at \(step)")
      if accepted == 1 {
        _ = try await Repetition(claim: bench.claim).run(RepeatOrder(first, of: 0))
      }
      #expect(
        try bench.acceptedTexts() == [ClaimTests.good, ClaimTests.good], "\(kind) at \(step)")
      #expect(bench.rules.recorded.values.allSatisfy { $0.name == ClaimBench.name })
    }
    #expect(steps > 20)
  }

  // MARK: a dropped retry list

  private static let slip = FileName(literal: "barn.retry.plist")
  private static let slipText = "a retry list end"

  @Test(arguments: ["barn.retry.plist", "BARN.plist", "barn~1.retry.json", "cow.retry.plist"])
  func `a retry list under its own name is a repetition of its list, and no other file is`(
    name: String
  ) async throws {
    let bench = try await bench()
    let continues = ["barn.retry.plist", "barn~1.retry.json"].contains(name)
    try bench.inbox.put(FileName(made: name), Self.slipText)
    try await bench.settle()
    try bench.expectTidy(name)
    let about = try #require(bench.rules.recorded[ListID(2)])
    #expect("\(about.droppedName)" == name && about.wasDropped)
    #expect("\(about.name)" == (continues ? "barn.plist" : name))
    #expect(
      try bench.acceptedTexts() == [ClaimTests.good, continues ? ClaimTests.good : Self.slipText])
    let text = try bench.lists.openFolder(ListFolder.name(ListID(2)), creating: false)
      .text(ListFolder.about)
    #expect(try AboutFile(text: Array(try #require(text).utf8)) == about)
  }

  @Test(
    "A retry list that is dropped makes one list, whichever step is cut",
    arguments: [Cut.Kind.kill, .fault], [false, true])
  func everyStepOfSlip(_ kind: Cut.Kind, readsAhead: Bool) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ClaimBench(readsAhead: readsAhead)
      try bench.inbox.put(ClaimBench.name, ClaimTests.good)
      try await bench.settle()
      try bench.inbox.put(Self.slip, Self.slipText)
      bench.cut.set(kind, at: steps)
      try await bench.settle(rounds: kind == .kill ? 1 : 4)
      guard let step = bench.cut.step else { break }
      // Promise one: a file that has left the inbox is an accepted list.
      if try bench.candidates().isEmpty { #expect(bench.rules.recorded.count == 2, "\(step)") }
      if kind == .kill {
        try await bench.restart()
        try await bench.settle()
      }
      #expect(
        try bench.acceptedTexts() == [ClaimTests.good, ClaimTests.good], "\(kind) at \(step)")
      #expect(bench.rules.state.withLock { $0.accepts } == 2, "\(kind) at \(step)")
      try await bench.restart()
      try bench.expectTidy("\(kind) at \(step)")
    }
    #expect(steps > 50)
  }

  @Test func `a damaged copy of the list is not repeated`() async throws {
    let bench = try await bench()
    try bench.lists.openFolder(ListFolder.name(first), creating: false)
      .open(ListFolder.list, .write).write(Array("b".utf8), at: 0)
    await #expect(throws: Failure.self) {
      try await Repetition(claim: bench.claim).run(RepeatOrder(first, of: 0))
    }
    #expect(bench.rules.recorded.count == 1)
    try await bench.restart()
    try bench.expectTidy("damaged")
  }

  @Test func `nothing is repeated while no list is let in`() async throws {
    let bench = try await bench()
    bench.rules.state.withLock {
      $0.fullness = Failure(.machine, code: "inbox.full", reason: "full")
    }
    do throws(Failure) {
      _ = try await Repetition(claim: bench.claim).run(RepeatOrder(first, of: 0))
      Issue.record("repeated")
    } catch { #expect(error.code == "inbox.full") }
    #expect(try bench.lists.listing() == ["1"])
  }
}
