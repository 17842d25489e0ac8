"""Warnings about prescribed motions: jumps that throw free bodies, and motions that the step cannot follow."""

from __future__ import annotations

import pytest

from rigidsim.scene import Scene

PUCK = {"puck": {"mass": 1, "inertia": "point", "position": [0, 1, 0]}}


def warnings(prescribed: dict, step: float = 0.01, children: dict = PUCK) -> list[str]:
    frame = {"motion": {"prescribed": prescribed}, "children": children}
    how = {"format": "rigidsim/1", "simulation": {"duration": 2, "step": step}, "bodies": {"b": frame}}
    return list(Scene.from_dict(how).warnings)


@pytest.mark.parametrize(
    ("prescribed", "expected"),
    [
        ({"position": ["= if(t < 1, t, 1)", 0, 0]}, "position[0]: its rate jumps at t = 1 s, from 1 to 0"),
        ({"position": [0, "= 5*step(t - 1)", 0]}, "position[1]: it jumps at t = 1 s, from 0 to 5"),
        ({"position": ["= abs(t - 0.123456)", 0, 0]}, "position[0]: its rate jumps at t = 0.123456 s, from -1 to 1"),
        ({"position": ["= min(t, 0.5)", 0, 0]}, "position[0]: its rate jumps at t = 0.5 s, from 1 to 0"),
        ({"position": ["= clamp(t, 1, 1.5)", 0, 0]}, "position[0]: its rate jumps at t = 1 s, from 0 to 1"),
        ({"position": ["= mod(t, 0.7)", 0, 0]}, "position[0]: it jumps at t = 0.7 s, from 0.7 to 0"),
        ({"velocity": ["= if(t < 1.5, 1, 0)", 0, 0]}, "velocity[0]: it jumps at t = 1.5 s, from 1 to 0"),
        ({"angular_velocity": [0, 0, "= 5*sign(t - 1)"]}, "angular_velocity[2]: it jumps at t = 1 s, from -5 to"),
        (
            {"orientation": {"axis": [0, 0, 1], "angle": "= 0.2*floor(2*t)"}},
            "orientation: it jumps at t = 0.5 s, from 0 to 0.2",
        ),
    ],
)
def test_jumps_are_reported_with_their_time(prescribed, expected):
    (only,) = warnings(prescribed)
    assert only.startswith(f"b.motion.prescribed.{expected}".replace("b.", "bodies.b.", 1)), only
    assert only.endswith("its free descendants gain a spurious velocity there: use a smooth function")
    assert warnings(prescribed, children={"part": {}}) == []


@pytest.mark.parametrize(
    "prescribed",
    [
        {"position": ["= if(t < 1, 0, (t - 1)^2)", 0, 0]},
        {"orientation": {"axis": [0, 0, 1], "angle": "= abs(t - 0.5)^3"}},
        {"velocity": ["= max(0, t - 1)", 0, 0]},
        {"velocity": ["= abs(sin(3*t))", 0, 0]},
        {"position": ["= if(t == 0, 0, 0.1*t)", 0, 0]},
    ],
)
def test_what_bends_without_a_jump_is_let_pass(prescribed):
    assert warnings(prescribed, step=1e-4) == []


@pytest.mark.parametrize(
    ("prescribed", "expected"),
    [
        ({"angular_velocity": [0, 0, "= 20*t"]}, "it rotates by 229 degrees per step of 0.1 s; use at most 0.003 s"),
        ({"angular_acceleration": [0, 0, 20]}, "it rotates by 229 degrees per step of 0.1 s"),
        ({"orientation": {"axis": [0, 0, 1], "angle": "= 3*sin(8*t)"}}, "it rotates by 138 degrees per step of 0.1 s"),
    ],
)
def test_a_step_that_cannot_follow_is_reported(prescribed, expected):
    (only,) = warnings(prescribed, step=0.1)
    assert expected in only
    assert warnings(prescribed, step=1e-3) == []


TOO_FAST = "its velocity changes too fast for a step of"


