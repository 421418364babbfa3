#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Thumbnails: what they add to the processor time of a 12-megapixel photo, in the daemon with all of its processes, each
run beside one with Thumbnails=no; and their size."""
import os
import random
import shutil
import subprocess

from bench import *

ROUNDS, SECONDS = 15, 300
# With the photos of a run: each takes about as long.
FORMS = [("JPEG 4:2:0", "jpeg", "jpg", 4032, 3024, 24), ("RGB PNG", "rgb", "png", 4032, 3024, 3)]


def run(folder, temp, meter, original, extension, count, thumbnails):
    """One daemon that develops copies of the picture and ends. Returns its cost, and the thumbnails' bytes."""
    root = os.path.join(temp, "root")
    shutil.rmtree(root, True)
    os.makedirs(os.path.join(root, "inbox"))
    with open(os.path.join(root, "darkroomd.conf"), "w") as file:
        file.write(f"[Inbox]\nQuietTime=250ms\n[Download]\nFileFolders={temp}\n[Filter]\nWorkers=1\n"
                   f"MaximumPixels=50000000\n[Output]\nThumbnails={thumbnails}\nContactSheet=no\n")
    photos = {f"photo {n}": f"file://{original}" for n in range(count)}
    photo_list(os.path.join(root, "inbox", "Bench.plist"), photos)
    cost = meter.run([os.path.join(folder, "darkroomd"), "--root", root, "--until-idle"])
    prints = os.path.join(root, "prints", "Bench")
    if cost.status != 0 or sum(name.endswith(extension) for name in os.listdir(prints)) != count:
        raise SystemExit("the daemon did not make the prints")
    sheet = os.path.join(prints, ".sheet")
    sizes = [os.path.getsize(os.path.join(sheet, name)) for name in os.listdir(sheet)] if thumbnails != "no" else []
    return cost, sizes


def main():
    folder, temp = programs(), scratch()
    command("sheet")
    program, meter = generator(temp), Meter(temp)
    rows = []
    for title, form, extension, width, height, count in FORMS:
        original = os.path.join(temp, f"{form}.{extension}")
        subprocess.run([program, "make", form, str(width), str(height), "7", original], check=True)
        without, shares, sizes = [], {240: [], 480: []}, {}
        for _ in repeat(ROUNDS, SECONDS / len(FORMS)):
            costs, order = {}, ["no", "240", "480"]
            random.shuffle(order)
            for thumbnails in order:
                costs[thumbnails], made = run(folder, temp, meter, original, extension, count, thumbnails)
                if made:
                    sizes[thumbnails] = max(made)
            without.append(costs["no"].cpu / count)
            for height_wanted in shares:
                plain = costs["no"].cpu
                shares[height_wanted].append(100 * (costs[str(height_wanted)].cpu - plain) / plain)
        for height_wanted, found in shares.items():
            rows.append([title, f"Thumbnails={height_wanted}", ratio(found, 1),
                         f"{1000 * middle(without):.0f}", f"{sizes[str(height_wanted)] / 1000:.1f}"])
        os.unlink(original)
    table("thumbnails' share of the processor time of a photo of 12 megapixels",
          ["picture", "setting", "% more CPU", "ms a photo without", "kB a thumbnail"], rows)


if __name__ == "__main__":
    main()
