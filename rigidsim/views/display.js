// The data of the page, and the motion of all bodies relative to any of them, in doubles.

const WORLD = -1;
const POSE = 7; // x y z, then the quaternion w x y z
const MOTION = 13; // then velocity and angular velocity

async function bytesOf(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// The rows of columns (column, frame), which come as second differences along frames, one plane of bytes after another.
async function columnsOf({ planes, steps, offsets }, frames) {
  const [bytes, step, offset] = [new Uint8Array(await bytesOf(planes)), await doubles(steps), await doubles(offsets)];
  const n = bytes.length / 4;
  const values = new Float64Array(n);
  for (let column = 0, k = 0; column < step.length; column++) {
    let value = 0;
    let slope = 0;
    for (let frame = 0; frame < frames; frame++, k++) {
      slope = (slope + (bytes[k] | (bytes[n + k] << 8) | (bytes[2 * n + k] << 16) | (bytes[3 * n + k] << 24))) | 0;
      value = (value + slope) | 0;
      values[k] = offset[column] + step[column] * value;
    }
  }
  return values;
}

const doubles = async (text) => new Float64Array(await bytesOf(text));
const integers = async (text) => new Int32Array(await bytesOf(text));
const floats = async (text) => new Float32Array(await bytesOf(text));

// out[o..] = A[a..] after B[b..]: of B in A's parent.
function compose(out, o, A, a, B, b) {
  const [w, x, y, z] = [A[a + 3], A[a + 4], A[a + 5], A[a + 6]];
  const turned = (i) => {
    const [u0, u1, u2] = [B[b + i], B[b + i + 1], B[b + i + 2]];
    const [t0, t1, t2] = [2 * (y * u2 - z * u1), 2 * (z * u0 - x * u2), 2 * (x * u1 - y * u0)];
    return [u0 + w * t0 + y * t2 - z * t1, u1 + w * t1 + z * t0 - x * t2, u2 + w * t2 + x * t1 - y * t0];
  };
  const [d, v, r] = [turned(0), turned(7), turned(10)];
  const [r0, r1, r2] = [A[a + 10], A[a + 11], A[a + 12]];
  const [bw, bx, by, bz] = [B[b + 3], B[b + 4], B[b + 5], B[b + 6]];
  const speed = [r1 * d[2] - r2 * d[1], r2 * d[0] - r0 * d[2], r0 * d[1] - r1 * d[0]];
  for (let i = 0; i < 3; i++) {
    const [p, s, omega] = [A[a + i], A[a + 7 + i], A[a + 10 + i]];
    out[o + i] = p + d[i];
    out[o + 7 + i] = s + speed[i] + v[i];
    out[o + 10 + i] = omega + r[i];
  }
  out[o + 3] = w * bw - x * bx - y * by - z * bz;
  out[o + 4] = w * bx + x * bw + y * bz - z * by;
  out[o + 5] = w * by - x * bz + y * bw + z * bx;
  out[o + 6] = w * bz + x * by - y * bx + z * bw;
}

// A point in the axes of a body, of which the motions of all have the row.
function placeIn(motions, row, point) {
  const place = Float64Array.from(STILL);
  place.set(point);
  compose(place, 0, motions, row * MOTION, place, 0);
  return place.subarray(0, 3);
}

const STILL = Float64Array.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

// The motion of the parent relative to the body.
function inverse(A, a) {
  const back = Float64Array.from(STILL);
  const [p, v, r] = [A.slice(a, a + 3), A.slice(a + 7, a + 10), A.slice(a + 10, a + 13)];
  const turn = Float64Array.from([0, 0, 0, A[a + 3], -A[a + 4], -A[a + 5], -A[a + 6], 0, 0, 0, 0, 0, 0]);
  const moved = Float64Array.from(STILL);
  for (let i = 0; i < 3; i++) {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    moved[i] = -p[i];
    moved[7 + i] = r[j] * p[k] - r[k] * p[j] - v[i];
    moved[10 + i] = -r[i];
  }
  compose(back, 0, turn, 0, moved, 0);
  return back;
}

async function readLoads({ sample, contacts, force, inertial, strongest, largest }) {
  const read = { sample: await integers(sample), contacts: null, strongest, largest };
  read.force = force && (await floats(force));
  read.inertial = inertial && (await floats(inertial));
  if (contacts) {
    const [begins, body] = await Promise.all([contacts.begins, contacts.body].map(integers));
    const [point, push] = await Promise.all([contacts.point, contacts.force].map(floats));
    read.contacts = { begins, body, point, force: push };
  }
  return read;
}

class Display {
  static async read(data) {
    const display = Object.assign(new Display(), data);
    display.count = data.paths.length;
    display.time = await doubles(data.time);
    display.frames = display.time.length;
    display.tree = await integers(data.tree);
    display.trees = await Promise.all(data.trees.map(integers));
    display.local = await display.motions(data);
    display.hasRates = data.rates !== null;
    display.loads = data.loads && (await readLoads(data.loads));
    display.choose(display.chapters[0] ?? { first: 0, last: display.frames - 1 });
    return display;
  }

  // Show the frames of a chapter.
  choose({ first, last }) {
    Object.assign(this, { first, last, begin: this.time[first], end: this.time[last] });
  }

  // (frame, body, MOTION) relative to the parents.
  async motions({ exact, rounded, rates }) {
    const local = new Float64Array(this.frames * this.count * MOTION);
    const put = (values, rows, first, width) => {
      rows.forEach((row, i) => {
        for (let c = 0; c < width; c++) {
          const from = (i * width + c) * this.frames;
          for (let frame = 0; frame < this.frames; frame++) {
            local[(frame * this.count + row) * MOTION + first + c] = values[from + frame];
          }
        }
      });
    };
    put(await doubles(exact.values), exact.rows, 0, POSE);
    put(await columnsOf(rounded, this.frames), rounded.rows, 0, POSE);
    if (rates) put(await columnsOf(rates, this.frames), [...Array(this.count).keys()], POSE, 6);
    return local;
  }

  // The last frame not after a time, and how far it is from there to the next, 0 to 1.
  place(time) {
    let [low, high] = [0, this.frames - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, this.frames - 1);
    const span = this.time[next] - this.time[low];
    const part = span > 0 && this.tree[low] === this.tree[next] ? (time - this.time[low]) / span : 0;
    return [low, Math.max(0, Math.min(1, part))];
  }

  // Motions relative to the parents at a frame and a part of the way to the next, by body.
  between(frame, part) {
    const size = this.count * MOTION;
    const here = this.local.subarray(frame * size, (frame + 1) * size);
    if (part === 0) return here;
    const next = this.local.subarray((frame + 1) * size, (frame + 2) * size);
    const mixed = new Float64Array(size);
    for (let o = 0; o < size; o += MOTION) {
      let [cosine, square] = [0, 0];
      for (let i = 3; i < POSE; i++) cosine += here[o + i] * next[o + i];
      for (let i = 0; i < MOTION; i++) {
        const sign = i >= 3 && i < POSE && cosine < 0 ? -1 : 1;
        mixed[o + i] = here[o + i] + part * (sign * next[o + i] - here[o + i]);
        if (i >= 3 && i < POSE) square += mixed[o + i] ** 2;
      }
      for (let i = 3; i < POSE; i++) mixed[o + i] /= Math.sqrt(square);
    }
    return mixed;
  }

  // The motions of bodies relative to the one of the row `from`, out[body * MOTION ...]; the world is at the end.
  seenFrom(from, frame, part = 0, bodies = null) {
    const local = this.between(frame, part);
    const parents = this.trees[this.tree[frame]];
    const out = new Float64Array((this.count + 1) * MOTION);
    const found = new Uint8Array(this.count + 1);
    const place = (row) => (row === WORLD ? this.count : row);
    out.set(STILL, place(from) * MOTION);
    found[place(from)] = 1;
    for (let row = from; row !== WORLD; row = parents[row]) {
      const above = place(parents[row]);
      compose(out, above * MOTION, out, row * MOTION, inverse(local, row * MOTION), 0);
      found[above] = 1;
    }
    const line = [];
    const find = (body) => {
      for (let row = body; !found[place(row)]; row = parents[row]) line.push(row);
      while (line.length) {
        const row = line.pop();
        compose(out, row * MOTION, out, place(parents[row]) * MOTION, local, row * MOTION);
        found[row] = 1;
      }
    };
    if (bodies) bodies.forEach(find);
    else for (let body = 0; body < this.count; body++) find(body);
    return out;
  }

  // The positions of bodies at the frames of the chapter relative to the one of the row `from`: a Float64Array
  // (frame, 3) for each.
  pathsFrom(from, bodies) {
    const paths = bodies.map(() => new Float64Array(3 * (this.last - this.first + 1)));
    for (let frame = this.first; frame <= this.last; frame++) {
      const seen = this.seenFrom(from, frame, 0, bodies);
      const place = 3 * (frame - this.first);
      bodies.forEach((body, i) => paths[i].set(seen.subarray(body * MOTION, body * MOTION + 3), place));
    }
    return paths;
  }
}
