"""Smooth motions with their equations written by hand for heyoka, and their exact ends; for `work_precision.py`.

A problem is a scene, and beside it the same equations of motion in the axes of the world. `by` is a small relative
change of the initial motion, so that the worlds of a batch differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

Watched = tuple[str, str, int]  # "position" or "orientation", path of the body, first index in the state of heyoka


class Problem(NamedTuple):
    """A scene without integrator, the same as equations, and what is compared at the end."""

    name: str
    duration: float
    scene: Callable[[float], dict[str, Any]]  # world and bodies
    equations: Callable[[ModuleType], list]  # (variable, rate) of heyoka
    start: Callable[[float], list[float]]
    watched: tuple[Watched, ...]
    exact: Callable[[], list[np.ndarray]] | None = None  # of what is watched; None: by heyoka in extended precision
    rates: tuple[float, float, float] | None = None  # of a torque-free top with the moments MOMENTS: any engine has it


def error(watched: tuple[Watched, ...], found: list[np.ndarray], exact: list[np.ndarray]) -> float:
    """The largest distance (m) and angle (rad) of what was found."""
    errors = []
    for (kind, *_), one, other in zip(watched, found, exact, strict=True):
        one, other = np.asarray(one, np.longdouble), np.asarray(other, np.longdouble)
        if kind == "position":
            errors.append(np.sqrt(((one - other) ** 2).sum()))
        else:  # of the difference of two orientations; of the vector part, which keeps its digits
            one, other = one / np.sqrt((one**2).sum()), other / np.sqrt((other**2).sum())
            vector = one[0] * other[1:] - other[0] * one[1:] - np.cross(one[1:], other[1:])
            errors.append(2 * np.arcsin(min(np.sqrt((vector**2).sum()), 1)))
    return float(max(errors))


# --- equations


def turning(q, omega) -> list:
    """q' = q (0, omega)/2, of an orientation, by the rate in body axes."""
    w, x, y, z = q
    a, b, c = omega
    products = (-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a)
    return [0.5 * part for part in products]


def turning_in_parent(q, omega) -> list:
    """q' = (0, omega) q/2, by the rate in the parent's axes."""
    w, x, y, z = q
    a, b, c = omega
    products = (-x * a - y * b - z * c, w * a + z * b - y * c, w * b + x * c - z * a, w * c + y * a - x * b)
    return [0.5 * part for part in products]


def euler(moments, omega, torque=(0.0, 0.0, 0.0)) -> list:
    """omega' = I^-1 (tau - omega x I omega), principal axes."""
    spun = cross(omega, [m * w for m, w in zip(moments, omega, strict=True)])
    return [(t - s) / m for t, s, m in zip(torque, spun, moments, strict=True)]


def cross(a, b) -> list:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotated(q, v) -> list:
    """v + 2 w u x v + 2 u x (u x v), from body to world, for a q of any length near 1."""
    w, *u = q
    once = cross(u, v)
    twice = cross(u, once)
    return [x + 2.0 * (w * a + b) for x, a, b in zip(v, once, twice, strict=True)]


def rotated_back(q, v) -> list:
    """From world to body."""
    w, *u = q
    return rotated((w, *(-part for part in u)), v)


def plus(a, b) -> list:
    return [x + y for x, y in zip(a, b, strict=True)]


def minus(a, b) -> list:
    return [x - y for x, y in zip(a, b, strict=True)]


def size(hy: ModuleType, v):
    return hy.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


# --- the torque-free top

MOMENTS = (1.0, 2.0, 3.0)


