// SPDX-License-Identifier: Apache-2.0
// The script of the page. It keeps a byte for each photo, a pool of tiles for what is on the screen, and the names of
// the photos that were shown last. At most 12 kB, which WebTests check.

package enum PageScript {
  package static let text = #"""
    "use strict";
    {
    const one = selector => document.querySelector(selector);
    const body = document.body, main = one("main"), grid = one("ul"), ask = one("#ask");
    const total = +body.dataset.total, mayFocus = body.dataset.focus === "1";
    const buttons = [...document.querySelectorAll("nav button")];
    const bars = [...document.querySelectorAll(".bar i")];
    const DONE = 2, FAILED = 3, PAGE = 50, PAGES = 40, TALLEST = 8e6, CAPTION = 30, GAP = 24, EDGE = 14;
    const words = ["waiting", "downloaded", "print", "failed"];
    const states = new Uint8Array(total), counts = [total, 0, 0, 0];
    const viewer = [...crypto.getRandomValues(new Uint8Array(8))]
      .map(byte => byte.toString(16).padStart(2, "0")).join("");
    const pool = [], pages = new Map(), wanted = new Set(), asked = new Set();
    let filter = -1, shown = null, current = 0;      // the photos of a filter; the active place
    let columns = 1, wide = 0, tall = 0, scale = 1;  // pixels of the page for each pixel of the scroll bar
    let record = 0, source = null, leased = false, isOver = false, notice = "";

    const size = () => shown ? shown.length : total;
    const at = place => shown ? shown[place] : place + 1;
    const row = () => tall + GAP;
    const top = () => main.scrollTop * scale;
    const clamp = (value, least, most) => Math.max(least, Math.min(value, most));

    // The grid

    const layout = () => {
      const keep = Math.floor(top() / (row() || 1)) * columns;
      const space = main.clientWidth - 2 * EDGE, least = space < 600 ? 130 : 210;
      columns = clamp(Math.floor((space + GAP) / (least + GAP)), 1, 7);
      wide = Math.floor((space + GAP) / columns) - GAP;
      tall = Math.round(wide * 2 / 3) + CAPTION;
      const full = Math.ceil(size() / columns) * row() + EDGE, high = main.clientHeight;
      const height = Math.min(full, TALLEST);
      scale = full > height ? (full - high) / (height - high) : 1;
      grid.style.height = height + "px";
      const need = columns * (Math.ceil(high / row()) + 2);
      while (pool.length > need) pool.pop().remove();
      while (pool.length < need) pool.push(tile());
      for (const item of pool) item.key = "";
      if (keep) main.scrollTop = Math.floor(keep / columns) * row() / scale;
      draw();
    };

    const tile = () => {
      const item = document.createElement("li"), link = document.createElement("a");
      const image = new Image(), name = document.createElement("span");
      image.alt = "";
      image.decoding = "async";
      image.onload = () => link.classList.add("there");
      image.onerror = () => link.classList.remove("there");
      name.dir = "auto";
      link.append(image, name);
      item.append(link);
      grid.append(item);
      return item;
    };

    const span = more => {
      const first = Math.floor((top() - EDGE) / row()), count = Math.ceil(main.clientHeight / row());
      return [clamp((first - more * count) * columns, 0, size()),
        clamp((first + (1 + more) * count + 1) * columns, 0, size())];
    };

    const draw = () => {
      const y = top(), base = main.scrollTop - y + EDGE;
      let [first, end] = span(0);
      first = Math.max(0, first - columns);
      end = Math.min(end, first + pool.length);
      for (const item of pool) item.used = false;
      for (let place = first; place < end; place++) {
        const item = pool[place % pool.length];
        item.used = true;
        fill(item, place, EDGE + place % columns * (wide + GAP),
          base + Math.floor(place / columns) * row());
      }
      for (const item of pool) item.hidden = !item.used;
      fetchNames();
    };

    const facts = number => {
      const page = Math.floor((number - 1) / PAGE), known = pages.get(page);
      const found = known && known[(number - 1) % PAGE];
      const isOld = found && states[number - 1] === FAILED && !found[2];
      if (!known || isOld) wanted.add(page);
      return found;
    };

    const fill = (item, place, x, y) => {
      item.style.transform = `translate(${x}px,${y}px)`;
      const number = at(place), state = states[number - 1], known = facts(number);
      const key = [number, state, known && known[1], known && known[2], place === current, wide].join();
      if (item.key === key) return;
      item.key = key;
      const link = item.firstChild, image = link.firstChild, name = known ? known[1] : `Photo ${number}`;
      const reason = state === FAILED && known ? known[2] : "";
      item.style.width = wide + "px";
      item.style.height = tall + "px";
      item.setAttribute("aria-setsize", size());
      item.setAttribute("aria-posinset", place + 1);
      link.dataset.number = number;
      link.dataset.words = state === DONE ? "" : reason || words[state];
      link.lastChild.textContent = name;
      link.setAttribute("aria-label", `${number}, ${name}: ${words[state]}${reason && ", " + reason}`);
      link.tabIndex = place === current ? 0 : -1;
      const picture = state === DONE ? `thumbs/${number}.jpg` : "";
      const isNew = item.number === number && item.state < DONE && state === DONE;
      if (item.picture !== picture) {
        link.className = (state === FAILED ? "failed" : state === 1 ? "wet" : "") + (isNew ? " new" : "");
        item.picture = picture;
        if (picture) image.src = picture; else image.removeAttribute("src");
      } else link.classList.toggle("failed", state === FAILED);
      if (!picture) link.classList.toggle("wet", state === 1);
      if (picture) link.href = `prints/${number}`; else link.removeAttribute("href");
      item.number = number;
      item.state = state;
    };

    // Names and reasons, a page at a time

    const fetchNames = () => {
      for (const page of wanted) {
        if (asked.size >= 3) break;
        wanted.delete(page);
        if (asked.has(page)) continue;
        asked.add(page);
        fetch(`photos?offset=${page * PAGE}&count=${PAGE}`)
          .then(answer => answer.ok ? answer.json() : Promise.reject())
          .then(rows => {
            pages.delete(page);
            pages.set(page, rows);
            while (pages.size > PAGES) pages.delete(pages.keys().next().value);
            requestAnimationFrame(draw);
          }, () => {})
          .finally(() => setTimeout(() => { asked.delete(page); if (wanted.size) fetchNames(); }, 200));
      }
      if (!asked.size) wanted.clear();
    };

    // States

    const set = (number, state) => {
      const old = states[number - 1];
      if (number > total || old === state) return;
      states[number - 1] = state;
      counts[old]--;
      counts[state]++;
      if (filter >= 0) changedFilter();
    };

    const belongs = (state, kind) => kind === 0 ? state < DONE : state === kind;

    const choose = kind => {
      filter = kind;
      shown = kind < 0 ? null
        : Uint32Array.from((function* () {
          for (let place = 0; place < total; place++) if (belongs(states[place], kind)) yield place + 1;
        })());
      current = clamp(current, 0, Math.max(0, size() - 1));
      tell();
      layout();
    };

    let filterTimer = 0;
    const changedFilter = () => {
      filterTimer = filterTimer || setTimeout(() => { filterTimer = 0; choose(filter); }, 500);
    };

    const some = (number, word) => `${number.toLocaleString()} ${word}`;

    const tell = () => {
      const labels = [[-1, "All", total], [DONE, "Prints", counts[2]],
        [0, "Waiting", counts[0] + counts[1]], [FAILED, "Failed", counts[3]]];
      labels.forEach(([kind, word, number], place) => {
        buttons[place].textContent = `${word} ${number.toLocaleString()}`;
        buttons[place].setAttribute("aria-pressed", filter === kind);
        buttons[place].onclick = () => { main.scrollTop = 0; choose(kind); };
      });
      one("#done").textContent = `${counts[2].toLocaleString()} of ${total.toLocaleString()}`;
      one("#left").textContent = notice || (counts[3] ? some(counts[3], "failed") : "");
      one("#about").textContent = body.dataset.state;
      [counts[2], counts[3], counts[1]].forEach((count, place) => {
        bars[place].style.width = 100 * count / total + "%";
      });
      one(".bar").setAttribute("aria-valuenow", counts[2] + counts[3]);
      announce();
    };

    // For those who listen: at most every ten seconds.
    let announced = -1e9, announceTimer = 0;
    const announce = () => {
      if (announceTimer) return;
      announceTimer = setTimeout(() => {
        announceTimer = 0;
        announced = performance.now();
        const line = `${some(counts[2], "prints")} of ${total}, ${some(counts[3], "failed")}. ${notice}`;
        if (one("#said").textContent !== line) one("#said").textContent = line;
      }, Math.max(0, announced + 1e4 - performance.now()));
    };

    const changed = () => { tell(); draw(); };

    const load = async () => {
      for (let offset = 0; offset < total; offset += 1e6) {
        const answer = await fetch(`states?offset=${offset}`);
        if (answer.status === 401) return say("This view is over. 'darkroomctl open' makes another.");
        if (!answer.ok) { await new Promise(done => setTimeout(done, 1000)); offset -= 1e6; continue; }
        if (!offset) record = +answer.headers.get("Darkroom-Record");
        new Uint8Array(await answer.arrayBuffer())
          .forEach((digit, place) => { states[offset + place] = digit - 48; });
      }
      counts.fill(0);
      for (const state of states) counts[state]++;
      pages.clear();
      choose(filter);
    };

    const say = text => { notice = text; tell(); };

    const follow = () => {
      source = new EventSource(`events?since=${record}`);
      source.onmessage = event => {
        record = +event.lastEventId || record;
        for (const change of event.data.split(",")) set(...change.split(".").map(Number));
        changed();
      };
      const on = (name, act) => source.addEventListener(name, act);
      on("list", event => { body.dataset.state = event.data; changed(); });
      on("again", load);
      on("away", () => say("darkroomd does not answer; trying again"));
      on("back", () => say(""));
      on("end", () => { isOver = true; source.close(); load(); look(); });
      on("gone", () => { source.close(); say("This view is over. 'darkroomctl open' makes another."); });
      source.onerror = () => {
        if (source.readyState === 2 && !isOver) setTimeout(follow, 2000);
      };
    };

    // What is looked at goes first

    const ranges = places => {
      const found = [];
      for (const number of places) {
        const last = found[found.length - 1];
        if (last && last[1] === number - 1) last[1] = number; else found.push([number, number]);
      }
      return found.map(([first, end]) => first === end ? `${first}` : `${first}-${end}`);
    };

    const open = (first, end) => {
      const found = [];
      for (let place = first; place < end; place++) if (states[at(place) - 1] < DONE) found.push(at(place));
      return found;
    };

    const look = () => {
      if (!mayFocus) return;
      let text = "";
      if (!document.hidden && !isOver) {
        const [first, end] = span(0), [before, behind] = span(1);
        const places = [...open(first, end), ...open(end, behind), ...open(before, first)];
        text = ranges(places.slice(0, 500)).slice(0, 150).join();
      }
      if (!text && !leased) return;
      leased = text !== "";
      fetch("focus", { method: "POST", body: `${viewer} ${text}`, keepalive: true,
        headers: { "Content-Type": "application/x-darkroom-focus" } }).catch(() => {});
    };

    // Keys

    const move = place => {
      current = clamp(place, 0, Math.max(0, size() - 1));
      const y = EDGE + Math.floor(current / columns) * row(), high = main.clientHeight;
      if (y < top() + EDGE) main.scrollTop = (y - EDGE) / scale;
      else if (y + row() > top() + high) main.scrollTop = (y + row() - high) / scale;
      draw();
      pool[current % pool.length].firstChild.focus({ preventScroll: true });
    };

    const find = async text => {
      let after = at(current) || 0, laps = 0;
      for (;;) {
        const answer = await fetch(`find?after=${after}&text=${encodeURIComponent(text)}`);
        if (!answer.ok) return say("The search failed");
        const { photo, more } = await answer.json();
        if (photo) { if (shown) choose(-1); return move(photo - 1); }
        if (more) after = more;
        else if (laps++) return say(`No photo is named ${text}`);
        else after = 0;
      }
    };

    ask.onkeydown = event => {
      event.stopPropagation();
      if (event.key === "Escape") return main.focus();
      if (event.key !== "Enter") return;
      const text = ask.value.replace(/^[/g]\s*/, "");
      say("");
      if (/^\d+$/.test(text)) { if (shown) choose(-1); move(text - 1); } else if (text) find(text);
    };

    addEventListener("keydown", event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
      if (event.key in steps) move(current + steps[event.key]);
      else if (event.key === "Home") move(0);
      else if (event.key === "End") move(size() - 1);
      else if (event.key === "/" || event.key === "g") { ask.value = ""; ask.focus(); }
      else return;
      event.preventDefault();
    });

    let rest = 0, frame = 0;
    main.onscroll = () => {
      frame = frame || requestAnimationFrame(() => { frame = 0; draw(); });
      clearTimeout(rest);
      rest = setTimeout(look, 150);
    };
    document.addEventListener("visibilitychange", look);
    addEventListener("pagehide", () => { isOver = true; look(); });
    addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
    setInterval(() => { if (leased) look(); }, 6000);
    new ResizeObserver(layout).observe(main);

    load().then(() => { look(); if (!/finished|cancelled/.test(body.dataset.state)) follow(); });
    }

    """#
}
