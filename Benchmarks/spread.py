#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of 1,000 tiny photos in 10 lists, in 100 lists, and in ten lists of ten users, in multiples of their cost in
one list. All lists are dropped at once. With `--syncs`, one more run of each under strace counts the syncs and the
processes started. Needs root, to drop lists of several users."""
import os
import re
import sys

from bench import *

PHOTOS, ROUNDS, USER = 1000, 5, 1000
SETTINGS = "[Inbox]\nQuietTime=250ms\n[Download]\nAllowNetworks=127.0.0.0/8\n"
KINDS = (("one list", 1, 1), ("10 lists", 10, 1), ("100 lists", 100, 1), ("10 lists of ten users", 10, 10))


class Bench:
    def __init__(self):
        self.folder, self.temp = programs(), scratch()
        program = generator(self.temp)
        photos = os.path.join(self.temp, "photos")
        self.names = [f"tiny{n}.jpg" for n in range(50)]
        os.makedirs(photos)
        for n, name in enumerate(self.names):
            subprocess.run(
                [program, "make", "jpeg", "64", "48", str(n), os.path.join(photos, name)], check=True)
        self.origin = Origin(photos)

    def lists(self, daemon, tag, count, users):
        """Writes the lists beside the inbox; returns their names."""
        names = []
        for number in range(count):
            path = os.path.join(daemon.root, f"list{number}.plist")
            each = PHOTOS // count
            photo_list(path, [
                {"Name": f"photo {n}", "URL": self.origin.url(f"{self.names[n % 50]}?{tag}-{number}-{n}")}
                for n in range(each)])
            os.chown(path, USER + number % users, USER + number % users)
            names.append(f"list{number}")
        return names

    def run(self, tag, count, users, trace=None):
        """Wall time and processor time from the drop to the end of the last list."""
        daemon = Daemon(self.folder, os.path.join(self.temp, "root"), SETTINGS)
        names = self.lists(daemon, tag, count, users)
        tracer = trace and subprocess.Popen(
            ["strace", "-f", "-qq", "-c", "-o", trace, "-e", "trace=fsync,fdatasync,syncfs,execve",
             "-p", str(daemon.pid)], stderr=subprocess.DEVNULL)
        if tracer:
            wait_until(lambda: "TracerPid:\t0" not in open(f"/proc/{daemon.pid}/status").read(), 10, "the trace")
        before = sum(family(daemon.pid))
        start = time.monotonic()
        for name in names:
            os.rename(os.path.join(daemon.root, name + ".plist"),
                      os.path.join(daemon.root, "inbox", name + ".plist"))
        for name in names:
            daemon.finish(name)
        wall = time.monotonic() - start
        cost = sum(family(daemon.pid)) - before
        daemon.stop()
        if tracer:
            tracer.wait(30)
        return wall, cost

    def calls(self, number, count, users):
        trace = os.path.join(self.temp, f"trace{number}")
        self.run(f"trace{number}", count, users, trace)
        found = {}
        for line in open(trace):
            words = line.split()
            if words and re.fullmatch(r"fsync|fdatasync|syncfs|execve", words[-1]):
                found[words[-1]] = int(words[3])
        return found


def main():
    if os.geteuid() != 0:
        sys.exit("spread: only root can drop lists of several users")
    bench = Bench()
    command("spread")
    found = {title: [] for title, _, _ in KINDS}
    for n in repeat(ROUNDS, 240):
        for title, count, users in KINDS:
            found[title].append(bench.run(f"{n}-{count}-{users}", count, users))
    one = found["one list"]
    rows = []
    for title, times in found.items():
        rows.append([
            title, len(times), ratio([b[1] / a[1] for a, b in zip(one, times)]),
            ratio([b[0] / a[0] for a, b in zip(one, times)]), f"{middle([t[1] for t in times]):.2f}",
            f"{middle([t[0] for t in times]):.2f}"])
    table(f"{PHOTOS} tiny photos, in multiples of one list",
          ["in", "runs", "processor time", "time", "processor seconds", "seconds"], rows)
    if "--syncs" in sys.argv and peer("strace"):
        calls = [(title, bench.calls(n, count, users)) for n, (title, count, users) in enumerate(KINDS)]
        table("system calls of one run each", ["in", "syncs", "processes started"],
              [[title, sum(n for call, n in found.items() if call != "execve"), found.get("execve", 0)]
               for title, found in calls])
    bench.origin.stop()


main()
