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
    var promise: CopyRoom.Promise? = room.promise(100, on: 0x801)
    let other = room.promise(7, on: 0x801)
    #expect(room.promised(on: 0x801) == 107 && room.promised(on: 0x802) == 0)
    promise?.wrote(60)
    #expect(room.promised(on: 0x801) == 47)
    promise?.wrote(60)
    #expect(room.promised(on: 0x801) == 7)
    promise = room.promise(30, on: 0x801)
    #expect(room.promised(on: 0x801) == 37)
    promise = nil
    #expect(room.promised(on: 0x801) == 7)
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
    let elsewhere = room.promise(total, on: device == 0x801 ? 0x802 : 0x801)
    let all = room.promise(total, on: device)
    let later = #expect(throws: Failure.self) { _ = try room.ask(1, in: folder) }
    #expect(
      later?.reason
        == "the copies of its pictures need 0 KiB, and other pictures are copied first")
    #expect(later?.advice.isEmpty == true)
    all.wrote(total)
    let next = try room.ask(1, in: folder)
    #expect(room.promised(on: device) == 2)
    withExtendedLifetime((promise, next, elsewhere)) {}
  }
}
