"""What a sweep records of each run: its last state, or samples, in the arrays of a trajectory with a run axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.model import Samples
from rigidsim.scene import Scene
from rigidsim.simulation.header import header_of, sample_count, sample_times
from rigidsim.trajectory.fields import AXES, FIELDS, Block, Field

FINAL, METRICS = "final", "metrics"


class Rows(NamedTuple):
    """One dataset: the field of a trajectory, and the names and sizes of its dimensions after the run."""

    field: Field
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return self.field.name

    @property
    def run_bytes(self) -> int:
        """Bytes of one run."""
        return 8 * math.prod(self.shape)

    def of_lanes(self, samples: Samples, n_lane: int) -> np.ndarray:
        """(lane, *shape) of the samples of a block, without a copy."""
        array = self.field.of_lanes(samples, n_lane)
        return array if "time" in self.dimensions else array[:, -1]

    def of_block(self, block: Block) -> np.ndarray:
        """The samples of one run, time first."""
        return self.field.of(block)


@dataclass(frozen=True)
class Recording:
    """`times` are those of the samples (s), None if only the last state is recorded; `paths` those of the bodies;
    `fields` the datasets of motion and diagnostics that the scene records, `metrics` the names of its metrics.
    """

    paths: tuple[str, ...]
    times: tuple[float, ...] | None
    fields: tuple[Field, ...] = FIELDS
    metrics: tuple[str, ...] = ()

    @classmethod
    def of(cls, scene: Scene, world: World, record: str) -> Recording:
        """What is recorded of this scene, and of all with the same bodies and times: "metrics" only, the "final" state,
        or samples.
        """
        recorded = {field.name for field in header_of(scene, world, False).fields} if record != METRICS else ()
        fields = tuple(field for field in FIELDS if field.name in recorded)
        times = None if record in (FINAL, METRICS) else sampled_times(world)
        return cls(world.paths, times, fields, tuple(scene.metrics))

    @property
    def samples(self) -> int:
        """The number of samples of a run."""
        return 1 if self.times is None else len(self.times)

    @cached_property
    def rows(self) -> tuple[Rows, ...]:
        """The datasets."""
        sizes = {"time": self.samples, "body": len(self.paths)} | {name: len(labels) for name, labels in AXES.items()}
        found = []
        for field in self.fields:
            dimensions = tuple(d for d in field.dimensions if d != "time" or self.times is not None)
            found.append(Rows(field, dimensions, tuple(sizes[d] for d in dimensions)))
        return tuple(found)

    @cached_property
    def run_bytes(self) -> int:
        """Bytes of one run."""
        return 8 * (1 + len(self.metrics)) + sum(rows.run_bytes for rows in self.rows)

    def misfit(self, world: World) -> str:
        """Why this world cannot be recorded side by side with the others; empty if it can."""
        if world.paths != self.paths:
            return f"its bodies ({_some(world.paths)}) are not those of the first run ({_some(self.paths)})"
        if self.times is not None and sampled_times(world) != self.times:
            return "its samples have other times than those of the first run; record the last state only"
        return ""


def sampled_times(world: World) -> tuple[float, ...]:
    """The times of all samples of a run, s, as a trajectory has them."""
    blueprint = world.blueprint
    count = sample_count(blueprint) - 1
    return (*sample_times(blueprint, 0, count).tolist(), blueprint.n_step * blueprint.schedule.step)


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:3])
    return f"{shown}, ... {len(paths)}" if len(paths) > 3 else shown
