"""Limits of angles as loops in random trees, against stops of the same hinges, which have references of their own."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import rigidsim
from random_scenes import METHODS, Drawing, add_jointed

ALLOWED = {"rkmk4": 1e-11, "adaptive": 2e-9, "taylor": 1e-11}
"""m: measured 9e-14, 1.6e-10 and 4e-14."""


def limited(seed: int, method: str) -> tuple[dict, dict]:
    """Two or three hinges with limits among other joints, in one tree or in several: with stops, and with loops."""
    scene = Drawing(seed)
    for kind in ("free body", "ball", "universal", "slide")[: scene.rng.integers(4)]:
        if kind == "free body":
            scene.hang(scene.weights() | scene.pose() | {"angular_velocity": scene.vector(1.0)})
        else:
            add_jointed(scene, kind)
    hinges = []
    for _ in range(2 + scene.rng.integers(2)):
        body = add_jointed(scene, "hinge")
        keys, path = body["motion"]["hinge"], next(path for path, one in scene.paths.items() if one is body)
        start, e = keys["angle"], scene.one_of([0.0, scene.number(0.4, 1)])
        keys |= {"limits": [round(start - 0.05, 4), round(start + 0.08, 4)], "restitution": e}
        hinges.append((path, start))
    stops = scene.data(method)
    loops = copy.deepcopy(stops)
    for path, start in hinges:
        parent, _, name = path.rpartition("/")
        found = loops["bodies"]
        for part in parent.split("/") if parent else ():
            found = found[part]["children"]
        keys = found[name]["motion"]["hinge"]
        low, high = keys.pop("limits")
        # The body first: the other one then turns the other way.
        loop = {"type": "twist", "between": [path, parent or "world"], "axis": keys["axis"],
                "limits": [start - high, start - low], "restitution": keys.pop("restitution")}  # fmt: skip
        loops["world"].setdefault("loops", []).append(loop)
    return stops, loops


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 60))])
def test_limits_as_loops_move_trees_as_stops_do(seed):
    method = [*METHODS][seed % len(METHODS)]
    expected, found = (rigidsim.simulate(rigidsim.Scene.from_dict(data)) for data in limited(seed, method))
    times, own = ([event.time for event in one.events.scheduled if event.cause == "stop"] for one in (expected, found))
    assert times
    if len(times) < 10:  # the times of many small rebounds depend on the last digits
        assert len(own) == len(times) and np.abs(np.subtract(own, times)).max() < 1e-9
    for path in expected.header.paths:
        one, other = (trajectory[path].world for trajectory in (found, expected))
        assert np.abs(one.position - other.position).max() < ALLOWED[method]