def top(name: str, rates: tuple[float, float, float]) -> Problem:
    """The torque-free top over 100 s."""

    def scene(by: float) -> dict:
        omega = {"frame": "body", "value": [rate * (1.0 + by) for rate in rates]}
        return {"bodies": {"top": {"mass": 1.0, "inertia": {"principal": list(MOMENTS)}, "angular_velocity": omega}}}

    def equations(hy: ModuleType) -> list:
        q, omega = hy.make_vars("qw", "qx", "qy", "qz"), hy.make_vars("wx", "wy", "wz")
        return list(zip((*q, *omega), (*turning(q, omega), *euler(MOMENTS, omega)), strict=True))

    def start(by: float) -> list[float]:
        return [1.0, 0.0, 0.0, 0.0, *(rate * (1.0 + by) for rate in rates)]

    watched = (("orientation", "top", 0),)
    return Problem(name, 100.0, scene, equations, start, watched, lambda: [end_of_top(rates, 100.0)], rates)


def end_of_top(rates: tuple[float, float, float], duration: float) -> np.ndarray:
    """The orientation at the end by Jacobi's elliptic functions, for rotation about the axis of the largest moment.

    With u = lambda t + u_0: omega = (A_1 cn u, A_2 sn u, A_3 dn u); seen along L, the axis 3 precesses at
    L (I_1 omega_1^2 + I_2 omega_2^2)/(I_1^2 omega_1^2 + I_2^2 omega_2^2). Landau and Lifshitz, Mechanics (1976), 37.
    """
    from mpmath import mp

    with mp.workdps(30):
        (a, b, c), omega = map(mp.mpf, MOMENTS), [mp.mpf(rate) for rate in rates]
        twice, square = (sum(i * w**2 for i, w in zip((a, b, c), omega, strict=True)),
                         sum((i * w) ** 2 for i, w in zip((a, b, c), omega, strict=True)))  # fmt: skip
        length = mp.sqrt(square)
        sizes = [mp.sqrt((twice * c - square) / (a * (c - a))), mp.sqrt((twice * c - square) / (b * (c - b))),
                 mp.sqrt((square - twice * a) / (c * (c - a)))]  # fmt: skip
        speed = mp.sqrt((c - b) * (square - twice * a) / (a * b * c))
        m = (b - a) * (twice * c - square) / ((c - b) * (square - twice * a))
        first = mp.ellipf(mp.atan2(omega[1] / sizes[1], omega[0] / sizes[0]), m)

        def rate(t) -> list:
            u = speed * t + first
            return [part * mp.ellipfun(kind, u, m=m) for part, kind in zip(sizes, ("cn", "sn", "dn"), strict=True)]

        def precession(t):
            x, y, _ = rate(t)
            return length * (a * x**2 + b * y**2) / (a**2 * x**2 + b**2 * y**2)

        def from_momentum(precessed, t) -> np.ndarray:
            """From body axes to axes with z along L: Euler's angles about z, x, z."""
            x, y, z = rate(t)
            nutation, spin = mp.acos(c * z / length), mp.atan2(a * x, b * y)
            (cn, sn), half = (mp.cos(nutation / 2), mp.sin(nutation / 2)), (precessed + spin) / 2
            other = (precessed - spin) / 2
            return np.array([cn * mp.cos(half), sn * mp.cos(other), sn * mp.sin(other), cn * mp.sin(half)])

        turned = mp.quad(precession, mp.linspace(0, duration, 101), method="gauss-legendre", maxdegree=4)
        w, x, y, z = from_momentum(0, 0) * np.array([1, -1, -1, -1])
        p, q, r, s = from_momentum(turned, mp.mpf(duration))
        end = (w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
               w * r + y * p + z * q - x * s, w * s + z * p + x * r - y * q)  # fmt: skip
        return np.array([np.longdouble(mp.nstr(part, 25)) for part in end])


# --- orbits


