// SPDX-License-Identifier: Apache-2.0
// Connections to servers, which many machines divide: a seat is one connection.

/// The use of a server by a machine.
package struct SeatClaim: Equatable, Sendable {
  package let host: String
  /// The most seats that are used until there is an answer.
  package let held: Int
  /// Photos that wait for the server, or are in flight there.
  package let need: Int
  package let word: HostWord

  package init(_ host: String, held: Int, need: Int, word: HostWord = .none) {
    self.host = host
    self.held = held
    self.need = need
    self.word = word
  }
}

/// The last probe of a server that the machine has closed.
package enum HostWord: Equatable, Sendable {
  /// The others know it.
  case none
  /// The machine probes it again after the time.
  case failed(wait: Duration)
  case answered
}

/// The seats at a server, until the next answer or the end of their lease.
package struct SeatGrant: Equatable, Sendable {
  package let host: String
  package let seats: Int
  package let report: HostReport?

  package init(_ host: String, seats: Int, report: HostReport? = nil) {
    self.host = host
    self.seats = seats
    self.report = report
  }
}

/// The last probe of a server by any machine. Times are relative, since clocks differ.
package struct HostReport: Equatable, Sendable {
  package let age: Duration
  /// The word of that machine.
  package let word: HostWord

  package init(age: Duration, word: HostWord) {
    self.age = age
    self.word = word
  }
}
