# SPDX-License-Identifier: Apache-2.0
"""Shared by the benchmarks of the cluster: nodes with one ledger in a PostgreSQL of their own, whose settings are
those of Debian, so that every commit is synced. All of it is on one machine, and shares its processors."""
import json

import postgres
from bench import *

SETTINGS = """[Download]
AllowNetworks=127.0.0.0/8
{download}
[Output]
ContactSheet=no
Thumbnails=no
"""
CLUSTER = """[Cluster]
Ledger={ledger}
Node={node}
Blobs={blobs}
"""


def server(temp):
    if postgres.programs() is None:
        print("  left out: PostgreSQL is not installed (package postgresql)")
        sys.exit()
    started = postgres.Server(temp)
    atexit.register(started.process.wait)
    # Without waiting for sessions.
    atexit.register(started.process.send_signal, signal.SIGINT)
    return started


def alone(folder, temp, download=""):
    """A daemon with the settings of a node, and without a ledger."""
    return Daemon(folder, os.path.join(temp, "root"), SETTINGS.format(download=download))


class Fleet:
    """Nodes with a new ledger and a new shared folder."""

    count = 0

    def __init__(self, folder, temp, server, nodes=3, download=""):
        Fleet.count += 1
        self.server, self.database = server, f"fleet{Fleet.count}"
        self.blobs = os.path.join(temp, self.database)
        os.makedirs(self.blobs)
        server.ask(postgres.USER, f"CREATE DATABASE {self.database}")
        settings = SETTINGS.format(download=download)
        self.nodes = [
            Daemon(folder, os.path.join(temp, "root"), settings + CLUSTER.format(
                ledger=server.place(self.database), node=f"node{number}", blobs=self.blobs))
            for number in range(nodes)]
        self.session = postgres.Session(server, self.database)
        wait_until(lambda: self.count_nodes() == nodes, 60, "the nodes' first call", self.lives)

    def count_nodes(self):
        if self.session.ask("SELECT to_regclass('darkroom.node') IS NOT NULL") != ["t"]:
            return 0
        return self.session.number("SELECT count(*) FROM darkroom.node")

    def lives(self):
        return all(node.lives() for node in self.nodes)

    def done(self):
        """The photos that the ledger knows to have ended."""
        return self.session.number("SELECT sum(filtered + failed) FROM darkroom.tally")

    def check(self, photos):
        """Every photo is a print."""
        counts = self.session.ask("SELECT sum(filtered), sum(failed) FROM darkroom.tally")
        if counts != [f"{photos}|0"]:
            raise SystemExit(f"the ledger has {counts}, and {photos} prints were expected")

    def cost(self):
        """CPU seconds: of the server, and of the nodes with their workers."""
        return sum(family(self.server.process.pid)), sum(sum(family(node.pid)) for node in self.nodes)

    def stop(self):
        for node in self.nodes:
            node.stop()
        self.session.close()


def urls(origin, names, count, tag):
    """Different addresses of few files: a node downloads an address once."""
    return [origin.url(f"{names[n % len(names)]}?{tag}-{n}") for n in range(count)]


def list_file(temp, name, addresses, quality="default"):
    path = os.path.join(temp, f"{name}.json")
    photos = [{"Name": f"photo {n}", "URL": address} for n, address in enumerate(addresses, 1)]
    with open(path, "w") as file:
        json.dump({"QualityOfService": quality, "Photos": photos}, file)
    return path


def timed(daemon, path, seconds=300):
    """Seconds from the drop of a list to its results in `done`."""
    start = time.monotonic()
    results = os.path.join(daemon.root, "done", f"{daemon.drop(path)}.result.plist")
    wait_until(lambda: os.path.exists(results), seconds, f"the end of {path}", daemon.lives)
    return time.monotonic() - start


def pictures(program, folder, width, height, count=200):
    os.makedirs(folder, exist_ok=True)
    names = [f"p{n:03}.jpg" for n in range(count)]
    for n, name in enumerate(names):
        subprocess.run([program, "make", "jpeg", str(width), str(height), str(n), os.path.join(folder, name)], check=True)
    return names
