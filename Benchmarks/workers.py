#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a second worker brings: 24 pictures of 12 megapixels through the daemon with one worker and
with two, and the same through `darkroomctl develop`, one process with all or two with a half each. Only
a machine with two idle processors can show a whole 2; its load stands beside the figure."""
import os
import shutil
import subprocess
import time

from bench import *

COUNT, ROUNDS = 24, 5


def daemon(folder, temp, origin, names, workers):
    service = Daemon(
        folder, os.path.join(temp, "root"),
        f"[Download]\nAllowNetworks=127.0.0.0/8\n[Filter]\nWorkers={workers}\n")
    path = photo_list(os.path.join(temp, "Large.plist"), {n[:-4]: origin.url(n) for n in names})
    start = time.monotonic()
    service.drop(path)
    service.finish("Large")
    wall = time.monotonic() - start
    prints = service.prints("Large")
    service.stop()
    shutil.rmtree(service.root)
    if prints != len(names):
        raise SystemExit(f"darkroom made {prints} prints of {len(names)}")
    return wall


def develop(folder, temp, photos, names, processes):
    prints = os.path.join(temp, "prints")
    shutil.rmtree(prints, True)
    os.makedirs(prints)
    start = time.monotonic()
    running = [
        subprocess.Popen(
            [os.path.join(folder, "darkroomctl"), "develop", "-o", prints]
            + [os.path.join(photos, name) for name in names[part::processes]],
            stdout=subprocess.DEVNULL) for part in range(processes)]
    codes = [process.wait() for process in running]
    wall = time.monotonic() - start
    if any(codes) or len(os.listdir(prints)) != len(names):
        raise SystemExit("darkroomctl develop failed")
    return wall


def main():
    folder, temp = programs(), scratch()
    command("workers")
    program, photos = generator(temp), os.path.join(temp, "photos")
    os.makedirs(photos)
    first = os.path.join(photos, "photo00.jpg")
    subprocess.run([program, "make", "jpeg", "4032", "3024", "7", first], check=True)
    names = [f"photo{n:02}.jpg" for n in range(COUNT)]
    for name in names[1:]:
        shutil.copyfile(first, os.path.join(photos, name))
    origin = Origin(photos)
    rows = []
    ways = [
        ("darkroomd, Workers=", lambda n: daemon(folder, temp, origin, names, n)),
        ("darkroomctl develop, processes", lambda n: develop(folder, temp, photos, names, n)),
    ]
    for title, run in ways:
        one, two, gains = [], [], []
        run(2)  # the files are read once before anything is measured
        for _ in repeat(ROUNDS, 60):
            one.append(run(1))
            two.append(run(2))
            gains.append(one[-1] / two[-1])
        rows.append([title, f"{COUNT / middle(one):.1f}", f"{COUNT / middle(two):.1f}",
                     ratio(gains), len(gains), f"{os.getloadavg()[0]:.1f}"])
    origin.stop()
    table("pictures of 12 megapixels a second with 1 and 2 at once",
          ["way", "1", "2", "2 in multiples of 1", "rounds", "load"], rows)


main()
