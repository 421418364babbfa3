#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading lists of a million entries in every form, in a worker started like the daemon's, against
Foundation's PropertyListSerialization (serialization.swift) and Python's plistlib in the same run; and
the cost of refusing lists that kill other readers."""
import glob
import resource
import socket
import struct

from bench import *

COUNT = 1_000_000
HEAD = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
"""


# Lists.


def xml(path):
    with open(path, "wb") as file:
        file.write(HEAD)
        for n in range(COUNT):
            file.write(b"<key>Photo number %d</key><string>https://photos.example.org/summer/%d.jpg"
                       b"</string>\n" % (n, n))
        file.write(b"</dict></plist>\n")
    return path


def xml_dictionaries(path):
    """Each photo has a dictionary, here with a checksum and a quality."""
    with open(path, "wb") as file:
        file.write(HEAD)
        for n in range(COUNT):
            file.write(b"<key>Photo number %d</key><dict><key>URL</key>"
                       b"<string>https://photos.example.org/summer/%d.jpg</string><key>SHA256</key>"
                       b"<string>%064x</string><key>Quality</key><integer>80</integer></dict>\n"
                       % (n, n, n))
        file.write(b"</dict></plist>\n")
    return path


def lines(path):
    with open(path, "wb") as file:
        for n in range(COUNT):
            file.write(b"https://photos.example.org/summer/%d.jpg\tPhoto number %d\n" % (n, n))
    return path


def json(path):
    with open(path, "wb") as file:
        file.write(b"{\n")
        for n in range(COUNT):
            file.write(b'"Photo number %d": "https://photos.example.org/summer/%d.jpg"%b\n'
                       % (n, n, b"," if n + 1 < COUNT else b"}"))
    return path


def json_objects(path):
    with open(path, "wb") as file:
        for n in range(COUNT):
            file.write(b'%b{"name": "Photo number %d", "url": "https://photos.example.org/summer/%d.jpg", '
                       b'"sha256": "%064x", "quality": 80}' % (b"," if n else b"[", n, n, n))
        file.write(b"]\n")
    return path


def csv(path):
    with open(path, "wb") as file:
        file.write(b"name,url\n")
        for n in range(COUNT):
            file.write(b'"Photo number %d",https://photos.example.org/summer/%d.jpg\r\n' % (n, n))
    return path


def wide(path):
    """The text of URLs in UTF-16."""
    with open(path, "w", encoding="utf-16", newline="") as file:
        for n in range(COUNT):
            file.write("https://photos.example.org/summer/%d.jpg\tPhoto number %d\n" % (n, n))
    return path


def text(value):
    size = len(value)
    return (bytes([0x50 | size]) if size < 15 else b"\x5f\x10" + bytes([size])) + value


def binary_file(path, objects, count, references, offsets=4):
    """Writes the objects in order; plistlib would need minutes and gigabytes."""
    table = []
    with open(path, "wb") as file:
        position = file.write(b"bplist00")
        for item in objects:
            table.append(position)
            position += file.write(item)
        file.write(b"".join(struct.pack(">I", place) for place in table))
        file.write(struct.pack(">6xBBQQQ", offsets, references, count, 0, position))
    return path


def binary(path):
    numbers = b"".join(struct.pack(">I", n)[1:] for n in range(1, 2 * COUNT + 1))
    def objects():
        yield b"\xdf\x12" + struct.pack(">I", COUNT) + numbers
        for n in range(COUNT):
            yield text(b"Photo number %d" % n)
        for n in range(COUNT):
            yield text(b"https://photos.example.org/summer/%d.jpg" % n)
    return binary_file(path, objects(), 2 * COUNT + 1, 3)


