#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes whose conversations with PostgreSQL are cut, and that are killed.

    Tests/Torture/cuts.py BIN [--seed N] [--short | --seconds S] [--rounds N]

In each round three nodes with one ledger develop a list. A proxy (Tests/Support/cutter.py) cuts every conversation
with PostgreSQL at a place drawn from the seed: a part of a request is lost, or a part of the answer, or the server has
the request after the node has asked again. In the long form nodes are killed with -9, frozen for longer than a
lease, and started again. Then the books are compared: every photo is in the ledger once, as its print is, and as the
node tells where the list was dropped. Left out without PostgreSQL."""
import os
import signal
import struct
import subprocess
import sys
import time

import torture

sys.path.insert(0, os.path.join(torture.REPOSITORY, "Tests", "Support"))
import cutter  # noqa: E402

PROGRAMS = "/usr/lib/postgresql/15/bin"
PHOTOS = {"short": 64, "long": 160}
LEASE_SECONDS = 4
NODES = ("a", "b", "c")
SETTINGS = """[Download]
FileFolders={photos}
[Inbox]
QuietTime=250ms
[Cluster]
Ledger=host=127.0.0.1 port={port} dbname={database} user=postgres sslmode=disable gssencmode=disable
Node={node}
LeaseTime={lease}s
Chunk=8
Blobs={blobs}
"""


class Server:
    """A PostgreSQL in a fresh folder. It refuses root."""

    def __init__(self, campaign):
        self.home = os.path.join(campaign.scratch, "postgres")
        os.makedirs(self.home)
        self.prefix = []
        if os.geteuid() == 0:
            os.chmod(campaign.scratch, 0o755)
            subprocess.run(["chown", "postgres", self.home], check=True)
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        data = os.path.join(self.home, "data")
        self.run("initdb", "-D", data, "-A", "trust", "-N", "-E", "UTF8", "--locale=C", "-U", "postgres")
        campaign.start(
            [*self.prefix, f"{PROGRAMS}/postgres", "-D", data, "-k", self.home, "-c", "listen_addresses=",
             "-c", "fsync=off", "-c", "max_connections=200"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        isready = [f"{PROGRAMS}/pg_isready", "-q", "-h", self.home]
        torture.wait_until(lambda: subprocess.run(isready).returncode == 0, torture.PATIENCE, step=0.05)

    def run(self, program, *words):
        command = [*self.prefix, f"{PROGRAMS}/{program}", *words]
        answer = subprocess.run(command, capture_output=True, text=True, cwd="/", check=True)
        return answer.stdout

    def ask(self, database, query):
        return self.run("psql", "-h", self.home, "-U", "postgres", "-d", database, "-At", "-c", query).split()

    def socket(self):
        return os.path.join(self.home, ".s.PGSQL.5432")


class Round:
    def __init__(self, campaign, server, photos, number):
        self.campaign, self.server, self.number = campaign, server, number
        self.folder, self.names = photos
        self.photos = PHOTOS["short" if campaign.is_short else "long"]
        self.random = campaign.random("cuts", number)
        self.database = f"round{number}"
        server.ask("postgres", f"CREATE DATABASE {self.database}")
        self.cutter = cutter.Cutter(server.socket())
        self.cutter.cut_at_random(self.random.getrandbits(32))
        self.blobs = os.path.join(campaign.scratch, f"blobs-{number}")
        os.makedirs(self.blobs)
        self.roots = {node: self.root(node) for node in NODES}
        self.daemons = {}

    def root(self, node):
        settings = SETTINGS.format(
            photos=self.folder, port=self.cutter.port, database=self.database, node=node,
            lease=LEASE_SECONDS, blobs=self.blobs)
        return self.campaign.root(f"{self.number}-{node}", settings)

    def play(self):
        for node in NODES:
            self.start(node)
        photos = [(f"photo {n + 1}", f"file://{self.folder}/{self.names[n % len(self.names)]}")
                  for n in range(self.photos)]
        self.roots["a"].drop("summer", torture.photo_list(photos))
        end = time.monotonic() + torture.PATIENCE
        while not self.is_over() and time.monotonic() < end:
            if not self.campaign.is_short:
                self.harm()
            time.sleep(0.1)
        cuts = self.cutter.pass_all()
        self.campaign.count("cuts", cuts)
        if self.campaign.check(self.is_over(), "cuts: the list does not end", self.roots["a"].path):
            self.check_books()
        for daemon in self.daemons.values():
            daemon.kill()
        for root in self.roots.values():
            if not self.campaign.violations:
                root.remove()

    def start(self, node):
        self.daemons[node] = self.roots[node].start()
        self.campaign.check(self.daemons[node].wait_ready(), "cuts: a node does not start",
                            self.daemons[node].said()[-400:])

    def is_over(self):
        return os.path.exists(self.roots["a"].at("done", "summer.result.plist"))

    def harm(self):
        """Now and then a node is killed, or frozen for longer than a lease."""
        if self.random.random() > 0.03:
            return
        node = self.random.choice(NODES)
        if self.random.random() < 0.6:
            self.daemons[node].kill()
            time.sleep(self.random.uniform(0, 2 * LEASE_SECONDS))
            self.start(node)
            self.campaign.count("kills")
        else:
            self.daemons[node].process.send_signal(signal.SIGSTOP)
            time.sleep(self.random.uniform(LEASE_SECONDS, 2 * LEASE_SECONDS))
            self.daemons[node].process.send_signal(signal.SIGCONT)
            self.campaign.count("freezes")

    def check_books(self):
        check, place = self.campaign.check, self.roots["a"].path
        photos = []
        for rows in self.server.ask(self.database, "SELECT encode(rows, 'hex') FROM darkroom.outcome"):
            photos += self.numbers(bytes.fromhex(rows))
        check(sorted(photos) == list(range(1, self.photos + 1)), "cuts: not every photo is recorded once",
              place, len(photos), len(set(photos)))
        counts = self.server.ask(
            self.database, "SELECT sum(filtered), sum(failed) FROM darkroom.tally")
        check(counts == [f"{self.photos}|0"], "cuts: the counts of the ledger", place, counts)
        result = list(self.roots["a"].results().values())[0]
        prints = os.path.join(self.blobs, "prints", "summer")
        made = {name for name in torture.list_folder(prints) if torture.is_print(name)}
        told = {os.path.basename(photo["Print"]): photo["SHA256"] for photo in result["Photos"]}
        check(len(told) == self.photos and set(told) == made, "cuts: prints and results differ", place,
              sorted(made ^ set(told))[:5])
        wrong = [name for name in made & set(told)
                 if torture.digest(torture.read(os.path.join(prints, name))) != told[name]]
        check(not wrong, "cuts: a print is not the one on record", place, wrong[:5])
        self.campaign.count("photos", len(photos))

    @staticmethod
    def numbers(rows):
        """The numbers of the photos of a report; its form is in Sources/Cluster/OutcomePack.swift."""
        place = 1
        while place < len(rows):
            number, _, size = struct.unpack_from("<IBH", rows, place)
            yield number
            place += 7 + size


def main(campaign):
    if not os.access(f"{PROGRAMS}/initdb", os.X_OK):
        campaign.summary("left out: PostgreSQL is not installed")
        return
    server = Server(campaign)
    photos = campaign.pictures()
    done = 0
    while campaign.goes_on(done):
        Round(campaign, server, photos, done).play()
        done += 1
    counts = campaign.counts
    campaign.summary(
        f"{done} rounds of three nodes, {counts['cuts']} conversations cut, {counts['kills']} kills, "
        f"{counts['freezes']} freezes, {counts['photos']} photos: {len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("cuts", main, __doc__, rounds=(1, 1000))
