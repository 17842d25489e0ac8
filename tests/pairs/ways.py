"""The ways to run a scene, as plain data, each to its history: by itself, beside others, in a sweep, in two pieces."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rigidsim
from rigidsim.runner.continuing import RunStart
from rigidsim.runner.run import run_to_file
from rigidsim.scene import Scene


def alone(data: dict[str, Any]) -> rigidsim.Trajectory:
    """The run of a scene."""
    return rigidsim.simulate(Scene.from_dict(data))


def in_lanes(data: dict[str, Any]) -> rigidsim.Trajectory:
    """The second of three that differ in gravity."""
    return rigidsim.simulate([Scene.from_dict(with_gravity(data, x)) for x in (0.5, 0.0, -0.5)])[1]


def with_gravity(data: dict[str, Any], x: float) -> dict[str, Any]:
    """The scene with other gravity along x."""
    world = data["world"]
    first, *rest = world["gravity"]
    return data | {"world": world | {"gravity": [first + x, *rest]}}


def in_a_sweep(data: dict[str, Any]) -> rigidsim.Trajectory:
    """The second run of a sweep over gravity."""
    first = data["world"]["gravity"][0]
    values = [first - 0.5, first, first + 0.5]
    with rigidsim.sweep(
        Scene.from_dict(data), vary={"world.gravity[0]": values}, record=data["simulation"]["record_every"]
    ) as found:
        return found[1]


def in_two_pieces(data: dict[str, Any]) -> rigidsim.Trajectory:
    """A run up to the first sample into a file, which is extended."""
    scene = Scene.from_dict(data)
    first = Scene.from_dict(data, [f"simulation.duration={data['simulation']['record_every']}"])
    how = {"terms": False, "quiet": True, "show": lambda _: None}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.h5")
        run_to_file(first, path, force=False, **how)
        run_to_file(scene, path, force=True, start=RunStart.EXTENDED, **how)
        return rigidsim.load(path)  # the file is open until the trajectory is closed


WAYS: dict[str, Callable[[dict[str, Any]], rigidsim.Trajectory]] = {
    "alone": alone,
    "in lanes": in_lanes,
    "in a sweep": in_a_sweep,
    "in two pieces": in_two_pieces,
}
