// SPDX-License-Identifier: Apache-2.0
// The server on libmicrohttpd, against clients that follow no rule: limits of head and body, what a service gets to see,
// answers from files and streams.

import Glibc
import HTTP
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

/// Answers with what it got; remembers the requests that it was asked about.
private final class Echo: WebService {
  private final class Count: WebStream {
    private var left = 3

    func next(for socket: Int32) -> [UInt8] {
      left -= 1
      return left < 0 ? [] : Array("piece \(left)\n".utf8)
    }
  }

  /// Says one word, and then waits until its client has gone.
  private final class Faithful: WebStream {
    private var isBegun = false

    func next(for socket: Int32) -> [UInt8] {
      if isBegun {
        let watch = [Poll.Watch(endOf: socket)]
        while (try? Poll.wait(watch, for: nil))?.first?.isClosed == false {}
        return []
      }
      isBegun = true
      return Array("here\n".utf8)
    }
  }

  private let file: LinuxFile
  let heads = Mutex<[WebRequest]>([])
  /// Requests whose caller was asked for.
  let asked = Mutex(0)

  init(file: LinuxFile) { self.file = file }

  func caller(of request: WebRequest) -> UInt32? {
    asked.withLock { $0 += 1 }
    return request.values("viewer").first.flatMap { UInt32($0) }
  }

  var crowd: WebAnswer { WebAnswer(503, body: .bytes(Array("crowd".utf8))) }

  func refusal(of request: WebRequest) -> WebAnswer? {
    heads.withLock { $0.append(request) }
    return request.target == "/no" ? WebAnswer(403, body: .bytes(Array("no".utf8))) : nil
  }

  func answer(_ request: WebRequest) -> WebAnswer {
    switch request.target {
    case "/stream": return WebAnswer(200, body: .stream(Count()))
    case "/faithful": return WebAnswer(200, body: .stream(Faithful()))
    case "/file": return WebAnswer(200, body: .file(file, size: 5))
    case "/split": return WebAnswer(200, headers: [WebHeader("A", "b\r\nC: d")])
    default:
      let text = "\(request.method) \(request.target) \(request.body.count)"
      return WebAnswer(200, headers: [WebHeader("A", "b")], body: .bytes(Array(text.utf8)))
    }
  }
}

@Suite struct ServerTests {
  private struct Site {
    let port: Int
    let echo: Echo
    let clients: WebClients
    let listener: TCPListener
  }

  private func site(
    _ folder: FreshFolder, _ limits: WebServer.Limits? = nil
  ) throws -> Site {
    try folder.write(Array("hello, world".utf8), to: "hello")
    let file = try LinuxFolder.open(path: folder.path).openFile(
      FileName(literal: "hello"), .read)
    let listener = try TCPListener()
    let (clients, echo) = (try WebClients(), Echo(file: file))
    try WebServer.start(
      on: listener.descriptor, limits: limits ?? roomy(strangers: 64, known: 64), counting: clients,
      echo)
    return Site(port: listener.port, echo: echo, clients: clients, listener: listener)
  }

  @Test func `a request is served as it came`() async throws {
    let site = try site(try FreshFolder())
    let reply = try await WebVisit.ask(site.port, "GET /a%2Fb/../c?x=%20y&z", headers: ["Host: q"])
    #expect(reply.status == 200 && reply.text == "GET /a%2Fb/../c?x=%20y&z 0")
    #expect(reply.header("A") == "b")
    let head = try #require(site.echo.heads.withLock { $0.first })
    #expect(head.values("host") == ["q"] && head.body.isEmpty)
    let body = String(repeating: "x", count: 4096)
    let post = try await WebVisit.ask(
      site.port, "POST /", headers: ["Host: q", "Content-Length: 4096"], body: body)
    #expect(post.text == "POST / 4096")
    let none = try await WebVisit.ask(site.port, "HEAD /", headers: ["Host: q"])
    #expect(none.status == 200 && none.body.isEmpty)
  }

  @Test func `files and streams are sent as they are`() async throws {
    let site = try site(try FreshFolder())
    let file = try await WebVisit.ask(site.port, "GET /file", headers: ["Host: q"])
    #expect(file.text == "hello" && file.header("Content-Length") == "5")
    let stream = try await WebVisit.ask(site.port, "GET /stream", headers: ["Host: q"])
    #expect(stream.text.contains("piece 2\n") && stream.text.contains("piece 0\n"))
    let split = try await onOwnThread {
      let visit = try WebVisit(port: site.port)
      visit.send("GET /split HTTP/1.1\r\nHost: q\r\n\r\n")
      return visit.read()
    }
    #expect(!String(decoding: split, as: UTF8.self).contains("C: d"), "no header makes two")
  }

  @Test func `a refused request is answered before its body, which is not read`() async throws {
    let site = try site(try FreshFolder())
    let reply = try await WebVisit.ask(
      site.port, "POST /no", headers: ["Host: q", "Content-Length: 1000000000000"])
    #expect(reply.status == 403 && reply.text == "no")
  }

