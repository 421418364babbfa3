#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Power cuts on real file systems: nothing that was acknowledged is lost, and no list is accepted twice.

    powercuts.py BIN [--seed N] [--short | --seconds S] [--ext4 N] [--xfs N] [--btrfs N]

A daemon works on a disk whose every write and flush is logged (logdisk.c): lists and a folder of pictures
(rollcuts.py) are dropped, one is revised, one is paused, resumed and cancelled, the daemon is killed, started, and stopped. Meanwhile marks
in the log say what was acknowledged: a list has left the inbox, a photo was reported, a command was
answered. Then the disk is put together as a power cut after each write may leave it: all writes, the last
one torn at a sector, a random half of those that no flush followed, only the last one. Each of these states
is mounted, with another device number than the one before; darkroom-recovery-probe starts the record of the
state folder with the daemon's own code and tells what it found. That, the prints, the files of the lists
and the inbox are compared with what was acknowledged. For some states darkroomd itself then works until it
is idle, and all prints and results are compared: one in EVERY, and states in which an accepted list is
still in the inbox. First, one such list is finished before the power goes (renumbered.py).

PLANTED=LIBRARY in the environment is preloaded into the recorded daemon, to see that the campaign finds
what it breaks.
--ext4, --xfs, --btrfs: how many states; a negative number leaves the file system out. The state of each
violation is kept as an image to be mounted. Needs root, /dev/fuse and loop devices; says so and ends with 0
where they are missing. A file system without its mkfs is skipped, too.
"""
import bisect
import collections
import json
import os
import plistlib
import queue
import re
import shutil
import struct
import subprocess
import sys
import threading
import time

import blockdisk
import renumbered
import rollcuts
import torture

COUNTS = {"ext4": (100000, 100000), "xfs": (-1, 5000), "btrfs": (-1, 5000)}
# The real daemon for one state in EVERY.
EVERY = 100
LANES = 4
# Each pass goes over the whole recording.
PASSES = 16
# Random halves at each write, and how many ways it is torn. With few writes there are few other states.
HALVES = 10
TORN = {"ext4": 3, "xfs": 8, "btrfs": 3}
SETTINGS = "[Inbox]\nQuietTime=250ms\n[Download]\n" + torture.LOOPBACK + "[Report]\nTransitions=yes\n"
SEPIA = "sepia(30%)"
# More of these would cost much time and show the same.
MOST_IN_INBOX = 10
MOST_KEPT = 5
# How the daemon's code tells damage of the file system.
DAMAGE_CODES = [f"system.{number}" for number in blockdisk.DAMAGE]
DAMAGE_WORDS = "the file system is damaged"
# A check of this campaign: a library that breaks a promise of the recorded daemon, for example an fsync that
# does nothing.
PLANTED = {"LD_PRELOAD": os.environ["PLANTED"]} if "PLANTED" in os.environ else None
# Ctrl-C does not stop the daemon: it would end early, with status 0.
APART = ("setsid",)
SHORT_SECONDS = 40
# For the states of a file system, however long the recording took.
LEAST_SECONDS = 15
# Seconds, on a machine that does much else.
PATIENCE = 120
# The exit status of --until-idle if a list is paused.
STILL_OPEN = 4

LINES = re.compile(
    r"(?:debug: )?(?:(Filtered|Photo) '(photo \d+)' of list '(\w+)'(?:: new → (downloaded))?"
    r"|(Accepted|Finished|Cancelled|Paused|Resumed) list '(\w+)')")


class Drop:
    """A list as it is dropped: its photos are (name of the print, picture)."""

    def __init__(self, name, origin, pictures, gate, filter=None, gated=()):
        self.name, self.filter, self.pictures = name, filter, pictures
        self.prints = [f"photo {n}{os.path.splitext(p)[1]}" for n, p in enumerate(pictures)]
        self.paths = [f"/{picture}?list={name}&photo={number}" + (f"&gate={gate}" if number in gated else "")
                      for number, picture in enumerate(pictures)]
        photos = [(f"photo {number}", origin + path) for number, path in enumerate(self.paths)]
        options = {"Filter": filter} if filter else {}
        self.data = torture.photo_list(photos, **options)
        self.digest = torture.digest(self.data)


class Marks:
    """What was acknowledged, and the place of that in the log of the disk."""

    def __init__(self, process):
        self.process = process
        self.lock = threading.Lock()
        self.all = []

    def add(self, *words):
        with self.lock:
            self.process.stdin.write(struct.pack("<I", len(self.all)))
            self.process.stdin.flush()
            self.all.append(words)

    def has(self, *words):
        with self.lock:
            return words in self.all

    def count(self, *words):
        with self.lock:
            return self.all.count(words)


class Recording:
    """One run of a daemon on a logged disk."""

    def __init__(self, world, system, number):
        self.world, self.campaign, self.system = world, world.campaign, system
        self.name = f"{system}-{number}"
        self.random = self.campaign.random("recording", system, number)
        self.folder = os.path.join(world.disks, self.name)
        os.makedirs(self.at("disk"))
        os.makedirs(self.at("mounted"))
        self.root = self.running = self.watcher = None
        self.is_over = False
        self._make_drops()

    def at(self, *parts):
        return os.path.join(self.folder, *parts)

    def _make_drops(self):
        world, pick = self.world, self.random
        # Two pictures of each form are for the revision: no print has the bytes of a print it replaced.
        kept = {ending: [name for name in world.names if name.endswith(ending)][-2:]
                for ending in ("jpg", "png")}
        others = [name for name in world.names if name not in kept["jpg"] + kept["png"]]
        names = [pick.choice(others) for _ in range(pick.randrange(6, 40))]
        changed = list(names)
        for place in (1, 2):
            changed[place] = kept[names[place][-3:]][place - 1]
        small = [pick.choice(others) for _ in range(pick.randrange(2, 8))]
        address = world.origin.address
        self.drops = [
            Drop("a", address, names, self.name, gated=(3, 4)),
            Drop("b", address, small, self.name, SEPIA),
            Drop("c", address, small, self.name, gated=(1,)),
            Drop("a", address, changed, self.name, gated=(3, 4)),
        ]
        self.roll = rollcuts.RollDrop(pick, world)

    def run(self):
        """Returns the log and the marks."""
        blockdisk.make_system(self.at("base"), self.system)
        blockdisk.copy_image(self.at("base"), self.at("backing"))
        command = [self.world.logdisk, self.at("backing"), self.at("log"), self.at("disk")]
        process = self.campaign.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.readline()
        self.marks = Marks(process)
        loop = blockdisk.Loop(self.at("disk", "disk"), blockdisk.DIRECT)
        is_clean = True
        try:
            blockdisk.mount(loop.path, self.at("mounted"), self.system)
            try:
                self._work()
            finally:
                self.is_over = True
                if self.watcher:
                    self.watcher.join()
                if self.running and self.running.lives():
                    self.running.kill()
                is_clean = blockdisk.unmount(self.at("mounted"))
        finally:
            loop.release()
            self._wait_released(loop)
            blockdisk.unmount(self.at("disk"))
            if is_clean:
                process.wait(20)
        if not is_clean:
            raise SystemExit("the recorded disk stayed in use")
        self.campaign.ended(process)
        os.unlink(self.at("backing"))
        return blockdisk.Log(self.at("log")), self.marks.all

    def _wait_released(self, loop):
        backing = f"/sys/block/{os.path.basename(loop.path)}/loop/backing_file"
        torture.wait_until(lambda: not os.path.exists(backing), 10)

    def _work(self):
        self.root = torture.Root(self.campaign, self.at("mounted", "root"), SETTINGS)
        blockdisk.sync(self.root.path)
        self.marks.add("begin")
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        a, b, c, revised = range(4)
        self._drop(a)
        daemon = self._start()
        self._wait(a, "gone")
        self._wait(a, "accepted")
        self.roll.drop(self.root, self.marks)
        self._rest(0.0, 0.5)
        self._drop(b)
        self._wait(b, "gone")
        self._rest(0.02, 0.6)
        daemon.kill()
        daemon = self._start()
        self._drop(c)
        self._wait(c, "accepted")
        for command in ("pause", "resume", "pause", "cancel"):
            self._command(command)
            self._rest(0.01, 0.1)
        self.world.origin.release(self.name)
        self._drop(revised)
        self._wait(revised, "gone")
        self._rest(0.1, 0.8)
        if daemon.stop() is None:
            self.campaign.violation("the daemon did not stop", self.name)
        status = self.root.start("--until-idle", log=self.at("messages"), environment=PLANTED).wait(PATIENCE)
        self.campaign.check(status == 0, "the recorded daemon failed", self.name, status)

    def _start(self):
        daemon = self.running = self.root.start(log=self.at("messages"), environment=PLANTED)
        if not daemon.wait_ready(PATIENCE):
            raise SystemExit(f"the daemon did not start: {daemon.said()}")
        return daemon

    def _rest(self, least, most):
        time.sleep(self.random.uniform(least, most))

    def _wait(self, number, what):
        if not torture.wait_until(lambda: self.marks.has(what, number), PATIENCE):
            raise SystemExit(f"list {self.drops[number].name} was not {what}: "
                             + torture.read(self.at("messages")).decode())

    def _drop(self, number):
        """Durable when the mark is set."""
        drop = self.drops[number]
        beside, place = self.root.at("beside"), self.root.at("inbox", drop.name + ".plist")
        with open(beside, "wb", buffering=0) as file:
            file.write(drop.data)
            os.fsync(file.fileno())
        self.marks.add("drops", number)
        os.rename(beside, place)
        for folder in (self.root.at("inbox"), self.root.path):
            blockdisk.sync(folder)
        self.marks.add("dropped", number)

    def _command(self, command):
        self.marks.add("asks", command)
        answer = self.root.tool(command, "c")
        if answer.returncode != 0:
            raise SystemExit(f"could not {command} the list: {answer.stderr}")
        self.marks.add("answered", command)

    # Acknowledgements.

    def _watch(self):
        offset = 0
        while True:
            is_last = self.is_over
            offset = self._read_messages(offset)
            for number, drop in enumerate(self.drops):
                if self.marks.has("dropped", number) and not self.marks.has("gone", number):
                    if not os.path.exists(self.root.at("inbox", drop.name + ".plist")):
                        self.marks.add("gone", number)
            self.roll.watch(self.root, self.marks)
            if is_last:
                return
            time.sleep(0.003)

    def _read_messages(self, offset):
        try:
            with open(self.at("messages"), "rb") as file:
                file.seek(offset)
                data = file.read()
        except FileNotFoundError:
            return offset
        end = data.rfind(b"\n") + 1
        for line in data[:end].decode("utf-8", "replace").splitlines():
            match = LINES.match(line)
            if match:
                self._note(match)
        return offset + end

    def _note(self, match):
        deed, photo, photo_list, downloaded, act, name = match.groups()
        if self.roll.note(act, name or photo_list, self.marks):
            return
        number = self._current(name or photo_list, act == "Accepted")
        if act:
            self.marks.add(act.lower(), number)
        elif deed == "Filtered" or downloaded:
            self.marks.add(downloaded or "filtered", number, int(photo.split()[1]))

    def _current(self, name, is_new):
        """The drop of that name that was accepted last."""
        numbers = [number for number, drop in enumerate(self.drops) if drop.name == name]
        accepted = sum(self.marks.has("accepted", number) for number in numbers)
        return numbers[min(accepted, len(numbers) - 1) if is_new else max(accepted - 1, 0)]


class Acknowledged:
    """What had been acknowledged at each mark."""

    def __init__(self, marks):
        self.sets = []
        found = set()
        for words in marks:
            found = found | {words}
            self.sets.append(found)

    def at(self, mark):
        return self.sets[mark]


def check_flushes(recording, log, marks):
    """The bytes of each reported print were written, and a flush followed, before the report. This holds for
    all states at once. Prints with the same bytes are told apart by their places on the disk; a print may be in
    several pieces there."""
    campaign = recording.campaign
    if recording.system == "btrfs":
        return  # it keeps small files inside its trees
    flushes = [event for event in range(len(log)) if log.types[event] == blockdisk.FLUSH]
    places, reports = {}, collections.Counter()
    for event in range(len(log)):
        words = marks[log.lengths[event]] if log.types[event] == blockdisk.MARK else ("",)
        if words[0] != "filtered":
            continue
        drop = recording.drops[words[1]]
        data = recording.world.wanted[(drop.pictures[words[2]], drop.filter)]
        if data not in places:
            places[data] = [log.places(data[start:start + blockdisk.PAGE])
                            for start in range(0, len(data), blockdisk.PAGE)]
        reports[data] += 1
        last = flushes[bisect.bisect_left(flushes, event) - 1]
        flushed = min(len({offset for write, offset in page if write < last}) for page in places[data])
        campaign.count(f"{recording.system}: reported prints that a flush preceded")
        campaign.check(flushed >= reports[data], "no flush before the report", recording.name, *words)


class Bench:
    """Compares the states of one recording with what was acknowledged. Runs in several lanes."""

    def __init__(self, world, recording, log, marks):
        self.world, self.campaign, self.recording, self.log = world, world.campaign, recording, log
        self.acknowledged = Acknowledged(marks)
        self.in_inbox = 0
        self.kept = 0
        self.disks = queue.SimpleQueue()
        self.all_disks = []
        for lane in range(LANES):
            disk = blockdisk.StateDisk(
                recording.at("base"), recording.at(f"image-{lane}"), recording.at(f"state-{lane}"), log,
                recording.system)
            self.disks.put((disk, world.probe(lane)))
            self.all_disks.append(disk)

    def end(self):
        try:
            for _ in self.all_disks:
                self.disks.get(timeout=20)
        except queue.Empty:
            pass  # a lane was interrupted
        for disk in self.all_disks:
            disk.end()

    def look(self, state):
        """Puts one state together, mounts it and compares."""
        disk, probe = self.disks.get()
        try:
            self._look(state, disk, probe)
        finally:
            self.disks.put((disk, probe))

    def _look(self, state, disk, probe):
        count = self.campaign.count
        disk.show(state, self.campaign.seed)
        try:
            disk.mount()
        except OSError:
            count(f"{disk.system}: mounts that the file system refused")
            return
        faults, facts = [], None
        try:
            check = Check(self, state, disk, faults)
            check.before()
            facts = check.record(probe)
            if not faults and self._needs_daemon(check):
                disk.unmount()
                with self.world.daemon_turn:
                    self._work_on(state, disk, check, facts)
        except OSError as error:
            if error.errno not in blockdisk.DAMAGE:
                raise
            faults.clear()
            count(f"{disk.system}: states that the file system found damaged")
        finally:
            self._unmount(disk)
        count(f"{disk.system}: states")
        self.world.tell(disk.system)
        count(f"{disk.system}: {state.kind}")
        count(f"{disk.system}: acknowledgements", check.compared)
        if faults:
            self._tell(state, disk, faults, facts)

    def _unmount(self, disk):
        if not disk.unmount():
            raise RuntimeError("a state stayed in use")

    def _work_on(self, state, disk, check, facts):
        """The daemon works where the recorded one did: the results tell the path of the prints."""
        disk.show(state, self.campaign.seed)  # the probe has changed the disk
        disk.mount(self.recording.at("mounted"))
        check.root = self.recording.at("mounted", "root")
        try:
            check.daemon(facts, self.recording.at("daemon"))
        finally:
            self._unmount(disk)

    def _needs_daemon(self, check):
        if check.is_in_inbox and self.in_inbox < MOST_IN_INBOX:
            self.in_inbox += 1
            self.campaign.count(f"{check.system}: accepted and still in the inbox")
            return True
        return self.world.is_sampled()

    def _tell(self, state, disk, faults, facts):
        words = [self.recording.name, str(state)]
        self.kept += 1
        if self.kept <= MOST_KEPT:
            name = f"{self.recording.name}-{str(state).replace(' ', '-')}"
            place = os.path.join(self.campaign.scratch, name)
            disk.show(state, self.campaign.seed)
            blockdisk.copy_image(disk.image_path, place + ".image")
            torture.write(place + ".facts", json.dumps(
                {"faults": faults, "facts": facts, "mark": state.mark,
                 "acknowledged": sorted(map(str, self.acknowledged.at(state.mark)))}, indent=1).encode())
            for name in ("base", "log", "messages"):
                kept = os.path.join(self.campaign.scratch, f"{self.recording.name}.{name}")
                if not os.path.exists(kept):
                    blockdisk.copy_image(self.recording.at(name), kept)
        for fault in faults:
            self.campaign.violation(fault[0], *words, *fault[1:])


class Check:
    """One mounted state."""

    def __init__(self, bench, state, disk, faults):
        self.bench, self.campaign, self.disk, self.faults = bench, bench.campaign, disk, faults
        self.system = disk.system
        self.drops = bench.recording.drops
        self.known = bench.acknowledged.at(state.mark)
        self.root = os.path.join(disk.folder, "root")
        self.compared = 0
        self.is_in_inbox = False
        self.prints = {}
        self.roll = rollcuts.RollCheck(self, bench.recording.roll)

    def at(self, *parts):
        return os.path.join(self.root, *parts)

    def fault(self, what, *facts):
        self.faults.append((what, *facts))

    def expect(self, holds, what, *facts):
        self.compared += 1
        if not holds:
            self.fault(what, *facts)

    def wanted(self, number, photo):
        drop = self.drops[number]
        return self.bench.world.wanted[(drop.pictures[photo], drop.filter)]

    # What is there before a daemon starts.

    def before(self):
        """A print under its name is whole, whatever was acknowledged."""
        for name in ("a", "b", "c"):
            numbers = [n for n, drop in enumerate(self.drops) if drop.name == name]
            for file in torture.list_folder(self.at("prints", name)):
                if file.startswith(".") or not torture.is_print(file):
                    continue
                data = torture.read(self.at("prints", name, file))
                self.prints[(name, file)] = data
                wanted = [self.wanted(n, self.drops[n].prints.index(file)) for n in numbers
                          if file in self.drops[n].prints]
                self.expect(data in wanted, "a print that is not whole", name, file, len(data))
        self.roll.before()
        self.waiting = {}
        for folder in (self.at("inbox"), self.at("inbox", ".claim")):
            for file in torture.list_folder(folder):
                path = os.path.join(folder, file)
                if os.path.isfile(path):
                    self.waiting[torture.digest(torture.read(path))] = path

    def record(self, probe):
        """Compares the record. Returns what the probe found."""
        if not os.path.isdir(self.at("state")):
            facts = {"lists": [], "same": True}
        else:
            facts = probe.ask(self.at("state"))
        if "error" in facts:
            if facts["error"] in DAMAGE_CODES:
                raise OSError(blockdisk.DAMAGE[0], facts["reason"])
            self.fault("the record did not start", facts["error"], facts["reason"])
            return facts
        for entry, digests in zip(facts["lists"], facts.get("digests", [])):
            entry["digests"] = digests
        self.expect(facts["same"], "the new generation differs from what was recovered")
        for what in ("missing", "damageCount", "refused"):
            if facts.get(what):
                self.campaign.count(f"{self.system}: records told as {what}", facts[what])
        for number, drop in enumerate(self.drops):
            entries = [entry for entry in facts["lists"] if entry["sha256"] == drop.digest]
            self._compare_list(number, drop, entries)
        self.roll.compare(facts)
        dropped = {drop.digest for drop in self.drops}
        others = [entry for entry in facts["lists"] if not self.roll.owns(entry)]
        self.expect({entry["sha256"] for entry in others} <= dropped, "a list that nobody dropped")
        return facts

    def _compare_list(self, number, drop, entries):
        self.expect(len(entries) <= 1, "accepted twice", drop.name)
        if ("dropped", number) in self.known and not entries:
            is_known = ("gone", number) in self.known or ("accepted", number) in self.known
            self.expect(not is_known, "an accepted list is lost", drop.name)
            self.expect(drop.digest in self.waiting, "a dropped list is lost", drop.name)
        if not entries:
            return
        entry = entries[0]
        if drop.digest in self.waiting:
            self.is_in_inbox = True
        folder = self.at("state", "lists", str(entry["id"]))
        self.expect(entry["failed"] == 0, "a failed photo", drop.name, entry)
        copy = os.path.join(folder, "list.plist")
        is_copied = os.path.exists(copy) and torture.read(copy) == drop.data
        self.expect(is_copied, "no copy of the list", drop.name)
        self._compare_state(number, entry)
        for photo in range(len(drop.prints)):
            self._compare_photo(number, entry, photo)

    def _compare_state(self, number, entry):
        state = entry["state"]
        if ("finished", number) in self.known:
            self.expect(state == "finished", "reported finished, recorded " + state, number)
        elif number == 2:
            answered = [words[1] for words in self.known if words[0] == "answered"]
            asked = [words[1] for words in self.known if words[0] == "asks"]
            if "cancel" in answered:
                self.expect(state == "cancelled", "cancelled, recorded " + state)
            elif "pause" in answered and "resume" not in asked:
                self.expect(state == "paused", "paused, recorded " + state)

    def _state(self, entry, photo):
        """The record of a list that is over has no states; its results have."""
        # A row is written before its record: that of a cancelled list may have none.
        has_print = entry["state"] == "finished" and len(entry["digests"][photo]) == 64
        return entry["states"][photo] or ("filtered" if has_print else "over")

    def _compare_photo(self, number, entry, photo):
        """The print of a photo that is recorded as filtered is on the disk, reported or not."""
        drop = self.drops[number]
        state = self._state(entry, photo)
        words = (drop.name, photo, entry["state"], state)
        # A message about the list that is taken over may come late.
        is_clear = photo in (1, 2) if number == 3 else entry["state"] != "cancelled"
        if ("filtered", number, photo) in self.known and is_clear:
            self.expect(state == "filtered", "a reported print is not recorded", *words)
        elif ("downloaded", number, photo) in self.known and is_clear:
            self.expect(state in ("downloaded", "filtered"), "a reported download is not recorded", *words)
        if state == "filtered":
            wanted = self.wanted(number, photo)
            self.expect(entry["digests"][photo] in ("", torture.digest(wanted)), "another digest", *words)
            self._compare_print(number, photo, wanted, words)

    def _compare_print(self, number, photo, wanted, words):
        drop = self.drops[number]
        data = self.prints.get((drop.name, drop.prints[photo]))
        if data is None:
            return self.fault("a recorded print is missing", *words)
        # The list that takes over may have replaced it.
        others = [self.wanted(n, photo) for n, other in enumerate(self.drops)
                  if n > number and other.name == drop.name and ("drops", n) in self.known]
        self.expect(data == wanted or data in others, "a recorded print differs", *words)

    # The daemon itself.

    def daemon(self, facts, log):
        """darkroomd works until it is idle; then everything is there, once."""
        root = torture.Root(self.campaign, self.root, None)
        origin = self.bench.world.origin
        mark = origin.mark()
        if os.path.exists(log):
            os.unlink(log)
        status = root.start("--until-idle", log=log, prefix=APART).wait(PATIENCE)
        said = torture.read(log).decode("utf-8", "replace")
        if DAMAGE_WORDS in said:
            raise OSError(blockdisk.DAMAGE[0], "")
        self.campaign.count(f"{self.system}: recovered by darkroomd")
        is_paused = any(entry["state"] == "paused" for entry in facts["lists"])
        if status != (STILL_OPEN if is_paused else 0):
            return self.fault("the daemon failed", status, said[-300:])
        records, _ = root.records()
        accepted = collections.Counter(
            record["sha256"] for record in records.values() if record["kind"] == "accepted")
        for number, drop in enumerate(self.drops):
            if ("dropped", number) in self.known:
                self._compare_end(number, drop, accepted, facts)
        self.roll.end()
        if not is_paused:
            self.expect(not root.leftovers(), "left over", root.leftovers()[:3])
        self._compare_requests(origin.requests(mark), facts)

    def _compare_end(self, number, drop, accepted, facts):
        self.expect(accepted[drop.digest] <= 1, "accepted twice by the daemon", drop.name)
        done = [name for name in torture.list_folder(self.at("done")) if name.endswith(".plist")
                and torture.digest(torture.read(self.at("done", name))) == drop.digest]
        entry = next((entry for entry in facts["lists"] if entry["sha256"] == drop.digest), {"state": ""})
        if entry["state"] == "paused":
            return
        results = [path for path in (self.at("done", name[:-len("plist")] + "result.plist") for name in done)
                   if os.path.exists(path)]
        self.expect(len(done) == 1, "copies in done", drop.name, len(done))
        self.expect(results, "no results", drop.name)
        if not results:
            return
        with open(results[-1], "rb") as file:
            result = plistlib.load(file)
        if result["State"] == "cancelled":
            return
        self.expect(result["PhotosFailed"] == 0, "failed photos", drop.name)
        # A folder that was made just before the power cut, without its note, belongs to no list.
        folder = os.path.basename(result["Prints"])
        self.expect(folder.split("~")[0] == drop.name, "prints in a folder of another name", drop.name, folder)
        is_revised = number == 0 and ("drops", 3) in self.known
        for photo, name in enumerate(drop.prints):
            wanted = [self.wanted(number, photo)] + ([self.wanted(3, photo)] if is_revised else [])
            path = self.at("prints", folder, name)
            self.expect(os.path.exists(path) and torture.read(path) in wanted,
                        "a print at the end is missing or differs", drop.name, name)

    def _compare_requests(self, requests, facts):
        """What is recorded as downloaded or filtered is not asked for again. A list that takes over from
        another keeps prints, not downloads."""
        over = set()
        for entry in facts["lists"]:
            if self.roll.owns(entry):
                continue
            number = next(n for n, drop in enumerate(self.drops) if drop.digest == entry["sha256"])
            is_revised = number == 0 and ("drops", 3) in self.known
            for photo, path in enumerate(self.drops[number].paths):
                state = self._state(entry, photo)
                if state == "filtered" or state == "downloaded" and not is_revised:
                    over.add(path)
        for _, path, *_ in requests:
            self.expect(path not in over, "asked for again", path)


class Probe:
    """darkroom-recovery-probe, one state folder after another."""

    def __init__(self, campaign):
        self.campaign = campaign
        self.process = campaign.start(
            [os.path.join(campaign.folder, "darkroom-recovery-probe")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def ask(self, folder):
        self.process.stdin.write(folder + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the probe ended: {self.process.wait()}")
        return json.loads(line)


class World:
    """What all recordings share: the origin, the pictures and their prints, the probes."""

    def __init__(self, campaign):
        self.campaign = campaign
        self.disks = os.path.join(campaign.scratch, "disks")
        os.makedirs(self.disks)
        blockdisk.mount("none", self.disks, "tmpfs", "size=90%")
        campaign.undo(blockdisk.unmount, self.disks)
        self.logdisk = campaign.compile("logdisk.c")
        self.folder, self.names = campaign.pictures()
        self.wanted = torture.reference_prints(campaign, self.folder, self.names, (None, SEPIA))
        self.origin = torture.Origin(campaign, self.folder, os.path.join(campaign.scratch, "requests"))
        self.daemon_turn = threading.Lock()
        self.probes = {}
        self.states = self.minute = 0
        self.lock = threading.Lock()

    def probe(self, lane):
        if lane not in self.probes:
            self.probes[lane] = Probe(self.campaign)
        return self.probes[lane]

    def tell(self, system):
        """A line a minute in the long form."""
        minute = int(self.campaign.elapsed() / 60)
        with self.lock:
            if self.campaign.is_short or minute == self.minute:
                return
            self.minute = minute
        print(f"{minute} min: {self.campaign.counts[f'{system}: states']} states of {system}", flush=True)

    def is_sampled(self):
        with self.lock:
            self.states += 1
            return self.states % EVERY == 0


def record(world, system, number):
    recording = Recording(world, system, number)
    log, marks = recording.run()
    check_flushes(recording, log, marks)
    world.campaign.count(f"{system}: recordings")
    world.campaign.count(f"{system}: writes", log.count(blockdisk.WRITE))
    world.campaign.count(f"{system}: flushes", log.count(blockdisk.FLUSH))
    world.campaign.count(f"{system}: marks", len(marks))
    return recording, log, marks


def cut(world, system, most, seconds):
    """Recordings and their states, until there are enough or the time is over."""
    campaign = world.campaign
    number = 0
    end = campaign.elapsed() + seconds if seconds else None
    spent = 0.0

    def is_over():
        return campaign.counts[f"{system}: states"] >= most or bool(end) and campaign.elapsed() > end

    while number == 0 or not is_over():
        number += 1
        recording, log, marks = record(world, system, number)
        if end and number == 1:
            end = max(end, campaign.elapsed() + LEAST_SECONDS)
        bench = Bench(world, recording, log, marks)
        started = time.monotonic()

        def wanted():
            generator = campaign.random("states", system, number)
            for state in blockdisk.states(log, HALVES, TORN[system], PASSES, generator):
                if is_over():
                    return
                yield state

        try:
            campaign.side_by_side(bench.look, wanted(), LANES)
        except BaseException:
            campaign.is_stopping = True
            raise
        finally:
            bench.end()
        spent += time.monotonic() - started
        shutil.rmtree(recording.folder)
    print(f"{system}: {campaign.counts[f'{system}: states'] / max(spent, 0.001):.0f} states/s", flush=True)


def main(campaign):
    options = torture.parse("powercuts", __doc__, COUNTS)
    systems = [(system, getattr(options, system)) for system in COUNTS if getattr(options, system) > 0]
    reasons = {system: blockdisk.missing(system) for system, _ in systems}
    for system, reason in reasons.items():
        if reason:
            print(f"{system} is skipped: {reason}", flush=True)
    systems = [(system, most) for system, most in systems if not reasons[system]]
    if not systems:
        return campaign.summary("skipped: " + "; ".join(sorted(set(reasons.values()))))
    if not os.path.exists(os.path.join(campaign.folder, "darkroom-recovery-probe")):
        raise SystemExit(f"{campaign.folder} has no darkroom-recovery-probe")
    try:
        blockdisk.leave_mounts()
    except OSError as error:
        return campaign.summary(f"skipped: this machine does not let root mount: {error}")
    world = World(campaign)
    if campaign.is_short:
        campaign.seconds = min(campaign.seconds, SHORT_SECONDS)
    for place, (system, most) in enumerate(systems):
        kept = Drop("kept", world.origin.address, world.names[:2], "none")
        renumbered.check(campaign, world.disks, system, SETTINGS, kept.data)
        left = campaign.seconds - campaign.elapsed() if campaign.seconds else 0
        cut(world, system, most, left / (len(systems) - place))
    for name, count in sorted(campaign.counts.items()):
        print(f"  {name}: {count}")
    total = sum(campaign.counts[f"{system}: states"] for system, _ in systems)
    recovered = sum(campaign.counts[f"{system}: recovered by darkroomd"] for system, _ in systems)
    campaign.summary(f"{total} states, {recovered} also by darkroomd, {len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("powercuts", main, __doc__, **COUNTS)
