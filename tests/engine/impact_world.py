"""A world of flights and impacts alone: what a step does without its sub-steps, on rows made by hand."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from contact_shapes import Shape, contacts_of
from rigidsim.engine.collision.approach import SmoothMotion
from rigidsim.engine.collision.narrow import meet
from rigidsim.engine.collision.pairs import PlacedShape
from rigidsim.engine.contact.impact_problem import StepPairs, StepPoints
from rigidsim.engine.contact.impacts import make_impacts, resolve_impacts
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout
from rigidsim.jit.rows import with_rows

NO_PLANE = np.zeros((0, 3))


class Strike:
    """What was logged of an impact."""

    def __init__(self, who: np.ndarray, value: np.ndarray):
        at, row = layout.EVENT, value.copy()
        self.cause, self.pair = int(who[layout.RECORD.cause]), (who[layout.RECORD.first], who[layout.RECORD.second])
        self.time, self.point, self.normal, self.impulse = (row[k] for k in (at.time, at.point, at.normal, at.impulse))
        self.before, self.after = row[at.energy_before], row[at.energy_after]


class World:
    """Bodies of one shape each, the moved ones first; mass None: not moved. Rates are constant between impacts."""

    def __init__(
        self, shapes: list[Shape], p, v, mass, inertia=None, omega=None, q=None, g=0.0, e=1.0, mu=0.0, room=99
    ):
        n = len(shapes)
        self.p, self.v, self.mass = np.array(p, float), np.array(v, float), [m or np.inf for m in mass]
        self.omega = np.zeros((n, 3)) if omega is None else np.array(omega, float)
        self.q = np.array([[1.0, 0, 0, 0]] * n) if q is None else np.array(q, float)
        self.moves = np.isfinite(self.mass)
        weights = [m if np.isfinite(m) else 0.0 for m in self.mass]
        moments = [0.4 * m * s.value[at.SOLID.radius] ** 2 for m, s in zip(weights, shapes, strict=True)]
        self.inertia = np.array([[x] * 3 for x in moments]) if inertia is None else np.array(inertia, float)
        self.g, self.n_moved, self.log = np.array([0.0, 0, -g]), int(self.moves.sum()), []
        contacts = contacts_of(shapes, self.n_moved)
        contacts.value[:, [at.MATERIAL.restitution, at.MATERIAL.friction]] = e, mu
        contacts.body[:, at.CONTACT_BODY.row] = np.where(self.moves, np.arange(n), layout.NO_ROW)
        self.contacts = contacts
        self.pair = np.array([(i, j) for j in range(n) for i in range(min(j, self.n_moved))], np.int64)
        self.arrays = make_impacts(contacts, len(self.pair), 99)
        self.body = np.zeros((self.n_moved, layout.BODY.width))
        self.body[:, layout.BODY.g] = self.g
        self.body[:, layout.BODY.mass] = self.mass[: self.n_moved]
        self.body[:, layout.BODY.inertia][:, :3] = self.inertia[: self.n_moved]
        self.time, self.plane, self.strike = 0.0, NO_PLANE, resolve_impacts

    def turned(self) -> Rotation:
        return Rotation.from_quat(self.q, scalar_first=True)

    def tensors(self) -> np.ndarray:
        """Inertia in world axes."""
        R = self.turned().as_matrix()
        return R @ (self.inertia[:, :, None] * np.swapaxes(R, 1, 2))

    def rows(self) -> np.ndarray:
        return np.hstack([self.p, self.q, self.v, self.omega])

    def inverse(self) -> np.ndarray:
        """The rows of the solver; those of bodies that do not move, and the spare one, are zero."""
        rows = np.zeros((len(self.p) + 1, at.INVERSE.width))
        for b in range(self.n_moved):
            rows[b, 0] = 1.0 / self.mass[b]
            if self.inertia[b].any():
                t = np.linalg.inv(self.tensors()[b])
                rows[b, 1:] = t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]
        return rows

    def points(self, reach: float):
        """The contact points of all pairs at the beginning of a step."""
        who, point = [], []
        for k, (i, j) in enumerate(self.pair):
            places = np.zeros((at.MOST_PLACES, at.PLACE.width))
            shape, value, poses = self.contacts.shape, self.contacts.shape_value, np.hstack([self.p, self.q])
            kinds = shape[:, at.SHAPE.kind]
            shapes = [PlacedShape(kinds[m], value[m], poses[m]) for m in (i, j)]
            for row in places[: meet(*shapes, reach, places)]:
                made = np.zeros(at.CONTACT_POINT.width)
                levers = slice(at.CONTACT_POINT.place("lever_A"), at.CONTACT_POINT.friction)
                made[:4], made[levers] = row[:4], row[at.PLACE.place("first") : at.PLACE.feature]
                made[[at.CONTACT_POINT.restitution, at.CONTACT_POINT.friction]] = self.contacts.value[0, [0, 1]]
                who.append((i, j, k, row[at.PLACE.feature], 0))
                point.append(made)
        size = len(who)
        return np.array(who, np.int64).reshape(size, 5), np.array(point).reshape(size, at.CONTACT_POINT.width)

    def step(self, h: float, nominal: float | None = None) -> int:
        """One step; how many strikes there were."""
        n, gain = len(self.p), np.outer(self.moves, self.g * h)
        vel, moved = np.zeros((n + 1, at.LINE.width)), np.zeros((n + 1, at.LINE.width))
        vel[:n, :3], vel[:n, 3:6] = self.v, self.omega
        start, finish, inverse = self.rows(), self.rows(), self.inverse()
        finish[:, at.CENTRE.p] += h * (self.v + 0.5 * gain)
        finish[:, at.CENTRE.v] += gain
        who, point = self.points(2.0 * h * (1.0 + np.abs(self.v).max() + np.abs(self.omega).max()))
        struck = np.zeros((n + 1, at.JOLT.width))
        struck[:n, at.JOLT.q] = self.q
        motion = SmoothMotion(h, self.contacts.share, start, finish, inverse, struck, vel, moved)
        meeting = StepPairs(nominal or h, self.contacts, self.body, self.plane, self.pair, len(self.pair), None)
        count = self.strike(
            self.time,
            *(with_rows(each) for each in (meeting, StepPoints(who, point, len(who)), motion, self.arrays)),
        )
        if count < 0:
            raise OverflowError("the log is full")
        jump = vel[:n, :6] - np.hstack([self.v, self.omega])
        tensors = self.tensors()
        dL = struck[:n, at.JOLT.dL] * self.moves[:, None]
        L = np.array([t @ w if m else 0 * w for t, w, m in zip(tensors, self.omega, self.moves, strict=True)])
        self.p += h * (self.v + 0.5 * gain) + (moved[:n, :3] + h * jump[:, :3])
        turn = h * self.omega + moved[:n, 3:6] + h * jump[:, 3:]
        self.q = (Rotation.from_rotvec(turn) * self.turned()).as_quat(scalar_first=True)
        self.v += gain + jump[:, :3]
        for b, t in enumerate(self.tensors()):
            if dL[b].any():
                self.omega[b] = np.linalg.solve(t, L[b] + dL[b])
        self.who, self.point, self.time = who, point, self.time + h
        self.log += map(Strike, self.arrays.log[:count], self.arrays.log_value[:count])
        return count