def hostile(folder):
    """Files that crash, hang or bloat other readers: those of the corpus, and some too long for it."""
    for path in sorted(glob.glob(os.path.join(HERE, "../Tests/Fuzz/corpus/binary/crash-*.plist"))):
        yield os.path.basename(path)[6:-6].replace("-", " "), path

    def kept(name, data):
        path = os.path.join(folder, name.replace(" ", "-") + ".plist")
        with open(path, "wb") as file:
            file.write(data)
        return name, path

    tail = b"<plist><dict><key>a</key><string>%b</string></dict></plist>"
    laughs = b"".join(b'<!ENTITY l%d "%b">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 10))
    yield kept("billion laughs", b'<!DOCTYPE plist [<!ENTITY l0 "ha">' + laughs + b"]>" + tail % b"&l9;")
    yield kept("long entity, often", b'<!DOCTYPE plist [<!ENTITY e "' + b"x" * 100_000 + b'">]>'
               + tail % (b"&e;" * 100_000))
    yield kept("9,530 arrays deep", b'<plist version="1.0">' + b"<array>" * 9530)
    yield kept("a million arrays deep", b"<plist><dict><key>a</key>" + b"<array>" * 1_000_000)
    count = 10_000
    numbers = b"".join(struct.pack(">I", n)[1:] for n in range(1, count + 1))
    items = [b"\xdf\x12" + struct.pack(">I", count) + numbers
             + struct.pack(">I", count + 1)[1:] * count]
    items += [text(b"Photo number %d" % n) for n in range(count)]
    items.append(b"\x5f\x12" + struct.pack(">I", 1 << 20) + b"a" * (1 << 20))
    yield "a megabyte, 10,000 times", binary_file(
        os.path.join(folder, "megabyte.plist"), items, count + 2, 3)


# Readers.


class Worker:
    """A worker started as the daemon does for a list: its socket is descriptor 3; it sandboxes itself."""

    def __init__(self, folder):
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket = ours
        command = [os.path.join(folder, "darkroom-worker"), "--owner=none", "--nice=0",
                   f"--memory={1 << 29}", f"--output={1 << 30}"]
        self.process = subprocess.Popen(
            command, pass_fds=(3,), preexec_fn=lambda: os.dup2(its.fileno(), 3))
        its.close()
        ours.settimeout(120)
        ours.recv(2048)

    def read(self, path, folder):
        """Wall seconds, CPU seconds, peak, answer."""
        catalog = os.path.join(folder, "catalog")
        with open(path, "rb") as file, open(catalog, "w+b") as out:
            packet = struct.pack("<HBQQQIII", 3, 1, 7, 120_000, 1 << 30, 5_000_000, 4096, 16384)
            start, before = time.monotonic(), family(self.process.pid)[0]
            socket.send_fds(self.socket, [packet], [file.fileno(), out.fileno()])
            answer = self.socket.recv(2048)
            taken = time.monotonic() - start
        os.unlink(catalog)
        used = family(self.process.pid)[0] - before
        return taken, used, peak(self.process.pid), self.words(answer)

    def words(self, answer):
        kind = answer[2]
        if kind != 3:
            return "accepted" if kind == 1 else f"answer {kind}"
        found, place = [], 12
        for _ in range(2):
            size = struct.unpack_from("<H", answer, place)[0]
            found.append(answer[place + 2:place + 2 + size].decode())
            place += 2 + size
        return ": ".join(found)

    def end(self):
        self.socket.close()
        self.process.wait(30)


def ours(folder, temp, path):
    worker = Worker(folder)
    try:
        return worker.read(path, temp)
    finally:
        worker.end()


def foundation(temp):
    """The compiled peer; None without Swift."""
    if not shutil.which("swiftc"):
        print("  without PropertyListSerialization: swiftc not found")
        return None
    program = os.path.join(temp, "serialization")
    subprocess.run(["swiftc", "-O", "-o", program, os.path.join(HERE, "serialization.swift")], check=True)
    return [program]


PLISTLIB = """
import plistlib, sys, time
with open(sys.argv[1], "rb") as file: data = file.read()
start = time.process_time()
try: outcome = f"{len(plistlib.loads(data))} entries"
except Exception as error: outcome = "refused"
taken = time.process_time() - start
for line in open("/proc/self/status"):
    if line.startswith("VmHWM:"): print(taken, line.split()[1], outcome)
"""


def theirs(command, path, seconds=100, size=6 << 30):
    """CPU seconds, peak and outcome of a peer, with limits on its time and memory."""
    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        done = subprocess.run([*command, path], capture_output=True, timeout=seconds, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return None, None, f"no end within {seconds} s"
    if done.returncode < 0:
        return None, None, f"ended by {signal.Signals(-done.returncode).name}"
    if done.returncode > 0:
        return None, None, f"ended with {done.returncode}"
    taken, peak, outcome = done.stdout.decode().split(None, 2)
    return float(taken), int(peak) * 1024, outcome.strip()


def million(folder, temp, peer):
    rows = []
    for name, make, other_reader in [
            ("XML, names and URLs", xml, peer), ("XML, dictionaries", xml_dictionaries, peer),
            ("binary, names and URLs", binary, peer), ("text, URLs and names", lines, None),
            ("text in UTF-16", wide, None), ("JSON, names and URLs", json, None),
            ("JSON, objects", json_objects, None), ("CSV, names and URLs", csv, None)]:
        path = make(os.path.join(temp, "million.plist"))
        mine, other, ratios = [], [], []
        for number in repeat(3, 25):
            mine.append(ours(folder, temp, path))
            if mine[-1][3] != "accepted":
                raise SystemExit(f"{name}: {mine[-1][3]}")
            if other_reader and number < 2:
                other.append(theirs(other_reader, path))
                if other[-1][0]:
                    ratios.append(other[-1][0] / mine[-1][1])
        rows.append([
            name, f"{os.path.getsize(path) / MIB:.0f}", ratio([m[1] for m in mine]),
            f"{max(m[2] for m in mine) / MIB:.1f}",
            ratio([o[0] for o in other]) if ratios else other[-1][2] if other else "-",
            f"{max(o[1] for o in other) / MIB:.0f}" if ratios else "-",
            ratio(ratios, 1) if ratios else "-",
        ])
        os.unlink(path)
    table(f"a list of {COUNT} entries, worker against PropertyListSerialization; CPU seconds",
          ["", "MiB", "worker s", "peak MiB", "peer s", "peak MiB", "peer / worker"], rows)
    print("  the worker also writes the catalog and finds duplicate names")


def killers(folder, temp, peer):
    rows = []
    for name, path in hostile(temp):
        runs = [ours(folder, temp, path) for _ in range(3)]
        row = [name, os.path.getsize(path), f"{middle([r[0] for r in runs]) * 1000:.1f}",
               f"{max(r[2] for r in runs) / MIB:.1f}", runs[0][3][:68]]
        for command in [peer, [sys.executable, "-c", PLISTLIB]]:
            row.append(theirs(command, path, 3, 3 << 30)[2] if command else "-")
        rows.append(row)
    table("lists that kill readers (peers: at most 3 s and 3 GiB of addresses)",
          ["", "bytes", "worker ms", "peak MiB", "the worker says", "Foundation", "plistlib"], rows)


def main():
    folder, temp = programs(), scratch()
    command("lists")
    peer = foundation(temp)
    killers(folder, temp, peer)
    million(folder, temp, peer)


main()
