// SPDX-License-Identifier: Apache-2.0
// The way back from a handler's task to its caller, through the mailbox.

struct ReplyLine: Sendable {
  let client: UInt64
  let mailbox: ControlMailbox
  let limit: Int

  /// One reply ahead of the last. False when the caller has left.
  func send(_ reply: ControlReply) async -> Bool {
    let bytes = encode(reply, continues: true)
    return await withCheckedContinuation { taken in
      mailbox.put(.init(client: client, bytes: bytes, isLast: false, taken: taken))
    }
  }

  func finish(_ reply: ControlReply) {
    mailbox.put(
      .init(client: client, bytes: encode(reply, continues: false), isLast: true, taken: nil))
  }

  private func encode(_ reply: ControlReply, continues: Bool) -> [UInt8] {
    let bytes = ControlAnswer(reply, continues: continues).bytes
    if bytes.count <= limit { return bytes }
    let why = "the answer has more than \(limit) bytes; ask for fewer photos at once"
    return ControlAnswer(.failed(.notPossible(why: why))).bytes
  }
}
