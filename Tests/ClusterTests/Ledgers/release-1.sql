-- SPDX-License-Identifier: Apache-2.0
-- The ledger as release 1 makes it: the output of pg_dump --schema-only without its comments and settings, and
-- the row of its release.
SET check_function_bodies = false;
CREATE SCHEMA darkroom;
CREATE FUNCTION darkroom.ahead_share(one bigint, besides bigint[], OUT l bigint, OUT f integer) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.any_node() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  RETURN (SELECT n.id FROM node n ORDER BY n.seen DESC, n.id LIMIT 1 FOR KEY SHARE SKIP LOCKED);
END $$;
CREATE FUNCTION darkroom.behind_cuts(l bigint, place integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
DECLARE at int := place; last int;
BEGIN
  LOOP
    DELETE FROM cut c WHERE c.list = l AND c.first = at RETURNING c.last INTO last;
    IF NOT FOUND THEN RETURN at; END IF;
    at := last + 1;
  END LOOP;
END $$;
CREATE FUNCTION darkroom.changed(me integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO change AS c SELECT n.name, 1 FROM node n WHERE n.id = me
  ON CONFLICT (node) DO UPDATE SET count = c.count + 1;
END $$;
CREATE FUNCTION darkroom.closed(me integer, inc bigint) RETURNS TABLE(list bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT x.id FROM list x WHERE x.state >= 3 AND x.keeper = me AND NOT x.is_returned
    AND is_node(me, inc) ORDER BY x.id $$;
CREATE FUNCTION darkroom.cut_out(l bigint, wanted integer[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
DECLARE x list%ROWTYPE; f int; z int; n int := 0;
BEGIN
  SELECT * INTO x FROM list t WHERE t.id = l;
  IF (SELECT count(*) FROM cut t WHERE t.list = l) >= 1024 THEN RETURN; END IF;
  FOR f, z IN
    SELECT min(q.n), max(q.n) FROM (
      SELECT p.n, p.run,
        (row_number() OVER (PARTITION BY p.run ORDER BY p.n) - 1)
          / 32 AS piece
      FROM (SELECT u.n, u.n - row_number() OVER (ORDER BY u.n) AS run
        FROM (SELECT DISTINCT v AS n FROM unnest(wanted) v
          WHERE v BETWEEN x.next AND x.photos) u
        LEFT JOIN LATERAL (SELECT t.last FROM cut t WHERE t.list = l AND t.first <= u.n
          ORDER BY t.first DESC LIMIT 1) c ON true
        WHERE coalesce(c.last, 0) < u.n) p) q
    GROUP BY q.run, q.piece ORDER BY 1
    LIMIT least(64, greatest(0, 256 - x.cuts))
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
CREATE FUNCTION darkroom.drain(who text, is_on boolean) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  WITH done AS (UPDATE node SET draining = is_on WHERE name = who RETURNING 1)
  SELECT EXISTS (SELECT FROM done) $$;
CREATE FUNCTION darkroom.end_list(l bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.end_lists(ls bigint[]) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.enter(who text, new_run bigint, known bigint, new_version text, OUT id integer, OUT incarnation bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.entry(org text) RETURNS TABLE(list bigint, owner text, name bytea, folder bytea, class smallint, state smallint, photos integer, filtered bigint, failed bigint, leased bigint, nodes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT x.* FROM origin o CROSS JOIN LATERAL lists(o.list - 1, 1, false) x
  WHERE o.origin = org AND x.list = o.list $$;
CREATE FUNCTION darkroom.focus(l bigint, who text, wanted integer[], for_ms bigint, OUT answer smallint, OUT open integer) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
    IF (SELECT count(*) FROM focus t WHERE t.list = l) >= 16
      OR (SELECT count(*) FROM focus t WHERE NOT is_focus_over(t.until))
        >= 256
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
CREATE FUNCTION darkroom.focuses(ls bigint[]) RETURNS TABLE(list bigint, viewer text, photos integer[], time_ms bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT f.list, f.viewer, f.photos,
    (extract(epoch FROM f.until - clock_timestamp()) * 1000)::bigint
  FROM focus f WHERE f.list = ANY (ls) AND NOT is_focus_over(f.until)
  ORDER BY f.list, f.viewer $$;
CREATE FUNCTION darkroom.give_back(me integer, inc bigint, l bigint, f integer, e integer, after_ms bigint, left_waits bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.go_on() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
DECLARE
  number regclass := pg_get_serial_sequence('list', 'id');
  past bigint :=
    extract(epoch FROM clock_timestamp() - timestamptz '2026-01-01 00:00+00') * 1000;
BEGIN
  UPDATE release r SET life = greatest(r.life + 1, past);
  PERFORM setval(number, greatest(nextval(number), past));
END $$;
CREATE FUNCTION darkroom.history(OUT life bigint, OUT counts text) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  SELECT r.life INTO history.life FROM release r;
  SELECT coalesce(string_agg(c.count || ' ' || c.node, chr(10)), '') INTO history.counts
    FROM change c;
END $$;
CREATE FUNCTION darkroom.home(n bytea, who text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT d.name FROM name x JOIN list l ON l.id = x.newest JOIN node d ON d.id = l.home
  WHERE x.name = n AND (who IS NULL OR x.owner = who) ORDER BY l.id DESC LIMIT 1 $$;
CREATE FUNCTION darkroom.is_ahead(t timestamp with time zone, most interval) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT t > clock_timestamp() + most + interval '1 s' $$;
CREATE FUNCTION darkroom.is_due(t timestamp with time zone) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT is_over(t, interval '30 s') $$;
CREATE FUNCTION darkroom.is_focus_over(until timestamp with time zone) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT is_over(until, interval '3600 s') $$;
CREATE FUNCTION darkroom.is_from(l bigint, org text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  RETURN org IS NULL OR EXISTS (SELECT FROM origin o WHERE o.origin = org AND o.list = l);
END $$;
CREATE FUNCTION darkroom.is_node(me integer, inc bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  RETURN EXISTS (SELECT FROM node n WHERE n.id = me AND n.incarnation = inc);
END $$;
CREATE FUNCTION darkroom.is_over(t timestamp with time zone, most interval) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT t <= clock_timestamp() OR is_ahead(t, most) $$;
CREATE FUNCTION darkroom.join_turns(cls smallint, who text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  INSERT INTO account AS a VALUES (cls, who, coalesce(least_pass(cls), 0))
  ON CONFLICT (class, owner) DO UPDATE SET pass = greatest(a.pass, excluded.pass) $$;
CREATE FUNCTION darkroom.lease(me integer, inc bigint, want integer, largest integer, upto smallint, is_reversed boolean, full_lists bigint[], standing bigint[], waiting integer[], silence_ms bigint) RETURNS TABLE(list bigint, first integer, last integer, epoch integer, class smallint, done bit varying, deaths smallint, waits bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
    WHERE y.lists >= 256
      OR y.photos >= 16 * largest
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
CREATE FUNCTION darkroom.lease_ahead(me integer, inc bigint, want integer, besides bigint[]) RETURNS TABLE(list bigint, first integer, last integer, epoch integer, class smallint, done bit varying, deaths smallint, waits bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.leases(me integer, inc bigint) RETURNS TABLE(list bigint, first integer, last integer, epoch integer, class smallint, done bit varying, deaths smallint, waits bytea, sequence integer, state smallint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  IF NOT is_node(me, inc) THEN RETURN; END IF;
  RETURN QUERY SELECT s.list, s.first, s.last, s.epoch, l.class, s.done, s.deaths, s.waits,
    s.sequence, l.state FROM share s JOIN list l ON l.id = s.list
  WHERE s.node = me AND s.state = 1 ORDER BY s.list, s.first;
END $$;
CREATE FUNCTION darkroom.least_pass(cls smallint) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT greatest(min(a.pass), max(a.pass) - 4096)
  FROM account a WHERE a.class = cls AND EXISTS (
    SELECT FROM list l WHERE l.class = cls AND l.owner = a.owner AND l.is_ready) $$;
CREATE FUNCTION darkroom.leave_seats(h text, me integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
DECLARE other int;
BEGIN
  DELETE FROM seat s WHERE s.host = h AND s.node = me;
  DELETE FROM host t WHERE t.name = h AND NOT EXISTS (SELECT FROM seat s WHERE s.host = h);
  IF FOUND THEN RETURN; END IF;
  FOR other IN SELECT s.node FROM seat s
    JOIN seat_parts(h, (SELECT min(t.most) FROM seat t WHERE t.host = h)) p ON p.node = s.node
    WHERE s.host = h AND s.told < p.part
  LOOP
    PERFORM pg_notify('darkroom', 'seats ' || other);
  END LOOP;
END $$;
CREATE FUNCTION darkroom.list_pass(cls smallint, who text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT coalesce(min(l.pass), 0) FROM list l WHERE l.class = cls AND l.owner = who
    AND l.is_ready $$;
CREATE FUNCTION darkroom.lists(behind bigint, most integer, is_open boolean) RETURNS TABLE(list bigint, owner text, name bytea, folder bytea, class smallint, state smallint, photos integer, filtered bigint, failed bigint, leased bigint, nodes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT l.id, l.owner, l.name, l.folder, l.class, l.state, l.photos,
    coalesce(t.filtered, 0), coalesce(t.failed, 0), coalesce(s.leased, 0), s.nodes
  FROM (SELECT * FROM list x WHERE x.id > behind AND (NOT is_open OR x.state < 3)
    ORDER BY x.id LIMIT most) l
  LEFT JOIN LATERAL (SELECT sum(y.filtered)::bigint AS filtered, sum(y.failed)::bigint AS failed
    FROM tally y WHERE y.list = l.id) t ON true
  LEFT JOIN LATERAL (SELECT sum(y.last - y.first + 1)::bigint AS leased,
    count(DISTINCT y.node) AS nodes FROM share y WHERE y.list = l.id AND y.state = 1) s ON true
  ORDER BY l.id $$;
CREATE FUNCTION darkroom.node_gone() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  UPDATE share s SET state = 0, node = NULL, run_at = clock_timestamp()
    WHERE (s.list, s.first) IN (SELECT t.list, t.first FROM share t
      WHERE t.state = 1 AND t.node = OLD.id ORDER BY t.list, t.first FOR UPDATE);
  UPDATE list l SET keeper = any_node() WHERE l.id IN (SELECT x.id FROM list x
    WHERE x.state >= 3 AND x.keeper = OLD.id ORDER BY x.id FOR UPDATE);
  DELETE FROM asker a WHERE a.node = OLD.id;
  RETURN NULL;
END $$;
CREATE FUNCTION darkroom.nodes() RETURNS TABLE(name text, silence bigint, draining boolean, leased bigint, version text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT n.name, extract(epoch FROM clock_timestamp() - n.seen)::bigint, n.draining,
    coalesce((SELECT sum(s.last - s.first + 1) FROM share s
      WHERE s.node = n.id AND s.state = 1), 0), n.version
  FROM node n ORDER BY n.name COLLATE "C" $$;
CREATE FUNCTION darkroom.order_list(me integer, l bigint, org text, what smallint, cls smallint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.outcomes(l bigint, org text, low integer, high integer) RETURNS TABLE(rows bytea)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT o.rows FROM outcome o WHERE o.list = l AND o.first <= high AND o.last >= low
    AND is_from(l, org) $$;
CREATE FUNCTION darkroom.over_lists() RETURNS bigint[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  RETURN (SELECT array_agg(x.id ORDER BY x.id) FROM list x
  WHERE x.state < 3 AND (x.state = 2 OR x.next > x.photos)
    AND NOT EXISTS (
      SELECT FROM share s WHERE s.list = x.id AND (x.state < 2 OR s.state = 1)));
END $$;
CREATE FUNCTION darkroom.pay(cls smallint, who text, n integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
BEGIN
  UPDATE account a SET pass = n + greatest(a.pass,
      (SELECT max(o.pass) FROM account o WHERE o.class = cls) - 4096)
    WHERE a.class = cls AND a.owner = who;
END $$;
CREATE FUNCTION darkroom.pulse(me integer, inc bigint, silence_ms bigint, OUT is_me boolean, OUT draining boolean, OUT is_open boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.report(me integer, inc bigint, ls bigint[], fs integer[], es integer[], qs integer[], masks bit varying[], goods integer[], bads integer[], rows bytea[], ends boolean[]) RETURNS TABLE(verdict smallint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.retire(me integer, inc bigint, age_ms bigint) RETURNS TABLE(list bigint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  UPDATE list x SET ended = clock_timestamp() WHERE x.id IN (SELECT y.id FROM list y
    WHERE y.state >= 3 AND is_ahead(y.ended, interval '0') ORDER BY y.id FOR UPDATE SKIP LOCKED);
  WITH done AS (UPDATE list x SET keeper = me WHERE x.id IN (SELECT y.id FROM list y
      WHERE y.state >= 3 AND y.is_returned AND (y.keeper IS NULL OR y.keeper = me)
        AND y.ended <= clock_timestamp() - age_ms * interval '1 ms'
        AND is_node(me, inc) ORDER BY y.id LIMIT 64 FOR UPDATE SKIP LOCKED) RETURNING x.id)
  SELECT d.id FROM done d ORDER BY d.id $$;
CREATE FUNCTION darkroom.retired(me integer, inc bigint, l bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.returned(me integer, inc bigint, l bigint, org text) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  WITH done AS (UPDATE list x SET is_returned = true, keeper = NULL
    WHERE x.id = l AND x.keeper = me AND x.state >= 3 AND NOT x.is_returned
      AND is_from(l, org) AND is_node(me, inc) RETURNING 1)
  SELECT EXISTS (SELECT FROM done) $$;
CREATE FUNCTION darkroom.seat_parts(h text, room integer) RETURNS TABLE(node integer, part integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT x.node, count(*)::int FROM (
    SELECT s.node FROM seat s CROSS JOIN generate_series(1, least(room, s.useful)) r
    WHERE s.host = h
    ORDER BY r > s.need, r, s.turn, s.node LIMIT room) x GROUP BY x.node $$;
CREATE FUNCTION darkroom.seats(me integer, inc bigint, ask bigint, most integer, useful integer, hosts text[], helds integer[], needs integer[], words integer[], waits bigint[], silence_ms bigint) RETURNS TABLE(host text, seats integer, word integer, wait_ms bigint, age_ms bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  is_judge bool; x record;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT n.entered <= clock_timestamp() - silence_ms * interval '1 ms' INTO is_judge
    FROM node n WHERE n.id = me AND n.incarnation = inc FOR SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO asker AS a VALUES (me, inc, ask)
  ON CONFLICT (node) DO UPDATE SET incarnation = inc, number = ask
    WHERE (a.incarnation, a.number) < (inc, ask);
  IF NOT FOUND THEN RETURN; END IF;
  -- A server that is named without photos is left, after the word about it.
  FOR x IN SELECT y.h, max(y.held) AS held, max(y.need) AS need, max(y.word) AS word,
      max(y.wait) AS wait, bool_or(y.is_named) AS is_named FROM (
      SELECT u.*, true AS is_named
      FROM unnest(hosts, helds, needs, words, waits) u (h, held, need, word, wait)
      UNION ALL SELECT s.host, 0, 0, 0, 0, false FROM seat s WHERE s.node = me) y
    GROUP BY y.h ORDER BY y.h COLLATE "C"
  LOOP
    LOOP
      INSERT INTO host VALUES (x.h) ON CONFLICT DO NOTHING;
      PERFORM FROM host t WHERE t.name = x.h FOR UPDATE;
      EXIT WHEN FOUND;
    END LOOP;
    IF x.word > 0 THEN
      -- An answer stays until all nodes have asked: a node that alone does not reach the server fails at once.
      UPDATE host t SET word = x.word, wait_ms = x.wait, said_at = clock_timestamp(),
        sayer = me WHERE t.name = x.h AND NOT (x.word = 1 AND t.word = 2
          AND t.said_at > clock_timestamp() - silence_ms * interval '1 ms'
          AND NOT is_ahead(t.said_at, interval '0'));
    END IF;
    seats := 0;
    SELECT t.word, t.wait_ms, (extract(epoch FROM clock_timestamp() - t.said_at) * 1000)::bigint
      INTO word, wait_ms, age_ms FROM host t
      WHERE t.name = x.h AND t.sayer <> me AND NOT is_ahead(t.said_at, interval '0');
    IF NOT FOUND THEN
      word := 0; wait_ms := 0; age_ms := 0;
    END IF;
    IF x.need > 0 THEN
      seats := take_seats(x.h, me, most, useful, x.held, x.need, silence_ms, is_judge);
    ELSE
      PERFORM leave_seats(x.h, me);
    END IF;
    IF x.is_named THEN
      host := x.h;
      RETURN NEXT;
    END IF;
  END LOOP;
  -- Dead nodes, at servers that no node asks for.
  IF is_judge AND ask % 16 = 0 THEN
    UPDATE seat s SET until = clock_timestamp() + s.lease
      WHERE (s.host, s.node) IN (SELECT t.host, t.node FROM seat t
        WHERE t.node <> me AND is_ahead(t.until, t.lease) FOR UPDATE SKIP LOCKED);
    DELETE FROM seat s WHERE (s.host, s.node) IN (SELECT t.host, t.node FROM seat t
      WHERE t.node <> me AND t.until < clock_timestamp() FOR UPDATE SKIP LOCKED);
    DELETE FROM host t WHERE t.name IN (SELECT o.name FROM host o
      WHERE NOT EXISTS (SELECT FROM seat s WHERE s.host = o.name) FOR UPDATE SKIP LOCKED);
  END IF;
END $$;
CREATE FUNCTION darkroom.submission(l bigint) RETURNS TABLE(origin text, owner text, name bytea, sha256 text, class smallint, photos integer, folder bytea, is_roll boolean, terms text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
  SELECT x.origin, x.owner, x.name, x.sha256, x.class, x.photos, x.folder, x.is_roll, x.terms
  FROM list x WHERE x.id = l $$;
CREATE FUNCTION darkroom.submit(me integer, org text, who text, nm bytea, sha text, cls smallint, n integer, fd bytea, is_free boolean, roll boolean, tm text, OUT id bigint, OUT is_twin boolean, OUT earlier bigint, OUT folder bytea) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE FUNCTION darkroom.take_seats(h text, me integer, own_most integer, own_useful integer, held integer, wish integer, silence_ms bigint, is_judge boolean) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
DECLARE
  now timestamptz := clock_timestamp(); span interval := silence_ms * interval '1 ms';
  old seat%ROWTYPE; room int; others int; crowd int; last bigint; moves bool; part int;
  other int;
BEGIN
  UPDATE seat s SET until = now + s.lease
    WHERE s.host = h AND s.node <> me AND is_ahead(s.until, s.lease);
  IF is_judge THEN
    DELETE FROM seat s WHERE s.host = h AND s.node <> me AND s.until < now;
  END IF;
  SELECT least(own_most, min(s.most)), coalesce(sum(s.seats), 0), count(*) + 1,
    coalesce(max(s.turn), 0)
    INTO room, others, crowd, last FROM seat s WHERE s.host = h AND s.node <> me;
  SELECT * INTO old FROM seat s WHERE s.host = h AND s.node = me;
  -- More nodes than seats: each has a seat for the time of a lease, then goes to the end.
  moves := crowd > room AND old.told > 0 AND is_over(old.since + span, span);
  INSERT INTO seat AS s VALUES (h, me, own_most, own_useful, greatest(wish, 1), 0, held,
    last + 1, now, now + span, span)
  ON CONFLICT (host, node) DO UPDATE
    SET most = own_most, useful = own_useful, need = greatest(wish, 1),
    turn = CASE WHEN moves THEN last + 1 ELSE s.turn END, until = now + span, lease = span;
  SELECT p.part INTO part FROM seat_parts(h, room) p WHERE p.node = me;
  part := greatest(0, least(coalesce(part, 0), room - others));
  UPDATE seat s SET told = part, seats = greatest(part, held),
    since = CASE WHEN old.told > 0 AND NOT moves THEN s.since ELSE now END
    WHERE s.host = h AND s.node = me;
  -- A crash must not forget the seats that a node was told.
  IF greatest(part, held) > coalesce(old.seats, 0) THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  others := others + greatest(part, held);
  -- The nodes that have more to leave, or can have more.
  FOR other IN SELECT s.node FROM seat s LEFT JOIN seat_parts(h, room) p ON p.node = s.node
    WHERE s.host = h AND s.node <> me AND (s.told > coalesce(p.part, 0)
      OR s.told < least(p.part, room - others + s.seats))
  LOOP
    PERFORM pg_notify('darkroom', 'seats ' || other);
  END LOOP;
  RETURN part;
END $$;
CREATE FUNCTION darkroom.take_share(me integer, l bigint, f integer, cls smallint) RETURNS TABLE(list bigint, first integer, last integer, epoch integer, class smallint, done bit varying, deaths smallint, waits bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY UPDATE share s
    SET state = 1, node = me, epoch = s.epoch + 1, sequence = 0
    WHERE s.list = l AND s.first = f
    RETURNING s.list, s.first, s.last, s.epoch, cls, s.done, s.deaths, s.waits;
END $$;
CREATE FUNCTION darkroom.tie(own_folder text, OUT identity text, OUT folder text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  UPDATE release SET folder = own_folder WHERE folder = '';
  SELECT r.identity, r.folder INTO tie.identity, tie.folder FROM release r;
END $$;
CREATE FUNCTION darkroom.turn_list(upto smallint, is_reversed boolean, full_lists bigint[], users text[], classes smallint[]) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'darkroom', 'pg_temp'
    AS $$
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
CREATE TABLE darkroom.account (
    class smallint NOT NULL,
    owner text NOT NULL COLLATE pg_catalog."C",
    pass bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE darkroom.asker (
    node integer NOT NULL,
    incarnation bigint NOT NULL,
    number bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE darkroom.change (
    node text NOT NULL,
    count bigint NOT NULL
)
WITH (fillfactor='30');
CREATE TABLE darkroom.cut (
    list bigint NOT NULL,
    first integer NOT NULL,
    last integer NOT NULL
);
CREATE TABLE darkroom.focus (
    list bigint NOT NULL,
    viewer text NOT NULL COLLATE pg_catalog."C",
    photos integer[] NOT NULL,
    until timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE darkroom.folder (
    name bytea NOT NULL
);
CREATE TABLE darkroom.host (
    name text NOT NULL COLLATE pg_catalog."C",
    word integer DEFAULT 0 NOT NULL,
    wait_ms bigint,
    said_at timestamp with time zone,
    sayer integer
)
WITH (fillfactor='50');
CREATE TABLE darkroom.list (
    id bigint NOT NULL,
    owner text NOT NULL COLLATE pg_catalog."C",
    name bytea NOT NULL,
    sha256 text NOT NULL,
    class smallint NOT NULL,
    photos integer NOT NULL,
    next integer DEFAULT 1 NOT NULL,
    cuts integer DEFAULT 0 NOT NULL,
    pass bigint NOT NULL,
    state smallint DEFAULT 0 NOT NULL,
    is_ready boolean GENERATED ALWAYS AS (((state = 0) AND ((next <= photos) OR (cuts > 0)))) STORED,
    revises bigint,
    folder bytea NOT NULL,
    is_roll boolean NOT NULL,
    terms text NOT NULL,
    origin text NOT NULL,
    accepted timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended timestamp with time zone,
    home integer NOT NULL,
    keeper integer,
    is_returned boolean DEFAULT false NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE darkroom.list ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.list_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE darkroom.name (
    owner text NOT NULL COLLATE pg_catalog."C",
    name bytea NOT NULL,
    newest bigint
)
WITH (fillfactor='70');
CREATE TABLE darkroom.node (
    id integer NOT NULL,
    name text NOT NULL,
    run bigint NOT NULL,
    incarnation bigint DEFAULT 1 NOT NULL,
    seen timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    entered timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    draining boolean DEFAULT false NOT NULL,
    version text NOT NULL
)
WITH (fillfactor='30');
ALTER TABLE darkroom.node ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME darkroom.node_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE darkroom.origin (
    origin text NOT NULL,
    list bigint NOT NULL,
    is_twin boolean NOT NULL
);
CREATE TABLE darkroom.outcome (
    list bigint NOT NULL,
    first integer NOT NULL,
    epoch integer NOT NULL,
    sequence integer NOT NULL,
    last integer NOT NULL,
    rows bytea NOT NULL
);
ALTER TABLE ONLY darkroom.outcome ALTER COLUMN rows SET STORAGE EXTERNAL;
CREATE TABLE darkroom.release (
    version integer NOT NULL,
    oldest integer NOT NULL,
    identity text DEFAULT (gen_random_uuid())::text NOT NULL,
    folder text DEFAULT ''::text NOT NULL,
    life bigint DEFAULT 0 NOT NULL
);
CREATE TABLE darkroom.seat (
    host text NOT NULL COLLATE pg_catalog."C",
    node integer NOT NULL,
    most integer NOT NULL,
    useful integer NOT NULL,
    need integer NOT NULL,
    told integer DEFAULT 0 NOT NULL,
    seats integer NOT NULL,
    turn bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    lease interval NOT NULL
)
WITH (fillfactor='30', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_scale_factor='0');
CREATE TABLE darkroom.share (
    list bigint NOT NULL,
    first integer NOT NULL,
    last integer NOT NULL,
    state smallint NOT NULL,
    node integer,
    epoch integer DEFAULT 1 NOT NULL,
    sequence integer DEFAULT 0 NOT NULL,
    run_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    deaths smallint DEFAULT 0 NOT NULL,
    done bit varying NOT NULL,
    waits bytea DEFAULT '\x'::bytea NOT NULL
)
WITH (fillfactor='40', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_scale_factor='0');
CREATE TABLE darkroom.tally (
    list bigint NOT NULL,
    node integer NOT NULL,
    filtered bigint NOT NULL,
    failed bigint NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE ONLY darkroom.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (class, owner);
ALTER TABLE ONLY darkroom.asker
    ADD CONSTRAINT asker_pkey PRIMARY KEY (node);
ALTER TABLE ONLY darkroom.change
    ADD CONSTRAINT change_pkey PRIMARY KEY (node);
ALTER TABLE ONLY darkroom.cut
    ADD CONSTRAINT cut_pkey PRIMARY KEY (list, first);
ALTER TABLE ONLY darkroom.focus
    ADD CONSTRAINT focus_pkey PRIMARY KEY (list, viewer);
ALTER TABLE ONLY darkroom.folder
    ADD CONSTRAINT folder_pkey PRIMARY KEY (name);
ALTER TABLE ONLY darkroom.host
    ADD CONSTRAINT host_pkey PRIMARY KEY (name);
ALTER TABLE ONLY darkroom.list
    ADD CONSTRAINT list_pkey PRIMARY KEY (id);
ALTER TABLE ONLY darkroom.name
    ADD CONSTRAINT name_pkey PRIMARY KEY (owner, name);
ALTER TABLE ONLY darkroom.node
    ADD CONSTRAINT node_name_key UNIQUE (name);
ALTER TABLE ONLY darkroom.node
    ADD CONSTRAINT node_pkey PRIMARY KEY (id);
ALTER TABLE ONLY darkroom.origin
    ADD CONSTRAINT origin_pkey PRIMARY KEY (origin);
ALTER TABLE ONLY darkroom.outcome
    ADD CONSTRAINT outcome_pkey PRIMARY KEY (list, first, epoch, sequence);
ALTER TABLE ONLY darkroom.seat
    ADD CONSTRAINT seat_pkey PRIMARY KEY (host, node);
ALTER TABLE ONLY darkroom.share
    ADD CONSTRAINT share_pkey PRIMARY KEY (list, first);
ALTER TABLE ONLY darkroom.tally
    ADD CONSTRAINT tally_pkey PRIMARY KEY (list, node);
CREATE INDEX list_ended ON darkroom.list USING btree (keeper, id) WHERE (state >= 3);
CREATE INDEX list_open ON darkroom.list USING btree (id) WHERE (state < 3);
CREATE INDEX list_over ON darkroom.list USING btree (id) WHERE ((state < 3) AND ((state = 2) OR (next > photos)));
CREATE INDEX list_ready ON darkroom.list USING btree (class, owner, pass, id) WHERE is_ready;
CREATE INDEX name_name ON darkroom.name USING btree (name);
CREATE INDEX origin_list ON darkroom.origin USING btree (list);
CREATE INDEX seat_node ON darkroom.seat USING btree (node);
CREATE INDEX share_fresh ON darkroom.share USING btree (list, first) WHERE (epoch = 0);
CREATE INDEX share_node ON darkroom.share USING btree (node) WHERE (state = 1);
CREATE INDEX share_ready ON darkroom.share USING btree (list, first) WHERE (state = 0);
CREATE TRIGGER node_gone AFTER DELETE ON darkroom.node FOR EACH ROW EXECUTE FUNCTION darkroom.node_gone();
INSERT INTO darkroom.release VALUES (1, 1);
