// SPDX-License-Identifier: Apache-2.0
// Slow, dead and busy hosts, with real operations.

import Support
import Synchronization
import Testing
import Vocabulary

@testable import Chain

@Suite struct HostChainTests {
  private let refused = Failure(
    .passing, code: "connect.refused", reason: "a.example refused the connection")

  private func place(_ bench: Darkbench, _ list: UInt64, _ photos: UInt32, at host: String) {
    bench.books.notes.withLock { notes in
      for number in 1...photos { notes.hosts[PhotoID(list: ListID(list), number: number)] = host }
    }
  }

  @Test func `a host that hangs does not hold up the lists of other hosts`() async {
    let gate = Gate()
    let bench = Darkbench(
      widths: .init(download: 4, filter: 2, output: 4), hosts: HostLimits(most: 2),
      download: { work throws(Failure) in
        if work.photo.list == ListID(1) { try await gate.pass() }
      })
    place(bench, 1, 1000, at: "a.example")
    place(bench, 2, 30, at: "b.example")
    bench.add(1, photos: 1000)
    await gate.arrivals.reaches(2)
    bench.add(2, photos: 30)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 30)
    #expect(gate.arrivals.count == 2, "at most the limit of the host")
    await bench.cancel(ListID(1))
  }

  @Test func `while the proxy is away its photos wait, and those of other hosts go on`()
    async throws
  {
    let isAway = Mutex(true)
    let away = Failure(.machine, scope: .proxy, code: "proxy.unreachable", reason: "it is away")
    let bench = Darkbench(download: { work throws(Failure) in
      if work.photo.list == ListID(1), isAway.withLock({ $0 }) { throw away }
    })
    place(bench, 1, 50, at: "a.example:8080")
    place(bench, 2, 50, at: "photos.direct.example")
    bench.runner.route(
      by: ProxyRoute(
        try ProxyServer(parsing: "http://proxy.example:3128"),
        direct: [try HostPattern(parsing: "direct.example")]))
    bench.add(1, photos: 50)
    await bench.proxyTroubles.reaches(1)
    await bench.runner.idle()
    let asked = bench.downloads.count
    #expect(asked <= 4, "the window of the host")
    bench.add(2, photos: 50)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 50 && bench.downloads.count == asked + 50)
    #expect(bench.proxyRecoveries.count == 0, "an answer without the proxy says nothing about it")
    isAway.withLock { $0 = false }
    await finish(bench, lists: 2)
    #expect(bench.books.count(.filtered) == 100 && bench.books.count(.failed) == 0)
    #expect(bench.books.notes.withLock { $0.retries.isEmpty }, "no attempt is counted")
    #expect((bench.proxyTroubles.count, bench.proxyRecoveries.count) == (1, 1))
    #expect(bench.troubles.count == 0 && bench.hostNews.news.isEmpty)
  }

  @Test func `an administrator who flushes does not wait for the next attempt at the proxy`()
    async throws
  {
    let isAway = Mutex(true)
    let away = Failure(.machine, scope: .proxy, code: "proxy.unreachable", reason: "it is away")
    let bench = Darkbench(download: { _ throws(Failure) in
      if isAway.withLock({ $0 }) { throw away }
    })
    place(bench, 1, 5, at: "a.example")
    bench.runner.route(by: ProxyRoute(try ProxyServer(parsing: "http://proxy.example:3128")))
    bench.add(1, photos: 5)
    await bench.proxyTroubles.reaches(1)
    isAway.withLock { $0 = false }
    _ = bench.runner.flush(nil)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 5)
  }

  @Test func `the trouble of a proxy ends when another one, or none, takes its place`() async throws
  {
    let isAway = Mutex(true)
    let away = Failure(.machine, scope: .proxy, code: "proxy.unreachable", reason: "it is away")
    let bench = Darkbench(download: { _ throws(Failure) in
      if isAway.withLock({ $0 }) { throw away }
    })
    place(bench, 1, 5, at: "a.example")
    bench.runner.route(by: ProxyRoute(try ProxyServer(parsing: "http://proxy.example:3128")))
    bench.add(1, photos: 5)
    await bench.proxyTroubles.reaches(1)
    // No answer of the earlier one will tell.
    bench.runner.route(by: ProxyRoute())
    await bench.proxyRecoveries.reaches(1)
    isAway.withLock { $0 = false }
    await finish(bench, lists: 1)
    #expect(bench.books.count(.filtered) == 5)
  }

  @Test func `a request to be left alone is followed, and no attempt is counted`() async {
    let isBusy = Mutex(true)
    let bench = Darkbench(download: { _ throws(Failure) in
      if isBusy.withLock({ $0 }) {
        throw Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 60)
      }
    })
    place(bench, 1, 50, at: "a.example")
    bench.add(1, photos: 50)
    await bench.hostNews.told.reaches(1)
    await bench.runner.idle()
    let asked = bench.downloads.count
    #expect(asked <= 2, "the other photos never asked the host")
    bench.time.advance(by: .seconds(59))
    await bench.runner.idle()
    #expect(bench.downloads.count == asked)
    let retries = bench.books.notes.withLock { $0.retries }
    #expect(retries.allSatisfy { $0.attempt == 0 && $0.after <= .seconds(60) })
    isBusy.withLock { $0 = false }
    await finish(bench, lists: 1)
    #expect(bench.books.count(.filtered) == 50)
    #expect(bench.hostNews.news.count == 2, "one report of the closure, one of the recovery")
  }

  @Test(
    "a server to which one user's URLs lead closes their host for nobody",
    arguments: [
      Failure(.passing, code: "http.429", reason: "elsewhere answered 429", waitSeconds: 3600),
      Failure(.passing, code: "connect.refused", reason: "elsewhere refused the connection"),
    ])
  func redirected(_ failure: Failure) async {
    let bench = Darkbench(
      policy: RetryPolicy(attempts: 2), hosts: HostLimits(patience: .seconds(10)),
      download: { work throws(Failure) in
        if work.photo.list == ListID(1) { throw failure.at("elsewhere") }
      })
    place(bench, 1, 40, at: "a.example")
    place(bench, 2, 40, at: "a.example")
    bench.add(1, photos: 40)
    bench.add(2, photos: 40)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 40)
    #expect(bench.runner.closedHosts().allSatisfy { $0.name == "elsewhere" })
    await finish(bench, lists: 2)
    #expect(bench.books.count(.filtered) == 40 && bench.books.count(.failed) == 40)
    #expect(bench.hostNews.news.allSatisfy { $0.name == "elsewhere" })
    let failures = bench.books.notes.withLock { $0.failures }
    #expect(failures.values.allSatisfy { $0.reason.hasPrefix("elsewhere ") })
    #expect(bench.books.notes.withLock { $0.retries.allSatisfy { $0.after <= .seconds(10) } })
  }

  @Test func `a server behind a redirect is asked by some photos, then by one probe at a time`()
    async
  {
    let bench = Darkbench(download: { _ throws(Failure) in
      throw Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 600)
        .at("elsewhere")
    })
    place(bench, 1, 1000, at: "a.example")
    bench.add(1, photos: 1000)
    await bench.downloads.reaches(Admission.Line.mostLed)
    // Those that began before the last of them had failed end as well.
    while bench.books.notes.withLock({ $0.retries.count }) < bench.downloads.count {
      await Task.yield()
    }
    await bench.runner.idle()
    let asked = bench.downloads.count
    #expect(asked >= Admission.Line.mostLed && asked <= Admission.Line.mostLed + 2, "\(asked)")
    for wait in [599, 1] {
      #expect(bench.downloads.count == asked)
      bench.time.advance(by: .seconds(wait))
      await bench.runner.idle()
    }
    await bench.downloads.reaches(asked + 1)
    #expect(bench.books.notes.withLock { $0.retries.allSatisfy { $0.attempt == 0 } })
    await bench.cancel(ListID(1))
    #expect(bench.downloads.count == asked + 1)
  }

  @Test func `a photo that arrives from behind a redirect shows that the server there is well`()
    async
  {
    let away = Failure(
      .passing, code: "connect.refused", reason: "elsewhere refused the connection")
    let bench = Darkbench(download: { work throws(Failure) in
      if work.photo.list == ListID(1) { throw away.at("elsewhere") }
    })
    place(bench, 1, 2, at: "a.example")
    place(bench, 2, 1, at: "a.example")
    bench.books.notes.withLock { notes in
      notes.servers[PhotoID(list: ListID(2), number: 1)] = "elsewhere"
    }
    bench.add(1, photos: 2)
    await bench.downloads.reaches(2)
    await bench.runner.idle()
    #expect(bench.runner.closedHost("elsewhere", for: ListID(1)) != nil)
    bench.add(2, photos: 1)
    await bench.finishedLists.reaches(1)
    #expect(bench.runner.closedHost("elsewhere", for: ListID(1)) == nil)
    await bench.cancel(ListID(1))
  }

  @Test func `a photo that needs room behind a redirect waits for the server there`() async throws {
    let gate = Gate()
    let refused = refused
    let bench = Darkbench(
      hosts: HostLimits(most: 1),
      download: { work throws(Failure) in
        if work.photo.list == ListID(1) { throw refused.at("elsewhere") }
        try await gate.pass()
      })
    place(bench, 1, 1, at: "a.example")
    place(bench, 2, 1, at: "elsewhere")
    bench.add(1, photos: 1)
    await bench.downloads.reaches(1)
    await bench.runner.idle()
    bench.add(2, photos: 1)
    await gate.arrivals.reaches(1)
    if let next = bench.time.next { bench.time.advance(by: next) }
    let led = PhotoID(list: ListID(1), number: 1)
    #expect(
      try await Patience.sees {
        bench.runner.hostWait(of: led, at: "a.example") == .room("elsewhere")
      })
    gate.open()
    await bench.finishedLists.reaches(1)
    await bench.cancel(ListID(1))
  }

  @Test(
    "a host that asks for more than the patience costs its photos that patience, and says the time",
    arguments: [
      (3600, "at least 60 min"), (600, "10 min"), (90, "90 s"),
    ] as [(UInt32, String)])
  func impatience(_ seconds: UInt32, _ time: String) async {
    let bench = Darkbench(
      hosts: HostLimits(patience: .seconds(10)),
      download: { _ throws(Failure) in
        throw Failure(.passing, code: "http.503", reason: "it is busy", waitSeconds: seconds)
      })
    place(bench, 1, 50, at: "a.example")
    bench.add(1, photos: 50)
    let began = bench.time.uptime()
    await finish(bench, lists: 1)
    #expect(bench.books.count(.failed) == 50)
    #expect(bench.time.uptime() - began < .seconds(60))
    #expect(bench.downloads.count <= 4, "\(bench.downloads.count)")
    let failures = bench.books.notes.withLock { $0.failures.values.map { ($0.reason, $0.advice) } }
    let first = "it is busy; it asks for a wait of \(time)"
    #expect(failures.contains { $0 == (first, "HostPatience= under [Download] limits the wait") })
    #expect(failures.allSatisfy { $0.0.hasPrefix("it is busy") })
    #expect(failures.allSatisfy { $0.0.hasSuffix("; it asks for a wait of \(time)") })
  }

  @Test
  func `a list on a dead host ends with its failure, without a request for each photo`()
    async throws
  {
    let gate = Gate()
    let bench = Darkbench(
      hosts: HostLimits(patience: .seconds(300)),
      download: { [refused] work throws(Failure) in
        guard work.photo.number > 5 else { return }
        try await gate.pass()
        throw refused
      })
    place(bench, 1, 500, at: "a.example")
    bench.books.notes.withLock { notes in
      for number: UInt32 in 1...5 { notes.hosts[PhotoID(list: ListID(1), number: number)] = nil }
    }
    bench.add(1, photos: 500)
    try await open(gate, bench)
    await finish(bench, lists: 1)
    #expect(bench.books.count(.filtered) == 5 && bench.books.count(.failed) == 495)
    #expect(bench.downloads.count < 100, "\(bench.downloads.count)")
    let failures = bench.books.notes.withLock { $0.failures }
    #expect(failures.values.allSatisfy { $0.code == "connect.refused" })
    let words = failures.values.map(\.reason).filter { $0.contains(", for ") }
    #expect(words.count > 400)
    #expect(words.allSatisfy { $0.hasPrefix("a.example refused the connection, for ") })
    #expect(bench.runner.closedHosts().count <= 1)
  }

  @Test func `a flush resumes downloads at once, and a photo counts only its own attempts`()
    async throws
  {
    let isDown = Mutex(true)
    let gate = Gate()
    let bench = Darkbench(download: { [refused] _ throws(Failure) in
      try await gate.pass()
      if isDown.withLock({ $0 }) { throw refused }
    })
    place(bench, 1, 20, at: "a.example")
    bench.add(1, photos: 20)
    try await open(gate, bench)
    await bench.runner.idle()
    isDown.withLock { $0 = false }
    #expect(bench.runner.flush("b.example") == 0)
    #expect(bench.runner.flush(nil) == 1)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 20)
    let attempts = bench.books.notes.withLock { $0.retries.map(\.attempt) }
    #expect(attempts == [1, 1], "the second failure closes the host")
  }

  @Test(
    arguments: [
      Failure(.passing, code: "http.429", reason: "too many", waitSeconds: 1200),
      Failure(.passing, code: "size.short", reason: "it was cut"),
    ])
  func `a flush while a retry is recorded is for that retry as well`(_ failure: Failure) async {
    let fails = Mutex(true)
    let bench = Darkbench(download: { _ throws(Failure) in
      let isFirst = fails.withLock { fails in
        defer { fails = false }
        return fails
      }
      if isFirst { throw failure }
    })
    bench.books.duringRetry.withLock { act in
      act = {
        bench.time.advance(by: .milliseconds(1))
        _ = bench.runner.flush(nil)
      }
    }
    place(bench, 1, 1, at: "a.example")
    bench.add(1, photos: 1)
    // The clock stands still.
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 1)
    #expect(bench.books.notes.withLock { $0.retries.map(\.after) }.first ?? .zero > .zero)
  }

  @Test func `while downloads are suspended, downloaded photos still become prints`()
    async throws
  {
    let bench = Darkbench()
    place(bench, 1, 40, at: "a.example")
    bench.books.addList(ListID(1), photos: 40)
    try bench.books.record(
      (11...20).map {
        .downloaded(PhotoID(list: ListID(1), number: $0), Contents(size: 1, hash: 1))
      })
    bench.runner.suspendDownloads(true)
    bench.add(1, photos: 40)
    await bench.prints.reaches(10)
    await bench.runner.idle()
    #expect(bench.downloads.count == 0 && bench.time.pending == 0)
    bench.runner.suspendDownloads(false)
    await bench.finishedLists.reaches(1)
    #expect(bench.books.count(.filtered) == 40)
  }

  @Test func `pausing and resuming a list while its host is closed loses no photo`() async {
    let isDown = Mutex(true)
    let bench = Darkbench(download: { [refused] _ throws(Failure) in
      if isDown.withLock({ $0 }) { throw refused }
    })
    place(bench, 1, 30, at: "a.example")
    place(bench, 2, 30, at: "a.example")
    bench.add(1, photos: 30)
    bench.add(2, photos: 30)
    await bench.downloads.reaches(2)
    await bench.runner.idle()
    bench.runner.pause(ListID(1))
    isDown.withLock { $0 = false }
    await finish(bench, lists: 1)
    #expect(bench.books.notes.withLock { $0.finished } == [ListID(2)])
    bench.runner.resume(ListID(1))
    await finish(bench, lists: 2)
    #expect(bench.books.count(.filtered) == 60)
    await bench.runner.stop()
  }

  /// Opens the gate of the transfers once two are at it and others wait. A host at which nothing is in flight
  /// and for which nothing waits is forgotten, with its failures.
  private func open(_ gate: Gate, _ bench: Darkbench) async throws {
    await gate.arrivals.reaches(2)
    let tenth = PhotoID(list: ListID(1), number: 10)
    #expect(
      try await Patience.sees {
        bench.runner.hostWait(of: tenth, at: "a.example") == .room("a.example")
      })
    gate.open()
  }

  /// Advances the clock from one alarm to the next until this number of lists is finished.
  private func finish(_ bench: Darkbench, lists: Int) async {
    while bench.finishedLists.count < lists {
      await bench.runner.idle()
      if let next = bench.time.next { bench.time.advance(by: next) }
      await Task.yield()
    }
  }
}
