"""Bodies that roll or slide on a horizontal plane, by equations of their own (DOP853): for tests of contact.

A body of 1 kg touches the plane z = 0 at one point. Its shape enters by the lever r from the centre of mass to that
point alone: `lever(R, w)` gives it and its rate, in world axes, R being the axes of the body (columns) and w its rate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from rigidsim.physics.quaternion import product, to_matrix

G = 9.81
UP = np.array([0.0, 0.0, 1.0])
EXACT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-15}
Lever = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def cross(a, b) -> np.ndarray:
    """The vector product of two vectors; `np.cross` takes ten times as long."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def axes(q) -> np.ndarray:
    """The axes of a body, as columns."""
    return np.array(to_matrix(tuple(np.asarray(q) / np.linalg.norm(q))))


def of_ellipsoid(radii, across=(1.0, 0, 0, 0), centre=(0.0, 0, 0)) -> Lever:
    """Of an ellipsoid, E = diag(radii), turned by `across` and centred there in the body: r = c - E^2 n/|E n|."""
    radii, S, centre = np.asarray(radii, float), axes(across), np.asarray(centre, float)

    def lever(R, w):
        S_W, c = R @ S, R @ centre
        n, rate = S_W.T @ UP, S_W.T @ w
        u, dn = radii * n, -cross(rate, n)
        size = np.linalg.norm(u)
        r, dr = -radii * u / size, -radii * (radii * dn / size - u * (u @ (radii * dn)) / size**3)
        return c + S_W @ r, cross(w, c + S_W @ r) + S_W @ dr

    return lever


def of_sphere(radius: float, centre) -> Lever:
    """Of a sphere, centred there in the body: r = c - radius n."""

    def lever(R, w):
        c = R @ np.asarray(centre, float)
        return c - radius * UP, cross(w, c)

    return lever


def turning(q, w) -> np.ndarray:
    """q' = w q/2."""
    return 0.5 * np.array(product((0.0, *w), tuple(q)))


def rolled(inertia, lever: Lever, q, w, place, times) -> np.ndarray:
    """(time, 10) orientation, rate and centre of mass of a body that rolls without slipping, v = -w x r. `inertia` is a
    tensor in the body's axes. About the point of contact,

    (I + r^2 - r r) w' = -w x I w + r x (g n - w x r').
    """
    inertia = np.asarray(inertia, float)

    def rates(_t, s):
        R, w = axes(s[:4]), s[4:7]
        r, dr = lever(R, w)
        tensor = R @ inertia @ R.T
        masses = tensor + (r @ r) * np.eye(3) - np.outer(r, r)
        torque = -cross(w, tensor @ w) + cross(r, G * UP - cross(w, dr))
        return np.r_[turning(s[:4], w), np.linalg.solve(masses, torque), -cross(w, r)]

    return solve_ivp(rates, (0, times[-1]), np.r_[q, w, place], t_eval=times, **EXACT).y.T


def slid(inertia, lever: Lever, friction: float, q, w, place, v, times) -> np.ndarray:
    """(time, 13) the same of a body that slides, and the velocity of the centre of mass: F = N (n - friction d), d the
    direction of the slip u = v + w x r. N follows from u_z = 0:

    v_z' = -n . (w' x r + w x r'), v' = F - g n, I w' = -w x I w + r x F.
    """
    inertia = np.asarray(inertia, float)

    def rates(_t, s):
        R, w, v = axes(s[:4]), s[4:7], s[10:]
        r, dr = lever(R, w)
        inverse, tensor = R @ np.linalg.inv(inertia) @ R.T, R @ inertia @ R.T
        u = (v + cross(w, r)) * [1, 1, 0]
        push = UP - friction * u / np.linalg.norm(u)
        free = -inverse @ cross(w, tensor @ w)
        N = (G - UP @ (cross(free, r) + cross(w, dr))) / (1 + UP @ cross(inverse @ cross(r, push), r))
        alpha = free + inverse @ cross(r, N * push)
        return np.r_[turning(s[:4], w), alpha, v, N * push - G * UP]

    return solve_ivp(rates, (0, times[-1]), np.r_[q, w, place, v], t_eval=times, **EXACT).y.T
