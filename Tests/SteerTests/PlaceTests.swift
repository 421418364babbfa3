// SPDX-License-Identifier: Apache-2.0
// The places of the control socket: as a value, and with the connections of two users.

import Foundation
import Linux
import Support
import Testing
import Vocabulary

@testable import Steer

@Suite struct PlaceTests {
  private static let limits = ControlLimits(clients: 80, kept: 8)
  private let places = ControlPlaces(limits: limits, keepers: [0])

  /// Connections of a user; the first is the oldest.
  private func held(
    _ count: Int, by user: UInt32, from first: UInt64 = 1, isIdle: Bool = true
  ) -> [ControlPlaces.Place] {
    (0..<UInt64(count)).map { place in
      ControlPlaces.Place(
        number: first + place, user: user, idleSince: isIdle ? .seconds(Int64(place)) : nil)
    }
  }

  private func verdict(
    on user: UInt32, among held: [ControlPlaces.Place]...
  ) -> ControlPlaces.Verdict {
    places.verdict(on: user, among: held.flatMap { $0 })
  }

  @Test func `a user has an eighth of the places, and eight users are needed to take all`() {
    #expect(Self.limits.clientsPerUser == 10)
    #expect(ControlLimits().clientsPerUser * 8 <= ControlLimits().clients)
    #expect(verdict(on: 1, among: held(9, by: 1, isIdle: false)) == .free)
    let why = "10 of your connections are already open; close one first"
    let full = held(10, by: 1, isIdle: false)
    #expect(verdict(on: 1, among: full) == .refused(why: why))
    let seven = (1...7 as ClosedRange<UInt32>).flatMap { held(10, by: $0, isIdle: false) }
    #expect(verdict(on: 8, among: seven) == .free)
  }

  @Test func `a user whose places are full loses the connection that was idle for longest`() {
    let held = held(4, by: 1, isIdle: false) + held(6, by: 1, from: 20)
    #expect(verdict(on: 1, among: held) == .insteadOf(20))
    #expect(verdict(on: 2, among: held) == .free)
  }

  @Test func `when all places are taken, the user with most of them makes room`() {
    let few = (2...8 as ClosedRange<UInt32>).flatMap { held(8, by: $0, from: UInt64($0) * 100) }
    let many = held(24, by: 0)
    #expect(
      verdict(on: 9, among: few, many) == .insteadOf(1),
      "of root, which may have more than an eighth")
    #expect(verdict(on: 2, among: few, many) == .insteadOf(1))
    let busy = held(24, by: 0, isIdle: false)
    #expect(verdict(on: 9, among: few, busy) == .insteadOf(200), "no idle one of root is left")
    let all = "80 connections are already open; try again later"
    let streams = (2...9 as ClosedRange<UInt32>).flatMap { held(10, by: $0, isIdle: false) }
    #expect(verdict(on: 10, among: streams) == .refused(why: all))
    #expect(verdict(on: 0, among: streams) == .free, "places are kept for root")
    #expect(verdict(on: 0, among: streams, held(8, by: 0, isIdle: false)) == .refused(why: all))
  }

  @Test func `users with as many connections end none of each other`() {
    let all = (0..<80 as Range<UInt64>).map {
      ControlPlaces.Place(number: $0, user: UInt32($0) + 10, idleSince: .zero)
    }
    let why = "80 connections are already open; try again later"
    #expect(verdict(on: 1, among: all) == .refused(why: why))
    #expect(verdict(on: 10, among: all) == .insteadOf(0), "but their own")
  }

  // MARK: with sockets

  /// Takes what it gets as one user after another, and says when it has it. `idle` are connections alone, `half` have the
  /// begin of a request, `stream` a stream that says nothing.
  private static let callers = """
    import os, socket, sys
    path, count, kinds, users = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4].split(",")
    watch = b'{"method":"io.darkroom.Control.Watch","parameters":{},"more":true}\\0'
    held = []
    for user in users:
        os.seteuid(int(user))
        for number in range(count):
            line = socket.socket(socket.AF_UNIX)
            line.connect(path)
            kind = kinds[number % len(kinds)]
            try: line.sendall({"idle": b"", "half": b'{"method":', "stream": watch}[kind])
            except OSError: pass  # refused
            held.append(line)
        os.seteuid(0)
    print("held", flush=True)
    sys.stdin.read()
    """

  @Test(
    .enabled(if: ThisProcess.user == 0, "only root may act for two users"),
    arguments: [["idle"], ["half"], ["stream"], ["idle", "half", "stream"]], [false, true])
  func `seven users who take all they get keep no other one out`(
    kinds: [String], isAgain: Bool
  ) async throws {
    let place = try FreshFolder.forSockets()
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: place.path)
    let path = "\(place.path)/control"
    let daemon = ScriptedDaemon(holding: true)
    let server = try RunningServer(
      path: path, handler: daemon, clock: try SystemClock(),
      limits: ControlLimits(clients: 64, patience: .seconds(3600), idle: .seconds(3600)))
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    let users = (1...7).map { "\(60_000 + $0)" }
    let greedy = try HelperProcess(
      [
        "python3", "-c", Self.callers, path, isAgain ? "40" : "8", kinds.joined(separator: ","),
        users.joined(separator: ","),
      ])
    try await onOwnThread { #expect(greedy.readLine() == "held") }
    // Another user takes the whole of an eighth, each with a request that is served.
    let modest = try HelperProcess(
      ["python3", "-c", Self.callers, path, "8", "stream", "61000"])
    try await onOwnThread { #expect(modest.readLine() == "held") }
    let isServed = try await Patience.sees {
      daemon.peers.count { $0.user == 61_000 } == 8
    }
    #expect(isServed)
    let served = Dictionary(grouping: daemon.peers, by: \.user).mapValues(\.count)
    #expect(served.values.allSatisfy { $0 <= 8 }, "\(served)")
    greedy.closeInput()
    modest.closeInput()
    server.stop()
    daemon.release()
    await server.stopped()
  }

  @Test func `a connection without a request ends after a time`() async throws {
    let place = try FreshFolder.forSockets()
    let path = "\(place.path)/control"
    let server = try RunningServer(
      path: path, handler: ScriptedDaemon(), clock: try SystemClock(),
      limits: ControlLimits(idle: .milliseconds(20)))
    let answers = try await onOwnThread { try RawLine(path: path).answersToEnd() }
    #expect(answers.isEmpty)
    server.stop()
    await server.stopped()
  }
}
