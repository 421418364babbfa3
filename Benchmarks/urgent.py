#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What users wait for in a cluster of three nodes on this machine, and what the nodes ask the database while nothing
is to be done:

- transactions a second of an idle node;
- 10 urgent photos, from the drop of their list to its results in `done`, while a list of a million photos is at work in
  background, in multiples of the same in the idle cluster;
- the cancel of a list of a million photos: from the call at one node to the last photo that any node asks for.

Needs PostgreSQL and 3 GB of disk; two processors, 4 GB of memory."""
import threading

from fleet import *

MILLION, SMALL, ROUNDS, CANCELS, IDLE_SECONDS = 1_000_000, 10, 25, 3, 60


class Requests:
    """When the origin was asked last, and for how many photos."""

    def __init__(self, origin):
        self.last, self.count = 0.0, 0
        threading.Thread(target=self.listen, args=(origin.process.stdout,), daemon=True).start()

    def listen(self, lines):
        for line in lines:
            self.last, self.count = int(line.split()[0]) / 1e9, self.count + 1


def idle(fleet):
    """Transactions a second of a node, those of autovacuum among them."""
    session = postgres.Session(fleet.server, postgres.USER)
    query = f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{fleet.database}'"
    # Counts of a session come late.
    time.sleep(15)
    before, start = session.number(query), time.monotonic()
    time.sleep(IDLE_SECONDS)
    made = session.number(query) - before
    session.close()
    return made / (time.monotonic() - start) / len(fleet.nodes)


class Bench:
    def __init__(self):
        self.folder, self.temp = programs(), scratch()
        self.server = server(self.temp)
        self.photos = os.path.join(self.temp, "photos")
        self.names = pictures(generator(self.temp), self.photos, 64, 64)
        self.origin = Origin(self.photos, log=True)
        self.requests = Requests(self.origin)

    def small(self, fleet, tag, rounds):
        times = []
        for number in rounds:
            path = list_file(
                self.temp, f"{tag}{number}", urls(self.origin, self.names, SMALL, f"{tag}{number}"),
                "userInteractive")
            times.append(timed(fleet.nodes[number % len(fleet.nodes)], path))
        return times

    def begin(self, fleet, number):
        """A million photos are at work."""
        path = list_file(
            self.temp, f"million{number}",
            urls(self.origin, self.names, MILLION, f"million{number}"), "background")
        before = self.requests.count
        fleet.nodes[0].drop(path)
        os.unlink(path)
        working = "SELECT count(DISTINCT node) FROM darkroom.share WHERE state = 1"
        wait_until(
            lambda: self.requests.count > before + 2000 and fleet.session.number(working) == len(fleet.nodes),
            240, "the work at a million photos", fleet.lives)

    def cancel(self, fleet, number):
        """Seconds to the answer, and to the last request of any node; and the seconds of a photo of a node."""
        before, start = self.requests.count, time.monotonic()
        time.sleep(2)
        rate = (self.requests.count - before) / (time.monotonic() - start)
        start = time.monotonic()
        end = fleet.nodes[0].tool("cancel", f"million{number}")
        if end.returncode != 0:
            raise SystemExit(f"cancel failed: {end.stderr.decode()}")
        answer = time.monotonic() - start
        time.sleep(3)
        return answer, max(0.0, self.requests.last - start), rate


def main():
    command("urgent")
    bench = Bench()
    fleet = Fleet(bench.folder, bench.temp, bench.server)
    bench.small(fleet, "warm", range(3))
    transactions = idle(fleet)
    alone = bench.small(fleet, "idle", repeat(ROUNDS, 60))
    bench.begin(fleet, 0)
    beside = bench.small(fleet, "busy", repeat(ROUNDS, 90))
    cancels = []
    for number in repeat(CANCELS, 120):
        if number:
            bench.begin(fleet, number)
        cancels.append(bench.cancel(fleet, number))
    fleet.stop()
    bench.origin.stop()
    table("an idle cluster of three nodes",
          ["database transactions a second of a node", "seconds"], [[f"{transactions:.3f}", IDLE_SECONDS]])
    table(f"{SMALL} urgent photos, from the drop to the end of their list, {len(beside)} lists",
          ["", "median in multiples of the idle cluster's", "seconds", "in the idle cluster"],
          [[f"beside {MILLION} photos in background", f"{middle(beside) / middle(alone):.2f}", ratio(beside),
            ratio(alone)]])
    table(f"the cancel of a list of {MILLION} photos, {len(cancels)} times", ["", "seconds"],
          [["to the answer", ratio([answer for answer, _, _ in cancels])],
           ["to the last request of any node", ratio([last for _, last, _ in cancels])],
           ["photos a second before", ratio([rate for _, _, rate in cancels], 0)]])


main()
