// SPDX-License-Identifier: Apache-2.0
// A caller without rules: sends any bytes, and reads or does not.

import Linux
import Steer
import Vocabulary

final class RawLine: Sendable {
  private let socket: StreamSocket

  init(path: String) throws { socket = try StreamSocket.connect(to: path) }

  /// Sends all of it, or as much as the other side takes before it hangs up.
  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let count = try? socket.send(rest) else { return }
      rest = rest.dropFirst(count)
      if count == 0 {
        _ = try Poll.wait([Poll.Watch(socket.descriptor, wantsWrite: true)], for: nil)
      }
    }
  }

  /// Returns when a reply has come, and leaves it unread.
  func awaitReply() throws { _ = try Poll.wait([Poll.Watch(socket.descriptor)], for: nil) }

  func finish() { socket.finish() }

  /// A connection that is reset while we send counts as ended.
  private func received() throws -> [UInt8]? {
    do throws(SystemError) {
      return try socket.receive(upTo: 65536)
    } catch {
      if error.code == 104 { return [] }
      throw error
    }
  }

  func bytesToEnd() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      guard let bytes = try received() else {
        _ = try Poll.wait([Poll.Watch(socket.descriptor)], for: nil)
        continue
      }
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  func answersToEnd() throws -> [ControlAnswer] {
    var frames = MessageFrames(limit: 1 << 24)
    frames.append(try bytesToEnd())
    var answers: [ControlAnswer] = []
    while let message = try frames.next() { answers.append(try ControlAnswer(reading: message)) }
    return answers
  }
}
