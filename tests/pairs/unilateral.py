"""What is one-sided or set-valued in the reference: stops, dry friction, motors of a rate, servos, ropes and limits of
rotations, shapes that touch.

Each is a switch with a mode. In a mode it adds rows or forces to the equations, and has margins, which vanish where
the mode ends. At an event all modes that the rates leave open are tried, one combination after the other, until one
agrees with the forces and accelerations that it gives.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from maximal_coordinates import (
    AXES,
    LETTERS,
    ZERO,
    Array,
    Body,
    Equations,
    Place,
    Rows,
    across,
    cross,
    is_limit,
    rotation_of,
    solution,
)

STILL = 1e-7
"""rad/s, m/s: a rate below it, at an event, is none."""
SLOW = 1e-3
"""m/s: below it the direction of friction does not turn, so that a slip ends at a zero of a smooth function."""
AT = 1e-9
"""rad, m: how near a coordinate is to a stop where it is at it."""


BESIDE = 1e-4
"""s: by which the direction of an angle is differentiated, to fourth order."""
LARGE = 6.0
"""m: the edge of a box that is met as a plane."""
TINY = 1e-300
JAMMED = 1e-3
"""Of the inverse mass of a free body: below it at a wall, a joint lies nearly along the wall, and rounding decides."""


class Undetermined(Exception):
    """The laws leave open what comes next, or it depends on the step: a slow impact, two at one instant, a jam."""


class Grip:
    """A coordinate with stops and dry friction, or a motor that wants a rate, that of a servo by where it wants to be.
    The mode is two signs, of the rate and of the rate less the wanted one, zero where that is held.
    """

    def __init__(self, body: Body, k: int):
        self.body, self.k, self.slot, unit = body, k, body.slots.start + k, body.units[k]
        motor, limits = body.motors[k], body.joint.get("limits")
        low, high = (limits and (limits if len(body.units) == 1 else limits[k])) or (None, None)
        self.low = -np.inf if low is None else low * unit
        self.high = np.inf if high is None else high * unit
        self.friction, self.e = body.each("friction")[k], body.each("restitution")[k]
        self.given = motor.get("rate", 0.0) * unit
        self.time_constant = motor.get("time_constant", 0.05)
        self.largest = 0.0 if "stiffness" in motor else motor.get("max_torque", motor.get("max_force", 0.0))
        self.follows = self.largest > 0 and "rate" not in motor
        self.mode, self.row = (1, 1), -1

    @property
    def key(self) -> tuple[str, int]:
        """Where `Equations.equations` has the row of the coordinate."""
        return self.body.name, self.k

    def rate(self, tree: Equations, t: float, state: Array) -> float:
        """Of the coordinate, rad/s or m/s."""
        return tree.solved(t, state)[3][self.slot - 13 * tree.n]

    def wanted(self, t: float, state: Array) -> float:
        """The rate that the motor wants: x_d' + (x_d - x)/T of a servo, rad/s or m/s."""
        if not self.follows:
            return self.given
        goal = self.body.goal(self.k, t)
        return goal.d + (goal.x - state[self.slot]) / self.time_constant

    def wanted_change(self, t: float, v: float) -> float:
        """The rate of that, at a rate of the coordinate."""
        if not self.follows:
            return 0.0
        goal = self.body.goal(self.k, t)
        return goal.dd + (goal.d - v) / self.time_constant

    def acceleration(self, tree: Equations, t: float, state: Array) -> float:
        """Of the coordinate, in its present mode, rad/s^2 or m/s^2."""
        change, _, _, _, single = tree.solved(t, state)
        row = single[self.key]
        return row.A[0] @ change - row.b[0]

    def alone(self, tree: Equations, t: float, state: Array, single: dict) -> Rows:
        """The row of the coordinate."""
        return single[self.key]

    def act(self, tree: Equations, t: float, state: Array, rows: Rows, single: dict, Q: Array) -> None:
        """Hold the rate, or push as long as it slides."""
        row, (slip, lag) = single[self.key], self.mode
        if slip * lag == 0:
            self.row = len(rows.A)
            v = row.slips[0]
            rows.append(row, self.wanted_change(t, v) if lag == 0 else 0.0)
        else:
            Q += row.F[0] * (-self.friction * slip - self.largest * lag)

    def bounds(self, x: float) -> tuple[float, float]:
        """Of what holds the rate, N m or N."""
        slip, lag = self.mode
        least = -self.friction * (slip or 1) - self.largest * (lag or 1)
        most = -self.friction * (slip or -1) - self.largest * (lag or -1)
        at_rest = slip == 0
        return (
            -np.inf if at_rest and x >= self.high - AT else least, np.inf if at_rest and x <= self.low + AT else most
        )  # fmt: skip

    def watched(self) -> list[str]:
        """The margins of the present mode."""
        slip, lag = self.mode
        stops = [name for name, end in (("low", self.low), ("high", self.high)) if slip and np.isfinite(end)]
        if slip * lag == 0:
            return [*stops, "most", "least", *["lag"] * (self.follows and lag != 0)]
        return [*stops, *["slip"] * (self.friction > 0), *["lag"] * (self.largest > 0)]

    def margin(self, name: str, tree: Equations, t: float, state: Array) -> float:
        """How far the coordinate is from what ends its mode."""
        x = state[self.slot]
        if name in ("low", "high"):
            return x - self.low if name == "low" else self.high - x
        if name in ("slip", "lag"):
            v = self.rate(tree, t, state)
            return self.mode[0] * v if name == "slip" else self.mode[1] * (v - self.wanted(t, state))
        constraint, (least, most) = tree.solved(t, state)[1][self.row], self.bounds(x)
        return min(most, 1e9) - constraint if name == "most" else constraint - max(least, -1e9)

    def strike(self, name: str, tree: Equations, t: float, state: Array) -> None:
        """The impact at a stop that is met: the rate becomes -e times what it was."""
        if name not in ("low", "high"):
            return
        v, side = self.rate(tree, t, state), 1.0 if name == "high" else -1.0
        gained = max(0.0, side * self.acceleration(tree, t, state)) * tree.step
        if 0.1 * gained < side * v < 10 * gained:
            raise Undetermined("an impact about as fast as what a step adds to the rate")
        rebound(self, side, self.e if side * v > gained else 0.0, tree, t, state)

    def choices(self, tree: Equations, t: float, state: Array) -> list[tuple[int, int]]:
        """The modes that the rate leaves open, those that hold it first."""
        x, v = state[self.slot], self.rate(tree, t, state)
        low, high = x <= self.low + AT, x >= self.high - AT
        slips = signs(v, self.friction > 0 or low or high)
        slips = [sign for sign in slips if not (low and sign < 0) and not (high and sign > 0)]
        found = itertools.product(slips, signs(v - self.wanted(t, state), self.largest > 0))
        return [mode for mode in found if not self.follows or mode != (0, 0)]

    def agrees(self, tree: Equations, t: float, state: Array) -> bool:
        """Whether the present mode is what follows from it."""
        x, v, (slip, lag) = state[self.slot], self.rate(tree, t, state), self.mode
        if self.follows and slip == 0 and abs(v - self.wanted(t, state)) < STILL and lag * self.wanted_change(t, v) > 0:
            return False
        if slip * lag == 0:
            constraint, (least, most) = tree.solved(t, state)[1][self.row], self.bounds(x)
            wanted = self.wanted_change(t, v) if lag == 0 else 0.0
            left = self.acceleration(tree, t, state) - wanted  # some is, where loops hold the coordinate, too
            return abs(left) < 1e-6 * max(1.0, abs(wanted)) and least - 1e-9 <= constraint <= most + 1e-9
        a = self.acceleration(tree, t, state)
        stood = (self.friction > 0 or x <= self.low + AT or x >= self.high - AT) and abs(v) < STILL
        followed = self.largest > 0 and abs(v - self.wanted(t, state)) < STILL
        return not (stood and slip * a < 0) and not (followed and lag * (a - self.wanted_change(t, v)) < 0)


