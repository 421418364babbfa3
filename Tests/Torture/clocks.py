#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong clocks: starts ten years off, in 1970, 2038 and 2106, and jumps while attempts wait and over
restarts.

    Tests/Torture/clocks.py BIN [--seed N] [--short | --seconds S] [--cases N]

Only the clock of the day is moved (shift.c), as an administrator or a network time service does it. A case is
one list, whose photos get one or two 503 first. Violations: the list does not end in time, a photo does not
become its print, an attempt comes before the delay that its record promised or long after it, the journal
file is damaged."""
import http.server
import itertools
import os
import threading
import time
import urllib.parse

import torture

YEAR = 365 * 86400
JUMPS = {"-10 years": -10 * YEAR, "+10 years": 10 * YEAR, "-1 hour": -3600, "+1 hour": 3600, "-1 day": -86400,
         "+1 day": 86400, "-3 s": -3, "+3 s": 3}
YEARS = {"1970": 10, "2038": 2 ** 31 - 3, "2106": 2 ** 32 - 3}  # seconds since 1970
PHOTOS = 6
LIMIT = 90  # seconds for one list
SETTINGS = "[Download]\n" + torture.LOOPBACK


def shift(name):
    """Seconds to move the clock for a name in JUMPS or YEARS."""
    return JUMPS[name] if name in JUMPS else YEARS[name] - int(time.time())


class Origin:
    """Answers 503 to the first ?busy=N requests of a path, then the picture; notes when each request came."""

    def __init__(self, folder):
        self.folder, self.times, self.lock = folder, {}, threading.Lock()
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words):
                pass

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                busy = int(urllib.parse.parse_qs(url.query)["busy"][0])
                with origin.lock:
                    times = origin.times.setdefault(self.path, [])
                    times.append(time.monotonic())
                    is_busy = len(times) <= busy
                body = b"" if is_busy else torture.read(origin.folder + url.path)
                try:
                    self.send_response(503 if is_busy else 200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = "http://127.0.0.1:%d" % self.server.server_address[1]


class Case:
    def __init__(self, campaign, shared, number, kind, jump):
        self.campaign, self.number, self.kind, self.jump = campaign, number, kind, jump
        self.folder, self.names, self.prints, library = shared
        self.random = campaign.random("case", number)
        self.origin = Origin(self.folder)
        self.root = campaign.root(f"case-{number}", SETTINGS)
        self.clock = self.root.at("clock")
        self.move(shift(jump) if kind == "start" else 0)
        self.environment = {"LD_PRELOAD": library, "CLOCK_FILE": self.clock}
        self.paths = []

    def move(self, seconds):
        torture.write(self.clock + ".new", str(seconds).encode())
        os.rename(self.clock + ".new", self.clock)

    def play(self):
        photos = []
        for place in range(PHOTOS):
            name = self.names[place % len(self.names)]
            self.paths.append(f"/{name}?busy={place % 3}&n={place}")
            photos.append((f"photo {place}", self.origin.address + self.paths[-1]))
        self.root.drop("clock", torture.photo_list(photos))
        began = time.monotonic()
        try:
            self.run()
        finally:
            self.origin.server.shutdown()
            self.origin.server.server_close()
        self.campaign.count("seconds", time.monotonic() - began)
        self.judge()

    def run(self):
        restarts = 1 if self.kind == "restart" else 0
        for _ in range(restarts):
            daemon = self.start()
            time.sleep(self.random.uniform(0.3, 1.5))
            daemon.kill()
            self.move(shift(self.jump))
        daemon = self.start("--until-idle")
        if self.kind == "jump":
            for _ in range(self.random.randint(1, 3)):
                time.sleep(self.random.uniform(0.2, 1.5))
                self.move(shift(self.jump))
                time.sleep(self.random.uniform(0.2, 1.0))
                self.move(0 if self.random.random() < 0.5 else shift(self.jump))
        status = daemon.wait(LIMIT)
        self.check(status == 0, "the list did not end well", status, daemon.said()[-800:])

    def start(self, *options):
        return self.root.start(*options, environment=self.environment)

    def judge(self):
        status, text = self.root.verify()
        self.check(status == 0, "journal verify", text)
        results = list(self.root.results().values())
        if not self.check(len(results) == 1, "no result"):
            return
        made = self.root.prints("clock")
        for place, row in enumerate(results[0]["Photos"]):
            name = self.names[place % len(self.names)]
            if self.check(row["State"] == "filtered", "a photo failed", row):
                self.check(made[row["Print"]] == self.prints[(name, None)], "a print differs", row)
        self.judge_times()
        self.judge_delays()

    def judge_times(self):
        """The records of a moved clock have its time: the campaign does move it."""
        if self.kind == "start":
            first = min(self.root.records()[0].items())[1]
            away = first["time"] / 1000 - time.time() - shift(self.jump)
            self.check(abs(away) < LIMIT, "the clock was not moved", away, first)

    def judge_delays(self):
        """Compares the time between two attempts with the delay in the record of the first."""
        if self.kind == "restart":
            return  # what was recorded before the restart may count from the restart on
        records = self.root.records()[0].values()
        for record in records:
            if record["kind"] != "retry" or record["stage"] != "download":
                continue
            times = self.origin.times[self.paths[record["photo"] - 1]]
            before = sum(1 for other in records if other["kind"] == "retry"
                         and other["photo"] == record["photo"] and other["sequence"] < record["sequence"])
            if len(times) > before + 1:
                waited, promised = times[before + 1] - times[before], record["after"] / 1000
                self.check(waited >= promised - 0.05, "too early", waited, record)
                self.check(waited <= promised + 45, "too late", waited, record)
                self.campaign.count("delays compared")

    def check(self, holds, what, *facts):
        return self.campaign.check(holds, what, f"{self.kind} {self.jump}, {self.root.path}:", *facts)


def cases(campaign):
    """Each kind with each jump, then again with other moments."""
    names = list(YEARS) + list(JUMPS)
    number = 0
    for number in itertools.count():
        if not campaign.goes_on(number):
            return
        kind = ("start", "jump", "restart")[number % 3]
        yield number, kind, names[number // 3 % len(names)]


def main(campaign):
    folder, names = campaign.pictures(jpegs=2, pngs=1)
    prints = torture.reference_prints(campaign, folder, names)
    shared = folder, names, prints, campaign.compile("shift.c", "-shared", "-fPIC")

    def play(case):
        before = len(campaign.violations)
        one = Case(campaign, shared, *case)
        one.play()
        campaign.count(case[1])
        if len(campaign.violations) == before:
            one.root.remove()

    campaign.side_by_side(play, cases(campaign), lanes=6)
    counts = campaign.counts
    campaign.summary(
        f"{counts['start']} starts with a wrong clock, {counts['jump']} jumps, {counts['restart']} jumps over "
        f"a restart, {counts['delays compared']} delays compared, {len(campaign.violations)} violations, "
        f"{campaign.elapsed():.0f} s")


if __name__ == "__main__":
    torture.run("clocks", main, __doc__, cases=(33, 600))
