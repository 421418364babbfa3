// SPDX-License-Identifier: Apache-2.0
// Limits on the resources that callers can take.

package struct ControlLimits: Sendable {
  /// No call has more than a thousand words, and no parameter is deeper.
  package static let ofRequest = JSONReader.Limits(bytes: .max, depth: 8, values: 2048)

  /// A reply of many parts has about as many bytes at most, and the rest is asked for with further calls.
  package static let page = 1 << 20
  /// Of the slowest caller that may have a long reply.
  static let bytesPerSecond = 64 << 10

  /// Connections at once.
  package var clients: Int
  /// Of one user except root and the daemon's user: eight users are needed to take all.
  package var clientsPerUser: Int { max(1, clients / 8) }
  /// Connections beyond `clients`, reserved for root and the daemon's user.
  package var kept: Int
  /// Bytes of one request, and of one reply. The longest requests name photos: a thousand, by names of 60 bytes.
  package var request: Int
  package var reply: Int
  /// Bytes of all replies that callers have not read.
  package var unread: Int
  /// Of one user.
  package var unreadPerUser: Int { max(1, unread / 8) }
  /// How long a caller may leave a request incomplete, or a reply unread; for a reply a second more for each
  /// `bytesPerSecond`.
  package var patience: Duration
  /// How long a connection may have no request.
  package var idle: Duration
  /// How long a stop waits for pending replies.
  package var farewell: Duration

  package init(
    clients: Int = 512, kept: Int = 8, request: Int = 64 << 10, reply: Int = 16 << 20,
    unread: Int = 64 << 20, patience: Duration = .seconds(30),
    idle: Duration = .seconds(60), farewell: Duration = .milliseconds(400)
  ) {
    self.clients = clients
    self.kept = kept
    self.request = request
    self.reply = reply
    self.unread = unread
    self.patience = patience
    self.idle = idle
    self.farewell = farewell
  }
}
