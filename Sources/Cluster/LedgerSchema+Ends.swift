// SPDX-License-Identifier: Apache-2.0
// The functions of the ledger that end lists, and those for people.

extension LedgerSchema {
  static let ends = #"""
    -- Ends the list if nothing is left of it. Its home returns it, unless that is dead: then a pulse hands it on. The row
    -- of its home may be gone.
    CREATE FUNCTION end_list(l bigint) RETURNS bool LANGUAGE plpgsql AS $$
    DECLARE x list%ROWTYPE;
    BEGIN
      SELECT * INTO x FROM list t WHERE t.id = l AND t.state < 3 FOR UPDATE;
      IF NOT FOUND THEN RETURN false; END IF;
      IF x.state = 2 THEN
        -- A node that takes one at this moment keeps it.
        DELETE FROM share s USING (SELECT t.first FROM share t
            WHERE t.list = l AND t.state = 0 FOR UPDATE SKIP LOCKED) r
          WHERE s.list = l AND s.first = r.first;
        IF EXISTS (SELECT FROM share s WHERE s.list = l) THEN RETURN false; END IF;
      ELSE
        IF x.next <= x.photos OR EXISTS (SELECT FROM share s WHERE s.list = l) THEN
          RETURN false;
        END IF;
      END IF;
      DELETE FROM cut c WHERE c.list = l;
      DELETE FROM focus f WHERE f.list = l;
      UPDATE list t SET state = CASE x.state WHEN 2 THEN 4 ELSE 3 END,
        ended = clock_timestamp(),
        keeper = coalesce(
          (SELECT n.id FROM node n WHERE n.id = t.home FOR KEY SHARE SKIP LOCKED), any_node())
        WHERE t.id = l;
      PERFORM pg_notify('darkroom', 'over ' || l);
      RETURN true;
    END $$;

    -- Those with nothing left that did not end: their node died between a report and the end of its list, or an order
    -- and the last report did not see each other.
    CREATE FUNCTION over_lists() RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN (SELECT array_agg(x.id ORDER BY x.id) FROM list x
      WHERE x.state < 3 AND (x.state = 2 OR x.next > x.photos)
        AND NOT EXISTS (
          SELECT FROM share s WHERE s.list = x.id AND (x.state < 2 OR s.state = 1)));
    END $$;

    -- Of those that a report may have ended. Nodes of ledger 6 and earlier give several, and may have to repeat it.
    CREATE FUNCTION end_lists(ls bigint[]) RETURNS bool LANGUAGE plpgsql AS $$
    DECLARE l bigint; is_any bool := false;
    BEGIN
      FOR l IN SELECT DISTINCT u FROM unnest(ls) u ORDER BY u LOOP
        IF EXISTS (SELECT FROM list x WHERE x.id = l
          AND (x.state = 2 OR (x.state < 2 AND x.next > x.photos)))
        THEN
          is_any := end_list(l) OR is_any;
        END IF;
      END LOOP;
      RETURN is_any;
    END $$;

    CREATE FUNCTION closed(me int, inc bigint) RETURNS TABLE (list bigint)
    LANGUAGE sql STABLE AS $$
      SELECT x.id FROM list x WHERE x.state >= 3 AND x.keeper = me AND NOT x.is_returned
        AND is_node(me, inc) ORDER BY x.id $$;

    CREATE FUNCTION returned(me int, inc bigint, l bigint, org text) RETURNS bool
    LANGUAGE sql AS $$
      WITH done AS (UPDATE list x SET is_returned = true, keeper = NULL
        WHERE x.id = l AND x.keeper = me AND x.state >= 3 AND NOT x.is_returned
          AND is_from(l, org) AND is_node(me, inc) RETURNING 1)
      SELECT EXISTS (SELECT FROM done) $$;

    CREATE FUNCTION retire(me int, inc bigint, age_ms bigint) RETURNS TABLE (list bigint)
    LANGUAGE sql AS $$
      UPDATE list x SET ended = clock_timestamp() WHERE x.id IN (SELECT y.id FROM list y
        WHERE y.state >= 3 AND is_ahead(y.ended, interval '0') ORDER BY y.id FOR UPDATE SKIP LOCKED);
      WITH done AS (UPDATE list x SET keeper = me WHERE x.id IN (SELECT y.id FROM list y
          WHERE y.state >= 3 AND y.is_returned AND (y.keeper IS NULL OR y.keeper = me)
            AND y.ended <= clock_timestamp() - age_ms * interval '1 ms'
            AND is_node(me, inc) ORDER BY y.id LIMIT 64 FOR UPDATE SKIP LOCKED) RETURNING x.id)
      SELECT d.id FROM done d ORDER BY d.id $$;

