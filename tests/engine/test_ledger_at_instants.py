"""Kinetic + potential - work stays what it is where windows, impulses and reparentings share an instant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigidsim
from support.scenes import make_scene

INSTANTS = (0.125, 0.25, 0.375, 0.4)
STEP = 1 / 512  # 0.4 s splits a step


def drift(bodies: dict, reparent: list[dict], duration: float = 0.5) -> tuple[float, rigidsim.Trajectory]:
    """The largest change of kinetic + potential - work, J."""
    made = make_scene(bodies, duration=duration, step=STEP, record_every=STEP).resolved() | {"reparent": reparent}
    trajectory = rigidsim.simulate(rigidsim.Scene.from_dict(made))
    return np.abs(trajectory.total_energy - trajectory.total_energy[0]).max(), trajectory


def yard(windows: list, kick: list) -> dict:
    """A crane with a crate fixed to it and a mate beside it, pulled about by all that stores energy."""
    crate = {"mass": 1, "inertia": {"principal": [0.2, 0.2, 0.3]}, "position": [0.5, 0, 0.2], "motion": "fixed"}
    return {
        "post": {
            "mass": 9, "inertia": {"principal": [9, 9, 9]}, "position": [3, 0, 0], "angular_velocity": [0, 0.1, 0]
        },
        "rail": {"motion": {"prescribed": {"velocity": [0.2, 0, 0], "angular_velocity": [0, 0, 0.3]}}},
        "crane": {
            "mass": 1, "inertia": {"principal": [1, 1.2, 1.4]}, "angular_velocity": [0.2, -0.1, 0.4],
            "children": {"crate": crate},
            "forces": [
                {"type": "point_gravity", "center": "post", "gm": 5, "during": windows[0]},
                {"type": "torsion_spring", "to": "post", "stiffness": 2, "during": windows[1]},
            ],
            "impulses": [{"time": kick[0], "impulse": [0.3, 0.1, -0.2], "at": [0.1, 0.2, 0]}],
        },
        "mate": {
            "mass": 2, "inertia": {"principal": [1, 1, 1.5]}, "position": [0, 2, 0], "velocity": [0.1, -0.3, 0],
            "forces": [
                {"type": "spring", "to": "crane/crate", "stiffness": 15, "length": 1.6, "at": [0.1, 0, 0],
                 "during": windows[2]},
            ],
            "impulses": [{"time": kick[1], "impulse": [0, 0.5, 0.1], "at": [0, 0, 0.3]}],
        },
    }  # fmt: skip


def test_a_window_of_gravity_that_begins_as_a_part_is_let_go():
    bodies = yard([[0.25, 0.4], [0.0, 0.5], [0.0, 0.5]], [0.125, 0.125])
    found, trajectory = drift(bodies, [{"body": "crane/crate", "to": "world", "time": 0.25}])
    assert found <= 2e-10  # the method's error: measured 1e-12
    (event,) = [event for event in trajectory.events if event.cause == "reparent"]
    assert abs(event.energy) <= 1e-12  # letting go takes no energy, and no gravity acted before


def test_a_spring_that_ends_as_its_bodies_dock():
    bodies = yard([[0.0, 0.5], [0.0, 0.5], [0.0, 0.25]], [0.125, 0.125])
    found, trajectory = drift(bodies, [{"body": "mate", "to": "crane", "time": 0.25, "motion": "fixed"}])
    assert found <= 2e-10
    (event,) = [event for event in trajectory.events if event.cause == "reparent"]
    assert event.energy < 0  # a plastic impact


@settings(max_examples=25, deadline=None)  # each is a run
@given(st.data())
def test_whatever_shares_an_instant(data):
    def instant():
        return data.draw(st.sampled_from(INSTANTS))

    windows = [sorted(data.draw(st.lists(st.sampled_from((0.0, *INSTANTS, 0.5)), min_size=2, max_size=2, unique=True)))
               for _ in range(3)]  # fmt: skip
    bodies = yard(windows, [instant(), instant()])
    bodies["mate"]["inherit_impulses"] = data.draw(st.booleans())
    chosen = data.draw(
        st.lists(
            st.sampled_from(
                [
                    {"body": "crane/crate", "to": "world"},
                    {"body": "crane/crate", "to": "rail"},
                    {"body": "mate", "to": "crane", "motion": "fixed"},
                    {"body": "mate", "to": "crane"},
                    {"body": "post", "to": "rail"},
                ]
            ),
            max_size=3,
            unique_by=lambda event: event["body"],
        )
    )
    reparent = [event | {"time": instant()} for event in chosen]
    found, _ = drift(bodies, reparent)
    # The method's error: measured 2e-11 over 300 draws, of some 10 J; one exchange counted wrongly is 1e-3 and more.
    assert found <= 2e-10, (windows, reparent, found)


@pytest.mark.parametrize("integrator", ["magnus", "magnus2", "euler"])
def test_a_particle_that_is_left_goes_on_turning_with_every_method(integrator):
    part = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [1, 0, 0], "motion": "fixed"}
    core = {"mass": 1, "inertia": "point", "angular_velocity": [0, 0, 2], "children": {"part": part}}
    made = make_scene({"core": core}, duration=0.5, step=0.01, record_every=0.01, integrator=integrator).resolved()
    made["reparent"] = [{"body": "core/part", "to": "world", "time": 0.1}]
    rate = rigidsim.simulate(rigidsim.Scene.from_dict(made))["core"].world.angular_velocity[:, 2]
    assert np.ptp(rate) <= 1e-13  # rounding: measured 4e-15


def test_what_a_reparenting_does_to_accelerations_is_reported_by_the_loads_after_it():
    """Drag on a protected child ends at the very instant at which its parent is struck."""
    drag = {"type": "drag", "linear": 4, "medium": "one", "during": [0, 0.125]}
    child = {"mass": 1, "inertia": "point", "position": [0, 1, 0], "forces": [drag]}
    one = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "velocity": [1, 0, 0], "children": {"child": child}}
    two = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [9, 0, 0], "velocity": [2, 0, 0]}
    event = {"body": "two", "to": "one", "motion": "fixed", "time": 0.125}
    _, trajectory = drift({"one": one, "two": two}, [event])
    (protected,) = trajectory.events[0].protected
    assert np.abs(protected.velocity).max() > 0
    assert not np.any(protected.acceleration)


@pytest.mark.parametrize("released", ["crane/crate", None])
def test_a_particle_that_is_left_goes_on_turning(released):
    """No torque turns it any more, and none does work; what hangs on it does not notice, whether it inherits or not."""
    part = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [1, 0, 0], "motion": "fixed"}
    hung = {"mass": 1, "inertia": "point", "position": [0, 6, 0]}
    core = {"mass": 1, "inertia": "point", "angular_velocity": [0, 0, 1], "center_of_mass": [0, 0.2, 0]}
    core["children"] = {"part": part, "hung": hung | {"inherit_impulses": released is not None}, "other": hung}
    core["forces"] = [{"torque": [0, 0, 1]}, {"force": [0.5, 0, 0], "frame": "body"}]
    found, trajectory = drift({"core": core}, [{"body": "core/part", "to": "world", "time": 0.25}])
    assert found <= 1e-9  # measured: 2e-13
    (event,) = trajectory.events
    assert not event.protected
    assert not event.carried
    late = trajectory.time >= 0.25
    omega = trajectory["core"].world.angular_velocity[late]
    assert np.ptp(omega, axis=0).max() <= 1e-14
    assert omega[0, 2] > 1
    for name in ("hung", "other"):  # force-free: a straight line
        velocity = trajectory[f"core/{name}"].world.velocity
        assert np.abs(np.diff(velocity, axis=0)).max() <= 1e-11, name
