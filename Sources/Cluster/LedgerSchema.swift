// SPDX-License-Identifier: Apache-2.0
// The schema of the ledger. The waiting photos of a list are one row, the cursor of the list; photos that viewers
// look at are cut out. Leased photos are a row of `share`, which is made at the lease and deleted at its end.
// Outcomes are only added. So no large row is ever updated.
//
// Locks. A function takes them in this order, so that no two wait for each other: name, the own node, its row of
// `change`, leased shares that are its own, one list, ready shares (skipped where another has them), account. A
// function changes rows of `cut` and `focus` only under the lock of their list. Only `lease` waits for a list while
// it has the locks of other lists, which it found not ready. So each list that the reports of a turn may end is ended
// in a separate transaction, and a pulse skips lists that are locked. A request for seats locks the own node, its row
// of `asker`, servers in the order of their names, then seats.
//
// PostgreSQL plans a function in SQL with each call, and one in PL/pgSQL once in a session. The functions that nodes call
// all the time are in PL/pgSQL.

internal import Postgres
package import Vocabulary

package enum LedgerSchema {
  /// Of tables and functions.
  package static var release: Int32 { LedgerUpgrade.own.release }
  /// Nodes of every release from this one on can call the functions.
  private static let oldest: Int32 = 1

  /// Held until the end of a transaction that makes or changes the schema: of nodes that try it together, the second
  /// finds it done.
  static let lock = "SELECT pg_advisory_xact_lock(5128314)"

  /// One by one.
  package static func statements(of text: String) -> [String] {
    var statements: [String] = []
    var (lines, isInBody) = ([Substring](), false)
    for line in text.split(separator: "\n") {
      lines.append(line)
      if line.split(separator: "$$", omittingEmptySubsequences: false).count % 2 == 0 {
        isInBody.toggle()
      }
      if line.hasSuffix(";"), !isInBody {
        statements.append(lines.joined(separator: "\n"))
        lines = []
      }
    }
    return statements
  }

  private static let text =
    tables + nodes + turns + lists + ends + shares + FocusSchema.text + people + seats + rights

  /// Makes the functions of this release in a ledger that has others.
  static var functions: [String] {
    let made = "CREATE FUNCTION"
    return statements(of: text).filter { $0.contains(made) }
      .map { $0.replacing(made, with: "CREATE OR REPLACE FUNCTION") } + statements(of: rights)
  }

  private static let tables = #"""
    CREATE SCHEMA darkroom;
    -- folder is the number of what the nodes share, once one has told it; life is the number of the last go_on.
    CREATE TABLE release (
      version int NOT NULL, oldest int NOT NULL,
      identity text NOT NULL DEFAULT gen_random_uuid()::text, folder text NOT NULL DEFAULT '',
      life bigint NOT NULL DEFAULT 0);
    INSERT INTO release VALUES (\#(release), \#(oldest));
    -- run is drawn by each start of a daemon.
    CREATE TABLE node (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE NOT NULL,
      run bigint NOT NULL, incarnation bigint NOT NULL DEFAULT 1,
      seen timestamptz NOT NULL DEFAULT clock_timestamp(),
      entered timestamptz NOT NULL DEFAULT clock_timestamp(),
      draining bool NOT NULL DEFAULT false, version text NOT NULL)
      WITH (fillfactor = 30);
    -- The lists, reports and orders that came through each node, by its name. The row stays when the node's row goes.
    CREATE TABLE change (node text PRIMARY KEY, count bigint NOT NULL) WITH (fillfactor = 30);
    -- 0 running, 1 paused, 2 cancelling, 3 finished, 4 cancelled. next is the first photo that no share had, home the
    -- node that submitted the list, keeper the one that returns it, cuts the number of its shares of epoch 0.
    CREATE TABLE list (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text COLLATE "C" NOT NULL,
      name bytea NOT NULL, sha256 text NOT NULL, class smallint NOT NULL, photos int NOT NULL,
      next int NOT NULL DEFAULT 1, cuts int NOT NULL DEFAULT 0, pass bigint NOT NULL,
      state smallint NOT NULL DEFAULT 0,
      is_ready bool GENERATED ALWAYS AS (state = 0 AND (next <= photos OR cuts > 0)) STORED,
      revises bigint, folder bytea NOT NULL, is_roll bool NOT NULL, terms text NOT NULL,
      origin text NOT NULL,
      accepted timestamptz NOT NULL DEFAULT clock_timestamp(), ended timestamptz,
      home int NOT NULL, keeper int, is_returned bool NOT NULL DEFAULT false) WITH (fillfactor = 50);
    CREATE INDEX list_ready ON list (class, owner, pass, id) WHERE is_ready;
    CREATE INDEX list_open ON list (id) WHERE state < 3;
    CREATE INDEX list_over ON list (id) WHERE state < 3 AND (state = 2 OR next > photos);
    CREATE INDEX list_ended ON list (keeper, id) WHERE state >= 3;
    -- The turnstile of all nodes: the newest list of a name.
    CREATE TABLE name (
      owner text COLLATE "C", name bytea, newest bigint, PRIMARY KEY (owner, name))
      WITH (fillfactor = 70);
    CREATE INDEX name_name ON name (name);
    CREATE TABLE origin (
      origin text PRIMARY KEY, list bigint NOT NULL, is_twin bool NOT NULL);
    CREATE INDEX origin_list ON origin (list);
    CREATE TABLE folder (name bytea PRIMARY KEY);
    -- The photos given to a user in a class: the least has the next turn.
    CREATE TABLE account (
      class smallint, owner text COLLATE "C", pass bigint NOT NULL, PRIMARY KEY (class, owner))
      WITH (fillfactor = 50);
    -- 0 ready, 1 leased. A share of epoch 0 was cut out for a viewer, and no node has had it.
    CREATE TABLE share (
      list bigint, first int, last int NOT NULL, state smallint NOT NULL, node int,
      epoch int NOT NULL DEFAULT 1, sequence int NOT NULL DEFAULT 0,
      run_at timestamptz NOT NULL DEFAULT clock_timestamp(), deaths smallint NOT NULL DEFAULT 0,
      done varbit NOT NULL, waits bytea NOT NULL DEFAULT '', PRIMARY KEY (list, first))
      WITH (fillfactor = 40, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_scale_factor = 0);
    CREATE INDEX share_ready ON share (list, first) WHERE state = 0;
    CREATE INDEX share_node ON share (node) WHERE state = 1;
    CREATE INDEX share_fresh ON share (list, first) WHERE epoch = 0;
    -- A row of each node, so that no node waits for another.
    CREATE TABLE tally (
      list bigint, node int, filtered bigint NOT NULL, failed bigint NOT NULL,
      PRIMARY KEY (list, node)) WITH (fillfactor = 50);
    CREATE TABLE outcome (
      list bigint, first int, epoch int, sequence int, last int NOT NULL, rows bytea NOT NULL,
      PRIMARY KEY (list, first, epoch, sequence));
    -- Digests do not compress.
    ALTER TABLE outcome ALTER rows SET STORAGE EXTERNAL;

    """#

  private static let nodes = #"""
    -- A time that was at most `most` ahead when it was set, and is further ahead: the clock was set back since.
    CREATE FUNCTION is_ahead(t timestamptz, most interval) RETURNS bool LANGUAGE sql VOLATILE AS $$
      SELECT t > clock_timestamp() + most + interval '1 s' $$;

    -- The time has come, or nobody knows any more when it comes.
    CREATE FUNCTION is_over(t timestamptz, most interval) RETURNS bool LANGUAGE sql VOLATILE AS $$
      SELECT t <= clock_timestamp() OR is_ahead(t, most) $$;

    -- Writes until there is a folder, so that a standby has the identity before a node hears it.
    CREATE FUNCTION tie(own_folder text, OUT identity text, OUT folder text) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    BEGIN
      UPDATE release SET folder = own_folder WHERE folder = '';
      SELECT r.identity, r.folder INTO tie.identity, tie.folder FROM release r;
    END $$;

    -- What nodes remember: a ledger with a lower count of a node is an older copy, unless its life is a later one. A
    -- change that waits for a standby is not seen.
    CREATE FUNCTION history(OUT life bigint, OUT counts text) LANGUAGE plpgsql STABLE AS $$
    BEGIN
      SELECT r.life INTO history.life FROM release r;
      SELECT coalesce(string_agg(c.count || ' ' || c.node, chr(10)), '') INTO history.counts
        FROM change c;
    END $$;

    CREATE FUNCTION changed(me int) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO change AS c SELECT n.name, 1 FROM node n WHERE n.id = me
      ON CONFLICT (node) DO UPDATE SET count = c.count + 1;
    END $$;

    -- For an administrator: nodes use this ledger although it lacks changes that they have seen. The time, in
    -- milliseconds, gives a life and numbers of lists that were never used.
    CREATE FUNCTION go_on() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      number regclass := pg_get_serial_sequence('list', 'id');
      past bigint :=
        extract(epoch FROM clock_timestamp() - timestamptz '2026-01-01 00:00+00') * 1000;
    BEGIN
      UPDATE release r SET life = greatest(r.life + 1, past);
      PERFORM setval(number, greatest(nextval(number), past));
    END $$;

    -- A run that connects again goes on with its leases, unless another run has taken over the name; a new run takes
    -- over the leases of the one before. A row that is missing, or that knows less of the run than the run itself, is of
    -- an older copy of the ledger, or an administrator has removed it: the run enters anew.
    CREATE FUNCTION enter(
      who text, new_run bigint, known bigint, new_version text, OUT id int, OUT incarnation bigint)
    LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    BEGIN
      INSERT INTO node AS n (name, run, incarnation, version)
      VALUES (who, new_run, known + 1, new_version)
      ON CONFLICT (name) DO UPDATE SET
        incarnation = CASE WHEN n.run = new_run AND n.incarnation >= known THEN n.incarnation
          ELSE greatest(n.incarnation, known) + 1 END, run = new_run,
        seen = clock_timestamp(), entered = clock_timestamp(),
        draining = n.draining AND n.run = new_run, version = new_version
        WHERE known = 0 OR n.incarnation < known OR (n.incarnation = known AND n.run = new_run)
      RETURNING n.id, n.incarnation INTO enter.id, enter.incarnation;
      IF enter.id IS NULL THEN RETURN; END IF;
      -- There was no node to return these when the row of their keeper was removed.
      UPDATE list l SET keeper = enter.id WHERE l.id IN (SELECT x.id FROM list x
        WHERE x.state >= 3 AND NOT x.is_returned AND (x.keeper IS NULL
          OR NOT EXISTS (SELECT FROM node m WHERE m.id = x.keeper)) ORDER BY x.id FOR UPDATE);
    END $$;

    -- An administrator removes the row of a node, which cannot enter again as the same one: what it has goes to others, as
    -- if it were dead. Its open lists get another keeper at their end. Its seats end by themselves: it may use them yet.
    CREATE FUNCTION node_gone() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE share s SET state = 0, node = NULL, run_at = clock_timestamp()
        WHERE (s.list, s.first) IN (SELECT t.list, t.first FROM share t
          WHERE t.state = 1 AND t.node = OLD.id ORDER BY t.list, t.first FOR UPDATE);
      UPDATE list l SET keeper = any_node() WHERE l.id IN (SELECT x.id FROM list x
        WHERE x.state >= 3 AND x.keeper = OLD.id ORDER BY x.id FOR UPDATE);
      DELETE FROM asker a WHERE a.node = OLD.id;
      RETURN NULL;
    END $$;

    CREATE TRIGGER node_gone AFTER DELETE ON node FOR EACH ROW EXECUTE FUNCTION node_gone();

    -- The one that was heard last. Its row is not being removed; nobody waits for that.
    CREATE FUNCTION any_node() RETURNS int LANGUAGE plpgsql AS $$
    BEGIN
      RETURN (SELECT n.id FROM node n ORDER BY n.seen DESC, n.id LIMIT 1 FOR KEY SHARE SKIP LOCKED);
    END $$;

    CREATE FUNCTION is_node(me int, inc bigint) RETURNS bool LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN EXISTS (SELECT FROM node n WHERE n.id = me AND n.incarnation = inc);
    END $$;

    CREATE FUNCTION nodes()
    RETURNS TABLE (name text, silence bigint, draining bool, leased bigint, version text)
    LANGUAGE sql STABLE AS $$
      SELECT n.name, extract(epoch FROM clock_timestamp() - n.seen)::bigint, n.draining,
        coalesce((SELECT sum(s.last - s.first + 1) FROM share s
          WHERE s.node = n.id AND s.state = 1), 0), n.version
      FROM node n ORDER BY n.name COLLATE "C" $$;

    CREATE FUNCTION drain(who text, is_on bool) RETURNS bool LANGUAGE sql AS $$
      WITH done AS (UPDATE node SET draining = is_on WHERE name = who RETURNING 1)
      SELECT EXISTS (SELECT FROM done) $$;

    """#

  private static let turns = #"""
    -- The least of the users at work; no row without one. A user of whom nodes had enough may be far behind.
    CREATE FUNCTION least_pass(cls smallint) RETURNS bigint LANGUAGE sql STABLE AS $$
      SELECT greatest(min(a.pass), max(a.pass) - \#(LeaseWish.mostPhotos))
      FROM account a WHERE a.class = cls AND EXISTS (
        SELECT FROM list l WHERE l.class = cls AND l.owner = a.owner AND l.is_ready) $$;

    -- The least of the user's lists at work.
    CREATE FUNCTION list_pass(cls smallint, who text) RETURNS bigint LANGUAGE sql STABLE AS $$
      SELECT coalesce(min(l.pass), 0) FROM list l WHERE l.class = cls AND l.owner = who
        AND l.is_ready $$;

    -- The user has got photos. One of whom nodes had enough does not catch up with all that others got meanwhile.
    CREATE FUNCTION pay(cls smallint, who text, n int) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE account a SET pass = n + greatest(a.pass,
          (SELECT max(o.pass) FROM account o WHERE o.class = cls) - \#(LeaseWish.mostPhotos))
        WHERE a.class = cls AND a.owner = who;
    END $$;

    -- The list whose turn it is: by class, at most the least urgent one that is wanted, then by user, then by list. A
    -- revision waits for the end of the list that it takes over from. The node has enough of some lists, and of the
    -- lists of some users, from a class on.
    CREATE FUNCTION turn_list(
      upto smallint, is_reversed bool, full_lists bigint[], users text[], classes smallint[])
    RETURNS bigint LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN (SELECT x.id FROM account a CROSS JOIN LATERAL (
        SELECT l.id FROM list l WHERE l.class = a.class AND l.owner = a.owner AND l.is_ready
          AND l.id <> ALL (full_lists)
          AND NOT EXISTS (SELECT FROM list e WHERE e.id = l.revises AND e.state < 3)
        ORDER BY l.pass, l.id LIMIT 1) x
      WHERE a.class <= upto AND NOT EXISTS (
        SELECT FROM unnest(users, classes) u (who, cls)
        WHERE u.who = a.owner AND u.cls <= a.class)
      ORDER BY CASE WHEN is_reversed THEN -a.class ELSE a.class END, a.pass, a.owner
      LIMIT 1);
    END $$;

    """#

  private static let lists = #"""
    -- A user who has waited joins those at work, and does not catch up.
    CREATE FUNCTION join_turns(cls smallint, who text) RETURNS void LANGUAGE sql AS $$
      INSERT INTO account AS a VALUES (cls, who, coalesce(least_pass(cls), 0))
      ON CONFLICT (class, owner) DO UPDATE SET pass = greatest(a.pass, excluded.pass) $$;

    CREATE FUNCTION submit(
      me int, org text, who text, nm bytea, sha text, cls smallint, n int, fd bytea, is_free bool,
      roll bool, tm text,
      OUT id bigint, OUT is_twin bool, OUT earlier bigint, OUT folder bytea)
    LANGUAGE plpgsql AS $$
    DECLARE found_twin bool;
    BEGIN
      IF NOT roll THEN
        INSERT INTO name VALUES (who, nm, NULL) ON CONFLICT DO NOTHING;
        SELECT t.newest INTO earlier FROM name t WHERE t.owner = who AND t.name = nm FOR UPDATE;
      END IF;
      SELECT o.list, o.is_twin, l.revises, l.folder INTO id, is_twin, earlier, folder
        FROM origin o JOIN list l ON l.id = o.list WHERE o.origin = org;
      IF FOUND THEN RETURN; END IF;
      IF NOT roll THEN
        SELECT t.newest INTO earlier FROM name t WHERE t.owner = who AND t.name = nm;
      END IF;
      PERFORM changed(me);
      SELECT l.sha256 = sha AND l.state < 2 INTO found_twin FROM list l WHERE l.id = earlier;
      IF found_twin THEN
        SELECT l.folder INTO folder FROM list l WHERE l.id = earlier;
        INSERT INTO origin VALUES (org, earlier, true);
        id := earlier; is_twin := true; earlier := NULL; RETURN;
      END IF;
      id := nextval(pg_get_serial_sequence('list', 'id'));
      is_twin := false;
      -- Prints are made once: no list prints into the folder of another.
      IF earlier IS NULL AND is_free THEN
        INSERT INTO folder VALUES (fd) ON CONFLICT DO NOTHING;
        IF FOUND THEN folder := fd; END IF;
      END IF;
      IF folder IS NULL THEN
        folder := fd || convert_to('~' || id, 'UTF8');
        INSERT INTO folder VALUES (folder) ON CONFLICT DO NOTHING;
      END IF;
      UPDATE list l SET state = 2 WHERE l.id = earlier AND l.state < 2;
      IF FOUND THEN
        PERFORM end_list(earlier);
        PERFORM pg_notify('darkroom', 'list ' || earlier);
      END IF;
      PERFORM join_turns(cls, who);
      INSERT INTO list
        (id, owner, name, sha256, class, photos, pass, revises, folder, is_roll, terms, origin, home)
      OVERRIDING SYSTEM VALUE
      VALUES (submit.id, who, nm, sha, cls, n, list_pass(cls, who), submit.earlier,
        submit.folder, roll, tm, org, me);
      INSERT INTO origin VALUES (org, id, false);
      IF NOT roll THEN
        UPDATE name t SET newest = submit.id WHERE t.owner = who AND t.name = nm;
      END IF;
      PERFORM pg_notify('darkroom', 'work ' || cls);
    END $$;

    CREATE FUNCTION submission(l bigint)
    RETURNS TABLE (origin text, owner text, name bytea, sha256 text, class smallint, photos int,
      folder bytea, is_roll bool, terms text)
    LANGUAGE sql STABLE AS $$
      SELECT x.origin, x.owner, x.name, x.sha256, x.class, x.photos, x.folder, x.is_roll, x.terms
      FROM list x WHERE x.id = l $$;

    -- A number alone is not a list: an older copy of the ledger gives it again.
    CREATE FUNCTION is_from(l bigint, org text) RETURNS bool LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN org IS NULL OR EXISTS (SELECT FROM origin o WHERE o.origin = org AND o.list = l);
    END $$;

    """#

  /// The functions see the tables of the schema alone, whatever the search path of a session is.
  private static let rights = #"""
    DO $$
    DECLARE f regprocedure;
    BEGIN
      FOR f IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = 'darkroom'::regnamespace LOOP
        EXECUTE format(
          'ALTER FUNCTION %s SECURITY DEFINER SET search_path = darkroom, pg_temp', f);
      END LOOP;
    END $$;

    """#
}

extension LedgerSchema {
  /// Makes the schema in an empty database; does nothing if it is there. All or nothing.
  package static func install(
    at place: String, clock: any TimeSource, within limit: Duration
  ) throws(Failure) {
    do throws(PostgresError) {
      let deadline = clock.uptime() + limit
      var session = try PostgresSession.open(
        place, [("options", "-c search_path=darkroom")], clock: clock, until: deadline)
      try install(&session, until: deadline)
    } catch { throw error.failure }
  }

  /// The same. The session is of no more use if this fails.
  static func install(
    _ session: inout PostgresSession, until deadline: Duration
  ) throws(PostgresError) {
    let found = try session.run(
      ["BEGIN", lock, "SELECT 1 FROM pg_namespace WHERE nspname = 'darkroom'"], until: deadline)
    let missing = found[2].isEmpty ? statements(of: text) : []
    _ = try session.run(missing + ["COMMIT"], until: deadline)
  }
}

extension PostgresSession {
  /// Statements without values, up to the first that fails; the rows of each.
  mutating func run(
    _ statements: [String], until deadline: Duration
  ) throws(PostgresError) -> [[PostgresRow]] {
    try run([statements.map { PostgresStatement("", $0) }], until: deadline)[0].get()
  }
}
