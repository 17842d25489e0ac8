"""Position servos: motors that follow a function of time with a limited torque, or by stiffness and damping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import rigidsim
from rigidsim.report.explain import BodyReport
from support.scenes import make_scene, run

METHODS = ["rkmk4", "adaptive", pytest.param("taylor", marks=pytest.mark.slow)]
SOME = ["rkmk4", *(pytest.param(method, marks=pytest.mark.slow) for method in ("adaptive", "taylor"))]
G = 9.81
INERTIA = 0.2 + 0.25  # of the arm about its hinge, kg m^2


def arm(motor: dict, **keys) -> dict:
    """1 kg on a horizontal hinge, 0.5 m beside it."""
    hinge = {"axis": [0, -1, 0], "motor": motor} | keys
    return {
        "mass": 1.0,
        "center_of_mass": [0.5, 0, 0],
        "inertia": {"principal": [0.1, 0.2, 0.3]},
        "motion": {"hinge": hinge},
    }


def joints_of(found, *names: str) -> list[np.ndarray]:
    """What is recorded of the first coordinate."""
    return [np.asarray(found.arrays[f"joints/{name}"])[:, 0] for name in names]


def moved(motor: dict, method: str = "rkmk4", step: float = 0.005, duration: float = 1.0, gravity=0.0, **keys):
    """(trajectory, angle, rate, torque of the motor) of the arm."""
    how = {"duration": duration, "step": step, "record_every": 0.01, "integrator": method}
    found = run({"arm": arm(motor, **keys)}, gravity=[0, 0, -gravity], **how)
    return found, *joints_of(found, "coordinate", "rate", "motor")


@pytest.mark.parametrize("method", METHODS)
def test_a_step_of_the_angle_is_closed_at_full_torque_and_then_within_the_time_constant(method):
    """x = a t^2 / 2 with a = T / I, until the rate is (1/10 - x) / tau; then the error falls as exp(-t / tau), for
    which the torque is -I x' / tau.
    """
    torque, tau, goal = 0.5, 0.4, 0.1
    found, x, v, motor = moved({"angle": goal, "max_torque": torque, "time_constant": tau}, method)
    a, t = torque / INERTIA, found.time
    meets = -tau + math.sqrt(tau**2 + 2 * goal / a)
    error = (goal - a * meets**2 / 2) * np.exp(-np.maximum(t - meets, 0) / tau)
    expected = np.where(t < meets, a * t**2 / 2, goal - error)
    rate = np.where(t < meets, a * t, error / tau)
    bound = 1e-13 if method == "taylor" else 1e-9  # error of the method in steps of tau / 80
    assert np.abs(x - expected).max() < bound and np.abs(v - rate).max() < bound / tau
    held = np.where(t < meets, torque, -INERTIA * rate / tau)
    away = np.abs(t - meets) > 1e-9
    assert np.abs(motor - held)[away].max() < bound / tau**2
    assert np.ptp(found.total_energy) < 1e-10


def test_the_return_to_the_angle_is_of_the_order_of_the_method():
    """Half the step, a sixteenth of the error, with an event inside of a step; measured: 16.07."""
    motor = {"angle": 0.3, "max_torque": 9.0, "time_constant": 0.2}
    exact = moved(motor, "taylor", duration=0.5, gravity=G)[1]
    errors = [np.abs(moved(motor, step=h, duration=0.5, gravity=G)[1] - exact).max() for h in (0.01, 0.005)]
    assert 15 < errors[0] / errors[1] < 17


@pytest.mark.parametrize("method", METHODS)
def test_a_servo_with_torque_enough_does_what_a_prescribed_angle_does(method):
    """The same motion, and the same torque, with the inertia of a rotor; the rate begins at that of the angle."""
    angle = "= 0.5*sin(2*t)"
    servo = moved({"angle": angle, "max_torque": 60.0}, method, gravity=G, rate=1.0, armature=0.3)
    given = moved({"angle": angle}, method, gravity=G, armature=0.3)
    bound = 1e-13 if method != "rkmk4" else 3e-9
    for one, other, scale in zip(servo[1:], given[1:], (1.0, 20.0, 400.0), strict=True):
        assert np.abs(one - other).max() < scale * bound
    assert np.ptp(servo[0].total_energy) < 1e-8


def test_the_rate_of_a_held_coordinate_is_the_wanted_one_to_the_last_bit_after_each_step():
    """No error of the method is left in it."""
    motor = {"angle": "= 0.5*sin(2*t)", "max_torque": 60.0, "time_constant": 0.2}
    found, x, v, _ = moved(motor, rate=1.0, angle=0.0)
    t = found.time
    assert np.abs(v - (np.cos(2 * t) + (0.5 * np.sin(2 * t) - x) / 0.2)).max() < 4e-15


@pytest.mark.parametrize("method", METHODS)
def test_a_servo_that_is_too_weak_is_turned_back_and_gives_its_largest_torque(method):
    """Gravity turns the arm at first by 4.905 N m, the servo holds it by 3 N m at most; below 52 degrees it is strong
    enough. The same motion as under 3 N m alone while the arm falls, and no energy is lost.
    """
    found, x, v, motor = moved({"angle": 0.0, "max_torque": 3.0}, method, duration=0.5, step=0.001, gravity=G)

    def fall(t, y):
        return [y[1], (3.0 - 0.5 * G * math.cos(y[0])) / INERTIA]

    exact = solve_ivp(fall, (0, 0.5), [0.0, 0.0], t_eval=found.time, rtol=1e-12, atol=1e-13, method="DOP853")
    assert np.abs(x - exact.y[0]).max() < 1e-10 and np.abs(v - exact.y[1]).max() < 1e-9
    assert (motor[1:] == 3.0).all()
    assert np.ptp(found.total_energy) < 1e-10


@pytest.mark.parametrize("strong", [True, False], ids=["strong", "weak"])
@pytest.mark.parametrize("method", METHODS)
def test_a_servo_presses_on_a_stop_until_the_rate_that_it_wants_turns(method, strong):
    """The goal passes a stop and comes back: the arm leaves it when x_d' + (x_d - x) / tau = 0, and then follows with
    e' = -e / tau, or at first with all its torque.
    """
    tau, stop = 0.1, 0.3
    largest = 12.0 if strong else 5.0
    motor = {"angle": "= 0.5*sin(3*t)", "max_torque": largest, "time_constant": tau}
    found, x, v, torque = moved(motor, method, rate=1.5, limits=[None, stop], duration=1.2, step=0.002)
    t = found.time
    arrives = math.asin(stop / 0.5) / 3
    leaves = brentq(lambda t: 1.5 * math.cos(3 * t) + (0.5 * math.sin(3 * t) - stop) / tau, math.pi / 6, math.pi / 3)
    rests = (t > arrives + 1e-9) & (t < leaves - 1e-9)
    assert rests.sum() > 20
    assert (x[rests] == stop).all() and (v[rests] == 0).all()
    assert np.abs(torque[rests] - largest).max() < 1e-12
    follows = t > leaves + 1e-9
    lag = np.where(follows, t - leaves, 0)
    error = (0.5 * math.sin(3 * leaves) - stop) * np.exp(-lag / tau)
    expected = 0.5 * np.sin(3 * t) - error
    if not strong:
        follows &= t < leaves + 0.03
        expected = stop - largest / INERTIA * lag**2 / 2
    assert follows.sum() > 2
    assert np.abs(x - expected)[follows].max() < 1e-8
    assert np.ptp(found.total_energy) < 1e-8


@pytest.mark.parametrize("method", METHODS)
def test_stiffness_and_damping_are_the_law_that_an_expression_writes(method):
    """Also where the largest torque cuts it off, and for a goal that moves: c acts on the error of the rate."""
    servo = {"angle": "= 0.5*sin(2*t)", "stiffness": 40.0, "damping": 2.0, "max_torque": 4.0}
    law = "= max(-4, min(4, 40*(0.5*sin(2*t) - angle) + 2*(cos(2*t) - rate)))"
    found = moved(servo, method, gravity=G, step=0.001)
    written = moved({"torque": law}, method, gravity=G, step=0.001)
    assert np.abs(found[3]).max() == 4.0 and np.abs(found[3]).min() < 4.0
    for one, other in zip(found[1:], written[1:], strict=True):
        assert np.abs(one - other).max() < 2e-10


def full_force(t: np.ndarray, tau: float) -> np.ndarray:
    """The displacement of 1 kg under 1 N towards 1 m, from t = 0 on: forwards until v = (1 - x)/tau, then backwards."""
    meets = -tau + math.sqrt(tau**2 + 2.0)
    x, v, after = meets**2 / 2, meets, np.maximum(t - meets, 0.0)
    return np.where(t < meets, np.maximum(t, 0.0) ** 2 / 2, x + v * after - after**2 / 2)


def cart_after(goal: str, method: str, changes: list, step: float = 0.005) -> tuple:
    """(trajectory, time, displacement, rate) of 1 kg that a servo of 1 N holds at 0 m until 1 s."""
    motor = {"displacement": goal, "max_force": 1.0, "time_constant": 0.1}
    cart = {"mass": 1.0, "inertia": "point", "motion": {"slide": {"axis": [1, 0, 0], "motor": motor}}}
    simulation = {"duration": 3.0, "step": step, "record_every": 0.01, "integrator": method}
    scene = {"format": "rigidsim/1", "simulation": simulation, "parameters": {"goal": 0}, "bodies": {"cart": cart}}
    found = rigidsim.simulate(rigidsim.Scene.from_dict(scene | ({"changes": changes} if changes else {})))
    return found, found.time, *joints_of(found, "coordinate", "rate")


@pytest.mark.parametrize("way", ["a switch", "a change"])
@pytest.mark.parametrize("method", METHODS)
def test_a_goal_that_jumps_is_followed_with_the_largest_force(method, way):
    """To 1 m at 1 s; no force makes the rate jump."""
    goal, changes = ("= if(t < 1, 0, 1)", []) if way == "a switch" else ("= goal", [{"time": 1.0, "set": {"goal": 1}}])
    found, t, x, v = cart_after(goal, method, changes)
    assert np.abs(x - full_force(t - 1.0, 0.1)).max() < 1e-9
    assert np.abs(v).max() < 1.5 and np.ptp(found.total_energy) < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_a_goal_whose_rate_jumps_is_followed_with_the_largest_force(method):
    """To 0.3 m/s at 1 s: the rate is t - 1 until it is 0.3 + (0.3 (t - 1) - x)/T, x = (t - 1)^2/2."""
    found, t, _x, v = cart_after("= if(t < 1, 0, 0.3*(t - 1))", method, [])
    meets = brentq(lambda s: 0.3 + (0.3 * s - s * s / 2) / 0.1 - s, 0.01, 3.0)
    early = t < 1.0 + meets
    assert np.abs(v - np.maximum(t - 1.0, 0.0))[early].max() < 1e-9
    assert np.ptp(found.total_energy) < 1e-9


def test_a_servo_with_a_stiffness_is_the_damped_oscillator():
    """w^2 = k / I, and no largest torque."""
    k, c = 20.0, 1.5
    found, x, *_ = moved({"angle": 0.2, "stiffness": k, "damping": c}, "taylor", duration=2.0)
    decay, w = c / (2 * INERTIA), math.sqrt(k / INERTIA - (c / (2 * INERTIA)) ** 2)
    t = found.time
    exact = 0.2 - 0.2 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    assert np.abs(x - exact).max() < 1e-13


@pytest.mark.parametrize("motor", [{"max_force": 40.0}, {"stiffness": 300.0, "damping": 20.0}])
def test_a_slide_follows_in_units_of_its_parent(motor):
    """In centimetres the same motion as in metres."""

    def cart(unit: float) -> dict:
        slide = {"axis": [1, 0, 0], "motor": {"displacement": f"= {0.3 / unit}*sin(t)"} | motor}
        child = {"mass": 2.0, "inertia": "point", "motion": {"slide": slide}}
        return {"rail": {"scale": unit, "motion": "fixed", "children": {"cart": child}}}

    one, other = (run(cart(unit), duration=1.0, step=0.01, record_every=0.1) for unit in (1.0, 0.01))
    for name in ("coordinate", "motor"):
        (x,), (y,) = joints_of(one, name), joints_of(other, name)
        assert np.abs(x - y).max() < 1e-10


def geared(motor: dict) -> tuple[dict, list]:
    """The arm turns a wheel beside it twice as fast, the other way."""
    wheel = {"mass": 1.0, "inertia": {"principal": [0.1, 0.1, 0.1]}, "position": [0, 3, 0]}
    wheel |= {"motion": {"hinge": {"axis": [0, -1, 0]}}}
    return {"arm": arm(motor, rate=1.0), "wheel": wheel}, [
        {"type": "coupling", "between": ["arm", "wheel"], "ratio": -2.0}
    ]


@pytest.mark.slow
@pytest.mark.parametrize("method", SOME)
def test_a_servo_moves_a_gear(method):
    """The torque has the inertia of the wheel, four times: of the prescribed angle, and by hand."""
    bodies, loops = geared({"angle": "= 0.5*sin(2*t)", "max_torque": 60.0})
    found = run(bodies, loops=loops, duration=1.0, step=0.005, record_every=0.01, integrator=method)
    x, _, motor = joints_of(found, "coordinate", "rate", "motor")
    t = found.time
    assert np.abs(x - 0.5 * np.sin(2 * t)).max() < 2e-9
    expected = -(INERTIA + 4 * 0.1) * 2.0 * np.sin(2 * t)
    assert np.abs(motor - expected).max() < 1e-6
    assert np.ptp(found.total_energy) < 1e-8


def busy(k: int) -> dict:
    """Servos of both kinds, of which some slip, reach a stop, or move a link between them; k makes them different."""
    first = {"angle": "= 0.5*sin(3*t)", "max_torque": 4.0 + 0.4 * k, "time_constant": 0.1}
    second = {"angle": 0.4 + 0.02 * k, "stiffness": 30.0, "damping": 2.0, "max_torque": 3.0}
    upper, lower = arm(first, limits=[-0.3, 0.35], restitution=0.4), arm(second)
    return {"upper": upper | {"children": {"lower": lower | {"position": [1, 0, 0]}}}}


@pytest.mark.slow
@pytest.mark.parametrize("method", SOME)
def test_worlds_side_by_side_have_the_bits_of_each_alone(method):
    how = {"duration": 0.5, "step": 0.005, "gravity": [0, 0, -G], "integrator": method, "record_every": 0.05}
    scenes = [make_scene(busy(k), **how) for k in range(3)]
    together = [found.content_hash for found in rigidsim.simulate(scenes)]
    assert len(set(together)) == 3
    assert together == [rigidsim.simulate(scene).content_hash for scene in scenes]


def test_the_energy_of_busy_servos_is_accounted_for_at_order_four():
    """Half the step, an eighth of the drift at most."""
    how = {"duration": 1.0, "gravity": [0, 0, -G], "record_every": 0.02}
    errors = [np.ptp(run(busy(3), step=step, **how).total_energy) for step in (0.01, 0.005)]
    assert errors[1] < 1e-5 and errors[1] < errors[0] / 8


@pytest.mark.slow
@pytest.mark.parametrize(("method", "bound"), [("rkmk4", 1e-5), ("adaptive", 1e-7)])
def test_other_integrators_find_the_same_motion(method, bound):
    """Measured: 3e-6, as the largest torque of a stiffness is a kink inside of a step of rkmk4, and 8e-9."""
    how = {"duration": 1.0, "step": 0.0005, "gravity": [0, 0, -G], "record_every": 0.02}
    one, two = (run(busy(3), **how, integrator=each) for each in (method, "taylor"))
    for name in ("coordinate", "rate"):
        x, y = (np.asarray(found.arrays[f"joints/{name}"]) for found in (one, two))
        assert np.abs(x - y).max() < bound


@pytest.mark.slow
def test_what_a_servo_does_is_explained_from_a_sample_alone():
    """Modes are found again from coordinates and rates, so the contributions of the analysis add up."""
    for method in ("rkmk4", "adaptive", "taylor"):
        how = {"duration": 0.5, "step": 0.005, "gravity": [0, 0, -G], "integrator": method, "record_every": 0.05}
        found = run(busy(2), **how)
        for k in found.time:
            assert "not in the scene" not in str(BodyReport.of(found, "upper/lower", k))


FLOOR = {"shapes": [{"type": "plane"}], "material": {"friction": 0.5}}


@pytest.mark.slow
def test_a_servo_that_presses_on_the_floor_gives_its_largest_torque():
    """A foot on an arm: the goal is below the floor."""
    foot = arm({"angle": "= -0.5", "max_torque": 6.0})
    foot["shapes"] = [{"type": "sphere", "radius": 0.1, "position": [1, 0, 0]}]
    foot |= {"position": [0, 0, 0.15]}
    how = {"duration": 1.0, "step": 0.002, "gravity": [0, 0, -G], "record_every": 0.1, "contact": "stepping"}
    found = run({"floor": FLOOR, "foot": foot}, **how)
    x, v, motor = joints_of(found, "coordinate", "rate", "motor")
    assert x[-1] == pytest.approx(-math.asin(0.05), abs=1e-3) and abs(v[-1]) < 1e-6
    assert motor[-1] == pytest.approx(-6.0, abs=1e-9)
