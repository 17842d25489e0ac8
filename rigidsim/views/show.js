// What is drawn at a time, as it is seen from a body.

const MARKER_PIXELS = 7;
const AXIS_PIXELS = 45;
const ARROW_PIXELS = 110;
const MOST_PATHS = 60;
const MOST_ARROWS = 2000;
const GRID_HALF = 30;

async function geometryOf({ vertices, normals, faces }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(await floats(vertices), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(await floats(normals), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array((await integers(faces)).buffer), 1));
  return geometry;
}

class Show {
  constructor(stage, canvas) {
    this.stage = stage;
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.setClearColor(BACKGROUND);
    this.camera = new Camera(canvas);
    this.scene = new THREE.Scene();
    this.scene.add(new THREE.HemisphereLight("#ffffff", "#b9bec8", 0.75));
    this.lamp = new THREE.DirectionalLight("#ffffff", 0.45);
    this.scene.add(this.lamp);
    this.paths = [];
    this.drawn = { paths: true, axes: true, grid: true, velocity: false, rate: false, force: false, contact: true };
    this.from = WORLD;
    this.follow = null;
    this.time = stage.begin;
  }

  async build() {
    const { stage, scene } = this;
    const forms = await Promise.all(stage.surfaces.map(geometryOf));
    const material = new THREE.MeshPhongMaterial({ shininess: 25, specular: "#222222" });
    const perSurface = forms.map(() => 0);
    for (const part of stage.parts) perSurface[part.surface] += part.kind !== "ground";
    this.instances = forms.map((form, i) => new Instances(scene, form, Math.max(1, perSurface[i]), material));
    const soil = { color: "#e3e6ea", polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 };
    for (const part of stage.parts) {
      part.place = new THREE.Matrix4().compose(
        new THREE.Vector3(...part.position),
        new THREE.Quaternion(...part.orientation.slice(1), part.orientation[0]),
        new THREE.Vector3(...part.scale),
      );
      if (part.kind !== "ground") continue;
      part.mesh = new THREE.Mesh(forms[part.surface], new THREE.MeshLambertMaterial(soil));
      part.mesh.add(gridLines(GRID_HALF, "#c3c9d1"));
      part.mesh.children[0].scale.setScalar(1 / GRID_HALF);
      part.mesh.matrixAutoUpdate = false;
      scene.add(part.mesh);
    }
    this.arrows = new Arrows(scene, MOST_ARROWS);
    this.points = new Instances(scene, new THREE.SphereGeometry(1, 12, 8), MOST_ARROWS, material);
    this.grid = gridLines(GRID_HALF, "#dde1e6");
    scene.add(this.grid);
    this.hasGround = stage.parts.some((part) => part.kind === "ground");
  }

  // Look from the body of a row; the camera shows all that is of interest, seen from there.
  lookFrom(row) {
    this.from = row;
    this.paths.forEach((path) => path.remove());
    const { stage } = this;
    const bodies = stage.interest;
    const positions = stage.pathsFrom(row, bodies);
    const [lower, upper] = boundsOf(positions.map((points, i) => [
      ...boundsOf([points])[0].map((value) => value - stage.reach[bodies[i]]),
      ...boundsOf([points])[1].map((value) => value + stage.reach[bodies[i]]),
    ]));
    this.radius = Math.hypot(...upper.map((high, i) => high - lower[i])) / 2 || 1;
    this.centre = upper.map((high, i) => high / 2 + lower[i] / 2);
    this.floor = lower[2] <= 0 && upper[2] >= 0 ? 0 : lower[2];
    this.isFlat = upper[2] - lower[2] < 0.05 * this.radius;
    this.paths = [];
    positions.forEach((points, i) => {
      const [low, high] = boundsOf([points]);
      const extent = Math.hypot(...high.map((value, k) => value - low[k]));
      if (positions.length > MOST_PATHS || extent < 1e-6 * this.radius || stage.frames < 2) return;
      this.paths.push(new Path(this.scene, points, stage.colours[bodies[i]]));
    });
    this.fastest = this.largestRates();
    this.showAll();
  }

  showAll() {
    this.camera.elevation = this.isFlat ? 0.95 : 0.35;
    this.camera.azimuth = -Math.PI / 3;
    this.camera.show(this.centre, this.radius);
  }

