// SPDX-License-Identifier: Apache-2.0
// Lists made of dropped pictures: killed at every step and restarted, failed at every step and repeated; changes by
// other programs at every step.

import Files
import Glibc
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct RollClaimTests {
  /// Paths in the inbox, and contents.
  private static let pictures = [
    "Barn/door.jpg": "a door", "Barn/2026/hay.PNG": "some hay", "Barn/2026/old/cart.jpeg": "a cart",
  ]

  private func bench(_ files: [String: String] = pictures) throws -> ClaimBench {
    let bench = try ClaimBench()
    for (path, text) in files { try Self.put(path, text, bench) }
    return bench
  }

  private static func put(_ path: String, _ text: String, _ bench: ClaimBench) throws {
    let names = path.split(separator: "/").compactMap { FileName($0) }
    var folder: any Folder = bench.inbox
    for name in names.dropLast() { folder = try folder.folder(name, creating: true) }
    try folder.openAnew(try #require(names.last)).write(Array(text.utf8), at: 0)
  }

  /// The pictures of each accepted list, by the path that they came from.
  private func taken(_ bench: ClaimBench) throws -> [String: [String: String]] {
    var lists: [String: [String: String]] = [:]
    for (list, about) in bench.rules.recorded {
      let folder = try bench.lists.openFolder(ListFolder.name(list), creating: false)
      let roll = try #require(try RollFile.read(from: folder))
      var pictures: [String: String] = [:]
      for (place, row) in roll.rows.enumerated() {
        let text = try #require(try folder.text(ListFolder.picture(UInt32(place + 1))))
        pictures[Roll.text(row.path)] = text
        let sum = try FileCopy.sum(
          folder.open(ListFolder.picture(UInt32(place + 1)), .read), upTo: 1 << 20)
        #expect(sum == row.sum)
      }
      lists["\(list) \(about.name)"] = pictures
    }
    return lists
  }

  @Test func `a folder becomes a list of its pictures and leaves the inbox`() async throws {
    let bench = try bench()
    try await bench.settle()
    #expect(try taken(bench) == ["1 Barn.plist": Self.pictures])
    try bench.expectTidy("at the end")
    let list = try #require(try bench.acceptedTexts().first)
    for text in [
      "<string>door.jpg</string>", "<string>2026/hay.PNG</string>",
      "<string>dropped:///Barn/2026/old/cart.jpeg</string>", "<key>SHA256</key>",
    ] { #expect(list.contains(text), "\(list)") }
    let about = try #require(bench.rules.recorded[ListID(1)])
    #expect(about.wasDropped && about.owner == ThisProcess.user)
  }

  @Test func `several names of one file become names of one copy`() async throws {
    let bench = try bench()
    User.link("\(bench.inboxPath)/Barn/door.jpg", "\(bench.inboxPath)/Barn/gate.jpg")
    User.link("\(bench.inboxPath)/Barn/door.jpg", "\(bench.inboxPath)/Barn/2026/a.jpg")
    try await bench.settle()
    let others = ["Barn/gate.jpg": "a door", "Barn/2026/a.jpg": "a door"]
    let pictures = Self.pictures.merging(others) { $1 }
    #expect(try taken(bench) == ["1 Barn.plist": pictures])
    let folder = try bench.lists.openFolder(ListFolder.name(ListID(1)), creating: false)
    let inodes = try (1...5 as ClosedRange<UInt32>).map {
      try folder.status(of: ListFolder.picture($0)).inode
    }
    #expect(Set(inodes).count == 3)
    try bench.expectTidy("at the end")
  }

  @Test func `a file with many names is read as often as a file with one`() async throws {
    for names in [0, 3, 1000] {
      let bench = try bench(["Barn/door.jpg": "a door"])
      for name in 0..<names {
        User.link("\(bench.inboxPath)/Barn/door.jpg", "\(bench.inboxPath)/Barn/\(name).jpg")
      }
      let reads = Mutex(0)
      bench.cut.onStep { step in
        if step.hasPrefix("read "), step.hasSuffix(".jpg") { reads.withLock { $0 += 1 } }
      }
      try await bench.settle(rounds: 1)
      // Once for each copy, of which there is one for a thousand names, and once before it leaves the inbox; each with a
      // last read at the end of the file.
      #expect(reads.withLock { $0 } == 2 * (names / 1000 + 1) + 2)
      #expect(try taken(bench)["1 Barn.plist"]?.count == names + 1)
      try bench.expectTidy("at the end")
    }
  }

  @Test func `a name stays whose lease breaks as it leaves, and the next name is compared again`()
    async throws
  {
    let bench = try bench(["Barn/a.jpg": "a door", "Barn/z.jpg": "hay"])
    User.link("\(bench.inboxPath)/Barn/a.jpg", "\(bench.inboxPath)/Barn/b.jpg")
    let path = "\(bench.inboxPath)/Barn/b.jpg"
    let hand = Mutex<Int32?>(nil)
    let reads = Mutex(0)
    bench.cut.onStep { step in
      if step == "read b.jpg" { reads.withLock { $0 += 1 } }
      // A nonblocking open breaks the lease.
      guard step.hasPrefix("rename a.jpg") else { return }
      hand.withLock { $0 = $0 ?? User.open(path, 0o4001) }
    }
    try await bench.settle(rounds: 1)
    bench.cut.onStep(nil)
    #expect(hand.withLock { $0 } == -1 && reads.withLock { $0 } == 2)
    let barn = try bench.inbox.openFolder(FileName(literal: "Barn"), creating: false)
    #expect(try barn.listing() == ["a.jpg"])
  }

  @Test(arguments: [true, false])
  func `without a lease that lasts, a try compares a file with many names twice at most`(
    breaks: Bool
  ) async throws {
    let bench = try bench(["Barn/0.jpg": "a door"])
    let path = "\(bench.inboxPath)/Barn"
    for name in 1..<6 { User.link("\(path)/0.jpg", "\(path)/\(name).jpg") }
    let reads = Mutex(0)
    bench.cut.onStep { step in
      if step.hasPrefix("read "), step.hasSuffix(".jpg") { reads.withLock { $0 += 1 } }
      let leaves = (0..<6).contains { step.hasPrefix("rename \($0).jpg") }
      if breaks, leaves { _ = User.open("\(path)/5.jpg", 0o4001) }
    }
    if !breaks {
      FaultPlan.set(
        .init("fcntl(F_SETLEASE)", on: path, code: 22, isPermanent: true), for: bench.inboxPath)
    }
    defer { FaultPlan.set(nil, for: bench.inboxPath) }
    let candidate = try #require(try bench.candidates().first)
    #expect(await bench.claim.attempt(candidate, .quiet) == .writer)
    // One copy and two comparisons, each with a last read at the end of the file.
    #expect(reads.withLock { $0 } == 3 * 2)
    #expect(bench.rules.recorded.count == 1)
    if breaks { bench.cut.onStep(nil) }
    var tries = 1
    repeat {
      tries += 1
    } while await !RollClaim(claim: bench.claim)
      .finishAll(of: ThisProcess.user) && tries < 9
    #expect(tries == (breaks ? 2 : 3))
    #expect(breaks || reads.withLock { $0 } == 7 * 2)
    #expect(try taken(bench)["1 Barn.plist"]?.count == 6)
    try bench.expectTidy("at the end")
  }

  @Test func `names of a file that has changed stay after one comparison`() async throws {
    let bench = try bench(["Barn/0.jpg": "a door"])
    let path = "\(bench.inboxPath)/Barn"
    for name in 1..<6 { User.link("\(path)/0.jpg", "\(path)/\(name).jpg") }
    User.date("\(path)/0.jpg", 1_700_000_000)
    let barn = try bench.inbox.openFolder(FileName(literal: "Barn"), creating: false)
    let file = FileName(literal: "0.jpg")
    bench.rules.state.withLock {
      $0.onAccept = {
        try? barn.open(file, .write).write(Array("a gate".utf8), at: 0)
        // Its times do not tell.
        User.date("\(path)/0.jpg", 1_700_000_000)
      }
    }
    let candidate = try #require(try bench.candidates().first)
    #expect(await bench.claim.attempt(candidate, .quiet) == .accepted(ListID(1)))
    #expect(try barn.listing().count == 6)
  }

  /// The mistake of its owner for which the first candidate is refused.
  private func mistake(_ bench: ClaimBench) async throws -> Failure {
    let roll = try #require(try bench.candidates().first)
    let attempt = await bench.claim.attempt(roll, .quiet)
    guard case .unreadable(let failure) = attempt else { throw attempt }
    return failure
  }

  @Test func `a picture that is mostly holes is a mistake of its owner`() async throws {
    let bench = try bench(["Barn/door.jpg": "a door"])
    let barn = try bench.inbox.openFolder(FileName(literal: "Barn"), creating: false)
    try barn.open(FileName(literal: "hole.jpg"), .create).truncate(to: 60 << 20)
    bench.rules.state.withLock { $0.largestPicture = 64 << 20 }
    let failure = try await mistake(bench)
    #expect(failure.kind == .final && failure.code == "pictures.holes")
    #expect(failure.reason.hasPrefix("more than half of the picture Barn/hole.jpg are holes, "))
    #expect(try bench.lists.listing().isEmpty && barn.listing() == ["door.jpg", "hole.jpg"])
  }

  @Test func `small pictures that are mostly holes are a mistake of their owner in sum`()
    async throws
  {
    for count in [32, 33] {
      let bench = try bench(["Barn/door.jpg": "a door"])
      let barn = try bench.inbox.openFolder(FileName(literal: "Barn"), creating: false)
      for number in 1...count {
        let name = FileName(made: "\(number).jpg")
        try barn.open(name, .create).truncate(to: 32 << 20)
      }
      bench.rules.state.withLock { $0.room = 1 << 20 }
      let roll = try #require(try bench.candidates().first)
      let attempt = await bench.claim.attempt(roll, .quiet)
      let failure: Failure? = if case .unreadable(let failure) = attempt { failure } else { nil }
      #expect(failure?.code == (count == 33 ? "pictures.holes" : nil), "\(attempt)")
    }
  }

  @Test func `a second name of a picture of holes is one of holes`() async throws {
    let bench = try bench(["a.jpg": "a", "hole.jpg": "x"])
    try bench.inbox.open(FileName(literal: "hole.jpg"), .write).truncate(to: 60 << 20)
    User.link("\(bench.inboxPath)/hole.jpg", "\(bench.inboxPath)/hole2.jpg")
    bench.rules.state.withLock { $0.largestPicture = 64 << 20 }
    try await bench.settle()
    #expect(try taken(bench) == ["1 a.plist": ["a.jpg": "a"]])
  }

  @Test func `a picture in the inbox itself that is mostly holes holds up no other one`()
    async throws
  {
    let bench = try bench(["a.jpg": "a", "hole.jpg": "x"])
    try bench.inbox.open(FileName(literal: "hole.jpg"), .write).truncate(to: 60 << 20)
    bench.rules.state.withLock { $0.largestPicture = 64 << 20 }
    try await bench.settle()
    #expect(try taken(bench) == ["1 a.plist": ["a.jpg": "a"]])
    #expect(try bench.inbox.listing() == [".claim", "hole.jpg"])
  }

  @Test func `what is no picture stays, is told once, and does not become a list`() async throws {
    let bench = try bench([
      "Barn/door.jpg": "a door", "Barn/notes.txt": "notes", "Barn/.DS_Store": "x",
      "Barn/raw/a.cr2": "raw", "Barn/list.plist": "a list end",
    ])
    User.symlink("/etc/passwd", "\(bench.inboxPath)/Barn/passwd.jpg")
    User.fifo("\(bench.inboxPath)/Barn/fifo.jpg")
    try await bench.settle()
    #expect(try taken(bench) == ["1 Barn.plist": ["Barn/door.jpg": "a door"]])
    #expect(
      bench.rules.state.withLock { $0.left } == [
        "Barn/.DS_Store: its name starts with a dot", "Barn/fifo.jpg: it is not a regular file",
        "Barn/list.plist: its name does not end in .jpg, .jpeg or .png",
        "Barn/notes.txt: its name does not end in .jpg, .jpeg or .png",
        "Barn/passwd.jpg: it is a symbolic link; drop the file itself",
        "Barn/raw/a.cr2: its name does not end in .jpg, .jpeg or .png",
      ])
    let barn = try bench.inbox.openFolder(FileName(literal: "Barn"), creating: false)
    #expect(
      try barn.listing() == [
        ".DS_Store", "fifo.jpg", "list.plist", "notes.txt", "passwd.jpg", "raw",
      ])
  }

  @Test func `pictures in the inbox itself become one list, a single one has its own name`()
    async throws
  {
    let bench = try bench(["a.jpg": "a", "b.JPEG": "b", "c.plist": "a list end"])
    try await bench.settle()
    try Self.put("d.png", "d", bench)
    try await bench.settle()
    let names = bench.rules.recorded.values.map { "\($0.name)" }.sorted()
    #expect(names == ["c.plist", "d.plist", "pictures.plist"])
    #expect(try bench.inbox.listing() == [".claim"])
  }

  @Test func `without Pictures= nothing is taken`() async throws {
    let bench = try bench()
    try Self.put("a.jpg", "a", bench)
    let look = InboxLook(inbox: bench.inbox, pictures: false)
    let ignored = try #require(try look.entries().first { $0.ignored == .picture })
    #expect(ignored.owner == ThisProcess.user)
    _ = try bench.inbox.folder(FileName(literal: "Barn"), creating: true)
    let node = InboxLook(inbox: bench.inbox, pictures: false, isNode: true)
    #expect(Set(try node.entries().map(\.ignored)) == [.pictureAtNode, .folderAtNode])
    #expect(
      "\(IgnoredReason.pictureAtNode)"
        == "it is a picture, and the nodes of a cluster do not share dropped pictures")
    #expect("\(IgnoredReason.picture)" == "it is a picture, and Pictures=no")
    // One that was being taken when the setting changed is not left behind where its owner cannot see it.
    let nest = try bench.inbox.openFolder(ClaimFolder.name, creating: false)
      .openFolder(ListFolder.name(ListID(7)), creating: true)
    try nest.put(FileName(literal: "1~b.jpg"), "b")
    let entries = try look.entries()
    #expect(Set(entries.map(\.ignored)) == [.picture, .folder, nil])
    #expect(entries.last?.key.place == .loose(owner: ThisProcess.user))
  }

  // MARK: every step

  @Test(
    "A claim of pictures that is killed at any step, or fails there once, takes each of them once",
    arguments: [Cut.Kind.kill, .fault])
  func everyStep(_ kind: Cut.Kind) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try bench()
      bench.cut.set(kind, at: steps)
      try? await bench.settle(rounds: kind == .kill ? 1 : 4)
      guard let step = bench.cut.step else { break }
      try expectPromise(bench, step)
      try await bench.restart()
      try await bench.settle()
      #expect(try taken(bench).values.map { $0 } == [Self.pictures], "\(kind) at \(step)")
      #expect(bench.rules.state.withLock { $0.accepts } == 1, "\(kind) at \(step)")
      try await bench.restart()
      try bench.expectTidy("\(kind) at \(step)")
    }
    #expect(steps > 100)
  }

  /// Promise one: a picture that has left the inbox is in an accepted list.
  private func expectPromise(_ bench: ClaimBench, _ step: String) throws {
    let safe = Set(try taken(bench).values.flatMap { $0.values })
    for (path, text) in Self.pictures where !safe.contains(text) {
      let folder = try RollLook.folder(
        path.split(separator: "/").dropLast().compactMap { FileName($0) }, in: bench.inbox)
      let name = try #require(path.split(separator: "/").last.flatMap { FileName($0) })
      #expect(try folder?.text(name) == text, "\(path) is gone after \(step)")
    }
  }

  @Test(
    "A restart that is killed at any step loses no picture and takes none twice",
    arguments: [60, 90, 110, 130])
  func killedRestart(_ first: Int) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try bench()
      bench.cut.set(.kill, at: first)
      try? await bench.settle(rounds: 1)
      bench.cut.set(.kill, at: steps)
      try? await InboxRecovery(claim: bench.fresh()).run()
      let isOver = bench.cut.step == nil
      try expectPromise(bench, "\(first), \(steps)")
      try await bench.restart()
      try await bench.settle()
      #expect(try taken(bench).values.map { $0 } == [Self.pictures], "\(first), \(steps)")
      try await bench.restart()
      try bench.expectTidy("\(first), \(steps)")
      if isOver { break }
    }
  }

  // MARK: changes meanwhile

  @Test(
    "A picture that is replaced, added or changed at any step is in some list with its last contents",
    arguments: ["replace", "add", "write"])
  func changedMeanwhile(_ act: String) async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try bench()
      let path = "\(bench.inboxPath)/Barn"
      let step = Countdown(steps)
      bench.cut.onStep { _ in
        guard step.isOver() else { return }
        switch act {
        case "replace":
          User.put("\(path)/new", "a new door")
          User.rename("\(path)/new", "\(path)/door.jpg")
        case "add": User.put("\(path)/late.jpg", "late")
        // A writer's open would wait for the lease of this thread.
        default:
          let file = User.open("\(path)/door.jpg", 0o1 | 0o4000)
          if file >= 0 {
            User.write(file, "A DOOR")
            close(file)
          }
        }
      }
      try await bench.settle(rounds: 4)
      bench.cut.onStep(nil)
      let isOver = !step.isDone
      try await bench.restart()
      try await bench.settle(rounds: 4)
      let texts = try taken(bench).values.flatMap { $0.values }
      if !isOver {
        let folder = try? bench.inbox.openFolder(FileName(literal: "Barn"), creating: false)
        // The folder itself may be gone when the late picture comes.
        let wanted: [String: Set<String>] = [
          "replace": ["a new door", "a door"], "add": ["late"], "write": ["A DOOR", "a door"],
        ]
        #expect(
          !wanted[act, default: []].isDisjoint(with: texts) || folder == nil, "\(act) at \(steps)")
      }
      #expect(texts.contains("some hay") && texts.contains("a cart"), "\(act) at \(steps)")
      // A writer that waits for the lease counts as a change.
      let once = act == "write" ? texts.filter { $0 != "a door" } : texts
      #expect(Set(once).count == once.count, "\(act) at \(steps): \(texts)")
      let left = try bench.inbox.listing()
      #expect(left == [".claim"] || left == [".claim", "Barn"], "\(left)")
      #expect(try bench.candidates().allSatisfy { $0.status.size == 0 }, "\(act) at \(steps)")
      if isOver { break }
    }
    #expect(steps > 100)
  }

  @Test func `a picture that is being written is waited for`() async throws {
    let bench = try bench()
    let file = User.open("\(bench.inboxPath)/Barn/door.jpg", 0o1)
    let roll = try #require(try bench.candidates().first)
    #expect(await bench.claim.attempt(roll, .quiet) == .writer)
    #expect(try bench.lists.listing().isEmpty)
    close(file)
    try await bench.settle()
    #expect(try taken(bench) == ["1 Barn.plist": Self.pictures])
  }

  @Test
  func `a picture that is opened for writing after its copy is waited for, and then taken once`()
    async throws
  {
    var leases = 0
    while true {
      leases += 1
      let bench = try bench()
      FaultPlan.set(
        .init("fcntl(F_SETLEASE)", on: "\(bench.inboxPath)/Barn", code: 11, first: leases),
        for: bench.inboxPath)
      let end = await bench.claim.attempt(
        try #require(try bench.candidates().first), .quiet)
      FaultPlan.set(nil, for: bench.inboxPath)
      if case .accepted = end { break }
      #expect(end == .writer)
      try await bench.settle()
      let lists = try taken(bench)
      #expect(lists.count == 1 && lists.values.first == Self.pictures, "lease \(leases)")
      try bench.expectTidy("lease \(leases)")
    }
    // Each picture is looked at, copied, and removed.
    #expect(leases == 3 * Self.pictures.count + 1)
  }

  @Test func `of pictures in the inbox itself those are taken that are whole`() async throws {
    let bench = try bench(["a.jpg": "a", "b.jpg": "b"])
    let file = User.open("\(bench.inboxPath)/b.jpg", 0o1)
    try await bench.settle(rounds: 1)
    #expect(try taken(bench) == ["1 a.plist": ["a.jpg": "a"]])
    close(file)
    try await bench.settle()
    #expect(try taken(bench)["2 b.plist"] == ["b.jpg": "b"])
  }

  // MARK: obstacles

  @Test func `without room nothing is copied`() async throws {
    let bench = try bench()
    bench.rules.state.withLock { $0.room = 10 }
    let roll = try #require(try bench.candidates().first)
    guard case .troubled = await bench.claim.attempt(roll, .quiet) else {
      Issue.record("it was let in")
      return
    }
    #expect(try bench.lists.listing().isEmpty)
  }

  @Test(arguments: [true, false])
  func `the names of one file need the room of one copy`(_ isLoose: Bool) async throws {
    let place = isLoose ? "" : "Barn/"
    let bench = try bench(["\(place)a.jpg": "ten bytes."])
    for name in ["b", "c", "d"] {
      User.link("\(bench.inboxPath)/\(place)a.jpg", "\(bench.inboxPath)/\(place)\(name).jpg")
    }
    bench.rules.state.withLock { $0.room = 12 }
    #expect(try bench.candidates().first?.status.size == 10)
    try await bench.settle()
    #expect(try taken(bench).values.first?.count == 4)
    #expect(bench.rules.copies.promised(on: 0) == 0)
    try bench.expectTidy("at the end")
  }

  @Test(arguments: [true, false])
  func `a hollow picture is no reason to ask for room`(_ isLoose: Bool) async throws {
    let bench = try bench([isLoose ? "hole.jpg" : "Barn/hole.jpg": "x"])
    let home =
      isLoose ? bench.inbox : try bench.inbox.openFolder(FileName(literal: "Barn"), creating: false)
    try home.open(FileName(literal: "hole.jpg"), .write).truncate(to: 1 << 30)
    bench.rules.state.withLock { $0.room = 1 << 20 }
    let failure = try await mistake(bench)
    #expect(failure.code == "pictures.holes" && bench.rules.copies.promised(on: 0) == 0)
  }

  @Test(arguments: [true, false])
  func `pictures that are larger than the disk are a mistake of their owner`(
    _ isLoose: Bool
  ) async throws {
    let bench = try bench([isLoose ? "a.jpg" : "Barn/a.jpg": "more than ten bytes"])
    bench.rules.state.withLock { ($0.room, $0.most) = (5, 10) }
    let failure = try await mistake(bench)
    #expect(failure.code == "pictures.large" && failure.kind == .final)
    #expect(try bench.lists.listing().isEmpty)
  }

  @Test func `a roll takes no room that another one is copied into`() async throws {
    let bench = try bench()
    bench.rules.state.withLock { $0.room = 100 }
    let other = bench.rules.copies.promise(90, on: 0)
    let roll = try #require(try bench.candidates().first)
    guard case .troubled = await bench.claim.attempt(roll, .quiet) else {
      Issue.record("it was let in")
      return
    }
    other.wrote(90)
    try await bench.settle()
    try bench.expectTidy("at the end")
  }

  @Test func `a picture that the disk has no room for holds up no other one`() async throws {
    let bench = try bench(["a.jpg": "too large for it", "b.jpg": "b", "c.jpg": "cc"])
    bench.rules.state.withLock { $0.room = 10 }
    try await bench.settle(rounds: 1)
    #expect(try taken(bench) == ["1 pictures.plist": ["b.jpg": "b", "c.jpg": "cc"]])
    let left = try #require(try bench.candidates().first)
    guard case .troubled(let failure) = await bench.claim.attempt(left, .quiet) else {
      Issue.record("it was let in")
      return
    }
    #expect(failure.reason.hasPrefix("there is no room for the picture a.jpg: "))
    bench.rules.state.withLock { $0.room = nil }
    try await bench.settle()
    #expect(try taken(bench)["2 a.plist"] == ["a.jpg": "too large for it"])
    try bench.expectTidy("at the end")
  }

  @Test(arguments: [5, 12, 13] as [Int32])
  func `an error of the disk is trouble of this machine, and a closed folder is its owner's`(
    code: Int32
  ) async throws {
    var (looks, closed) = (0, 0)
    while true {
      looks += 1
      let bench = try bench()
      let candidate = try #require(try bench.candidates().first)
      let fault = FaultPlan.Fault(
        "fstatat", on: bench.inboxPath, code: code, first: looks)
      FaultPlan.set(fault, for: bench.inboxPath)
      let end = await bench.claim.attempt(candidate, .quiet)
      FaultPlan.set(nil, for: bench.inboxPath)
      if case .accepted = end { break }
      switch end {
      case .troubled(let failure): #expect(failure.kind == .machine)
      case .unreadable(let failure):
        closed += 1
        #expect(code == 13 && failure.code == "pictures.closed")
      default: Issue.record("\(end) at look \(looks)")
      }
      #expect(bench.rules.recorded.count <= 1)
      // A picture that waits in `.claim` for its removal is not dropped again.
      let places = try bench.candidates().map(\.key.place)
      #expect(places.allSatisfy { $0 == .inbox }, "look \(looks)")
      try await bench.settle()
      try await bench.restart()
      try await bench.settle()
      #expect(try taken(bench) == ["1 Barn.plist": Self.pictures], "look \(looks)")
    }
    #expect(looks > 3 && (closed > 0) == (code == 13))
  }

  @Test(
    arguments: ["openat", "fstatat", "renameat2"].flatMap { call in
      [11, 13, 16, 107].map { (call, $0 as Int32) }
    })
  func `the acts of an owner on a folder at any step concern that owner alone`(
    call: String, code: Int32
  ) async throws {
    var calls = 0
    while true {
      calls += 1
      let bench = try bench()
      let candidate = try #require(try bench.candidates().first)
      FaultPlan.set(
        .init(call, on: "\(bench.inboxPath)/Barn", code: code, first: calls),
        for: bench.inboxPath)
      let end = await bench.claim.attempt(candidate, .quiet)
      FaultPlan.set(nil, for: bench.inboxPath)
      switch end {
      case .accepted: break
      case .writer: #expect(code == 11)
      case .covered: #expect(code == 16)
      case .unreadable(let failure): #expect(failure.kind == .final)
      default: Issue.record("\(end) at call \(calls)")
      }
      try await bench.settle()
      #expect(try taken(bench) == ["1 Barn.plist": Self.pictures], "call \(calls)")
      if case .accepted = end { break }
    }
    #expect(calls > 3)
  }

  @Test func `a folder that is closed after its copy was recorded keeps its list, for its owner`()
    async throws
  {
    let bench = try bench()
    FaultPlan.set(
      .init("renameat2", on: "\(bench.inboxPath)/Barn", code: 13, isPermanent: true),
      for: bench.inboxPath)
    defer { FaultPlan.set(nil, for: bench.inboxPath) }
    let candidate = try #require(try bench.candidates().first)
    guard case .unreadable(let failure) = await bench.claim.attempt(candidate, .quiet)
    else {
      Issue.record("it left the inbox")
      return
    }
    #expect(failure.code == "pictures.closed" && bench.rules.recorded.count == 1)
    #expect(await !RollClaim(claim: bench.claim).finishAll(of: ThisProcess.user))
    #expect(bench.rules.waits == ["Barn: pictures.closed"])
    FaultPlan.set(nil, for: bench.inboxPath)
    #expect(await RollClaim(claim: bench.claim).finishAll(of: ThisProcess.user))
    #expect(bench.rules.waits.last == "Barn: over")
    #expect(try taken(bench) == ["1 Barn.plist": Self.pictures])
    try bench.expectTidy("at the end")
  }

  @Test func `a folder becomes a file while its pictures leave it`() async throws {
    let bench = try bench()
    FaultPlan.set(
      .init("renameat2", on: "\(bench.inboxPath)/Barn", code: 13, isPermanent: true),
      for: bench.inboxPath)
    _ = await bench.claim.attempt(
      try #require(try bench.candidates().first), .quiet)
    FaultPlan.set(nil, for: bench.inboxPath)
    let barn = FileName(literal: "Barn")
    try bench.inbox.rename(barn, to: bench.failed, as: barn, replacing: false)
    User.put("\(bench.inboxPath)/Barn", "a file")
    #expect(await RollClaim(claim: bench.claim).finishAll(of: ThisProcess.user))
  }

  @Test func `a file too many or a folder too deep is told`() async throws {
    let deep = "Barn/" + (0..<Roll.deepest).map { "\($0)/" }.joined() + "a.jpg"
    let bench = try bench([deep: "a", "Barn/b.jpg": "b"])
    let roll = try #require(
      try bench.claim.memory.look(at: bench.inbox).roll(.init(FileName(literal: "Barn"))))
    #expect(roll.pictures.count == 1)
    #expect(roll.remainders.map(\.reason) == [.deep])
  }

  @Test func `a list in the state folder with a damaged roll keeps what is in the inbox`()
    async throws
  {
    let bench = try bench()
    FaultPlan.set(
      .init("renameat2", on: "\(bench.inboxPath)/Barn/door.jpg", code: 5), for: bench.inboxPath)
    try await bench.settle(rounds: 1)
    FaultPlan.set(nil, for: bench.inboxPath)
    #expect(bench.rules.recorded.count == 1)
    let folder = try bench.lists.openFolder(ListFolder.name(ListID(1)), creating: false)
    try folder.openAnew(ListFolder.roll).write(Array("#darkroom".utf8), at: 0)
    try await bench.restart()
    try await bench.settle()
    // Two had left their folder.
    let names = bench.rules.recorded.values.map { "\($0.name)" }.sorted()
    #expect(names == ["Barn.plist", "Barn.plist", "pictures.plist"])
    // Empty folders may stay.
    #expect(try bench.candidates().allSatisfy { $0.status.size == 0 })
  }
}

/// Over at one step, once.
private final class Countdown: @unchecked Sendable {
  // Unchecked because one task at a time uses it.
  private var left: Int
  private(set) var isDone = false

  init(_ steps: Int) { left = steps }

  func isOver() -> Bool {
    left -= 1
    if left == 0 { isDone = true }
    return left == 0
  }
}
