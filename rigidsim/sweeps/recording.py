"""What a sweep records of each run: its last state, or samples, in the arrays of a trajectory with a run axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.model.arrays import Samples
from rigidsim.scene import Scene
from rigidsim.simulation.header import header_of
from rigidsim.sweeps.extents import Extent
from rigidsim.trajectory.fields import AXES, COORDINATE, FIELDS, JOINT, JOINT_FIELDS, LOOP, LOOP_FIELDS, Block, Field
from rigidsim.trajectory.recorded import labels_of

FINAL, METRICS = "final", "metrics"
KEPT = {field.name: field for field in (*FIELDS, *JOINT_FIELDS, *LOOP_FIELDS)}
"""The datasets that a sweep can have of its runs, by name."""


class RecordedField(NamedTuple):
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
    bodies of which anything is recorded, `joints` and `loops` the types of joints by path and of loops by name, if
    anything is recorded of them; `rows` the datasets but for metrics; `metrics` the names of the scene's metrics;
    `nodes` the number of bodies of the first run.
    """

    paths: tuple[str, ...]
    joints: Mapping[str, str]
    loops: Mapping[str, str]
    times: tuple[float, ...] | None
    rows: tuple[RecordedField, ...]
    metrics: tuple[str, ...]
    nodes: int

    @classmethod
    def of(cls, scene: Scene, world: World, record: str, longest: Extent) -> Recording:
        """What is recorded of this scene and those like it: "metrics" only, the "final" state, or samples, of which the
        run of the extent `longest` has most.
        """
        times = None if record in (FINAL, METRICS) else tuple(longest.times.tolist())
        header = header_of(scene, world, False)
        selected = [field for field in header.fields if field.name in KEPT] if record != METRICS else []
        nodes = [header.recorded_rows(field.name) for field in selected]
        bodies = [some for field, some in zip(selected, nodes, strict=True) if field.of_each == "body"]
        is_whole = any(some is None for some in bodies)
        some_of = [some.tolist() for some in bodies if some is not None]
        axis: Sequence[int] = range(len(world.paths)) if is_whole else sorted(set().union(*some_of))
        kept = {field.of_each for field in selected}
        joints = header.joints if kept & {JOINT, COORDINATE} else {}
        loops = header.loops if LOOP in kept else {}
        labels = labels_of([world.paths[k] for k in axis], joints, loops)
        pairs = zip(selected, nodes, strict=True)
        rows = tuple(_rows(field, some, axis, len(world.paths), labels, times) for field, some in pairs)
        return cls(tuple(labels["body"]), joints, loops, times, rows, tuple(scene.metrics), len(world.paths))

    @property
    def samples(self) -> int:
        """The number of samples of the longest run."""
        return 1 if self.times is None else len(self.times)

    @cached_property
    def run_bytes(self) -> int:
        """Bytes of one run."""
        return 8 * (1 + (self.times is not None) + len(self.metrics)) + sum(rows.run_bytes for rows in self.rows)


def _rows(
    field: Field,
    nodes: np.ndarray | None,
    axis: Sequence[int],
    n_node: int,
    labels: Mapping[str, Sequence[str]],
    times: Sequence[float] | None,
) -> RecordedField:
    """A dataset with these nodes, None for all; `axis` has those on the axis of bodies."""
    axes: dict[str, Sequence[Any]] = {"time": times or (), **labels, **AXES}
    sizes = {name: len(of) for name, of in axes.items()}
    dimensions = tuple(d for d in field.dimensions if d != "time" or times is not None)
    absent = () if nodes is None else tuple(place for place, node in enumerate(axis) if node not in set(nodes.tolist()))
    on_axis = None if len(axis) == n_node and not absent else list(axis)
    return RecordedField(field, dimensions, tuple(sizes[d] for d in dimensions), on_axis, absent)
