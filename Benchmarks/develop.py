#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One picture, one filter: `darkroomctl develop` against the filter programs of Debian, and against the
floor, which decodes and encodes without a filter. User and system CPU and peak memory of all processes.
PHOTOS=DIR also measures the pictures in DIR."""
import os
import shutil
import time

from bench import *

RUNS = 3
FORMS = [
    ("JPEG 4:2:0, 12 MP", "jpeg", 4032, 3024, "jpg"),
    ("RGB photograph", "rgb", 2000, 1500, "png"),
    ("RGBA photograph", "rgba", 2000, 1500, "png"),
    ("grey photograph", "grey", 2000, 1500, "png"),
    ("palette photograph", "palette", 2000, 1500, "png"),
    ("16-bit photograph", "rgb16", 2000, 1500, "png"),
    ("RGB drawing", "rgb-drawing", 2000, 1500, "png"),
    ("RGBA drawing", "rgba-drawing", 2000, 1500, "png"),
    ("palette drawing", "palette-drawing", 2000, 1500, "png"),
    ("16-bit drawing", "rgb16-drawing", 2000, 1500, "png"),
]
# In seconds, for all pictures of PHOTOS together.
PATIENCE = 150


def channels(path):
    """Channels of a PNG as peers count them: 4 with alpha or transparency. Peers cannot process grey."""
    with open(path, "rb") as file:
        head = file.read(4096)
    if not head.startswith(b"\x89PNG"):
        return 3
    return 4 if head[25] in (4, 6) or b"tRNS" in head else 3


def quality(print):
    return MAGICK_JPEG if print.endswith("jpg") else []


def peers(temp, generator):
    """Name, command for (in, out), whether for JPEG only. One thread each, quality 90 like the sources, and 4:2:0."""
    rows = sepia()
    flat = ",".join(f"{v:.6f}" for row in rows for v in row)
    spaced = " ".join(" ".join(f"{v:.6f}" for v in row) for row in rows)
    found = [("floor (no filter)", lambda a, b: [generator, "floor", a, b], True)]
    if peer("vips"):
        for bands in (3, 4):
            with open(os.path.join(temp, f"sepia{bands}.mat"), "w") as file:
                full = [row + [0] * (bands - 3) for row in rows] + [[0, 0, 0, 1]] * (bands - 3)
                file.write(f"{bands} {bands}\n")
                file.write("".join(" ".join(map(str, row)) + "\n" for row in full))

        def vips(a, b):
            bands = channels(a)
            options = VIPS_JPEG if b.endswith(".jpg") else ""
            matrix = os.path.join(temp, f"sepia{bands}.mat")
            return ["vips", "recomb", a, b + options, matrix]

        found.append(("vips recomb", vips, False))
    if peer("gm"):
        found.append(("gm -recolor", lambda a, b: ["gm", "convert", a, "-recolor", flat] + quality(b) + [b], False))
    if peer("convert"):
        found.append((
            "convert -color-matrix", lambda a, b: ["convert", a, "-color-matrix", spaced] + quality(b) + [b], False))
    if peer("ffmpeg"):
        names = [f"{r}{c}" for r in "rgb" for c in "rgb"]
        mixer = ":".join(f"{n}={v}" for n, v in zip(names, flat.split(",")))
        # Of its encoder's levels, -q:v 2 is nearest to quality 90.
        found.append((
            "ffmpeg mixer",
            lambda a, b: ["ffmpeg", "-v", "error", "-y", "-threads", "1", "-i", a, "-vf",
                          f"format={'gbrp16' if 'rgb16' in a else 'gbrap' if channels(a) == 4 else 'gbrp'},"
                          f"colorchannelmixer={mixer}"]
            + (["-q:v", "2", "-pix_fmt", "yuvj420p"] if b.endswith("jpg") else []) + [b], False))
    return found


def measure(folder, temp, meter, others, title, original):
    """Measures each peer in turn with darkroom; all figures include the start of the process."""
    prints = os.path.join(temp, "prints")
    tool = os.path.join(folder, "darkroomctl")
    extension = os.path.splitext(original)[1].lower().replace(".jpeg", ".jpg")
    environment = dict(os.environ, OMP_NUM_THREADS="1", MAGICK_THREAD_LIMIT="1",
                       VIPS_CONCURRENCY="1")
    rows = []
    for name, command, jpeg_only in others:
        if jpeg_only and extension != ".jpg":
            continue
        cpu, memory, sizes = [], [], []
        # The floor is close, so more rounds are needed against the noise of a shared machine.
        for _ in repeat(5 * RUNS if jpeg_only else RUNS, 4):
            shutil.rmtree(prints, True)
            os.makedirs(prints)
            ours = meter.run([tool, "develop", original, "-o", prints], env=environment)
            printed = [os.path.join(prints, x) for x in os.listdir(prints)]
            out = os.path.join(temp, "peer" + extension)
            theirs = meter.run(command(original, out), env=environment)
            if ours.status != 0 or len(printed) != 1:
                raise SystemExit(f"darkroomctl develop {original} failed")
            if theirs.status != 0:
                break
            cpu.append(ours.cpu / theirs.cpu)
            memory.append(ours.peak / theirs.peak)
            sizes.append(os.path.getsize(printed[0]) / os.path.getsize(out))
            os.unlink(out)
        if not cpu:
            rows.append([title, name, "cannot do it", "", "", ""])
            continue
        rows.append([title, name, ratio(cpu), ratio(memory), ratio(sizes),
                     f"{ours.peak / MIB:.1f}"])
    return rows


def many(folder, temp, meter, generator, original):
    """Eight pictures in one process, since a daemon pays the start of a worker only once."""
    copies = [os.path.join(temp, f"copy{n}.jpg") for n in range(8)]
    for copy in copies:
        shutil.copyfile(original, copy)
    prints, ratios = os.path.join(temp, "prints"), []
    for _ in repeat(2 * RUNS + 1, 20):
        shutil.rmtree(prints, True)
        os.makedirs(prints)
        ours = meter.run([os.path.join(folder, "darkroomctl"), "develop", "-j", "1", *copies, "-o", prints])
        floor = meter.run(
            [generator, "floor", original, os.path.join(temp, "peer.jpg"), str(len(copies))])
        if ours.status != 0 or floor.status != 0:
            raise SystemExit("darkroomctl develop failed")
        ratios.append(ours.cpu / floor.cpu)
    for copy in copies:
        os.unlink(copy)
    return ratio(ratios)


def main():
    folder, temp = programs(), scratch()
    command("develop", "PHOTOS=DIR ")
    program, meter = generator(temp), Meter(temp)
    others = peers(temp, program)
    rows = []
    for title, form, width, height, extension in FORMS:
        original = os.path.join(temp, f"{form}.{extension}")
        subprocess.run([program, "make", form, str(width), str(height), "7", original], check=True)
        rows += measure(folder, temp, meter, others, title, original)
        if form == "jpeg":
            eight = many(folder, temp, meter, program, original)
        os.unlink(original)
    given = os.environ.get("PHOTOS")
    if given:
        names = [n for n in sorted(os.listdir(given))
                 if n.lower().endswith((".jpg", ".jpeg", ".png"))]
        end = time.monotonic() + PATIENCE
        for number, name in enumerate(names):
            if time.monotonic() > end:
                print(f"  {len(names) - number} of {len(names)} pictures left out: out of time")
                break
            rows += measure(folder, temp, meter, others, name, os.path.join(given, name))
    table("darkroomctl develop's cost and size in multiples of the peer's, one picture a process",
          ["picture", "peer", "CPU", "peak RSS", "bytes out", "our peak MiB"], rows)
    summary(rows)
    print(f"  eight JPEGs in one process, CPU in multiples of the floor's: {eight}")


def summary(rows):
    """The median and the worst of the rows of each peer."""
    found = []
    for name in dict.fromkeys(row[1] for row in rows):
        for kind, is_kind in (("JPEG", True), ("PNG", False)):
            some = [row for row in rows if row[1] == name and row[2] != "cannot do it"
                    and (row[0].lower().endswith((".jpg", ".jpeg")) or row[0].startswith("JPEG")) == is_kind]
            if some:
                values = [[float(row[n].split()[0]) for row in some] for n in (2, 4)]
                found.append([kind, name, len(some)] + [
                    f"{middle(v):.2f}, at most {max(v):.2f}" for v in values])
    table("all pictures", ["form", "peer", "pictures", "CPU", "bytes out"], found)


main()
