// SPDX-License-Identifier: Apache-2.0
// The control socket's first service: it answers while the daemon starts, and hands each call over to the real
// service as soon as there is one. While the start waits for its disk it tells why, checks settings, and refuses
// the rest. Raises nothing.
// Concurrency model: one Mutex around the state; calls wait for its changes with it released.

import Linux
import Steer
import Synchronization
import Vocabulary

final class FrontDesk: ControlService {
  private enum Phase {
    /// → waiting, open
    case starting
    /// → waiting (another trouble), open
    case waiting(Failure)
    case open(any ControlService)
  }

  private struct State {
    var phase = Phase.starting
    /// A request to read the settings again, which the start has not done.
    var mustReload = false
  }

  /// The longest time for which a status waits for a start that is under way.
  private static let patience = Duration.seconds(2)

  private let state = Mutex(State())
  private let changes = ChangeSignal()
  private let places: Places
  private let source: ConfigurationFile
  private let clock: any Timekeeper
  private let started: UInt64
  /// Rings when the start should be tried again.
  let bell: WakeEvent

  init(_ places: Places, _ source: ConfigurationFile, clock: any Timekeeper) throws(SystemError) {
    self.places = places
    self.source = source
    self.clock = clock
    started = clock.wallTime()
    bell = try WakeEvent()
  }

  // MARK: the start

  func wait(for trouble: Failure) { set(.waiting(trouble)) }

  /// True if a reload was asked for during the start: the settings are to be read again.
  func open(_ service: any ControlService) -> Bool {
    let mustReload = state.withLock { state in
      state.phase = .open(service)
      return state.mustReload
    }
    changes.changed()
    return mustReload
  }

  private func set(_ new: Phase) {
    state.withLock { $0.phase = new }
    changes.changed()
  }

  /// For SIGHUP: the settings are read again after the start, and the start is tried at once. Returns the service if the
  /// start is over, and does nothing then.
  @discardableResult
  func hangUp() -> (any ControlService)? {
    let service = state.withLock { state -> (any ControlService)? in
      if case .open(let service) = state.phase { return service }
      state.mustReload = true
      return nil
    }
    if service == nil { bell.ring() }
    return service
  }

  // MARK: calls

  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply {
    switch await settled(within: call is StatusOrder ? Self.patience : nil) {
    case .open(let service): await service.handle(call, from: peer)
    case .starting where call is StatusOrder: .answer(StatusReply(report("starting", [])))
    case .starting: .failed(.notPossible(why: "darkroomd is starting"))
    case .waiting(let trouble): await answer(call, from: peer, trouble)
    }
  }

  func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    if case .open(let service) = await settled(within: nil) {
      return await service.stream(call, from: peer, to: caller)
    }
    return await handle(call, from: peer)
  }

  /// The state when the start is over or waits, or when the time is over.
  private func settled(within limit: Duration?) async -> Phase {
    let end = limit.map { clock.uptime() + $0 }
    while true {
      let seen = changes.version
      let now = state.withLock { $0.phase }
      guard case .starting = now, !Task.isCancelled else { return now }
      guard let end else {
        await changes.change(after: seen)
        continue
      }
      let left = end - clock.uptime()
      if left <= .zero { return now }
      await changes.change(after: seen, within: left, on: clock)
    }
  }

  private func answer(
    _ call: any ControlMethod, from peer: ControlPeer, _ trouble: Failure
  ) async -> ControlReply {
    switch call {
    case is StatusOrder:
      return .answer(StatusReply(report("waiting: \(trouble.reason)", [trouble.words])))
    case is ReloadOrder where peer.mayReload(daemonOf: ThisProcess.user):
      do throws(Failure) {
        _ = try await onDisk { () throws(Failure) in try source.readWithSecrets() }
      } catch { return .failed(.reloadFailed(why: error.reason)) }
      if let service = hangUp() { return await service.handle(call, from: peer) }
      return .answer(
        NotesReply(["the settings take effect when the start is over: \(trouble.reason)"]))
    default:
      return .failed(
        .notPossible(why: "darkroomd waits and tries again by itself: \(trouble.reason)"))
    }
  }

  private func report(_ state: String, _ degraded: [String]) -> StatusReport {
    var work = WorkCounts(
      lists: 0, photosWaiting: 0, photosRunning: 0, downloads: 0, filters: 0, outputs: 0)
    work.areKnown = false
    return StatusReport(
      version: Release.version, state: state, since: started, work: work,
      degraded: degraded, prints: places.shownPrints, inbox: places.inbox,
      residentBytes: UInt64(max(0, ThisProcess.residentBytes)),
      sandbox: "no worker has started yet")
  }
}
