// SPDX-License-Identifier: Apache-2.0
// The room for unread replies: as a value, and with callers that never read.

import Foundation
import Linux
import Steer
import Support
import Testing
import Vocabulary

@testable import Steer

@Suite struct ReplyRoomTests {
  private static let limits = ControlLimits(unread: 800)

  /// The numbers of the calls of these users that have room, each for a reply of this length.
  private func admitted(
    _ calls: [(user: UInt32, bytes: Int)], beside held: [UInt32: Int] = [:]
  ) -> [UInt64] {
    var room = ReplyRoom(limits: Self.limits, keepers: [0])
    for (place, call) in calls.enumerated() {
      room.add(ReplyRoom.Wait(number: UInt64(place), user: call.user, bytes: call.bytes))
    }
    return room.admit(beside: held).map(\.number)
  }

  // MARK: as a value

  @Test func `a user has an eighth of the room, and eight users are needed to take all`() {
    #expect(ControlLimits().unread == 64 << 20 && ControlLimits().unreadPerUser == 8 << 20)
    #expect(Self.limits.unreadPerUser == 100)
    let calls = [UInt32](repeating: 1, count: 64).map { (user: $0, bytes: 30) }
    #expect(admitted(calls) == [0, 1, 2])
    #expect(admitted(calls, beside: [1: 41]) == [0])
    #expect(admitted(calls, beside: [1: 71, 2: 100]).isEmpty)
    let seven = Dictionary(uniqueKeysWithValues: (2...8).map { (UInt32($0), 100) })
    #expect(admitted(calls, beside: seven) == [0, 1, 2])
  }

  @Test func `a user with nothing unread has room for one reply, whatever others leave unread`() {
    #expect(admitted([(1, 5000), (1, 1)]) == [0])
    let full = Dictionary(uniqueKeysWithValues: (2...9).map { (UInt32($0), 100) })
    #expect(admitted([(1, 90), (1, 10), (2, 1)], beside: full) == [0])
    #expect(admitted([(1, 10)], beside: full.merging([1: 10]) { $1 }).isEmpty, "all is taken")
  }

  @Test func `root has its eighth beyond the room of all, and takes none of it`() {
    let full = Dictionary(uniqueKeysWithValues: (2...9).map { (UInt32($0), 100) })
    #expect(admitted([(0, 90), (0, 10), (0, 1)], beside: full) == [0, 1])
    #expect(admitted([(1, 90), (1, 10)], beside: [0: 5000]) == [0, 1])
  }

  @Test func `a call that waits goes on when there is room, before later calls of its user`() {
    var room = ReplyRoom(limits: Self.limits, keepers: [0])
    for (number, user, bytes): (UInt64, UInt32, Int) in [(1, 1, 80), (2, 1, 10), (3, 2, 10)] {
      room.add(ReplyRoom.Wait(number: number, user: user, bytes: bytes))
    }
    #expect(room.admit(beside: [1: 50, 2: 50]).map(\.number) == [3])
    #expect(room.admit(beside: [1: 50]).isEmpty && !room.isEmpty)
    #expect(room.admit(beside: [1: 10]).map(\.number) == [1, 2])
    #expect(room.isEmpty)
  }

  @Test func `a call whose caller has left waits no more`() {
    var room = ReplyRoom(limits: Self.limits, keepers: [0])
    room.add(ReplyRoom.Wait(number: 1, user: 1, bytes: 80))
    room.remove(1)
    #expect(room.isEmpty && room.admit(beside: [:]).isEmpty)
  }

