"""The solver of contacts: against a plain one with matrices, closed forms, piles; its bits; its bounds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from contact_bodies import FLOOR, GRAVITY, Bodies, Motion, Point, solve_all
from rigidsim.engine.contact.colours import COLOURS
from rigidsim.engine.contact.impact_problem import StepPoints
from rigidsim.engine.contact.solver import make_solver
from rigidsim.engine.model import contact_layout as at

H, RADIUS = 5e-3, 0.1
DOWN = (0.0, 0.0, -1.0)
ROUND = 0.4 * RADIUS * RADIUS  # of a ball of 1 kg


def skew(r) -> np.ndarray:
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def tensor(row) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = row[at.INVERSE.place("inertia") :]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def disc(p, limit):
    size = np.linalg.norm(p)
    return p * (limit / size if size > limit else 1.0)


def slip_matrix(r_A, r_B) -> np.ndarray:
    """From the velocities of two bodies to the slip at these levers."""
    return np.hstack((-np.eye(3), skew(r_A), np.eye(3), -skew(r_B)))


class Plain:
    """One contact between two bodies: the law of sections 'normal impulse' to 'levers that change', with matrices."""

    def __init__(self, step, h: float, n_sub: int):
        self.a, self.b = step.who[0, :2]
        self.row, self.s, self.n_sub = step.point[0].copy(), h / n_sub, n_sub
        self.vel, self.smooth, self.moved = step.vel[:, :6].copy(), step.smooth[:, :6].copy(), 0 * step.vel[:, :6]
        self.n = self.row[:3]
        self.r = self.row[at.CONTACT_POINT.lever_A], self.row[at.CONTACT_POINT.lever_B]
        self.core, self.follows = self.row[at.CONTACT_POINT.core], bool(step.who[0, at.WHO.marks] & at.FOLLOWING)
        J, zero = slip_matrix(*self.r), np.zeros((3, 3))
        beside = skew(self.row[at.CONTACT_POINT.shift])
        self.beside = np.hstack((zero, beside, zero, -beside))
        W = np.zeros((12, 12))
        for k, i in enumerate((self.a, self.b)):
            W[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = step.inverse[i, 0] * np.eye(3)
            W[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = tensor(step.inverse[i])
        self.J, self.J_slip, self.J_arm, self.W, self.K = J, J, J, W, J @ W @ J.T
        across, friction = np.eye(3) - np.outer(self.n, self.n), J + self.beside
        self.K_n, K_t = friction @ W @ J.T @ self.n, across @ friction @ W @ friction.T @ across
        self.inverse_K, self.m_t = np.linalg.pinv(K_t), 1.0 / np.linalg.eigvalsh(K_t)[-1]
        moments = tensor(step.inverse[self.a]), tensor(step.inverse[self.b])
        self.m_r, self.across = 1.0 / sum(np.abs(i).sum(1).max() for i in moments), across
        self.P = [
            self.row[at.CONTACT_POINT.p_n],
            across @ self.row[at.CONTACT_POINT.p_t],
            self.row[at.CONTACT_POINT.p_r],
        ]

    def pair(self, rows):
        return np.concatenate((rows[self.a], rows[self.b]))

    def push(self, P_n, P_t, K):
        moments = np.concatenate((np.zeros(3), -K, np.zeros(3), K))
        self.change(self.J_arm.T @ (P_n * self.n + P_t) + self.beside.T @ P_t + moments)

    def change(self, impulses):
        change = self.W @ impulses
        self.vel[self.a] += change[:6]
        self.vel[self.b] += change[6:]

    def lever_matrix(self, t):
        """The slip matrix t seconds after the beginning of the sub-step."""
        A, B = self.a, self.b
        theta = skew(self.moved[A, 3:] + t * self.vel[A, 3:])
        of_A = theta @ self.core + theta @ theta @ self.core / 2
        way = self.moved[A, :3] - self.moved[B, :3] + t * (self.vel[A, :3] - self.vel[B, :3])
        return slip_matrix(self.r[0] + of_A, self.r[1] + way + of_A)

    def follow(self):
        self.J_slip, arm = self.lever_matrix(self.s), self.lever_matrix(0.5 * self.s)
        self.change((arm - self.J_arm).T @ (self.P[0] * self.n + self.P[1]))
        self.J_arm = arm

    def gap(self):
        theta = skew(self.moved[self.a, 3:])
        rise = self.n @ theta @ theta @ self.core / 2 if self.follows else 0.0
        return self.row[at.CONTACT_POINT.gap] + self.n @ self.J @ self.pair(self.moved) - rise

    def resolve(self, bias, stiff, soft):
        p_n, p_t, p_r = self.P
        u = self.J_slip @ self.pair(self.vel)
        q_n = max(0.0, p_n - stiff * (self.n @ u + bias) / (self.n @ self.K @ self.n) - soft * p_n)
        u = self.across @ (u + self.beside @ self.pair(self.vel) + self.K_n * (q_n - p_n))
        q_t, limit = p_t - self.inverse_K @ u, self.row[at.CONTACT_POINT.friction] * q_n
        if np.linalg.norm(q_t) > limit:
            q_t = disc(p_t - self.m_t * u, limit)
        turning = self.vel[self.b, 3:] - self.vel[self.a, 3:]
        q_r = disc(p_r - self.m_r * turning, self.row[at.CONTACT_POINT.rolling] * q_n)
        self.P = [q_n, q_t, q_r]
        self.push(q_n - p_n, q_t - p_t, q_r - p_r)

    def solve(self):
        s, turn, ratio = self.s, 0.5 * math.pi, 2.0
        a, rate = turn * (2 * ratio + turn), turn / s / (2 * ratio + turn)
        push, total = 0 * self.vel, np.zeros(3)
        for k in range(self.n_sub):
            began = self.vel + self.smooth
            self.vel = began + push
            if k == 0:
                self.push(*self.P)
                push = self.vel - began
            self.follow() if self.follows else None
            gap = self.gap()
            self.resolve(gap / s, 1.0, 0.0) if gap > 0 else self.resolve(rate * gap, a / (1 + a), 1 / (1 + a))
            closed = gap <= 0 or self.P[0] > 0
            for i, c in itertools.product(range(len(self.vel)), (slice(0, 3), slice(3, 6))):
                old, new = push[i, c], (self.vel - began)[i, c]
                share = min(1.0, max(0.0, new @ old / (old @ old))) if old @ old else 0.0
                self.moved[i, c] += s * (self.vel[i, c] - 0.5 * (self.smooth[i, c] + share * old))
            self.resolve(0.0, 1.0, 0.0) if closed else None
            push, total = self.vel - began, total + self.P[0] * self.n + self.P[1]
        return self.vel, self.moved, np.concatenate(([self.P[0]], self.P[1], self.P[2], total))


def tumbling(kind: str, seed: int = 3) -> tuple[Bodies, Point]:
    """Two bodies of another form that touch at one point, or one and the floor."""
    rng = np.random.default_rng(seed)
    bodies = Bodies(np.zeros((2, 3)), (1.3, 0.4), [[ROUND] * 3, [ROUND] * 3], H)
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    r_A, r_B = 0.1 * normal, -0.2 * normal
    if kind != "balls":
        bodies.inertia = np.array([[0.01, 0.03, 0.02], [0.004, 0.002, 0.005]])
        bodies.q = rng.normal(size=(2, 4))
        bodies.q /= np.linalg.norm(bodies.q, axis=1)[:, None]
        r_A, r_B = rng.normal(size=(2, 3)) * 0.1
    bodies.v, bodies.omega = rng.normal(size=(2, 3)), 3 * rng.normal(size=(2, 3))
    B = FLOOR if kind == "floor" else 1
    how = {"friction": 0.3, "rolling": 0.02, "core": tuple(0.4 * r_A + 0.02)}
    if kind == "beside":
        how |= {"flags": at.BESIDE, "shift": tuple(np.cross(normal, (0.02, -0.03, 0.05)))}
    if kind == "following":
        how |= {"flags": at.FOLLOWING}
    return bodies, Point(0, B, tuple(normal), 0.0, tuple(r_A), tuple(r_B), **how)


@pytest.mark.parametrize("kind", ["balls", "bodies", "floor", "beside", "following"])
@pytest.mark.parametrize("gap", [-1e-3, 0.0, 2e-3, 1.0])
@pytest.mark.parametrize("remembered", [False, True])
def test_one_contact_is_as_with_matrices(kind, gap, remembered):
    for seed in range(20):
        bodies, point = tumbling(kind, seed)
        point.gap = gap
        if remembered:
            impulse = np.random.default_rng(seed + 100).normal(size=7) * 1e-3
            bodies.memory = {(point.A, point.B, 0): np.abs(impulse)}
        step = bodies.prepared([point])
        vel, moved, impulses = Plain(step, H, 4).solve()
        step.solve(H, 4, lanes=1)
        scale = np.abs(vel).max()
        assert np.abs(step.vel[:, :6] - vel).max() < 1e-13 * scale
        assert np.abs(step.moved[:, :6] - moved).max() < 1e-13 * scale * H
        assert (
            np.abs(step.point[0, at.CONTACT_POINT.p_n : at.CONTACT_POINT.place("core")] - impulses).max()
            < 1e-13 * scale
        )
        if gap == 1.0 and not remembered:
            assert not impulses.any()


def crowd() -> Bodies:
    """Some of all kinds: balls, other bodies, an immovable one, turning surfaces, more contacts than colours."""
    rng = np.random.default_rng(5)
    bodies = Bodies(rng.normal(size=(12, 3)), 1.0, [ROUND] * 3, H)
    bodies.mass = rng.uniform(0.1, 5.0, 12)
    bodies.inertia = np.where(np.arange(12)[:, None] < 6, ROUND, rng.uniform(0.01, 0.03, (12, 3)))
    bodies.q = rng.normal(size=(12, 4))
    bodies.q /= np.linalg.norm(bodies.q, axis=1)[:, None]
    bodies.v, bodies.omega = rng.normal(size=(12, 3)), rng.normal(size=(12, 3))
    return bodies


def crowded(bodies: Bodies, count: int) -> list[Point]:
    rng = np.random.default_rng(7)
    points = []
    for m in range(count):
        a, b = sorted(rng.choice(12, 2, replace=False)) if m % 3 else (m % 12, FLOOR)
        a = 11 if m % 2 and b != 11 else a
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        levers = (0.1 * n, -0.2 * n) if m % 4 else rng.normal(size=(2, 3)) * 0.1
        flags = (
            (at.FOLLOWING if m % 5 == 0 else 0) | (at.IMPACT if m % 11 == 0 else 0) | (at.NOTICED if m % 13 == 0 else 0)
        )
        surface = (0.1, -0.2, 0.05) if m % 7 == 0 else (0.0, 0.0, 0.0)
        shift, beside = (tuple(np.cross(n, (0.02, -0.03, 0.05))), at.BESIDE) if m % 9 == 0 else ((0.0, 0.0, 0.0), 0)
        how = {"surface": surface, "core": tuple(0.5 * levers[0]), "shift": shift}
        more = how | {"flags": flags | beside, "rolling": 0.01}
        points.append(Point(int(a), int(b), tuple(n), rng.normal() * 1e-3, *map(tuple, levers), **more))
        bodies.memory[int(a), int(b), 0] = rng.uniform(0, 1e-3, 7)
    return points


def test_lanes_and_compilation_change_no_bit():
    """With and without contacts that find no colour."""
    for count in (1, 20, 160):
        bodies = crowd()
        step = bodies.prepared(crowded(bodies, count))
        found = {
            step.copy().solve(H, 3, lanes, compiled).bits for lanes, compiled in ((16, True), (1, True), (1, False))
        }
        found.add(step.copy().solve(H, 3, 16, compiled=False).bits)
        assert len(found) == 1
        assert np.isfinite(step.copy().solve(H, 3).vel).all()


def test_a_bit_does_not_depend_on_the_number_of_a_pair_or_on_what_is_left_out():
    bodies = crowd()
    points = crowded(bodies, 30)
    kept = [point for point in points if not point.flags & (at.IMPACT | at.NOTICED)]
    every, some = bodies.prepared(points).solve(H, 3), bodies.prepared(kept).solve(H, 3)
    assert every.vel.tobytes() == some.vel.tobytes()
    left = [m for m, point in enumerate(points) if point.flags & (at.IMPACT | at.NOTICED)]
    assert len(left) > 3
    assert not every.point[left, at.CONTACT_POINT.p_n : at.CONTACT_POINT.place("core")].any()


def test_surfaces_that_turn_change_no_bit_of_others():
    """Two pairs far apart: the first does not notice that the contact of the second follows its surface."""
    bodies, first = tumbling("bodies")
    other, second = tumbling("bodies", 8)
    for name in ("p", "q", "v", "omega", "mass", "inertia"):
        setattr(bodies, name, np.concatenate((getattr(bodies, name), getattr(other, name))))
    second.A, second.B, found = 2, 3, []
    bodies.v[2] = bodies.v[3] + 2.0 * np.array(second.normal)
    for second.flags in (0, at.FOLLOWING):
        found.append(bodies.prepared([second, first]).solve(H, 4, lanes=1))
    assert found[0].vel[:2].tobytes() == found[1].vel[:2].tobytes()
    assert found[0].vel[2:].tobytes() != found[1].vel[2:].tobytes()


def test_bodies_that_received_impulses_are_known():
    """Not those near others, and those that are pushed apart although nothing remains of the impulse."""
    bodies = Bodies([(0, 0, 0), (0.2, 0, 0), (0.5, 0, 0), (0.8, 0, 0)], 1.0, [[ROUND] * 3], H)
    bodies.v[1] = (0.01, 0.0, 0.0)
    x = (1.0, 0.0, 0.0)
    points = [Point(0, 1, x, -1e-4, (0.1, 0, 0), (-0.1, 0, 0)), Point(2, 3, x, 0.1, (0.1, 0, 0), (-0.1, 0, 0))]
    step = bodies.prepared(points).solve(H, 4, lanes=1)
    assert list(step.arrays.touched[:4]) == [1, 1, 0, 0]
    assert not step.point[:, at.CONTACT_POINT.total].any()
    assert step.moved[1, 0] > 0.01 * H > 0 > step.moved[0, 0]
    assert step.vel[1, 0] == pytest.approx(0.01, abs=1e-16)


def test_momentum_is_exchanged_at_the_point():
    """Linear and angular momentum of free bodies: what one gains the other loses."""
    bodies = crowd()
    bodies.g = np.zeros(3)
    points = [point for point in crowded(bodies, 40) if point.B != FLOOR]
    for point in points:  # levers end at one point, and stay as they are
        point.flags &= ~at.FOLLOWING
        point.r_B = tuple(bodies.p[point.A] + point.r_A - bodies.p[point.B])
    step = bodies.prepared(points).solve(H, 4)
    dv, domega = step.vel[:12, :3] - bodies.v, step.vel[:12, 3:6] - bodies.omega
    spin = np.array([np.linalg.solve(tensor(step.inverse[i]), domega[i]) for i in range(12)])
    gained = bodies.mass[:, None] * dv
    assert np.abs(gained.sum(0)).max() < 1e-14 * np.abs(gained).sum()
    assert np.abs((spin + np.cross(bodies.p, gained)).sum(0)).max() < 1e-13 * np.abs(gained).sum()
    total = np.zeros((12, 3))
    for point, row in zip(points, step.point, strict=True):
        impulse = row[at.CONTACT_POINT.place("total") : at.CONTACT_POINT.place("core")]
        total[point.B] += impulse
        total[point.A] -= impulse
    assert np.abs(total - gained).max() < 1e-13 * np.abs(gained).max()


def test_a_body_with_more_contacts_than_there_are_colours():
    """A plate on a hundred feet carries its weight on all of them, and stays level."""
    feet = [(0.1 * i - 0.45, 0.1 * j - 0.45, -0.05) for i in range(10) for j in range(10)]
    assert len(feet) > COLOURS
    bodies = Bodies([(0, 0, 0.05)], 10.0, [[0.9, 0.9, 1.8]], H)
    for _ in range(200):
        step = bodies.step([
            Point(0, FLOOR, DOWN, bodies.p[0, 2] - 0.05 + np.dot((bodies.q[0, 1], bodies.q[0, 2]), (2 * y, -2 * x)),
                  (x, y, z), feature=k) for k, (x, y, z) in enumerate(feet)
        ])  # fmt: skip
    assert (
        abs(step.point[:, at.CONTACT_POINT.place("total") + 2].sum() + 10 * GRAVITY * H) < 1e-6
    )  # 1.4e-7: one foot after another
    assert np.all(step.point[:, at.CONTACT_POINT.p_n] > 0)
    assert -1e-4 < bodies.p[0, 2] - 0.05 < 0
    assert np.abs(bodies.omega).max() < 1e-5


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_bodies_of_a_plane_stay_in_it_exactly(axis):
    """Inverse inertia about its normal alone, normals in the plane; nothing else is needed."""
    bodies = crowd()
    bodies.g = 9.81 * np.eye(3)[axis - 1]
    bodies.v[:, axis], across = 0.0, [k for k in range(3) if k != axis]
    bodies.omega[:, across] = 0.0
    points = crowded(bodies, 90)
    for point in points:
        n, surface = np.array(point.normal), np.array(point.surface)
        n[axis], surface[axis] = 0.0, 0.0
        point.normal, point.surface = tuple(n / np.linalg.norm(n)), tuple(surface)
    bodies.memory.clear()
    step = bodies.prepared(points)
    moment = step.inverse[:, at.INVERSE.place("inertia") + axis].copy()
    step.inverse[:, at.INVERSE.place("inertia") :] = 0.0
    step.inverse[:, at.INVERSE.place("inertia") + axis] = moment
    step.solve(H, 4)
    for row in (step.vel, step.moved):
        assert not row[:, axis].any()
        assert not row[:, [3 + k for k in across]].any()
    assert not step.point[:, [at.CONTACT_POINT.place("p_t") + axis, at.CONTACT_POINT.place("total") + axis]].any()
    assert np.abs(step.vel[:12, [0, 1, 2]] - bodies.v).max() > 0.1


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_extreme_masses_particles_and_zero_impulses_stay_finite(scale):
    bodies = crowd()
    bodies.mass[::2], bodies.inertia[::2] = scale * bodies.mass[::2], scale * bodies.inertia[::2]
    points = crowded(bodies, 80)
    bodies.memory.clear()
    for point in points[::3]:
        point.friction = 0.0
    points[4].normal = (0.0, 0.0, 0.0)
    step = bodies.prepared(points)
    step.inverse[:4, at.INVERSE.place("inertia") :] = 0.0  # particles
    step.smooth[:] = 0.0
    step.solve(H, 4)
    for array in (step.vel, step.moved, step.point, step.push):
        assert np.isfinite(array).all()


def test_no_contacts_and_no_bodies():
    for n_body, lanes in ((0, (0.0,)), (3, (0.0,) * 16)):
        rows = [np.zeros((n_body + 1, at.LINE.width)) for _ in range(5)]
        rows[0][:n_body, 0], arrays = 1.0, make_solver(n_body, 0, lanes)
        who, point = np.zeros((1, at.WHO.width), np.int64), np.zeros((1, at.CONTACT_POINT.width))
        vel, moved, *_ = rows
        lines = Motion(np.ones((n_body + 1, at.INVERSE.width)), *rows)
        solve_all.interpreted(H, 4, n_body, StepPoints(who, point, 0), lines, arrays, lanes)
        assert np.all(vel[:n_body, 0] == 1.0)
        assert np.abs(moved[:n_body, 0] - H).max(initial=0.0) < 1e-18
