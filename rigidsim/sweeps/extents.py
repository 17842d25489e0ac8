"""The extents of the runs of a plan, known before any of them runs: their bodies, and the times of their samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rigidsim.blueprints import as_integer, sample_stride
from rigidsim.containers.columns import Lanes
from rigidsim.engine.assembly.blueprint import World
from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.scene.prepare.expansion import KEY as REPEAT
from rigidsim.scene.read import bodies_and_settings
from rigidsim.scene.text.document import Document
from rigidsim.scene.values.evaluation import is_expression
from rigidsim.simulation.recording import joints_of
from rigidsim.sweeps.cells import one_value
from rigidsim.sweeps.layouts import MOST_AT_ONCE, Plan
from rigidsim.sweeps.variants import MOST, Variants

TOLERANCE = 1e-12
"""Relative; times that differ by round-off are the same: 30 steps of 10 ms, and 300 of 1 ms."""


class Extent(NamedTuple):
    """The paths of the bodies of a run, and the types of those joints that it has; its number of steps and their length
    (s), and the steps between samples.
    """

    paths: tuple[str, ...]
    joints: tuple[tuple[str, str], ...]
    n_step: int
    step: float
    stride: int

    @property
    def samples(self) -> int:
        """The number of samples: one every `stride` steps from t = 0, and the last state."""
        return -(-self.n_step // self.stride) + 1

    @property
    def times(self) -> np.ndarray:
        """The times of all samples, s, as a trajectory has them."""
        return np.append(np.arange(self.samples - 1) * self.stride * self.step, self.n_step * self.step)


def extent_of(world: World) -> Extent:
    """The extent of a world."""
    blueprint = world.blueprint
    joints = tuple(joints_of(world).items())
    return Extent(world.paths, joints, blueprint.n_step, blueprint.schedule.step, blueprint.stride)


class Extents(Variants):
    """The extents of many variants at once; what they depend on is read, and nothing else."""

    def read(self, document: Document) -> Extent:
        """The extent of a document."""
        types, simulation = bodies_and_settings(document)
        n_step = as_integer(simulation.duration / simulation.step)
        joints = tuple((path, type) for path, type in types.items() if type)
        return Extent(tuple(types), joints, n_step, simulation.step, sample_stride(simulation, n_step))

    def grouped(self, found: Extent, lanes: Lanes, numbers: np.ndarray) -> tuple[Extent, int]:
        """The extent of the lanes that are left, and the first of them."""
        same = Extent(*found[:2], *map(one_value, found[2:]))
        return same, int(numbers[lanes.numbers()[0]])


def extents_of(scene: Scene, plan: Plan) -> dict[Extent, int]:
    """The different extents of the valid runs of a plan, each with the first run that has it. Raises UsageError if too
    many runs would have to be looked at.
    """
    document = scene.document()
    family = Extents(document, plan.names)
    runs = plan.runs if _may_differ(document, family, plan) else 1
    if runs > MOST_AT_ONCE:
        message = (
            f"the bodies and times of all {runs:,} runs have to be known before the first, of at most {MOST_AT_ONCE:,}"
        )
        raise UsageError(f"{message}; vary what is in neither simulation nor repeat, or use --record metrics")
    found: dict[Extent, int] = {}
    for begin in range(0, runs, MOST):
        reading = family.reading(plan.written(range(begin, min(begin + MOST, runs))))
        for extent, number in (*reading.groups, *((extent, number) for number, extent in reading.alone.items())):
            found[extent] = min(found.get(extent, begin + number), begin + number)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _may_differ(document: Document, family: Variants, plan: Plan) -> bool:
    """Whether the extent may depend on a varied value: one in `simulation` or `repeat`, a word or other data, or a
    parameter, if there are expressions in those.
    """
    first = plan.values(range(1))
    for name, path in family.paths.items():
        if path[0] == "simulation" or REPEAT in path or not isinstance(first[name], np.ndarray):
            return True
    return any(path[0] == "parameters" for path in family.paths.values()) and any(_deciding(document.data, False))


def _deciding(part: object, decides: bool) -> Iterator[bool]:
    """True for each expression in `simulation` and `repeat`."""
    if isinstance(part, dict | list):
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
            yield from _deciding(inner, decides or key in ("simulation", REPEAT))
    elif decides and is_expression(part):
        yield True


def longest_of(extents: dict[Extent, int], plan: Plan, record: str) -> Extent:
    """The extent with most samples. Raises UsageError if the samples of another one, taken every `record`, are not at
    the first of its times.
    """
    longest = max(extents, key=lambda extent: (extent.samples, -extents[extent]))
    for extent, run in extents.items():
        here, there = extent.times, longest.times[: extent.samples]
        differ = np.flatnonzero(np.abs(here - there) > TOLERANCE * there)
        if len(differ):
            k = differ[0]
            (one, t), (other, u) = sorted([(run, here[k]), (extents[longest], there[k])])
            message = f"{_run(plan, one)} has a sample at {t:.12g} s, {_run(plan, other)} at {u:.12g} s"
            hint = f"take durations that are multiples of {record}, or use --record final"
            raise UsageError(f"--record {record}: samples have one axis of time, but {message}; {hint}")
    return longest


def require_same_bodies(extents: dict[Extent, int], plan: Plan, with_joints: bool) -> None:
    """Raise UsageError unless all runs have the same bodies; `with_joints` on the same joints, too."""
    first: tuple[Extent, int] | None = None
    for extent, run in extents.items():
        first = first or (extent, run)
        if extent.paths != first[0].paths:
            message = f"{_run(plan, first[1])} has {_some(first[0].paths)}, {_run(plan, run)} {_some(extent.paths)}"
            hint = "record metrics only: --metric NAME='= ...' --record metrics"
            raise UsageError(f"states have one axis of bodies, but {message}; {hint}")
        if with_joints and extent.joints != first[0].joints:
            path, _ = min(set(extent.joints) ^ set(first[0].joints))
            one, other = (dict(e.joints).get(path, "not on a joint") for e in (first[0], extent))
            message = f"'{path}' is {one} in {_run(plan, first[1])}, {other} in {_run(plan, run)}"
            hint = "leave them out, simulation.record: [local, world, diagnostics], or record metrics only"
            raise UsageError(f"arrays of joints have one axis of joints, but {message}; {hint}")


def _run(plan: Plan, run: int) -> str:
    (overrides,) = plan.overrides(range(run, run + 1))
    return f"run {run} ({', '.join(f'{name} = {value}' for name, value in overrides)})"


def _some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:3])
    return f"{shown}, ... ({len(paths)} bodies)" if len(paths) > 3 else shown
