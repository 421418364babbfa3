// SPDX-License-Identifier: Apache-2.0
// The services that all parts use, on real folders.

import Linux
import Record
import Report
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct GroundTests {
  private let scratch: FreshFolder
  private let told: ToldLines

  init() throws {
    scratch = try FreshFolder()
    told = try ToldLines()
  }

  private func ground(_ status: ServiceStatus = .unheard) throws -> Ground {
    try Ground(
      .below(scratch.path), LiveSettings(Settings()), clock: SimulatedClock(),
      reporter: told.reporter,
      status: status
    ) { _ in }
  }

  @Test func `a second start has the lists of the first, and says what it read`() async throws {
    try Places.make(root: scratch.path)
    let first = try ground()
    let list = ListID(1)
    try await first.recorder.record(
      [.accepted(list, Acceptance(photos: 2, serviceClass: .default, sha256: ""))])
    await first.recorder.close()
    let second = try ground()
    #expect(second.recorder.ledger { $0[list]?.counts.new } == 2)
    #expect(told.all().last == "Read the journal file: 1 record; 1 list known, 1 to continue.")
    await second.recorder.close()
  }

  @Test func `readiness and the stop are told with the number of open lists`() async throws {
    try Places.make(root: scratch.path)
    let manager = try ServiceManager()
    let ground = try ground(manager.status)
    ground.tellReady()
    #expect(try await manager.next() == "READY=1")
    let seen = ground.changes.version
    ground.tellStopping()
    #expect(ground.changes.version == seen + 1)
    let lines = told.all().suffix(2)
    #expect(lines.first?.contains("lists go to \(scratch.path)/inbox, no lists") == true)
    #expect(lines.last == "Stopping: every list is done.")
    await ground.recorder.close()
  }

  @Test func `without its state folder the start fails`() {
    let failure = #expect(throws: StartFailure.self) { try ground() }
    #expect(failure?.code == ExitCode.io && failure?.trouble == nil)
    #expect(failure?.words.hasPrefix("could not start with the folders: ") == true)
  }

  @Test(arguments: [
    ("done", "the folder done cannot be opened: "),
    ("failed", "the folder failed cannot be opened: "),
  ])
  func `a folder that is not there may come`(_ name: String, _ words: String) throws {
    try Places.make(root: scratch.path)
    try scratch.folder.removeFolder(try #require(FileName(name)))
    let failure = #expect(throws: StartFailure.self) { try ground() }
    #expect(failure?.trouble == "folder.lost" && failure?.words.hasPrefix(words) == true)
    #expect(failure?.advice?.contains("systemd-tmpfiles --create darkroom.conf") == true)
  }

  @Test func `a folder of prints that is not there is made, unless it was on a disk of its own`()
    async throws
  {
    try Places.make(root: scratch.path)
    let name = FileName(literal: "prints")
    try scratch.folder.removeFolder(name)
    try scratch.write(Array("prints\n".utf8), to: "state/mounts")
    let failure = #expect(throws: StartFailure.self) { try ground() }
    #expect(failure?.trouble == "folder.lost")
    try scratch.folder.openFolder(FileName(literal: "state"), creating: false)
      .removeIfThere(FileName(literal: "mounts"))
    let second = try ground()
    #expect(try scratch.folder.status(of: name).kind == .folder)
    await second.recorder.close()
  }

  @Test func `a daemon waits for the end of another one that prints into its folder`() async throws
  {
    try Places.make(root: scratch.path)
    let ground = try ground()
    var (first, second) = (FolderSeat("prints"), FolderSeat("prints"))
    try ground.take(&first)
    for _ in 1...2 {
      try ground.take(&first)
      let failure = #expect(throws: StartFailure.self) { try ground.take(&second) }
      #expect(failure?.trouble == "prints.taken")
      #expect(
        failure?.words.hasSuffix("uses the same folder of prints \(scratch.path)/prints") == true)
    }
    first = FolderSeat("prints")
    try ground.take(&second)
    await ground.recorder.close()
  }

  @Test func `a folder that was on a disk of its own is waited for`() throws {
    try Places.make(root: scratch.path)
    try scratch.write(Array("failed\n".utf8), to: "state/mounts")
    let failure = #expect(throws: StartFailure.self) { try ground() }
    #expect(failure?.trouble == "folder.unmounted")
    #expect(failure?.advice?.contains("remove the file mounts in \(scratch.path)/state") == true)
  }

  @Test func `a journal that cannot be opened ends the start; only a full disk may pass`() throws {
    try Places.make(root: scratch.path)
    try scratch.write([1], to: "state/journal")
    let failure = #expect(throws: StartFailure.self) { try ground() }
    #expect(failure?.code == ExitCode.io && failure?.trouble == nil)
    #expect(failure?.words.hasPrefix("could not open the journal file: ") == true)
  }

  @Test func `a disk that is full at the start may pass`() throws {
    try Places.make(root: scratch.path)
    let owner = scratch.path
    let full = SystemError.Name.noSpace.rawValue
    FaultPlan.set(.init("pwrite", on: owner, code: full, isPermanent: true), for: owner)
    defer { FaultPlan.set(nil, for: owner) }
    let failure = #expect(throws: StartFailure.self) { try ground() }
    #expect(failure?.trouble == "disk.full")
  }
}
