#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of a list of a million photos: the memory of darkroom-web with and without clients, its wake-ups without
them, and the memory of the daemon while sixteen pages read all states at once. Only root can run it: a user has few
connections, so each page is of another user."""
import itertools
import os
import re
import socket
import subprocess
import threading
import time

from bench import *

PHOTOS, SECONDS, PAGES = 1_000_000, 20, 16


class Page:
    """A client that keeps its connections open, as a browser does."""
    users = itertools.count(60_000)

    def __init__(self, daemon, base):
        self.host = base.removeprefix("http://")
        command = [os.path.join(daemon.folder, "darkroomctl"), "--root", daemon.root, "open", "--address", base]
        address = subprocess.check_output(command + ["Everything"], user=next(self.users), text=True).split()[0]
        door = self.get(self.connect(), address.removeprefix(base))
        self.view = re.search(rb"url=(/v/\w+)/", door).group(1).decode()
        self.line = self.connect()

    def connect(self):
        host, port = self.host.split(":")
        return socket.create_connection((host, int(port)), timeout=60)

    def send(self, line, target):
        line.sendall(f"GET {target} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())

    def get(self, line, target):
        self.send(line, target)
        data = b""
        while b"\r\n\r\n" not in data:
            data += line.recv(65536)
        head, body = data.split(b"\r\n\r\n", 1)
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length:"))
        while len(body) < length:
            body += line.recv(65536)
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{target}: {head.decode()}")
        return head + b"\r\n\r\n" + body

    def states(self):
        count = 0
        while count < PHOTOS:
            answer = self.get(self.line, f"{self.view}/lists/1/states?offset={count}")
            count += len(answer.split(b"\r\n\r\n", 1)[1])

    def look(self):
        """Everything that the page asks for at its start, and its events."""
        lists = f"{self.view}/lists/1"
        for target in (f"{lists}/", "/style.css", "/script.js", f"{lists}/photos?offset=0&count=50",
                       f"{lists}/colours?groups=636"):
            self.get(self.line, target)
        self.states()
        self.events = self.connect()
        self.send(self.events, f"{self.view}/lists/1/events?since=0")
        self.events.recv(100)

    def leave(self):
        self.line.close()
        self.events.close()


def web_row(what, web):
    resident, proportional = memory(web.pid)
    return [what, f"{resident / MIB:.1f}", f"{proportional / MIB:.1f}", f"{peak(web.pid) / MIB:.1f}"]


def wakes(process):
    before = switches(process)
    time.sleep(SECONDS)
    after = switches(process)
    return sum(after[name] - before.get(name, 0) for name in after)


def start_web(folder, daemon):
    web = subprocess.Popen([os.path.join(folder, "darkroom-web"), "--root", daemon.root, "--idle", "600"],
                           stdout=subprocess.PIPE, text=True)
    atexit.register(web.kill)
    return web, web.stdout.readline().strip()


def main():
    folder, temp = programs(), scratch()
    command("page")
    # Its photos wait: the list is paused when it is accepted.
    daemon = Daemon(folder, os.path.join(temp, "root"), "[Download]\nAllowNetworks=127.0.0.0/8\n")
    path = os.path.join(temp, "Everything.txt")
    with open(path, "w") as file:
        file.writelines(f"http://127.0.0.1:9/{number}.jpg\n" for number in range(PHOTOS))
    daemon.drop(path)
    wait_until(lambda: daemon.tool("pause", "Everything").returncode == 0, 300, "the list", daemon.lives)
    # The control socket is a group's.
    os.chmod(temp, 0o711)
    os.chmod(os.path.join(daemon.root, "control"), 0o666)
    time.sleep(5)
    web, base = start_web(folder, daemon)
    rows = [web_row("started", web)]
    pages = [Page(daemon, base)]
    pages[0].look()
    rows.append(web_row("one page", web))
    for _ in range(9):
        pages.append(Page(daemon, base))
        pages[-1].look()
    rows.append(web_row("ten pages", web))
    for page in pages:
        page.leave()
    wait_until(lambda: len(os.listdir(f"/proc/{web.pid}/task")) <= 2, 60, "the end of the streams")
    rows.append(web_row("after them", web))
    table(f"darkroom-web with pages of a list of {PHOTOS:,} photos: memory in MiB", ["", "RSS", "PSS", "peak RSS"], rows)
    print(f"  wake-ups in {SECONDS} s without clients: {wakes(web.pid)}")

    before = memory(daemon.pid)[0]
    with open(f"/proc/{daemon.pid}/clear_refs", "w") as file:
        file.write("5")  # the peak begins again
    pages = [Page(daemon, base) for _ in range(PAGES)]
    threads = [threading.Thread(target=page.states) for page in pages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    high, after = peak(daemon.pid), memory(daemon.pid)[0]
    table(f"darkroomd while {PAGES} pages read all states at once: memory in MiB",
          ["before", "peak", "after"], [[f"{n / MIB:.1f}" for n in (before, high, after)]])
    web.kill()
    daemon.stop()


main()
