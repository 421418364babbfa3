// SPDX-License-Identifier: Apache-2.0
// The script of the page, at most 12 kB, which WebTests check. It keeps a byte for each photo, a pool of tiles for what is
// on the screen, and the names of the photos that were shown last.
//
// A place is an index into the photos that the filter shows; `shown` has their numbers, nil for all. Browsers limit the
// height of a page, so above 8 million pixels one pixel of the scroll bar is `scale` pixels of the grid. `look` names the
// photos on the screen, then the photos of one screen below and above, as a lease that is renewed while the page is
// visible. The server stays while a page calls it, even a hidden one: it alone knows the view. `get` returns an
// answer, or nothing, and tells why on the page. A person who comes back to the page finds the photo and the filter
// of before (`history.state`).
//
// The overview has a cell for each group of photos of the whole list, drawn as five times four pixels that the style
// enlarges: the colours of one print of the group, as many as the group has prints, and at the end those that failed.

package enum PageScript {
  /// As it is sent: without its indentation, and without spaces that only help to read it.
  package static let text = source.split(separator: "\n").map { compact($0) }
    .joined(separator: "\n")

  /// A line without the spaces outside literals that do not part two words.
  static func compact(_ line: Substring) -> String {
    var out = ""
    var quote: Character?
    let characters = Array(line.drop { $0 == " " })
    func isWord(_ place: Int) -> Bool {
      characters.indices.contains(place)
        && (characters[place].isLetter || characters[place].isNumber || characters[place] == "_")
    }
    for (place, character) in characters.enumerated() {
      if let open = quote {
        if character == open { quote = nil }
      } else if "\"'`".contains(character) {
        quote = character
      } else if character == " ", !isWord(place - 1) || !isWord(place + 1) {
        continue
      }
      out.append(character)
    }
    return out
  }

  private static let source = #"""
    {
    const all = word => [...document.querySelectorAll(word)], one = word => all(word)[0];
    const { ceil, floor, max, min } = Math;
    const main = one("main"), grid = one("ul"), ask = one("#ask"), buttons = all("button");
    const map = one("#map"), canvas = one("canvas"), pen = canvas.getContext("2d");
    const facts = document.body.dataset, total = +facts.total;
    const DONE = 2, FAILED = 3, PAGE = 50, PAGES = 40, TALLEST = 8e6, EDGE = 26, BELOW = 56;
    const ACROSS = 6, PARTS = 12, HUES = ["#8883", "#b98c", "#876", "#c8402c"];
    const words = ["waiting", "downloaded", "print", "failed"];
    const states = new Uint8Array(total), counts = [total, 0, 0, 0];
    const viewer = crypto.randomUUID().slice(24);
    const OVER = "This view is over. 'darkroomctl open' makes another.";
    const GONE = "This list is not there any more";
    const AWAY = "darkroomd does not answer; trying again, or use 'darkroomctl open'";
    const pool = [], pages = new Map();
    let filter = -1, shown = null, current = 0, columns = 1, row = 1, scale = 1;
    let cells = 0, line = 0, colours = [], wanted = -1, asking = false;
    let record = 0, source = null, turn = 0, leased = false, notice = "", over = false;
    let byName = false, [kept, chosen] = history.state || [0, -1];

    const size = () => shown ? shown.length : total;
    const at = place => shown ? shown[place] : place + 1;
    const top = () => main.scrollTop * scale;
    const clamp = (value, least, most) => max(least, min(value, most));
    const within = place => clamp(place, 0, max(0, size() - 1));
    const text = number => number.toLocaleString("en");
    const ended = () => /finished|cancelled/.test(facts.state);
    const word = state => state < DONE && ended() ? "not done" : words[state];
    const later = (act, time) => {
      act.timer ||= setTimeout(() => { act.timer = 0; act(); }, time);
    };

    const layout = () => {
      const keep = floor(top() / row) * columns, old = row, high = main.clientHeight;
      const tracks = getComputedStyle(grid).gridTemplateColumns.split(" ");
      columns = tracks.length;
      row = parseFloat(tracks[0]) / 1.5 + BELOW;
      const full = ceil(size() / columns) * row + EDGE, height = min(full, TALLEST);
      scale = full > height ? (full - high) / (height - high) : 1;
      grid.style.height = height + "px";
      const need = columns * (ceil(high / row) + 2);
      while (pool.length > need) pool.pop().remove();
      while (pool.length < need) pool.push(tile());
      if (keep && row !== old) main.scrollTop = floor(keep / columns) * row / scale;
      line = map.clientWidth / 7.5;
      cells = min(total, 2048, ACROSS * floor(map.clientHeight / line) || 0);
      draw();
      paint();
      later(dye, 100);
      rested();
    };

    const tile = () => {
      grid.append(one("template").content.cloneNode(true));
      const item = grid.lastElementChild, link = item.firstChild;
      const image = link.firstChild;
      image.onload = () => link.classList.add("there");
      image.onerror = () => {
        if (/thumbs/.test(image.src)) return image.src = `prints/${item.number}`;
        item.key = item.picture = 0;
        later(draw, 5e3);
      };
      return item;
    };

    const span = more => {
      const first = floor((top() - EDGE) / row), count = ceil(main.clientHeight / row);
      return [first - more * count, first + (1 + more) * count + 1]
        .map(line => clamp(line * columns, 0, size()));
    };

    const seen = () => {
      const [first, end] = span(0);
      return current < first || current >= end ? first : current;
    };

    const draw = () => {
      const y = top();
      let [first, end] = span(0);
      first = max(0, first - columns);
      end = min(end, first + pool.length);
      wanted = -1;
      for (const item of pool) item.hidden = true;
      for (let place = first; place < end; place++) fill(pool[place % pool.length], place);
      grid.style.paddingTop = main.scrollTop - y + first / columns * row + EDGE + "px";
      fetchNames();
      point();
    };

    const known = number => {
      const page = floor((number - 1) / PAGE), found = pages.get(page)?.[(number - 1) % PAGE];
      if (!found || states[number - 1] === FAILED && !found[2]) wanted = page;
      return found;
    };

    const fill = (item, place) => {
      const number = at(place), state = states[number - 1];
      const [, name, why] = known(number) || [0, "", ""];
      const key = [place, size(), number, state, name, why, place === current, facts.state].join();
      item.hidden = false;
      item.style.order = place;
      if (item.key === key) return;
      item.key = key;
      const link = item.firstChild, image = link.firstChild, reason = state === FAILED ? why : "";
      item.ariaSetSize = size();
      item.ariaPosInSet = place + 1;
      Object.assign(link.dataset, { number, state });
      image.nextSibling.textContent = state === DONE ? "" : reason || word(state);
      link.lastChild.textContent = name;
      link.ariaLabel = `${number}${name && ", " + name}: ${word(state)}${reason && ", " + reason}`;
      link.role = state === DONE ? null : "img";
      link.tabIndex = place === current ? 0 : -1;
      const picture = state === DONE ? `thumbs/${number}.jpg` : "";
      if (item.picture !== picture) {
        link.className = picture && item.number === number ? "new" : "";
        item.picture = picture;
        if (picture) {
          image.src = picture;
          link.href = `prints/${number}`;
        } else {
          image.removeAttribute("src");
          link.removeAttribute("href");
        }
      }
      item.number = number;
    };

    const fetchNames = async () => {
      if (asking || over || wanted < 0) return;
      const page = wanted;
      asking = true;
      const answer = await get(`photos?offset=${page * PAGE}&count=${PAGE}`);
      const rows = answer && await answer.json().catch(() => 0);
      if (rows) {
        pages.set(page, rows);
        if (pages.size > PAGES) pages.delete(pages.keys().next().value);
      }
      setTimeout(() => { asking = false; draw(); }, rows ? 100 : 3e3);
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
      shown = kind < 0 ? null : new Uint32Array(total).map((_, place) => place + 1)
        .filter(number => kind ? states[number - 1] === kind : states[number - 1] < DONE);
      current = within(current);
      tell();
      layout();
    };

    const tell = () => {
      const numbers = [total, counts[2], counts[0] + counts[1], counts[3]];
      buttons[2].firstChild.data = ended() ? "Not done " : "Waiting ";
      main.className = size() ? "" : "none";
      buttons.forEach((button, place) => {
        button.lastChild.textContent = text(numbers[place]);
        button.ariaPressed = filter === +button.value;
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

    const changed = () => { tell(); draw(); later(paint, 500); later(dye, 5e3); };

    const say = text => { notice = text; tell(); };
    const back = () => {
      over = false;
      if ([AWAY, OVER, GONE].includes(notice)) { say(""); draw(); }
    };

    const get = async target => {
      const answer = await fetch(target).catch(() => 0);
      if (answer.ok) { back(); return answer; }
      over = /40[134]/.test(answer.status);
      say(over ? answer.status === 404 ? GONE : OVER : AWAY);
    };

    const stop = () => { turn++; source?.close(); source = null; };

    const load = async () => {
      stop();
      const mine = turn;
      for (let offset = 0; offset < total;) {
        const answer = await get(`states?offset=${offset}`);
        const digits = answer && await answer.arrayBuffer().catch(() => 0);
        if (mine !== turn || over) return;
        if (digits) {
          if (!offset) record = +answer.headers.get("Darkroom-Record");
          states.set(new Uint8Array(digits).map(digit => digit & 4 ? 3 : digit & 3), offset);
          offset += digits.byteLength || total;
        } else await new Promise(done => setTimeout(done, 3e3));
      }
      counts.fill(0);
      for (const state of states) counts[state]++;
      choose(chosen);
      if (kept) show(kept);
      chosen = kept = undefined;
      if (!document.hidden && !ended()) follow();
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
      on("gone", () => { stop(); later(load, 1e3); });
      source.onerror = () => { say(AWAY); source?.readyState === 2 && later(load, 1e4); };
    };

    const look = () => {
      if (facts.focus !== "1") return;
      const wish = [];
      if (source) {
        const [first, end] = span(0), [before, behind] = span(1);
        for (let [place, last] of [[first, end], [end, behind], [before, first]])
          for (; place < last; place++) if (states[at(place) - 1] < DONE) wish.push(at(place));
      }
      if (!wish.length && !leased) return;
      leased = wish.length > 0;
      fetch("focus", { method: "POST", body: `${viewer} ${wish.slice(0, 150)}`, keepalive: true,
        headers: { "Content-Type": "application/x-darkroom-focus" } }).catch(() => {});
    };

    const move = place => {
      current = within(place);
      const y = floor(current / columns) * row, below = y + row + EDGE - main.clientHeight;
      if (y < top()) main.scrollTop = y / scale;
      else if (below > top()) main.scrollTop = below / scale;
      draw();
      pool[current % pool.length].firstChild.focus({ preventScroll: true });
    };

    const go = number => {
      if (number > total) return say(`There are ${text(total)} photos`);
      shown && choose(-1);
      move(number - 1);
    };

    const find = async name => {
      const answer = await get(`find?after=${at(current) || 0}&text=${encodeURIComponent(name)}`);
      if (!answer) return;
      const { photo } = await answer.json();
      photo ? go(photo) : say(`No photo is named ${name}`);
    };

    ask.onblur = () => { byName = false; };
    ask.onkeydown = event => {
      event.stopPropagation();
      if (event.key === "Escape") return main.focus();
      if (event.key !== "Enter") return;
      const word = ask.value;
      say("");
      if (!byName && /^\d+$/.test(word)) go(+word); else if (word) find(word);
    };

    onkeydown = event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      current = seen();
      const [act, from, line, count] = event.target === map
        ? [jump, cellOf(at(current)), ACROSS, cells] : [move, current, columns, size()];
      const to = { ArrowRight: from + 1, ArrowLeft: from - 1, ArrowDown: from + line,
        ArrowUp: from - line, Home: 0, End: count - 1 }[event.key];
      if (to !== undefined) act(to);
      else if ("/g".includes(event.key)) {
        ask.value = "";
        ask.focus();
        byName = event.key === "/";
      }
      else return;
      event.preventDefault();
    };

    const cellOf = number => floor((number - 1) * cells / total);

    const point = () => {
      const numbers = span(0).map((place, end) => at(within(place - end)) || 1);
      const [first, last] = numbers.map(number => floor(cellOf(number) / ACROSS) * line);
      map.lastChild.style.cssText = `top:${first}px;height:${last - first + line}px`;
      map.ariaValueNow = numbers[0];
      map.ariaValueText = `Photos ${numbers.map(text).join(" to ")} of ${text(total)}`;
    };

    const paint = () => {
      const tally = new Uint32Array(4 * cells);
      for (let place = 0; place < total; place++)
        tally[4 * floor(place * cells / total) + states[place]]++;
      canvas.width = 5 * ACROSS;
      canvas.height = 4 * ceil(cells / ACROSS);
      for (let cell = 0; cell < cells; cell++) {
        const [open, wet, done, failed] = tally.subarray(4 * cell), known = colours[cell];
        const share = PARTS / (open + wet + done + failed);
        for (let part = 0; part < PARTS; part++) {
          pen.fillStyle = part + failed * share > PARTS - 1 ? HUES[3]
            : part >= done * share ? HUES[+(wet > open)]
            : known ? "#" + known.substr(3 * part, 3) : HUES[2];
          pen.fillRect(cell % ACROSS * 5 + part % 4, floor(cell / ACROSS) * 4 + floor(part / 4), 1, 1);
        }
      }
    };

    const dye = async () => {
      if (!cells || !counts[DONE]) return;
      const answer = await get(`colours?groups=${cells}`);
      if (answer) colours = (await answer.text()).split(",");
      paint();
    };

    const show = number => {
      current = within(shown ? shown.filter(other => other < number).length : number - 1);
      main.scrollTop = floor(current / columns) * row / scale;
      draw();
    };

    const jump = cell => show(ceil(clamp(cell, 0, cells - 1) * total / cells) + 1);

    map.onpointerdown = map.onpointermove = event => {
      if (!event.buttons) return;
      map.setPointerCapture(event.pointerId);
      jump(floor(event.offsetY / line) * ACROSS
        + clamp(floor(event.offsetX / line * .8), 0, ACROSS - 1));
    };

    let rest = 0;
    const settle = () => { history.replaceState([at(seen()), filter], ""); look(); };
    const rested = () => { clearTimeout(rest); rest = setTimeout(settle, 150); };
    main.onscroll = () => { draw(); rested(); };
    const leave = () => { stop(); look(); };
    document.onvisibilitychange = () => document.hidden ? leave() : load();
    onpagehide = leave;
    onpageshow = load;
    setInterval(() => leased && look(), 6e3);
    setInterval(() => over || get(""), 3e4);
    grid.addEventListener("focusin", event => {
      current = +event.target.closest("li").style.order;
      rested();
    });
    for (const button of buttons)
      button.onclick = () => { main.scrollTop = current = 0; choose(+button.value); };
    new ResizeObserver(layout).observe(main);
    }

    """#
}