def signs(v: float, can_be_held: bool) -> list[int]:
    """The signs that a rate can have."""
    if abs(v) >= STILL:
        return [1 if v > 0 else -1]
    return [0, 1, -1] if can_be_held else [1]


class Limit:
    """A distance of two points, or an angle between two bodies, that is bounded: a rope, a cone. The mode is a sign:
    1 at the largest, -1 at the least value, 0 between them.
    """

    def __init__(self, tree: Equations, loop: dict):
        self.loop, self.kind, self.e = loop, loop["type"], loop.get("restitution", 0.0)
        self.ends = [tree.bodies.get(name) for name in loop["between"]]
        low, high = loop.get("limits", (None, None))
        if self.kind == "distance":
            low, high = loop.get("min_length"), loop.get("max_length")
        elif self.kind != "twist":
            high = loop["max_angle"]
        self.low, self.high = -np.inf if low is None else low, np.inf if high is None else high
        self.mode, self.row = 0, -1

    def measured(self, tree: Equations, t: float, state: Array) -> tuple[float, Rows]:
        """The value, and the row of its second derivative."""
        row = Rows(tree.n)
        if self.kind == "distance":
            one, two = tree.ends_of(self.loop, t, state)
            r, v = one.motion.p - two.motion.p, one.motion.v - two.motion.v
            x = np.linalg.norm(r)
            e = r / x
            row.add(one, two, e, ZERO, (v @ v - (e @ v) ** 2) / x)
            return x, row
        one, two = (tree.place(body, ZERO, t, state) for body in self.ends)
        x, n = self.angle(one.motion.R, two.motion.R)

        def later(h: float) -> Array:
            return self.angle(*(small(h * each.motion.omega) @ each.motion.R for each in (one, two)))[1]

        h = BESIDE
        rate = (8 * (later(h) - later(-h)) - later(2 * h) + later(-2 * h)) / (12 * h)
        row.add(two, one, ZERO, n, (two.motion.omega - one.motion.omega) @ rate)
        return x, row

    def angle(self, R_1: Array, R_2: Array) -> tuple[float, Array]:
        """The angle of the second body in the first, and n: its rate is n . (omega_2 - omega_1)."""
        if self.kind == "turn":
            a, b = R_1.T, (R_2 @ self.loop["R_0"]).T
            s = sum(cross(*pair) for pair in zip(a, b, strict=True))
            return float(np.arctan2(np.linalg.norm(s), np.sum(a * b) - 1)), s / max(np.linalg.norm(s), TINY)
        a, b = R_1 @ self.loop["axis_0"], R_2 @ self.loop["to_axis_0"]
        if self.kind == "swing":
            c = cross(a, b)
            return float(np.arctan2(np.linalg.norm(c), a @ b)), c / max(np.linalg.norm(c), TINY)
        e, f = R_1 @ across(self.loop["axis_0"])[0], R_2 @ self.loop["R_0"] @ across(self.loop["axis_0"])[0]
        c = cross(a, b)  # the least rotation that brings a to b
        turned = e * (a @ b) + cross(c, e) + c * (c @ e) / (1 + a @ b)
        return float(np.arctan2(cross(turned, f) @ b, turned @ f)), (a + b) / (1 + a @ b)

    def alone(self, tree: Equations, t: float, state: Array, single: dict) -> Rows:
        """The row of the value."""
        return self.measured(tree, t, state)[1]

    def rate(self, tree: Equations, t: float, state: Array) -> float:
        """Of the value."""
        return self.measured(tree, t, state)[1].slips[0]

    def acceleration(self, tree: Equations, t: float, state: Array) -> float:
        """Of the value, in the present mode."""
        row = self.measured(tree, t, state)[1]
        return row.A[0] @ tree.solved(t, state)[0] - row.b[0]

    def act(self, tree: Equations, t: float, state: Array, rows: Rows, single: dict, Q: Array) -> None:
        """Hold the value at a limit."""
        if self.mode:
            self.row = len(rows.A)
            rows.append(self.measured(tree, t, state)[1])

    def watched(self) -> list[str]:
        """The margins of the present mode."""
        return ["pull"] if self.mode else [name for name in ("low", "high") if np.isfinite(getattr(self, name))]

    def margin(self, name: str, tree: Equations, t: float, state: Array) -> float:
        """How far the value is from what ends its mode."""
        if name == "pull":
            return -self.mode * tree.solved(t, state)[1][self.row]
        x = self.measured(tree, t, state)[0]
        return x - self.low if name == "low" else self.high - x

    def side(self, tree: Equations, t: float, state: Array) -> int:
        """At which limit the value is."""
        x = self.measured(tree, t, state)[0]
        return int(x >= self.high - AT) - int(x <= self.low + AT)

    def strike(self, name: str, tree: Equations, t: float, state: Array) -> None:
        """The impact at a limit that is met."""
        if name in ("low", "high"):
            v, side = self.rate(tree, t, state), 1.0 if name == "high" else -1.0
            gained = max(0.0, side * self.acceleration(tree, t, state)) * tree.step
            if 0.1 * gained < side * v < 10 * gained:
                raise Undetermined("an impact about as fast as what a step adds to the rate")
            rebound(self, side, self.e if side * v > gained else 0.0, tree, t, state)

    def choices(self, tree: Equations, t: float, state: Array) -> list[int]:
        """The modes that value and rate leave open."""
        side = self.side(tree, t, state)
        return [side, 0] if side and abs(self.rate(tree, t, state)) < STILL else [0]

    def agrees(self, tree: Equations, t: float, state: Array) -> bool:
        """Whether the present mode is what follows from it."""
        if self.mode:
            return self.margin("pull", tree, t, state) >= -1e-9
        side = self.side(tree, t, state)
        at_rest = side and abs(self.rate(tree, t, state)) < STILL
        return not (at_rest and side * self.acceleration(tree, t, state) > 0)


