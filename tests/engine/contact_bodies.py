"""Bodies that touch, stepped without the rest of the engine: what the tests of the contact solver drive it with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rigidsim.engine.contact.impact_problem import StepPoints
from rigidsim.engine.contact.solver import SubSteps, make_solver, solve_contacts
from rigidsim.engine.model import contact_layout as at
from rigidsim.jit.kernels import kernel
from rigidsim.physics.quaternion import exp_full, product, to_matrix

GRAVITY = 9.81
FLOOR = -1  # in place of a body's number: the immovable one, which comes last


class Motion(NamedTuple):
    """What the solver reads and changes of the rows of all bodies."""

    inverse: at.INVERSE
    vel: at.LINE
    moved: at.LINE
    smooth: at.LINE
    push: at.LINE
    began: at.LINE


@kernel
def solve_all(h, n_sub, n_body, points, lines, arrays, lanes):
    solve_contacts(SubSteps(n_sub, h / n_sub, 1.0, 1, -1.0), n_body, points, lines, arrays, None, lanes)


@dataclass
class Point:
    """One contact point; levers are from the centres of mass, B may be FLOOR."""

    A: int
    B: int
    normal: tuple
    gap: float
    r_A: tuple
    r_B: tuple = (0.0, 0.0, 0.0)
    core: tuple = (0.0, 0.0, 0.0)
    surface: tuple = (0.0, 0.0, 0.0)
    shift: tuple = (0.0, 0.0, 0.0)  # across the normal, with the flag BESIDE
    friction: float = 0.5
    rolling: float = 0.0
    flags: int = 0
    feature: int = 0


@dataclass
class Step:
    """The arrays of one call of the solver, and its results."""

    who: np.ndarray
    point: np.ndarray
    inverse: np.ndarray
    vel: np.ndarray
    smooth: np.ndarray
    moved: np.ndarray = field(init=False)
    push: np.ndarray = field(init=False)
    began: np.ndarray = field(init=False)

    def __post_init__(self):
        self.moved, self.push, self.began = (np.zeros_like(self.vel) for _ in range(3))
        self.point[:, at.CONTACT_POINT.closed] = 1e-7  # as of bodies of 100 m: no blow here is hard

    def solve(self, h: float, n_sub: int, lanes: int = 16, compiled: bool = True) -> Step:
        n_body, count, lanes = len(self.vel) - 1, len(self.who), (0.0,) * lanes
        arrays = self.arrays = make_solver(n_body, count + 1, lanes)
        solve = solve_all if compiled else solve_all.interpreted
        lines = Motion(self.inverse, self.vel, self.moved, self.smooth, self.push, self.began)
        who, point = (np.pad(rows, ((0, 1), (0, 0))) for rows in (self.who, self.point))  # with that of spare lanes
        solve(h, n_sub, n_body, StepPoints(who, point, count), lines, arrays, lanes)
        self.who, self.point = who[:count], point[:count]
        return self

    def copy(self) -> Step:
        return Step(*(array.copy() for array in (self.who, self.point, self.inverse, self.vel, self.smooth)))

    @property
    def bits(self) -> bytes:
        return b"".join(array.tobytes() for array in (self.vel, self.moved, self.point))


class Bodies:
    """Rigid bodies under gravity, and an immovable one with a prescribed motion."""

    def __init__(self, p, mass, inertia, h: float, n_sub: int = 4, lanes: int = 16, compiled: bool = True):
        count = len(p)
        self.p, self.q = np.array(p, float), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        self.v, self.omega = np.zeros((count, 3)), np.zeros((count, 3))
        self.mass, self.inertia = np.full(count, mass) * 1.0, np.broadcast_to(np.array(inertia, float), (count, 3))
        self.h, self.n_sub, self.lanes, self.compiled = h, n_sub, lanes, compiled
        self.g, self.memory, self.last = np.array([0.0, 0.0, -GRAVITY]), {}, None
        self.floor_v, self.floor_omega = np.zeros(3), np.zeros(3)

    def inverse(self) -> np.ndarray:
        rows, n = np.zeros((len(self.p) + 2, at.INVERSE.width)), len(self.p)
        R = np.array(to_matrix(tuple(self.q.T))).transpose(2, 0, 1)
        t = (R / self.inertia[:, None, :]) @ R.transpose(0, 2, 1)
        rows[:n, 0] = 1.0 / self.mass
        rows[:n, 1:] = t[:, (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
        return rows

    def prepared(self, points: list[Point]) -> Step:
        """The arrays for a step of the solver."""
        n = len(self.p)
        vel, smooth = np.zeros((n + 2, at.LINE.width)), np.zeros((n + 2, at.LINE.width))
        vel[:n, 0:3], vel[:n, 3:6], vel[n, 0:3], vel[n, 3:6] = self.v, self.omega, self.floor_v, self.floor_omega
        smooth[:n, 0:3] = self.g * self.h / self.n_sub
        who, rows = np.zeros((len(points), at.WHO.width), np.int64), np.zeros((len(points), at.CONTACT_POINT.width))
        for m, point in enumerate(points):
            who[m] = (point.A, point.B % (n + 1), m, point.feature, point.flags)
            rows[m] = at.CONTACT_POINT.filled(
                normal=point.normal, gap=point.gap, lever_A=point.r_A, lever_B=point.r_B, core=point.core,
                surface=point.surface, friction=point.friction, rolling=point.rolling, shift=point.shift,
            )  # fmt: skip
            rows[m, at.CONTACT_POINT.p_n : at.CONTACT_POINT.place("total")] = self.memory.get(
                (point.A, point.B, point.feature), 0.0
            )
        return Step(who, rows, self.inverse(), vel, smooth)

    def step(self, points: list[Point]) -> Step:
        """One step; the impulses are remembered by bodies and feature."""
        n = len(self.p)
        self.last = done = self.prepared(points).solve(self.h, self.n_sub, self.lanes, self.compiled)
        keys = [(point.A, point.B, point.feature) for point in points]
        self.memory = {
            key: row[at.CONTACT_POINT.p_n : at.CONTACT_POINT.place("total")].copy()
            for key, row in zip(keys, done.point, strict=True)
        }
        self.v, self.omega, self.p = done.vel[:n, 0:3].copy(), done.vel[:n, 3:6].copy(), self.p + done.moved[:n, 0:3]
        self.q = np.array(product(exp_full(tuple(0.5 * done.moved[:n, 3:6].T)), tuple(self.q.T))).T
        return done

    @property
    def kinetic_energy(self) -> float:
        """J; the inertia is taken as if the bodies were round."""
        return float(0.5 * (self.mass * (self.v**2).sum(1)).sum() + 0.5 * (self.inertia * self.omega**2).sum())
