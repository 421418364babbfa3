// SPDX-License-Identifier: Apache-2.0
// Drafts of prints, on the simulated disk and on a real one.

import Foundation
import Linux
import Support
import Testing
import Vocabulary

@testable import Output

@Suite struct PrintFolderTests {
  private func names(_ folder: any Folder) throws -> [String] {
    try folder.names().map(\.description).sorted()
  }

  private func check(_ folder: any Folder) throws {
    let prints = PrintFolder(folder)
    let draft = try prints.draft(PhotoID(list: ListID(1), number: 17))
    try draft.file.write(Array("half".utf8), at: 0)
    #expect(try names(folder) == [".1-17.print"])
    let again = try prints.draft(PhotoID(list: ListID(1), number: 17))
    #expect(try again.file.status().size == 0, "an earlier attempt's bytes are gone")
    prints.discard(again)
    #expect(try names(folder).isEmpty)
    prints.discard(again)
  }

  @Test func `the folder that holds a new one is to be synced until it was`() throws {
    let disk = SimulatedDisk()
    let parent = disk.rootFolder
    let folder = try parent.folder(FileName(literal: "barn"), creating: true)
    let prints = try PrintFolder(folder, in: parent, as: FileName(literal: "barn"))
    #expect(prints.unsettled === parent && prints.unsettled === parent)
    prints.settle()
    #expect(prints.unsettled == nil)
    #expect(PrintFolder(folder).unsettled == nil)
  }

  @Test func `one call tells whether the name of the folder still leads to it`() throws {
    let place = try FreshFolder()
    let barn = FileName(literal: "barn")
    let home = try PathFolder(path: place.path)
    let prints = try PrintFolder(home.folder(barn, creating: true), in: home, as: barn)
    for call in ["open", "fstat"] {
      FaultPlan.set(.init(call, on: place.path, code: 5, isPermanent: true), for: place.path + call)
    }
    try prints.checkName()
    for call in ["open", "fstat"] { FaultPlan.set(nil, for: place.path + call) }
    try home.rename(barn, to: home, as: FileName(literal: "away"), replacing: false)
    #expect(throws: SystemError.self) { try prints.checkName() }
    _ = try home.folder(barn, creating: true)
    #expect(throws: SystemError.self) { try prints.checkName() }
  }

  @Test func `a folder whose disk is away is the trouble of all lists, not of one`() throws {
    let place = try FreshFolder()
    let path = "\(place.path)/disk"
    // Always a file system of its own.
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/proc")
    let home = try PathFolder(path: path, isApart: true)
    let (disk, sys) = (FileName(literal: "disk"), FileName(literal: "sys"))
    let prints = try PrintFolder(home.folder(sys, creating: false), in: home, as: sys)
    try prints.checkName()
    try place.folder.remove(disk)
    // The bare folder may have a folder of the name.
    for bare in ["disk", "disk/sys"] {
      try FileManager.default.createDirectory(
        atPath: "\(place.path)/\(bare)", withIntermediateDirectories: false)
      let error = #expect(throws: SystemError.self) { try prints.checkName() }
      #expect(error?.name == SystemError.unmounted(path).name)
    }
  }

  @Test func `a folder that cannot be identified is no folder of prints`() throws {
    let place = try FreshFolder()
    let barn = FileName(literal: "barn")
    let folder = try place.folder.folder(barn, creating: true)
    FaultPlan.set(.init("fstat", on: place.path, code: 5, isPermanent: true), for: place.path)
    defer { FaultPlan.set(nil, for: place.path) }
    #expect(throws: SystemError.self) {
      _ = try PrintFolder(folder, in: place.folder, as: barn)
    }
  }

  @Test func `a draft is hidden, begins empty and can be discarded, on a simulated disk`()
    throws
  {
    try check(SimulatedDisk().rootFolder)
  }

  @Test func `a draft on a real disk is the same, and has the mode of a print`() throws {
    let place = try FreshFolder()
    try check(place.folder)
    let draft = try PrintFolder(place.folder).draft(PhotoID(list: ListID(1), number: 1))
    #expect(try draft.file.status().mode & 0o777 == 0o640)
  }

  @Test func `drafts of an earlier run are removed, prints stay`() throws {
    let place = try FreshFolder()
    for name in [".1.print", ".9.print", "Barn.jpg", "a.print"] {
      try place.write(Array(name.utf8), to: name)
    }
    try PrintFolder(place.folder).sweep()
    #expect(try names(place.folder) == ["Barn.jpg", "a.print"])
  }

  @Test func `processes that share a folder have drafts of their own, and sweep no other's`() throws
  {
    let place = try FreshFolder()
    let photo = PhotoID(list: ListID(1), number: 1)
    let (mine, yours) = (
      PrintFolder(place.folder, mark: "a1."), PrintFolder(place.folder, mark: "a2.")
    )
    let drafts = [try mine.draft(photo), try yours.draft(photo)].map(\.temporary)
    #expect(Set(drafts).count == 2)
    try mine.sweep()
    #expect(try names(place.folder) == ["\(drafts[1])"])
    _ = try mine.draft(photo)
    try yours.sweep(photo.list)
    #expect(try names(place.folder) == ["\(drafts[0])"])
  }

  @Test func `a link in the place of a draft is not followed`() throws {
    let place = try FreshFolder()
    try place.write(Array("precious".utf8), to: "outside/file")
    let prints = PrintFolder(place.folder)
    try place.link(".3.print", to: "outside/file")
    let draft = try prints.draft(PhotoID(list: ListID(1), number: 3))
    try draft.file.write(Array("draft".utf8), at: 0)
    #expect(place.bytes(of: "outside/file") == Array("precious".utf8))
  }

  @Test func `a full disk is an error, and leaves no draft`() throws {
    let disk = SimulatedDisk()
    disk.fail(.init(.open, code: 28))
    let prints = PrintFolder(disk.rootFolder)
    #expect(throws: SystemError.self) { try prints.draft(PhotoID(list: ListID(1), number: 1)) }
    #expect(try names(disk.rootFolder).isEmpty)
  }

  @Test(arguments: [FileReaders.group, .user(7)])
  func `a draft whose readers cannot be set leaves nothing behind`(readers: FileReaders) throws {
    let place = try FreshFolder()
    let photo = PhotoID(list: ListID(1), number: 1)
    let cut = Cut()
    let prints = PrintFolder(CutFolder(place.folder, cut), for: readers)
    var step = 1
    repeat {
      cut.set(.fault, at: step)
      let draft = try? prints.draft(photo)
      #expect(try names(place.folder) == (draft == nil ? [] : [".1-1.print"]), "\(step)")
      draft.map(prints.discard)
      step += 1
    } while cut.step != nil
    #expect(step > 3)
  }
}
