"""Read the result file of a sweep damaged in many ways, as `load_sweep`, `inspect`, `run --from` and `export` do.

Arguments: the file, a folder to work in, how many copies to flip 1 to 20 bits of, how many to restructure through HDF5,
and a seed.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from rigidsim.exports.runs import run_table
from rigidsim.report.sweep_inspection import inspect_sweep
from rigidsim.sweeps.stored import load_sweep
from support.damaging import count_outcomes, flipped, restructure


def columns(path: Path) -> object:
    """The table of runs, metrics and arrays."""
    with load_sweep(path) as sweep:
        arrays = [sweep.array(name).tobytes() for name in sweep.datasets]
        tables = [[(name, column.tolist()) for name, column in table.items()] for table in (sweep.runs, sweep.metrics)]
        return arrays, repr(tables), sweep.description, sweep.content_hash, sweep.failed.tolist()


def one_metric(path: Path) -> object:
    """A metric alone, as `plot` reads it."""
    with load_sweep(path) as sweep:
        return {name: column.tobytes() for name, column in sweep.metrics.items()}


def inspected(path: Path) -> object:
    """What `inspect` shows."""
    return repr({**inspect_sweep(path).as_dict(), "file": ""})


def one_run(path: Path) -> object:
    """What `run --from --index` repeats, and the last state of a run."""
    with load_sweep(path) as sweep:
        number = int(sweep.numbers[-1])
        state = sweep[number]
        scene = sweep.scene_at(number).resolved()
        found = state["top"].world.angular_velocity
        return sweep.scene_text, repr(sweep.overrides(number)), repr(scene), found.tobytes()


def exported(path: Path) -> object:
    """What `export` writes."""
    with load_sweep(path) as sweep:
        sweep.verify()
        return "".join(run_table(sweep).text())


READINGS = (columns, one_metric, inspected, one_run, exported)


def damages(original: Path, path: Path, flips: int, structures: int, seed: int) -> Iterator[str]:
    """Damage copies of a file, one after the other, each described."""
    choice, content, pipe = random.Random(seed), original.read_bytes(), path.with_name("pipe.h5")
    os.mkfifo(pipe)
    with h5py.File(path.with_name("other.h5"), "w") as other:
        other["x"] = np.zeros(400)
    for number in range(flips):
        path.write_bytes(flipped(content, choice))
        yield f"flip {number}"
    for _ in range(structures):
        path.write_bytes(content)
        yield f"structure: {restructure(path, choice, pipe)}"
    for length in {choice.randrange(len(content)) for _ in range(structures // 10)}:
        path.write_bytes(content[:length])
        yield f"cut {length}"


original, path = Path(sys.argv[1]), Path(sys.argv[2]) / "damaged.h5"
count_outcomes(original, path, damages(original, path, *map(int, sys.argv[3:])), READINGS)
