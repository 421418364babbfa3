#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every system call of darkroomd that can fail, fails: each call site, each of its calls, each fitting error
number, once and until it is healed.

    Tests/Torture/calls.py BIN [--seed N] [--short | --seconds S] [--faults N]
    SITES=1 Tests/Torture/calls.py BIN      lists the sites, with the names of their callers
    FAULT=... Tests/Torture/calls.py BIN    one fault, as a violation names it; --faults N repeats it
    PART=2/8 Tests/Torture/calls.py BIN     every eighth fault of the long form, from the second one on; the
                                            parts belong together if they have one seed

faults.c counts the calls of clean runs by site: the function, what it is called for, and the innermost frames
of the caller. A fault is a site, the number of its call, an error number, and one of

    once      that call fails
    site      that call and all later ones of the site fail, until it is healed
    function  after that call all calls of the function (and of its kind) fail, until it is healed

Each fault is one run of darkroomd --until-idle over two lists, MANY (photos in all states, more than are
downloaded at once) and FEW (dropped while the daemon runs). There are four scenes: the originals are files;
they come from an origin over HTTP; a daemon takes over what another one left after kill -9; a folder of pictures is
dropped as well. SCENE=NAME (files, origin, restart, pictures) takes one of them. In all of them a
client asks questions at the control socket.

Promised, and checked after each run: no crash; the end within a bound after healing, by itself; one of the
documented exit statuses, but not 64 or 78, which a service manager takes for a person's mistake; a whole
journal file; no list rejected, no photo failed except those that must; and after one more start, without a
fault, everything is there, once, with the same bytes as in the run without a fault.

--short takes a sample: each class of error numbers at each function, then each class at each site. The long
form goes on with the first call of every site, every error number and all three ways, then with all other
calls, each in a random order; it says how much it did not reach.

Left out, because Linux or the C library cannot do it or the program cannot do without it:
  - write, read and close of event, timer, signal, inotify and process descriptors; close of folders, pipes
    and sockets; prctl, sigaction, pthread_sigmask, getrlimit, setrlimit, sched_getaffinity, timerfd_settime,
    waitid, shutdown, listen, F_GETLEASE, F_SETFL, SO_PEERCRED, SO_ERROR: with these arguments they have no
    error.
  - EINTR of pipes, events and other descriptors that never block.
  - futex, and memory (malloc, mmap): the Swift runtime ends the process if they fail.
  - EINTR and EAGAIN until healed: a signal does not interrupt every call, and a socket that is full for ever
    is not ready for poll.
  - EACCES, EPERM and EROFS where they belong to the file and not to the machine: opening and reading what the
    lists name. A photo that may not be read fails, rightly. ECONNRESET and the like belong to the other side.
  - short packets: SOCK_SEQPACKET and SOCK_DGRAM send all or nothing.
  - calls inside the C library (of getaddrinfo, for example); with addresses in numbers, as here, there are
    few.
  - the calls of workers: they start without this environment and live in a sandbox; their death is another campaign.
