// SPDX-License-Identifier: Apache-2.0
// The daemon is killed twenty times while it works on a thousand photos. In the end nobody can tell.
// The journal file and the origin's log are the witnesses.

import Foundation
import Support
import Testing

@Suite struct KilledDaemonTests {
  private static let count = 1000
  private static let kills = 20

  private func serve(_ bench: DaemonBench) throws -> [(String, String)] {
    // Sixteen pictures are enough to tell prints from each other; requests are told by their paths.
    let pictures = (1...16).map { SamplePictures.jpeg(width: 24, height: 16, seed: $0) }
    return try (1...Self.count).map { number in
      let kind = number % 10 == 0 ? "png" : "jpg"
      let picture =
        kind == "png"
        ? SamplePictures.png(width: 16, height: 8, seed: UInt32(number % 7))
        : pictures[number % pictures.count]
      try bench.serve(picture, as: "\(number).\(kind)")
      let gate = "k\((number - 1) / (Self.count / Self.kills) + 1)"
      return ("Photo \(number)", bench.origin.url("/\(number).\(kind)?gate=\(gate)"))
    }
  }

  private func prints(_ bench: DaemonBench, _ list: String) -> [String: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: bench.names("prints/\(list)").map {
        ($0, bench.bytes("prints/\(list)/\($0)") ?? [])
      })
  }

  /// The photos that the origin was asked for, in order.
  private func asked(_ bench: DaemonBench) -> [Int] {
    bench.origin.requests().compactMap { line in
      line.split(separator: "/").dropFirst().first.flatMap { path in
        Int(path.prefix { $0.isNumber })
      }
    }
  }

  private func recorded(_ bench: DaemonBench, _ kind: String) -> Set<Int> {
    Set(bench.journal.filter { $0.kind == kind && $0.list == 1 }.map(\.photo))
  }

  @Test(arguments: [20_260_101, 7] as [UInt64])
  func `a thousand photos and twenty kills come to the same as none`(seed: UInt64) async throws {
    try await DaemonBench.use { bench in
      let photos = try serve(bench)
      try await bench.drop(photos, as: "killed.plist")
      var random = SimulatedRandom(seed: seed)
      var known = Known()
      var progress: [Int] = []
      for kill in 1...Self.kills {
        // However long the test is kept from looking, the daemon does no more than this much.
        await bench.origin.release("k\(kill)")
        let daemon = try await bench.launch("darkroomd", ["--root", bench.root])
        try await wait(for: daemon, &random, known, bench)
        await daemon.cut()
        try check(&known, bench)
        progress.append(known.downloaded.count)
      }
      // Else the kills came when nothing was going on, and nothing is shown.
      let hits = Set(progress.filter { $0 > 0 && $0 < Self.count })
      #expect(hits.count >= Self.kills / 2, "\(progress)")
      let end = try await bench.runUntilIdle()
      #expect(end.code == 0, "\(end)")
      try check(&known, bench)
      #expect(asked(bench).count >= Self.count)
      #expect(Set(asked(bench)).count == Self.count)
      #expect(known.accepted <= 1, "accepted twice")
      let killed = prints(bench, "killed")
      #expect(killed.count == Self.count)
      checkLeftovers(bench)
      // The same without kills.
      try await bench.drop(photos, as: "calm.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(prints(bench, "calm") == killed)
      checkLeftovers(bench)
      #expect(bench.copies == ["calm.plist", "killed.plist"])
    }
  }

  /// What was seen to be so after the kills until now.
  private struct Known {
    var downloaded: Set<Int> = []
    var asked = 0
    var accepted = 0
    var segments: Set<String> = []
  }

  /// Nothing that was recorded before the kill before is asked for again.
  private func check(_ known: inout Known, _ bench: DaemonBench) throws {
    let asked = asked(bench)
    let again = known.downloaded.intersection(asked.dropFirst(known.asked))
    #expect(again.isEmpty, "asked again: \(again.sorted())")
    known.asked = asked.count
    known.downloaded.formUnion(recorded(bench, "downloaded"))
    // Old segments go, so those that were counted are remembered.
    for name in bench.names("state/journal") where name.hasSuffix(".log") {
      guard known.segments.insert(name).inserted else { continue }
      let text = bench.text("state/journal/\(name)") ?? ""
      known.accepted += text.components(separatedBy: " accepted ").count - 1
    }
  }

  private func wait(
    for daemon: RunningProgram, _ random: inout SimulatedRandom, _ known: Known,
    _ bench: DaemonBench
  ) async throws {
    // Some kills come while it starts or accepts, the others after so many more steps.
    switch random.number(below: 6) {
    case 0:
      let moment = random.number(below: 3)
      try await bench.until("a file of its start") {
        guard daemon.isRunning else { return true }
        switch moment {
        case 0: return !bench.names("state/journal").isEmpty
        case 1: return daemon.errors.contains("Read the journal file")
        default: return daemon.errors.contains(" is ready: ")
        }
      }
    default:
      // Two records for a photo, some 75 bytes each. Half of what is let through: there is so much left.
      let bytes = random.number(below: 75 * Self.count / Self.kills)
      try await bench.until("\(bytes) more bytes of records") {
        guard daemon.isRunning else { return true }
        if bench.names("done").contains("killed.plist") { return true }
        let new = bench.names("state/journal").filter {
          $0.hasSuffix(".log") && !known.segments.contains($0)
        }
        return new.contains { bench.size("state/journal/\($0)") > 160 + bytes }
      }
    }
    #expect(daemon.isRunning, "it ended by itself: \(daemon.errors)")
  }

  private func checkLeftovers(_ bench: DaemonBench) {
    #expect(bench.names("state/originals").isEmpty)
    #expect(bench.names("inbox").allSatisfy { $0 == ".claim" })
    #expect(bench.names("inbox/.claim") == [".lock"])
    for folder in ["prints", "prints/killed", "done", "failed", "state/lists"] {
      let strays = bench.names(folder).filter { $0.hasPrefix(".") }
      #expect(strays.isEmpty, "\(folder): \(strays)")
    }
    #expect(bench.names("failed").isEmpty)
  }
}
