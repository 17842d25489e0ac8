"""Scenes with contact in a sweep: one world a block, with the bits of the run alone."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import rigidsim
from rigidsim import Scene, simulate
from tops import swept

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


CRADLE = """\
format: rigidsim/1
parameters: {v0: 1, radius: 0.05, bounce: 1}
simulation: {duration: 0.4, step: 0.005, record_every: 0.05}
bodies:
  ball:
    mass: 0.3
    shapes: [{type: sphere, radius: "= radius"}]
    material: {restitution: "= bounce", friction: 0}
    position: [0.3, 0, 0]
    repeat: {line: 5, spacing: ["= 2*radius", 0, 0]}
  striker:
    mass: 0.3
    shapes: [{type: sphere, radius: "= radius"}]
    material: {restitution: "= bounce", friction: 0}
    velocity: ["= v0", 0, 0]
"""
PILE = """\
format: rigidsim/1
parameters: {friction: 0.3, drop: 0.02}
simulation: {duration: 0.5, step: 0.005, record_every: 0.1}
world: {gravity: [0, 0, -9.81]}
bodies:
  floor: {motion: fixed, shapes: [{type: plane}], material: {friction: "= friction"}}
  low:
    mass: 1
    shapes: [{type: sphere, radius: 0.1}]
    material: {friction: "= friction"}
    position: [0, 0, 0.1]
    repeat: {line: 3, spacing: [0.21, 0, 0]}
  high:
    mass: 1
    shapes: [{type: box, size: [0.2, 0.2, 0.2]}]
    material: {friction: "= friction"}
    position: [0.1, 0, "= 0.32 + drop"]
    repeat: {line: 2, spacing: [0.21, 0, 0]}
"""
PILES = {
    "cradle": (CRADLE, {"v0": [0.5, 1, 2, 4], "bounce": [1, 0.9, 0.5, 0]}),
    "pile": (PILE, {"friction": [0, 0.1, 0.4, 0.8], "drop": [0, 0.01, 0.03, 0.1]}),
}


@pytest.mark.slow
@pytest.mark.parametrize("record", ["final", "0.1"])
@pytest.mark.parametrize("name", PILES)
def test_sixteen_variants_of_piles(tmp_path, name, record):
    text, vary = PILES[name]
    with swept(tmp_path / "a.h5", text, record, vary, threads=2) as sweep:
        assert sweep.runs["status"].tolist() == ["complete"] * 16
        for index, (one, other) in enumerate(product(*vary.values())):
            given = [f"{key}={value}" for key, value in zip(vary, (one, other), strict=True)]
            alone = simulate(Scene.from_text(text, overrides=[*given, "simulation.record_every=0.1"]))
            for dataset in sweep.datasets:
                expected = np.asarray(alone.arrays[dataset])
                assert np.array_equal(sweep.array(dataset)[index], expected[-1] if record == "final" else expected)
        assert len({array.tobytes() for array in sweep.array("world/position")}) > 8
