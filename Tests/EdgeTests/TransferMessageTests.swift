// SPDX-License-Identifier: Apache-2.0
// Messages that are posted: the request, and the answers that take it.

import Linux
import Support
import Testing
import Transfer
import Vocabulary

@Suite struct TransferMessageTests {
  private static let message = #"{"event":"finished","list":17}"#

  private func post(
    _ path: String, _ bench: TransferBench, _ message: String? = message,
    timeout: Duration = .seconds(600)
  ) async throws -> Failure? {
    let request = TransferRequest(
      url: try PhotoURL(parsing: bench.origin.url(path)), maximumSize: .max, timeout: timeout,
      connectTimeout: .seconds(120), priority: .background, message: message)
    do {
      _ = try await bench.loop.fetch(request, into: bench.fresh.open("photo"))
      return nil
    } catch { return error as? Failure }
  }

  @Test func `a message is posted as it is, and the next request on the handle asks again`()
    async throws
  {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    // Above the size for which libcurl would ask for leave.
    let long = #"{"a":"\#(String(repeating: "x", count: 2 << 20))"}"#
    #expect(try await post("/answer?status=200", bench) == nil)
    #expect(try await post("/answer?status=200", bench, long) == nil)
    #expect(try await post("/barn.jpg", bench, nil) == nil)
    #expect(try await post("/204", bench) == nil)
    await bench.stop()
    let requests = bench.origin.requests()
    #expect(requests.count == 4)
    #expect(requests[0] == "POST /answer?status=200 200 19 application/json \(Self.message)")
    #expect(requests[1] == "POST /answer?status=200 200 19 application/json \(long)")
    #expect(requests[2] == "GET /barn.jpg 200 19")
    #expect(requests[3] == "POST /204 204 0 application/json \(Self.message)")
  }

  @Test(
    arguments: [
      "/answer?status=201", "/answer?status=202", "/answer?status=206", "/204", "/empty",
      "/endless", "/short", "/long", "/reset", "/coded?with=none&as=gzip", "/encoded?as=x",
      "/no-length",
    ])
  func `any answer from 200 to 299 takes it, whatever its body is`(path: String) async throws {
    let bench = try TransferBench()
    #expect(try await post(path, bench) == nil)
    await bench.stop()
    #expect(bench.origin.requests().count == 1)
    #expect(bench.fresh.bytes(of: "photo") == [], "no byte of the answer is kept")
  }

  @Test(
    arguments: [
      ("/404", "http.404"), ("/503?after=9", "http.503"), ("/304", "http.304"),
      ("/redirect?to=/barn.jpg&status=302", "http.302"),
      ("/redirect?to=/barn.jpg&status=307", "http.307"), ("/closed", "connect.closed"),
      ("/hang?gate=g", "time.out"),
    ])
  func `no other answer takes it, and a redirect is not followed`(path: String, code: String)
    async throws
  {
    let bench = try TransferBench()
    let failure = try await post(path, bench, timeout: .seconds(code == "time.out" ? 1 : 600))
    await bench.stop()
    #expect(failure?.code == code && failure?.advice == "")
    #expect(failure?.waitSeconds == (code == "http.503" ? 9 : nil))
    #expect(bench.origin.requests().count <= 1)
  }
}
