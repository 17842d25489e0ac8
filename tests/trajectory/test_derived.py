"""What was not recorded and is derived, beside the run that recorded everything."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import NotRecordedError, UsageError

EPS = np.finfo(float).eps
NAMES = ("position", "orientation", "velocity", "angular_velocity")
FRAMES = ("local", "world")
ROUNDINGS = 8
"""Of the largest term of a formula: the stepper sums in another order. Measured: 3.9 at most."""
SCENES = {
    "three_frames_deep": ["simulation.duration=0.5", "simulation.step=0.005"],
    "shell_leaves_turret": ["simulation.duration=0.2"],
    "car_crash": ["simulation.duration=0.6", "simulation.step=0.005", "bodies.car.impulses[0].at=[2, 0.3, 0]"],
    "payload_release": ["simulation.duration=4", "simulation.step=0.02", "simulation.record_every=0.02"],
    "ship_deck_in_seaway": ["simulation.duration=1", "simulation.step=0.02"],
    "vehicle_on_earth": ["simulation.duration=1"],
}


def run(name: str, *overrides: str) -> rigidsim.Trajectory:
    return rigidsim.simulate(rigidsim.Scene.from_file(Path(shipped_scenes()[name]), [*SCENES[name], *overrides]))


@pytest.fixture(scope="module", params=SCENES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def whole(name):
    """The run with everything."""
    return run(name)


def size(rows: np.ndarray) -> float:
    return float(np.linalg.norm(rows, axis=-1).max())


def terms(whole, path: str, frame: str, quantity: str) -> float:
    """The largest term of the formulas of a quantity, in its units."""
    if quantity == "orientation":
        return 1.0
    found, unit = 0.0, np.inf
    for time in (whole.time[0], whole.time[-1]):  # under each parent
        parent = whole[path].parent_at(time)
        unit = min(unit, whole.header.scale_of(parent) if frame == "local" else 1.0)
        for body in (path, parent) if parent else (path,):
            world = whole[body].world
            found = max(found, size(getattr(world, quantity)))
            if quantity == "velocity":
                found = max(found, size(world.angular_velocity) * size(whole[path].world.position - world.position))
                # The pose of the parent, to its last digit, turns the lever.
                found = max(found, size(world.angular_velocity) * size(world.position))
    return found / unit


def assert_close(part, whole, path: str, frame: str, quantity: str) -> None:
    one, other = (getattr(getattr(x[path], frame), quantity) for x in (part, whole))
    assert one.shape == other.shape
    assert np.abs(one - other).max() <= ROUNDINGS * EPS * terms(whole, path, frame, quantity), (path, frame, quantity)


@pytest.mark.parametrize("frame", FRAMES)
def test_one_frame_gives_the_other(name, whole, frame):
    part = run(name, f"simulation.record=[{frame}]")
    other = FRAMES[1 - FRAMES.index(frame)]
    assert part.header.dataset_names == ("time", *(f"{frame}/{quantity}" for quantity in NAMES))
    for path in whole:
        for quantity in NAMES:
            recorded = getattr(getattr(part[path], frame), quantity)
            assert np.array_equal(recorded, getattr(getattr(whole[path], frame), quantity))
            assert_close(part, whole, path, other, quantity)


def test_poses_need_no_velocities(name, whole):
    part = run(name, "simulation.record=[world/position, world/orientation]")
    for path in whole:
        for quantity in ("position", "orientation"):
            assert_close(part, whole, path, "local", quantity)


def test_orientations_need_orientations_only(name, whole):
    part = run(name, "simulation.record=[local/orientation]")
    for path in whole:
        assert_close(part, whole, path, "world", "orientation")
        if whole[path].kind == "free":
            with pytest.raises(NotRecordedError):
                _ = part[path].world.position


def test_fixed_and_prescribed_nodes_follow_from_the_scene_to_the_bit(name, whole):
    part = run(name, "simulation.record=[]")
    assert part.header.dataset_names == ("time",)
    assert [event.id for event in part.events] == [event.id for event in whole.events]
    changed = {change.body for change in whole.header.changes}
    for path in whole:
        for quantity in NAMES:
            if whole[path].kind == "free" or path in changed:
                with pytest.raises(NotRecordedError, match=r"local\.\w+ of .* was not recorded and cannot be derived"):
                    getattr(part[path].local, quantity)
            else:
                expected = getattr(whole[path].local, quantity)
                assert np.array_equal(getattr(part[path].local, quantity), expected), (path, quantity)


def test_states_and_other_observers(name, whole):
    part = run(name, "simulation.record=[world]")
    between = 0.5 * (whole.time[3] + whole.time[4])
    for one, other in ((part.at(between), whole.at(between)), (part.at(whole.time[3]), whole.at(whole.time[3]))):
        for path in whole:
            for quantity in NAMES:
                a, b = (getattr(x[path].world, quantity) for x in (one, other))
                assert np.array_equal(a, b)
                a, b = (getattr(x[path].local, quantity) for x in (one, other))
                # Interpolation multiplies a difference of poses by up to 1.5/h.
                steep = max(1.0, 6.0 / (whole.time[4] - whole.time[3]))
                bound = terms(whole, path, "local", quantity) + steep * terms(
                    whole, path, "local", "orientation" if "ang" in quantity or "ori" in quantity else "position"
                )
                assert np.abs(a - b).max() <= 4 * ROUNDINGS * EPS * bound, (path, quantity)
    first, *_, last = whole.paths
    seen = part[last].seen_from(first), whole[last].seen_from(first)
    assert np.abs(seen[0].orientation - seen[1].orientation).max() <= 4 * ROUNDINGS * EPS


DEEP = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1, "step": 0.1},
    "bodies": {
        "map": {
            "scale": 1000,
            "mass": 5,
            "inertia": {"principal": [1, 1, 1]},
            "angular_velocity": [0, 0, 1],
            "velocity": [1, 0, 0],
            "children": {
                "car": {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "position": [2, 0, 0], "scale": 0.5},
                "post": {"position": [1, 1, 0]},
            },
        },
        "far": {"mass": 1, "inertia": "point", "position": [0, 5, 0], "velocity": [1, 1, 0]},
    },
}


def deep(record: list) -> rigidsim.Trajectory:
    return rigidsim.simulate(rigidsim.Scene.from_dict(DEEP | {"simulation": DEEP["simulation"] | {"record": record}}))


def test_units_of_scaled_parents():
    whole, part = rigidsim.simulate(rigidsim.Scene.from_dict(DEEP)), deep(["world"])
    for path in whole:
        for quantity in NAMES:
            assert_close(part, whole, path, "local", quantity)


def test_two_bodies_seen_from_each_other_need_nothing_of_those_between():
    part = deep([{"bodies": ["map/car", "far"], "of": ["world"]}])
    whole = rigidsim.simulate(rigidsim.Scene.from_dict(DEEP))
    seen, expected = (x["far"].seen_from("map/car") for x in (part, whole))
    for quantity in NAMES:
        a, b = getattr(seen, quantity), getattr(expected, quantity)
        assert np.abs(a - b).max() <= ROUNDINGS * EPS * max(1.0, np.abs(b).max()) * 8
    with pytest.raises(NotRecordedError, match=r"local\.position of 'map/car' was not recorded"):
        _ = part["map/car"].local.position


def test_an_observer_needs_what_its_quantity_needs():
    part = deep(["local/orientation"])
    whole = rigidsim.simulate(rigidsim.Scene.from_dict(DEEP))
    seen, expected = (x["far"].seen_from("map/car") for x in (part, whole))
    assert np.array_equal(seen.orientation, expected.orientation)
    with pytest.raises(NotRecordedError, match="position"):
        _ = seen.position


def test_the_refusal_says_what_to_record():
    part = deep(["world/position", {"bodies": "map/*", "of": ["local/velocity"]}])
    with pytest.raises(UsageError) as caught:
        _ = part["map/car"].world.velocity
    assert str(caught.value) == (
        "world.velocity of 'map/car' was not recorded and cannot be derived from what was (simulation.record:"
        " [world/position, {bodies: [map/*], of: [local/velocity]}]); add 'world/velocity' of this body there"
    )


def test_between_samples_a_position_needs_its_velocity():
    part = deep(["world/position", "orientation"])
    whole = rigidsim.simulate(rigidsim.Scene.from_dict(DEEP))
    assert np.array_equal(part["far"].world.at([0.1, 0.5]).position, whole["far"].world.at([0.1, 0.5]).position)
    state = part.at(0.55)
    with pytest.raises(NotRecordedError, match=r"position between samples is interpolated with position and rate"):
        _ = state["far"].world.position
    assert np.array_equal(part.at(0.5)["far"].world.position, whole.at(0.5)["far"].world.position)


def test_motions_and_states_are_pickled_with_what_they_do_not_know():
    part = deep(["world"])
    motion = pickle.loads(pickle.dumps(part["map/car"].local))
    assert np.array_equal(motion.velocity, part["map/car"].local.velocity)
    part = deep(["world/position"])
    for one in (part["far"].world, part["far"].world.part(slice(2)), part.at(0.5)["far"].world):
        again = pickle.loads(pickle.dumps(one))
        assert np.array_equal(again.position, one.position)
        with pytest.raises(NotRecordedError, match=r"world\.velocity of 'far'"):
            _ = again.velocity
    again = pickle.loads(pickle.dumps(part.at(0.5)))
    assert np.array_equal(again["far"].world.position, part.at(0.5)["far"].world.position)


def test_the_state_of_a_simulation_has_everything():
    simulation = rigidsim.Simulation(
        rigidsim.Scene.from_dict(DEEP | {"simulation": DEEP["simulation"] | {"record": []}})
    )
    simulation.step(3)
    whole = rigidsim.simulate(rigidsim.Scene.from_dict(DEEP))
    for path in whole:
        assert np.array_equal(simulation.state[path].world.velocity, whole[path].world.velocity[3])
