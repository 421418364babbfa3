// SPDX-License-Identifier: Apache-2.0
// The services that all parts use, on real folders.

import Files
import Linux
import Record
import Report
import Return
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

  private func ground(
    _ status: ServiceStatus = .unheard, below root: String? = nil
  ) throws -> Ground {
    try Ground(
      .below(root ?? scratch.path), LiveSettings(Settings()), clock: SimulatedClock(),
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
    let roots = ["\(scratch.path)/one", "\(scratch.path)/other"]
    try Places.make(root: roots[0])
    try Places.make(root: roots[1], ["inbox", "done", "failed", "state"])
    try scratch.link("other/prints", to: "\(roots[0])/prints")
    let grounds = try roots.map { try ground(below: $0) }
    let locks = try roots.map { try StateLock.take(LinuxFolder.open(path: "\($0)/state")).lock() }
    for _ in 1...2 {
      try grounds[0].checkSeat()
      let failure = #expect(throws: StartFailure.self) { try grounds[1].checkSeat() }
      #expect(failure?.trouble == "prints.taken")
      #expect(
        failure?.words
          == "the darkroomd of the state folder \(roots[0])/state uses the same folder of prints "
          + "\(roots[1])/prints")
      #expect(grounds[1].footing.seat?.trouble?.code == "prints.taken")
    }
    // Others can read neither the mark nor the lock, and cannot hold them.
    for name in ["one/prints/.daemon", "one/state/lock"] {
      let parts = name.split(separator: "/").map { FileName(made: String($0)) }
      let home = try scratch.folder.openFolder(parts[0], creating: false)
        .openFolder(parts[1], creating: false)
      #expect(try home.status(of: parts[2]).mode == 0o600, "\(name)")
    }
    locks[0].unlock()
    try grounds[1].checkSeat()
    #expect(grounds[0].footing.seat?.trouble?.code == "prints.taken")
    locks[1].unlock()
    try grounds[0].checkSeat()
    for ground in grounds { await ground.recorder.close() }
  }

  @Test func `prints of another daemon that come to the path later are neither seen nor removed`()
    async throws
  {
    let roots = ["\(scratch.path)/one", "\(scratch.path)/other"]
    for root in roots { try Places.make(root: root) }
    let grounds = try roots.map { try ground(below: $0) }
    let locks = try roots.map { try StateLock.take(LinuxFolder.open(path: "\($0)/state")).lock() }
    for ground in grounds { try ground.checkSeat() }
    let barn = FileName(literal: "barn")
    for ground in grounds { try ground.folders.prints.makeFolder(barn) }
    let prints = grounds[1].folders.prints
    let (home, away) = (FileName(literal: "prints"), FileName(literal: "away"))
    let other = try LinuxFolder.open(path: roots[1])
    // As a mount or a link that an administrator made by mistake.
    try other.rename(home, to: other, as: away, replacing: false)
    try scratch.link("other/prints", to: "\(roots[0])/prints")
    for _ in 1...2 {
      let errors = [
        #expect(throws: SystemError.self) { try prints.removeFolder(barn) },
        #expect(throws: SystemError.self) { _ = try prints.folder(barn, creating: true) },
        #expect(throws: SystemError.self) { _ = try PrintsStanding(of: barn, in: prints) },
      ]
      let words =
        "\(roots[1])/prints, which the darkroomd of the state folder \(roots[0])/state uses"
      for error in errors { #expect(error?.name == .busy && error?.thing == words) }
      #expect(grounds[1].footing.seat?.trouble?.code == "prints.taken")
    }
    #expect(try grounds[0].folders.prints.has(barn))
    try other.remove(home)
    try other.rename(away, to: other, as: home, replacing: false)
    #expect(try prints.has(barn) && grounds[1].footing.seat?.trouble == nil)
    for lock in locks { lock.unlock() }
    for ground in grounds { await ground.recorder.close() }
  }

  @Test(arguments: [
    "", "HERE 17:4 /no/such/folder", "HERE 17:4", "HERE 17:4 /", "17:4 17:4 OTHER",
    // Of this daemon, before its state folder was restored.
    "HERE 17:4 OWN",
  ])
  func `a mark of no daemon that has this folder keeps nobody from the prints`(
    _ mark: String
  ) async throws {
    let other = "\(scratch.path)/other"
    for root in [scratch.path, other] { try Places.make(root: root) }
    // The daemon of a folder from which the mark was copied.
    let lock = try StateLock.take(LinuxFolder.open(path: "\(other)/state")).lock()
    let ownLock = try StateLock.take(LinuxFolder.open(path: "\(scratch.path)/state")).lock()
    let prints = try LinuxFolder.open(path: "\(scratch.path)/prints")
    let here = try prints.identity()
    let words = mark.replacing("HERE", with: "\(here.device):\(here.inode)")
      .replacing("OTHER", with: "\(other)/state")
      .replacing("OWN", with: "\(scratch.path)/state")
    try scratch.write(Array(words.utf8), to: "prints/.daemon")
    let ground = try ground()
    try ground.checkSeat()
    let own = try prints.contents(of: FileName(literal: ".daemon"), upTo: 4096)
    #expect(
      own.map { String(decoding: $0, as: UTF8.self) }?.hasSuffix(" \(scratch.path)/state") == true)
    lock.unlock()
    ownLock.unlock()
    await ground.recorder.close()
  }

  @Test func `a mark that cannot be read is told, and kept`() async throws {
    try Places.make(root: scratch.path)
    let prints = try LinuxFolder.open(path: "\(scratch.path)/prints")
    let name = FileName(literal: ".daemon")
    _ = try prints.folder(name, creating: true)
    let ground = try ground()
    let failure = #expect(throws: StartFailure.self) { try ground.checkSeat() }
    #expect(failure?.trouble == "prints.taken")
    #expect(failure?.words.hasPrefix("it is not known whether another darkroomd uses") == true)
    #expect(failure?.advice?.contains("remove the file .daemon") == true)
    // The folder belongs to another user, as after a copy by root.
    FaultPlan.set(
      .init("openat", on: "\(prints.path)/.daemon", code: 13, isPermanent: true), for: prints.path)
    let closed = #expect(throws: StartFailure.self) { try ground.checkSeat() }
    FaultPlan.set(nil, for: prints.path)
    #expect(closed?.advice?.contains("own the folder") == true)
    try prints.removeFolder(name)
    try ground.checkSeat()
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

extension StateLock.Taken {
  fileprivate func lock() throws -> LinuxFile {
    guard case .file(let file) = self else {
      throw SystemError(.busy, call: "flock", thing: "lock")
    }
    return file
  }
}