"""
import bisect
import collections
import errno
import mmap
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time

import torture
from torture import list_folder, photo_list, read, write

# The layout of the board, as in faults.c.
HEAD = struct.Struct("<16s16sQQIiIIQ")
SITE = struct.Struct("<QQ16s16s12Q")
SITES = 4096
HEALED = struct.Struct("<I")
HEALED_AT = 32 + 16 + 8
FAILED = struct.Struct("<Q")
FAILED_AT = 32 + 16 + 16
MODES = {"none": 0, "once": 1, "site": 2, "function": 3}
SHORT = 10000

HOLD = 0.5  # seconds from the first failed call until it is healed
BOUND = 180  # seconds without a message, from then on or from the start, after which the daemon hangs
LONGEST = 200  # seconds, whatever it says; also of the start without a fault
LANES = 12  # runs side by side: most of a run is the wait of a daemon for its machine, which costs nothing

SPACE = ["ENOSPC", "EDQUOT"]
MANY_FILES = ["EMFILE", "ENFILE"]
CHANGE = ["EIO", "ENOSPC", "EDQUOT", "EROFS", "ENOMEM", "EACCES", "EPERM"]
SOCKET = MANY_FILES + ["ENOMEM", "ENOBUFS"]

# What Linux may answer, by function and kind, or by function alone.
ERRORS = {
    "read.file": ["EIO", "EINTR", "ENOMEM", "SHORT"],
    "read.pipe": ["EAGAIN"],
    "read.network": ["EINTR", "EAGAIN", "ENOMEM", "SHORT"],
    "write.file": ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EINTR", "ENOMEM", "SHORT"],
    "write.messages": ["EIO", "ENOSPC", "EINTR", "EAGAIN", "SHORT"],
    "pread": ["EIO", "EINTR", "ENOMEM", "SHORT"],
    "pwrite": ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EINTR", "ENOMEM", "EPERM", "SHORT"],
    "recv.network": ["EINTR", "EAGAIN", "ENOMEM", "SHORT"],
    "recv.control": ["EINTR", "EAGAIN", "ENOMEM", "SHORT"],
    "recvfrom.network": ["EINTR", "EAGAIN", "ENOMEM", "SHORT"],
    "recvmsg.worker": ["EINTR", "EAGAIN", "ENOMEM"],
    "read.control": ["EINTR", "EAGAIN", "ENOMEM", "SHORT"],
    "send.control": ["EINTR", "EAGAIN", "ENOMEM", "ENOBUFS", "SHORT"],
    "send.network": ["EINTR", "EAGAIN", "ENOMEM", "ENOBUFS", "SHORT"],
    "sendto.network": ["EINTR", "EAGAIN", "ENOMEM", "ENOBUFS", "SHORT"],
    "send.datagram": ["EINTR", "EAGAIN", "ENOMEM", "ENOBUFS"],
    "sendmsg": ["EINTR", "EAGAIN", "ENOMEM", "ENOBUFS"],
    "fdatasync": ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EINTR"],
    "fsync": ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EINTR"],
    "syncfs": ["EIO", "ENOSPC", "EDQUOT"],
    "sync_file_range": ["EIO", "ENOSPC", "ENOMEM"],
    "ftruncate": ["EIO", "ENOSPC", "EROFS", "EINTR", "EPERM"],
    "fallocate": ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EINTR", "EOPNOTSUPP"],
    "fchmod": ["EIO", "EROFS", "EPERM"],
    "chmod": ["EIO", "EROFS", "EPERM", "ENOMEM"],
    "fchmodat": ["EIO", "EROFS", "EPERM", "EOPNOTSUPP", "ENOMEM"],
    "fstat": ["EIO", "ENOMEM"], "fstatat": ["EIO", "ENOMEM"], "lstat": ["EIO", "ENOMEM"],
    "stat": ["EIO", "ENOMEM"], "statx": ["EIO", "ENOMEM"],
    "fstatfs": ["EIO", "ENOMEM", "EINTR"], "fstatvfs": ["EIO", "ENOMEM", "EINTR"],
    "statvfs": ["EIO", "ENOMEM", "EINTR"],
    "renameat": CHANGE, "renameat2": CHANGE + ["EINVAL"], "rename": CHANGE,
    "linkat": CHANGE + ["EOPNOTSUPP"], "mkdirat": CHANGE, "mkdir": CHANGE,
    "unlinkat": ["EIO", "EROFS", "ENOMEM", "EACCES", "EPERM"],
    "unlink": ["EIO", "EROFS", "ENOMEM", "EACCES", "EPERM"],
    "faccessat": ["EIO", "ENOMEM"], "access": ["EIO", "ENOMEM"], "readlink": ["EIO", "ENOMEM"],
    "getdents64": ["EIO", "ENOMEM"], "getrandom": ["EINTR"], "chdir": ["EIO", "ENOMEM"],
    "openat.create": MANY_FILES + CHANGE + ["EINTR", "EOPNOTSUPP"],
    "openat": MANY_FILES + ["EIO", "ENOMEM", "EINTR"],
    "open.create": MANY_FILES + CHANGE + ["EINTR"],
    "open": MANY_FILES + ["EIO", "ENOMEM", "EINTR"],
    "fopen": ["EMFILE", "ENFILE", "ENOMEM"],
    "fcntl.dup": ["EMFILE"], "fcntl.lease": ["EAGAIN", "ENOMEM", "EINVAL"],
    "fcntl.lock": ["ENOMEM", "ENOLCK"], "fcntl.flags": [], "fcntl.has-lease": [], "fcntl.seal": ["ENOMEM"],
    "close.file": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "socket": SOCKET, "socketpair": SOCKET, "accept4": SOCKET + ["EINTR", "EAGAIN", "EPERM"],
    "accept": SOCKET + ["EINTR", "EAGAIN"],
    "connect.network": ["EADDRNOTAVAIL", "ENOMEM", "EINTR"], "connect.datagram": ["ENOMEM", "EAGAIN"],
    "bind.control": ["EIO", "ENOSPC", "EROFS", "ENOMEM", "EACCES"], "bind.network": ["ENOMEM"],
    "setsockopt": ["ENOMEM", "ENOBUFS"], "getsockname": ["ENOBUFS"], "getpeername": ["ENOBUFS"],
    "pipe2": ["EMFILE", "ENFILE", "ENOMEM"], "pipe": ["EMFILE", "ENFILE", "ENOMEM"],
    "dup": ["EMFILE"], "memfd_create": ["EMFILE", "ENFILE", "ENOMEM"],
    "eventfd": ["EMFILE", "ENFILE", "ENOMEM"], "timerfd_create": ["EMFILE", "ENFILE", "ENOMEM"],
    "signalfd": ["EMFILE", "ENFILE", "ENOMEM"], "epoll_create1": ["EMFILE", "ENFILE", "ENOMEM"],
    "epoll_ctl": ["ENOMEM", "ENOSPC"], "epoll_wait": ["EINTR"],
    "inotify_init1": ["EMFILE", "ENFILE", "ENOMEM"], "inotify_add_watch": ["ENOSPC", "ENOMEM"],
    "poll": ["EINTR", "ENOMEM"], "ppoll": ["EINTR", "ENOMEM"],
    "pidfd_open": ["EMFILE", "ENFILE", "ENOMEM"],
    "pthread_create": ["EAGAIN"], "posix_spawn": ["EAGAIN", "ENOMEM", "EIO"], "fork": ["EAGAIN", "ENOMEM"],
}

# The short form takes one number of each class.
CLASSES = [["EIO"], ["ENOSPC", "EDQUOT"], ["EROFS", "EACCES", "EPERM"], ["EMFILE", "ENFILE"],
           ["ENOMEM", "ENOBUFS", "ENOLCK", "EADDRNOTAVAIL"], ["EINTR"], ["EAGAIN"], ["EINVAL", "EOPNOTSUPP"],
           ["SHORT"]]
# A call that only has to be repeated; but EAGAIN of these says that the machine allows no more.
PASSING = ("EINTR", "EAGAIN", "SHORT")
ALLOCATIONS = ("pthread_create", "posix_spawn")

Site = collections.namedtuple("Site", "key function kind frames")
Fault = collections.namedtuple("Fault", "scene site number error mode")


class Board:
    """What the daemon and the campaign share: the fault, and the calls of each site."""

    def __init__(self, path, fault=None):
        self.path = path
        contents = bytearray(HEAD.size + SITES * SITE.size)
        if fault:
            code = SHORT if fault.error == "SHORT" else getattr(errno, fault.error)
            site = fault.site
            HEAD.pack_into(contents, 0, site.function.encode(), site.kind.encode(), site.key, fault.number,
                           MODES[fault.mode], code, 0, 0, 0)
        write(path, contents)
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)

    def failed(self):
        return FAILED.unpack_from(self.map, FAILED_AT)[0]

    def heal(self):
        HEALED.pack_into(self.map, HEALED_AT, 1)

    def calls(self):
        """Site → the number of its calls."""
        found = {}
        for number in range(SITES):
            key, calls, function, kind, *frames = SITE.unpack_from(self.map, HEAD.size + number * SITE.size)
            if key:
                words = [word.rstrip(b"\0").decode() for word in (function, kind)]
                found[Site(key, *words, tuple(frame for frame in frames if frame))] = calls
        return found

    def close(self):
        self.map.close()
        os.unlink(self.path)


def errors_of(site):
    """The error numbers that Linux may give there; empty for a site that is left out."""
    return ERRORS.get(f"{site.function}.{site.kind}", ERRORS.get(site.function, []))


# Scenes.


class Scene:
    """How the two lists are made, and what a run without a fault leaves. With `roll`, a folder of pictures is dropped
    as well."""

    def __init__(self, campaign, name, library, photos, settings, roll=None):
        self.campaign, self.name, self.library, self.settings = campaign, name, library, settings
        self.many, self.few = photos
        self.roll = roll
        self.before = None
        self.runs = 0

    def root(self):
        self.runs += 1
        root = self.campaign.root(f"{self.name}-{self.runs}", None if self.before else self.settings)
        if self.before:
            shutil.copytree(self.before, root.path, dirs_exist_ok=True, symlinks=True)
        else:
            root.drop("many", self.many)
        if self.roll:
            shutil.copytree(self.roll, root.at("inbox", "roll"))
        return root

    def leave(self):
        """A daemon is killed in the middle of its work; the runs of this scene begin with what it left. It returns no
        list at that moment: results name the paths of their prints, so that a run in another place has other ones."""
        for _ in range(50):
            root = self.root()
            root.drop("few", self.few)
            daemon = root.start("--until-idle")
            torture.wait_until(lambda: daemon.said().count("Filtered") > 10 or not daemon.lives(), 60)
            daemon.kill()
            if not is_returning(root):
                break
            root.remove()
        else:
            raise SystemExit(f"{self.name}: a list was being returned at each of 50 kills")
        os.unlink(root.at("log"))
        if os.path.exists(root.at("control")):
            os.unlink(root.at("control"))  # copytree does not copy sockets
        self.before = root.path

    def measure(self):
        """Runs without a fault. Keeps what they leave, and the sites of both together."""
        self.calls = collections.Counter()
        for number in range(2):
            root = self.root()
            run = Run(self, root, None)
            run.go()
            self.status, self.wanted = run.status, facts_of(root)
            for site, calls in run.calls.items():
                self.calls[site] = max(self.calls[site], calls)
            wrong = complaints(self, root)
            if wrong or self.status not in (0, 3) or len(self.wanted["results"]) != (3 if self.roll else 2):
                raise SystemExit(f"{self.name}: the run without a fault is bad: status {self.status}, "
                                 f"{wrong}\n" + read(root.at("log")).decode())
            if number:
                prove_judge(self, root)
            root.remove()


def is_returning(root):
    """Results are there whose list is not marked as returned."""
    return any(not os.path.exists(root.at("state", "lists", str(number), "returned"))
               for number in root.results())


def waiting(root):
    """What waits in the inbox. Empty folders are left there if they may not be removed."""
    return [name for name in root.waiting() if not is_empty(root.at("inbox", name))]


def is_empty(path):
    return os.path.isdir(path) and not any(files for _, _, files in os.walk(path))


def facts_of(root):
    """What a run has left, without what differs from run to run."""
    results = collections.defaultdict(list)
    for result in root.results().values():
        photos = {photo["Name"]: tuple(photo.get(key) for key in ("State", "Code", "Print", "SHA256"))
                  for photo in result["Photos"]}
        results[result["List"]].append((result["State"], photos))
    pictures = [os.path.relpath(os.path.join(folder, file), root.path) + " " + torture.digest(
                    read(os.path.join(folder, file)))
                for part in ("done", "failed") for folder, _, files in os.walk(root.at(part))
                if folder != root.at(part) for file in files]
    return {"results": dict(results), "prints": root.print_digests(), "pictures": sorted(pictures),
            "failed": sorted(list_folder(root.at("failed"))),
            "done": sorted(name for name in list_folder(root.at("done")) if not name.startswith(".")),
            "inbox": waiting(root)}


def complaints(scene, root, deeply=False):
    """What is wrong with the state folder of a daemon that says that all work is done."""
    found, facts = [], facts_of(root)
    for name, wanted in scene.wanted["results"].items():
        results = facts["results"].get(name, [])
        if len(results) != 1:
            found.append(f"list {name} has {len(results)} results")
            continue
        state, photos = results[0]
        if state != wanted[0][0]:
            found.append(f"list {name} is {state}")
        for photo, fact in wanted[0][1].items():
            if photos.get(photo) != fact:
                found.append(f"photo {photo} of {name}: {photos.get(photo)}, not {fact}")
    for part in ("prints", "pictures", "failed", "done", "inbox"):
        if facts[part] != scene.wanted[part]:
            found.append(f"{part}: missing {sorted(set(scene.wanted[part]) - set(facts[part]))[:3]}, "
                         f"too many {sorted(set(facts[part]) - set(scene.wanted[part]))[:3]}, "
                         f"{len(facts[part])} of {len(scene.wanted[part])}")
    found += [f"left over: {name}" for name in root.leftovers() if not is_empty(root.at(name))]
    if deeply:
        found += wrong_records(scene, root)
    return found


def wrong_records(scene, root):
    """What is wrong with the journal file. A start may replace older records by a snapshot."""
    found = []
    records, others = root.records()
    accepted = [record for record in records.values() if record["kind"] == "accepted"]
    if len(accepted) > len(scene.wanted["results"]):
        found.append(f"{len(accepted)} lists accepted")
    if others:
        found.append(f"lines that are no records: {others[:2]}")
    ends = collections.Counter((record.get("list"), record.get("photo"), record["kind"])
                               for record in records.values()
                               if record["kind"] in ("filtered", "failed"))
    found += [f"recorded twice: {end}" for end, count in ends.items() if count > 1][:3]
    return found


def prove_judge(scene, root):
    """The judge must notice planted faults, each alone."""
    def without(*path):
        place = root.at(*path)
        kept = read(place)
        os.unlink(place)
        return lambda: write(place, kept)

    def changed(*path):
        place = root.at(*path)
        kept = read(place)
        write(place, kept[:-1] + bytes([kept[-1] ^ 1]))
        return lambda: write(place, kept)

    def added(*path):
        write(root.at(*path), b"x")
        return lambda: os.unlink(root.at(*path))

    some_print = sorted(scene.wanted["prints"])[3]
    plants = [lambda: without("prints", some_print), lambda: changed("prints", some_print),
              lambda: without("done", "few.result.plist"), lambda: added("failed", "few.plist"),
              lambda: added("inbox", "few.plist"), lambda: added("state", "incoming", "x")]
    for number, plant in enumerate(plants):
        undo = plant()
        if not complaints(scene, root):
            raise SystemExit(f"{scene.name}: the judge does not notice planted fault {number}")
        undo()
    if complaints(scene, root):
        raise SystemExit(f"{scene.name}: the judge complains after the planted faults are undone")


# One run.


class Run:
    """One daemon, with a fault or without."""

    def __init__(self, scene, root, fault):
        self.scene, self.root, self.fault = scene, root, fault
        self.asked = 0
        self.is_dropped = self.is_late = False

    def go(self):
        board = Board(self.root.at(".board"), self.fault)
        try:
            self.watch(board)
            self.failed = board.failed()
            self.calls = {} if self.fault else board.calls()
        finally:
            board.close()

    def watch(self, board):
        """Drops the second list, asks questions, heals; until the daemon has ended."""
        daemon = self.root.start("--until-idle", environment={
            "LD_PRELOAD": self.scene.library, "FAULT_BOARD": board.path})
        start = time.monotonic()
        failed = healed = None
        said, spoke = 0, start
        while daemon.lives():
            now = time.monotonic()
            size = os.path.getsize(daemon.log)
            if size > said:
                said, spoke = size, now
            if failed is None and board.failed():
                failed = now
            if failed and not healed and now > failed + HOLD:
                board.heal()
                healed = now
            if now > max(spoke, healed or failed or start) + BOUND or now > start + LONGEST:
                break
            self.act(daemon, now - start)
            time.sleep(0.01)
        self.took = time.monotonic() - (healed or failed or start)
        self.was_healed = healed is not None
        self.status = daemon.process.poll()
        if self.status is None:
            daemon.kill()
        else:
            daemon.wait(1)
        if not self.is_dropped:
            self.drop(daemon)

    def act(self, daemon, age):
        is_ready = " is ready" in daemon.said() if not self.is_dropped or self.asked < 2 else True
        if not self.is_dropped and (is_ready or age > 2):
            self.drop(daemon)
        if self.asked < 2 and is_ready:
            self.asked += 1
            self.ask()

    def drop(self, daemon):
        """On a very busy machine the daemon may be done with MANY, and about to end, when FEW comes. The results say
        so, for the messages may be what fails."""
        self.is_dropped = True
        if not self.scene.before:
            self.root.drop("few", self.scene.few)
            self.is_late = any(result["List"] == "many" for result in self.root.results().values())

    def ask(self):
        """Questions at the control socket. The answers do not matter: the socket may be what fails."""
        methods = [b"Status", b"Lists", b"Inbox", b'Show", "parameters": {"list": "many"}, "x": "']
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
                client.settimeout(0.3)
                client.connect(self.root.at("control"))
                for method in methods:
                    client.sendall(b'{"method": "io.darkroom.Control.' + method + b'"}\0')
                    answer = client.recv(1 << 16)
                    while answer and not answer.endswith(b"\0"):
                        answer = client.recv(1 << 16)
        except OSError:
            pass


def judge(run):
    """What is wrong after a run with a fault. Starts the daemon once more, without it."""
    root, status, found = run.root, run.status, []
    if status is None:
        found.append(f"hangs: has not ended {run.took:.0f} s after the fault")
    elif status < 0:
        found.append(f"crash: ended by signal {-status}")
    elif status not in (0, 3, 4, 74, 75) and not (status == 64 and run.fault.error in ("EACCES", "EPERM")):
        # A root without permissions is a person's mistake.
        found.append(f"exit status {status}")
    elif run.fault.error in PASSING and run.fault.site.function not in ALLOCATIONS and status not in (0, 3):
        found.append(f"exit status {status} after a call that only had to be repeated")
    if status in (0, 3) and not run.is_late:
        found += ["before the next start: " + line for line in complaints(run.scene, root)
                  if not line.startswith("left over")]
        if status != run.scene.status:
            found.append(f"exit status {status}, not {run.scene.status}")
    has_journal = any(name.endswith((".log", ".snap")) for name in list_folder(root.at("state", "journal")))
    verdict, words = root.verify() if has_journal else (0, "")
    if verdict != 0:
        found.append(f"journal verify: {verdict}: {words}")
    if os.environ.get("FAULT"):
        shutil.copytree(root.path, root.path + ".before", ignore=shutil.ignore_patterns("control"))
    after = root.until_idle(LONGEST)
    if after not in (0, 3):
        found.append(f"next start: exit status {after}")
    return found + ["after the next start: " + line for line in complaints(run.scene, root, deeply=True)]


# Plans: which faults, in which order.


def modes_of(site, error):
    is_passing = error in ("EINTR", "EAGAIN") and site.function not in ALLOCATIONS
    return ["once"] if is_passing else ["once", "site", "function"]


def first_faults(scenes, random):
    """The first call of every site: every error number, every mode."""
    faults = [Fault(scene, site, 1, error, mode) for scene in scenes for site in scene.calls
              for error in errors_of(site) for mode in modes_of(site, error)]
    random.shuffle(faults)
    return faults


def other_faults(scenes, random):
    """All other calls."""
    faults = [Fault(scene, site, number, error, mode)
              for scene in scenes for site, calls in scene.calls.items()
              for error in errors_of(site) for number in range(2, calls + 1)
              for mode in modes_of(site, error)]
    random.shuffle(faults)
    return faults


def sampled_faults(scenes, random):
    """One fault of each site and class of errors; the functions take turns, then the sites."""
    faults = []
    for scene in scenes:
        for site, calls in scene.calls.items():
            for place, group in enumerate(CLASSES):
                errors = [error for error in group if error in errors_of(site)]
                if errors:
                    error = random.choice(errors)
                    mode = random.choice(modes_of(site, error))
                    faults.append((place, Fault(scene, site, random.randint(1, calls), error, mode)))
    random.shuffle(faults)
    of_function, of_site, turns = collections.Counter(), collections.Counter(), []
    for place, fault in faults:
        function = (fault.site.function, fault.site.kind, place)
        site = (fault.scene.name, fault.site.key)
        turns.append((min(of_function[function], 1), of_site[site], len(turns), fault))
        of_function[function] += 1
        of_site[site] += 1
    return [fault for _, _, _, fault in sorted(turns, key=lambda turn: turn[:3])]


# Names of sites, for people.


class Symbols:
    """The functions of the program, from nm; read when the first name is asked for."""

    def __init__(self, program):
        self.program, self.starts = program, None

    def load(self):
        self.starts, self.names = [], []
        tool = next((name for name in ("nm", "llvm-nm") if shutil.which(name)), None)
        if not tool:
            return
        listed = subprocess.run([tool, "--defined-only", self.program], capture_output=True, text=True).stdout
        rows = [line.split() for line in listed.splitlines()]
        rows = sorted((int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW")
        self.starts, self.names = [row[0] for row in rows], [row[1] for row in rows]

    def name(self, frame):
        offset = frame & (1 << 48) - 1
        if frame >> 48 != 1:
            return f"library{frame >> 48}+{offset:x}"
        place = bisect.bisect(self.starts, offset - 1) - 1
        return self.names[place] if place >= 0 else f"+{offset:x}"

    def describe(self, site):
        """The function, and its callers from the inside out."""
        if self.starts is None:
            self.load()
        names = [self.name(frame) for frame in site.frames]
        if shutil.which("swift-demangle"):
            command = ["swift-demangle", "-simplified", "-compact", *names]
            names = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        shown = []
        for name in names:
            name = name.split(" in conformance ")[0].replace("protocol witness for ", "")
            if "runJob" in name or "swift_job_run" in name:
                break
            if not shown or shown[-1] != name:
                shown.append(name)
        return f"{site.function}({site.kind}) in " + " < ".join(shown)


def say(fault, campaign, symbols):
    """What reproduces a fault, with these programs."""
    with campaign.naming:
        place = symbols.describe(fault.site)
    return (f"FAULT={fault.scene.name}:{fault.site.key:x}:{fault.number}:{fault.error}:{fault.mode} "
            f"(call {fault.number} of {place})")


def named_faults(scenes, text, count):
    """The fault that `say` has named, a number of times."""
    name, key, number, error, mode = text.split(":")
    scene = next(scene for scene in scenes if scene.name == name)
    site = next((site for site in scene.calls if site.key == int(key, 16)), None)
    if site is None:
        raise SystemExit(f"no such site in the scene {name}")
    return [Fault(scene, site, int(number), error, mode)] * max(count, 1)


# The campaign.


def make_scenes(campaign, library):
    folder, names = campaign.pictures(8, 2, 40, 30)
    origin = torture.Origin(campaign, folder, os.path.join(campaign.scratch, "origin.log"))
    settings = f"[Download]\nFreeSpace=0\nFileFolders={folder}\n{torture.LOOPBACK}"

    def lists(address, refused):
        good = [(f"photo {n:02}", f"{address}/{names[n % len(names)]}") for n in range(24)]
        bad = [(f"gone {n}", f"{address}/none{n}.jpg") for n in range(2)]
        bad += [(f"refused {n}", f"{refused}/{n}.jpg") for n in range(2)]
        return photo_list(good[:12] + bad + good[12:]), photo_list(good[:4])

    files = Scene(campaign, "files", library, lists(f"file://{folder}", "file:///etc"), settings)
    web = Scene(campaign, "origin", library, lists(origin.address, "http://10.0.0.1"), settings)
    taken = Scene(campaign, "restart", library, lists(f"file://{folder}", "file:///etc"), settings)
    taken.leave()
    roll = os.path.join(campaign.scratch, "roll")
    for place in (roll, os.path.join(roll, "inner")):
        os.makedirs(place)
        for name in names[:4]:
            shutil.copyfile(os.path.join(folder, name), os.path.join(place, name))
    write(os.path.join(roll, "torn.jpg"), b"no picture")
    dropped = Scene(campaign, "pictures", library, lists(f"file://{folder}", "file:///etc"),
                    "[Inbox]\nQuietTime=250ms\n" + settings, roll)
    scenes = [files, web, taken, dropped]
    scenes = [scene for scene in scenes if os.environ.get("SCENE", scene.name) == scene.name]
    for scene in scenes:
        scene.measure()
    return scenes


def try_fault(campaign, fault, symbols, seen):
    root = fault.scene.root()
    run = Run(fault.scene, root, fault)
    run.go()
    if campaign.is_stopping:
        return
    campaign.count("runs")
    if not run.failed:
        # The threads took other turns: the call did not happen this time.
        campaign.count("not reached")
    else:
        seen.add((fault.scene.name, fault.site.key))
        campaign.count("faults")
        campaign.count("calls failed", run.failed)
        campaign.count(f"status {run.status}")
        if run.was_healed and run.status in (0, 3):
            campaign.count("resumed")
            campaign.slowest = max(campaign.slowest, run.took)
    wrong = judge(run)
    if wrong:
        campaign.violation(wrong[0].split(":")[0], say(fault, campaign, symbols), "|", "; ".join(wrong), "|",
                           root.path)
    else:
        root.remove()


def sites_of(scenes):
    """(scene, site) of those that can fail, and of those that are left out."""
    able, left_out = set(), set()
    for scene in scenes:
        for site in scene.calls:
            (able if errors_of(site) else left_out).add((scene.name, site.key))
    return able, left_out


def list_sites(scenes, symbols):
    for scene in scenes:
        for site in sorted(scene.calls, key=lambda site: (site.function, site.kind, site.frames)):
            words = " ".join(errors_of(site)) or "left out"
            print(f"{scene.name}:{site.key:x} {scene.calls[site]} × {symbols.describe(site)}: {words}")


def main(campaign):
    campaign.naming = threading.Lock()
    campaign.slowest = 0.0
    library = campaign.compile("faults.c", "-shared", "-fPIC", "-fno-omit-frame-pointer", "-ldl")
    symbols = Symbols(os.path.join(campaign.folder, "darkroomd"))
    scenes = make_scenes(campaign, library)
    if os.environ.get("SITES"):
        return list_sites(scenes, symbols)
    able, left_out = sites_of(scenes)
    calls = sum(calls for scene in scenes for site, calls in scene.calls.items() if errors_of(site))
    random = campaign.random("plan")
    if os.environ.get("FAULT"):
        plan = named_faults(scenes, os.environ["FAULT"], campaign.limit)
    else:
        plan = sampled_faults(scenes, random)
        if not campaign.is_short:
            sample = set(plan)
            plan += [fault for fault in first_faults(scenes, random) + other_faults(scenes, random)
                     if fault not in sample]
        if os.environ.get("PART") and not campaign.is_short:
            part, parts = map(int, os.environ["PART"].split("/"))
            if not 1 <= part <= parts:
                raise SystemExit("PART=K/N: K is from 1 to N")
            plan = plan[part - 1::parts]
    total = len(plan)
    if campaign.limit:
        plan = plan[:campaign.limit]
    seen = set()
    waiting = iter(plan)
    taken = (fault for fault in waiting if campaign.goes_on())
    campaign.side_by_side(lambda fault: try_fault(campaign, fault, symbols, seen), taken, lanes=LANES)
    counts = campaign.counts
    print("exit statuses: " + ", ".join(f"{key[7:]} × {counts[key]}" for key in sorted(counts)
                                        if key.startswith("status ")))
    print(f"resumed after healing: {counts['resumed']}, the slowest after {campaign.slowest:.1f} s")
    campaign.summary(
        f"{counts['faults']} faults at {len(seen)} of {len(able)} sites ({calls} calls a run, "
        f"{len(left_out)} sites left out), {total - counts['runs']} of {total} not reached in time, "
        f"{counts['not reached']} did not happen, {len(campaign.violations)} wrong")


if __name__ == "__main__":
    # In memory, unless TMPDIR names another place: a busy disk would decide how many faults are tried.
    if "TMPDIR" not in os.environ and os.path.isdir("/dev/shm"):
        tempfile.tempdir = "/dev/shm"
    torture.run("calls", main, __doc__, faults=(0, 0))
