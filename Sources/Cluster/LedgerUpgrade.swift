// SPDX-License-Identifier: Apache-2.0
// How a ledger of an earlier release becomes one of this release, in place, while nodes of the earlier release go on with
// it: the first node of the new release that enters runs the steps, in one transaction. A step leaves what older nodes
// call. One that cannot do so has to raise `oldest`, and then may only run when no older node is at work.
// The steps make what `install` makes; a test compares the two.

package import Postgres
package import Vocabulary

package enum LedgerUpgrade {
  private struct Step {
    /// To which the step leads, from the one before.
    let release: Int32
    let text: String
  }

  private static let steps = [Step(release: 5, text: versions)]

  /// Release 5: each node tells its version.
  private static let versions = #"""
    ALTER TABLE node ADD version text NOT NULL DEFAULT '';
    DROP FUNCTION enter(text, bigint, bigint);
    DROP FUNCTION nodes();

    """# + LedgerSchema.entry + LedgerSchema.rights

  /// False if no steps lead here from the release of the ledger. All or nothing; of nodes that try it at once, the
  /// second finds it done.
  package static func run(
    at place: String, _ settings: [(String, String)], clock: any TimeSource,
    until deadline: Duration
  ) throws(PostgresError) -> Bool {
    var session = try PostgresSession.open(place, settings, clock: clock, until: deadline)
    func ask(_ statements: [String]) throws(PostgresError) -> [[PostgresRow]] {
      try session.run([statements.map { PostgresStatement("", $0) }], until: deadline)[0].get()
    }
    let found = try ask([
      "SELECT pg_advisory_lock(\(LedgerSchema.lock))", "SELECT version FROM release",
    ])
    guard let version = found[1].first.map({ $0.int(0) }) else { return false }
    let missing = steps.filter { Int64($0.release) > version }
    if missing.isEmpty { return true }
    guard let first = missing.first, Int64(first.release) == version + 1 else { return false }
    // A step that waits for a call of a node holds up those that come after it.
    _ = try ask(
      ["BEGIN", "SET LOCAL lock_timeout = '2s'"]
        + missing.flatMap { LedgerSchema.statements(of: $0.text) }
        + ["UPDATE release SET version = \(LedgerSchema.release)", "COMMIT"])
    return true
  }
}
