"""The motion of a scene in maximal coordinates, a reference that shares no code with rigidsim.

Each body that moves has its own six rates, in world axes, about its centre of mass together with what is fixed to it.
Joints and loops are rows of A, solved with multipliers: M a - F^T lambda = Q, A a = b. F is A but for frames with a
prescribed motion, which carry what hangs on them and exert nothing on their parent. Joint coordinates are integrals of
their rates. Impulses, and stops that a coordinate reaches, change rates by the same matrix; scipy's DOP853 does the
rest. Lengths of a scene are in units of the parent (positions, slides) or of the body (its own points), here in metres.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

Array = np.ndarray
ZERO, AXES = np.zeros(3), np.eye(3)
RTOL, ATOL = 1e-11, 1e-13
LETTERS = {
    "free": "", "hinge": "r", "slide": "t", "screw": "s", "ball": "", "universal": "rr", "cylindrical": "tr",
    "planar": "ttr", "weld": "",
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


def turn(axis, angle: float) -> Array:
    """The matrix of a rotation."""
    vector = np.asarray(axis, float)
    return Rotation.from_rotvec(vector / np.linalg.norm(vector) * angle).as_matrix()


def across(u: Array) -> list[Array]:
    """Two directions at right angles to another one."""
    first = np.cross(u, AXES[np.argmin(np.abs(u))])
    first = first / np.linalg.norm(first)
    return [first, np.cross(u, first)]


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
        carried = np.cross(self.alpha, r) + np.cross(self.omega, np.cross(self.omega, r))
        return Motion(
            self.p + r, self.R @ below.R, self.v + np.cross(self.omega, r) + v, self.omega + w,
            self.a + carried + 2 * np.cross(self.omega, v) + self.R @ below.a,
            self.alpha + self.R @ below.alpha + np.cross(self.omega, w),
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


class Body:
    """What a scene says of a body."""

    def __init__(self, name: str, data: dict[str, Any], parent: Body | None):
        self.name, self.data, self.parent = name, data, parent
        motion = data.get("motion") or ("free" if "mass" in data else "fixed")
        self.kind, self.joint = (motion, {}) if isinstance(motion, str) else next(iter(motion.items()))
        self.unit = parent.metres if parent else 1.0
        self.metres = self.unit * data.get("scale", 1.0)
        self.position = self.unit * np.array(data.get("position", ZERO), float)
        orientation = data.get("orientation")
        self.R = turn(orientation["axis"], orientation["angle"]) if orientation else AXES
        self.mass, self.inertia = data.get("mass", 0.0), np.diag(data.get("inertia", {"principal": ZERO})["principal"])
        self.centre = self.metres * np.array(data.get("center_of_mass", ZERO), float)
        self.moves, self.number = self.kind not in ("fixed", "prescribed"), -1
        self.parts: list[tuple[Body, Array, Array]] = []  # what is fixed to it, with itself: position, axes
        self.carrier: Body | None = self if self.moves else parent.carrier if parent else None
        frames, body = [], self
        while body is not self.carrier:
            frames.append(body)
            body = body.parent
        self.frames: list[Body] = frames[::-1]  # from the carrier or the world to this one
        if self.carrier and all(frame.kind == "fixed" for frame in frames):
            place = self.below(REST, 0.0)
            self.carrier.parts.append((self, place.p, place.R))
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
            given = [along, np.cross(normal, along), normal]
        self.axes = [np.array(axis, float) / np.linalg.norm(axis) for axis in given]
        self.units = [self.unit if letter == "t" else 1.0 for letter in letters]
        self.lead = self.unit * joint.get("pitch", 0.0) / (2 * math.pi)  # m/rad
        self.motors = list(joint.get("motors") or [joint.get("motor")] * len(letters))
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
        motor = self.motors[k] or {}
        found = motor.get("angle", motor.get("displacement"))
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
        self.n, self.A, self.F, self.b = n, [], [], []

    def add(self, one: Place, other: Place, push: Array, twist: Array, known: float) -> None:
        """push . (a_1 - a_2) + twist . (alpha_1 - alpha_2) + known = 0, of two places."""
        row, force = np.zeros(6 * self.n), np.zeros(6 * self.n)
        for place, sign in ((one, 1.0), (other, -1.0)):
            if place.owner is not None:
                i, turning = 6 * place.owner, np.cross(place.arm, push) + twist
                for each in (row, force)[: 1 + place.takes]:
                    each[i : i + 6] += sign * np.concatenate([push, turning])
            known += sign * (push @ place.motion.a + twist @ place.motion.alpha)
        self.A.append(row)
        self.F.append(force)
        self.b.append(-known)


class Reference:
    """A scene as equations of motion. `run` gives the motion of all bodies in the world at its end."""

    def __init__(self, scene: dict[str, Any]):
        self.scene, self.bodies = scene, {}
        self.gravity = np.array(scene.get("world", {}).get("gravity", ZERO), float)
        self._read(scene["bodies"], None)
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

    def _read(self, data: dict[str, Any], parent: Body | None) -> None:
        for name, one in data.items():
            body = Body(f"{parent.name}/{name}" if parent else name, one, parent)
            self.bodies[body.name] = body
            self._read(one.get("children", {}), body)

    # --- the state: of each moved body centre, quaternion (x, y, z, w), velocity, rate; then the joint coordinates

    def _start(self) -> Array:
        state, found = np.zeros(13 * self.n + sum(len(LETTERS[body.kind]) for body in self.jointed)), {None: REST}
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
            state[i : i + 13] = *(motion.p + arm), *q, *(motion.v + np.cross(motion.omega, arm)), *motion.omega
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
        return Motion(pivot + arm, R, v + np.cross(omega, arm), omega, ZERO, ZERO)

    # --- kinematics

    def _place(self, body: Body | None, point: Array, t: float, state: Array) -> Place:
        """A point of a body, of a frame or of the world, m, in its axes."""
        at = REST._replace(p=point)
        if body is None or body.carrier is None:
            return Place(None, ZERO, (body.below(REST, t) if body else REST).then(at), False)
        i = 13 * body.carrier.number
        x, v, omega = state[i : i + 3], state[i + 7 : i + 10], state[i + 10 : i + 13]
        R = Rotation.from_quat(state[i + 3 : i + 7]).as_matrix()
        r = -R @ body.carrier.middle
        bias = np.cross(omega, np.cross(omega, r))
        motion = body.below(Motion(x + r, R, v + np.cross(omega, r), omega, bias, ZERO), t).then(at)
        takes = all(frame.kind == "fixed" for frame in body.frames)
        return Place(body.carrier.number, motion.p - x, motion, takes)

    def _joint(self, body: Body, t: float, state: Array, rows: Rows) -> tuple[Place, Place, list[tuple]]:
        """Add the rows of a joint: its places on the body and on the parent, and (letter, axis, rate, what its row for
        a wanted acceleration is made from) of each coordinate.
        """
        outer = self._place(body, body.at, t, state)
        inner = self._place(body.parent, body.pivot, t, state)
        R = inner.motion.R
        inner = self._place(body.parent, body.pivot + R.T @ (outer.motion.p - inner.motion.p), t, state)
        omega, slip = inner.motion.omega, outer.motion.v - inner.motion.v
        spin, axes = outer.motion.omega - omega, [R @ body.R @ axis for axis in body.axes]
        coriolis = -2 * np.cross(omega, slip)

        def along(u, wanted=0.0):
            return u, ZERO, u @ coriolis - wanted

        def about(u, wanted=0.0):
            return ZERO, u, spin @ np.cross(omega, u) - wanted

        letters, free = LETTERS[body.kind], []
        if body.kind == "universal":
            one, two = axes[0], outer.motion.R @ body.axes[1]
            normal = np.cross(two, one)
            change = np.cross(np.cross(outer.motion.omega, two), one) + np.cross(two, np.cross(omega, one))
            rows.add(outer, inner, ZERO, normal, spin @ change)
            pair = np.array([one, two]).T
            dual = np.linalg.pinv(pair).T
            rates = dual.T @ spin
            free = [("r", dual[:, k], rates[k], None) for k in range(2)]
        moves = [u for letter, u in zip(letters, axes, strict=True) if letter in "ts"]
        turns = [u for letter, u in zip(letters, axes, strict=True) if letter in "rs"]
        held = {0: AXES, 1: across(moves[0]) if moves else (), 2: [np.cross(*moves)] if len(moves) == 2 else ()}
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

    def _equations(self, t: float, state: Array, prescribes: bool = True) -> tuple[Array, Array, Rows, Array, dict]:
        """M, Q, the rows of A and b, the rates of the coordinates; rows of single coordinates by body and number."""
        n, rows = self.n, Rows(self.n)
        M, Q = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        rates, single = np.zeros(len(state) - 13 * n), {}

        def push(place: Place, f: Array, torque: Array = ZERO) -> None:
            if place.takes:
                i = 6 * place.owner
                Q[i : i + 3] += f
                Q[i + 3 : i + 6] += torque + np.cross(place.arm, f)

        for body in self.moved:
            place, i = self._place(body, body.middle, t, state), 6 * body.number
            R, omega = place.motion.R, place.motion.omega
            inertia = R @ body.moment @ R.T
            M[i : i + 3, i : i + 3], M[i + 3 : i + 6, i + 3 : i + 6] = body.total * AXES, inertia
            Q[i : i + 3] += body.total * self.gravity
            Q[i + 3 : i + 6] -= np.cross(omega, inertia @ omega)
        for body in self.jointed:
            outer, inner, free = self._joint(body, t, state, rows)
            q = state[body.slots] / body.units
            slots = slice(body.slots.start - 13 * n, body.slots.stop - 13 * n)
            rates[slots] = [rate for _, _, rate, _ in free]
            known = self._names(body, q, rates[slots] / body.units, t)
            springs, dampings = body.each("spring", None), body.each("damping")
            for k, (letter, u, rate, equation) in enumerate(free):
                spring, motor, course = springs[k] or {}, body.motors[k] or {}, body.course(k, t)
                rest = spring.get("rest", 0.0) * body.units[k]
                force = -spring.get("stiffness", 0.0) * (state[body.slots][k] - rest) - dampings[k] * rate
                law = motor.get("torque", motor.get("force"))
                if law is not None:
                    force += eval(law.lstrip("= "), dict(known)) if isinstance(law, str) else law
                f, torque = (force * u, ZERO) if letter == "t" else (ZERO, force * u)
                push(outer, f, torque)
                push(inner, -f, -torque)
                if course is not None and prescribes:
                    rows.add(outer, inner, *equation(u, course.dd))
                elif equation is not None:
                    one = Rows(n)
                    one.add(outer, inner, *equation(u))
                    single[body.name, k] = one.A[0], one.F[0]
        self._close(t, state, rows)
        self._load(t, state, push)
        return M, Q, rows, rates, single

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
        """Rows of loops: a point that two bodies share, or a rod between points of theirs."""
        for loop in self.loops:
            ends = [self.bodies.get(name) for name in loop["between"]]
            points = [
                np.array(loop.get(key, ZERO), float) * (body.metres if body else 1.0)
                for key, body in zip(("at", "to_at"), ends, strict=True)
            ]
            one, two = (self._place(body, point, t, state) for body, point in zip(ends, points, strict=True))
            if loop["type"] == "point":
                for u in AXES:
                    rows.add(one, two, u, ZERO, 0.0)
            else:
                apart, slip = one.motion.p - two.motion.p, one.motion.v - two.motion.v
                rows.add(one, two, apart, ZERO, slip @ slip)

    def _load(self, t: float, state: Array, push) -> None:
        """Forces: constant ones and those of time, springs between points, and drag."""
        for body in self.bodies.values():
            for load in body.data.get("forces", ()):
                kind = load.get("type", "constant")
                place = self._place(body, self._point(body, load, "at"), t, state)
                if kind == "constant":
                    frame = load.get("frame", "parent")
                    R = {"body": place.motion.R, "world": AXES}.get(frame)
                    R = self._place(body.parent, ZERO, t, state).motion.R if R is None else R
                    f, torque = (
                        np.array([of_time(x, t).x for x in load.get(key, ZERO)]) for key in ("force", "torque")
                    )
                    push(place, R @ f, R @ torque)
                elif kind == "spring":
                    other = self.bodies.get(load["to"])
                    end = self._place(other, self._point(other, load, "to_at"), t, state)
                    d = place.motion.p - end.motion.p
                    length = np.linalg.norm(d)
                    stretching = (place.motion.v - end.motion.v) @ d / length
                    pull = load["stiffness"] * (length - load["length"]) + load.get("damping", 0.0) * stretching
                    push(place, -pull * d / length)
                    push(end, pull * d / length)
                else:
                    v = place.motion.v
                    push(place, -(load.get("linear", 0.0) + load.get("quadratic", 0.0) * np.linalg.norm(v)) * v)

    @staticmethod
    def _point(body: Body | None, load: dict, key: str) -> Array:
        """Where a load acts: at the centre of mass of a body with its parts, unless it says where."""
        if key in load:
            return np.array(load[key], float) * (body.metres if body else 1.0)
        return body.middle if body is not None and body.moves else ZERO

    def _slope(self, t: float, state: Array) -> Array:
        M, Q, rows, rates, _ = self._equations(t, state)
        slope, change = np.empty_like(state), solved(M, rows, Q, np.array(rows.b))
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

    def _jump(self, state: Array, change: Array) -> None:
        for k in range(self.n):
            state[13 * k + 7 : 13 * k + 13] += change[6 * k : 6 * k + 6]

    def _strike(self, body: Body, blow: dict, t: float, state: Array) -> None:
        """An impulse on a body, which all joints and loops pass on."""
        place = self._place(body, self._point(body, blow, "at"), t, state)
        R = {"world": AXES, "body": place.motion.R}[blow["frame"]]
        M, _, rows, _, _ = self._equations(t, state)
        given, i = np.zeros(6 * self.n), 6 * place.owner
        given[i : i + 3] = R @ np.array(blow["impulse"], float)
        given[i + 3 : i + 6] = np.cross(place.arm, given[i : i + 3])
        self._jump(state, solved(M, rows, given, np.zeros(len(rows.b))))

    def _rebound(self, body: Body, k: int, t: float, state: Array) -> None:
        """A coordinate at a stop: its rate becomes -e times what it was."""
        M, _, rows, rates, single = self._equations(t, state)
        for kept, row in zip((rows.A, rows.F), single[body.name, k], strict=True):
            kept.append(row)
        wanted = np.zeros(len(rows.A))
        wanted[-1] = -(1 + body.each("restitution")[k]) * rates[body.slots.start - 13 * self.n + k]
        self._jump(state, solved(M, rows, np.zeros(6 * self.n), wanted))

    def _stops(self) -> list[tuple]:
        """(body, number, margin as a function of the state) of all limits."""
        found = []
        for body in self.jointed:
            for k, limits in enumerate(body.each("limits", None) if "limits" in body.joint else ()):
                low, high = (end * body.units[k] for end in limits)
                slot = body.slots.start + k
                found.append((body, k, lambda t, y, slot=slot, low=low: y[slot] - low))
                found.append((body, k, lambda t, y, slot=slot, high=high: high - y[slot]))
        for _, _, margin in found:
            margin.terminal, margin.direction = True, -1.0
        return found

    def run(self) -> dict[str, Motion]:
        """The motion of all bodies in the world at the end of the scene."""
        t, end, state = 0.0, self.scene["simulation"]["duration"], self._start()
        blows = [(blow["time"], body, blow) for body in self.bodies.values() for blow in body.data.get("impulses", ())]
        stops = self._stops()
        for time, body, blow in [*sorted(blows, key=lambda each: each[0]), (end, None, None)]:
            while t < time:
                margins = [margin for _, _, margin in stops]
                done = solve_ivp(self._slope, (t, time), state, "DOP853", rtol=RTOL, atol=ATOL, events=margins or None)
                t, state = done.t[-1], done.y[:, -1].copy()
                for (hit, k, _), times in zip(stops, done.t_events or (), strict=False):
                    if len(times):
                        self._rebound(hit, k, t, state)
            if body is not None:
                self._strike(body, blow, t, state)
        return {name: self._place(body, ZERO, end, state).motion for name, body in self.bodies.items()}


def solved(M: Array, rows: Rows, Q: Array, b: Array) -> Array:
    """a of M a - F^T lambda = Q, A a = b; the shortest lambda if rows depend on each other."""
    if not rows.A:
        return np.linalg.solve(M, Q)
    A = np.array(rows.A)
    free, response = np.linalg.solve(M, Q), np.linalg.solve(M, np.array(rows.F).T)
    return free + response @ np.linalg.lstsq(A @ response, b - A @ free, rcond=1e-12)[0]
