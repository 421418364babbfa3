// SPDX-License-Identifier: Apache-2.0
// Which requests are served: the host, the origin, the method, the form and the address are checked before anything
// else.

import HTTP
import Show
import Testing

@Suite struct JudgeTests {
  private static let judge = RequestJudge(port: 8473, names: ["photos.example.org"])
  private static let view = String(repeating: "0a", count: 16)
  /// The address of the list.
  private static let list = "/v/\(view)/lists/17"

  private func get(
    _ target: String, _ method: String = "GET", host: String = "127.0.0.1:8473",
    with headers: [WebHeader] = []
  ) -> RequestJudge.Verdict {
    let request = WebRequest(method, target, headers: [WebHeader("Host", host)] + headers)
    let verdict = Self.judge.judge(request)
    if let refusal = Self.judge.refusal(ofHead: request) {
      #expect(verdict == .refuse(refusal), "a refused head is refused as a whole")
    }
    return verdict
  }

  private func post(
    _ headers: [WebHeader], body: String = "a 1-2", host: String = "127.0.0.1:8473"
  ) -> RequestJudge.Verdict {
    Self.judge.judge(
      WebRequest(
        "POST", "\(Self.list)/focus", headers: [WebHeader("Host", host)] + headers,
        body: Array(body.utf8)))
  }

  private static func form(_ origin: String = "http://127.0.0.1:8473") -> [WebHeader] {
    [
      WebHeader("Origin", origin), WebHeader("Content-Type", RequestJudge.focusType),
      WebHeader("Content-Length", "5"),
    ]
  }

  @Test(arguments: [
    "127.0.0.1:8473", "localhost:8473", "LOCALHOST:8473", "[::1]:8473", "photos.example.org",
  ])
  func `this machine and the named hosts are served`(host: String) {
    #expect(get("\(Self.list)/", host: host) == .serve(.page(17), view: Self.view))
    #expect(get("\(Self.list)/", "HEAD", host: host) == .serve(.page(17), view: Self.view))
  }

  @Test(arguments: [
    "", "evil.example.org", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8473.evil.example.org",
    "localhost:8473@evil.example.org", "photos.example.org:8473", "0:8473",
  ])
  func `a name that leads to this machine is not this machine`(host: String) {
    #expect(get("\(Self.list)/", host: host) == .refuse(.misdirected))
    #expect(get("/open/\(String(repeating: "a", count: 32))", host: host) == .refuse(.misdirected))
    #expect(post(Self.form(), host: host) == .refuse(.misdirected))
  }

  @Test func `a request has one host`() {
    let none = WebRequest("GET", "/style.css", headers: [])
    #expect(Self.judge.judge(none) == .refuse(.misdirected))
    let two = get("/style.css", with: [WebHeader("host", "127.0.0.1:8473")])
    #expect(two == .refuse(.misdirected))
  }

  @Test(arguments: ["\(list)/", "/style.css", "/open/\(String(repeating: "a", count: 32))"])
  func `a request that is not seen as a whole is refused`(target: String) {
    let headers = [WebHeader("Host", "127.0.0.1:8473")]
    var request = WebRequest("GET", target, headers: headers)
    request.isWhole = false
    #expect(Self.judge.refusal(ofHead: request) == .badRequest)
    #expect(Self.judge.judge(request) == .refuse(.badRequest))
  }