def small(turning: Array) -> Array:
    """The matrix of a rotation vector."""
    return Rotation.from_rotvec(turning).as_matrix()


class Meeting(NamedTuple):
    """A sphere and what it meets: the normal from that to the sphere, the gap, the places of both that are nearest, the
    middle of the sphere and the place of the other that is there.
    """

    n: Array
    gap: float
    one: Place
    other: Place
    middle: Place
    there: Place

    @property
    def u(self) -> Array:
        """The velocity of the sphere relative to the other, where they are nearest."""
        return self.one.motion.v - self.other.motion.v


def support(shape: dict, u: Array) -> Array:
    """The point of a convex shape, from its position and in the axes of its body, that is furthest along u."""
    R, kind = rotation_of(shape.get("orientation")), shape["type"]
    d = R.T @ u
    rim = d * (1, 1, 0) / max(np.hypot(d[0], d[1]), TINY)
    up = np.array([0, 0, np.sign(d[2])])
    if kind in ("box", "hull"):
        corners = shape["points"] if kind == "hull" else itertools.product(*((-x / 2, x / 2) for x in shape["size"]))
        corners = np.array(list(corners))
        return R @ corners[np.argmax(corners @ d)]
    if kind == "ellipsoid":
        radii = np.array(shape["radii"])
        return R @ (radii * radii * d / np.linalg.norm(radii * d))
    r, length = shape["radius"], shape.get("length", 0.0)
    if kind == "cone":
        ends = [r * rim - AXES[2] * length / 2, AXES[2] * length / 2]
        return R @ max(ends, key=lambda end: end @ d)
    return R @ (length / 2 * up + r * (rim if kind == "cylinder" else d))


