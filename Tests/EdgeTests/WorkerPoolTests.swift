// SPDX-License-Identifier: Apache-2.0
// Real processes: the pool with workers that do their work, and with workers that misbehave.

import Linux
import Support
import Testing
import Vocabulary
import Worker

struct WorkerPoolTests {
  private static let spent = "it did not finish within 50 ms of processor time"

  @Test func `a picture is developed from one file into another`() async throws {
    let bench = try WorkerBench()
    #expect(try await bench.develop("echo hello").get() == "echo hello")
  }

  @Test func `the order arrives as it was given`() async throws {
    let bench = try WorkerBench()
    let order = WorkerBench.order(owner: 77, .utility, pixels: 123_456_789, timeout: .seconds(901))
    #expect(try await bench.develop("order", order).get() == "\(order)")
  }

  @Test func `photos of one user share a worker, those of two do not`() async throws {
    let bench = try WorkerBench(width: 2) { $0.idleTime = .seconds(600) }
    let first = try await bench.develop("process", WorkerBench.order(owner: 1)).get()
    let second = try await bench.develop("process", WorkerBench.order(owner: 1)).get()
    let other = try await bench.develop("process", WorkerBench.order(owner: 2)).get()
    let nicer = try await bench.develop("process", WorkerBench.order(owner: 1, .background)).get()
    #expect(first == second)
    #expect(Set([first, other, nicer]).count == 3)
  }

  @Test func `the lists of one user are read by one worker, those of another by another`()
    async throws
  {
    let bench = try WorkerBench { $0.idleTime = .seconds(600) }
    var readers: [[UInt8]] = []
    for owner in [1, 1, 2] as [UInt32] {
      let catalog = try bench.file()
      try await bench.pool.readList(
        try bench.file("read"), of: owner, catalog: catalog, limits: ListLimits())
      readers.append(try catalog.read(at: 0, upTo: 100))
    }
    #expect(readers[0] == readers[1] && readers[1] != readers[2])
  }

