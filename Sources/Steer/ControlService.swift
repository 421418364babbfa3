// SPDX-License-Identifier: Apache-2.0
// The handler of control calls: darkroomd, or a script in a test.

internal import Linux

/// The reply of the method that was called, or an error.
package enum ControlReply: Sendable {
  case answer(any MessageValue)
  case failed(ControlError)

  /// To a caller that wants no reply, or has left.
  package static let unread = failed(.unread)

  /// Nil for an error, and for a message of another kind.
  package func message<Message: MessageValue>(_ kind: Message.Type) -> Message? {
    if case .answer(let message) = self { message as? Message } else { nil }
  }

  var file: LinuxFile? {
    if case .answer(let message) = self { message.openFile } else { nil }
  }
}

extension ControlError {
  package static let unread = notPossible(why: "no reply is wanted")
}

package protocol ControlService: Sendable {
  /// Answers one call. A change is carried out even if its caller has left; the task of another call is then cancelled.
  func handle(_ call: any ControlMethod, from peer: ControlPeer) async -> ControlReply

  /// Answers a call that set `more`; the task is cancelled when the caller has left.
  func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply
}

extension ControlService {
  /// A stream of a single reply.
  package func stream(
    _ call: any ControlMethod, from peer: ControlPeer, to caller: ReplyStream
  ) async -> ControlReply {
    await handle(call, from: peer)
  }
}

/// The way to the caller of a stream.
package struct ReplyStream: Sendable {
  /// Sends a reply before the last one, and waits until the caller has taken it. Returns false when the caller has left.
  package let send: @Sendable (ControlReply) async -> Bool
  /// Waits until the next reply may be built; the reply must follow. Returns false when the caller has left.
  package let room: @Sendable () async -> Bool

  package init(
    _ send: @escaping @Sendable (ControlReply) async -> Bool,
    room: @escaping @Sendable () async -> Bool = { true }
  ) {
    (self.send, self.room) = (send, room)
  }
}
