"""What a sweep records of each run: its last state, or samples, in the arrays of a trajectory with a run axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.model import Samples
from rigidsim.scene import Scene
from rigidsim.simulation.header import header_of
from rigidsim.sweeps.extents import Extent
from rigidsim.trajectory.fields import AXES, FIELDS, Block, Field

FINAL, METRICS = "final", "metrics"


class Rows(NamedTuple):
    """One dataset: the field of a trajectory, and the names and sizes of its dimensions after the run. `nodes` are
    those on the axis of bodies, None for all, and `absent` the places there of bodies that this dataset lacks.
    """

    field: Field
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    nodes: list[int] | None = None
    absent: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return self.field.name

    @property
    def run_bytes(self) -> int:
        """Bytes of one run."""
        return 8 * math.prod(self.shape)

    def of_lanes(self, samples: Samples, n_lane: int) -> np.ndarray:
        """(lane, *shape) of the samples of a block; without a copy if all bodies are recorded."""
        array = self.field.of_lanes(samples, n_lane)
        return self._on_axis(array if "time" in self.dimensions else array[:, -1])

    def of_block(self, block: Block) -> np.ndarray:
        """The samples of one run, time first."""
        return self._on_axis(self.field.of(block))

    def _on_axis(self, array: np.ndarray) -> np.ndarray:
        """(..., node, component) with the bodies of the axis only, NaN for those that the dataset lacks."""
        if self.nodes is None or "body" not in self.dimensions:
            return array
        found = array[..., self.nodes, :]
        found[..., list(self.absent), :] = np.nan
        return found


@dataclass(frozen=True)
class Recording:
    """`times` are those of the samples (s) of the longest run, None if only the last state is recorded; `paths` the
    bodies of which anything is recorded; `rows` the datasets of motion and diagnostics; `metrics` the names of the
    scene's metrics; `nodes` the number of bodies of the first run.
    """

    paths: tuple[str, ...]
    times: tuple[float, ...] | None
    rows: tuple[Rows, ...]
    metrics: tuple[str, ...]
    nodes: int

    @classmethod
    def of(cls, scene: Scene, world: World, record: str, longest: Extent) -> Recording:
        """What is recorded of this scene and those like it: "metrics" only, the "final" state, or samples, of which the
        run of the extent `longest` has most.
        """
        times = None if record in (FINAL, METRICS) else tuple(longest.times.tolist())
        selected = _selected(scene, world) if record != METRICS else {}
        bodies = [nodes for name, nodes in selected.items() if "body" in _BY_NAME[name].dimensions]
        axis = range(len(world.paths)) if None in bodies else sorted(set().union(*bodies))
        rows = tuple(_rows(_BY_NAME[name], nodes, axis, world, times) for name, nodes in selected.items())
        return cls(tuple(world.paths[k] for k in axis), times, rows, tuple(scene.metrics), len(world.paths))

    @property
    def samples(self) -> int:
        """The number of samples of the longest run."""
        return 1 if self.times is None else len(self.times)

    @cached_property
    def run_bytes(self) -> int:
        """Bytes of one run."""
        return 8 * (1 + (self.times is not None) + len(self.metrics)) + sum(rows.run_bytes for rows in self.rows)


_BY_NAME = {field.name: field for field in FIELDS}


def _selected(scene: Scene, world: World) -> Mapping[str, Sequence[int] | None]:
    """For each dataset that the scene records the nodes in it, None for all."""
    header = header_of(scene, world, False)
    found = {field.name: header.recorded_rows(field.name) for field in header.fields if field.name in _BY_NAME}
    return {name: None if rows is None else rows.tolist() for name, rows in found.items()}


def _rows(field: Field, nodes: Sequence[int] | None, axis: Sequence[int], world: World, times: object) -> Rows:
    sizes = {"time": len(times or ()), "body": len(axis)} | {name: len(labels) for name, labels in AXES.items()}
    dimensions = tuple(d for d in field.dimensions if d != "time" or times is not None)
    absent = () if nodes is None else tuple(place for place, node in enumerate(axis) if node not in set(nodes))
    on_axis = None if len(axis) == len(world.paths) and not absent else list(axis)
    return Rows(field, dimensions, tuple(sizes[d] for d in dimensions), on_axis, absent)
