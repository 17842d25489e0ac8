// The controls of the page.

const element = (id) => document.getElementById(id);
const SPEEDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const MOST_LABELS = 12;
const FOLLOWED_ROOM = 3; // radii of a body that is followed
const LABEL_HEIGHT = 16; // px
const FARTHEST_LABEL = 3; // heights from its place
const MOST_CONTACTS = 20; // more are shown on demand

function say(text) {
  const message = element("message");
  message.textContent = text;
  message.hidden = false;
}

function digits(value, count = 3) {
  return value === 0 ? "0" : String(Number(value.toPrecision(count)));
}

// A length with a fitting unit.
function metres(value) {
  const [unit, factor] =
    value >= 1e3 ? ["km", 1e-3] : value >= 1 ? ["m", 1] : value >= 0.01 ? ["cm", 100] : ["mm", 1000];
  return `${digits(value * factor)} ${unit}`;
}

class Page {
  constructor(display, show) {
    Object.assign(this, { display, show, playing: false, speed: display.speed });
    this.fillLists();
    this.connect();
    this.labels = this.makeLabels();
    this.cover();
    this.lookFrom(display.from);
    this.followBody(display.follow);
    if (display.chapters.length) this.choose(0);
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  fillLists() {
    const { display } = this;
    element("title").textContent = display.title;
    const bodies = display.known.map((row) => [row, display.paths[row]]);
    this.fill("from", [[WORLD, "the world"], ...bodies]);
    this.fill("follow", [["", "nothing"], ...bodies]);
    this.fill(
      "speed",
      SPEEDS.map((factor) => [factor * display.speed, `${digits(factor * display.speed)} ×`]),
    );
    element("speed").value = display.speed;
    this.fill(
      "chapter",
      display.chapters.map(({ name }, k) => [k, name]),
    );
    element("chapter").parentElement.hidden = !display.chapters.length;
    element("notes").textContent = display.notes.join(" ");
    const recorded = {
      joints: display.joints.length || display.links.length,
      velocity: display.hasRates,
      rate: display.hasRates,
      contact: display.loads?.contacts,
      force: display.loads?.force,
      inertial: display.loads?.inertial,
    };
    for (const [id, found] of Object.entries(recorded)) element(id).parentElement.hidden = !found;
    if (window.innerWidth < 700) element("panel").classList.add("closed");
    element("time").max = 1000000;
    if (display.frames < 2) element("player").hidden = true;
  }

  fill(id, options) {
    for (const [value, text] of options) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      element(id).append(option);
    }
  }

  connect() {
    const { display, show } = this;
    element("play").addEventListener("click", () => this.play(!this.playing));
    element("time").addEventListener("input", (event) => {
      this.play(false);
      this.setTime(display.begin + ((display.end - display.begin) * event.target.value) / 1e6);
    });
    element("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    element("from").addEventListener("change", (event) => this.lookFrom(Number(event.target.value)));
    element("follow").addEventListener("change", ({ target }) =>
      this.followBody(target.value === "" ? null : Number(target.value)),
    );
    element("chapter").addEventListener("change", ({ target }) => this.choose(Number(target.value)));
    element("all").addEventListener("click", () => show.showAll());
    element("menu").addEventListener("click", () => {
      element("panel").classList.toggle("closed");
      this.cover();
    });
    for (const box of document.querySelectorAll("#panel input[type=checkbox]")) {
      if (["labels", "axes", "joints"].includes(box.id)) box.checked = display.known.length <= MOST_LABELS;
      if (box.id === "contact") box.checked = mostAtOnce(display.loads?.contacts) <= MOST_CONTACTS;
      if (box.id !== "labels") show.drawn[box.id] = box.checked;
      box.addEventListener("change", () => (show.drawn[box.id] = box.checked));
    }
    document.addEventListener("keydown", (event) => this.key(event));
    // Keys are for the page, except for who walks through the controls with them.
    document.addEventListener("change", () => document.activeElement.blur());
    document.addEventListener(
      "click",
      (event) => event.detail > 0 && event.target.tagName === "BUTTON" && event.target.blur(),
    );
  }

  // What the panel covers of the picture, which is shown beside it.
  cover() {
    const panel = element("panel");
    const below = document.querySelector("header").getBoundingClientRect().bottom;
    panel.style.top = `${window.innerWidth < 700 ? Math.max(44, below + 6) : 44}px`;
    this.show.camera.covered = window.innerWidth < 700 ? 0 : panel.offsetWidth;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    if (event.key === " " && (event.target.tagName === "BUTTON" || event.target.type === "checkbox")) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key === " ") this.play(!this.playing);
    else if (event.key in steps) this.step(steps[event.key] * (event.shiftKey ? 10 : 1));
    else if (event.key === "Home") this.setTime(this.display.begin);
    else if (event.key === "End") this.setTime(this.display.end);
    else if (event.key === "0") this.show.showAll();
    else return;
    event.preventDefault();
  }

