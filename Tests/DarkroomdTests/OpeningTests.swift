// SPDX-License-Identifier: Apache-2.0
// The tries of a start whose disk is in trouble.

import Linux
import Report
import Support
import Synchronization
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct OpeningTests {
  private static func desk(in folder: FreshFolder) throws -> FrontDesk {
    try FrontDesk(
      .below(folder.path), ConfigurationFile(path: "\(folder.path)/c", isNamed: false),
      clock: SimulatedClock())
  }

  /// Runs it; nil if it did not fail.
  private static func end(of opening: Opening) async -> StartFailure? {
    await Reply.wait { reply in
      #expect(throws: Never.self) {
        try Reactor.start("opening") { reactor in
          do throws(StartFailure) {
            _ = try await opening.run(on: reactor)
            reply.give(nil)
          } catch { reply.give(error) }
        }
      }
    }
  }

  @Test func `a start whose disk is in trouble is ready, tells why, and is tried again`()
    async throws
  {
    let scratch = try FreshFolder()
    let (manager, told) = (try ServiceManager(), try ToldLines())
    let desk = try Self.desk(in: scratch)
    let failures = [
      StartFailure(74, "could not write: no space left on device", trouble: "disk.full"),
      StartFailure(74, "could not write b: no space left on device", trouble: "disk.full"),
      StartFailure(74, "could not lock: read-only file system", trouble: "system.30"),
      StartFailure(78, "a setting is wrong"),
    ]
    let tries = Mutex(0)
    let opening = Opening(
      desk: desk, signals: try Signals([]), status: manager.status, reporter: told.reporter,
      rooms: { [:] }, mount: { nil }
    ) { parts throws(StartFailure) in
      let number = tries.withLock { tries in
        defer { tries += 1 }
        return tries
      }
      #expect((parts.lock != nil) == (number > 0), "what the first try made is kept")
      if parts.lock == nil {
        parts.lock = try StartFailure.unlessOnDisk("the lock") { () throws(SystemError) in
          try LinuxFolder.open(path: scratch.path).openFile(FileName(literal: "lock"), .ensure)
        }
      }
      // The next try follows at once.
      desk.hangUp()
      throw failures[number]
    }
    let end = await Self.end(of: opening)
    #expect(end?.code == 78 && tries.withLock { $0 } == 4)
    let status = "STATUS=Waiting: could not write: no space left on device. "
    #expect(try await manager.next() == status + "Nothing is accepted until it clears.")
    #expect(try await manager.next() == "READY=1")
    let lines = told.all()
    #expect(lines.count == 2, "\(lines)")
    #expect(lines[0].contains("no space left on device; nothing is accepted until it clears"))
    #expect(lines[1].contains("read-only file system"))
  }

  @Test func `a start that waits for a disk goes on as soon as the disk has room`() async throws {
    let scratch = try FreshFolder()
    let (manager, told) = (try ServiceManager(), try ToldLines())
    let desk = try Self.desk(in: scratch)
    let looks = Mutex<[Int]>([])
    let tries = Mutex(0)
    let opening = Opening(
      desk: desk, signals: try Signals([]), status: manager.status, reporter: told.reporter,
      rooms: {
        let number = looks.withLock { looks in
          looks.append(tries.withLock { $0 })
          return looks.count
        }
        return ["state": DiskRoom(free: number < 3 ? 0 : 4096, total: 1 << 20)]
      }, mount: { nil }
    ) { parts throws(StartFailure) in
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      throw number == 1
        ? StartFailure(74, "could not write: no space left on device", trouble: "disk.full")
        : StartFailure(78, "a setting is wrong")
    }
    let end = await Self.end(of: opening)
    #expect(end?.code == 78)
    // A look before each try, and two between them: without room, and with it. After the pause of five seconds there
    // would be more.
    #expect(looks.withLock { $0 } == [0, 1, 1, 1])
  }

  @Test func `a start does not look at the inbox, which may be on a server that is away`() throws {
    let scratch = try FreshFolder()
    let places = Places.below(scratch.path)
    try Places.make(root: scratch.path)
    let needed = Set(places.rooms(withInbox: false).keys)
    #expect(needed == [places.done, places.failed, places.prints, places.state])
    #expect(Set(places.rooms(withInbox: true).keys) == needed.union([places.inbox]))
  }

  @Test func `a disk that can be written again during a try needs a new start all the same`()
    async throws
  {
    let scratch = try FreshFolder()
    let (manager, told) = (try ServiceManager(), try ToldLines())
    let desk = try Self.desk(in: scratch)
    let tries = Mutex(0)
    let opening = Opening(
      desk: desk, signals: try Signals([]), status: manager.status, reporter: told.reporter,
      rooms: { [:] },
      mount: {
        MountRights(isMountReadOnly: true, isFileSystemReadOnly: tries.withLock { $0 } == 0)
      }
    ) { _ throws(StartFailure) in
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      // The next try follows at once.
      desk.hangUp()
      throw number == 1
        ? StartFailure(74, "could not lock: read-only file system", trouble: "system.30")
        : StartFailure(78, "a setting is wrong")
    }
    let end = await Self.end(of: opening)
    #expect(end?.code == 74 && tries.withLock { $0 } == 1, "\(String(describing: end))")
  }

  @Test func `a service whose mount alone is read-only ends, so that a new start looks again`()
    async throws
  {
    let scratch = try FreshFolder()
    let (manager, told) = (try ServiceManager(), try ToldLines())
    let desk = try Self.desk(in: scratch)
    let opening = Opening(
      desk: desk, signals: try Signals([]), status: manager.status, reporter: told.reporter,
      rooms: { [:] }, mount: { MountRights(isMountReadOnly: true, isFileSystemReadOnly: false) },
      stale: StaleMount(patience: .zero)
    ) { _ throws(StartFailure) in
      throw StartFailure(74, "could not lock: read-only file system", trouble: "system.30")
    }
    let end = await Self.end(of: opening)
    #expect(end?.code == 74 && end?.words.contains("a new start sees the disk") == true)
  }
}
