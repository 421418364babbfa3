// SPDX-License-Identifier: Apache-2.0
// Limits on the resources that callers can take.

package struct ControlLimits: Sendable {
  /// No call has more than a thousand words, and no parameter is deeper.
  package static let ofRequest = JSONReader.Limits(bytes: .max, depth: 8, values: 2048)

  /// Connections at once.
  package var clients: Int
  /// Of one user except root and the daemon's user: eight users are needed to take all.
  package var clientsPerUser: Int { max(1, clients / 8) }
  /// Connections beyond `clients`, reserved for root and the daemon's user.
  package var kept: Int
  /// Bytes of one request, and of one reply. The longest requests name photos: a thousand, by names of 60 bytes.
  package var request: Int
  package var reply: Int
  /// How long a caller may leave a request incomplete, or a reply unread.
  package var patience: Duration
  /// How long a connection may have no request.
  package var idle: Duration
  /// How long a stop waits for pending replies.
  package var farewell: Duration

  package init(
    clients: Int = 512, kept: Int = 8, request: Int = 64 << 10, reply: Int = 16 << 20,
    patience: Duration = .seconds(30), idle: Duration = .seconds(60),
    farewell: Duration = .milliseconds(400)
  ) {
    self.clients = clients
    self.kept = kept
    self.request = request
    self.reply = reply
    self.patience = patience
    self.idle = idle
    self.farewell = farewell
  }
}
