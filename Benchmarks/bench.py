# SPDX-License-Identifier: Apache-2.0
"""Shared by the benchmarks: scratch folders, the daemon, the origin, the cost of processes, peers from
packages, tables of median ratios. Nothing here asserts a time: ratios differ less between machines."""
import atexit
import os
import plistlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROCESSORS = len(os.sched_getaffinity(0))
TICK = os.sysconf("SC_CLK_TCK")
MIB = 1 << 20


def programs():
    """The folder of the built programs: the first argument."""
    if len(sys.argv) < 2 or not os.path.exists(os.path.join(sys.argv[1], "darkroomd")):
        sys.exit(f"usage: {sys.argv[0]} BIN   (the folder with darkroomd, as `make build` leaves it)")
    return os.path.abspath(sys.argv[1])


def scratch():
    folder = tempfile.mkdtemp(prefix="darkroom-bench.")
    atexit.register(shutil.rmtree, folder, True)
    # Clean up after a signal, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return folder


def wait_until(found, seconds, what, alive=None):
    end = time.monotonic() + seconds
    while True:
        value = found()
        if value:
            return value
        if time.monotonic() > end:
            raise SystemExit(f"{what} did not happen within {seconds} s")
        if alive is not None and not alive():
            raise SystemExit(f"{what} did not happen: the daemon has ended")
        time.sleep(0.002)


def repeat(times, seconds):
    """Yields `times` rounds, but starts none after `seconds`: on a busy machine fewer, but at least one."""
    end = time.monotonic() + seconds
    for number in range(times):
        if number and time.monotonic() > end:
            return
        yield number


# Processes and their cost.


class Cost:
    """The cost of one command and all its descendants, as printed by cost.c."""

    def __init__(self, line):
        wall, cpu, peak, self.status = map(int, line.split())
        self.wall, self.cpu, self.peak = wall / 1e6, cpu / 1e6, peak * 1024


class Meter:
    def __init__(self, folder):
        self.program = build(folder, "cost")

    def run(self, command, seconds=120, **settings):
        script = [self.program, str(seconds), "sh", "-c", 'exec "$@" >/dev/null 2>&1', "sh"]
        answer = subprocess.run(script + command, stdout=subprocess.PIPE, check=True, **settings)
        return Cost(answer.stdout)


def family(process):
    """CPU seconds of a process, and of its children, running or ended."""
    def stat(number):
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()

    def children(number):
        found = []
        for task in os.listdir(f"/proc/{number}/task"):
            try:
                with open(f"/proc/{number}/task/{task}/children") as file:
                    found += file.read().split()
            except FileNotFoundError:
                pass  # the thread has ended
        return found

    own = stat(process)
    # The daemon starts workers directly, so one level is enough.
    kin = (int(own[13]) + int(own[14])) / TICK
    for child in children(process):
        try:
            fields = stat(child)
            kin += (int(fields[11]) + int(fields[12])) / TICK
        except OSError:
            pass
    return (int(own[11]) + int(own[12])) / TICK, kin


def memory(process):
    """Resident and proportional size, in bytes."""
    sizes = {}
    with open(f"/proc/{process}/smaps_rollup") as file:
        for line in file:
            words = line.split()
            if len(words) == 3 and words[2] == "kB":
                sizes[words[0]] = int(words[1]) * 1024
    return sizes["Rss:"], sizes["Pss:"]


