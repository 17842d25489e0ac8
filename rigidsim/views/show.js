// What is drawn at a time, as it is seen from a body.

const MARKER_PIXELS = 7;
const MOST_PATHS = 24;
const MOST_BALLS = 5000;
const GRID_REACH = 5; // camera distances

async function geometryOf({ vertices, normals, faces }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(await floats(vertices), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(await floats(normals), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array((await integers(faces)).buffer), 1));
  return geometry;
}

class Show {
  constructor(display, canvas) {
    this.display = display;
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    if (!this.renderer.capabilities.isWebGL2) throw new Error("no WebGL 2");
    this.renderer.setClearColor(BACKGROUND);
    this.camera = new Camera(canvas);
    this.scene = new THREE.Scene();
    this.scene.add(new THREE.HemisphereLight("#ffffff", "#b9bec8", 0.75));
    this.lamp = new THREE.DirectionalLight("#ffffff", 0.45);
    this.scene.add(this.lamp);
    this.paths = [];
    this.drawn = {
      paths: true,
      axes: true,
      joints: true,
      grid: true,
      velocity: false,
      rate: false,
      force: false,
      inertial: false,
      contact: true,
    };
    this.from = WORLD;
    this.follow = null;
    this.time = display.begin;
  }

  async build() {
    const { display, scene } = this;
    const forms = await Promise.all(display.surfaces.map(geometryOf));
    const material = new THREE.MeshPhongMaterial({ shininess: 25, specular: "#222222" });
    const glass = new THREE.MeshPhongMaterial({ transparent: true, opacity: 0.3, depthWrite: false });
    const solids = display.parts.filter((part) => part.kind !== "ground");
    const isHollow = (part) => display.hollow.includes(part.body);
    [this.solid, this.hollow] = [material, glass].map((look) =>
      forms.map((form, i) => {
        const count = solids.filter((part) => part.surface === i && isHollow(part) === (look === glass)).length;
        return new Instances(scene, form, Math.max(1, count), look);
      }),
    );
    for (const part of solids) part.instances = (isHollow(part) ? this.hollow : this.solid)[part.surface];
    this.grounds = [];
    for (const part of display.parts) {
      part.place = new THREE.Matrix4().compose(
        new THREE.Vector3(...part.position),
        new THREE.Quaternion(...part.orientation.slice(1), part.orientation[0]),
        new THREE.Vector3(...part.scale),
      );
      if (part.kind !== "ground") continue;
      part.mesh = new THREE.Mesh(forms[part.surface], gridMaterial("#e6e9ed", 1));
      part.mesh.matrixAutoUpdate = false;
      part.mesh.frustumCulled = false;
      part.mesh.renderOrder = -1;
      this.grounds.push(part.mesh);
      scene.add(part.mesh);
    }
    const atOnce = mostAtOnce(display.loads?.contacts);
    this.arrows = new Arrows(scene, 3 * (display.count + 1) + 4 * display.interest.length + atOnce);
    const ball = new THREE.SphereGeometry(1, 12, 8);
    this.points = new Instances(scene, ball, Math.max(1, atOnce), material);
    // Joints are seen through what hangs on them.
    const above = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.8, depthTest: false });
    this.joints = [ball, SHAFT].map((form) => new Instances(scene, form, Math.max(1, display.joints.length), above));
    for (const { mesh } of this.joints) mesh.renderOrder = 1;
    const pieces = (kind) => display.symbols[kind].reduce((sum, line) => sum + line.length - 1, 0);
    const most = display.links.reduce((sum, { kind }) => sum + pieces(kind), 0);
    this.links = new Instances(scene, SHAFT, Math.max(1, most), material);
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), gridMaterial(BACKGROUND, 0));
    this.grid.frustumCulled = false;
    this.grid.renderOrder = -1;
    scene.add(this.grid);
  }

  // Look from the body of a row; the camera shows all that is of interest, seen from there.
  lookFrom(row) {
    this.from = row;
    this.bounds = this.boundsOfInterest();
    const [lower, upper] = this.bounds;
    this.radius = Math.hypot(...upper.map((high, i) => high - lower[i])) / 2 || 1;
    this.isStill = upper.every((high, i) => high === lower[i]);
    this.floor = lower[2] <= 0 && upper[2] >= 0 ? 0 : lower[2];
    this.isFlat = upper[2] - lower[2] < 0.05 * this.radius;
    this.fastest = this.largestRates();
    this.makePaths();
    this.showAll();
  }

  // At most this many frames, evenly spaced, with the last.
  someFrames(most) {
    const { frames } = this.display;
    const step = Math.max(1, Math.ceil(frames / most));
    const found = [frames - 1];
    for (let frame = 0; frame < frames - 1; frame += step) found.push(frame);
    return found;
  }

  // The bodies of interest at some frames as balls [x, y, z, radius], m, and the points of joints and links.
  ballsAt(frames) {
    const { display } = this;
    const bodies = [...display.interest, ...display.ends.map(([row]) => row).filter((row) => row !== WORLD)];
    const found = [];
    for (const frame of frames) {
      const seen = display.seenFrom(this.from, frame, 0, bodies);
      for (const body of display.interest) {
        found.push([...placeIn(seen, body, display.middle[body]), display.reach[body]]);
      }
      for (const [row, point] of display.ends) {
        found.push([...placeIn(seen, row === WORLD ? display.count : row, point), 0]);
      }
    }
    return found;
  }

  // The box around the bodies of interest at all times.
  boundsOfInterest() {
    const [lower, upper] = [Array(3).fill(Infinity), Array(3).fill(-Infinity)];
    for (const ball of this.ballsAt(this.someFrames(Math.max(20, 100000 / this.display.interest.length)))) {
      for (let i = 0; i < 3; i++) {
        lower[i] = Math.min(lower[i], ball[i] - ball[3]);
        upper[i] = Math.max(upper[i], ball[i] + ball[3]);
      }
    }
    return [lower, upper];
  }

  // The bodies of interest at all times; a single point has some room.
  ballsOfInterest() {
    const balls = this.ballsAt(this.someFrames(Math.max(2, MOST_BALLS / this.display.interest.length)));
    return this.isStill ? balls.map(([x, y, z, radius]) => [x, y, z, radius || 0.5]) : balls;
  }

  // The paths of the bodies of interest, if they are not many, and of the one that is followed.
  makePaths() {
    const { display } = this;
    this.paths.forEach((path) => path.remove());
    const bodies = display.interest.length <= MOST_PATHS ? [...display.interest] : [];
    if (this.follow !== null && !bodies.includes(this.follow)) bodies.push(this.follow);
    this.paths = [];
    display.pathsFrom(this.from, bodies).forEach((points, i) => {
      const [low, high] = boundsOf(points);
      const extent = Math.hypot(...high.map((value, k) => value - low[k]));
      if (display.frames < 2 || extent < 1e-6 * this.radius) return;
      this.paths.push(new Path(this.scene, points, display.colours[bodies[i]]));
    });
  }

  showAll() {
    this.camera.elevation = this.isFlat ? 0.95 : 0.35;
    this.camera.azimuth = -Math.PI / 3;
    this.camera.show(this.ballsOfInterest());
  }

  // The largest speed and angular velocity of the bodies of interest.
  largestRates() {
    const { display } = this;
    let [speed, rate] = [0, 0];
    for (const frame of this.someFrames(Math.max(20, 100000 / display.interest.length))) {
      const seen = display.seenFrom(this.from, frame, 0, display.interest);
      for (const body of display.interest) {
        const o = body * MOTION;
        speed = Math.max(speed, Math.hypot(seen[o + 7], seen[o + 8], seen[o + 9]));
        rate = Math.max(rate, Math.hypot(seen[o + 10], seen[o + 11], seen[o + 12]));
      }
    }
    return { speed, rate };
  }

  pose(body, matrix = new THREE.Matrix4()) {
    const [o, m] = [body === WORLD ? this.display.count * MOTION : body * MOTION, this.seen];
    const { target } = this.camera;
    return matrix.compose(
      new THREE.Vector3(m[o] - target[0], m[o + 1] - target[1], m[o + 2] - target[2]),
      new THREE.Quaternion(m[o + 4], m[o + 5], m[o + 6], m[o + 3]),
      new THREE.Vector3(1, 1, 1),
    );
  }

  placeOf(body) {
    return new THREE.Vector3().setFromMatrixPosition(this.pose(body));
  }

  middleOf(body) {
    return new THREE.Vector3(...(body === WORLD ? [0, 0, 0] : this.display.middle[body])).applyMatrix4(this.pose(body));
  }

  draw() {
    const { display, camera, canvas } = this;
    const [frame, part] = display.place(this.time);
    this.frame = frame;
    this.seen = display.seenFrom(this.from, frame, part);
    if (this.follow !== null) {
      const o = this.follow * MOTION;
      camera.target = camera.target.map(
        (value, i) => value + this.seen[o + i] - (this.followed ?? this.seen.subarray(o, o + 3))[i],
      );
      this.followed = [...this.seen.subarray(o, o + 3)];
    }
    camera.update();
    this.lamp.position.copy(camera.three.position).add(new THREE.Vector3(0, 0, camera.distance));
    this.drawBodies();
    drawArrows(this);
    this.drawGrid();
    for (const path of this.paths) {
      path.mesh.visible = this.drawn.paths;
      path.update(camera, frame + part - display.first, canvas);
    }
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height) {
      this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
      this.renderer.setSize(width, height, false);
    }
    this.renderer.render(this.scene, camera.three);
  }

  drawBodies() {
    const { display, camera } = this;
    const instances = [...this.solid, ...this.hollow];
    instances.forEach((one) => one.begin());
    const matrix = new THREE.Matrix4();
    const [inner, eye] = [new THREE.Matrix4(), camera.three.position];
    for (const part of display.parts) {
      this.pose(part.body, matrix);
      if (part.kind === "marker") {
        if (display.kinds[part.body] !== "free") continue; // a frame is shown by its axes
        const size = MARKER_PIXELS * camera.pixel(new THREE.Vector3().setFromMatrixPosition(matrix).distanceTo(eye));
        matrix.multiply(inner.makeScale(size, size, size));
      } else matrix.multiply(part.place);
      if (part.kind === "ground") part.mesh.matrix.copy(matrix);
      else part.instances.put(matrix, display.colours[part.body]);
    }
    instances.forEach((one) => one.end());
  }

  // Grids with lines at round numbers: on planes, or else in a plane z = const of the frame that is looked from.
  drawGrid() {
    const { camera, grid } = this;
    this.spacing = roundNumber(camera.distance / 8);
    const reach = GRID_REACH * camera.distance;
    for (const mesh of this.grounds) {
      Object.assign(mesh.material.uniforms.spacing, { value: this.drawn.grid ? this.spacing : 1e30 });
      mesh.material.uniforms.reach.value = reach;
    }
    grid.visible = this.drawn.grid && this.grounds.length === 0;
    grid.scale.set(reach, reach, 1);
    grid.position.set(0, 0, this.floor - camera.target[2]);
    const { origin, spacing, reach: fading } = grid.material.uniforms;
    const left = (value) => Math.round(value / this.spacing) * this.spacing - value;
    origin.value.set(left(camera.target[0]) / reach, left(camera.target[1]) / reach);
    spacing.value = this.spacing / reach;
    fading.value = reach;
  }
}
