// SPDX-License-Identifier: Apache-2.0
// The rest of a photo that was cut off: requested only with a strong validator, and believed only if it is
// the requested part. With any other answer the file ends whole or holds only right bytes.

import Linux
import Support
import Testing
import Vocabulary

@testable import Transfer

struct TransferRangeTests {
  /// An attempt that is cut off, and the next one, as the Download stage requests them.
  private struct Pair {
    let bench: TransferBench
    let url: String
    let first: EntityFacts?
    let length: UInt64

    init(_ query: String, _ settings: TransferSettings? = nil) async throws {
      let bench = try TransferBench(settings)
      self.bench = bench
      url = bench.origin.url("/entity?key=k&\(query)")
      let sink = FileSink(try bench.fresh.folder.open(FileName(literal: "photo"), .ensure))
      _ = try? await bench.loop.fetch(Self.request(url, .whole), into: sink)
      first = sink.beginnings.last?.entity
      length = UInt64(bench.fresh.bytes(of: "photo")?.count ?? 0)
    }

    static func request(
      _ url: String, _ scope: TransferScope, timeout: Duration = .seconds(600)
    ) throws(Failure) -> TransferRequest {
      try TransferRequest(
        url: url, maximumSize: 1 << 20, timeout: timeout, connectTimeout: .seconds(120),
        priority: .default, scope: scope)
    }

    func again() async throws -> (reply: TransferReply, starts: [UInt64]) {
      let entity = try #require(first)
      let sink = FileSink(try bench.fresh.folder.open(FileName(literal: "photo"), .write))
      let reply = try await bench.loop.fetch(
        Self.request(url, .rest(of: entity, from: length)), into: sink)
      return (reply, sink.beginnings.map(\.offset))
    }

