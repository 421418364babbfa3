// SPDX-License-Identifier: Apache-2.0
// The caller's end of the control socket. Waits on the caller's own thread, so it belongs to tools, not
// to the daemon. Raises `ControlFailure`, worded for a person.

internal import Linux
package import Vocabulary

package final class ControlClient {
  private let socket: StreamSocket
  private let clock: any Timekeeper
  private let patience: Duration
  private var frames = MessageFrames(limit: 64 << 20)

  /// `patience` is how long the daemon may be silent after a plain call.
  package init(path: String, clock: any Timekeeper, patience: Duration = .seconds(60))
    throws(ControlFailure)
  {
    do throws(SystemError) {
      socket = try StreamSocket.connect(to: path)
    } catch {
      switch error.code {
      case 2, 20, 111: throw .notRunning(path: path)
      case 1, 13: throw .notAllowed(path: path)
      default: throw .unreachable(path: path, error: error)
      }
    }
    self.clock = clock
    self.patience = patience
  }

  package func call(_ call: ControlCall) throws(ControlFailure) -> ControlReply {
    let deadline = clock.uptime() + patience
    do throws(ControlFailure) {
      try send(ControlRequest(call).bytes, until: deadline)
      return try reply(to: call.method, until: deadline).reply
    } catch {
      if error == .timeIsOver { throw .silent(seconds: patience.components.seconds) }
      throw error
    }
  }

  /// Hands over one reply after another until the last has come or `each` is false. Ends with
  /// `timeIsOver` at `deadline`, an uptime of the clock.
  package func stream(
    _ call: ControlCall, until deadline: Duration? = nil, each: (ControlReply) -> Bool
  ) throws(ControlFailure) {
    try send(ControlRequest(call, more: true).bytes, until: deadline)
    while true {
      let (reply, continues) = try reply(to: call.method, until: deadline)
      guard each(reply), continues else { return }
    }
  }

  private func send(_ bytes: [UInt8], until deadline: Duration?) throws(ControlFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemError) {
        let count = try socket.send(rest)
        rest = rest.dropFirst(count)
        // What was refused is told before the connection ends: it is read next.
      } catch { return }
      if !rest.isEmpty { try wait(forWriting: true, until: deadline) }
    }
  }

  private func reply(to method: ControlCall.Method, until deadline: Duration?)
    throws(ControlFailure) -> (reply: ControlReply, continues: Bool)
  {
    let bytes = try message(until: deadline)
    let answer: ControlAnswer
    do throws(BadMessage) {
      answer = try ControlAnswer(reading: bytes)
    } catch {
      throw .nonsense(why: error.why)
    }
    if let name = answer.error {
      throw .refused(ControlError(name: name, parameters: answer.parameters))
    }
    do throws(FieldError) {
      return (try ControlReply(to: method, answer.parameters), answer.continues)
    } catch {
      throw .nonsense(why: "'\(error.name)' is missing or wrong")
    }
  }

  private func message(until deadline: Duration?) throws(ControlFailure) -> [UInt8] {
    while true {
      do throws(MessageFrames.TooLong) {
        if let message = try frames.next() { return message }
      } catch { throw .nonsense(why: "it has more than \(error.limit) bytes") }
      let bytes: [UInt8]?
      do throws(SystemError) { bytes = try socket.receive(upTo: 65536) } catch { throw .lost }
      switch bytes {
      case nil: try wait(forWriting: false, until: deadline)
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
