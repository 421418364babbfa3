// SPDX-License-Identifier: Apache-2.0
// Lists that kill the worker that reads them, and the quarantine folder.

import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct PoisonTests {
  static let digest = String(repeating: "0123456789abcdef", count: 4)

  static func story(_ name: String = "a") -> PoisonStory {
    PoisonStory(
      list: ListID(12), photo: 3, name: Array(name.utf8), host: "photos.example.org",
      sha256: "0123456789abcdef", death: "the worker ended with signal 11\u{1B}[2J",
      time: 1_709_251_199_000)
  }

  @Test("A list that kills its worker is read twice, then rejected with its place in quarantine")
  func twice() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "killer")
    try await bench.settle()
    #expect(bench.rules.state.withLock { $0.reads } == 2)
    #expect(bench.rules.state.withLock { $0.deaths } == [false, true])
    #expect(bench.rules.rejectedCodes == ["list.poison"])
    #expect(try bench.failed.listing() == ["barn.plist", "barn.plist.reason.txt"])
    let names = try bench.quarantine.listing()
    let stem = try #require(names.first)
    #expect(names == [stem, "\(stem).died", "\(stem).txt"])
    #expect(try bench.quarantine.text(stem) == "killer")
    let reason = try #require(try bench.failed.text("barn.plist.reason.txt"))
    #expect(reason.contains("quarantine/\(stem): the worker ended with signal 11"))
    // The same bytes under another name are recognised.
    try bench.inbox.put(FileName(literal: "other.plist"), "killer")
    try await bench.restart()
    try await bench.settle()
    #expect(bench.rules.state.withLock { $0.reads } == 2)
    #expect(bench.rules.rejectedCodes == ["list.poison", "list.poison"])
    #expect(try bench.quarantine.listing() == names)
    // Removed from quarantine, the same bytes are tried again.
    for name in names { try bench.quarantine.remove(try #require(FileName(name))) }
    try bench.inbox.put(ClaimBench.name, "killer")
    try await bench.settle()
    #expect(bench.rules.state.withLock { $0.reads } == 4)
  }

  @Test(
    "Restarts do not forget it: it is read at most three times, whichever step is killed",
    arguments: [false, true])
  func everyStep(readsAhead: Bool) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ClaimBench(readsAhead: readsAhead)
      try bench.inbox.put(ClaimBench.name, "killer")
      bench.cut.set(.kill, at: steps)
      try? await bench.settle(rounds: 1)
      guard let step = bench.cut.step else { break }
      try await bench.restart()
      try await bench.settle()
      // Only a crash between a death and its note may cost another read.
      #expect(bench.rules.state.withLock { $0.reads } <= 3, "\(step)")
      #expect(bench.rules.rejectedCodes.allSatisfy { $0 == "list.poison" }, "\(step)")
      #expect(!bench.rules.rejectedCodes.isEmpty && bench.rules.names.isEmpty, "\(step)")
      let names = try bench.quarantine.listing().filter { !$0.hasPrefix(".") }
      let stem = try #require(names.first)
      #expect(names == [stem, "\(stem).died", "\(stem).txt"], "\(step)")
      #expect(try bench.candidates().isEmpty, "\(step)")
    }
    #expect(steps > 40)
  }

  @Test("The start removes files that a crash left unfinished in the quarantine")
  func unfinished() throws {
    let scratch = try ScratchFolder()
    for name in [".new-list-a.died", "list-a"] {
      try scratch.folder.put(FileName(made: name), "x")
    }
    try Quarantine(scratch.folder).sweep()
    #expect(try scratch.folder.listing() == ["list-a"])
  }

  @Test("A full disk does not make it start over")
  func fullDisk() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "killer")
    let cut = bench.cut
    cut.onStep { step in
      if step == "read list" { cut.set(.kill, at: 3) }
    }
    try await bench.settle()
    // A note that could not be written costs one more read, never a third.
    #expect(bench.rules.state.withLock { $0.reads } <= 2)
    #expect(bench.rules.rejectedCodes.isEmpty)
    bench.cut.onStep(nil)
    bench.cut.set(.never, at: 0)
    try await bench.settle()
    #expect(bench.rules.rejectedCodes == ["list.poison"])
    #expect(bench.rules.state.withLock { $0.reads } == 2)
  }

  @Test("The story says what happened, without control characters")
  func storyText() {
    #expect(
      Self.story("Bàrn 1\n").text == """
        This picture killed or stopped its worker 2 times and is not tried again.
        list=12
        photo=3
        name=B%C3%A0rn%201%0A
        host=photos.example.org
        sha256=0123456789abcdef
        death=the worker ended with signal 11\\x1b[2J
        time=2024-02-29T23:59:59Z

        """)
  }

  @Test("The oldest entries go when there are too many or they are too large")
  func bounded() throws {
    let scratch = try ScratchFolder()
    let folder = try scratch.subfolder("quarantine")
    let quarantine = Quarantine(folder, maximumEntries: 3, maximumBytes: 4000)
    let input = try scratch.folder.open(FileName(literal: "input"), .create)
    try input.write([UInt8](repeating: 1, count: 100), at: 0)
    for number in 1...5 {
      try quarantine.setAside(input, as: "1-\(number)", Self.story())
      #expect(try folder.listing().contains("1-\(number)"))
    }
    let kept = ["1-3", "1-3.txt", "1-4", "1-4.txt", "1-5", "1-5.txt"]
    #expect(try folder.listing() == kept)
    try quarantine.note(deaths: 1, sha256: Self.digest)
    #expect(try folder.listing().count == 5)
    try input.truncate(to: 3500)
    try quarantine.setAside(input, as: "2-1", Self.story())
    #expect(try folder.listing() == ["2-1", "2-1.txt", "list-0123456789abcdef.died"])
    // An input larger than the whole quarantine may be.
    try input.truncate(to: 4001)
    try quarantine.setAside(input, as: "2-2", Self.story())
    #expect(try folder.listing().contains("2-2.txt"))
    #expect(try !folder.listing().contains("2-2"))
    #expect(try folder.status(of: FileName(literal: "2-2.txt")).mode == 0o640)
  }

  @Test("Deaths are counted for exactly these bytes")
  func deaths() throws {
    let scratch = try ScratchFolder()
    let quarantine = Quarantine(scratch.folder)
    #expect(try quarantine.deaths(sha256: Self.digest) == 0)
    try quarantine.note(deaths: 1, sha256: Self.digest)
    #expect(try quarantine.deaths(sha256: Self.digest) == 1)
    let like = String(Self.digest.prefix(16)) + String(repeating: "0", count: 48)
    #expect(try quarantine.deaths(sha256: like) == 0)
    try quarantine.forget(sha256: Self.digest)
    #expect(try quarantine.deaths(sha256: Self.digest) == 0)
  }
}
