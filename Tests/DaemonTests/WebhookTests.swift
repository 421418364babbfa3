// SPDX-License-Identifier: Apache-2.0
// Webhooks: a list names a URL, which is notified when the list is over.

import Foundation
import Support
import Testing

@Suite struct WebhookTests {
  private static func settings(_ bench: DaemonBench, _ more: String = "") throws {
    try bench.settings(
      "\(DaemonBench.settings)[Hooks]\nWebhooks=\(bench.origin.url("/hook"))\n\(more)")
  }

  private func list(_ bench: DaemonBench, _ notify: String) throws -> [UInt8] {
    let photo = try bench.serveSamples(1)[0]
    let photos = #"{"One": "\#(photo)", "Two": "\#(bench.origin.url("/missing/2.jpg"))"}"#
    return Array(#"{"Title": "Été", "Notify": "\#(notify)", "Photos": \#(photos)}"#.utf8)
  }

  private func posts(_ bench: DaemonBench) -> [String] {
    bench.origin.requests().filter { $0.hasPrefix("POST") }
  }

  private func message(_ bench: DaemonBench, _ event: String, name: String = "barn") -> String {
    #"{"event":"\#(event)","list":1,"name":"\#(name)","title":"Été","owner":\#(getuid()),"#
      + #""total":2,"filtered":1,"failed":1,"prints":"\#(bench.root)/prints/\#(name)","#
      + #""results":"\#(bench.root)/done/\#(name).result.plist","#
      + #""retry":"\#(bench.root)/failed/\#(name).retry.plist"}"#
  }

  @Test func `a busy server is told later, with the facts of the list`() async throws {
    try await DaemonBench.use { bench in
      try Self.settings(bench)
      let daemon = try await bench.start()
      let url = bench.origin.url("/hook/busy?key=k&until=1&after=1&file=1.jpg")
      try await bench.drop(list(bench, url), as: "barn.json")
      try await bench.wait(for: "barn", daemon)
      try await daemon.says("Sent the webhook")
      let path = "/hook/busy?key=k&until=1&after=1&file=1.jpg"
      let body = message(bench, "finished")
      let found = posts(bench)
      #expect(found.count == 2)
      #expect(found.first?.hasPrefix("POST \(path) 503 ") == true)
      #expect(found.last?.hasPrefix("POST \(path) 200 ") == true)
      #expect(found.allSatisfy { $0.hasSuffix(" application/json \(body)") }, "\(found)")
      #expect(
        daemon.errors.contains(
          "Could not send the webhook \(bench.origin.url("")) for list 'barn': "
            + "127.0.0.1:\(bench.origin.port) answered 503 Service Unavailable; trying again in 1 s."
        ))
      // The order goes after its message.
      try await bench.until("the order is removed") { bench.names("state/webhooks").isEmpty }
    }
  }

  @Test func `a URL outside the set rejects the list with the setting's name`() async throws {
    try await DaemonBench.use { bench in
      try Self.settings(bench)
      let daemon = try await bench.start()
      let url = bench.origin.url("/other?token=secret")
      try await bench.drop(list(bench, url), as: "barn.json")
      try await daemon.says(
        "Could not accept list 'barn.json': 'Notify' leads to \(bench.origin.url("")), to a URL that "
          + "Webhooks= does not allow")
      let reason = try #require(bench.text("failed/barn.json.reason.txt"))
      #expect(reason.contains("add the URL to Webhooks= under [Hooks]"))
      #expect(!daemon.errors.contains("secret"))
      #expect(posts(bench).isEmpty)
    }
  }