  step(count) {
    this.play(false);
    const frame = this.display.place(this.show.time)[0] + count;
    this.setTime(this.display.time[Math.max(0, Math.min(this.display.frames - 1, frame))]);
  }

  play(playing) {
    this.playing = playing && this.display.frames > 1;
    if (this.playing && this.show.time >= this.display.end) this.setTime(this.display.begin);
    element("play").textContent = this.playing ? "❚❚" : "▶";
    element("play").setAttribute("aria-label", this.playing ? "pause" : "play");
  }

  setTime(time) {
    this.show.time = Math.max(this.display.begin, Math.min(this.display.end, time));
  }

  choose(chapter) {
    this.display.choose(this.display.chapters[chapter]);
    element("chapter").value = chapter;
    this.setTime(this.display.begin);
    this.show.makePaths();
    this.play(true);
  }

  lookFrom(row) {
    this.show.lookFrom(row);
    this.show.followed = undefined;
    element("from").value = row;
    if (this.show.follow !== null) this.followBody(this.show.follow);
  }

  followBody(row) {
    const { show, display } = this;
    Object.assign(show, { follow: row, followed: undefined });
    element("follow").value = row ?? "";
    show.makePaths();
    if (row === null) return;
    const [frame, part] = display.place(show.time);
    const seen = display.seenFrom(show.from, frame, part, [row]);
    const middle = [...placeIn(seen, row, display.middle[row])];
    const room = (row === display.follow && display.room) || FOLLOWED_ROOM * display.reach[row];
    if (room > 0) show.camera.show([[...middle, room]]);
    else show.camera.target = middle;
  }

