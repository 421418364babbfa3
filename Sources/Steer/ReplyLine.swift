// SPDX-License-Identifier: Apache-2.0
// Sends the replies of a handler's task to its caller, through the mailbox.

import Linux

struct ReplyLine: Sendable {
  struct Piece: Sendable {
    let client: UInt64
    let bytes: [UInt8]
    let isLast: Bool
    /// Goes with the bytes.
    var file: LinuxFile?
    /// Answered when the caller has taken the bytes (true) or has left (false).
    let taken: Reply<Bool>?
  }

  let client: UInt64
  let mailbox: Mailbox<ControlServer.Letter>
  let limits: ControlLimits

  /// Sends a reply before the last one. Returns false when the caller has left.
  func send(_ reply: ControlReply) async -> Bool {
    let bytes = await encode(reply, continues: true)
    return await Reply.wait { taken in
      mailbox.put(.reply(Piece(client: client, bytes: bytes, isLast: false, taken: taken)))
    }
  }

  /// Returns whether the message is to be served.
  func parsed(_ message: Result<ControlSession.Terms, BadMessage>) async -> Bool {
    await Reply.wait { mailbox.put(.parsed(client, message, $0)) }
  }

  /// Waits until the unread replies to the caller's user leave room for the reply to this call. Returns false when the
  /// caller has left.
  func room(for call: any ControlMethod) async -> Bool {
    let bytes = call.room(limits)
    if bytes == 0 { return true }
    return await Reply.wait { mailbox.put(.room(client, bytes, $0)) }
  }

  func stream(of call: any ControlMethod) -> ReplyStream {
    ReplyStream({ await send($0) }, room: { await room(for: call) })
  }

  func finish(_ answer: ControlAnswer) {
    mailbox.put(
      .reply(Piece(client: client, bytes: answer.bytes, isLast: true, file: nil, taken: nil)))
  }

  func finish(_ reply: ControlReply) async {
    let bytes = await encode(reply, continues: false)
    mailbox.put(
      .reply(Piece(client: client, bytes: bytes, isLast: true, file: reply.file, taken: nil)))
  }

  private func encode(_ reply: ControlReply, continues: Bool) async -> [UInt8] {
    let bytes = await ControlAnswer.bytes(of: reply, continues: continues, upTo: limits.reply)
    if bytes.count <= limits.reply { return bytes }
    let why = "the answer has more than \(limits.reply) bytes; ask for fewer photos at once"
    return ControlAnswer(.failed(.notPossible(why: why))).bytes
  }
}
