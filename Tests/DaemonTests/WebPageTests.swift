// SPDX-License-Identifier: Apache-2.0
// darkroom-web as a process, and the daemon behind it: prints appear as events, a restart ends no page, the daemon
// decides about each list, and the photos that a page shows go first.

import Foundation
import Linux
import Steer
import Support
import Testing

@Suite struct WebPageTests {
  /// A view that does not exist.
  private static let foreign = "/v/" + String(repeating: "0", count: 32)

  /// Five photos that come at once, one that is not there, and six that wait at a gate.
  private func begin(_ bench: DaemonBench, _ name: String = "summer") async throws
    -> RunningProgram
  {
    let urls = try bench.serveSamples(12)
    let photos = urls.enumerated().map { place, url in
      let number = place + 1
      let rest = number == 6 ? ".gone" : number > 6 ? "?key=\(number)&gate=g" : ""
      return ("Photo <\(number)>", url + rest)
    }
    let daemon = try await bench.start()
    try await bench.drop(photos, as: "\(name).plist")
    for number in 1...5 { try await daemon.says("Filtered 'Photo <\(number)>'") }
    try await daemon.says("Could not download 'Photo <6>'")
    return daemon
  }

  @Test func `a page has all states, and each print as it appears`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      let page = try await web.get("/lists/1/", view)
      #expect(page.text.contains("data-total=12") && page.text.contains("data-focus=1"))
      let policy = try #require(page.header("Content-Security-Policy"))
      #expect(policy.contains("default-src 'none'") && policy.contains("trusted-types 'none'"))
      let states = try await web.get("/lists/1/states", view)
      #expect(states.text == "222223000000")
      let record = try #require(states.header("Darkroom-Record").flatMap { Int($0) })
      let photos = try await web.get("/lists/1/photos?count=12", view).text
      #expect(photos.contains(#"[1,"Photo <1>",""]"#) && photos.contains("404 Not Found"))
      let events = try await web.events(1, view, since: record)
      await bench.origin.release("g")
      let text = try await onOwnThread { events.reads("event: end") }
      for number in 7...12 { #expect(text.contains("\(number).2"), "\(text)") }
      #expect(!text.contains("data: 1.2") && !text.contains(",1.2"))
      #expect(text.contains("data: finished"))
      let last = try await web.events(1, view, since: record)
      #expect(try await onOwnThread { last.reads("event: end") }.contains("7.2"))
      #expect(try await web.get("/lists/1/states", view).text == "222223222222")
      try await bench.stop(daemon)
    }
  }

  @Test func `a page gets thumbnails and prints, and finds names`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      let print = try await web.get("/lists/1/prints/2", view)
      #expect(print.status == 200 && print.header("Content-Type") == "image/jpeg")
      #expect(
        bench.names("prints/summer").contains { bench.bytes("prints/summer/\($0)") == print.body })
      let thumbnail = try await web.get("/lists/1/thumbs/2.jpg", view)
      #expect(thumbnail.body == bench.bytes("prints/summer/.sheet/2.jpg"))
      let tag = try #require(thumbnail.header("ETag"))
      let again = try await WebVisit.ask(
        web.port, "GET \(view)/lists/1/thumbs/2.jpg",
        headers: ["Host: 127.0.0.1:\(web.port)", "If-None-Match: \(tag)"])
      #expect(again.status == 304 && again.body.isEmpty)
      for target in ["thumbs/9.jpg", "thumbs/13.jpg", "prints/6", "prints/9", "prints/13"] {
        #expect(try await web.get("/lists/1/\(target)", view).status == 404)
      }
      #expect(try await web.get("/lists/1/find?text=%3C1&after=1", view).text == #"{"photo":10}"#)
      #expect(try await web.get("/lists/1/find?text=%3C1&after=12", view).text == #"{"photo":1}"#)
      #expect(try await web.get("/lists/1/find?text=none", view).text == "{}")
      #expect(try await web.get("/lists/1/find?text=none&after=5", view).text == "{}")
      // The last group has no print yet.
      let colours = try await web.get("/lists/1/colours?groups=3", view).text
      #expect(colours.contains(#/^[0-9a-f]{36},[0-9a-f]{36},$/#), "\(colours)")
      try await bench.stop(daemon)
    }
  }

  @Test func `a page has all names, however long the URLs are`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      let path = String(repeating: "x", count: 16_000)
      try await bench.drop(
        (1...100).map { ("Photo \($0)", "http://127.0.0.1:1/\($0)/\(path)") }, as: "summer.plist")
      try await daemon.says("Accepted list 'summer'")
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      let photos = try await web.get("/lists/1/photos?count=100", view).text
      for number in 1...100 { #expect(photos.contains("[\(number),\"Photo \(number)\",")) }
      try await bench.stop(daemon)
    }
  }

  @Test func `a restart of the daemon ends no page`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      let events = try await web.events(1, view)
      _ = try await onOwnThread { events.reads("data: ") }
      try await bench.stop(daemon)
      #expect(try await web.get("/lists/1/states", view).status == 503)
      _ = try await onOwnThread { events.reads("event: away") }
      let next = try await bench.start()
      _ = try await onOwnThread { events.reads("event: back") }
      await bench.origin.release("g")
      #expect(try await onOwnThread { events.reads("event: end") }.contains("12.2"))
      #expect(try await web.get("/lists/1/states", view).text == "222223222222")
      try await bench.stop(next)
    }
  }

  @Test func `what a page shows goes first, until it is left`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await bench.startWithTwelve()
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      // As a page does, which asks again before its time is over.
      try await bench.until("the photos on the page have their prints") {
        let answer = try await web.focus(1, "a 11-12,10", view)
        return answer.status == 204 && bench.journal.count { $0.kind == "filtered" } >= 3
      }
      let first = bench.journal.filter { $0.kind == "filtered" }
      #expect(first.count == 3 && Set(first.map(\.photo)) == [10, 11, 12])
      #expect(try await web.focus(1, "a ", view).status == 204)
      #expect(try await web.focus(1, "a 13", view).status == 204)
      #expect(try await web.focus(1, "a 1-", view).status == 400)
      await bench.origin.release("g")
      try await daemon.says("Finished list 'summer'")
      #expect(try await web.focus(1, "a 1", view).status == 204)
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `another user sees no private list, and changes the order of none`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let url = bench.origin.url("/1.jpg")
      let end = try await bench.tool("submit", "--private", "--name", "secret", url)
      #expect(end.code == 0, "\(end)")
      try bench.letAllUsersCall()
      let web = try await WebSite.start(bench)
      let refused = try await bench.tool(
        "open", "--address", web.base, "secret", as: DaemonBench.stranger)
      #expect(refused.code == 5 && refused.errors.contains("'secret' is private"), "\(refused)")
      let theirs = try await web.view("summer", as: DaemonBench.stranger)
      let page = try await web.get("/lists/1/", theirs)
      #expect(page.status == 200 && page.text.contains("data-focus=0"))
      #expect(try await web.focus(1, "a 7", theirs).status == 401)
      let ours = try await web.view("secret")
      #expect(try await web.get("/lists/2/states", ours).status == 200)
      for target in ["", "states", "photos?count=1", "thumbs/1.jpg", "prints/1", "find?text=a"] {
        #expect(try await web.get("/lists/2/\(target)", theirs).status == 401, "\(target)")
        #expect(try await web.get("/lists/2/\(target)", nil).status == 404)
        #expect(try await web.get("/lists/2/\(target)", Self.foreign).status == 401)
      }
      let events = try await web.events(2, theirs)
      #expect(try await onOwnThread { events.reads("event: gone") }.contains("gone"))
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `a list shows no print of a private list that took over from it`() async throws {
    try await DaemonBench.use { bench in
      let urls = try bench.serveSamples(2)
      let daemon = try await bench.start()
      try await bench.drop([("One", urls[0])], as: "pub.plist")
      try await daemon.says("Finished list 'pub'")
      try bench.letAllUsersCall()
      let web = try await WebSite.start(bench)
      let theirs = try await web.view("1", as: DaemonBench.stranger)
      let pictures = ["prints/1", "thumbs/1.jpg"]
      for target in pictures {
        #expect(try await web.get("/lists/1/\(target)", theirs).status == 200, "\(target)")
      }
      let colours = try await web.get("/lists/1/colours?groups=1", theirs).text
      #expect(colours.count == 36)
      // The second list keeps one print and makes another of a name that the first one has.
      let next = PhotoListText.array(
        [("One", urls[1]), ("Two", urls[0])], options: [("Private", "yes")])
      try await bench.drop(next, as: "pub.plist")
      try await daemon.says("Finished list 'pub'", times: 2)
      for target in pictures {
        #expect(try await web.get("/lists/1/\(target)", theirs).status == 404, "\(target)")
      }
      #expect(try await web.get("/lists/1/colours?groups=1", theirs).text.isEmpty)
      #expect(try await web.get("/lists/1/states", theirs).text == "2")
      let again = try await web.view("1", as: DaemonBench.stranger)
      #expect(try await web.get("/lists/1/prints/1", again).status == 404)
      let ours = try await web.view("2")
      for target in pictures {
        #expect(try await web.get("/lists/2/\(target)", ours).status == 200, "\(target)")
      }
      try await bench.stop(daemon)
    }
  }

  @Test func `other headers and the cookies of other servers end no page`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      let others = (1...40).map { "other-\($0)=" + String(repeating: "x", count: 90) }
      let headers =
        [
          "Host: 127.0.0.1:\(web.port)",
          "Cookie: " + others.joined(separator: "; "),
        ] + (1...50).map { "X-Header-\($0): " + String(repeating: "x", count: 60) }
      for target in ["", "states", "thumbs/1.jpg", "prints/1", "photos?count=12"] {
        let reply = try await WebVisit.ask(
          web.port, "GET \(view)/lists/1/\(target)", headers: headers)
        #expect(reply.status == 200, "\(target): \(reply)")
      }
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `a process that cannot read private pictures shows them to their owner`() async throws {
    try await DaemonBench.use { bench in
      let url = try bench.serveSamples(1)[0]
      let daemon = try await bench.start()
      let end = try await bench.tool("submit", "--private", "--name", "secret", url)
      #expect(end.code == 0, "\(end)")
      try await daemon.says("Filtered '1.jpg'")
      try bench.letAllUsersCall()
      let web = try await WebSite.start(bench, as: DaemonBench.stranger)
      let view = try await web.view("secret")
      let print = "prints/secret/\(try #require(bench.names("prints/secret").first))"
      for (target, file) in [("thumbs/1.jpg", "prints/secret/.sheet/1.jpg"), ("prints/1", print)] {
        let reply = try await web.get("/lists/1/\(target)", view)
        #expect(reply.status == 200 && reply.body == bench.bytes(file), "\(target)")
        let reading = try await RunningProgram.start(
          ["cat", "\(bench.root)/\(file)"], as: DaemonBench.stranger)
        #expect(try await reading.end().code != 0, "\(file) is closed to the process")
      }
      let client = try ControlClient(path: "\(bench.root)/control", clock: try SystemClock())
      let order = PictureOrder(list: ListReference("1"), photo: 9)
      #expect(try client.call(order) == PictureReport())
      try await bench.stop(daemon)
    }
  }

  @Test func `the address of a page leads to nothing when its process has ended`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      #expect(try await web.get("/lists/1/states", view).status == 200)
      #expect(try await web.view("summer") != view, "each has an address")
      web.program.send(SIGTERM)
      _ = try await web.program.end()
      let next = try await WebSite.start(bench)
      #expect(try await next.get("/lists/1/states", view).status == 401)
      let client = try ControlClient(
        path: "\(bench.root)/control", clock: try SystemClock(), view: String(view.dropFirst(3)))
      let failure = #expect(throws: ControlFailure.self) {
        try client.call(StatesOrder(list: ListReference("1")))
      }
      guard case .refused(.permissionDenied) = failure else {
        Issue.record("it is a view: \(String(describing: failure))")
        return
      }
      try await bench.stop(daemon)
    }
  }

  /// Any user of the machine can connect.
  @Test func `half-open requests that drip bytes keep nobody from a page`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let web = try await WebSite.start(bench)
      let view = try await web.view("summer")
      let port = web.port
      var held: [WebVisit] = []
      for _ in 0..<200 {
        held.append(
          try await onOwnThread {
            let visit = try WebVisit(port: port)
            visit.send("GET /lists/1/states HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-A: ")
            return visit
          })
      }
      for target in ["", "states", "thumbs/1.jpg", "photos?count=12"] {
        for visit in held { visit.send("a") }
        #expect(try await web.get("/lists/1/\(target)", view).status == 200)
      }
      #expect(try await web.view("summer") != view, "and a page can be opened")
      try await bench.stop(daemon)
    }
  }

  @Test(.enabled(if: DaemonBench.isRoot, "another user is needed, and only root may become one"))
  func `a viewer who takes all streams that they get leaves some for another one`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      try bench.letAllUsersCall()
      let web = try await WebSite.start(bench)
      let theirs = try await web.view("summer", as: DaemonBench.stranger)
      var held: [WebVisit] = []
      for number in 0..<20 {
        let events = try await web.events(1, theirs)
        let word = number < 4 ? "retry: 1000" : "HTTP/1.1 503"
        #expect(try await onOwnThread { events.reads(word) }.contains(word), "\(number)")
        held.append(events)
      }
      let ours = try await web.view("summer")
      let events = try await web.events(1, ours)
      #expect(try await onOwnThread { events.reads("1.2") }.contains("1.2"))
      #expect(try await web.get("/lists/1/states", ours).status == 200)
      withExtendedLifetime(held) {}
      try await bench.stop(daemon)
    }
  }

  @Test func `a request for another host, or of another page, is refused by the process`()
    async throws
  {
    try await DaemonBench.use { bench in
      let web = try await WebSite.start(bench, ["--host", "photos.example.org"])
      let cases: [(String, [String], Int)] = [
        ("GET /style.css", ["Host: photos.example.org"], 200),
        ("GET /style.css", ["Host: evil.example.org"], 421),
        ("GET /../style.css", ["Host: 127.0.0.1:\(web.port)"], 404),
        ("GET \(Self.foreign)/lists/1/thumbs/..%2f1.jpg", ["Host: 127.0.0.1:\(web.port)"], 404),
        ("GET /style.css\u{0}.map", ["Host: 127.0.0.1:\(web.port)"], 400),
        (
          "GET /style.css",
          ["Host: 127.0.0.1:\(web.port)"] + (1...62).map { "X-Header-\($0): x" }
            + ["Sec-Fetch-Site: cross-site"], 400
        ),
        ("DELETE \(Self.foreign)/lists/1/", ["Host: 127.0.0.1:\(web.port)"], 405),
        ("GET \(Self.foreign)/lists/1/", ["Host: 127.0.0.1:\(web.port)"], 401),
        ("GET /lists/1/", ["Host: 127.0.0.1:\(web.port)"], 404),
        ("GET /open/\(String(repeating: "0", count: 32))", ["Host: 127.0.0.1:\(web.port)"], 503),
        (
          "POST \(Self.foreign)/lists/1/focus",
          ["Host: 127.0.0.1:\(web.port)", "Content-Length: 0", "Origin: http://evil.example.org"],
          403
        ),
      ]
      for (line, headers, status) in cases {
        let reply = try await WebVisit.ask(web.port, line, headers: headers)
        #expect(reply.status == status, "\(line): \(reply)")
        #expect(reply.header("Content-Security-Policy") != nil)
      }
      let port = web.port
      let refused = try await onOwnThread {
        let visit = try WebVisit(port: port)
        visit.send("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        return String(decoding: visit.read(), as: UTF8.self)
      }
      #expect(refused.contains(" 404 ") && refused.lowercased().contains("connection: close"))
    }
  }

  @Test func `open starts a server below a root, and a server without clients ends`() async throws {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let end = try await bench.tool("open", "summer")
      let address = end.output.split(separator: "\n").first ?? ""
      let parts = address.split(separator: "/")
      #expect(end.code == 0 && parts.count == 4 && parts[0] == "http:", "\(end)")
      let port = try #require(parts.count > 1 ? Int(parts[1].split(separator: ":")[1]) : nil)
      let reply = try await WebVisit.ask(
        port, "GET /open/\(parts[3])", headers: ["Host: 127.0.0.1:\(port)"])
      #expect(reply.status == 200 && WebSite.view(behind: reply) != nil, "\(reply)")
      let policy = try #require(reply.header("Content-Security-Policy"))
      #expect(policy.contains("default-src 'none'") && !policy.contains("script-src"))
      let missing = try await bench.tool("open", "winter")
      #expect(missing.code == 4 && missing.errors.contains("Could not open 'winter'"), "\(missing)")
      let web = try await WebSite.start(bench, ["--idle", "10"])
      #expect(try await web.get("/style.css", nil).status == 200)
      #expect(try await web.program.end().code == 0)
      try await bench.stop(daemon)
    }
  }
}
