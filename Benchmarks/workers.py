#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gain of a second worker: 64 pictures of 12 megapixels through the daemon with one worker and
with two, and the same through `darkroomctl develop` with `-j 1` and `-j 2`, without downloads. The peers show
in the same rounds how much this machine gains from any second process: a loop that touches no memory, the
JPEG library without a filter, and libvips. The cost of sharing shows even on a busy machine: the CPU per
picture with two workers, in multiples of that with one."""
import os
import shutil
import subprocess
import time

from bench import *

COUNT, ROUNDS = 64, 5
RULE = 0.25  # seconds that every list must remain unchanged, with any number of workers
SHARES = []  # the daemon's part in the CPU of each run


def daemon(folder, temp, origin, names, workers):
    service = Daemon(
        folder, os.path.join(temp, "root"),
        f"[Download]\nAllowNetworks=127.0.0.0/8\n[Filter]\nWorkers={workers}\n")
    path = photo_list(os.path.join(temp, "Large.plist"), {n[:-4]: origin.url(n) for n in names})
    before, start = family(service.pid), time.monotonic()
    service.drop(path)
    service.finish("Large")
    wall = time.monotonic() - start - RULE
    own, kin = (after - at_first for after, at_first in zip(family(service.pid), before))
    SHARES.append(own / (own + kin))
    prints = service.prints("Large")
    service.stop()
    shutil.rmtree(service.root)
    if prints != len(names):
        raise SystemExit(f"darkroom made {prints} prints of {len(names)}")
    return wall, own + kin


def develop(folder, temp, meter, photos, names, jobs):
    prints = os.path.join(temp, "prints")
    shutil.rmtree(prints, True)
    os.makedirs(prints)
    pictures = [os.path.join(photos, name) for name in names]
    result = meter.run(
        [os.path.join(folder, "darkroomctl"), "develop", "-j", str(jobs), "-o", prints, *pictures])
    if len(os.listdir(prints)) != len(names):
        raise SystemExit("darkroomctl develop failed")
    return result.wall, result.cpu


def peers(temp, meter, program, photos, names):
    """Processes that share the work; each takes one picture after another."""
    def shared(commands):
        def run(processes):
            script = " & ".join(
                "(" + "; ".join(commands[part::processes]) + ")" for part in range(processes))
            result = meter.run(["sh", "-c", script + " & wait"], env=dict(
                os.environ, VIPS_CONCURRENCY="1"))
            return result.wall, result.cpu
        return run

    prints = os.path.join(temp, "prints")
    paths = [(os.path.join(photos, name), os.path.join(prints, name)) for name in names]
    found = [
        ("a loop without memory", shared([f"{program} spin 150" for _ in names])),
        ("libjpeg-turbo without a filter", shared([f"{program} floor {a} {b}" for a, b in paths])),
    ]
    if peer("vips"):
        matrix = os.path.join(temp, "sepia.mat")
        with open(matrix, "w") as file:
            file.write("3 3\n" + "\n".join(" ".join(map(str, row)) for row in sepia()) + "\n")
        found.append(("vips recomb", shared(
            [f"vips recomb {a} '{b}{VIPS_JPEG}' {matrix}" for a, b in paths[:COUNT // 8]])))
    return found


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
    ways = [
        ("darkroomd, Workers=", lambda n: daemon(folder, temp, origin, names, n)),
        ("darkroomctl develop -j", lambda n: develop(folder, temp, meter, photos, names, n)),
    ] + peers(temp, meter, program, photos, names)
    gains, costs = {title: [] for title, _ in ways}, {title: [] for title, _ in ways}
    for _, run in ways:
        run(2)  # unmeasured, so that the files are in memory
    rounds = 0
    for _ in repeat(ROUNDS, 240):
        rounds += 1
        for title, run in ways:
            (wall, cpu), (wall_of_two, cpu_of_two) = run(1), run(2)
            gains[title].append(wall / wall_of_two)
            costs[title].append(cpu_of_two / cpu)
    origin.stop()
    table(f"{COUNT} pictures of 12 megapixels with two at once in multiples of one, {rounds} rounds, "
          f"load {os.getloadavg()[0]:.1f}",
          ["way", "pictures per second", "CPU per picture"],
          [[title, ratio(gains[title]), ratio(costs[title])] for title, _ in ways])
    share = middle(SHARES)
    print(f"  the daemon itself uses {share:.0%} of its CPU: with one worker it has a processor to itself,"
          f"\n  with two on two processors it competes with them, so the gain is at most {2 * (1 - share):.2f}")


main()
