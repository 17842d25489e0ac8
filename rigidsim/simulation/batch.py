"""`simulate`: from scenes to histories in memory; many scenes run sixteen at a time in SIMD lanes."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

import numpy as np

from rigidsim.arguments import function, whole_number
from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.building import build_world
from rigidsim.engine.callbacks import Callback
from rigidsim.engine.lanes import LANES, lanes_of, one_lane, structure
from rigidsim.engine.model import Samples
from rigidsim.engine.run import BlockRun
from rigidsim.errors import SimulationError, StorageError, UsageError
from rigidsim.scene import Scene, as_scene
from rigidsim.simulation.contacts import require_shapes, shapes_of
from rigidsim.simulation.events import events_of
from rigidsim.simulation.header import header_of, sample_count, sample_times
from rigidsim.simulation.recording import recorded_of, records_terms
from rigidsim.simulation.single import Simulation, Watch, unwatched
from rigidsim.trajectory.fields import Block
from rigidsim.trajectory.recorded import possible_fields, recorded_bytes
from rigidsim.trajectory.timeline import Events
from rigidsim.trajectory.trajectory import Trajectory, recorded_samples


def simulate(
    scenes: Scene | str | Path | Iterable[Scene | str | Path],
    *,
    terms: bool = False,
    contacts: bool = False,
    threads: int = 1,
    watch: Watch = unwatched,
    callbacks: Mapping[str, Callback] | None = None,
) -> Trajectory | list[Trajectory]:
    """Run a scene, or many, and return the history or histories in memory. A path stands for the scene in that file.

    Many scenes are grouped by structure (tree, loads and their times, method, step, duration, sampling) and run
    sixteen at a time, blocks on `threads` threads; a scene's bits do not depend on its neighbours or on the number of
    threads.

    If a single scene diverges, SimulationError is raised, whose `trajectory` holds the samples up to the last finite
    state. Of many scenes, the history of one that diverges has `status` "failed" and ends with the last finite state;
    the others are not affected. Recorded is what `simulation.record` of a scene selects; `terms` adds the terms of each
    acceleration, `contacts` all points where shapes touch. `watch(n)` is called about ten times a second with the
    number of steps done; returning true ends the run.
    `callbacks`, for one scene: see `Simulation`.
    """
    threads, watch = whole_number(threads, "threads", least=1), function(watch, "watch")
    recorded = {"terms": terms, "contacts": contacts}
    if not is_many(scenes):
        return _simulate_one(scenes, recorded, watch, callbacks)
    if callbacks:
        raise UsageError("callbacks are for one scene at a time")
    scenes = [as_scene(scene) for scene in scenes]
    worlds = [build_world(scene) for scene in scenes]
    for world in worlds if contacts else ():
        require_shapes(shapes_of(world))
    check_memory(sum(map(history_bytes, scenes, worlds, repeat(terms), repeat(contacts))))
    groups: dict = defaultdict(list)
    for i, (scene, world) in enumerate(zip(scenes, worlds, strict=True)):
        groups[structure(world), records_terms(scene)].append(i)
    blocks = [part for group in groups.values() for part in _parts(group, lanes_of(worlds[group[0]]))]
    results: list[Trajectory | None] = [None] * len(worlds)

    def run(block: list[int]) -> None:
        histories = _simulate_block([scenes[i] for i in block], [worlds[i] for i in block], recorded, watch)
        for i, history in zip(block, histories, strict=True):
            results[i] = history

    with ThreadPoolExecutor(max_workers=threads) as pool:
        list(pool.map(run, blocks))
    return results


def _parts(group: list[int], size: int) -> Iterator[list[int]]:
    """A list in parts of at most this size."""
    return (group[k : k + size] for k in range(0, len(group), size))


def is_many(scenes: object) -> bool:
    """Whether the argument is a collection of scenes, not one scene or something else."""
    return isinstance(scenes, Iterable) and not isinstance(scenes, Scene | str | bytes | Path | Mapping)


def history_bytes(scene: Scene, world: World, terms: bool, contacts: bool) -> int:
    """Bytes of a whole history, apart from contact points."""
    possible = possible_fields(bool(shapes_of(world)), terms or records_terms(scene), contacts)
    recorded = recorded_of(scene, world, terms, contacts)
    return sample_count(world.blueprint) * recorded_bytes(possible, recorded, len(world.paths))


def free_memory() -> float:
    """Bytes of memory that are free; infinite on a system that does not report it."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return math.inf


