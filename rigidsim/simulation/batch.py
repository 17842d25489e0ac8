"""`simulate`: from scenes to histories in memory; many scenes run sixteen at a time in SIMD lanes."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import cast, overload

import numpy as np

from rigidsim.arguments import function, whole_number
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import LANES, one_lane, structure
from rigidsim.engine.loads.callbacks import Callback
from rigidsim.errors import SimulationError, StorageError, UsageError
from rigidsim.methods import calling
from rigidsim.scene import Scene, as_scene
from rigidsim.simulation.blocks import BlockRunner, Outcome, Runners, Watch, WorldList
from rigidsim.simulation.events import event_columns, require_shapes, shapes_of
from rigidsim.simulation.header import header_of, sample_count, sample_times
from rigidsim.simulation.readings import reading_columns
from rigidsim.simulation.recording import joints_of, recorded_of, records_terms
from rigidsim.simulation.single import Simulation, unwatched
from rigidsim.trajectory.events import Events
from rigidsim.trajectory.fields import Block
from rigidsim.trajectory.recorded import labels_of, possible_fields, recorded_bytes
from rigidsim.trajectory.trajectory import Trajectory, recorded_samples

_differentiated = calling("differentiated")

ALWAYS_FREE = 1e6
"""Bytes of a history so short that the memory that is free is not asked for."""


@overload
def simulate(  # type: ignore[overload-overlap]  # a text, too, is one scene
    scenes: Scene | str | Path,
    *,
    terms: bool = False,
    contacts: bool = False,
    threads: int = 1,
    watch: Watch = unwatched,
    callbacks: Mapping[str, Callback] | None = None,
    derivatives: Sequence[str] = (),
) -> Trajectory: ...
@overload
def simulate(
    scenes: Iterable[Scene | str | Path],
    *,
    terms: bool = False,
    contacts: bool = False,
    threads: int = 1,
    watch: Watch = unwatched,
    callbacks: Mapping[str, Callback] | None = None,
    derivatives: Sequence[str] = (),
) -> list[Trajectory]: ...
def simulate(
    scenes: Scene | str | Path | Iterable[Scene | str | Path],
    *,
    terms: bool = False,
    contacts: bool = False,
    threads: int = 1,
    watch: Watch = unwatched,
    callbacks: Mapping[str, Callback] | None = None,
    derivatives: Sequence[str] = (),
) -> Trajectory | list[Trajectory]:
    """Run a scene, or many, and return the history or histories in memory.

    Many scenes are grouped by structure (tree, loads and their times, method, step, duration, sampling). They run
    sixteen at a time, in blocks. The bits of a scene do not depend on its neighbours or on the number of threads.

    Parameters
    ----------
    scenes : Scene, path, or an iterable of them
        A path stands for the scene in that file.
    terms : bool
        Record the terms of each acceleration, in addition to what `simulation.record` of a scene selects.
    contacts : bool
        Record all points where shapes touch.
    threads : int
        The number of threads that compute blocks.
    watch : callable
        `watch(n)` is called about ten times a second with the number of steps done. Returning true ends the run.
    callbacks : mapping of paths of bodies to callables
        Forces from Python, for one scene; see `Simulation`.
    derivatives : sequence of str
        Names of numbers of one scene; see `Trajectory.derivative`.

    Returns
    -------
    Trajectory or list of Trajectory
        One for a single scene. Of many scenes, the history of one that diverges has `status` "failed" and ends with the
        last finite state; the others are not affected.

    Raises
    ------
    SimulationError
        If a single scene diverges; its `trajectory` holds the samples up to the last finite state.
    """
    threads, watch = whole_number(threads, "threads", least=1), function(watch, "watch")
    recorded = {"terms": terms, "contacts": contacts}
    if not is_many(scenes):
        return _simulate_one(cast(Scene | str | Path, scenes), recorded, watch, callbacks, derivatives)
    if callbacks or derivatives:
        raise UsageError("callbacks and derivatives are for one scene at a time")
    many = [as_scene(scene) for scene in cast(Iterable[Scene | str | Path], scenes)]
    worlds = [build_world(scene) for scene in many]
    for world in worlds if contacts else ():
        require_shapes(shapes_of(world))
    check_memory(sum(map(history_bytes, many, worlds, repeat(terms), repeat(contacts))))
    results: list[Trajectory | None] = [None] * len(worlds)

    def run(runners: Runners, group: WorldList, places: np.ndarray) -> None:
        numbers = group.numbers[places].tolist()
        if len(numbers) == 1:
            results[numbers[0]] = _kept(many[numbers[0]], recorded, watch)
            return
        runner = runners.take()
        outcome = runner.run(group, places, watch)
        for lane, number in enumerate(numbers):
            results[number] = _lane_history(many[number], worlds[number], recorded, outcome, lane)
        runners.give(runner)
        for number in numbers:
            # One that fails is run again on its own, with the same bits, to stop at its last finite state.
            if results[number] is None:
                results[number] = _kept(many[number], recorded, watch)

    blocks = [(*found, block) for found in _groups(many, worlds, terms) for block in found[0].blocks(found[1])]
    with ThreadPoolExecutor(max_workers=threads) as pool:
        list(pool.map(lambda block: run(*block), blocks))
    return cast(list[Trajectory], results)


def _groups(scenes: Sequence[Scene], worlds: Sequence[World], terms: bool) -> list[tuple[Runners, WorldList]]:
    """The worlds in groups of one structure, that record the same."""
    found: dict = defaultdict(list)
    for number, (scene, world) in enumerate(zip(scenes, worlds, strict=True)):
        found[structure(world), terms or records_terms(scene)].append(number)

    def runners(numbers: list[int], with_terms: bool) -> tuple[Runners, WorldList]:
        group, first = WorldList([worlds[number] for number in numbers], numbers), worlds[numbers[0]]
        return Runners(lambda: BlockRunner(first, {}, with_terms=with_terms, keeps_events=True)), group

    return [runners(numbers, with_terms) for (_, with_terms), numbers in found.items()]


def is_many(scenes: object) -> bool:
    """Whether the argument is a collection of scenes, not one scene or something else."""
    return isinstance(scenes, Iterable) and not isinstance(scenes, Scene | str | bytes | Path | Mapping)


def history_bytes(scene: Scene, world: World, terms: bool, contacts: bool) -> int:
    """Bytes of a whole history, apart from contact points."""
    held = joints_of(world), world.blueprint.loop_types
    possible = possible_fields(bool(shapes_of(world)), terms or records_terms(scene), contacts, *held)
    recorded = recorded_of(scene, world, terms, contacts)
    return sample_count(world.blueprint) * recorded_bytes(possible, recorded, labels_of(world.paths, *held))


def free_memory() -> float:
    """Bytes of memory that are free; infinite on a system that does not report it."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return math.inf


