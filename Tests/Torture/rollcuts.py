# SPDX-License-Identifier: Apache-2.0
"""A folder of pictures that is dropped before the power goes: what the recording marks, and what each state
must have. At every moment each picture lies whole in the inbox, in a recorded list, or in `done`."""
import os

import blockdisk
import torture

NAME = "roll"


class RollDrop:
    def __init__(self, random, world):
        self.world = world
        names = [random.choice(world.names) for _ in range(random.randrange(2, 7))]
        # Two names of one picture, and a folder below.
        self.files = {os.path.join("" if number % 3 else "below", f"{number}-{name}"): name
                      for number, name in enumerate(names)}
        self.digests = {path: torture.digest(self.picture(path)) for path in self.files}

    def picture(self, path):
        return torture.read(os.path.join(self.world.folder, self.files[path]))

    def drop(self, root, marks):
        """Durable when the mark is set."""
        beside = root.at("roll beside")
        os.makedirs(os.path.join(beside, "below"))
        for path in self.files:
            with open(os.path.join(beside, path), "wb", buffering=0) as file:
                file.write(self.picture(path))
                os.fsync(file.fileno())
        for folder in (os.path.join(beside, "below"), beside):
            blockdisk.sync(folder)
        marks.add("roll drops")
        os.rename(beside, root.at("inbox", NAME))
        for folder in (root.at("inbox"), root.path):
            blockdisk.sync(folder)
        marks.add("roll dropped")

    def watch(self, root, marks):
        if marks.has("roll dropped") and not marks.has("roll gone"):
            if not os.path.exists(root.at("inbox", NAME)):
                marks.add("roll gone")

    def note(self, act, name, marks):
        """True if a message is about the list of the pictures."""
        if name == NAME and act:
            marks.add(f"roll {act.lower()}")
        return name == NAME


def files(*tops):
    """The digests of all files below these folders."""
    found = set()
    for top in tops:
        for folder, _, names in os.walk(top):
            found |= {torture.digest(torture.read(os.path.join(folder, name))) for name in names}
    return found


class RollCheck:
    """The pictures in one mounted state."""

    def __init__(self, check, roll):
        self.check, self.roll = check, roll
        self.has = lambda words: (f"roll {words}",) in check.known

    def before(self):
        """Every print under its name is whole; call before a daemon starts."""
        at = self.check.at
        whole = {self.check.bench.world.wanted[(picture, None)] for picture in self.roll.files.values()}
        for path in self._prints():
            if not os.path.basename(path).startswith("."):
                data = torture.read(path)
                self.check.expect(data in whole, "a print of a picture that is not whole", path, len(data))
        # The probe leaves these as they are, but reads them in its own way.
        self.waiting = files(at("inbox", NAME), at("inbox", ".claim"))
        self.back = self._back()
        self.lists = {}
        for name in torture.list_folder(at("state", "lists")):
            about = torture.read(at("state", "lists", name, "about")) if name.isdigit() and os.path.exists(
                at("state", "lists", name, "about")) else b""
            if f"\nname={NAME}.".encode() in about:
                self.lists[int(name)] = files(at("state", "lists", name))

    def _back(self):
        done = self.check.at("done")
        return files(*(os.path.join(done, name) for name in torture.list_folder(done)
                       if name.partition("~")[0] == NAME))

    def owns(self, entry):
        return entry["id"] in self.lists

    def compare(self, facts):
        if not self.has("dropped"):
            return
        entries = [entry for entry in facts["lists"] if self.owns(entry)]
        recorded = set().union(*(self.lists[entry["id"]] for entry in entries))
        expect = self.check.expect
        system = self.check.system
        self.check.campaign.count(f"{system}: pictures looked for", len(self.roll.digests))
        self.check.campaign.count(f"{system}: pictures recorded", len(recorded & set(self.roll.digests.values())))
        for path, digest in self.roll.digests.items():
            expect(digest in self.waiting | recorded | self.back, "a dropped picture is lost", path)
            if self.has("gone"):
                expect(digest in recorded | self.back, "a picture left the inbox and is in no list", path)
        known = self.has("accepted") or self.has("gone")
        expect(bool(entries) or not known, "an accepted list of pictures is lost")
        finished = [entry for entry in entries if entry["state"] == "finished"]
        expect(bool(finished) or not self.has("finished"), "a list of pictures was reported as finished")
        expect(all(entry["failed"] == 0 for entry in entries), "a failed picture", entries)

    def _prints(self):
        """A folder that was made just before a power cut, without its note, belongs to no list; another has the prints."""
        at = self.check.at
        return [at("prints", folder, name) for folder in torture.list_folder(at("prints"))
                if folder.partition("~")[0] == NAME
                for name in filter(torture.is_print, torture.list_folder(at("prints", folder)))]

    def end(self):
        """darkroomd has worked until it was idle."""
        if not self.has("dropped"):
            return
        at, expect = self.check.at, self.check.expect
        expect(not os.path.exists(at("inbox", NAME)), "pictures are still in the inbox")
        back = []
        for name in torture.list_folder(at("done")):
            if name.partition("~")[0] == NAME and os.path.isdir(at("done", name)):
                for folder, _, names in os.walk(at("done", name)):
                    back += [os.path.relpath(os.path.join(folder, file), at("done", name)) for file in names]
        expect(sorted(back) == sorted(self.roll.files), "pictures did not come back once", sorted(back))
        expect(self._back() >= set(self.roll.digests.values()), "a picture came back changed")
        prints = [torture.read(path) for path in self._prints()]
        wanted = [self.check.bench.world.wanted[(picture, None)] for picture in self.roll.files.values()]
        expect(sorted(prints) == sorted(wanted), "prints of pictures are missing or differ", len(prints))
