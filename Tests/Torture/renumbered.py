# SPDX-License-Identifier: Apache-2.0
"""The power goes while an accepted list is still in the inbox, and the next start of the machine numbers
its disks in another order. The daemon must know the file again: one acceptance, one copy in `done`."""
import collections
import fcntl
import os
import shutil
import struct

import blockdisk
import torture

FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, APPEND_ONLY = 0x80086601, 0x40086602, 0x20


def append_only(folder, is_on):
    """Files may come into the folder, but not leave it, not even by root's hand."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    flags, = struct.unpack("L", fcntl.ioctl(file, FS_IOC_GETFLAGS, struct.pack("L", 0)))
    flags = flags | APPEND_ONLY if is_on else flags & ~APPEND_ONLY
    fcntl.ioctl(file, FS_IOC_SETFLAGS, struct.pack("L", flags))
    os.close(file)


def check(campaign, disks, system, settings, data, wait=120):
    """One list: it is accepted and finished, but cannot leave the inbox; kill -9; another device number."""
    folder = os.path.join(disks, "renumbered-" + system)
    place = os.path.join(folder, "mounted")
    os.makedirs(place)
    blockdisk.make_system(os.path.join(folder, "image"), system)
    loops = [blockdisk.Loop(os.path.join(folder, "image")) for _ in range(2)]
    numbers, others = [], []
    try:
        for loop in loops:
            _mount(loop, place, system, numbers, others)
            root = torture.Root(campaign, os.path.join(place, "root"), settings)
            try:
                _first(root, data, wait) if loop is loops[0] else _second(root, system, data, numbers)
            finally:
                append_only(root.at("inbox"), False)
                blockdisk.unmount(place)
    finally:
        for other in others:
            blockdisk.unmount(other)
        for loop in loops:
            loop.release()
        shutil.rmtree(folder, ignore_errors=True)


def _mount(loop, place, system, numbers, others):
    """btrfs has the lowest device number that is free, not that of its disk: other file systems take it."""
    while True:
        blockdisk.mount(loop.path, place, system, blockdisk.SYSTEMS[system][2])
        number = os.stat(place).st_dev
        if number not in numbers or len(others) == 16:
            return numbers.append(number)
        blockdisk.unmount(place)
        others.append(f"{os.path.dirname(place)}/other{len(others)}")
        os.mkdir(others[-1])
        blockdisk.mount("other", others[-1], "tmpfs")


def _first(root, data, wait):
    os.makedirs(root.at("inbox", ".claim"), 0o700)
    torture.write(root.at("inbox", ".claim", ".lock"), b"")
    os.chmod(root.at("inbox", ".claim", ".lock"), 0o600)
    root.drop("kept", data)
    append_only(root.at("inbox"), True)
    daemon = root.start()
    is_finished = torture.wait_until(lambda: "Finished list 'kept'" in daemon.said(), wait)
    daemon.kill()
    if not is_finished or root.waiting() != ["kept.plist"]:
        raise SystemExit(f"the list was not finished, or left the inbox: {daemon.said()}")


def _second(root, system, data, numbers):
    campaign = root.campaign
    campaign.check(numbers[0] != numbers[1], "the device number is the same", system, numbers)
    status = root.until_idle()
    records, _ = root.records()
    accepted = collections.Counter(
        record["sha256"] for record in records.values() if record["kind"] == "accepted")
    copies = [name for name in torture.list_folder(root.at("done"))
              if torture.read(root.at("done", name)) == data]
    facts = (system, numbers, status, dict(accepted), copies, root.waiting())
    campaign.check(status == 0, "the daemon failed on another device number", *facts)
    campaign.check(accepted == {torture.digest(data): 1}, "accepted twice on another device number", *facts)
    campaign.check(len(copies) == 1, "given back twice on another device number", *facts)
    campaign.check(root.waiting() == [], "still in the inbox on another device number", *facts)
    campaign.count(f"{system}: accepted, not yet out of the inbox, other device number")
