#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the ledger costs the nodes that develop, and what more nodes bring:

- 10,000 tiny photos, from the drop of the list to its results in `done`: one node with its ledger, in multiples of the same
  daemon without one;
- 10,000 photos of 12 kB at three nodes: the share of the database in the CPU time of database, nodes and workers;
- photos a second of three nodes in multiples of one, while the origin sleeps before each answer, so that the work costs
  next to no CPU time: a machine with two processors cannot show more than that.

Needs PostgreSQL; two processors, 2 GB of memory and of disk."""
from fleet import *

TINY, PAIRS, PHOTOS = 10_000, 5, 10_000
# For the speed-up: eight connections of a node, each 10 photos a second. The origin admits those of three nodes.
# The first second goes by before all nodes have their seats.
SLEEP_MS, CONNECTIONS, SLOW = 100, 8, (4000, 12_000)


class Bench:
    def __init__(self):
        self.folder, self.temp = programs(), scratch()
        self.server = server(self.temp)
        program = generator(self.temp)
        self.photos = os.path.join(self.temp, "photos")
        self.tiny = pictures(program, self.photos, 64, 64)
        self.small = os.path.join(self.temp, "small")
        self.twelve = pictures(program, self.small, 300, 225)

    def size(self):
        return middle([os.path.getsize(os.path.join(self.small, name)) for name in self.twelve])

    def with_ledger(self, path, photos, nodes=1, download=""):
        fleet = Fleet(self.folder, self.temp, self.server, nodes, download)
        before = fleet.cost()
        wall = timed(fleet.nodes[0], path)
        cost = [after - start for start, after in zip(before, fleet.cost())]
        fleet.check(photos)
        fleet.stop()
        return wall, *cost

    def without(self, path):
        daemon = alone(self.folder, self.temp)
        before = sum(family(daemon.pid))
        wall = timed(daemon, path)
        cost = sum(family(daemon.pid)) - before
        daemon.stop()
        return wall, cost

    def tax(self):
        origin = Origin(self.photos)
        path = list_file(self.temp, "tiny", urls(origin, self.tiny, TINY, "t"))
        pairs = []
        for number in repeat(PAIRS, 150):
            # Alternate the order.
            runs = [lambda: self.with_ledger(path, TINY), lambda: self.without(path)]
            first = number % 2
            ends = {first: runs[first](), 1 - first: runs[1 - first]()}
            pairs.append((ends[0], ends[1]))
        origin.stop()
        table(f"{TINY} photos of 64x64 on one daemon, {len(pairs)} pairs",
              ["with a ledger, in multiples of without", "wall", "CPU, with the database's", "CPU of the daemon",
               "photos a second", "without"],
              [["", ratio([a[0] / b[0] for a, b in pairs]), ratio([(a[1] + a[2]) / b[1] for a, b in pairs]),
                ratio([a[2] / b[1] for a, b in pairs]), ratio([TINY / a[0] for a, _ in pairs], 0),
                ratio([TINY / b[0] for _, b in pairs], 0)]])

    def share(self):
        origin = Origin(self.small)
        path = list_file(self.temp, "twelve", urls(origin, self.twelve, PHOTOS, "s"))
        runs = [self.with_ledger(path, PHOTOS, nodes=3) for _ in repeat(3, 60)]
        origin.stop()
        table(f"{PHOTOS} photos of {self.size() / 1000:.0f} kB at three nodes, {len(runs)} runs",
              ["CPU of the database in per cent of all", "microseconds a photo", "photos a second"],
              [[ratio([100 * db / (db + nodes) for _, db, nodes in runs]),
                ratio([db / PHOTOS * 1e6 for _, db, _ in runs], 0), ratio([PHOTOS / wall for wall, _, _ in runs], 0)]])

    def speed_up(self):
        origin = Origin(self.photos, pause=SLEEP_MS)
        download = f"Connections={CONNECTIONS}\nConnectionsPerHost={3 * CONNECTIONS}\n"
        rows = []
        for photos in SLOW:
            path = list_file(self.temp, "slow", urls(origin, self.tiny, photos, f"p{photos}"))
            pairs = [[self.with_ledger(path, photos, nodes, download)[0] for nodes in (1, 3)]
                     for _ in repeat(3, 150)]
            rows.append([photos, len(pairs), ratio([one / three for one, three in pairs]),
                         ratio([photos / one for one, _ in pairs], 1), ratio([photos / three for _, three in pairs], 1)])
        origin.stop()
        table(f"the origin sleeps {SLEEP_MS} ms, a node has {CONNECTIONS} connections",
              ["photos", "pairs", "three nodes in multiples of one", "photos a second of one", "of three"], rows)


def main():
    command("nodes")
    bench = Bench()
    for figure in sys.argv[2:] or ["tax", "share", "speed_up"]:
        getattr(bench, figure)()


main()
