#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile photo lists and pictures (hostile.py), each read by its own `darkroomctl check` or `develop`.

    Tests/Torture/inputs.py BIN [--seed N] [--short | --seconds S] [--lists N] [--pictures N]
    PEER=1 Tests/Torture/inputs.py BIN     the lists are read by Foundation's reader, too, to compare

Promised for each: no crash of the tool or of its worker, the end with 0 or 1, one sentence that says why it
was refused and that a terminal can show, at most MEMORY and PROCESSOR. The figures include the start of both
programs. What violates a promise stays in the scratch folder."""
import collections
import json
import os
import shutil
import signal
import subprocess

import hostile
import torture
from torture import bench

MEMORY = {"list": 64, "picture": 128}  # MiB
PROCESSOR = {"list": 2.0, "picture": 8.0}  # seconds
LIMIT = 240  # seconds on the clock
# The peer has no limits; these spare the machine.
PEER_MEMORY, PEER_SECONDS = 2 << 30, 5

End = collections.namedtuple("End", "status output megabytes seconds")


class Runner:
    """Runs programs to their end, with their figures."""

    def __init__(self, campaign):
        self.campaign = campaign
        self.meter = bench.build(campaign.scratch, "cost")

    def run(self, command, name):
        """Memory is that of the largest process, processor time that of all."""
        place = os.path.join(self.campaign.scratch, name + ".out")
        script = ["sh", "-c", 'out=$1; shift; exec "$@" > "$out" 2>/dev/null', "sh", place]
        process = self.campaign.start([self.meter, str(LIMIT), *script, *command], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE)
        figures = process.communicate()[0]
        self.campaign.ended(process)
        cost = bench.Cost(figures)
        output = torture.read(place)
        os.unlink(place)
        return End(cost.status, output, cost.peak / (1 << 20), cost.cpu)


class Inputs:
    """One kind of input: list or picture."""

    def __init__(self, runner, kind, families, samples=()):
        self.runner, self.campaign = runner, runner.campaign
        self.kind, self.samples = kind, samples
        self.families = list(families.items())
        self.worst = {name: [0, 0.0, 0, 0.0] for name, _ in self.families}  # files, MiB, accepted, seconds
        self.tool = os.path.join(self.campaign.folder, "darkroomctl")
        self.peer = None
        self.told = collections.Counter()

    def one(self, number):
        name, family = self.families[number % len(self.families)]
        random = self.campaign.random(self.kind, number)
        data = family(random, self.samples) if self.samples else family(random)
        ending = "plist" if self.kind == "list" else "jpg"
        path = os.path.join(self.campaign.scratch, f"{self.kind}-{number}.{ending}")
        torture.write(path, data)
        end = self.runner.run(self.command(path), f"{self.kind}-{number}")
        is_right = self.judge(end, f"{self.kind} {number} ({name}): {path}")
        if self.peer:
            self.ask_peer(path, f"peer-{number}")
        if is_right:
            os.unlink(path)
        with self.campaign._lock:
            worst = self.worst[name]
            worst[0] += 1
            worst[1] = max(worst[1], end.megabytes)
            worst[2] += end.status == 0
            worst[3] = max(worst[3], end.seconds)
        self.campaign.count(self.kind)

    def command(self, path):
        if self.kind == "list":
            return [self.tool, "--json", "check", path]
        prints = os.path.join(self.campaign.scratch, "prints")
        return [self.tool, "--json", "develop", "-f", "-o", prints, path]

    def judge(self, end, what):
        """True if every promise was kept."""
        check = self.campaign.check
        if not check(end.status in (0, 1), "crash or hang", what, end.status, end.output):
            return False
        kept = [
            check(end.megabytes <= MEMORY[self.kind], "memory", what, f"{end.megabytes:.0f} MiB"),
            check(end.seconds <= PROCESSOR[self.kind], "processor time", what, f"{end.seconds:.2f} s")]
        try:
            answer = json.loads(end.output)
        except ValueError:
            return check(False, "no answer in JSON", what, end.output)
        failures = answer["failures"] if self.kind == "picture" else [answer]
        if end.status == 1:
            kept += [self.judge_failure(failure, what) for failure in failures]
        return all(kept)

    def judge_failure(self, failure, what):
        """Photos may fail in a list that is accepted; then no code is told for the list."""
        code, reason = failure.get("code", ""), failure.get("reason", "")
        if failure.get("accepted"):
            return True
        is_told = code and not code.startswith(("worker.", "system."))
        is_sentence = 3 < len(reason) < 1000 and all(letter.isprintable() for letter in reason)
        return (self.campaign.check(is_told, "the code", what, failure)
                and self.campaign.check(is_sentence, "the reason", what, failure))

    def ask_peer(self, path, name):
        limits = ["prlimit", f"--as={PEER_MEMORY}", f"--cpu={PEER_SECONDS}:{PEER_SECONDS + 1}", "--core=0"]
        end = self.runner.run([*limits, self.peer, path], name)
        word = "read or refused"
        if end.status > 128:
            word = f"ended by {signal.Signals(end.status - 128).name}"
        elif end.megabytes > MEMORY["list"]:
            word = f"more than {MEMORY['list']} MiB"
        with self.campaign._lock:
            self.told[word] += 1

    def report(self):
        print(f"  {'family':<32}{'files':>7}{'accepted':>10}{'at most MiB':>13}{'seconds':>9}")
        for name, (files, megabytes, accepted, seconds) in self.worst.items():
            print(f"  {name:<32}{files:>7}{accepted:>10}{megabytes:>13.0f}{seconds:>9.2f}")
        if self.peer:
            print("  Foundation's reader:", ", ".join(f"{word} {n}" for word, n in self.told.most_common()))

    def worst_of_all(self):
        worst = self.worst.values()
        return f"at most {max(one[1] for one in worst):.0f} MiB and {max(one[3] for one in worst):.2f} s"


def build_peer(campaign):
    if not os.environ.get("PEER"):
        return None
    if not shutil.which("swiftc"):
        raise SystemExit("no swiftc for the peer")
    source = os.path.join(torture.REPOSITORY, "Benchmarks", "serialization.swift")
    program = os.path.join(campaign.scratch, "serialization")
    subprocess.run(["swiftc", "-O", "-o", program, source], check=True)
    return program


def numbers(campaign, most, seconds):
    """One after another until there are enough, or no time is left."""
    end = campaign.elapsed() + seconds if seconds else None
    for number in range(most):
        if number and end and campaign.elapsed() >= end:
            return
        yield number


def main(campaign):
    folder, names = campaign.pictures(jpegs=6, pngs=8, width=96, height=64)
    samples = [torture.read(os.path.join(folder, name)) for name in names]
    os.makedirs(os.path.join(campaign.scratch, "prints"))
    runner = Runner(campaign)
    lists = Inputs(runner, "list", hostile.LISTS)
    lists.peer = build_peer(campaign)
    pictures = Inputs(runner, "picture", hostile.PICTURES, samples)
    half = campaign.seconds / 2 if campaign.seconds else 0
    for inputs, most in ((lists, campaign.options.lists), (pictures, campaign.options.pictures)):
        campaign.side_by_side(inputs.one, numbers(campaign, most, half))
        inputs.report()
    campaign.summary(
        f"{campaign.counts['list']} lists, {lists.worst_of_all()}; {campaign.counts['picture']} pictures, "
        f"{pictures.worst_of_all()}; {len(campaign.violations)} violations")


if __name__ == "__main__":
    torture.run("inputs", main, __doc__, lists=(280, 5600), pictures=(240, 2400))
