// SPDX-License-Identifier: Apache-2.0
// The order of a claim: cut after every step and begun again, failed at every step and repeated.

import Linux
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct ClaimTests {
  static let good = "a good list end"

  @Test(
    "A claim that is killed at any step, or fails there once, ends with the list accepted once",
    arguments: [Cut.Kind.kill, .fault], [false, true])
  func everyStep(_ kind: Cut.Kind, readsAhead: Bool) async throws {
    try await onOwnThread {
      var steps = 0
      while true {
        steps += 1
        let bench = try ClaimBench(readsAhead: readsAhead)
        try bench.inbox.put(ClaimBench.name, Self.good)
        bench.cut.set(kind, at: steps)
        try bench.settle(rounds: kind == .kill ? 1 : 4)
        guard let step = bench.cut.step else { break }
        try Self.expectPromise(bench, step)
        if kind == .kill {
          try bench.restart()
          try bench.settle()
        }
        #expect(try bench.acceptedTexts() == [Self.good], "\(kind) at \(step)")
        #expect(bench.reception.state.withLock { $0.accepts } == 1, "\(kind) at \(step)")
        try bench.restart()
        try bench.expectTidy("\(kind) at \(step)")
      }
      #expect(steps > 50)
    }
  }

  @Test(
    "A restart that is itself killed at any step loses nothing and accepts nothing twice",
    arguments: [5, 20, 30, 34, 38, 42, 44, 46, 48, 50, 52])
  func killedRestart(_ first: Int) async throws {
    try await onOwnThread {
      var steps = 0
      while true {
        steps += 1
        let bench = try ClaimBench()
        try bench.inbox.put(ClaimBench.name, Self.good)
        bench.cut.set(.kill, at: first)
        try bench.settle(rounds: 1)
        bench.cut.set(.kill, at: steps)
        _ = try? Recovery(claim: bench.fresh()).run()
        let isOver = bench.cut.step == nil
        try bench.restart()
        try bench.settle()
        #expect(try bench.acceptedTexts() == [Self.good], "\(first), \(steps)")
        try bench.expectTidy("\(first), \(steps)")
        if isOver { break }
      }
    }
  }

  @Test(
    "A file replaced while its list is recorded is a new list, whatever step is cut",
    arguments: [Cut.Kind.kill, .fault], [false, true])
  func replacedMeanwhile(_ kind: Cut.Kind, readsAhead: Bool) async throws {
    try await onOwnThread {
      var steps = 0
      while true {
        steps += 1
        let bench = try ClaimBench(readsAhead: readsAhead)
        try bench.inbox.put(ClaimBench.name, Self.good)
        try bench.scratch.folder.put(FileName(literal: "new"), "newer end")
        let (old, new) = ("\(bench.scratch.path)/new", "\(bench.inboxPath)/barn.plist")
        bench.reception.state.withLock { $0.onAccept = { User.rename(old, new) } }
        bench.cut.set(kind, at: steps)
        try bench.settle(rounds: kind == .kill ? 1 : 4)
        guard let step = bench.cut.step else { break }
        try bench.restart()
        try bench.settle()
        let texts = Set(try bench.acceptedTexts())
        // Cut before the first was recorded, only the newer one was ever whole in the inbox.
        #expect(texts.contains("newer end"), "\(kind) at \(step)")
        #expect(bench.reception.recorded.count == texts.count, "\(kind) at \(step)")
        try bench.restart()
        try bench.expectTidy("\(kind) at \(step)")
      }
    }
  }

  @Test(
    "A list that is no list is set aside once, whatever step is cut",
    arguments: [Cut.Kind.kill, .fault], [false, true])
  func rejectedAtEveryStep(_ kind: Cut.Kind, readsAhead: Bool) async throws {
    try await onOwnThread {
      var steps = 0
      while true {
        steps += 1
        let bench = try ClaimBench(readsAhead: readsAhead)
        try bench.inbox.put(ClaimBench.name, "no list")
        bench.cut.set(kind, at: steps)
        try bench.settle(rounds: kind == .kill ? 1 : 4)
        guard let step = bench.cut.step else { break }
        if try bench.candidates().isEmpty {
          #expect(try bench.failed.text("barn.plist") == "no list", "\(kind) at \(step)")
          #expect(!bench.reception.rejectedCodes.isEmpty, "\(kind) at \(step)")
        }
        try bench.restart()
        try bench.settle()
        try bench.expectTidy("\(kind) at \(step)")
        let names = try bench.failed.listing()
        #expect(names == ["barn.plist", "barn.plist.reason.txt"], "\(kind) at \(step)")
        #expect(Set(bench.reception.rejectedCodes) == ["list.syntax"], "\(kind) at \(step)")
      }
      #expect(steps > 40)
    }
  }

  @Test("Asked to stop, the copy of a large list is given up after the piece at hand")
  func stoppedWhileCopied() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      let text = String(repeating: "x", count: 1_000_000) + "end"
      try bench.inbox.put(ClaimBench.name, text)
      let bridge = bench.claim.bridge
      let pieces = Mutex(0)
      bench.cut.onStep { step in
        guard step == "write list.plist" else { return }
        pieces.withLock { $0 += 1 }
        bridge.cancel()
      }
      #expect(bench.claim.attempt(try bench.candidate(), .lease) == .interrupted)
      #expect(pieces.withLock { $0 } == 1)
      #expect(try bench.inbox.text(ClaimBench.name) == text)
      bench.cut.onStep(nil)
      try bench.restart()
      try bench.settle()
      #expect(try bench.acceptedTexts() == [text])
      try bench.expectTidy("stopped")
    }
  }

  @Test("Asked to stop, the copy to done is given up, and made at the next start")
  func stoppedWhileArchived() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, String(repeating: "x", count: 1_000_000) + "end")
      try bench.settle()
      let pieces = Mutex(0)
      bench.cut.onStep { step in
        if step.hasPrefix("write .archive") { pieces.withLock { $0 += 1 } }
      }
      let archive = bench.claim.archive
      #expect(throws: Failure.cancelled) {
        try archive.copy(
          ListID(1), in: bench.lists, unless: { pieces.withLock { $0 } == 1 })
      }
      #expect(pieces.withLock { $0 } == 1)
      bench.cut.onStep(nil)
      try bench.restart()
      try bench.claim.archive.finish(ListID(1), in: bench.lists)
      #expect(try bench.done.listing() == ["barn.plist"])
    }
  }

  /// Promise one: what is gone from the inbox is durable here.
  private static func expectPromise(_ bench: ClaimBench, _ step: String) throws {
    if try bench.candidates().isEmpty {
      #expect(try bench.acceptedTexts() == [Self.good], "\(step)")
    }
  }
}
