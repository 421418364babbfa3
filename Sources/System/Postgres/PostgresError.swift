// SPDX-License-Identifier: Apache-2.0
// Why the database did not answer.

package enum PostgresError: Error, Equatable, Sendable {
  /// This machine has no libpq.
  case noLibrary
  /// The connection string cannot be read, or the server refuses this user.
  case refused(String)
  /// Not reachable, or the connection broke: what was sent may have been done.
  case lost(String)
  case timeIsOver
  /// The caller wants no answer any more.
  case interrupted
  /// The server refused the statement: its SQLSTATE and its words.
  case statement(state: String, String)

  package var words: String {
    switch self {
    case .noLibrary: "libpq is not installed"
    case .refused(let words), .lost(let words): words
    case .timeIsOver: "the server did not answer in time"
    case .interrupted: "the caller has stopped"
    case .statement(let state, let words): "\(words) (\(state))"
    }
  }
}
