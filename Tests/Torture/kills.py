#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the daemon at random moments, and of single workers.

    Tests/Torture/kills.py BIN [--seed N] [--short | --seconds S] [--rounds N] [--plant print|record|request|folder]

A world is a state folder with a few dozen lives of a daemon; two worlds run side by side. In each life two users drop
lists and folders of pictures, also under the same names and under names that are not UTF-8, differ in case alone or
are alike in their first 200 bytes. Lists are dropped again, revised, changed back, paused, resumed, cancelled, retried
and removed, get another class and the focus, and workers are killed; then the daemon is. In every third world lists
and prints expire after seconds. After each kill: the journal file is whole, no record has changed or vanished, no worker is left.
At the end of a world the daemon finishes its lists, and then: nothing accepted is lost or accepted twice, no
photo recorded as downloaded or failed in one life is asked for in a later one, sequence numbers have no gap, prints are
byte for byte those of a daemon that nothing disturbed and those that the results tell, no two lists of different names
or users share a folder of prints, removed lists leave nothing, each dropped picture came back once, results are
complete, hooks and webhooks have told each end, a killed worker has failed no photo, nothing is left over.
--plant does the damage itself, to show that the campaign notices it."""
import collections
import itertools
import json
import mmap
import os
import plistlib
import struct
import subprocess
import time
import zlib

import torture
from errands import Errands
from rolls import Rolls

ROUNDS = 40  # lives of a world
# Names of lists in a world. The lists of a pair want one folder of prints.
NAMES = (*(f"list{number}" for number in range(6)), "100%", "-rf")
PAIRS = (("caf\udce9", "caf\udce8"), ("x" * 203 + "1", "x" * 203 + "2"), ("Trip", "trip"), ("same", "same"))
ALL_NAMES = (*NAMES, *sorted({name for pair in PAIRS for name in pair}))
USERS = (0, 1234) if os.geteuid() == 0 else (os.geteuid(),)
LISTS = 20  # users' names in a world
TWINS = 8  # pictures of one size and one colour each: most of their prints have one length
CLASSES = ("userInteractive", "userInitiated", "default", "utility", "background")
MOST_BYTES = 4000  # of the journal file that a life adds: about 50 records
LONGEST = 0.6  # seconds of a life after its start
STALL = 120  # seconds without a record while lists are open
FILTERS = (None, "sepia(30%)")
SETTINGS = "[Inbox]\nQuietTime=250ms\n[Download]\n" + torture.LOOPBACK
KEPT = 2000  # milliseconds for which lists and prints are kept in every third world
EXPIRY = f"[Record]\nKeepLists={KEPT}ms\nKeepPrints={KEPT}ms\n"


class Content:
    """One list as it is dropped: the photo named `photo N` is the print of its picture with the list's filter. `key` is
    the user and the name of the file."""

    def __init__(self, key, photos, filter, notify, data):
        self.key, self.photos, self.filter, self.notify, self.data = key, photos, filter, notify, data
        self.owner, self.name = key
        self.shown = shown(self.name)
        self.digest = torture.digest(data)


class Photo:
    """`kind` is good, missing (404), late (404 until its list is retried), busy (503 once) or cut (broken off
    once). Each version has a URL of its own; a twin is another picture in each."""

    def __init__(self, key, number, kind="good", version=0):
        self.key, self.number, self.kind, self.version = key, number, kind, version

    @property
    def is_twin(self):
        return self.number % 4 == 3

    def revised(self):
        return Photo(self.key, self.number, "good" if self.kind == "cut" else self.kind, self.version + 1)


def shown(name):
    """The name of a list for people."""
    return os.fsencode(name).decode("utf-8", "replace")


class World:
    def __init__(self, campaign, shared, number):
        self.campaign, self.shared, self.number = campaign, shared, number
        self.random = campaign.random("world", number)
        self.root = campaign.root(f"world-{number}")
        self.expires = number % 3 == 2
        self.life = 0
        self.contents = {}  # digest → Content
        self.current = {}  # key → Content
        self.history = collections.defaultdict(list)  # key → Contents
        self.photos = {}  # URL → Photo
        self.drops = []  # Contents, in order
        self.rolls = Rolls(self)
        self.errands = Errands(self)
        # How often `retry` was called, by the name in lower case: a reference may differ in case.
        self.retries = collections.Counter()
        self.retried = []  # numbers that `retry` has answered
        self.removed = []  # numbers whose removal was answered
        self.records = {}  # all that were ever seen
        self.durable = {}  # (list, photo) → the life that had recorded it
        self.repeated = set()  # (list, photo): recorded, and asked for in a later life
        self.torn = set()  # copies of lines whose write a kill has cut
        self.marks = shared.marks()
        self.daemon = None

    # Lists.

    def tag(self, photo):
        owner, name = photo.key
        return f"{self.campaign.seed}.{self.number}.{owner}.{ALL_NAMES.index(name)}.{photo.number}"

    def url(self, photo):
        picture = self.shared.picture(photo)
        tag = f"{self.tag(photo)}.{photo.version}"
        steady, moody = self.shared.steady.address, self.shared.moody.address
        if photo.kind == "missing":
            return f"{steady}/missing-{picture}?{tag}"
        if photo.kind == "late":
            return f"{steady}/{self.late(photo)}?{tag}"
        if photo.kind == "busy":
            return f"{moody}/busy?key={tag}&until=1&after=0&file={picture}"
        if photo.kind == "cut":
            return f"{moody}/{picture}?tag=%22{picture}%22&cut=700&key={tag}&gate=world{self.number}"
        return f"{steady}/{picture}?{tag}"

    def late(self, photo):
        return f"late-{self.tag(photo)}-{self.shared.picture(photo)}"

    def content(self, key, photos, filter, notify):
        options = {"Filter": filter} if filter else {}
        if notify:
            options["Notify"] = notify
        form = self.random.choice((plistlib.FMT_XML, plistlib.FMT_BINARY))
        rows = [(f"photo {photo.number:03}", self.url(photo)) for photo in photos]
        self.photos.update((url, photo) for (_, url), photo in zip(rows, photos))
        data = torture.photo_list(rows, title=shown(key[1]), format=form, **options)
        content = Content(key, photos, filter, notify, data)
        return self.contents.setdefault(content.digest, content)

    def new_list(self, count=None):
        key = (USERS[0], NAMES[0]) if count else (self.random.choice(USERS), self.random.choice(NAMES))
        if key in self.current or len(self.current) >= LISTS:
            return self.revise()
        self.put_new(key, count)

    def new_pair(self):
        """Two lists, of two users if there are two, that wait in the inbox together when the daemon starts."""
        pair = self.random.choice(PAIRS)
        for owner, name in zip(self.random.sample((USERS[0], USERS[-1]), 2), pair):
            if (owner, name) not in self.current:
                self.put_new((owner, name))
                self.campaign.count("lists that want one folder")

    def put_new(self, key, count=None):
        kinds = ["good"] * 40 + ["missing", "late", "late", "busy", "cut"]
        photos = [Photo(key, number, self.random.choice(kinds))
                  for number in range(count or self.random.randint(1, 40))]
        notify = self.errands.url(len(self.current)) if self.random.random() < 0.5 else None
        self.put(self.content(key, photos, self.random.choice(FILTERS), notify))

    def revise(self):
        old = self.any_content()
        changed = set(self.random.sample(range(len(old.photos)), (len(old.photos) + 7) // 8))
        photos = [photo.revised() if place in changed else photo for place, photo in enumerate(old.photos)]
        self.put(self.content(old.key, photos, old.filter, old.notify))

    def drop_again(self):
        self.put(self.any_content())

    def change_back(self):
        key = self.random.choice(sorted(self.history))
        self.put(self.random.choice(self.history[key]))
        self.campaign.count("lists changed back")

    def drop_failed(self):
        """Drops a list of failed photos as the daemon wrote it; the late ones are there by now."""
        offered = [name for name in torture.list_folder(self.root.at("failed"))
                   if name.endswith(".retry.plist")]
        if not offered:
            return
        try:
            data = torture.read(self.root.at("failed", self.random.choice(sorted(offered))))
        except FileNotFoundError:
            return
        photos = [self.photos[row["URL"]] for row in plistlib.loads(data)["Photos"]]
        for photo in photos:
            if photo.kind == "late":
                self.shared.make_available(self.late(photo), self.shared.picture(photo))
        now = self.current[photos[0].key]
        content = Content(now.key, photos, now.filter, now.notify, data)
        self.put(self.contents.setdefault(content.digest, content), is_current=False)
        self.campaign.count("retry lists")

    def any_content(self):
        return self.current[self.random.choice(sorted(self.current))]

    def put(self, content, is_current=True):
        if is_current:
            self.current[content.key] = content
            self.history[content.key].append(content)
        self.drops.append(content)
        how = self.random.choice(("rename", "copy"))
        if content.owner != USERS[0] or self.root.owner_of_drop(content.name) not in (None, USERS[0]):
            how = "rename"  # a copy would belong to the daemon's user, or to the user whose file it fills
        self.root.drop(content.name, content.data, how, content.owner)
        self.campaign.count("drops")
        self.campaign.count("drops of the second user", content.owner != USERS[0])

    # One life.

    def live(self, round):
        if round == 0:
            self.new_list(80)
        elif self.random.random() < 0.25:
            self.new_pair()
        self.begin()
        if self.random.random() < 0.15:  # killed while it starts
            end, goal = time.monotonic() + self.random.uniform(0.0, 0.06), MOST_BYTES
        else:
            # By progress, not by time: a life does as much on a busy machine.
            self.daemon.wait_ready()
            end, goal = time.monotonic() + LONGEST, self.random.randint(1, MOST_BYTES)
            goal += self.recorded_bytes()
        while time.monotonic() < end and self.recorded_bytes() < goal:
            self.act(end)
            time.sleep(self.random.uniform(0.0, 0.02))
        time.sleep(self.random.uniform(0.0, 0.02))
        if not self.daemon.lives():
            raise torture.Violation("the daemon ended by itself", self.daemon.process.returncode,
                                    self.daemon.said()[-1500:])
        workers = self.daemon.workers()
        self.daemon.kill()
        self.campaign.count("kills")
        self.campaign.count("kills with workers at work", bool(workers))
        self.after_kill(workers)

    def begin(self):
        """A life: each of its requests tells its number."""
        self.life += 1
        settings = f"[Network]\nContact=life-{self.life}\n{SETTINGS}{self.errands.settings()}"
        self.root.configure(settings + (EXPIRY if self.expires else ""))
        self.daemon = self.root.start(*(["--expire-at-once"] if self.expires else []))

    def recorded_bytes(self):
        """The length of the newest segment of the journal file."""
        segments = [name for name in torture.list_folder(self.root.at("state", "journal"))
                    if name.endswith(".log")]
        try:
            return os.path.getsize(self.root.at("state", "journal", max(segments))) if segments else 0
        except FileNotFoundError:
            return 0

    def act(self, end):
        chance = self.random.random()
        try:
            if chance < 0.10:
                self.new_list()
            elif chance < 0.13:
                self.drop_again()
            elif chance < 0.18:
                self.revise()
            elif chance < 0.22:
                self.change_back()
            elif chance < 0.27:
                self.drop_failed()
            elif chance < 0.30 and not self.expires:
                self.rolls.drop()
            elif chance < 0.44:
                self.steer(end)
            elif chance < 0.70:
                self.kill_worker()
        except FileNotFoundError:
            pass  # the daemon took a file between two calls

    def steer(self, end):
        """Half of the calls name a list that may not be there, or not yet; the others a list that the daemon shows."""
        name, word = NAMES[0], None
        if self.random.random() < 0.5:
            name = word = shown(self.random.choice(sorted(self.current))[1])
        else:
            lists = [one for one in self.root.lists() if not one["name"].startswith("roll")]
            if not lists:
                return
            one = self.random.choice(lists)
            name, word = one["name"], str(one["id"])
        verb = self.random.choice(("pause", "pause", "resume", "resume", "retry", "cancel", "remove", "remove", "quality",
                                   "focus"))
        if verb == "cancel" and name == NAMES[0]:
            verb = "pause"
        self.retries[name.lower()] += verb == "retry"
        words = {"quality": [word, self.random.choice(CLASSES)],
                 "focus": ["--for", "5s", word, f"1-{self.random.randint(1, 9)}"]}.get(verb, [word])
        command = [os.path.join(self.root.bin, "darkroomctl"), "--root", self.root.path, "--json", verb, "--", *words]
        if verb == "focus":
            command.remove("--")
        tool = self.campaign.start(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            answer, _ = tool.communicate(timeout=max(0.01, end - time.monotonic()))
            if tool.returncode == 0:
                self.campaign.count(verb + " answered")
                if verb == "retry":
                    self.retried.append(json.loads(answer)["list"]["id"])
                elif verb == "remove":
                    self.removed.append(json.loads(answer)["list"]["id"])
        except subprocess.TimeoutExpired:
            tool.kill()
            tool.communicate()
        self.campaign.ended(tool)

    def kill_worker(self):
        # Not a hook: the daemon runs one that was killed by a signal only once.
        workers = [number for number in self.daemon.workers() if torture.program(number) == "darkroom-worker"]
        if workers:
            try:
                os.kill(self.random.choice(workers), 9)
                self.campaign.count("workers killed")
            except ProcessLookupError:
                pass

    # After each kill.

    def after_kill(self, workers):
        left = torture.wait_until(lambda: not any(map(torture.is_running, workers)), 60)
        self.check(left, "workers left 2 s after the kill", workers)
        self.check_journal()
        for sequence in sorted(self.records):
            record = self.records[sequence]
            place = record.get("list"), record.get("photo")
            if record["kind"] in ("downloaded", "filtered", "failed"):
                self.durable.setdefault(place, self.life)
            elif record["kind"] == "lost":
                self.durable.pop(place, None)

    def check_journal(self):
        if not os.path.isdir(self.root.at("state", "journal")):
            return  # killed before its first file
        status, text = self.root.verify()
        self.check(status == 0 or not self.records and status == 2, "journal verify", status, text)
        now, others = self.root.records()
        for record in others:
            self.check(record.get("fate") != "damaged" or self.is_torn(record), "damaged line", record)
        for sequence, record in now.items():
            before = self.records.get(sequence, record)
            self.check(before == record, "a record has changed", before, record)
        if now:
            gone = [record for sequence, record in self.records.items()
                    if sequence >= min(now) and sequence not in now]
            self.check(not gone, "a record has vanished", gone[:3])
        self.records.update(now)

    def is_torn(self, record):
        """A kill may end a write between two pages. The line, the last of its file, was not answered, and the next
        start sets it aside."""
        end = record["offset"] + len(record["text"].encode())
        if end % mmap.PAGESIZE or end != os.path.getsize(self.root.at("state", "journal", record["file"])):
            return False
        self.torn.add("state/journal/torn-" + record["file"].removesuffix(".log"))
        return True

    def check(self, holds, what, *facts):
        return self.campaign.check(holds, what, f"world {self.number}:", *facts)

    # The end of a world.

    def finish(self):
        self.shared.moody.release(f"world{self.number}")
        self.begin()
        self.check(self.daemon.wait_ready(), "the daemon did not start", self.daemon.said()[-1500:])
        if not self.wait_over():
            waiting = [one for one in self.root.lists() if one["state"] not in ("finished", "cancelled")]
            raise torture.Violation("lists stay open", f"world {self.number}", self.root.waiting(), waiting)
        if not self.expires:
            self.change_quietly()
        told = torture.wait_until(lambda: not self.errands.left(), STALL, 0.1)
        self.check(told, "hooks or webhooks are left", self.errands.left()[:5])
        self.check(self.daemon.stop() == 0, "SIGTERM did not end the daemon well")
        # Two more starts would remove the segment of this life.
        self.check_journal()
        # An end that was recorded just before the stop is told by the last start alone, which tries each webhook once.
        self.start_idle()
        told = torture.wait_until(lambda: not self.errands.left() or self.start_idle(), STALL, 1)
        self.check(told, "hooks or webhooks are left after the last start", self.errands.left()[:5])

    def start_idle(self):
        """True if nothing is left to tell after it."""
        status = self.root.until_idle()
        self.check(status in (0, 3), "the last start", status)
        self.check_journal()
        return not self.errands.left()

    def change_quietly(self):
        """Changes the twins of a few lists and changes them back, each time to the end: a life seldom lasts so long."""
        keys = [key for key, content in sorted(self.current.items()) if any(photo.is_twin for photo in content.photos)]
        for key in self.random.sample(keys, min(3, len(keys))):
            old = self.current[key]
            photos = [photo.revised() if photo.is_twin else photo for photo in old.photos]
            for content in (old, self.content(key, photos, old.filter, old.notify), old):
                self.put(content)
                self.check(self.wait_over(), "a list that was changed stays open", content.shown)
            self.campaign.count("lists changed back to the end")

    def wait_over(self):
        """Waits as long as there are new records, so that a busy machine only makes it longer."""
        last, moved = 0, time.monotonic()
        while not self.is_over():
            now = self.recorded_bytes()
            if now != last:
                last, moved = now, time.monotonic()
            if time.monotonic() - moved > STALL:
                return False
            time.sleep(0.1)
        return True

    def is_over(self):
        lists = self.root.lists()
        for one in lists:
            if one["state"] == "paused":
                self.root.tool("resume", str(one["id"]))
        return not self.root.waiting() and all(one["state"] in ("finished", "cancelled") for one in lists)

    def plant(self, fault):
        """Does damage that the checks must notice."""
        if fault == "print":
            folder, _, files = next(
                entry for entry in os.walk(self.root.at("prints"))
                if os.path.basename(entry[0]) != ".sheet" and any(map(torture.is_print, entry[2])))
            os.unlink(os.path.join(folder, sorted(filter(torture.is_print, files))[0]))
        elif fault == "record":
            self.records[max(self.records)] = {"kind": "planted"}
        elif fault == "request":
            for place in self.durable:
                self.durable[place] = 0
        elif fault == "folder":
            os.makedirs(self.root.at("prints", "stray", "print.jpg"))

    def check_all(self):
        self.check_journal()
        numbers = sorted(self.records)
        is_whole = not numbers or len(numbers) == numbers[-1] - numbers[0] + 1
        self.check(is_whole, "a gap of sequence numbers", len(numbers), numbers[:1], numbers[-1:])
        results = self.root.results()
        ends = self.check_records()
        ended = {number: end for number, end in ends.items()
                 if number not in results or not self.rolls.has(results[number])}
        self.rolls.check(results)
        accepted = {number: self.contents.get(sha) for number, (sha, _) in ended.items()}
        if not all(accepted.values()):
            return self.check(False, "accepted, but never dropped", ended)
        ends = {number: end for number, (_, end) in ends.items()}
        self.check_acceptance(accepted)
        self.check_requests(accepted)
        self.check_removed(results)
        self.check_results(accepted, ends, results)
        self.check_prints(accepted, results)
        self.errands.check(accepted, ends)
        # A note on a worker that died reading a list stays if the list was replaced before it was read again.
        left = collections.Counter(
            "notes of dead workers" if name.endswith(".died") else name for name in self.root.leftovers())
        self.campaign.count("notes of dead workers left", left.pop("notes of dead workers", 0))
        for name in self.torn & set(left):
            del left[name]
        self.campaign.count("writes cut between pages", len(self.torn))
        self.check(not left, "left over", list(left)[:5])
        self.campaign.count("records", len(self.records))
        self.campaign.count("lists", len(accepted))

    def check_records(self):
        """Returns list → (digest, how it ended)."""
        found = {}
        photos = collections.defaultdict(collections.Counter)
        for sequence in sorted(self.records):
            record = self.records[sequence]
            kind, number = record["kind"], record.get("list")
            if kind == "accepted":
                self.check(number not in found, "a list number was used twice", record)
                found[number] = [record["sha256"], None]
            elif kind in ("finished", "cancelled") and number in found:
                found[number][1] = kind
            elif kind == "rejected":
                self.check(False, "a list was rejected", record)
            if "photo" in record:
                photos[(number, record["photo"])][kind] += 1
                self.check(kind != "failed" or not record["code"].startswith("worker."),
                           "a killed worker failed a photo", record)
        self.ended = {(*place, kind) for place, kinds in photos.items() for kind in kinds}
        for place, kinds in photos.items():
            self.check(kinds["filtered"] <= 1, "a photo was filtered twice", place, kinds)
            self.check(kinds["downloaded"] <= 1 + kinds["lost"], "a photo was downloaded twice", place, kinds)
            self.campaign.count("lost originals", kinds["lost"])
        for number, (_, end) in found.items():
            self.check(end, "a list is neither finished nor cancelled", number)
        self.gone = {record["list"] for record in self.records.values() if record["kind"] == "Removed"}
        return found

    def check_acceptance(self, accepted):
        dropped = collections.Counter(content.digest for content in self.drops)
        taken = collections.Counter(content.digest for content in accepted.values())
        for number in self.retried:
            self.check(number in accepted, "a retry was answered, and its list is not there", number)
        for sha, content in self.contents.items():
            most = dropped[sha] + self.retries[content.shown.lower()] if dropped[sha] else 0
            self.check(taken[sha] <= most, "accepted more often than dropped or retried", content.name, sha,
                       taken[sha], most)
            same = [one.digest for one in self.drops if one.name == content.name]
            if taken[sha] == 0 and sha in same:
                # A later drop of the same name may have replaced the file before the daemon took it.
                self.check(same[-1] != sha, "dropped, but never accepted", content.name, sha)
                self.campaign.count("replaced in the inbox")

    def check_requests(self, accepted):
        owners = collections.defaultdict(set)
        for number, content in accepted.items():
            for place, photo in enumerate(content.photos, 1):
                owners[self.url(photo)].add((number, place))
        asked = self.shared.requests(self.marks)
        for url, places in owners.items():
            self.campaign.count("requests", len(asked[url]))
            for place in places & set(self.durable):
                self.campaign.count("photos recorded before a kill")
                later = [request for request in asked[url] if life(request) > self.durable[place]]
                if later and len(places) > 1:
                    self.campaign.count("asked for again by another list")
                elif later:
                    self.repeated.add(place)
                    self.check(False, "recorded, but asked for again", place, url, self.durable[place], later,
                               sorted(kind for *known, kind in self.ended if tuple(known) == place))
            self.campaign.count("resumed", sum(request[2] == 206 for request in asked[url]))

    def check_removed(self, results):
        for number in self.removed:
            self.check(number in self.gone, "a removal was answered, and is not recorded", number)
        left = sorted(self.gone & set(results))
        self.check(not left, "a removed list has results", left)
        self.campaign.count("lists removed", len(self.gone))

    def check_results(self, accepted, ends, results):
        for number, content in accepted.items():
            if number in self.gone:
                continue
            if not self.check(number in results, "no result", number, content.shown):
                continue
            rows = results[number]["Photos"]
            self.check(len(rows) == len(content.photos), "the result is incomplete", number, len(rows))
            for place, (photo, row) in enumerate(zip(content.photos, rows), 1):
                self.check_row(number, content, photo, row, ends[number] == "finished")
                if row["State"] in ("filtered", "failed"):
                    # The row may be ahead of a record that a kill or the cancellation prevented. If the photo was asked
                    # for again as well, a chain went on after the end of its list.
                    is_recorded = (number, place, row["State"]) in self.ended
                    self.campaign.count("rows without a record", not is_recorded)
                    self.campaign.count("rows without a record, of photos asked for again",
                                        not is_recorded and (number, place) in self.repeated)
                    self.check(is_recorded or ends[number] == "cancelled", "a result without its record",
                               number, ends[number], row)
            self.campaign.count("results")

    def check_row(self, number, content, photo, row, is_finished):
        state = row["State"]
        if state == "filtered":
            wanted = torture.digest(self.shared.print_of(photo, content.filter))
            self.check(row["SHA256"] == wanted, "a wrong print in the result", number, row)
        allowed = {"missing": ("failed",), "late": ("failed", "filtered")}.get(photo.kind, ("filtered",))
        if is_finished or state == "failed":
            self.check(state in allowed, "a wrong state", number, photo.kind, row)
        if state == "failed":
            self.check(row["Code"] == "http.404", "failed for another reason", number, row)

    def is_in_turn(self, keys):
        """Whether each list was accepted after the earlier ones with other keys had ended, for as long as lists are kept."""
        begun = {record["list"]: record["time"] for record in self.records.values() if record["kind"] == "accepted"}
        over = {record["list"]: record["time"] for record in self.records.values()
                if record["kind"] in ("finished", "cancelled")}
        return all(
            first == second or over[one] + KEPT <= begun[other]
            for one, first in keys.items() for other, second in keys.items() if one < other)

    def check_prints(self, accepted, results):
        """Each folder: of one user's lists of one name, with all prints that a row tells, and none that no list has."""
        folders = collections.defaultdict(dict)
        for number, result in results.items():
            place = os.path.relpath(result["Prints"], self.root.at("prints"))
            folders[place][number] = accepted.get(number)  # None for pictures, which `rolls` has checked
        for place, lists in folders.items():
            keys = {number: content.key if content else number for number, content in lists.items()}
            # A folder whose lists have expired is free again.
            self.check(len(set(keys.values())) == 1 or self.expires and self.is_in_turn(keys),
                       "lists of two names or users print into one folder", place, sorted(map(str, keys.values())))
            if all(lists.values()):
                # A list that was removed may have left its prints to a later one.
                key = max(lists.items())[1].key
                self.check_folder(place, lists, results, [one for one in accepted.values() if one.key == key])
        # A daemon that is killed between a folder and its note leaves the folder empty.
        there = {name for name in torture.list_folder(self.root.at("prints"))
                 if not name.startswith((".expired-", ".daemon")) and torture.list_folder(self.root.at("prints", name))}
        self.check(there <= set(folders), "prints that no list has", sorted(there - set(folders))[:5])

    def check_folder(self, place, lists, results, makers):
        have = self.root.prints(place)
        possible, told = collections.defaultdict(set), {}
        for content in makers:
            for photo in content.photos:
                file = f"photo {photo.number:03}.{self.shared.picture(photo)[-3:]}"
                possible[file].add(torture.digest(self.shared.print_of(photo, content.filter)))
        for number, content in sorted(lists.items()):
            for row_place, row in enumerate(results[number]["Photos"], 1):
                if row["State"] == "filtered":
                    is_recorded = (number, row_place, "filtered") in self.ended
                    told[row["Print"]] = row["SHA256"] if is_recorded else None
        found = {file: torture.digest(data) for file, data in have.items()}
        missing = set() if self.expires else set(told) - set(have)
        self.check(not missing, "a print is missing", place, sorted(missing)[:5])
        strange = [file for file in found if found[file] not in possible[file]]
        self.check(not strange, "a print differs", place, strange[:5])
        # The row of the last list that has one tells the print; without a record the print may be an earlier one.
        wrong = [file for file, sha in told.items() if sha and found.get(file, sha) != sha]
        self.check(not wrong, "a print is not the one that the result tells", place, sorted(lists), wrong[:5])
        self.campaign.count("prints compared", len(have))


