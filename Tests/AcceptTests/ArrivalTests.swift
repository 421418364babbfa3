// SPDX-License-Identifier: Apache-2.0
// The ways in which programs and people bring a file into a folder: each gives one list with the final
// bytes, and none before the file is whole.

import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct ArrivalTests {
  /// The steps of a user, a second apart.
  struct Habit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The final name of the file.
    let name: String
    let steps: [@Sendable (InboxBench) -> Void]

    init(_ what: String, name: String = "a.plist", _ steps: (@Sendable (InboxBench) -> Void)...) {
      (testDescription, self.name, self.steps) = (what, name, steps)
    }
  }

  private static func append(_ text: String) -> @Sendable (InboxBench) -> Void {
    { bench in
      let file = User.open(bench.path("a.plist"), O_WRONLY | O_CREAT | O_APPEND)
      User.write(file, text)
      close(file)
    }
  }

  static let habits = [
    Habit(
      "a scanner that opens, appends and closes five times, a second apart", append("the "),
      append("list "), append("until "), append("its "), append("end")),
    Habit(
      "touch, and the contents three seconds later", { User.put($0.path("a.plist"), "") }, { _ in },
      { _ in }, { User.put($0.path("a.plist"), "the list until its end") }),
    Habit(
      "fallocate to its full size, the bytes later",
      { bench in
        let file = User.open(bench.path("a.plist"), O_WRONLY | O_CREAT)
        _ = posix_fallocate(file, 0, 22)
        close(file)
      },
      { bench in
        let file = User.open(bench.path("a.plist"), O_WRONLY)
        User.write(file, "the list until its end")
        close(file)
      }),
    Habit(
      "sftp that is aborted half-way, and sent again from the start",
      { User.put($0.path("a.plist"), "the list un") }, { _ in },
      { User.put($0.path("a.plist"), "the list until its end") }),
    Habit(
      "a browser's part file that is renamed when it is whole",
      { User.put($0.path("a.plist.crdownload"), "the list un") },
      { bench in
        User.put(bench.path("a.plist.crdownload"), "the list until its end")
        User.rename(bench.path("a.plist.crdownload"), bench.path("a.plist"))
      }),
    Habit(
      "sed -i: a file of another name, renamed over the old one",
      { User.put($0.path("a.plist"), "the list un") },
      { bench in
        User.put(bench.path("sedAbCdEf"), "the list until its end")
        User.rename(bench.path("sedAbCdEf"), bench.path("a.plist"))
      }),
    Habit(
      "an editor's swap, backup and number files beside it",
      { bench in
        for name in [".a.plist.swp", ".a.plist.swx", "4913", "a.plist~", ".DS_Store", "._a.plist"] {
          User.put(bench.path(name), "the end")
        }
        User.put(bench.path("a.plist"), "the list until its end")
      },
      { bench in
        for name in [".a.plist.swp", ".a.plist.swx", "4913"] { User.unlink(bench.path(name)) }
      }),
    Habit(
      "an upload that is killed half-way and leaves its hidden file",
      { User.put($0.path(".a.plist.Xy12Zw"), "the list un") },
      { User.put($0.path("a.plist"), "the list until its end") }),
    Habit(
      "a file dated 1970", { User.put($0.path("a.plist"), "the list until its end") },
      { User.date($0.path("a.plist"), 0) }),
    Habit(
      "a file dated 2100", { User.put($0.path("a.plist"), "the list until its end") },
      { User.date($0.path("a.plist"), 4_102_444_800) }),
    Habit(
      "install -m 000, and chmod a while later",
      { bench in
        User.put(bench.path("a.plist"), "the list until its end")
        User.mode(bench.path("a.plist"), 0)
      },
      { User.mode($0.path("a.plist"), 0o644) }),
  ]

  @Test(
    "Every way of bringing a file in gives one list with the final bytes", arguments: habits)
  func habit(_ habit: Habit) async throws {
    let bench = try InboxBench()
    for step in habit.steps {
      step(bench)
      _ = await bench.inbox.settled()
      // Old enough to be tried, too young to be rejected.
      await bench.pass(.seconds(1))
    }
    await bench.settle()
    let texts = try bench.accepted()
    #expect(texts == [habit.name: "the list until its end"])
    #expect(bench.rules.state.withLock { $0.accepts } == 1)
    #expect(bench.rules.rejectedCodes.isEmpty)
    #expect(try bench.left().allSatisfy { !$0.hasSuffix(".plist") || $0.hasPrefix(".") })
    await bench.inbox.stop()
  }

  @Test("A list linked in before its writer is done is taken with everything written later")
  func writtenAfterLink() async throws {
    let bench = try InboxBench()
    let file = User.unnamed(in: bench.inboxPath)
    User.write(file, "first end")
    User.name(file, bench.path("a.plist"))
    #expect(await bench.settle().candidates == 1)
    // The doorbell stays silent: inotify reports neither the write nor the close of a file opened
    // without a name.
    User.write(file, " second end")
    close(file)
    await bench.pass(.seconds(60))
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "first end second end"])
    await bench.inbox.stop()
  }

  @Test("Two lists exchanged in one step are both taken, each once, under the names they have then")
  func exchanged() async throws {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), "a end")
    User.put(bench.path("b.plist"), "b end")
    _ = await bench.inbox.settled()
    User.exchange(bench.path("a.plist"), bench.path("b.plist"))
    await bench.settle()
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "b end", "b.plist": "a end"])
    #expect(bench.rules.recorded.count == 2)
    await bench.inbox.stop()
  }

  @Test("A file that comes and goes within a moment leaves nothing and disturbs no other file")
  func briefly() async throws {
    let bench = try InboxBench()
    for number in 0..<200 {
      User.put(bench.path("\(number).plist"), "end")
      User.unlink(bench.path("\(number).plist"))
    }
    User.put(bench.path("a.plist"), "a end")
    #expect(await bench.settle().isEmpty)
    #expect(bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
  }

  @Test("Of a name dropped a thousand times only whole contents are taken, the last among them")
  func overAndOver() async throws {
    let bench = try InboxBench()
    for number in 1...1000 {
      User.put("\(bench.scratch.path)/next", "\(number) end")
      User.rename("\(bench.scratch.path)/next", bench.path("a.plist"))
      if number.isMultiple(of: 100) { await bench.settle() }
    }
    await bench.settle()
    let texts = try bench.rules.recorded.keys.map { list in
      try bench.lists.openFolder(ListFolder.name(list), creating: false).text(ListFolder.list) ?? ""
    }
    #expect(texts.contains("1000 end") && Set(texts).count == texts.count)
    #expect(texts.allSatisfy { $0.hasSuffix(" end") } && bench.rules.rejectedCodes.isEmpty)
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test(
    "Lists dropped while the daemon starts, before, between watch and sweep and after, are all taken"
  )
  func duringStart() async throws {
    for _ in 0..<3 {
      let count = Mutex(0)
      let bench = try InboxBench { path in
        User.put("\(path)/early.plist", "early end")
        User.put("\(path)/half.plist", "half")
        try OwnThread.start("dropper") {
          for number in 0..<20 {
            User.put("\(path)/.\(number)", "\(number) end")
            User.rename("\(path)/.\(number)", "\(path)/\(number).plist")
          }
          count.withLock { $0 = 20 }
        }
      }
      while count.withLock({ $0 }) == 0 { _ = await bench.inbox.settled() }
      await bench.settle()
      #expect(try bench.accepted().count == 21)
      #expect(try bench.left() == ["half.plist"])
      await bench.inbox.stop()
    }
  }

  @Test(
    "A list name ends in .plist, .json, .csv or .txt, in any case, with at least one byte before the dot",
    arguments: [
      ("a.plist", nil), ("A.PLIST", nil), ("a.pLiSt", nil), ("a.plist.plist", nil),
      ("plist", .suffix), ("aplist", .suffix), ("a.plist~", .suffix), ("a.plist.tmp", .suffix),
      ("a\u{0E}plist", .suffix), (".plist", .hidden), (".a.plist", .hidden), ("-rf.plist", nil),
      (" .plist ", .suffix), ("%s%n.plist", nil), ("a.txt", nil), ("A.Json", nil), ("a.CSV", nil),
      ("a.doc", .suffix), (".txt", .hidden), ("json", .suffix), ("a.csv.gz", .suffix),
      ("a.plist.part", .suffix),
    ] as [(String, IgnoredReason?)])
  func ending(_ name: String, _ reason: IgnoredReason?) throws {
    let file = try #require(FileName(name))
    #expect(IgnoredReason.judge(file, .file) == reason)
    // On a file system that does not say the kind of a name, only a status tells.
    #expect(IgnoredReason.judge(file, nil) == (reason == .hidden ? .hidden : nil))
  }

  @Test(arguments: ["a.plist", "a.jpg", "a", "a.doc"])
  func `a link, a folder or a device is ignored because it is one, whatever its name ends in`(
    name: String
  ) async throws {
    let file = try #require(FileName(name))
    #expect(IgnoredReason.judge(file, .link) == .link)
    #expect(IgnoredReason.judge(file, .folder) == .folder)
    #expect(IgnoredReason.judge(file, .other) == .special)
    let hidden = try #require(FileName(".\(name)"))
    #expect(IgnoredReason.judge(hidden, .link) == .hidden)
    let bench = try InboxBench { path in
      User.symlink("/etc/passwd", "\(path)/\(name)")
      User.socket("\(path)/s.\(name)")
    }
    #expect(await bench.settle().isEmpty)
    let ignored = bench.rules.state.withLock { $0.ignored }
    #expect(ignored == [name: .link, "s.\(name)": .special])
    await bench.inbox.stop()
  }

  @Test("A wall clock that jumps does not change which files are taken, or when")
  func clockJumps() async throws {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), "half")
    _ = await bench.inbox.settled()
    for time in [1_000, 4_102_444_800_000, 1_763_712_345_000] as [UInt64] {
      bench.setWallTime(time)
      _ = await bench.inbox.settled()
      #expect(bench.rules.rejectedCodes.isEmpty)
    }
    User.put(bench.path("b.plist"), "b end")
    await bench.settle()
    #expect(bench.rules.names == ["b.plist"])
    #expect(await bench.pass(.seconds(5)).isEmpty)
    #expect(bench.rules.rejectedCodes == ["list.syntax"])
    await bench.inbox.stop()
  }

  @Test("A device and a socket with a list's name are left alone")
  func oddThings() async throws {
    let bench = try InboxBench { path in
      User.socket("\(path)/socket.plist")
      if ThisProcess.user == 0 { User.device("\(path)/device.plist") }
    }
    #expect(await bench.settle().isEmpty)
    let ignored = bench.rules.state.withLock { $0.ignored }
    #expect(ignored["socket.plist"] == .special)
    #expect(ThisProcess.user != 0 || ignored["device.plist"] == .special)
    await bench.inbox.stop()
  }
}
