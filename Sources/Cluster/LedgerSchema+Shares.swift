// SPDX-License-Identifier: Apache-2.0
// The functions of the ledger that hand out shares and take reports.

extension LedgerSchema {
  static let shares = #"""
    -- Verdicts: 0 recorded, 1 recorded and paused, 2 recorded and cancelled, 3 not this node's share.
    -- A photo is recorded once: only the holder of this lease passes, and only for photos whose bit is not set.
    -- A report is repeated after a lost answer; one of the same number that came late may have had fewer photos.
    CREATE FUNCTION report(
      me int, inc bigint, ls bigint[], fs int[], es int[], qs int[], masks varbit[],
      goods int[], bads int[], rows bytea[], ends bool[])
    RETURNS TABLE (verdict smallint) LANGUAGE plpgsql AS $$
    DECLARE
      k int; x share%ROWTYPE; is_mine bool;
    BEGIN
      -- A node that enters again meanwhile waits for this transaction.
      PERFORM FROM node n WHERE n.id = me AND n.incarnation = inc FOR SHARE;
      is_mine := FOUND;
      IF is_mine THEN PERFORM changed(me); END IF;
      FOR k IN 1 .. coalesce(array_length(ls, 1), 0) LOOP
        verdict := 3;
        IF is_mine THEN
          SELECT * INTO x FROM share s WHERE s.list = ls[k] AND s.first = fs[k] FOR UPDATE;
          -- AND promises no order: only CASE keeps masks of other lengths away from &.
          IF FOUND AND x.state = 1 AND x.node = me AND x.epoch = es[k]
            AND x.sequence = qs[k] - 1
            AND (CASE WHEN length(x.done) = length(masks[k])
              THEN bit_count(x.done & masks[k]) = 0
                AND (NOT ends[k] OR bit_count(x.done | masks[k]) = length(x.done))
              ELSE false END)
          THEN
            IF ends[k] THEN
              DELETE FROM share s WHERE s.list = ls[k] AND s.first = fs[k];
            ELSE
              UPDATE share s SET done = x.done | masks[k], sequence = qs[k]
                WHERE s.list = ls[k] AND s.first = fs[k];
            END IF;
            IF goods[k] + bads[k] > 0 THEN
              INSERT INTO outcome VALUES (ls[k], fs[k], es[k], qs[k], x.last, rows[k]);
              INSERT INTO tally AS t VALUES (ls[k], me, goods[k], bads[k])
              ON CONFLICT (list, node) DO UPDATE
                SET filtered = t.filtered + goods[k], failed = t.failed + bads[k];
            END IF;
            SELECT least(l.state, 2) INTO verdict FROM list l WHERE l.id = ls[k];
          ELSIF EXISTS (SELECT FROM outcome o WHERE o.list = ls[k] AND o.first = fs[k]
            AND o.epoch = es[k] AND o.sequence = qs[k] AND o.rows = report.rows[k])
          THEN
            verdict := 0;
          END IF;
        END IF;
        RETURN NEXT;
      END LOOP;
    END $$;

