# SPDX-License-Identifier: Apache-2.0
"""Disks for power cuts: loop devices, mounts that only this process and its children see, the log that
logdisk.c writes, and the states that a power cut may leave. Writes that a flush followed are on the
disk; of the writes after the last flush, any may be."""
import array
import bisect
import ctypes
import errno
import fcntl
import mmap
import os
import random
import shutil
import stat
import struct
import subprocess
import time

PAGE = 4096
SECTOR = 512
WRITE, FLUSH, MARK = 1, 2, 3
# Megabytes, the program that makes the file system, options of the mount.
SYSTEMS = {
    "ext4": (112, ["mkfs.ext4", "-q", "-b", "4096", "-J", "size=4"], ""),
    "xfs": (320, ["mkfs.xfs", "-q"], "nouuid"),
    "btrfs": (256, ["mkfs.btrfs", "-q"], ""),
}
# The file system found its own damage.
DAMAGE = (errno.EUCLEAN, errno.EBADMSG)

LOOP_CTL_GET_FREE, LOOP_CONFIGURE, LOOP_CLR_FD = 0x4C82, 0x4C0A, 0x4C01
DIRECT = 16
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18
MNT_DETACH = 2
PUNCH_HOLE = 3  # FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE

libc = ctypes.CDLL(None, use_errno=True)
libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]


def call(function, *arguments):
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function.__name__}: {os.strerror(number)}")


def missing(system):
    """Why this machine cannot cut the power of such a file system; empty if it can."""
    if os.geteuid() != 0:
        return "only root may mount"
    for device in ("/dev/fuse", "/dev/loop-control"):
        try:
            os.close(os.open(device, os.O_RDWR | os.O_CLOEXEC))
        except OSError as error:
            return f"{device}: {error.strerror}"
    program = SYSTEMS[system][1][0]
    if shutil.which(program) is None:
        return f"there is no {program}"
    with open("/proc/filesystems") as file:
        if system not in file.read().split():
            return f"the kernel has no {system}"
    return ""


def leave_mounts():
    """From now on, mounts are seen only by this process and its children, and end with them."""
    call(libc.unshare, CLONE_NEWNS)
    call(libc.mount, b"none", b"/", None, MS_REC | MS_PRIVATE, None)


def mount(source, folder, system, options=""):
    call(libc.mount, source.encode(), folder.encode(), system.encode(), 0, options.encode())


def unmount(folder, seconds=20):
    """Waits while a program that just ended still holds a file. Returns False if it stayed in use."""
    end = time.monotonic() + seconds
    while libc.umount2(folder.encode(), 0) != 0:
        if ctypes.get_errno() != errno.EBUSY:
            return True
        if time.monotonic() > end:
            libc.umount2(folder.encode(), MNT_DETACH)
            return False
        time.sleep(0.002)
    return True


def sync(folder):
    """The folder itself and, on the file systems used here, all of their metadata."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(file)
    call(libc.syncfs, file)
    os.close(file)


class Loop:
    """A loop device over a file."""

    def __init__(self, path, flags=0):
        backing = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        control = os.open("/dev/loop-control", os.O_RDWR | os.O_CLOEXEC)
        try:
            while not self._take(control, backing, flags):
                pass
        finally:
            os.close(control)
            os.close(backing)

    def _take(self, control, backing, flags):
        """Returns False if another program was faster."""
        number = fcntl.ioctl(control, LOOP_CTL_GET_FREE)
        self.path = f"/dev/loop{number}"
        if not os.path.exists(self.path):
            os.mknod(self.path, 0o600 | stat.S_IFBLK, os.makedev(7, number))
        device = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        info = struct.pack("<40x4I176x", 0, 0, 0, flags)
        try:
            fcntl.ioctl(device, LOOP_CONFIGURE, struct.pack("<2I232s64x", backing, 0, info))
            return True
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            return False
        finally:
            os.close(device)

    def release(self):
        device = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.ioctl(device, LOOP_CLR_FD)
        except OSError:
            pass
        os.close(device)


def make_system(path, system):
    """A new file system in a file with holes."""
    size, command, _ = SYSTEMS[system]
    with open(path, "wb") as file:
        file.truncate(size << 20)
    subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["fallocate", "--dig-holes", path], check=True)


def copy_image(source, target):
    subprocess.run(["cp", "--sparse=always", source, target], check=True)


def data_ranges(file, size):
    """The parts of a file that are not holes."""
    found, place = [], 0
    while True:
        try:
            start = os.lseek(file, place, os.SEEK_DATA)
        except OSError:
            return found
        place = os.lseek(file, start, os.SEEK_HOLE)
        found.append((start, min(place, size)))


def join_ranges(ranges):
    """Whole pages, in order, without overlaps."""
    found = []
    for start, end in sorted((a // PAGE * PAGE, -(-b // PAGE) * PAGE) for a, b in ranges):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found


def overlaps(one, other):
    """The common parts of two rows of ranges, both in order."""
    one, other = list(one), list(other)
    while one and other:
        start, end = max(one[0][0], other[0][0]), min(one[0][1], other[0][1])
        if start < end:
            yield start, end
        (one if one[0][1] <= other[0][1] else other).pop(0)


class Log:
    """All writes, flushes and marks of a recording, in their order."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.whole = file.read()
        self.bytes = memoryview(self.whole)
        self.types, self.offsets, self.lengths, self.starts = (array.array("Q") for _ in range(4))
        place = 0
        while place + 16 <= len(self.bytes):
            kind, length, offset = struct.unpack_from("<IIQ", self.bytes, place)
            place += 16
            for row, value in zip((self.types, self.offsets, self.lengths, self.starts),
                                  (kind, offset, length, place)):
                row.append(value)
            if kind == WRITE:
                place += length

    def __len__(self):
        return len(self.types)

    def write(self, event):
        """Offset and bytes."""
        start = self.starts[event]
        return self.offsets[event], self.bytes[start:start + self.lengths[event]]

    def writes(self, start, end):
        return [event for event in range(start, end) if self.types[event] == WRITE]

    def count(self, kind):
        return self.types.count(kind)

    def places(self, data):
        """(event, offset on the disk) of each write of these bytes from the start of a block."""
        found, place = [], self.whole.find(data)
        while place >= 0:
            event = bisect.bisect_right(self.starts, place) - 1
            offset = place - self.starts[event]
            is_inside = offset + len(data) <= self.lengths[event]
            if self.types[event] == WRITE and is_inside and offset % PAGE == 0:
                found.append((event, self.offsets[event] + offset))
            place = self.whole.find(data, place + 1)
        return found

    def cuts(self):
        """For each write behind the first mark: its event, the last flush before it, the last mark."""
        found, flushed, mark = [], 0, None
        for event, kind in enumerate(self.types):
            if kind == FLUSH:
                flushed = event
            elif kind == MARK:
                mark = self.lengths[event]
            elif mark is not None:
                found.append((event, flushed, mark))
        return found


