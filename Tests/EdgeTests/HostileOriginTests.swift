// SPDX-License-Identifier: Apache-2.0
// Hostile servers and networks: every behaviour has a decided outcome, ends in time, leaves no
// descriptor open, and never leaves half a photo that counts as whole. Where each is tested:
//
//   URLs      schemes, no host, 10 KB, CR and LF, spaces, credentials, IDN, ports →
//             DownloadTests/PhotoURLTests; `A URL that is not for the network` in TransferTests
//   hosts     numbers in all notations, IPv4 in IPv6, metadata, CGNAT → TransferAddressTests,
//             DownloadTests/AddressRulesTests; names with several addresses, rebinding → here;
//             proxies in the environment → DaemonTests/HostileNetworkTests
//   redirects loop, six, private, https → http, file, missing, relative → TransferTests,
//             TransferAddressTests, TransferSecurityTests; huge, cookies, credentials → here
//   statuses  404, 410, 401, 429 and 503 with every Retry-After → TransferTests; 503 that lasts →
//             ChainTests/HostAdmissionTests, DaemonTests/HostTests; HTML → DownloadTests
//   bodies    short, long, cut, endless, no length, header floods, 100, 204, 206, 304 → TransferTests;
//             a byte a second, bombs → here; codings, framing, unusual statuses → TransferReplyTests
//   ranges    ignored, wrong, changed, weak, 416 → TransferRangeTests
//   network   reset after the head → TransferTests; one connection only, dead addresses, TLS → here and
//             TransferSecurityTests; an unknown name → here, as far as loopback goes

import Linux
import Support
import Testing
import Vocabulary

@testable import Transfer

struct HostileOriginTests {
  /// A bench whose loop resolves names to these addresses.
  private func bench(_ addresses: [String], _ change: (inout TransferSettings) -> Void = { _ in })
    throws -> TransferBench
  {
    let bench = try TransferBench()
    var settings = try TransferBench.loopback(change)
    settings.addresses = addresses.map {
      $0.replacingPort(with: bench.origin.port)
    }
    bench.loop.change(settings)
    return bench
  }

  @Test(
    "further misbehaviour of an origin has its outcome, too, and leaves nothing open",
    arguments: [
      ("/gzip-bomb", .final, "size.limit"), ("/encoded?as=br", .final, "http.encoding"),
      ("/gzip-bomb?with=deflate", .final, "size.limit"),
      ("/gzip-bomb?with=name", .final, "size.limit"),
      ("/encoded?as=zstd,%20gzip", .final, "http.encoding"),
      ("/encoded?as=gzip,%1B[2J", .final, "http.encoding"),
      ("/drip?gate=never", .passing, "time.slow"),
      ("/redirect-huge", .final, "redirect.refused"),
      ("/redirect?to=//", .final, "redirect.refused"),
      ("/redirect?to=http://user:secret@127.0.0.1/", .final, "redirect.refused"),
      ("/redirect?to=javascript:alert(1)", .final, "redirect.refused"),
      ("/redirect?to=data:image/jpeg;base64,AAAA", .final, "redirect.refused"),
      ("/524", .passing, "http.524"), ("/451", .final, "http.451"), ("/416", .final, "http.416"),
    ] as [(String, Failure.Kind, String)])
  func behaviour(_ path: String, _ kind: Failure.Kind, _ code: String) async throws {
    let bench = try TransferBench(
      TransferBench.loopback { if path.hasPrefix("/drip") { $0.slowestTime = .seconds(1) } })
    let failure = await bench.failure(bench.origin.url(path))
    #expect(try await bench.closesFiles())
    await bench.stop()
    #expect(try bench.connections() == 0)
    #expect(failure?.kind == kind && failure?.code == code, "\(failure?.description ?? "none")")
    #expect(failure?.reason.contains("secret") == false)
    #expect(failure?.reason.contains("\u{1B}") == false)
  }

  @Test func `after a name without an address, a handle serves transfers on other terms`()
    async throws
  {
    let bench = try TransferBench(TransferBench.loopback { $0.connections = 1 })
    for number in 1...3 {
      let time = Patience.time + .seconds(number)
      let failure = await bench.failure("http://no-such-host.invalid/a.jpg", timeout: time)
      #expect(failure?.code == (DialSocket.hasNetwork ? "dns.failed" : "network.down"))
      let url = bench.origin.url("/barn.jpg")
      #expect(try await bench.fetch(url: url, timeout: time * 2).size == 19)
    }
    await bench.stop()
  }

  @Test func `neither cookies nor credentials are sent`() async throws {
    let bench = try TransferBench()
    let other = bench.origin.url("/barn.jpg", host: "localhost")
    for place in ["/barn.jpg", other] {
      _ = try await bench.fetch(url: bench.origin.url("/cookie?to=\(place)"))
    }
    _ = await bench.failure(bench.origin.url("/401"))
    _ = try await bench.fetch(url: bench.origin.url("/barn.jpg"))
    await bench.stop()
    #expect(bench.origin.requests().count == 6)
    #expect(!bench.origin.requests().contains { $0.contains("secret=") })
  }

  @Test(
    "refused and dead addresses of a name are skipped",
    arguments: [
      "127.0.0.9,127.0.0.1", "10.0.0.1,127.0.0.1", "169.254.169.254,[::1],127.0.0.1",
      "127.0.0.9,127.0.0.1,127.0.0.1,127.0.0.1",
    ])
  func addresses(_ addresses: String) async throws {
    // libcurl gives a dead address half of the time that is left for connecting, then tries the
    // next.
    let bench = try bench(["photos.test:PORT:\(addresses)"]) { settings in
      settings.rules = (try? AddressRules(allow: ["127.0.0.0/8"], deny: [])) ?? AddressRules()
    }
    let reply = try await bench.fetch(url: bench.origin.url("/barn.jpg", host: "photos.test"))
    await bench.stop()
    #expect(reply.size == 19)
  }

