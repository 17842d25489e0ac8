"""The motion of a scene in maximal coordinates, a reference that shares no code with rigidsim.

Each body that moves has its own six rates, in world axes, about its centre of mass together with what is fixed to it.
Joints and loops are rows of A, solved with multipliers: M a - F^T lambda = Q, A a = b. F is A but for frames with a
prescribed motion, which carry what hangs on them and exert nothing on their parent. Joint coordinates are integrals of
their rates. Impulses change rates by the same matrix; where the tree changes, momenta make the rates of the next one.
`unilateral.py` has what is one-sided or set-valued, `reference_runs.py` what happens in the course of a run. Lengths of
a scene are in units of the parent (positions, slides) or of the body (its own points), here in metres.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

Array = np.ndarray
ZERO, AXES = np.zeros(3), np.eye(3)
LETTERS = {
    "free": "", "hinge": "r", "slide": "t", "screw": "s", "ball": "", "universal": "rr", "cylindrical": "tr",
    "planar": "ttr", "weld": "", "tank": "",
}  # fmt: skip
"""The coordinates of a joint: t along an axis, r about one, s about one and along it."""


class Jet(NamedTuple):
    """A function of time: its value and two derivatives."""

    x: float
    d: float = 0.0
    dd: float = 0.0

    def __add__(self, other):
        one = jet(other)
        return Jet(self.x + one.x, self.d + one.d, self.dd + one.dd)

    def __mul__(self, other):
        one = jet(other)
        return Jet(
            self.x * one.x, self.d * one.x + self.x * one.d, self.dd * one.x + 2 * self.d * one.d + self.x * one.dd
        )

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other):
        return self + jet(other) * -1.0

    def sin(self):
        """sin x."""
        s, c = math.sin(self.x), math.cos(self.x)
        return Jet(s, c * self.d, c * self.dd - s * self.d * self.d)


def jet(value) -> Jet:
    """A number as one."""
    return value if isinstance(value, Jet) else Jet(float(value))


def of_time(value, t: float) -> Jet:
    """A number or an expression of t of a scene."""
    names = {"t": Jet(t, 1.0), "sin": Jet.sin}
    return jet(eval(value.lstrip("= "), names) if isinstance(value, str) else value)


def cross(a, b) -> Array:
    """a x b; NumPy's is twenty times slower."""
    (a_1, a_2, a_3), (b_1, b_2, b_3) = a, b
    return np.array([a_2 * b_3 - a_3 * b_2, a_3 * b_1 - a_1 * b_3, a_1 * b_2 - a_2 * b_1])