    -- First what came back, then the list whose turn it is: one list a call, and none that the node has enough of.
    -- While several nodes are at work, shares shrink toward the end of a list, and a call has one of them, so that no
    -- node is left with much when the others have nothing.
    CREATE FUNCTION lease(
      me int, inc bigint, want int, largest int, upto smallint, is_reversed bool,
      full_lists bigint[], standing bigint[], waiting int[], silence_ms bigint)
    RETURNS TABLE (list bigint, first int, last int, epoch int, class smallint, done varbit,
      deaths smallint, waits bytea) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    DECLARE
      got int := 0; turn list%ROWTYPE; candidate bigint; r record; size int; rest int; others int;
      back refcursor;
      split int; at int; part int; most int; given int := 0;
      users text[] := '{}'; classes smallint[] := '{}';
    BEGIN
      PERFORM FROM node n WHERE n.id = me AND n.incarnation = inc AND NOT n.draining FOR SHARE;
      IF NOT FOUND THEN RETURN; END IF;
      -- Users of whom this node has enough, and from which class on.
      SELECT coalesce(array_agg(q.owner), '{}'), coalesce(array_agg(q.class), '{}')
        INTO users, classes FROM (
        SELECT y.owner, min(y.class) AS class FROM (
          SELECT x.owner, x.class, count(*) OVER w AS lists, sum(u.n) OVER w AS photos
          FROM unnest(standing, waiting) u (l, n) JOIN list x ON x.id = u.l
          WINDOW w AS (PARTITION BY x.owner ORDER BY x.class)) y
        WHERE y.lists >= \#(LeaseWish.mostListsOfUser)
          OR y.photos >= \#(LeaseWish.mostSharesOfUser) * largest
        GROUP BY y.owner) q;
      -- Another node may have taken the last photos of the candidate meanwhile. Its lock stays with this call, and makes
      -- no circle of calls that wait for each other: the next candidate was ready later than this one.
      FOR k IN 1 .. 16 LOOP
        candidate := turn_list(upto, is_reversed, full_lists, users, classes);
        EXIT WHEN candidate IS NULL;
        SELECT * INTO turn FROM list l WHERE l.id = candidate AND l.is_ready FOR UPDATE;
        EXIT WHEN FOUND;
      END LOOP;
      -- One by one: a loop over a query reads ahead, and would lock what other nodes look for.
      OPEN back FOR
        SELECT s.list AS l, s.first AS f, s.last - s.first + 1 AS n, x.class AS c
        FROM share s JOIN list x ON x.id = s.list
        WHERE s.state = 0 AND s.epoch > 0 AND is_due(s.run_at) AND x.state = 0
          AND x.class <= upto
          AND x.id <> ALL (full_lists) AND NOT EXISTS (
            SELECT FROM unnest(users, classes) u (who, cls)
            WHERE u.who = x.owner AND u.cls <= x.class)
          AND CASE WHEN turn.id IS NULL THEN true WHEN is_reversed THEN x.class >= turn.class
            ELSE x.class <= turn.class END
        ORDER BY CASE WHEN is_reversed THEN -x.class ELSE x.class END, s.list, s.first
        LIMIT 64 FOR UPDATE OF s SKIP LOCKED;
      WHILE got < want LOOP
        FETCH back INTO r;
        EXIT WHEN NOT FOUND;
        got := got + r.n;
        RETURN QUERY SELECT t.* FROM take_share(me, r.l, r.f, r.c) t;
      END LOOP;
      CLOSE back;
      IF got >= want OR turn.id IS NULL THEN RETURN; END IF;
      SELECT count(*) INTO others FROM node n
        WHERE n.id <> me AND NOT n.draining
        AND n.seen > clock_timestamp() - silence_ms * interval '1 ms';
      -- A node that is alone may have the rest of the list.
      split := CASE WHEN others > 0 THEN 4 * (others + 1) ELSE 1 END;
      rest := turn.photos - turn.next + 1;
      most := CASE WHEN others > 0 THEN greatest(8, least(largest, rest / split)) ELSE largest END;
      -- The photos that viewers looked at, then the others.
      FOR r IN SELECT s.first AS f, s.last - s.first + 1 AS n FROM share s
        WHERE s.list = turn.id AND s.epoch = 0 ORDER BY s.first LIMIT 64
      LOOP
        EXIT WHEN got >= want OR (given >= most AND most < largest);
        got := got + r.n;
        given := given + r.n;
        turn.cuts := turn.cuts - 1;
        RETURN QUERY SELECT t.* FROM take_share(me, turn.id, r.f, turn.class) t;
      END LOOP;
      at := turn.next;
      WHILE got < want AND (given < most OR most = largest) AND at <= turn.photos LOOP
        rest := turn.photos - at + 1;
        size := least(rest, greatest(8, least(largest, rest / split)));
        IF rest - size < 8 AND rest <= largest THEN size := rest; END IF;
        SELECT least(size, min(c.first) - at) INTO part FROM cut c
          WHERE c.list = turn.id AND c.first > at;
        RETURN QUERY INSERT INTO share AS s (list, first, last, state, node, done)
          VALUES (turn.id, at, at + part - 1, 1, me, repeat('0', part)::varbit)
          RETURNING s.list, s.first, s.last, s.epoch, turn.class, s.done, s.deaths, s.waits;
        got := got + part;
        given := given + part;
        at := behind_cuts(turn.id, at + part);
        EXIT WHEN others > 0 AND size < largest AND given >= size;
      END LOOP;
      UPDATE list l SET next = at, cuts = turn.cuts, pass = l.pass + given WHERE l.id = turn.id;
      PERFORM pay(turn.class, turn.owner, given);
    END $$;

    -- A ready share, which is locked, for this node.
    CREATE FUNCTION take_share(me int, l bigint, f int, cls smallint)
    RETURNS TABLE (list bigint, first int, last int, epoch int, class smallint, done varbit,
      deaths smallint, waits bytea) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    BEGIN
      RETURN QUERY UPDATE share s
        SET state = 1, node = me, epoch = s.epoch + 1, sequence = 0
        WHERE s.list = l AND s.first = f
        RETURNING s.list, s.first, s.last, s.epoch, cls, s.done, s.deaths, s.waits;
    END $$;

