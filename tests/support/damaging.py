"""What becomes of damaged files: read in several ways, each time all as it was, or a FormatError; for programs of their
own process, since a damaged file may end one.
"""

from __future__ import annotations

import faulthandler
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import h5py
import numpy as np

from rigidsim.errors import FormatError

VAST = 10**10


def heaps(content: bytes) -> list[range]:
    """Where HDF5 keeps text of variable length, which has no checksum of its own."""
    begins = [found.start() for found in re.finditer(rb"GCOL\x01", content)]
    return [range(begin, begin + int.from_bytes(content[begin + 8 : begin + 16], "little")) for begin in begins]


def outcome(path: Path, read: Callable[[Path], object], whole: object) -> str:
    """What one way of reading a file comes to. One that takes more than a minute ends the process."""
    faulthandler.dump_traceback_later(60, exit=True)
    try:
        return "whole" if read(path) == whole else "changed"
    except FormatError as error:
        return "refused" if "\n" not in str(error) else "reported in many lines"
    except Exception as error:
        print(f"{read.__name__}: {type(error).__name__}: {str(error)[:300]}")
        return "internal"
    finally:
        faulthandler.cancel_dump_traceback_later()


def count_outcomes(original: Path, path: Path, damages: Iterable[str], readings: tuple[Callable, ...]) -> None:
    """Read each damaged copy, which `damages` writes and describes, in all ways; the last line printed counts."""
    counts: Counter[str] = Counter()
    whole = {read: read(original) for read in readings}
    for damage in damages:
        print(damage, flush=True)  # the last one printed is the one that a crash is due to
        for read in readings:
            found = outcome(path, read, whole[read])
            if found not in ("whole", "refused"):
                print(f"  {read.__name__}: {found}", flush=True)
            counts[f"{damage.partition(' ')[0].strip(':')}, {read.__name__}, {found}"] += 1
    print(dict(counts))


def flipped(content: bytes, choice: random.Random) -> bytearray:
    """1 to 20 bits flipped: a third anywhere, a third where the file says what it has, a third in texts."""
    part = choice.choice(
        [
            range(len(content)),
            range(min(len(content), 20_000)),
            *([choice.choice(found)] if (found := heaps(content)) else []),
        ]
    )
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
