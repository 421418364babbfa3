// SPDX-License-Identifier: Apache-2.0
// The seats of nodes at servers.
//
// Of each server the sum of `seats` is at most the limit, and a node never uses more than its own: it says how many it
// holds, is told how many it may use, and what it was told to leave goes to another node only after a later request in
// which it holds no more than that. A row counts until its lease is over. When the clock of the database is set
// back, the lease begins again: its node may live, and two nodes would use a seat. A request locks its servers in the
// order of their names.

extension LedgerSchema {
  static let seats = #"""
    -- The last request of a node.
    CREATE TABLE asker (
      node int PRIMARY KEY, incarnation bigint NOT NULL, number bigint NOT NULL)
      WITH (fillfactor = 50);
    -- Servers in use: each row is the lock of the server's seats, and has the last probe of a node that has it closed:
    -- 1 failed, with the time until that node probes it again, 2 answered.
    CREATE TABLE host (
      name text COLLATE "C" PRIMARY KEY, word int NOT NULL DEFAULT 0, wait_ms bigint,
      said_at timestamptz, sayer int) WITH (fillfactor = 50);
    -- most is the node's ConnectionsPerHost=, useful the smaller of it and Connections=, need how many photos it has for
    -- the server, told its seats by the last answer, seats the most that it may use. The least turn goes first, and was
    -- moved up at since. lease is the time of the node's leases.
    CREATE TABLE seat (
      host text COLLATE "C", node int, most int NOT NULL, useful int NOT NULL, need int NOT NULL,
      told int NOT NULL DEFAULT 0, seats int NOT NULL, turn bigint NOT NULL,
      since timestamptz NOT NULL, until timestamptz NOT NULL, lease interval NOT NULL,
      PRIMARY KEY (host, node))
      WITH (fillfactor = 30, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_scale_factor = 0);
    CREATE INDEX seat_node ON seat (node);

    -- The part of each node: one seat at a time in turn, as long as it has photos for them; then what is left, so that
    -- a node which gets more photos need not ask. No node has more than it can use.
    CREATE FUNCTION seat_parts(h text, room int) RETURNS TABLE (node int, part int)
    LANGUAGE sql STABLE AS $$
      SELECT x.node, count(*)::int FROM (
        SELECT s.node FROM seat s CROSS JOIN generate_series(1, least(room, s.useful)) r
        WHERE s.host = h
        ORDER BY r > s.need, r, s.turn, s.node LIMIT room) x GROUP BY x.node $$;

    -- The seats of the node at a server whose row it has locked.
    CREATE FUNCTION take_seats(
      h text, me int, own_most int, own_useful int, held int, wish int, silence_ms bigint,
      is_judge bool)
    RETURNS int LANGUAGE plpgsql AS $$
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

    -- No row for a request that came too late.
    CREATE FUNCTION seats(
      me int, inc bigint, ask bigint, most int, useful int, hosts text[], helds int[], needs int[],
      words int[], waits bigint[], silence_ms bigint)
    RETURNS TABLE (host text, seats int, word int, wait_ms bigint, age_ms bigint)
    LANGUAGE plpgsql AS $$
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

    -- The node whose turn it is has the seats with its next request.
    CREATE FUNCTION leave_seats(h text, me int) RETURNS void LANGUAGE plpgsql AS $$
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

    """#
}
