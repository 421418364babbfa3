#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An idle daemon: its memory, and its wake-ups in twenty seconds. Without a service manager there is no
watchdog, and the safety sweep comes every five minutes, so no work is due."""
import os
import time

from bench import *

SECONDS = 20


def wakes(daemon):
    """Wake-ups of each thread that woke; a thread that started or ended counts as one."""
    before = switches(daemon.pid)
    time.sleep(SECONDS)
    after = switches(daemon.pid)
    moved = {name: after.get(name, 0) - before.get(name, 0) for name in set(before) | set(after)}
    return {name: count if name in before and name in after else 1
            for name, count in moved.items() if count or not (name in before and name in after)}


def line(what, daemon):
    resident, proportional = memory(daemon.pid)
    workers = family_size(daemon.pid)
    moved = wakes(daemon)
    words = ", ".join(f"{name.split('/')[0]} {count}" for name, count in sorted(moved.items()))
    return [what, f"{resident / MIB:.1f}", f"{proportional / MIB:.1f}",
            f"{peak(daemon.pid) / MIB:.1f}", len(switches(daemon.pid)), workers,
            sum(moved.values()), words or "-"]


def family_size(process):
    count = 0
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/children") as file:
            count += len(file.read().split())
    return count


def main():
    folder, temp = programs(), scratch()
    command("idle")
    program = generator(temp)
    names = small_photos(program, os.path.join(temp, "photos"), 300)
    origin = Origin(os.path.join(temp, "photos"))
    daemon = Daemon(folder, os.path.join(temp, "root"), "[Download]\nAllowNetworks=127.0.0.0/8\n")
    rows = []
    # Threads of the start that have no more work end after some seconds.
    time.sleep(10)
    rows.append(line("fresh", daemon))
    photos = {name[:-4]: origin.url(name) for name in names}
    daemon.drop(photo_list(os.path.join(temp, "One.plist"), photos))
    daemon.finish("One")
    origin.stop()
    time.sleep(10)
    rows.append(line("after a list of 300 photos", daemon))
    rows[-1][0] += f" ({daemon.prints('One')} prints)"
    daemon.stop()
    table(f"idle daemon: memory in MiB, wake-ups in {SECONDS} s",
          ["", "RSS", "PSS", "peak RSS", "threads", "workers", "wake-ups", "threads that woke"], rows)


main()
