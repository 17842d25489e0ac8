"""Impulses: exact at their time, and nobody but who is struck changes its motion in the world."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rigidsim
from random_trees import first_free, node_at, random_tree, random_vector
from rigidsim.physics.quaternion import rotate
from support.scenes import EPS, make_scene, run

WORKED_CASE = {
    "top": {
        "mass": 2,
        "inertia": {"principal": [0.5, 0.5, 0.5]},
        "impulses": [{"time": 0.5, "impulse": [0, 1, 0], "at": [0.3, 0, 0], "name": "bump"}],
        "children": {
            "child": {
                "mass": 1,
                "inertia": {"principal": [0.1, 0.1, 0.1]},
                "position": [1, 0, 0],
                "children": {"grandchild": {"mass": 1, "inertia": "point", "position": [0.4, 0.2, 0]}},
            }
        },
    }
}


def test_the_worked_case():
    """Reference case 4.6: dv = 0.5, domega = 0.6; a child 1 m away jumps by -1.1 and -0.6 relative to it."""
    trajectory = run(WORKED_CASE, duration=1, step=0.01)
    (event,) = trajectory.events
    assert (event.name, event.cause, event.time, event.receiver) == ("bump", "impulse", 0.5, "top")
    assert np.allclose(event.velocity_after, [0, 0.5, 0], rtol=0, atol=EPS)
    assert np.allclose(event.angular_velocity_after, [0, 0, 0.6], rtol=0, atol=EPS)
    assert np.allclose(event.impulse, [0, 1, 0]) and np.allclose(event.angular_impulse, [0, 0, 0.3])
    (child,) = event.protected  # the grandchild needs nothing
    assert child.body == "top/child"
    assert np.allclose(child.velocity, [0, -1.1, 0], rtol=0, atol=2 * EPS)
    assert np.allclose(child.angular_velocity, [0, 0, -0.6], rtol=0, atol=2 * EPS)
    assert event.energy == pytest.approx(0.5 * 2 * 0.25 + 0.5 * 0.5 * 0.36, rel=4 * EPS)


@settings(max_examples=30, deadline=None)  # each builds two worlds
@example(518, False)
@given(st.integers(0, 10**6), st.booleans())
def test_nobody_else_changes_its_motion_in_any_tree(seed, inherits):
    """Random trees in space, with fixed, prescribed and driven nodes in between; an impulse on one free body."""
    random = np.random.default_rng(seed)
    bodies, paths, kinds = random_tree(seed)
    free = [path for path, kind in zip(paths, kinds, strict=True) if kind == "free"]
    struck = free[int(random.integers(len(free)))]
    how = {"duration": 0.02, "step": 0.01}
    before = rigidsim.Simulation(make_scene(bodies, **how)).state
    below = first_free(paths, kinds, struck)
    carried = min(below) if inherits and below else None
    if carried:
        node_at(bodies, carried)["inherit_impulses"] = True
    impulse = {"time": 0, "impulse": random_vector(random, 3), "angular_impulse": random_vector(random, 2)}
    impulse |= {"at": random_vector(random), "frame": str(random.choice(["body", "parent", "world"]))}
    node_at(bodies, struck)["impulses"] = [impulse]
    simulation = rigidsim.Simulation(make_scene(bodies, **how))
    after = simulation.state
    # What cancels is the velocity field of the jump, whose roundings are those of its own size.
    rate = max(np.abs(state[path].world.angular_velocity).max() for path in paths for state in (before, after))
    reach = max(np.abs(before[path].world.position - before[struck].world.position).max() for path in paths)
    speed = max(np.abs(state[path].world.velocity).max() for path in paths for state in (before, after))
    speed += rate * reach
    for path in free:
        if path in (struck, carried):
            continue
        # Velocities come together along the tree: a few roundings of the largest, at each of a dozen levels.
        assert np.abs(after[path].world.velocity - before[path].world.velocity).max() <= 64 * EPS * speed
        assert np.abs(after[path].world.angular_velocity - before[path].world.angular_velocity).max() <= 64 * EPS * rate
        assert np.array_equal(after[path].world.orientation, before[path].world.orientation)
    (event,) = simulation.events
    expected = below if carried is None else below - {carried} | first_free(paths, kinds, carried)
    assert {protected.body for protected in event.protected} == expected
    if carried:
        check_carried(before, after, struck, carried)


def check_carried(before, after, struck: str, carried: str) -> None:
    """The velocity field of the struck body's jump, at the centre of mass that goes along; the same change of rate."""
    s, c = struck, carried
    dv = after[s].world.velocity - before[s].world.velocity
    domega = after[s].world.angular_velocity - before[s].world.angular_velocity
    arm = before[c].world.position - before[s].world.position
    found = after[c].world.velocity - before[c].world.velocity
    size = max(np.abs(after[c].world.velocity).max(), np.abs(found).max(), 1.0)
    assert np.abs(found - dv - np.cross(domega, arm)).max() <= 256 * EPS * size
    found_rate = after[c].world.angular_velocity - before[c].world.angular_velocity
    assert np.abs(found_rate - domega).max() <= 64 * EPS * max(np.abs(domega).max(), 1.0)