  tick(now) {
    const { display, show } = this;
    const passed = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.playing) {
      const time = show.time + passed * this.speed;
      this.setTime(time > display.end && element("loop").checked ? display.begin : time);
      if (time > display.end && !element("loop").checked) this.play(false);
    }
    show.draw();
    this.write();
    this.placeLabels();
    requestAnimationFrame((later) => this.tick(later));
  }

  write() {
    const { display, show } = this;
    const span = display.end - display.begin;
    const decimals = span > 0 ? Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span)))) : 3;
    const phase = (360 * (show.time - display.begin)) / span;
    const text = display.chapters.length ? `${phase.toFixed(0)}°` : `${show.time.toFixed(decimals)} s`;
    if (element("clock").textContent !== text) element("clock").textContent = text;
    element("time").value = span > 0 ? (1e6 * (show.time - display.begin)) / span : 0;
    const texts = [];
    if (show.drawn.grid) texts.push(`grid ${metres(show.spacing)}`);
    const { loads } = display;
    const largest = [
      ["velocity", display.hasRates, show.fastest.speed, "m/s"],
      ["rate", display.hasRates, show.fastest.rate, "rad/s"],
      ["contact", loads?.contacts, loads?.strongest, "N"],
      ["force", loads?.force, loads?.largest, "m/s²"],
      ["inertial", loads?.inertial, loads?.largest, "m/s²"],
    ];
    for (const [id, found, value, unit] of largest) {
      const name = element(id).parentElement.textContent.trim();
      if (show.drawn[id] && found) texts.push(`${name}: ${ARROW_PIXELS} px = ${digits(value)} ${unit}`);
    }
    if (element("scales").textContent !== texts.join(", ")) element("scales").textContent = texts.join(", ");
  }

  makeLabels() {
    const { display } = this;
    const ends = display.paths.map((path) => path.split("/").pop());
    const uses = new Map();
    for (const end of ends) uses.set(end, (uses.get(end) ?? 0) + 1);
    return [WORLD, ...display.known].map((row) => {
      const label = document.createElement("div");
      label.className = "label";
      label.textContent = row === WORLD ? "world" : uses.get(ends[row]) === 1 ? ends[row] : display.paths[row];
      const leader = document.createElementNS("http://www.w3.org/2000/svg", "line");
      element("labels-layer").append(label);
      element("leaders").append(leader);
      return { row, label, leader, wide: 0 };
    });
  }

  // Labels beside the middles of bodies, above each other where they would overlap; each has a line to its body. They
  // cover neither the title nor the player, and stay in the window. One that finds no room nearby is left out.
  placeLabels() {
    const layer = element("labels-layer");
    layer.hidden = !element("labels").checked;
    if (layer.hidden) return;
    const box = document.querySelector("header").getBoundingClientRect();
    const taken = [[box.left, box.top, box.width, box.height]];
    const [width, lowest] = [window.innerWidth, window.innerHeight - LABEL_HEIGHT - 60];
    for (const one of this.labels) {
      const { row, label, leader } = one;
      const place = this.show.camera.project(...this.show.middleOf(row).toArray());
      const isSeen = place !== null && place[0] > 0 && place[0] < width && place[1] > 0 && place[1] < window.innerHeight;
      label.hidden = !isSeen;
      if (isSeen) one.wide ||= label.offsetWidth;
      const left = isSeen ? Math.max(2, Math.min(place[0] + 10, width - one.wide - 2)) : 0;
      const top = isSeen ? this.freeTop(taken, left, Math.min(place[1] - 22, lowest), one.wide) : null;
      label.hidden = top === null;
      leader.setAttribute("visibility", top === null ? "hidden" : "visible");
      if (top === null) continue;
      taken.push([left, top, one.wide, LABEL_HEIGHT]);
      label.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
      const ends = { x1: place[0], y1: place[1], x2: left + 2, y2: top + LABEL_HEIGHT / 2 };
      for (const [name, value] of Object.entries(ends)) leader.setAttribute(name, value.toFixed(1));
    }
  }

  // The nearest height at or above a wanted one, or else below it, at which a label covers none that are there; null if
  // there is none nearby.
  freeTop(taken, left, wanted, wide) {
    const isFree = (top) =>
      taken.every(([x, y, w, h]) => x >= left + wide || left >= x + w || y >= top + LABEL_HEIGHT || top >= y + h);
    const steps = [...Array(FARTHEST_LABEL + 1).keys()];
    const tops = [...steps.map((k) => wanted - k * LABEL_HEIGHT), ...steps.map((k) => wanted + k * LABEL_HEIGHT)];
    return tops.find((top) => top > 2 && isFree(top)) ?? null;
  }
}

async function open() {
  if (typeof DecompressionStream === "undefined") {
    say("This page needs a browser of 2023 or later.");
    return;
  }
  const display = await Display.read(JSON.parse(element("display").textContent));
  let show;
  try {
    show = new Show(display, element("canvas"));
  } catch {
    say("This page needs WebGL 2, which this browser does not have or has switched off.");
    return;
  }
  await show.build();
  const page = new Page(display, show);
  const rowOf = (path) => (path === "world" ? WORLD : display.paths.indexOf(path));
  // For tests and for the console.
  window.rigidsim = {
    setTime: (time) => (page.play(false), page.setTime(time), show.draw()),
    time: () => show.time,
    lookFrom: (path) => (page.lookFrom(rowOf(path)), show.draw()),
    follow: (path) => (page.followBody(path === null ? null : rowOf(path)), show.draw()),
    positionOnScreen: (path) => (show.draw(), show.camera.project(...show.placeOf(rowOf(path)).toArray())),
    position: (path) => (show.draw(), [...show.seen.subarray(rowOf(path) * MOTION, rowOf(path) * MOTION + 3)]),
    paths: () => show.paths.length,
    choose: (chapter) => (page.choose(chapter), page.play(false), show.draw()),
    page,
  };
}

open().catch((error) => {
  say(`This page cannot be shown: ${error.message}`);
  throw error;
});
