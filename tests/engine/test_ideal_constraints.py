"""Points held on circles without friction in moving frames: reference case 4.3, the hoop, the lift and the train.

There are no joints: what holds the point is written out as an expression of its state relative to the frame. On a
circle of radius R about the origin, in the plane of x and z, r . r = R^2 gives r . a = -v . v. So the force along r is
N = -m (v . v + r . f)/R^2 r, with f all other accelerations in the frame's axes, and the force across the plane is the
opposite of theirs. Of the motion along the circle nothing is in these expressions: that is the program's own. And where
its other accelerations were not f, the point would leave the circle.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import rigidsim
from support.scenes import EPS, run

G, MASS = 9.81, 0.3


def held(f_r: str, across: str = "0", radius: float = 1.0) -> dict:
    """The force that keeps a particle on the circle, `f_r` being r . f."""
    pull = f"-{MASS}*(v_x^2 + v_z^2 + {f_r})/{radius * radius}"
    return {"force": [f"= {pull}*x", f"= {MASS}*({across})", f"= {pull}*z"]}


def at_angle(theta: float, force: dict, radius: float = 1.0, rate: float = 0.0) -> dict:
    """The point at an angle from straight down, towards +x."""
    s, c = math.sin(theta), math.cos(theta)
    place = {"position": [radius * s, 0, -radius * c], "velocity": [radius * rate * c, 0, radius * rate * s]}
    return {"mass": MASS, "inertia": "point", "forces": [force], **place}


def angle_and_rate(motion) -> tuple[np.ndarray, np.ndarray]:
    """From straight down, of each sample."""
    (x, _, z), (u, _, w) = motion.position.T, motion.velocity.T
    return np.unwrap(np.arctan2(x, -z)), (x * w - z * u) / (x * x + z * z)


# --- pendulums


def pendulum(acceleration, swing: float, radius: float, n_step: int = 8000) -> rigidsim.Trajectory:
    """Let go `swing` from where it hangs, in a frame with this acceleration along x and z, for one period by theory,
    a sample every quarter.
    """
    a_x, a_z = acceleration
    hangs = math.atan2(-a_x, G + a_z)
    child = at_angle(hangs + swing, held(f"(-({a_x})*x - ({G + a_z})*z)", radius=radius), radius)
    frame = {"motion": {"prescribed": {"acceleration": [a_x, 0, a_z]}}, "children": {"bob": child}}
    period = 2 * math.pi * math.sqrt(radius / math.hypot(a_x, G + a_z)) * lengthening(swing)
    how = {"duration": period, "step": period / n_step, "record_every": period / 4}
    return run({"frame": frame}, gravity=[0, 0, -G], **how)


def lengthening(swing: float) -> float:
    """Period of a pendulum that swings so far to either side, of that of the small one."""
    return float(2 * mpmath.ellipk(mpmath.sin(mpmath.mpf(swing) / 2) ** 2) / mpmath.pi)


def measured(trajectory: rigidsim.Trajectory, swing: float) -> tuple[float, float]:
    """Period of the small swing from the passages at the odd quarters, and the angle at which the bob hangs from the
    turning points at the even ones.
    """
    t = trajectory.time
    angle, rate = angle_and_rate(trajectory["frame/bob"].local)
    hangs = (angle[2] + angle[4]) / 2
    passages = [t[k] - (angle[k] - hangs) / rate[k] for k in (1, 3)]
    return 2 * (passages[1] - passages[0]) / lengthening(swing), hangs


@pytest.mark.parametrize("swing", [1e-3, 0.7, 1.4])
def test_a_pendulum_on_an_accelerating_train(swing):
    period, hangs = measured(pendulum((2.0, 0.0), swing, 1.0), swing)
    assert period == pytest.approx(1.9857466025, abs=5e-11)  # as published; measured 1.1e-12 from the closed form
    assert math.degrees(-hangs) == pytest.approx(math.degrees(math.atan2(2, G)), abs=1e-10)  # measured 3.1e-11
    assert math.degrees(-hangs) == pytest.approx(11.5231773, abs=5e-8)


@pytest.mark.parametrize("swing", [1e-3, 0.7, 1.4])
@pytest.mark.parametrize("a", [2.0, -3.0, -15.0], ids=["up", "down", "faster than it falls"])
def test_a_pendulum_in_a_lift(a, swing):
    """2 pi sqrt(L/|g + a|); where the lift is pulled down faster than things fall, about straight up."""
    trajectory = pendulum((0.0, a), swing, 0.8)
    period, hangs = measured(trajectory, swing)
    # With 8000 steps a period: measured 3.1e-13, 5.4e-13 rad and 1.8e-13.
    assert period == pytest.approx(2 * math.pi * math.sqrt(0.8 / abs(G + a)), rel=1e-12)
    assert abs(hangs) == pytest.approx(0 if G + a > 0 else math.pi, abs=2e-12)
    from_pivot = np.linalg.norm(trajectory["frame/bob"].local.position, axis=1)
    assert np.abs(from_pivot / 0.8 - 1).max() <= 1e-12


def test_a_bob_goes_round_evenly_in_a_falling_lift():
    """Without weight it keeps its rate."""
    free = at_angle(0.4, held("0", radius=0.8), 0.8, rate=3.0)
    frame = {"motion": {"prescribed": {"acceleration": [0, 0, -G]}}, "children": {"bob": free}}
    trajectory = run({"frame": frame}, gravity=[0, 0, -G], duration=2.0, step=1e-3, record_every=0.1)
    angle, rate = angle_and_rate(trajectory["frame/bob"].local)
    assert np.abs(rate - 3).max() <= 1e-10  # the method's error at 1 ms: measured 3.0e-11 rad/s
    assert np.abs(angle - 0.4 - 3 * trajectory.time).max() <= 1e-10  # measured 3.2e-11 rad


# --- the hoop


STEPS = 4000


def along_the_way(rate: float, duration: float) -> float:
    """z^4 times the whole angle, with z the angle of a step: of this size is the error of a circle that the method
    steps through in world axes.
    """
    return (rate * duration / STEPS) ** 4 * rate * duration


def on_the_hoop(theta: float, rate: float, duration: float) -> tuple[np.ndarray, ...]:
    """Time, angle and its rate of a bead at rest on a hoop of radius 1 m that turns about its vertical diameter.
    r . f = rate^2 x^2 - g z, and across the hoop's plane the accelerations are rate^2 y - 2 rate v_x.
    """
    bead = at_angle(theta, held(f"({rate * rate!r}*x^2 - {G}*z)", f"2*{rate!r}*v_x - {rate * rate!r}*y"))
    hoop = {"motion": {"prescribed": {"angular_velocity": [0, 0, rate]}}, "children": {"bead": bead}}
    how = {"duration": duration, "step": duration / STEPS, "record_every": duration / 10}
    trajectory = run({"hoop": hoop}, gravity=[0, 0, -G], **how)
    off = np.abs(trajectory["hoop/bead"].local.position[:, 1]).max()
    assert off <= along_the_way(rate, duration) / 20 + 2 * EPS  # measured 1/24 of the first
    return trajectory.time, *angle_and_rate(trajectory["hoop/bead"].local)


@pytest.mark.parametrize("rate", [0.5, 3.0, 3.13, 3.14, 3.3])
def test_at_the_bottom_of_a_hoop_a_bead_swings_below_the_threshold_and_runs_away_above(rate):
    """theta'^2 = (rate^2 - threshold^2) (theta^2 - theta_0^2) for small angles, to a part in theta_0^2."""
    _, theta, speed = on_the_hoop(1e-6, rate, 1.0)
    growth = speed[1:] ** 2 / (theta[1:] ** 2 - 1e-6**2)
    assert np.all(growth < 0) if rate < 3.132 else np.all(growth > 0)
    threshold = np.sqrt(rate**2 - growth)
    assert threshold == pytest.approx(math.sqrt(G), abs=1e-11)  # measured 4.2e-12
    assert threshold == pytest.approx(3.1320919527, abs=5e-11)  # as published


def test_on_a_fast_hoop_a_bead_rests_where_weight_and_turning_balance():
    rest = math.acos(G / 25)
    assert math.degrees(rest) == pytest.approx(66.8960829, abs=5e-8)  # as published
    _, theta, speed = on_the_hoop(rest, 5.0, 3.0)
    assert np.abs(theta - rest).max() <= along_the_way(5.0, 3.0) / 100  # measured 1/190
    assert np.abs(speed).max() <= along_the_way(5.0, 3.0) / 50  # measured 1/85


@pytest.mark.parametrize("off", [1e-6, -1e-6])
def test_beside_its_rest_on_a_fast_hoop_a_bead_swings_at_the_linear_rate(off):
    """rate sin(rest), to a part in `off`."""
    rest = math.acos(G / 25)
    w = 5 * math.sin(rest)
    t, theta, _ = on_the_hoop(rest + off, 5.0, 2 * math.pi / w)
    assert np.abs((theta - rest) / off - np.cos(w * t)).max() <= 2e-6  # measured 1.1e-6
