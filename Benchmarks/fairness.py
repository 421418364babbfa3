#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user waits for beside another one, in multiples of the time alone, in the same daemon settings:

- 60 photos of 640x480, behind 40 lists of 60 such photos of another user;
- 60 small photos of a fast server in class userInteractive, while ten slow servers serve another user;
- 10 small photos in class userInteractive, while 12-megapixel pictures of the same user are filtered in background.

The lists of the other user are at work before the measured list is dropped. Needs root, to drop lists of two users."""
import os
import subprocess
import sys

from bench import *

PAIRS, SLOW = 5, 10
ONE, OTHER = 1000, 2000
SETTINGS = "[Inbox]\nQuietTime=250ms\n[Download]\nAllowNetworks=127.0.0.0/8\n"

# Answers at once, and sends a body of 60 KB at 3 KB/s, on every address of loopback.
DRIP = r"""
import asyncio, sys
async def talk(reader, writer):
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 60000\r\n\r\n")
            for _ in range(40):
                writer.write(b"\xff\xd8" + b"x" * 1498)
                await writer.drain()
                await asyncio.sleep(0.5)
    except (OSError, asyncio.IncompleteReadError):
        pass
    writer.close()
async def serve():
    server = await asyncio.start_server(talk, "0.0.0.0", 0)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
asyncio.run(serve())
"""


def pictures(program, folder, kind, width, height, count):
    os.makedirs(folder, exist_ok=True)
    names = [f"{kind}{n:03}.jpg" for n in range(count)]
    for n, name in enumerate(names):
        subprocess.run(
            [program, "make", "jpeg", str(width), str(height), str(n), os.path.join(folder, name)],
            check=True)
    return names


class Bench:
    def __init__(self):
        self.folder, self.temp = programs(), scratch()
        self.photos = os.path.join(self.temp, "photos")
        program = generator(self.temp)
        self.middle = pictures(program, self.photos, "middle", 640, 480, 60)
        self.small = pictures(program, self.photos, "small", 320, 240, 60)
        self.large = pictures(program, self.photos, "large", 4000, 3000, 8)
        self.origin = Origin(self.photos)
        self.lists = 0

    def drop(self, daemon, user, photos, quality="default"):
        """Drops a list of the user; returns its name."""
        self.lists += 1
        path = os.path.join(self.temp, f"list{self.lists}.plist")
        with open(path, "wb") as file:
            entries = [{"Name": f"photo {n}", "URL": url} for n, url in enumerate(photos)]
            plistlib.dump({"QualityOfService": quality, "Photos": entries}, file)
        os.chown(path, user, user)
        beside = os.path.join(daemon.root, os.path.basename(path))
        shutil.copyfile(path, beside)
        os.chown(beside, user, user)
        os.rename(beside, os.path.join(daemon.root, "inbox", os.path.basename(path)))
        return f"list{self.lists}"

    def urls(self, names, tag):
        return [self.origin.url(f"{name}?{tag}") for name in names]

    def time(self, daemon, user, photos, quality):
        """From the drop to the end of the list."""
        start = time.monotonic()
        daemon.finish(self.drop(daemon, user, photos, quality))
        return time.monotonic() - start

    def pair(self, tag, photos, quality, begin):
        """The time alone, and beside what `begin` starts."""
        times = []
        for beside in (False, True):
            daemon = Daemon(self.folder, os.path.join(self.temp, "root"), SETTINGS)
            if beside:
                begin(daemon)
            times.append(self.time(daemon, ONE, self.urls(photos, f"{tag}-{beside}"), quality))
            daemon.kill()
        return times


def at_work(daemon, folders):
    """The other user's prints have begun to appear."""
    wait_until(lambda: sum(daemon.prints(name) for name in folders) > 20, 60, "the other lists", daemon.lives)


def main():
    if os.geteuid() != 0:
        sys.exit("fairness: only root can drop lists of two users")
    bench = Bench()
    command("fairness")
    drip = subprocess.Popen([sys.executable, "-c", DRIP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(drip.kill)
    port = int(drip.stdout.readline().split()[1])

    def forty(daemon):
        at_work(daemon, [bench.drop(daemon, OTHER, bench.urls(bench.middle, f"other{n}")) for n in range(40)])

    def slow(daemon):
        photos = [f"http://127.0.1.{1 + n % SLOW}:{port}/{n}.jpg" for n in range(200)]
        name = bench.drop(daemon, OTHER, photos)
        wait_until(lambda: b"ESTAB" in subprocess.run(
            ["ss", "-tn", f"dport = :{port}"], capture_output=True).stdout, 60, "the slow transfers", daemon.lives)
        # Every place that the slow servers can take is taken.
        time.sleep(2)
        return name

    def large(daemon):
        name = bench.drop(
            daemon, ONE, [u for n in range(40) for u in bench.urls(bench.large, f"large{n}")], "background")
        wait_until(lambda: daemon.prints(name) > 2, 60, "the large pictures", daemon.lives)

    rows = []
    for title, photos, quality, begin in (
        ("60 photos, behind 40 lists of another user", bench.middle, "default", forty),
        ("60 urgent photos, beside ten slow servers of another user", bench.small, "userInteractive", slow),
        ("10 urgent photos, beside 12-megapixel pictures in background", bench.small[:10], "userInteractive", large),
    ):
        pairs = [bench.pair(f"{title[:2]}{n}", photos, quality, begin) for n in repeat(PAIRS, 150)]
        rows.append([title, len(pairs), ratio([b / a for a, b in pairs]),
                     f"{middle([a for a, _ in pairs]):.2f}", f"{middle([b for _, b in pairs]):.2f}"])
    drip.kill()
    bench.origin.stop()
    table("from the drop to the end of the list",
          ["what", "pairs", "in multiples of the time alone", "seconds alone", "beside"], rows)


main()