def matrix_of(x: float, y: float, z: float, w: float) -> Array:
    """The matrix of a quaternion of any length."""
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array([
        [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
    ])  # fmt: skip


def turn(axis, angle: float) -> Array:
    """The matrix of a rotation."""
    vector = np.asarray(axis, float)
    return Rotation.from_rotvec(vector / np.linalg.norm(vector) * angle).as_matrix()


def across(u: Array) -> list[Array]:
    """Two directions at right angles to another one."""
    first = cross(u, AXES[np.argmin(np.abs(u))])
    first = first / np.linalg.norm(first)
    return [first, cross(u, first)]


class Motion(NamedTuple):
    """That of a frame in another one, at an instant: of its origin, and of its axes."""

    p: Array
    R: Array
    v: Array
    omega: Array
    a: Array
    alpha: Array

    def then(self, below: Motion) -> Motion:
        """That of a frame below this one: linear, Euler, centrifugal and Coriolis terms."""
        r, v, w = self.R @ below.p, self.R @ below.v, self.R @ below.omega
        carried = cross(self.alpha, r) + cross(self.omega, cross(self.omega, r))
        return Motion(
            self.p + r, self.R @ below.R, self.v + cross(self.omega, r) + v, self.omega + w,
            self.a + carried + 2 * cross(self.omega, v) + self.R @ below.a,
            self.alpha + self.R @ below.alpha + cross(self.omega, w),
        )  # fmt: skip


REST = Motion(ZERO, AXES, ZERO, ZERO, ZERO, ZERO)


class Place(NamedTuple):
    """A point at an instant: the body that carries it, or None, and the arm from its centre of mass; the motion of the
    point and its axes, of which `a` and `alpha` lack what the rates of that body add; whether it takes forces at it.
    """

    owner: int | None
    arm: Array
    motion: Motion
    takes: bool


class Node(NamedTuple):
    """A body in a tree: what the scene says of it, its parent, and its pose and length unit if they are of an instant
    at which the tree changes.
    """

    data: dict[str, Any]
    parent: str | None
    position: Array | None = None
    R: Array | None = None
    metres: float | None = None


def rotation_of(orientation: dict[str, Any] | None) -> Array:
    """The matrix of an orientation of a scene."""
    if orientation is None:
        return AXES
    if "wxyz" in orientation:
        w, *xyz = orientation["wxyz"]
        return matrix_of(*xyz, w)
    return turn(orientation["axis"], orientation["angle"])


class Body:
    """What a scene says of a body."""

    def __init__(self, name: str, node: Node, parent: Body | None):
        data = node.data
        self.name, self.data, self.parent = name, data, parent
        motion = data.get("motion") or ("free" if "mass" in data else "fixed")
        self.kind, self.joint = (motion, {}) if isinstance(motion, str) else next(iter(motion.items()))
        self.unit = parent.metres if parent else 1.0
        self.metres = node.metres or self.unit * data.get("scale", 1.0)
        self.position = self.unit * np.array(data.get("position", ZERO), float)
        self.R = rotation_of(data.get("orientation"))
        if node.R is not None:
            self.position, self.R = node.position, node.R
        self.mass, self.inertia = data.get("mass", 0.0), np.diag(data.get("inertia", {"principal": ZERO})["principal"])
        self.centre = self.metres * np.array(data.get("center_of_mass", ZERO), float)
        self.moves, self.number = self.kind not in ("fixed", "prescribed"), -1
        self.parts: list[tuple[Body, Array, Array]] = []  # what is fixed to it, with itself: position, axes
        self.moved_base: Body | None = self if self.moves else parent.moved_base if parent else None
        frames, body = [], self
        while body is not self.moved_base:
            frames.append(body)
            body = body.parent
        self.frames: list[Body] = frames[::-1]  # from the carrier or the world to this one
        if self.moved_base and all(frame.kind == "fixed" for frame in frames):
            place = self.below(REST, 0.0)
            self.moved_base.parts.append((self, place.p, place.R))
        if self.moves and self.kind != "free":
            self._hang()

    def below(self, motion: Motion, t: float) -> Motion:
        """The motion of this frame, from that of its carrier or the world."""
        for frame in self.frames:
            motion = motion.then(frame.in_space(t))
        return motion

    def _hang(self) -> None:
        """The axes of a joint, in those of the parent at zero; the first value and rate of its coordinates."""
        joint, letters = self.joint, LETTERS[self.kind]
        self.at = self.metres * np.array(joint.get("at", ZERO), float)
        self.pivot = self.position + self.R @ self.at
        given = joint.get("axes") or [joint["axis"]] * len(letters) if "axis" in joint or "axes" in joint else []
        if self.kind == "planar":
            normal, along = (np.array(joint[key], float) for key in ("normal", "along"))
            normal = normal / np.linalg.norm(normal)
            along = along - normal * (normal @ along)
            given = [along, cross(normal, along), normal]
        self.axes = [np.array(axis, float) / np.linalg.norm(axis) for axis in given]
        self.units = [self.unit if letter == "t" else 1.0 for letter in letters]
        self.motors = [motor or {} for motor in joint.get("motors") or [joint.get("motor")] * len(letters)]
        self.lead = self.unit * joint.get("pitch", 0.0) / (2 * math.pi)  # m/rad
        starts = {
            "hinge": [joint.get("angle", 0.0)], "slide": [joint.get("displacement", 0.0)],
            "screw": [joint.get("angle", 0.0)],
            "universal": list(joint.get("angles", (0.0, 0.0))),
            "cylindrical": [joint.get("displacement", 0.0), joint.get("angle", 0.0)],
            "planar": [*joint.get("displacements", (0.0, 0.0)), joint.get("angle", 0.0)],
        }.get(self.kind, [])  # fmt: skip
        rates = list(joint.get("rates") or [joint.get("rate", 0.0)] * len(letters))
        for k in range(len(letters)):
            if course := self.course(k, 0.0):
                starts[k], rates[k] = course.x / self.units[k], course.d / self.units[k]
        self.start, self.rate = (np.array(values, float) * self.units for values in (starts, rates))

    def course(self, k: int, t: float) -> Jet | None:
        """The coordinate k, if a motor prescribes it."""
        return None if {"stiffness", "max_torque", "max_force"} & set(self.motors[k]) else self.goal(k, t)

    def goal(self, k: int, t: float) -> Jet | None:
        """The coordinate k that a motor prescribes or follows."""
        found = self.motors[k].get("angle", self.motors[k].get("displacement"))
        return None if found is None else of_time(found, t) * self.units[k]

    def each(self, one: str, default=0.0) -> list:
        """What the joint says of each coordinate under a key, or its plural."""
        values = self.joint.get(f"{one}s") or [self.joint.get(one)] * len(self.units)
        return [default if value is None else value for value in values]

    def in_space(self, t: float) -> Motion:
        """The motion of a prescribed or fixed frame in its parent."""
        given = self.joint
        if self.kind == "fixed":
            return Motion(self.position, self.R, ZERO, ZERO, ZERO, ZERO)
        path = [of_time(x, t) for x in given.get("position", ())]
        if path:
            p, v, a = (self.unit * np.array([getattr(x, part) for x in path]) for part in ("x", "d", "dd"))
        else:
            v_0, a = (self.unit * np.array(given.get(key, ZERO), float) for key in ("velocity", "acceleration"))
            p, v = self.position + v_0 * t + a * (t * t / 2), v_0 + a * t
        if "orientation" in given:
            axis, angle = np.array(given["orientation"]["axis"], float), of_time(given["orientation"]["angle"], t)
            axis = axis / np.linalg.norm(axis)
            return Motion(p, turn(axis, angle.x), v, axis * angle.d, a, axis * angle.dd)
        omega_0, alpha = (np.array(given.get(key, ZERO), float) for key in ("angular_velocity", "angular_acceleration"))
        swept = omega_0 * t + alpha * (t * t / 2)  # along one axis
        return Motion(p, Rotation.from_rotvec(swept).as_matrix() @ self.R, v, omega_0 + alpha * t, a, alpha)


class Rows:
    """Equations A a = b for the rates of all bodies, and the forces F by which each is kept."""

    def __init__(self, n: int):
        self.n, self.A, self.F, self.b, self.slips = n, [], [], [], []

    def add(self, one: Place, other: Place, push: Array, twist: Array, known: float, rate: float = 0.0) -> None:
        """push . (a_1 - a_2) + twist . (alpha_1 - alpha_2) + known = 0, of two places; the same of their velocities is
        `rate`, and `slips` is what it departs from that.
        """
        row, force = np.zeros(6 * self.n), np.zeros(6 * self.n)
        v, omega = one.motion.v - other.motion.v, one.motion.omega - other.motion.omega
        self.slips.append(push @ v + twist @ omega - rate)
        for place, sign in ((one, 1.0), (other, -1.0)):
            if place.owner is not None:
                i, turning = 6 * place.owner, cross(place.arm, push) + twist
                for each in (row, force)[: 1 + place.takes]:
                    each[i : i + 6] += sign * np.concatenate([push, turning])
            known += sign * (push @ place.motion.a + twist @ place.motion.alpha)
        self.A.append(row)
        self.F.append(force)
        self.b.append(-known)

    def append(self, row: Rows, wanted: float = 0.0, side: float = 1.0) -> None:
        """One of a single row, for an acceleration that is wanted of what it measures; the force in one direction."""
        self.A.append(row.A[0])
        self.F.append(side * row.F[0])
        self.b.append(row.b[0] + wanted)
        self.slips.append(row.slips[0])


def is_limit(loop: dict[str, Any]) -> bool:
    """Whether a loop acts at limits only."""
    return loop["type"] in ("swing", "twist", "turn") or "max_length" in loop or "min_length" in loop


def nodes_of(bodies: dict[str, Any], parent: str | None = None) -> dict[str, Node]:
    """The bodies of a scene by their paths."""
    found = {}
    for name, data in bodies.items():
        path = f"{parent}/{name}" if parent else name
        found |= {path: Node(data, parent)} | nodes_of(data.get("children", {}), path)
    return found


class Equations:
    """The equations of motion of one tree, and the motions that a state is."""

    def __init__(self, scene: dict[str, Any], nodes: dict[str, Node]):
        self.scene, self.nodes, self.bodies = scene, nodes, {}
        self.gravity = np.array(scene.get("world", {}).get("gravity", ZERO), float)
        how = scene["simulation"]
        self.step = how["step"] if how["integrator"] == "rkmk4" else 1e-4 * how.get("step", how["record_every"])
        for path in nodes:
            self._read(path)
        self.moved = [body for body in self.bodies.values() if body.moves]
        self.n, self.first = len(self.moved), []
        for number, body in enumerate(self.moved):
            body.number = number
            body.total = sum(part.mass for part, _, _ in body.parts)
            body.middle = sum(part.mass * (p + R @ part.centre) for part, p, R in body.parts) / body.total
            body.moment = np.zeros((3, 3))
            for part, p, R in body.parts:
                r = p + R @ part.centre - body.middle
                body.moment += R @ part.inertia @ R.T + part.mass * ((r @ r) * AXES - np.outer(r, r))
        self.jointed = [body for body in self.moved if body.kind != "free"]
        begin = 13 * self.n
        for body in self.jointed:
            body.slots = slice(begin, begin + len(LETTERS[body.kind]))
            begin = body.slots.stop
        self.loops = [dict(loop) for loop in scene.get("world", {}).get("loops", ())]
        self.size = begin
        self.held = dict.fromkeys(scene.get("controllers", {}), 0.0)  # the outputs of controllers
        for loop in self.loops:
            if loop["type"] in ("hinge", "swing", "twist", "turn"):
                self._find_axis(loop)
        self.drained: dict[str, float] = {}  # what leaves each tank, kg/s
        for body in self.bodies.values():
            for load in body.data.get("forces", ()):
                if "tank" in load:
                    self.drained[load["tank"]] = self.drained.get(load["tank"], 0.0) + load["rate"]
        self.switches: list = []  # stops, friction, motors of rates, spheres that touch: `unilateral.py`
        self._last: tuple | None = None

    def _read(self, path: str | None) -> Body | None:
        """A body, after what it hangs on."""
        if path is not None and path not in self.bodies:
            parent = self._read(self.nodes[path].parent)
            self.bodies[path] = Body(path, self.nodes[path], parent)
        return self.bodies.get(path)

    def _find_axis(self, loop: dict[str, Any]) -> None:
        """The axis of a loop in both bodies, as they are at the start."""
        state = self.start()
        one, two = (self.place(self.bodies.get(name), ZERO, 0.0, state).motion.R for name in loop["between"])
        axis = np.array(loop.get("axis", (0, 0, 1)), float)
        loop["axis_0"], loop["R_0"] = axis / np.linalg.norm(axis), two.T @ one
        loop["to_axis_0"] = loop["R_0"] @ loop["axis_0"]
        if "to_axis" in loop:
            axis = np.array(loop["to_axis"], float)
            loop["to_axis_0"] = axis / np.linalg.norm(axis)

    # --- the state: of each moved body centre, quaternion (x, y, z, w), velocity, rate; then the joint coordinates

    def start(self) -> Array:
        """The state at t = 0."""
        state, found = np.zeros(self.size), {None: REST}
        for body in self.bodies.values():
            above = found[body.parent]
            if not body.moves:
                found[body] = above.then(body.in_space(0.0))
                continue
            spin = np.array(body.data.get("angular_velocity", ZERO), float)
            if body.kind == "free":
                v = body.unit * np.array(body.data.get("velocity", ZERO), float)
                found[body] = above.then(Motion(body.position, body.R, v, spin, ZERO, ZERO))
            else:
                found[body] = above.then(self._hung(body, spin))
                state[body.slots] = body.start
            motion, i = found[body], 13 * body.number
            arm = motion.R @ body.middle
            q = Rotation.from_matrix(motion.R).as_quat()
            state[i : i + 13] = *(motion.p + arm), *q, *(motion.v + cross(motion.omega, arm)), *motion.omega
        return state

    def _hung(self, body: Body, spin: Array) -> Motion:
        """The motion of a jointed body in its parent at the start; `spin` of a ball joint is in the parent's axes."""
        R, pivot, v, omega = body.R, body.pivot, ZERO, spin if body.kind == "ball" else ZERO
        for k, letter in enumerate(LETTERS[body.kind]):
            along = {"t": 1.0, "s": body.lead, "r": 0.0}[letter] * body.R @ body.axes[k]
            pivot, v = pivot + along * body.start[k], v + along * body.rate[k]
            if letter != "t":
                R = R @ turn(body.axes[k], body.start[k])
        done = body.R
        for k, letter in enumerate(LETTERS[body.kind]):
            if letter != "t":
                omega = omega + done @ body.axes[k] * body.rate[k]
                done = done @ turn(body.axes[k], body.start[k])
        arm = -R @ body.at
        return Motion(pivot + arm, R, v + cross(omega, arm), omega, ZERO, ZERO)

    # --- kinematics

    def place(self, body: Body | None, point: Array, t: float, state: Array) -> Place:
        """A point of a body, of a frame or of the world, m, in its axes."""
        at = REST._replace(p=point)
        if body is None or body.moved_base is None:
            return Place(None, ZERO, (body.below(REST, t) if body else REST).then(at), False)
        i = 13 * body.moved_base.number
        x, v, omega = state[i : i + 3], state[i + 7 : i + 10], state[i + 10 : i + 13]
        R = matrix_of(*state[i + 3 : i + 7].tolist())
        r = -R @ body.moved_base.middle
        bias = cross(omega, cross(omega, r))
        motion = body.below(Motion(x + r, R, v + cross(omega, r), omega, bias, ZERO), t).then(at)
        takes = all(frame.kind == "fixed" for frame in body.frames)
        return Place(body.moved_base.number, motion.p - x, motion, takes)

    def _joint(self, body: Body, t: float, state: Array, rows: Rows) -> tuple[Place, Place, list[tuple]]:
        """Add the rows of a joint: its places on the body and on the parent, and (letter, axis, rate, what its row for
        a wanted acceleration is made from) of each coordinate.
        """
        outer = self.place(body, body.at, t, state)
        inner = self.place(body.parent, body.pivot, t, state)
        R = inner.motion.R
        inner = self.place(body.parent, body.pivot + R.T @ (outer.motion.p - inner.motion.p), t, state)
        omega, slip = inner.motion.omega, outer.motion.v - inner.motion.v
        spin, axes = outer.motion.omega - omega, [R @ body.R @ axis for axis in body.axes]
        coriolis = -2 * cross(omega, slip)

        def along(u, wanted=0.0):
            return u, ZERO, u @ coriolis - wanted

        def about(u, wanted=0.0):
            return ZERO, u, spin @ cross(omega, u) - wanted

        letters, free = LETTERS[body.kind], []
        if body.kind == "universal":
            one, two = axes[0], outer.motion.R @ body.axes[1]
            normal = cross(two, one)
            change = cross(cross(outer.motion.omega, two), one) + cross(two, cross(omega, one))
            rows.add(outer, inner, ZERO, normal, spin @ change)
            pair = np.array([one, two]).T
            dual = np.linalg.pinv(pair).T
            rates = dual.T @ spin
            free = [("r", dual[:, k], rates[k], None) for k in range(2)]
        moves = [u for letter, u in zip(letters, axes, strict=True) if letter in "ts"]
        turns = [u for letter, u in zip(letters, axes, strict=True) if letter in "rs"]
        held = {0: AXES, 1: across(moves[0]) if moves else (), 2: [cross(*moves)] if len(moves) == 2 else ()}
        for u in held[len(moves)]:
            rows.add(outer, inner, *along(u))
        if body.kind not in ("ball", "universal"):
            for u in across(turns[0]) if turns else AXES:
                rows.add(outer, inner, *about(u))
        if letters == "s":  # u . slip = lead u . spin
            (u, _, slides), (_, _, twists) = along(axes[0]), about(axes[0])
            rows.add(outer, inner, u, -body.lead * u, slides - body.lead * twists)
        if body.kind != "universal":
            for letter, u in zip(letters, axes, strict=True):
                equation = along if letter == "t" else about
                free.append((letter, u, u @ (slip if letter == "t" else spin), equation))
        return outer, inner, free

    # --- dynamics

    def equations(self, t: float, state: Array, loose: bool = False) -> tuple[Array, Array, Rows, Array, dict]:
        """M, Q, the rows of A and b, the rates of the coordinates; rows of single coordinates by body and number. If
        loose, without what switches hold.
        """
        n, rows = self.n, Rows(self.n)
        M, Q = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        rates, single = np.zeros(len(state) - 13 * n), {}

        def push(place: Place, f: Array, torque: Array = ZERO) -> None:
            if place.takes:
                i = 6 * place.owner
                Q[i : i + 3] += f
                Q[i + 3 : i + 6] += torque + cross(place.arm, f)

        for body in self.moved:
            place, i = self.place(body, body.middle, t, state), 6 * body.number
            R, omega = place.motion.R, place.motion.omega
            left = 1.0 - self.drained.get(body.name, 0.0) * t / body.total
            mass, inertia = left * body.total, left * R @ body.moment @ R.T
            M[i : i + 3, i : i + 3], M[i + 3 : i + 6, i + 3 : i + 6] = mass * AXES, inertia
            Q[i : i + 3] += mass * self.gravity
            Q[i + 3 : i + 6] -= cross(omega, inertia @ omega)
        for body in self.jointed:
            outer, inner, free = self._joint(body, t, state, rows)
            q = state[body.slots] / body.units
            slots = slice(body.slots.start - 13 * n, body.slots.stop - 13 * n)
            rates[slots] = [rate for _, _, rate, _ in free]
            known = self._names(body, q, rates[slots] / body.units, t)
            springs, dampings = body.each("spring", None), body.each("damping")
            for k, (letter, u, rate, equation) in enumerate(free):
                spring, motor, course = springs[k] or {}, body.motors[k], body.course(k, t)
                rest = spring.get("rest", 0.0) * body.units[k]
                force = -spring.get("stiffness", 0.0) * (state[body.slots][k] - rest) - dampings[k] * rate
                law = motor.get("torque", motor.get("force"))
                if law is not None:
                    force += eval(law.lstrip("= "), known | self.held) if isinstance(law, str) else law
                if "stiffness" in motor:
                    goal = body.goal(k, t)
                    force += motor["stiffness"] * (goal.x - state[body.slots][k])
                    force += motor.get("damping", 0.0) * (goal.d - rate)
                f, torque = (force * u, ZERO) if letter == "t" else (ZERO, force * u)
                push(outer, f, torque)
                push(inner, -f, -torque)
                if course is not None:
                    rows.add(outer, inner, *equation(u, course.dd), course.d)
                elif equation is not None:
                    one = Rows(n)
                    one.add(outer, inner, *equation(u))
                    single[body.name, k] = one
                    rotor = body.each("armature")[
                        k
                    ]  # a force of -rotor times the acceleration A a - b of the coordinate
                    M += rotor * np.outer(one.F[0], one.A[0])
                    Q += rotor * one.b[0] * one.F[0]
        self._close(t, state, rows)
        self._couple(rows, single)
        self._load(t, state, push)
        for switch in () if loose else self.switches:
            switch.act(self, t, state, rows, single, Q)
        return M, Q, rows, rates, single

    def solved(self, t: float, state: Array) -> tuple[Array, Array, Rows, Array, dict]:
        """Accelerations and multipliers, the rows, the rates of the coordinates and their single rows; kept until
        another state or another mode is asked for.
        """
        key = (t, state.tobytes(), *(switch.mode for switch in self.switches))
        if self._last is None or self._last[0] != key:
            M, Q, rows, rates, single = self.equations(t, state)
            self._last = key, (*solution(M, rows, Q, np.array(rows.b)), rows, rates, single)
        return self._last[1]

    @staticmethod
    def _names(body: Body, q: Array, rates: Array, t: float) -> dict[str, Any]:
        """What the law of a motor may use."""
        names, count = {"t": t, "sin": math.sin}, dict.fromkeys("trs", 0)
        for k, letter in enumerate(LETTERS[body.kind]):
            count[letter] += 1
            word = "displacement" if letter == "t" else "angle"
            names[word if count[letter] == 1 else f"{word}_{count[letter]}"] = q[k]
            names["rate" if k == 0 else f"rate_{k + 1}"] = rates[k]
        return names

    def _close(self, t: float, state: Array, rows: Rows) -> None:
        """Rows of loops: a point that two bodies share, perhaps with an axis, or a rod between points of theirs."""
        for loop in self.loops:
            if loop["type"] == "coupling" or is_limit(loop):
                continue
            one, two = self.ends_of(loop, t, state)
            if loop["type"] != "distance":
                for u in AXES:
                    rows.add(one, two, u, ZERO, 0.0)
            if loop["type"] == "hinge":
                axis, omega, turning = loop["axis_0"], one.motion.omega, two.motion.omega
                u = one.motion.R @ axis
                for v in across(two.motion.R @ loop["to_axis_0"]):
                    change = cross(cross(omega, u), v) + cross(u, cross(turning, v))
                    rows.add(one, two, ZERO, cross(u, v), (omega - turning) @ change)
            if loop["type"] == "distance":
                apart, slip = one.motion.p - two.motion.p, one.motion.v - two.motion.v
                rows.add(one, two, apart, ZERO, slip @ slip)

    def ends_of(self, loop: dict[str, Any], t: float, state: Array) -> list[Place]:
        """The two points of a loop."""
        ends = [self.bodies.get(name) for name in loop["between"]]
        points = [
            np.array(loop.get(key, ZERO), float) * (body.metres if body else 1.0)
            for key, body in zip(("at", "to_at"), ends, strict=True)
        ]
        return [self.place(body, point, t, state) for body, point in zip(ends, points, strict=True)]

    def _couple(self, rows: Rows, single: dict) -> None:
        """Rows of couplings: the first coordinate of one joint, times a ratio, less that of another."""
        for loop in self.loops:
            if loop["type"] == "coupling":
                first, second = (single[name, 0] for name in loop["between"])
                units = [self.bodies[name].units[0] for name in loop["between"]]
                ratio = loop["ratio"] * units[1] / units[0]
                for key in ("A", "F", "b", "slips"):
                    one, two = getattr(first, key)[0], getattr(second, key)[0]
                    getattr(rows, key).append(two - ratio * one)

    def _load(self, t: float, state: Array, push) -> None:
        """Forces: constant ones and those of time, springs between points, drag, flows, mutual gravity."""
        self._attract(t, state, push)
        for body in self.bodies.values():
            for load in body.data.get("forces", ()):
                kind = load.get("type", "constant")
                place = self.place(body, self._point(body, load, "at"), t, state)
                if kind == "constant":
                    frame = load.get("frame", "parent")
                    R = {"body": place.motion.R, "world": AXES}.get(frame)
                    R = self.place(body.parent, ZERO, t, state).motion.R if R is None else R
                    f, torque = (
                        np.array([of_time(x, t).x for x in load.get(key, ZERO)]) for key in ("force", "torque")
                    )
                    push(place, R @ f, R @ torque)
                elif kind == "spring":
                    other = self.bodies.get(load["to"])
                    end = self.place(other, self._point(other, load, "to_at"), t, state)
                    d = place.motion.p - end.motion.p
                    length = np.linalg.norm(d)
                    stretching = (place.motion.v - end.motion.v) @ d / length
                    pull = load["stiffness"] * (length - load["length"]) + load.get("damping", 0.0) * stretching
                    push(place, -pull * d / length)
                    push(end, pull * d / length)
                elif kind == "mass_flow":  # thrust, the Coriolis force at both ends, the couple of what leaves
                    tank, rate = self.bodies[load["tank"]], load["rate"]
                    begin = self.place(tank, tank.centre, t, state)
                    R, omega = begin.motion.R, begin.motion.omega
                    inside = -rate * cross(omega, place.motion.p - begin.motion.p)
                    u = np.array(load["direction"]) / np.linalg.norm(load["direction"])
                    push(place, rate * load["exhaust_velocity"] * place.motion.R @ u + inside)
                    push(begin, inside, rate / tank.mass * R @ tank.inertia @ R.T @ omega)
                else:
                    v = place.motion.v
                    push(place, -(load.get("linear", 0.0) + load.get("quadratic", 0.0) * np.linalg.norm(v)) * v)

    def _attract(self, t: float, state: Array, push) -> None:
        """Mutual gravity: G m_1 m_2 r / (r^2 + s^2)^(3/2) between centres of mass, of bodies with their parts."""
        law = self.scene.get("world", {}).get("mutual_gravity", {"bodies": ()})
        bodies = [*dict.fromkeys(self.bodies[path].moved_base for path in law["bodies"])]
        places = [self.place(body, body.middle, t, state) for body in bodies]
        for (one, here), (two, there) in itertools.combinations(zip(bodies, places, strict=True), 2):
            r = there.motion.p - here.motion.p
            f = law["constant"] * one.total * two.total * r / (r @ r + law["softening"] ** 2) ** 1.5
            push(here, f)
            push(there, -f)

    @staticmethod
    def _point(body: Body | None, load: dict, key: str) -> Array:
        """Where a load acts: where it says, else at the centre of mass of a body with its parts, or of the part."""
        if key in load:
            return np.array(load[key], float) * (body.metres if body else 1.0)
        return ZERO if body is None else body.middle if body.moves else body.centre

    def slope(self, t: float, state: Array) -> Array:
        """The rate of the state."""
        change, _, _, rates, _ = self.solved(t, state)
        slope = np.empty_like(state)
        for k in range(self.n):
            i, j = 13 * k, 6 * k
            x, y, z, w = state[i + 3 : i + 7]
            a, b, c = state[i + 10 : i + 13]
            slope[i : i + 3] = state[i + 7 : i + 10]
            slope[i + 3 : i + 7] = 0.5 * np.array(
                [w * a + b * z - c * y, w * b + c * x - a * z, w * c + a * y - b * x, -a * x - b * y - c * z]
            )
            slope[i + 7 : i + 13] = change[j : j + 6]
        slope[13 * self.n :] = rates
        return slope

    # --- jumps

    def jump(self, state: Array, change: Array) -> None:
        """Change the rates of all bodies."""
        for k in range(self.n):
            state[13 * k + 7 : 13 * k + 13] += change[6 * k : 6 * k + 6]

    def strike(self, body: Body, blow: dict, t: float, state: Array) -> None:
        """An impulse on a body, which all joints and loops pass on."""
        place = self.place(body, self._point(body, blow, "at"), t, state)
        R = {"world": AXES, "body": place.motion.R}[blow["frame"]]
        M, _, rows, _, _ = self.equations(t, state, loose=True)
        given, i = np.zeros(6 * self.n), 6 * place.owner
        given[i : i + 3] = R @ np.array(blow["impulse"], float)
        given[i + 3 : i + 6] = cross(place.arm, given[i : i + 3])
        self.jump(state, solution(M, rows, given, np.zeros(len(rows.b)))[0])

    def motions(self, t: float, state: Array) -> dict[str, Motion]:
        """The motion of all bodies in the world."""
        return {name: self.place(body, ZERO, t, state).motion for name, body in self.bodies.items()}

    # --- another tree

    def after(self, change: dict[str, Any], t: float, state: Array) -> tuple[Equations, Array]:
        """The tree in which a body hangs elsewhere, and its state: with the momenta that there were, as far as joints
        and loops allow it.
        """
        was = self.motions(t, state)
        path, to = change["body"], None if change["to"] == "world" else change["to"]
        own, above = was[path], was.get(to, REST)
        data = self.nodes[path].data | {"motion": change.get("motion", "free")}
        node = Node(data, to, above.R.T @ (own.p - above.p), above.R.T @ own.R, self.bodies[path].metres)
        nodes = {name: one._replace(metres=self.bodies[name].metres) for name, one in self.nodes.items()}
        tree = Equations(self.scene, nodes | {path: node})
        found = np.zeros(tree.size)
        for body in tree.jointed:
            if body.name != path:
                found[body.slots] = state[self.bodies[body.name].slots]
        for body in tree.moved:
            tree.gather(body, was, found)
        M, _, rows, _, _ = tree.equations(t, found)
        tree.jump(found, solution(M, rows, np.zeros(6 * tree.n), -np.array(rows.slips))[0])
        return tree, found

    def gather(self, body: Body, was: dict[str, Motion], state: Array) -> None:
        """The state of a body with all that is fixed to it: their momenta, as if they became one."""
        i, own = 13 * body.number, was[body.name]
        centre, P, L = own.p + own.R @ body.middle, ZERO, ZERO
        for part, _, _ in body.parts:
            one = was[part.name]
            arm = one.R @ part.centre
            r, v = one.p + arm - centre, one.v + cross(one.omega, arm)
            P = P + part.mass * v
            L = L + part.mass * cross(r, v) + one.R @ part.inertia @ one.R.T @ one.omega
        omega = np.linalg.solve(own.R @ body.moment @ own.R.T, L)
        state[i : i + 13] = *centre, *Rotation.from_matrix(own.R).as_quat(), *(P / body.total), *omega


def solution(M: Array, rows: Rows, Q: Array, b: Array) -> tuple[Array, Array]:
    """a and lambda of M a - F^T lambda = Q, A a = b; the shortest lambda if rows depend on each other."""
    if not rows.A:
        return np.linalg.solve(M, Q), np.zeros(0)
    A = np.array(rows.A)
    free, response = np.linalg.solve(M, Q), np.linalg.solve(M, np.array(rows.F).T)
    multipliers = np.linalg.lstsq(A @ response, b - A @ free, rcond=1e-12)[0]
    return free + response @ multipliers, multipliers