    static func pattern(_ size: Int, seed: Int = 0) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: ($0 * 2_654_435_761 + seed) >> 7) }
    }

    var bytes: [UInt8]? { bench.fresh.bytes(of: "photo") }
    var lastRequest: String { bench.origin.requests().last ?? "" }
  }

  static let date = "Tue,%2018%20Nov%202025%2008:00:00%20GMT"

  @Test(
    "the rest is requested with the origin's validator, and joined",
    arguments: [
      ("size=1000", "range=bytes=500- if-range=\"v1\""),
      ("size=1000&cut=1", "range=bytes=1- if-range=\"v1\""),
      ("size=100000&cut=99999", "range=bytes=99999- if-range=\"v1\""),
      ("size=1000&tag=&date=\(date)", "range=bytes=500- if-range=Tue, 18 Nov 2025 08:00:00 GMT"),
      ("size=1000&date=\(date)", "range=bytes=500- if-range=\"v1\""),
      ("size=1000&length=none", "range=bytes=500- if-range=\"v1\""),
    ])
  func resumed(_ query: String, _ headers: String) async throws {
    let pair = try await Pair(query)
    let (reply, starts) = try await pair.again()
    await pair.bench.stop()
    let size = try #require(Int(query.split(separator: "&")[0].dropFirst(5)))
    #expect((reply.status, reply.size) == (206, UInt64(size)))
    #expect(reply.entity.total == UInt64(size) && reply.isEndSure)
    #expect(starts == [pair.length])
    #expect(pair.bytes == Pair.pattern(size))
    #expect(pair.lastRequest.hasSuffix(headers))
    #expect(pair.bench.origin.requests().count == 2)
  }

  @Test(
    "without a strong validator the rest is not requested",
    arguments: ["tag=W/%22v1%22", "tag=", "tag=bare", "tag=W/%22v1%22&date=\(date)"])
  func weak(_ query: String) async throws {
    let pair = try await Pair("size=1000&\(query)")
    #expect(pair.first?.strongValidator == nil)
    let (reply, starts) = try await pair.again()
    await pair.bench.stop()
    #expect((reply.status, reply.size) == (200, 1000))
    #expect(starts == [0])
    #expect(pair.bytes == Pair.pattern(1000))
    #expect(!pair.lastRequest.contains("range="))
  }

  @Test(
    "an origin that does not send the rest is asked for the whole in the same transfer",
    arguments: [
      ("ignored", 2), ("untagged", 3), ("other-tag", 3), ("other-start", 3), ("from-zero", 3),
      ("shrunk", 3), ("grown", 3), ("no-total", 3), ("no-range", 3), ("bad-range", 3),
      ("wrong-length", 3), ("multipart", 3), ("416-other", 3), ("416-bare", 3), ("416-always", 3),
      ("304", 3), ("packed", 3), ("garbled", 3), ("too-big", 3),
      // It announced another size before.
      ("416", 3),
    ])
  func startedOver(_ how: String, _ requests: Int) async throws {
    let pair = try await Pair("size=1000&then=\(how)")
    let (reply, starts) = try await pair.again()
    await pair.bench.stop()
    #expect((reply.status, reply.size) == (200, 1000))
    #expect(starts == [0], "no answer begins before it is judged")
    #expect(pair.bytes == Pair.pattern(1000))
    #expect(pair.bench.origin.requests().count == requests)
    if requests == 3 { #expect(!pair.lastRequest.contains("range=")) }
  }

  @Test func `the rest is joined although the origin names no coding as its coding`() async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/cached?size=1000&tag=%22v1%22&coding=aws-chunked")
    let first = try await bench.fetch(url: url)
    try bench.fresh.write(Array(Pair.pattern(1000).prefix(500)), to: "rest")
    let sink = FileSink(try bench.fresh.folder.open(FileName(literal: "rest"), .write))
    let reply = try await bench.loop.fetch(
      Pair.request(url, .rest(of: first.entity, from: 500)), into: sink)
    await bench.stop()
    #expect((reply.status, reply.size) == (206, 1000))
    #expect(sink.beginnings.map(\.offset) == [500])
    #expect(bench.fresh.bytes(of: "rest") == Pair.pattern(1000))
    let asked = bench.origin.requests().map { $0.contains("range=bytes=500- if-range=\"v1\"") }
    #expect(asked == [false, true])
  }

  @Test(arguments: ["gzip", "deflate"])
  func `the rest of a coded photo is not requested`(coding: String) async throws {
    let bench = try TransferBench()
    let sink = FileSink(try bench.fresh.open("photo"))
    let url = bench.origin.url("/coded?with=\(coding)&then=cut")
    let failure = await #expect(throws: Failure.self) {
      try await bench.loop.fetch(Pair.request(url, .whole), into: sink)
    }
    await bench.stop()
    #expect(failure?.code == "size.short")
    #expect(sink.beginnings.map(\.entity).allSatisfy { !$0.isRecognizable && $0.total == nil })
  }

  @Test func `a photo that has changed meanwhile comes whole, without old bytes`() async throws {
    let pair = try await Pair("size=1000&then=changed")
    let (reply, _) = try await pair.again()
    await pair.bench.stop()
    #expect((reply.status, reply.size, reply.entity.etag) == (200, 1007, "\"v2\""))
    #expect(pair.bytes == Pair.pattern(1007, seed: 99991))
  }

  @Test func `a 416 with the size of our file means that the file is whole`()
    async throws
  {
    let pair = try await Pair("size=1000&length=none&then=416")
    let (reply, _) = try await pair.again()
    await pair.bench.stop()
    #expect(reply.size == pair.length)
    #expect(pair.bytes == Pair.pattern(500))
    #expect(pair.lastRequest.contains("range=bytes=500-"))
  }

  @Test(
    "a failure in the middle of the rest leaves only right bytes",
    arguments: [
      ("in-pieces", "size.short", 600), ("cut", "size.short", 510),
      ("404", "http.404", 500),
      ("503", "http.503", 500),
    ])
  func broken(_ how: String, _ code: String, _ left: Int) async throws {
    let pair = try await Pair("size=1000&then=\(how)")
    let failure = await #expect(throws: Failure.self) { try await pair.again() }
    #expect(try await pair.bench.closesFiles())
    await pair.bench.stop()
    #expect(failure?.code == code)
    #expect(pair.bytes == Pair.pattern(left))
    if code == "size.short" {
      #expect(failure?.reason.hasSuffix("after \(left) of 1000 bytes") == true)
    }
  }

  @Test func `a validator is sent only to the place that gave it`() async throws {
    let bench = try TransferBench()
    let entity = EntityFacts(
      etag: "\"v1\"", total: 1000, place: "http://127.0.0.1:\(bench.origin.port)/elsewhere")
    let url = bench.origin.url("/redirect?to=/entity?key=a%26size=1000")
    let file = try bench.fresh.folder.open(FileName(literal: "photo"), .create)
    for scope in [TransferScope.rest(of: entity, from: 500), .change(since: entity)] {
      _ = try? await bench.loop.fetch(Pair.request(url, scope), into: file)
    }
    await bench.stop()
    #expect(bench.origin.requests().count == 4)
    #expect(!bench.origin.requests().contains { $0.contains("range=") || $0.contains("if-") })
  }

  @Test(
    "the query is part of the place: another query may be another photo",
    arguments: ["tag=%22v1%22", "tag=W/%22v1%22", "date=\(date)"])
  func otherQuery(_ query: String) async throws {
    let bench = try TransferBench()
    let first = try await bench.fetch(url: bench.origin.url("/cached?\(query)&id=17"))
    var replies: [Int] = []
    let to = query.replacing("%", with: "%25")
    for url in ["/cached?\(query)&id=3", "/redirect?to=/cached?\(to)%26id=3"] {
      for scope in [TransferScope.change(since: first.entity), .rest(of: first.entity, from: 500)] {
        let file = try bench.fresh.folder.open(FileName(literal: "photo"), .ensure)
        let request = try Pair.request(bench.origin.url(url), scope)
        replies.append(try await bench.loop.fetch(request, into: file).status)
      }
    }
    await bench.stop()
    #expect(replies == [200, 200, 200, 200])
    #expect(bench.origin.requests().contains { $0.contains("id=3 200 1000") })
    #expect(!bench.origin.requests().contains { $0.contains("range=") || $0.contains("if-") })
  }

  @Test(
    "no-store is understood, in whichever header line it stands",
    arguments: [
      ("", true), ("max-age=0", true), ("no-store", false), ("no-store%7Cmax-age=0", false),
      ("max-age=0%7Cprivate,%20No-Store", false), ("private%7Cmax-age=0", true),
    ])
  func control(_ lines: String, _ mayBeKept: Bool) async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/cached?tag=%22v1%22&control=\(lines)")
    let reply = try await bench.fetch(url: url)
    await bench.stop()
    #expect(reply.entity.mayBeKept == mayBeKept)
  }

  @Test(
    "an unchanged photo is not sent again",
    arguments: [
      ("tag=%22v1%22", "if-none-match=\"v1\""), ("tag=W/%22v1%22", "if-none-match=W/\"v1\""),
      ("date=\(date)", "if-modified-since=Tue, 18 Nov 2025 08:00:00 GMT"),
    ])
  func unchanged(_ query: String, _ header: String) async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/cached?\(query)")
    let first = try await bench.fetch(url: url)
    let second = try await bench.loop.fetch(
      Pair.request(url, .change(since: first.entity)),
      into: bench.fresh.folder.open(FileName(literal: "second"), .create))
    await bench.stop()
    #expect((first.status, first.size, second.status, second.size) == (200, 1000, 304, 0))
    #expect(bench.origin.requests().last?.contains(" 304 0 \(header)") == true)
  }

  @Test(
    "a Content-Range is read strictly",
    arguments: [
      ("bytes 5-9/10", 5...9, 10), ("bytes 0-0/1", 0...0, 1), ("BYTES 5-9/*", 5...9, nil),
      ("bytes */10", nil, 10),
    ] as [(String, ClosedRange<UInt64>?, UInt64?)])
  func read(_ text: String, _ part: ClosedRange<UInt64>?, _ total: UInt64?) {
    let range = ContentRange(text)
    #expect(range?.part == part && range?.total == total && range != nil)
  }

  @Test(
    "text that is not a Content-Range is not read",
    arguments: [
      "", "bytes", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes -5/10", "bytes 5-/10",
      "items 5-9/10", "bytes 5-9/ten", "bytes +5-9/10", "bytes 5-9/10/11", "bytes 5-9/10 and more",
      "bytes 5-9/99999999999999999999", "bytes=5-9/10", "bytes */*",
    ])
  func unread(_ text: String) { #expect(ContentRange(text) == nil) }

  @Test(
    "a date is strong if it is at least a minute older than the answer",
    arguments: [
      ("Tue, 18 Nov 2025 08:00:00 GMT", "Tue, 18 Nov 2025 08:01:00 GMT", true),
      ("Tue, 18 Nov 2025 08:00:00 GMT", "Tue, 18 Nov 2025 08:00:59 GMT", false),
      ("Tue, 18 Nov 2025 08:00:00 GMT", "Tue, 18 Nov 2025 07:00:00 GMT", false),
      ("Tuesday, 18-Nov-25 08:00:00 GMT", "Tue Nov 18 09:00:00 2025", true),
      ("yesterday", "Tue, 18 Nov 2025 08:01:00 GMT", false),
      ("Tue, 18 Nov 2025 08:00:00 GMT", "", false),
    ])
  func dates(_ modified: String, _ sent: String, _ isStrong: Bool) {
    #expect(HTTPDate.isStrong(modified, sent: sent) == isStrong)
  }
}
