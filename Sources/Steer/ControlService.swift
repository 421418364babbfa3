// SPDX-License-Identifier: Apache-2.0
// The handler of control calls: darkroomd, or a script in a test.

package protocol ControlService: Sendable {
  /// Answers one call. A complete call is carried out even if its caller has left; the task of a call that changes
  /// nothing durable is then cancelled.
  func handle(_ call: ControlCall, from peer: ControlPeer) async -> ControlReply

  /// Answers a call that set `more`. `send` sends a reply before the last one, waits until the caller has
  /// taken it, and returns false when the caller has left; the task is then cancelled.
  func stream(
    _ call: ControlCall, from peer: ControlPeer,
    send: @escaping @Sendable (ControlReply) async -> Bool
  ) async -> ControlReply
}

extension ControlService {
  /// A stream of a single reply.
  package func stream(
    _ call: ControlCall, from peer: ControlPeer,
    send: @escaping @Sendable (ControlReply) async -> Bool
  ) async -> ControlReply {
    await handle(call, from: peer)
  }
}
