#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ledger alone: simulated nodes (darkroom-bench-cluster) that do no work and ask it as the daemon does,
but for seats, over a real PostgreSQL with the real schema.

- three nodes: photos a second, and CPU time of the database for a photo, with 10^7 and with 10^9 photos waiting;
- the same in multiples of what one daemon develops of pictures of 64x64;
- 300 nodes of 39 photos a second each, which is 10^9 a day: the same, then the death of a third of them, and what is
  lost or recorded twice;
- 300 nodes without work: transactions a second.

Needs PostgreSQL; two processors, 4 GB of memory and of disk, and 1,024 open files a process."""
from fleet import *

NODES, RATE, DEATHS, LEASE_SECONDS = 300, 39, 100, 10
FLAT_PAIRS, FLAT_SECONDS, TINY = 5, 8, 4000


class Bench:
    def __init__(self):
        self.folder, self.temp = programs(), scratch()
        self.server = server(self.temp)
        self.count = 0

    def place(self):
        """A new database; the first call makes the schema."""
        self.count += 1
        self.database = f"ledger{self.count}"
        self.server.ask(postgres.USER, f"CREATE DATABASE {self.database}")
        return self.server.place(self.database)

    def transactions(self, session):
        return session.number(
            f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{self.database}'")

    def simulate(self, **scenario):
        """The numbers that the program tells, and the CPU seconds and transactions of the database meanwhile."""
        place = self.place()
        session = postgres.Session(self.server, postgres.USER)
        process = subprocess.Popen(
            [os.path.join(self.folder, "darkroom-bench-cluster"), place,
             *(f"{name}={number}" for name, number in scenario.items())], stdout=subprocess.PIPE, text=True)
        atexit.register(process.kill)
        told = {}
        for line in process.stdout:
            name, number = line.split()
            told[name] = float(number)
            if name in ("begin", "end"):
                sign = -1 if name == "begin" else 1
                told["cpu"] = told.get("cpu", 0) + sign * sum(family(self.server.process.pid))
                told["transactions"] = told.get("transactions", 0) + sign * self.transactions(session)
        session.close()
        if process.wait() != 0:
            raise SystemExit("the simulation failed")
        self.server.ask(postgres.USER, f"DROP DATABASE {self.database} WITH (FORCE)")
        return told

    def flat(self):
        """Returns the photos a second of the ledger."""
        pairs = []
        for number in repeat(FLAT_PAIRS, 150):
            runs = [(10, FLAT_SECONDS), (1000, FLAT_SECONDS)]
            ends = {lists: self.simulate(nodes=3, lists=lists, photos=1_000_000, seconds=seconds, seed=number)
                    for lists, seconds in (runs if number % 2 else runs[::-1])}
            pairs.append([ends[10], ends[1000]])
        cost = lambda told: told["cpu"] / told["photos"] * 1e6
        rates = [told["photos"] / told["seconds"] for pair in pairs for told in pair]
        table(f"the ledger of three nodes that do no work, {len(pairs)} pairs",
              ["", "CPU of the database a photo, microseconds", "photos a second"],
              [[f"10^{power} photos wait", ratio([cost(pair[n]) for pair in pairs]),
                ratio([pair[n]["photos"] / pair[n]["seconds"] for pair in pairs], 0)]
               for n, power in enumerate((7, 9))])
        print(f"  10^9 in multiples of 10^7: {ratio([cost(b) / cost(a) for a, b in pairs])}")
        return middle(rates)

    def headroom(self, rate):
        photos = os.path.join(self.temp, "photos")
        names = pictures(generator(self.temp), photos, 64, 64)
        origin = Origin(photos)
        rates = []
        for number in repeat(3, 60):
            path = list_file(self.temp, f"tiny{number}", urls(origin, names, TINY, f"t{number}"))
            daemon = alone(self.folder, self.temp)
            rates.append(TINY / timed(daemon, path))
            daemon.stop()
        origin.stop()
        table("the ledger against one daemon that develops pictures of 64x64",
              ["photos a second of the ledger", "of the daemon", "ratio"],
              [[f"{rate:.0f}", ratio(rates, 0), ratio([rate / own for own in rates], 0)]])

    def many(self):
        told = self.simulate(nodes=NODES, lists=8, photos=100_000, rate=RATE, settle=5, seconds=30, deaths=DEATHS, whole=1,
                             lease=LEASE_SECONDS, seed=1)
        seconds = told["seconds"]
        table(f"{NODES} nodes that sleep, {RATE} photos a second each; then {DEATHS} die, and the others end all lists",
              ["photos a second", "microseconds of the database a photo", "of one core", "reports a second",
               "leases a second"],
              [[f"{told['photos'] / seconds:.0f}", f"{told['cpu'] / told['photos'] * 1e6:.1f}",
                f"{told['cpu'] / seconds:.2f}", f"{told['reports'] / seconds:.0f}", f"{told['leases'] / seconds:.0f}"]])
        print(f"  the {told['orphans']:.0f} photos of the dead went to others within {told['recovery']:.1f} s; "
              f"LeaseTime={LEASE_SECONDS}s")
        print(f"  of {told['all']:.0f} photos {told['lost']:.0f} lost, {told['twice']:.0f} recorded twice; "
              f"{told['failures']:.0f} calls failed, {told['refused']:.0f} reports refused")

    def idle(self):
        # Counts of a session come late.
        told = self.simulate(nodes=NODES, lists=0, settle=20, seconds=60)
        table(f"{NODES} nodes without work", ["transactions a second", "of a node", "CPU of the database, of one core"],
              [[f"{told['transactions'] / told['seconds']:.1f}",
                f"{told['transactions'] / told['seconds'] / NODES:.3f}", f"{told['cpu'] / told['seconds']:.4f}"]])


def main():
    command("ledger")
    bench = Bench()
    wanted = sys.argv[2:] or ["flat", "many", "idle"]
    if "flat" in wanted:
        bench.headroom(bench.flat())
    for figure in ("many", "idle"):
        if figure in wanted:
            getattr(bench, figure)()


main()
