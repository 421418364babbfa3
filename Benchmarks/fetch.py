#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Download and Record alone: ten thousand files of 2 KiB over loopback, every transition durable, against
`curl --parallel` with as many connections, which writes the same files and syncs nothing."""
import atexit
import os
import shutil
import subprocess
import tempfile

from bench import *

COUNT, BYTES, CONNECTIONS, PAIRS = 10_000, 2048, 16, 15


class LeanOrigin:
    def __init__(self, temp):
        self.process = subprocess.Popen(
            [build(temp, "origin"), str(BYTES)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        atexit.register(self.stop)

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(10)


def fresh(temp, name):
    """A new folder each time: for minutes after many removals, ext4 creates files slowly in a folder."""
    return tempfile.mkdtemp(prefix=name + ".", dir=temp)


def cost(meter, command):
    # Otherwise the next sync would also write the dirty pages of earlier runs.
    os.sync()
    return meter.run(command)


def ours(program, temp, meter, urls, sync):
    folder = fresh(temp, "state")
    shutil.copy(urls, os.path.join(folder, "urls"))
    result = cost(meter, [program, folder, str(CONNECTIONS), sync])
    made = len(os.listdir(os.path.join(folder, "originals")))
    if result.status != 0 or made != COUNT:
        raise SystemExit(f"darkroom fetched {made} files of {COUNT} (status {result.status})")
    return result


def theirs(temp, meter, port):
    folder = fresh(temp, "curl")
    config = os.path.join(temp, "config")
    with open(config, "w") as file:
        for n in range(COUNT):
            file.write(f'url="http://127.0.0.1:{port}/{n:05}.jpg"\noutput="{folder}/{n:05}.jpg"\n')
    result = cost(
        meter,
        ["curl", "-sS", "--fail", "--parallel", "--parallel-max", str(CONNECTIONS), "-K", config])
    made = len(os.listdir(folder))
    if result.status != 0 or made != COUNT:
        raise SystemExit(f"curl fetched {made} files of {COUNT}")
    return result


def main():
    folder, temp = programs(), scratch()
    program = os.path.join(folder, "darkroom-bench-fetch")
    command("fetch")
    if not peer("curl"):
        return
    origin, meter = LeanOrigin(temp), Meter(temp)
    urls = os.path.join(temp, "urls")
    with open(urls, "w") as file:
        for n in range(COUNT):
            file.write(f"http://127.0.0.1:{origin.port}/{n:05}.jpg\n")
    wall, cpu, without = [], [], []
    runs = [lambda: ours(program, temp, meter, urls, "yes"), lambda: theirs(temp, meter, origin.port)]
    for number in repeat(PAIRS, 100):
        # Alternate the order.
        first = number % 2
        costs = {first: runs[first](), 1 - first: runs[1 - first]()}
        synced, curl = costs[0], costs[1]
        wall.append(synced.wall / curl.wall)
        cpu.append(synced.cpu / curl.cpu)
    for _ in repeat(PAIRS // 3, 20):
        without.append(runs[0]().wall / ours(program, temp, meter, urls, "no").wall)
    origin.stop()
    table(f"{COUNT} files of {BYTES} bytes, {CONNECTIONS} connections, {len(wall)} pairs; "
          "darkroom syncs, curl does not",
          ["darkroom in multiples of", "wall", "CPU"],
          [["curl --parallel", ratio(wall), ratio(cpu)],
           ["itself with Sync=no", ratio(without), ""]])
    print(f"  peak RSS of darkroom-bench-fetch {synced.peak / MIB:.1f} MiB, of curl "
          f"{curl.peak / MIB:.1f} MiB; curl fetched {COUNT / curl.wall:.0f} files a second")


main()
