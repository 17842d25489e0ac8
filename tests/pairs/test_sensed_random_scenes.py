"""Random scenes of all features with sensors on each body and a controller: the motion keeps its bits, and in two
pieces the readings do.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import rigidsim
from random_scenes import drawn

SEEDS = [seed for seed in range(60) if drawn(seed).method != "taylor"][:16]
FEW = SEEDS[3:4]
"""The others are slow to compile."""


def bodies_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    found = list(data.get("bodies", data.get("children", {})).values())
    return [one for body in found for one in (body, *bodies_of(body))]


def sensed(data: dict[str, Any]) -> dict[str, Any]:
    """The scene with sensors that have errors, and with a controller that reads one of them."""
    data, settings = copy.deepcopy(data), data["simulation"]
    every = 2 * settings.get("step", settings["record_every"])
    for k, body in enumerate(bodies_of(data)):
        body["sensors"] = {
            "box": {"type": "imu", "every": every, "errors": {"acceleration": {"noise": 0.1, "random_walk": 0.01}}},
            "star": {"type": "pose", "every": 2 * every, "position": [0.1, 0.2 * k, 0.0]},
        }
    path = next(iter(data["bodies"]))
    reads = f"= box_acceleration_x('{path}')"
    data["controllers"] = {"smooth": {"type": "lead_lag", "every": every, "delay": every / 2, "input": reads, "lag": 1}}
    return data


@pytest.mark.parametrize(
    "seed", [seed if seed in FEW else pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS]
)
def test_sensors_change_no_bit_of_the_motion(seed: int):
    data = drawn(seed).data
    plain, scene = rigidsim.Scene.from_dict(data), rigidsim.Scene.from_dict(sensed(data))
    found, whole = rigidsim.simulate(plain), rigidsim.simulate(scene)
    for path in plain.hierarchy.by_path:
        for name in ("position", "orientation", "velocity", "angular_velocity"):
            assert np.array_equal(getattr(found[path].world, name), getattr(whole[path].world, name)), path
    first, before = rigidsim.Simulation(scene), []
    for block in first.blocks(every=0.0):
        before.append(block.copied())
        if first.n > first.n_step // 3:
            break
    later = rigidsim.Simulation(scene)
    later.resume(before[-1].checkpoint, first.events)
    parts = [*before, *(one.copied() for one in later.blocks())]
    for name in (name for table in whole.header.readings for name in table.names):
        assert np.array_equal(np.concatenate([part.readings[name] for part in parts]), whole.arrays[name]), name
