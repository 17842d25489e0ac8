"""`simulate`: from scenes to histories in memory; many scenes run sixteen at a time in SIMD lanes."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from rigidsim.arguments import function, whole_number
from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import Blueprint, World
from rigidsim.engine.callbacks import Callback
from rigidsim.engine.compiler import compile_scene
from rigidsim.engine.lanes import LANES, one_lane, structure
from rigidsim.engine.run import BlockRun
from rigidsim.errors import SimulationError, StorageError, UsageError
from rigidsim.scene import Scene, as_scene
from rigidsim.simulation.events import events_of
from rigidsim.simulation.header import header_of, sample_count, sample_times
from rigidsim.simulation.single import Simulation, Watch, unwatched
from rigidsim.trajectory.fields import Block, sample_bytes
from rigidsim.trajectory.trajectory import Trajectory


def simulate(
    scenes: Scene | str | Path | Iterable[Scene | str | Path],
    *,
    terms: bool = False,
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
    the others are not affected. `terms` records the terms of each acceleration. `watch(n)` is called about ten times a
    second with the number of steps done; returning true ends the run. `callbacks`, for one scene: see `Simulation`.
    """
    threads, watch = whole_number(threads, "threads", least=1), function(watch, "watch")
    if not is_many(scenes):
        return _simulate_one(scenes, terms, watch, callbacks)
    if callbacks:
        raise UsageError("callbacks are for one scene at a time")
    scenes = [as_scene(scene) for scene in scenes]
    worlds = [compile_scene(scene) for scene in scenes]
    check_memory(sum(history_bytes(world.blueprint, terms) for world in worlds))
    groups: dict = defaultdict(list)
    for i, world in enumerate(worlds):
        groups[structure(world)].append(i)
    blocks = [group[k : k + LANES] for group in groups.values() for k in range(0, len(group), LANES)]
    results: list[Trajectory | None] = [None] * len(worlds)

    def run(block: list[int]) -> None:
        histories = _simulate_block([scenes[i] for i in block], [worlds[i] for i in block], terms, watch)
        for i, history in zip(block, histories, strict=True):
            results[i] = history

    with ThreadPoolExecutor(max_workers=threads) as pool:
        list(pool.map(run, blocks))
    return results


def is_many(scenes: object) -> bool:
    """Whether the argument is a collection of scenes, not one scene or something else."""
    return isinstance(scenes, Iterable) and not isinstance(scenes, Scene | str | bytes | Path | Mapping)


def history_bytes(blueprint: Blueprint, terms: bool) -> int:
    """Bytes of a whole history."""
    return sample_count(blueprint) * sample_bytes(len(blueprint.tree.nodes), terms)


def check_memory(need: int) -> None:
    """Raise StorageError if histories of this many bytes would not fit into the memory that is free."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # a system that does not report it
        return
    if 2 * need > free:  # the samples, and the arrays made from them
        raise StorageError(
            f"the history would need {2 * need / 1e9:.3g} GB of memory, {free / 1e9:.3g} GB are free;"
            " set simulation.record_every, or write to a file with `rigidsim run`"
        )


def _simulate_one(
    scene: Scene | str | Path, terms: bool, watch: Watch, callbacks: Mapping[str, Callback] | None = None
) -> Trajectory:
    simulation = Simulation(scene, terms=terms, callbacks=callbacks)
    check_memory(history_bytes(simulation.blueprint, terms))
    blocks: list[Block] = []
    try:
        for block in simulation.blocks(watch):
            blocks.append(Block(*(array.copy() for array in block)))
    except SimulationError as error:
        if blocks:
            error.trajectory = Trajectory.from_blocks(simulation.header, blocks, simulation.status, simulation.events)
        raise
    return Trajectory.from_blocks(simulation.header, blocks, simulation.status, simulation.events)


def _simulate_block(scenes: Sequence[Scene], worlds: Sequence[World], terms: bool, watch: Watch) -> list[Trajectory]:
    """Histories of up to LANES worlds of one structure."""
    if len(worlds) == 1:
        return [_kept(scenes[0], terms, watch)]
    shape, run = worlds[0].blueprint, BlockRun(worlds, LANES, terms, read_events=events_of)
    samples = run.room(sample_count(shape) - 1)
    run.prepare()
    for _ in run.slices(shape.n_step, shape.stride, samples, 0):
        if watch(run.n):
            break
    count, end = -(-run.n // shape.stride), run.observed()
    status = "complete" if run.n == shape.n_step else "interrupted"
    histories = []
    for lane, (scene, world) in enumerate(zip(scenes, worlds, strict=True)):
        body = Block(sample_times(shape, 0, count), *(a[:count] for a in one_lane(samples, lane, LANES)))
        last = Block(np.array([run.time]), *one_lane(end, lane, LANES))
        faults = run.fault[:, layout.N_FAILED * LANES : (layout.N_FAILED + 1) * LANES][:, lane]
        if np.isfinite(last.world).all() and np.isfinite(last.ledger).all() and not faults.any():
            header = header_of(scene, world, terms)
            histories.append(Trajectory.from_blocks(header, [body, last], status, tuple(run.events[lane])))
        else:
            # Run again on its own, with the same bits, to stop at its last finite state.
            histories.append(_kept(scene, terms, watch))
    return histories


def _kept(scene: Scene, terms: bool, watch: Watch) -> Trajectory:
    """The history of one scene; if it fails, up to the failure."""
    try:
        return _simulate_one(scene, terms, watch)
    except SimulationError as error:
        if error.trajectory is None:
            raise
        return error.trajectory
