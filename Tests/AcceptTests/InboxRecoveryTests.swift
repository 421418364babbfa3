// SPDX-License-Identifier: Apache-2.0
// The recovery at a start: lost records, damaged folders, files that could not go back.

import Files
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@testable import Accept

@Suite struct InboxRecoveryTests {
  @Test("A list whose record was lost is recorded again from its folder")
  func healed() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.settle()
    let before = bench.rules.recorded
    bench.rules.state.withLock { $0.recorded = [:] }
    try await InboxRecovery(claim: bench.fresh()).run()
    #expect(bench.rules.recorded == before)
    try bench.expectTidy("healed")
  }

  @Test(
    "A list whose record was lost while its copy waited gets its results again",
    arguments: [true, false])
  func resulted(isRecorded: Bool) async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.settle()
    let folder = try bench.lists.openFolder(FileName(number: 1), creating: false)
    try folder.put(ListFolder.resulted, "")
    let before = bench.rules.recorded
    if !isRecorded { bench.rules.state.withLock { $0.recorded = [:] } }
    try await InboxRecovery(claim: bench.fresh()).run()
    #expect(bench.rules.recorded == before)
    #expect(try folder.has(ListFolder.resulted) == isRecorded)
  }

  @Test("Folders of lists that were never accepted are removed; a damaged one is set aside")
  func strangers() async throws {
    let bench = try ClaimBench()
    for name in [".staged-7", "8", "9", "notes"] {
      let folder = try bench.lists.openFolder(try #require(FileName(name)), creating: true)
      try folder.put(ListFolder.list, "a end")
      if name == "9" { try ListMarks.note(.accepted, in: folder) }
    }
    try await InboxRecovery(claim: bench.fresh()).run()
    #expect(try bench.lists.listing() == [".damaged-9", "notes"])
    #expect(bench.rules.state.withLock { $0.setAside } == [ListID(9)])
  }

  @Test("A file in .claim whose name is taken again is accepted, and so is the newer one")
  func nameTakenAgain() async throws {
    let bench = try ClaimBench()
    let claims = try bench.inbox.openFolder(ClaimFolder.name, creating: true)
    let nest = try claims.openFolder(FileName(number: 99), creating: true)
    try nest.put(ClaimBench.name, "first end")
    try bench.inbox.put(ClaimBench.name, "second end")
    try await bench.restart()
    try await bench.settle()
    #expect(Set(try bench.acceptedTexts()) == ["first end", "second end"])
    try bench.expectTidy("both")
  }

  @Test("A list in the inbox that is linked there twice is two drops, also over a restart")
  func hardLinks() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    User.link("\(bench.inboxPath)/barn.plist", "\(bench.inboxPath)/twin.plist")
    try await bench.acceptInPlace()
    try await bench.restart()
    try await bench.settle()
    #expect(bench.rules.names == ["barn.plist", "twin.plist"])
    try bench.expectTidy("twins")
  }

  @Test(
    "A start finishes the other lists when a name is covered by a closed or a dead mount",
    arguments: ["x.txt", "x.jpg", "barn.plist"].flatMap { name in
      [13, 107].map { (name, $0 as Int32) }
    })
  func coveredName(name: String, code: Int32) async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    if name != "barn.plist" { User.put("\(bench.inboxPath)/\(name)", "x end") }
    try await bench.acceptInPlace()
    FaultPlan.set(
      .init("fstatat", on: "\(bench.inboxPath)/\(name)", code: code, isPermanent: true),
      for: bench.scratch.path)
    defer { FaultPlan.set(nil, for: bench.scratch.path) }
    try await bench.restart()
    FaultPlan.set(nil, for: bench.scratch.path)
    #expect(try bench.inbox.has(ClaimBench.name) == (name == "barn.plist"))
    try await bench.settle()
    // The list knows its file.
    #expect(bench.rules.names.filter { $0 == "barn.plist" }.count == 1)
    try bench.expectTidy("at the end")
  }

  @Test("A dropped file is known over a restart that numbers the disks in another order")
  func otherDevice() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.acceptInPlace()
    let folder = try bench.lists.openFolder(FileName(number: 1), creating: false)
    let about = try #require(try folder.text(ListFolder.about))
    let device = try bench.inbox.device()
    let other = about.replacing("\ndevice=\(device)\n", with: "\ndevice=\(device + 1)\n")
      .replacing(/crc=.*\n/, with: "")
    #expect(other != about)
    try folder.write(whole: Array(other.utf8), as: ListFolder.about)
    try await bench.restart()
    try await bench.settle()
    #expect(try bench.acceptedTexts() == ["a end"])
    try bench.expectTidy("renumbered")
  }

  @Test(
    "A list folder that cannot be read is left alone and reported, and the others are recovered",
    arguments: [("", 5), ("", 13), ("/state", 5), ("/about", 5), ("/about", 13)]
      as [(String, Int32)])
  func badFolder(_ thing: String, _ code: Int32) async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.settle()
    try bench.inbox.put(ClaimBench.name, "b end")
    try await bench.settle()
    bench.rules.state.withLock { $0.recorded = [:] }
    for list in ["1", "2"] {
      let folder = try bench.lists.openFolder(try #require(FileName(list)), creating: false)
      if thing != "/state" { continue }
      bench.rules.state.withLock { state in
        state.recorded[ListID(list == "1" ? 1 : 2)] = try? AboutFile.read(from: folder)
      }
    }
    let path = "\(bench.scratch.path)/lists/1\(thing)"
    FaultPlan.set(.init("openat", on: path, code: code, isPermanent: true), for: path)
    defer { FaultPlan.set(nil, for: path) }
    let claim = try bench.fresh()
    for _ in 0..<2 { try await InboxRecovery(claim: claim).run() }
    #expect(bench.rules.state.withLock { $0.skipped } == [ListID(1)])
    #expect(bench.rules.state.withLock { $0.setAside } == [])
    #expect(bench.rules.recorded[ListID(2)] != nil)
    #expect(try bench.lists.listing() == ["1", "2"])
  }

  @Test("A file in place of a list folder is left alone and reported")
  func noFolder() async throws {
    let bench = try ClaimBench()
    try bench.lists.put(FileName(number: 9), "what is this")
    try await bench.restart()
    #expect(bench.rules.state.withLock { $0.skipped } == [ListID(9)])
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.settle()
    #expect(try bench.acceptedTexts() == ["a end"])
  }

  @Test("A lack of descriptors is waited out, not taken for a bad folder")
  func outOfDescriptors() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.settle()
    let path = "\(bench.scratch.path)/lists/1"
    FaultPlan.set(.init("openat", on: path, code: 24), for: path)
    defer { FaultPlan.set(nil, for: path) }
    let claim = try bench.fresh()
    await #expect(throws: Attempt.self) { try await InboxRecovery(claim: claim).run() }
    try await InboxRecovery(claim: claim).run()
    #expect(bench.rules.state.withLock { $0.skipped } == [])
  }

  @Test("A list that was returned is over, also where the record has forgotten it")
  func returned() async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.settle()
    let folder = try bench.lists.openFolder(FileName(number: 1), creating: false)
    let state = try folder.text(ListFolder.state)
    try ListMarks.noteReturn(in: folder)
    bench.rules.state.withLock { $0.recorded = [:] }
    try await InboxRecovery(claim: bench.fresh()).run()
    #expect(bench.rules.recorded.isEmpty)
    #expect(try folder.text(ListFolder.state) == state)
  }

  @Test(
    "A list that was returned while its dropped file could not leave the inbox is known by that file",
    arguments: [true, false])
  func returnedEarly(isRecorded: Bool) async throws {
    let bench = try ClaimBench()
    try bench.inbox.put(ClaimBench.name, "a end")
    try await bench.acceptInPlace()
    let folder = try bench.lists.openFolder(FileName(number: 1), creating: false)
    #expect(try ListMarks(of: folder).drop == .accepted)
    try ListMarks.noteReturn(in: folder)
    if !isRecorded { bench.rules.state.withLock { $0.recorded = [:] } }
    try await InboxRecovery(claim: bench.fresh()).run()
    #expect(bench.rules.names == (isRecorded ? ["barn.plist"] : []))
    #expect(try bench.inbox.listing() == [".claim"])
    #expect(try ListMarks(of: folder).isRemovable)
  }
}
