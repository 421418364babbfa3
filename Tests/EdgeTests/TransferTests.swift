// SPDX-License-Identifier: Apache-2.0
// The real loop against an origin that behaves, and one that does not: each behaviour has its
// outcome.

import Linux
import Support
import Testing
import Transfer
import Vocabulary

struct TransferTests {
  @Test func `A photo arrives as it was served, with one request`() async throws {
    let bench = try TransferBench()
    let reply = try await bench.fetch(url: bench.origin.url("/barn.jpg?size=large#top"))
    await bench.stop()
    #expect((reply.status, reply.size) == (200, 19))
    #expect(reply.isEndSure && reply.entity.total == 19)
    #expect(bench.fresh.bytes(of: "photo") == Array("a picture of a barn".utf8))
    #expect(bench.origin.requests() == ["GET /barn.jpg?size=large 200 19"])
  }

  /// One connection and one handle serve them all.
  @Test func `Each request is for its own URL, whatever was requested before`() async throws {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    let asked = [
      "/barn.jpg", "/barn.jpg?a=b", "/barn.jpg", "/./x/../barn.jpg?c=/./d", "/barn.jpg?e=%2F",
      "/barn%2Ejpg", "/barn.jpg?", "/404/a", "/barn.jpg?f",
    ]
    for path in asked { _ = await bench.failure(bench.origin.url(path)) }
    for host in ["localhost", "127.0.0.1"] {
      _ = try await bench.fetch(url: bench.origin.url("/barn.jpg?host=\(host)", host: host))
    }
    await bench.stop()
    let paths = bench.origin.requests().map { $0.split(separator: " ")[1] }
    let expected = asked.map { $0.replacing("/./x/..", with: "") }
    #expect(paths.prefix(asked.count).map(String.init) == expected)
    #expect(paths.suffix(2) == ["/barn.jpg?host=localhost", "/barn.jpg?host=127.0.0.1"])
  }

  @Test func `Another port of the same host is another origin`() async throws {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    let other = try TransferBench()
    for place in [bench, other, bench] {
      _ = try await bench.fetch(url: place.origin.url("/barn.jpg?x"))
    }
    await bench.stop()
    await other.stop()
    #expect(other.origin.requests().count == 1)
    #expect(bench.origin.requests().count == 2)
  }

  /// The first transfer keeps the one connection until all others wait for it, so that it is never
  /// closed as idle, however long the test is delayed.
  @Test func `A request that a kept connection leaves unanswered is sent again`()
    async throws
  {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    let paths = [
      "/slow?gate=g&size=40", "/closed-once?key=a", "/bytes?size=7", "/closed-once?key=b",
    ]
    let endings = try bench.loop.begin(paths.map { bench.origin.url($0) }, in: bench.fresh)
    await bench.origin.release("g")
    for await ending in endings { _ = try ending.get() }
    await bench.stop()
    let asked = bench.origin.requests().map { String($0.split(separator: " ")[1]) }
    #expect(asked == [paths[0], paths[1], paths[1], paths[2], paths[3], paths[3]])
  }

  @Test(
    "Each misbehaviour of an origin has a kind, a code and words",
    arguments: [
      ("/404", .final, "http.404", "answered 404 Not Found"),
      ("/410", .final, "http.410", "answered 410 Gone"),
      ("/401", .final, "http.401", "answered 401 Unauthorized"),
      ("/403", .final, "http.403", "answered 403 Forbidden"),
      ("/418", .final, "http.418", "answered 418"),
      ("/304", .final, "http.304", "answered 304 Not Modified"),
      ("/206", .final, "http.206", "answered 206 Partial Content to a request for the whole file"),
      ("/408", .passing, "http.408", "answered 408 Request Timeout"),
      ("/425", .passing, "http.425", "answered 425 Too Early"),
      ("/500", .passing, "http.500", "answered 500 Internal Server Error"),
      ("/501", .final, "http.501", "answered 501 Not Implemented"),
      ("/502", .passing, "http.502", "answered 502 Bad Gateway"),
      ("/504", .passing, "http.504", "answered 504 Gateway Timeout"),
      ("/522", .passing, "http.522", "answered 522"),
      ("/short", .passing, "size.short", "ended after 300 of 1000 bytes"),
      ("/reset", .passing, "connect.reset", "broke"),
      ("/closed", .passing, "connect.closed", "closed the connection without an answer"),
      ("/chunk-cut", .passing, "size.short", "ended after 5 bytes"),
      ("/header-flood", .final, "header.limit", "is too long"),
      ("/header-long", .final, "header.limit", "is too long"),
      ("/continue-flood", .final, "header.limit", "is too long"),
      ("/endless", .final, "size.limit", "more than 1048576 bytes"),
      ("/endless-chunked", .final, "size.limit", "more than 1048576 bytes"),
      ("/bytes?size=1048577", .final, "size.limit", "more than 1048576 bytes"),
      ("/loop", .final, "redirect.limit", "redirects more than 5 times"),
      ("/redirect-nowhere", .final, "http.302", "answered 302 Found without a location"),
      ("/redirect?to=file:///etc/passwd", .final, "redirect.refused", "to a local file"),
      ("/redirect?to=ftp://example.org/", .final, "redirect.refused", "the scheme 'ftp'"),
      ("/redirect?to=gopher://example.org/", .final, "redirect.refused", "the scheme 'gopher'"),
      ("/redirect?to=http://a:secret@b/", .final, "redirect.refused", "a user name"),
    ] as [(String, Failure.Kind, String, String)])
  func misbehaviour(_ path: String, _ kind: Failure.Kind, _ code: String, _ words: String)
    async throws
  {
    let bench = try TransferBench()
    let failure = try #require(await bench.failure(bench.origin.url(path)))
    #expect(try await bench.closesFiles())
    await bench.stop()
    #expect(failure.kind == kind)
    #expect(failure.code == code)
    #expect(failure.reason.contains(words), "\(failure.reason)")
    #expect(failure.reason.contains("127.0.0.1:\(bench.origin.port)"))
    #expect(!failure.reason.contains("secret"))
  }