def peak(process):
    with open(f"/proc/{process}/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def switches(process):
    """Voluntary and involuntary context switches of each thread."""
    found = {}
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/status") as file:
            lines = file.read().splitlines()
        name = lines[0].split()[1]
        found[f"{name}/{task}"] = sum(int(x.split()[1]) for x in lines if "ctxt_switches" in x)
    return found


# The daemon and the origin.


class Daemon:
    """Uses a new root each time: for minutes after many removals, ext4 creates files slowly in a folder."""

    def __init__(self, folder, root, settings="", clean=True):
        if clean:
            root = tempfile.mkdtemp(prefix="root.", dir=os.path.dirname(root))
        self.root = root
        os.makedirs(os.path.join(root, "inbox"), exist_ok=True)
        with open(os.path.join(root, "darkroomd.conf"), "w") as file:
            file.write(settings)
        control = os.path.join(root, "control")
        if os.path.exists(control):
            os.unlink(control)
        self.log = open(os.path.join(root, "log"), "wb")
        start = time.monotonic()
        self.process = subprocess.Popen(
            [os.path.join(folder, "darkroomd"), "--root", root], stderr=self.log,
            stdout=subprocess.DEVNULL)
        self.pid = self.process.pid
        atexit.register(self.kill)
        wait_until(self.is_ready, 120, "the daemon's start", self.lives)
        self.start_time = time.monotonic() - start
        self.folder = folder

    def is_ready(self):
        with open(os.path.join(self.root, "log"), "rb") as file:
            return b" is ready" in file.read()

    def lives(self):
        return self.process.poll() is None

    def tool(self, *words):
        command = [os.path.join(self.folder, "darkroomctl"), "--root", self.root, *words]
        return subprocess.run(command, capture_output=True, timeout=60)

    def drop(self, path):
        """Drops by rename, so that the list appears complete."""
        name = os.path.basename(path)
        beside = os.path.join(self.root, name)
        shutil.copyfile(path, beside)
        os.rename(beside, os.path.join(self.root, "inbox", name))
        return os.path.splitext(name)[0]

    def finish(self, name, seconds=180):
        done = os.path.join(self.root, "done", name + ".plist")
        wait_until(lambda: os.path.exists(done), seconds, f"the end of list {name}", self.lives)

    def prints(self, name):
        folder = os.path.join(self.root, "prints", name)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return sum(name not in (".list", ".sheet") and not name.endswith(".html") for name in names)

    def kill(self):
        if self.lives():
            self.process.kill()
            self.process.wait()
        self.log.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        finally:
            self.kill()


class Origin:
    def __init__(self, folder, log=False, pause=0):
        command = [sys.executable, os.path.join(HERE, "origin.py"), folder] + ["--log"] * log
        if pause:
            command += ["--pause", str(pause)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        atexit.register(self.stop)

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(10)


def photo_list(path, photos):
    with open(path, "wb") as file:
        plistlib.dump(photos, file, sort_keys=False)
    return path


# Pictures.


def build(folder, name, *libraries):
    program = os.path.join(folder, name)
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is None:
        raise SystemExit(f"no C compiler (cc, gcc or clang) to build {name}.c with")
    source = os.path.join(HERE, name + ".c")
    subprocess.run([compiler, "-O2", "-o", program, source, *libraries], check=True)
    return program


def generator(folder):
    """Builds the program that makes pictures."""
    return build(folder, "pictures", "-ljpeg", "-lpng", "-lm")


def small_photos(program, folder, count, width=320, height=240):
    os.makedirs(folder, exist_ok=True)
    names = [f"photo{n:05}.jpg" for n in range(count)]
    for n, name in enumerate(names):
        subprocess.run(
            [program, "make", "jpeg", str(width), str(height), str(n), os.path.join(folder, name)], check=True)
    return names


# Peers. Their JPEGs have our quality and our sampling, 4:2:0: by default libvips and GraphicsMagick write 4:4:4 at
# quality 90, which costs them more and makes larger files.

VIPS_JPEG = "[Q=90,subsample-mode=on]"
MAGICK_JPEG = ["-quality", "90", "-sampling-factor", "2x2"]

PACKAGES = {
    "vips": "libvips-tools", "gm": "graphicsmagick", "convert": "imagemagick", "ffmpeg": "ffmpeg",
    "curl": "curl", "strace": "strace",
}


def peer(program):
    """Whether the program is available; installs it if permitted."""
    if shutil.which(program):
        return True
    package = PACKAGES[program]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in (
            ["apt-get", "install", "-y", "-q", "--no-install-recommends", package],
            ["apt-get", "update", "-q"],
            ["apt-get", "install", "-y", "-q", "--no-install-recommends", package],
        ):
            subprocess.run(command, env=environment, timeout=120, capture_output=True)
            if shutil.which(program):
                return True
    print(f"  without {program}: not found and not installable (package {package})")
    return False


def sepia(amount=0.8):
    """The W3C matrix, three rows of three."""
    rest = 1 - amount
    full = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))
    return [
        [v + ((1 if r == c else 0) - v) * rest for c, v in enumerate(row)]
        for r, row in enumerate(full)
    ]


# Tables.


def middle(values):
    return statistics.median(values)


def ratio(values, decimals=2):
    """The median, and the range."""
    low, high = min(values), max(values)
    return f"{middle(values):.{decimals}f} ({low:.{decimals}f}-{high:.{decimals}f})"


def table(title, head, rows):
    print(f"\n{title}")
    rows = [[str(cell) for cell in row] for row in [head] + rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for n, row in enumerate(rows):
        print("  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())
        if n == 0:
            print("  " + "  ".join("-" * w for w in widths))
    sys.stdout.flush()


def command(name, extra=""):
    print(f"\n== {name}   (reproduce: {extra}Benchmarks/{name}.py .build/release)", flush=True)
