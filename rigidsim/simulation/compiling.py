"""Compiling ahead of time: all code that runs and sweeps of a scene need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import lanes_of
from rigidsim.engine.time.run import BlockRun
from rigidsim.errors import StorageError, UsageError
from rigidsim.jit.cache import VARIABLE as FOLDER
from rigidsim.jit.cache import cache_folder
from rigidsim.jit.kernels import VARIABLE, Made, foresee, is_interpreted
from rigidsim.scene import Scene


class CompiledKernel(NamedTuple):
    """A kernel of blocks with this number of lanes."""

    lanes: int
    made: Made


def folder_for_code() -> Path:
    """The folder in which compiled code is kept. Raises StorageError if there is none, or another one than asked for,
    and UsageError if nothing is compiled.
    """
    if is_interpreted():
        raise UsageError(f"with {VARIABLE}=off nothing is compiled")
    folder, asked = cache_folder(), os.environ.get(FOLDER)
    if asked and (folder is None or folder.parent != Path(os.path.realpath(asked))):
        raise StorageError(f"compiled code cannot be kept in {FOLDER}={asked}")
    if folder is None:
        raise StorageError(f"there is no folder for compiled code; set {FOLDER} to one that only you can write to")
    return folder


def compile_scene(scene: Scene) -> Iterator[CompiledKernel]:
    """Compile the general and specialised code that runs of a scene (one lane) and sweeps (many) need, and that is not
    in the cache; yields each kernel when it is made.
    """
    world = build_world(scene)
    runs = {lanes: BlockRun([world], lanes) for lanes in sorted({1, lanes_of(world)})}
    foresee(call for run in runs.values() for call in run.calls())
    for lanes, run in runs.items():
        for call, arguments in run.calls():
            yield CompiledKernel(lanes, call.make(*arguments))
        straight = run.make_specialised()
        if straight:
            yield CompiledKernel(lanes, straight)
