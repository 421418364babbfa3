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
    var promise: CopyRoom.Promise? = room.promise(100, on: 1)
    let other = room.promise(7, on: 1)
    #expect(room.promised(on: 1) == 107 && room.promised(on: 2) == 0)
    promise?.wrote(60)
    #expect(room.promised(on: 1) == 47)
    promise?.wrote(60)
    #expect(room.promised(on: 1) == 7)
    promise = room.promise(30, on: 1)
    #expect(room.promised(on: 1) == 37)
    promise = nil
    #expect(room.promised(on: 1) == 7)
    other.wrote(0)
  }

  @Test func `copies leave a part of the disk, and the room of each other`() throws {
    let folder = try FreshFolder().folder
    let (total, device) = (try folder.room().total, try folder.device())
    let full = CopyRoom { $0 }
    let failure = #expect(throws: Failure.self) { _ = try full.ask(20 << 20, in: folder) }
    #expect(failure?.kind == .machine && failure?.code == "pictures.room")
    #expect(
      failure?.reason == "the copies of its pictures need 20 MiB, and the file system of "
        + "\(folder.path) has room for 0 KiB")
    #expect(full.promised(on: device) == 0)
    let room = CopyRoom()
    let promise = try room.ask(1, in: folder)
    let elsewhere = room.promise(total, on: device + 1)
    let all = room.promise(total, on: device)
    let later = #expect(throws: Failure.self) { _ = try room.ask(1, in: folder) }
    #expect(
      later?.reason == "the copies of its pictures need 0 KiB, and other pictures are copied to "
        + "the file system of \(folder.path) first")
    #expect(later?.advice.isEmpty == true)
    all.wrote(total)
    let next = try room.ask(1, in: folder)
    #expect(room.promised(on: device) == 2)
    withExtendedLifetime((promise, next, elsewhere)) {}
  }
}
