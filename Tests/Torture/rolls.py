# SPDX-License-Identifier: Apache-2.0
"""Folders of pictures that a world drops, and what must have become of them at its end: each picture came back once,
byte for byte, and is the print that a daemon makes which nothing disturbs."""
import os
import shutil

import torture


class Rolls:
    def __init__(self, world):
        self.world = world
        self.random = world.random
        self.names = world.shared.names
        self.rolls = {}  # name → {path in the folder: name of the picture}

    def drop(self):
        """By `rename` a folder appears whole; by `copy` it grows, and may become several lists, or be removed when it is
        empty for a moment: then the rest is not dropped."""
        name = f"roll{len(self.rolls)}"
        picked = {}
        for number in range(self.random.randint(1, 12)):
            picture = self.random.choice(self.names)
            picked[os.path.join(*self.random.choice(((), ("a",), ("a", "b"))), f"{number}-{picture}")] = picture
        dropped = self.rolls[name] = {}
        how = self.random.choice(("rename", "copy"))
        root = self.world.root
        place = root.at("inbox", name) if how == "copy" else root.at(f".drop-{name}")
        for path, picture in picked.items():
            os.makedirs(os.path.dirname(os.path.join(place, path)), exist_ok=True)
            # Under a hidden name first, as rsync does: no picture of the copy is ever half there.
            hidden = os.path.join(place, ".part")
            shutil.copyfile(os.path.join(self.world.shared.folder, picture), hidden)
            os.rename(hidden, os.path.join(place, path))
            dropped[path] = picture
        if how == "rename":
            os.rename(place, root.at("inbox", name))
        self.world.campaign.count("folders dropped")
        self.world.campaign.count("pictures dropped", len(dropped))

    def has(self, result):
        return result["List"] in self.rolls

    def check(self, results):
        """`results` are those of all lists, by number."""
        check = self.world.check
        for name, picked in self.rolls.items():
            lists = {number: result for number, result in results.items() if result["List"] == name}
            self.world.campaign.count("lists of pictures", len(lists))
            rows = [(result, row) for result in lists.values() for row in result["Photos"]]
            found = sorted(row["Name"] for _, row in rows)
            check(found == sorted(picked), "pictures lost or taken twice", name, found, sorted(picked))
            for result, row in rows:
                wanted = self.world.shared.prints[(picked[row["Name"]], None)]
                made = os.path.join(result["Prints"], row.get("Print", "none"))
                check(row["State"] == "filtered", "a picture failed", name, row)
                check(os.path.exists(made) and torture.read(made) == wanted, "a wrong print of a picture", name, row)
            self.check_return(name, picked)

    def check_return(self, name, picked):
        back = {}
        done = self.world.root.at("done")
        for folder in torture.list_folder(done):
            if folder.partition("~")[0] != name or not os.path.isdir(os.path.join(done, folder)):
                continue
            top = os.path.join(done, folder)
            for place, _, files in os.walk(top):
                for file in files:
                    path = os.path.relpath(os.path.join(place, file), top)
                    self.world.check(path not in back, "a picture came back twice", name, path)
                    back[path] = torture.read(os.path.join(place, file))
        self.world.check(set(back) == set(picked), "pictures did not come back", name, sorted(back), sorted(picked))
        for path, contents in back.items():
            original = torture.read(os.path.join(self.world.shared.folder, picked.get(path, self.names[0])))
            self.world.check(contents == original, "a picture came back changed", name, path)
        self.world.campaign.count("pictures that came back", len(back))
