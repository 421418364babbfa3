// SPDX-License-Identifier: Apache-2.0
// The settings of a session with the ledger, whatever the defaults of the server, the database and the role are. They
// are set after the beginning of the session, because a pooler drops or refuses settings that come with the
// beginning. A later transaction checks that the settings hold. Raises `PostgresError`. Concurrency: none.

package import Postgres

package enum SessionSettings {
  /// A plan that the optimiser thinks dear is compiled: hundreds of times slower for these statements. No default of
  /// the server may weaken a commit.
  private static let all = [
    ("jit", "off"), ("synchronous_commit", "on"), ("statement_timeout", "10s"),
    ("idle_in_transaction_session_timeout", "10s"), ("search_path", "darkroom"),
  ]
  /// The server ends sessions of nodes that it cannot hear, which would fill its places. A socket has no such settings.
  private static let ofConnections = [
    ("tcp_keepalives_idle", "10"), ("tcp_keepalives_interval", "5"), ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "20000"),
  ]

  /// Returns the reason why the settings do not hold; nil if they do.
  package static func set(
    in session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) -> String? {
    let names = all.map { "current_setting('\($0.0)')" } + [place]
    let answers = try session.run(
      [[select((all + ofConnections).map { "set_config('\($0.0)', '\($0.1)', false)" } + [place])]]
        + [[select(names)]], until: deadline)
    guard let first = try answers[0].get()[0].first, let found = try answers[1].get()[0].first
    else {
      return nil
    }
    return problem(
      (0..<all.count).map { found.text($0) }, wasHere: first.text(all.count + ofConnections.count),
      isHere: found.text(all.count))
  }

  /// - Parameter values: the values of `all`, in their order.
  /// - Parameter wasHere: the process of the server that set them.
  package static func problem(_ values: [String], wasHere: String, isHere: String) -> String? {
    for ((name, value), found) in zip(all, values) where found != value {
      return "a session does not keep its settings: \(name) is '\(found)', not '\(value)'"
    }
    return wasHere == isHere ? nil : "a session does not keep its place at the server"
  }

  private static let place = "pg_backend_pid()::text"

  private static func select(_ words: [String]) -> PostgresStatement {
    PostgresStatement("", "SELECT " + words.joined(separator: ", "))
  }
}
