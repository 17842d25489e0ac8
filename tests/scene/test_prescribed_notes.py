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
    ("prescribed", "told"),
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
def test_jumps_are_told_with_their_time(prescribed, told):
    (only,) = warnings(prescribed)
    assert only.startswith(f"b.motion.prescribed.{told}".replace("b.", "bodies.b.", 1)), only
    assert only.endswith("the free bodies below it are thrown there: let it be smooth")
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
    assert warnings(prescribed) == []


@pytest.mark.parametrize(
    ("prescribed", "told"),
    [
        ({"angular_velocity": [0, 0, "= 20*t"]}, "a step of 0.1 s turns it by 229 degrees; 0.003 s would follow it"),
        ({"angular_acceleration": [0, 0, 20]}, "a step of 0.1 s turns it by 229 degrees"),
        ({"orientation": {"axis": [0, 0, 1], "angle": "= 3*sin(8*t)"}}, "a step of 0.1 s turns it by 138 degrees"),
        ({"position": ["= 5*sin(30*t)", 0, 0]}, "is long for a motion that changes its speed within 0.0333 s; 0.003 s"),
    ],
)
def test_a_step_that_cannot_follow_is_told(prescribed, told):
    (only,) = warnings(prescribed, step=0.1)
    assert told in only
    assert warnings(prescribed, step=1e-3) == []
