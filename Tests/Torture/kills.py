#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the daemon at random moments, and of single workers.

    Tests/Torture/kills.py BIN [--seed N] [--short | --seconds S] [--rounds N] [--plant print|record|request]

A world is a state folder with a few dozen lives of a daemon; two worlds run side by side. In each life lists
and folders of pictures are dropped, lists are dropped again, revised, paused, resumed, cancelled, retried, and
workers are killed; then the daemon is. After each kill: the journal file is whole, no record has changed or vanished, no worker is left.
At the end of a world the daemon finishes its lists, and then: nothing accepted is lost or accepted twice, no
photo recorded as downloaded or failed is asked for again, sequence numbers have no gap, prints are byte for
byte those of a daemon that nothing disturbed, each dropped picture came back once, results are complete, a killed worker has failed no photo,
nothing is left over. --plant does the damage itself, to show that the campaign notices it."""
import collections
import itertools
import json
import mmap
import os
import plistlib
import subprocess
import time

import torture
from rolls import Rolls

ROUNDS = 40  # lives of a world
LISTS = 16  # names of lists in a world
MOST_BYTES = 4000  # of the journal file that a life adds: about 50 records
LONGEST = 0.6  # seconds of a life after its start
STALL = 120  # seconds without a record while lists are open
FILTERS = (None, "sepia(30%)")
SETTINGS = "[Inbox]\nQuietTime=250ms\n[Download]\n" + torture.LOOPBACK


class Content:
    """One list as it is dropped. The photo named `photo N` is the Nth picture in every version of a list, with
    the list's filter, so its print is known whichever version made it."""

    def __init__(self, name, photos, filter, data):
        self.name, self.photos, self.filter, self.data = name, photos, filter, data
        self.digest = torture.digest(data)


class Photo:
    """`kind` is good, missing (404), late (404 until its list is retried), busy (503 once) or cut (broken off
    once)."""

    def __init__(self, number, kind="good", version=0):
        self.number, self.kind, self.version = number, kind, version

    def revised(self):
        return Photo(self.number, "good" if self.kind == "cut" else self.kind, self.version + 1)


