// SPDX-License-Identifier: Apache-2.0
// The rules by which dropped lists are let in, their terms, and their news.

import Cluster
import Files
import Linux
import Record
import Steer
import Support
import Testing
import Vocabulary

@testable import Accept
@testable import darkroomd

@Suite struct ListIntakeTests {
  /// A list that was read, and has a draft's folder.
  private func draft(
    _ bench: PartBench, _ sample: SampleList, as list: ListID
  ) throws -> ListDraft {
    let folder = try bench.folders.lists.folder(ListFolder.staged(list), creating: true)
    let catalog = try folder.open(ListFolder.catalog, .ensure)
    try catalog.write(sample.catalog().bytes, at: 0)
    return ListDraft(
      list: list, name: FileName(made: sample.name), owner: sample.owner, folder: folder,
      catalog: catalog)
  }

  private func prepare(
    _ bench: PartBench, _ sample: SampleList = SampleList(), as list: ListID? = nil
  ) async throws -> FrozenSettings {
    let list = list ?? bench.intake.nextNumber()
    return try FrozenSettings(
      text: try await bench.intake.prepare(draft(bench, sample, as: list)).settings)
  }

  /// Lets a list in, as the inbox does.
  private func accept(
    _ bench: PartBench, _ sample: SampleList = SampleList(), as list: ListID? = nil
  ) async throws -> ListID {
    let list = list ?? bench.intake.nextNumber()
    let terms = try await bench.intake.prepare(draft(bench, sample, as: list))
    let about = AboutFile(
      name: FileName(made: sample.name),
      status: FileStatus(
        kind: .file, device: 1, inode: 1, size: UInt64(sample.bytes.count), owner: sample.owner,
        mode: 0, modified: 0, changed: 0), sha256: sample.sha256,
      accepted: bench.clock.wallTime(), terms: terms)
    let lists = bench.folders.lists
    try lists.rename(
      ListFolder.staged(list), to: lists, as: ListFolder.name(list), replacing: false)
    try bench.folder(of: list).put(ListFolder.about, about.text)
    try bench.folder(of: list).openAnew(ListFolder.list).write(sample.bytes, at: 0)
    try await bench.intake.accept(list, about.acceptance, about, by: nil)
    return list
  }

  private func owned(by owner: UInt32) -> SampleList { SampleList { $0.owner = owner } }

  // MARK: numbers

  @Test func `each list has its own number, and only a recorded one counts`() async throws {
    try await PartBench.use { bench in
      let numbers = (1...3).map { _ in bench.intake.nextNumber().number }
      #expect(numbers == [1, 2, 3] && !bench.intake.isRecorded(ListID(1)))
      let list = try await accept(bench)
      #expect(list == ListID(4) && bench.intake.isRecorded(list))
    }
  }

  // MARK: terms

  @Test func `pictures need room for their copies`() async throws {
    try await PartBench.use { bench in
      #expect(await bench.intake.fullness(for: 1000, besides: 0, adding: 1 << 20) == nil)
      let room = try bench.folders.state.room()
      let setting = bench.intake.settings.current.download.freeSpace
      let floor = SpaceFloor.intake(setting, of: room.total)
      let all = room.total - floor
      let full = IntakeStanding(left: 5, most: all)
      let failure = bench.intake.fullness(for: 1000, besides: 0, adding: all, on: full)
      #expect(failure?.code == "pictures.room" && failure?.kind == .machine)
      #expect(failure?.reason.hasPrefix("its copy needs \(all >> 20) MiB, and ") == true)
      #expect(failure?.reason.hasSuffix(" has room for 0 KiB") == true)
      let standing = try #require(await bench.intake.standing())
      #expect(standing.most == all && standing.left <= all)
      #expect(try standing.device == bench.folders.state.device())
      // Another copy has begun.
      let free = IntakeStanding(left: 100, most: all)
      #expect(bench.intake.fullness(for: 1000, besides: 0, adding: 100, on: free) == nil)
      let other = bench.intake.copies.promise(1, on: 0)
      let later = bench.intake.fullness(for: 1000, besides: 0, adding: 100, on: free)
      #expect(later?.reason.hasSuffix(" first") == true && later?.advice.isEmpty == true)
      other.wrote(1)
    }
  }

