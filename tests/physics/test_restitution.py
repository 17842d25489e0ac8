"""The impulse of an impact: what holds for any inverse effective mass, slip, restitution and friction."""

from __future__ import annotations

import numpy as np

from rigidsim.physics.inertia import apply
from rigidsim.physics.restitution import impact_impulse, inverse_effective_mass

COUNT = 100_000


def drawn() -> tuple:
    """Columns of bodies of which inertia and levers differ by factors of a hundred, and that approach each other."""
    rng = np.random.default_rng(8)

    def vectors(size=1.0):
        return size * rng.normal(size=(3, COUNT))

    def inverse_inertia():
        axes = np.linalg.qr(rng.normal(size=(COUNT, 3, 3)))[0]
        t = np.einsum("kia,ka,kja->kij", axes, 10.0 ** rng.uniform(-1, 1, (COUNT, 3)), axes)
        return tuple(np.ascontiguousarray(t[:, i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))

    n, u = vectors(), vectors(2.0)
    n /= np.linalg.norm(n, axis=0)
    u -= n * (np.sum(n * u, axis=0) + np.abs(np.sum(n * u, axis=0)))
    w = 10.0 ** rng.uniform(-1, 1, COUNT)
    K = inverse_effective_mass(w, inverse_inertia(), tuple(vectors(0.5)), inverse_inertia(), tuple(vectors(0.5)))
    e, mu = rng.uniform(0, 1, COUNT), rng.choice([0.0, 0.1, 0.5, 2.0, 50.0], COUNT)
    return K, tuple(n), tuple(u), e, mu


def test_energy_never_rises_the_cone_is_kept_and_newtons_law_is_exact():
    K, n, u, e, mu = drawn()
    P = np.array(impact_impulse(K, n, u, e, mu))
    of_P = np.array(apply(K, tuple(P)))
    n, u = np.array(n), np.array(u)
    energy = np.sum(P * (u + 0.5 * of_P), axis=0)
    assert np.all(energy < 0.0)  # measured: at most -2e-6 of the sum of |P| (|u| + |K P|)
    P_n = np.sum(n * P, axis=0)
    P_t = np.linalg.norm(P - P_n * n, axis=0)
    assert np.all(P_n > 0.0)
    assert np.all(P_t <= mu * P_n + 1e-12 * np.linalg.norm(P, axis=0))  # measured: 2e-14
    before, after = np.sum(n * u, axis=0), np.sum(n * (u + of_P), axis=0)
    speed = np.linalg.norm(u, axis=0)
    K_rows = np.array([[K[0], K[3], K[4]], [K[3], K[1], K[5]], [K[4], K[5], K[2]]])
    condition = np.linalg.cond(K_rows.transpose(2, 0, 1))
    assert np.all(np.abs(after + e * before) <= 1e-14 * condition * speed)  # measured: 7e-16
    slides = P_t >= mu * P_n * (1.0 - 1e-9)
    of_n = np.array(apply(K, tuple(n)))
    left = u + of_P + e * before / np.sum(n * of_n, axis=0) * of_n  # less e K P_1
    assert np.all(np.linalg.norm(left, axis=0)[~slides] <= 1e-14 * (condition * speed)[~slides])  # measured: 6e-16
    assert 0.2 < np.mean(slides) < 0.8
