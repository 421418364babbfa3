#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a second worker brings: 24 pictures of 12 megapixels through the daemon with one worker and
with two, and the same through `darkroomctl develop`, one process with all or two with a half each. Only
a machine with two idle processors can show a whole 2; its load stands beside the figure. What the two
cost each other shows on a busy one as well: a picture's CPU with two in multiples of that with one."""
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
    before, start = sum(family(service.pid)), time.monotonic()
    service.drop(path)
    service.finish("Large")
    wall, cpu = time.monotonic() - start, sum(family(service.pid)) - before
    prints = service.prints("Large")
    service.stop()
    shutil.rmtree(service.root)
    if prints != len(names):
        raise SystemExit(f"darkroom made {prints} prints of {len(names)}")
    return wall, cpu


def develop(folder, temp, meter, photos, names, processes):
    prints = os.path.join(temp, "prints")
    shutil.rmtree(prints, True)
    os.makedirs(prints)
    tool = os.path.join(folder, "darkroomctl")
    parts = [
        " ".join([tool, "develop", "-o", prints] + [
            os.path.join(photos, name) for name in names[part::processes]])
        for part in range(processes)]
    result = meter.run(["sh", "-c", " & ".join(parts) + " & wait"])
    if len(os.listdir(prints)) != len(names):
        raise SystemExit("darkroomctl develop failed")
    return result.wall, result.cpu


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
    origin, meter = Origin(photos), Meter(temp)
    rows = []
    ways = [
        ("darkroomd, Workers=", lambda n: daemon(folder, temp, origin, names, n)),
        ("darkroomctl develop, processes", lambda n: develop(folder, temp, meter, photos, names, n)),
    ]
    for title, run in ways:
        one, two, gains, costs = [], [], [], []
        run(2)  # the files are read once before anything is measured
        for _ in repeat(ROUNDS, 60):
            (wall, cpu), (wall_of_two, cpu_of_two) = run(1), run(2)
            one.append(wall)
            two.append(wall_of_two)
            gains.append(wall / wall_of_two)
            costs.append(cpu_of_two / cpu)
        rows.append([title, f"{COUNT / middle(one):.1f}", f"{COUNT / middle(two):.1f}",
                     ratio(gains), ratio(costs), len(gains), f"{os.getloadavg()[0]:.1f}"])
    origin.stop()
    table("pictures of 12 megapixels a second with 1 and 2 at once",
          ["way", "1", "2", "2 in multiples of 1", "CPU, likewise", "rounds", "load"], rows)


main()
