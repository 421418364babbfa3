#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State folders of earlier releases: today's daemon opens each, keeps what it says, and finishes what was
left.

    Tests/Torture/states.py BIN [--short | --seconds S]
    Tests/Torture/states.py BIN --make FOLDER     BIN writes such a state folder, for states/VERSION

states/VERSION was written by a release whose journal files have that version (1: 0.1.0). It
ends with a kill -9, and has a finished, a paused and a cancelled list, one with downloaded photos, and one
whose photo waits for its next attempt at an origin that is gone. Neither needs an origin: the downloaded
photos become prints, the rest waits."""
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib

import torture

HOME = os.path.join(torture.HERE, "states")
SETTINGS = "[Download]\n" + torture.LOOPBACK + "[Filter]\nWorkers=1\nTimeout=1h\n"
PORT = 9  # `discard`: the origin was there, and hardly anything else will be
# As the record of the release has it: list → state, states of the photos.
BEFORE = {
    "finished": ("finished", ["filtered", "filtered", "failed"]),
    "paused": ("paused", ["filtered", "new", "filtered", "new"]),
    "cancelled": ("cancelled", ["filtered", "new"]),
    "downloaded": ("running", ["downloaded"] * 4),
    "waiting": ("running", ["new"]),
}
AFTER = {**BEFORE, "downloaded": ("finished", ["filtered"] * 4)}


def seen(root):
    """What the running daemon says, in the form of BEFORE."""
    found = {}
    for one in root.lists():
        answer = root.tool("--json", "show", str(one["id"]))
        photos = json.loads(answer.stdout)["photos"]
        found[one["name"]] = (one["state"], [photo["state"] for photo in photos])
    return found


def matches(found, wanted):
    """A list at work is `accepted` until its first photo; a photo that a cancelled list did not reach is shown
    as cancelled."""
    same = {"accepted": "running", "cancelled": "new"}
    plain = {name: (same.get(state, state) if name != "cancelled" else state,
                    [same.get(photo, photo) for photo in photos]) for name, (state, photos) in found.items()}
    return plain == wanted


def open_state(campaign, version):
    root = campaign.root(f"version-{version}", SETTINGS)
    shutil.copytree(os.path.join(HOME, version), root.at("state"))
    status, text = root.verify()
    campaign.check(status == 0, "journal verify of an earlier state", version, text)
    records = root.records()[0]
    campaign.check(records, "no records", version)
    daemon = root.start()
    campaign.check(daemon.wait_ready(), "the daemon does not start", version, daemon.said())
    done = torture.wait_until(lambda: matches(seen(root), AFTER), 300, step=0.1)
    campaign.check(done, "not the states that were recorded", version, seen(root), daemon.said()[-1500:])
    made = root.prints("downloaded")
    campaign.check(len(made) == 4, "prints are missing", version, sorted(made))
    listed = {one["name"]: one["id"] for one in root.lists()}
    accepted = {record["list"] for record in records.values() if record["kind"] == "accepted"}
    campaign.check(accepted <= set(listed.values()), "a list is gone", version, accepted, listed)
    # What needs an origin goes on when it is asked to, and a new list gets a number of its own.
    campaign.check(root.tool("resume", "paused").returncode == 0, "resume", version)
    campaign.check(root.tool("cancel", "waiting").returncode == 0, "cancel", version)
    root.drop("new", torture.photo_list([("one", f"http://127.0.0.1:{PORT}/gone.jpg")]))
    torture.wait_until(lambda: any(one["name"] == "new" for one in root.lists()), torture.PATIENCE, step=0.05)
    numbers = [one["id"] for one in root.lists() if one["name"] == "new"]
    campaign.check(numbers and numbers[0] > max(listed.values()), "a number is used again", version, numbers)
    campaign.check(daemon.stop() == 0, "SIGTERM", version)
    status, text = root.verify()
    campaign.check(status == 0, "journal verify", version, text)
    campaign.count("states")
    campaign.count("records", len(records))


def main(campaign):
    if campaign.options.make:
        return make(campaign, campaign.options.make)
    for version in sorted(torture.list_folder(HOME)):
        open_state(campaign, version)
    campaign.check(campaign.counts["states"] > 0, "no states to open")
    campaign.summary(f"{campaign.counts['states']} states of earlier releases opened, "
                     f"{campaign.counts['records']} records, {len(campaign.violations)} violations, "
                     f"{campaign.elapsed():.0f} s")


# Making one.


def make(campaign, place):
    folder, names = campaign.pictures(jpegs=3, pngs=1, width=16, height=12)
    # Large but plain: it holds the one worker while the others are downloaded.
    plain = os.path.join(folder, "plain.png")
    write_plain_picture(plain, 5000)
    script = os.path.join(torture.REPOSITORY, "Tests", "Support", "origin.py")
    origin = campaign.start(
        [sys.executable, script, "--folder", folder, "--port", str(PORT)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    origin.stdout.readline()
    root = campaign.root("made", SETTINGS)
    daemon = root.start()
    daemon.wait_ready()

    def drop(name, *paths):
        root.drop(name, torture.photo_list(
            [(f"photo {n}", f"http://127.0.0.1:{PORT}/{path}") for n, path in enumerate(paths)], title=name))

    def reaches(name, state, photos):
        if not torture.wait_until(lambda: seen(root).get(name) == (state, photos), 120, step=0.05):
            raise SystemExit(f"{name} is {seen(root).get(name)}")

    drop("finished", names[0], names[3], "missing.jpg")
    reaches("finished", *BEFORE["finished"])
    drop("paused", names[0], "hang?gate=g", names[1], "hang?gate=g&n=2")
    reaches("paused", "running", BEFORE["paused"][1])
    root.tool("pause", "paused")
    reaches("paused", *BEFORE["paused"])
    drop("cancelled", names[2], "hang?gate=g&n=3")
    reaches("cancelled", "running", BEFORE["cancelled"][1])
    root.tool("cancel", "cancelled")
    torture.wait_until(lambda: seen(root)["cancelled"][0] == "cancelled", torture.PATIENCE)
    drop("waiting", f"busy?key=k&until=99&after=3600&file={names[0]}")
    journal = root.at("state", "journal")
    first = os.path.join(journal, "0000000000000001.log")
    torture.wait_until(lambda: b" retry " in torture.read(first), torture.PATIENCE)
    # Each daemon pauses a busy host; a new one does not know of it.
    daemon.stop()
    drop("downloaded", "plain.png", names[0], names[1], names[3])
    daemon = root.start()

    def downloaded():
        newest = os.path.join(journal, "0000000000000002.log")
        return os.path.exists(newest) and torture.read(newest).decode().count(" downloaded ") >= 4

    torture.wait_until(downloaded, 120, step=0.001)
    daemon.kill()
    shutil.copytree(root.at("state"), place)
    os.unlink(os.path.join(place, "lock"))
    print(torture.read(os.path.join(journal, "0000000000000002.log")).decode())


def write_plain_picture(path, size):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + bytes(size)) * size, 9)
    head = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", rows), chunk(b"IEND", b"")
    torture.write(path, b"\x89PNG\r\n\x1a\n" + b"".join(parts))


if __name__ == "__main__":
    torture.run("states", main, __doc__, states=(0, 0), make=("", ""))
