"""One body by its path: relative to its parent, in the world, and from any other body."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import quaternion

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError

EPS = np.finfo(float).eps
LOAD, HOOK, CRANE = "deck/crane/load", "deck/crane/hook", "deck/crane"
NAMES = ("position", "orientation", "velocity", "angular_velocity")
ROUNDINGS = 32  # of sums of a few products; measured: 11 at most


def far(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference, relative to the largest number, in roundings."""
    return np.abs(one - other).max() / (EPS * max(1.0, np.abs(one).max()))


def angle(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Between orientations, sign and all: both (time, 4)."""
    return 2 * np.minimum(np.linalg.norm(p - q, axis=-1), np.linalg.norm(p + q, axis=-1))


def rotations(motion) -> np.ndarray:
    return quaternion.as_rotation_matrix(motion.rotation)


def test_paths_and_parents(history):
    assert list(history) == ["deck", CRANE, HOOK, LOAD, "beacon"]
    assert [history[path].parent for path in history] == ["", "deck", CRANE, CRANE, ""]
    assert history[LOAD].path == LOAD


def test_terms_of_a_body_by_name(history):
    column = history.paths.index(LOAD)
    assert np.array_equal(history[LOAD].term("coriolis"), history.arrays["terms/coriolis"][:, column], equal_nan=True)
    with pytest.raises(UsageError, match="there is no term 'corolis'; choose one of velocity, acceleration, applied"):
        history[LOAD].term("corolis")
    with pytest.raises(UsageError, match="have terms"):
        history.at(history.time[0])[LOAD].term("coriolis")


@pytest.mark.parametrize(
    ("path", "words"),
    [("deck/crane/laod", "did you mean 'deck/crane/load'?"), ("zzz", "bodies: deck, deck/crane"), ("world", "no body")],
)
def test_unknown_body(history, path, words):
    with pytest.raises(UsageError, match="there is no body") as caught:
        history[path]
    assert words in str(caught.value)


@pytest.mark.parametrize("path", [LOAD, HOOK, CRANE])
def test_seen_from_the_parent_is_local(history, path):
    seen, local = history[path].seen_from(history[path].parent), history[path].local
    for name in NAMES:
        assert np.array_equal(getattr(seen, name), getattr(local, name)), name


@pytest.mark.parametrize("path", ["deck", CRANE, HOOK, LOAD, "beacon"])
def test_seen_from_the_world_is_world(history, path):
    seen, world = history[path].seen_from("world"), history[path].world
    assert angle(seen.orientation, world.orientation).max() <= ROUNDINGS * EPS
    for name in ("position", "velocity", "angular_velocity"):
        assert far(getattr(world, name), getattr(seen, name)) <= ROUNDINGS, name


@pytest.mark.parametrize("path", ["deck", LOAD])
def test_a_body_rests_in_its_own_frame(history, path):
    seen = history[path].seen_from(path)
    assert np.array_equal(seen.orientation, np.broadcast_to([1.0, 0, 0, 0], (41, 4)))
    for name in ("position", "velocity", "angular_velocity"):
        assert not np.any(getattr(seen, name)), name


@pytest.mark.parametrize(("a", "b"), [(LOAD, HOOK), (LOAD, "beacon"), ("deck", "beacon"), (LOAD, "deck")])
def test_seen_the_other_way_round_is_the_inverse(history, a, b):
    """Against matrices: p' = -R^T p, R' = R^T, omega' = -R^T omega, v' = -R^T (v - omega x p)."""
    there, back = history[a].seen_from(b), history[b].seen_from(a)
    turned = np.swapaxes(rotations(there), -1, -2)

    def through(vector):
        return np.einsum("tij,tj->ti", turned, vector)

    drift = there.velocity - np.cross(there.angular_velocity, there.position)
    assert far(back.position, -through(there.position)) <= ROUNDINGS
    assert far(back.velocity, -through(drift)) <= ROUNDINGS
    assert far(back.angular_velocity, -through(there.angular_velocity)) <= ROUNDINGS
    assert np.abs(rotations(back) - turned).max() <= ROUNDINGS * EPS


def test_lengths_seen_from_a_scaled_body_are_in_its_units():
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 1, "step": 0.5},
        "bodies": {
            "map": {"scale": 1000, "children": {"car": {"position": [2, 0, 0], "scale": 0.5}}},
            "post": {"position": [0, 3000, 0]},
        },
    }
    history = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    assert history["post"].seen_from("map").position[0].tolist() == [0, 3, 0]
    assert history["post"].seen_from("map/car").position[0].tolist() == [-4, 6, 0]
    assert history["map/car"].seen_from("post").position[0].tolist() == [2000, -3000, 0]


def test_nothing_is_lost_to_large_world_coordinates():
    """A vehicle on the ground of a planet at 1.5e11 m, where one rounding is 3e-5 m."""
    scene = rigidsim.Scene.from_file(Path(shipped_scenes()["vehicle_on_earth"]), ["simulation.duration=1"])
    history = rigidsim.simulate(scene)
    ground = "orbit/stars/earth/ground"
    vehicle = history[f"{ground}/vehicle"]
    assert np.abs(vehicle.world.position).max() > 1e11
    assert np.array_equal(vehicle.seen_from(ground).position, vehicle.local.position)
    # From the planet's centre, 6.4e6 m away: a few roundings of that, 1e-9 m each.
    up = np.array([4504977.302939494, 0, 4504977.302939494])
    east, north, top = [0, 1, 0], [-(0.5**0.5), 0, 0.5**0.5], [0.5**0.5, 0, 0.5**0.5]
    expected = up + vehicle.local.position @ np.array([east, north, top])
    seen = vehicle.seen_from("orbit/stars/earth").position
    assert np.abs(seen - expected).max() <= 8 * EPS * 6.4e6  # measured: 8e-15 m


def test_rotation_is_numpy_quaternion(history):
    world = history[LOAD].world
    assert world.rotation.dtype == quaternion.quaternion
    assert world.rotation.shape == (41,)
    assert np.array_equal(quaternion.as_float_array(world.rotation), world.orientation)


def test_state_at_one_instant_has_the_same_names(history):
    state = history.at(0.5)
    assert (list(state), state.time) == (list(history), 0.5)
    for path in history:
        for frame in ("local", "world"):
            for name in NAMES:
                one, all_times = (getattr(getattr(x[path], frame), name) for x in (state, history))
                assert np.array_equal(one, all_times[10]), (path, frame, name)
    assert isinstance(state[LOAD].world.rotation, quaternion.quaternion)
    assert far(state[LOAD].seen_from("beacon").position, history[LOAD].seen_from("beacon").position[10]) <= ROUNDINGS
    with pytest.raises(UsageError, match="a state at a single time cannot be interpolated"):
        state[LOAD].world.at(0.5)


def test_diagnostics_add_up(history):
    parts = [history.diagnostic(name) for name in ("kinetic_energy", "potential_energy", "work")]
    assert np.array_equal(history.total_energy, parts[0] + parts[1] - parts[2])
    spin, orbital = (history.diagnostic(f"{name}_angular_momentum") for name in ("spin", "orbital"))
    assert np.array_equal(history.angular_momentum, spin + orbital)
