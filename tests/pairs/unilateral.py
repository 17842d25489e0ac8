"""What is one-sided or set-valued in the reference: stops, dry friction, motors of a rate, spheres that touch.

Each is a switch with a mode. In a mode it adds rows or forces to the equations, and has margins, which vanish where
the mode ends. At an event all modes that the rates leave open are tried, one combination after the other, until one
agrees with the forces and accelerations that it gives.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from maximal_coordinates import AXES, LETTERS, ZERO, Array, Body, Equations, Place, Rows, across, cross, solution

STILL = 1e-7
"""rad/s, m/s: a rate below it, at an event, is none."""
SLOW = 1e-3
"""m/s: below it the direction of friction does not turn, so that a slip ends at a zero of a smooth function."""
AT = 1e-9
"""rad, m: how near a coordinate is to a stop where it is at it."""


JAMMED = 1e-3
"""Of the inverse mass of a free body: below it at a wall, a joint lies nearly along the wall, and rounding decides."""


class Undetermined(Exception):
    """The laws leave open what comes next, or it depends on the step: a slow impact, two at one instant, a jam."""


class Grip:
    """A coordinate with stops and dry friction, or a motor that wants a rate. The mode is two signs, of the rate and of
    the rate less the wanted one, zero where that is held.
    """

    def __init__(self, body: Body, k: int):
        self.body, self.k, self.slot, unit = body, k, body.slots.start + k, body.units[k]
        motor, limits = body.motors[k], body.joint.get("limits")
        low, high = (limits and (limits if len(body.units) == 1 else limits[k])) or (None, None)
        self.low = -np.inf if low is None else low * unit
        self.high = np.inf if high is None else high * unit
        self.friction, self.e = body.each("friction")[k], body.each("restitution")[k]
        self.wanted = motor.get("rate", 0.0) * unit
        self.largest = motor.get("max_torque", motor.get("max_force", 0.0))
        self.mode, self.row = (1, 1), -1

    @property
    def key(self) -> tuple[str, int]:
        """Where `Equations.equations` has the row of the coordinate."""
        return self.body.name, self.k

    def rate(self, tree: Equations, t: float, state: Array) -> float:
        """Of the coordinate, rad/s or m/s."""
        return tree.solved(t, state)[3][self.slot - 13 * tree.n]

    def acceleration(self, tree: Equations, t: float, state: Array) -> float:
        """Of the coordinate, in its present mode, rad/s^2 or m/s^2."""
        change, _, _, _, single = tree.solved(t, state)
        row = single[self.key]
        return row.A[0] @ change - row.b[0]

    def act(self, tree: Equations, t: float, state: Array, rows: Rows, single: dict, Q: Array) -> None:
        """Hold the rate, or push as long as it slides."""
        row, (slip, lag) = single[self.key], self.mode
        if slip * lag == 0:
            self.row = len(rows.A)
            for name in ("A", "F", "b", "slips"):
                getattr(rows, name).append(getattr(row, name)[0])
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
            return [*stops, "most", "least"]
        return [*stops, *["slip"] * (self.friction > 0), *["lag"] * (self.largest > 0)]

    def margin(self, name: str, tree: Equations, t: float, state: Array) -> float:
        """How far the coordinate is from what ends its mode."""
        x = state[self.slot]
        if name in ("low", "high"):
            return x - self.low if name == "low" else self.high - x
        if name in ("slip", "lag"):
            v = self.rate(tree, t, state)
            return self.mode[0] * v if name == "slip" else self.mode[1] * (v - self.wanted)
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
        e = self.e if side * v > gained else 0.0
        M, _, rows, _, single = tree.equations(t, state, loose=True)
        rows.A.append(single[self.key].A[0])
        rows.F.append(single[self.key].F[0])
        wanted = np.zeros(len(rows.A))
        wanted[-1] = -(1 + e) * v
        tree.jump(state, solution(M, rows, np.zeros(6 * tree.n), wanted)[0])

    def choices(self, tree: Equations, t: float, state: Array) -> list[tuple[int, int]]:
        """The modes that the rate leaves open, those that hold it first."""
        x, v = state[self.slot], self.rate(tree, t, state)
        low, high = x <= self.low + AT, x >= self.high - AT
        slips = signs(v, self.friction > 0 or low or high)
        slips = [sign for sign in slips if not (low and sign < 0) and not (high and sign > 0)]
        return list(itertools.product(slips, signs(v - self.wanted, self.largest > 0)))

    def agrees(self, tree: Equations, t: float, state: Array) -> bool:
        """Whether the present mode is what follows from it."""
        x, v, (slip, lag) = state[self.slot], self.rate(tree, t, state), self.mode
        if slip * lag == 0:
            constraint, (least, most) = tree.solved(t, state)[1][self.row], self.bounds(x)
            return least - 1e-9 <= constraint <= most + 1e-9
        a = self.acceleration(tree, t, state)
        stood = (self.friction > 0 or x <= self.low + AT or x >= self.high - AT) and abs(v) < STILL
        followed = self.largest > 0 and abs(v - self.wanted) < STILL
        return not (stood and slip * a < 0) and not (followed and lag * a < 0)


def signs(v: float, can_be_held: bool) -> list[int]:
    """The signs that a rate can have."""
    if abs(v) >= STILL:
        return [1 if v > 0 else -1]
    return [0, 1, -1] if can_be_held else [1]


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


class Touch:
    """A sphere of one body and a plane or sphere of another one; the mode: "apart", or of a sphere on a plane "sticks",
    "slides", or "creeps", with the direction of a slip below SLOW.
    """

    def __init__(self, body: Body, sphere: dict, other: Body, shape: dict, material: dict[str, float]):
        self.body, self.other, self.shape = body, other, shape
        self.centre, self.r = (
            body.metres * np.array(sphere.get("position", ZERO), float),
            body.metres * sphere["radius"],
        )
        self.e, self.mu = material["restitution"], material["friction"]
        self.mode: tuple = ("apart",)
        self.row = -1

    def meeting(self, tree: Equations, t: float, state: Array) -> Meeting:
        """Where they are, and how they move."""
        base, body = tree.place(self.other, ZERO, t, state).motion, tree.place(self.body, ZERO, t, state).motion
        middle = tree.place(self.body, self.centre, t, state)
        c = middle.motion.p
        if self.shape["type"] == "plane":
            n = base.R @ np.array(self.shape["normal"], float)
            n = n / np.linalg.norm(n)
            gap = n @ (c - base.p) - self.r
        else:
            way = c - tree.place(self.other, self.other.metres * self.shape.get("position", ZERO), t, state).motion.p
            n = way / np.linalg.norm(way)
            gap = np.linalg.norm(way) - self.r - self.other.metres * self.shape["radius"]
        one = tree.place(self.body, body.R.T @ (c - self.r * n - body.p), t, state)
        other = tree.place(self.other, base.R.T @ (c - (self.r + gap) * n - base.p), t, state)
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
        stops = resting(tree, t, state)
        for held in itertools.product((True, False), repeat=len(stops)):
            jump, pushes, rates = self.answer(tree, t, state, met, law, stops, held)
            if min([*pushes, *rates], default=0.0) >= -STILL:
                tree.jump(state, jump)
                return
        raise Undetermined("an impact that no choice of stops agrees with")

    def answer(self, tree: Equations, t: float, state: Array, met: Meeting, law, stops: list, held: tuple):
        """The jump by an impulse at the place with some stops held, the impulses of these, and the rates of the others
        away from their stops.
        """
        M, _, rows, _, single = tree.equations(t, state, loose=True)
        n_rows, units, answers, K = len(rows.A), Rows(tree.n), [], np.zeros((3, 3))
        for constraint, side in itertools.compress(stops, held):
            rows.A.append(single[constraint.key].A[0])
            rows.F.append(side * single[constraint.key].F[0])
        for k in range(3):
            units.add(met.one, met.other, AXES[k], ZERO, 0.0)
            answers.append(solution(M, rows, units.F[k], np.zeros(len(rows.A))))
        for j, k in itertools.product(range(3), range(3)):
            K[j, k] = units.A[j] @ answers[k][0]
        if met.n @ K @ met.n * self.body.total < JAMMED:
            raise Undetermined("a joint that lies nearly along a wall")
        jump, multipliers = (law(K) @ np.array([answer[k] for answer in answers]) for k in range(2))
        loose = [stop for stop, is_held in zip(stops, held, strict=True) if not is_held]
        return jump, multipliers[n_rows:], [side * single[constraint.key].A[0] @ jump for constraint, side in loose]

    def choices(self, tree: Equations, t: float, state: Array) -> list[tuple]:
        """The modes that gap and rates leave open."""
        met = self.meeting(tree, t, state)
        leaves, u = met.n @ met.u, met.u - met.n * (met.n @ met.u)
        if met.gap > 1e-6 or leaves > 1e-4:
            return [("apart",)]
        if self.shape["type"] != "plane":
            raise Undetermined("spheres that stay together")
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


def resting(tree: Equations, t: float, state: Array) -> list[tuple[Grip, float]]:
    """The coordinates at rest at a stop, with the direction away from it."""
    constraints = [one for one in tree.switches if isinstance(one, Grip) and abs(one.rate(tree, t, state)) < STILL]
    sides = [
        (one, float(state[one.slot] <= one.low + AT) - float(state[one.slot] >= one.high - AT)) for one in constraints
    ]
    return [(one, side) for one, side in sides if side]


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
    shaped = [(body, shape) for body in tree.bodies.values() for shape in body.data.get("shapes", ())]
    for (body, shape), (other, its) in itertools.permutations(shaped, 2):
        is_first = shape["type"] == "sphere" and (its["type"] == "plane" or body.name < other.name)
        if is_first and body.carrier is not other.carrier and body.data["collide"] == other.data["collide"]:
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
