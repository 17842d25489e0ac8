"""Random problems of places that are struck at one instant, for the engine's solution and for one of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from rigidsim.engine.collision.approach import SIDE
from rigidsim.engine.contact.simultaneous import (
    IMPACT_PLACE,
    IMPACT_WHO,
    N_BODIES,
    N_PLACES,
    ImpactProblem,
    solve_problem,
)
from rigidsim.engine.model.arrays import made
from rigidsim.jit.kernels import kernel


@dataclass
class Blow:
    """Bodies, of which the last one, of no inverse mass, is the world; places between pairs of them."""

    w: np.ndarray  # (body) inverse masses
    inverse: np.ndarray  # (body, 3, 3) inverse inertia, world axes
    v: np.ndarray  # (body, 3)
    omega: np.ndarray
    pair: np.ndarray  # (place, 2) A and B
    normal: np.ndarray  # (place, 3) from A to B
    lever: np.ndarray  # (place, 2, 3)
    e: np.ndarray
    mu: np.ndarray

    @property
    def jacobian(self) -> np.ndarray:
        """Slips (3 place) by velocities (6 body)."""
        J = np.zeros((len(self.pair), 3, len(self.w), 6))
        for i, (who, levers) in enumerate(zip(self.pair, self.lever, strict=True)):
            for body, sign, r in zip(who, (-1.0, 1.0), levers, strict=True):
                J[i, :, body, :3] += sign * np.eye(3)
                J[i, :, body, 3:] -= sign * np.cross(np.eye(3), r)  # omega x r
        return J.reshape(3 * len(self.pair), -1)

    @property
    def mobility(self) -> np.ndarray:
        """The inverse of the mass matrix."""
        W = np.zeros((len(self.w), 6, len(self.w), 6))
        for b, (w, inverse) in enumerate(zip(self.w, self.inverse, strict=True)):
            W[b, :3, b, :3], W[b, 3:, b, 3:] = w * np.eye(3), inverse
        return W.reshape(6 * len(self.w), -1)

    @property
    def velocities(self) -> np.ndarray:
        return np.hstack([self.v, self.omega])

    @property
    def kinetic_energy(self) -> float:
        free = slice(0, -1)
        spin = np.linalg.solve(self.inverse[free], self.omega[free, :, None])[:, :, 0]
        return float(np.sum(self.v[free] ** 2 / self.w[free, None]) + np.sum(self.omega[free] * spin)) / 2

    @property
    def slips(self) -> np.ndarray:
        """(place, 3)"""
        return (self.jacobian @ self.velocities.ravel()).reshape(-1, 3)


def vectors(random: np.random.Generator, count: int) -> np.ndarray:
    """Random unit vectors."""
    v = random.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1)[:, None]


def drawn(random: np.random.Generator, most_mu: float, *, most_places=6, plastic=False) -> Blow:
    """Up to four boxes of different mass, and two places or more, all of which approach; on one body, they are often
    more than it takes to hold it.
    """
    n, count = random.integers(1, 5), random.integers(2, most_places + 1)
    mass, R = np.exp(random.uniform(-2, 2, n)), Rotation.random(n, random_state=random).as_matrix()
    square = random.uniform(0.05, 1, (n, 3)) ** 2
    moments = mass[:, None] / 3 * (square.sum(axis=1)[:, None] - square)
    inverse = np.zeros((n + 1, 3, 3))
    inverse[:n] = R @ (R / moments[:, None, :]).swapaxes(1, 2)
    first = random.integers(0, n, count)
    second = (first + random.integers(1, n + 1, count)) % (n + 1)
    still = np.zeros((1, 3))
    blow = Blow(
        np.append(1 / mass, 0.0), inverse, np.vstack([random.normal(size=(n, 3)), still]),
        np.vstack([2 * random.normal(size=(n, 3)), still]), np.stack([first, second], axis=1),
        vectors(random, count), random.uniform(-1, 1, (count, 2, 3)),
        0.0 * first if plastic else random.choice([random.uniform(0, 1, count), random.integers(0, 2, count)]),
        random.uniform(0, most_mu, count),
    )  # fmt: skip
    if random.random() < 0.2:  # a flat fall: one normal, rank at most three
        blow.normal[:] = blow.normal[0]
    approach = np.einsum("ik,ik->i", blow.normal, blow.slips)
    blow.normal[approach > 0.0] *= -1.0
    return blow


# --- the engine's solution


@cache
def solver():
    return kernel(solve_problem)


def solve(blow: Blow, problem=None) -> tuple[np.ndarray, bool]:
    """Impulses on B (place, 3), and whether they settled."""
    problem = problem or made(ImpactProblem, {})
    count, n = len(blow.pair), len(blow.w)
    problem.size[N_PLACES], problem.size[N_BODIES] = count, n
    side, place = problem.side[:n], problem.place[:count]
    side[:] = 0.0
    side[:, SIDE.place("q")] = 1.0
    side[:, SIDE.v], side[:, SIDE.omega] = blow.v, blow.omega
    side[:, SIDE.mass] = blow.w
    for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))):
        side[:, SIDE.place("inertia") + k] = blow.inverse[:, i, j]
    problem.who[:count, [IMPACT_WHO.a, IMPACT_WHO.b]] = blow.pair
    place[:] = 0.0
    place[:, IMPACT_PLACE.normal] = blow.normal
    place[:, IMPACT_PLACE.lever_A], place[:, IMPACT_PLACE.lever_B] = blow.lever[:, 0], blow.lever[:, 1]
    place[:, IMPACT_PLACE.added] = 0.0
    place[:, IMPACT_PLACE.restitution], place[:, IMPACT_PLACE.friction] = blow.e, blow.mu
    _, settled = solver()(problem, None)
    return place[:, IMPACT_PLACE.P].copy(), bool(settled)


# --- the law once more, on dense matrices


def compression(blow: Blow) -> np.ndarray:
    """The frictionless plastic impulses of least norm: non-negative least squares with a ridge tells which of them act,
    and a pseudo-inverse what they are.
    """
    along = np.einsum("ik,ikm->im", blow.normal, blow.jacobian.reshape(len(blow.pair), 3, -1))
    M, u = along @ blow.mobility @ along.T, along @ blow.velocities.ravel()
    values, axes = np.linalg.eigh(M)
    root = (np.sqrt(np.maximum(values, 0.0)) * axes).T
    ridge = 1e-6 * np.sqrt(values[-1])
    wanted = np.linalg.lstsq(root.T, -u, rcond=1e-12)[0]
    p, _ = nnls(np.vstack([root, ridge * np.eye(len(u))]), np.append(wanted, 0.0 * u))
    acts = p > 1e-9 * p.max()
    p[acts] = np.linalg.pinv(M[np.ix_(acts, acts)], rcond=1e-10, hermitian=True) @ -u[acts]
    return p


def impulses(blow: Blow, sweeps: int = 1000) -> tuple[np.ndarray, bool]:
    """The law of `physics.restitution` with matrices: impulses on B (place, 3), and whether the sweeps settled."""
    count, J = len(blow.pair), blow.jacobian
    full = J @ blow.mobility @ J.T
    K = full.reshape(count, 3, count, 3)
    p, u = compression(blow), blow.slips
    work = -p * np.sum(blow.normal * u, axis=1)
    Q = np.sqrt(np.sum(blow.e**2 * work) / np.sum(work)) * p
    P = p[:, None] * blow.normal
    for _ in range(sweeps):
        before = P.copy()
        for i in range(count):
            left = u[i] + (full[3 * i : 3 * i + 3] @ P.ravel()) - K[i, :, i] @ P[i]
            P[i] = alone(K[i, :, i], blow.normal[i], left, Q[i], blow.mu[i])
        if np.linalg.norm(P - before, axis=1).max() <= 1e-11 * np.linalg.norm(P, axis=1).max():
            return P + Q[:, None] * blow.normal, True
    return P + Q[:, None] * blow.normal, False


def alone(K, n, u, Q: float, mu: float) -> np.ndarray:
    """The plastic impulse of one place: on the way from the frictionless one to that which sticks, the last that keeps
    the cone; if the place parts faster than its rebound could part it, nothing acts in the sum.
    """
    if n @ u >= Q * (n @ K @ n):
        return -Q * n
    bare, sticks = -(n @ u) / (n @ K @ n) * n, -np.linalg.solve(K, u)
    sideways = np.linalg.norm(sticks - (n @ sticks) * n)
    if sideways <= mu * (n @ sticks + Q):
        return sticks
    return bare + mu * (n @ bare + Q) / (sideways - mu * (n @ sticks - n @ bare)) * (sticks - bare)


def slips_before_and_after(blow: Blow, P: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(place, 3) each, m/s."""
    J = blow.jacobian
    change = J @ (blow.mobility @ (J.T @ P.ravel()))
    return blow.slips, blow.slips + change.reshape(-1, 3)
