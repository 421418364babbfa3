// SPDX-License-Identifier: Apache-2.0
// The inbox itself, or a folder above it, is moved, removed, recreated or replaced. Each trouble is
// reported once, nothing is made in a folder that is not the inbox, and once the folder is mended the
// doorbell alone brings the recovery, unless a test says otherwise.

import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite(.fewAtOnce) struct LostInboxTests {
  struct Misfortune: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    let act: @Sendable (InboxBench) -> Void
    let mend: @Sendable (InboxBench) -> Void

    init(
      _ what: String, _ code: String, _ act: @escaping @Sendable (InboxBench) -> Void,
      mend: @escaping @Sendable (InboxBench) -> Void
    ) {
      (testDescription, self.code, self.act, self.mend) = (what, code, act, mend)
    }
  }

  private static func makeFolder(_ path: String) { unsafe _ = mkdir(path, 0o755) }
  private static func top(_ bench: InboxBench) -> String { bench.scratch.path }

  static let misfortunes = [
    Misfortune("mv inbox away, mv it back", "inbox.lost") {
      User.rename($0.inboxPath, "\(top($0))/away")
    } mend: {
      User.rename("\(top($0))/away", $0.inboxPath)
    },
    Misfortune("rm -r inbox, mkdir it with its mark", "inbox.lost") {
      User.remove($0.inboxPath)
    } mend: {
      makeFolder("\(top($0))/new")
      makeFolder("\(top($0))/new/.claim")
      User.rename("\(top($0))/new", $0.inboxPath)
    },
    Misfortune("rm -r inbox && mkdir inbox, then its mark", "inbox.marker") {
      makeFolder("\(top($0))/new")
      User.rename($0.inboxPath, "\(top($0))/away")
      User.rename("\(top($0))/new", $0.inboxPath)
    } mend: {
      makeFolder($0.path(".claim"))
    },
    Misfortune("another folder in its place, then the old one again", "inbox.marker") {
      makeFolder("\(top($0))/new")
      User.rename($0.inboxPath, "\(top($0))/away")
      User.rename("\(top($0))/new", $0.inboxPath)
    } mend: {
      User.rename($0.inboxPath, "\(top($0))/new")
      User.rename("\(top($0))/away", $0.inboxPath)
    },
    Misfortune("ln -s to another folder in its place", "inbox.marker") {
      makeFolder("\(top($0))/new")
      User.rename($0.inboxPath, "\(top($0))/away")
      User.symlink("\(top($0))/new", $0.inboxPath)
    } mend: {
      User.unlink($0.inboxPath)
      User.rename("\(top($0))/away", $0.inboxPath)
    },
    Misfortune("a file in its place", "inbox.lost") {
      User.rename($0.inboxPath, "\(top($0))/away")
      User.put($0.inboxPath, "")
    } mend: {
      User.unlink($0.inboxPath)
      User.rename("\(top($0))/away", $0.inboxPath)
    },
    Misfortune("its mark removed, then made again", "inbox.marker") {
      User.remove($0.path(".claim"))
    } mend: {
      makeFolder($0.path(".claim"))
    },
    Misfortune("mv of a folder two levels up, and back", "inbox.lost") {
      User.rename("\(top($0))/a", "\(top($0))/away")
    } mend: {
      User.rename("\(top($0))/away", "\(top($0))/a")
    },
    Misfortune("the folders on the way removed and made again one by one", "inbox.lost") {
      User.rename("\(top($0))/a", "\(top($0))/away")
    } mend: {
      makeFolder("\(top($0))/a")
      makeFolder("\(top($0))/a/b")
      User.rename("\(top($0))/away/b/inbox", $0.inboxPath)
    },
  ]

  @Test(
    "It is reported once, no strange folder is touched, and the inbox recovers",
    arguments: misfortunes)
  func misfortune(_ misfortune: Misfortune) async throws {
    let bench = try InboxBench(in: "a/b/inbox")
    _ = await bench.inbox.settled()
    misfortune.act(bench)
    await bench.rules.wait(for: ["trouble \(misfortune.code)"])
    #expect(bench.isClosed)
    // A file dropped meanwhile stays, and nothing is made in the strange folder.
    User.put(bench.path("stranger.plist"), "stranger end")
    for _ in 0..<3 {
      #expect(await bench.pass(.seconds(10)).isTroubled)
    }
    if misfortune.code == "inbox.marker" {
      let found = try LinuxFolder.open(path: bench.inboxPath).listing()
      #expect(found == ["stranger.plist"])
    }
    User.unlink(bench.path("stranger.plist"))
    misfortune.mend(bench)
    await bench.rules.wait(for: ["trouble over"])
    #expect(!bench.isClosed)
    let codes = bench.troubles.compactMap { $0 }
    // An act that passes through several troubles reports each of them once. Both it and its mending may pass
    // through a moment without an inbox.
    let others = codes.filter { $0 != "inbox.lost" }
    #expect(codes.contains(misfortune.code) && Set(others).count == others.count, "\(codes)")
    #expect(codes.count - others.count <= 2, "\(codes)")
    User.put(bench.path("a.plist"), "a end")
    await bench.settle()
    #expect(bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
  }

  @Test func `an inbox that is lost is looked for after pauses, though a file in it was due`()
    async throws
  {
    let bench = try InboxBench()
    User.put(bench.path("a.plist"), "a end")
    #expect(await bench.inbox.settled().candidates == 1)
    User.rename(bench.inboxPath, "\(bench.scratch.path)/away")
    // The second look begins after the timer of the first one is set.
    for _ in 0..<2 { #expect(await bench.inbox.settled().isTroubled) }
    #expect(bench.nextTurn ?? .zero >= .seconds(1), "the file is due in 250 ms")
    User.rename("\(bench.scratch.path)/away", bench.inboxPath)
    await bench.settle()
    #expect(bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
  }

  @Test("A new folder in its place becomes the inbox at a reload or a start, and only then")
  func adopted() async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.settled()
    User.rename(bench.inboxPath, "\(bench.scratch.path)/away")
    Self.makeFolder(bench.inboxPath)
    User.put(bench.path("a.plist"), "a end")
    #expect(await bench.inbox.settled().isTroubled)
    bench.inbox.adopt()
    #expect(await bench.settle().isEmpty)
    #expect(bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
    User.rename(bench.inboxPath, "\(bench.scratch.path)/away2")
    Self.makeFolder(bench.inboxPath)
    User.put(bench.path("b.plist"), "b end")
    let next = try bench.another()
    _ = await next.settled()
    #expect(await bench.pass(.milliseconds(250), of: next).isEmpty)
    #expect(bench.rules.names == ["a.plist", "b.plist"])
    await next.stop()
  }

  @Test(
    "No start and no reload takes a folder on another file system for the inbox",
    arguments: ["device=1 mounted=no\n", "device=DEVICE mounted=yes\n"])
  func notElsewhere(_ memory: String) async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.settled()
    await bench.inbox.stop()
    let device = try bench.folder.device()
    User.put(
      "\(bench.scratch.path)/state/inbox",
      memory.replacing("DEVICE", with: "\(device)"))
    User.remove(bench.path(".claim"))
    let next = try bench.another()
    for _ in 0..<2 {
      #expect(await next.settled().isTroubled)
      next.adopt()
    }
    #expect(try bench.left().isEmpty && !bench.folder.has(ClaimFolder.name))
    // The mark is not enough if a mount is missing: the folder below the mount point may have one,
    // too.
    Self.makeFolder(bench.path(".claim"))
    #expect(await next.settled().isTroubled == memory.contains("mounted=yes"))
    await next.stop()
  }

  @Test("A daemon started without an inbox takes lists once the folder exists")
  func missingAtStart() async throws {
    let bench = try InboxBench { User.remove($0) }
    await bench.rules.wait(for: ["trouble inbox.lost"])
    Self.makeFolder(bench.inboxPath)
    await bench.rules.wait(for: ["trouble over"])
    User.put(bench.path("a.plist"), "a end")
    #expect(await bench.settle().isEmpty)
    #expect(bench.rules.names == ["a.plist"])
    await bench.inbox.stop()
  }

  @Test("Two daemons on one inbox share the drops: each list is taken once, by one of them")
  func twoOnOne() async throws {
    let (first, second) = (try InboxBench(), try InboxBench(in: "other"))
    _ = await first.inbox.settled()
    await second.inbox.stop()
    User.remove(second.inboxPath)
    User.symlink(first.inboxPath, second.inboxPath)
    let next = try second.another()
    for number in 0..<40 { User.put(first.path("\(number).plist"), "\(number) end") }
    for _ in 0..<6 {
      async let one = first.inbox.settled()
      async let other = next.settled()
      _ = await (one, other)
      await first.pass(.seconds(1))
      await second.pass(.seconds(1), of: next)
    }
    let names = first.rules.names + second.rules.names
    #expect(names.count == 40 && Set(names).count == 40)
    #expect(try first.left().isEmpty)
    await first.inbox.stop()
    await next.stop()
  }

  @Test("While a list would be lost, it stays in the inbox, and the reason is told once")
  func standing() async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.settled()
    bench.rules.state.withLock {
      $0.standing = Failure(.machine, code: "state.moved", reason: "the folder /s was removed")
    }
    User.put(bench.path("a.plist"), "a end")
    for _ in 0..<3 {
      _ = await bench.inbox.settled()
      await bench.pass(.seconds(10))
    }
    #expect(bench.isClosed && bench.rules.names.isEmpty)
    bench.rules.state.withLock { $0.standing = nil }
    for _ in 0..<3 {
      _ = await bench.inbox.settled()
      await bench.pass(.seconds(10))
    }
    #expect(bench.rules.names == ["a.plist"] && !bench.isClosed)
    #expect(bench.rules.state.withLock { $0.troubles } == ["state.moved", nil])
    await bench.inbox.stop()
  }

  @Test func `the disks are asked once for each look, however many files wait`() async throws {
    let bench = try InboxBench()
    _ = await bench.inbox.settled()
    let away = "\(bench.scratch.path)/away"
    User.rename(bench.inboxPath, away)
    await bench.rules.wait(for: ["trouble inbox.lost"])
    for number in 0..<100 { User.put("\(away)/\(number).plist", "\(number) end") }
    bench.rules.state.withLock { state in
      state.fullness = Failure(.machine, code: "inbox.full", reason: "full")
      (state.looks, state.questions) = (0, 0)
    }
    User.rename(away, bench.inboxPath)
    await bench.settle()
    let (looks, questions) = bench.rules.state.withLock { ($0.looks, $0.questions) }
    #expect(questions >= 100 && looks < 20, "\(looks) looks, \(questions) questions")
    #expect(bench.rules.names.isEmpty)
    await bench.inbox.stop()
  }

  @Test("A new child process that inherited our descriptors keeps no daemon from the inbox")
  func inherited() throws {
    let scratch = try ScratchFolder()
    let inbox = try scratch.subfolder("inbox")
    let door = InboxDoor(path: inbox.path, state: try scratch.subfolder("state"))
    _ = try door.attach(at: .zero)
    #expect { _ = try ClaimFolder(inbox: inbox).lock() } throws: {
      ($0 as? SystemError)?.code == EAGAIN
    }
    let copies = try Self.copies(of: "\(inbox.path)/.claim/.lock")
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    door.rest()
    #expect(throws: Never.self) { _ = try ClaimFolder(inbox: inbox).lock() }
  }

  /// Descriptors of the same open file, as a child process holds them until it executes a program.
  private static func copies(of path: String) throws -> [CInt] {
    var wanted = stat()
    guard unsafe stat(path, &wanted) == 0 else { return [] }
    let open = try LinuxFolder.open(path: "/proc/self/fd").names().compactMap { CInt("\($0)") }
    let ours = open.filter { number in
      var found = stat()
      return unsafe fstat(number, &found) == 0 && found.st_ino == wanted.st_ino
        && found.st_dev == wanted.st_dev
    }
    return ours.map { dup($0) }
  }
}
