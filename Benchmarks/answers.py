#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long darkroomctl takes to steer a small list: alone, and while a list of 2.5 million photos is read.
The yardstick is the same command on the same daemon without the long list."""
import os
import socket
import subprocess
import time

from bench import *

COUNT = int(os.environ.get("COUNT", 2_500_000))
SETTINGS = """[Inbox]
MaximumListSize=1G
[Download]
AllowNetworks=127.0.0.0/8
"""


def long_list(path):
    with open(path, "w") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n')
        for first in range(0, COUNT, 10_000):
            file.write("".join(
                f"<key>p{n}</key><string>http://127.0.0.1:9/{n}</string>\n"
                for n in range(first, min(first + 10_000, COUNT))))
        file.write("</dict>\n</plist>\n")


def steer(daemon, name):
    """Milliseconds that each command takes on a list at work."""
    times = {}
    for words in (["status"], ["inbox"], ["show", name], ["pause", name], ["resume", name],
                  ["cancel", name], ["wait", name]):
        start = time.monotonic()
        try:
            daemon.tool(*words)
            times[words[0]] = (time.monotonic() - start) * 1e3
        except subprocess.TimeoutExpired:
            times[words[0]] = float("inf")
    return times


def main():
    folder, temp = programs(), scratch()
    command("answers")
    # An origin that accepts connections and never answers: its photos stay at work.
    silent = socket.create_server(("127.0.0.1", 0), backlog=64)
    url = f"http://127.0.0.1:{silent.getsockname()[1]}/photo"
    daemon = Daemon(folder, os.path.join(temp, "root"), SETTINGS)

    def drop_small(name):
        daemon.drop(photo_list(os.path.join(temp, name + ".plist"), {"photo": url}))
        wait_until(lambda: accepted(name), 20, "the list at work", daemon.lives)

    def accepted(name):
        with open(os.path.join(daemon.root, "log"), "rb") as file:
            return f"Accepted list '{name}'".encode() in file.read()

    drop_small("alone")
    alone = steer(daemon, "alone")
    drop_small("beside")
    path = os.path.join(daemon.root, "long.plist")
    long_list(path)
    os.rename(path, os.path.join(daemon.root, "inbox", "long.plist"))
    start = time.monotonic()
    time.sleep(1.5)
    assert not accepted("long"), "the list is too short for this machine"
    beside = steer(daemon, "beside")
    is_reading = not accepted("long")
    wait_until(lambda: accepted("long"), 300, "the long list", daemon.lives)
    took = time.monotonic() - start
    table(f"a list of {COUNT} photos is accepted after {took:.0f} s; "
          + ("it was being read the whole time" if is_reading else "it was accepted MEANWHILE"),
          ["darkroomctl", "alone ms", "while it is read ms"],
          [[name, f"{alone[name]:.0f}", f"{beside[name]:.0f}"] for name in alone])
    daemon.tool("cancel", "long")
    daemon.stop()


main()
