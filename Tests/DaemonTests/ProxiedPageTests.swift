// SPDX-License-Identifier: Apache-2.0
// The page behind nginx, as darkroom-web(8) describes it: a login, encryption, an address that no log has,
// events at once, the focus, and nothing for other names.

import Foundation
import Support
import Testing

@Suite(
  .enabled(if: NginxSite.obstacle == nil, Comment(rawValue: NginxSite.obstacle ?? "")))
struct ProxiedPageTests {
  /// Three prints, and one photo that waits at a gate.
  private func begin(_ bench: DaemonBench) async throws -> RunningProgram {
    let urls = try bench.serveSamples(4)
    let photos = urls.enumerated().map { place, url in
      ("Photo \(place + 1)", place == 3 ? "\(url)?key=4&gate=g" : url)
    }
    let daemon = try await bench.start()
    try await bench.drop(photos, as: "summer.plist")
    for number in 1...3 { try await daemon.says("Filtered 'Photo \(number)'") }
    return daemon
  }

  private func reads(_ words: String, from client: HelperProcess) async throws -> Bool {
    try await onOwnThread {
      while let line = client.readLine() { if line.contains(words) { return true } }
      return false
    }
  }

  @Test func `the documented nginx shows the page to viewers with a login and an address`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await begin(bench)
      let web = try await WebSite.start(bench, ["--host", NginxSite.name])
      let nginx = try await NginxSite.start(bench, before: web)
      let site = "https://\(NginxSite.name)"
      let stranger = try await nginx.ask("GET /style.css", hasLogin: false)
      #expect(stranger.status == 401 && stranger.header("WWW-Authenticate") != nil)

      let opened = try await bench.tool("open", "--address", site, "summer")
      let address = opened.output.split(separator: "\n").first ?? ""
      #expect(address.hasPrefix("\(site)/open/"), "\(opened)")
      let door = try await nginx.ask("GET \(address.dropFirst(site.count))")
      let view = try #require(WebSite.view(behind: door), "\(door)")
      #expect(door.status == 200)

      let page = try await nginx.ask("GET \(view)/lists/1/")
      #expect(page.status == 200 && page.text.contains("data-total=4"), "\(page)")
      #expect(page.header("Content-Security-Policy") != nil)
      #expect(try await nginx.ask("GET \(view)/lists/1/thumbs/1.jpg").status == 200)
      #expect(try await nginx.ask("GET /lists/1/").status == 404)

      // The list goes on, so that the stream does not end: nginx has kept nothing back.
      let events = try nginx.open("GET \(view)/lists/1/events?since=0", [])
      #expect(try await reads("1.2", from: events))
      let focus = ["Content-Type: application/x-darkroom-focus", "Content-Length: 3"]
      for (origin, status) in [
        (site, 204), ("http://\(NginxSite.name)", 403), ("https://evil.example.org", 403),
      ] {
        let reply = try await nginx.ask(
          "POST \(view)/lists/1/focus", focus + ["Origin: \(origin)"], body: "a 4")
        #expect(reply.status == status, "\(origin): \(reply)")
      }
      await bench.origin.release("g")
      #expect(try await reads("4.2", from: events))
      #expect(try await reads("event: end", from: events))

      for host in ["evil.example.org", "\(NginxSite.name).evil.example.org", "127.0.0.1"] {
        #expect(try await nginx.ask("GET \(view)/lists/1/", host: host).status == 421, "\(host)")
      }
      // nginx writes errors down with the address of the request.
      web.program.send(SIGTERM)
      _ = try await web.program.end()
      #expect(try await nginx.ask("GET \(view)/lists/1/").status == 502)
      #expect(!nginx.logs.contains(view.dropFirst(3)), "\(nginx.logs)")
      try await bench.stop(daemon)
    }
  }

  @Test func `the drop-in of the manual page names the host of its nginx`() throws {
    let texts = try NginxSite.documented()
    #expect(texts.count == 3 && texts[0].contains("server_name \(NginxSite.name);"))
    #expect(texts[1].contains("openssl passwd -apr1") && texts[1].contains("darkroom.users"))
    #expect(texts[2] == "[Service]\nEnvironment=\"OPTIONS=--host \(NginxSite.name)\"")
    let unit = Repository.text("systemd/darkroom-web.service")
    #expect(unit.contains("/darkroom-web $OPTIONS\n") && unit.contains("\nEnvironment=OPTIONS=\n"))
  }
}
