// SPDX-License-Identifier: Apache-2.0
// The caller's end of the control socket. It blocks the calling thread, so only tools use it, not the
// daemon. Raises `ControlFailure`, worded for users.

internal import Linux
package import Vocabulary

package final class ControlClient {
  private let socket: StreamSocket
  private let clock: any TimeSource
  private let path: String
  private let patience: Duration
  private let silence: Duration
  private var frames = MessageFrames(limit: 64 << 20)
  /// Has come beside the bytes of the reply that is read.
  private var file: LinuxFile?
  /// The calls are made for the user of this view.
  private let view: String?

  /// `patience` is how long a plain call waits for its reply. After `silence`, the daemon is asked for its status:
  /// one that does not answer that either within `silence`, because it is frozen or stopped, is given up.
  package init(
    path: String, clock: any TimeSource, patience: Duration = .seconds(60),
    silence: Duration = .seconds(30), view: String? = nil
  ) throws(ControlFailure) {
    do throws(SystemError) {
      socket = try StreamSocket.connect(to: path)
    } catch {
      switch error.name {
      case .missing, .notFolder, .connectionRefused: throw .notRunning(path: path)
      case .notPermitted, .denied:
        throw .notAllowed(path: path, user: Surroundings.userName(ThisProcess.user))
      default: throw .unreachable(path: path, error: error)
      }
    }
    self.clock = clock
    self.view = view
    self.path = path
    self.patience = patience
    self.silence = silence
  }

  package func call<Method: ControlMethod>(_ call: Method) throws(ControlFailure) -> Method.Answer {
    try ask(call)
    return try answer(to: call)
  }

  /// Sends a call without waiting for its reply, so that both ends of the socket work at the same time.
  package func ask(_ call: some ControlMethod) throws(ControlFailure) {
    do throws(ControlFailure) {
      try send(ControlRequest(call, view: view).bytes, until: clock.uptime() + silence * 2)
    } catch { throw error == .timeIsOver ? silent : error }
  }

  /// Waits for the reply to the call that was asked last.
  package func answer<Method: ControlMethod>(
    to call: Method
  ) throws(ControlFailure) -> Method.Answer {
    do throws(ControlFailure) {
      return try reply(to: call, until: clock.uptime() + silence).reply
    } catch { guard error == .timeIsOver else { throw error } }
    guard !(call is StatusOrder), isAnswering() else {
      // The second wait of a status is the other half of its probe.
      do throws(ControlFailure) {
        guard call is StatusOrder else { throw .timeIsOver }
        return try reply(to: call, until: clock.uptime() + silence).reply
      } catch { throw error == .timeIsOver ? silent : error }
    }
    do throws(ControlFailure) {
      return try reply(to: call, until: clock.uptime() + patience - silence).reply
    } catch {
      throw error == .timeIsOver ? .slow(seconds: patience.components.seconds) : error
    }
  }

  private func isAnswering() -> Bool {
    do throws(ControlFailure) {
      let probe = try ControlClient(path: path, clock: clock, silence: silence / 2)
      _ = try probe.call(StatusOrder())
      return true
    } catch { return false }
  }

  /// The process that listens; with a socket unit that is the service manager.
  private var silent: ControlFailure {
    let process = (try? socket.peer())?.process
    return .silent(
      path: path, process: process == 1 ? nil : process,
      seconds: (silence * 2).components.seconds)
  }

  /// Passes each reply to `each` until the last one, or until `each` returns false. Raises `timeIsOver` at
  /// `deadline`, an uptime of the clock.
  package func stream<Method: ControlMethod>(
    _ call: Method, until deadline: Duration? = nil, each: (Method.Answer) -> Bool
  ) throws(ControlFailure) {
    try begin(call, until: deadline)
    while true {
      let (reply, continues) = try reply(to: call, until: deadline)
      guard each(reply), continues else { return }
    }
  }

  /// Begins a stream, whose replies `arrived` returns.
  package func begin(
    _ call: some ControlMethod, until deadline: Duration? = nil
  ) throws(ControlFailure) {
    try send(ControlRequest(call, more: true, view: view).bytes, until: deadline)
  }

  /// Readable when `arrived` may return a reply.
  package var descriptor: Int32 { socket.descriptor }

  /// The next reply of the stream, if it has arrived, and whether others follow.
  package func arrived<Method: ControlMethod>(
    for call: Method
  ) throws(ControlFailure) -> (reply: Method.Answer, continues: Bool)? {
    guard let bytes = try message() else { return nil }
    return try reply(to: call, in: bytes)
  }

  private func send(_ bytes: [UInt8], until deadline: Duration?) throws(ControlFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        let count = try socket.send(rest)
        rest = rest.dropFirst(count)
        // A daemon that refuses sends the reason before it closes: the reply is read next.
      } catch { return }
      if !rest.isEmpty { try wait(forWriting: true, until: deadline) }
    }
  }

  private func reply<Method: ControlMethod>(
    to call: Method, until deadline: Duration?
  ) throws(ControlFailure) -> (reply: Method.Answer, continues: Bool) {
    while true {
      if let bytes = try message() { return try reply(to: call, in: bytes) }
      try wait(forWriting: false, until: deadline)
    }
  }

  private func reply<Method: ControlMethod>(
    to call: Method, in bytes: [UInt8]
  ) throws(ControlFailure) -> (reply: Method.Answer, continues: Bool) {
    let answer: ControlAnswer
    var reply = Method.Answer()
    do throws(BadMessage) {
      answer = try ControlAnswer(reading: bytes)
      if answer.error == nil { reply = try Method.Answer(answer.parameters) }
    } catch {
      throw .nonsense(why: error.why)
    }
    if let name = answer.error {
      throw .refused(ControlError(name: name, parameters: answer.parameters))
    }
    (reply.openFile, file) = (file, nil)
    return (reply, answer.continues)
  }

  /// The next message; nil if it has not arrived.
  private func message() throws(ControlFailure) -> [UInt8]? {
    while true {
      do throws(BadMessage) {
        if let message = try frames.next() { return message }
      } catch { throw .nonsense(why: error.why) }
      let bytes: [UInt8]?
      do throws(SystemError) { bytes = try socket.receive(upTo: 65536, beside: &file) } catch {
        throw .lost
      }
      switch bytes {
      case nil: return nil
      case []: throw .lost
      case .some(let bytes): frames.append(bytes)
      }
    }
  }

  private func wait(forWriting: Bool, until deadline: Duration?) throws(ControlFailure) {
    let left = deadline.map { $0 - clock.uptime() }
    if let left, left <= .zero { throw .timeIsOver }
    let watch = Poll.Watch(socket.descriptor, wantsWrite: forWriting, wantsPriority: forWriting)
    _ = try? Poll.wait([watch], for: left)
  }
}
