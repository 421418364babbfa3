// SPDX-License-Identifier: Apache-2.0
// Makes a ledger of an earlier release one of this release, in place, while nodes of earlier releases use it. The first
// node of this release that enters runs the steps, in one transaction. A step never changes: a ledger has to become the
// same, whichever release upgrades it. It leaves what nodes call, from release `oldest` on.
// `LedgerSchema` makes in an empty database what the steps make of the dumps in Tests/ClusterTests/Ledgers.

package import Postgres

package enum LedgerUpgrade {
  private struct Step {
    /// To which the step leads, from the one before.
    let release: Int32
    let text: String
  }

  private static let steps = [
    Step(release: 5, text: versions), Step(release: 6, text: identity),
  ]

  /// Each node tells its version.
  private static let versions = #"""
    ALTER TABLE node ADD version text NOT NULL DEFAULT '';

    CREATE FUNCTION enter(
      who text, new_run bigint, known bigint, new_version text, OUT id int, OUT incarnation bigint)
    LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    BEGIN
      IF known > 0 THEN
        UPDATE node n SET seen = clock_timestamp(), entered = clock_timestamp(),
          version = new_version
          WHERE n.name = who AND n.run = new_run AND n.incarnation = known
          RETURNING n.id, n.incarnation INTO enter.id, enter.incarnation;
        RETURN;
      END IF;
      INSERT INTO node AS n (name, run, version) VALUES (who, new_run, new_version)
      ON CONFLICT (name) DO UPDATE SET
        incarnation = n.incarnation + (n.run <> new_run)::int, run = new_run,
        seen = clock_timestamp(), entered = clock_timestamp(),
        draining = n.draining AND n.run = new_run, version = new_version
      RETURNING n.id, n.incarnation INTO enter.id, enter.incarnation;
    END $$;

    CREATE OR REPLACE FUNCTION enter(
      who text, new_run bigint, known bigint, OUT id int, OUT incarnation bigint)
    LANGUAGE sql AS $$ SELECT e.id, e.incarnation FROM enter(who, new_run, known, '') e $$;

    CREATE FUNCTION node_facts()
    RETURNS TABLE (name text, silence bigint, draining bool, leased bigint, version text)
    LANGUAGE sql STABLE AS $$
      SELECT f.name, f.silence, f.draining, f.leased, n.version
      FROM nodes() f JOIN node n ON n.name = f.name ORDER BY f.name COLLATE "C" $$;

    ALTER FUNCTION enter(text, bigint, bigint, text)
      SECURITY DEFINER SET search_path = darkroom, pg_temp;
    ALTER FUNCTION enter(text, bigint, bigint)
      SECURITY DEFINER SET search_path = darkroom, pg_temp;
    ALTER FUNCTION node_facts() SECURITY DEFINER SET search_path = darkroom, pg_temp;

    """#

  /// The ledger has an identity, and knows what its nodes share. A cancelled list leaves a share that a node has just
  /// taken.
  private static let identity = #"""
    ALTER TABLE release
      ADD identity text NOT NULL DEFAULT gen_random_uuid()::text,
      ADD folder text NOT NULL DEFAULT '';

    CREATE FUNCTION tie(own_folder text, OUT identity text, OUT folder text) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    BEGIN
      UPDATE release SET folder = own_folder WHERE folder = '';
      SELECT r.identity, r.folder INTO tie.identity, tie.folder FROM release r;
    END $$;

    CREATE OR REPLACE FUNCTION end_list(l bigint) RETURNS bool LANGUAGE plpgsql AS $$
    DECLARE x list%ROWTYPE;
    BEGIN
      SELECT * INTO x FROM list t WHERE t.id = l AND t.state < 3 FOR UPDATE;
      IF NOT FOUND THEN RETURN false; END IF;
      IF x.state = 2 THEN
        -- A node that takes one at this moment keeps it: the deletion waits for its transaction.
        DELETE FROM share s WHERE s.list = l AND s.state = 0;
        IF EXISTS (SELECT FROM share s WHERE s.list = l) THEN RETURN false; END IF;
      ELSE
        IF x.next <= x.photos OR EXISTS (SELECT FROM share s WHERE s.list = l) THEN
          RETURN false;
        END IF;
      END IF;
      DELETE FROM cut c WHERE c.list = l;
      DELETE FROM focus f WHERE f.list = l;
      UPDATE list t SET state = CASE x.state WHEN 2 THEN 4 ELSE 3 END,
        ended = clock_timestamp(), keeper = home WHERE t.id = l;
      PERFORM pg_notify('darkroom', 'over ' || l);
      RETURN true;
    END $$;

    ALTER FUNCTION tie(text) SECURITY DEFINER SET search_path = darkroom, pg_temp;
    ALTER FUNCTION end_list(bigint) SECURITY DEFINER SET search_path = darkroom, pg_temp;

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
    _ = try session.run(changes + ["COMMIT"], until: deadline)
    return true
  }

  /// A superuser makes no functions of its own, which would have its rights.
  private static let asOwner = """
    DO $$ BEGIN EXECUTE format('SET LOCAL ROLE %I', (SELECT pg_get_userbyid(nspowner)
      FROM pg_namespace WHERE nspname = 'darkroom')); END $$
    """

  /// While the change of a table waits for a call, or for a backup, the calls of all nodes wait behind it: better it
  /// is tried again. A standby that is away must not hold the table: what it lacks after a failover is done again. An
  /// identity is another one then; no node has heard the first, for the standby lacks it (`tie`).
  private static let limits = [
    "SET LOCAL lock_timeout = '200ms'", "SET LOCAL synchronous_commit = local",
  ]
}