  @Test func `a refused list says why`() async throws {
    let bench = try WorkerBench()
    let failure = await #expect(throws: Failure.self) {
      try await bench.pool.readList(
        try bench.file("refuse"), of: 1, catalog: try bench.file(), limits: ListLimits())
    }
    #expect(
      failure
        == Failure(
          .final, code: "list.refused", reason: "line 3 holds no URL", advice: "Write one"))
  }

  /// A misdeed of a worker, and the failure that the caller gets: its code, its kind, and words in
  /// its reason.
  static let misdeeds: [(String, String, Failure.Kind, String)] = [
    ("crash", "worker.died", .passing, "invalid memory access"),
    ("abort", "worker.died", .passing, "failed internal check"),
    ("trap", "worker.died", .passing, "failed internal check"),
    ("exit", "worker.died", .passing, "code 7"),
    ("hangup", "worker.died", .passing, "closed its socket"),
    ("eat", "worker.died", .passing, "the worker"),
    ("garbage", "worker.answer", .passing, "impossible answer"),
    ("huge", "worker.answer", .passing, "impossible answer"),
    ("flood", "worker.answer", .passing, "impossible answer"),
    ("unasked", "worker.answer", .passing, "impossible answer"),
    ("descriptor", "worker.answer", .passing, "impossible answer"),
    ("empty", "worker.answer", .passing, "impossible answer"),
    ("too-large", "worker.answer", .passing, "impossible answer"),
    ("too-wide", "worker.answer", .passing, "impossible answer"),
    ("bad-code", "worker.answer", .passing, "impossible answer"),
    ("overfill", "system.27", .final, "pwrite"),
    ("damaged", "jpeg.truncated", .final, #"the picture ends early\x1b[2J"#),
    ("full", "disk.full", .machine, "no space"),
    ("wail", "out.of.luck", .final, "the machine is bad"),
    ("again", "try.again", .final, "once more"),
    ("cancelled", "cancelled", .final, "cancelled"),
  ]

  @Test(
    "a worker misbehaves: the caller gets a failure, the next photo its print", arguments: misdeeds)
  func misbehaves(
    command: String, code: String, kind: Failure.Kind, words: String
  ) async throws {
    let bench = try WorkerBench(width: 1)
    let result = try await bench.develop(command)
    guard case .failure(let failure) = result else {
      Issue.record("it succeeded: \(result)")
      return
    }
    #expect(failure.code == code)
    #expect(failure.kind == kind)
    #expect(failure.reason.contains(words), "\(failure.reason)")
    #expect(try await bench.develop("echo").get() == "echo")
  }

  @Test func `a worker may change the files that it keeps after its answer`()
    async throws
  {
    // Which is why the daemon copies what a worker has written (`PhotoStagesTests`).
    let bench = try WorkerBench(width: 1) { $0.idleTime = .seconds(600) }
    let (original, print) = (try bench.file("keep a print"), try bench.file())
    _ = try await bench.pool.develop(original, into: print, WorkerBench.order())
    #expect(try print.read(at: 0, upTo: 100) == Array("keep a print".utf8))
    // The bench opens its originals to write; the daemon does not (`LyingWorkerTests`).
    let deeds = try await bench.develop("spoil").get()
    #expect(deeds.hasPrefix("spoilt: mapped,written,cut input: "), "\(deeds)")
    #expect(try print.read(at: 0, upTo: 100) == Array("OVERW".utf8))
    #expect(try original.read(at: 0, upTo: 100) == Array("keep a print".utf8))
  }

  @Test("a worker that takes too long is ended", arguments: ["hang", "spin"])
  func timeout(command: String) async throws {
    let bench = try WorkerBench(width: 1)
    let result = try await bench.develop(command, WorkerBench.order(timeout: .milliseconds(50)))
    // On a busy machine the one that spins may stand still for so long, too.
    let isIdle = command == "hang" || result.failure?.isWorkerIdle == true
    #expect(result.failure?.code == (isIdle ? "worker.idle" : "worker.timeout"))
    #expect(result.failure?.kind == (isIdle ? .passing : .final))
    let words = isIdle ? "the worker did nothing for 50 ms and was killed" : Self.spent
    #expect(result.failure?.reason == words)
    #expect(try await bench.develop("echo").get() == "echo")
  }

  @Test func `a cancelled photo ends at once, even if its worker hangs`() async throws {
    let bench = try WorkerBench(width: 1)
    let task = Task { try await bench.develop("hang") }
    // Waits behind it for the only worker, and runs once the hanging one has gone.
    let next = Task { try await bench.develop("echo", WorkerBench.order(.background)) }
    task.cancel()
    #expect(try await task.value.failure == .cancelled)
    #expect(try await next.value.get() == "echo")
  }

  @Test func `a photo cancelled before it is ordered never starts`() async throws {
    let bench = try WorkerBench(width: 1)
    let results = try await withThrowingTaskGroup(of: Result<String, Failure>.self) { group in
      group.cancelAll()
      group.addTask { try await bench.develop("hang") }
      return try await group.next()
    }
    #expect(results?.failure == .cancelled)
  }

  @Test func `a worker that cannot be started is trouble of this machine`() async throws {
    let missing = try WorkerBench(path: "/nonexistent/darkroom-worker")
    let failure = try await missing.develop("echo").failure
    #expect(failure?.code == "worker.start")
    #expect(failure?.kind == .machine)
    #expect(failure?.reason.contains("no such file") == true)
    let other = try WorkerBench(path: "/bin/false")
    #expect(
      try await other.develop("echo").failure?.reason
        == "the worker exited with code 1 before it was ready")
  }

  @Test func `a worker whose sandbox lacks a layer gets no work`() async throws {
    let bench = try WorkerBench { $0.requiredLayers.insert(SandboxLayers(rawValue: 1 << 20)) }
    let failure = try await bench.develop("echo").failure
    #expect(failure?.code == "worker.sandbox")
    #expect(failure?.kind == .machine)
  }

  @Test func `a shutdown cancels running and waiting photos, and leaves no worker`() async throws {
    let bench = try WorkerBench(width: 1)
    let tasks = (0..<5).map { _ in Task { try await bench.develop("hang") } }
    bench.pool.shutdown()
    await bench.pool.ended()
    for task in tasks { #expect(try await task.value.failure == .cancelled) }
    #expect(try await bench.develop("echo").failure == .cancelled)
  }

  @Test func `the words of a worker are passed on escaped and limited`() async throws {
    let bench = try WorkerBench(width: 1)
    _ = try await bench.develop("say")
    bench.pool.shutdown()
    await bench.pool.ended()
    let lines = bench.notices.all.compactMap { notice in
      if case .said(_, let line) = notice { line } else { nil }
    }
    #expect(lines.prefix(2) == [#"first\x1b[31m"#, "second"])
    #expect(lines.count <= 3)
    #expect(lines.allSatisfy { $0.utf8.count < 400 })
  }

  @Test func `after misbehaviour no descriptor and no zombie is left`() async throws {
    let bench = try WorkerBench()
    let check = try ChildProcess(
      path: try WorkerBench.program("darkroom-test-worker"), words: ["check", bench.path])
    _ = try Poll.wait([Poll.Watch(check.descriptor)], for: Patience.time)
    #expect(check.reap() == .code(0))
  }
}

extension Result {
  var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
