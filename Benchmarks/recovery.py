#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Large lists: the time and memory of a start with an unfinished list of 200,000 photos, and the cost of
accepting a list of a million photos for the daemon and the worker."""
import os
import shutil
import time

from bench import *

HEAD = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
"""


def long_list(path, count, url):
    with open(path, "wb") as file:
        file.write(HEAD)
        for n in range(count):
            file.write(b"<key>Photo number %d</key><string>%b/%d.jpg</string>\n" % (n, url, n))
        file.write(b"</dict></plist>\n")
    return path


def accepted(daemon):
    """Waits until the journal file says that the list is accepted; returns the worker's peak memory."""
    journal = os.path.join(daemon.root, "state", "journal")
    largest = 0

    def look():
        nonlocal largest
        for task in os.listdir(f"/proc/{daemon.pid}/task"):
            try:
                with open(f"/proc/{daemon.pid}/task/{task}/children") as file:
                    for child in file.read().split():
                        largest = max(largest, peak(child))
            except OSError:
                pass
        for name in os.listdir(journal):
            if name.endswith(".log"):
                with open(os.path.join(journal, name), "rb") as file:
                    if any(line.split()[3:4] == [b"accepted"] for line in file):
                        return True
        return False

    wait_until(look, 120, "accepting the list", daemon.lives)
    return largest


def parse_floor(path):
    """Seconds that expat takes to parse the same bytes without handlers."""
    import xml.parsers.expat
    parser = xml.parsers.expat.ParserCreate()
    start = time.monotonic()
    with open(path, "rb") as file:
        parser.ParseFile(file)
    return time.monotonic() - start


def accept_million(folder, temp):
    # The port of the origin is closed, so nothing is downloaded; only one connection tries.
    path = long_list(os.path.join(temp, "Million.plist"), 1_000_000, b"http://127.0.0.1:9")
    size = os.path.getsize(path)
    parse = parse_floor(path)
    times, rows = [], []
    for _ in repeat(3, 40):
        daemon = Daemon(folder, os.path.join(temp, "root"),
                        "[Download]\nConnections=1\nConnectionsPerHost=1\n")
        fresh = memory(daemon.pid)[0]
        beside = os.path.join(daemon.root, "Million.plist")
        shutil.copyfile(path, beside)
        start = time.monotonic()
        os.rename(beside, os.path.join(daemon.root, "inbox", "Million.plist"))
        worker = accepted(daemon)
        times.append((time.monotonic() - start) / parse)
        daemon.tool("pause", "Million")
        rows.append((worker, peak(daemon.pid), fresh))
        daemon.stop()
        shutil.rmtree(daemon.root, True)
    os.unlink(path)
    table(f"dropping a list of 1,000,000 photos, {size / MIB:.0f} MiB of XML, {len(times)} runs", ["", "median"], [
        ["drop to accepted, in multiples of parsing it with expat without handlers", ratio(times)],
        ["peak RSS of the worker, MiB", f"{middle([r[0] for r in rows]) / MIB:.1f}"],
        ["peak RSS of the daemon, MiB", f"{middle([r[1] for r in rows]) / MIB:.1f}"],
        ["RSS of the daemon before, MiB", f"{middle([r[2] for r in rows]) / MIB:.1f}"],
    ])


def start_again(folder, temp):
    count = 200_000
    photos = os.path.join(temp, "photos")
    os.makedirs(photos)
    # Every photo is missing and fails at once: one transition per photo, and no filter work.
    path = long_list(os.path.join(temp, "Long.plist"), count, f"file://{photos}".encode())
    settings = f"[Download]\nFileFolders={photos}\n"
    daemon = Daemon(folder, os.path.join(temp, "root"), settings)
    root = daemon.root
    daemon.drop(path)
    journal = os.path.join(root, "state", "journal")

    def records():
        return sum(os.path.getsize(os.path.join(journal, n)) for n in os.listdir(journal)
                   if n.endswith(".log"))

    # After half of the list or half a minute, the list is paused and the daemon killed.
    end = time.monotonic() + 30
    wait_until(lambda: records() > count // 2 * 70 or time.monotonic() > end, 40, "half the list",
               daemon.lives)
    daemon.tool("pause", "Long")
    before = peak(daemon.pid)
    daemon.process.kill()
    daemon.process.wait()
    lines = 0
    for name in os.listdir(journal):
        if name.endswith(".log"):
            with open(os.path.join(journal, name), "rb") as file:
                lines += sum(1 for _ in file)
    empty, full, sizes = [], [], []
    for number in repeat(5, 20):
        bare = Daemon(folder, os.path.join(temp, "bare"), settings)
        empty.append(bare.start_time)
        bare.stop()
        if number == 0:
            first = Daemon(folder, root, settings, clean=False)
            replay, sized = first.start_time, memory(first.pid)[0]
            first.process.kill()
            first.process.wait()
        again = Daemon(folder, root, settings, clean=False)
        full.append(again.start_time)
        sizes.append(memory(again.pid)[0])
        again.stop()
    table(f"starting with a list of {count} photos, {lines} journal lines, paused", ["", "median"], [
        ["first start (replays the lines), in multiples of an empty start",
         f"{replay / middle(empty):.2f}"],
        ["start from the snapshot, in multiples of an empty start",
         ratio([a / b for a, b in zip(full, empty)])],
        ["RSS after the first start, MiB", f"{sized / MIB:.1f}"],
        ["RSS after a start from the snapshot, MiB", f"{middle(sizes) / MIB:.1f}"],
        ["peak RSS while it worked, MiB", f"{before / MIB:.1f}"],
    ])


def main():
    folder, temp = programs(), scratch()
    command("recovery")
    accept_million(folder, temp)
    start_again(folder, temp)


main()
