// The controls of the page.

const element = (id) => document.getElementById(id);
const SPEEDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const MOST_LABELS = 12;
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
  constructor(stage, show) {
    Object.assign(this, { stage, show, playing: false, speed: stage.speed });
    this.fillLists();
    this.connect();
    this.labels = this.makeLabels();
    this.cover();
    this.lookFrom(stage.from);
    this.followBody(stage.follow);
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  fillLists() {
    const { stage } = this;
    element("title").textContent = stage.title;
    const bodies = stage.known.map((row) => [row, stage.paths[row]]);
    this.fill("from", [[WORLD, "the world"], ...bodies]);
    this.fill("follow", [["", "nothing"], ...bodies]);
    this.fill(
      "speed",
      SPEEDS.map((factor) => [factor * stage.speed, `${digits(factor * stage.speed)} ×`]),
    );
    element("speed").value = stage.speed;
    element("notes").textContent = stage.notes.join(" ");
    const recorded = {
      velocity: stage.hasRates,
      rate: stage.hasRates,
      contact: stage.loads?.contacts,
      force: stage.loads?.force,
      inertial: stage.loads?.inertial,
    };
    for (const [id, found] of Object.entries(recorded)) element(id).parentElement.hidden = !found;
    if (window.innerWidth < 700) element("panel").classList.add("closed");
    element("time").max = 1000000;
    if (stage.frames < 2) element("player").hidden = true;
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
    const { stage, show } = this;
    element("play").addEventListener("click", () => this.play(!this.playing));
    element("time").addEventListener("input", (event) => {
      this.play(false);
      this.setTime(stage.begin + ((stage.end - stage.begin) * event.target.value) / 1e6);
    });
    element("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    element("from").addEventListener("change", (event) => this.lookFrom(Number(event.target.value)));
    element("follow").addEventListener("change", ({ target }) =>
      this.followBody(target.value === "" ? null : Number(target.value)),
    );
    element("all").addEventListener("click", () => show.showAll());
    element("menu").addEventListener("click", () => {
      element("panel").classList.toggle("closed");
      this.cover();
    });
    for (const box of document.querySelectorAll("#panel input[type=checkbox]")) {
      if (box.id === "labels") box.checked = stage.known.length <= MOST_LABELS;
      else if (box.id === "axes") box.checked = stage.known.length <= MOST_LABELS;
      if (box.id === "contact") box.checked = mostAtOnce(stage.loads?.contacts) <= MOST_CONTACTS;
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
    this.show.camera.covered = window.innerWidth < 700 ? 0 : element("panel").offsetWidth;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    if (event.key === " " && (event.target.tagName === "BUTTON" || event.target.type === "checkbox")) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key === " ") this.play(!this.playing);
    else if (event.key in steps) this.step(steps[event.key] * (event.shiftKey ? 10 : 1));
    else if (event.key === "Home") this.setTime(this.stage.begin);
    else if (event.key === "End") this.setTime(this.stage.end);
    else if (event.key === "0") this.show.showAll();
    else return;
    event.preventDefault();
  }

  step(count) {
    this.play(false);
    const frame = this.stage.place(this.show.time)[0] + count;
    this.setTime(this.stage.time[Math.max(0, Math.min(this.stage.frames - 1, frame))]);
  }

  play(playing) {
    this.playing = playing && this.stage.frames > 1;
    if (this.playing && this.show.time >= this.stage.end) this.setTime(this.stage.begin);
    element("play").textContent = this.playing ? "❚❚" : "▶";
    element("play").setAttribute("aria-label", this.playing ? "pause" : "play");
  }

  setTime(time) {
    this.show.time = Math.max(this.stage.begin, Math.min(this.stage.end, time));
  }

  lookFrom(row) {
    this.show.lookFrom(row);
    this.show.followed = undefined;
    element("from").value = row;
    if (this.show.follow !== null) this.followBody(this.show.follow);
  }

  followBody(row) {
    const { show, stage } = this;
    Object.assign(show, { follow: row, followed: undefined });
    element("follow").value = row ?? "";
    show.makePaths();
    if (row === null) return;
    const [frame, part] = stage.place(show.time);
    const seen = stage.seenFrom(show.from, frame, part, [row]);
    show.camera.target = [...seen.subarray(row * MOTION, row * MOTION + 3)];
    if (stage.reach[row] > 0) show.camera.distance = 12 * stage.reach[row];
  }

  tick(now) {
    const { stage, show } = this;
    const passed = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.playing) {
      const time = show.time + passed * this.speed;
      this.setTime(time > stage.end && element("loop").checked ? stage.begin : time);
      if (time > stage.end && !element("loop").checked) this.play(false);
    }
    show.draw();
    this.write();
    this.placeLabels();
    requestAnimationFrame((later) => this.tick(later));
  }

  write() {
    const { stage, show } = this;
    const span = stage.end - stage.begin;
    const decimals = span > 0 ? Math.max(0, Math.min(9, 3 - Math.floor(Math.log10(span)))) : 3;
    const text = `${show.time.toFixed(decimals)} s`;
    if (element("clock").textContent !== text) element("clock").textContent = text;
    element("time").value = span > 0 ? (1e6 * (show.time - stage.begin)) / span : 0;
    const told = [];
    if (show.drawn.grid) told.push(`grid ${metres(show.spacing)}`);
    const { loads } = stage;
    const largest = [
      ["velocity", stage.hasRates, show.fastest.speed, "m/s"],
      ["rate", stage.hasRates, show.fastest.rate, "rad/s"],
      ["contact", loads?.contacts, loads?.strongest, "N"],
      ["force", loads?.force, loads?.largest, "m/s²"],
      ["inertial", loads?.inertial, loads?.largest, "m/s²"],
    ];
    for (const [id, found, value, unit] of largest) {
      const name = element(id).parentElement.textContent.trim();
      if (show.drawn[id] && found) told.push(`${name}: ${ARROW_PIXELS} px = ${digits(value)} ${unit}`);
    }
    if (element("scales").textContent !== told.join(", ")) element("scales").textContent = told.join(", ");
  }

  makeLabels() {
    const { stage } = this;
    const ends = stage.paths.map((path) => path.split("/").pop());
    return [WORLD, ...stage.known].map((row) => {
      const label = document.createElement("div");
      label.className = "label";
      const isUnique = ends.filter((end) => end === ends[row]).length === 1;
      label.textContent = row === WORLD ? "world" : isUnique ? ends[row] : stage.paths[row];
      element("labels-layer").append(label);
      return [row, label];
    });
  }

  placeLabels() {
    const layer = element("labels-layer");
    layer.hidden = !element("labels").checked;
    if (layer.hidden) return;
    const taken = [];
    for (const [row, label] of this.labels) {
      const place = this.show.camera.project(...this.show.placeOf(row).toArray());
      label.hidden = place === null;
      if (place === null) continue;
      let [x, y] = [place[0] + 10, place[1] - 22];
      const wide = 7 * label.textContent.length;
      const covers = ([left, top, width]) => left < x + wide && x < left + width && Math.abs(top - y) < 15;
      while (taken.some(covers)) y -= 15;
      taken.push([x, y, wide]);
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}

async function open() {
  if (typeof DecompressionStream === "undefined") {
    say("This page needs a browser of 2023 or later.");
    return;
  }
  const stage = await Stage.read(JSON.parse(element("stage").textContent));
  let show;
  try {
    show = new Show(stage, element("canvas"));
  } catch {
    say("This page needs WebGL 2, which this browser does not have or has switched off.");
    return;
  }
  await show.build();
  const page = new Page(stage, show);
  const rowOf = (path) => (path === "world" ? WORLD : stage.paths.indexOf(path));
  // For tests and for the console.
  window.rigidsim = {
    setTime: (time) => (page.play(false), page.setTime(time), show.draw()),
    time: () => show.time,
    lookFrom: (path) => (page.lookFrom(rowOf(path)), show.draw()),
    follow: (path) => (page.followBody(path === null ? null : rowOf(path)), show.draw()),
    positionOnScreen: (path) => (show.draw(), show.camera.project(...show.placeOf(rowOf(path)).toArray())),
    position: (path) => (show.draw(), [...show.seen.subarray(rowOf(path) * MOTION, rowOf(path) * MOTION + 3)]),
    paths: () => show.paths.length,
    page,
  };
}

open().catch((error) => {
  say(`This page cannot be shown: ${error.message}`);
  throw error;
});