def life(request):
    """The life that made a request."""
    return next((int(word[5:]) for word in request[4] if word.startswith("life=")), 0)


class Shared:
    """The pictures, their prints and the two origins of all worlds: a steady one, and a moody one on another
    address, so that its 503 delays only its own photos."""

    def __init__(self, campaign):
        self.folder, self.names = campaign.pictures(jpegs=11, pngs=4, width=40, height=30)
        self.twins = [f"twin{number}.png" for number in range(TWINS)]
        for number, name in enumerate(self.twins):
            torture.write(os.path.join(self.folder, name), one_colour(64, number))
        self.singles = tuple(self.names)
        self.names += self.twins
        self.prints = torture.reference_prints(campaign, self.folder, self.names, FILTERS)
        self.logs = [os.path.join(campaign.scratch, name) for name in ("steady.log", "moody.log")]
        self.steady = torture.Origin(campaign, self.folder, self.logs[0])
        self.moody = torture.Origin(campaign, self.folder, self.logs[1], address="127.0.0.2")

    def marks(self):
        return self.steady.mark(), self.moody.mark()

    def side(self, url):
        return 1 if url.startswith(self.moody.address) else 0

    def requests(self, marks):
        found = collections.defaultdict(list)
        for origin, mark in zip((self.steady, self.moody), marks):
            for request in origin.requests(mark):
                found[origin.address + request[1]].append(request)
        return found

    def picture(self, photo):
        """Every fourth photo is a twin, which changes with each version; the picture of another is always the same."""
        if photo.is_twin:
            return self.twins[(photo.number + photo.version) % len(self.twins)]
        return self.singles[photo.number % len(self.singles)]

    def print_of(self, photo, filter):
        return self.prints[(self.picture(photo), filter)]

    def make_available(self, name, picture):
        place = os.path.join(self.folder, name)
        if not os.path.exists(place):
            os.link(os.path.join(self.folder, picture), place)


