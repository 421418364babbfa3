// SPDX-License-Identifier: Apache-2.0
// A folder of the daemon that a person takes away is made again, and that is told once.

import Files
import Linux
import Support
import Synchronization
import Testing
import Vocabulary

@Suite struct LastingFolderTests {
  private let scratch: FreshFolder
  private let name = FileName(literal: "orders")
  private let away = FileName(literal: "away")
  private let told = ToldPaths()

  private final class ToldPaths: Sendable {
    let paths = Mutex<[String]>([])
    func add(_ path: String) { paths.withLock { $0.append(path) } }
    var all: [String] { paths.withLock { $0 } }
  }

  init() throws { scratch = try FreshFolder() }

  private func folder() throws -> LastingFolder {
    try LastingFolder(name, in: scratch.folder) { [told] in told.add($0) }
  }

  private func take(removing: Bool) throws {
    try scratch.folder.rename(name, to: scratch.folder, as: away, replacing: false)
    if removing { try scratch.folder.removeTree(away) }
  }

  private var expected: [String] { ["\(scratch.path)/orders"] }

  @Test func `a folder that is removed is there again for the next file`() throws {
    let folder = try folder()
    try folder.write(whole: [1], as: FileName(literal: "first"))
    try take(removing: true)
    try folder.write(whole: [2], as: FileName(literal: "second"))
    try folder.write(whole: [3], as: FileName(literal: "third"))
    #expect(scratch.bytes(of: "orders/second") == [2] && scratch.bytes(of: "orders/third") == [3])
    #expect(try folder.names().count == 2 && told.all == expected)
  }

  @Test func `a folder that is renamed is made again with the next look`() throws {
    let folder = try folder()
    try take(removing: false)
    _ = try folder.standing()
    _ = try folder.standing()
    #expect(told.all == expected)
    try folder.write(whole: [1], as: FileName(literal: "first"))
    #expect(scratch.bytes(of: "orders/first") == [1])
    #expect(scratch.bytes(of: "away/first") == nil)
  }

  @Test func `files move to a folder that is made again`() throws {
    let folder = try folder()
    try scratch.write([7], to: "draft")
    try take(removing: true)
    let draft = FileName(literal: "draft")
    try scratch.folder.link(draft, to: folder, as: FileName(literal: "linked"))
    try scratch.folder.rename(draft, to: folder, as: draft, replacing: true)
    try folder.rename(draft, to: folder, as: FileName(literal: "moved"), replacing: false)
    #expect(scratch.bytes(of: "orders/moved") == [7] && scratch.bytes(of: "orders/linked") == [7])
    #expect(told.all == expected)
  }

  @Test func `a name that is missing in a folder that is there tells nothing`() throws {
    let folder = try folder()
    let error = #expect(throws: SystemError.self) { try folder.remove(away) }
    #expect(error?.isMissing == true && told.all.isEmpty)
  }

  @Test func `without the folder around it the error stays`() throws {
    let state = try scratch.folder.openFolder(FileName(literal: "state"), creating: true)
    let folder = try LastingFolder(name, in: state) { [told] in told.add($0) }
    try scratch.folder.removeTree(FileName(literal: "state"))
    let error = #expect(throws: SystemError.self) { try folder.open(away, .create) }
    #expect(error?.isMissing == true && told.all.isEmpty)
  }
}
