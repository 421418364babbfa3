// SPDX-License-Identifier: Apache-2.0
// The network as the Download stage sees it. `Transfer` has the real one (libcurl); tests script one.

package protocol Network: Sendable {
  /// Begins a transfer that belongs to nobody's task. `whenOver` is called once, on a thread that
  /// must not wait, perhaps before this returns; what has arrived stays in the file, which nobody
  /// writes any more then. A failure is worded for the photo's reason.
  func begin(
    _ request: TransferRequest, into file: any OpenFile,
    whenOver: @escaping @Sendable (Result<TransferReply, Failure>) -> Void
  ) -> TransferTicket

  /// It ends with `Failure.cancelled`, unless it is over already.
  func cancel(_ ticket: TransferTicket)

  /// Its place among those that wait for a connection.
  func change(_ ticket: TransferTicket, to priority: ServiceClass)

  /// What is on its way now.
  func progress() -> [TransferProgress]
}

package struct TransferTicket: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }
}

/// What an origin is asked for.
package enum TransferScope: Equatable, Sendable {
  case whole
  /// The first bytes are in the file already. Where the origin has something else by now, or does
  /// not send what was asked for, the file is emptied and the whole comes in the same transfer.
  case rest(of: EntityFacts, from: UInt64)
  /// Nothing, if the origin still has what we have: answered with status 304 and size 0.
  case change(since: EntityFacts)
}

package struct TransferRequest: Sendable {
  /// Absolute, http or https.
  package let url: String
  /// The same, where somebody has read it already.
  package let place: PhotoURL?
  package let maximumSize: UInt64
  package let timeout: Duration
  package let connectTimeout: Duration
  package let priority: ServiceClass
  package let scope: TransferScope
  /// Before the first byte is written, perhaps more than once: what is coming, and from where on.
  package let whenBegun: @Sendable (EntityFacts, UInt64) -> Void

  package init(
    url: String, maximumSize: UInt64, timeout: Duration, connectTimeout: Duration,
    priority: ServiceClass, scope: TransferScope = .whole,
    whenBegun: @escaping @Sendable (EntityFacts, UInt64) -> Void = { _, _ in }
  ) {
    self.init(
      url, nil, maximumSize, timeout, connectTimeout, priority, scope, whenBegun: whenBegun)
  }

  package init(
    place: PhotoURL, maximumSize: UInt64, timeout: Duration, connectTimeout: Duration,
    priority: ServiceClass, scope: TransferScope = .whole,
    whenBegun: @escaping @Sendable (EntityFacts, UInt64) -> Void = { _, _ in }
  ) {
    self.init(
      place.text, place, maximumSize, timeout, connectTimeout, priority, scope,
      whenBegun: whenBegun)
  }

  private init(
    _ url: String, _ place: PhotoURL?, _ maximumSize: UInt64, _ timeout: Duration,
    _ connectTimeout: Duration, _ priority: ServiceClass, _ scope: TransferScope,
    whenBegun: @escaping @Sendable (EntityFacts, UInt64) -> Void
  ) {
    self.url = url
    self.place = place
    self.maximumSize = maximumSize
    self.timeout = timeout
    self.connectTimeout = connectTimeout
    self.priority = priority
    self.scope = scope
    self.whenBegun = whenBegun
  }
}

package struct TransferReply: Equatable, Sendable {
  package let status: Int
  /// Of the whole file, with what was there before.
  package let size: UInt64
  /// The origin told where the end is. Without, a body that was cut off looks whole.
  package let isEndSure: Bool
  package let entity: EntityFacts

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
  /// Host, and port where it is not the usual one.
  package let server: String
  package let received: UInt64
  /// Nil where the origin has not told.
  package let total: UInt64?
  /// Bytes a second, over the last seconds.
  package let rate: UInt64

  package init(
    ticket: TransferTicket, server: String, received: UInt64, total: UInt64?, rate: UInt64
  ) {
    self.ticket = ticket
    self.server = server
    self.received = received
    self.total = total
    self.rate = rate
  }
}
