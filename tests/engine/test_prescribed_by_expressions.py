"""Prescribed motions as functions of time: poses with exact derivatives, and rates whose pose is integrated."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import rigidsim
from rigidsim.jit.kernels import watch_compilation
from support.scenes import EPS, angle_between, make_scene, run, slopes

PARTICLE = {"mass": 1.0, "inertia": "point"}
AT_REST = {"relative_to": "world", "value": [0, 0, 0]}
TIMES = {"duration": 2, "step": 0.01, "record_every": 0.01}


def test_velocity_and_acceleration_are_the_analytic_derivatives_to_round_off():
    """0.1 sin(8 t), 0.3 exp(-t) cos(2 t), t^3/(1 + t^2); the acceleration as the linear term of a particle has it."""
    position = ["= 0.1*sin(8*t)", "= 0.3*exp(-t)*cos(2*t)", "= t^3/(1 + t^2)"]
    frame = {"motion": {"prescribed": {"position": position}}, "children": {"p": PARTICLE | {"velocity": AT_REST}}}
    scene = make_scene({"frame": frame}, **TIMES)
    trajectory = rigidsim.simulate(scene, terms=True)
    functions = (
        lambda t: mpmath.mpf(1) / 10 * mpmath.sin(8 * t),
        lambda t: mpmath.mpf(3) / 10 * mpmath.exp(-t) * mpmath.cos(2 * t),
        lambda t: t**3 / (1 + t**2),
    )
    linear = np.asarray(trajectory.arrays["terms/linear"])[:, 1]  # -a of the frame
    for k, t in enumerate(trajectory.time[::20]):
        for axis, f in enumerate(functions):
            value, first, second = (float(mpmath.diff(f, mpmath.mpf(float(t)), n)) for n in range(3))
            i = 20 * k
            # A rounding or two of each operation, on terms of the size of 64 times the amplitude at most.
            assert trajectory["frame"].world.position[i, axis] == pytest.approx(value, rel=8 * EPS, abs=8 * EPS)
            assert trajectory["frame"].world.velocity[i, axis] == pytest.approx(first, rel=16 * EPS, abs=16 * EPS)
            assert -linear[i, axis] == pytest.approx(second, rel=32 * EPS, abs=64 * EPS)


def test_turns_about_axes_compose_like_an_orientation_of_the_same_angles():
    angles = ["= 0.3*sin(2*t)", "= 0.2*t", "= cos(t)"]
    for order in ("xyz", "ZYX", "xzx"):
        turning = {"motion": {"prescribed": {"orientation": {"euler": angles, "order": order}}}}
        trajectory = run({"b": turning | {"orientation": {"axis": [1, 1, 0], "angle": 0.4}}, "p": PARTICLE}, **TIMES)
        found = trajectory["b"].world
        for k in (0, 77, 200):
            t = float(trajectory.time[k])
            still = {"euler": [0.3 * np.sin(2 * t), 0.2 * t, float(np.cos(t))], "order": order}
            inner = {"orientation": {"axis": [1, 1, 0], "angle": 0.4}}
            there = run({"b": {"orientation": still, "children": {"c": inner}}, "p": PARTICLE}, duration=1, step=1)
            assert angle_between(found.orientation[k], there["b/c"].world.orientation[0]) <= 16 * EPS
        expected = rate_of_turns(order, trajectory.time)
        assert np.abs(expected - found.angular_velocity).max() <= 4 * EPS  # of 2 rad/s; measured 1 eps


def rate_of_turns(order: str, t: np.ndarray) -> np.ndarray:
    """Of the angles above: each turn's own rate about its axis, as the turns outside of it carry that axis."""
    angles, rates = (0.3 * np.sin(2 * t), 0.2 * t, np.cos(t)), (0.6 * np.cos(2 * t), 0.2 + 0 * t, -np.sin(t))
    turns = list(zip(order.lower(), angles, rates, strict=True))
    total = np.zeros((len(t), 3))
    # Inmost first: the last of axes that the body carries along, the first of the parent's.
    for name, angle, rate in turns if order.islower() else reversed(turns):
        k = "xyz".index(name)
        i, j = (k + 1) % 3, (k + 2) % 3
        c, s = np.cos(angle), np.sin(angle)
        total[:, i], total[:, j] = c * total[:, i] - s * total[:, j], s * total[:, i] + c * total[:, j]
        total[:, k] += rate
    return total


def test_a_frame_that_spins_up_leaves_a_body_at_rest_where_it_was():
    """Reference case 4.3, the Euler term alone: alpha = 0.4, from (1, 0), t = 2; given as a rate, and as an angle."""
    published = [0.6967067093, -0.7173560909, 0]
    child = {"particle": PARTICLE | {"position": [1, 0, 0], "velocity": AT_REST}}
    for motion in ({"angular_velocity": [0, 0, "= 0.4*t"]}, {"orientation": {"axis": [0, 0, 1], "angle": "= 0.2*t^2"}}):
        trajectory = run({"frame": {"motion": {"prescribed": motion}, "children": child}}, **TIMES | {"step": 1e-3})
        assert np.allclose(trajectory["frame/particle"].local.position[-1], published, rtol=0, atol=1e-10)
        assert np.abs(trajectory["frame/particle"].world.position - [1, 0, 0]).max() <= 1e-13  # measured 1.0e-14


TUMBLING = {"angular_velocity": ["= sin(t)", "= cos(2*t)", 0.5], "velocity": [0, "= 3*t^2", "= cos(t)"]}


