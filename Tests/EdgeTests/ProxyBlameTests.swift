// SPDX-License-Identifier: Apache-2.0
// The words of proxies about the cause of an error, and lapses of this process, as values.

import Testing

@testable import Transfer

struct ProxyBlameTests {
  @Test(
    arguments: [
      ("barn; error=connection_refused", .refused), ("barn;error=connection_refused", .refused),
      ("origin; error=connection_refused, barn", .unknown), ("", .unknown), ("barn", .unknown),
      (
        "origin, barn; received-status=503; error=http_response_timeout",
        .host("http_response_timeout")
      ),
      ("barn; error=dns_error; rcode=\"NXDOMAIN\"", .host("dns_error")),
      ("barn; error=dns_error; rcode=\"SERVFAIL\"", .unknown), ("barn; error=dns_error", .unknown),
      ("barn; details=\"a, b; error=connection_refused\"", .unknown),
      (
        "barn; details=\"\\\"; error=connection_refused, \"; error=proxy_internal_error",
        .proxy("proxy_internal_error")
      ),
      ("barn; error=destination_unavailable", .unknown),
    ] as [(String, ProxyBlame)])
  func `Proxy-Status counts if it leaves no doubt`(text: String, blame: ProxyBlame) {
    #expect(ProxyBlame(squid: nil, status: [text]) == blame)
  }

  @Test(
    arguments: [
      ("ERR_CONNECT_FAIL 111", .refused), ("ERR_CONNECT_FAIL 110", .unknown),
      ("ERR_ZERO_SIZE_OBJECT 0", .host("ERR_ZERO_SIZE_OBJECT")), ("ERR_DNS_FAIL 0", .unknown),
      ("ERR_ACCESS_DENIED 0", .unknown), ("", .unknown),
    ] as [(String, ProxyBlame)])
  func `X-Squid-Error counts if it leaves no doubt`(text: String, blame: ProxyBlame) {
    #expect(ProxyBlame(squid: text, status: []) == blame)
  }
}

struct LapseWatchTests {
  @Test func `A long time between two turns is a lapse, and over after its limit`() {
    var watch = LapseWatch()
    let start = SuspendingClock.now
    func turn(_ tenths: Int) -> LapseWatch.News? {
      watch.turn(now: start + .milliseconds(100 * tenths), worked: .zero, for: .seconds(5))
    }
    watch.begin(now: start, worked: .zero)
    #expect(turn(10) == nil)
    #expect(turn(21) == nil)
    #expect(turn(121) == .lapse(.seconds(10), sum: .seconds(10)))
    #expect(turn(130) == nil)
    for second in 14...18 { #expect(turn(10 * second) == nil) }
    #expect(turn(182) == .over)
    #expect(turn(190) == nil)
    #expect(turn(220) == .lapse(.seconds(3), sum: .seconds(3)))
    #expect(turn(240) == .lapse(.seconds(2), sum: .seconds(5)))
  }

  @Test func `Time without transfers is not a lapse`() {
    var watch = LapseWatch()
    let start = SuspendingClock.now
    watch.begin(now: start, worked: .zero)
    watch.begin(now: start + .seconds(60), worked: .zero)
    #expect(watch.turn(now: start + .seconds(61), worked: .zero, for: .seconds(5)) == nil)
  }

  @Test func `the loop's own work is no lapse, and what it leaves is one`() {
    var watch = LapseWatch()
    let start = SuspendingClock.now
    func turn(_ second: Int, worked: Int) -> LapseWatch.News? {
      watch.turn(
        now: start + .seconds(Int64(second)), worked: .seconds(Int64(worked)), for: .seconds(5))
    }
    watch.begin(now: start, worked: .seconds(7))
    #expect(turn(60, worked: 66) == nil)
    #expect(turn(70, worked: 72) == .lapse(.seconds(4), sum: .seconds(4)))
  }
}
