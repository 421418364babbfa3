// SPDX-License-Identifier: Apache-2.0
// The script of the page, at most 12 kB, which WebTests check. It keeps a byte for each photo, a pool of tiles for what is
// on the screen, and the names of the photos that were shown last.
//
// A place is an index into the photos that the filter shows; `shown` has their numbers, nil for all. Browsers limit the
// height of a page, so above 8 million pixels one pixel of the scroll bar is `scale` pixels of the grid. `look` names the
// photos on the screen, then those of one screen below and above, as a lease that is renewed while the page is visible.
// `facts.call`: the server stays while a page calls it, also a hidden one.

package enum PageScript {
  package static let text = #"""
    {
    const all = word => [...document.querySelectorAll(word)], one = word => all(word)[0];
    const { ceil, floor, max, min } = Math;
    const main = one("main"), grid = one("ul"), ask = one("#ask");
    const facts = document.body.dataset, total = +facts.total;
    const DONE = 2, FAILED = 3, PAGE = 50, PAGES = 40, TALLEST = 8e6, CAPTION = 32, GAP = 24;
    const words = ["waiting", "downloaded", "print", "failed"];
    const states = new Uint8Array(total), counts = [total, 0, 0, 0];
    const viewer = crypto.getRandomValues(new Uint32Array(3)).join("");
    const OVER = "This view is over. 'darkroomctl open' makes another.";
    const AWAY = "darkroomd does not answer; trying again, or use 'darkroomctl open'";
    const pool = [], pages = new Map(), wanted = new Set(), asked = new Set();
    let filter = -1, shown = null, current = 0;
    let edge = 26, columns = 1, wide = 0, tall = 0, scale = 1;
    let record = 0, source = null, turn = 0, leased = false, notice = "";

    const size = () => shown ? shown.length : total;
    const at = place => shown ? shown[place] : place + 1;
    const row = () => tall + GAP;
    const top = () => main.scrollTop * scale;
    const clamp = (value, least, most) => max(least, min(value, most));
    const later = (act, time) => {
      act.timer ||= setTimeout(() => { act.timer = 0; act(); }, time);
    };

    const layout = () => {
      const keep = floor(top() / (row() || 1)) * columns, old = wide;
      edge = main.clientWidth < 600 ? 16 : 26;
      const space = main.clientWidth - 2 * edge, least = space < 600 ? 130 : 210;
      columns = clamp(floor((space + GAP) / (least + GAP)), 1, 7);
      wide = floor((space + GAP) / columns) - GAP;
      tall = Math.round(wide * 2 / 3) + CAPTION;
      const full = ceil(size() / columns) * row() + edge, high = main.clientHeight;
      const height = min(full, TALLEST);
      scale = full > height ? (full - high) / (height - high) : 1;
      grid.style.height = height + "px";
      const need = columns * (ceil(high / row()) + 2);
      while (pool.length > need) pool.pop().remove();
      while (pool.length < need) pool.push(tile());
      for (const item of pool) item.key = "";
      if (keep && wide !== old) main.scrollTop = floor(keep / columns) * row() / scale;
      draw();
      rested();
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
      const first = floor((top() - edge) / row()), count = ceil(main.clientHeight / row());
      return [clamp((first - more * count) * columns, 0, size()),
        clamp((first + (1 + more) * count + 1) * columns, 0, size())];
    };

    const draw = () => {
      const y = top(), base = main.scrollTop - y + edge;
      let [first, end] = span(0);
      first = max(0, first - columns);
      end = min(end, first + pool.length);
      for (const item of pool) item.used = false;
      for (let place = first; place < end; place++) {
        const item = pool[place % pool.length];
        item.used = true;
        fill(item, place, edge + place % columns * (wide + GAP),
          base + floor(place / columns) * row());
      }
      for (const item of pool) item.hidden = !item.used;
      fetchNames();
    };

    const known = number => {
      const page = floor((number - 1) / PAGE), found = pages.get(page)?.[(number - 1) % PAGE];
      if (!found || states[number - 1] === FAILED && !found[2]) wanted.add(page);
      return found;
    };

    const fill = (item, place, x, y) => {
      item.style.transform = `translate(${x}px,${y}px)`;
      const number = at(place), state = states[number - 1];
      const [, name, why] = known(number) || [0, `Photo ${number}`, ""];
      const key = [number, state, name, why, place === current, wide, filter].join();
      if (item.key === key) return;
      item.key = key;
      const link = item.firstChild, image = link.firstChild, reason = state === FAILED ? why : "";
      item.style.width = wide + "px";
      item.style.height = tall + "px";
      item.ariaSetSize = size();
      item.ariaPosInSet = place + 1;
      link.dataset.number = number;
      link.dataset.words = state === DONE ? "" : reason || words[state];
      link.lastChild.textContent = name;
      link.ariaLabel = `${number}, ${name}: ${words[state]}${reason && ", " + reason}`;
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

    const fetchNames = () => {
      for (const page of wanted) {
        if (asked.size >= 3) break;
        wanted.delete(page);
        if (asked.has(page)) continue;
        asked.add(page);
        fetch(`photos?offset=${page * PAGE}&count=${PAGE}`)
          .then(answer => answer.json())
          .then(rows => {
            pages.delete(page);
            pages.set(page, rows);
            if (pages.size > PAGES) pages.delete(pages.keys().next().value);
            requestAnimationFrame(draw);
          }, () => {})
          .finally(() => setTimeout(() => { asked.delete(page); fetchNames(); }, 200));
      }
      if (!asked.size) wanted.clear();
    };

    const set = (number, state) => {
      const old = states[number - 1];
      if (number > total || old === state) return;
      states[number - 1] = state;
      counts[old]--;
      counts[state]++;
      if (filter >= 0) later(choose, 500);
    };

    const choose = (kind = filter) => {
      filter = kind;
      shown = kind < 0 ? null
        : Uint32Array.from((function* () {
          for (let place = 0; place < total; place++)
            if (kind ? states[place] === kind : states[place] < DONE) yield place + 1;
        })());
      current = clamp(current, 0, max(0, size() - 1));
      tell();
      layout();
    };

    const text = number => number.toLocaleString("en");

    const tell = () => {
      const labels = [[-1, "All", total], [DONE, "Prints", counts[2]],
        [0, "Waiting", counts[0] + counts[1]], [FAILED, "Failed", counts[3]]];
      labels.forEach(([kind, word, number], place) => {
        const button = all("button")[place];
        button.textContent = `${word} ${text(number)}`;
        button.ariaPressed = filter === kind;
        button.onclick = () => { main.scrollTop = current = 0; choose(kind); };
      });
      one("#done").textContent = `${text(counts[2])} of ${text(total)}`;
      one("#left").textContent = notice || (counts[3] ? text(counts[3]) + " failed" : "");
      one("#about").textContent = facts.state;
      [counts[2], counts[3], counts[1]].forEach((count, place) => {
        all(".bar i")[place].style.width = 100 * count / total + "%";
      });
      one(".bar").ariaValueNow = counts[2] + counts[3];
      later(announce, max(0, told + 1e4 - performance.now()));
    };

    let told = -1e9;
    const announce = () => {
      told = performance.now();
      one("#said").textContent = `${counts[2]} prints of ${total}, ${counts[3]} failed. ${notice}`;
    };

    const changed = () => { tell(); draw(); };

    const say = text => { notice = text; tell(); };
    const back = () => notice === AWAY && say("");

    const stop = () => { turn++; source?.close(); source = null; };

    const load = async () => {
      stop();
      const mine = turn;
      for (let offset = 0, pause = 1e3; offset < total;) {
        const answer = await fetch(`states?offset=${offset}`).catch(() => 0);
        const digits = answer.ok && await answer.arrayBuffer().catch(() => 0);
        if (mine !== turn) return;
        if (digits) {
          if (!offset) record = +answer.headers.get("Darkroom-Record");
          new Uint8Array(digits).forEach((digit, place) => { states[offset + place] = digit - 48; });
          offset += 1e6;
        } else if (/40[134]/.test(answer.status)) return say(OVER);
        else {
          say(AWAY);
          await new Promise(done => setTimeout(done, pause));
          pause = min(2 * pause, 6e4);
        }
      }
      counts.fill(0);
      for (const state of states) counts[state]++;
      pages.clear();
      choose();
      back();
      if (!document.hidden && !/finished|cancelled/.test(facts.state)) follow();
    };

    const follow = () => {
      source = new EventSource(`events?since=${record}`);
      source.onopen = back;
      source.onmessage = event => {
        record = +event.lastEventId || record;
        for (const change of event.data.split(",")) set(...change.split(".").map(Number));
        changed();
      };
      const on = (name, act) => source.addEventListener(name, act);
      on("list", event => { facts.state = event.data; changed(); });
      on("again", load);
      on("away", () => say(AWAY));
      on("back", back);
      on("end", load);
      on("gone", () => { stop(); say(OVER); });
      source.onerror = () => source?.readyState === 2 && later(load, 1e4);
    };

    const ranges = places => {
      const found = [];
      for (const number of places) {
        const last = found[found.length - 1];
        if (last && last[1] === number - 1) last[1] = number; else found.push([number, number]);
      }
      return found.map(range => range.join("-"));
    };

    const open = (first, end) => {
      const found = [];
      for (let place = first; place < end; place++) if (states[at(place) - 1] < DONE) found.push(at(place));
      return found;
    };

    const look = () => {
      if (facts.focus !== "1") return;
      let wish = "";
      if (source) {
        const [first, end] = span(0), [before, behind] = span(1);
        const places = [...open(first, end), ...open(end, behind), ...open(before, first)];
        wish = ranges(places.slice(0, 500)).slice(0, 150).join();
      }
      if (!wish && !leased) return;
      leased = wish !== "";
      fetch("focus", { method: "POST", body: `${viewer} ${wish}`, keepalive: true,
        headers: { "Content-Type": "application/x-darkroom-focus" } }).catch(() => {});
    };

    const move = place => {
      current = clamp(place, 0, max(0, size() - 1));
      const y = edge + floor(current / columns) * row(), high = main.clientHeight;
      if (y < top() + edge) main.scrollTop = (y - edge) / scale;
      else if (y + row() > top() + high) main.scrollTop = (y + row() - high) / scale;
      draw();
      pool[current % pool.length].firstChild.focus({ preventScroll: true });
    };

    const find = async name => {
      let after = at(current) || 0, laps = 0;
      for (;;) {
        const answer = await fetch(`find?after=${after}&text=${encodeURIComponent(name)}`);
        if (!answer.ok) return say("The search failed");
        const { photo, more } = await answer.json();
        if (photo) { if (shown) choose(-1); return move(photo - 1); }
        if (more) after = more;
        else if (laps++) return say(`No photo is named ${name}`);
        else after = 0;
      }
    };

    ask.onkeydown = event => {
      event.stopPropagation();
      if (event.key === "Escape") return main.focus();
      if (event.key !== "Enter") return;
      const word = ask.value;
      say("");
      if (/^\d+$/.test(word)) { if (shown) choose(-1); move(word - 1); } else if (word) find(word);
    };

    onkeydown = event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
      if (event.key in steps) move(current + steps[event.key]);
      else if (event.key === "Home") move(0);
      else if (event.key === "End") move(size() - 1);
      else if ("/g".includes(event.key)) { ask.value = ""; ask.focus(); }
      else return;
      event.preventDefault();
    };

    let rest = 0;
    const rested = () => { clearTimeout(rest); rest = setTimeout(look, 150); };
    main.onscroll = () => { draw(); rested(); };
    const leave = () => { stop(); look(); };
    document.onvisibilitychange = () => document.hidden ? leave() : load();
    onpagehide = leave;
    onpageshow = load;
    setInterval(() => leased && look(), 6e3);
    if (facts.call) setInterval(() => fetch("").catch(() => {}), 3e4);
    new ResizeObserver(layout).observe(main);
    }

    """#
}