def kepler() -> Problem:
    """A period of an orbit with e = 0.6, from the pericentre, which is also the end: in these numbers without rounding,
    but for the period.
    """

    def scene(by: float) -> dict:
        planet = {"mass": 1.0, "inertia": "point", "position": [0.5, 0, 0], "velocity": [0, 2.0 * (1.0 + by), 0]}
        return {"world": {"gravity": {"center": [0, 0, 0], "gm": 1.25}}, "bodies": {"planet": planet}}

    def equations(hy: ModuleType) -> list:
        p, v = hy.make_vars("x", "y", "z"), hy.make_vars("u", "v", "w")
        nearness = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) ** -1.5
        return list(zip((*p, *v), (*v, *(-1.25 * part * nearness for part in p)), strict=True))

    def start(by: float) -> list[float]:
        return [0.5, 0.0, 0.0, 0.0, 2.0 * (1.0 + by), 0.0]

    watched = (("position", "planet", 0),)
    return Problem("orbit", 1.25 * math.tau, scene, equations, start, watched, lambda: [np.array([0.5, 0.0, 0.0])])


MASSES = (1.0, 1e-3, 1e-6)


def double_orbit() -> Problem:
    """A moon about a planet about a star, each below the other and each orbit with e = 0.6: 68 months, about a year."""
    planet, moon = ((0.4, 0.0, 0.0), (0.0, 2.0, 0.0)), ((0.0, 2.4e-3, 0.0), (-0.8168, 0.0, 0.1))

    def scene(by: float) -> dict:
        def body(m: float, place: tuple, velocity: tuple, **more: Any) -> dict:
            return {"mass": m, "inertia": "point", "position": list(place), "velocity": list(velocity), **more}

        below = {"moon": body(MASSES[2], moon[0], [v * (1.0 + by) for v in moon[1]])}
        around = {"planet": body(MASSES[1], *planet, children=below)}
        star = body(MASSES[0], (0, 0, 0), (0, 0, 0), children=around)
        return {"world": {"mutual_gravity": {"constant": 1.0}, "gravity": [0, 0, 0]}, "bodies": {"star": star}}

    def equations(hy: ModuleType) -> list:
        places = [hy.make_vars(*(f"{part}{k}" for part in "xyz")) for k in range(3)]
        rates = [hy.make_vars(*(f"{part}{k}" for part in "uvw")) for k in range(3)]
        pulls = [[0.0, 0.0, 0.0] for _ in places]
        for i, j in ((0, 1), (0, 2), (1, 2)):
            s = minus(places[j], places[i])
            nearness = (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) ** -1.5
            pulls[i] = plus(pulls[i], [MASSES[j] * part * nearness for part in s])
            pulls[j] = minus(pulls[j], [MASSES[i] * part * nearness for part in s])
        pairs = zip(places, rates, pulls, strict=True)
        return [each for p, v, a in pairs for each in (*zip(p, v, strict=True), *zip(v, a, strict=True))]

    def start(by: float) -> list[float]:
        around = [np.array(part) for part in planet]
        outer = [part + np.array(more) * scale for part, more, scale in zip(around, moon, (1.0, 1.0 + by), strict=True)]
        return [*([0.0] * 6), *around[0], *around[1], *outer[0], *outer[1]]

    watched = (("position", "star/planet", 6), ("position", "star/planet/moon", 12))
    return Problem("moon, planet, star", 6.0, scene, equations, start, watched)


# --- bodies that turn

HOUSE, GUEST = (2.0, (0.4, 0.5, 0.6)), (0.5, (0.02, 0.03, 0.04))  # masses and moments
SPRING = {"stiffness": 20.0, "length": 0.2, "at": (-0.1, 0.0, 0.05), "to_at": (0.5, 0.1, 0.0)}


