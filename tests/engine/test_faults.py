"""Runs that cannot go on: what stops them, when, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import SimulationError

BODY = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}


def scene(bodies: dict, duration: float = 1.0, **more) -> rigidsim.Scene:
    how = {"format": "rigidsim/1", "simulation": {"duration": duration, "step": 0.1}}
    return rigidsim.Scene.from_dict(how | {"bodies": bodies} | more)


def message(bodies: dict, duration: float = 1.0, terms: bool = False, **more) -> str:
    with pytest.raises(SimulationError) as caught:
        rigidsim.simulate(scene(bodies, duration, **more), terms=terms)
    return str(caught.value)


def test_a_change_of_the_tree_does_not_hide_a_fault():
    """A cart is nowhere at t = 0.5 s; at 0.8 s something else gets another parent."""
    bodies = {
        "cart": {"motion": {"prescribed": {"position": ["= if(t == 0.5, sqrt(-t), t)", 0, 0]}}},
        "a": BODY,
        "b": BODY | {"position": [1, 0, 0]},
    }
    moved = {"reparent": [{"body": "b", "to": "a", "time": 0.8}]}
    expected = message(bodies)
    assert "cart, motion.prescribed gave nan at t = 0.5 s" in expected
    assert message(bodies, **moved) == expected
    simulation = rigidsim.Simulation(scene(bodies, **moved))
    with pytest.raises(SimulationError, match=r"gave nan at t = 0.5 s"):
        for _ in range(10):
            simulation.step()
    histories = rigidsim.simulate([scene(bodies, **moved)] * 3)
    assert [history.status for history in histories] == ["failed"] * 3
    assert all(history.time[-1] == pytest.approx(0.4, abs=1e-12) for history in histories)


def test_a_pose_that_its_rates_carry_beyond_all_numbers_is_named():
    reported = message(
        {"a": BODY, "sled": {"motion": {"prescribed": {"velocity": ["= 1e307*(4 + 0*t)", 0, 0]}}}}, 100.0
    )
    assert "the prescribed motion of 'sled' is not finite or exceeds 1e+100" in reported


@pytest.mark.parametrize("terms", [False, True])
def test_an_expression_without_a_value_at_the_start_is_named(terms):
    bodies = {"cart": {"motion": {"prescribed": {"position": ["= sqrt(t)", 0, 0]}}}, "a": BODY}
    assert "cart, motion.prescribed gave" in message(bodies, terms=terms)
    assert "a, forces[0] gave inf at t = 0 s" in message(
        {"a": BODY | {"forces": [{"force": ["= 1/t", 0, 0]}]}}, terms=terms
    )


def test_large_forces_are_no_fault_of_their_expression():
    """Each component is a number, though their sum is none."""
    pushed = BODY | {"mass": 1e40, "forces": [{"force": ["= 1e308 + 0*t", "= 1e308 + 0*t", 0]}]}
    run = rigidsim.Simulation(scene({"a": pushed}))._run
    run.advance(1)
    assert not run.fault.any()


def test_the_value_named_is_the_first_that_is_no_number():
    cart = {"motion": {"prescribed": {"position": ["= t", "= if(t > 0.45, log(0.5 - t), 0)", 0]}}}
    assert "cart, motion.prescribed gave -inf at t = 0.5 s" in message({"cart": cart, "a": BODY})


def test_a_prescribed_motion_that_outgrows_all_numbers_is_blamed_not_what_hangs_on_it():
    ship = {"motion": {"prescribed": {"position": [0, 0, "= exp(800*t)"]}}, "children": {"crate": BODY}}
    assert message({"ship": ship}).startswith(
        "the prescribed motion of 'ship' is not finite or exceeds 1e+100 after t = 0.4"
    )


def test_an_impulse_that_no_number_can_hold_is_named():
    light = {"mass": 1, "inertia": {"principal": [1e-30] * 3}, "scale": 1e50}
    struck = light | {"impulses": [{"time": 0.5, "impulse": [1e50, 0, 0], "at": [0, 1e50, 0]}]}
    assert "the motion of 'a' is not finite" in message({"a": struck})
    assert "in which a.impulses[0] act" in message({"a": struck})


def test_a_body_at_the_very_place_that_attracts_it_is_named():
    reported = message({"b": {}, "a": BODY | {"forces": [{"type": "point_gravity", "center": "b", "gm": 1}]}})
    hint = "check whether it is at the same place as a source of gravity"
    assert reported == f"the forces on 'a' are not finite at t = 0 s; {hint}"


def test_momenta_are_not_called_conserved_where_a_callback_pushes():
    quiet = rigidsim.Simulation(scene({"a": BODY}))
    pushed = rigidsim.Simulation(scene({"a": BODY}), callbacks={"a": lambda t, motions: ((1, 0, 0), (0, 0, 0))})
    assert quiet.header.isolated and not pushed.header.isolated


def test_a_window_much_shorter_than_a_step_acts_late_in_a_long_run():
    """An impulse of 1 N s as a force, for microseconds of a step of 10 ms, 9000 s after the start, and at the start."""

    def gained(length: float, begin: float = 9000.0) -> float:
        push = {"force": [1 / length, 0, 0], "during": [begin, begin + length]}
        how = {"format": "rigidsim/1", "simulation": {"duration": begin + 1, "step": 0.01, "record_every": begin + 1}}
        made = rigidsim.Scene.from_dict(how | {"bodies": {"a": BODY | {"forces": [push]}}})
        return float(rigidsim.simulate(made)["a"].world.velocity[-1, 0])

    # Rounding 9000 + length is an error of the window's length, up to 2 ulp of 9000.
    for length in (5e-6, 2.5e-6):
        assert gained(length) == pytest.approx(1.0, abs=2 * np.spacing(9000.0) / length)
    assert gained(1e-12, begin=0.0) == pytest.approx(1.0, abs=4 * np.finfo(float).eps)