@pytest.mark.parametrize(
    ("prescribed", "step", "expected"),
    [
        # 0.4 of 0.2 m/s: measured with the stepper, see tests/engine/test_linear_steps.py
        (
            {"velocity": ["= 0.2*tanh(300*(t-0.505))", 0, 0]},
            0.01,
            "velocity: {} 0.01 s: a descendant at rest gains 0.08 m/s",
        ),
        (
            {"position": [0, "= 0.2*tanh(300*(t-0.505))", 0]},
            0.01,
            "position: {} 0.01 s: a descendant at rest gains 1.4 m/s",
        ),
        ({"angular_velocity": [0, 0, "= 0.2*tanh(300*(t-0.505))"]}, 0.01, "angular_velocity: {} 0.01 s: a descendant"),
        ({"orientation": {"axis": [0, 0, 1], "angle": "= 1e-3*tanh(300*(t-0.505))"}}, 0.01, "orientation: {} 0.01 s:"),
        ({"position": ["= 5*sin(30*t)", 0, 0]}, 0.1, "position: {} 0.1 s: a descendant at rest gains 11 m/s"),
        (
            {"velocity": ["= if(t < 1, 0, 2*(t - 1))", 0, 0]},
            0.01,
            "velocity: {} 0.01 s: a descendant at rest gains 0.003",
        ),
    ],
)
def test_a_motion_that_changes_its_speed_too_fast_is_reported_with_a_step_that_would_do(prescribed, step, expected):
    (only,) = warnings(prescribed, step=step)
    assert expected.format(TOO_FAST) in only
    advised = float(only.split("; use at most ")[1].removesuffix(" s"))
    assert step / 50 < advised < step
    assert warnings(prescribed, step=advised) == []
    assert warnings(prescribed, step=step, children={"part": {}}) == []


def test_it_is_looked_for_beside_a_large_motion_and_in_a_long_run():
    """A ripple far smaller than the motion itself is nobody's loss; of 40 000 steps, stretches are looked at."""
    assert warnings({"velocity": ["= 1e-4*tanh(300*(t-0.505))", 5, "= 5 + 1e-9*t"]}) == []
    assert TOO_FAST in warnings({"position": ["= sin(3e4*t)", 0, 0]}, step=5e-5)[0]
    assert warnings({"position": ["= sin(3e3*t)", 0, 0]}, step=5e-5) == []


def test_the_quadrature_of_the_integrator_is_what_counts():
    frame = {"motion": {"prescribed": {"position": ["= sin(t)", 0, 0]}}, "children": PUCK}
    for name, expected in (("rkmk4", False), ("magnus2", False), ("euler", True), ("magnus", True)):
        simulation = {"duration": 2, "step": 0.01, "integrator": name}
        scene = Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": {"b": frame}})
        assert bool(scene.warnings) == expected


@pytest.mark.parametrize(
    ("goal", "more", "expected"),
    [
        ("= if(t < 1, 0, 1)", {}, "it jumps at t = 1 s, from 0 to 1"),
        ("= max(0, t - 1)", {}, "its rate jumps at t = 1 s, from 0 to 1"),
        ("= max(0, t - 1)^2", {}, ""),
        ("= if(t < 1, 0, 1)", {"max_force": 1}, ""),
    ],
)
def test_jumps_of_motors_that_prescribe_are_reported(goal, more, expected):
    slide = {"axis": [1, 0, 0], "motor": {"displacement": goal} | more}
    cart = {"mass": 1, "inertia": "point", "motion": {"slide": slide}}
    how = {"format": "rigidsim/1", "simulation": {"duration": 2, "step": 0.01}, "bodies": {"cart": cart}}
    found = list(Scene.from_dict(how).warnings)
    if not expected:
        assert found == []
        return
    (only,) = found
    assert only.startswith(f"bodies.cart.motion.slide.motor: {expected}")
    assert only.endswith("no force makes this motion: use a smooth function, or give the motor a limit")