  @Test func `a body beyond the limit ends the connection`() async throws {
    let site = try site(try FreshFolder())
    let answer = try await onOwnThread {
      let visit = try WebVisit(port: site.port)
      visit.send("POST / HTTP/1.1\r\nHost: q\r\nContent-Length: 100000\r\n\r\n")
      visit.send([UInt8](repeating: 0x78, count: 100_000))
      return visit.read()
    }
    #expect(!String(decoding: answer, as: UTF8.self).contains(" 200 "))
  }

  @Test(arguments: [
    "\u{0}\u{0}\u{0}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
    " / HTTP/1.1\r\nHost: q\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: q\r\nContent-Length: x\r\n\r\n",
  ])
  func `nonsense is refused, and others are served`(bytes: String) async throws {
    let site = try site(try FreshFolder())
    let answer = try await onOwnThread {
      let visit = try WebVisit(port: site.port)
      visit.send(bytes)
      visit.finish()
      return String(decoding: visit.read(), as: UTF8.self)
    }
    #expect(!answer.contains(" 200 "))
    let reply = try await WebVisit.ask(site.port, "GET /", headers: ["Host: q"])
    #expect(reply.status == 200)
  }

  /// A head of 8 KiB with the headers around: 4 KiB are cookies, the rest other headers, all of about the same size.
  private func head(_ target: String, cookies: Int, others: Int) -> String {
    func fill(_ name: String, _ size: Int) -> String {
      name + String(repeating: "x", count: max(0, size - name.utf8.count))
    }
    let pairs = (0..<cookies).map { fill("c\($0)=", 4096 / cookies - 2) }
    let cookie = cookies == 0 ? "" : "Cookie: \(pairs.joined(separator: "; "))\r\n"
    let start = "GET \(target) HTTP/1.1\r\nHost: q\r\nConnection: close\r\n" + cookie
    let left = 8192 - start.utf8.count - 2
    let lines = (0..<others).map { fill("X-Header-\($0): ", left / others - 2) + "\r\n" }
    let text = start + lines.joined()
    return text + "\r\n"
  }

  @Test(arguments: [0, 1, 10, 128], [1, 8, 60])
  func `a head of 8 KiB is served, 4 KiB of it cookies`(cookies: Int, others: Int) async throws {
    let site = try site(try FreshFolder())
    for (target, text) in [("/", "GET / 0"), ("/file", "hello"), ("/stream", "piece 0")] {
      let head = head(target, cookies: cookies, others: others)
      #expect((8100...8192).contains(head.utf8.count), "\(head.utf8.count)")
      let answer = try await onOwnThread {
        let visit = try WebVisit(port: site.port)
        visit.send(head)
        return String(decoding: visit.read(), as: UTF8.self)
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(text), "\(target): \(answer)")
    }
    let seen = site.echo.heads.withLock { $0 }
    #expect(seen.allSatisfy { $0.isWhole && $0.headers.count == others + (cookies > 0 ? 3 : 2) })
  }

  @Test func `a service learns that it does not see a request as a whole`() async throws {
    let site = try site(try FreshFolder())
    let line = "GET / HTTP/1.1"
    func headers(_ count: Int) -> String {
      "Host: q\r\nConnection: close\r\n"
        + (3...count).map { "X-Header-\($0): x\r\n" }.joined()
    }
    let cases = [
      ("\(line)\r\n\(headers(64))", true), ("\(line)\r\n\(headers(65))", false),
      ("GET /a\u{0} HTTP/1.1\r\n\(headers(3))", false),
      ("GET /a\u{0}/../b HTTP/1.1\r\n\(headers(3))", false),
      ("GET /a?b\u{0}c HTTP/1.1\r\n\(headers(3))", false),
      ("GET \u{0} HTTP/1.1\r\n\(headers(3))", false),
      ("GET /a?b=c&d HTTP/1.1\r\n\(headers(3))", true),
    ]
    for (text, _) in cases {
      _ = try await onOwnThread {
        let visit = try WebVisit(port: site.port)
        visit.send(text + "\r\n")
        return visit.read()
      }
    }
    #expect(site.echo.heads.withLock { $0.map(\.isWhole) } == cases.map(\.1))
  }

  @Test func `a head has a limit`() async throws {
    let site = try site(try FreshFolder())
    let long = String(repeating: "a", count: 40_000)
    let answer = try await onOwnThread {
      let visit = try WebVisit(port: site.port)
      visit.send("GET /\(long) HTTP/1.1\r\nHost: q\r\n\r\n")
      visit.finish()
      return String(decoding: visit.read(), as: UTF8.self)
    }
    #expect(!answer.contains(" 200 "))
    #expect(site.echo.heads.withLock { $0.isEmpty })
  }

