#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Millions of tiny photos through one daemon: does it grow?

    Tests/Torture/soak.py BIN [--seed N] [--short | --seconds S] [--photos N] [--per-list N]

A few lists at a time are at work, each with --per-list photos of `file:` URLs; a few photos fail. Old lists
leave by KeepLists=, and the campaign removes prints and results that are some lists old. Over the second half
of the photos it fits straight lines through memory, descriptors and threads. `live` is what the program has
allocated, `held` what the allocator has for it (heap.c). Violations: memory grows by more than GROWTH (only
if the run is long enough to tell), descriptors, threads, journal file or state folder exceed their bounds, a
photo has a wrong result, a list stays open."""
import os
import re
import shutil
import time

import torture

AT_WORK = 4  # lists in the inbox or at work
KEPT = 12  # lists whose prints and results stay, newest first
MEMORY = ("VmRSS", "RssAnon", "live", "held")  # KiB; the last two from heap.c
GROWTH = 1.0  # KiB for 10,000 photos
STALL = 120  # seconds without a record while lists are open
WARMING = 1024  # KiB that a short run may grow in its second half
MOST_DESCRIPTORS, MOST_THREADS = 600, 40
ENOUGH = 400_000  # photos in the second half from which on the slope of the memory is judged
NAMES = 500  # different URLs
SETTINGS = "[Download]\nFileFolders={}\nConnections=32\n[Record]\nKeepLists=5s\n[Report]\nProgress=1h\n"
# Two generations with their reserve; a third for the moment in which the next one begins.
JOURNAL_BYTES = (3 * 17 + 2) << 20
STATE_BYTES = 96 << 20


class Soak:
    def __init__(self, campaign):
        self.campaign = campaign
        self.per_list = campaign.options.per_list
        self.numbers = campaign.random("lists")
        self.folder = self.links()
        self.root = campaign.root("soak", SETTINGS.format(self.folder))
        self.dropped, self.finished = 0, 0
        self.failing = {}  # list → photos that must fail
        self.open = []
        self.heap_log = os.path.join(campaign.scratch, "heap")
        self.samples = []
        self.worst = {"journal": 0, "state": 0, "lists": 0}
        self.began = 0.0

    def links(self):
        """One tiny picture under many names."""
        folder, names = self.campaign.pictures(jpegs=0, pngs=1, width=8, height=6)
        for number in range(NAMES):
            os.link(os.path.join(folder, names[0]), os.path.join(folder, f"t{number}.png"))
        return folder

    def photo_list(self, name):
        bad = set(self.numbers.sample(range(self.per_list), min(2, self.per_list // 10)))
        self.failing[name] = len(bad)
        base = f"file://{self.folder}/"
        return torture.photo_list(
            [(f"photo {n}", base + (f"missing{n}.png" if n in bad else f"t{n % NAMES}.png"))
             for n in range(self.per_list)])

    def refill(self):
        """Drops lists until AT_WORK are open, and takes note of those that ended."""
        for name in list(self.open):
            result = self.root.at("done", name + ".result.plist")
            if os.path.exists(self.root.at("done", name + ".plist")):
                self.judge(name, result)
                self.open.remove(name)
                self.finished += 1
        while len(self.open) < AT_WORK and not self.is_enough():
            name = f"s{self.dropped}"
            self.root.drop(name, self.photo_list(name))
            self.open.append(name)
            self.dropped += 1
            self.forget(self.dropped - AT_WORK - KEPT)

    def is_enough(self):
        return not self.campaign.goes_on(self.dropped * self.per_list)

    def judge(self, name, result):
        """The totals stand at the end of the result."""
        end = torture.read(result)[-400:].decode()
        totals = dict(re.findall(r"<key>(Photos\w+)</key>\s*<integer>(\d+)</integer>", end))
        bad = self.failing.pop(name)
        wanted = {"PhotosTotal": self.per_list, "PhotosFiltered": self.per_list - bad, "PhotosFailed": bad}
        self.campaign.check(totals == {key: str(value) for key, value in wanted.items()},
                            "wrong totals", name, totals, wanted)

    def forget(self, number):
        if number < 0 or f"s{number}" in self.open:
            return
        shutil.rmtree(self.root.at("prints", f"s{number}"), ignore_errors=True)
        for folder, suffix in (("done", ".plist"), ("done", ".result.plist"), ("failed", ".retry.plist")):
            try:
                os.unlink(self.root.at(folder, f"s{number}{suffix}"))
            except FileNotFoundError:
                pass

    def sample(self, daemon):
        usage = daemon.usage()
        words = torture.read(self.heap_log).split() if os.path.exists(self.heap_log) else []
        if len(words) == 2:  # else it is just being written
            usage["live"], usage["held"] = int(words[0]) / 1024, int(words[1]) / 1024
        else:
            return
        self.samples.append((self.finished * self.per_list, usage))

    def journal_length(self):
        journal = self.root.at("state", "journal")
        newest = max(name for name in os.listdir(journal) if name.endswith(".log"))
        return newest, os.path.getsize(os.path.join(journal, newest))

    def look_at_disk(self):
        journal = torture.disk_use(self.root.at("state", "journal"))
        state = torture.disk_use(self.root.at("state"))
        lists = len(torture.list_folder(self.root.at("state", "lists")))
        for what, value in (("journal", journal), ("state", state), ("lists", lists)):
            self.worst[what] = max(self.worst[what], value)

    def run(self):
        preload = self.campaign.compile("heap.c", "-shared", "-fPIC", "-pthread")
        daemon = self.root.start("--expire-at-once", environment={"LD_PRELOAD": preload, "HEAP_LOG": self.heap_log})
        if not daemon.wait_ready():
            raise torture.Violation("the daemon did not start", daemon.said())
        self.began = time.monotonic()
        due, disk_due, moved, before = 0.0, 0.0, time.monotonic(), None
        while self.open or not self.is_enough():
            self.refill()
            now = time.monotonic()
            if not daemon.lives():
                raise torture.Violation("the daemon ended", daemon.process.returncode, daemon.said()[-2000:])
            if (length := self.journal_length()) != before:
                before, moved = length, now
            if now - moved > STALL:
                raise torture.Violation("no record for a long time", STALL, self.root.lists())
            if now >= due:
                due = now + 0.25
                self.sample(daemon)
            if now >= disk_due:
                disk_due = now + 3
                self.look_at_disk()
            time.sleep(0.02)
        took = time.monotonic() - self.began
        status = daemon.stop()
        self.campaign.check(status == 0, "the daemon did not end well", status)
        verdict = self.root.verify()
        self.campaign.check(verdict[0] == 0, "journal verify", verdict)
        self.report(took)

    def report(self, took):
        photos = self.finished * self.per_list
        rate = photos / max(took, 0.001)
        print(f"  {photos:,} photos in {self.finished:,} lists of {self.per_list:,}, {took:.0f} s, "
              f"{rate:,.0f} photos/s")
        print("        photos   resident  anonymous       live       held KiB  threads  descriptors")
        for x, usage in self.samples[::max(1, len(self.samples) // 12)]:
            print(f"  {x:>12,}  " + "  ".join(f"{usage[what]:>9,.0f}" for what in MEMORY)
                  + f"  {usage['Threads']:>11}  {usage['fds']:>11}")
        half = Half([(x, usage) for x, usage in self.samples if x >= photos / 2])
        print(f"  slopes over the second half, {half.span:,} photos, for 10,000 photos: "
              + ", ".join(f"{what} {half.rise(what):+.2f}" for what in (*MEMORY, "Threads", "fds")))
        print(f"  at most: {half.most('Threads')} threads, {half.most('fds')} descriptors, journal "
              f"{self.worst['journal'] >> 10:,} KiB, state {self.worst['state'] >> 10:,} KiB, "
              f"{self.worst['lists']} lists kept")
        self.judge_growth(half)
        check = self.campaign.check
        check(half.most("fds") < MOST_DESCRIPTORS, "too many descriptors", half.most("fds"))
        check(half.most("Threads") < MOST_THREADS, "too many threads", half.most("Threads"))
        check(self.worst["journal"] <= JOURNAL_BYTES, "journal too long", self.worst)
        check(self.worst["state"] <= STATE_BYTES, "state folder too large", self.worst)
        self.campaign.summary(
            f"{photos} photos, {rate:.0f}/s, slope {half.rise('live'):.2f} KiB live, "
            f"{half.rise('RssAnon'):.2f} KiB anonymous for 10,000 photos, "
            f"{len(self.campaign.violations)} violations, {took:.0f} s")

    def judge_growth(self, half):
        """A short run shows only that nothing grows fast: the caches of the allocator and of libdispatch (up
        to 1,024 continuations of 64 bytes for each of its threads) fill first."""
        if half.span >= ENOUGH:
            for what in ("live", "RssAnon"):
                self.campaign.check(half.rise(what) < GROWTH, "memory grows", what, half.rise(what))
        else:
            grown = half.rise("live") * half.span / 10_000
            self.campaign.check(grown < WARMING, "memory grows fast", f"{grown:.0f} KiB in {half.span} photos")


class Half:
    """The samples of the second half."""

    def __init__(self, samples):
        self.samples = samples
        self.span = samples[-1][0] - samples[0][0] if samples else 0

    def rise(self, what):
        return torture.slope([(x, usage[what]) for x, usage in self.samples]) * 10_000

    def most(self, what):
        return max((usage[what] for _, usage in self.samples), default=0)


def main(campaign):
    Soak(campaign).run()


if __name__ == "__main__":
    torture.run("soak", main, __doc__, home=torture.memory_folder(),
                photos=(200_000, 10_000_000), per_list=(1000, 2000))
