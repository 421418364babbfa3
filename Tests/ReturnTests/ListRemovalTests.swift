// SPDX-License-Identifier: Apache-2.0
// The removal of a list's files: whole after a repetition, whatever kills it, and never a file of another list.

import Files
import Linux
import Return
import Support
import Testing
import Vocabulary

@Suite struct ListRemovalTests {
  private static let list = ListID(1)
  private static let folder = FileName(literal: "barn")

  private func removal(_ bench: ReturnBench, _ prints: LinuxFolder) -> ListRemoval {
    ListRemoval(
      lists: CutFolder(bench.lists, bench.cut), prints: CutFolder(prints, bench.cut),
      done: CutFolder(bench.done, bench.cut), failed: CutFolder(bench.failed, bench.cut))
  }

  private func run(_ removal: ListRemoval) throws {
    try removal.hide([Self.list])
    try removal.hidePrints(Self.folder, of: Self.list)
    let decided = try clear(removal, nil)
    try removal.finish(decided)
  }

  @discardableResult
  private func clear(
    _ removal: ListRemoval, _ sum: FileCopy.Sum?
  ) throws -> ListRemoval.Decided {
    let found = try removal.decided(Self.list)
    let decided = try #require(found)
    try removal.clear(decided, named: ReturnBench.name, sum.map { ($0.size, $0.sha256) })
    return decided
  }

