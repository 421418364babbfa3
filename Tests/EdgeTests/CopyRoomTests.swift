// SPDX-License-Identifier: Apache-2.0
// The room that copies of pictures share.

import Files
import Linux
import Support
import Testing
import Vocabulary

@Suite struct CopyRoomTests {
  @Test func `a copy that has begun keeps the room for its rest, and no more`() {
    let room = CopyRoom()
    var promise: CopyRoom.Promise? = room.promise(100)
    let other = room.promise(7)
    #expect(room.promised == 107)
    promise?.wrote(60)
    #expect(room.promised == 47)
    promise?.wrote(60)
    #expect(room.promised == 7)
    promise = room.promise(30)
    #expect(room.promised == 37)
    promise = nil
    #expect(room.promised == 7)
    other.wrote(0)
  }

  @Test func `copies leave a part of the disk, and the room of each other`() throws {
    let folder = try FreshFolder().folder
    let total = try folder.room().total
    let full = CopyRoom { $0 }
    let failure = #expect(throws: Failure.self) { _ = try full.ask(20 << 20, in: folder) }
    #expect(failure?.kind == .machine && failure?.code == "pictures.room")
    #expect(
      failure?.reason == "the copies of its pictures need 20 MiB, and the file system of "
        + "\(folder.path) has room for 0 KiB")
    #expect(full.promised == 0)
    let room = CopyRoom()
    let promise = try room.ask(1, in: folder)
    let all = room.promise(total)
    #expect(throws: Failure.self) { _ = try room.ask(1, in: folder) }
    all.wrote(total)
    let next = try room.ask(1, in: folder)
    #expect(room.promised == 2)
    withExtendedLifetime((promise, next)) {}
  }
}
