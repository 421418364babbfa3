#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes whose ledger is kept by Patroni: what its failovers cost them.

    Tests/Torture/patroni.py BIN [--seed N] [--short | --seconds S] [--rounds N]

Two members of Patroni, with etcd, keep a PostgreSQL with a synchronous standby; darkroom's part is only the names of
both servers. In each round three nodes develop a list, and at a place drawn from the seed the primary gets into
trouble, in turn: its machine dies (all its processes and Patroni's are killed with -9), it hangs (SIGSTOP, until the
watchdog, which Patroni wants for this, resets it), PostgreSQL alone is killed, or Patroni is told to switch. Patroni
promotes the standby. What the first node had told must be there, and the books are compared (cluster.py).

The summary compares the silence of the ledger, which is the gap between two commits, with the time that Patroni needs
from the trouble to a primary that takes writes. Left out without PostgreSQL, patroni and etcd-server, the packages of
Debian."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import cluster
import torture

COUNT = 160
# The last photos wait until there is a new primary, so that no list is over before.
GATED = 16
# The default of LeaseTime=, in seconds.
LEASE = 30
# Seconds; Patroni's shortest time until it takes a silent primary for dead.
TTL, LOOP = 20, 2
TROUBLES = ("death", "hang", "crash", "switch")
SETTINGS = """scope: darkroom
name: {name}
restapi: {{listen: '{rest}', connect_address: '{rest}'}}
etcd3: {{hosts: '{etcd}'}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: {loop}
    retry_timeout: 5
    synchronous_mode: true
    # A primary that has crashed is replaced, not started again.
    primary_start_timeout: 0
    master_start_timeout: 0
    postgresql:
      use_pg_rewind: true
      parameters: {{track_commit_timestamp: 'on', max_connections: 200}}
  initdb: [data-checksums, {{encoding: UTF8}}, {{locale: C}}]
postgresql:
  listen: '{postgres}'
  connect_address: '{postgres}'
  data_dir: {data}
  bin_dir: {programs}
  pgpass: {home}/pgpass
  authentication:
    superuser: {{username: postgres}}
    replication: {{username: replicator}}
    rewind: {{username: postgres}}
  parameters: {{unix_socket_directories: {home}, fsync: 'off', shared_buffers: 32MB, dynamic_shared_memory_type: mmap}}
  pg_hba: [local all all trust, host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust]
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Member(cluster.Server):
    """A PostgreSQL and its Patroni: what a machine would have."""

    def __init__(self, campaign, name, etcd):
        super().__init__(campaign, name)
        self.name = name
        self.port = free_port()
        self.rest = f"127.0.0.1:{free_port()}"
        self.settings = os.path.join(self.home, "patroni.yml")
        torture.write(self.settings, SETTINGS.format(
            name=name, rest=self.rest, etcd=etcd, ttl=TTL, loop=LOOP, postgres=f"127.0.0.1:{self.port}",
            data=self.data, programs=cluster.PROGRAMS, home=self.home).encode())
        # PostgreSQL outlives a Patroni that is killed.
        campaign.undo(self.kill)

    def start(self):
        with open(os.path.join(self.home, "log"), "ab") as log:
            self.process = self.campaign.start(
                [*self.prefix, "patroni", self.settings], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")

    def is_(self, role):
        """Whether Patroni says so: `primary`, `synchronous`."""
        try:
            with urllib.request.urlopen(f"http://{self.rest}/{role}", timeout=5) as answer:
                return answer.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def takes_writes(self):
        answer = subprocess.run(
            [f"{cluster.PROGRAMS}/psql", *self.place(), "-U", "postgres", "-d", "postgres", "-At",
             "-c", "SELECT pg_is_in_recovery()"], capture_output=True, text=True)
        return answer.stdout.strip() == "f"

    def postmaster(self):
        """Its process number, 0 if it does not run. Patroni is not its parent."""
        try:
            number = int(torture.read(os.path.join(self.data, "postmaster.pid")).split()[0])
        except (FileNotFoundError, IndexError):
            return 0
        return number if torture.is_running(number) else 0

    def signal_database(self, number):
        postmaster = self.postmaster()
        for process in (postmaster, *torture.children(postmaster)) if postmaster else ():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def signal(self, number):
        super().signal(number)
        self.signal_database(number)

    def kill(self):
        postmaster = self.postmaster()
        if self.process:
            super().kill()
        else:
            self.signal_database(signal.SIGKILL)
        torture.wait_until(lambda: not torture.is_running(postmaster), torture.PATIENCE)

    def switch(self, other):
        order = json.dumps({"leader": self.name, "candidate": other.name}).encode()
        urllib.request.urlopen(
            urllib.request.Request(f"http://{self.rest}/switchover", order, {"Content-Type": "application/json"}),
            timeout=torture.PATIENCE).close()


class Round:
    def __init__(self, campaign, members, origin, pictures, number):
        self.campaign, self.origin, self.number = campaign, origin, number
        self.primary, self.standby = members
        self.random = campaign.random("patroni", number)
        self.trouble = TROUBLES[number % len(TROUBLES)]
        self.database = f"round{number}"
        self.primary.ask("postgres", f"CREATE DATABASE {self.database}")
        servers = sorted(members, key=lambda member: member.name)
        place = [",".join(words) for words in
                 ((member.home for member in servers), (str(member.port) for member in servers))]
        self.nodes = cluster.Cluster(
            campaign, number, self.database, "host={} port={}".format(*place), pictures, COUNT,
            settings=torture.LOOPBACK, lease=LEASE)
        self.at = self.random.randrange(1, COUNT // 2)
        self.is_replaced = False

    def play(self):
        """Returns whether the list is over."""
        self.nodes.begin(
            self.origin.address,
            lambda photo: f"?gate={self.number}" if photo > COUNT - GATED else "")
        is_over = self.nodes.wait(self.harm)
        if is_over:
            self.nodes.check_books(self.standby)
            self.measure()
        self.nodes.end()
        return is_over

    def harm(self):
        if not self.is_replaced and len(self.nodes.told()) >= self.at:
            self.fail_over()
            self.is_replaced = True

    def fail_over(self):
        start = time.time()
        match self.trouble:
            case "death": self.primary.kill()
            case "hang": self.primary.signal(signal.SIGSTOP)
            case "crash": self.primary.signal_database(signal.SIGKILL)
            case "switch": self.primary.switch(self.standby)
        self.campaign.count(self.trouble)
        told = self.nodes.told()
        self.nodes.check(torture.wait_until(self.standby.takes_writes, torture.PATIENCE),
                         "Patroni does not promote the standby", self.trouble)
        self.promoted = time.time()
        self.need = self.promoted - start
        if self.trouble == "hang":
            self.primary.kill()
        there = {number for number, _ in self.standby.recorded(self.database)}
        self.campaign.count("told", len(told))
        self.nodes.check(told <= there, "a photo was told that the new primary lacks", sorted(told - there)[:5])
        self.origin.release(self.number)

    def measure(self):
        silence = cluster.silence(self.standby, self.database, self.promoted)
        self.campaign.silences.append((self.trouble, self.need, silence[0], silence[1]))


def is_possible(campaign):
    if not cluster.is_possible(campaign):
        return False
    missing = [program for program in ("patroni", "etcd") if not shutil.which(program)]
    if missing:
        campaign.summary(f"left out: {' and '.join(missing)} not installed (packages patroni and etcd-server)")
    return not missing


def start_etcd(campaign):
    client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
    campaign.start(
        ["etcd", "--data-dir", os.path.join(campaign.scratch, "etcd"), "--listen-client-urls", client,
         "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
         "--initial-cluster", f"default={peer}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_healthy():
        try:
            with urllib.request.urlopen(f"{client}/health", timeout=5) as answer:
                return b"true" in answer.read()
        except (OSError, urllib.error.URLError):
            return False

    torture.wait_until(is_healthy, torture.PATIENCE, step=0.1)
    return client.removeprefix("http://")


def wait_for_pair(campaign, primary, standby):
    ready = torture.wait_until(
        lambda: primary.is_("primary") and standby.is_("synchronous"), torture.PATIENCE, step=0.1)
    return campaign.check(ready, "Patroni has no synchronous standby", primary.home)


def main(campaign):
    if not is_possible(campaign):
        return
    campaign.silences = []
    etcd = start_etcd(campaign)
    members = [Member(campaign, name, etcd) for name in ("one", "two")]
    members[0].start()
    torture.wait_until(members[0].takes_writes, torture.PATIENCE, step=0.1)
    members[1].start()
    pictures = campaign.pictures()
    origin = torture.Origin(campaign, pictures[0], os.path.join(campaign.scratch, "origin.log"))
    done = 0
    while campaign.goes_on(done) and wait_for_pair(campaign, *members):
        if not Round(campaign, members, origin, pictures, done).play():
            break
        done += 1
        members.reverse()
        if members[1].process.poll() is not None:
            members[1].start()
    counts = campaign.counts
    words = []
    for trouble in TROUBLES:
        found = [row for row in campaign.silences if row[0] == trouble]
        if found:
            needs, ratios, late = (sorted(values) for values in (
                [need for _, need, _, _ in found], [gap / need for _, need, gap, _ in found],
                [after for _, _, _, after in found]))
            middle = len(found) // 2
            words.append(
                f"{counts[trouble]} x {trouble}: Patroni needed {needs[middle]:.1f} s, silence {ratios[middle]:.2f} times "
                f"as long (at most {ratios[-1]:.2f}), first commit {late[middle]:.1f} s later (at most {late[-1]:.1f})")
    campaign.summary(
        f"{done} lists of three nodes, {counts['photos']} photos, {counts['told']} told before a failover; "
        f"{'; '.join(words)} (medians): {len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("patroni", main, __doc__, rounds=(4, 1000))