def spring_under_tumbling_parent() -> Problem:
    """A free body with a spring to its parent, which tumbles freely."""
    tumbling, place, velocity, spin = (0.3, 1.5, 0.2), (0.8, 0.0, 0.0), (0.0, 0.2, -1.2), (0.5, 1.0, -0.4)

    def scene(by: float) -> dict:
        def turns(rates: tuple, scale: float = 1.0) -> dict:
            return {"frame": "body", "relative_to": "world", "value": [scale * rate for rate in rates]}

        spring = {"type": "spring", "to": "house"} | {k: _plain(v) for k, v in SPRING.items()}
        guest = {
            "mass": GUEST[0], "inertia": {"principal": list(GUEST[1])}, "position": list(place),
            "velocity": {"relative_to": "world", "value": list(velocity)}, "angular_velocity": turns(spin),
            "forces": [spring],
        }  # fmt: skip
        house = {
            "mass": HOUSE[0], "inertia": {"principal": list(HOUSE[1])}, "angular_velocity": turns(tumbling, 1.0 + by),
            "children": {"guest": guest},
        }  # fmt: skip
        return {"bodies": {"house": house}}

    def equations(hy: ModuleType) -> list:
        bodies = [
            [hy.make_vars(*(f"{name}{k}" for name in names)) for names in ("xyz", "uvw", "abcd", "lmn")] for k in (0, 1)
        ]
        (p, _, q, _), (r, _, s, _) = bodies
        arm, other = rotated(q, SPRING["to_at"]), rotated(s, SPRING["at"])
        apart = minus(plus(r, other), plus(p, arm))
        distance = size(hy, apart)
        force = [-SPRING["stiffness"] * (distance - SPRING["length"]) / distance * part for part in apart]
        found = []
        for (x, rate, turn, w), (mass, moments), at, f in (
            (bodies[0], HOUSE, SPRING["to_at"], [-part for part in force]),
            (bodies[1], GUEST, SPRING["at"], force),
        ):
            torque = cross(at, rotated_back(turn, f))
            changes = (*rate, *(part / mass for part in f), *turning(turn, w), *euler(moments, w, torque))
            found += zip((*x, *rate, *turn, *w), changes, strict=True)
        return found

    def start(by: float) -> list[float]:
        house = [*([0.0] * 6), 1.0, 0.0, 0.0, 0.0, *(rate * (1.0 + by) for rate in tumbling)]
        return [*house, *place, *velocity, 1.0, 0.0, 0.0, 0.0, *spin]

    watched = (("orientation", "house", 6), ("position", "house/guest", 13), ("orientation", "house/guest", 19))
    return Problem("spring under a tumbling parent", 10.0, scene, equations, start, watched)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


WHEEL, AXLE, HOLD = (2.0, (0.02, 0.02, 0.035)), 0.1, 0.3  # mass and moments; half the axle, of the gimbal, m
STRUT = (400.0, 0.1)  # stiffness, length at rest


def gimballed_wheel() -> Problem:
    """A wheel on two springs in a gimbal in a gimbal, whose rates are prescribed, the outer one's with an axis that
    moves.
    """
    spin = (0.2, 0.0, 30.0)

    def scene(by: float) -> dict:
        struts = [
            {"type": "spring", "to": "outer/inner", "at": [0, 0, sign * AXLE], "to_at": [0, 0, sign * HOLD],
             "stiffness": STRUT[0], "length": STRUT[1]} for sign in (1, -1)
        ]  # fmt: skip
        omega = {"frame": "body", "relative_to": "world", "value": [rate * (1.0 + by) for rate in spin]}
        wheel = {
            "mass": WHEEL[0], "inertia": {"principal": list(WHEEL[1])}, "angular_velocity": omega, "forces": struts,
            "velocity": {"relative_to": "world", "value": [0, 0, 0]},
        }  # fmt: skip
        inner = {"angular_velocity": ["= 0.5 + 0.4*cos(2*t)", 0, 0]}
        outer = {"angular_velocity": ["= 0.3*sin(t)", 0, "= 0.8*cos(t)"]}
        below = {"inner": {"motion": {"prescribed": inner}, "children": {"wheel": wheel}}}
        return {"bodies": {"outer": {"motion": {"prescribed": outer}, "children": below}}}

    def equations(hy: ModuleType) -> list:
        names = ("abcd", "efgh", "xyz", "uvw", "ijkl", "mno")
        outer, inner, p, v, q, omega = (hy.make_vars(*letters) for letters in names)
        total, torque = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        for sign in (1.0, -1.0):
            held, at = rotated(outer, rotated(inner, (0.0, 0.0, sign * HOLD))), (0.0, 0.0, sign * AXLE)
            apart = minus(plus(p, rotated(q, at)), held)
            distance = size(hy, apart)
            force = [-STRUT[0] * (distance - STRUT[1]) / distance * part for part in apart]
            total, torque = plus(total, force), plus(torque, cross(at, rotated_back(q, force)))
        rates = (
            *turning_in_parent(outer, (0.3 * hy.sin(hy.time), 0.0, 0.8 * hy.cos(hy.time))),
            *turning_in_parent(inner, (0.5 + 0.4 * hy.cos(2.0 * hy.time), 0.0, 0.0)),
            *v, *(part / WHEEL[0] for part in total), *turning(q, omega), *euler(WHEEL[1], omega, torque),
        )  # fmt: skip
        return list(zip((*outer, *inner, *p, *v, *q, *omega), rates, strict=True))

    def start(by: float) -> list[float]:
        still = [1.0, 0.0, 0.0, 0.0]
        return [*still, *still, *([0.0] * 6), *still, *(rate * (1.0 + by) for rate in spin)]

    watched = (("position", "outer/inner/wheel", 8), ("orientation", "outer/inner/wheel", 14))
    return Problem("gimballed wheel", 10.0, scene, equations, start, watched)


