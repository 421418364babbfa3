// SPDX-License-Identifier: Apache-2.0
// Transfers through a proxy on loopback: which requests it gets, and the failures that are its own.

import Foundation
import Linux
import Support
import Testing
import Transfer
import Vocabulary

/// A proxy and a bench whose rules allow no loopback: only the proxy may dial it.
private struct ProxyBench {
  let fresh: FreshFolder
  let proxy: TestProxy
  let bench: TransferBench

  init(
    _ scheme: String = "http", login: String? = nil, given: String? = nil, direct: [String] = [],
    tls: Bool = false, allow: [String] = [],
    _ change: (inout TransferSettings) -> Void = { _ in }
  ) async throws {
    fresh = try FreshFolder()
    let file = "\(fresh.path)/certificate"
    let needsTLS = tls || scheme == "https"
    if needsTLS {
      let made = await HelperProcess.status(of: [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=origin", "-addext", "subjectAltName=DNS:photos.example,IP:127.0.0.1", "-keyout",
        "\(fresh.path)/key", "-out", file,
      ])
      guard made == 0 else { try Test.cancel("openssl could not make a certificate here") }
    }
    let isSecure = scheme == "https"
    proxy = try TestProxy(
      in: fresh, login: login, certificate: isSecure ? file : nil,
      key: isSecure ? "\(fresh.path)/key" : nil)
    var settings = try TransferBench.loopback()
    settings.rules = try AddressRules(allow: allow, deny: [])
    settings.route = try ProxyRoute(
      ProxyServer(parsing: "\(scheme)://127.0.0.1:\(proxy.port)"),
      direct: direct.map { word throws(TextProblem) in try HostPattern(parsing: word) })
    settings.login = given.flatMap { ProxyLogin(Array($0.utf8)) }
    if needsTLS { settings.ownAuthorities = fresh.bytes(of: "certificate") ?? [] }
    change(&settings)
    bench = try TransferBench(
      settings, certificate: tls ? file : nil, key: tls ? "\(fresh.path)/key" : nil, in: fresh)
  }

  func url(_ path: String = "/barn.jpg", host: String = "photos.example", tls: Bool = false)
    -> String
  { bench.origin.url(path, host: host, scheme: tls ? "https" : "http") }

  func stop() async {
    await bench.stop()
    proxy.stop()
  }
}

struct ProxyTests {
  @Test func `A name that only the proxy knows is requested through it`() async throws {
    let world = try await ProxyBench()
    #expect(try await world.bench.fetch(url: world.url()).size == 19)
    await world.stop()
    #expect(world.proxy.requests() == ["GET \(world.url())"])
  }

  @Test(arguments: ["http", "https", "socks5h"])
  func `TLS reaches the host through each kind of proxy`(scheme: String) async throws {
    let world = try await ProxyBench(scheme, tls: true)
    #expect(try await world.bench.fetch(url: world.url(tls: true)).size == 19)
    await world.stop()
    let method = scheme == "socks5h" ? "SOCKS" : "CONNECT"
    #expect(world.proxy.requests() == ["\(method) photos.example:\(world.bench.origin.port)"])
  }

  @Test func `The login goes to the proxy alone`() async throws {
    let world = try await ProxyBench(login: "barn:se:cret", given: "barn:se:cret\n")
    #expect(try await world.bench.fetch(url: world.url()).size == 19)
    await world.stop()
    #expect(world.proxy.requests() == ["GET \(world.url()) login=barn:se:cret"])
    #expect(!world.bench.origin.requests().contains { $0.contains("secret=") })
  }

  @Test func `An address that the rules refuse is not asked of the proxy either`() async throws {
    let world = try await ProxyBench()
    for host in [
      "127.0.0.1", "2130706433", "0x7f.1", "017700000001", "127.1", "localhost", "a.localhost",
      "[::1]", "[::ffff:127.0.0.1]",
    ] {
      let failure = await world.bench.failure(world.url(host: host))
      #expect(failure?.code == "address.refused" && failure?.kind == .final, "\(host)")
    }
    await world.stop()
    #expect(world.proxy.requests().isEmpty)
  }

  @Test func `A redirect to such an address is refused as well`() async throws {
    let world = try await ProxyBench()
    let failure = await world.bench.failure(
      world.url("/redirect?to=http://127.0.0.1:\(world.bench.origin.port)/barn.jpg"))
    await world.stop()
    #expect(failure?.code == "address.refused")
    #expect(world.proxy.requests().count == 1)
  }

  @Test func `Hosts of NoProxy= are reached directly, by the rules`() async throws {
    let world = try await ProxyBench(direct: ["127.0.0.0/8", "localhost"], allow: ["127.0.0.0/8"])
    for host in ["127.0.0.1", "localhost"] {
      #expect(try await world.bench.fetch(url: world.url(host: host), into: host).size == 19)
    }
    await world.stop()
    #expect(world.proxy.requests().isEmpty)
  }