def check_memory(need: int, hint: str = "or write to a file with `rigidsim run`") -> None:
    """Raise StorageError if histories of this many bytes would not fit into the memory that is free."""
    free = free_memory()
    if 2 * need > free:  # the samples, and the arrays made from them
        raise StorageError(
            f"the history would need {2 * need / 1e9:.3g} GB of memory, {free / 1e9:.3g} GB are free;"
            f" set simulation.record_every or simulation.record, {hint}"
        )


def _simulate_one(
    scene: Scene | str | Path,
    recorded: Mapping[str, bool],
    watch: Watch,
    callbacks: Mapping[str, Callback] | None = None,
) -> Trajectory:
    """The history of one scene with what is to be recorded, by the arguments of `Simulation`."""
    simulation = Simulation(scene, **recorded, callbacks=callbacks)
    header = simulation.header
    check_memory(simulation.n_sample * header.sample_bytes)
    parts: list[dict[str, np.ndarray]] = []
    try:
        for block in simulation.blocks(watch):
            parts.append({name: array.copy() for name, array in recorded_samples(header, block).items()})
    except SimulationError as error:
        if parts:
            error.trajectory = _history(simulation, parts)
        raise
    return _history(simulation, parts)


def _history(simulation: Simulation, parts: Sequence[Mapping[str, np.ndarray]]) -> Trajectory:
    """The history of a simulation, of these samples."""
    told = simulation.status, simulation.events, simulation.metrics, simulation.contact_ledger
    return Trajectory.from_parts(simulation.header, parts, *told)


def _simulate_block(
    scenes: Sequence[Scene], worlds: Sequence[World], recorded: Mapping[str, bool], watch: Watch
) -> list[Trajectory]:
    """Histories of up to LANES worlds of one structure."""
    if len(worlds) == 1:
        return [_kept(scenes[0], recorded, watch)]
    with_terms = recorded["terms"] or records_terms(scenes[0])
    shape, run = worlds[0].blueprint, BlockRun(worlds, LANES, with_terms, read_events=events_of)
    samples = run.room(sample_count(shape) - 1)
    run.prepare()
    for _ in run.slices(shape.n_step, shape.stride, samples, 0):
        if watch(run.n):
            break
    count, end = -(-run.n // shape.stride), run.observed()
    status = "complete" if run.n == shape.n_step else "interrupted"
    histories, is_finite, metrics = [], finite_lanes(run, end), run.metrics()
    for lane, (scene, world) in enumerate(zip(scenes, worlds, strict=True)):
        body = Block(sample_times(shape, 0, count), *one_lane(samples.part(slice(count)), lane, LANES))
        last = Block(np.array([run.time]), *one_lane(end, lane, LANES))
        if is_finite[lane]:
            header = header_of(scene, world, recorded["terms"], with_contacts=recorded["contacts"])
            events = Events(header, run.events[lane])
            values = dict(zip(header.metrics, metrics[:, lane].tolist(), strict=True))
            histories.append(Trajectory.from_blocks(header, [body, last], status, events, values))
        else:
            # Run again on its own, with the same bits, to stop at its last finite state.
            histories.append(_kept(scene, recorded, watch))
    return histories


def finite_lanes(run: BlockRun, end: Samples) -> np.ndarray:
    """(lane) whether the state at the end of a block, its energies and momenta, and the values of all expressions up to
    it are finite.
    """
    n = len(run.worlds)
    found = ~run.fault[:, layout.N_FAILED * n : (layout.N_FAILED + 1) * n].any(axis=0)
    for array in (*end.world, end.ledger):
        found &= np.isfinite(array.reshape(-1, n)).all(axis=0)
    return found


def _kept(scene: Scene, recorded: Mapping[str, bool], watch: Watch) -> Trajectory:
    """The history of one scene; if it fails, up to the failure."""
    try:
        return _simulate_one(scene, recorded, watch)
    except SimulationError as error:
        if error.trajectory is None:
            raise
        return error.trajectory
