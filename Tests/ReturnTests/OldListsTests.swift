// SPDX-License-Identifier: Apache-2.0
// The folders of old lists: which of them may go, and how they are removed.

import Files
import Linux
import Return
import Support
import Testing
import Vocabulary

@Suite struct OldListsTests {
  @Test(
    arguments: [
      ("claimed\n", true, true), ("claimed\n", false, false), ("accepted\n", true, false),
      ("accepted\n", false, false), (nil, true, false), (nil, false, false),
      ("clai", true, false),
    ] as [(String?, Bool, Bool)])
  func `a folder may go once its list is returned and its dropped file is out of the inbox`(
    state: String?, isMarked: Bool, isRemovable: Bool
  ) throws {
    let bench = try ReturnBench()
    let folder = try bench.add(1, "a end", nil)
    if let state { try folder.put(ListFolder.state, state) }
    if isMarked { try ListMarks.noteReturn(in: folder) }
    let old = OldLists(bench.lists)
    #expect(try old.isRemovable(ListID(1)) == isRemovable)
    #expect(try old.unknown { _ in false }.map(\.list) == (isRemovable ? [ListID(1)] : []))
    #expect(try old.unknown { _ in true }.isEmpty)
    #expect(try !old.isRemovable(ListID(2)))
  }

  @Test func `a list whose copy waits may go with its results, or if its owner waives them`() throws
  {
    let bench = try ReturnBench("a end")
    let (old, list) = (OldLists(bench.lists), ListID(1))
    #expect(try !old.isRemovable(list) && old.isRemovable(list, isWaived: true))
    let folder = try bench.folder(1)
    try folder.put(ListFolder.resulted, "")
    #expect(try old.isRemovable(list))
    let time = try folder.status(of: ListFolder.resulted).modified / 1_000_000
    #expect(try old.unknown { _ in false }.map(\.since) == [UInt64(time)])
  }

  @Test func `a list unknown to the record counts from the day it was returned`() throws {
    let bench = try ReturnBench()
    let folder = try bench.add(1)
    try ListMarks.noteReturn(in: folder)
    let time = try folder.status(of: ListFolder.returned).modified / 1_000_000
    #expect(try OldLists(bench.lists).unknown { _ in false }.map(\.since) == [UInt64(time)])
  }

  @Test func `a folder is removed as a whole, whichever step is killed`() throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ReturnBench("a end")
      // The remains of an earlier crash.
      try bench.lists.openFolder(ListFolder.old(ListID(1)), creating: true)
        .put(ListFolder.list, "old")
      bench.cut.set(.kill, at: steps)
      let cut = OldLists(CutFolder(bench.lists, bench.cut))
      try? cut.remove(ListID(1))
      let old = OldLists(bench.lists)
      if try !old.isGone(ListID(1)) {
        #expect(try bench.folder(1).listing() == ["list.plist", "state"], "\(steps)")
      }
      guard bench.cut.step != nil else {
        #expect(try bench.lists.listing().isEmpty)
        break
      }
      try old.sweep()
      #expect(try bench.lists.listing().allSatisfy { $0 == "1" }, "\(steps)")
      try old.remove(ListID(1))
      #expect(try old.isGone(ListID(1)) && bench.lists.listing().isEmpty, "\(steps)")
    }
    #expect(steps > 8)
  }
}