  @Test func `each call whose reply grows with lists, photos or files asks for room`() {
    let (limits, list) = (ControlLimits(), ListReference("17"))
    func room(_ call: any ControlMethod) -> Int { call.room(limits) }
    #expect(room(ShowOrder(list: list, limit: 1000)) == 1 << 20)
    #expect(room(ShowOrder(list: list, limit: 0)) == 0, "of the list alone")
    #expect(room(ShowOrder(list: list, limit: 8)) == 256 << 10)
    #expect(room(InboxOrder()) == 1 << 20 && room(ListsOrder()) == 4 << 20)
    #expect(room(WatchOrder()) == 4 << 20 && room(WatchOrder(list: list)) == 0)
    #expect(
      room(StatusOrder()) == 0 && room(CancelOrder(list: list)) == 0, "the calls that mend trouble")
  }

  @Test func `a page ends before its text is longer than a mebibyte, but never without a part`() {
    func photo(_ bytes: Int) -> PhotoSummary {
      PhotoSummary(
        number: 1, name: "a", url: String(repeating: "\"", count: bytes / 2), state: .new)
    }
    var page = ReplyPage()
    let taken = (0..<100).prefix { _ in page.takes(photo(100 << 10)) }.count
    #expect(taken == 10)
    var long = ReplyPage()
    #expect(long.takes(photo(2 << 20)) && !long.takes(photo(0)))
  }

  // MARK: with sockets

  /// No socket takes the whole.
  private static let page = [
    PhotoSummary(number: 1, name: "a", url: String(repeating: "x", count: 240_000), state: .new)
  ]
  /// A user has room for eight replies of eight photos.
  private static let narrow = ControlLimits(
    unread: 8 * 8 * (256 << 10), patience: .seconds(3600), idle: .seconds(3600))

  /// A stream waits as a single call does.
  @Test(arguments: [false, true])
  func `of 64 connections that never read, the replies that have room are built alone`(
    isStream: Bool
  ) async throws {
    let place = try FreshFolder.forSockets()
    let path = "\(place.path)/control"
    let daemon = PagedDaemon(page: Self.page)
    let clock = try SystemClock()
    let server = try RunningServer(
      path: path, handler: daemon, clock: clock, limits: Self.narrow)
    let lines = try (0..<64).map { _ in try RawLine(path: path) }
    for (number, line) in lines.enumerated() {
      let order = ShowOrder(list: ListReference("17"), offset: UInt32(number), limit: 8)
      try line.send(ControlRequest(order, more: isStream).bytes)
      line.finish()
    }
    for read in 0..<64 {
      #expect(await daemon.built.wait { $0.count >= min(64, read + 8) })
      try await onOwnThread {
        let client = try ControlClient(path: path, clock: clock)
        #expect(try client.call(StatusOrder()).status == Samples.status, "a short reply has room")
        let built = daemon.built.value
        #expect(built.count <= read + 8, "replies without room are built")
        let bytes = try lines[built[read]].bytesToEnd()
        #expect(bytes.count > 240_000 && bytes.last == 0)
      }
    }
    server.stop()
    await server.stopped()
  }

  /// Asks for photos in a number of connections of each user, and reads the answers or nothing.
  private static let asker = """
    import os, socket, sys
    path, count, reads, users = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "reads", sys.argv[4]
    show = b'{"method":"io.darkroom.Control.Show","parameters":{"list":"17","limit":8}}\\0'
    held = []
    for user in users.split(","):
        os.seteuid(int(user))
        for number in range(count):
            line = socket.socket(socket.AF_UNIX)
            line.connect(path)
            line.sendall(show)
            held.append(line)
            answer = b""
            while reads and not answer.endswith(b"\\0"):
                answer += line.recv(65536)
            if reads: print(len(answer), flush=True)
        os.seteuid(0)
    print("asked", flush=True)
    sys.stdin.read()
    """

  @Test(.enabled(if: ThisProcess.user == 0, "only root may act for two users"), arguments: [1, 8])
  func `a user whose connections read nothing lets no other one wait`(users: Int) async throws {
    let place = try FreshFolder.forSockets()
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: place.path)
    let path = "\(place.path)/control"
    let daemon = PagedDaemon(page: Self.page)
    let server = try RunningServer(
      path: path, handler: daemon, clock: try SystemClock(), limits: Self.narrow)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    let greedy = (1...users).map { "\(60_000 + $0)" }.joined(separator: ",")
    let unread = try HelperProcess(["python3", "-c", Self.asker, path, "9", "holds", greedy])
    try await onOwnThread { #expect(unread.readLine() == "asked") }
    // Each of them has all that it gets, and waits for more.
    #expect(await daemon.built.wait { $0.count == 8 * users })
    let modest = try HelperProcess(["python3", "-c", Self.asker, path, "8", "reads", "61000"])
    try await onOwnThread {
      for _ in 0..<8 { #expect(Int(modest.readLine() ?? "") ?? 0 > 240_000) }
    }
    #expect(daemon.built.value.count == 8 * users + 8, "a reply without room is built")
    modest.closeInput()
    unread.closeInput()
    server.stop()
    await server.stopped()
  }

  @Test func `a caller that leaves while it waits for room ends its call`() async throws {
    let place = try FreshFolder.forSockets()
    let path = "\(place.path)/control"
    let daemon = PagedDaemon(page: Self.page)
    let server = try RunningServer(
      path: path, handler: daemon, clock: try SystemClock(), limits: ControlLimits(unread: 8))
    func ask(_ number: UInt32) throws -> RawLine {
      let line = try RawLine(path: path)
      let order = ShowOrder(list: ListReference("17"), offset: number)
      try line.send(ControlRequest(order).bytes)
      return line
    }
    let first = try ask(0)
    #expect(await daemon.built.wait { $0 == [0] })
    for number in 1...3 as ClosedRange<UInt32> { _ = try ask(number) }
    let last = try ask(4)
    try await onOwnThread { try first.awaitReply() }
    first.finish()
    _ = try await onOwnThread { try first.bytesToEnd() }
    #expect(await daemon.built.wait { $0.contains(4) })
    last.finish()
    _ = try await onOwnThread { try last.bytesToEnd() }
    server.stop()
    await server.stopped()
  }
}

/// Notes each page that it builds.
private final class PagedDaemon: ControlService {
  /// The offsets of the pages.
  let built = EventBoard<[Int]>([])
  private let page: [PhotoSummary]

  init(page: [PhotoSummary]) { self.page = page }

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    guard let order = call as? ShowOrder else { return .answer(StatusReply(Samples.status)) }
    built.change { $0.append(Int(order.offset)) }
    return .answer(ShowReport(list: Samples.list, photos: page))
  }

  func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    guard await caller.room() else { return .unread }
    _ = await caller.send(handle(call, from: peer))
    return .answer(StatusReply(Samples.status))
  }
}
