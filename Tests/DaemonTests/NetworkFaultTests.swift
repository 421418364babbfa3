// SPDX-License-Identifier: Apache-2.0
// The network really fails, in its own namespace: the list finishes by itself, with every byte right.

import Digests
import Foundation
import Support
import Testing

@Suite(.enabled(if: LoneNetwork.obstacle == nil, "\(LoneNetwork.obstacle ?? "")"))
struct NetworkFaultTests {
  private static let settings = """
    [Inbox]
    QuietTime=250ms
    [Download]
    AllowNetworks=127.0.0.0/8
    Attempts=30
    ConnectTimeout=2s

    """

  /// Photos of many packets each, with their checksums in the list, so that a wrong byte fails a
  /// photo.
  private func photos(_ count: Int, at bench: DaemonBench) throws -> [UInt8] {
    let rows = try (1...count).map { number in
      let picture = SamplePictures.jpeg(width: 480, height: 320, seed: UInt32(number))
      try bench.serve(picture, as: "\(number).jpg")
      var hash = SHA256()
      hash.add(picture)
      return """
        <key>Photo \(number)</key><dict><key>URL</key><string>\(bench.origin.url("/\(number).jpg"))\
        </string><key>SHA256</key><string>\(hash.digest().hex)</string></dict>
        """
    }
    return Array("<plist version=\"1.0\"><dict>\(rows.joined())</dict></plist>".utf8)
  }

  /// Develops the list in calm, then under another name in trouble: the prints are the same.
  private func survive(
    _ count: Int, _ begin: (LoneNetwork, Int) async throws -> Void,
    during: (LoneNetwork, DaemonBench) async throws -> Void = { _, _ in }
  ) async throws {
    try await LoneNetwork.use { network in
      try await DaemonBench.use(settings: Self.settings, in: network) { bench in
        let list = try photos(count, at: bench)
        let daemon = try await bench.start()
        try await bench.drop(list, as: "calm.plist")
        #expect(try await bench.wait(for: "calm", daemon).code == 0)
        try await begin(network, bench.origin.port)
        try await bench.drop(list, as: "storm.plist")
        try await during(network, bench)
        let end = try await bench.wait(for: "storm", daemon)
        let failed = try await bench.show("storm").photos.filter { $0.state != "filtered" }
        #expect(end.code == 0, "\(end) \(failed)")
        #expect(bench.names("prints/storm").count == count)
        for name in bench.names("prints/calm") {
          #expect(bench.bytes("prints/storm/\(name)") == bench.bytes("prints/calm/\(name)"))
        }
        try await bench.stop(daemon)
        #expect(!daemon.errors.contains("Failed"), "no photo fails")
      }
    }
  }

  @Test func `one packet in ten is lost, both ways`() async throws {
    try await survive(30) { network, port in
      for side in ["sport", "dport"] {
        try await network.trouble(port, side, "numgen random mod 10 0 counter drop")
      }
    } during: { network, bench in
      try await bench.until("packets are lost") { bench.journal.contains { $0.list == 2 } }
      #expect(try await bench.tool("wait", "--timeout", "\(Patience.seconds)s", "storm").code == 0)
      #expect(try await network.troubled() > 0)
    }
  }

  @Test func `connections are reset repeatedly`() async throws {
    try await survive(30) { network, port in
      try await network.trouble(
        port, "dport", "numgen inc mod 9 0 counter reject with tcp reset")
    } during: { network, bench in
      try await bench.until("a photo is tried again") {
        bench.journal.contains { $0.kind == "retry" }
      }
      #expect(try await network.troubled() > 0)
    }
  }

  @Test func `the line is slow`() async throws {
    try await survive(30) { network, _ in try await network.limit("8mbit") }
  }

  @Test func `a machine without a network fails no photo, and counts no attempt`() async throws {
    try await LoneNetwork.use { network in
      try await DaemonBench.use(settings: Self.settings, in: network) { bench in
        let near = try bench.serveSamples(1)
        let daemon = try await bench.start()
        try await bench.drop([("Far", "http://8.8.8.8/a.jpg"), ("Near", near[0])], as: "far.plist")
        try await daemon.says("this machine has no network")
        try await daemon.says("list 1 waits until it clears")
        try await bench.until("the photo of a server on this machine is filtered") {
          try await bench.show("far").filtered == 1
        }
        let far = try await bench.show("far").photos.first { $0.name == "Far" }
        #expect(far?.state == "new" && far?.attempts == 0, "\(String(describing: far))")
        try await bench.stop(daemon)
      }
    }
  }

  @Test func `the link is cut for 30 seconds in the middle of a list`() async throws {
    try await survive(60) { network, _ in
      try await network.limit("1mbit")
    } during: { network, bench in
      try await bench.until("some photos are there") {
        bench.journal.filter { $0.kind == "downloaded" && $0.list == 2 }.count >= 5
      }
      for side in ["sport", "dport"] {
        try await network.trouble(bench.origin.port, side, "counter drop")
      }
      // Not a wait for an event: the fault lasts this long.
      try await Task.sleep(for: .seconds(30))
      #expect(try await bench.tool("status").code == 0, "the daemon answers meanwhile")
      #expect(!bench.journal.contains { $0.kind == "finished" && $0.list == 2 })
      try await network.calm()
      try await network.limit("100mbit")
    }
  }
}
