#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time from a rename into the inbox to `accepted` in the journal file, and to the first request at the
origin. Lists are dropped one after another into an idle daemon. The daemon waits until a file has remained
unchanged for 250 ms, to avoid half-written lists; this rule is subtracted. The yardstick is the start of a
small process, since a worker process reads each list."""
import glob
import os
import subprocess
import threading
import time

from bench import *

DROPS, RULE = 30, 250
JUNK, JUNK_DROPS = 100_000, 10


class Drops:
    """Drops lists one after another, and measures the progress of each."""

    def __init__(self, daemon, origin, photo):
        self.daemon, self.origin, self.photo = daemon, origin, photo
        journals = os.path.join(daemon.root, "state/journal/*.log")
        self.journal = open(sorted(glob.glob(journals))[-1], "rb")
        self.asked, self.lock, self.number = [], threading.Lock(), 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.origin.process.stdout:
            with self.lock:
                self.asked.append(int(line.split()[0]))

    def drop(self):
        """Milliseconds until accepted, until the first request, until the list is in done."""
        self.journal.read()
        self.number += 1
        name = f"Drop{self.number}"
        root = self.daemon.root
        path = photo_list(os.path.join(root, name + ".plist"), {"photo": self.origin.url(self.photo)})
        requested = len(self.asked)
        text = bytearray()
        start = time.monotonic_ns()
        os.rename(path, os.path.join(root, "inbox", name + ".plist"))

        def seen(kind):
            text.extend(self.journal.read())
            return any(line.split()[3:4] == [kind] for line in bytes(text).splitlines())

        # Poll fast, but leave the processor to the daemon in between.
        while not seen(b"accepted"):
            if time.monotonic_ns() - start > 20e9 or not self.daemon.lives():
                raise SystemExit(f"list {name} was not accepted")
            time.sleep(0.0002)
        accepted = (time.monotonic_ns() - start) / 1e6
        wait_until(lambda: len(self.asked) > requested, 20, "the first request", self.daemon.lives)
        request = (self.asked[requested] - start) / 1e6
        self.daemon.finish(name, 20)
        return accepted, request, (time.monotonic_ns() - start) / 1e6


def main():
    folder, temp = programs(), scratch()
    command("latency")
    photos = os.path.join(temp, "photos")
    names = small_photos(generator(temp), photos, 1)
    origin = Origin(photos, log=True)
    daemon = Daemon(folder, os.path.join(temp, "root"), "[Download]\nAllowNetworks=127.0.0.0/8\n")
    drops = Drops(daemon, origin, names[0])
    times, forks = [], []
    for _ in range(DROPS):
        times.append(drops.drop())
        # The yardstick: the bare start of a process.
        start = time.monotonic_ns()
        subprocess.run(["/bin/true"], check=True)
        forks.append((time.monotonic_ns() - start) / 1e6)
    accepts, requests, ends = zip(*times)
    rows = [[what, f"{middle(times):.1f}", f"{middle(times) - RULE:.1f}",
             f"{sorted(times)[int(DROPS * 0.9)] - RULE:.1f}",
             f"{(middle(times) - RULE) / middle(forks):.0f}"]
            for what, times in (
                ("accepted in the journal file", accepts), ("first request at the origin", requests),
                ("list in done", ends))]
    table(f"{DROPS} drops of one photo by rename (this machine, not a promise)",
          ["until", "median ms", "minus the rule", "90th, minus", "in starts of /bin/true"], rows)

    for number in range(JUNK):
        open(os.path.join(daemon.root, "inbox", f"junk-{number:06}.doc"), "w").close()
    daemon.tool("inbox")
    beside = [drops.drop() for _ in range(JUNK_DROPS)]
    rows = [[what, f"{middle(alone):.1f}", f"{middle(crowded):.1f}",
             f"{middle(crowded) - middle(alone):.1f}", f"{max(crowded) - middle(alone):.1f}"]
            for what, alone, crowded in zip(
                ("accepted in the journal file", "first request at the origin", "list in done"),
                zip(*times), zip(*beside))]
    table(f"{JUNK_DROPS} drops beside {JUNK} files that are not lists",
          ["until", "alone ms", "beside them", "difference", "at most"], rows)
    daemon.stop()
    origin.stop()


main()
