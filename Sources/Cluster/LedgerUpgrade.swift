// SPDX-License-Identifier: Apache-2.0
// Makes a ledger of an earlier release one of this release, in place, while nodes of earlier releases use it. The first
// node of this release that enters runs the steps, and makes the functions of this release, in one transaction. A step
// changes tables, and never changes itself: a ledger has to become the same, whichever release upgrades it. It removes
// functions that have other results now. Functions that nodes call stay, from release `oldest` on.
// `LedgerSchema` makes in an empty database what an upgrade makes of the dumps in Tests/ClusterTests/Ledgers.

package import Postgres

package enum LedgerUpgrade {
  private struct Step {
    /// To which the step leads, from the one before.
    let release: Int32
    let text: String
  }

  private static let steps = [
    Step(release: 5, text: versions), Step(release: 6, text: identity),
    // Other functions.
    Step(release: 7, text: ""),
  ]

  /// The version of each node.
  private static let versions = #"""
    ALTER TABLE node ADD version text NOT NULL DEFAULT '';

    """#

  /// The ledger has an identity, and knows what its nodes share.
  private static let identity = #"""
    ALTER TABLE release
      ADD identity text NOT NULL DEFAULT gen_random_uuid()::text,
      ADD folder text NOT NULL DEFAULT '';

    """#

  /// False if no steps lead here from the release of the ledger. All or nothing. The session is of no more use unless
  /// the answer is true.
  package static func run(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) -> Bool {
    let begin = ["BEGIN", LedgerSchema.lock, asOwner, "SELECT version FROM release"]
    let found = try session.run(begin + limits, until: deadline)
    let version = found[3].first?.int(0) ?? 0
    let missing = steps.filter { Int64($0.release) > version }
    guard missing.first.map({ Int64($0.release) == version + 1 }) ?? true else { return false }
    let changes = missing.flatMap {
      LedgerSchema.statements(of: $0.text) + ["UPDATE release SET version = \($0.release)"]
    }
    let functions = missing.isEmpty ? [] : LedgerSchema.functions
    _ = try session.run(changes + functions + ["COMMIT"], until: deadline)
    return true
  }

  /// A superuser makes no functions under its own name, which would have its rights.
  private static let asOwner = """
    DO $$ BEGIN EXECUTE format('SET LOCAL ROLE %I', (SELECT pg_get_userbyid(nspowner)
      FROM pg_namespace WHERE nspname = 'darkroom')); END $$
    """

  /// While the change of a table waits for a call, or for a backup, the calls of all nodes wait behind it: better it
  /// is tried again. A standby that is away must not hold the table: what it lacks after a failover is done again. The
  /// ledger then has a new identity. No node knows the old one, because it had not reached the standby (`tie`).
  private static let limits = [
    "SET LOCAL lock_timeout = '200ms'", "SET LOCAL synchronous_commit = local",
  ]
}
