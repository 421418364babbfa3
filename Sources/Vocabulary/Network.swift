// SPDX-License-Identifier: Apache-2.0
// The network as downloads and webhooks see it. `Transfer` has the real one (libcurl); tests use a scripted one.

package protocol Network: Sendable {
  /// Begins a transfer that belongs to no task. `whenOver` is called once, after the last call of the
  /// sink, on a thread that must not wait, perhaps before this returns. Its failure is worded as the
  /// reason shown for the photo; a passing one has the server that failed, after a redirect another one than the URL's.
  func begin(
    _ request: TransferRequest, into sink: any TransferSink,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket

  /// Ends the transfer with `Failure.cancelled`, unless it is already over.
  func cancel(_ ticket: TransferTicket)

  /// Changes the transfer's place among those that wait for a connection.
  func change(_ ticket: TransferTicket, to demand: TransferDemand)

  /// All transfers that are not over.
  func progress() -> [TransferProgress]
}

/// Receives the body of one transfer. Calls come one at a time, on a thread that must not wait.
package protocol TransferSink: AnyObject, Sendable {
  /// An answer passed the checks: its body is `entity` from `offset` on. Offset 0 empties the sink; any
  /// other offset is the number of bytes in it. An answer that replaces another calls this again.
  func begin(_ entity: EntityFacts, at offset: UInt64)

  /// Takes the next bytes of the body. False refuses them and pauses the transfer: the same bytes come
  /// again after `goOn`, which any thread may call, once for each refusal. A failure ends the transfer.
  func take(
    _ bytes: [UInt8], goOn: @escaping @Sendable () -> Void
  ) throws(Failure) -> Bool

  /// No bytes have arrived for a moment: the sink should write its buffered bytes to the disk.
  func rest()
}

extension TransferSink {
  package func rest() {}
}

/// How a transfer waits for a connection: with the most urgent of its photos, and in the turns of all their owners.
package struct TransferDemand: Equatable, Sendable {
  package let priority: ServiceClass
  package let owners: Set<UInt32>

  package init(_ priority: ServiceClass, of owners: Set<UInt32>) {
    self.priority = priority
    self.owners = owners
  }
}

package struct TransferTicket: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }
}

/// The part of an entity to request.
package enum TransferScope: Equatable, Sendable {
  case whole
  /// The sink already has the first bytes. If the entity has changed, or the origin does not send the
  /// rest, the same transfer brings the whole.
  case rest(of: EntityFacts, from: UInt64)
  /// Nothing, if the entity is unchanged: the reply then has status 304 and size 0.
  case change(since: EntityFacts)
}

package struct TransferRequest: Sendable {
  package let url: PhotoURL
  package let maximumSize: UInt64
  package let timeout: Duration
  package let connectTimeout: Duration
  package let priority: ServiceClass
  /// The user whose share of the connections it takes.
  package let owner: UInt32
  package let scope: TransferScope
  /// JSON to post; then any answer of 200 to 299 is a reply, its body is ignored, and no redirect is followed.
  package let message: String?

  package init(
    url: PhotoURL, maximumSize: UInt64, timeout: Duration, connectTimeout: Duration,
    priority: ServiceClass, owner: UInt32 = 0, scope: TransferScope = .whole, message: String? = nil
  ) {
    self.url = url
    self.maximumSize = maximumSize
    self.timeout = timeout
    self.connectTimeout = connectTimeout
    self.priority = priority
    self.owner = owner
    self.scope = scope
    self.message = message
  }
}

package struct TransferReply: Equatable, Sendable {
  package let status: Int
  /// The size of the whole, including the bytes that the sink already had.
  package let size: UInt64
  /// The protocol marks the body's end. Otherwise a body that was cut off looks complete.
  package let isEndSure: Bool
  package let entity: EntityFacts
  /// The server that sent it, as `PhotoURL.serverName`: the one of the URL, or another one to which that redirects.
  package var server: String?

  package init(
    status: Int, size: UInt64, isEndSure: Bool = true, entity: EntityFacts = EntityFacts()
  ) {
    self.status = status
    self.size = size
    self.isEndSure = isEndSure
    self.entity = entity
  }
}

package struct TransferProgress: Equatable, Sendable {
  package let ticket: TransferTicket
  /// The host, and the port unless it is the scheme's default.
  package let server: String
  package let received: UInt64
  /// Nil if the origin did not state it.
  package let total: UInt64?
  /// Bytes per second, over the last few seconds.
  package let rate: UInt64
  /// It has a connection.
  package let isRunning: Bool
  /// The origin has answered, and the answer can be continued by another transfer.
  package let isResumable: Bool

  package init(
    ticket: TransferTicket, server: String, received: UInt64, total: UInt64?, rate: UInt64,
    isRunning: Bool = true, isResumable: Bool = false
  ) {
    self.ticket = ticket
    self.server = server
    self.received = received
    self.total = total
    self.rate = rate
    self.isRunning = isRunning
    self.isResumable = isResumable
  }
}