  @Test(arguments: ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "", "GETX", "PATCH"])
  func `only GET, HEAD and one POST are served`(method: String) {
    #expect(get("\(Self.list)/", method) == .refuse(.wrongMethod))
    #expect(get("\(Self.list)/focus", method) == .refuse(.wrongMethod))
  }

  @Test func `a POST is for the focus alone, and the focus for a POST alone`() {
    let door = "/open/\(String(repeating: "a", count: 32))"
    for target in ["\(Self.list)/", "\(Self.list)/states", door] {
      #expect(get(target, "POST", with: Self.form()) == .refuse(.wrongMethod))
    }
    #expect(get("\(Self.list)/focus") == .refuse(.wrongMethod))
    #expect(post(Self.form()) == .serve(.focus(17), view: Self.view))
    let proxied = post(Self.form("https://photos.example.org"), host: "photos.example.org")
    #expect(proxied == .serve(.focus(17), view: Self.view))
    let plain = post(Self.form("http://photos.example.org"), host: "photos.example.org")
    #expect(plain == .refuse(.forbidden), "a proxy is reached by https alone")
    #expect(post(Self.form("https://127.0.0.1:8473")) == .refuse(.forbidden))
  }

  @Test(arguments: [
    [], ["http://127.0.0.1:80"], ["null"], ["https://evil.example.org"],
    ["http://127.0.0.1:8473.evil.example.org"], ["http://localhost:8473"],
    ["http://127.0.0.1:8473", "http://127.0.0.1:8473"],
  ])
  func `a POST of another page is refused`(origins: [String]) {
    let rest = Self.form().dropFirst()
    #expect(post(origins.map { WebHeader("Origin", $0) } + rest) == .refuse(.forbidden))
  }

  @Test(arguments: ["cross-site", "same-site", "other"])
  func `nothing is served to other sites but the exchange of a token`(site: String) {
    let from = [WebHeader("Sec-Fetch-Site", site)]
    for target in [
      "\(Self.list)/", "\(Self.list)/states", "\(Self.list)/thumbs/1.jpg", "/script.js",
    ] {
      #expect(get(target, with: from) == .refuse(.forbidden))
    }
    #expect(post(Self.form() + from) == .refuse(.forbidden))
    let token = String(repeating: "a", count: 32)
    #expect(get("/open/\(token)", with: from) == .serve(.redeem(token: token), view: ""))
  }

  @Test func `the form of a POST is one that no other page can send`() {
    for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
      var headers = Self.form()
      headers[1] = WebHeader("Content-Type", type)
      #expect(post(headers) == .refuse(.wrongForm))
    }
  }

  @Test func `the length of a body is known and small, and only a POST has one`() {
    var headers = Self.form()
    headers[2] = WebHeader("Content-Length", "4097")
    #expect(post(headers) == .refuse(.tooLarge))
    headers[2] = WebHeader("Content-Length", "-1")
    #expect(post(headers) == .refuse(.badRequest))
    headers[2] = WebHeader("Transfer-Encoding", "chunked")
    #expect(post(headers) == .refuse(.noLength))
    headers.removeLast()
    #expect(post(headers) == .refuse(.noLength))
    headers += [WebHeader("Content-Length", "5"), WebHeader("Content-Length", "6")]
    #expect(post(headers) == .refuse(.badRequest))
    #expect(post(Self.form(), body: String(repeating: "a", count: 4097)) == .refuse(.tooLarge))
    let one = get("\(Self.list)/", with: [WebHeader("Content-Length", "1")])
    #expect(one == .refuse(.tooLarge))
    let empty = get("\(Self.list)/", with: [WebHeader("Content-Length", "0")])
    #expect(empty == .serve(.page(17), view: Self.view))
  }

  @Test(arguments: [
    "/lists/17/", "/v/lists/17/", "/v//lists/17/", "/v/17.1000.1764000000.0a/lists/17/",
    "/v/\(String(repeating: "0A", count: 16))/lists/17/", "/v/\(view)0/lists/17/",
  ])
  func `without a view there is no list, and a cookie makes none`(target: String) {
    for headers in [[], [WebHeader("Cookie", "darkroom-view-8473=\(Self.view)")]] {
      #expect(get(target, with: headers) == .refuse(.notFound))
      #expect(get("/style.css", with: headers) == .serve(.style, view: ""))
    }
  }

  @Test(arguments: [400, 401, 403, 404, 405, 411, 413, 415, 421] as [UInt32])
  func `each refusal has words`(code: UInt32) throws {
    let refusal = try #require(RequestJudge.Refusal(rawValue: code))
    #expect(refusal.words.hasSuffix("."))
  }
}