@pytest.mark.parametrize(
    ("integrator", "order"),
    [
        ("rkmk4", 4),
        pytest.param("magnus2", 2, marks=pytest.mark.slow),
        ("magnus", 1),
        pytest.param("euler", 1, marks=pytest.mark.slow),
    ],
)
def test_rates_as_functions_of_time_are_integrated_at_fourth_order_whatever_the_method(integrator, order):
    child = {
        "particle": PARTICLE | {"position": [1, 0, 0], "velocity": {"relative_to": "world", "value": [0.1, 0.2, 0]}}
    }
    steps, frames, bodies = (0.04, 0.02, 0.01), [], []
    reference = mpmath_orientation(2.0)
    for h in steps:
        how = {"duration": 2, "step": h, "integrator": integrator}
        trajectory = run({"frame": {"motion": {"prescribed": TUMBLING}, "children": child}}, **how)
        frames.append(float(angle_between(trajectory["frame"].world.orientation[-1], reference)))
        straight = trajectory["frame/particle"].world.position[0] + 2 * np.array([0.1, 0.2, 0])
        bodies.append(np.linalg.norm(trajectory["frame/particle"].world.position[-1] - straight))
    assert np.allclose(slopes(steps, frames), 4, atol=0.1)  # measured 4.00 and 4.00
    assert np.allclose(slopes(steps, bodies), order, atol=0.25)
    end = trajectory["frame"].world.position[-1]
    assert np.allclose(end, [0, 8, np.sin(2)], rtol=0, atol=2e-11)  # Simpson's rule, exact for t^2; measured 3.2e-12


def mpmath_orientation(t: float) -> np.ndarray:
    """q' = omega q/2 by mpmath's Taylor series."""

    def rate(time, q):
        x, y, z = mpmath.sin(time) / 2, mpmath.cos(2 * time) / 2, mpmath.mpf(1) / 4
        w, a, b, c = q
        return [-x * a - y * b - z * c, x * w + y * c - z * b, y * w + z * a - x * c, z * w + x * b - y * a]

    with mpmath.workdps(20):
        return np.array([float(part) for part in mpmath.odefun(rate, 0, [1, 0, 0, 0])(t)])


def test_steps_split_by_an_edge_do_not_disturb_the_pose():
    pushed = PARTICLE | {"forces": [{"force": [1, 0, 0], "during": [0.1234, 0.777]}]}
    plain = run({"frame": {"motion": {"prescribed": TUMBLING}}, "p": PARTICLE}, **TIMES)
    split = run({"frame": {"motion": {"prescribed": TUMBLING}}, "p": pushed}, **TIMES)
    assert (
        angle_between(plain["frame"].world.orientation, split["frame"].world.orientation).max() <= 2e-11
    )  # measured 3.8e-12


def test_a_scene_with_expressions_compiles_nothing_new():
    run({"p": PARTICLE}, duration=1, step=0.5)
    with watch_compilation() as watch:
        driven = {"motion": {"prescribed": {"position": ["= sin(t)", 0, 0], "angular_velocity": [0, 0, "= t"]}}}
        body = PARTICLE | {"forces": [{"force": ["= -4*x + exp(-t)*atan2(y, v_x)", 0, 0]}]}
        run({"frame": driven | {"children": {"p": body}}}, duration=1, step=0.5)
    assert watch.seconds == 0.0


PLACES = {
    "position": lambda part: {"position": [part, 0, 0]},
    "orientation": lambda part: {"orientation": {"axis": [0, 0, 1], "angle": part}},
    "velocity": lambda part: {"velocity": [0, part, 0]},
    "angular_velocity": lambda part: {"angular_velocity": [0, 0, part]},
}
LATER = ("= 1/(0.5 - t)", "= sqrt(0.495 - t)", "= log(0.5 - t)", "= sin(if(t < 0.5, t, 1e22))")


@pytest.mark.parametrize("plane", [{}, {"plane": [0, 0, 1]}], ids=["space", "plane"])
@pytest.mark.parametrize("place", PLACES)
def test_every_entry_that_has_no_value_later_stops_the_run_there(place, plane):
    reported = r"frame, motion.prescribed gave (nan|-?inf) at t = 0\.(495|5) s"
    for text in LATER:
        frame = {"motion": {"prescribed": PLACES[place](text)}, "children": {"p": PARTICLE}}
        with pytest.raises(rigidsim.SimulationError, match=reported) as caught:
            run({"frame": frame}, duration=1, step=0.01, record_every=0.01, **plane)
        assert 0.48 <= caught.value.trajectory.time[-1] < 0.5


@pytest.mark.parametrize("place", PLACES)
def test_a_slope_without_a_value_stops_the_run_at_its_start(place):
    frame = {"motion": {"prescribed": PLACES[place]("= sqrt(t)")}, "children": {"p": PARTICLE}}
    with pytest.raises(rigidsim.SimulationError, match=r"frame, motion.prescribed gave (nan|-?inf) at t = 0 s"):
        run({"frame": frame}, duration=1, step=0.01)


def test_an_angle_beyond_all_turns_is_reported():
    body = PARTICLE | {"forces": [{"force": ["= sin(1e22*t)", 0, 0]}]}
    with pytest.raises(rigidsim.SimulationError, match=r"p, forces\[0\] gave nan at t = 0.05 s; expected a finite"):
        run({"p": body}, duration=1, step=0.1)
