"""Python functions as forces: slow, and the same bits as an expression that says the same."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import UsageError
from support.scenes import EPS, make_scene

BODY = {"mass": 2, "inertia": {"principal": [1, 2, 2.5]}, "position": [1, 0, 0.2], "angular_velocity": [0.1, 0, 1]}
HOW = {"duration": 0.05, "step": 0.01, "record_every": 0.01}


def pull(t, bodies):
    return -4 * bodies["b"].position, [0, 0, 0.1 * t]


def test_the_same_bits_as_an_expression():
    written = {"force": ["= -4*x", "= -4*y", "= -4*z"], "torque": [0, 0, "= 0.1*t"], "frame": "world"}
    other = {"position": [5, 0, 0], "motion": {"prescribed": {"velocity": [1, 0, 0]}}}
    scenes = [make_scene({"b": BODY | more, "other": other}, **HOW) for more in ({}, {"forces": [written]})]
    called, compiled = rigidsim.simulate(scenes[0], callbacks={"b": pull}), rigidsim.simulate(scenes[1])
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(called["b"].world, name), getattr(compiled["b"].world, name)), name
    assert np.array_equal(called.diagnostic("work"), compiled.diagnostic("work"))


def test_it_sees_every_body_and_every_stage():
    seen = []

    def look(t, bodies):
        seen.append((t, bodies["frame/b"].velocity[0], len(bodies), bodies["frame"].angular_velocity[2]))
        return [0, 0, 0], [0, 0, 0]

    frame = {"motion": {"prescribed": {"angular_velocity": [0, 0, "= 3*t"]}}, "children": {"b": BODY}}
    simulation = rigidsim.Simulation(make_scene({"frame": frame}, **HOW), callbacks={"frame/b": look})
    simulation.step(2)
    times = sorted({t for t, *_ in seen})
    assert np.allclose(times, [0, 0.005, 0.01, 0.015, 0.02], rtol=0, atol=1e-15)
    assert all(count == 2 and rate == pytest.approx(3 * t, rel=2 * EPS) for t, _, count, rate in seen)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda t, b: ([0, 0], [0, 0, 0]), UsageError, "two vectors"),
        (lambda t, b: None, UsageError, "returned None; expected two vectors"),
        (lambda t, b: [1, 0, 0], UsageError, "two vectors"),
        (lambda t, b: ("up", [0, 0, 0]), UsageError, "two vectors"),
        (lambda t, b: ([np.nan, 0, 0], [0, 0, 0]), rigidsim.SimulationError, "the callback of 'b' returned"),
    ],
)
def test_what_it_gives_is_checked(function, error, words):
    with pytest.raises(error, match=words):
        rigidsim.simulate(make_scene({"b": BODY}, **HOW), callbacks={"b": function})


def test_what_it_raises_says_where_and_when():
    def careless(t, bodies):
        return [1 / (t - 0.01), 0, 0], [0, 0, 0]

    with pytest.raises(ZeroDivisionError) as caught:
        rigidsim.simulate(make_scene({"b": BODY}, **HOW), callbacks={"b": careless})
    (note,) = caught.value.__notes__
    assert note.startswith("in the callback ") and note.endswith("careless of 'b' at t = 0.01 s")


def test_a_body_that_is_not_there_is_a_missing_key():
    with pytest.raises(KeyError, match="'c'"):
        rigidsim.simulate(make_scene({"b": BODY}, **HOW), callbacks={"b": lambda t, bodies: bodies["c"]})


def test_it_needs_a_free_body_and_one_scene():
    scene = make_scene({"b": BODY}, **HOW)
    with pytest.raises(UsageError, match="'c' is not a free body"):
        rigidsim.Simulation(scene, callbacks={"c": pull})
    with pytest.raises(UsageError, match="one scene at a time"):
        rigidsim.simulate([scene], callbacks={"b": pull})
