// SPDX-License-Identifier: Apache-2.0
// Lists whose reading kills the worker, and the folder where they are kept.

import Linux
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

  @Test("A list that kills its worker is read twice, then rejected with where it lies")
  func twice() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "killer")
      try bench.settle()
      #expect(bench.reception.state.withLock { $0.reads } == 2)
      #expect(bench.reception.state.withLock { $0.deaths } == [false, true])
      #expect(bench.reception.rejectedCodes == ["list.poison"])
      #expect(try bench.failed.listing() == ["barn.plist", "barn.plist.reason.txt"])
      let names = try bench.quarantine.listing()
      let stem = try #require(names.first)
      #expect(names == [stem, "\(stem).died", "\(stem).txt"])
      #expect(try bench.quarantine.text(stem) == "killer")
      let reason = try #require(try bench.failed.text("barn.plist.reason.txt"))
      #expect(reason.contains("quarantine/\(stem): the worker ended with signal 11"))
      // The same bytes again, under another name: they are known.
      try bench.inbox.put(FileName(literal: "other.plist"), "killer")
      try bench.restart()
      try bench.settle()
      #expect(bench.reception.state.withLock { $0.reads } == 2)
      #expect(bench.reception.rejectedCodes == ["list.poison", "list.poison"])
      #expect(try bench.quarantine.listing() == names)
      // Somebody wants it tried.
      for name in names { try bench.quarantine.remove(try #require(FileName(name))) }
      try bench.inbox.put(ClaimBench.name, "killer")
      try bench.settle()
      #expect(bench.reception.state.withLock { $0.reads } == 4)
    }
  }

  @Test(
    "No restart makes it forgotten: whatever step is killed, three reads are the most",
    arguments: [false, true])
  func everyStep(readsAhead: Bool) async throws {
    try await onOwnThread {
      var steps = 0
      while true {
        steps += 1
        let bench = try ClaimBench(readsAhead: readsAhead)
        try bench.inbox.put(ClaimBench.name, "killer")
        bench.cut.set(.kill, at: steps)
        try? bench.settle(rounds: 1)
        guard let step = bench.cut.step else { break }
        try bench.restart()
        try bench.settle()
        // A crash between a death and its note is the one that may cost another.
        #expect(bench.reception.state.withLock { $0.reads } <= 3, "\(step)")
        #expect(bench.reception.rejectedCodes.allSatisfy { $0 == "list.poison" }, "\(step)")
        #expect(!bench.reception.rejectedCodes.isEmpty && bench.reception.names.isEmpty, "\(step)")
        let names = try bench.quarantine.listing().filter { !$0.hasPrefix(".") }
        let stem = try #require(names.first)
        #expect(names == [stem, "\(stem).died", "\(stem).txt"], "\(step)")
        #expect(try bench.candidates().isEmpty, "\(step)")
      }
      #expect(steps > 40)
    }
  }

  @Test("A full disk does not make it start over")
  func fullDisk() async throws {
    try await onOwnThread {
      let bench = try ClaimBench()
      try bench.inbox.put(ClaimBench.name, "killer")
      let cut = bench.cut
      cut.onStep { step in
        if step == "read list" { cut.set(.kill, at: 3) }
      }
      try bench.settle()
      // Once more after each note that could not be made, and never a third time.
      #expect(bench.reception.state.withLock { $0.reads } <= 2)
      #expect(bench.reception.rejectedCodes.isEmpty)
      bench.cut.onStep(nil)
      bench.cut.set(.never, at: 0)
      try bench.settle()
      #expect(bench.reception.rejectedCodes == ["list.poison"])
      #expect(bench.reception.state.withLock { $0.reads } == 2)
    }
  }

  @Test("The story says what happened, with nothing that a terminal would take for its own")
  func storyText() {
    #expect(
      Self.story("Bàrn 1\n").text == """
        This picture killed its worker 2 times and is not tried again.
        list=12
        photo=3
        name=B%C3%A0rn%201%0A
        host=photos.example.org
        sha256=0123456789abcdef
        death=the worker ended with signal 11\\x1b[2J
        time=2024-02-29T23:59:59Z

        """)
  }

  @Test("What is oldest goes where there are too many or too much of them")
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
    // Larger than all that may be kept.
    try input.truncate(to: 4001)
    try quarantine.setAside(input, as: "2-2", Self.story())
    #expect(try folder.listing().contains("2-2.txt"))
    #expect(try !folder.listing().contains("2-2"))
    #expect(try folder.status(of: FileName(literal: "2-2.txt")).mode == 0o640)
  }

  @Test("Deaths are counted for these very bytes")
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
