"""The growth of small differences beside pairs of runs, and motions that are not chaotic."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from rigidsim.analysis.growth import VISIBLE, growth_of
from rigidsim.scene import Scene
from rigidsim.sensitivities.spread import moved_by, predictability

DOUBLE = """
format: rigidsim/1
parameters: {start: 120 deg}
simulation: {duration: 20, step: 2 ms, record_every: 20 ms}
world: {gravity: [0, -9.81, 0]}
bodies:
  upper:
    mass: 1
    inertia: point
    center_of_mass: [0, -1, 0]
    motion: {hinge: {axis: [0, 0, 1], angle: "= start"}}
    children:
      lower:
        mass: 1
        inertia: point
        center_of_mass: [0, -1, 0]
        position: [0, -1, 0]
        motion: {hinge: {axis: [0, 0, 1], angle: "= start"}}
"""


def apart(first, second) -> np.ndarray:
    """How far two runs are apart, m or rad."""
    p, q = (np.asarray(first.arrays[f"world/{name}"]) for name in ("position", "orientation"))
    p1, q1 = (np.asarray(second.arrays[f"world/{name}"]) for name in ("position", "orientation"))
    turned = 2.0 * np.minimum(np.linalg.norm(q - q1, axis=-1), np.linalg.norm(q + q1, axis=-1))
    return np.maximum(np.linalg.norm(p - p1, axis=-1), turned).max(axis=1)


def test_a_chaotic_motion_beside_pairs_of_runs():
    """A pair that begins 1e-9 apart goes as the tangent until it is a millimetre apart; one that begins an ulp apart is
    so when the rounding error is, to the time in which it doubles a few times (measured: 17.5 and 17.8 s).
    """
    scene = Scene.from_text(DOUBLE)
    run = rigidsim.simulate(scene, derivatives=["start"])
    derivative = run.derivative("start")
    found = predictability([derivative])

    def beside(share: float) -> np.ndarray:
        return apart(run, rigidsim.simulate(scene.with_overrides([("start", f"{120.0 * (1.0 + share):.17g} deg")])))

    near = beside(1e-9)
    together = slice(10, int(np.argmax(near > VISIBLE)))
    assert run.time[together.stop] > 5.0
    np.testing.assert_allclose(near[together], 1e-9 * moved_by(derivative)[together], rtol=0.02)
    rounded = run.time[np.argmax(beside(2.3e-16) > VISIBLE)]
    assert found.is_reached and found.rate > 1.0
    assert abs(found.horizon - rounded) < math.log(8.0) / found.rate
    before = growth_of(run.time[:500], np.finfo(float).eps * moved_by(derivative)[:500])  # of 10 s: extrapolated
    assert not before.is_reached and abs(before.horizon - rounded) < 0.3 * rounded


@pytest.mark.parametrize("start", [1.0, 20.0])
def test_a_regular_motion_has_no_horizon(start):
    """Small swings of both pendulums, to the sixth part of the circle: differences grow as the time."""
    run = rigidsim.simulate(Scene.from_text(DOUBLE, overrides=[("start", f"{start} deg")]), derivatives=["start"])
    assert predictability([run.derivative("start")]) == (0.0, math.inf, False)


def test_growth_of_known_differences():
    time = np.linspace(0.0, 30.0, 301)
    assert growth_of(time, 1e-16 * np.exp(0.8 * time) * np.abs(np.cos(7.0 * time))).rate == pytest.approx(0.8, rel=0.02)
    found = growth_of(time, 1e-16 * np.exp(0.8 * time))
    assert found.horizon == pytest.approx(math.log(1e13) / 0.8) and not found.is_reached
    assert growth_of(time, 1e-4 * time**3) == (0.0, pytest.approx(2.2), True)
    assert growth_of(time, 0.0 * time) == (0.0, math.inf, False)
