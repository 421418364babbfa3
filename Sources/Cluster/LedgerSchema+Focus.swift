// SPDX-License-Identifier: Apache-2.0
// The focus of viewers. The waiting photos among them are cut out of the list, as separate shares; the cursor of the
// list passes over them. A node leases such shares ahead of others while the focus lasts, otherwise in the turns of the
// list. A node with a share of the list learns which photos to begin with.

enum FocusSchema {
  static let text = #"""
    CREATE TABLE focus (
      list bigint, viewer text COLLATE "C", photos int[] NOT NULL, until timestamptz NOT NULL,
      PRIMARY KEY (list, viewer)) WITH (fillfactor = 50);
    -- Photos behind `next` that are shares of their own, or were.
    CREATE TABLE cut (list bigint, first int, last int NOT NULL, PRIMARY KEY (list, first));

    -- Where the cursor goes on: at this photo, or behind the shares that begin with it. They need no row any more.
    CREATE FUNCTION behind_cuts(l bigint, place int) RETURNS int LANGUAGE plpgsql AS $$
    DECLARE at int := place; last int;
    BEGIN
      LOOP
        DELETE FROM cut c WHERE c.list = l AND c.first = at RETURNING c.last INTO last;
        IF NOT FOUND THEN RETURN at; END IF;
        at := last + 1;
      END LOOP;
    END $$;

    CREATE FUNCTION is_focus_over(until timestamptz) RETURNS bool LANGUAGE sql VOLATILE AS $$
      SELECT is_over(until, interval '\#(LedgerFocus.longest.components.seconds) s') $$;

    -- Answers: 0 set, 1 not at work, 2 too many viewers. Replaces the viewer's focus; no photos end it. A focus may be
    -- lost with the server.
    CREATE FUNCTION focus(
      l bigint, who text, wanted int[], for_ms bigint, OUT answer smallint, OUT open int)
    LANGUAGE plpgsql AS $$
    DECLARE
      x list%ROWTYPE; now timestamptz := clock_timestamp(); known int[]; is_ahead bool;
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      answer := 1; open := 0;
      SELECT * INTO x FROM list t WHERE t.id = l AND t.state < 2 FOR UPDATE;
      IF NOT FOUND THEN RETURN; END IF;
      DELETE FROM focus t WHERE t.list = l AND (is_focus_over(t.until) OR t.viewer = who);
      answer := 0;
      IF cardinality(wanted) > 0 THEN
        IF (SELECT count(*) FROM focus t WHERE t.list = l) >= \#(LedgerFocus.mostOfList)
          OR (SELECT count(*) FROM focus t WHERE NOT is_focus_over(t.until))
            >= \#(LedgerFocus.mostViewers)
        THEN
          answer := 2;
          RETURN;
        END IF;
        PERFORM cut_out(l, wanted);
        SELECT t.next INTO x.next FROM list t WHERE t.id = l;
        -- Those that are not recorded: no share has had them, or their bit is not set.
        SELECT coalesce(array_agg(w.n ORDER BY w.n), '{}'), coalesce(bool_or(w.is_ready), false)
          INTO known, is_ahead FROM (
          SELECT u.n, s.last >= u.n AND s.state = 0 AS is_ready,
            CASE WHEN s.last >= u.n THEN get_bit(s.done, u.n - s.first) = 1
              ELSE u.n < x.next OR c.last >= u.n END AS is_recorded
          FROM (SELECT DISTINCT v AS n FROM unnest(wanted) v WHERE v BETWEEN 1 AND x.photos) u
          LEFT JOIN LATERAL (SELECT t.last FROM cut t WHERE t.list = l AND t.first <= u.n
            ORDER BY t.first DESC LIMIT 1) c ON true
          LEFT JOIN LATERAL (SELECT t.first, t.last, t.state, t.done FROM share t
            WHERE t.list = l AND t.first <= u.n ORDER BY t.first DESC LIMIT 1) s ON true) w
          WHERE w.is_recorded IS NOT TRUE;
        open := cardinality(known);
        IF open > 0 THEN
          INSERT INTO focus VALUES (l, who, known, now + for_ms * interval '1 ms');
        END IF;
        IF is_ahead THEN PERFORM pg_notify('darkroom', 'ahead ' || l); END IF;
      END IF;
      PERFORM pg_notify('darkroom', 'focus ' || l);
    END $$;

