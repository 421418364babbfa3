// SPDX-License-Identifier: Apache-2.0
// Proxies and the hosts that are reached without them, as they are written.

import Testing
import Vocabulary

@Suite struct ProxyRouteTests {
  @Test(
    arguments: [
      ("http://proxy.example:3128", "http://proxy.example:3128"),
      ("HTTPS://Proxy.Example:443/", "https://proxy.example:443"),
      ("http://10.0.0.1:80", "http://10.0.0.1:80"),
      ("socks5h://[fd00::1]:1080", "socks5h://[fd00::1]:1080"),
    ])
  func `a proxy is a kind, a host and a port`(text: String, shown: String) throws {
    #expect(try ProxyServer(parsing: text).description == shown)
  }

  @Test(
    arguments: [
      "proxy", "proxy:3128", "http://proxy", "http://:3128", "http://proxy:", "http://proxy:0",
      "http://proxy:99999", "ftp://proxy:21", "socks4://proxy:1080", "http://a:b@proxy:1",
      "http://proxy:1/path", "http://proxy:1?a", "http://pro xy:1", "http://[::1:1080", "://a:1",
    ])
  func `any other text is refused`(text: String) {
    #expect(throws: TextProblem.self) { try ProxyServer(parsing: text) }
  }

  @Test func `a refusal repeats no password`() {
    let error = #expect(throws: TextProblem.self) {
      try ProxyServer(parsing: "http://anna:geheim@proxy:1")
    }
    #expect(error?.description.contains("geheim") == false)
  }

  @Test(
    arguments: [
      ("example.org", "example.org", true), ("example.org", "photos.example.org", true),
      (".example.org", "example.org", true), ("*.Example.org", "a.b.example.org", true),
      ("example.org", "notexample.org", false), ("example.org", "example.org.evil", false),
      ("192.168.0.0/16", "192.168.7.1", true), ("192.168.0.0/16", "10.0.0.1", false),
      ("fd00::/8", "fd00::1", true), ("10.0.0.1", "10.0.0.1", true),
      ("localhost", "localhost", true), ("10.0.0.0/8", "localhost", false),
    ])
  func `hosts without the proxy`(word: String, host: String, isDirect: Bool) throws {
    let server = try ProxyServer(parsing: "http://proxy.example:3128")
    let route = ProxyRoute(server, direct: [try HostPattern(parsing: word)])
    #expect(route.leads(to: host) != isDirect)
    let place = host.contains(":") ? "[\(host)]" : host
    #expect(route.leads(toServer: place) != isDirect)
    #expect(route.leads(toServer: "\(place):8080") != isDirect)
    #expect(route.leads(toServer: "https://\(place)") != isDirect)
    #expect(!ProxyRoute(nil, direct: []).leads(to: host))
  }

  @Test(arguments: ["", ".", "*", "a:1", "http://a", "a/b", "10.0.0.0/33", "ä.example", "a b"])
  func `any other exception is refused`(word: String) {
    #expect(throws: TextProblem.self) { try HostPattern(parsing: word) }
  }

  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
      ("0x7F.1", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("10.1", "10.0.0.1"),
      ("192.168.257", "192.168.1.1"), ("0", "0.0.0.0"), ("localhost", "127.0.0.1"),
      ("a.localhost", "127.0.0.1"), ("localhost.", "127.0.0.1"), ("::1", "::1"),
      ("0x", "0.0.0.0"), ("photos.example", nil), ("1.2.3.4.5", nil), ("256.1", nil),
      ("4294967296", nil), ("1.2.3.256", nil), ("08", nil), ("1.x", nil), ("1..2", nil),
    ] as [(String, String?)])
  func `an address is known without a look-up in each notation`(host: String, address: String?) {
    #expect(NetworkAddress(numeric: host)?.description == address)
  }
}