  @Test func `a removal that is killed at any step is whole after it is repeated`() async throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ReturnBench("a end")
      try await bench.giveBack()
      let prints = try bench.done.openFolder(FileName(literal: "prints"), creating: true)
      try prints.openFolder(Self.folder, creating: true).put(
        FileName(literal: "One.jpg"), "a print")
      let removal = removal(bench, prints)
      bench.cut.set(.kill, at: steps)
      try? run(removal)
      guard let step = bench.cut.step else { break }
      bench.cut.set(.never, at: 0)
      let isWhole = try bench.lists.listing().contains("1")
      #expect(try isWhole == removal.pending().isEmpty || bench.lists.listing().isEmpty, "\(step)")
      if isWhole { #expect(try bench.done.listing().contains("barn.plist"), "\(step)") }
      try run(removal)
      #expect(try bench.done.listing() == ["prints"], "\(step)")
      #expect(try prints.listing().isEmpty && bench.lists.listing().isEmpty, "\(step)")
    }
    #expect(steps > 10)
  }

  @Test func `nothing of a list goes before its folder is hidden`() throws {
    let bench = try ReturnBench("a end")
    let removal = removal(bench, bench.scratch.folder)
    let early = try removal.decided(Self.list)
    #expect(early == nil)
    bench.cut.set(.fault, at: 1)
    #expect(throws: (any Error).self) { try removal.hide([Self.list]) }
    bench.cut.set(.never, at: 0)
    let before = try removal.decided(Self.list)
    #expect(before == nil)
    try removal.hide([Self.list])
    // A sync that failed is repeated before anything goes.
    bench.cut.set(.fault, at: 2)
    #expect(throws: (any Error).self) { try removal.decided(Self.list) }
    #expect(bench.cut.step?.hasPrefix("sync") == true)
    bench.cut.set(.never, at: 0)
    let decided = try removal.decided(Self.list)
    #expect(decided?.folder != nil)
    if let decided { try removal.finish(decided) }
    let again = try removal.decided(Self.list)
    #expect(again != nil && again?.folder == nil, "the step can be repeated")
  }

  @Test func `the results of a list whose copy waits go with it`() async throws {
    let bench = try ReturnBench("a end")
    try bench.folder(1).remove(ListFolder.list)
    _ = try? await bench.giveBack { ListResultsTests.outcome(Self.list) }
    #expect(try bench.done.listing() == ["barn.result.plist"])
    let old = OldLists(bench.lists)
    #expect(try old.isRemovable(Self.list))
    try run(removal(bench, bench.scratch.folder))
    #expect(try bench.done.listing().isEmpty && bench.failed.listing().isEmpty)
  }

  @Test func `a copy that followed its results goes, even if a power cut took its receipt`()
    async throws
  {
    let bench = try ReturnBench("a end")
    let folder = try bench.folder(1)
    try folder.remove(ListFolder.list)
    _ = try? await bench.giveBack { ListResultsTests.outcome(Self.list) }
    try folder.put(ListFolder.list, "a end")
    try await bench.giveBack { ListResultsTests.outcome(Self.list) }
    #expect(try bench.done.listing() == ["barn.plist", "barn.result.plist"])
    try ListMarks.noteReturn(in: folder)
    let sum = try FileCopy.sum(folder.open(ListFolder.list, .read), upTo: 100)
    let removal = removal(bench, bench.scratch.folder)
    try removal.hide([Self.list])
    try clear(removal, sum)
    #expect(try bench.done.listing().isEmpty && bench.failed.listing().isEmpty)
  }

  @Test func `a link in the place of the prints is told, and stays with what it leads to`()
    async throws
  {
    let bench = try ReturnBench("a end")
    try await bench.giveBack()
    let prints = try bench.done.openFolder(FileName(literal: "prints"), creating: true)
    let other = try bench.failed.openFolder(Self.folder, creating: true)
    try other.put(FileName(literal: "One.jpg"), "moved here")
    try bench.scratch.link("done/prints/barn", to: "../../failed/barn")
    let removal = removal(bench, prints)
    #expect(try removal.standing(ofPrints: Self.folder) == .link)
    try run(removal)
    #expect(try prints.listing() == ["barn"] && other.listing() == ["One.jpg"])
    #expect(try bench.lists.listing().isEmpty)
  }

  @Test func `a link that took the place at the last moment goes alone`() async throws {
    let bench = try ReturnBench("a end")
    try await bench.giveBack()
    let prints = try bench.done.openFolder(FileName(literal: "prints"), creating: true)
    let other = try bench.failed.openFolder(Self.folder, creating: true)
    try other.put(FileName(literal: "One.jpg"), "moved here")
    for name in [".removed-1", ".expired-1"] {
      try bench.scratch.link("done/prints/\(name)", to: "../../failed/barn")
    }
    try run(removal(bench, prints))
    #expect(try prints.listing().isEmpty && other.listing() == ["One.jpg"])
    #expect(try bench.lists.listing().isEmpty)
  }

  @Test func `a mount and a file in the place of the prints are told`() throws {
    let bench = try ReturnBench("a end")
    let removal = removal(bench, try LinuxFolder.open(path: "/"))
    let mounted = try removal.standing(ofPrints: FileName(literal: "proc"))
    #expect(mounted == .mount)
    #expect(try removal.standing(ofPrints: FileName(literal: "no such")) == .missing)
    try bench.done.put(Self.folder, "a file")
    let standing = try self.removal(bench, bench.done).standing(ofPrints: Self.folder)
    #expect(standing == .other && standing.obstacle == "is not a folder")
  }

  @Test
  func `while the folder of all prints is missing it is not known where a list has its prints`()
    throws
  {
    let bench = try ReturnBench("a end")
    let (home, away) = (FileName(literal: "prints"), FileName(literal: "away"))
    try bench.done.openFolder(home, creating: true).makeFolder(Self.folder)
    let removal = ListRemoval(
      lists: bench.lists, prints: try PathFolder(path: "\(bench.done.path)/prints"),
      done: bench.done, failed: bench.failed)
    try bench.done.rename(home, to: bench.done, as: away, replacing: false)
    #expect(throws: SystemError.self) { try removal.standing(ofPrints: Self.folder) }
    #expect(throws: SystemError.self) { try removal.hidePrints(Self.folder, of: Self.list) }
    try bench.done.rename(away, to: bench.done, as: home, replacing: false)
    #expect(try removal.standing(ofPrints: Self.folder) == .folder)
  }

  @Test func `a file of another list that has got the name stays`() async throws {
    let bench = try ReturnBench("a end")
    try await bench.giveBack()
    try bench.done.remove(ReturnBench.name)
    try bench.done.put(ReturnBench.name, "another list")
    try run(removal(bench, bench.failed))
    #expect(try bench.done.text("barn.plist") == "another list")
  }

  @Test func `the files of a list whose receipt a power cut took are known by their results`()
    async throws
  {
    let bench = try ReturnBench("a end")
    try await bench.giveBack()
    try ListMarks.noteReturn(in: bench.folder(1))
    let head = "<plist><dict>\n<key>List</key>\n<string>barn</string>\n<key>ID</key>\n\t<integer>"
    let result = FileName(literal: "barn.result.plist")
    for (number, isOurs) in [("2", false), ("1", true)] {
      try? bench.done.remove(result)
      try bench.done.put(result, "\(head)\(number)</integer></dict></plist>")
      let removal = removal(bench, bench.failed)
      try removal.hide([Self.list])
      let sum = try FileCopy.sum(bench.done.open(ReturnBench.name, .read), upTo: 100)
      try clear(removal, sum)
      #expect(try bench.done.listing().isEmpty == isOurs)
    }
  }
}