@pytest.mark.parametrize("time", [0.0, 0.5, 0.503, 1.0])
def test_what_is_struck_gets_what_newton_and_euler_say(time):
    """At any time, on the grid or not: m dv = J, I domega = r x J + K, in the frame that is named."""
    body = {
        "mass": 2,
        "inertia": {"principal": [1, 1.5, 2]},
        "center_of_mass": [0.1, 0, 0.2],
        "angular_velocity": [0.3, 0.2, 0.7],
        "impulses": [{"time": time, "impulse": [1, 2, -1], "angular_impulse": [0.1, 0, 0.3], "at": [0.5, 0.1, 0],
                      "frame": "body"}],
    }  # fmt: skip
    trajectory = run({"b": body}, duration=1, step=0.01, record_every=0.01)
    coasting = run({"b": body | {"impulses": []}}, duration=1, step=0.01, record_every=0.01)
    (event,) = trajectory.events
    assert event.time == pytest.approx(time, abs=1e-12)
    q = tuple(coasting["b"].world.at(min(event.time, 1.0)).orientation)
    J = np.array(rotate(q, (1.0, 2.0, -1.0)))
    # Orientation between samples is interpolated: to 1e-9 here.
    assert np.allclose(event.impulse, J, rtol=0, atol=1e-8)
    K_B = np.cross([0.4, 0.1, -0.2], [1, 2, -1]) + np.array([0.1, 0, 0.3])
    change = np.array(event.angular_velocity_after) - event.angular_velocity_before
    assert np.allclose(change, rotate(q, tuple(K_B / [1, 1.5, 2])), rtol=0, atol=1e-8)
    momentum = [found.diagnostic("linear_momentum")[-1] for found in (trajectory, coasting)]
    assert np.allclose(momentum[0] - momentum[1], J, rtol=0, atol=1e-8)
    energy = trajectory.total_energy
    assert np.abs(energy - energy[0]).max() <= 1e-9 * np.abs(trajectory.diagnostic("kinetic_energy")).max()


def test_several_impulses_of_one_instant_add_up_and_those_off_the_grid_split_the_step():
    body = {"mass": 1, "inertia": "point", "impulses": [
        {"time": 0.505, "impulse": [1, 0, 0]}, {"time": 0.505, "impulse": [0, 2, 0]},
        {"time": 0.25, "impulse": [0, 0, 3]},
    ]}  # fmt: skip
    trajectory = run({"b": body}, duration=1, step=0.01)
    assert [event.time for event in trajectory.events] == [0.25, 0.505, 0.505]
    end = trajectory["b"].world.position[-1]
    assert np.allclose(end, [0.495, 0.99, 2.25], rtol=0, atol=100 * EPS)
    assert trajectory.events[1].velocity_after == (1.0, 2.0, 3.0)


def test_an_impulse_on_a_fixed_part_strikes_its_carrier_there():
    part = {"motion": "fixed", "position": [0, 1, 0], "orientation": {"axis": [0, 0, 1], "angle": "90 deg"}}
    part["impulses"] = [{"time": 0, "impulse": [1, 0, 0], "frame": "body"}]
    body = {"mass": 2, "inertia": {"principal": [3, 3, 4]}, "children": {"part": part}}
    state = rigidsim.Simulation(make_scene({"b": body}, duration=1, step=0.1)).state
    assert np.allclose(state["b"].world.velocity, [0, 0.5, 0], rtol=0, atol=2 * EPS)
    assert np.allclose(state["b"].world.angular_velocity, [0, 0, 0], rtol=0, atol=2 * EPS)


def test_the_event_tells_what_acted_and_what_the_plane_took_up():
    body = {"mass": 2, "inertia": {"principal": [1, 1, 2]}}
    body["impulses"] = [{"time": 0.5, "impulse": [1, 0, 5], "at": [0, 1, 3]}, {"time": 0.5, "impulse": [0, 3, 1]}]
    trajectory = run({"b": body}, duration=1, step=0.1, plane=[0, 0, 1])
    first, second = trajectory.events
    assert (first.impulse, first.constraint_impulse) == ((1, 0, 0), (0, 0, 5))
    assert (first.angular_impulse, first.constraint_angular_impulse) == ((0, 0, -1), (5, 3, 0))  # (0, 1, 3) x (1, 0, 5)
    assert (second.impulse, second.constraint_impulse) == ((0, 3, 0), (0, 0, 1))
    momentum, spin = (trajectory.diagnostic(f"{kind}_momentum") for kind in ("linear", "spin_angular"))
    assert np.allclose(momentum[-1] - momentum[0], np.add(first.impulse, second.impulse), rtol=0, atol=4 * EPS)
    assert np.allclose(spin[-1] - spin[0], np.add(first.angular_impulse, second.angular_impulse), rtol=0, atol=4 * EPS)


def test_the_event_of_a_particle_tells_the_moment_that_did_not_act():
    """A particle is left when its last part goes; then no moment turns it."""
    part = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [1, 0, 0], "motion": "fixed"}
    core = {"mass": 1, "inertia": "point", "angular_velocity": [0, 0, 2], "children": {"part": part}}
    core["impulses"] = [{"time": 0.5, "impulse": [1, 0, 0], "at": [0, 1, 0], "angular_impulse": [0, 0, 3]}]
    made = make_scene({"core": core}, duration=1, step=0.1).resolved()
    made["reparent"] = [{"body": "core/part", "to": "world", "time": 0.25}]
    event = rigidsim.simulate(rigidsim.Scene.from_dict(made)).events[-1]
    assert event.angular_velocity_before == event.angular_velocity_after
    assert event.angular_impulse == (0, 0, 0)
    assert event.constraint_angular_impulse[2] != 0
    assert event.constraint_impulse == (0, 0, 0)
