#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One picture, one filter: `darkroomctl develop` against the filters of Debian, and against the floor
of decoding and encoding without any filter. User and system CPU and peak memory of all processes.
PHOTOS=DIR measures the pictures in DIR as well."""
import os
import shutil

from bench import *

RUNS = 3
FORMS = [
    ("JPEG 4:2:0, 12 MP", "jpeg", 4032, 3024, "jpg"),
    ("PNG 8-bit RGB, 3 MP", "rgb", 2000, 1500, "png"),
    ("PNG 8-bit RGBA, 3 MP", "rgba", 2000, 1500, "png"),
    ("PNG palette, 3 MP", "palette", 2000, 1500, "png"),
    ("PNG 16-bit RGB, 3 MP", "rgb16", 2000, 1500, "png"),
    ("PNG drawing, 3 MP", "drawing", 2000, 1500, "png"),
]


def quality(print):
    return ["-quality", "90"] if print.endswith("jpg") else []


def peers(temp, generator):
    """Name, command for (in, out), whether for JPEG only. One thread each, quality 90 as the sources."""
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
            bands = 4 if "rgba" in os.path.basename(a) else 3
            options = "[Q=90]" if b.endswith(".jpg") else ""
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
        # -q:v 2 is the nearest that its encoder has to quality 90.
        found.append((
            "ffmpeg mixer",
            lambda a, b: ["ffmpeg", "-v", "error", "-y", "-threads", "1", "-i", a, "-vf",
                          f"format={'gbrp16' if 'rgb16' in a else 'gbrap' if 'rgba' in a else 'gbrp'},"
                          f"colorchannelmixer={mixer}"]
            + (["-q:v", "2", "-pix_fmt", "yuvj420p"] if b.endswith("jpg") else []) + [b], False))
    return found


def measure(folder, temp, meter, others, title, original):
    """Each peer in turn with ours; the folder's cost to start a process is in all of them."""
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
        for _ in repeat(RUNS, 5):
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
            cpu.append(theirs.cpu / ours.cpu)
            memory.append(theirs.peak / ours.peak)
            sizes.append(os.path.getsize(out) / os.path.getsize(printed[0]))
            os.unlink(out)
        if not cpu:
            rows.append([title, name, "cannot do it", "", "", ""])
            continue
        rows.append([title, name, ratio(cpu), ratio(memory, 1), ratio(sizes),
                     f"{ours.peak / MIB:.1f}"])
    return rows


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
        os.unlink(original)
    given = os.environ.get("PHOTOS")
    if given:
        names = [n for n in sorted(os.listdir(given))
                 if n.lower().endswith((".jpg", ".jpeg", ".png"))]
        for name in names[:20]:
            rows += measure(folder, temp, meter, others, name, os.path.join(given, name))
    table("the peer's cost in multiples of darkroomctl develop's, one picture a process",
          ["picture", "peer", "CPU", "peak RSS", "bytes out", "our peak MiB"], rows)


main()
