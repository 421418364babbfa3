// SPDX-License-Identifier: Apache-2.0
// The simulated disk and clock themselves: the disk loses all that a real one may lose, and keeps
// all that it must keep.

import Support
import Testing
import Vocabulary

struct SimulatedDiskTests {
  static let name = FileName(literal: "a")

  private func survivors(_ prepare: (SimulatedDisk) throws -> Void) throws -> Set<[UInt8]?> {
    var seen: Set<[UInt8]?> = []
    for seed in 0..<200 as Range<UInt64> {
      let disk = SimulatedDisk()
      try prepare(disk)
      disk.crash(seed: seed)
      let root = disk.rootFolder
      seen.insert(try root.has(Self.name) ? root.open(Self.name, .read).read(at: 0, upTo: 99) : nil)
    }
    return seen
  }

  @Test func `without any sync every outcome is possible`() throws {
    let seen = try survivors { disk in
      try disk.rootFolder.open(Self.name, .create).write([1, 2], at: 0)
    }
    #expect(seen == [nil, [], [0, 0], [1, 2]])
  }

  @Test func `a name may survive without contents, and contents only with a name`() throws {
    let named = try survivors { disk in
      try disk.rootFolder.open(Self.name, .create).write([1, 2], at: 0)
      try disk.rootFolder.sync()
    }
    #expect(named == [[], [0, 0], [1, 2]])
    let filled = try survivors { disk in
      let file = try disk.rootFolder.open(Self.name, .create)
      try file.write([1, 2], at: 0)
      try file.sync()
    }
    #expect(filled == [nil, [1, 2]])
  }

  @Test func `synced bytes stay, later ones may or may not`() throws {
    let seen = try survivors { disk in
      let file = try disk.rootFolder.open(Self.name, .create)
      try file.write([1, 2], at: 0)
      try file.sync()
      try disk.rootFolder.sync()
      try file.write([3], at: 2)
    }
    #expect(seen == [[1, 2], [1, 2, 0], [1, 2, 3]])
  }

  @Test func `after a failed sync the next one succeeds, although the bytes are lost`() throws {
    let seen = try survivors { disk in
      let file = try disk.rootFolder.open(Self.name, .create)
      try disk.rootFolder.sync()
      try file.write([1], at: 0)
      disk.fail(SimulatedDisk.Fault(.syncFile, code: 5))
      #expect(throws: SystemError.self) { try file.sync() }
      try file.sync()
      #expect(try file.read(at: 0, upTo: 9) == [1])
    }
    #expect(seen == [[]])
  }

  @Test func `a full disk takes what fits`() throws {
    let disk = SimulatedDisk()
    disk.setCapacity(10)
    let file = try disk.rootFolder.open(Self.name, .create)
    try file.reserve(6)
    let other = try disk.rootFolder.open(FileName(literal: "b"), .create)
    let error = #expect(throws: SystemError.self) { try other.write([1, 2, 3, 4, 5], at: 0) }
    #expect(error?.isDiskFull == true)
    #expect(try other.status().size == 4)
    try file.write([1, 2, 3, 4, 5, 6], at: 0)
    try disk.rootFolder.remove(FileName(literal: "b"))
    #expect(try disk.rootFolder.room().free == 4)
  }

  @Test func `folders and files opened before a crash are dead`() throws {
    let disk = SimulatedDisk()
    let root = disk.rootFolder
    disk.crash(seed: 0)
    #expect(throws: SystemError.self) { try root.names() }
    #expect(try disk.rootFolder.names().isEmpty)
  }

  @Test func `a simulated clock calls back in order as it is advanced`() {
    let clock = SimulatedClock(wallTime: 5000)
    let log = CallLog<String>()
    _ = clock.after(.seconds(2)) { log.add("two") }
    let cancelled = clock.after(.seconds(1)) { log.add("never") }
    _ = clock.after(.seconds(1)) {
      log.add("one")
      _ = clock.after(.milliseconds(500)) { log.add("half a second later") }
    }
    cancelled.cancel()
    clock.advance(by: .seconds(3))
    #expect(log.entries == ["one", "two"])
    #expect(clock.wallTime() == 8000 && clock.uptime() == .seconds(3) && clock.pending == 1)
    clock.advance(by: .milliseconds(500))
    #expect(log.entries.last == "half a second later" && clock.pending == 0)
  }
}
