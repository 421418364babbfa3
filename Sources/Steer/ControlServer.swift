// SPDX-License-Identifier: Apache-2.0
// The control socket: takes its path, serves callers on a thread of its own, gives the path back.
// Raises a `Failure` when the path cannot be taken: somebody answers there, or it is no socket.
// Concurrency model: immutable; the loop belongs to the thread `control`, the mailbox is its one door.

internal import Linux
import Synchronization
package import Vocabulary

package final class ControlServer: Sendable {
  private enum Life {
    case ready
    case running([CheckedContinuation<Void, Never>])
    case over
  }

  private let listener: ListeningSocket
  private let mailbox: ControlMailbox
  private let handler: any ControlService
  private let router: ControlRouter
  private let clock: any Timekeeper
  private let limits: ControlLimits
  private let pulse: (any Pulse)?
  private let life = Mutex(Life.ready)

  /// Callers can connect when this returns; they are answered after `start`.
  package init(
    path: String, version: String, handler: any ControlService, clock: any Timekeeper,
    limits: ControlLimits = ControlLimits(), pulse: (any Pulse)? = nil
  ) throws(Failure) {
    self.pulse = pulse
    listener = try Self.take(path)
    do throws(SystemError) { mailbox = try ControlMailbox() } catch { throw error.failure }
    self.handler = handler
    router = ControlRouter(version: version)
    self.clock = clock
    self.limits = limits
  }

  /// `trouble` is told when the thread had to end, which nothing but the kernel can cause.
  package func start(trouble: @escaping @Sendable (Failure) -> Void = { _ in }) {
    let starts = life.withLock { life in
      guard case .ready = life else { return false }
      life = .running([])
      return true
    }
    guard starts else { return }
    OwnThread.start("control") {
      do throws(SystemError) { try self.run() } catch { trouble(error.failure) }
      self.ended()
    }
  }

  /// Gives the path back at once: from here on nobody answers there. Open connections end once their
  /// answers are delivered, or a moment later.
  package func stop() {
    listener.remove()
    let isOver = life.withLock { life in
      guard case .ready = life else { return false }
      life = .over
      return true
    }
    if isOver { mailbox.close() } else { mailbox.stop() }
  }

  /// Returns when the thread has ended.
  package func stopped() async {
    await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
      let isOver = life.withLock { life in
        guard case .running(let waiters) = life else { return true }
        life = .running(waiters + [waiter])
        return false
      }
      if isOver { waiter.resume() }
    }
  }

  private func run() throws(SystemError) {
    var loop = ControlLoop(
      listener: listener, mailbox: mailbox, handler: handler, router: router, clock: clock,
      limits: limits, pulse: pulse)
    defer {
      loop.closeAll()
      mailbox.close()
    }
    try loop.run()
  }

  private func ended() {
    let waiters = life.withLock { life in
      defer { life = .over }
      if case .running(let waiters) = life { return waiters }
      return []
    }
    for waiter in waiters { waiter.resume() }
  }

  /// A socket left by a daemon that was killed is replaced; a living one is not.
  private static func take(_ path: String) throws(Failure) -> ListeningSocket {
    do throws(SystemError) {
      return try ListeningSocket(at: path, mode: 0o660)
    } catch {
      guard error.code == 98 else { throw failure(error, path) }
    }
    do throws(SystemError) {
      guard try !ListeningSocket.isAnswered(at: path) else { throw inUse(path) }
      try ListeningSocket.removeStale(at: path)
      return try ListeningSocket(at: path, mode: 0o660)
    } catch {
      throw failure(error, path)
    }
  }

  private static func inUse(_ path: String) -> SystemError {
    SystemError(code: 98, call: "bind", thing: path)
  }

  private static func failure(_ error: SystemError, _ path: String) -> Failure {
    let path = Printable.text(path)
    switch error.code {
    case 98:
      return Failure(
        .final, code: "control.taken", reason: "another darkroomd answers at \(path)",
        advice: "Stop it first, or choose another --root")
    case 88:
      return Failure(
        .final, code: "control.taken", reason: "\(path) exists and is no socket",
        advice: "Move it away")
    case 36:
      return Failure(
        .final, code: "control.path", reason: "the path \(path) is too long for a socket",
        advice: "Choose a shorter --root")
    default:
      return Failure(
        error.failure.kind, code: "control.socket",
        reason: "could not open the control socket: \(error)")
    }
  }
}