  @Test func `An earlier direct connection is not used for the proxy, and the other way round`()
    async throws
  {
    let world = try await ProxyBench(allow: ["127.0.0.0/8"])
    let url = world.url(host: "127.0.0.1")
    _ = try await world.bench.fetch(url: url, into: "one")
    var settings = try TransferBench.loopback()
    world.bench.loop.change(settings)
    _ = try await world.bench.fetch(url: url, into: "two")
    settings.route = try ProxyRoute(ProxyServer(parsing: "http://127.0.0.1:\(world.proxy.port)"))
    world.bench.loop.change(settings)
    _ = try await world.bench.fetch(url: url, into: "three")
    await world.stop()
    #expect(world.proxy.requests().count == 2)
  }

  // MARK: trouble

  @Test(
    arguments: [
      ("http", false, "407", "proxy.login"), ("http", true, "407", "proxy.login"),
      ("http", true, "502", "proxy.refused"), ("http", true, "403", "proxy.refused"),
      ("http", true, "close", "proxy.closed"), ("http", false, "close", "proxy.closed"),
      ("socks5h", false, "5", "proxy.refused"), ("socks5h", false, "close", "proxy.closed"),
      ("https", true, "502", "proxy.refused"),
      ("http", false, "502", "proxy.gateway"), ("http", false, "504", "proxy.gateway"),
    ])
  func `Trouble of a proxy that has passed on nothing is this machine's`(
    scheme: String, tls: Bool, mode: String, code: String
  ) async throws {
    let world = try await ProxyBench(scheme, tls: tls)
    world.proxy.set(mode)
    let failure = await world.bench.failure(world.url(tls: tls))
    world.proxy.set("work")
    let reply = try? await world.bench.fetch(url: world.url(tls: tls), into: "other")
    world.proxy.set(mode)
    let later = await world.bench.failure(world.url(host: "other.example", tls: tls))
    await world.stop()
    #expect(failure?.code == code, "\(String(describing: failure))")
    #expect(failure?.kind == .machine && failure?.scope == .proxy)
    #expect(failure?.reason.contains("127.0.0.1:\(world.proxy.port)") == true)
    #expect(reply?.size == 19)
    // It has just worked: the host may be the cause. But a refused login at a tunnel is the proxy's.
    let isSure = code == "proxy.login" && tls
    let known = code == "proxy.gateway" ? "http.\(mode)" : code
    #expect(
      later?.code == known && later?.kind == (isSure ? .machine : .passing),
      "\(String(describing: later))")
  }

  @Test(
    "A proxy that names the cause of its error is believed",
    arguments: [
      (true, "503 X-Squid-Error: ERR_CONNECT_FAIL 111", true),
      (false, "503 X-Squid-Error: ERR_CONNECT_FAIL 111", true),
      (true, "503 X-Squid-Error: ERR_CONNECT_FAIL 113", false),
      (true, "500 X-Squid-Error: ERR_CANNOT_FORWARD 0", false),
      (false, "502 X-Squid-Error: ERR_READ_ERROR 0", false),
      (true, "502 Proxy-Status: barn; error=connection_refused", true),
      (false, "504 Proxy-Status: barn; error=connection_refused", true),
      (true, "500 Proxy-Status: barn; error=proxy_internal_error", false),
    ])
  func named(tls: Bool, answer: String, isHosts: Bool) async throws {
    let world = try await ProxyBench(tls: tls)
    world.proxy.set(answer)
    let failure = await world.bench.failure(world.url(tls: tls))
    await world.stop()
    let seen = "\(String(describing: failure))"
    #expect(failure?.kind == (isHosts ? .passing : .machine), "\(seen)")
    #expect(failure?.reason.contains("refused the connection of the proxy") == isHosts, "\(seen)")
  }

  @Test func `A fault that a proxy admits is its own, although it has just worked`() async throws {
    let world = try await ProxyBench(tls: true)
    _ = try await world.bench.fetch(url: world.url(tls: true))
    world.proxy.set("500 Proxy-Status: barn; error=proxy_internal_error")
    let failure = await world.bench.failure(world.url(host: "other.example", tls: true))
    await world.stop()
    #expect(failure?.kind == .machine && failure?.scope == .proxy)
    #expect(failure?.reason.hasSuffix("'proxy_internal_error'") == true)
  }

  @Test func `squid tells a dead host from its own trouble`() async throws {
    let world = try await ProxyBench(tls: true, allow: ["127.0.0.0/8"])
    world.proxy.stop()
    let configuration = """
      http_port 127.0.0.1:\(world.proxy.port)
      http_access allow all
      access_log none
      cache deny all
      cache_log /dev/null
      coredump_dir /
      pid_filename none
      pinger_enable off
      visible_hostname squid.example

      """
    try world.fresh.write(Array(configuration.utf8), to: "squid.conf")
    let program = [
      "/usr/bin/env", "squid", "-N", "-d", "1", "-f", "\(world.fresh.path)/squid.conf",
    ]
    guard let squid = try? await RunningProgram.start(program),
      (try? await squid.says("Accepting HTTP Socket connections")) != nil
    else { try Test.cancel("squid is not here") }
    for scheme in ["https", "http"] {
      let dead = await world.bench.failure("\(scheme)://127.0.0.1:1/barn.jpg")
      #expect(
        dead?.kind == .passing && dead?.code == "proxy.refused", "\(String(describing: dead))")
      #expect(dead?.reason.hasPrefix("127.0.0.1:1 refused the connection of the proxy") == true)
    }
    let url = world.url(host: "127.0.0.1", tls: true)
    #expect(try await world.bench.fetch(url: url).size == 19)
    await squid.cut()
    await world.bench.stop()
  }

  @Test func `A webhook that the proxy refuses counts as refused by its server`() async throws {
    let world = try await ProxyBench(tls: true)
    world.proxy.set("502")
    let request = TransferRequest(
      url: try PhotoURL(parsing: world.url(tls: true)), maximumSize: .max, timeout: .seconds(600),
      connectTimeout: .seconds(120), priority: .background, message: "{}")
    let failure = await #expect(throws: Failure.self) {
      try await world.bench.loop.fetch(request, into: world.fresh.open("none"))
    }
    await world.stop()
    #expect(failure?.code == "proxy.refused" && failure?.kind == .passing)
  }

  @Test func `A proxy that is away, or has no address, is trouble of this machine`() async throws {
    let world = try await ProxyBench()
    world.proxy.stop()
    let away = await world.bench.failure(world.url())
    #expect(away?.code == "proxy.unreachable" && away?.scope == .proxy)
    #expect(away?.reason == "the proxy 127.0.0.1:\(world.proxy.port) refused the connection")
    var settings = try TransferBench.loopback()
    settings.route = try ProxyRoute(ProxyServer(parsing: "http://proxy.invalid:3128"))
    world.bench.loop.change(settings)
    let nameless = await world.bench.failure(world.url())
    await world.bench.stop()
    #expect(nameless?.code == "proxy.name" && nameless?.kind == .machine)
  }

  @Test func `A proxy that hangs is told from a host that is slow to connect`() async throws {
    let world = try await ProxyBench(tls: true)
    world.proxy.set("hang")
    let request = try TransferRequest(
      url: world.url(tls: true), maximumSize: 1 << 20, timeout: .seconds(600),
      connectTimeout: .milliseconds(300), priority: .default)
    let failure = await #expect(throws: Failure.self) {
      try await world.bench.loop.fetch(request, into: world.fresh.open("photo"))
    }
    await world.stop()
    #expect(
      failure?.code == "proxy.silent" && failure?.kind == .machine, "\(String(describing: failure))"
    )
  }

  @Test func `The certificate of a proxy is checked, and a wrong one is not the photo's fault`()
    async throws
  {
    let world = try await ProxyBench("https") { $0.ownAuthorities = [] }
    let failure = await world.bench.failure(world.url())
    await world.stop()
    #expect(failure?.code == "proxy.tls" && failure?.scope == .proxy)
    #expect(
      failure?.reason == "the certificate of the proxy 127.0.0.1:\(world.proxy.port) is self-signed"
    )
  }

  @Test func `A host behind a proxy whose certificate is wrong is the photo's fault`() async throws
  {
    let world = try await ProxyBench(tls: true) { $0.ownAuthorities = [] }
    let failure = await world.bench.failure(world.url(tls: true))
    await world.stop()
    #expect(failure?.code == "tls.self-signed" && failure?.kind == .final)
  }

  @Test func `tinyproxy passes on both schemes`() async throws {
    let world = try await ProxyBench(tls: true, allow: ["127.0.0.0/8"])
    world.proxy.stop()
    let port = world.proxy.port
    let configuration = """
      Port \(port)
      Listen 127.0.0.1
      LogFile "\(world.fresh.path)/tinyproxy.log"
      Allow 127.0.0.1
      BasicAuth barn secret

      """
    try world.fresh.write(Array(configuration.utf8), to: "tinyproxy.conf")
    guard
      let tiny = try? await RunningProgram.start(
        ["/usr/bin/env", "tinyproxy", "-d", "-c", "\(world.fresh.path)/tinyproxy.conf"]),
      try await Patience.sees({
        world.fresh.bytes(of: "tinyproxy.log").map { String(decoding: $0, as: UTF8.self) }?
          .contains("Accepting connections") == true
      })
    else { try Test.cancel("tinyproxy is not here") }
    let url = world.url(host: "127.0.0.1", tls: true)
    let refused = await world.bench.failure(url)
    #expect(refused?.code == "proxy.login", "\(String(describing: refused))")
    var settings = try TransferBench.loopback()
    settings.route = try ProxyRoute(ProxyServer(parsing: "http://127.0.0.1:\(port)"))
    settings.login = ProxyLogin(Array("barn:secret".utf8))
    settings.ownAuthorities = world.fresh.bytes(of: "certificate") ?? []
    world.bench.loop.change(settings)
    #expect(try await world.bench.fetch(url: url).size == 19)
    let dead = await world.bench.failure("https://127.0.0.1:1/barn.jpg")
    #expect(dead?.kind == .passing && dead?.code == "proxy.refused", "\(String(describing: dead))")
    await tiny.cut()
    await world.bench.stop()
  }
}
