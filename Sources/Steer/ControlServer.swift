// SPDX-License-Identifier: Apache-2.0
// The control socket: binds its path, serves callers, removes the path. Raises `control.taken` if another daemon
// answers at the path or if the path is not a socket, `control.path` if the path is too long, and `control.socket`
// for other errors.
// Concurrency model: immutable; the loop belongs to the task in `run`, other threads reach it through the
// mailbox.

package import Linux
package import Vocabulary

package final class ControlServer: Sendable {
  /// A message from another thread to the loop.
  enum Letter: Sendable {
    case reply(ReplyLine.Piece)
    /// The terms of a caller's message, or why it is refused; the answer is whether it is to be served.
    case parsed(UInt64, Result<ControlSession.Terms, BadMessage>, Reply<Bool>)
    /// A call asks for room for this number of bytes of its reply; the answer is false when the caller has left.
    case room(UInt64, Int, Reply<Bool>)
    case stop
  }

  private let listener: ListeningSocket
  private let mailbox: Mailbox<Letter>
  private let router: ControlRouter
  private let clock: any Timekeeper
  private let limits: ControlLimits
  private let pulse: (any Pulse)?

  /// Callers can connect when this returns; `run` answers them.
  /// - Parameter passed: a listening socket at the path that belongs to the service manager. Its name stays.
  /// - Parameter pulse: of the thread that answers the calls.
  package init(
    path: String, passed: Int32? = nil, version: String, clock: any Timekeeper,
    limits: ControlLimits = ControlLimits(), pulse: (any Pulse)? = nil
  ) throws(Failure) {
    if let passed {
      do throws(SystemError) {
        listener = try ListeningSocket(passed: passed, at: path)
      } catch { throw Self.failure(error, path) }
    } else {
      listener = try Self.take(path)
    }
    do throws(SystemError) {
      mailbox = try Mailbox {
        switch $0 {
        case .reply(let piece): piece.taken?.give(false)
        case .parsed(_, _, let answer), .room(_, _, let answer): answer.give(false)
        case .stop: break
        }
      }
    } catch { throw error.failure }
    router = ControlRouter(version: version)
    self.clock = clock
    self.limits = limits
    self.pulse = pulse
  }

  /// Serves callers until `stop`; call in a task of the reactor.
  package func run(
    _ handler: any ControlService, on reactor: Reactor
  ) async {
    var loop = ControlLoop(
      listener: listener, mailbox: mailbox, desk: CallDesk(handler, router, pulse), clock: clock,
      limits: limits)
    await loop.run(on: reactor)
    loop.closeAll()
    mailbox.close()
  }

  /// Removes the path at once: no daemon answers there any more. Open connections end when their replies are
  /// delivered, or when `ControlLimits.farewell` has passed.
  package func stop() {
    listener.remove()
    mailbox.put(.stop)
  }

  /// Replaces a stale socket of a killed daemon, but not one that answers.
  private static func take(_ path: String) throws(Failure) -> ListeningSocket {
    do throws(SystemError) {
      return try ListeningSocket(at: path, mode: 0o660)
    } catch {
      guard error.name == .addressInUse else { throw failure(error, path) }
    }
    do throws(SystemError) {
      guard try !ListeningSocket.isAnswered(at: path) else {
        throw SystemError(.addressInUse, call: "bind", thing: path)
      }
      try ListeningSocket.removeStale(at: path)
      return try ListeningSocket(at: path, mode: 0o660)
    } catch {
      throw failure(error, path)
    }
  }

  private static func failure(_ error: SystemError, _ path: String) -> Failure {
    let path = Printable.text(path)
    switch error.name {
    case .addressInUse:
      return Failure(
        .final, code: "control.taken", reason: "another darkroomd answers at \(path)",
        advice: "Stop it first, or choose another --root")
    case .notSocket:
      return Failure(
        .final, code: "control.taken", reason: "\(path) exists and is not a socket",
        advice: "Move it away")
    case .nameTooLong:
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