  @Test func `a stream ends when its client has gone, though nothing is sent`() async throws {
    let site = try site(try FreshFolder())
    do {
      let visit = try WebVisit(port: site.port)
      // A request behind the first does not end the visit.
      visit.send("GET /faithful HTTP/1.1\r\nHost: q\r\n\r\nGET / HTTP/1.1\r\nHost: q\r\n\r\n")
      _ = try await onOwnThread { visit.reads("here") }
      #expect(site.clients.count == 1)
    }
    #expect(try await Patience.sees { site.clients.count == 0 })
  }

  @Test func `clients are counted until they have left`() async throws {
    let site = try site(try FreshFolder())
    #expect(site.clients.count == 0)
    do {
      let visit = try WebVisit(port: site.port)
      // A client that sends nothing has a time limit.
      try await onOwnThread {
        while site.clients.count != 1 { sched_yield() }
        visit.finish()
        _ = visit.read()
      }
    }
    #expect(try await Patience.sees { site.clients.count == 0 })
  }

  // MARK: places

  /// Limits that end no connection by its time.
  private func roomy(strangers: Int = 4, known: Int = 16) -> WebServer.Limits {
    var limits = WebServer.Limits()
    (limits.places.strangers, limits.places.known) = (strangers, known)
    (limits.places.request, limits.places.rest) = (.seconds(3600), .seconds(3600))
    limits.places.answer = .seconds(3600)
    return limits
  }

  /// A connection with the begin of a request, or with bytes after one that was served.
  private func half(_ port: Int, behind first: String = "") async throws -> WebVisit {
    try await onOwnThread {
      let visit = try WebVisit(port: port)
      visit.send(first)
      if !first.isEmpty { _ = visit.reads("GET / 0") }
      visit.send("GET / HTTP/1.1\r\nHost: q\r\nX-A: ")
      visit.send("a")
      return visit
    }
  }

  private func ask(_ site: Site, as user: Int) async throws -> WebReply {
    try await WebVisit.ask(site.port, "GET /", headers: ["Host: q", "Viewer: \(user)"])
  }

  @Test func `connections without a request end each other, and a viewer is served`() async throws {
    let site = try site(try FreshFolder(), roomy())
    var held: [WebVisit] = []
    for _ in 0..<60 {
      held.append(try await half(site.port))
      for visit in held.suffix(4) { visit.send("a") }
    }
    #expect(try await ask(site, as: 1).text == "GET / 0")
    // The first ones were ended, one for each that came later.
    let ended = held.prefix(50)
    try await onOwnThread { for visit in ended { _ = visit.read() } }
  }

  @Test func `a request that comes byte by byte has a time as a whole`() async throws {
    for behind in ["", "GET / HTTP/1.1\r\nHost: q\r\nViewer: 1\r\n\r\n"] {
      var limits = roomy()
      (limits.places.request, limits.places.rest) = (.milliseconds(200), .milliseconds(300))
      let site = try site(try FreshFolder(), limits)
      let visit = try await half(site.port, behind: behind)
      try await onOwnThread {
        while site.clients.count > 0 {
          visit.send("a")
          sched_yield()
        }
      }
    }
  }

  @Test func `a caller beyond the own places waits until one is free`() async throws {
    var limits = roomy(strangers: 64)
    limits.places.turn = .seconds(3600)
    let site = try site(try FreshFolder(), limits)
    let port = site.port
    let stream = "GET /faithful HTTP/1.1\r\nHost: q\r\nViewer: 1\r\n\r\n"
    try await onOwnThread {
      var held: [WebVisit] = []
      for _ in 0..<2 {
        let visit = try WebVisit(port: port)
        visit.send(stream)
        #expect(visit.reads("here").contains("here"))
        held.append(visit)
      }
      // A caller that leaves while it waits takes no place from other callers.
      for _ in 0..<20 { try WebVisit(port: port).send(stream) }
      let third = try WebVisit(port: port)
      third.send("GET /late HTTP/1.1\r\nHost: q\r\nViewer: 1\r\n\r\n")
      while site.echo.asked.withLock({ $0 }) < 23 { sched_yield() }
      held.removeFirst()
      #expect(third.reads("GET /late 0").contains("GET /late 0"))
      withExtendedLifetime(held) {}
    }
  }

  @Test func `a caller who takes all that they get leaves room for others`() async throws {
    var limits = roomy()
    limits.places.turn = .zero
    let site = try site(try FreshFolder(), limits)
    // Two places of sixteen: the streams of one caller are served, and that is all.
    var held: [WebVisit] = []
    for number in 0..<30 {
      let port = site.port
      held.append(
        try await onOwnThread {
          let visit = try WebVisit(port: port)
          visit.send("GET /faithful HTTP/1.1\r\nHost: q\r\nViewer: 1\r\n\r\n")
          #expect(
            visit.reads(number < 2 ? "here" : "crowd").contains(number < 2 ? "here" : "crowd"))
          return visit
        })
    }
    for user in 2...8 { #expect(try await ask(site, as: user).status == 200) }
    #expect(try await ask(site, as: 1).status == 503)
    withExtendedLifetime(held) {}
  }
}