class State:
    """What a power cut after a write may leave: the flushed writes, and a choice of the others."""

    def __init__(self, cut, kind, number=0):
        self.event, self.flushed, self.mark = cut
        self.kind, self.number = kind, number

    def __str__(self):
        return f"{self.kind} {self.event}" + (f".{self.number}" if self.number else "")

    def pending(self, log, seed):
        events = log.writes(self.flushed, self.event + 1)
        last = log.write(events[-1])
        if self.kind == "last":
            return [last]
        if self.kind == "torn":
            generator = random.Random(f"{seed}/torn/{self.event}/{self.number}")
            kept = generator.randrange(SECTOR, len(last[1]), SECTOR)
            return [log.write(event) for event in events[:-1]] + [(last[0], last[1][:kept])]
        if self.kind == "half":
            generator = random.Random(f"{seed}/half/{self.event}/{self.number}")
            return [log.write(event) for event in events if generator.random() < 0.5]
        return [log.write(event) for event in events]


def states(log, halves, torn, passes, generator):
    """All states: at each write all writes behind the flush, the last one torn, random halves, the last one
    alone. The passes spread an early end over the whole recording; in each, the events ascend."""
    cuts = log.cuts()
    order = list(range(passes))
    generator.shuffle(order)
    for start in order:
        for cut in cuts[start::passes]:
            count = len(log.writes(cut[1], cut[0] + 1))
            yield State(cut, "all")
            if log.lengths[cut[0]] > SECTOR:
                for number in range(torn):
                    yield State(cut, "torn", number)
            if count > 1:
                yield State(cut, "last")
            # With few writes there are few choices.
            for number in range(min(halves, 2 ** count - 2 if count < 8 else halves)):
                yield State(cut, "half", number)


class StateDisk:
    """A disk that shows one state after another. Two loop devices take turns: the device number of the file
    system changes from state to state, as it may from one start of a machine to the next."""

    def __init__(self, base, image, folder, log, system):
        self.log, self.system, self.folder, self.image_path = log, system, folder, image
        os.makedirs(folder)
        copy_image(base, image)
        self.file = os.open(image, os.O_RDWR | os.O_CLOEXEC)
        self.size = os.fstat(self.file).st_size
        with open(base, "rb") as file:
            self.base = memoryview(mmap.mmap(file.fileno(), self.size, prot=mmap.PROT_READ))
            ranges = data_ranges(file.fileno(), self.size)
        for event in log.writes(0, len(log)):
            ranges.append((log.offsets[event], log.offsets[event] + log.lengths[event]))
        # Outside these, base and log have only zeros.
        self.known = join_ranges(ranges)
        edges = [0, *(edge for part in self.known for edge in part), self.size]
        self.unknown = list(zip(edges[::2], edges[1::2]))
        self.pages = sum(end - start for start, end in self.known) // PAGE
        self.image = memoryview(mmap.mmap(self.file, self.size))
        self.durable = memoryview(mmap.mmap(-1, self.size))
        self.place = None
        self.loops = [Loop(image), Loop(image)]
        self.turn = 0
        self.mounted = None

    def show(self, state, seed):
        """Makes the disk hold the state."""
        if self.place is None or state.flushed < self.place:
            self._copy(self.base, self.durable)
            self.place = 0
        for event in self.log.writes(self.place, state.flushed):
            offset, data = self.log.write(event)
            self.durable[offset:offset + len(data)] = data
        self.place = state.flushed
        self._copy(self.durable, self.image)
        self._clear_others()
        for offset, data in state.pending(self.log, seed):
            self.image[offset:offset + len(data)] = data

    def _copy(self, source, target):
        for start, end in self.known:
            target[start:end] = source[start:end]

    def _clear_others(self):
        """Removes what earlier recoveries wrote elsewhere."""
        if os.fstat(self.file).st_blocks * 512 // PAGE <= self.pages:
            return
        for start, end in overlaps(data_ranges(self.file, self.size), self.unknown):
            call(libc.fallocate, self.file, PUNCH_HOLE, start, end - start)

    def mount(self, folder=None):
        """Mounts it through the other loop device."""
        self.turn = 1 - self.turn
        folder = folder or self.folder
        mount(self.loops[self.turn].path, folder, self.system, SYSTEMS[self.system][2])
        self.mounted = folder

    def unmount(self):
        folder, self.mounted = self.mounted, None
        return folder is None or unmount(folder)

    def end(self):
        self.unmount()
        for loop in self.loops:
            loop.release()
        os.close(self.file)
