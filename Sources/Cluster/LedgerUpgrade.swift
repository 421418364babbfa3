// SPDX-License-Identifier: Apache-2.0
// Makes a ledger of an earlier release one of this release, in place, while nodes of earlier releases use it. The first
// node of this release that enters runs the steps, and makes the functions of this release, in one transaction. A step
// changes tables, and never changes itself: a ledger has to become the same, whichever release upgrades it. A step also
// removes functions that have other results now. Functions that nodes call stay, from release `oldest` on.
// Release 1 of the ledger is Tests/ClusterTests/Ledgers/release-1.sql. `LedgerSchema` makes in an empty database what an
// upgrade makes of that dump.

package import Postgres

package struct LedgerUpgrade: Sendable {
  /// The release that the first step upgrades.
  private static let first: Int32 = 1
  /// Of this program.
  package static let own = LedgerUpgrade(steps: [])

  /// Statements, each ending with `;` at the end of a line. Each step leads to the next release.
  private let steps: [String]

  package init(steps: [String]) { self.steps = steps }

  /// The release to which the last step leads.
  package var release: Int32 { Self.first + Int32(steps.count) }

  /// False if no steps lead here from the release of the ledger. All or nothing. The session is of no more use unless
  /// the answer is true.
  package func run(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) -> Bool {
    let begin = ["BEGIN", LedgerSchema.lock, Self.asOwner, "SELECT version FROM release"]
    let found = try session.run(begin + Self.limits, until: deadline)
    guard let version = found[3].first?.int(0), version >= Self.first else { return false }
    let missing = steps.dropFirst(Int(version) - Int(Self.first))
    let changes =
      missing.flatMap { LedgerSchema.statements(of: $0) }
      + ["UPDATE release SET version = \(release)"]
    let statements = missing.isEmpty ? [] : changes + LedgerSchema.functions
    _ = try session.run(statements + ["COMMIT"], until: deadline)
    return true
  }

  /// A superuser makes no functions of its own, which would have its rights.
  private static let asOwner = """
    DO $$ BEGIN EXECUTE format('SET LOCAL ROLE %I', (SELECT pg_get_userbyid(nspowner)
      FROM pg_namespace WHERE nspname = 'darkroom')); END $$
    """

  /// While the change of a table waits for a call, or for a backup, the calls of all nodes wait behind it: it is
  /// better to give up and try again. A standby that is away must not hold the table either: a step that the standby
  /// lacks after a failover is done again.
  private static let limits = [
    "SET LOCAL lock_timeout = '200ms'", "SET LOCAL synchronous_commit = local",
  ]
}
