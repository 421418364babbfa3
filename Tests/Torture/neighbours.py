#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two daemons, copies of a running state folder, and old states restored.

    Tests/Torture/neighbours.py BIN [--seed N] [--short | --seconds S] [--starts N]

- Two daemons started on one root at nearly the same moment, N times over a few roots: exactly one runs, the
  other ends with 75, and each list is accepted once.
- Two daemons with a root each on one inbox, by a bind mount (as root; else left out): one takes the lists.
- Copies of the state folder of a daemon at work, each started alone without its prints: they finish their
  lists.
- An old state restored below newer prints and results: nothing there is lost or changed, and new lists get
  numbers that no list ever had."""
import collections
import os
import shutil
import signal
import subprocess
import time

import torture

SETTINGS = "[Download]\nFileFolders={}\n"
STARTS = 10  # double starts of a root
IN_USE = 75


class Pictures:
    def __init__(self, campaign):
        self.folder, self.names = campaign.pictures(jpegs=6, pngs=2)
        self.prints = torture.reference_prints(campaign, self.folder, self.names)

    def root(self, campaign, name):
        return campaign.root(name, SETTINGS.format(self.folder))

    def photo_list(self, count, title):
        return torture.photo_list(
            [(f"photo {n}", f"file://{self.folder}/{self.names[n % len(self.names)]}") for n in range(count)],
            title=title)

    def wrong_prints(self, root, name):
        """The names of prints that differ from the reference."""
        return [file for file, contents in root.prints(name).items()
                if contents != self.prints[(self.names[self.number(file) % len(self.names)], None)]]

    @staticmethod
    def number(file):
        return int(file.split()[1].split(".")[0])


# Two daemons on one root.


class DoubleStarts:
    def __init__(self, campaign, pictures, number):
        self.campaign, self.pictures = campaign, pictures
        self.random = campaign.random("double", number)
        self.root = pictures.root(campaign, f"double-{number}")
        self.dropped = []
        self.accepted = {}  # list → digest, over all lives: old segments go

    def play(self):
        for round in range(STARTS):
            if not self.campaign.is_stopping:
                self.start_two(round)
        self.campaign.check(self.root.until_idle() == 0, "double start: the last life", self.root.path)
        self.collect()
        counts = collections.Counter(self.accepted.values())
        for name, digest in self.dropped:
            self.campaign.check(counts[digest] == 1, "double start: accepted not once", name, counts[digest])
            wrong = self.pictures.wrong_prints(self.root, name)
            self.campaign.check(not wrong, "double start: prints differ", name, wrong)
            self.campaign.check(len(self.root.prints(name)) == 12, "double start: prints are missing", name)

    def start_two(self, round):
        name = f"list{round}"
        data = self.pictures.photo_list(12, f"{self.root.name} {name}")
        self.dropped.append((name, torture.digest(data)))
        self.root.drop(name, data)
        first = self.root.start(log="log-a")
        time.sleep(self.random.choice((0, 0, self.random.uniform(0, 0.06))))
        second = self.root.start(log="log-b")
        both = (first, second)
        # The one without the lock waits a second for it.
        torture.wait_until(lambda: not all(one.lives() for one in both), torture.PATIENCE, step=0.02)
        alive = [one for one in both if one.lives()]
        statuses = [one.process.returncode for one in both if not one.lives()]
        self.campaign.check(len(alive) == 1 and statuses == [IN_USE], "double start: not exactly one runs",
                            len(alive), statuses, [one.said()[-300:] for one in both])
        for one in alive:
            one.wait_ready()
            time.sleep(self.random.uniform(0, 0.1))
            if self.random.random() < 0.5:
                one.kill()
            else:
                self.campaign.check(one.stop() == 0, "double start: SIGTERM", one.said()[-300:])
        for one in both:
            self.campaign.ended(one.process)
        self.collect()
        self.campaign.count("double starts")

    def collect(self):
        status, text = self.root.verify()
        self.campaign.check(status == 0, "double start: journal verify", status, text)
        for record in self.root.records()[0].values():
            if record["kind"] == "accepted":
                self.accepted[record["list"]] = record["sha256"]


# Two daemons on one inbox.


def may_mount():
    return os.geteuid() == 0 and shutil.which("mount") is not None


def share_inbox(campaign, pictures):
    """The inbox of the second root is that of the first."""
    first, second = pictures.root(campaign, "inbox-a"), pictures.root(campaign, "inbox-b")
    bind = ["mount", "--bind", first.at("inbox"), second.at("inbox")]
    if not may_mount() or subprocess.run(bind, capture_output=True).returncode != 0:
        print("  without a shared inbox: only root may mount, and some machines do not let it", flush=True)
        return
    campaign.undo(subprocess.run, ["umount", second.at("inbox")])
    daemons = [first.start(), None]
    campaign.check(daemons[0].wait_ready(), "one inbox: the first does not start")
    daemons[1] = second.start()
    numbers = campaign.random("inbox")
    digests = []
    for number in range(20):
        data = pictures.photo_list(6, f"shared {number}")
        digests.append(torture.digest(data))
        # A rename does not cross a mount point.
        first.drop(f"shared{number}", data) if number % 2 else second.drop(f"shared{number}", data, "copy")
        time.sleep(numbers.uniform(0, 0.2))
    done = torture.wait_until(
        lambda: len(first.results()) + len(second.results()) == len(digests), 60, step=0.1)
    campaign.check(done, "one inbox: lists are not done", first.waiting())
    for one in daemons:
        status = one.stop() if one.lives() else one.process.returncode
        campaign.check(status in (0, IN_USE), "one inbox: the end", status, one.said()[-500:])
        campaign.ended(one.process)
    taken = [[record["sha256"] for record in root.records()[0].values() if record["kind"] == "accepted"]
             for root in (first, second)]
    campaign.check(sorted(taken[0] + taken[1]) == sorted(digests), "one inbox: lost or taken twice",
                   len(taken[0]), len(taken[1]))
    campaign.check(not taken[1], "one inbox: both take lists", len(taken[0]), len(taken[1]))
    campaign.count("lists in a shared inbox", len(digests))


# Copies and old states.


def work_and_copy(campaign, pictures, copies):
    """A daemon at work whose state folder is copied now and then. Returns its root and the copies."""
    root = pictures.root(campaign, "original")
    numbers = campaign.random("copies")
    daemon = root.start()
    daemon.wait_ready()
    made = []
    for number in range(copies):
        root.drop(f"list{number}", pictures.photo_list(25, f"copied {number}"))
        time.sleep(numbers.uniform(0, 0.3))
        place = os.path.join(campaign.scratch, f"copy-{number}")
        is_still = number % 2 == 0
        if is_still:
            os.kill(daemon.pid, signal.SIGSTOP)
        # Otherwise files may come, grow and leave while they are copied.
        subprocess.run(["cp", "-a", root.at("state"), place], stderr=subprocess.DEVNULL)
        os.kill(daemon.pid, signal.SIGCONT)
        made.append((place, is_still))
    torture.wait_until(lambda: len(root.results()) == copies, torture.PATIENCE, step=0.1)
    campaign.check(daemon.stop() == 0, "copies: SIGTERM")
    return root, made


def judge_end(campaign, what, root, is_still):
    """A copy made while files moved may miss what its record names; the daemon says so and ends with 4."""
    before, _ = root.verify()
    status = root.until_idle()
    said = torture.read(root.at("log")).decode("utf-8", "replace")
    if is_still:
        campaign.check(status == 0 and before == 0, what + ": the end", status, before, said[-800:])
        after, text = root.verify()
        campaign.check(after == 0, what + ": journal verify", text)
    else:
        campaign.check(status in (0, 4), what + ": the end", status, said[-800:])
        campaign.check(status == 0 or "warning: " in said, what + ": an end with 4 without its reason", said)
        campaign.count("copies with gaps", status == 4)


def start_copies(campaign, pictures, made):
    for place, is_still in made:
        root = pictures.root(campaign, os.path.basename(place) + "-alone")
        shutil.copytree(place, root.at("state"), symlinks=True)
        judge_end(campaign, "copies", root, is_still)
        for result in root.results().values():
            campaign.check(result["PhotosFailed"] == 0, "copies: failed photos", result["List"])
            wrong = pictures.wrong_prints(root, result["List"])
            campaign.check(not wrong, "copies: prints differ", result["List"], wrong)
        campaign.count("copies started")


def restore_old_states(campaign, pictures, root, made):
    """Puts each copy below the prints and results of the newest state."""
    done = {name for name in torture.list_folder(root.at("done"))}
    prints = root.print_digests()
    used = set(root.results())
    for round, (place, is_still) in enumerate(made):
        shutil.rmtree(root.at("state"))
        shutil.copytree(place, root.at("state"), symlinks=True)
        name = f"after{round}"
        root.drop(name, pictures.photo_list(3, name))
        judge_end(campaign, "old state", root, is_still)
        now = root.print_digests()
        lost = [path for path, digest in prints.items() if now.get(path) != digest]
        campaign.check(not lost, "old state: prints lost or changed", place, lost[:3])
        gone = done - set(torture.list_folder(root.at("done")))
        gone = {name for name in gone if not name.startswith(".")}
        campaign.check(not gone, "old state: results are gone", place, gone)
        results = root.results(is_restored=True)
        numbers = [number for number, result in results.items() if result["List"] == name]
        campaign.check(len(numbers) == 1 and numbers[0] > max(used), "old state: a number is used again",
                       place, numbers, max(used))
        done, prints, used = set(torture.list_folder(root.at("done"))), now, set(results)
        campaign.count("old states restored")


def main(campaign):
    pictures = Pictures(campaign)
    # Each double start waits a second for the lock, so many run side by side.
    roots = range((campaign.limit + STARTS - 1) // STARTS)
    campaign.side_by_side(
        lambda number: DoubleStarts(campaign, pictures, number).play() if campaign.goes_on(number) else None, roots,
        lanes=4)
    share_inbox(campaign, pictures)
    root, made = work_and_copy(campaign, pictures, 5 if campaign.is_short else 25)
    start_copies(campaign, pictures, made)
    restore_old_states(campaign, pictures, root, made)
    counts = campaign.counts
    campaign.summary(
        f"{counts['double starts']} double starts, {counts['lists in a shared inbox']} lists in a shared "
        f"inbox, {counts['copies started']} copies started, {counts['old states restored']} old states "
        f"restored, "
        f"{len(campaign.violations)} violations, {campaign.elapsed():.0f} s")


if __name__ == "__main__":
    torture.run("neighbours", main, __doc__, starts=(20, 1000))