  @Test(
    "An answer that is unusual but whole is taken",
    arguments: [
      ("/empty", 200, 0), ("/204", 204, 0), ("/no-length?size=5000", 200, 5000),
      ("/long", 200, 3), ("/bytes?size=1048576", 200, 1_048_576), ("/html", 200, 50),
      ("/redirect?to=/barn.jpg", 200, 19), ("/redirect?to=barn.jpg&status=308", 200, 19),
      ("/redirect?to=/redirect?to=/redirect?to=/barn.jpg", 200, 19),
    ])
  func unusual(_ path: String, _ status: Int, _ size: Int) async throws {
    let bench = try TransferBench()
    let reply = try await bench.fetch(url: bench.origin.url(path))
    await bench.stop()
    #expect(reply.status == status)
    #expect(reply.size == UInt64(size))
    #expect(bench.fresh.bytes(of: "photo")?.count == size)
  }

  @Test func `The body of a redirect leaves no bytes in the photo`()
    async throws
  {
    let bench = try TransferBench()
    let target = bench.origin.url("/barn.jpg")
    _ = try await bench.fetch(url: bench.origin.url("/redirect?to=\(target)"))
    await bench.stop()
    #expect(bench.fresh.bytes(of: "photo") == Array("a picture of a barn".utf8))
    #expect(bench.origin.requests().count == 2)
  }

  @Test(
    "The time of Retry-After is passed on, up to an hour",
    arguments: [
      ("/429", "http.429", 7), ("/503?after=120", "http.503", 120),
      ("/503?after=1000000000", "http.503", 3600), ("/503?after=soon", "http.503", nil),
      ("/503?after=0", "http.503", 1), ("/429?after=99999999999999999999", "http.429", 3600),
      ("/503?after=Fri,%2001%20Jan%202100%2000:00:00%20GMT", "http.503", 3600),
      ("/503?after=", "http.503", nil), ("/503?after=7%20apples", "http.503", 7),
      ("/503?after=Thu,%2001%20Jan%201970%2000:00:00%20GMT", "http.503", 1),
      ("/429?after=-5", "http.429", nil),
    ] as [(String, String, UInt32?)])
  func waits(_ path: String, _ code: String, _ seconds: UInt32?) async throws {
    let bench = try TransferBench()
    let failure = await bench.failure(bench.origin.url(path))
    await bench.stop()
    #expect(failure?.code == code)
    #expect(failure?.kind == .passing)
    #expect(failure?.waitSeconds == seconds)
  }

