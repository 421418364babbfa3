# SPDX-License-Identifier: Apache-2.0
"""Shared by the campaigns about several nodes: servers of PostgreSQL, nodes that develop a list together, and the
comparison of the books at its end."""
import glob
import os
import re
import shutil
import signal
import struct
import subprocess
import time

import torture

# Those of the newest version; a client alone has no `initdb`.
PROGRAMS = os.path.dirname(max(
    glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]), default=""))
LEASE_SECONDS = 4
# The most photos of a share.
CHUNK = 8
NODES = ("a", "b", "c")
SETTINGS = """[Download]
FileFolders={photos}
{more}[Inbox]
QuietTime=250ms
[Cluster]
Ledger={ledger} dbname={database} user=postgres sslmode=disable gssencmode=disable
Node={node}
LeaseTime={lease}s
Chunk={chunk}
{blobs}
"""
# A commit has a time, for the gaps between commits.
# With mmap, a server that is killed leaves nothing outside its folder.
SERVER_SETTINGS = ("fsync=off", "max_connections=200", "shared_buffers=32MB", "track_commit_timestamp=on",
                   "dynamic_shared_memory_type=mmap")


def is_possible(campaign):
    if os.access(f"{PROGRAMS}/initdb", os.X_OK):
        return True
    campaign.summary("left out: PostgreSQL is not installed")
    return False


