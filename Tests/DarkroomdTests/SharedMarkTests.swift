// SPDX-License-Identifier: Apache-2.0
// The folder of Blobs= is told from the bare folder below its mount point by the mark of the ledger.

import Cluster
import Files
import Linux
import Output
import Record
import Report
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct SharedMarkTests {
  private let state: FreshFolder
  private let scratch: FreshFolder
  private let told: ToldLines
  private let blobs = FileName(literal: "blobs")
  private let away = FileName(literal: "away")
  private var path: String { "\(scratch.path)/blobs" }
  private var shared: SharedMark { SharedMark(path: path, in: state.folder) }

  init() throws {
    (state, scratch, told) = (try FreshFolder(), try FreshFolder(), try ToldLines())
    try scratch.folder.makeFolder(blobs)
  }

  /// The node has worked with this ledger.
  private func remember(_ identity: String) throws {
    try state.write(KnownLedger(identity).bytes, to: "ledger")
  }

  /// The disk is not mounted: a bare folder, in which an earlier start may have made folders.
  private func unmount(with folders: [String] = ["prints", "lists"]) throws {
    try scratch.folder.rename(blobs, to: scratch.folder, as: away, replacing: false)
    try scratch.folder.makeFolder(blobs)
    let bare = try scratch.folder.openFolder(blobs, creating: false)
    for name in folders { try bare.makeFolder(FileName(made: name)) }
  }

  private func mount() throws {
    try scratch.folder.removeTree(blobs)
    try scratch.folder.rename(away, to: scratch.folder, as: blobs, replacing: false)
  }

  private func names(_ name: String) throws -> [String] {
    try LinuxFolder.open(path: "\(path)/\(name)").names().map(\.description).sorted()
  }

  @Test func `a node that has worked with no ledger makes the folders, and knows no mark`() throws {
    #expect(try FolderShelf.check(shared))
    #expect(try names("") == ["lists", "prints"])
    #expect(FolderShelf(shared, mark: "aa.").trouble == nil)
  }

  @Test(
    arguments: [
      (nil, "blobs.other"), ("damaged", "blobs.other"), ("mine", "blobs.other"),
      ("other 01", "blobs.ledger"),
    ] as [(String?, String)])
  func `a start makes nothing in a folder without the mark, and waits for the right one`(
    _ mark: String?, code: String
  ) throws {
    try remember("mine")
    if let mark { try scratch.write(Array(mark.utf8), to: "blobs/cluster") }
    let before = try names("")
    let failure = #expect(throws: StartFailure.self) { _ = try FolderShelf.check(shared) }
    let isForeign = code == "blobs.ledger"
    #expect(failure?.trouble == code && failure?.advice?.contains("no restart") == !isForeign)
    let end = isForeign ? "has the mark of that ledger" : "has no mark"
    #expect(failure?.words.contains("\(path) \(end)") == true)
    #expect(try names("") == before)
    // The ledger may be about to have another mark.
    for name in ["prints", "lists"] { try scratch.write([], to: "blobs/\(name)/x") }
    #expect(try !FolderShelf.check(shared))
    #expect(FolderShelf(shared, mark: "aa.").trouble?.code == code)
    try scratch.write(Array("mine 01".utf8), to: "blobs/cluster")
    #expect(try FolderShelf.check(shared))
  }

  @Test func `a shelf whose disk goes away puts nothing into the bare folder, and goes on`()
    throws
  {
    try FolderShelf.make(in: scratch.folder.openFolder(blobs, creating: false))
    let (shelf, list) = (FolderShelf(shared, mark: "aa."), try FreshFolder())
    for name in FolderShelf.files { try list.write([1], to: "\(name)") }
    try shelf.mark(with: "mine 01", through: state.folder)
    try remember("mine")
    try shelf.put(list.folder, as: FileName(literal: "0f"))
    for folders in [["prints", "lists"], []] {
      try unmount(with: folders)
      #expect(throws: Failure.self) { try shelf.put(list.folder, as: FileName(literal: "1f")) }
      #expect(throws: Failure.self) { try shelf.remove(FileName(literal: "0f")) }
      #expect(shelf.trouble?.code == (folders.isEmpty ? "folder.lost" : "blobs.other"))
      if !folders.isEmpty { #expect(try names("lists").isEmpty) }
      try mount()
      #expect(shelf.trouble == nil)
    }
    try shelf.put(list.folder, as: FileName(literal: "1f"))
    #expect(try names("lists") == ["0f", "1f"])
  }

  @Test func `a node makes no folder of prints in a bare folder`() async throws {
    try Places.make(root: "\(scratch.path)/node")
    var places = Places.below("\(scratch.path)/node")
    (places.alone, places.prints, places.mark) = (places.prints, "\(path)/prints", "aa.")
    var settings = Settings()
    (settings.cluster.ledger, settings.cluster.blobs) = ("dbname=x", .folder(path))
    let ground = try Ground(
      places, LiveSettings(settings), clock: SimulatedClock(), reporter: told.reporter,
      status: .unheard
    ) { _ in }
    let name = FileName(literal: "summer")
    try scratch.write(Array("mine 01".utf8), to: "blobs/cluster")
    try scratch.write(KnownLedger("mine").bytes, to: "node/state/ledger")
    // The first folder was found before the node knew a ledger.
    _ = try ground.folders.prints.standing()
    try unmount()
    for _ in 1...2 {
      let error = #expect(throws: SystemError.self) { try ground.folders.prints.makeFolder(name) }
      #expect(error?.isUnmounted == true && error?.description.contains("lacks the mark") == true)
    }
    #expect(try names("prints").isEmpty)
    try mount()
    try ground.folders.prints.makeFolder(name)
    #expect(try names("prints") == ["summer"])
    await ground.recorder.close()
  }

  @Test func `a folder that nodes share, and its folder of prints, are known from outside`() throws
  {
    func isShared(_ name: String) throws -> Bool {
      try SharedMark.isShared(LinuxFolder.open(path: "\(path)\(name)"))
    }
    try FolderShelf.make(in: scratch.folder.openFolder(blobs, creating: false))
    #expect(try !isShared("") && !isShared("/prints"))
    try scratch.write(Array("mine".utf8), to: "blobs/cluster")
    #expect(try !isShared("") && !isShared("/prints"))
    try scratch.write(Array("ab-12 01".utf8), to: "blobs/cluster")
    #expect(try isShared("") && isShared("/prints") && !isShared("/lists"))
    // A list may be called so.
    let home = try scratch.folder.openFolder(blobs, creating: false)
    try home.remove(SharedMark.name)
    try home.makeFolder(SharedMark.name)
    #expect(try !isShared("") && !isShared("/prints"))
  }

  @Test func `the way of prints is found again for a folder in the place of another`() throws {
    let ways = PrintWays(trying: "aa.")
    let home = try scratch.folder.openFolder(blobs, creating: false)
    #expect(try ways.way(in: home) == .link)
    let other = try FreshFolder()
    FaultPlan.set(.init("linkat", on: other.path, code: 1, isPermanent: true), for: other.path)
    defer { FaultPlan.set(nil, for: other.path) }
    #expect(try ways.way(in: other.folder) == .rename)
    #expect(try ways.way(in: home) == .link && names("").isEmpty)
    #expect(try PrintWays(.replace).way(in: other.folder) == .replace)
  }

  @Test func `a machine that was a node and lacks Ledger= is told`() throws {
    var cluster = Settings().cluster
    #expect(cluster.lossNote(state: state.path) == nil)
    try remember("mine")
    #expect(cluster.lossNote(state: state.path)?.contains("\(state.path)/ledger tells") == true)
    cluster.ledger = "dbname=x"
    #expect(cluster.lossNote(state: state.path) == nil)
  }
}