def check_memory(need: int, hint: str = "or write to a file with `rigidsim run`") -> None:
    """Raise StorageError if histories of this many bytes would not fit into the memory that is free."""
    if need > ALWAYS_FREE and 2 * need > (free := free_memory()):  # the samples, and the arrays made from them
        raise StorageError(
            f"the history would need {2 * need / 1e9:.3g} GB of memory, {free / 1e9:.3g} GB are free;"
            f" set simulation.record_every or simulation.record, {hint}"
        )


def _simulate_one(
    scene: Scene | str | Path,
    recorded: Mapping[str, bool],
    watch: Watch,
    callbacks: Mapping[str, Callback] | None = None,
    derivatives: Sequence[str] = (),
) -> Trajectory:
    """The history of one scene with what is to be recorded, by the arguments of `Simulation`."""
    if derivatives and callbacks:
        raise UsageError("callbacks are functions of Python, which have no derivatives")
    if derivatives:
        return _differentiated(scene, derivatives, watch, **recorded)
    simulation = Simulation(scene, **recorded, callbacks=callbacks)
    found = history_of(simulation, watch)
    simulation._give_back()
    return found


def history_of(simulation: Simulation, watch: Watch = unwatched) -> Trajectory:
    """The history of a simulation that has not begun."""
    header, n_sample, taken = simulation.header, simulation.n_sample, 0
    if n_sample * simulation.sample_bytes > ALWAYS_FREE:
        check_memory(n_sample * header.sample_bytes)
    samples: dict[str, np.ndarray] = {}
    sampled = header.sampled_names
    tables: dict[str, list[np.ndarray]] = defaultdict(list)

    def history() -> Trajectory:
        arrays = samples if taken == n_sample else {name: array[:taken] for name, array in samples.items()}
        arrays = arrays | {name: np.concatenate(parts) for name, parts in tables.items()}
        rest = simulation.status, simulation.events, simulation.metrics, simulation.contact_ledger
        return Trajectory.from_samples(simulation.header, arrays, *rest)

    try:
        for block in simulation._blocks(watch, resumable=False):
            begin, taken = taken, taken + len(block.time)
            for name, part in recorded_samples(header, block).items():
                if name in sampled:
                    if name not in samples:
                        samples[name] = np.empty((n_sample, *part.shape[1:]), part.dtype)
                    samples[name][begin:taken] = part
                else:
                    tables[name].append(part)
    except SimulationError as error:
        if taken:
            error.trajectory = history()
        raise
    return history()


def _lane_history(
    scene: Scene, world: World, recorded: Mapping[str, bool], outcome: Outcome, lane: int
) -> Trajectory | None:
    """The history of one lane of a block; None if it fails."""
    run, shape = outcome.run, world.blueprint
    if not outcome.is_finite[lane]:
        return None
    header = header_of(scene, world, recorded["terms"], with_contacts=recorded["contacts"])
    times = np.append(sample_times(shape, 0, len(outcome.samples.world.position) - 1), run.time)
    block = Block(times, *one_lane(outcome.samples, lane, LANES), readings=reading_columns(header.readings, run, lane))
    metrics = dict(zip(header.metrics, outcome.metrics[:, lane].tolist(), strict=True))
    status = "complete" if outcome.is_complete else "interrupted"
    return Trajectory.from_blocks(header, [block], status, Events(header, event_columns(run, lane)), metrics)


def _kept(scene: Scene, recorded: Mapping[str, bool], watch: Watch) -> Trajectory:
    """The history of one scene; if it fails, up to the failure."""
    try:
        return _simulate_one(scene, recorded, watch)
    except SimulationError as error:
        if error.trajectory is None:
            raise
        return error.trajectory