  @Test func `An origin that fails at first and then answers is believed`() async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/500-then-ok?key=a")
    #expect(await bench.failure(url)?.code == "http.500")
    #expect(try await bench.fetch(url: url).size == 7)
    await bench.stop()
    #expect(bench.fresh.bytes(of: "photo") == Array("a photo".utf8))
  }

  @Test func `An origin that never answers is given up after the time-out`() async throws {
    let bench = try TransferBench()
    let failure = await bench.failure(
      bench.origin.url("/hang?gate=never"), timeout: .milliseconds(300))
    await bench.stop()
    #expect(failure?.code == "time.out")
    #expect(failure?.kind == .passing)
  }

  @Test func `An origin that stops in the middle is given up before the time-out`() async throws {
    let bench = try TransferBench(TransferBench.loopback { $0.slowestTime = .seconds(1) })
    let failure = await bench.failure(bench.origin.url("/slow?gate=never"), timeout: .seconds(600))
    await bench.stop()
    #expect(failure?.code == "time.slow")
  }

  @Test func `a transfer names its last server, before a redirect or after it`() async throws {
    let bench = try TransferBench()
    let host = "127.0.0.1:\(bench.origin.port)"
    let other = try TransferBench(address: "127.0.0.2", name: "other")
    var target = "http://127.0.0.2:\(other.origin.port)/429"
    let asked = await bench.failure(bench.origin.url("/429"))
    let led = await bench.failure(bench.origin.url("/redirect?to=\(target)"))
    target = "http://127.0.0.2:\(other.origin.port)/404"
    let gone = await bench.failure(bench.origin.url("/redirect?to=\(target)"))
    target = "http://127.0.0.2:\(other.origin.port)/barn.jpg"
    let reply = try await bench.fetch(url: bench.origin.url("/redirect?to=\(target)"))
    await other.stop()
    target = "http://127.0.0.2:1/"
    let refused = await bench.failure(bench.origin.url("/redirect?to=\(target)"))
    let back = await bench.failure(bench.origin.url("/redirect?to=/redirect?to=/503"))
    await bench.stop()
    #expect(asked?.server == host && back?.server == host)
    #expect(led?.server == "127.0.0.2:\(other.origin.port)" && led?.waitSeconds == 7)
    #expect(gone?.kind == .final && gone?.server == led?.server && reply.server == led?.server)
    #expect(refused?.code == "connect.refused" && refused?.server == "127.0.0.2:1")
  }

  @Test func `Redirects share the time-out of their transfer`() async throws {
    let bench = try TransferBench()
    let failure = await bench.failure(
      bench.origin.url("/redirect?to=/hang?gate=never"), timeout: .milliseconds(300))
    await bench.stop()
    #expect(failure?.code == "time.out")
  }

  @Test func `a server to which another one redirects is not blamed for the time of both`()
    async throws
  {
    let bench = try TransferBench()
    let other = try TransferBench(address: "127.0.0.2", name: "other")
    var failures: [Failure?] = []
    for host in ["", "http://127.0.0.2:\(other.origin.port)"] {
      let url = bench.origin.url("/redirect?to=\(host)/hang?gate=never")
      failures.append(await bench.failure(url, timeout: .milliseconds(300)))
    }
    await other.stop()
    await bench.stop()
    #expect(failures.map { $0?.code } == ["time.out", "time.out"])
    #expect(failures.map { $0?.server } == ["127.0.0.1:\(bench.origin.port)", nil])
  }

  @Test func `A port without a listener refuses the connection`() async throws {
    let loop = try TransferLoop(TransferBench.loopback())
    let failure = await #expect(throws: Failure.self) {
      try await loop.fetch(
        TransferRequest(
          url: "http://127.0.0.1:1/a.jpg?token=secret", maximumSize: 10, timeout: .seconds(9),
          connectTimeout: .seconds(9), priority: .default), into: FullFile(code: 28))
    }
    await loop.stop()
    #expect(failure?.code == "connect.refused")
    #expect(failure?.kind == .passing)
    #expect(failure?.reason == "127.0.0.1:1 refused the connection")
  }

  @Test(
    "A write that fails is trouble of this machine, not of the photo",
    arguments: [
      (28, "disk.full"), (122, "disk.full"), (2, "system.2"), (5, "system.5"), (13, "system.13"),
      (27, "system.27"), (30, "system.30"), (116, "system.116"),
    ])
  func fullDisk(_ errorNumber: Int32, _ code: String) async throws {
    let bench = try TransferBench()
    let failure = await #expect(throws: Failure.self) {
      try await bench.fetch(url: bench.origin.url("/barn.jpg"), into: FullFile(code: errorNumber))
    }
    await bench.stop()
    #expect(failure?.code == code)
    #expect(failure?.kind == .machine)
  }

  @Test(
    "A URL that is not for the network never reaches it",
    arguments: [("file:///etc/passwd", "url.scheme"), ("http://a:b@c/", "url.credentials")])
  func unfit(_ url: String, _ code: String) async throws {
    let loop = try TransferLoop(TransferBench.loopback())
    let failure = await #expect(throws: Failure.self) {
      try await loop.fetch(
        TransferRequest(
          url: url, maximumSize: 10, timeout: .seconds(9), connectTimeout: .seconds(9),
          priority: .default), into: FullFile(code: 28))
    }
    await loop.stop()
    #expect(failure?.code == code)
  }
}

/// A file that refuses every write.
final class FullFile: OpenFile {
  private let code: Int32

  init(code: Int32) { self.code = code }

  private var error: SystemError { SystemError(code: code, call: "pwrite", thing: "a full file") }

  var descriptor: Int32 { -1 }
  func status() throws(SystemError) -> FileStatus { throw error }
  func read(at offset: UInt64, upTo count: Int) throws(SystemError) -> [UInt8] { [] }
  func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) { throw error }
  func truncate(to size: UInt64) throws(SystemError) {}
  func reserve(_ size: UInt64) throws(SystemError) {}
  func sync() throws(SystemError) {}
}
