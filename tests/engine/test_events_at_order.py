"""`contact: events` with both methods beside closed forms and the reduced equations of each motion (DOP853).

Bounds are ten times the errors of an independent prototype with the classical Runge-Kutta method, in m and rad/s;
those of `adaptive` are multiples of its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim import Scene
from support.rolling_motions import EXACT, UP, G, axes, of_ellipsoid, rolled

RADIUS = 0.1
INERTIA = 0.4 * RADIUS**2


def plane(friction) -> dict:
    return {"shapes": [{"type": "plane"}], "material": {"friction": friction}}


def turntable(rate, friction) -> dict:
    return {"motion": {"prescribed": {"angular_velocity": [0, 0, rate]}}, **plane(friction)}


def body(inertia, shape, position, velocity=(0, 0, 0), rate=(0, 0, 0), q=(1, 0, 0, 0), friction=0.0) -> dict:
    """One of 1 kg."""
    return {
        "mass": 1, "inertia": {"principal": [*map(float, inertia)]}, "shapes": [shape],
        "position": [*map(float, position)], "velocity": [*map(float, velocity)],
        "orientation": {"wxyz": [*map(float, q)]}, "material": {"friction": friction},
        "angular_velocity": {"relative_to": "world", "value": [*map(float, rate)]},
    }  # fmt: skip


def ball(position, velocity, rate, friction) -> dict:
    return body([INERTIA] * 3, {"type": "sphere", "radius": RADIUS}, position, velocity, rate, friction=friction)


def about(axis, angle) -> np.ndarray:
    return np.r_[np.cos(0.5 * angle), np.sin(0.5 * angle) * np.asarray(axis, float)]


def position(motion) -> np.ndarray:
    return motion.position


# --- the motions: bodies, duration, what is compared, and its exact value


def slides_then_rolls():
    mu, v, w, end = 0.3, np.array([3.0, 0, 0]), np.array([10.0, 0, 5]), 1.0
    slip = v + np.cross(w, -RADIUS * UP)
    d, stops = slip / np.linalg.norm(slip), np.linalg.norm(slip) / (3.5 * mu * G)
    there = v * stops - 0.5 * mu * G * stops**2 * d + (v - mu * G * stops * d) * (end - stops) + RADIUS * UP
    return {"floor": plane(mu), "mover": ball(RADIUS * UP, v, w, mu)}, end, position, there


def rolls_on_a_turntable():
    """A circle at 2/7 of the rate of the table (Weltner, Am. J. Phys. 47, 1979)."""
    rate, start, v, end = 2.0, np.array([1.0, 0, 0]), np.array([0.3, 0.8, 0]), 5.0
    spin, k = np.cross(UP, v - rate * np.cross(UP, start)) / RADIUS, 2 / 7 * rate
    way = complex(*v[:2]) * (np.exp(1j * k * end) - 1) / (1j * k) + start[0]
    bodies = {"table": turntable(rate, 2.0), "mover": ball(start + RADIUS * UP, v, spin, 2.0)}
    return bodies, end, position, np.array([way.real, way.imag, RADIUS])


def slides_then_rolls_on_a_turntable():
    rate, mu, end = 3.0, 0.2, 2.0

    def slip(s):
        return s[2:4] + RADIUS * np.array([-s[5], s[4]]) - rate * np.array([-s[1], s[0]])

    def rates(_t, s, rolls):
        a = 2 / 7 * rate * np.array([-s[3], s[2]]) if rolls else -mu * G * slip(s) / np.linalg.norm(slip(s))
        return np.r_[s[2:4], a, np.array([a[1], -a[0]]) * RADIUS / INERTIA]

    def stops(_t, s, _rolls):
        return np.linalg.norm(slip(s)) - 1e-10

    stops.terminal = True
    one = solve_ivp(rates, (0, end), [0.5, 0, 0, 0, 0, 0], args=(False,), events=stops, **EXACT)
    two = solve_ivp(rates, (one.t[-1], end), one.y[:, -1], args=(True,), **EXACT)
    bodies = {"table": turntable(rate, mu), "mover": ball([0.5, 0, RADIUS], [0, 0, 0], [0, 0, 0], mu)}
    return bodies, end, position, np.r_[two.y[:2, -1], RADIUS]


def rattleback():
    """An ellipsoid whose axes are turned by 0.05 rad from the principal ones; it rolls."""
    inertia, radii, end = np.array([0.0006, 0.008, 0.0081]), np.array([0.2, 0.05, 0.04]), 5.0
    across, tilt = about(UP, 0.05), np.array([0.05, 0.02, 0])
    q, w = about(tilt / np.linalg.norm(tilt), np.linalg.norm(tilt)), np.array([0.02, 0.01, -2.0])
    lever = of_ellipsoid(radii, across)
    r, _ = lever(axes(q), w)
    start = -r[2] * UP
    exact = rolled(np.diag(inertia), lever, q, w, start, (0.0, end))[-1]
    shape = {"type": "ellipsoid", "radii": radii.tolist(), "orientation": {"wxyz": across.tolist()}}
    bodies = {"floor": plane(50.0), "mover": body(inertia, shape, start, -np.cross(w, r), w, q, 50.0)}

    def both(motion):
        return np.r_[motion.position, motion.angular_velocity]

    return bodies, end, both, np.r_[exact[7:], exact[4:7]]


def rod_slides_off_an_edge():
    """It turns on the edge, slides, leaves: the angle, and the distance s of its centre from the edge, along it."""
    length, b, mu, start, tilt, end = 1.0, 0.01, 0.4, 0.15, 0.01, 1.0
    moment = (length**2 + 4 * b * b) / 12

    def turning(s):
        """(angular acceleration, normal force, friction along the rod) of one that turns on the edge."""
        way = start * G * np.cos(s[0]) + b * G * np.sin(s[0])
        alpha = way / (moment + start**2 + b * b)
        N = G * np.cos(s[0]) - b * s[1] ** 2 - start * alpha
        return alpha, N, b * alpha - start * s[1] ** 2 - G * np.sin(s[0])

    def force(s):
        return (G * np.cos(s[0]) - 2 * s[3] * s[1] - b * s[1] ** 2) / (1 + s[2] * (s[2] + b * mu) / moment)

    def sliding(_t, s):
        N = force(s)
        alpha = (s[2] + b * mu) * N / moment
        return [s[1], alpha, s[3], s[2] * s[1] ** 2 + G * np.sin(s[0]) - mu * N - b * alpha]

    def slips(_t, s):
        _, N, f = turning(s)
        return mu * N + f

    def leaves(_t, s):
        return force(s)

    slips.terminal = leaves.terminal = True
    one = solve_ivp(lambda _, s: [s[1], turning(s)[0]], (0, end), [tilt, 0], events=slips, **EXACT)
    two = solve_ivp(sliding, (one.t[-1], end), [*one.y[:, -1], start, 0], events=leaves, **EXACT)
    angle, rate, s, pace = two.y[:, -1]
    along, across = np.array([np.cos(angle), 0, -np.sin(angle)]), np.array([np.sin(angle), 0, np.cos(angle)])
    rest = end - two.t[-1]
    there = s * along + b * across + ((pace + b * rate) * along - s * rate * across) * rest - 0.5 * G * rest**2 * UP
    table = {"shapes": [{"type": "box", "size": [2, 2, 1], "position": [-1, 0, -0.5]}], "material": {"friction": mu}}
    begin = start * np.array([np.cos(tilt), 0, -np.sin(tilt)]) + b * np.array([np.sin(tilt), 0, np.cos(tilt)])
    shape = {"type": "box", "size": [length, 0.1, 2 * b]}
    inertia = [2e-3, moment, (length**2 + 0.01) / 12]
    bodies = {"table": table, "mover": body(inertia, shape, begin, q=about([0, 1, 0], tilt), friction=mu)}

    def place(motion):
        return np.r_[motion.position, 2 * np.arctan2(motion.orientation[2], motion.orientation[0])]

    return bodies, end, place, np.r_[there, angle + rate * rest]


def brick_tips():
    half, angle, end = np.array([0.1, 0.2, 0.3]), 0.05, 0.6
    arm, inertia = np.hypot(half[0], half[2]), (np.sum(half**2) - half**2) / 3
    moment, turned = inertia[1] + arm**2, np.arctan2(half[0], half[2]) + angle
    falls = solve_ivp(lambda _, s: [s[1], G * arm * np.sin(s[0]) / moment], (0, end), [angle, 0], **EXACT)
    place = [arm * np.array([np.sin(psi), 0, np.cos(psi)]) for psi in (angle, falls.y[0, -1])]
    shape = {"type": "box", "size": (2 * half).tolist()}
    brick = body(inertia, shape, place[0], q=about([0, 1, 0], turned), friction=3.0)
    return {"floor": plane(3.0), "mover": brick}, end, position, place[1]


class Motion(NamedTuple):
    """A motion, and the largest errors of the prototype at 10, 5 and 2 ms, m and rad/s."""

    make: Callable
    errors: tuple[float, float, float]


MOTIONS = {
    motion.make.__name__: motion
    for motion in (
        Motion(slides_then_rolls, (5e-15, 5e-15, 5e-15)),
        Motion(rolls_on_a_turntable, (3.0e-11, 1.9e-12, 1.9e-12)),
        Motion(slides_then_rolls_on_a_turntable, (5e-10, 2e-10, 2e-10)),
        Motion(rattleback, (1.8e-4, 6.1e-6, 2.7e-7)),
        Motion(rod_slides_off_an_edge, (1.6e-7, 9.5e-9, 2.4e-10)),
        Motion(brick_tips, (1.3e-8, 8.2e-10, 2.1e-11)),
    )
}
made = cache(lambda name: MOTIONS[name].make())


def error_of(name: str, step: float, method: str | dict = "rkmk4") -> float:
    bodies, end, value, exact = made(name)
    settings = {"duration": end, "step": step, "record_every": end, "contact": "events", "integrator": method}
    document = {"format": "rigidsim/1", "simulation": settings, "world": {"gravity": [0, 0, -G]}, "bodies": bodies}
    simulation = rigidsim.Simulation(Scene.from_dict(document))
    simulation.step(round(end / step))
    assert not any("sub-steps" in warning for warning in simulation.warnings)
    return np.abs(value(simulation.state["mover"].world) - exact).max()


STEPS = np.array([0.01, 0.005, 0.002])
OF_ORDER_FOUR = {"rolls_on_a_turntable", "rattleback", "rod_slides_off_an_edge", "brick_tips"}
"""Of the others, one is exact, and the end of a slip that turns has an error that depends on no step."""
ROUNDING = 1e-12
"""m: no order is seen below it."""


@pytest.mark.parametrize("name", MOTIONS)
def test_the_motion_has_the_errors_and_the_order_of_the_prototype(name):
    found = np.array([error_of(name, step) for step in STEPS])
    assert np.all(found < 10 * np.array(MOTIONS[name].errors))
    if name in OF_ORDER_FOUR:
        assert np.all(found[1:] < np.maximum(found[0] * (STEPS[1:] / STEPS[0]) ** 3.8, ROUNDING))


BY_TOLERANCE = [pytest.param(name, marks=pytest.mark.slow) if name == "rattleback" else name for name in MOTIONS]


@pytest.mark.parametrize("name", BY_TOLERANCE)
@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_steps_by_tolerance_have_the_error_of_that(name, rtol):
    """Where a slip turns until it stops, the last part of it is the same for any tolerance. Measured: 3.6e-11 m."""
    bound = 1e-10 if name == "slides_then_rolls_on_a_turntable" else 10 * rtol
    assert error_of(name, 0.1, {"name": "adaptive", "rtol": rtol}) < bound


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_instants_and_ledger_by_tolerance(rtol):
    """Impacts and the end of the bounces of a ball; a ball that slides, then rolls."""
    e, first, mu = 0.8, np.sqrt(2 / G), 0.3
    bouncing = ball([0, 0, 1 + RADIUS], [0, 0, 0], [0, 0, 0], 0.0)
    bouncing["material"]["restitution"] = e
    settings = {"duration": 5, "step": 0.1, "contact": "events", "integrator": {"name": "adaptive", "rtol": rtol}}

    def run(**bodies):
        document = {"format": "rigidsim/1", "simulation": settings, "world": {"gravity": [0, 0, -G]}, "bodies": bodies}
        return rigidsim.simulate(Scene.from_dict(document))

    events = run(floor=plane(0.0), ball=bouncing).events
    impacts = np.array([event.time for event in events if event.cause == "impact"][:20])
    assert np.abs(impacts - first * (1 + 2 * np.cumsum(np.append(0.0, e ** np.arange(1, 20))))).max() < 1e-13
    rests = [event.time for event in events if event.cause == "contact_begins"][-1]
    assert rests == pytest.approx(first * (1 + e) / (1 - e), abs=1e-11)
    v, w = np.array([3.0, 0, 0]), np.array([10.0, 0, 5])
    slip = np.linalg.norm(v + np.cross(w, -RADIUS * UP))
    trajectory = run(floor=plane(mu), ball=ball(RADIUS * UP, v, w, mu))
    (stops,) = [event.time for event in trajectory.events if event.cause == "rolling_begins"]
    assert stops == pytest.approx(slip / (3.5 * mu * G), abs=1e-12)
    lost = -(slip**2) / 7  # of a reduced mass of 2/7
    assert trajectory.contact_ledger.friction == pytest.approx(lost, abs=1e-12 * slip**2)
    assert abs(trajectory.contact_ledger.error) < 1e-11
