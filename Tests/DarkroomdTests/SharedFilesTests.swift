// SPDX-License-Identifier: Apache-2.0
// The files of an open list on the shelf are gone or damaged: its home puts them there again, and a node that cannot
// have them says so, in its health and to the home.

import Accept
import Catalog
import Chain
import Cluster
import Files
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct SharedFilesTests {
  /// An act of an administrator on the folder of a list.
  enum Harm: CaseIterable {
    case folder, files, emptied, bit
  }

  private static let list = LedgerList(7)
  private static let origin = FileName(literal: "origin")

  private let shelf: FolderShelf
  private let blobs: FreshFolder
  private let state: FreshFolder

  init() throws {
    (blobs, state) = (try FreshFolder(), try FreshFolder())
    shelf = FolderShelf(SharedMark(path: blobs.path, in: state.folder), mark: "aa.")
    try FolderShelf.make(in: blobs.folder)
  }

  private var sample: SampleList {
    SampleList(count: 40) { $0.terms.kind = .entry(Self.origin, Self.list) }
  }

  private var share: Share {
    Share(
      ShareID(list: Self.list, first: 1, epoch: 1), last: 40, serviceClass: .default,
      done: PhotoMask(count: 40))
  }

  private func maker(
    _ bench: PartBench, isReturned: Bool = true, state: LedgerState = .running,
    leases: [Share] = []
  ) throws -> (ShareMaker, OneListOffice) {
    let submission = Submission(
      origin: "origin", owner: "1000", name: Array("barn".utf8), sha256: sample.sha256,
      serviceClass: .utility, photos: 40, folder: Array("barn".utf8), terms: sample.terms.text)
    let office = OneListOffice(
      list: Self.list, submission: submission, twins: ["origin"], isReturned: isReturned,
      state: state, leases: leases)
    return (
      ShareMaker(
        ground: bench.ground, office: office, shelf: shelf, keeper: bench.keeper,
        witness: bench.witness), office
    )
  }

  private func harm(_ harm: Harm) throws {
    let lists = try blobs.folder.folder(FileName(literal: "lists"), creating: false)
    if harm == .folder { return try lists.removeFlat(Self.origin) }
    let folder = try lists.folder(Self.origin, creating: false)
    if harm == .files { return try folder.names().forEach { try folder.remove($0) } }
    let file = try folder.open(ListFolder.catalog, .write)
    if harm == .emptied { return try file.truncate(to: 0) }
    try file.write(file.read(at: 40, upTo: 1).map { $0 ^ 1 }, at: 40)
  }

  private func isWhole(_ own: any Folder) throws -> Bool {
    try !shelf.differs(from: own, as: Self.origin, reading: true, through: state.folder)
  }

  @Test(arguments: Harm.allCases)
  func `the home of a list puts its files on the shelf again`(_ harm: Harm) async throws {
    try await PartBench.use { bench in
      try await bench.add(1, sample)
      let own = try bench.folder(of: ListID(1))
      try shelf.put(own, as: Self.origin)
      try self.harm(harm)
      #expect(try !isWhole(own))
      let desk = EntryDesk(try maker(bench).0, Settings().cluster)
      try await desk.open(ListID(1))
      let run = Task { await desk.run() }
      // The start compares no bytes.
      if harm == .bit { desk.lacks(Self.list) }
      #expect(try await Patience.sees { try isWhole(own) })
      #expect(try await Patience.sees { bench.told.holds("list 1 continues") })
      #expect(
        bench.told.holds("its files are missing or damaged in the place of Blobs=; list 1 waits"))
      #expect(bench.health.health[.list(ListID(1))] == nil)
      #expect(try FolderShelf.files.allSatisfy { try own.has($0) })
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `files that are damaged at the home as well are not put on the shelf, and it says so`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1, sample)
      let own = try bench.folder(of: ListID(1))
      let file = try own.open(ListFolder.catalog, .write)
      try file.write(file.read(at: 40, upTo: 1).map { $0 ^ 1 }, at: 40)
      let desk = EntryDesk(try maker(bench).0, Settings().cluster)
      try await desk.open(ListID(1))
      let run = Task { await desk.run() }
      desk.lacks(Self.list)
      #expect(
        try await Patience.sees {
          bench.health.health[.list(ListID(1))]?.reason.contains("at this node as well") == true
        })
      #expect(throws: Failure.self) { try shelf.size(of: Self.origin) }
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `a list that is over and whose files are gone for a day is returned without them`()
    async throws
  {
    try await PartBench.use { bench in
      let (maker, office) = try maker(bench, isReturned: false, state: .finished)
      office.ends.lists.withLock { $0 = [] }
      let desk = EntryDesk(maker, Settings().cluster)
      let run = Task { await desk.run() }
      // The place may be restored meanwhile.
      #expect(try await Patience.sees { bench.health.health[.returns] != nil })
      #expect(
        try await Patience.sees {
          bench.clock.advance(by: .seconds(3600))
          return office.ends.lists.withLock { $0 } == [Self.list]
        })
      #expect(bench.clock.uptime() > .seconds(86_400))
      #expect(
        try await Patience.sees { bench.told.holds("the list has no copy and no results in done") })
      #expect(try await Patience.sees { bench.health.health[.returns] == nil })
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  /// A desk rests between its looks.
  private func sees(_ bench: PartBench, _ holds: () throws -> Bool) async throws -> Bool {
    try await Patience.sees {
      bench.clock.advance(by: .milliseconds(100))
      return try holds()
    }
  }

  @Test
  func `a node that cannot have the files says so once, asks the home, and goes on with them`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1, sample)
      let (maker, office) = try maker(bench, leases: [share])
      let desk = ShareDesk(maker, Settings().cluster, chains: bench.photos.chains)
      let run = Task { await desk.run() }
      for count in 1...2 {
        #expect(try await sees(bench) { office.words.given.withLock(\.count) >= count })
        #expect(try await sees(bench) { office.words.lacked.withLock(\.count) >= count })
        desk.ring(.list(Self.list))
      }
      let trouble = try #require(bench.health.health[.share(Self.list)])
      #expect(trouble.reason.hasPrefix("the files of list 'barn' cannot be had: "))
      let words = "its photos are left to other nodes"
      #expect(bench.told.all().count { $0.contains(words) } == 1)
      try shelf.put(bench.folder(of: ListID(1)), as: Self.origin)
      desk.ring(.list(Self.list))
      #expect(try await sees(bench) { bench.health.health[.share(Self.list)] == nil })
      #expect(bench.told.holds("its photos are developed here"))
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `shares that this machine cannot make are one trouble, however often they fail`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1, sample)
      try shelf.put(bench.folder(of: ListID(1)), as: Self.origin)
      let (maker, office) = try maker(bench, leases: [share])
      let state = bench.folders.state.path
      FaultPlan.set(.init("mkdirat", on: state, code: 28, isPermanent: true), for: state)
      defer { FaultPlan.set(nil, for: state) }
      let desk = ShareDesk(maker, Settings().cluster, chains: bench.photos.chains)
      let run = Task { await desk.run() }
      for count in 1...4 {
        #expect(try await sees(bench) { office.words.given.withLock(\.count) >= count })
        desk.ring(.list(Self.list))
      }
      #expect(bench.health.health[.shares]?.code == "disk.full")
      let told = bench.told.all()
      #expect(told.count { $0.contains("photos of the cluster are left to other nodes") } == 1)
      #expect(!told.contains { $0.contains("this node takes photos of the cluster") })
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `trouble with a list that is over is shown no longer`() async throws {
    try await PartBench.use { bench in
      let (maker, office) = try maker(bench, leases: [share])
      let desk = ShareDesk(maker, Settings().cluster, chains: bench.photos.chains)
      let run = Task { await desk.run() }
      #expect(try await sees(bench) { bench.health.health[.share(Self.list)] != nil })
      office.words.state.withLock { $0 = .cancelled }
      #expect(
        try await sees(bench) {
          desk.ring(.list(Self.list))
          return bench.health.health[.share(Self.list)] == nil
        })
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `trouble with a list ends when other nodes have the rest of it`() async throws {
    try await PartBench.use { bench in
      let (maker, office) = try maker(bench, leases: [share])
      let desk = ShareDesk(maker, Settings().cluster, chains: bench.photos.chains)
      let run = Task { await desk.run() }
      #expect(try await sees(bench) { bench.health.health[.share(Self.list)] != nil })
      // The share is this node's until it goes back; only then does the node tell the home.
      #expect(try await sees(bench) { office.words.calls.withLock { $0.contains("lacks") } })
      let calls = office.words.calls.withLock { $0.filter { $0 != "turn" } }
      #expect(calls.first == "giveBack")
      office.words.isTaken.withLock { $0 = true }
      let begin = bench.clock.uptime()
      let isOver = try await Patience.sees {
        bench.clock.advance(by: .seconds(1))
        return bench.health.health[.share(Self.list)] == nil
      }
      #expect(isOver && bench.clock.uptime() - begin >= .seconds(100))
      #expect(!bench.told.holds("its photos are developed here"))
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test(arguments: [false, true])
  func `trouble with shares ends when nothing waits for this node`(isQuiet: Bool) async throws {
    try await PartBench.use { bench in
      try await bench.add(1, sample)
      try shelf.put(bench.folder(of: ListID(1)), as: Self.origin)
      let (maker, office) = try maker(bench, leases: [share])
      let state = bench.folders.state.path
      FaultPlan.set(.init("mkdirat", on: state, code: 28, isPermanent: true), for: state)
      defer { FaultPlan.set(nil, for: state) }
      let desk = ShareDesk(maker, Settings().cluster, chains: bench.photos.chains)
      let run = Task { await desk.run() }
      #expect(try await sees(bench) { bench.health.health[.shares] != nil })
      office.words.isTaken.withLock { $0 = true }
      office.words.isQuiet.withLock { $0 = isQuiet }
      let isOver = try await Patience.sees {
        bench.clock.advance(by: .seconds(1))
        return bench.health.health[.shares] == nil
      }
      #expect(isOver)
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test func `lists that no node takes are a trouble, as long as one is open and none takes it`()
    async throws
  {
    try await PartBench.use { bench in
      let (maker, office) = try maker(bench, leases: [share])
      let desk = ShareDesk(maker, Settings().cluster, chains: bench.photos.chains)
      let run = Task { await desk.run() }
      for (isDrained, isOpen) in [(true, true), (false, true), (true, true), (true, false)] {
        office.words.isQuiet.withLock { $0 = !isOpen }
        office.words.isDrained.withLock { $0 = isDrained }
        #expect(
          try await sees(bench) {
            desk.ring(.list(Self.list))
            return (bench.health.health[.nodes] != nil) == (isDrained && isOpen)
          }, "\(isDrained) \(isOpen)")
      }
      #expect(bench.told.holds("no node takes new photos: a is drained"))
      run.cancel()
      await run.value
      bench.keeper.stop()
    }
  }

  @Test(arguments: [Harm.emptied, .bit])
  func `a share that cannot be read, at its opening or later, goes to other nodes`(_ harm: Harm)
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1, sample)
      try shelf.put(bench.folder(of: ListID(1)), as: Self.origin)
      try self.harm(harm)
      let (maker, office) = try maker(bench, leases: [share])
      let node = ClusterNode(
        "a", maker, Settings().cluster, chains: bench.photos.chains,
        tie: ClusterNode.Tie(close: {}, usePassword: { _ in false }))
      let desk = node.shares
      var work = bench.work
      work.cluster = node
      try await bench.chaining { events in
        let (effects, keeper) = (work, bench.keeper)
        let lives = Task { await keeper.run(effects) }
        let run = Task { await desk.run() }
        if harm == .bit {
          let isFound = try await sees(bench) { events.value.contains { $0.unreadable != nil } }
          #expect(isFound)
          for (list, failure) in events.value.compactMap(\.unreadable) {
            keeper.happened(.unreadable(failure), to: list)
          }
        }
        let isGiven = try await sees(bench) {
          office.words.given.withLock { $0.contains(share.id) }
        }
        let isTold = try await sees(bench) { office.words.lacked.withLock { !$0.isEmpty } }
        #expect(isGiven && isTold)
        let trouble = bench.health.health[.share(Self.list)]
        #expect(trouble?.reason.hasPrefix("the files of list 'barn' cannot be read: ") == true)
        run.cancel()
        await run.value
        keeper.stop()
        await lives.value
      }
      #expect(!bench.told.holds("waits for repair"))
    }
  }

  // MARK: checks as values

  @Test func `the start checks names and sizes, and a word of a node the bytes, now and then`() {
    var checks = EntryChecks()
    let list = ListID(3)
    checks.began(list, at: .zero)
    let first = checks.next(at: .zero)
    #expect(first == EntryChecks.Check(list: list, isReading: false))
    #expect(checks.next(at: .zero) == nil)
    #expect(first.map { checks.ended($0, isWell: false, at: .zero) } == false, "no node has met it")
    #expect(checks.next(at: .seconds(29)) == nil && checks.next(at: .seconds(30)) == first)
    checks.asked(list, at: .seconds(30))
    let second = checks.next(at: .seconds(30))
    #expect(second?.isReading == true)
    #expect(second.map { checks.ended($0, isWell: false, at: .seconds(30)) } == true)
    #expect(checks.next(at: .seconds(89)) == nil && checks.next(at: .seconds(90)) == second)
    #expect(second.map { checks.ended($0, isWell: true, at: .seconds(90)) } == true, "it was shown")
    for _ in 0..<3 { checks.asked(list, at: .seconds(91)) }
    #expect(checks.nextTime == .seconds(390))
    checks.forget(list)
    #expect(checks.nextTime == nil)
  }

  @Test func `what is found is shown once, and so is its end`() {
    var checks = EntryChecks()
    checks.began(ListID(3), at: .zero)
    for round in 0..<3 {
      let now = Duration.seconds(round * 300)
      let check = checks.next(at: now)
      #expect(checks.found(ListID(3)) == (round == 0))
      #expect(check.map { checks.ended($0, isWell: round == 2, at: now) } == true)
    }
    #expect(checks.nextTime == nil)
  }

  @Test func `of files to be checked, those that have waited for the longest time are the next`() {
    var checks = EntryChecks()
    checks.began(ListID(3), at: .zero)
    if let check = checks.next(at: .zero) { _ = checks.ended(check, isWell: false, at: .zero) }
    checks.began(ListID(9), at: .seconds(10))
    let lists = (0..<2).map { _ in checks.next(at: .seconds(40))?.list }
    #expect(lists == [ListID(9), ListID(3)])
  }

  @Test func `lists in trouble are looked after in turns`() {
    var lacked = LackedFiles()
    for number in [5, 2, 9] as [UInt64] {
      lacked.failed(LedgerList(number), mustTell: number != 9, at: .zero)
    }
    #expect((1...4).compactMap { _ in lacked.next()?.number } == [2, 5, 9, 2])
    #expect(lacked.toTell == LedgerList(2))
    lacked.told(LedgerList(2))
    #expect(lacked.forget(LedgerList(5)) && lacked.toTell == nil)
    #expect(!lacked.forget(LedgerList(5)) && lacked.next() == LedgerList(9))
  }

  @Test func `a list is in trouble no longer if the ledger has nothing of it for this node`() {
    var lacked = LackedFiles()
    for (number, time) in [(5, 0), (2, 0), (9, 50)] as [(UInt64, Int)] {
      lacked.failed(LedgerList(number), mustTell: true, at: .seconds(time))
    }
    func left(_ seconds: Int) -> [LedgerList] {
      lacked.nothingLeft(besides: [LedgerList(2)], after: .seconds(60), at: .seconds(seconds))
    }
    #expect(left(59).isEmpty)
    #expect(left(60) == [LedgerList(5)])
    #expect(lacked.toTell == LedgerList(2) && left(60).isEmpty)
    lacked.failed(LedgerList(9), mustTell: false, at: .seconds(100))
    #expect(left(159).isEmpty && left(160) == [LedgerList(9)])
    let isKnown = lacked.forget(LedgerList(2))
    #expect(isKnown, "the node wanted none of it")
  }

  @Test func `two troubles of one list are shown one after the other, and each until it is over`() {
    typealias News = EntryTroubles.News
    let (record, files) = (
      Failure(.machine, code: "disk.full", reason: "full"),
      Failure(.machine, code: "list.shelf", reason: "gone")
    )
    var troubles = EntryTroubles()
    let list = ListID(3)
    func set(
      _ failure: Failure?, of source: EntryTroubles.Source, for list: ListID = list
    ) -> News? { troubles.set(failure, of: source, for: list) }
    #expect(set(nil, of: .ledger) == nil)
    #expect(set(files, of: .files) == News(failure: files))
    #expect(set(nil, of: .ledger) == News(failure: files))
    #expect(set(record, of: .ledger) == News(failure: record))
    #expect(set(files, of: .files, for: ListID(4)) == News(failure: files))
    #expect(set(nil, of: .ledger) == News(failure: files))
    #expect(set(nil, of: .files) == News(failure: nil))
    #expect(set(nil, of: .files) == nil)
    troubles.forget(ListID(4))
    #expect(set(nil, of: .ledger, for: ListID(4)) == nil)
  }

  // MARK: shelves

  @Test(arguments: [false, true], ["catalog", "list.plist", "collisions"])
  func `a shelf finds files that are missing or differ, and has them again`(
    inStore: Bool, name: String
  ) throws {
    let (store, own, copy) = (MemoryStore(), try FreshFolder(), try FreshFolder())
    for name in ["catalog", "collisions", "list.plist"] {
      try own.write(Array("the \(name)".utf8), to: name)
    }
    let shelf: any ListShelf = inStore ? StoreShelf(store: store) : shelf
    func differs(reading: Bool) throws -> Bool {
      try shelf.differs(
        from: own.folder, as: Self.origin, reading: reading, through: state.folder)
    }
    #expect(try differs(reading: false))
    try shelf.put(own.folder, as: Self.origin)
    #expect(try !differs(reading: false) && !differs(reading: true))
    let path = "lists/origin/\(name)"
    for (text, isSeen) in [("THE \(name)", false), ("", true)] {
      if inStore { store.put(path, text) } else { try blobs.write(Array(text.utf8), to: path) }
      #expect(try differs(reading: false) == isSeen && differs(reading: true))
      try shelf.renew(own.folder, as: Self.origin)
      #expect(try !differs(reading: true))
    }
    try shelf.fetch(Self.origin, into: copy.folder)
    #expect(copy.bytes(of: name) == own.bytes(of: name))
    if !inStore {
      let lists = try blobs.folder.folder(FileName(literal: "lists"), creating: false)
      #expect(try lists.names() == [Self.origin])
    }
    #expect(try state.folder.names().isEmpty)
  }

  @Test(arguments: FolderShelf.files)
  func `a list that lacks a file is not taken from the shelf, and none is put there`(
    name: FileName
  ) throws {
    let (own, copy) = (try FreshFolder(), try FreshFolder())
    for file in FolderShelf.files where file != name { try own.write([1], to: "\(file)") }
    #expect(throws: Failure.self) { try shelf.put(own.folder, as: Self.origin) }
    let lists = try blobs.folder.folder(FileName(literal: "lists"), creating: false)
    #expect(try lists.names().isEmpty)
    try own.write([1], to: "\(name)")
    try shelf.put(own.folder, as: Self.origin)
    try lists.folder(Self.origin, creating: false).remove(name)
    for act in [
      { try shelf.fetch(Self.origin, into: copy.folder) }, { _ = try shelf.size(of: Self.origin) },
    ] {
      let failure = #expect(throws: Failure.self) { try act() }
      #expect(failure?.isOfMissingList == true && failure?.advice.isEmpty == false)
    }
    #expect(try !isWhole(own.folder))
    try own.folder.remove(name)
    #expect(try !isWhole(own.folder), "it is missing at both")
  }

  @Test func `an error while the files in a store are made again leaves the others as they were`()
    throws
  {
    let (store, own) = (MemoryStore(), try FreshFolder())
    for name in FolderShelf.files { try own.write(Array("the \(name)".utf8), to: "\(name)") }
    let shelf = StoreShelf(store: store)
    try shelf.put(own.folder, as: Self.origin)
    store.put("lists/origin/catalog", "torn")
    store.fail(at: "catalog")
    #expect(throws: MemoryStore.trouble) { try shelf.renew(own.folder, as: Self.origin) }
    // The first one was made again before, and none has gone without that.
    #expect(store.keys.count == 3 && store.made.count == 4)
    try shelf.renew(own.folder, as: Self.origin)
    #expect(store.keys.count == 3)
    let state = state.folder
    #expect(
      try !shelf.differs(from: own.folder, as: Self.origin, reading: true, through: state))
  }
}

extension ChainEvent {
  fileprivate var unreadable: (ListID, Failure)? {
    if case .unreadable(let list, let failure) = self { (list, failure) } else { nil }
  }
}
