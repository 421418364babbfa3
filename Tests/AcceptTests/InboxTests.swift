// SPDX-License-Identifier: Apache-2.0
// The whole inbox on a real kernel: inotify, leases and the inbox's thread.

import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct InboxTests {
  struct Arrival: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let act: @Sendable (InboxBench, String) -> Void

    init(_ what: String, _ act: @escaping @Sendable (InboxBench, String) -> Void) {
      testDescription = what
      self.act = act
    }
  }

  @Test(
    "A list is accepted with its bytes, by whichever way it arrives",
    arguments: [
      Arrival("cp") { _, path in User.put(path, "a end") },
      Arrival("mv") { bench, path in
        User.put("\(bench.scratch.path)/outside", "a end")
        User.rename("\(bench.scratch.path)/outside", path)
      },
      Arrival("ln") { bench, path in
        User.put("\(bench.scratch.path)/outside", "a end")
        User.link("\(bench.scratch.path)/outside", path)
      },
      Arrival("O_TMPFILE and linkat") { bench, path in
        let file = User.unnamed(in: "\(bench.scratch.path)/inbox")
        User.write(file, "a end")
        User.name(file, path)
        close(file)
      },
      Arrival("install -m 000, then chmod") { _, path in
        User.put(path, "a end")
        User.mode(path, 0)
        User.mode(path, 0o644)
      },
      Arrival("appending in pieces") { _, path in
        for piece in ["a", " ", "end"] {
          let file = User.open(path, O_WRONLY | O_CREAT | O_APPEND)
          User.write(file, piece)
          close(file)
        }
      },
      Arrival("exchanging with another file") { bench, path in
        User.put("\(bench.scratch.path)/outside", "a end")
        User.put(path, "b end")
        User.rename("\(bench.scratch.path)/outside", path)
      },
    ])
  func arrival(_ arrival: Arrival) async throws {
    let bench = try InboxBench()
    arrival.act(bench, bench.path("a.plist"))
    let report = await bench.settle()
    #expect(report.isEmpty)
    #expect(try bench.accepted() == ["a.plist": "a end"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("The doorbell alone leads to acceptance")
  func doorbell() async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.settled()
    // The sweep that reports b.doc has seen both names.
    User.put(bench.path("a.plist"), "a end")
    User.put(bench.path("b.doc"), "")
    await bench.rules.wait(for: ["ignored b.doc"])
    await bench.pass(.milliseconds(250))
    #expect(bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
  }

  @Test("Lists that lie there before the start are accepted")
  func presentBeforeStart() async throws {
    let bench = try InboxBench { User.put("\($0)/a.plist", "a end") }
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "a end"])
    await bench.inbox.stop()
  }

  @Test("A file held open by its writer waits, and is accepted whole once it is closed")
  func slowWriter() async throws {
    let bench = try InboxBench()
    let file = User.open(bench.path("a.plist"), O_WRONLY | O_CREAT)
    User.write(file, "end")
    for _ in 0..<3 {
      let report = await bench.settle()
      #expect(
        report.waiting.map { $0.waitsFor.words(for: 0) } == ["a program has it open for writing"])
      await bench.pass(.seconds(60))
    }
    #expect(bench.rules.names.isEmpty && bench.rules.rejectedCodes.isEmpty)
    User.write(file, " and really the end")
    close(file)
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "end and really the end"])
    await bench.inbox.stop()
  }

  @Test("A mapping that can still write holds the file back when its descriptor is closed")
  func mappedWriter() async throws {
    let bench = try InboxBench()
    let file = User.open(bench.path("a.plist"), O_RDWR | O_CREAT)
    User.write(file, "end")
    let map = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    close(file)
    let report = await bench.settle()
    #expect(report.candidates == 1)
    unsafe _ = munmap(map, 4096)
    await bench.settle()
    #expect(bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
  }

  @Test("A file renamed in while its writer still writes is accepted when the writer is done")
  func renamedWhileOpen() async throws {
    let bench = try InboxBench()
    let outside = "\(bench.scratch.path)/outside"
    let file = User.open(outside, O_WRONLY | O_CREAT)
    User.write(file, "first end")
    User.rename(outside, bench.path("a.plist"))
    #expect(await bench.settle().candidates == 1)
    User.write(file, " second end")
    close(file)
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "first end second end"])
    await bench.inbox.stop()
  }

  @Test("A special file, link or folder never blocks, is reported once and left alone")
  func notFiles() async throws {
    let bench = try InboxBench { inbox in
      User.fifo("\(inbox)/fifo.plist")
      User.symlink("/etc/shadow", "\(inbox)/link.plist")
      User.symlink("nowhere", "\(inbox)/dangling.plist")
      unsafe _ = mkdir("\(inbox)/folder.plist", 0o755)
      User.put("\(inbox)/.hidden.plist", "end")
      User.put("\(inbox)/notes.doc", "end")
    }
    await bench.settle()
    // Pictures may still come into the folder.
    let report = await bench.pass(.seconds(5))
    #expect(report.isEmpty)
    #expect(report.waitingCount == 0 && report.ignoredCount == 6)
    let ignored = bench.rules.state.withLock { $0.ignored }
    #expect(
      ignored == [
        "fifo.plist": .special, "link.plist": .link, "dangling.plist": .link,
        "folder.plist": .noPictures, ".hidden.plist": .hidden, "notes.doc": .suffix,
      ])
    #expect(try bench.left().count == 6)
    await bench.inbox.stop()
  }

  @Test(
    "Pictures that cannot leave the inbox leave it as soon as the disk allows, without a new drop")
  func unfinishedRoll() async throws {
    let bench = try InboxBench { inbox in
      unsafe _ = mkdir("\(inbox)/Barn", 0o755)
      User.put("\(inbox)/Barn/a.jpg", "a")
    }
    let path = bench.folder.path
    FaultPlan.set(.init("fsync", on: "\(path)/.claim/1", code: 5, isPermanent: true), for: path)
    defer { FaultPlan.set(nil, for: path) }
    await bench.settle()
    #expect(await bench.pass(.seconds(5)).candidates > 0)
    #expect(bench.rules.names == ["Barn.plist"])
    FaultPlan.set(nil, for: path)
    #expect(await bench.pass(.seconds(1)).isEmpty)
    #expect(bench.rules.names == ["Barn.plist"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("Three hundred lists at once are each accepted once")
  func many() async throws {
    let bench = try InboxBench()
    for number in 0..<300 { User.put(bench.path("\(number).plist"), "\(number) end") }
    let report = await bench.settle()
    #expect(report.isEmpty)
    let texts = try bench.accepted()
    #expect(
      texts.count == 300 && texts.allSatisfy { "\($0.key)" == "\($0.value.dropLast(4)).plist" })
    #expect(bench.rules.state.withLock { $0.accepts } == 300)
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test func `of lists that come at once those are let in first that are first in order`()
    async throws
  {
    let bench = try InboxBench()
    bench.rules.state.withLock { $0.mostLists = 2 }
    for number in 1...4 { User.put(bench.path("\(number).plist"), "\(number) end") }
    await bench.settle()
    #expect(bench.rules.names == ["1.plist", "2.plist"])
    bench.rules.state.withLock { $0.mostLists = 3 }
    await bench.pass(.seconds(60))
    await bench.settle()
    #expect(bench.rules.names == ["1.plist", "2.plist", "3.plist"])
    await bench.inbox.stop()
  }

  @Test func `of several claims that resume with one place left, one is let in`() async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.settled()
    for number in 1...3 { User.put(bench.path("\(number).plist"), "\(number) end") }
    bench.rules.state.withLock { $0.mostLists = 1 }
    await bench.settle()
    #expect(bench.rules.names == ["1.plist"])
    // Each of them has asked the disks, and all had begun before the first was recorded.
    #expect(bench.rules.state.withLock { $0.looks } > 3)
    await bench.inbox.stop()
  }

  @Test func `the lists that were let in are counted after the disks have answered`() async {
    let rules = ScriptedRules()
    rules.state.withLock { $0.mostLists = 1 }
    let failure = await rules.fullness(
      for: 0, besides: rules.state.withLock { $0.looks }, adding: 0)
    #expect(failure?.code == "inbox.full")
  }

  @Test func `a file that is no list has no place of a list for long`() async throws {
    let bench = try InboxBench()
    bench.rules.state.withLock { $0.mostLists = 1 }
    User.put(bench.path("bad.plist"), "bad")
    await bench.settle()
    User.put(bench.path("good.plist"), "good end")
    await bench.settle()
    #expect(bench.rules.names == ["good.plist"])
    await bench.inbox.stop()
  }

  @Test(
    "Names are bytes: broken UTF-8, the longest name, twins of one letter, control characters",
    arguments: [
      [[0xFF, 0xFE]], [[UInt8](repeating: 0x61, count: 249)], [[0x1B, 0x0A, 0x09]], [[0x2D, 0x20]],
      [[0xC3, 0xA9], [0x65, 0xCC, 0x81]],
    ] as [[[UInt8]]])
  func names(_ stems: [[UInt8]]) async throws {
    let bench = try InboxBench()
    for (number, stem) in stems.enumerated() {
      let name = try #require(FileName(bytes: stem + Array(".plist".utf8)))
      try bench.folder.put(name, "\(number) end")
    }
    await bench.settle()
    let names = Set(bench.rules.recorded.values.map(\.name.bytes))
    #expect(names == Set(stems.map { $0 + Array(".plist".utf8) }))
    await bench.inbox.stop()
  }

  @Test("A list overwritten while it is read: the writer waits, the newer contents are a new list")
  func overwrittenWhileRead() async throws {
    let bench = try InboxBench()
    let path = bench.path("a.plist")
    User.put(path, "old end")
    bench.rules.state.withLock { state in
      state.onPrepare = {
        // Breaks the lease, as a blocking open does, but does not wait for its release.
        #expect(User.open(path, O_WRONLY | O_NONBLOCK) == -1)
      }
    }
    let report = await bench.settle()
    #expect(report.candidates == 1)
    #expect(try bench.accepted() == ["a.plist": "old end"])
    User.put(path, "new end")
    await bench.settle()
    #expect(bench.rules.recorded.count == 2)
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("A writer who only opened the file while it was read does not make a second list of it")
  func openedWhileRead() async throws {
    let bench = try InboxBench()
    let path = bench.path("a.plist")
    User.put(path, "old end")
    bench.rules.state.withLock { state in
      state.onPrepare = { _ = User.open(path, O_WRONLY | O_NONBLOCK) }
    }
    await bench.settle()
    await bench.settle()
    #expect(bench.rules.recorded.count == 1)
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("A file replaced between copy and claim stays, and is the next list")
  func replacedBeforeClaim() async throws {
    let bench = try InboxBench()
    let (path, other) = (bench.path("a.plist"), "\(bench.scratch.path)/other")
    User.put(path, "old end")
    User.put(other, "new end")
    bench.rules.state.withLock { $0.onAccept = { User.rename(other, path) } }
    await bench.settle()
    #expect(try bench.left() == ["a.plist"])
    await bench.settle()
    #expect(bench.rules.recorded.count == 2)
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("A file renamed or deleted by its owner while it is recorded is not accepted twice")
  func renamedBeforeClaim() async throws {
    let bench = try InboxBench()
    let (path, other) = (bench.path("a.plist"), bench.path("b.plist"))
    User.put(path, "a end")
    bench.rules.state.withLock { $0.onAccept = { User.rename(path, other) } }
    await bench.settle()
    await bench.settle()
    #expect(bench.rules.names == ["a.plist"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("A file that does not read as a list goes to failed with its reason, after its quiet time")
  func rejected() async throws {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), "half a li")
    let report = await bench.settle()
    #expect(
      report.waiting.map { $0.waitsFor.words(for: 0) } == [
        "it is not a valid list yet: line 1: no end"
      ])
    #expect(await bench.pass(.seconds(5)).isEmpty)
    #expect(try bench.failed.text("a.plist") == "half a li")
    let reason = try #require(try bench.failed.text("a.plist.reason.txt"))
    #expect(reason.hasPrefix("The list 'a.plist' was not accepted: line 1: no end.\ncode=list.syn"))
    #expect(bench.rules.rejectedCodes == ["list.syntax"])
    #expect(try bench.left().isEmpty)
    await bench.inbox.stop()
  }

  @Test("A file of a terabyte is set aside by its size, and never read")
  func huge() async throws {
    let bench = try InboxBench()
    let file = User.open(bench.path("a.plist"), O_WRONLY | O_CREAT)
    _ = ftruncate(file, 1 << 40)
    close(file)
    await bench.settle()
    #expect(await bench.pass(.seconds(5)).isEmpty)
    #expect(bench.rules.rejectedCodes == ["list.size"])
    #expect(try bench.failed.listing() == ["a.plist", "a.plist.reason.txt"])
    await bench.inbox.stop()
  }

  @Test("A stopped inbox answers at once, and finishes at the next start what it had begun")
  func stopped() async throws {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), "a end")
    _ = await bench.inbox.settled()
    await bench.inbox.stop()
    #expect(await bench.inbox.settled().isStopped)
    #expect(bench.rules.names.isEmpty)
    #expect(try bench.left() == ["a.plist"])
  }

  @Test func `a file that was read while it was young is not read again when it is tried`()
    async throws
  {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), "a end")
    _ = await bench.inbox.settled()
    #expect(bench.rules.state.withLock { $0.reads } == 1 && bench.rules.names.isEmpty)
    await bench.settle()
    #expect(try bench.accepted() == ["a.plist": "a end"])
    #expect(bench.rules.state.withLock { $0.reads } == 1)
    await bench.inbox.stop()
  }

  @Test func `a request that comes with the stop is answered`() async throws {
    for _ in 1...20 {
      let bench = try InboxBench()
      #expect(await bench.inbox.stopAsking().isStopped)
    }
  }
}
