// The picture: bodies, axes, arrows, paths and a grid, drawn by three.js relative to the camera's target.

const BACKGROUND = "#f7f8fa";
const FARTHEST_ANCHOR = 50; // camera distances, of which float32 then has 3e-6: less than a hundredth of a pixel
const AXIS_COLOURS = ["#c8322b", "#2f8f3a", "#2b5fc8"];

// Instances of one geometry, each with a matrix and a colour.
class Instances {
  constructor(scene, geometry, count, material) {
    this.mesh = new THREE.InstancedMesh(geometry, material, count);
    this.mesh.frustumCulled = false;
    this.colour = new THREE.Color();
    this.count = 0;
    this.room = count;
    scene.add(this.mesh);
  }

  begin() {
    this.count = 0;
  }

  put(matrix, colour) {
    if (this.count === this.room) return;
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count++, this.colour.set(colour));
  }

  end() {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

const Z = () => new THREE.Vector3(0, 0, 1);
const SHAFT = new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5); // from 0 to 1 of z

// Arrows: shafts and heads.
class Arrows {
  constructor(scene, count) {
    const head = new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    const material = new THREE.MeshLambertMaterial();
    [this.shafts, this.heads] = [SHAFT, head].map((form) => new Instances(scene, form, count, material));
    this.matrix = new THREE.Matrix4();
  }

  begin() {
    this.shafts.begin();
    this.heads.begin();
  }

  // An arrow from a point along a vector, both THREE.Vector3, with a shaft of this radius.
  put(from, vector, radius, colour) {
    const length = vector.length();
    if (!(length > 3 * radius)) return;
    const turn = new THREE.Quaternion().setFromUnitVectors(Z(), vector.clone().divideScalar(length));
    const head = Math.min(7 * radius, 0.5 * length);
    this.shafts.put(this.matrix.compose(from, turn, new THREE.Vector3(radius, radius, length - head)), colour);
    const width = Math.min(3 * radius, 0.4 * head);
    this.heads.put(this.matrix.compose(from.clone().add(vector), turn, new THREE.Vector3(width, width, head)), colour);
  }

  end() {
    this.shafts.end();
    this.heads.end();
  }
}

const LINE_VERTEX = `
  attribute vec3 first;
  attribute vec3 last;
  uniform vec2 size;
  uniform float width;
  uniform float past;
  varying float isPast;
  void main() {
    vec4 a = projectionMatrix * modelViewMatrix * vec4(first, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(last, 1.0);
    float near = projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
    if (a.w < near && b.w < near) {
      gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // not in the picture
      return;
    }
    if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
    else if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
    vec2 along = (b.xy / b.w - a.xy / a.w) * size;
    along = dot(along, along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
    vec4 end = position.x < 0.5 ? a : b;
    vec2 shift = vec2(-along.y, along.x) * position.y + along * (2.0 * position.x - 1.0) * 0.4;
    end.xy += shift * width / size * end.w;
    isPast = float(gl_InstanceID) < past ? 1.0 : 0.0;
    gl_Position = end;
  }`;
const LINE_FRAGMENT = `
  uniform vec3 colour;
  uniform vec3 background;
  varying float isPast;
  void main() {
    gl_FragColor = vec4(mix(background, colour, isPast > 0.5 ? 1.0 : 0.3), 1.0);
  }`;

// A line of some pixels' width through points; the part before the present frame is darker.
class Path {
  constructor(scene, points, colour) {
    this.points = points; // in doubles; the renderer gets them relative to an anchor
    this.anchor = null;
    this.buffer = new THREE.InstancedInterleavedBuffer(new Float32Array(points.length), 3);
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute([0, -1, 0, 1, -1, 0, 0, 1, 0, 1, 1, 0], 3));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    geometry.setAttribute("first", new THREE.InterleavedBufferAttribute(this.buffer, 3, 0));
    geometry.setAttribute("last", new THREE.InterleavedBufferAttribute(this.buffer, 3, 3));
    geometry.instanceCount = points.length / 3 - 1;
    this.uniforms = {
      size: { value: new THREE.Vector2() },
      width: { value: 2.5 },
      past: { value: 0 },
      colour: { value: new THREE.Color(colour) },
      background: { value: new THREE.Color(BACKGROUND) },
    };
    const shaders = { vertexShader: LINE_VERTEX, fragmentShader: LINE_FRAGMENT, uniforms: this.uniforms };
    this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({ ...shaders, side: THREE.DoubleSide }));
    this.mesh.frustumCulled = false;
    this.scene = scene;
    scene.add(this.mesh);
  }

  update(camera, frame, canvas) {
    const away = this.anchor && Math.hypot(...camera.target.map((value, i) => value - this.anchor[i]));
    if (away === null || away > FARTHEST_ANCHOR * camera.distance) {
      this.anchor = [...camera.target];
      this.points.forEach((value, i) => (this.buffer.array[i] = value - this.anchor[i % 3]));
      this.buffer.needsUpdate = true;
    }
    this.mesh.position.set(...this.anchor.map((value, i) => value - camera.target[i]));
    this.uniforms.past.value = frame;
    this.uniforms.size.value.set(canvas.clientWidth, canvas.clientHeight);
  }

  remove() {
    this.scene.remove(this.mesh);
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

// The smallest and largest coordinates of points.
function boundsOf(points) {
  const [lower, upper] = [Array(3).fill(Infinity), Array(3).fill(-Infinity)];
  for (let i = 0; i < points.length; i++) {
    lower[i % 3] = Math.min(lower[i % 3], points[i]);
    upper[i % 3] = Math.max(upper[i % 3], points[i]);
  }
  return [lower, upper];
}

// 1, 2 or 5 times a power of ten, at least half of a number.
function roundNumber(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return (value / power < 2 ? 1 : value / power < 5 ? 2 : 5) * power;
}

const GRID_VERTEX = `
  varying vec2 place;
  varying vec3 ray;
  void main() {
    place = position.xy;
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    ray = seen.xyz;
    gl_Position = projectionMatrix * seen;
  }`;
const GRID_FRAGMENT = `
  uniform vec2 origin;
  uniform float spacing;
  uniform float reach;
  uniform vec4 ground;
  uniform vec3 line;
  varying vec2 place;
  varying vec3 ray;
  void main() {
    vec2 cell = (place - origin) / spacing;
    vec2 blur = fwidth(cell);
    vec2 near = 1.0 - min(abs(fract(cell - 0.5) - 0.5) / blur, 1.0);
    float shown = max(near.x, near.y) * (1.0 - smoothstep(0.2, 0.7, max(blur.x, blur.y)));
    float fade = 1.0 - smoothstep(0.3 * reach, reach, length(ray));
    gl_FragColor = mix(vec4(ground.rgb, ground.a * fade), vec4(line, fade), shown);
    if (gl_FragColor.a < 0.01) discard;
  }`;

// A material with a grid in the plane z = 0 of a mesh, which fades away; opaque or with lines only.
function gridMaterial(ground, opacity) {
  const colour = new THREE.Color(ground);
  return new THREE.ShaderMaterial({
    vertexShader: GRID_VERTEX,
    fragmentShader: GRID_FRAGMENT,
    transparent: true,
    side: opacity ? THREE.FrontSide : THREE.DoubleSide,
    depthWrite: opacity > 0,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 4,
    uniforms: {
      origin: { value: new THREE.Vector2() },
      spacing: { value: 1 },
      reach: { value: 1 },
      ground: { value: new THREE.Vector4(colour.r, colour.g, colour.b, opacity) },
      line: { value: new THREE.Color(opacity ? "#c6ccd4" : "#d3d8de") },
    },
  });
}
