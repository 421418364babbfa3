#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A hundred photos in the middle of a list of 100,000 at work, in the focus of a viewer, against the same hundred
photos as a list of their own in an idle daemon. Without a focus they would wait for fifty thousand others. The
origin's log shows how often each photo was asked for."""
import glob
import os
import threading
import time

from bench import *

TOTAL, LOOKED, FIRST, FILES, PAIRS = 100_000, 100, 50_001, 500, 5
SETTINGS = "[Download]\nAllowNetworks=127.0.0.0/8\n"


class Requests:
    """The paths that the origin was asked for."""

    def __init__(self, origin):
        self.paths = {}
        threading.Thread(target=self.listen, args=(origin.process.stdout,), daemon=True).start()

    def listen(self, lines):
        for line in lines:
            path = line.split()[1]
            self.paths[path] = self.paths.get(path, 0) + 1


class Journal:
    """Reads the journal file of a daemon as it grows."""

    def __init__(self, daemon):
        path = sorted(glob.glob(os.path.join(daemon.root, "state/journal/*.log")))[-1]
        self.file, self.rest = open(path, "rb"), b""
        self.accepted, self.filtered = set(), set()

    def read(self):
        *lines, self.rest = (self.rest + self.file.read()).split(b"\n")
        for line in lines:
            words = line.split()
            if words[3:4] == [b"accepted"]:
                self.accepted.add(int(words[4]))
            if words[3:4] == [b"filtered"]:
                self.filtered.add(int(words[5]))
        return self


def photos(origin, names, numbers, tag):
    return {f"photo {n}": origin.url(f"{names[n % FILES]}?{tag}-{n}") for n in numbers}


def alone(folder, temp, origin, names, tag):
    """From the acceptance of the hundred photos to the last print."""
    daemon = Daemon(folder, os.path.join(temp, "root"), SETTINGS)
    path = photo_list(
        os.path.join(temp, "Alone.plist"),
        photos(origin, names, range(FIRST, FIRST + LOOKED), tag))
    journal = Journal(daemon)
    daemon.drop(path)
    wait_until(lambda: journal.read().accepted, 30, "the list's acceptance", daemon.lives)
    start = time.monotonic()
    wait_until(lambda: len(journal.read().filtered) == LOOKED, 60, "the end", daemon.lives)
    wall = time.monotonic() - start
    daemon.stop()
    return wall


def focused(folder, temp, origin, names, path):
    """From the command to the last print; then how many photos of the list were filtered."""
    daemon = Daemon(folder, os.path.join(temp, "root"), SETTINGS)
    journal = Journal(daemon)
    daemon.drop(path)
    wait_until(lambda: len(journal.read().filtered) > 500, 120, "the list's first prints", daemon.lives)
    looked = set(range(FIRST, FIRST + LOOKED))
    start = time.monotonic()
    end = daemon.tool("focus", "--for", "10min", "Large", f"{FIRST}-{FIRST + LOOKED - 1}")
    if end.returncode != 0:
        raise SystemExit(f"focus failed: {end.stderr.decode()}")
    wait_until(lambda: looked <= journal.read().filtered, 120, "the end of the focus", daemon.lives)
    wall = time.monotonic() - start
    done = len(journal.filtered)
    daemon.stop()
    return wall, done


def main():
    folder, temp = programs(), scratch()
    command("focus")
    folder_of_photos = os.path.join(temp, "photos")
    names = small_photos(generator(temp), folder_of_photos, FILES)
    origin = Origin(folder_of_photos, log=True)
    requests = Requests(origin)
    alone(folder, temp, origin, names, "first")
    ratios, walls, dones = [], [], []
    for round in repeat(PAIRS, 90):
        path = photo_list(
            os.path.join(temp, "Large.plist"),
            photos(origin, names, range(1, TOTAL + 1), f"large{round}"))
        single = alone(folder, temp, origin, names, f"alone{round}")
        wall, done = focused(folder, temp, origin, names, path)
        ratios.append(wall / single)
        walls.append((wall, single))
        dones.append(done)
    twice = sum(count > 1 for path, count in requests.paths.items())
    asked = len(requests.paths)
    origin.stop()
    table(f"{LOOKED} photos from number {FIRST} of {TOTAL} in the focus",
          ["pairs", "in multiples of their time alone", "seconds", "alone", "photos done by then"],
          [[len(ratios), ratio(ratios), f"{middle([w for w, _ in walls]):.2f}",
            f"{middle([s for _, s in walls]):.2f}", int(middle(dones))]])
    print(f"  the origin was asked for {asked} photos, for {twice} of them more than once")


main()