class World:
    def __init__(self, campaign, shared, number):
        self.campaign, self.shared, self.number = campaign, shared, number
        self.random = campaign.random("world", number)
        self.root = campaign.root(f"world-{number}", SETTINGS)
        self.contents = {}  # digest → Content
        self.current = {}  # name → Content
        self.photos = {}  # URL → Photo
        self.drops = []  # Contents, in order
        self.rolls = Rolls(self)
        self.retries = collections.Counter()  # name → how often `retry` was called
        self.retried = []  # numbers that `retry` has answered
        self.records = {}  # all that were ever seen
        self.durable = {}  # (list, photo) → mark in the request logs when it was seen after a kill
        self.torn = set()  # copies of lines whose write a kill has cut
        self.marks = shared.marks()
        self.daemon = None

    # Lists.

    def url(self, name, photo):
        picture = self.shared.names[photo.number % len(self.shared.names)]
        tag = f"{self.campaign.seed}.{self.number}.{name}.{photo.number}.{photo.version}"
        steady, moody = self.shared.steady.address, self.shared.moody.address
        if photo.kind == "missing":
            return f"{steady}/missing-{picture}?{tag}"
        if photo.kind == "late":
            return f"{steady}/{self.late(name, photo)}?{tag}"
        if photo.kind == "busy":
            return f"{moody}/busy?key={tag}&until=1&after=0&file={picture}"
        if photo.kind == "cut":
            return f"{moody}/{picture}?tag=%22{picture}%22&cut=700&key={tag}&gate=world{self.number}"
        return f"{steady}/{picture}?{tag}"

    def late(self, name, photo):
        picture = self.shared.names[photo.number % len(self.shared.names)]
        return f"late-{self.number}-{name}-{photo.number}-{picture}"

    def content(self, name, photos, filter):
        options = {"Filter": filter} if filter else {}
        form = self.random.choice((plistlib.FMT_XML, plistlib.FMT_BINARY))
        rows = [(f"photo {photo.number:03}", self.url(name, photo)) for photo in photos]
        self.photos.update((url, photo) for (_, url), photo in zip(rows, photos))
        content = Content(name, photos, filter, torture.photo_list(rows, title=name, format=form, **options))
        return self.contents.setdefault(content.digest, content)

    def new_list(self, count=None):
        if len(self.current) >= LISTS:
            return self.revise()
        kinds = ["good"] * 40 + ["missing", "late", "late", "busy", "cut"]
        photos = [Photo(number, self.random.choice(kinds))
                  for number in range(count or self.random.randint(1, 40))]
        self.put(self.content(f"list{len(self.current)}", photos, self.random.choice(FILTERS)))

    def revise(self):
        old = self.any_content()
        changed = set(self.random.sample(range(len(old.photos)), (len(old.photos) + 7) // 8))
        photos = [photo.revised() if place in changed else photo for place, photo in enumerate(old.photos)]
        self.put(self.content(old.name, photos, old.filter))

    def drop_again(self):
        self.put(self.any_content())

    def drop_failed(self):
        """Drops a list of failed photos as the daemon wrote it; the late ones are there by now."""
        offered = [name for name in torture.list_folder(self.root.at("failed"))
                   if name.endswith(".retry.plist")]
        if not offered:
            return
        file = self.random.choice(sorted(offered))
        name = file[:-len(".retry.plist")].partition("~")[0]
        try:
            data = torture.read(self.root.at("failed", file))
        except FileNotFoundError:
            return
        photos = [self.photos[row["URL"]] for row in plistlib.loads(data)["Photos"]]
        for photo in photos:
            if photo.kind == "late":
                self.shared.make_available(self.late(name, photo), photo.number)
        content = Content(name, photos, self.current[name].filter, data)
        self.put(self.contents.setdefault(content.digest, content), is_current=False)
        self.campaign.count("retry lists")

    def any_content(self):
        return self.current[self.random.choice(sorted(self.current))]

    def put(self, content, is_current=True):
        if is_current:
            self.current[content.name] = content
        self.drops.append(content)
        self.root.drop(content.name, content.data, self.random.choice(("rename", "copy")))
        self.campaign.count("drops")

    # One life.

    def live(self, round):
        if round == 0:
            self.new_list(80)
        self.daemon = self.root.start()
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
            elif chance < 0.15:
                self.drop_again()
            elif chance < 0.20:
                self.revise()
            elif chance < 0.26:
                self.drop_failed()
            elif chance < 0.30:
                self.rolls.drop()
            elif chance < 0.40:
                self.steer(end)
            elif chance < 0.70:
                self.kill_worker()
        except FileNotFoundError:
            pass  # the daemon took a file between two calls

    def steer(self, end):
        name = self.random.choice(sorted(self.current))
        verbs = ("pause", "pause", "resume", "resume", "retry", "cancel" if name != "list0" else "pause")
        verb = self.random.choice(verbs)
        self.retries[name] += verb == "retry"
        command = [os.path.join(self.root.bin, "darkroomctl"), "--root", self.root.path, "--json", verb, name]
        tool = self.campaign.start(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            answer, _ = tool.communicate(timeout=max(0.01, end - time.monotonic()))
            if tool.returncode == 0:
                self.campaign.count(verb + " answered")
                if verb == "retry":
                    self.retried.append(json.loads(answer)["list"]["id"])
        except subprocess.TimeoutExpired:
            tool.kill()
            tool.communicate()
        self.campaign.ended(tool)

    def kill_worker(self):
        workers = self.daemon.workers()
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
        marks = self.shared.marks()
        for record in list(self.records.values()):
            place = record.get("list"), record.get("photo")
            if record["kind"] in ("downloaded", "filtered", "failed"):
                self.durable.setdefault(place, marks)
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
        self.daemon = self.root.start()
        self.check(self.daemon.wait_ready(), "the daemon did not start", self.daemon.said()[-1500:])
        if not self.wait_over():
            waiting = [one for one in self.root.lists() if one["state"] not in ("finished", "cancelled")]
            raise torture.Violation("lists stay open", f"world {self.number}", self.root.waiting(), waiting)
        self.check(self.daemon.stop() == 0, "SIGTERM did not end the daemon well")
        status = self.root.until_idle()
        self.check(status in (0, 3), "the last start", status)

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
                self.durable[place] = self.marks

    def check_all(self):
        self.check_journal()
        numbers = sorted(self.records)
        is_whole = not numbers or len(numbers) == numbers[-1] - numbers[0] + 1
        self.check(is_whole, "a gap of sequence numbers", len(numbers), numbers[:1], numbers[-1:])
        results = self.root.results()
        ended = {number: end for number, end in self.check_records().items()
                 if number not in results or not self.rolls.has(results[number])}
        self.rolls.check(results)
        accepted = {number: self.contents.get(sha) for number, (sha, _) in ended.items()}
        if not all(accepted.values()):
            return self.check(False, "accepted, but never dropped", ended)
        self.check_acceptance(accepted)
        self.check_requests(accepted)
        self.check_results(accepted, {number: end for number, (_, end) in ended.items()})
        self.check_prints(accepted)
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
        return found

    def check_acceptance(self, accepted):
        dropped = collections.Counter(content.digest for content in self.drops)
        taken = collections.Counter(content.digest for content in accepted.values())
        for number in self.retried:
            self.check(number in accepted, "a retry was answered, and its list is not there", number)
        for sha, content in self.contents.items():
            most = dropped[sha] + self.retries[content.name] if dropped[sha] else 0
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
                owners[self.url(content.name, photo)].add((number, place))
        asked = self.shared.requests(self.marks)
        for url, places in owners.items():
            self.campaign.count("requests", len(asked[url]))
            for place in places & set(self.durable):
                self.campaign.count("photos recorded before a kill")
                mark = self.durable[place][self.shared.side(url)]
                later = [request for request in asked[url] if request[0] >= mark]
                if later and len(places) > 1:
                    self.campaign.count("asked for again by another list")
                else:
                    self.check(not later, "recorded, but asked for again", place, url, later)
            self.campaign.count("resumed", sum(request[2] == 206 for request in asked[url]))

    def check_results(self, accepted, ends):
        results = self.root.results()
        for number, content in accepted.items():
            if not self.check(number in results, "no result", number, content.name):
                continue
            rows = results[number]["Photos"]
            self.check(len(rows) == len(content.photos), "the result is incomplete", number, len(rows))
            for place, (photo, row) in enumerate(zip(content.photos, rows), 1):
                self.check_row(number, content, photo, row, ends[number] == "finished")
                if row["State"] in ("filtered", "failed"):
                    # The row may be ahead of a record that a kill or the cancellation prevented; then the print
                    # must be there all the same (`check_prints`).
                    is_recorded = (number, place, row["State"]) in self.ended
                    self.campaign.count("results of cancelled lists without a record", not is_recorded)
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

    def check_prints(self, accepted):
        results = self.root.results()
        wanted, possible = collections.defaultdict(dict), collections.defaultdict(dict)
        for number, content in accepted.items():
            rows = results.get(number, {"Photos": ()})["Photos"]
            for photo, row in zip(content.photos, rows):
                form = self.shared.names[photo.number % len(self.shared.names)][-3:]
                contents = self.shared.print_of(photo, content.filter)
                possible[content.name][f"photo {photo.number:03}.{form}"] = contents
                if row["State"] == "filtered":
                    wanted[content.name][row["Print"]] = contents
        for name in possible:
            have = self.root.prints(name)
            missing = set(wanted[name]) - set(have)
            self.check(not missing, "a print is missing", name, sorted(missing)[:5])
            wrong = [file for file in have if have[file] != possible[name].get(file)]
            self.check(not wrong, "a print differs", name, wrong[:5])
            self.campaign.count("prints compared", len(have))


class Shared:
    """The pictures, their prints and the two origins of all worlds: a steady one, and a moody one on another
    address, so that its 503 delays only its own photos."""

    def __init__(self, campaign):
        self.folder, self.names = campaign.pictures(jpegs=11, pngs=4, width=40, height=30)
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

    def print_of(self, photo, filter):
        return self.prints[(self.names[photo.number % len(self.names)], filter)]

    def make_available(self, name, number):
        place = os.path.join(self.folder, name)
        if not os.path.exists(place):
            os.link(os.path.join(self.folder, self.names[number % len(self.names)]), place)


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
        f"{counts['kills']} kills, {counts['workers killed']} workers killed, {counts['records']} records, "
        f"{counts['photos recorded before a kill']} recorded photos, "
        f"{counts['violation: recorded, but asked for again']} asked for again, "
        f"{sum(counts[what] for what in counts if 'accepted' in what)} lost or twice, "
        f"{counts['writes cut between pages']} writes cut between pages, "
        f"{len(campaign.violations)} violations, {campaign.elapsed():.0f} s")


if __name__ == "__main__":
    torture.run("kills", main, __doc__, rounds=(500, 10000), plant=("", ""))