    CREATE FUNCTION give_back(
      me int, inc bigint, l bigint, f int, e int, after_ms bigint, left_waits bytea)
    RETURNS bool LANGUAGE plpgsql AS $$
    DECLARE is_cancelled bool;
    BEGIN
      PERFORM FROM node n WHERE n.id = me AND n.incarnation = inc FOR SHARE;
      IF NOT FOUND THEN RETURN false; END IF;
      PERFORM FROM share s WHERE s.list = l AND s.first = f AND s.epoch = e AND s.node = me
        AND s.state = 1 FOR UPDATE;
      IF NOT FOUND THEN RETURN false; END IF;
      SELECT x.state = 2 INTO is_cancelled FROM list x WHERE x.id = l;
      IF is_cancelled THEN
        DELETE FROM share s WHERE s.list = l AND s.first = f;
      ELSE
        UPDATE share s SET state = 0, node = NULL, waits = left_waits,
          run_at = clock_timestamp() + after_ms * interval '1 ms'
          WHERE s.list = l AND s.first = f;
      END IF;
      RETURN true;
    END $$;

    -- A share rests for half a minute at most.
    CREATE FUNCTION is_due(t timestamptz) RETURNS bool LANGUAGE sql VOLATILE AS $$
      SELECT is_over(t, interval '30 s') $$;

    -- That the node lives; and takes from nodes that were silent for longer what they have. A node judges no other
    -- if it was not in touch itself for that long: after a failover all have time to come back.
    CREATE FUNCTION pulse(
      me int, inc bigint, silence_ms bigint, OUT is_me bool, OUT draining bool, OUT is_open bool)
    LANGUAGE plpgsql AS $$
    DECLARE limit_time timestamptz; is_judge bool; silent int[]; over bigint[]; l bigint;
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      UPDATE node n SET seen = clock_timestamp(), entered = least(n.entered, clock_timestamp())
        WHERE n.id = me AND n.incarnation = inc RETURNING n.draining INTO draining;
      is_me := FOUND;
      IF NOT is_me THEN RETURN; END IF;
      -- A dead node would count as alive until the clock is as late again.
      UPDATE node n SET seen = clock_timestamp() WHERE n.id IN (SELECT t.id FROM node t
        WHERE is_ahead(t.seen, interval '0') FOR UPDATE SKIP LOCKED);
      limit_time := clock_timestamp() - silence_ms * interval '1 ms';
      is_judge := (SELECT n.entered FROM node n WHERE n.id = me) <= limit_time;
      IF is_judge THEN
        SELECT array_agg(n.id) INTO silent FROM node n WHERE n.seen < limit_time AND n.id <> me;
      END IF;
      IF EXISTS (SELECT FROM share s WHERE s.state = 1 AND s.node = ANY (silent)) THEN
        PERFORM set_config('synchronous_commit', 'on', true);
        UPDATE share s SET state = 0, node = NULL, deaths = least(s.deaths + 1, 9999),
          run_at = clock_timestamp()
        WHERE (s.list, s.first) IN (SELECT t.list, t.first FROM share t
          WHERE t.state = 1 AND t.node = ANY (silent) FOR UPDATE SKIP LOCKED);
      END IF;
      over := over_lists();
      IF over IS NOT NULL THEN
        PERFORM set_config('synchronous_commit', 'on', true);
        -- Another node has those that are locked, or the next pulse finds them.
        FOR l IN SELECT x.id FROM list x WHERE x.id = ANY (over) ORDER BY x.id FOR UPDATE SKIP LOCKED LOOP
          PERFORM end_list(l);
        END LOOP;
      END IF;
      IF EXISTS (SELECT FROM list x WHERE x.state >= 3 AND x.keeper = ANY (silent)) THEN
        PERFORM set_config('synchronous_commit', 'on', true);
        -- The ends may have waited, and a node may be back.
        UPDATE list x SET keeper = me WHERE x.id IN (SELECT y.id FROM list y
          WHERE y.state >= 3 AND y.keeper IN (SELECT n.id FROM node n
            WHERE n.seen < limit_time AND n.id <> me) FOR UPDATE OF y SKIP LOCKED);
      END IF;
      is_open := EXISTS (SELECT FROM list x WHERE x.state < 3);
    END $$;

    CREATE FUNCTION leases(me int, inc bigint)
    RETURNS TABLE (list bigint, first int, last int, epoch int, class smallint, done varbit,
      deaths smallint, waits bytea, sequence int, state smallint)
    LANGUAGE plpgsql STABLE AS $$
    #variable_conflict use_column
    BEGIN
      IF NOT is_node(me, inc) THEN RETURN; END IF;
      RETURN QUERY SELECT s.list, s.first, s.last, s.epoch, l.class, s.done, s.deaths, s.waits,
        s.sequence, l.state FROM share s JOIN list l ON l.id = s.list
      WHERE s.node = me AND s.state = 1 ORDER BY s.list, s.first;
    END $$;

    """#
}
