"""Interpolation: the samples at samples, and of the promised order between them."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.errors import UsageError

NAMES = ("position", "orientation", "velocity", "angular_velocity")
LOAD, HOOK = "deck/crane/load", "deck/crane/hook"
DURATION, FINEST = 2.0, 0.0025
INTERVALS = (0.04, 0.02, 0.01)


def with_interval(scene, interval: float):
    """The same motion, at steps of FINEST, sampled less often."""
    plain = scene.resolved()
    plain["simulation"] |= {"step": FINEST, "record_every": interval}
    return rigidsim.simulate(rigidsim.Scene.from_dict(plain))


@pytest.fixture(scope="module")
def histories(scene):
    """The finest, and those to interpolate."""
    return with_interval(scene, FINEST), [with_interval(scene, interval) for interval in INTERVALS]


@pytest.mark.parametrize(
    ("path", "frame", "name", "order"),
    [
        (path, frame, name, order)
        for path, frame in ((LOAD, "local"), (HOOK, "world"))  # in the world the load flies a parabola: no error at all
        for name, order in (("position", 4), ("orientation", 4), ("velocity", 3), ("angular_velocity", 3))
    ],
)
def test_order(histories, path, frame, name, order):
    """Largest error at steps that the coarse histories do not hold, against the stepper's own values there."""
    finest, coarse = histories
    exact = getattr(getattr(finest[path], frame), name)
    errors = []
    for history in coarse:
        found = getattr(getattr(history[path], frame).at(finest.time), name)
        if name == "orientation":
            found = found * np.sign(np.sum(found * exact, axis=-1, keepdims=True))
        errors.append(np.abs(found - exact).max())
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(slopes - order).max() <= 0.1, slopes  # measured: 0.04 at most


@pytest.mark.parametrize("frame", ["local", "world"])
def test_exact_at_samples(history, frame):
    motion = getattr(history[LOAD], frame)
    for time in (history.time, history.time[::-1], history.time[[0, -1]]):
        found = motion.at(time)
        rows = np.searchsorted(history.time, time)
        assert np.array_equal(found.time, time)
        for name in NAMES:
            assert np.array_equal(getattr(found, name), getattr(motion, name)[rows]), name


def test_unit_quaternions_between_samples(history):
    times = np.linspace(0, DURATION, 997)
    norm = np.linalg.norm(history[LOAD].world.at(times).orientation, axis=-1)
    assert np.abs(norm - 1).max() <= 4 * np.finfo(float).eps  # measured: 1


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3)])
def test_times_of_any_shape(history, shape):
    times = np.linspace(0.11, 1.9, int(np.prod(shape))).reshape(shape)
    found = history[LOAD].local.at(times)
    for name, width in (("position", 3), ("orientation", 4), ("velocity", 3), ("angular_velocity", 3)):
        assert getattr(found, name).shape == (*shape, width)
    one = history[LOAD].local.at(float(times.flat[-1]))
    assert np.array_equal(found.position.reshape(-1, 3)[-1], one.position)


@pytest.mark.parametrize("time", [-1e-9, DURATION + 1e-9, [0.5, 3.0], float("nan"), [0.5, float("nan")]])
def test_outside_the_history_is_refused(history, time):
    with pytest.raises(UsageError, match="is outside the trajectory, which covers 0 to 2 s"):
        history[LOAD].world.at(time)
    if np.ndim(time) == 0:
        with pytest.raises(UsageError, match="outside the trajectory"):
            history.at(time)


def test_no_times_give_no_rows(history):
    assert history[LOAD].world.at([]).position.shape == (0, 3)


def test_history_of_one_sample_has_that_one(history):
    from rigidsim.trajectory import Trajectory

    first = Trajectory(history.header, {name: np.asarray(a)[:1] for name, a in history.arrays.items()})
    assert np.array_equal(first[LOAD].world.at(0.0).position, history[LOAD].world.position[0])
    with pytest.raises(UsageError, match="outside the trajectory"):
        first[LOAD].world.at(0.1)
