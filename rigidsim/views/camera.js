// A camera that turns about a target, with z up. The target is in doubles, and is where the picture has its origin.

const FIELD = 40; // degrees, of the smaller side of the window
const FILLED = 0.7;
const FRAMING_ROUNDS = 12;

class Camera {
  constructor(canvas) {
    this.three = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 1000);
    this.three.up.set(0, 0, 1);
    this.canvas = canvas;
    this.target = [0, 0, 0];
    this.distance = 10;
    this.azimuth = -Math.PI / 3;
    this.elevation = 0.4;
    this.covered = 0; // px at the right of the canvas
    this.pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    }
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - last[0], now[1] - last[1]];
    const others = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId);
    this.pointers.set(event.pointerId, now);
    if (others.length) {
      const [x, y] = others[0][1];
      const apart = (point) => Math.hypot(point[0] - x, point[1] - y);
      this.zoom(apart(last) / Math.max(1, apart(now)));
      this.pan(dx / 2, dy / 2);
    } else if (event.buttons !== 1 || event.shiftKey) this.pan(dx, dy);
    else this.turn(dx, dy);
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
  }

  turn(dx, dy) {
    this.azimuth -= dx * 0.007;
    this.elevation = Math.max(-1.5707, Math.min(1.5707, this.elevation + dy * 0.007));
  }

  zoom(factor) {
    this.distance *= factor;
  }

  // Metres of a pixel at a distance.
  pixel(distance = this.distance) {
    return (
      (2 * distance * Math.tan((FIELD * Math.PI) / 360)) / Math.min(this.canvas.clientWidth, this.canvas.clientHeight)
    );
  }

  pan(dx, dy) {
    const [right, up] = [new THREE.Vector3(), new THREE.Vector3()];
    this.three.matrixWorld.extractBasis(right, up, new THREE.Vector3());
    for (let i = 0; i < 3; i++) {
      this.target[i] += this.pixel() * (dy * up.getComponent(i) - dx * right.getComponent(i));
    }
  }

  // Look from the present direction so that balls [x, y, z, radius] fill the picture beside the controls: the middle of
  // what they cover is its middle, and the larger of its sides is `FILLED` of the room there is.
  show(balls) {
    const middle = (i) => {
      const [low, high] = balls.reduce(([l, h], ball) => [Math.min(l, ball[i]), Math.max(h, ball[i])], [Infinity, -Infinity]);
      return low / 2 + high / 2;
    };
    this.target = [0, 1, 2].map(middle);
    const far = Math.max(...balls.map((ball) => Math.hypot(...this.target.map((t, i) => ball[i] - t)) + ball[3]));
    this.distance = 4 * (far || 1);
    this.update();
    const [right, up, back] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    this.three.matrixWorld.extractBasis(right, up, back);
    const high = FILLED * Math.tan((this.three.fov * Math.PI) / 360);
    const wide = high * this.three.aspect * (1 - this.covered / this.canvas.clientWidth);
    const nearest = 1.05 * (far || 1);
    for (let round = 0; round < FRAMING_ROUNDS; round++) {
      const [x, y] = [[Infinity, -Infinity], [Infinity, -Infinity]];
      for (const ball of balls) {
        const at = new THREE.Vector3(...this.target.map((t, i) => ball[i] - t));
        const deep = Math.max(this.distance - at.dot(back), 1e-9 * this.distance);
        for (const [side, axis] of [[x, right], [y, up]]) {
          side[0] = Math.min(side[0], (at.dot(axis) - ball[3]) / deep);
          side[1] = Math.max(side[1], (at.dot(axis) + ball[3]) / deep);
        }
      }
      for (const [side, axis] of [[x, right], [y, up]]) {
        const shift = ((side[0] + side[1]) / 2) * this.distance;
        this.target = this.target.map((t, i) => t + shift * axis.getComponent(i));
      }
      const part = Math.max((x[1] - x[0]) / (2 * wide), (y[1] - y[0]) / (2 * high));
      this.distance = Math.max(part > 0 ? this.distance * part : this.distance, nearest);
    }
  }

  update() {
    const [width, height] = [this.canvas.clientWidth, Math.max(1, this.canvas.clientHeight)];
    const aspect = width / height;
    const half = Math.tan((FIELD * Math.PI) / 360);
    this.three.aspect = aspect;
    this.three.fov = aspect >= 1 ? FIELD : (Math.atan(half / aspect) * 360) / Math.PI;
    this.three.near = this.distance / 100;
    this.three.far = this.distance * 2000;
    const flat = Math.cos(this.elevation) * this.distance;
    this.three.position.set(
      flat * Math.cos(this.azimuth),
      flat * Math.sin(this.azimuth),
      Math.sin(this.elevation) * this.distance,
    );
    this.three.lookAt(0, 0, 0);
    this.three.setViewOffset(width, height, this.covered / 2, 0, width, height);
    this.three.updateMatrixWorld();
  }

  // Where a point relative to the target is on the canvas, px; null if it is not in front of the camera.
  project(x, y, z) {
    const point = new THREE.Vector3(x, y, z).applyMatrix4(this.three.matrixWorldInverse);
    if (point.z > -this.three.near || point.z < -this.three.far) return null;
    point.applyMatrix4(this.three.projectionMatrix);
    return [((point.x + 1) / 2) * this.canvas.clientWidth, ((1 - point.y) / 2) * this.canvas.clientHeight];
  }
}
