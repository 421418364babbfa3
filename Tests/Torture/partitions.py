#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes that are cut off from the ledger, while the shared folder stays.

    Tests/Torture/partitions.py BIN [--seed N] [--short | --seconds S] [--rounds N]

Each node lives in a network namespace of its own. In each round three nodes develop a list, and nftables drops the
packets between nodes and the ledger: all of them, or only the answers, so that what a node asks for happens and it
does not hear of it. No side is told. A cut of one node lasts longer than its lease, so that others have its photos
when it is back. A node that starts, or runs, without the ledger says so, stops working on its photos when their leases
are over, and ends in time when it is stopped. The server ends the session of a node that it cannot hear: with a part of
a request it would hold locks. Then the books are compared (cluster.py). In the long form nodes are cut off at any time,
too. Left out without PostgreSQL, and where network namespaces and nftables cannot be had."""
import os
import shutil
import subprocess
import time

import cluster
import torture

# The first photos wait at the gate "one", the next ones at "two", the rest at none.
GATED = 24
PHOTOS = {"short": 64, "long": 240}
PORT = 5432
# Of each node 10.N.NODE.1 and .2, with N for the campaign.
NETWORK = f"10.{100 + os.getpid() % 100}"
# One round trip that fails, and what a busy machine needs.
TOLD_SECONDS = 30
# What the units give a daemon.
STOP_SECONDS = 20
# The server finds out in 25 s that a node is gone.
FORGOTTEN_SECONDS = 60
RULES = {
    "both": (("out", "tcp dport 5432 drop"), ("in", "tcp sport 5432 drop")),
    "answers": (("in", "tcp sport 5432 drop"),),
}
KINDS = tuple(RULES)
SESSIONS = """SELECT count(*) FROM pg_stat_activity
  WHERE application_name = 'darkroomd' AND datname = current_database()"""
MADE = "SELECT count(*) FROM pg_namespace WHERE nspname = 'darkroom'"
HELD = """SELECT count(*) FROM darkroom.share s JOIN darkroom.node n ON n.id = s.node
  WHERE s.state = 1 AND n.name = '{}' AND s.first > {}"""


class Wire:
    """A network namespace with a cable to this machine."""

    def __init__(self, campaign, number):
        self.name = f"darkroom-{os.getpid()}-{number}"
        self.cable = f"dr{os.getpid()}.{number}"
        self.near, far = f"{NETWORK}.{number}.1", f"{NETWORK}.{number}.2"
        self.prefix = ("ip", "netns", "exec", self.name)
        campaign.undo(self.remove)
        self.run("ip", "netns", "add", self.name)
        self.run("ip", "link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        self.run("ip", "address", "add", f"{self.near}/30", "dev", self.cable)
        self.run("ip", "link", "set", self.cable, "up")
        for words in ("link set lo up", f"address add {far}/30 dev eth0", "link set eth0 up",
                      f"route add default via {self.near}"):
            self.run("ip", "-n", self.name, *words.split())
        self.run(*self.prefix, "nft", "add table inet cut")
        for chain, hook in (("in", "input"), ("out", "output")):
            rule = f"{{ type filter hook {hook} priority 0; }}"
            self.run(*self.prefix, "nft", f"add chain inet cut {chain} {rule}")

    @staticmethod
    def run(*words):
        subprocess.run(words, check=True, capture_output=True)

    def cut(self, kind):
        for chain, rule in RULES[kind]:
            self.run(*self.prefix, "nft", f"add rule inet cut {chain} {rule}")

    def heal(self):
        self.run(*self.prefix, "nft", "flush table inet cut")

    def remove(self):
        subprocess.run(["ip", "netns", "delete", self.name], capture_output=True)
        subprocess.run(["ip", "link", "delete", self.cable], capture_output=True)


def wires(campaign):
    """One for each node; none where there can be none."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("nft"):
        return {}
    try:
        return {node: Wire(campaign, number) for number, node in enumerate(cluster.NODES, 1)}
    except subprocess.CalledProcessError:
        return {}


