"""Scenes with contact in a sweep: one world a block, with the bits of the run alone."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim import Scene, simulate

BALLS = """\
format: rigidsim/1
parameters: {v0: 2 m/s, bounce: 1}
simulation: {duration: 0.05, step: 0.005}
bodies:
  left: {mass: 1, shapes: [{type: sphere, radius: 0.1}], velocity: ["= v0", 0, 0], material: {restitution: "= bounce"}}
  middle: {mass: 1, shapes: [{type: sphere, radius: 0.1}], position: [0.205, 0, 0], material: {restitution: "= bounce"}}
  right: {mass: 1, shapes: [{type: sphere, radius: 0.1}], position: [0.41, 0, 0], material: {restitution: "= bounce"}}
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_small_cradle(threads):
    vary = {"v0": [1, 2], "bounce": [1.0, 0.5, 0.0]}
    with rigidsim.sweep(Scene.from_text(BALLS), vary=vary, threads=threads) as sweep:
        assert set(sweep.runs["status"]) == {"complete"}
        for index in range(6):
            alone = simulate(sweep.scene_at(index))
            for name in sweep.datasets:
                assert np.array_equal(sweep.array(name)[index], np.asarray(alone.arrays[name])[-1])
        velocity = sweep.array("world/velocity")[:, :, 0]
        assert np.allclose(velocity[0], [0, 0, 1], atol=1e-9) and np.allclose(velocity[3], [0, 0, 2], atol=1e-9)
        assert velocity[1, 2] < velocity[0, 2]  # some of the speed stays behind