def flat(shape: dict) -> tuple[Array, Array] | None:
    """The normal and a point of a shape that is met as a plane: one, or the upper side of a large box, a terrain or a
    mesh; else None. In the axes of the body.
    """
    if shape["type"] == "plane":
        n = np.array(shape["normal"], float)
        return n / np.linalg.norm(n), ZERO
    is_large = shape["type"] in ("terrain", "mesh") or (shape["type"] == "box" and shape["size"][2] == LARGE)
    if not is_large:
        return None
    n = rotation_of(shape.get("orientation")) @ AXES[2]
    return n, np.array(shape["position"]) + n * (LARGE / 2 if shape["type"] == "box" else 0.0)


class Touch:
    """A convex shape of one body and a plane or sphere of another one; the mode: "apart", or of a sphere on a plane
    "sticks", "slides", or "creeps", with the direction of a slip below SLOW.
    """

    def __init__(self, body: Body, own: dict, other: Body, shape: dict, material: dict[str, float]):
        self.body, self.own, self.other, self.shape, self.plane = body, own, other, shape, flat(shape)
        self.centre = body.metres * np.array(own.get("position", ZERO), float)
        self.r = body.metres * own.get("radius", 0.0)
        self.e, self.mu = material["restitution"], material["friction"]
        self.mode: tuple = ("apart",)
        self.row = -1

    def meeting(self, tree: Equations, t: float, state: Array) -> Meeting:
        """Where they are, and how they move."""
        base, body = tree.place(self.other, ZERO, t, state).motion, tree.place(self.body, ZERO, t, state).motion
        middle = tree.place(self.body, self.centre, t, state)
        c = middle.motion.p
        if self.plane:
            n, level = (base.R @ x for x in self.plane)
            out = self.body.metres * body.R @ support(self.own, -body.R.T @ n)
            gap = n @ (c + out - base.p - self.other.metres * level)
        else:
            way = c - tree.place(self.other, self.other.metres * self.shape.get("position", ZERO), t, state).motion.p
            n = way / np.linalg.norm(way)
            gap = np.linalg.norm(way) - self.r - self.other.metres * self.shape["radius"]
            out = -self.r * n
        one = tree.place(self.body, body.R.T @ (c + out - body.p), t, state)
        other = tree.place(self.other, base.R.T @ (c + out - gap * n - base.p), t, state)
        there = tree.place(self.other, base.R.T @ (c - base.p), t, state)
        return Meeting(n, gap, one, other, middle, there)

    def act(self, tree: Equations, t: float, state: Array, rows: Rows, single: dict, Q: Array) -> None:
        """While they touch: the normal row, friction with it while it slides, rows across it while it sticks."""
        if self.mode[0] == "apart":
            return
        slides, met = self.mode[0] != "sticks", self.meeting(tree, t, state)
        self.row, n, turning = len(rows.A), met.n, met.there.motion.omega
        v = met.middle.motion.v - met.there.motion.v
        rows.add(met.middle, met.there, n, ZERO, -2 * n @ cross(turning, v))
        for direction in across(n):
            known = direction @ self.drift(met)
            across_it = Rows(tree.n) if slides else rows
            across_it.add(met.one, met.other, direction, ZERO, known)
            if slides:
                rows.F[self.row] = rows.F[self.row] - self.mu * (direction @ self.slip(met)) * across_it.F[0]

    def drift(self, met: Meeting) -> Array:
        """What the rate of the slip has beside the accelerations of the two points: both places move on."""
        turning, n = met.other.motion.omega, met.n
        change = cross(turning, n)
        moved = met.middle.motion.v - self.r * change
        rolled = -self.r * cross(met.one.motion.omega, change - cross(met.one.motion.omega, n))
        return rolled - cross(turning, moved - met.other.motion.v)

    def slip(self, met: Meeting) -> Array:
        """The direction of the slip."""
        if self.mode[0] == "creeps":
            return np.array(self.mode[1])
        u = met.u - met.n * (met.n @ met.u)
        return u / np.linalg.norm(u)

    def watched(self) -> list[str]:
        """The margins of the present mode."""
        ends = {"apart": ["gap"], "slides": ["push", "slow"], "creeps": ["push", "end", "fast"]}
        return ends.get(self.mode[0], ["push", "friction"])

    def margin(self, name: str, tree: Equations, t: float, state: Array) -> float:
        """How far it is from what ends the mode."""
        if name in ("push", "friction"):
            push, *held = tree.solved(t, state)[1][self.row : self.row + 3]
            return push if name == "push" else self.mu * push - np.hypot(*held)
        met = self.meeting(tree, t, state)
        if name in ("gap", "end"):
            return met.gap if name == "gap" else met.u @ self.slip(met)
        return np.linalg.norm(met.u) - SLOW if name == "slow" else 2 * SLOW - np.linalg.norm(met.u)

    def approaches(self, tree: Equations, t: float, state: Array) -> bool:
        """Whether they touch and approach each other, as after a blow."""
        met = self.meeting(tree, t, state)
        return abs(met.gap) < 1e-6 and met.n @ met.u < -1e-4

    def strike(self, name: str, tree: Equations, t: float, state: Array) -> None:
        """The impulse where they meet, by the law of Chatterjee and Ruina; where slip ends, what is left of it."""
        met = self.meeting(tree, t, state)
        if name == "gap":
            change, _, _, _, _ = tree.solved(t, state)
            approach = -met.n @ met.u
            if not approach * max(self.e, 0.5) > 10 * tree.step * max(np.abs(change).max(), np.abs(tree.gravity).sum()):
                raise Undetermined("a slow impact")
            self.push(tree, t, state, met, lambda K: impulse(K, met.n, met.u, self.e, self.mu))
        elif name == "end":
            self.push(tree, t, state, met, lambda K: -np.linalg.pinv(K) @ (met.u - met.n * (met.n @ met.u)))

    def push(self, tree: Equations, t: float, state: Array, met: Meeting, law) -> None:
        """An impulse at the place, with those stops that then push, of all at which a coordinate rests."""
        agreed(tree, t, state, resting(tree, t, state), partial(self.answer, tree, t, state, met, law))

    def answer(self, tree: Equations, t: float, state: Array, met: Meeting, law, stops: list, held: tuple):
        """The jump by an impulse at the place with some stops held, the impulses of these, and the rates of the others
        away from their stops.
        """
        M, _, rows, _, single = tree.equations(t, state, loose=True)
        n_rows, units, answers, K = len(rows.A), Rows(tree.n), [], np.zeros((3, 3))
        for constraint, side in itertools.compress(stops, held):
            rows.append(constraint.alone(tree, t, state, single), side=side)
        for k in range(3):
            units.add(met.one, met.other, AXES[k], ZERO, 0.0)
            answers.append(solution(M, rows, units.F[k], np.zeros(len(rows.A))))
        for j, k in itertools.product(range(3), range(3)):
            K[j, k] = units.A[j] @ answers[k][0]
        if met.n @ K @ met.n * self.body.total < JAMMED:
            raise Undetermined("a joint that lies nearly along a wall")
        jump, multipliers = (law(K) @ np.array([answer[k] for answer in answers]) for k in range(2))
        loose = [stop for stop, is_held in zip(stops, held, strict=True) if not is_held]
        rates = [side * constraint.alone(tree, t, state, single).A[0] @ jump for constraint, side in loose]
        return jump, multipliers[n_rows:], rates

    def choices(self, tree: Equations, t: float, state: Array) -> list[tuple]:
        """The modes that gap and rates leave open."""
        met = self.meeting(tree, t, state)
        leaves, u = met.n @ met.u, met.u - met.n * (met.n @ met.u)
        if met.gap > 1e-6 or leaves > 1e-4:
            return [("apart",)]
        if self.shape["type"] != "plane" or self.own["type"] != "sphere":
            raise Undetermined("shapes that stay together")
        speed = np.linalg.norm(u)
        if speed > STILL:
            return [("slides",) if speed > 1.5 * SLOW else ("creeps", tuple(u / speed)), ("apart",)]
        one, two = across(met.n)
        begun = [np.cos(s) * one + np.sin(s) * two for s in np.linspace(0, 2 * np.pi, 720, endpoint=False)]
        return [("sticks",), *(("creeps", tuple(u)) for u in begun), ("apart",)]

    def agrees(self, tree: Equations, t: float, state: Array) -> bool:
        """Whether the present mode is what follows from it."""
        change, multipliers, _, _, _ = tree.solved(t, state)
        met = self.meeting(tree, t, state)
        if self.mode[0] == "apart":
            if met.gap > 1e-6 or met.n @ met.u > 1e-4:
                return True
            row = Rows(tree.n)
            row.add(met.middle, met.there, met.n, ZERO, 0.0)
            return row.A[0] @ change > row.b[0]
        push, *held = multipliers[self.row : self.row + 3]
        if self.mode[0] == "sticks":
            return push >= 0 and np.hypot(*held) <= self.mu * push
        if np.linalg.norm(met.u) > STILL:
            return push >= 0
        row = Rows(tree.n)
        for axis in AXES:
            row.add(met.one, met.other, axis, ZERO, axis @ self.drift(met))
        begun = np.array(row.A) @ change - np.array(row.b)
        return push >= 0 and begun @ np.array(self.mode[1]) > 0.9999 * np.linalg.norm(begun)


