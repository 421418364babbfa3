#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The live page in headless Chromium: the time from the rename of a print until its tile is painted, and from the last
scroll event on waiting photos until the origin is asked for the first of them, which includes the 150 ms for which the
page waits. The daemon is idle but for this list; its origin answers after a pause."""
import http.client
import json
import os
import random
import subprocess
import threading
import time

from bench import *

PAUSE, FILES = 100, 50
APPEARING, LISTS = 80, 4
TOTAL, JUMPS = 30_000, 60
SETTINGS = ("[Inbox]\nQuietTime=250ms\n[Download]\nAllowNetworks=127.0.0.0/8\nConnections={0}\n"
            "ConnectionsPerHost={0}\n[Output]\nContactSheet=no\n")
# The time of each tile's first frame with its picture, and of the last scroll event.
WATCH = """
window.painted = {}; window.scrolled = 0;
const now = () => performance.timeOrigin + performance.now();
document.addEventListener("load", event => {
  const number = event.target.parentElement?.dataset.number;
  if (number) requestAnimationFrame(() => setTimeout(() => { painted[number] ??= now(); }));
}, true);
document.addEventListener("scroll", () => { scrolled = now(); }, true);
"""


class Browser:
    """Chromium by chromedriver, as the W3C's WebDriver describes it."""

    def __init__(self, temp, width, height):
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, HOME=temp, TMPDIR=temp))
        atexit.register(self.process.kill)
        line = next(line for line in self.process.stdout if "successfully on port" in line)
        self.port = int("".join(c for c in line.rsplit("port", 1)[1] if c.isdigit()))
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                     f"--window-size={width},{height}", f"--user-data-dir={temp}/profile"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}
        self.session = f"/session/{self.call('/session', capabilities={'alwaysMatch': wanted})['sessionId']}"
        self.inspect("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def call(self, path, **parameters):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", path, json.dumps(parameters))
        answer = json.load(connection.getresponse())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise SystemExit(f"chromedriver: {answer['message']}")
        return answer

    def inspect(self, command, **parameters):
        return self.call(f"{self.session}/goog/cdp/execute", cmd=command, params=parameters)

    def open(self, url):
        self.call(f"{self.session}/url", url=url)

    def value(self, expression):
        return self.call(f"{self.session}/execute/sync", script=f"return {expression}", args=[])

    def stop(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("DELETE", self.session)
        connection.getresponse().read()
        self.process.terminate()


class Scene:
    """An origin, a daemon, and the server of its pages."""

    def __init__(self, folder, temp, connections):
        self.photos = os.path.join(temp, "photos")
        self.names = sorted(os.listdir(self.photos))
        self.origin = Origin(self.photos, log=True, pause=PAUSE)
        self.asked, self.shift = {}, time.time() - time.monotonic()
        threading.Thread(target=self.listen, daemon=True).start()
        self.daemon = Daemon(folder, os.path.join(temp, "root"), SETTINGS.format(connections))
        self.web = subprocess.Popen([os.path.join(folder, "darkroom-web"), "--root", self.daemon.root],
                                    stdout=subprocess.PIPE, text=True)
        atexit.register(self.web.kill)
        self.base = self.web.stdout.readline().strip()

    def listen(self):
        """The first request for each photo, in milliseconds since 1970."""
        for line in self.origin.process.stdout:
            words = line.split()
            self.asked.setdefault(words[1].partition("?")[2], int(words[0]) / 1e6 + self.shift * 1e3)

    def drop(self, name, count):
        photos = {f"photo {n}": self.origin.url(f"{self.names[n % FILES]}?{name}-{n}") for n in range(1, count + 1)}
        self.daemon.drop(photo_list(os.path.join(os.path.dirname(self.photos), f"{name}.plist"), photos))

    def show(self, browser, name):
        found = lambda: self.daemon.tool("open", "--address", self.base, name)
        browser.open(wait_until(lambda: found().stdout.decode().strip(), 30, "the address", self.daemon.lives))
        wait_until(lambda: browser.value("document.querySelectorAll('li:not([hidden])').length"), 60, "the page")

    def stop(self):
        self.web.terminate()
        self.daemon.stop()
        self.origin.stop()


def appearances(scene, browser, name):
    """Milliseconds from the renames of prints to the frames with their tiles, of those on the screen."""
    scene.drop(name, APPEARING)
    scene.show(browser, name)
    begun = 1000 * time.time()
    scene.daemon.finish(name)
    shown = browser.value("[...document.querySelectorAll('li:not([hidden]) a')].map(a => +a.dataset.number)")
    painted = wait_until(
        lambda: (p := browser.value("painted")) if all(str(n) in browser.value("painted") for n in shown) else None,
        30, "the last tile")
    folder, times = os.path.join(scene.daemon.root, "prints", name), []
    for number in shown:
        renamed = os.stat(os.path.join(folder, f"photo {number}.jpg")).st_ctime_ns / 1e6
        # Those that were there first came with the page.
        if renamed > begun + 500:
            times.append(painted[str(number)] - renamed)
    return times


def jump(scene, browser, name):
    """Milliseconds from the last scroll event to the first request for a photo on the screen, all of them waiting."""
    before, place = browser.value("scrolled"), random.random()
    browser.value(f"(m => (m.scrollTop = {place} * (m.scrollHeight - m.clientHeight), 1))(document.querySelector('main'))")
    # The tiles are those of the new place after the next frame.
    wait_until(lambda: browser.value("scrolled") > before, 30, "the scroll event")
    keys = [f"{name}-{n}" for n in
            browser.value("[...document.querySelectorAll('li:not([hidden]) a')].map(a => +a.dataset.number)")]
    scrolled = browser.value("scrolled")
    # The pages of one screen around a place that was looked at are not waiting any more.
    if any(scene.asked.get(key, scrolled) < scrolled for key in keys):
        return None
    first = wait_until(lambda: min((scene.asked[k] for k in keys if k in scene.asked), default=None), 30,
                       "the first request")
    time.sleep(random.uniform(0.2, 0.4))
    return first - scrolled


def row(what, times):
    times = sorted(times)
    return [what, len(times), f"{middle(times):.0f}", f"{times[int(len(times) * 0.95)]:.0f}", f"{times[-1]:.0f}"]


def main():
    folder, temp = programs(), scratch()
    command("tiles")
    small_photos(generator(temp), os.path.join(temp, "photos"), FILES)
    head = ["from", "times", "median ms", "95th", "most"]

    scene, browser = Scene(folder, temp, 1), Browser(temp, 1600, 1600)
    appearances(scene, browser, "Warm")
    times = [t for n in range(LISTS) for t in appearances(scene, browser, f"Appearing{n}")]
    scene.stop()
    rows = [row("a print renamed, to its tile painted", times)]

    scene = Scene(folder, temp, 4)
    scene.drop("Large", TOTAL)
    scene.show(browser, "Large")
    times = [t for t in (jump(scene, browser, "Large") for _ in range(JUMPS)) if t is not None]
    rows.append(row("at rest on waiting photos, to the request for the first of them", times))
    scene.stop()
    browser.stop()
    table(f"the live page, load {os.getloadavg()[0]:.1f}", head, rows)


if __name__ == "__main__":
    main()
