// SPDX-License-Identifier: Apache-2.0
// Orders that are worked off: programs that are run, fail or are not set, and orders that cannot be read or
// removed.

import Foundation
import Linux
import Return
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct HookRunnerTests {
  private let finished = HookOrder.Key(.finished, of: ListID(1), at: 1)
  private let failed = HookOrder.Key(.failed, of: ListID(1), at: 1)

  private func program(_ bench: PartBench, _ name: String, _ text: String) throws -> String {
    try bench.scratch.write(Array("#!/bin/sh\n\(text)\n".utf8), to: name)
    let path = "\(bench.scratch.path)/\(name)"
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  private func order(_ bench: PartBench, _ keys: HookOrder.Key...) throws {
    for key in keys { #expect(try bench.desk.outbox.add(order(key))) }
  }

  private func order(_ key: HookOrder.Key, of owner: UInt32 = 0) -> HookOrder {
    var order = HookOrder(key)
    order.set(.name, "barn")
    order.set(.owner, "\(owner)")
    return order
  }

  /// Works off the orders, with one look after the last one.
  private func run(
    _ bench: PartBench, _ hooks: Settings.Hooks, outbox: HookOutbox? = nil,
    until stop: WakeEvent? = nil, bell: WakeEvent? = nil
  ) async throws {
    let stop = try stop ?? WakeEvent()
    let (outbox, health, told) = (outbox ?? bench.desk.outbox, bench.health, bench.told)
    let (changes, places) = (bench.ground.changes, bench.ground.places)
    try await computing {
      var runner = HookRunner(
        outbox, in: places, reporter: told.reporter, health: health, changes: changes
      ) {
        hooks
      }
      runner.run(until: stop.descriptor, bell: bell, linger: .zero)
    }
  }

  /// Without the line about the journal file.
  private func told(_ bench: PartBench) -> [String] {
    bench.told.all().dropFirst().map { String($0.trimmingPrefix("warning: ")) }
  }

  private func orders(_ bench: PartBench) throws -> [String] {
    try bench.folders.hooks.listing().filter { !$0.hasPrefix(".") }
  }

  @Test func `each order runs the program of its event, once, in order`() async throws {
    try await PartBench.use { bench in
      let out = "\(bench.scratch.path)/out"
      let one = try program(bench, "one", "echo one $DARKROOM_EVENT $DARKROOM_LIST_ID $# >>\(out)")
      let two = try program(bench, "two", "echo two $DARKROOM_EVENT $DARKROOM_LIST_NAME >>\(out)")
      let rejected = HookOrder.Key(.rejected, of: ListID(2), at: 2)
      try order(bench, rejected, failed, finished)
      try await run(bench, Settings.Hooks(onFinished: one, onFailed: two))
      #expect(
        bench.scratch.bytes(of: "out").map { String(decoding: $0, as: UTF8.self) }
          == "one finished 1 0\ntwo failed barn\ntwo rejected barn\n")
      #expect(try orders(bench).isEmpty)
      #expect(told(bench).isEmpty)
    }
  }

  @Test func `users take turns, also one whose order comes after the many of another`() async throws
  {
    try await PartBench.use { bench in
      func key(_ list: UInt64) -> HookOrder.Key {
        HookOrder.Key(.finished, of: ListID(list), at: list)
      }
      let (out, late) = ("\(bench.scratch.path)/out", "\(bench.scratch.path)/late")
      let folder = "\(bench.ground.places.state)/hooks"
      for list in 1...20 as ClosedRange<UInt64> {
        #expect(try bench.desk.outbox.add(order(key(list), of: 1000)))
      }
      for list in 21...22 as ClosedRange<UInt64> {
        #expect(try bench.desk.outbox.add(order(key(list), of: 1001)))
      }
      // It comes while the program of the sixth order runs.
      try bench.scratch.write(Array(order(key(30), of: 1002).text.utf8), to: "late")
      let one = try program(
        bench, "one",
        """
        echo $DARKROOM_LIST_ID >>\(out)
        if [ $DARKROOM_LIST_ID = 4 ]; then mv \(late) \(folder)/\(key(30).name); fi
        """)
      try await run(bench, Settings.Hooks(onFinished: one))
      let ran = bench.scratch.bytes(of: "out").map { String(decoding: $0, as: UTF8.self) } ?? ""
      #expect(
        ran.split(separator: "\n").compactMap { UInt64($0) } == [1, 21, 2, 22, 3, 4, 30] + (5...20))
      #expect(try orders(bench).isEmpty && told(bench).isEmpty)
    }
  }

  @Test func `a program that fails, hangs or is missing costs one warning each`() async throws {
    try await PartBench.use { bench in
      let bad = try program(bench, "bad", "echo sending; echo 'no route' >&2; exit 3")
      let slow = try program(bench, "slow", "exec tail -f /dev/null")
      try order(bench, finished)
      try await run(bench, Settings.Hooks(onFinished: bad))
      try order(bench, failed)
      try await run(bench, Settings.Hooks(onFailed: slow, timeout: .milliseconds(300)))
      try order(bench, finished)
      try await run(bench, Settings.Hooks(onFinished: "/nonexistent/hook"))
      #expect(try orders(bench).isEmpty)
      let said = told(bench)
      #expect(
        said == [
          "The hook \(bad) for list 'barn' failed: it exited with code 3, and its last line is "
            + "'no route'; it is not run again.",
          "The hook \(slow) for list 'barn' failed: it did not end within 300 ms; "
            + "it is not run again.",
          "The hook /nonexistent/hook for list 'barn' failed: it cannot be executed: "
            + "no such file or directory; it is not run again.",
        ], "\(said)")
    }
  }

  @Test func `an order without a program, and a damaged one, are not run`() async throws {
    try await PartBench.use { bench in
      try order(bench, finished)
      try await run(bench, Settings.Hooks())
      #expect(try orders(bench).isEmpty && told(bench).isEmpty)
      try bench.folders.hooks.put(failed.name, "damage")
      try await run(bench, Settings.Hooks(onFailed: "/bin/false"))
      #expect(try orders(bench).isEmpty)
      #expect(try bench.folders.hooks.listing() == [".damaged", ".lock"])
      #expect(
        told(bench) == [
          "The hook /bin/false for list 1 failed: the order '1-1-failed' is damaged; it is not run again."
        ])
    }
  }

  @Test func `a stop kills the program and keeps its order`() async throws {
    try await PartBench.use { bench in
      let slow = try program(bench, "slow", "exec tail -f /dev/null")
      try order(bench, finished)
      let stop = try WakeEvent()
      stop.ring()
      try await run(bench, Settings.Hooks(onFinished: slow), until: stop)
      #expect(try orders(bench) == ["1-1-finished"])
      #expect(told(bench).isEmpty)
    }
  }

  @Test func `an order that cannot be removed runs once, and waits as one trouble`() async throws {
    try await PartBench.use { bench in
      let out = "\(bench.scratch.path)/out"
      let one = try program(bench, "one", "echo $DARKROOM_LIST_ID >>\(out)")
      try order(bench, finished)
      let path = "\(bench.ground.places.state)/hooks"
      FaultPlan.set(
        .init("unlinkat", on: path, code: 30, isPermanent: true), for: bench.scratch.path)
      defer { FaultPlan.set(nil, for: bench.scratch.path) }
      let bell = try WakeEvent()
      async let end: Void = run(bench, Settings.Hooks(onFinished: one), bell: bell)
      #expect(try await Patience.sees { bench.health.health[.hooks] != nil })
      // Its user had no turn yet.
      let other = HookOrder.Key(.finished, of: ListID(2), at: 2)
      #expect(try bench.desk.outbox.add(order(other, of: 1000)))
      #expect(try orders(bench) == ["1-1-finished", "2-2-finished"])
      FaultPlan.set(nil, for: bench.scratch.path)
      bell.ring()
      try await end
      #expect(try orders(bench).isEmpty && bench.health.health[.hooks] == nil)
      #expect(bench.scratch.bytes(of: "out") == Array("1\n2\n".utf8))
      #expect(bench.told.all().count { $0.contains("hooks wait until it clears") } == 1)
    }
  }

  @Test func `a file that is not an order is hidden, and waits as one trouble if that fails`()
    async throws
  {
    try await PartBench.use { bench in
      try bench.folders.hooks.put(FileName(literal: "README"), "")
      try await run(bench, Settings.Hooks())
      #expect(try bench.folders.hooks.listing() == [".README"])
      #expect(
        told(bench) == [
          "Could not continue: the file 'README' in the folder of the orders for hooks is not an order; "
            + "its name has a leading dot now."
        ])
      // A folder does not replace a file.
      _ = try bench.folders.hooks.folder(FileName(literal: "README"), creating: true)
      let stop = try WakeEvent()
      async let end: Void = run(bench, Settings.Hooks(), until: stop)
      #expect(try await Patience.sees { bench.health.health[.hooks] != nil })
      stop.ring()
      try await end
      #expect(told(bench).count == 2)
    }
  }

  @Test func `one process at a time has the seat`() async throws {
    try await PartBench.use { bench in
      let seat = try HookSeat(bench.ground.places)
      let error = #expect(throws: SystemError.self) { try HookSeat(bench.ground.places) }
      #expect(error?.name == .again)
      try order(bench, finished)
      let stop = try WakeEvent()
      stop.ring()
      try await run(bench, Settings.Hooks(), until: stop)
      #expect(try orders(bench) == ["1-1-finished"], "another process has it")
      withExtendedLifetime(seat) {}
    }
  }
}