def resting(tree: Equations, t: float, state: Array) -> list[tuple[Grip | Limit, float]]:
    """What rests at a stop or a limit, with the direction away from it."""
    constraints = [
        one for one in tree.switches if isinstance(one, Grip | Limit) and abs(one.rate(tree, t, state)) < STILL
    ]
    sides = [
        (one, -float(one.side(tree, t, state)) if isinstance(one, Limit)
         else float(state[one.slot] <= one.low + AT) - float(state[one.slot] >= one.high - AT)) for one in constraints
    ]  # fmt: skip
    return [(one, side) for one, side in sides if side]


def rebound(struck: Grip | Limit, side: float, e: float, tree: Equations, t: float, state: Array) -> None:
    """The impact of a coordinate at a stop: its rate becomes -e times what it was. Others at rest at theirs push."""

    def answer(stops: list, held: tuple) -> tuple[Array, list[float], list[float]]:
        M, _, rows, _, single = tree.equations(t, state, loose=True)
        n_rows, own = len(rows.A), struck.alone(tree, t, state, single)
        for constraint, away in itertools.compress(stops, held):
            rows.append(constraint.alone(tree, t, state, single), side=away)
        rows.append(own, side=-side)
        wanted = np.zeros(len(rows.A))
        wanted[-1] = -(1 + e) * own.slips[0]
        jump, multipliers = solution(M, rows, np.zeros(6 * tree.n), wanted)
        loose = [stop for stop, is_held in zip(stops, held, strict=True) if not is_held]
        rates = [away * constraint.alone(tree, t, state, single).A[0] @ jump for constraint, away in loose]
        return jump, multipliers[n_rows:], rates

    agreed(tree, t, state, [stop for stop in resting(tree, t, state) if stop[0] is not struck], answer)


