// SPDX-License-Identifier: Apache-2.0
// The first service of the control socket, before and after the start.

import Linux
import Steer
import Support
import Testing
import Vocabulary

@testable import darkroomd

@Suite struct FrontDeskTests {
  private let scratch: FreshFolder
  private let clock = SimulatedClock()
  private let desk: FrontDesk
  private let full = Failure(
    .machine, code: "disk.full", reason: "no space left on device", advice: "Make room on it")

  private struct Echo: ControlService {
    func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
      .answer(ListsReply([]))
    }
  }

  init() throws {
    scratch = try FreshFolder()
    desk = try FrontDesk(
      .below(scratch.path),
      ConfigurationFile(path: "\(scratch.path)/darkroomd.conf", isNamed: false), clock: clock)
  }

  private func status() async -> StatusReport? {
    await desk.handle(StatusOrder(), from: .root).message(StatusReply.self)?.status
  }

  @Test func `a status waits a moment for the start, then says that the daemon is starting`()
    async throws
  {
    async let report = status()
    #expect(await clock.isAwaited())
    clock.advance(by: .seconds(2))
    #expect(await report?.state == "starting")
  }

  @Test func `other calls wait for the end of the start`() async throws {
    async let reply = desk.handle(ListsOrder(), from: .root)
    async let streamed = desk.stream(ListsOrder(), from: .root, to: ReplyStream { _ in true })
    #expect(!desk.open(Echo()))
    for reply in await [reply, streamed, desk.handle(StatusOrder(), from: .root)] {
      #expect(reply.message(ListsReply.self)?.lists == [])
    }
  }

  @Test func `while the start waits, the status tells why and other calls are refused`()
    async throws
  {
    desk.wait(for: full)
    let report = try #require(await status())
    #expect(report.state == "waiting: no space left on device")
    #expect(!report.work.areKnown)
    #expect(report.degraded == ["no space left on device. Make room on it"])
    for call in [ListsOrder(), InboxOrder(), WatchOrder()] as [any ControlMethod] {
      let caller = ReplyStream { _ in true }
      guard case .failed(let error) = await desk.stream(call, from: .root, to: caller)
      else {
        Issue.record("\(call) is not refused")
        continue
      }
      #expect("\(error)".contains("tries again by itself: no space left on device"))
    }
    #expect(!desk.open(Echo()))
    let served = await desk.handle(InboxOrder(), from: .root)
    #expect(served.message(ListsReply.self)?.lists == [])
  }

  @Test func `a reload while the start waits checks the settings, and takes effect later`()
    async throws
  {
    desk.wait(for: full)
    let reply = await desk.handle(ReloadOrder(), from: .root)
    let notes = try #require(reply.message(NotesReply.self)?.notes)
    #expect(notes.first?.hasSuffix("no space left on device") == true)
    try scratch.write(Array("[Nonsense]\n".utf8), to: "darkroomd.conf")
    guard case .failed(.reloadFailed(let why)) = await desk.handle(ReloadOrder(), from: .root)
    else {
      Issue.record("bad settings are not refused")
      return
    }
    #expect(why.contains("darkroomd.conf:1: "))
    guard case .failed(.notPossible) = await desk.handle(ReloadOrder(), from: .stranger) else {
      Issue.record("a stranger may reload")
      return
    }
    #expect(desk.open(Echo()), "the settings are read again")
  }

  @Test func `a refused reload changes nothing after the start`() async throws {
    desk.wait(for: full)
    try scratch.write(Array("[Nonsense]\n".utf8), to: "darkroomd.conf")
    _ = await desk.handle(ReloadOrder(), from: .root)
    _ = await desk.handle(ReloadOrder(), from: .stranger)
    #expect(!desk.open(Echo()))
  }

  @Test func `a reload that comes when the start is just over is the service's`() throws {
    desk.wait(for: full)
    #expect(desk.hangUp() == nil)
    #expect(desk.open(Echo()))
    #expect(desk.hangUp() != nil)
  }
}
