// SPDX-License-Identifier: Apache-2.0
// The daemon is killed twenty times while it works on a thousand photos. The outcome is the same as
// without kills. The journal file and the origin's log are the witnesses.

import Foundation
import Support
import Testing

@Suite struct KilledDaemonTests {
  private static let count = 1000
  private static let kills = 20

  private func serve(_ bench: DaemonBench) throws -> [(String, String)] {
    // Sixteen pictures are enough to tell prints apart; requests differ by their paths.
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
  func `a thousand photos give the same prints with twenty kills as with none`(seed: UInt64)
    async throws
  {
    try await DaemonBench.use { bench in
      let photos = try serve(bench)
      try await bench.drop(photos, as: "killed.plist")
      var random = SimulatedRandom(seed: seed)
      var known = Known()
      var progress: [Int] = []
      for kill in 1...Self.kills {
        // The gate limits the progress of the daemon, however late the test looks.
        await bench.origin.release("k\(kill)")
        let daemon = try await bench.launch("darkroomd", ["--root", bench.root])
        try await wait(for: daemon, &random, known, bench)
        await daemon.cut()
        try check(&known, bench)
        progress.append(known.downloaded.count)
      }
      // Otherwise the kills came while no work was in progress, and prove nothing.
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
      // The same photos without kills.
      try await bench.drop(photos, as: "calm.plist")
      #expect(try await bench.runUntilIdle().code == 0)
      #expect(prints(bench, "calm") == killed)
      checkLeftovers(bench)
      #expect(bench.copies == ["calm.plist", "killed.plist"])
    }
  }

  /// The facts known after the kills until now.
  private struct Known {
    var downloaded: Set<Int> = []
    var asked = 0
    var accepted = 0
    var segments: Set<String> = []
  }

  /// No photo that was recorded as downloaded at the previous kill is requested again.
  private func check(_ known: inout Known, _ bench: DaemonBench) throws {
    let asked = asked(bench)
    let again = known.downloaded.intersection(asked.dropFirst(known.asked))
    #expect(again.isEmpty, "asked again: \(again.sorted())")
    known.asked = asked.count
    known.downloaded.formUnion(recorded(bench, "downloaded"))
    // Old segments are removed, so the counted ones are remembered.
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
    // Some kills come during the start, the others after a random amount of new records.
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
      // A photo gives two records of about 75 bytes. Waits for at most half of what the gate lets
      // through.
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