def agreed(tree: Equations, t: float, state: Array, stops: list, answer) -> None:
    """Jump with those stops that then push, of all at which something rests."""
    for held in itertools.product((True, False), repeat=len(stops)):
        jump, pushes, rates = answer(stops, held)
        if min([*pushes, *rates], default=0.0) >= -STILL:
            tree.jump(state, jump)
            return
    raise Undetermined("an impact that no choice of stops agrees with")


def impulse(K: Array, n: Array, u: Array, e: float, mu: float) -> Array:
    """(1 + e) P_1 + k D: P_1 stops the approach without friction, P_1 + D also all slip across that joints allow to
    stop; k = 1, or less if that is beyond the cone of friction.
    """
    axes = np.array([n, *across(n)])
    K, u = axes @ K @ axes.T, axes @ u
    first = np.array([-u[0] / K[0, 0], 0, 0])
    left, alone = u[1:] + K[1:, 0] * first[0], K[1:, 1:] - np.outer(K[1:, 0], K[0, 1:]) / K[0, 0]
    aside = (
        -np.linalg.pinv(alone, rcond=1e-9, hermitian=True) @ left if np.trace(alone) > 1e-9 * np.trace(K) else [0, 0]
    )
    D = np.array([-K[0, 1:] @ aside / K[0, 0], *aside])

    def outside(k: float) -> float:
        P = (1 + e) * first + k * D
        return np.hypot(P[1], P[2]) - mu * P[0]

    k = 1.0 if outside(1.0) <= 0 else brentq(outside, 0.0, 1.0, xtol=1e-15)
    return axes.T @ ((1 + e) * first + k * D)


