#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The record alone, with more and more callers that each wait until their transition is durable; and the record as
the bottleneck of the daemon: tiny pictures from a file: folder, so that download and filter cost little and
every photo makes two durable transitions and one durable print. The peers are the floor of this disk, one
process that appends a line and calls fdatasync, and the daemon with `Sync=no`."""
import collections
import os
import re
import shutil
import subprocess
import tempfile
import time

from bench import *

COUNT, RUNS = 5000, 3
# Callers that wait, and photos of two transitions each.
ALONE = [(1, 500), (16, 5_000), (256, 100_000), (4096, 500_000)]


def run(folder, temp, settings="", trace=None, count=COUNT):
    photos = os.path.join(temp, "photos")
    daemon = Daemon(folder, os.path.join(temp, "root"), f"[Download]\nFileFolders={photos}\n{settings}")
    tracer = None
    if trace:
        tracer = subprocess.Popen(
            ["strace", "-f", "-qq", "-e", "trace=fdatasync,fsync,syncfs,sync_file_range",
             "-o", trace, "-p", str(daemon.pid)], stderr=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(trace), 10, "strace's start")
        time.sleep(0.5)
    path = photo_list(
        os.path.join(temp, "Many.plist"),
        {f"photo{n:05}": f"file://{photos}/photo{n % 50:05}.jpg" for n in range(count)})
    before = family(daemon.pid)
    start = time.monotonic()
    daemon.drop(path)
    daemon.finish("Many")
    wall = time.monotonic() - start
    after = family(daemon.pid)
    prints, resident = daemon.prints("Many"), peak(daemon.pid)
    journal = os.path.join(daemon.root, "state", "journal")
    kinds = collections.Counter()
    for name in os.listdir(journal):
        if name.endswith(".log"):
            with open(os.path.join(journal, name), errors="replace") as file:
                for line in file:
                    words = line.split()
                    if len(words) > 3:
                        kinds[words[3]] += 1
    daemon.stop()
    if tracer:
        tracer.wait(30)
    if prints != count:
        raise SystemExit(f"darkroom made {prints} prints of {count}")
    return {"wall": wall, "daemon": after[0] - before[0], "workers": after[1] - before[1],
            "kinds": kinds, "peak": resident}


def floor(temp, count):
    """Seconds for `count` appends, each followed by fdatasync."""
    path = os.path.join(temp, "floor")
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    line = b"5d1f0a3c 1048577 1763712345.123 downloaded 17 38211 size=38123 hash=9f86d081\n"
    start = time.monotonic()
    for _ in range(count):
        os.write(file, line)
        os.fdatasync(file)
    wall = time.monotonic() - start
    os.close(file)
    os.unlink(path)
    return wall


def alone(folder, temp, meter, waiters, count):
    """Transitions, groups, seconds, those of the median wait, of the 99th percentile, of the next start, of CPU."""
    state = tempfile.mkdtemp(prefix="record.", dir=temp)
    out = os.path.join(temp, "out")
    program = os.path.join(folder, "darkroom-bench-record")
    script = f'exec "{program}" "{state}" {count} {waiters} yes > "{out}"'
    cost = meter.run(["sh", "-c", script])
    with open(out) as file:
        words = file.read().split()
    shutil.rmtree(state)
    if cost.status != 0 or len(words) != 6:
        raise SystemExit(f"darkroom-bench-record ended with {cost.status}")
    return [int(words[0]), int(words[1])] + [int(w) / 1e6 for w in words[2:]] + [cost.cpu]


def record_alone(folder, temp):
    meter, rows = Meter(temp), []
    for waiters, count in ALONE:
        runs = []
        for _ in repeat(RUNS, 60):
            sync = floor(temp, 500) / 500
            all, groups, wall, half, most, start, cpu = alone(folder, temp, meter, waiters, count)
            runs.append([all / wall, all * sync / wall, half / sync, most / sync, all / groups,
                         cpu / all * 1e6, start * 1e3])
        columns = list(zip(*runs))
        rows.append([f"{waiters:,}", f"{middle(columns[0]):,.0f}", ratio(columns[1], 1), ratio(columns[2], 1),
                     ratio(columns[3], 1), f"{middle(columns[4]):.0f}", f"{middle(columns[5]):.1f}",
                     f"{middle(columns[6]):.0f} after {count * 2:,}"])
    table("the record alone, each transition waited for; in multiples of one bare append + fdatasync",
          ["callers", "transitions a second", "throughput", "median wait", "99th percentile", "a group",
           "CPU, us", "next start, ms"], rows)


def main():
    folder, temp = programs(), scratch()
    command("record")
    record_alone(folder, temp)
    photos = os.path.join(temp, "photos")
    os.makedirs(photos)
    program = generator(temp)
    for n in range(50):
        name = os.path.join(photos, f"photo{n:05}.jpg")
        subprocess.run([program, "make", "jpeg", "16", "16", str(n), name], check=True)
    synced, unsynced, floors = [], [], []
    for _ in repeat(RUNS, 60):
        synced.append(run(folder, temp))
        floors.append(floor(temp, 2000) / 2000)
        unsynced.append(run(folder, temp, "[Record]\nSync=no\n"))
    each = [s["wall"] / COUNT for s in synced]
    rows = [
        ["photos per second (this machine, not a promise)", f"{1 / middle(each):.0f}"],
        ["wall time per photo, in multiples of one bare append + fdatasync",
         ratio([e / f for e, f in zip(each, floors)])],
        ["wall time with Sync=yes, in multiples of Sync=no",
         ratio([a["wall"] / b["wall"] for a, b in zip(synced, unsynced)])],
        ["CPU of the daemon per photo, us", f"{middle([s['daemon'] for s in synced]) / COUNT * 1e6:.0f}"],
        ["CPU of the workers per photo, us", f"{middle([s['workers'] for s in synced]) / COUNT * 1e6:.0f}"],
        ["peak RSS of the daemon, MiB", f"{middle([s['peak'] for s in synced]) / MIB:.1f}"],
        ["records per photo",
         f"{sum(synced[0]['kinds'].values()) / COUNT:.2f}  " + str(dict(synced[0]["kinds"]))],
    ]
    if peer("strace"):
        trace = os.path.join(temp, "trace")
        run(folder, temp, trace=trace)
        calls = collections.Counter()
        with open(trace) as file:
            for line in file:
                found = re.search(r"\b(fdatasync|fsync|syncfs|sync_file_range)\(", line)
                if found:
                    calls[found.group(1)] += 1
        for name, number in calls.most_common():
            rows.append([f"{name} calls for {COUNT} photos (traced run)", number])
    table(f"{COUNT} pictures of 16x16 from a file: folder, {len(synced)} runs", ["", "median"], rows)


main()