class Server:
    """A PostgreSQL in a fresh folder, or a standby of another one. It refuses root."""

    port = 5432

    def __init__(self, campaign, name="postgres", addresses=""):
        self.campaign, self.addresses = campaign, addresses
        self.home = os.path.join(campaign.scratch, name)
        self.data = os.path.join(self.home, "data")
        self.process = None
        os.makedirs(self.home)
        self.prefix = []
        if os.geteuid() == 0:
            os.chmod(campaign.scratch, 0o755)
            subprocess.run(["chown", "postgres", self.home], check=True)
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    # Its life.

    def make(self):
        self.run("initdb", "-D", self.data, "-A", "trust", "-N", "-E", "UTF8", "--locale=C", "-U", "postgres")
        if self.addresses:
            with open(os.path.join(self.data, "pg_hba.conf"), "a") as file:
                file.write("host all all all trust\n")
        self.start()

    def copy(self, primary):
        """Makes it the standby of a server, which waits for it with every commit from then on."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-D", self.data, "-R", "-c", "fast", "-h", primary.home, "-U", "postgres")
        self.start()
        primary.ask("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.ask("postgres", "SELECT pg_reload_conf()")
        seen = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
        torture.wait_until(lambda: primary.ask("postgres", seen) == ["1"], torture.PATIENCE, step=0.05)

    def start(self):
        settings = [word for setting in SERVER_SETTINGS for word in ("-c", setting)]
        self.process = self.campaign.start(
            [*self.prefix, f"{PROGRAMS}/postgres", "-D", self.data, "-k", self.home,
             "-c", f"listen_addresses={self.addresses}", *settings],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        isready = [f"{PROGRAMS}/pg_isready", "-q", *self.place()]
        torture.wait_until(lambda: subprocess.run(isready).returncode == 0, torture.PATIENCE, step=0.05)

    def signal(self, number):
        """For all its processes."""
        if self.process.poll() is not None:
            return
        for process in (self.process.pid, *torture.children(self.process.pid)):
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
        self.campaign.ended(self.process)

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-t", str(torture.PATIENCE), "promote")

    # Its answers.

    def run(self, program, *words):
        command = [*self.prefix, f"{PROGRAMS}/{program}", *words]
        answer = subprocess.run(command, capture_output=True, text=True, cwd="/")
        if answer.returncode != 0:
            raise SystemExit(f"{program}: {answer.stderr}")
        return answer.stdout

    def ask(self, database, query):
        return self.run("psql", *self.place(), "-U", "postgres", "-d", database, "-At", "-c", query).split()

    def place(self):
        """Where programs of PostgreSQL find it."""
        return ["-h", self.home, "-p", str(self.port)]

    def socket(self):
        return os.path.join(self.home, ".s.PGSQL.5432")

    def recorded(self, database):
        """The photos of the ledger: (number, the bytes of its result), in no order."""
        found = []
        for rows in self.ask(database, "SELECT encode(rows, 'hex') FROM darkroom.outcome"):
            found += unpack(bytes.fromhex(rows))
        return found


TIMES = "SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM darkroom.outcome"


def silence(server, database, promoted):
    """The seconds between the last commit before a promotion and the first one after it, and their part behind it."""
    times = [float(time) for time in server.ask(database, TIMES)]
    last = max(time for time in times if time <= promoted)
    first = min(time for time in times if time > promoted)
    return first - last, first - promoted


def unpack(rows):
    """The photos of a report; its form is in Sources/Cluster/OutcomePack.swift."""
    place = 1
    while place < len(rows):
        number, _, size = struct.unpack_from("<IBH", rows, place)
        yield number, rows[place + 7:place + 7 + size]
        place += 7 + size


class Folder:
    """What the nodes share: a folder."""

    def __init__(self, campaign, number):
        self.place = os.path.join(campaign.scratch, f"blobs-{number}")
        os.makedirs(self.place)
        self.settings = f"Blobs={self.place}"

    def prints(self):
        names = torture.list_folder(os.path.join(self.place, "prints", "summer"))
        return sorted(name for name in names if torture.is_print(name))

    def read(self, name):
        return torture.read(os.path.join(self.place, "prints", "summer", name))


def play_rounds(campaign, play):
    """`play(campaign, server, pictures, number)`, again and again on one server. Returns the number of rounds."""
    server = Server(campaign)
    server.make()
    pictures = campaign.pictures()
    done = 0
    while campaign.goes_on(done):
        play(campaign, server, pictures, done)
        done += 1
    return done


class Cluster:
    """Nodes on one ledger, and the list 'summer' that is dropped at the first one. `shelf` has their prints: a new
    folder, unless it is given."""

    def __init__(self, campaign, number, database, ledger, pictures, count, settings="", prefixes=None, shelf=None,
                 lease=LEASE_SECONDS):
        self.campaign, self.number, self.database, self.count = campaign, number, database, count
        self.folder, self.names = pictures
        self.shelf = shelf or Folder(campaign, number)
        self.prefixes = prefixes or {}
        self.daemons = {}
        self.roots = {}
        for node in NODES:
            place = ledger(node) if callable(ledger) else ledger
            text = SETTINGS.format(
                photos=self.folder, more=settings, ledger=place, database=database, node=node,
                lease=lease, chunk=CHUNK, blobs=self.shelf.settings)
            self.roots[node] = campaign.root(f"{number}-{node}", text)
        self.home = self.roots[NODES[0]]

    def check(self, holds, what, *facts):
        return self.campaign.check(holds, f"{self.campaign.name}: {what}", *facts)

    def start(self, node):
        self.daemons[node] = self.roots[node].start(prefix=self.prefixes.get(node, ()))
        self.check(
            self.daemons[node].wait_ready(), "a node does not start", self.daemons[node].said()[-400:])

    def begin(self, url=None, query=lambda number: ""):
        """Starts the nodes and drops the list. `query` ends the URL of a photo."""
        for node in NODES:
            self.start(node)
        url = url or f"file://{self.folder}"
        photos = [(f"photo {n}", f"{url}/{self.names[n % len(self.names)]}{query(n)}")
                  for n in range(1, self.count + 1)]
        self.home.drop("summer", torture.photo_list(photos))

    def is_over(self):
        return os.path.exists(self.home.at("done", "summer.result.plist"))

    def wait(self, harm=lambda: None):
        """Does harm until the list is over. Returns whether it is."""
        end = time.monotonic() + torture.PATIENCE
        while not self.is_over() and time.monotonic() < end:
            harm()
            time.sleep(0.1)
        return self.check(self.is_over(), "the list does not end", self.home.path)

    def kill(self, node, seconds):
        """kill -9, and a start after some seconds."""
        self.daemons[node].kill()
        time.sleep(seconds)
        self.start(node)
        self.campaign.count("kills")

    def harm(self, random):
        """A node is killed, or frozen for longer than a lease."""
        node = random.choice(NODES)
        if random.random() < 0.6:
            self.kill(node, random.uniform(0, 2 * LEASE_SECONDS))
        else:
            self.freeze(node, random.uniform(1, 2) * LEASE_SECONDS)

    def freeze(self, node, seconds):
        self.daemons[node].process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.daemons[node].process.send_signal(signal.SIGCONT)
        self.campaign.count("freezes")

    def told(self):
        """The numbers of the photos that the first node has told so far."""
        log = torture.read(self.home.at("log")).decode("utf-8", "replace")
        return {int(number) for number in re.findall(r"Filtered 'photo (\d+)'", log)}

    def prints(self):
        return self.shelf.prints()

    def check_books(self, server):
        """Every photo is in the ledger once, as its print is, and as the first node tells."""
        place = self.home.path
        recorded = server.recorded(self.database)
        numbers = [number for number, _ in recorded]
        self.check(sorted(numbers) == list(range(1, self.count + 1)), "not every photo is recorded once",
                   place, len(numbers), len(set(numbers)))
        counts = server.ask(self.database, "SELECT sum(filtered), sum(failed) FROM darkroom.tally")
        self.check(counts == [f"{self.count}|0"], "the counts of the ledger", place, counts)
        result = list(self.home.results().values())[0]
        made = set(self.prints())
        told = {os.path.basename(photo["Print"]): photo["SHA256"] for photo in result["Photos"]}
        self.check(len(told) == self.count and set(told) == made, "prints and results differ", place,
                   sorted(made ^ set(told))[:5])
        wrong = [name for name in made & set(told)
                 if torture.digest(self.shelf.read(name)) != told[name]]
        self.check(not wrong, "a print is not the one on record", place, wrong[:5])
        rows = dict(recorded)
        names = {photo["Name"]: photo["SHA256"] for photo in result["Photos"]}
        other = [number for number in rows
                 if bytes.fromhex(names.get(f"photo {number}", "00")) not in rows[number]]
        self.check(not other, "a photo is told otherwise than the ledger has it", place, other[:5])
        self.campaign.count("photos", len(numbers))

    def end(self):
        for daemon in self.daemons.values():
            daemon.kill()
        for root in self.roots.values():
            if not self.campaign.violations:
                root.remove()
