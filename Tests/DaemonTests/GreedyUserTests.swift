// SPDX-License-Identifier: Apache-2.0
// One user takes all that a user can have of every limit at the same time: connections to the daemon, places of the
// inbox, lists at work, downloads and turns of the filter. Another user's calls and lists go on beside him.

import Foundation
import Support
import Testing

@Suite(.enabled(if: DaemonBench.isRoot, "only root can act for two users"))
struct GreedyUserTests {
  private static let greedy: UInt32 = 65533
  private static let modest = DaemonBench.stranger
  private static let settings = DaemonBench.settings.replacing(
    "QuietTime=250ms", with: "QuietTime=250ms\nMaximumLists=8")

  /// Opens connections until one is not served. Every other one has sent half a message when it waits.
  private static let caller = """
    import signal, socket, sys
    held = []
    while len(held) < 1000:
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(600)
        one.connect(sys.argv[1])
        try:
            one.sendall(b'{"method": "io.darkroom.Control.Status"}\\0')
            answer = one.recv(1 << 16)
        except OSError:
            break
        if not answer or b'"error"' in answer: break
        held.append(one)
        if len(held) % 2: one.sendall(b'{"method": "io.dark')
    print("holds", len(held), file=sys.stderr, flush=True)
    signal.pause()
    """

  /// Drops lists of one user at once.
  private func drop(
    _ count: Int, lists photos: [(String, String)], by user: UInt32, in bench: DaemonBench
  ) async throws {
    let list = PhotoListText.dictionary(photos)
    for number in 1...count { try bench.folder.write(list, to: "root/many/greedy \(number).plist") }
    try await bench.give("\(bench.root)/many", to: user)
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(bench.root)/many") {
      try FileManager.default.moveItem(
        atPath: "\(bench.root)/many/\(name)", toPath: "\(bench.root)/inbox/\(name)")
    }
  }

  /// Returns once a list of four photos is over that the modest user drops.
  private func develop(
    _ name: String, from origin: Origin, _ bench: DaemonBench, _ daemon: RunningProgram
  ) async throws {
    let photos = (1...4).map { ("Photo \($0)", origin.url("/\($0).jpg")) }
    try await bench.dropForeign(photos, as: "\(name).plist")
    try await daemon.says("Accepted list '\(name)'")
    let end = try await bench.tool(
      "wait", "--timeout", "\(Patience.seconds)s", name, as: Self.modest)
    #expect(end.code == 0, "\(end)")
  }

  @Test func `a user who takes all of everything keeps another one waiting for a turn at most`()
    async throws
  {
    try await DaemonBench.use(settings: Self.settings) { bench in
      let urls = try bench.serveSamples(8)
      let other = try await bench.startOtherOrigin()
      let daemon = try await bench.start()
      try bench.letAllUsersCall()
      // One that every user may execute.
      let calls = try await bench.run(
        ["/usr/bin/python3", "-c", Self.caller, "\(bench.root)/control"], as: Self.greedy)
      try await calls.says("holds ")
      // Every list fills all places of the greedy user's host.
      let hanging = (1...400).map { ("Photo \($0)", urls[$0 % 8] + "?gate=g&photo=\($0)") }
      try await drop(30, lists: hanging, by: Self.greedy, in: bench)
      try await daemon.says("Accepted list 'greedy ", times: 8)
      await bench.origin.arrivals(at: "g", 2)

      #expect(try await bench.tool("status", as: Self.modest).code == 0)
      try await develop("modest", from: other, bench, daemon)
      let filtered = bench.journal.count { $0.kind == "filtered" && $0.list <= 8 }
      #expect(filtered == 0, "it went on while every photo of the greedy user hung")

      // Now all of them want the filter.
      await bench.origin.release("g")
      try await bench.until("the greedy user's photos are filtered") {
        bench.journal.contains { $0.kind == "filtered" && $0.list <= 8 }
      }
      try await develop("second", from: other, bench, daemon)
      let records = bench.journal
      let list = try await bench.show("second").id
      let begun = try #require(records.firstIndex { $0.list == list })
      let ended = try #require(records.lastIndex { $0.list == list && $0.kind == "filtered" })
      let between = records[begun...ended].count { $0.kind == "filtered" && $0.list != list }
      // In one line for all, the four photos would come after 3,200. They wait for a worker of their own, which starts
      // in the time of some dozens of small photos.
      #expect(between < 800, "\(between) photos of the greedy user went before")
      calls.send(SIGTERM)
      try await bench.stop(daemon)
      other.stop()
    }
  }
}