    CREATE FUNCTION retired(me int, inc bigint, l bigint) RETURNS bool LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE name t SET newest = NULL FROM list x
        WHERE x.id = l AND t.owner = x.owner AND t.name = x.name AND t.newest = l;
      DELETE FROM list x WHERE x.id = l AND x.keeper = me AND x.is_returned AND is_node(me, inc);
      IF NOT FOUND THEN
        -- A lost answer is asked for again.
        IF NOT EXISTS (SELECT FROM list x WHERE x.id = l) THEN RETURN true; END IF;
        RAISE EXCEPTION 'list % is not for this node to remove', l;
      END IF;
      DELETE FROM outcome o WHERE o.list = l;
      DELETE FROM tally t WHERE t.list = l;
      DELETE FROM origin o WHERE o.list = l;
      RETURN true;
    END $$;

    """#

  static let people = #"""
    -- 0 resume, 1 pause, 2 cancel, 3 class: one row, however long the list.
    CREATE FUNCTION order_list(me int, l bigint, org text, what smallint, cls smallint)
    RETURNS bool LANGUAGE plpgsql AS $$
    DECLARE x list%ROWTYPE;
    BEGIN
      IF NOT is_from(l, org) THEN RETURN false; END IF;
      PERFORM changed(me);
      SELECT * INTO x FROM list t WHERE t.id = l AND t.state < 3 FOR UPDATE;
      IF NOT FOUND THEN RETURN false; END IF;
      IF what = 3 THEN
        IF x.class = cls THEN RETURN false; END IF;
        PERFORM join_turns(cls, x.owner);
        UPDATE list t SET class = cls, pass = greatest(x.pass, list_pass(cls, x.owner))
          WHERE t.id = l;
      ELSE
        IF x.state >= 2 OR x.state = what THEN RETURN false; END IF;
        IF what = 0 THEN
          PERFORM join_turns(x.class, x.owner);
          UPDATE list t SET state = 0, pass = greatest(x.pass, list_pass(x.class, x.owner))
            WHERE t.id = l;
        ELSE
          UPDATE list t SET state = what WHERE t.id = l;
        END IF;
        IF what = 2 THEN PERFORM end_list(l); END IF;
      END IF;
      PERFORM pg_notify('darkroom', 'list ' || l);
      RETURN true;
    END $$;

    CREATE FUNCTION lists(behind bigint, most int, is_open bool)
    RETURNS TABLE (list bigint, owner text, name bytea, folder bytea, class smallint,
      state smallint, photos int, filtered bigint, failed bigint, leased bigint, nodes bigint)
    LANGUAGE sql STABLE AS $$
      SELECT l.id, l.owner, l.name, l.folder, l.class, l.state, l.photos,
        coalesce(t.filtered, 0), coalesce(t.failed, 0), coalesce(s.leased, 0), s.nodes
      FROM (SELECT * FROM list x WHERE x.id > behind AND (NOT is_open OR x.state < 3)
        ORDER BY x.id LIMIT most) l
      LEFT JOIN LATERAL (SELECT sum(y.filtered)::bigint AS filtered, sum(y.failed)::bigint AS failed
        FROM tally y WHERE y.list = l.id) t ON true
      LEFT JOIN LATERAL (SELECT sum(y.last - y.first + 1)::bigint AS leased,
        count(DISTINCT y.node) AS nodes FROM share y WHERE y.list = l.id AND y.state = 1) s ON true
      ORDER BY l.id $$;

    CREATE FUNCTION entry(org text)
    RETURNS TABLE (list bigint, owner text, name bytea, folder bytea, class smallint,
      state smallint, photos int, filtered bigint, failed bigint, leased bigint, nodes bigint)
    LANGUAGE sql STABLE AS $$
      SELECT x.* FROM origin o CROSS JOIN LATERAL lists(o.list - 1, 1, false) x
      WHERE o.origin = org AND x.list = o.list $$;

    -- Where the newest list of the name was dropped; of any user, if who is null.
    CREATE FUNCTION home(n bytea, who text) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT d.name FROM name x JOIN list l ON l.id = x.newest JOIN node d ON d.id = l.home
      WHERE x.name = n AND (who IS NULL OR x.owner = who) ORDER BY l.id DESC LIMIT 1 $$;

    CREATE FUNCTION outcomes(l bigint, org text, low int, high int) RETURNS TABLE (rows bytea)
    LANGUAGE sql STABLE AS $$
      SELECT o.rows FROM outcome o WHERE o.list = l AND o.first <= high AND o.last >= low
        AND is_from(l, org) $$;

    """#
}
