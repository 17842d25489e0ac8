// Axes of bodies, and arrows for what moves them, as long as a scale on the page says.

const AXIS_PIXELS = 45;
const ARROW_PIXELS = 110;
const LONGEST = 1.5; // of that
const ARROWS = {
  velocity: "#1a1a1a",
  rate: "#7b3fa0",
  contact: "#b0202a",
  force: "#b0202a",
  inertial: "#008b8b",
};
const JOINT = { colour: "#b8860b", pixels: 28 }; // half the length of an axis
const LINK = { colour: "#59616b", rod: 2, line: 1, wide: 8, slimmest: 0.15 }; // px; half the width, of the length

// The largest number of contact points in a frame.
function mostAtOnce(contacts) {
  return contacts ? contacts.begins.reduce((most, begin, k, all) => Math.max(most, begin - (all[k - 1] ?? 0)), 0) : 0;
}

function drawArrows(show) {
  const { display, camera, arrows, points } = show;
  const eye = camera.three.position;
  const pixel = (place) => camera.pixel(place.distanceTo(eye));
  const draw = (place, vector, most, colour) => {
    if (!(most > 0)) return;
    const px = pixel(place);
    const length = Math.min(vector.length() / most, LONGEST) * ARROW_PIXELS * px;
    arrows.put(place, vector.setLength(length), 2 * px, colour);
  };
  arrows.begin();
  points.begin();
  if (show.drawn.axes) drawAxes(show, pixel);
  drawJoints(show, pixel);
  drawLinks(show, pixel);
  if (display.hasRates) drawRates(show, draw);
  if (display.loads) {
    drawContacts(show, draw, pixel);
    drawTerms(show, draw);
  }
  points.end();
  arrows.end();
}

function drawAxes(show, pixel) {
  const { display } = show;
  for (const body of [WORLD, ...display.known]) {
    if (display.kinds[body] === "fixed" && display.reach[body] > 0 && body !== show.from) continue; // part of another
    const pose = show.pose(body);
    const place = new THREE.Vector3().setFromMatrixPosition(pose);
    const px = pixel(place);
    const length = Math.max((show.isStill ? 3 : 1) * AXIS_PIXELS * px, body === WORLD ? 0 : 1.2 * display.reach[body]);
    AXIS_COLOURS.forEach((colour, i) => {
      const axis = new THREE.Vector3().setFromMatrixColumn(pose, i).multiplyScalar(length);
      show.arrows.put(place, axis, 1.2 * px, colour);
    });
  }
}

const isThere = (time, begin, until) => begin <= time && (until === null || time < until);

// The axis of each joint, and its point.
function drawJoints(show, pixel) {
  const { display } = show;
  const [points, axes] = show.joints;
  const matrix = new THREE.Matrix4();
  show.joints.forEach((one) => one.begin());
  for (const { on, point, axis, begin, until } of show.drawn.joints ? display.joints : []) {
    if (!isThere(show.time, begin, until)) continue;
    const pose = show.pose(on);
    const place = new THREE.Vector3(...point).applyMatrix4(pose);
    const px = pixel(place);
    points.put(matrix.makeScale(4 * px, 4 * px, 4 * px).setPosition(place), JOINT.colour);
    if (!axis) continue;
    const half = JOINT.pixels * px;
    const along = new THREE.Vector3(...axis).transformDirection(pose);
    const turn = new THREE.Quaternion().setFromUnitVectors(Z(), along);
    const size = new THREE.Vector3(1.5 * px, 1.5 * px, 2 * half);
    axes.put(matrix.compose(place.addScaledVector(along, -half), turn, size), JOINT.colour);
  }
  show.joints.forEach((one) => one.end());
}

// Rods, springs and dampers, each by the lines of its symbol, in a plane that faces the camera.
function drawLinks(show, pixel) {
  const { display, links } = show;
  const eye = show.camera.three.position;
  const [matrix, turn] = [new THREE.Matrix4(), new THREE.Quaternion()];
  links.begin();
  for (const { kind, body, point, other, other_point, begin, until } of show.drawn.joints ? display.links : []) {
    if (!isThere(show.time, begin, until)) continue;
    const a = new THREE.Vector3(...point).applyMatrix4(show.pose(body));
    const along = new THREE.Vector3(...other_point).applyMatrix4(show.pose(other)).sub(a);
    const middle = a.clone().addScaledVector(along, 0.5);
    const px = pixel(middle);
    const half = Math.min(LINK.wide * px, LINK.slimmest * along.length());
    const across = along.clone().cross(middle.sub(eye)).setLength(half);
    const radius = (kind === "rod" ? LINK.rod : LINK.line) * px;
    const place = ([way, aside]) => a.clone().addScaledVector(along, way).addScaledVector(across, aside);
    for (const line of display.symbols[kind]) {
      for (let k = 1; k < line.length; k++) {
        const [from, to] = [place(line[k - 1]), place(line[k])];
        const length = from.distanceTo(to);
        if (!(length > 0)) continue;
        turn.setFromUnitVectors(Z(), to.sub(from).divideScalar(length));
        const colour = body === other ? display.colours[body] : LINK.colour;
        links.put(matrix.compose(from, turn, new THREE.Vector3(radius, radius, length)), colour);
      }
    }
  }
  links.end();
}

function drawRates(show, draw) {
  const { display, drawn, fastest, seen } = show;
  for (const body of display.interest) {
    const vector = (first) => new THREE.Vector3(...seen.subarray(body * MOTION + first, body * MOTION + first + 3));
    if (drawn.velocity) draw(show.placeOf(body), vector(7), fastest.speed, ARROWS.velocity);
    if (drawn.rate) draw(show.placeOf(body), vector(10), fastest.rate, ARROWS.rate);
  }
}

function drawContacts(show, draw, pixel) {
  const { sample, contacts, strongest } = show.display.loads;
  const now = sample[show.frame];
  const [begin, end] = contacts && show.drawn.contact ? contacts.begins.subarray(now, now + 2) : [0, 0];
  const size = new THREE.Matrix4();
  for (let k = begin; k < end; k++) {
    const pose = show.pose(contacts.body[k]);
    const place = new THREE.Vector3(...contacts.point.subarray(3 * k, 3 * k + 3)).applyMatrix4(pose);
    const radius = 3 * pixel(place);
    show.points.put(size.makeScale(radius, radius, radius).setPosition(place), ARROWS.contact);
    const force = new THREE.Vector3(...contacts.force.subarray(3 * k, 3 * k + 3));
    draw(place, force.applyQuaternion(new THREE.Quaternion().setFromRotationMatrix(pose)), strongest, ARROWS.contact);
  }
}

// Terms of accelerations, which are in the axes of the parent; the inertial ones hold as seen from the parent only.
function drawTerms(show, draw) {
  const { display } = show;
  const now = display.loads.sample[show.frame];
  const parents = display.trees[display.tree[show.frame]];
  for (const name of ["force", "inertial"]) {
    const values = display.loads[name];
    if (!values || !show.drawn[name]) continue;
    for (const body of display.interest) {
      if (name === "inertial" && parents[body] !== show.from) continue;
      const o = (now * display.count + body) * 3;
      const turn = new THREE.Quaternion().setFromRotationMatrix(show.pose(parents[body]));
      const vector = new THREE.Vector3(...values.subarray(o, o + 3)).applyQuaternion(turn);
      draw(show.placeOf(body), vector, display.loads.largest, ARROWS[name]);
    }
  }
}
