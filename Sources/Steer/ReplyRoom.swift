// SPDX-License-Identifier: Apache-2.0
// Whether a reply may wait for its caller to read it. Unread replies take the memory of the daemon, and a user has many
// connections. Therefore all unread replies of one user have the room of one longest reply, and the unread replies of all
// users four times as much. Root and the daemon's user always have room. A value; the loop passes what waits.

struct ReplyRoom: Sendable {
  /// Replies that always have room, because all connections together have few of them.
  static let small = 64 << 10

  let limits: ControlLimits
  let keepers: Set<UInt32>

  /// The reason why a reply has no room; nil if it has.
  /// - Parameter unread: the bytes that wait in each other connection, and its user.
  func refusal(
    of bytes: Int, to user: UInt32, besides unread: [(user: UInt32, bytes: Int)]
  ) -> String? {
    if bytes <= Self.small || keepers.contains(user) { return nil }
    let own = unread.filter { $0.user == user }.reduce(0) { $0 + $1.bytes }
    if own > 0, own + bytes > limits.reply {
      return "\(own) bytes of replies wait in your other connections; read them first"
    }
    let all = unread.filter { !keepers.contains($0.user) }.reduce(0) { $0 + $1.bytes }
    if all > 0, all + bytes > 4 * limits.reply {
      return "\(all) bytes of replies wait until their callers read them; try again later"
    }
    return nil
  }
}