  @Test(
    "a name with refused addresses only is refused",
    arguments: [
      "10.0.0.1,192.168.0.1", "169.254.169.254", "[::ffff:10.0.0.1]", "[fd00::1],0.0.0.0",
    ])
  func refused(_ addresses: String) async throws {
    let bench = try bench(["photos.test:PORT:\(addresses)"])
    let failure = await bench.failure(bench.origin.url("/barn.jpg", host: "photos.test"))
    await bench.stop()
    #expect(failure?.code == "address.refused")
    #expect(bench.origin.requests().isEmpty)
  }

  /// On a connection the address is judged a second time before a request is sent. A refused one must not
  /// even be dialled.
  @Test func `each address of a name is judged before it is dialled`() throws {
    let request = try TransferRequest(
      url: "http://photos.test/", maximumSize: 10, timeout: .seconds(60),
      connectTimeout: .seconds(60), priority: .default)
    let job = TransferJob(
      ticket: 1, request: request, sink: SlowSink(room: 0), goOn: {}, whenOver: { _ in })
    let settings = try TransferBench.loopback { settings in
      settings.rules = (try? AddressRules(allow: ["127.0.0.9"], deny: [])) ?? AddressRules()
    }
    let transfer = ActiveTransfer(job, TransferTerms(settings))
    let addresses = ["127.0.0.9", "127.0.0.1", "10.0.0.1", "127.0.0.9"]
    let dialled = try addresses.map { text in
      let address = try #require(NetworkAddress(text))
      let socket = transfer.dial(address, family: 2, type: 1, protocol: 6)
      return socket.map { Descriptor(owning: $0).number > 0 } ?? false
    }
    #expect(dialled == [true, false, false, true])
  }

  @Test func `a name that resolves to another address later is judged again`() async throws {
    let bench = try bench(["photos.test:PORT:127.0.0.1"])
    let url = bench.origin.url("/barn.jpg", host: "photos.test")
    #expect(try await bench.fetch(url: url).size == 19)
    var settings = try TransferBench.loopback()
    settings.addresses = ["photos.test:\(bench.origin.port):10.0.0.1"]
    settings.rules = AddressRules()
    bench.loop.change(settings)
    #expect(await bench.failure(url)?.code == "address.refused")
    await bench.stop()
    #expect(bench.origin.requests().count == 1)
  }

  @Test func `an unknown name is a passing failure unless the machine has no network`() async throws
  {
    let bench = try TransferBench()
    let failure = await bench.failure("http://no-such-host.invalid/a.jpg")
    await bench.stop()
    let (code, kind): (String, Failure.Kind) =
      DialSocket.hasNetwork ? ("dns.failed", .passing) : ("network.down", .machine)
    #expect(failure?.code == code && failure?.kind == kind)
  }

  @Test func `an origin that takes one connection gets one transfer after the other`()
    async throws
  {
    let settings = try TransferBench.loopback { ($0.connections, $0.connectionsPerHost) = (8, 1) }
    let bench = try TransferBench(settings)
    let url = bench.origin.url("/bytes?size=3000")
    try await withThrowingTaskGroup(of: UInt64.self) { group in
      for number in 1...12 {
        group.addTask { try await bench.fetch(url: url, into: "photo-\(number)").size }
      }
      for try await size in group { #expect(size == 3000) }
    }
    #expect(try bench.connections() <= 1)
    await bench.stop()
  }

  @Test func `a running transfer shows its progress`() async throws {
    let bench = try TransferBench()
    let url = bench.origin.url("/slow?gate=g&size=40000")
    let task = Task { try await bench.fetch(url: url) }
    await bench.origin.arrivals(at: "g")
    var seen: TransferProgress?
    // The origin holds back the last byte before its gate.
    _ = try await Patience.sees {
      seen = bench.loop.progress().first
      return seen?.received == 19_999
    }
    #expect(seen?.received == 19_999 && seen?.total == 40_000)
    #expect(seen?.server == "127.0.0.1:\(bench.origin.port)")
    await bench.origin.release("g")
    _ = try await task.value
    #expect(bench.loop.progress().isEmpty)
    await bench.stop()
  }

  @Test func `a rate covers the last seconds, and falls when no bytes arrive`() {
    let start = ContinuousClock.now
    var marks = RateMarks()
    var count: UInt64 = 0
    for tenth in 0...100 {
      count += 1000
      marks.note(count, now: start + .milliseconds(100 * tenth))
    }
    let now = start + .seconds(10)
    #expect((9_000...11_000).contains(marks.rate(count, now: now)))
    #expect(marks.rate(count, now: now + .seconds(4)) < 6_000)
    #expect(marks.rate(count, now: now + .seconds(600)) < 20)
    #expect(RateMarks().rate(0, now: now) == 0)
  }

  @Test(arguments: [
    ("http://h/a", "h"), ("https://h/a", "h"), ("https://h:8443/a", "https://h:8443"),
  ])
  func `the progress of a transfer names its server as closures do`(_ url: String, _ name: String)
    throws
  {
    let gauge = TransferGauge(try PhotoURL(parsing: url))
    #expect(gauge.reading(TransferTicket(1), now: .now).server == name)
  }
}

extension String {
  fileprivate func replacingPort(with port: Int) -> String {
    split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(port)")
  }
}
