// SPDX-License-Identifier: Apache-2.0
// The daemon is stopped or killed, or its workers are killed, in the middle of work; the work
// continues.

import Foundation
import Support
import Testing

@Suite struct RestartTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func `a stop during work ends with 0, and the next start continues the work`(signal: Int32)
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(30)
      let photos = urls.enumerated().map { number, url in
        ("Photo \(number + 1)", url + (number % 5 == 4 ? "?gate=g" : ""))
      }
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      try await bench.until("some are done") {
        bench.journal.filter { $0.kind == "filtered" }.count >= 5
      }
      daemon.send(signal)
      let end = try await daemon.end()
      #expect(end.code == 0, "\(end)")
      #expect(end.errors.contains("Stopping: 1 list will continue at the next start."))
      let recorded = Set(bench.journal.filter { $0.kind == "downloaded" }.map(\.photo))
      let asked = bench.origin.requests().count
      await bench.origin.release("g")
      #expect(try await bench.runUntilIdle().code == 0)
      for line in bench.origin.requests().dropFirst(asked) {
        let number = line.split(separator: "/")[1].split(separator: ".")[0]
        #expect(!recorded.contains(Int(number) ?? 0), "requested again: \(line)")
      }
      #expect(bench.names("prints/summer").count == 30)
      let ends = bench.journal.filter { $0.kind == "filtered" }.map(\.photo)
      #expect(ends.count == Set(ends).count, "nothing is filtered twice")
      #expect(bench.journal.filter { $0.kind == "accepted" }.count == 1)
      #expect(bench.names("state/originals").isEmpty)
      #expect(bench.copies == ["summer.plist"])
    }
  }

  @Test func `a stop does not wait for a transfer that hangs`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try await bench.drop([("One", bench.origin.url("/hang?gate=never"))], as: "slow.plist")
      await bench.origin.arrivals(at: "never")
      #expect(try await bench.stop(daemon).code == 0)
      await bench.origin.departures(at: "never")
      #expect(!bench.journal.contains { $0.kind == "failed" || $0.kind == "retry" })
    }
  }

  @Test func `an original that is lost from the state folder is downloaded again`()
    async throws
  {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(8)
      let photos = urls.enumerated().map { ("Photo \($0 + 1)", $1) }
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      try await bench.until("one is downloaded") {
        bench.journal.contains { $0.kind == "downloaded" }
      }
      await daemon.cut()
      for name in bench.names("state/originals/1") {
        try FileManager.default.removeItem(atPath: "\(bench.root)/state/originals/1/\(name)")
      }
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(bench.names("prints/summer").count == 8)
    }
  }
}

@Suite struct WorkerDeathTests {
  /// The living processes whose parent is `pid`.
  private func children(of pid: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { Self.state(of: $0)?.parent == pid }
  }

  /// Nil if the process is gone or a zombie.
  private static func state(of pid: Int32) -> (state: Substring, parent: Int32)? {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
      let end = stat.lastIndex(of: ")")
    else { return nil }
    let words = stat[end...].split(separator: " ").dropFirst()
    guard let state = words.first, state != "Z", let parent = words.dropFirst().first else {
      return nil
    }
    return (state, Int32(parent) ?? 0)
  }

  @Test func `crashed workers cost only time: photos are tried again, and the daemon stays`()
    async throws
  {
    try await DaemonBench.use { bench in
      // Large enough that a worker is busy for a while.
      let picture = SamplePictures.jpeg(width: 1500, height: 1000)
      for number in 1...60 { try bench.serve(picture, as: "\(number).jpg") }
      // All but the first ten photos wait at their gates, so that few pass before a worker is
      // killed, however seldom the test looks.
      let photos = (1...60).map { ("Photo \($0)", bench.origin.url("/\($0).jpg?gate=g\($0)")) }
      var open = 10
      for number in 1...open { await bench.origin.release("g\(number)") }
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      try await daemon.says("Filtered 'Photo")
      var killed: Int32 = 0
      var doneAtKill = 0
      // The death of an idle worker does not count, so more than three kills may be needed. A photo
      // whose worker died waits behind all others, so none meets a second death here, which would
      // fail it.
      try await bench.until("three workers die over a photo") {
        let journal = bench.journal
        if journal.filter({ $0.kind == "died" }).count >= 3 { return true }
        // Kills only after another photo is done: the worker is past its start, where a death
        // counts differently. No photo may die twice.
        let filtered = Set(journal.filter { $0.kind == "filtered" }.map(\.photo))
        let died = Set(journal.filter { $0.kind == "died" }.map(\.photo))
        let done = filtered.count
        if died.isSubset(of: filtered), done > doneAtKill,
          let worker = self.children(of: daemon.pid).first, killed != worker
        {
          (killed, doneAtKill) = (worker, done)
          kill(worker, SIGSEGV)
        }
        while open < min(done + 10, photos.count) {
          open += 1
          await bench.origin.release("g\(open)")
        }
        return false
      }
      for number in open...photos.count { await bench.origin.release("g\(number)") }
      #expect(daemon.isRunning)
      let end = try await bench.wait(for: "summer", daemon)
      let list = try await bench.show("summer")
      #expect(
        end.code == 0 && list.filtered == 60, "\(list.photos.filter { $0.state == "failed" })")
      let prints = Set(bench.names("prints/summer").map { bench.bytes("prints/summer/\($0)") })
      #expect(prints.count == 1, "the same picture is the same print")
      #expect(bench.origin.requests().count == 60, "nothing is downloaded again")
      #expect(bench.journal.filter { $0.kind == "died" }.count >= 3)
      try await bench.stop(daemon)
    }
  }

  @Test func `workers end when their daemon is killed`() async throws {
    try await DaemonBench.use { bench in
      let picture = SamplePictures.jpeg(width: 1500, height: 1000)
      try bench.serve(picture, as: "1.jpg")
      let photos = (1...30).map { ("Photo \($0)", bench.origin.url("/1.jpg?\($0)")) }
      let daemon = try await bench.start()
      try await bench.drop(photos, as: "summer.plist")
      try await bench.until("a worker works") { !self.children(of: daemon.pid).isEmpty }
      let workers = children(of: daemon.pid)
      await daemon.cut()
      try await bench.until("the workers are gone") {
        workers.allSatisfy { Self.state(of: $0) == nil }
      }
    }
  }
}