  // The largest speed and angular velocity of the bodies of interest.
  largestRates() {
    const { stage } = this;
    let [speed, rate] = [0, 0];
    const step = Math.max(1, Math.floor(stage.frames / 200));
    for (let frame = 0; frame < stage.frames; frame += step) {
      const seen = stage.seenFrom(this.from, frame, 0, stage.interest);
      for (const body of stage.interest) {
        const o = body * MOTION;
        speed = Math.max(speed, Math.hypot(seen[o + 7], seen[o + 8], seen[o + 9]));
        rate = Math.max(rate, Math.hypot(seen[o + 10], seen[o + 11], seen[o + 12]));
      }
    }
    return { speed, rate };
  }

  pose(body, matrix = new THREE.Matrix4()) {
    const [o, m] = [body === WORLD ? this.stage.count * MOTION : body * MOTION, this.seen];
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

  draw() {
    const { stage, camera, canvas } = this;
    const [frame, part] = stage.place(this.time);
    this.seen = stage.seenFrom(this.from, frame, part);
    if (this.follow !== null) {
      const o = this.follow * MOTION;
      camera.target = camera.target.map((value, i) => value + this.seen[o + i] - (this.followed ?? this.seen.subarray(o, o + 3))[i]);
      this.followed = [...this.seen.subarray(o, o + 3)];
    }
    camera.update();
    this.lamp.position.copy(camera.three.position).add(new THREE.Vector3(0, 0, camera.distance));
    this.drawBodies();
    this.drawArrows();
    this.drawGrid();
    for (const path of this.paths) {
      path.mesh.visible = this.drawn.paths;
      path.update(camera.target, frame + part, canvas);
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
    const { stage, camera } = this;
    this.instances.forEach((one) => one.begin());
    const matrix = new THREE.Matrix4();
    const [inner, eye] = [new THREE.Matrix4(), camera.three.position];
    for (const part of stage.parts) {
      this.pose(part.body, matrix);
      if (part.kind === "marker") {
        if (stage.kinds[part.body] !== "free") continue; // a frame is shown by its axes
        const size = MARKER_PIXELS * camera.pixel(new THREE.Vector3().setFromMatrixPosition(matrix).distanceTo(eye));
        matrix.multiply(inner.makeScale(size, size, size));
      } else matrix.multiply(part.place);
      if (part.kind === "ground") part.mesh.matrix.copy(matrix);
      else this.instances[part.surface].put(matrix, stage.colours[part.body]);
    }
    this.instances.forEach((one) => one.end());
  }

  drawArrows() {
    const { stage, camera, arrows, drawn } = this;
    arrows.begin();
    const eye = camera.three.position;
    const thin = (place) => camera.pixel(place.distanceTo(eye));
    const axes = drawn.axes ? [WORLD, ...stage.known].slice(0, drawn.axes === true ? 200 : 0) : [];
    for (const body of axes) {
      const pose = this.pose(body);
      const place = new THREE.Vector3().setFromMatrixPosition(pose);
      const px = thin(place);
      const length = Math.max(AXIS_PIXELS * px, body === WORLD ? 0 : 1.4 * stage.reach[body]);
      AXIS_COLOURS.forEach((colour, i) => {
        const axis = new THREE.Vector3().setFromMatrixColumn(pose, i).multiplyScalar(length);
        arrows.put(place, axis, 1.2 * px, colour);
      });
    }
    const rates = stage.hasRates ? [["velocity", 7, this.fastest.speed, "#1a1a1a"], ["rate", 10, this.fastest.rate, "#7b3fa0"]] : [];
    for (const [name, first, largest, colour] of rates) {
      if (!drawn[name] || !(largest > 0)) continue;
      for (const body of stage.interest) {
        const o = body * MOTION + first;
        const place = this.placeOf(body);
        const px = thin(place);
        const vector = new THREE.Vector3(...this.seen.subarray(o, o + 3)).multiplyScalar((ARROW_PIXELS * px) / largest);
        arrows.put(place, vector, 2 * px, colour);
      }
    }
    arrows.end();
    this.points.begin();
    this.points.end();
  }

  // A grid in the plane z = const of the frame that is looked from, around the target, with lines at round numbers.
  drawGrid() {
    const { camera, grid } = this;
    grid.visible = this.drawn.grid && !this.hasGround;
    this.spacing = roundNumber(camera.distance / 8);
    grid.scale.setScalar(this.spacing);
    const near = (value) => Math.round(value / this.spacing) * this.spacing - value;
    grid.position.set(near(camera.target[0]), near(camera.target[1]), this.floor - camera.target[2]);
  }
}
