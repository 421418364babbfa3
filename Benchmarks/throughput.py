#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A thousand small photos over loopback, one list, against shell scripts with curl and a filter program.
The peers make nothing durable and keep no record; the daemon does both."""
import os
import shutil
import subprocess
import time

from bench import *

# Peers that start one process per picture are slow: they get fewer pictures, and so does darkroom beside them.
COUNT, PAIRS, FEW = 1000, 3, 200
# About 2, 11 and 18 kB: what starts a photo and what its pixels cost have other shares in each.
SIZES = [(100, 100), (320, 240), (480, 360)]


def darkroom(folder, temp, origin, names, settings=""):
    daemon = Daemon(
        folder, os.path.join(temp, "root"), "[Download]\nAllowNetworks=127.0.0.0/8\n" + settings)
    path = photo_list(os.path.join(temp, "Many.plist"), {n[:-4]: origin.url(n) for n in names})
    own, kin = family(daemon.pid)
    start = time.monotonic()
    daemon.drop(path)
    daemon.finish("Many")
    wall = time.monotonic() - start
    own_after, kin_after = family(daemon.pid)
    resident, prints = peak(daemon.pid), daemon.prints("Many")
    daemon.stop()
    if prints != len(names):
        raise SystemExit(f"darkroom made {prints} prints of {len(names)}")
    own, kin = own_after - own, kin_after - kin
    return {"wall": wall, "cpu": own + kin, "daemon": own, "workers": kin, "peak": resident}


def shell(temp, meter, origin, names, commands):
    """Downloads all files with curl, then runs `commands` on them, one process per processor."""
    originals, prints = os.path.join(temp, "originals"), os.path.join(temp, "prints")
    for folder in (originals, prints):
        shutil.rmtree(folder, True)
        os.makedirs(folder)
    with open(os.path.join(temp, "urls"), "w") as file:
        for name in names:
            file.write(f'url="{origin.url(name)}"\noutput="{originals}/{name}"\n')
    script = os.path.join(temp, "peer.sh")
    with open(script, "w") as file:
        file.write(
            f"curl -sS --fail --parallel --parallel-max 16 -K '{temp}/urls'\n"
            + commands(originals, prints, names))
    result = meter.run(["bash", "-e", script])
    made = len(os.listdir(prints))
    if result.status != 0 or made != len(names):
        raise SystemExit(f"the peer made {made} prints of {len(names)}")
    return {"wall": result.wall, "cpu": result.cpu}


def each(line):
    """One process per picture."""
    return lambda originals, prints, names: (
        f"cd '{originals}' && printf '%s\\n' *.jpg | xargs -P {PROCESSORS} -I@ {line(prints)}\n")


def peers(temp):
    found = []
    if not peer("curl"):
        return found
    rows = sepia()
    if peer("vips"):
        matrix = os.path.join(temp, "sepia.mat")
        with open(matrix, "w") as file:
            file.write("3 3\n" + "\n".join(" ".join(map(str, row)) for row in rows) + "\n")
        found.append(("curl + vips recomb", FEW, each(
            lambda prints: f"vips recomb @ '{prints}/@{VIPS_JPEG}' {matrix}")))
    if peer("gm"):
        magick = " ".join(MAGICK_JPEG)
        numbers = ",".join(f"{v:.6f}" for row in rows for v in row)
        found.append(("curl + gm convert", FEW, each(
            lambda prints: f"gm convert @ -recolor {numbers} {magick} '{prints}/@'")))

        def batch(originals, prints, names):
            text = ""
            for part in range(PROCESSORS):
                with open(os.path.join(temp, f"batch{part}"), "w") as file:
                    for name in names[part::PROCESSORS]:
                        file.write(
                            f"convert {originals}/{name} -recolor {numbers} {magick} {prints}/{name}\n")
                text += f"OMP_NUM_THREADS=1 gm batch '{temp}/batch{part}' &\n"
            return text + "wait\n"

        found.append((f"curl + {PROCESSORS} gm batch", COUNT, batch))
    return found


def measure(folder, temp, meter, size):
    """A row for each peer, and what darkroom's own runs tell."""
    width, height = size
    photos = os.path.join(temp, f"photos{width}")
    names = small_photos(generator(temp), photos, COUNT, width, height)
    origin = Origin(photos)
    # An unmeasured run, so that the origin has its files in memory.
    darkroom(folder, temp, origin, names)
    rows, split = [], []
    for name, count, commands in peers(temp):
        wall, cpu = [], []
        for _ in repeat(PAIRS, 25):
            ours = darkroom(folder, temp, origin, names[:count])
            theirs = shell(temp, meter, origin, names[:count], commands)
            wall.append(theirs["wall"] / ours["wall"])
            cpu.append(theirs["cpu"] / ours["cpu"])
            if count == COUNT:
                split.append(ours)
        rows.append([f"{width}x{height}", name, count, len(wall), ratio(wall), ratio(cpu)])
    unsynced = [darkroom(folder, temp, origin, names, "[Record]\nSync=no\n") for _ in repeat(PAIRS, 15)]
    split = split or [darkroom(folder, temp, origin, names)]
    origin.stop()
    share = middle([s["daemon"] / s["cpu"] for s in split])
    facts = (
        f"  {width}x{height}: the daemon has {share:.0%} of darkroom's CPU time, CPU per photo "
        f"{middle([s['cpu'] for s in split]) / COUNT * 1e6:.0f} us, peak RSS of the daemon "
        f"{middle([s['peak'] for s in split]) / MIB:.1f} MiB; wall time with Sync=yes in multiples of Sync=no: "
        f"{middle([s['wall'] for s in split]) / middle([s['wall'] for s in unsynced]):.2f}")
    return rows, facts


def main():
    folder, temp = programs(), scratch()
    command("throughput")
    meter = Meter(temp)
    measured = [measure(folder, temp, meter, size) for size in SIZES]
    table("small photos: the peer's cost in multiples of darkroom's",
          ["photos of", "peer", "photos", "pairs", "wall", "CPU"], [row for rows, _ in measured for row in rows])
    print("\n".join(facts for _, facts in measured))


main()
