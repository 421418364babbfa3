#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nodes that have their prints in a store of objects, which misbehaves, and that are killed.

    Tests/Torture/stores.py BIN [--seed N] [--short | --seconds S] [--rounds N]

In each round three nodes with one ledger develop a list into a bucket. The store (Tests/Support/store.py, which checks
every signature) loses answers, cuts them, refuses requests and lets them wait, as the seed says; nodes are killed with
-9, frozen for longer than a lease, and started again. Then the books are compared: every photo is in the ledger once,
as its print is, and as the node tells where the list was dropped. In the long form every second round uses moto instead,
if MOTO is its program (`make torture` installs it). Left out without PostgreSQL."""
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request

import cluster
import torture

PHOTOS = {"short": 48, "long": 160}
MOTO = os.environ.get("MOTO", "")
# Name, method, how many requests.
FAULTS = (
    ("lost", "PUT", 3), ("lost", "*", 2), ("drop", "*", 3), ("busy", "PUT", 5), ("error", "PUT", 5),
    ("conflict", "PUT", 2), ("half", "GET", 3), ("forbid", "PUT", 2), ("stall", "PUT", 3))
SETTINGS = """Blobs={url}/deep
BlobCredentials={key}"""


class Shelf:
    """What the nodes share: the part `deep` of a bucket."""

    def __init__(self, campaign, number, url, login):
        key = os.path.join(campaign.scratch, f"key-{number}")
        with open(key, "w") as file:
            file.write(login)
        self.url = url
        self.settings = SETTINGS.format(url=url, key=key)

    def prints(self):
        start = "deep/prints/summer/"
        return sorted(key[len(start):] for key in self.keys() if key.startswith(start))


class Strict(Shelf):
    def __init__(self, campaign, number):
        self.campaign, self.folder = campaign, os.path.join(campaign.scratch, f"objects-{number}")
        os.makedirs(self.folder)
        script = os.path.join(torture.REPOSITORY, "Tests", "Support", "store.py")
        self.process = campaign.start(
            [sys.executable, script, "--folder", self.folder, "--key", "key", "--secret", "se/cr+et"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = self.process.stdout.readline().split()[1]
        super().__init__(campaign, number, f"http://127.0.0.1:{port}/photos", "key:se/cr+et")

    def ask(self, words):
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def harm(self, random):
        name, method, most = random.choice(FAULTS)
        self.ask(f"fault {name} {random.randint(1, most)} {method}")
        self.campaign.count("faults")

    def calm(self):
        for name, _, _ in FAULTS:
            self.ask(f"fault {name} 0")

    def keys(self):
        return json.loads(self.ask("keys"))

    def read(self, name):
        return torture.read(os.path.join(
            self.folder, urllib.parse.quote(f"deep/prints/summer/{name}", safe="~")))

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.campaign.ended(self.process)


class Moto(Shelf):
    """It wants to know who asks, and checks no signature."""

    WHO = "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"

    def __init__(self, campaign, number):
        self.campaign = campaign
        self.process = campaign.start(
            [MOTO, "-H", "127.0.0.1", "-p", "0"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        port = None
        while not port:
            line = self.process.stderr.readline()
            if not line:
                raise SystemExit("moto does not start")
            port = re.search(r"http://127.0.0.1:(\d+)", line)
        super().__init__(campaign, number, f"http://127.0.0.1:{port[1]}/photos", "key:secret")
        self.call("PUT", "")

    def call(self, method, path):
        request = urllib.request.Request(self.url + path, method=method, headers={"Authorization": self.WHO})
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def harm(self, random):
        pass

    def calm(self):
        pass

    def keys(self):
        text = self.call("GET", "?encoding-type=url&list-type=2").decode()
        return [urllib.parse.unquote_plus(key) for key in re.findall("<Key>(.*?)</Key>", text)]

    def read(self, name):
        return self.call("GET", "/" + urllib.parse.quote(f"deep/prints/summer/{name}"))

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.campaign.ended(self.process)


def play(campaign, server, pictures, number):
    random = campaign.random("stores", number)
    database = f"round{number}"
    server.ask("postgres", f"CREATE DATABASE {database}")
    is_moto = MOTO and not campaign.is_short and number % 2 == 1
    shelf = (Moto if is_moto else Strict)(campaign, number)
    nodes = cluster.Cluster(
        campaign, number, database, f"host={server.home}", pictures,
        PHOTOS["short" if campaign.is_short else "long"], shelf=shelf)

    def harm():
        """Most of the time the store, now and then a node is killed, or frozen for longer than a lease."""
        chance = random.random()
        if chance < 0.3:
            shelf.harm(random)
        elif chance < 0.5:
            shelf.calm()
        elif chance > 0.97 and not campaign.is_short:
            nodes.harm(random)

    nodes.begin()
    is_over = nodes.wait(harm)
    shelf.calm()
    if is_over:
        nodes.check_books(server)
        # A node that is killed at its start leaves the object of its test.
        known = ("deep/prints/summer/", "deep/lists/", "deep/probe/", "deep/cluster")
        others = [key for key in shelf.keys() if not key.startswith(known)]
        nodes.check(not others, "objects of no list", others[:5])
    campaign.count("moto" if is_moto else "strict")
    nodes.end()
    shelf.end()


def main(campaign):
    if not cluster.is_possible(campaign):
        return
    cluster.play_rounds(campaign, play)
    counts = campaign.counts
    campaign.summary(
        f"{counts['strict']} lists of three nodes in a strict store and {counts['moto']} in moto, {counts['faults']} "
        f"faults of the store, {counts['kills']} kills, {counts['freezes']} freezes, {counts['photos']} photos: "
        f"{len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("stores", main, __doc__, rounds=(1, 1000))