def one_colour(size, number):
    """A PNG; those of different numbers have the same length, and so have most of their prints."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\0" + bytes(((40 + 23 * number) % 256, (200 - 17 * number) % 256, (90 + 31 * number) % 256)) * size
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b""))


def main(campaign):
    shared = Shared(campaign)

    def numbers():
        for number in itertools.count():
            if not campaign.goes_on(number * ROUNDS):
                return
            yield number

    def play(number):
        world = World(campaign, shared, number)
        rounds = min(ROUNDS, campaign.limit - number * ROUNDS)
        before = len(campaign.violations)
        for round in range(rounds):
            if round and not campaign.goes_on():
                break
            world.live(round)
        world.finish()
        world.check_journal()
        world.plant(campaign.options.plant)
        world.check_all()
        if len(campaign.violations) == before:
            world.root.remove()

    campaign.side_by_side(play, numbers())
    counts = campaign.counts
    for what in sorted(counts):
        print(f"  {counts[what]:>9,} {what}")
    campaign.summary(
        f"{counts['kills']} kills{'' if len(USERS) > 1 else ' with one user (not root)'}, {counts['workers killed']} workers killed, {counts['records']} records, "
        f"{counts['photos recorded before a kill']} recorded photos, "
        f"{counts['violation: recorded, but asked for again']} asked for again "
        f"({counts['rows without a record, of photos asked for again']} of {counts['rows without a record']} rows without "
        f"a record), {counts['lists removed']} lists removed, {counts['lists changed back']} changed back, "
        f"{counts['ends told by a hook']} hooks, {counts['ends told by a webhook']} webhooks, "
        f"{sum(counts[what] for what in counts if 'accepted' in what)} lost or twice, "
        f"{counts['writes cut between pages']} writes cut between pages, "
        f"{len(campaign.violations)} violations, {campaign.elapsed():.0f} s")


if __name__ == "__main__":
    torture.run("kills", main, __doc__, rounds=(500, 10000), plant=("", ""))
