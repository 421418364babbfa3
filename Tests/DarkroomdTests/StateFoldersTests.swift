// SPDX-License-Identifier: Apache-2.0
// The folders inside the state folder, and the removal of originals.

import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct StateFoldersTests {
  private let disk = SimulatedDisk()

  private func folders() throws -> StateFolders {
    let root = disk.rootFolder
    return try StateFolders(
      state: root.folder(FileName(literal: "state"), creating: true), prints: root, done: root,
      failed: root)
  }

  private func originals(_ folders: StateFolders, of list: UInt64) throws {
    let folder = try folders.originals.folder(FileName(number: list), creating: true)
    for photo in 1...3 as ClosedRange<UInt64> {
      try folder.put(FileName(number: photo, digits: 9), "bytes")
    }
  }

  @Test func `the folders inside the state folder are made, and found at the next start`() throws {
    let first = try folders()
    try first.cache.put(FileName(literal: "a"), "kept")
    #expect(
      try first.state.listing() == [
        "cache", "claims", "hooks", "incoming", "lists", "originals", "quarantine", "webhooks",
      ])
    #expect(try folders().cache.text("a") == "kept")
  }

  @Test func `a folder whose contents can be had again is made again if it is lost, and told once`()
    throws
  {
    let root = disk.rootFolder
    let lost = Mutex<[String]>([])
    let folders = try StateFolders(
      state: root.folder(FileName(literal: "state"), creating: true), prints: root, done: root,
      failed: root, lost: { path in lost.withLock { $0.append(path) } })
    let lasting = ["cache", "hooks", "incoming", "originals", "quarantine", "webhooks"]
    for name in lasting {
      let name = FileName(made: name)
      try folders.state.rename(name, to: root, as: name, replacing: false)
    }
    folders.look()
    folders.look()
    let made = try folders.state.listing()
    #expect(Set(made).isSuperset(of: lasting))
    let told = lost.withLock { $0 }.map { String($0.split(separator: "/").last ?? "") }
    #expect(told.sorted() == lasting)
    try folders.hooks.put(FileName(literal: "order"), "new")
    let hooks = try folders.state.folder(FileName(literal: "hooks"), creating: false)
    #expect(try hooks.text("order") == "new")
  }

  @Test func `the originals of a list are removed with their folder`() throws {
    let folders = try folders()
    try originals(folders, of: 3)
    try originals(folders, of: 4)
    try folders.removeOriginals(of: ListID(3))
    try folders.removeOriginals(of: ListID(3))
    #expect(try folders.originals.listing() == ["4"])
  }

  @Test func `a start removes the originals of lists that are not open, and nothing else`() throws {
    let folders = try folders()
    for list in [3, 4, 12] as [UInt64] { try originals(folders, of: list) }
    try folders.originals.put(FileName(literal: "note.txt"), "from a person")
    try folders.originals.put(FileName(literal: "007"), "not a number of a list")
    try folders.removeOriginals(except: [ListID(4), ListID(99)])
    #expect(try folders.originals.listing() == ["007", "4", "note.txt"])
  }

  @Test(arguments: [SimulatedDisk.Call.openFolder, .list, .remove])
  func `a disk that fails keeps the originals for the next start`(call: SimulatedDisk.Call) throws {
    let folders = try folders()
    try originals(folders, of: 3)
    disk.fail(.broken(call))
    #expect(throws: SystemError.self) { try folders.removeOriginals(except: []) }
    disk.fail(nil)
    try folders.removeOriginals(except: [])
    #expect(try folders.originals.names().isEmpty)
  }

  @Test func `a file in the place of a folder is an error`() throws {
    let state = try disk.rootFolder.folder(FileName(literal: "state"), creating: true)
    try state.put(FileName(literal: "lists"), "a file")
    #expect(throws: SystemError.self) { try folders() }
  }
}
