#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Millions of tiny photos through one daemon: does it grow?

    Tests/Torture/soak.py BIN [--seed N] [--short | --seconds S] [--photos N] [--per-list N]

A few lists at a time are at work, each with --per-list photos of `file:` URLs; a few photos fail. Old lists leave
by KeepLists=, and the campaign removes prints and results that are some lists old. Over the second half of the
photos it fits straight lines through memory, descriptors and threads. Violations: anonymous memory grows by
more than GROWTH (only if the run is long enough to tell), the number of descriptors or threads grows, journal
file or state folder exceed their bounds, a photo has a wrong result, a list stays open.
"""
import os
import re
import shutil
import time

import torture

AT_WORK = 4  # lists in the inbox or at work
KEPT = 12  # lists whose prints and results stay, newest first
GROWTH = 1.0  # KiB for 10,000 photos
ENOUGH = 400_000  # photos in the second half from which on the slope of the memory is judged
NAMES = 500  # different URLs
SETTINGS = "[Download]\nFileFolders={}\nConnections=32\n[Record]\nKeepLists=5s\n[Report]\nProgress=1h\n"
JOURNAL_BYTES = (2 * 17 + 2) << 20  # two generations with their reserve
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

    def look_at_disk(self):
        journal = torture.disk_use(self.root.at("state", "journal"))
        state = torture.disk_use(self.root.at("state"))
        lists = len(torture.list_folder(self.root.at("state", "lists")))
        for what, value in (("journal", journal), ("state", state), ("lists", lists)):
            self.worst[what] = max(self.worst[what], value)

    def run(self):
        preload = self.campaign.compile("heap.c", "-shared", "-fPIC", "-pthread")
        daemon = self.root.start(environment={"LD_PRELOAD": preload, "HEAP_LOG": self.heap_log})
        if not daemon.wait_ready():
            raise torture.Violation("the daemon did not start", daemon.said())
        self.began = time.monotonic()
        due, disk_due, moved, before = 0.0, 0.0, time.monotonic(), 0
        while self.open or not self.is_enough():
            self.refill()
            now = time.monotonic()
            if not daemon.lives():
                raise torture.Violation("the daemon ended", daemon.process.returncode, daemon.said()[-2000:])
            if self.finished > before:
                before, moved = self.finished, now
            if now - moved > 300:
                raise torture.Violation("no list ended in 300 s", self.root.lists())
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
        campaign = self.campaign
        photos = self.finished * self.per_list
        half = [(x, usage) for x, usage in self.samples if x >= photos / 2]
        span = half[-1][0] - half[0][0] if half else 0

        def rise(what):
            return torture.slope([(x, usage[what]) for x, usage in half]) * 10_000

        def ends(what):
            values = [usage[what] for _, usage in self.samples[len(self.samples) // 10:]]
            return f"{min(values)} to {max(values)}"

        print(f"  {photos:,} photos in {self.finished:,} lists of {self.per_list:,}, {took:.0f} s, "
              f"{photos / max(took, 0.001):,.0f} photos/s")
        for x, usage in self.samples[::max(1, len(self.samples) // 12)]:
            print(f"  {x:>12,} photos  {usage['VmRSS']:>7} KiB resident  {usage['RssAnon']:>7} KiB anonymous  "
                  f"{usage['live']:>7.0f} KiB live  {usage['held']:>7.0f} KiB held  "
                  f"{usage['Threads']:>3} threads  {usage['fds']:>4} descriptors")
        print(f"  for 10,000 photos, over the second half ({span:,} photos): resident {rise('VmRSS'):+.2f} KiB, "
              f"anonymous {rise('RssAnon'):+.2f} KiB, live {rise('live'):+.2f} KiB, held {rise('held'):+.2f} KiB, descriptors {rise('fds'):+.3f}, "
              f"threads {rise('Threads'):+.4f}")
        print(f"  descriptors {ends('fds')}, threads {ends('Threads')}; at most: journal "
              f"{self.worst['journal'] >> 10:,} KiB, state {self.worst['state'] >> 10:,} KiB, "
              f"{self.worst['lists']} lists kept")
        if span >= ENOUGH:
            campaign.check(rise("RssAnon") < GROWTH, "memory grows", f"{rise('RssAnon'):.2f} KiB/10,000 photos")
            campaign.check(rise("Threads") < 0.02, "threads grow", rise("Threads"))
        descriptors = [usage["fds"] for _, usage in half] or [0]
        campaign.check(max(descriptors) < 600, "too many descriptors", max(descriptors))
        campaign.check(self.worst["journal"] <= JOURNAL_BYTES, "journal too long", self.worst)
        campaign.check(self.worst["state"] <= STATE_BYTES, "state folder too large", self.worst)
        campaign.summary(
            f"{photos} photos, {photos / max(took, 0.001):.0f}/s, slope {rise('RssAnon'):.2f} KiB per 10,000 photos, "
            f"{len(campaign.violations)} violations")


def main(campaign):
    Soak(campaign).run()


if __name__ == "__main__":
    torture.run("soak", main, __doc__, photos=(200_000, 10_000_000), per_list=(1000, 2000))
