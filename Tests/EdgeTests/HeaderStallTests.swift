// SPDX-License-Identifier: Apache-2.0
// No header of an answer stops the thread of all transfers: processor time of the thread that reads it, with the head as
// long as it may be.

import Support
import Testing
import Vocabulary

@testable import Transfer

@Suite struct HeaderStallTests {
  private static let most = Duration.milliseconds(50)
  /// Of all lines of a name, within the limit of the head.
  private static let size = 60_000

  private static let names = [
    "Content-Encoding", "Content-Type", "Cache-Control", "ETag", "Last-Modified", "Date",
    "Content-Range", "Retry-After", "Transfer-Encoding", "Location", "Proxy-Status",
    "X-Squid-Error", "x-amz-bucket-region",
  ]

  /// The time that our code takes on an answer with these headers: libcurl's own work has been done before.
  private static func cost(_ path: String, of origin: String, part: Bool) throws -> Duration {
    let handle = try #require(EasyHandle())
    handle.ask(for: try PhotoURL(parsing: origin + path))
    // libcurl refuses a coding of transfers that it does not know; our reader is asked all the same.
    let result = handle.perform()
    let known = EntityFacts(etag: "\"a\"", total: 100)
    let request = try TransferRequest(
      url: origin + "/", maximumSize: 1000, timeout: .seconds(60), connectTimeout: .seconds(60),
      priority: .default, scope: part ? .rest(of: known, from: 10) : .whole)
    let job = TransferJob(
      ticket: 1, request: request, sink: SlowSink(room: 1000), goOn: {}, whenOver: { _ in })
    return try ProcessorTime.cost {
      let transfer = ActiveTransfer(job, TransferTerms(try TransferBench.loopback()))
      try transfer.prepare(handle, TransferTerms(try TransferBench.loopback()))
      _ = transfer.takeBody([1])
      let ending = transfer.ending(result)
      _ = ending.location
      _ = ProxyFacts(handle, nil, result, isTunnel: false)
    }
  }

  @Test func `after many short pieces of a body the transfer makes way`() throws {
    let goOns = EventBoard(0)
    let request = try TransferRequest(
      url: "http://127.0.0.1/", maximumSize: 1 << 20, timeout: .seconds(60),
      connectTimeout: .seconds(60), priority: .default)
    let job = TransferJob(
      ticket: 1, request: request, sink: SlowSink(room: 1 << 20),
      goOn: { goOns.change { $0 += 1 } }, whenOver: { _ in })
    let terms = TransferTerms(try TransferBench.loopback())
    let transfer = ActiveTransfer(job, terms)
    try transfer.prepare(try #require(EasyHandle()), terms)
    func taken(_ size: Int) -> Int {
      var count = 0
      while count < 1000, case .taken = transfer.takeBody([UInt8](repeating: 7, count: size)) {
        count += 1
      }
      return count
    }
    // A server that sends a byte a turn takes no time from other transfers, and is not too slow for its own limit
    // because of pauses.
    for _ in 0..<300 {
      terms.turns.next()
      guard case .taken = transfer.takeBody([7]) else {
        Issue.record("it makes way")
        return
      }
    }
    terms.turns.next()
    #expect(taken(1) == 256 && transfer.isPaused && goOns.value == 1)
    _ = transfer.goOn()
    #expect(!transfer.isPaused && taken(1023) == 256 && goOns.value == 2)
    _ = transfer.goOn()
    // The limit of the size comes first.
    #expect(taken(1024) == 767 && !transfer.isPaused && goOns.value == 2)
  }

  @Test(arguments: HostileText.all)
  func `reading any header of an answer costs little`(filler: HostileText) async throws {
    let bench = try TransferBench()
    let origin = bench.origin.url("")
    let fill = filler.bytes(61).dropFirst().map { String(hex: $0) }.joined()
    try await onOwnThread {
      for name in Self.names {
        for lines in [1, 1000] {
          let path =
            "/fields?name=\(name)&fill=\(fill)&size=\(Self.size / lines)&lines=\(lines)"
          let cost = try Self.cost(path, of: origin, part: name == "Content-Range")
          #expect(cost < Self.most, "\(filler) in \(lines) lines of \(name): \(cost)")
        }
      }
    }
    await bench.stop()
  }

  @Test(arguments: [
    ("gzip", true), (" GZIP ,x", true), ("utf-8", false), ("gzip\u{301}", false), ("", false),
    (String(repeating: "g", count: 65), false), ("identity, \u{1D160}, br", true),
  ])
  func `a coding has a known name in ASCII`(value: String, isReal: Bool) {
    let coding = ContentCoding([value])
    #expect(coding.isReal == isReal && ContentCoding([coding.text]) == coding)
  }

  @Test(
    arguments: [
      (["gzip"], .gzip), (["identity, X-GZIP"], .gzip), (["deflate", ""], .deflate),
      (["gzip", "gzip"], nil), (["gzip, br"], nil), (["zstd"], nil), (["aws-chunked, gzip"], nil),
      (["identity"], nil), ([], nil),
    ] as [([String], ContentCoding.Packing?)])
  func `gzip or deflate alone is decoded`(values: [String], packing: ContentCoding.Packing?) {
    #expect(ContentCoding(values).packing == packing)
  }

  @Test func `a store's document with hostile names is read quickly`() {
    for filler in HostileText.all {
      let name = filler.text(60_000).filter { $0 != "[" && $0 != " " && $0 != "*" && $0 != "\\" }
      let document = Array("<a><\(name)>x</\(name)><Key>k</Key></a>".utf8)
      let cost = ProcessorTime.cost { _ = StoreDocument.keys(document) }
      #expect(cost < Self.most, "\(filler): \(cost)")
    }
  }
}