CLASSIC = (top("tumbling top", (0.01, 2.0, 0.01)), top("tidy top", (1.0, 1.0, 1.0)), kepler())
HARDER = (spring_under_tumbling_parent(), double_orbit(), gimballed_wheel())


# --- rods that hang on each other by hinges, in a plane

GRAVITY = 9.81
THIN = 1e-4
"""Moment of inertia of a rod about itself, kg m^2; it has no effect."""


def chain(n: int, tilt: float = 90.0, jointed: bool = True) -> dict[str, Any]:
    """World and bodies of n rods, the first at `tilt` degrees from the vertical, the others in line; without joints the
    same bodies are free, where they are.
    """
    bodies: dict[str, Any] = {}
    for i in reversed(range(n)):
        hinge = {"hinge": {"axis": [0, -1, 0], "angle": f"{tilt if i == 0 else 0} deg"}}
        bodies = {
            f"rod {i + 1}": {
                "mass": 1,
                "inertia": {"principal": [1 / 12, 1 / 12, THIN]},
                "center_of_mass": [0, 0, -0.5],
                "position": [0, 0, -1 if i else 0],
                "motion": hinge if jointed else "free",
                **({"children": bodies} if bodies else {}),
            }
        }
    return {"world": {"gravity": [0, 0, -GRAVITY]}, "bodies": bodies}


def angles_of_rods(n: int, times: np.ndarray) -> np.ndarray:
    """The angles from the vertical, (rod, time), of n rods of 1 m and 1 kg that hang on each other and start at rest in
    a horizontal line, by scipy's DOP853 of Lagrange's equations: sum_j a_ij (cos(th_i - th_j) th_j'' + sin(th_i - th_j)
    th_j'^2) = -g b_i sin(th_i).
    """
    below = n - np.arange(n)  # each rod and those under it
    a = np.minimum.outer(below, below) - 0.5
    np.fill_diagonal(a, below - 1 + 1 / 3)

    def change(_t: float, y: np.ndarray) -> np.ndarray:
        angle, rate = np.split(y, 2)
        apart = np.subtract.outer(angle, angle)
        pull = -(a * np.sin(apart)) @ rate**2 - GRAVITY * (below - 0.5) * np.sin(angle)
        return np.r_[rate, np.linalg.solve(a * np.cos(apart), pull)]

    start = np.r_[np.full(n, math.pi / 2), np.zeros(n)]
    solution = solve_ivp(change, (0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-13)
    return solution.y[:n]
