// SPDX-License-Identifier: Apache-2.0
// The labels of lists: names, owners, folders of prints, drafts; and labels read from the disk.

import Accept
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct ListIndexTests {
  private let index = ListIndex()

  private func label(
    _ name: String, owner: UInt32 = 1000, prints: String = "barn"
  ) throws -> ListLabel {
    try ListLabel(
      SampleList {
        ($0.name, $0.owner) = (name, owner)
        $0.terms = FrozenSettings(
          prints: FileName(made: prints), filter: .standard, title: "")
      }.about())
  }

  private func lists(_ name: String, _ owner: UInt32 = 1000) -> Set<UInt64> {
    Set(index.lists(called: ListName(name), of: owner).map(\.number))
  }

  @Test func `lists are found by name and owner, whatever the suffix looks like`() throws {
    index.add(ListID(1), try label("barn.plist"))
    index.add(ListID(2), try label("barn.PLIST"))
    index.add(ListID(3), try label("barn.plist", owner: 1001))
    index.add(ListID(4), try label("Barn.plist"))
    #expect(lists("barn.plist") == [1, 2] && lists("barn.plist", 1001) == [3])
    #expect(lists("Barn.plist") == [4] && lists("cow.plist").isEmpty)
    #expect(index.name(of: ListID(2)) == "barn" && index.name(of: ListID(9)) == "list 9")
  }

  @Test func `the newest list or draft owns a folder of prints`() throws {
    let folder = FileName(literal: "barn")
    #expect(index.printer(into: folder) == nil)
    index.add(ListID(1), try label("barn.plist"))
    index.note(ListID(3), into: folder)
    #expect(index.printer(into: folder) == ListID(3))
    index.note(ListID(3), into: FileName(literal: "other"))
    #expect(index.printer(into: folder) == ListID(1), "a draft reserves one folder")
    #expect(index.printer(into: FileName(literal: "other")) == ListID(3))
  }

  @Test func `a list is found by its name in any case, and one without a label by any name`() throws
  {
    index.add(ListID(1), try label("Barn.plist"))
    index.load([ListID(1), ListID(2)], from: SimulatedDisk().rootFolder)
    #expect(index.lists(spelled: ["barn"]) == [ListID(1), ListID(2)])
    #expect(index.lists(spelled: ["cow"]) == [ListID(2)] && index.unlabelled == [ListID(2)])
    index.note(ListID(3), into: FileName(literal: "cow"))
    #expect(index.unlabelled == [ListID(2), ListID(3)])
    index.reserve(ListID(2), try label("cow.plist"))
    index.giveUp(ListID(3))
    #expect(index.unlabelled.isEmpty)
    for list in [ListID(1), ListID(2)] { index.forget(list) }
    #expect(index.lists(spelled: ["barn", "cow"]).isEmpty)
  }

  @Test func `a draft that is accepted is a list from then on`() throws {
    index.note(ListID(3), into: FileName(literal: "barn"))
    index.add(ListID(3), try label("barn.plist"))
    index.note(ListID(3), into: FileName(literal: "other"))
    #expect(index.printer(into: FileName(literal: "other")) == nil)
    index.forget(ListID(3))
    #expect(index.printer(into: FileName(literal: "barn")) == nil)
  }

  @Test(arguments: [[1, 2], [2, 1]] as [[UInt64]])
  func `of two lists that find a folder free one gets it`(order: [UInt64]) {
    // Both have looked at the disk before either takes it.
    let folder = FileName(literal: "barn")
    let taken = order.map { index.claim(folder, for: ListID($0)) }
    #expect(taken == [true, false])
    #expect(index.claim(folder, for: ListID(order[0])), "it is still the draft's")
    index.giveUp(ListID(order[1]))
    #expect(!index.claim(folder, for: ListID(order[1])))
    index.giveUp(ListID(order[0]))
    #expect(index.claim(folder, for: ListID(order[1])))
  }

  @Test func `a draft keeps its folder, however many drafts come after it`() {
    let folder = FileName(literal: "barn")
    #expect(index.claim(folder, for: ListID(1)))
    for number in 2...1000 as ClosedRange<UInt64> {
      #expect(index.claim(FileName(number: number), for: ListID(number)))
    }
    #expect(!index.claim(folder, for: ListID(2000)))
    for number in 1...1000 as ClosedRange<UInt64> { index.giveUp(ListID(number)) }
    #expect(index.claim(folder, for: ListID(2000)))
  }

  /// Compares with a look at all lists.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `the newest list of a folder and its strangers are known, whatever came and went`(
    seed: UInt64
  ) throws {
    var random = SimulatedRandom(seed: seed)
    let folder = FileName(literal: "barn")
    var labels: [ListID: UInt32] = [:]
    var drafts: Set<ListID> = []
    for _ in 0..<400 {
      let list = ListID(UInt64.random(in: 1...12, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where labels[list] == nil:
        let owner = UInt32.random(in: 1...2, using: &random)
        index.add(list, try label("barn.plist", owner: owner))
        labels[list] = owner
        drafts.remove(list)
      case 1 where labels[list] == nil:
        index.note(list, into: folder)
        drafts.insert(list)
      case 2 where labels[list] != nil:
        let newest = drafts.union(labels.keys).max() ?? list
        #expect(index.withdraw([list]) != (newest > list && labels[newest] == nil))
        if index[list] == nil { labels[list] = nil }
        index.free(list)
      default:
        index.forget(list)
        labels[list] = nil
      }
      let all = drafts.union(labels.keys)
      #expect(index.printer(into: folder, ofCluster: false) == all.max())
      for owner in 1...2 as ClosedRange<UInt32> {
        #expect(
          index.hasStranger(to: owner, in: folder, ofCluster: false)
            == labels.values.contains { $0 != owner })
      }
      let newest = labels.keys.max()
      for list in labels.keys {
        #expect(index.heir(of: list, in: folder) == (newest == list ? nil : newest))
        #expect(index.holdsPrints(list) == (newest == list))
      }
    }
  }

  @Test func `a folder of a list is not given to another`() throws {
    index.add(ListID(1), try label("barn.plist"))
    #expect(!index.claim(FileName(literal: "barn"), for: ListID(2)))
    index.forget(ListID(1))
    index.reserve(ListID(1), try label("barn.plist"))
    #expect(!index.claim(FileName(literal: "barn"), for: ListID(2)))
    index.free(ListID(1))
    #expect(index.claim(FileName(literal: "barn"), for: ListID(2)))
  }

  @Test(arguments: [
    ("Trip", "trip"), ("TRIP", "Trip"), ("\u{E9}t\u{E9}", "e\u{301}te\u{301}"),
    ("Stra\u{DF}e", "STRASSE"),
  ])
  func `two lists never print into folders that are one where a file system folds names`(
    first: String, second: String
  ) {
    #expect(index.claim(FileName(made: first), for: ListID(1)))
    #expect(!index.claim(FileName(made: second), for: ListID(2)))
    index.note(ListID(2), into: FileName(made: second))
    index.giveUp(ListID(1))
    #expect(!index.claim(FileName(made: first), for: ListID(3)))
    index.giveUp(ListID(2))
    #expect(index.claim(FileName(made: first), for: ListID(3)))
  }

  @Test func `a draft that is given up after its list was accepted keeps its folder`() throws {
    #expect(index.claim(FileName(literal: "barn"), for: ListID(1)))
    index.add(ListID(1), try label("barn.plist"))
    index.giveUp(ListID(1))
    #expect(!index.claim(FileName(literal: "barn"), for: ListID(2)))
  }

  @Test func `a list is removed for its age or by its owner, not both at once`()
    throws
  {
    index.add(ListID(1), try label("barn.plist"))
    #expect(index.beginRemoval(of: ListID(1)) && !index.withdraw([ListID(1)]))
    #expect(!index.withdraw([ListID(2), ListID(1)]))
    index.endRemoval(of: ListID(1))
    #expect(index.withdraw([ListID(1)]) && !index.beginRemoval(of: ListID(1)))
    index.free(ListID(1))
    #expect(index.beginRemoval(of: ListID(1)))
  }

  @Test func `a list that is being removed has no label, also if its folder is read meanwhile`()
    async throws
  {
    try await PartBench.use { bench in
      try await bench.add(1)
      let lists = bench.lists.folders.lists
      #expect(bench.index.withdraw([ListID(1)]))
      #expect(try bench.index.learn(ListID(1), from: lists) != nil)
      #expect(bench.index[ListID(1)] == nil)
      bench.index.free(ListID(1))
      #expect(bench.index.read(ListID(1), from: lists) != nil && bench.index[ListID(1)] != nil)
    }
  }

  @Test func `a list whose removal does not begin has its label and its folder again`() throws {
    let folder = FileName(literal: "barn")
    index.add(ListID(1), try label("barn.plist"))
    index.endExpiry(folder, of: [ListID(1)], at: 7)
    #expect(index.withdraw([ListID(1)]) && index.reserved(ListID(1))?.owner == 1000)
    #expect(lists("barn.plist").isEmpty && index.printer(into: folder) == ListID(1))
    for _ in 0..<2 {
      index.giveBack(ListID(1))
      #expect(index.reserved(ListID(1)) == nil && lists("barn.plist") == [1])
      #expect(index.expiry(of: ListID(1)) == 7 && index.printer(into: folder) == ListID(1))
    }
    index.forget(ListID(1))
    #expect(index.printer(into: folder) == nil)
  }

  @Test func `in a folder a list of another owner is seen, a draft is not`()
    throws
  {
    let folder = FileName(literal: "barn")
    index.add(ListID(1), try label("barn.plist", owner: 1000))
    index.note(ListID(2), into: folder)
    #expect(!index.hasStranger(to: 1000, in: folder, ofCluster: false))
    #expect(index.hasStranger(to: 1001, in: folder, ofCluster: false))
  }

  @Test func `a list that is forgotten leaves no trace`() throws {
    index.add(ListID(1), try label("barn.plist"))
    index.add(ListID(2), try label("barn.plist"))
    index.forget(ListID(2))
    index.forget(ListID(7))
    #expect(lists("barn.plist") == [1] && index[ListID(2)] == nil)
    #expect(index.printer(into: FileName(literal: "barn")) == ListID(1))
  }

  @Test func `a first label stays when the list is added again`() throws {
    index.add(ListID(1), try label("barn.plist"))
    index.add(ListID(1), try label("cow.plist", prints: "cow"))
    #expect(index.name(of: ListID(1)) == "barn" && lists("cow.plist").isEmpty)
    index.forget(ListID(1))
    #expect(lists("barn.plist").isEmpty)
    #expect(index.printer(into: FileName(literal: "barn")) == nil)
  }

  @Test func `a damaged label is skipped at the start, and read after its repair`() async throws {
    try await DiskBench.use { bench in
      let lists = bench.folders.lists
      for number in 1...2 as ClosedRange<UInt64> {
        try SampleList().write(ListID(number), in: lists)
      }
      let folder = try bench.folder(of: ListID(2))
      let good = try #require(try folder.text(ListFolder.about))
      try folder.remove(ListFolder.about)
      try folder.put(ListFolder.about, "#darkroom-about 1\nname=x\n")
      index.load([ListID(1), ListID(2), ListID(3)], from: lists)
      await index.loaded()
      #expect(index[ListID(1)]?.owner == 1000 && index[ListID(1)]?.sha256.count == 64)
      #expect(index[ListID(2)] == nil && index.read(ListID(2), from: lists) == nil)
      try folder.remove(ListFolder.about)
      try folder.put(ListFolder.about, good)
      #expect(index.read(ListID(2), from: lists)?.name.text == "barn")
      #expect(index[ListID(2)] != nil && index.read(ListID(3), from: lists) == nil)
    }
  }

  @Test func `terms that cannot be read make a damaged label`() throws {
    let text = try SampleList().about().text.split(separator: "\n")
      .filter { !$0.hasPrefix("Filter=") && !$0.hasPrefix("crc=") }.joined(separator: "\n")
    let about = try AboutFile(text: Array(text.utf8))
    let failure = #expect(throws: Failure.self) { try ListLabel(about) }
    #expect(failure?.code == "list.about" && failure?.kind == .final)
  }

  @Test func `a reader of all labels waits until they are read`() async {
    let isLoaded = EventBoard(false)
    async let wait: Void = {
      await index.loaded()
      isLoaded.change { $0 = true }
    }()
    #expect(!isLoaded.value)
    index.load([], from: SimulatedDisk().rootFolder)
    await wait
    #expect(isLoaded.value)
  }
}
