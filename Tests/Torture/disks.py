#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks in trouble: full, without inodes, read-only or slow, from the start or in the middle of a list.

    Tests/Torture/disks.py BIN [--seed N] [--short | --seconds S] [--drills N]

In a drill one folder of a root (prints, state, done, inbox) is a file system of its own, of 64 MiB. A list of PHOTOS
photos is dropped; half of them wait at a gate of the origin. In a drill `middle`, the trouble begins when the other
half is recorded; then the gate opens. Violations: the daemon ends, or does not answer its socket within LATE
seconds, or does not say that it is degraded; after the trouble the list does not end by itself; a photo fails, a
print differs, a list or a file is left over. The figure is the time from the end of the trouble to the next step of
the list: a record, or its copy. Needs root, to mount; says so and ends with 0 without."""
import errno
import os
import subprocess
import time

import torture

PHOTOS = 16
LASTS = 4  # seconds that a trouble lasts after the daemon has met it
LATE = 30  # seconds in which a troubled daemon answers on a very busy machine
BYTES = 64 << 20
KINDS = ("full", "inodes", "readonly", "slow")
FOLDERS = ("prints", "state", "done", "inbox")
TIMES = ("start", "middle")
SLOW_MILLISECONDS = 5000
SETTINGS = "[Inbox]\nQuietTime=250ms\n[Download]\n" + torture.LOOPBACK
NAME = "drill"


def drills(campaign):
    """Every drill once, in a random order, then again: (number, kind, folder, time)."""
    numbers = campaign.random("order")
    # A slow disk is slow everywhere. Into an inbox without room nothing is dropped. A file system with a file that
    # is open for writing, as the journal file is, cannot be made read-only; calls.py has such errors.
    every = [(kind, folder, when) for kind in KINDS for folder in FOLDERS for when in TIMES
             if (kind != "slow" or folder == "state") and (folder != "inbox" or kind == "readonly")
             and (folder, when) != ("inbox", "start") and (kind, folder, when) != ("readonly", "state", "middle")]
    done = 0
    while True:
        numbers.shuffle(every)
        for drill in every:
            if not campaign.goes_on(done):
                return
            yield done, *drill
            done += 1


class Drill:
    def __init__(self, campaign, origin, pictures, number, kind, folder, when):
        self.campaign, self.origin, self.pictures = campaign, origin, pictures
        self.kind, self.folder, self.when = kind, folder, when
        self.title = f"{kind}, {folder}, {when}"
        self.gate = f"gate{number}"
        self.root = campaign.root(f"drill{number}", SETTINGS)
        self.place = self.root.at(folder)
        self.slow_file = self.root.at("slow")
        self.fillers = []

    def check(self, holds, what, *facts):
        return self.campaign.check(holds, what, self.title, *facts)

    def play(self):
        self.mount()
        if self.when == "start":
            self.begin()
        daemon = self.start()
        try:
            self.wait("it answers", daemon, lambda: self.root.tool("status", "--check").returncode in (0, 1))
            if self.when == "middle":
                self.drop()
                self.wait("the first half is recorded", daemon, lambda: self.recorded() >= PHOTOS // 2)
                self.begin()
            elif self.kind == "slow" or self.folder in ("prints", "done"):
                self.drop()
            self.origin.release(self.gate)
            self.suffer(daemon)
            before, ended = self.steps(), time.monotonic()
            self.end()
            if not self.is_dropped:
                self.drop()
                before = self.steps()
            # A list that is let in does not need the inbox.
            if self.folder != "inbox":
                self.wait("goes on", daemon, lambda: self.steps() > before)
                self.resumed = time.monotonic() - ended
            self.wait("ends", daemon, lambda: self.root.results())
            self.judge(daemon)
        finally:
            daemon.kill() if daemon.lives() else self.campaign.ended(daemon.process)

    # The trouble.

    def mount(self):
        os.makedirs(self.place, exist_ok=True)
        options = f"size={BYTES},nr_inodes=2000,mode=755"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "drill", self.place], check=True)
        self.campaign.undo(subprocess.run, ["umount", "-l", self.place])

    def begin(self):
        if self.kind == "slow":
            torture.write(self.slow_file, b"")
        elif self.kind == "readonly":
            self.remount("ro")
        else:
            self.fill()

    def remount(self, how):
        """Waits while a file is open for writing."""
        command = ["mount", "-o", f"remount,{how}", self.place]
        if not torture.wait_until(
                lambda: subprocess.run(command, capture_output=True).returncode == 0, torture.PATIENCE, 0.002):
            raise torture.Violation("cannot be remounted", self.title)

    def fill(self):
        """Until nothing more fits: in bytes, or in names."""
        def is_full(error):
            return error.errno in (errno.ENOSPC, errno.EDQUOT)

        size = 1 << 20
        for number in range(100_000):
            path = os.path.join(self.place, f"filler{number}")
            try:
                with open(path, "wb") as file:
                    self.fillers.append(path)
                    if self.kind == "full":
                        file.write(b"\1" * size)
                        file.flush()
            except OSError as error:
                if not is_full(error):
                    raise
                if self.kind == "inodes" or size <= 4096:
                    return
                size //= 4

    def end(self):
        if self.kind == "slow":
            os.remove(self.slow_file)
        elif self.kind == "readonly":
            self.remount("rw")
        for path in self.fillers:
            os.remove(path)

    # The list.

    is_dropped = False
    resumed = 0.0

    def start(self):
        environment = {}
        if self.kind == "slow":
            environment = {"LD_PRELOAD": self.campaign.slow, "SLOW_FILE": self.slow_file,
                           "SLOW_MILLISECONDS": str(SLOW_MILLISECONDS)}
        return self.root.start(environment=environment)

    def drop(self):
        photos = []
        for number in range(PHOTOS):
            picture = self.pictures[1][number % len(self.pictures[1])]
            gate = f"?gate={self.gate}" if number >= PHOTOS // 2 else ""
            photos.append((f"photo {number:02}", f"{self.origin.address}/{picture}{gate}"))
        # A rename does not cross a mount point.
        self.root.drop(NAME, torture.photo_list(photos), "copy" if self.folder == "inbox" else "rename")
        self.is_dropped = True

    def lines(self):
        """The words of each whole line of the journal file."""
        folder = self.root.at("state", "journal")
        for name in sorted(torture.list_folder(folder)):
            if name.endswith(".log"):
                for line in torture.read(os.path.join(folder, name)).split(b"\n")[:-1]:
                    yield line.split()

    def recorded(self):
        return sum(1 for words in self.lines() if len(words) > 3 and words[3] == b"filtered")

    def steps(self):
        """Grows with everything that the list does."""
        inbox = [name for name in self.root.waiting() if name.endswith(".plist")]
        records = sum(1 for words in self.lines() if len(words) > 3)
        copies = [name for name in torture.list_folder(self.root.at("done")) if name.endswith(".plist")]
        return records + len(copies) - len(inbox)

    def wait(self, what, daemon, holds):
        is_so = torture.wait_until(lambda: holds() or not daemon.lives(), torture.PATIENCE, 0.005)
        if not is_so or not daemon.lives():
            raise torture.Violation(f"not so in time: {what}", self.title, daemon.said()[-600:])

    def suffer(self, daemon):
        """Until the daemon has met the trouble and says so."""
        if self.kind == "slow":
            begun = time.monotonic()
            answer = self.root.tool("status", "--check", seconds=LATE)
            self.check(answer.returncode in (0, 1), "no answer beside a slow disk", answer)
            self.campaign.answers.append(time.monotonic() - begun)
            return

        def tells():
            begun = time.monotonic()
            answer = self.root.tool("status", "--check", seconds=LATE)
            self.campaign.answers.append(time.monotonic() - begun)
            return answer.returncode == 1

        self.wait("it says that it is degraded", daemon, tells)
        time.sleep(LASTS)
        self.check(tells(), "no longer degraded, although the trouble lasts", daemon.said()[-400:])

    def judge(self, daemon):
        results = list(self.root.results().values())
        states = [photo["State"] for photo in results[0]["Photos"]] if results else []
        self.check(states == ["filtered"] * PHOTOS, "photos failed", states)
        made = self.root.prints(NAME)
        wanted = self.campaign.prints
        wrong = [name for name, contents in made.items() if torture.digest(contents) not in wanted]
        self.check(len(made) == PHOTOS and not wrong, "prints are missing or differ", len(made), wrong)
        self.wait("becomes well", daemon, lambda: self.root.tool("status", "--check").returncode == 0)
        self.check(daemon.stop() == 0, "SIGTERM", daemon.said()[-400:])
        left = self.root.leftovers()
        self.check(not left, "left over", left)
        self.check(self.root.verify()[0] == 0, "journal verify", self.root.verify()[1])
        self.campaign.count("drills")
        self.campaign.count("photos", PHOTOS)
        if self.kind != "slow" and self.folder != "inbox":
            self.campaign.resumptions.append(self.resumed)


def middle(times):
    return sorted(times)[len(times) // 2] if times else 0.0


def main(campaign):
    if os.geteuid() != 0:
        campaign.summary("left out: only root may mount")
        return
    campaign.slow = campaign.compile("slow.c", "-shared", "-fPIC", "-ldl")
    campaign.answers, campaign.resumptions = [], []
    pictures = campaign.pictures(jpegs=6, pngs=2)
    references = torture.reference_prints(campaign, *pictures)
    campaign.prints = {torture.digest(contents) for contents in references.values()}
    origin = torture.Origin(campaign, pictures[0], os.path.join(campaign.scratch, "origin.log"))

    def play(drill):
        Drill(campaign, origin, pictures, *drill).play()

    campaign.side_by_side(play, drills(campaign))
    origin.stop()
    count, resumed, answers = campaign.counts, campaign.resumptions, campaign.answers
    campaign.summary(
        f"{count['drills']} drills, {count['photos']} photos, 0 of them failed; goes on after "
        f"{middle(resumed):.2f} s (median; {max(resumed, default=0):.2f} at most); answers after "
        f"{middle(answers):.2f} s ({max(answers, default=0):.2f}); {len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("disks", main, __doc__, drills=(21, 500))