    -- Makes shares of the photos that no share has had, as far as the list may have more of them; it is locked.
    CREATE FUNCTION cut_out(l bigint, wanted int[]) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE x list%ROWTYPE; f int; z int; n int := 0;
    BEGIN
      SELECT * INTO x FROM list t WHERE t.id = l;
      IF (SELECT count(*) FROM cut t WHERE t.list = l) >= \#(LedgerFocus.mostGaps) THEN RETURN; END IF;
      FOR f, z IN
        SELECT min(q.n), max(q.n) FROM (
          SELECT p.n, p.run,
            (row_number() OVER (PARTITION BY p.run ORDER BY p.n) - 1)
              / \#(LedgerFocus.largestShare) AS piece
          FROM (SELECT u.n, u.n - row_number() OVER (ORDER BY u.n) AS run
            FROM (SELECT DISTINCT v AS n FROM unnest(wanted) v
              WHERE v BETWEEN x.next AND x.photos) u
            LEFT JOIN LATERAL (SELECT t.last FROM cut t WHERE t.list = l AND t.first <= u.n
              ORDER BY t.first DESC LIMIT 1) c ON true
            WHERE coalesce(c.last, 0) < u.n) p) q
        GROUP BY q.run, q.piece ORDER BY 1
        LIMIT least(\#(LedgerFocus.mostNew), greatest(0, \#(LedgerFocus.mostCuts) - x.cuts))
      LOOP
        UPDATE cut t SET last = z WHERE t.list = l AND t.last = f - 1;
        IF NOT FOUND THEN INSERT INTO cut VALUES (l, f, z); END IF;
        INSERT INTO share (list, first, last, state, epoch, done)
          VALUES (l, f, z, 0, 0, repeat('0', z - f + 1)::varbit);
        n := n + 1;
      END LOOP;
      IF n = 0 THEN RETURN; END IF;
      f := behind_cuts(l, x.next);
      UPDATE list t SET next = f, cuts = t.cuts + n WHERE t.id = l;
    END $$;

    CREATE FUNCTION focuses(ls bigint[])
    RETURNS TABLE (list bigint, viewer text, photos int[], time_ms bigint)
    LANGUAGE sql STABLE AS $$
      SELECT f.list, f.viewer, f.photos,
        (extract(epoch FROM f.until - clock_timestamp()) * 1000)::bigint
      FROM focus f WHERE f.list = ANY (ls) AND NOT is_focus_over(f.until)
      ORDER BY f.list, f.viewer $$;

    -- The next ready share of one list that a viewer looks at, or of any but `besides`.
    CREATE FUNCTION ahead_share(one bigint, besides bigint[], OUT l bigint, OUT f int) LANGUAGE plpgsql STABLE AS $$
    BEGIN
      SELECT v.list, s.first INTO l, f
      FROM focus v JOIN list x ON x.id = v.list
      JOIN account a ON a.class = x.class AND a.owner = x.owner
      CROSS JOIN LATERAL (
        SELECT t.first FROM unnest(v.photos) p
        CROSS JOIN LATERAL (SELECT y.first, y.last, y.state, y.run_at FROM share y
          WHERE y.list = v.list AND y.first <= p ORDER BY y.first DESC LIMIT 1) t
        WHERE t.last >= p AND t.state = 0 AND is_due(t.run_at)
        ORDER BY t.first LIMIT 1) s
      WHERE NOT is_focus_over(v.until) AND x.state = 0 AND (one IS NULL OR v.list = one)
        AND v.list <> ALL (besides)
        AND NOT EXISTS (SELECT FROM list e WHERE e.id = x.revises AND e.state < 3)
      ORDER BY x.class, a.pass, x.owner, v.list, s.first LIMIT 1;
    END $$;

    -- Shares that viewers look at, of one list but none of `besides`, whatever else the node has. Their user pays for
    -- shares of epoch 0 as in a turn; the others are paid for.
    CREATE FUNCTION lease_ahead(me int, inc bigint, want int, besides bigint[])
    RETURNS TABLE (list bigint, first int, last int, epoch int, class smallint, done varbit,
      deaths smallint, waits bytea) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    DECLARE got int := 0; x list%ROWTYPE; next_list bigint; next_first int; s share%ROWTYPE;
    BEGIN
      PERFORM FROM node n WHERE n.id = me AND n.incarnation = inc AND NOT n.draining FOR SHARE;
      IF NOT FOUND THEN RETURN; END IF;
      FOR k IN 1 .. 16 LOOP
        EXIT WHEN got >= want;
        SELECT t.l, t.f INTO next_list, next_first FROM ahead_share(x.id, besides) t;
        EXIT WHEN next_list IS NULL;
        SELECT * INTO x FROM list t WHERE t.id = next_list FOR UPDATE;
        EXIT WHEN x.state <> 0;
        -- Another node may have taken it meanwhile, or put it off.
        SELECT * INTO s FROM share t WHERE t.list = next_list AND t.first = next_first
          AND t.state = 0 AND is_due(t.run_at) FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        got := got + s.last - s.first + 1;
        IF s.epoch = 0 THEN
          UPDATE list t SET cuts = t.cuts - 1, pass = t.pass + s.last - s.first + 1
            WHERE t.id = next_list;
          PERFORM pay(x.class, x.owner, s.last - s.first + 1);
        END IF;
        RETURN QUERY SELECT t.* FROM take_share(me, next_list, next_first, x.class) t;
      END LOOP;
    END $$;

    """#
}