  @Test func `pictures that are larger than the disk are a mistake of their owner`() async throws {
    try await PartBench.use { bench in
      let size = UInt64(Int64.max)
      let failure = await bench.intake.fullness(for: 1000, besides: 0, adding: size)
      #expect(failure?.code == "pictures.large" && failure?.kind == .final)
      #expect(
        failure?.reason.hasPrefix("its copy needs 8796093022207 MiB, and the whole file system of ")
          == true)
      #expect(failure?.advice == "Drop it in parts, each when the last one is done")
    }
  }

  @Test func `a list that says nothing has the settings of the daemon`() async throws {
    try await PartBench.use(settings: {
      $0.filter.function = .sepia(thousandths: 5)
      $0.filter.quality = .level(70)
      $0.filter.metadata = .strip
    }) { bench in
      let terms = try await prepare(bench)
      #expect(terms.filter == .sepia(thousandths: 5) && terms.quality == .level(70))
      #expect(terms.metadata == .strip && terms.title.isEmpty && terms.revises == nil)
      #expect(terms.prints == FileName(literal: "barn"))
    }
  }

  @Test func `the options of a list precede the settings of the daemon`() async throws {
    try await PartBench.use { bench in
      let sample = SampleList(count: 3) {
        $0.options = [
          ("Filter", "sepia(0.1)"), ("Quality", "50"), ("Metadata", "copyright"),
          ("Title", "Summer"), ("QualityOfService", "utility"),
        ]
      }
      let list = bench.intake.nextNumber()
      let terms = try await bench.intake.prepare(draft(bench, sample, as: list))
      let frozen = try FrozenSettings(text: terms.settings)
      #expect(terms.photos == 3 && terms.serviceClass == .utility)
      #expect(frozen.filter == .sepia(thousandths: 100) && frozen.quality == .level(50))
      #expect(frozen.metadata == .copyright && frozen.title == "Summer")
    }
  }

  @Test(arguments: [false, true])
  func `a list takes over the folder of prints, unless it holds those of another list`(
    isForeign: Bool
  ) async throws {
    try await PartBench.use { bench in
      let first = try await accept(bench)
      let old = try #require(bench.index[first]?.terms)
      #expect(old.mark(of: first) != nil)
      if isForeign { try bench.leaveStranger() }
      let next = try await prepare(bench)
      #expect(next.revises == first)
      #expect(next.prints == FileName(literal: isForeign ? "barn~2" : "barn"))
      #expect((next.line == old.line) == !isForeign && next.mark(of: ListID(2)) != nil)
      let draft = try draft(bench, SampleList(), as: bench.intake.nextNumber())
      let again = try FrozenSettings(
        text: try await bench.intake.prepare(
          draft, again: RepeatOrder(first, of: 1000, photos: .all, serviceClass: nil),
          ListTerms(photos: 1, serviceClass: .default, settings: old.text)
        ).settings)
      #expect(again.prints == FileName(literal: isForeign ? "barn~3" : "barn"))
      #expect((again.line == old.line) == !isForeign && again.revises == first)
    }
  }

  @Test func `a list of pictures takes over from no list, and no list from it`() async throws {
    try await PartBench.use { bench in
      let first = try await accept(bench)
      var draft = try draft(bench, SampleList(), as: bench.intake.nextNumber())
      draft.isRoll = true
      let terms = try FrozenSettings(text: try await bench.intake.prepare(draft).settings)
      #expect(terms.isRoll && terms.revises == nil)
      #expect(terms.prints == FileName(literal: "barn~2"))
      let about = AboutFile(
        name: draft.name,
        status: FileStatus(
          kind: .folder, device: 1, inode: 2, size: 1, owner: draft.owner, mode: 0, modified: 0,
          changed: 0), sha256: SampleList().sha256, accepted: 0,
        terms: ListTerms(photos: 1, serviceClass: .default, settings: terms.text))
      let lists = bench.folders.lists
      try lists.rename(
        ListFolder.staged(draft.list), to: lists, as: ListFolder.name(draft.list), replacing: false)
      try await bench.intake.accept(draft.list, about.acceptance, about, by: nil)
      let later = try await prepare(bench)
      #expect(later.revises == first && later.prints == FileName(literal: "barn") && !later.isRoll)
    }
  }

  // MARK: parts

  @Test func `a part of a list prints with the others, and neither notifies nor counts the rest`()
    async throws
  {
    try await PartBench.use { bench in
      var intake = bench.intake
      intake.part = PartOrder(range: NumberRanges(text: "4-6,9-99"))
      _ = try bench.folders.prints.folder(FileName(literal: "barn"), creating: true)
      let sample = SampleList(count: 10) { $0.options = [("Notify", "https://h/over")] }
      let terms = try await intake.prepare(draft(bench, sample, as: intake.nextNumber()))
      let frozen = try FrozenSettings(text: terms.settings)
      #expect(terms.photos == 5 && frozen.prints == FileName(literal: "barn"))
      #expect(frozen.notify == nil && frozen.part?.text == "4-6,9-99")
    }
  }

  @Test func `a part behind the end of the list is refused`() async throws {
    try await PartBench.use { bench in
      var intake = bench.intake
      intake.part = PartOrder(range: NumberRanges(text: "4-6"))
      let draft = try draft(bench, SampleList(count: 3), as: intake.nextNumber())
      do throws(Failure) {
        _ = try await intake.prepare(draft)
        Issue.record("it was let in")
      } catch {
        #expect(error.kind == .final && error.code == "list.range")
        #expect(error.reason == "the list has 3 photos, and none in the range 4-6")
      }
    }
  }

  // MARK: retry lists

  /// A list of five photos, and a draft of its retry list.
  private func continuation(
    _ bench: PartBench, _ change: (inout SampleList) -> Void, before: () throws -> Void = {},
    recording: () async throws -> Void = {}
  ) async throws -> RepeatOrder? {
    let options = [("Filter", "sepia(0.1)"), ("Quality", "50")]
    _ = try await accept(bench, SampleList(count: 5) { $0.options = options })
    var sample = SampleList(count: 5) {
      ($0.name, $0.options) = ("barn.retry.plist", options + [("Metadata", "keep")])
    }
    sample.photos = [sample.photos[1], sample.photos[3]]
    change(&sample)
    let draft = try draft(bench, sample, as: bench.intake.nextNumber())
    _ = try await bench.intake.prepare(draft)
    try before()
    try await recording()
    return try await bench.intake.continuation(of: draft)
  }

  @Test func `equal photos of a long list are each looked at once`() async throws {
    try await PartBench.use { bench in
      let same = SampleList(count: 1).photos[0]
      let photos = [(String, String)](repeating: same, count: 20_000)
      _ = try await accept(bench, SampleList { $0.photos = photos })
      let sample = SampleList { ($0.name, $0.photos) = ("barn.retry.plist", photos) }
      let draft = try draft(bench, sample, as: bench.intake.nextNumber())
      let order = try await bench.intake.continuation(of: draft)
      #expect(order?.photos == NumberRanges(Array(1...20_000)).map { .only($0) })
    }
  }

  @Test func `failed photos that are scattered over a long list are all tried again`() async throws
  {
    try await PartBench.use { bench in
      let count = UInt32(3 * NumberRanges.most)
      let whole = SampleList(count: Int(count))
      let list = try await accept(bench, whole)
      let failed = (1...count).filter { $0 % 2 == 0 }
      try await bench.recorder.record(
        failed.map { .failed(PhotoID(list: list, number: $0), .download, code: "x", attempt: 1) },
        after: failed.map { .row(list, ResultRow(photo: $0, state: .failed, code: "x")) })
      func choice(_ numbers: [UInt32]) async throws -> RetryChoice? {
        var sample = SampleList { $0.name = "barn.retry.plist" }
        sample.photos = numbers.map { whole.photos[Int($0) - 1] }
        let draft = try draft(bench, sample, as: bench.intake.nextNumber())
        return try await bench.intake.continuation(of: draft)?.photos
      }
      #expect(try await choice(failed) == .all)
      let others = try await choice(failed.filter { $0 != 8 })
      #expect(others == NumberRanges([8]).map { .allBut($0) })
    }
  }

  @Test(arguments: ["cancelled", "paused", "damaged"])
  func `a list that is cancelled, paused or damaged is not continued`(state: String) async throws {
    try await PartBench.use { bench in
      let order = try await continuation(bench, { _ in }) {
        let list = ListID(1)
        switch state {
        case "damaged": try bench.folder(of: list).openAnew(ListFolder.list).write([1], at: 0)
        default: break
        }
      } recording: {
        switch state {
        case "cancelled": try await bench.recorder.record([.cancelled(ListID(1))])
        case "paused": try await bench.recorder.record([.paused(ListID(1))])
        default: break
        }
      }
      #expect(order == nil)
    }
  }

  @Test func `a retry list continues its list with the photos that it names`() async throws {
    try await PartBench.use { bench in
      let order = try #require(
        try await continuation(bench) { $0.options.append(("QualityOfService", "utility")) })
      #expect(order.earlier == ListID(1) && order.photos == NumberRanges([2, 4]).map { .only($0) })
      #expect(order.serviceClass == .utility)
      let old = try #require(bench.index[ListID(1)]?.terms)
      let draft = try draft(bench, SampleList(count: 5), as: bench.intake.nextNumber())
      let terms = try await bench.intake.prepare(
        draft, again: order, ListTerms(photos: 5, serviceClass: .default, settings: old.text))
      var expected = old
      (expected.revises, expected.again) = (ListID(1), order.photos)
      #expect(try FrozenSettings(text: terms.settings) == expected)
      #expect(terms.serviceClass == .utility && terms.photos == 5)
    }
  }

  @Test(arguments: ["url", "name", "more", "filter", "owner", "file name", "no list"])
  func `a retry list that was changed, or is of another user, is a list of its own`(
    change: String
  ) async throws {
    try await PartBench.use { bench in
      let order = try await continuation(bench) { sample in
        switch change {
        case "url": sample.photos[1].1 = "https://photos.example.org/new.jpg"
        case "name": sample.photos[0].0 = "Hut"
        case "more": sample.photos.append(("Photo 6", "https://photos.example.org/6.jpg"))
        case "filter": sample.options[0].1 = "sepia(0.2)"
        case "owner": sample.owner = 1001
        case "file name": sample.name = "barn.again.plist"
        default: sample.name = "cow.retry.plist"
        }
      }
      #expect(order == nil)
    }
  }

  @Test func `names that collide are settled in the draft's folder`() async throws {
    try await PartBench.use { bench in
      let sample = SampleList { $0.photos = [("Barn", "https://h/1"), ("barn", "https://h/2")] }
      let draft = try draft(bench, sample, as: ListID(1))
      _ = try await bench.intake.prepare(draft)
      #expect(try draft.folder.text("collisions") == "2\n")
    }
  }

  @Test func `a catalog that no worker wrote properly is refused`() async throws {
    try await PartBench.use { bench in
      let draft = try draft(bench, SampleList(), as: ListID(1))
      try draft.catalog.truncate(to: 20)
      let failure = await #expect(throws: Failure.self) { try await bench.intake.prepare(draft) }
      #expect(failure?.kind == .final && failure?.code == "catalog.damaged")
    }
  }

  // MARK: the folder of prints

  @Test func `a list of the same name and owner takes over, even when the earlier one is over`()
    async throws
  {
    try await PartBench.use { bench in
      let first = try await accept(bench)
      try await bench.recorder.record([.cancelled(first)])
      let terms = try await prepare(bench, SampleList { $0.name = "barn.PLIST" })
      #expect(terms.revises == first && terms.prints == FileName(literal: "barn"))
    }
  }

  @Test func `the same name of another owner has a folder of its own`() async throws {
    try await PartBench.use { bench in
      _ = try await accept(bench, owned(by: 1000))
      let other = try await accept(bench, owned(by: 1001))
      let terms = try #require(bench.index[other]?.terms)
      #expect(terms.prints == FileName(literal: "barn~2") && terms.revises == nil)
      // Its next list stays there.
      let next = try await prepare(bench, owned(by: 1001))
      #expect(next.prints == FileName(literal: "barn~2") && next.revises == other)
    }
  }

  @Test func `the folder of a draft is taken until the draft is given up`() async throws {
    try await PartBench.use { bench in
      let first = try await prepare(bench, owned(by: 1000), as: ListID(1))
      let second = try await prepare(bench, owned(by: 1001), as: ListID(2))
      #expect(first.prints == FileName(literal: "barn"))
      #expect(second.prints == FileName(literal: "barn~2"))
      await bench.intake.giveUp(ListID(1))
      let third = try await prepare(bench, owned(by: 1002), as: ListID(3))
      #expect(third.prints == FileName(literal: "barn"))
      await bench.intake.giveUp(ListID(3))
      _ = try bench.folders.prints.folder(first.prints, creating: true)
      let fourth = try await prepare(bench, owned(by: 1002), as: ListID(4))
      #expect(fourth.prints == FileName(literal: "barn~4"))
    }
  }

  @Test(arguments: ["same", "bytes", "long", "case"])
  func `lists that are prepared at the same time print into folders of their own`(
    kind: String
  ) async throws {
    try await PartBench.use { bench in
      let count = 16 as UInt64
      let drafts = try (1...count).map { number in
        let sample = owned(by: UInt32(1000 + number))
        let draft = try draft(bench, sample, as: ListID(number))
        let long = Array(repeating: UInt8(ascii: "x"), count: 200)
        let name: [UInt8] =
          switch kind {
          case "bytes": Array("caf".utf8) + [0xE0 + UInt8(number)]
          case "long": long + [0x60 + UInt8(number)]
          case "case": Array((number % 2 == 0 ? "barn" : "BARN").utf8)
          default: Array("barn".utf8)
          }
        return ListDraft(
          list: draft.list, name: try #require(FileName(bytes: name + Array(".txt".utf8))),
          owner: draft.owner, folder: draft.folder, catalog: draft.catalog)
      }
      let intake = bench.intake
      let prints = try await withThrowingTaskGroup(of: FileName.self) { group in
        for draft in drafts {
          group.addTask {
            try FrozenSettings(text: try await intake.prepare(draft).settings).prints
          }
        }
        return try await group.reduce(into: [FileName]()) { $0.append($1) }
      }
      let names = Set(prints.map { "\($0)".lowercased() })
      #expect(names.count == Int(count), "\(names)")
      #expect(prints.count { !"\($0)".contains("~") } == 1)
      let keys = Set(drafts.map { intake.folderKey(of: ListName($0.name)) })
      #expect(keys.count == 1, "the inbox prepares them one after another")
    }
  }

  @Test func `a list whose record may be there keeps its folder`() async throws {
    try await PartBench.use { bench in
      let list = try await accept(bench)
      bench.index.forget(list)
      bench.index.note(list, into: FileName(literal: "barn"))
      await bench.intake.giveUp(list)
      #expect(bench.index.printer(into: FileName(literal: "barn")) == list)
    }
  }

  @Test func `a second attempt of the same draft has the same name, and readers of its own`()
    async throws
  {
    try await PartBench.use { bench in
      let list = bench.intake.nextNumber()
      let first = try await prepare(bench, as: list)
      var second = try await prepare(bench, as: list)
      #expect(second.line != nil && second.line != first.line)
      second.line = first.line
      #expect(second == first)
      #expect(bench.intake.claimed(list).count == 1)
      let prints = bench.folders.prints
      #expect(try prints.listing() == ["barn"])
      let barn = FileName(literal: "barn")
      let open = try prints.folder(barn, creating: false)
      let isPrivate = SampleList { ($0.owner, $0.options) = (54_321, [("Private", "yes")]) }
      _ = try await prepare(bench, isPrivate, as: list)
      #expect(try prints.listing() == ["barn"] && prints.hasReaders(54_321, barn))
      // Members who opened the folder when it was open see nothing that is made in it now.
      try prints.folder(barn, creating: false).put(barn, "a print")
      #expect(throws: SystemError.self) { try open.names() }
    }
  }

  @Test func `the folder of a draft is there at once, and goes if the draft becomes no list`()
    async throws
  {
    try await PartBench.use { bench in
      let draft = bench.intake.nextNumber()
      _ = try await prepare(bench, as: draft)
      #expect(try bench.folders.prints.listing() == ["barn"])
      await bench.intake.giveUp(draft)
      #expect(try bench.folders.prints.listing().isEmpty)
      let list = try await accept(bench)
      // A list that is recorded counts as one at once: the disk is asked after its claim.
      #expect(bench.intake.claimed(list).count == 1)
      await bench.intake.giveUp(list)
      #expect(try bench.intake.claimed(list).isEmpty && bench.folders.claims.listing().isEmpty)
      #expect(try bench.folders.prints.listing() == ["barn"])
    }
  }

  @Test func `a folder that another program made is left alone`() async throws {
    try await PartBench.use { bench in
      _ = try bench.folders.prints.folder(FileName(literal: "barn"), creating: true)
      #expect(try await prepare(bench).prints == FileName(literal: "barn~1"))
    }
  }

  @Test func `a list whose number is below that of its predecessor waits for a higher one`()
    async throws
  {
    try await PartBench.use { bench in
      let early = bench.intake.nextNumber()
      let list = try await accept(bench)
      let failure = await #expect(throws: Failure.self) {
        _ = try await prepare(bench, as: early)
      }
      #expect(failure?.code == "list.late" && failure?.kind == .passing)
      #expect(try await prepare(bench).revises == list)
    }
  }

  @Test func `a list waits while the prints that it would take over are being removed`()
    async throws
  {
    try await PartBench.use { bench in
      let list = try await accept(bench)
      let folder = try #require(bench.index.beginExpiry(of: list))
      #expect(!bench.index.withdraw([list]))
      let failure = await #expect(throws: Failure.self) { _ = try await prepare(bench) }
      #expect(failure?.code == "list.late" && failure?.kind == .passing)
      bench.index.endExpiry(folder, of: [list], at: bench.clock.wallTime())
      #expect(try await prepare(bench).prints == folder)
      #expect(bench.index.beginExpiry(of: list) == nil)
    }
  }

  // MARK: in and out

  @Test func `an accepted list is durable, known, noted and told`() async throws {
    try await PartBench.use { bench in
      let list = try await accept(bench, SampleList(count: 2))
      #expect(bench.state(list) == .accepted && bench.index.name(of: list) == "barn")
      #expect(bench.told.holds("Accepted list 'barn': 2 photos."))
      #expect(bench.departures.all.map(\.file) == ["barn.plist"])
      await bench.witness.flush(as: "a")
      #expect(bench.witness.read("a").highest == list)
      let about = try AboutFile.read(from: bench.folder(of: list))
      try await bench.intake.accept(list, about.acceptance, about, by: nil)
      #expect(bench.departures.all.count == 1)
      #expect(bench.told.all().count { $0.hasPrefix("Accepted") } == 1)
    }
  }

  @Test func `an accepted list begins its life`() async throws {
    try await PartBench.use { bench in
      let list = try await accept(bench, SampleList { $0.photos = [("Barn", "file:///missing")] })
      try await bench.chaining { _ in
        async let run: Void = bench.keeper.run(bench.work)
        let lives = await bench.keeper.lives()
        #expect(lives?[list] != nil)
        bench.keeper.stop()
        await run
      }
    }
  }

  @Test func `a list whose record cannot be written is neither known nor told`() async throws {
    try await PartBench.use { bench in
      await bench.recorder.close()
      await #expect(throws: Failure.cancelled) { _ = try await accept(bench) }
      #expect(bench.index[ListID(1)] == nil && bench.departures.all.isEmpty)
      #expect(bench.told.all().allSatisfy { !$0.hasPrefix("Accepted") })
    }
  }

  @Test func `a rejected file uses up its number, and is told with its reason`() async throws {
    try await PartBench.use { bench in
      let list = bench.intake.nextNumber()
      let failure = Failure(.final, code: "list.syntax", reason: "line 3: no URL")
      try await bench.intake.reject(
        list, name: FileName(literal: "barn.plist"), owner: 1000, failure)
      #expect(bench.recorder.ledger { $0.nextList } == ListID(2) && bench.state(list) == nil)
      #expect(bench.told.holds("Could not accept list 'barn.plist': line 3: no URL"))
      let reason = bench.departures.newest(of: ListReference("barn"), after: 0)?.rejection
      #expect(reason?.words(for: 1000) == "line 3: no URL")
      #expect(reason?.words(for: 1001) == OwnersReason.closed)
      await bench.witness.flush(as: "a")
      #expect(bench.witness.read("a").highest == list)
    }
  }

  // MARK: twins

  @Test func `a twin is the newest list of the name with the same bytes, while it is at work`()
    async throws
  {
    try await PartBench.use { bench in
      let list = try await accept(bench)
      let changed = SampleList(count: 2)
      func twin(
        _ name: String = "barn.plist", owner: UInt32 = 1000, of sample: SampleList = SampleList()
      ) -> ListID? {
        bench.intake.twin(
          of: FileName(made: name), owner: owner, sha256: sample.sha256)
      }
      #expect(twin() == list && twin("barn.PLIST") == list)
      #expect(twin("cow.plist") == nil && twin(owner: 1001) == nil && twin(of: changed) == nil)
      let newer = try await accept(bench, changed)
      #expect(twin() == nil && twin(of: changed) == newer)
      try await bench.recorder.record([.cancelled(newer)])
      #expect(twin(of: changed) == nil)
    }
  }

  @Test func `a list that cannot be opened has no twin: the copy repairs it`() async throws {
    try await PartBench.use { bench in
      let list = try await accept(bench)
      try bench.folder(of: list).remove(ListFolder.catalog)
      let sha256 = SampleList().sha256
      #expect(
        bench.intake.twin(of: FileName(literal: "barn.plist"), owner: 1000, sha256: sha256) == nil)
    }
  }

  // MARK: fullness

  @Test func `no list is let in from the verdict on an older ledger until the ledger is entered`()
    async throws
  {
    try await PartBench.use { bench in
      func isFull() async -> Failure? {
        await bench.intake.fullness(for: 1000, besides: 0, adding: 0)
      }
      let older = try #require(KnownLedger("x", isOlder: true).trouble)
      let away = Failure(.machine, code: "ledger.lost", reason: "the ledger does not answer")
      bench.health.set(away, for: .ledger)
      #expect(await isFull() == nil)
      bench.health.set(older, for: .ledger)
      bench.health.set(away, for: .ledger)
      #expect(await isFull() == older && bench.health.health[.ledger] == away)
      bench.health.set(nil, for: .inbox)
      #expect(await isFull() == older)
      bench.health.set(nil, for: .ledger)
      #expect(await isFull() == nil)
    }
  }

  @Test func `lists wait when enough are at work or in progress`() async throws {
    try await PartBench.use(settings: { $0.inbox.maximumLists = 2 }) { bench in
      #expect(await bench.intake.fullness(for: 1000, besides: 1, adding: 0) == nil)
      let enters = try #require(await bench.intake.fullness(for: 1000, besides: 2, adding: 0))
      #expect(
        enters.code == "inbox.full" && enters.reason.contains(": 2 lists are at work already"))
      let list = try await accept(bench)
      #expect(await bench.intake.fullness(for: 1000, besides: 0, adding: 0) == nil)
      let failure = await bench.intake.fullness(for: 1000, besides: 1, adding: 0)
      #expect(failure?.kind == .machine && failure?.advice.contains("MaximumLists=") == true)
      try await bench.recorder.record([.cancelled(list)])
      #expect(await bench.intake.fullness(for: 1000, besides: 1, adding: 0) == nil)
    }
  }

  @Test func `lists of one user, even paused ones, do not shut out another`() async throws {
    try await PartBench.use(settings: { $0.inbox.maximumLists = 4 }) { bench in
      for number in 1...4 {
        let list = try await accept(
          bench,
          SampleList {
            $0.name = "\(number).plist"
            $0.owner = 1000
          })
        try await bench.recorder.record([.paused(list)], by: 1000)
      }
      let failure = await bench.intake.fullness(for: 1000, besides: 0, adding: 0)
      #expect(
        failure?.advice.hasPrefix("Resume or cancel some of the 4 paused lists, or raise") == true)
      // Half of four for the second user; a third one has a share, too.
      for number in 5...6 {
        #expect(await bench.intake.fullness(for: 1001, besides: 0, adding: 0) == nil)
        _ = try await accept(
          bench,
          SampleList {
            $0.name = "\(number).plist"
            $0.owner = 1001
          })
      }
      #expect(
        await bench.intake.fullness(for: 1001, besides: 0, adding: 0)?.advice.hasPrefix("Wait")
          == true)
      #expect(await bench.intake.fullness(for: 1002, besides: 0, adding: 0) == nil)
      #expect(await bench.intake.fullness(for: 1002, besides: 1, adding: 0) != nil)
    }
  }

  @Test func `a user of whom too many lists are kept, even over ones, waits alone`() async throws {
    try await PartBench.use(settings: { $0.inbox.listsPerUser = 2 }) { bench in
      var lists: [ListID] = []
      for (number, owner) in [1000, 1000, 0, 0, 1001].enumerated() {
        #expect(await bench.intake.fullness(for: UInt32(owner), besides: 5, adding: 0) == nil)
        let list = try await accept(
          bench,
          SampleList {
            $0.name = "\(number).plist"
            $0.owner = UInt32(owner)
          })
        try await bench.recorder.record([.cancelled(list)])
        lists.append(list)
      }
      let failure = try #require(await bench.intake.fullness(for: 1000, besides: 0, adding: 0))
      #expect(failure.kind == .final && failure.code == "inbox.lists")
      #expect(failure.reason == "2 lists of user 1000 are kept, which is the limit")
      #expect(failure.advice.contains("prune") && failure.advice.contains("ListsPerUser="))
      #expect(await bench.intake.fullness(for: 1001, besides: 0, adding: 0) == nil)
      #expect(
        await bench.intake.fullness(for: 0, besides: 0, adding: 0) == nil, "root has no limit")
      try await bench.recorder.record([.removed(lists[0])])
      #expect(await bench.intake.fullness(for: 1000, besides: 0, adding: 0) == nil)
    }
  }

  @Test func `with twice the number of lists in all, nobody is let in`() async throws {
    try await PartBench.use(settings: { $0.inbox.maximumLists = 2 }) { bench in
      for (number, owner) in [1000, 1000, 1001, 1002].enumerated() {
        #expect(await bench.intake.fullness(for: UInt32(owner), besides: 0, adding: 0) == nil)
        _ = try await accept(
          bench,
          SampleList {
            $0.name = "\(number).plist"
            $0.owner = UInt32(owner)
          })
      }
      #expect(await bench.intake.fullness(for: 1003, besides: 0, adding: 0) != nil)
    }
  }

  @Test func `photos of one user do not shut out another`() async throws {
    try await PartBench.use(settings: { $0.inbox.maximumPhotos = 3 }) { bench in
      _ = try await accept(
        bench,
        SampleList(count: 3) { $0.owner = 1000 })
      #expect(await bench.intake.fullness(for: 1000, besides: 0, adding: 0) != nil)
      #expect(await bench.intake.fullness(for: 1001, besides: 0, adding: 0) == nil)
    }
  }

  @Test func `lists wait when enough photos wait`() async throws {
    try await PartBench.use(settings: { $0.inbox.maximumPhotos = 3 }) { bench in
      _ = try await accept(bench, SampleList(count: 2))
      #expect(await bench.intake.fullness(for: 1000, besides: 0, adding: 0) == nil)
      _ = try await accept(bench, SampleList { $0.name = "cow.plist" })
      #expect(
        await bench.intake.fullness(for: 1000, besides: 0, adding: 0)?.reason.contains(
          "3 photos wait already")
          == true)
    }
  }

  @Test func `lists wait when almost no room is left`() async throws {
    try await PartBench.use(settings: { $0.download.freeSpace = .max }) { bench in
      let failure = await bench.intake.fullness(for: 1000, besides: 0, adding: 0)
      #expect(failure?.code == "inbox.full")
      #expect(failure?.reason.contains("\(bench.scratch.path)/daemon/state") == true)
    }
  }

  // MARK: news

  @Test func `news about files become messages, troubles and departures`() async throws {
    try await PartBench.use { bench in
      let barn = FileName(literal: "barn.plist")
      let intake = bench.intake
      intake.tell(.repeated(barn, ListID(3), owner: 1000))
      #expect(bench.departures.all.first?.list == ListID(3))
      #expect(bench.told.holds("the same list is already at work as list 3"))
      intake.tell(.workerDied(ListID(4), barn, .died, isLast: false))
      intake.tell(.workerDied(ListID(4), barn, .died, isLast: true))
      #expect(bench.told.all().suffix(2).map { $0.hasSuffix("trying again.") } == [true, false])
      intake.tell(.ignored(barn, .hidden))
      #expect(bench.told.holds("Ignored 'barn.plist' in the inbox: its name starts with a dot."))
      intake.tell(.overflowed(7))
      #expect(bench.told.holds("7 names"))
      intake.tell(.setAside(ListID(5), .missing))
      intake.tell(.skipped(ListID(6), .missing))
      #expect(bench.told.holds("list 5 is set aside") && bench.told.holds("list 6 waits"))
    }
  }

  @Test func `troubles of the inbox and of its files are kept until they are over`() async throws {
    try await PartBench.use { bench in
      let barn = FileName(literal: "barn.plist")
      for failure in [Failure.reset, nil] {
        bench.intake.tell(.waits(barn, failure))
        bench.intake.tell(.troubled(failure, isClosed: failure != nil))
        #expect(bench.health.health[.file(barn)] == failure)
        #expect(bench.health.health[.inbox] == failure)
        #expect(bench.health.health.closedInbox == failure)
      }
      let nature = InboxNature(fileSystem: InboxNature.usual.fileSystem, hasLeases: false)
      bench.intake.tell(.surveyed(nature, "on a strange disk"))
      #expect(bench.health.health.shortcoming == "the inbox is on a strange disk")
      bench.intake.tell(.surveyed(.usual, "on ext4"))
      #expect(bench.health.health.shortcoming == nil)
      let seen = bench.ground.changes.version
      bench.intake.tell(.changed(InboxCounts(waiting: 2, unreadable: 1)))
      #expect(bench.health.health.files == InboxCounts(waiting: 2, unreadable: 1))
      #expect(bench.ground.changes.version == seen + 1)
    }
  }
}
