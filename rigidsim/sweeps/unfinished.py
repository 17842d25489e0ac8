"""The files of a sweep that is not complete: the results under a temporary name, and the messages of failed runs."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np

from rigidsim.trajectory.destination import temporary_path
from rigidsim.trajectory.stored import format_of

FORMAT = "rigidsim-sweep/1"


def errors_path(path: Path) -> Path:
    """The file with the messages of failed runs, until the result file is complete."""
    return path.with_name(f".{path.name}.errors.tmp")


def read_errors(path: Path) -> dict[int, str]:
    """The messages of failed runs, by run; the last line may be torn."""
    found = {}
    if errors_path(path).exists():
        for line in errors_path(path).read_text(errors="replace").splitlines():
            try:
                run, text = json.loads(line)
            except (ValueError, TypeError):
                continue
            found[run] = text
    return found


def done_of(path: Path) -> int:
    """The number of runs in the temporary file of a sweep that was interrupted; 0 if there is none."""
    try:
        with h5py.File(temporary_path(path), "r", locking=False) as file:
            is_ours = file.attrs["format"] == FORMAT
            return int(np.count_nonzero(file["runs/status"][()])) if is_ours else 0
    except (OSError, KeyError, RuntimeError, ValueError):
        return 0


def stored_path(path: Path) -> Path:
    """The result file of a sweep: the temporary one if there is none at the path, and results in that."""
    return path if path.exists() or not done_of(path) else temporary_path(path)


def is_sweep(path: Path) -> bool:
    """Whether the file at a path, or what is done of it so far, is that of a sweep. Raises StorageError or FormatError
    for one that cannot be read.
    """
    found = stored_path(path)
    return format_of(found, lock=found == final_path(found)).startswith(FORMAT.partition("/")[0])


def final_path(path: Path) -> Path:
    """The path that a result file has when it is complete; the inverse of `temporary_path`."""
    name = path.name.removeprefix(".").removesuffix(".tmp")
    return path.with_name(name) if name and path.name == f".{name}.tmp" else path
