"""Coupled coordinates: gears, racks, belts and mimics, against reduced coordinates and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from rigidsim.analysis.quantities import quantity
from support.scenes import make_scene, run

Z, G = [0, 0, 1], 9.81
TOLERANT = {name: {"name": name, key: 1e-11} for name, key in (("adaptive", "rtol"), ("taylor", "tolerance"))}
METHODS = {name: TOLERANT.get(name, name) for name in ("rkmk4", "adaptive", "taylor", "euler", "magnus")}
LATER = ("adaptive", "magnus")  # steps by tolerance as `taylor`, of first order as `euler`
EVERY = pytest.mark.parametrize(
    "method",
    [pytest.param(METHODS[name], id=name, marks=[pytest.mark.slow] * (name in LATER)) for name in METHODS],
)
EPS = np.finfo(float).eps


def wheel(x: float, moment: float, **hinge) -> dict:
    """A disk that turns about the z axis."""
    inertia = {"principal": [moment, moment, moment]}
    return {"position": [x, 0, 0], "mass": 1, "inertia": inertia, "motion": {"hinge": {"axis": Z, **hinge}}}


def pendulum(x: float, mass: float, length: float, **hinge) -> dict:
    """A point mass on a rod, in the plane of x and y; its angle is zero where it hangs."""
    body = {"position": [x, 0, 0], "mass": mass, "inertia": {"principal": [0.1, 0.1, 0.1]}}
    return body | {"center_of_mass": [0, -length, 0], "motion": {"hinge": {"axis": Z, **hinge}}}


def coupled(first: str, second: str, ratio: float, **more) -> dict:
    return {"type": "coupling", "between": [first, second], "ratio": ratio, **more}


def last(trajectory, name: str) -> float:
    return quantity(trajectory, name).values[-1]


@EVERY
def test_a_gear_train_reflects_the_inertia_of_its_wheels(method):
    """Two pairs of gears and a rack: a constant torque accelerates I_1 + n^2 I_2 + (n m)^2 I_3 + r^2 m. The motion is a
    parabola, which all methods but `euler` have exactly; rates are exact for all. What each pair of teeth transmits.
    """
    n, m, r = -0.4, -0.5, 0.05
    bodies = {
        "motor": wheel(0, 0.02, motor={"torque": 1.5}), "middle": wheel(1, 0.3), "slow": wheel(2, 4.0),
        "rack": {"position": [0, 1, 0], "mass": 3, "inertia": {"principal": [1, 1, 1]},
                 "motion": {"slide": {"axis": [0, 0.6, 0.8]}}},
    }  # fmt: skip
    loops = [coupled("motor", "middle", n), coupled("middle", "slow", m), coupled("motor", "rack", r)]
    trajectory = run(bodies, loops=loops, duration=0.5, step=5e-3, integrator=method)
    total = 0.02 + n**2 * 0.3 + (n * m) ** 2 * 4.0 + r**2 * 3
    alpha = 1.5 / total
    for name, ratio in (("motor", 1), ("middle", n), ("slow", n * m), ("rack", r)):
        assert last(trajectory, f"{name}.rate") == pytest.approx(ratio * alpha * 0.5, rel=100 * 32 * EPS)
    if method != "euler":
        assert last(trajectory, "motor.angle") == pytest.approx(alpha * 0.125, rel=100 * 32 * EPS)
    assert last(trajectory, "middle-slow.loop_torque")[2] == pytest.approx(4.0 * n * m * alpha, rel=1e-12)
    on_middle = (0.3 + m * m * 4.0) * n * alpha
    assert last(trajectory, "motor-middle.loop_torque")[2] == pytest.approx(on_middle, rel=1e-12)
    assert last(trajectory, "motor-rack.loop_force") == pytest.approx(
        np.array([0, 0.6, 0.8]) * 3 * r * alpha, rel=1e-12
    )
    energy = trajectory.total_energy
    assert np.abs(energy - energy[0]).max() < (0.05 if method in ("euler", "magnus") else 1e-12)  # whose work is a sum


@pytest.mark.parametrize(
    "method", [METHODS["rkmk4"], METHODS["adaptive"], pytest.param(METHODS["taylor"], marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("ratio", [1.7, -0.6])
def test_a_pendulum_that_mimics_another_moves_as_in_reduced_coordinates(method, ratio):
    """q_2 = r q_1 + c: (J_1 + r^2 J_2) q_1'' = -m_1 g l_1 sin q_1 - r m_2 g l_2 sin(q_2)."""
    c, start = 0.3, 0.8
    bodies = {
        "first": pendulum(0, 2.0, 0.7, angle=start, rate=0.5),
        "second": pendulum(3, 1.0, 0.4, angle=ratio * start + c, rate=0.5 * ratio),
    }
    how = {"gravity": [0, -G, 0], "duration": 1.0, "step": 2e-3, "integrator": method}
    trajectory = run(bodies, loops=[coupled("first", "second", ratio, angle=c)], **how)
    J_1, J_2 = 0.1 + 2.0 * 0.49, 0.1 + 1.0 * 0.16

    def rates(t, y):
        q, v = y
        torque = -2.0 * G * 0.7 * math.sin(q) - ratio * G * 0.4 * math.sin(ratio * q + c)
        return v, torque / (J_1 + ratio**2 * J_2)

    q, v = solve_ivp(rates, (0, 1), (start, 0.5), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    close = 3e-10 if method == "rkmk4" else 1e-10  # rkmk4: measured 6e-11 at 2 ms
    assert last(trajectory, "first.angle") == pytest.approx(q, abs=close)
    assert last(trajectory, "second.angle") == pytest.approx(ratio * q + c, abs=close)
    assert last(trajectory, "second.rate") == pytest.approx(ratio * v, abs=10 * close)
    assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() < 30 * close


def test_a_coupling_within_a_tree_that_flies_free_is_a_joint_of_fewer_coordinates():
    """The second hinge of a chain turns by minus the angle of the first: the outer body does not turn, as one on a
    circular path. Beside it a chain whose outer body keeps its attitude by a loop of two points. Momenta are kept.
    """
    inertia = {"principal": [0.3, 0.4, 0.5]}

    def chain(**hinge):
        outer = {"mass": 0.8, "inertia": inertia, "position": [0.6, 0, 0], "motion": {"hinge": {"axis": Z, **hinge}}}
        arm = {"mass": 1, "inertia": inertia, "position": [0.5, 0, 0], "center_of_mass": [0.3, 0, 0]}
        arm |= {"motion": {"hinge": {"axis": Z, "rate": 2.0}}, "children": {"outer": outer}}
        return {"mass": 2, "inertia": inertia, "angular_velocity": [0.4, 0.3, -0.5], "children": {"arm": arm}}

    loops = [coupled("base/arm", "base/arm/outer", -1.0)]
    trajectory = run({"base": chain()}, loops=loops, duration=1, step=2e-3)
    q_base, q_outer = (trajectory[path].world.orientation[-1] for path in ("base", "base/arm/outer"))
    assert q_outer == pytest.approx(q_base, abs=1e-13)
    for momentum in (trajectory.diagnostic("linear_momentum"), trajectory.angular_momentum):
        assert np.abs(momentum - momentum[0]).max() < 1e-11
    assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() < 1e-10


def test_a_motor_that_prescribes_one_coordinate_drives_the_other():
    """A crank that is led as sin t leads a disk by a belt; the motor has to give what both need."""
    bodies = {"crank": wheel(0, 0.2, motor={"angle": "= sin(2*t)"}), "disk": wheel(1, 0.5)}
    trajectory = run(bodies, loops=[coupled("crank", "disk", 3.0)], duration=0.7, step=1e-3)
    assert last(trajectory, "disk.angle") == pytest.approx(3 * math.sin(1.4), abs=1e-12)
    assert last(trajectory, "crank.motor") == pytest.approx(-4 * math.sin(1.4) * (0.2 + 9 * 0.5), rel=1e-10)
    assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() < 1e-9


def test_a_stop_of_one_wheel_stops_both_and_sends_them_back():
    """An elastic impact of a gear train on the stop of its slow wheel: all rates change sign, no energy is lost."""
    bodies = {"fast": wheel(0, 0.1, rate=4.0), "slow": wheel(1, 2.0, limits=[-1, 0.5], restitution=1.0)}
    trajectory = run(bodies, loops=[coupled("fast", "slow", 0.25)], duration=1.0, step=1e-2)
    assert last(trajectory, "slow.angle") == pytest.approx(0.0, abs=1e-12)
    assert last(trajectory, "fast.rate") == pytest.approx(-4.0, abs=1e-12)
    assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() < 1e-12


def test_dry_friction_in_one_wheel_holds_the_other():
    """A weight on a rack slides if its weight is above what friction in the pinion holds, by the lever of the rack."""

    def dropped(friction):
        rack = {"mass": 2, "inertia": {"principal": [1, 1, 1]}, "motion": {"slide": {"axis": [0, -1, 0]}}}
        bodies = {"pinion": wheel(0, 0.1, friction=friction), "rack": {"position": [0, 1, 0], **rack}}
        return run(bodies, gravity=[0, -G, 0], loops=[coupled("pinion", "rack", 0.1)], duration=0.5, step=1e-2)

    assert last(dropped(2.0), "rack.displacement") == pytest.approx(0.0, abs=1e-15)
    alpha = (2 * G * 0.1 - 1.5) / (0.1 + 2 * 0.01)
    assert last(dropped(1.5), "rack.displacement") == pytest.approx(0.1 * alpha * 0.125, rel=1e-12)


def test_coordinates_of_joints_of_several_are_named():
    """A screw: in a cylindrical joint the displacement follows the angle; it falls with m g = (m + I/p^2) a."""
    nut = {"mass": 2, "inertia": {"principal": [0.02, 0.02, 0.03]}, "motion": {"cylindrical": {"axis": Z}}}
    loop = {"type": "coupling", "between": ["nut", "nut"], "coordinates": ["angle", "displacement"], "ratio": 0.02}
    trajectory = run({"nut": nut}, gravity=[0, 0, -G], loops=[loop], duration=0.5, step=1e-2)
    a = -2 * G / (2 + 0.03 / 0.02**2)
    assert last(trajectory, "nut.displacement") == pytest.approx(a * 0.125, rel=1e-12)
    assert last(trajectory, "nut.angle") == pytest.approx(a * 0.125 / 0.02, rel=1e-12)


def test_lanes_have_the_bits_of_single_runs():
    ratios = [0.5, -1.3, 2.0]
    scenes = [
        make_scene({"first": pendulum(0, 2.0, 0.7, angle=0.8), "second": pendulum(3, 1.0, 0.4, angle=0.1)},
                   gravity=[0, -G, 0], loops=[coupled("first", "second", ratio)], duration=0.5, step=5e-3)
        for ratio in ratios
    ]  # fmt: skip
    together = rigidsim.simulate(scenes)
    assert [one.content_hash for one in together] == [rigidsim.simulate(scene).content_hash for scene in scenes]


def test_a_coupling_ends_with_the_joint_of_one_of_its_ends():
    """When its wheel is set free, the other one is alone: a constant torque accelerates its own inertia."""
    bodies = {"motor": wheel(0, 0.5, motor={"torque": 1.0}), "wheel": wheel(1, 1.5)}
    reparent = [{"time": 0.5, "body": "wheel", "to": "world", "motion": "free"}]
    trajectory = run(bodies, loops=[coupled("motor", "wheel", -1.0)], reparent=reparent, duration=1, step=1e-2)
    assert last(trajectory, "motor.rate") == pytest.approx(0.5 / 2.0 + 0.5 / 0.5, rel=1e-12)
    assert trajectory["wheel"].world.angular_velocity[-1] == pytest.approx([0, 0, -0.25], rel=1e-12)


@pytest.mark.parametrize(
    ("loop", "words"),
    [
        (coupled("a", "b", 0.0), "the ratio is 0"),
        (coupled("a", "a", 2.0), "both ends are the same coordinate"),
        (coupled("a", "world", 2.0), "the world has none"),
        (coupled("a", "free", 2.0), "'free' is free, not on a joint"),
        (coupled("a", "b", 2.0, displacement=0.1), "the second coordinate is an angle"),
        (coupled("a", "b", 2.0, angle=0.1), "the second coordinate is 0 rad at the start, not 0.1 rad"),
        (coupled("a", "turned", 2.0), "the rates do not fit together at the start: the second is 1 rad/s, not 2 rad/s"),
        (coupled("a", "b", 2.0, coordinates=["angle", "displacement"]), "is not clear: it has angle"),
        (coupled("a", "b", 2.0, coordinates=["angle", "angel"]), "angel"),
        (coupled("led", "ahead", 2.0), "motors prescribe both coordinates"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_error(loop, words):
    free = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [5, 0, 0]}
    course = {"angle": "= t"}
    bodies = {
        "a": wheel(0, 1.0, rate=1.0), "b": wheel(1, 1.0), "turned": wheel(2, 1.0, rate=1.0), "free": free,
        "led": wheel(3, 1.0, motor=course), "ahead": wheel(4, 1.0, motor=course),
    }  # fmt: skip
    with pytest.raises(rigidsim.SceneError) as found:
        make_scene(bodies, loops=[loop], duration=1, step=0.1)
    assert words in str(found.value)
    assert len(found.value.problems) == 1


def test_rates_that_are_not_given_follow_by_the_ratio():
    bodies = {"a": wheel(0, 1.0, rate=3.0), "b": wheel(1, 1.0)}
    trajectory = run(bodies, loops=[coupled("a", "b", -0.5)], duration=0.1, step=0.1)
    assert quantity(trajectory, "b.rate").values[0] == -1.5