  @Test func `a server that never answers holds up no list and no stop, and a restart goes on`()
    async throws
  {
    try await DaemonBench.use { bench in
      try Self.settings(bench, "WebhookTimeout=5min\n")
      let daemon = try await bench.start()
      try await bench.drop(list(bench, bench.origin.url("/hook/hang?gate=g")), as: "barn.json")
      try await bench.wait(for: "barn", daemon)
      await bench.origin.arrivals(at: "g")
      try await bench.drop(
        [("One", bench.origin.url("/1.jpg"))], as: "other.plist")
      try await bench.wait(for: "other", daemon)
      let end = try await bench.stop(daemon)
      #expect(end.code == 0 && !end.errors.contains("webhook"), "\(end)")
      #expect(bench.names("state/webhooks").count == 1)
      await bench.origin.release("g")
      let again = try await bench.start()
      try await again.says("Sent the webhook")
      #expect(posts(bench).last?.hasSuffix(message(bench, "finished")) == true)
      // The order goes after its message.
      try await bench.until("the order is removed") { bench.names("state/webhooks").isEmpty }
    }
  }

  @Test func `--until-idle tries each webhook in each run, and leaves its order`() async throws {
    try await DaemonBench.use { bench in
      try Self.settings(bench)
      let url = bench.origin.url("/hook/503?after=3600")
      try await bench.drop(list(bench, url), as: "barn.json")
      #expect(try await bench.runUntilIdle(["--leave-hooks"]).code == 3)
      #expect(posts(bench).count == 1)
      let order = try #require(bench.names("state/webhooks").first)
      #expect(bench.text("state/webhooks/\(order)")?.contains("\nattempts=1\n") == true)
      #expect(try await bench.runUntilIdle(["--leave-hooks"]).code == 0)
      #expect(posts(bench).count == 2)
      #expect(bench.text("state/webhooks/\(order)")?.contains("\nattempts=1\n") == true)
    }
  }

  @Test func `submit --notify names the URL, a retry keeps it, and a cancel is told`() async throws
  {
    try await DaemonBench.use { bench in
      try Self.settings(bench)
      let daemon = try await bench.start()
      let bad = try await bench.tool("submit", "--notify", "mailto:me", bench.origin.url("/x.jpg"))
      #expect(bad.code == 2 && bad.errors.contains("--notify"))
      let missing = bench.origin.url("/missing/1.jpg")
      let hook = bench.origin.url("/hook/answer?status=200")
      let submitted = try await bench.tool(
        "submit", "--wait", "--name", "barn.json", "--notify", hook, missing)
      #expect(submitted.code == 1, "\(submitted)")
      try await daemon.says("Sent the webhook")
      #expect(bench.text("failed/barn.retry.plist")?.contains("<string>\(hook)</string>") == true)
      #expect(try await bench.tool("retry", "barn").code == 0)
      try await bench.until("the retry is told") { posts(bench).count == 2 }
      #expect(posts(bench)[1].contains(#""event":"finished","list":2,"name":"barn""#))
      try await bench.drop(
        Array(
          #"{"Notify": "\#(hook)", "Photos": ["\#(bench.origin.url("/hang?gate=x"))"]}"#.utf8),
        as: "slow.json")
      try await daemon.says("Accepted list 'slow'")
      #expect(try await bench.tool("cancel", "slow").code == 0)
      try await bench.until("the cancel is told") { posts(bench).count == 3 }
      #expect(posts(bench)[2].contains(#"{"event":"cancelled","list":3,"name":"slow""#))
    }
  }

  @Test func `a reload allows URLs, and a bad one is refused with its line`()
    async throws
  {
    try await DaemonBench.use { bench in
      let daemon = try await bench.start()
      try Self.settings(bench, "Webhooks=https://me:secret@h/\n")
      let refused = try await bench.reload()
      #expect(refused.code == 78)
      #expect(refused.errors.contains(":11: a URL of Webhooks= is written as https://"))
      #expect(!refused.errors.contains("secret"))
      try Self.settings(bench)
      #expect(try await bench.reload().code == 0)
      try await bench.drop(list(bench, bench.origin.url("/hook/404")), as: "barn.json")
      try await bench.wait(for: "barn", daemon)
      try await daemon.says("Could not send the webhook")
      try await bench.until("it is tried again") { posts(bench).count > 1 }
      #expect(posts(bench).allSatisfy { $0.contains("/hook/404 404 ") })
    }
  }
}
