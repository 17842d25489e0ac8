"""Read the result file of a sweep damaged in many ways, as `load_sweep`, `inspect`, `run --from` and `export` do.

Arguments: the file, a folder to work in, how many copies to flip 1 to 20 bits of, how many to restructure through HDF5,
and a seed.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from damaging import count_outcomes, heaps

from rigidsim.exports.runs import run_table
from rigidsim.report.sweep_inspection import inspect_sweep
from rigidsim.sweeps.stored import load_sweep

VAST = 10**10


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


def flipped(content: bytes, choice: random.Random) -> bytearray:
    """1 to 20 bits flipped: a third anywhere, a third where the file says what it has, a third in texts."""
    part = choice.choice([range(len(content)), range(min(len(content), 20_000)), choice.choice(heaps(content))])
    damaged = bytearray(content)
    for _ in range(choice.randint(1, 20)):
        damaged[choice.choice(part)] ^= 1 << choice.randrange(8)
    return damaged


def objects(file: h5py.File) -> tuple[list[str], list[str]]:
    """The names of all groups and datasets."""
    groups, datasets = [], []
    file.visititems(lambda name, found: (datasets if isinstance(found, h5py.Dataset) else groups).append(name))
    return groups, datasets


def instead(name: str, **created: object) -> Callable[[h5py.File], object]:
    """Another dataset in place of one."""

    def change(file: h5py.File) -> None:
        del file[name]
        file.create_dataset(name, **created)

    return change


def linked(name: str, link: object) -> Callable[[h5py.File], object]:
    """A link in place of an object."""

    def change(file: h5py.File) -> None:
        del file[name]
        file[name] = link

    return change


def changes_of_dataset(name: str, file: h5py.File, pipe: Path) -> list[Callable[[h5py.File], object]]:
    """Ways to restructure a dataset."""
    shape, dtype = file[name].shape, file[name].dtype
    is_text = h5py.check_string_dtype(dtype) is not None
    values = np.zeros(shape, "f8" if is_text else dtype)
    vast = {"shape": (VAST, *shape[1:]), "dtype": dtype}
    layout = h5py.VirtualLayout(shape, "f8")
    layout[...] = h5py.VirtualSource("other.h5", "x", shape)

    def virtual(file: h5py.File) -> None:
        del file[name]
        file.create_virtual_dataset(name, layout)

    def group(file: h5py.File) -> None:
        del file[name]
        file.create_group(name)

    return [
        lambda file: file.__delitem__(name),
        linked(name, h5py.ExternalLink("other.h5", "/x")),
        linked(name, h5py.ExternalLink("nowhere.h5", "/x")),
        linked(name, h5py.ExternalLink(str(pipe), "/x")),
        linked(name, h5py.SoftLink(f"/{name}")),
        linked(name, h5py.SoftLink("/nowhere")),
        instead(name, data=1.5),
        instead(name, data="text"),
        instead(name, data=["text"] * max(1, shape[0] if shape else 1)),
        instead(name, data=h5py.Empty("f8")),
        instead(name, data=values.astype("f4" if values.dtype != "f4" else "f8")),
        instead(name, data=values.astype(">i4")),
        instead(name, shape=shape, dtype=[("a", "f8"), ("b", "i4")]),
        instead(name, shape=shape, dtype=h5py.ref_dtype),
        instead(name, data=np.zeros((*shape, 2))),
        instead(name, data=np.zeros((shape[0] + 1, *shape[1:]) if shape else 2, values.dtype)),
        instead(name, data=np.zeros((0, *shape[1:]), values.dtype)),
        instead(name, **vast),
        instead(name, **vast, chunks=(1, *shape[1:])),
        instead(name, data=values),
        virtual,
        group,
    ]


def changes_of_attribute(name: str, key: str) -> list[Callable[[h5py.File], object]]:
    """Ways to change an attribute of an object."""
    others = (
        7,
        -1,
        2**62,
        0.5,
        np.nan,
        "",
        "x",
        "{",
        "[" * 5000,
        "null",
        "[1]",
        '{"a": 1}',
        np.zeros(9),
        b"\xff",
        ["a", "b"],
    )

    def of(file: h5py.File) -> h5py.AttributeManager:
        return file[name or "/"].attrs

    changes = [lambda file, other=other: of(file).__setitem__(key, other) for other in others]
    return [lambda file: of(file).__delitem__(key), lambda file: of(file).create(key, h5py.Empty("f8")), *changes]


INSIGNIFICANT = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates"}
"""Attributes of axes, which other programs read."""


def restructure(path: Path, choice: random.Random, pipe: Path) -> str:
    """Change one thing in a file, which is described."""
    with h5py.File(path, "r+") as file:
        groups, datasets = objects(file)
        kind = choice.choice(["dataset", "dataset", "attribute", "group"])
        if kind == "group":
            name = choice.choice(groups)
            changes = [lambda file: file.__delitem__(name), linked(name, h5py.SoftLink(f"/{name}")),
                       linked(name, h5py.ExternalLink(str(pipe), "/")), instead(name, data=np.zeros(3))]  # fmt: skip
        elif kind == "dataset":
            name = choice.choice(datasets)
            changes = changes_of_dataset(name, file, pipe)
        else:
            name = choice.choice(["", "", *groups, *datasets])
            keys = sorted(set(file[name or "/"].attrs) - INSIGNIFICANT)
            if not keys:
                return restructure_closed(file, path, choice, pipe)
            key = choice.choice(keys)
            changes = changes_of_attribute(name, key)
            name = f"{name}@{key}"
        number = choice.randrange(len(changes))
        changes[number](file)
        return f"{kind} {name} {number}"


def restructure_closed(file: h5py.File, path: Path, choice: random.Random, pipe: Path) -> str:
    """Another change, of a file that had nothing to change."""
    file.close()
    return restructure(path, choice, pipe)


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
