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
import sys

import cluster
import torture

sys.path.insert(0, os.path.join(torture.REPOSITORY, "Tests", "Support"))
import cutter  # noqa: E402

PHOTOS = {"short": 64, "long": 160}


def play(campaign, server, pictures, number):
    random = campaign.random("cuts", number)
    database = f"round{number}"
    server.ask("postgres", f"CREATE DATABASE {database}")
    proxy = cutter.Cutter(server.socket())
    proxy.cut_at_random(random.getrandbits(32))
    nodes = cluster.Cluster(
        campaign, number, database, f"host=127.0.0.1 port={proxy.port}", pictures,
        PHOTOS["short" if campaign.is_short else "long"])

    def harm():
        """Now and then a node is killed, or frozen for longer than a lease."""
        if not campaign.is_short and random.random() <= 0.03:
            nodes.harm(random)

    nodes.begin()
    is_over = nodes.wait(harm)
    campaign.count("cuts", proxy.pass_all())
    if is_over:
        nodes.check_books(server)
    nodes.end()


def main(campaign):
    if not cluster.is_possible(campaign):
        return
    done = cluster.play_rounds(campaign, play)
    counts = campaign.counts
    campaign.summary(
        f"{done} rounds of three nodes, {counts['cuts']} conversations cut, {counts['kills']} kills, "
        f"{counts['freezes']} freezes, {counts['photos']} photos: {len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("cuts", main, __doc__, rounds=(1, 1000))
