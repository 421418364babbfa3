#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A proxy between nodes and PostgreSQL that cuts their conversations: the server has a part of a request, or the node
a part of the answer. Tests use it as a program, campaigns of Tests/Torture as a module.

    cutter.py SOCKET

SOCKET is the server's Unix socket. Prints `port N`, then serves on loopback until its standard input closes. Clients
use neither TLS nor GSSAPI. A line on standard input is a command, answered with one line:

    count               bytes are counted from now on, in both directions; no cut is planned
    ends                the counts at the ends of messages so far: `3 9 12/8 40`, of the request and of the answer
    cut request N       the next cut is after N bytes of the request. The server has what came before, and works on it
    cut answer N        the same, after N bytes of the answer
    late N              the next N bytes of the request are kept, and the node hears nothing more of them
    deliver             gives the kept request to the server; answered when the server is done with it
    quiet               answered when the server is done with every conversation that was cut
    random SEED         every conversation from now on is cut somewhere
    pass                no more cuts; answered with the number of cuts
"""
import random
import select
import socket
import sys
import threading

DIRECTIONS = ("request", "answer")


class Messages:
    """Where the messages of one direction end. The first one of a client has no type."""

    def __init__(self, has_type):
        self.has_type, self.rest, self.seen = has_type, bytearray(), 0

    def ends(self, data):
        """The places in the data."""
        before = len(self.rest)
        self.rest += data
        ends, place = [], 0
        while True:
            head = 5 if self.has_type else 4
            size = head - 4 + int.from_bytes(self.rest[place + head - 4:place + head], "big")
            if len(self.rest) < place + head or len(self.rest) < place + size:
                break
            place += size
            self.has_type = True
            ends.append(place - before)
        del self.rest[:place]
        return ends


class Chance:
    """Where the conversations of a run are cut: in the first bytes, or in one of the turns that follow."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def plan(self):
        number = self.random
        place = 2 ** number.uniform(0, 10) if number.random() < 0.2 else 400 + 2 ** number.uniform(4, 14)
        kind = number.choice(("request", "request", "answer", "answer", "late"))
        return kind, int(place), number.uniform(0, 1.5)


class Cutter:
    def __init__(self, path):
        self.path = path
        self.state = threading.Condition()
        self.chance = None
        self.cuts = 0
        self.working = 0  # conversations that were cut and whose server is at work
        self.deliveries = 0
        self.count()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    # Commands.

    def count(self):
        with self.state:
            self.planned = None
            self.counted = dict.fromkeys(DIRECTIONS, 0)
            self.found = {direction: [] for direction in DIRECTIONS}

    def ends(self):
        with self.state:
            return "/".join(" ".join(map(str, self.found[direction])) for direction in DIRECTIONS)

    def plan(self, kind, place):
        with self.state:
            self.planned = (kind, place, None)

    def deliver(self):
        with self.state:
            self.deliveries += 1
            self.state.notify_all()
        self.quiet()

    def quiet(self):
        with self.state:
            self.state.wait_for(lambda: self.working == 0)

    def cut_at_random(self, seed):
        self.chance = Chance(seed)

    def pass_all(self):
        with self.state:
            self.chance = self.planned = None
            return self.cuts

    # Conversations.

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.relay, args=(client,), daemon=True).start()

    def relay(self, client):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with client, socket.socket(socket.AF_UNIX) as server:
            try:
                server.connect(self.path)
                cut = self.pass_on(client, server)
            except OSError:
                return
            if cut:
                self.cut(client, server, *cut)

    def pass_on(self, client, server):
        """Returns how the conversation is cut; nothing if one side has left."""
        ends = {"request": client, "answer": server}
        messages = {"request": Messages(False), "answer": Messages(True)}
        own = dict.fromkeys(DIRECTIONS, 0)
        with self.state:
            plan = self.chance.plan() if self.chance else None
        while True:
            ready = select.select(list(ends.values()), [], [])[0]
            for direction in DIRECTIONS:
                if ends[direction] not in ready:
                    continue
                data = ends[direction].recv(65536)
                if not data:
                    return None
                cut = self.judge(direction, data, messages[direction], own, plan)
                if cut:
                    return cut
                (server if direction == "request" else client).sendall(data)

    def judge(self, direction, data, messages, own, plan):
        """Counts the data. Returns how it is cut, and what is left of it; nothing without a cut."""
        with self.state:
            before = self.counted[direction]
            self.counted[direction] += len(data)
            self.found[direction] += [before + end for end in messages.ends(data)]
            base = own[direction] if plan else before
            own[direction] += len(data)
            plan = plan or self.planned
            if plan is None:
                return None
            kind, place, delay = plan
            wanted = "answer" if kind == "answer" else "request"
            if wanted != direction or base + len(data) < place:
                return None
            self.planned = None
            self.cuts += 1
            self.working += 1
            return kind, data[:max(0, place - base)], delay, self.deliveries

    def cut(self, client, server, kind, data, delay, deliveries):
        """Returns when the server is done with the conversation. The client may ask for the delivery of what is kept as
        soon as it is closed."""
        try:
            if kind == "answer":
                client.sendall(data)
            client.close()
            if kind == "late":
                self.wait(deliveries, delay)
            if kind != "answer":
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
            while server.recv(65536):
                pass
        except OSError:
            pass
        with self.state:
            self.working -= 1
            self.state.notify_all()

    def wait(self, deliveries, delay):
        with self.state:
            self.state.wait_for(lambda: self.deliveries > deliveries, delay)


def main():
    cutter = Cutter(sys.argv[1])
    print(f"port {cutter.port}", flush=True)
    for line in sys.stdin:
        answer = "done"
        match line.split():
            case ["count"]:
                cutter.count()
            case ["ends"]:
                answer = cutter.ends()
            case ["cut", direction, place]:
                cutter.plan(direction, int(place))
            case ["late", place]:
                cutter.plan("late", int(place))
            case ["deliver"]:
                cutter.deliver()
            case ["quiet"]:
                cutter.quiet()
            case ["random", seed]:
                cutter.cut_at_random(int(seed))
            case ["pass"]:
                answer = str(cutter.pass_all())
        print(answer, flush=True)


if __name__ == "__main__":
    main()
