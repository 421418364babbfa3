// SPDX-License-Identifier: Apache-2.0
// The removal of prints for their age: whole after a repetition, whatever kills it, and never a folder of another.

import Files
import Linux
import Return
import Support
import Testing
import Vocabulary

@Suite struct PrintsExpiryTests {
  private static let list = ListID(1)
  private static let folder = FileName(literal: "barn")

  /// As the retention does it: the steps after the rename only if it was made.
  private func run(_ expiry: PrintsExpiry) throws {
    let isHidden = try expiry.hide(Self.folder, of: Self.list)
    try expiry.note(Self.list, at: isHidden ? 5 : 0)
    if isHidden { try expiry.clear(Self.list) }
  }

  private func resume(_ expiry: PrintsExpiry) throws {
    for list in try expiry.pending() {
      try expiry.note(list, at: 5)
      try expiry.clear(list)
    }
  }

  @Test func `an expiry that is killed at any step is whole after the next start`() throws {
    var steps = 0
    while true {
      steps += 1
      let bench = try ReturnBench("a end")
      let prints = bench.done
      let own = try prints.openFolder(Self.folder, creating: true)
      try own.put(FileName(literal: "One.jpg"), "a print")
      try own.openFolder(FileName(literal: "sheet"), creating: true).put(
        FileName(literal: "index.html"), "a page")
      let expiry = PrintsExpiry(
        lists: CutFolder(bench.lists, bench.cut), prints: CutFolder(prints, bench.cut))
      bench.cut.set(.kill, at: steps)
      try? run(expiry)
      guard let step = bench.cut.step else { break }
      bench.cut.set(.never, at: 0)
      try resume(expiry)
      // Either nothing has begun, or all is done.
      if try prints.listing() == ["barn"] {
        #expect(try own.listing() == ["One.jpg", "sheet"], "\(step)")
        #expect(try ListMarks.expiry(in: bench.folder(1)) == nil, "\(step)")
        try run(expiry)
      }
      #expect(try prints.listing().isEmpty, "\(step)")
      #expect(try ListMarks.expiry(in: bench.folder(1)) == 5, "\(step)")
    }
    #expect(steps > 10)
  }

  @Test func `a link in the place of the prints, and what it leads to, stay`() throws {
    let bench = try ReturnBench("a end")
    let other = try bench.failed.openFolder(Self.folder, creating: true)
    try other.put(FileName(literal: "One.jpg"), "another's")
    try bench.scratch.link("done/barn", to: "../failed/barn")
    try run(PrintsExpiry(lists: bench.lists, prints: bench.done))
    #expect(try bench.done.listing() == ["barn"] && other.listing() == ["One.jpg"])
    #expect(try ListMarks.expiry(in: bench.folder(1)) == 0)
  }

  @Test func `a mount is neither hidden nor entered`() throws {
    let bench = try ReturnBench("a end")
    let root = try LinuxFolder.open(path: "/")
    let mount = FileName(literal: "proc")
    #expect(
      try !PrintsExpiry(lists: bench.lists, prints: root).hide(mount, of: Self.list))
    #expect(throws: SystemError.self) { try root.removeTree(mount) }
  }

  @Test func `a first note stays, and a list that is gone needs none`() throws {
    let bench = try ReturnBench("a end")
    let expiry = PrintsExpiry(lists: bench.lists, prints: bench.done)
    try expiry.note(Self.list, at: 7)
    try expiry.note(Self.list, at: 9)
    try expiry.note(ListID(2), at: 9)
    #expect(try ListMarks.expiry(in: bench.folder(1)) == 7)
    #expect(try bench.lists.listing() == ["1"])
  }
}
