# SPDX-License-Identifier: Apache-2.0
"""The hooks and webhooks of a world, and what they must have told at its end: each end of a list, at least once. Half of the
lists name a webhook; some of the servers refuse the first attempt."""
import collections
import json
import os

import torture


class Errands:
    def __init__(self, world):
        self.world = world
        self.log = world.root.at("hooks.log")
        self.script = world.root.at("hook.sh")
        line = '"$DARKROOM_EVENT $DARKROOM_LIST_ID"'
        torture.write(self.script, f"#!/bin/sh\necho {line} >> '{self.log}'\n".encode())
        os.chmod(self.script, 0o755)

    def settings(self):
        steady, moody = self.world.shared.steady.address, self.world.shared.moody.address
        return f"[Hooks]\nOnFinished={self.script}\nWebhooks={steady}/hook {moody}/hook\n"

    def url(self, number):
        """A webhook of its own for each list."""
        tag = f"{self.world.campaign.seed}.{self.world.number}.{number}"
        if number % 3 == 0:
            picture = self.world.shared.names[0]
            return f"{self.world.shared.moody.address}/hook/busy?key=hook.{tag}&until=1&after=0&file={picture}"
        return f"{self.world.shared.steady.address}/hook/204?{tag}"

    def left(self):
        """The orders that wait."""
        return [name for folder in ("hooks", "webhooks")
                for name in torture.list_folder(self.world.root.at("state", folder)) if not name.startswith(".")]

    def check(self, accepted, ends):
        """`ends` of all lists, those of pictures as well."""
        ran = collections.Counter()
        if os.path.exists(self.log):
            ran.update(torture.read(self.log).decode().splitlines())
        for number, end in ends.items():
            if end == "finished":
                self.world.check(ran[f"finished {number}"], "no hook has told the end of a list", number)
        self.world.campaign.count("ends told by a hook", len(ran))
        self.world.campaign.count("ends told by a hook again", sum(ran.values()) - len(ran))
        self.check_webhooks(accepted, ends)

    def check_webhooks(self, accepted, ends):
        told = collections.Counter()
        for url, requests in self.world.shared.requests(self.world.marks).items():
            for request in requests if "/hook/" in url else ():
                words = " ".join(request[4])
                if 200 <= request[2] < 300 and "application/json " in words:
                    facts = json.loads(words.partition("application/json ")[2])
                    told[url, facts["list"], facts["event"]] += 1
        for number, content in accepted.items():
            if content.notify and ends[number]:
                self.world.check(told[content.notify, number, ends[number]], "no webhook has told the end of a list",
                                 number, content.notify, ends[number])
                self.world.campaign.count("ends told by a webhook")
                self.world.campaign.count("ends told by a webhook again",
                                          told[content.notify, number, ends[number]] > 1)