def switches_of(tree: Equations) -> list:
    """All switches of a tree."""
    found: list = []
    for body in tree.jointed:
        for k in range(len(LETTERS[body.kind])):
            constraint = Grip(body, k)
            if constraint.friction or constraint.largest or np.isfinite([constraint.low, constraint.high]).any():
                found.append(constraint)
    found += [Limit(tree, loop) for loop in tree.loops if is_limit(loop)]
    shaped = [(body, shape) for body in tree.bodies.values() for shape in body.data.get("shapes", ())]
    for (body, shape), (other, its) in itertools.permutations(shaped, 2):
        is_first = not flat(shape) and (flat(its) or body.name < other.name)
        if is_first and body.moved_base is not other.moved_base and body.data["collide"] == other.data["collide"]:
            found.append(Touch(body, shape, other, its, body.data["material"]))
    return found


def settle(tree: Equations, t: float, state: Array, met: list[tuple]) -> None:
    """The impacts of what was met at an instant, one after the other if they are apart; then the modes that follow."""
    struck = [(switch, name) for switch, name in met if name in ("low", "high", "gap")]
    if len(struck) > 1:
        raise Undetermined("two impacts at one instant")
    for switch, name in met:
        switch.strike(name, tree, t, state)
    choices = [switch.choices(tree, t, state) for switch in tree.switches]
    for modes in itertools.product(*choices):
        for switch, mode in zip(tree.switches, modes, strict=True):
            switch.mode = mode
        if all(switch.agrees(tree, t, state) for switch in tree.switches):
            return
    raise Undetermined("no modes agree with what they give")
