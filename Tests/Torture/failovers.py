#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes whose primary of PostgreSQL dies, or hangs, in the middle of a list, and whose standby is promoted.

    Tests/Torture/failovers.py BIN [--seed N] [--short | --seconds S] [--rounds N]

In each round three nodes develop a list with a ledger that has a synchronous standby. At a place drawn from the seed
all processes of the primary are killed with -9, or stopped with SIGSTOP as on a machine that hangs; then the standby
is promoted. The nodes find it by themselves. A primary that was stopped goes on later, beside the new one. In the long
form nodes are killed and frozen, too. What the first node had told must be on the standby before it is promoted.
Then the books are compared (cluster.py), and the old primary becomes the next standby. The summary has the gaps between
the last commit before a failover and the first one after it, and the part of them after the promotion. Left out without
PostgreSQL."""
import os
import signal
import time

import cluster
import torture

PHOTOS = {"short": 80, "long": 240}
# The last photos wait until the standby is promoted, so that no list is over before.
GATED = 16
REPLAYED = "SELECT pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()"


class Round:
    def __init__(self, campaign, servers, origin, pictures, number):
        self.campaign, self.origin, self.number = campaign, origin, number
        self.primary, self.standby = servers
        self.random = campaign.random("failovers", number)
        self.database = f"round{number}"
        self.primary.ask("postgres", f"CREATE DATABASE {self.database}")
        homes = sorted(server.home for server in servers)
        self.nodes = cluster.Cluster(
            campaign, number, self.database, f"host={','.join(homes)}", pictures,
            PHOTOS["short" if campaign.is_short else "long"], settings=torture.LOOPBACK)
        self.hangs = number % 2 == 1
        self.at = self.random.randrange(1, self.nodes.count // 2)
        self.is_away = self.is_back = False
        self.harms = 0

    def play(self):
        """Returns whether the list is over."""
        mark = self.origin.mark()
        self.nodes.begin(
            self.origin.address,
            lambda photo: f"?photo={photo}"
            + (f"&gate={self.number}" if photo > self.nodes.count - GATED else ""))
        is_over = self.nodes.wait(self.harm)
        if is_over:
            self.nodes.check_books(self.standby)
            self.campaign.gaps.append(cluster.silence(self.standby, self.database, self.promoted))
            # A photo that is asked for again was leased and not reported, or its share came late.
            again = len(self.origin.requests(mark)) - self.nodes.count
            self.campaign.count("again", again)
            self.campaign.count("harms", self.harms + 1)
        self.nodes.end()
        return is_over

    def harm(self):
        if not self.is_away:
            if len(self.nodes.told()) >= self.at:
                self.fail_over()
        elif self.hangs and not self.is_back and self.random.random() < 0.1:
            # The old primary wakes beside the new one.
            self.primary.signal(signal.SIGCONT)
            self.is_back = True
        elif not self.campaign.is_short and self.random.random() < 0.03:
            self.nodes.harm(self.random)
            self.harms += 1

    def fail_over(self):
        if self.hangs:
            self.primary.signal(signal.SIGSTOP)
            self.campaign.count("hangs")
        else:
            self.primary.kill()
            self.campaign.count("deaths")
        self.is_away = True
        told = self.nodes.told()
        torture.wait_until(lambda: self.standby.ask(self.database, REPLAYED) == ["t"], torture.PATIENCE)
        there = {number for number, _ in self.standby.recorded(self.database)}
        self.campaign.count("told", len(told))
        self.nodes.check(told <= there, "a photo was told that the standby lacks", sorted(told - there)[:5])
        time.sleep(self.random.uniform(0, 3))
        self.standby.promote()
        self.promoted = time.time()
        self.origin.release(self.number)


def main(campaign):
    if not cluster.is_possible(campaign):
        return
    campaign.gaps = []
    servers = [cluster.Server(campaign, name) for name in ("one", "two")]
    servers[0].make()
    servers[1].copy(servers[0])
    pictures = campaign.pictures()
    origin = torture.Origin(campaign, pictures[0], os.path.join(campaign.scratch, "origin.log"))
    done = 0
    while campaign.goes_on(done):
        if not Round(campaign, servers, origin, pictures, done).play():
            break
        done += 1
        if campaign.goes_on(done):
            servers.reverse()
            servers[1].kill()
            servers[1].copy(servers[0])
    counts = campaign.counts
    gaps, firsts = (sorted(times) for times in zip(*campaign.gaps or [(0, 0)]))
    campaign.summary(
        f"{done} rounds of three nodes, the primary killed {counts['deaths']} times and hung {counts['hangs']} times, "
        f"{counts['kills']} kills and {counts['freezes']} freezes of nodes, {counts['photos']} photos, "
        f"{counts['told']} told before a failover, gap between commits {gaps[len(gaps) // 2]:.1f} s (median), "
        f"{gaps[-1]:.1f} s at most, first commit {firsts[len(firsts) // 2]:.1f} s (median) after a promotion, "
        f"{firsts[-1]:.1f} s at most, {counts['again']} photos asked for again, "
        f"{counts['again'] / max(1, counts['harms']):.1f} for each failover, kill and freeze, with shares of "
        f"{cluster.CHUNK}: {len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("failovers", main, __doc__, rounds=(2, 1000))