class Round:
    def __init__(self, campaign, server, cables, origin, pictures, number):
        self.campaign, self.server, self.cables, self.origin = campaign, server, cables, origin
        self.number = number
        self.random = campaign.random("partitions", number)
        self.kind, self.other = KINDS[(number + 1) % 2], KINDS[number % 2]
        self.database = f"round{number}"
        server.ask("postgres", f"CREATE DATABASE {self.database}")
        self.nodes = cluster.Cluster(
            campaign, number, self.database, lambda node: f"host={cables[node].near} port={PORT}", pictures,
            PHOTOS["short" if campaign.is_short else "long"],
            settings=f"AllowNetworks={NETWORK}.0.0/16\n",
            prefixes={node: cable.prefix for node, cable in cables.items()})

    def play(self):
        """Returns whether the list is over."""
        self.start_without_ledger("c")
        self.nodes.begin(self.origin.address, self.gate)
        self.await_holders(cluster.NODES, 0)
        self.cut_all()
        self.await_holders("b", GATED)
        self.cut_one("b")
        is_over = self.nodes.wait(self.harm)
        for cable in self.cables.values():
            cable.heal()
        if is_over:
            self.nodes.check_books(self.server)
            self.check_shares()
        self.nodes.end()
        return is_over

    def gate(self, number):
        name = f"{'one' if number <= GATED else 'two'}-{self.number}"
        return f"?gate={name}" if number <= 2 * GATED else ""

    def cut(self, nodes, kind):
        for node in nodes:
            self.cables[node].cut(kind)
        self.campaign.count("cuts")

    def heal(self, nodes):
        for node in nodes:
            self.cables[node].heal()

    # What happens.

    def start_without_ledger(self, node):
        """A node starts, tells that the ledger does not answer, and is stopped."""
        self.cut(node, self.kind)
        self.nodes.start(node)
        self.await_told(node)
        self.stop(node)
        self.heal(node)

    def cut_all(self):
        """The leases of all nodes run out: from then on their photos wait. One node is stopped and starts again."""
        self.cut(cluster.NODES, self.kind)
        for node in cluster.NODES:
            self.await_told(node)
        # A node may have asked just before the cut.
        time.sleep(cluster.LEASE_SECONDS + 1)
        self.stop("b")
        self.nodes.start("b")
        self.origin.release(f"one-{self.number}")
        time.sleep(2)
        self.nodes.check(not self.nodes.prints(), "a photo goes on after its lease", self.nodes.prints()[:5])
        self.heal(cluster.NODES)

    def cut_one(self, node):
        """Others take its photos, and end the list without it."""
        self.cut(node, self.other)
        taken = torture.wait_until(lambda: self.held(node, 0) == 0, torture.PATIENCE, step=0.2)
        self.nodes.check(taken, "the photos of a node that is cut off stay with it")
        self.await_told(node)
        others = str(len(cluster.NODES) - 1)
        gone = torture.wait_until(
            lambda: self.server.ask(self.database, SESSIONS) == [others], FORGOTTEN_SECONDS, step=0.5)
        self.nodes.check(gone, "the server keeps the session of a node that is cut off")
        self.origin.release(f"two-{self.number}")

    def harm(self):
        """In the long form nodes are cut off again, for less or more than a lease."""
        if self.campaign.is_short or self.random.random() > 0.3:
            return
        node = self.random.choice(cluster.NODES)
        self.cut(node, self.random.choice(KINDS))
        time.sleep(self.random.uniform(0.2, 2) * cluster.LEASE_SECONDS)
        self.heal(node)

    def stop(self, node):
        start = time.monotonic()
        status = self.nodes.daemons[node].stop(STOP_SECONDS)
        self.campaign.stops.append(time.monotonic() - start)
        self.nodes.check(status == 0, "a node without the ledger does not end in time", node, status)

    # What is seen.

    def await_told(self, node):
        def told():
            return "the ledger does not answer" in self.nodes.roots[node].tool("status").stdout

        start = time.monotonic()
        told_in_time = torture.wait_until(told, TOLD_SECONDS, step=0.2)
        self.campaign.tellings.append(time.monotonic() - start)
        self.nodes.check(told_in_time, "a node does not tell that the ledger does not answer", node)

    def held(self, node, after):
        return int(self.server.ask(self.database, HELD.format(node, after))[0])

    def await_holders(self, nodes, after):
        # The first node makes it.
        torture.wait_until(lambda: self.server.ask(self.database, MADE) == ["1"], torture.PATIENCE, step=0.1)
        hold = torture.wait_until(
            lambda: all(self.held(node, after) for node in nodes), torture.PATIENCE, step=0.1)
        self.nodes.check(hold, "not every node has photos", nodes)

    def check_shares(self):
        """The lists of shares are gone from every node. A node that returned the list for another has that one."""
        def left():
            return [(node, name) for node, root in self.nodes.roots.items()
                    for name in torture.list_folder(root.at("state", "lists"))
                    if name.isdigit() and self.is_share(root, name)]

        torture.wait_until(lambda: not left(), torture.PATIENCE, step=0.1)
        self.nodes.check(not left(), "a node keeps a share", left())

    @staticmethod
    def is_share(root, name):
        try:
            return b"\nShare=\n" not in torture.read(root.at("state", "lists", name, "about"))
        except FileNotFoundError:
            return False


def main(campaign):
    if not cluster.is_possible(campaign):
        return
    cables = wires(campaign)
    if not cables:
        campaign.summary("left out: network namespaces and nftables need root, ip and nft")
        return
    campaign.stops, campaign.tellings = [], []
    server = cluster.Server(campaign, addresses=",".join(cable.near for cable in cables.values()))
    server.make()
    pictures = campaign.pictures()
    first = cables[cluster.NODES[0]]
    origin = torture.Origin(campaign, pictures[0], os.path.join(campaign.scratch, "origin.log"), first.near)
    done = 0
    while campaign.goes_on(done):
        if not Round(campaign, server, cables, origin, pictures, done).play():
            break
        done += 1
    counts = campaign.counts
    campaign.summary(
        f"{done} rounds of three nodes, {counts['cuts']} cuts, {counts['photos']} photos, told after "
        f"{max(campaign.tellings):.1f} s and stopped after {max(campaign.stops):.1f} s at most: "
        f"{len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("partitions", main, __doc__, rounds=(1, 1000))
