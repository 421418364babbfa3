// SPDX-License-Identifier: Apache-2.0
// Whoever carries out what people ask: darkroomd, or a script in a test.

package protocol ControlService: Sendable {
  /// Answers one call. A call that came in whole is carried out even if its caller has left.
  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply

  /// Answers a call that set `more`: `send` gives one reply ahead of the last, waits until the caller
  /// has taken it, and is false when the caller has left. The task is cancelled when that happens.
  func stream(
    _ call: ControlCall, from peer: ControlPeer,
    send: @escaping @Sendable (ControlReply) async -> Bool
  ) async -> ControlReply
}

extension ControlService {
  /// One reply is a stream too.
  package func stream(
    _ call: ControlCall, from peer: ControlPeer,
    send: @escaping @Sendable (ControlReply) async -> Bool
  ) async -> ControlReply {
    await handle(call, from: peer)
  }
}
