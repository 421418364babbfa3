# SPDX-License-Identifier: Apache-2.0
"""Shared by the campaigns in this folder. A campaign does harm to a daemon, a thousand times over, and
compares what is left with what was promised:

    Tests/Torture/NAME.py BIN [--seed N] [--short | --seconds S] [--COUNT N]

BIN is the folder of darkroomd, darkroomctl and darkroom-worker. All random numbers come from the seed. A
violation is printed at once with the seed; then the scratch folder stays, and its path is printed. The last
line is a summary, the exit status 1 after a violation.

A campaign is a function that takes a Campaign, and ends with

    if __name__ == "__main__":
        torture.run("kills", main, __doc__, rounds=(500, 10000))    # --rounds N; short form, long form
"""
import argparse
import collections
import hashlib
import json
import os
import plistlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(REPOSITORY, "Benchmarks"))
import bench  # noqa: E402  (the programs that build C helpers and make pictures)

SHORT_SECONDS = 60
# Seconds that a step may take on a very busy machine; only what hangs takes as long.
PATIENCE = 240
LOOPBACK = "AllowNetworks=127.0.0.0/8\n"


class Violation(Exception):
    """Ends the world in which it was found, not the campaign."""


class Campaign:
    """The seed, the limits, the counts and the violations of one run, and all that it started. Threads share
    it."""

    def __init__(self, name, options, count_name, home=None):
        self.name, self.count_name = name, count_name
        self.folder, self.seed = os.path.abspath(options.bin), options.seed
        self.is_short = options.short
        self.limit = getattr(options, count_name) if count_name else 0
        self.options = options
        self.started = time.monotonic()
        self.seconds = options.seconds
        self.scratch = tempfile.mkdtemp(prefix=f"darkroom-{name}.", dir=home)
        self.counts = collections.Counter()
        self.violations = []
        self.is_stopping = False
        self.said = None
        self._lock = threading.Lock()
        self._running = {}
        self._undo = []

    # What was seen.

    def count(self, what, by=1):
        with self._lock:
            self.counts[what] += by

    def violation(self, what, *facts):
        """Prints what is wrong; the campaign goes on."""
        shown = " ".join(str(fact)[:400] for fact in facts)
        with self._lock:
            self.violations.append((what, shown))
            self.counts["violation: " + what] += 1
            if self.counts["violation: " + what] <= 20:
                print(f"VIOLATION {what}: {shown}\n  {self.again()}", flush=True)

    def check(self, holds, what, *facts):
        if not holds:
            self.violation(what, *facts)
        return bool(holds)

    def again(self):
        form = "--short " if self.is_short else ""
        limit = f"--{self.count_name.replace('_', '-')} {self.limit}" if self.count_name else ""
        return f"again: Tests/Torture/{self.name}.py BIN --seed {self.seed} {form}{limit}".rstrip()

    def summary(self, text):
        """The text of the last line, behind the name and the seed."""
        self.said = text

    # Limits.

    def elapsed(self):
        return time.monotonic() - self.started

    def end_early(self):
        self.seconds = 1e-9

    def goes_on(self, done=1):
        """Whether another round may start: the count is not reached, and there is time. The first may always."""
        is_late = done > 0 and self.seconds and self.elapsed() >= self.seconds
        return not is_late and not (self.limit and done >= self.limit) and not self.is_stopping

    def random(self, *parts):
        """Random numbers of one part of the campaign; the same for the same seed."""
        return random.Random("/".join(str(part) for part in (self.seed, *parts)))

    def side_by_side(self, function, arguments, lanes=2):
        """Calls the function for each argument, a few at a time, each in a thread. Takes no further argument
        after Ctrl-C and after an error of the campaign itself."""
        waiting = iter(arguments)  # a generator ends it by time, with `goes_on`
        errors = []

        def lane():
            while not self.is_stopping and not errors:
                with self._lock:
                    argument = next(waiting, None)
                if argument is None:
                    return
                try:
                    function(argument)
                except Violation as violation:
                    self.violation(*violation.args)
                except Exception as error:  # the campaign's own fault
                    if not self.is_stopping:
                        errors.append(error)
                    return

        threads = [threading.Thread(target=lane, daemon=True) for _ in range(lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
        if errors:
            raise errors[0]

    # What was started.

    def start(self, command, **settings):
        """Starts a program that ends with the campaign."""
        with self._lock:
            if self.is_stopping:
                raise KeyboardInterrupt
            process = subprocess.Popen(command, **settings)
            self._running[process.pid] = process
        return process

    def ended(self, process):
        with self._lock:
            self._running.pop(process.pid, None)

    def undo(self, function, *arguments):
        """Calls the function at the end, whatever happens: unmounts, for example."""
        self._undo.append((function, arguments))

    def end(self):
        self.is_stopping = True
        for process in list(self._running.values()):
            if process.poll() is None:
                process.kill()
            process.wait()
        for function, arguments in reversed(self._undo):
            try:
                function(*arguments)
            except Exception:
                traceback.print_exc()
        if self.violations:
            print(f"left for inspection: {self.scratch}", flush=True)
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)

    # Helpers in C, and pictures.

    def compile(self, source, *options):
        """Compiles a file of this folder into the scratch folder; with -shared -fPIC a library to preload."""
        compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
        if compiler is None:
            raise SystemExit(f"no C compiler (cc, gcc or clang) for {source}")
        suffix = ".so" if "-shared" in options else ""
        built = os.path.join(self.scratch, os.path.splitext(source)[0] + suffix)
        command = [compiler, "-O2", "-o", built, os.path.join(HERE, source), *options]
        subprocess.run(command, check=True)
        return built

    def pictures(self, jpegs=12, pngs=4, width=64, height=48):
        """Makes small pictures, all different. Returns their folder and their names."""
        maker = bench.generator(self.scratch)
        folder = os.path.join(self.scratch, "photos")
        os.makedirs(folder)
        names = [f"p{n:02}.jpg" for n in range(jpegs)] + [f"q{n:02}.png" for n in range(pngs)]
        for number, name in enumerate(names):
            form = "jpeg" if name.endswith("jpg") else ("rgb", "rgba", "grey", "palette")[number % 4]
            size = str(width + number), str(height + number)
            command = [maker, "make", form, *size, str(number), os.path.join(folder, name)]
            subprocess.run(command, check=True)
        return folder, names

    def root(self, name, settings="", bin=None):
        """A new state folder with its settings, not yet started."""
        return Root(self, os.path.join(self.scratch, name), settings, bin)


class Origin:
    """Tests/Support/origin.py with the pictures of a folder, and the log of its requests."""

    def __init__(self, campaign, folder, log, address="127.0.0.1"):
        self.campaign, self.log, self.said = campaign, log, 0
        script = os.path.join(REPOSITORY, "Tests", "Support", "origin.py")
        self.process = campaign.start(
            [sys.executable, script, "--bind", address, "--folder", folder, "--log", log],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = f"http://{address}:" + self.process.stdout.readline().split()[1]
        self._lock = threading.Lock()

    def mark(self):
        """The length of the log: what was asked for before."""
        return os.path.getsize(self.log)

    def requests(self, mark=0):
        """(offset in the log, path, status, bytes of the body, further words) of each request after a mark."""
        found = []
        with open(self.log, "rb") as file:
            file.seek(mark)
            for line in file:
                words = line.decode("latin1").split()
                if line.endswith(b"\n"):
                    found.append((mark, words[1], int(words[2]), int(words[3]), words[4:]))
                mark += len(line)
        return found

    def release(self, gate):
        """Opens the gate for all requests that wait there, now and later."""
        with self._lock:
            self.said += 1
            self.process.stdin.write(f"{self.said} release {gate}\n")
            self.process.stdin.flush()
            self.process.stdout.readline()

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.campaign.ended(self.process)


class Daemon:
    """A running darkroomd. Its messages are in the log of its root."""

    def __init__(self, root, options, environment, prefix, log):
        self.root = root
        self.log = log
        self.offset = os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as file:
            self.process = root.campaign.start(
                [*prefix, os.path.join(root.bin, "darkroomd"), "--root", root.path, *options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file,
                env=dict(os.environ, **(environment or {})))
        self.pid = self.process.pid

    def lives(self):
        return self.process.poll() is None

    def said(self):
        """Its messages, without those of earlier daemons."""
        with open(self.log, "rb") as file:
            file.seek(self.offset)
            return file.read().decode("utf-8", "replace")

    def wait_ready(self, seconds=PATIENCE):
        """Waits until it answers. Returns False if it ended first."""
        wait_until(lambda: " is ready" in self.said() or not self.lives(), seconds, 0.003)
        return self.lives() and " is ready" in self.said()

    def workers(self):
        """The process numbers of its workers."""
        return children(self.pid)

    def kill(self):
        """kill -9, until it is gone."""
        self.process.kill()
        self.process.wait()
        self.root.campaign.ended(self.process)

    def stop(self, seconds=PATIENCE):
        """SIGTERM. Returns the exit status, or None if it had to be killed."""
        if self.lives():
            self.process.send_signal(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds):
        """Waits for the end. Returns the exit status, or None if it had to be killed."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        self.root.campaign.ended(self.process)
        return status

    def usage(self):
        """Resident KiB (RssAnon is the part that is not a file), threads and descriptors."""
        found = {}
        with open(f"/proc/{self.pid}/status") as file:
            for line in file:
                if line.startswith(("VmRSS:", "RssAnon:", "VmHWM:", "Threads:")):
                    found[line.split(":")[0]] = int(line.split()[1])
        found["fds"] = len(os.listdir(f"/proc/{self.pid}/fd"))
        return found


class Root:
    """A folder with all that belongs to one daemon: inbox, prints, done, failed, state, settings."""

    def __init__(self, campaign, path, settings="", bin=None):
        self.campaign, self.path = campaign, path
        self.bin = bin or campaign.folder
        self.name = os.path.basename(path)
        os.makedirs(self.at("inbox"), exist_ok=True)
        if settings is not None:
            self.configure(settings)

    def at(self, *parts):
        return os.path.join(self.path, *parts)

    def configure(self, settings):
        write(self.at("darkroomd.conf"), settings.encode())

    def start(self, *options, environment=None, prefix=(), log="log"):
        return Daemon(self, options, environment, prefix, self.at(log))

    def until_idle(self, seconds=PATIENCE, **settings):
        """Runs a daemon until every list is done. Returns its exit status, None if it took longer."""
        return self.start("--until-idle", **settings).wait(seconds)

    def tool(self, *words, seconds=PATIENCE):
        """Runs darkroomctl; returns status, output and errors."""
        command = [os.path.join(self.bin, "darkroomctl"), "--root", self.path, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds)

    def drop(self, name, data, how="rename", owner=None):
        """Puts NAME.plist into the inbox: by `rename` it appears complete, and may have another owner; by `copy` it
        grows."""
        place = self.at("inbox", name + ".plist")
        if how == "rename":
            beside = self.at(f".drop-{name}")
            write(beside, data)
            if owner is not None and owner != os.geteuid():
                os.chown(beside, owner, -1)
            os.rename(beside, place)
        else:
            write(place, data)

    def owner_of_drop(self, name):
        """The user who owns NAME.plist in the inbox; None if it is not there."""
        try:
            return os.stat(self.at("inbox", name + ".plist")).st_uid
        except FileNotFoundError:
            return None

    def waiting(self):
        """The lists in the inbox."""
        return [name for name in os.listdir(self.at("inbox")) if not name.startswith(".")]

    def records(self):
        """The records of the journal file as darkroomctl reads them, by sequence number; and the lines that
        are no records."""
        answer = self.tool("--json", "journal", "dump", self.at("state"))
        found, others = {}, []
        for line in answer.stdout.splitlines():
            record = json.loads(line)
            if record.get("fate") == "counted" and "sequence" in record:
                found[record["sequence"]] = {
                    key: value for key, value in record.items() if key not in ("file", "offset", "fate")}
            else:
                others.append(record)
        if answer.returncode not in (0, 1):
            others.append({"status": answer.returncode, "errors": answer.stderr})
        return found, others

    def verify(self):
        """Returns the status of `journal verify` (0 if the file is whole) and its text."""
        answer = self.tool("journal", "verify", self.at("state"))
        return answer.returncode, (answer.stdout + answer.stderr).strip()

    def lists(self):
        """What `darkroomctl list` says; empty if no daemon answers."""
        answer = self.tool("--json", "list")
        return json.loads(answer.stdout).get("lists", []) if answer.returncode == 0 else []

    def results(self, is_restored=False):
        """The results in done, by list number. A list has one, unless an old state was restored."""
        found = {}
        for name in sorted(list_folder(self.at("done"))):
            if name.endswith(".result.plist"):
                with open(self.at("done", name), "rb") as file:
                    result = plistlib.load(file)
                if result["ID"] in found and not is_restored:
                    self.campaign.violation("two results of a list", self.name, name)
                found[result["ID"]] = result
        return found

    def prints(self, name):
        """The prints of a list: name → contents."""
        folder = self.at("prints", name)
        return {file: read(os.path.join(folder, file)) for file in list_folder(folder) if is_print(file)}

    def print_digests(self):
        """All prints: path → SHA-256."""
        found = {}
        for folder, folders, files in os.walk(self.at("prints")):
            folders[:] = filter(is_print, folders)
            for file in filter(is_print, files):
                path = os.path.join(folder, file)
                found[os.path.relpath(path, self.at("prints"))] = digest(read(path))
        return found

    def leftovers(self):
        """Files that a daemon without work should not have."""
        found = []
        for part in ("incoming", "originals", "cache", "inbox", "quarantine"):
            for folder, _, files in os.walk(self.at("state", part)):
                found += [os.path.relpath(os.path.join(folder, file), self.path) for file in files]
        for folder, _, files in os.walk(self.at("prints")):
            found += [os.path.relpath(os.path.join(folder, file), self.path) for file in files
                      if file not in (".daemon", ".list")
                      and (file.startswith(".") or file.endswith((".new", ".tmp")))]
        found += ["inbox/" + name for name in list_folder(self.at("inbox")) if name != ".claim"]
        found += ["inbox/.claim/" + name for name in list_folder(self.at("inbox", ".claim"))
                  if name != ".lock"]
        found += ["state/journal/" + name for name in list_folder(self.at("state", "journal"))
                  if not (name[:16].isdigit() and name[16:] in (".log", ".snap", ".end"))]
        return found

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


# Lists.


def photo_list(photos, title=None, format=plistlib.FMT_XML, **options):
    """A photo list with a Photos array: photos are (name, URL) or (name, URL, {further keys})."""
    rows = []
    for name, url, *more in photos:
        rows.append({"Name": name, "URL": url, **(more[0] if more else {})})
    contents = {"Photos": rows, **options}
    if title is not None:
        contents["Title"] = title
    return plistlib.dumps(contents, fmt=format, sort_keys=False)


def reference_prints(campaign, folder, names, filters=(None,)):
    """What a daemon that nothing disturbs makes of each picture: (name, filter) → contents."""
    found = {}
    for number, filter in enumerate(filters):
        root = campaign.root(f"reference-{number}", f"[Download]\nFileFolders={folder}\n")
        options = {} if filter is None else {"Filter": filter}
        photos = [(os.path.splitext(name)[0], f"file://{folder}/{name}") for name in names]
        root.drop("reference", photo_list(photos, **options))
        status = root.until_idle()
        made = root.prints("reference")
        if status != 0 or set(made) != set(names):
            raise SystemExit(f"no reference prints: status {status}, {len(made)} of {len(names)}\n"
                             + read(root.at("log")).decode())
        for name in names:
            found[(name, filter)] = made[name]
        root.remove()
    return found


# Small things.


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def is_print(name):
    """Not the marks and their drafts, nor the contact sheet, which is not synced, and can be made again."""
    return name not in (".daemon", "..daemon", ".list", "..list", ".sheet") and not name.endswith(".html")


def list_folder(path):
    try:
        return os.listdir(path)
    except FileNotFoundError:
        return []


def digest(data):
    return hashlib.sha256(data).hexdigest()


def wait_until(holds, seconds, step=0.01):
    """Returns the first true value, or the last false one after that time."""
    end = time.monotonic() + seconds
    while True:
        value = holds()
        if value or time.monotonic() > end:
            return value
        time.sleep(step)


def children(number):
    """The children of a process, of all its threads."""
    found = []
    try:
        for task in os.listdir(f"/proc/{number}/task"):
            with open(f"/proc/{number}/task/{task}/children") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def program(number):
    """The name of the program of a process; None if it is gone."""
    try:
        return read(f"/proc/{number}/comm").decode().strip()
    except OSError:
        return None


def is_running(number):
    """Whether a process is there and not just waiting to be collected."""
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def slope(points):
    """The slope of the straight line through (x, y), by least squares."""
    count = len(points)
    if count < 2:
        return 0.0
    middle_x = sum(x for x, _ in points) / count
    middle_y = sum(y for _, y in points) / count
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


def disk_use(path):
    """The bytes that a folder takes on the disk."""
    total = 0
    for folder, _, files in os.walk(path):
        for file in files:
            try:
                total += os.lstat(os.path.join(folder, file)).st_blocks * 512
            except OSError:
                pass
    return total


# One run.


def parse(name, description, counts):
    parser = argparse.ArgumentParser(
        prog=f"{name}.py", description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", metavar="BIN", help="the folder of the release programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true",
                        help=f"the form of `make test-release`: no further round after {SHORT_SECONDS} s")
    parser.add_argument("--seconds", type=float, default=0, help="start no further round after this time")
    for count in counts:
        parser.add_argument("--" + count.replace("_", "-"), type=type(counts[count][0]))
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.bin, "darkroomd")):
        parser.error(f"{options.bin} has no darkroomd")
    for count, (short, long) in counts.items():
        if getattr(options, count) is None:
            setattr(options, count, short if options.short else long)
    if options.short and not options.seconds:
        options.seconds = SHORT_SECONDS
    return options


def memory_folder():
    """A folder in memory with a few GiB, for campaigns that are not about the disk; None if TMPDIR is set."""
    try:
        room = os.statvfs("/dev/shm")
    except OSError:
        return None
    has_room = room.f_bavail * room.f_frsize > 2 << 30 and os.access("/dev/shm", os.W_OK)
    return "/dev/shm" if has_room and not os.environ.get("TMPDIR") else None


def run(name, main, description, home=None, **counts):
    """Runs a campaign and ends the program. A count is NAME=(short form, long form), and --NAME sets it. The
    first one is the limit of `Campaign.goes_on`, the others are in `Campaign.options`. The scratch folder is
    in `home`, by default where temporary files are."""
    options = parse(name, description, counts)
    # The end by a signal passes through `finally`, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    campaign = Campaign(name, options, next(iter(counts), None), home)
    # kill -USR1: no further round, and the figures so far.
    signal.signal(signal.SIGUSR1, lambda *_: campaign.end_early())
    status = 1
    try:
        main(campaign)
        status = 1 if campaign.violations else 0
    except Violation as violation:
        campaign.violation(*violation.args)
    except KeyboardInterrupt:
        status = 130
        print(f"{name}: interrupted", flush=True)
    finally:
        campaign.end()
    if campaign.said:
        print(f"{name}: seed {campaign.seed}: {campaign.said}", flush=True)
    sys.exit(status)
