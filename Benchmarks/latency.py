#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a rename into the inbox to `accepted` in the journal file, and to the first request at the
origin. One drop after the other, into a daemon that has nothing else to do. A file is looked at only when
it is 250 ms old (a rule of ours, against half-written ones): that is taken off. The yardstick is the
start of one small process, as the worker that reads a list is a process of its own."""
import glob
import os
import subprocess
import threading
import time

from bench import *

DROPS, RULE = 30, 250


def main():
    folder, temp = programs(), scratch()
    command("latency")
    photos = os.path.join(temp, "photos")
    names = small_photos(generator(temp), photos, 1)
    origin = Origin(photos, log=True)
    asked, lock = [], threading.Lock()

    def listen():
        for line in origin.process.stdout:
            with lock:
                asked.append(int(line.split()[0]))

    threading.Thread(target=listen, daemon=True).start()
    daemon = Daemon(folder, os.path.join(temp, "root"), "[Download]\nAllowNetworks=127.0.0.0/8\n")
    journal = open(sorted(glob.glob(os.path.join(daemon.root, "state/journal/*.log")))[-1], "rb")
    journal.read()
    accepts, requests, ends, forks = [], [], [], []
    for number in range(DROPS):
        name = f"Drop{number}"
        path = photo_list(os.path.join(daemon.root, name + ".plist"), {"photo": origin.url(names[0])})
        requested = len(asked)
        text = bytearray()
        start = time.monotonic_ns()
        os.rename(path, os.path.join(daemon.root, "inbox", name + ".plist"))

        def seen(kind):
            text.extend(journal.read())
            return any(line.split()[3:4] == [kind] for line in bytes(text).splitlines())

        # Looked at as fast as can be: this processor is one of the machine's.
        while not seen(b"accepted"):
            if time.monotonic_ns() - start > 20e9 or not daemon.lives():
                raise SystemExit(f"list {name} was not accepted")
            time.sleep(0.0002)
        accepts.append((time.monotonic_ns() - start) / 1e6)
        wait_until(lambda: len(asked) > requested, 20, "the first request", daemon.lives)
        requests.append((asked[requested] - start) / 1e6)
        daemon.finish(name, 20)
        ends.append((time.monotonic_ns() - start) / 1e6)
        # What any daemon would pay that reads a list in a process of its own: the bare start of one.
        start = time.monotonic_ns()
        subprocess.run(["/bin/true"], check=True)
        forks.append((time.monotonic_ns() - start) / 1e6)
    daemon.stop()
    origin.stop()
    rows = [[what, f"{middle(times):.1f}", f"{middle(times) - RULE:.1f}",
             f"{sorted(times)[int(DROPS * 0.9)] - RULE:.1f}",
             f"{(middle(times) - RULE) / middle(forks):.0f}"]
            for what, times in (
                ("accepted in the journal file", accepts), ("first request at the origin", requests),
                ("list in done", ends))]
    table(f"{DROPS} drops of one photo by rename (this machine, not a promise)",
          ["until", "median ms", "less the rule", "90th, less", "in starts of /bin/true"], rows)


main()
