"""The files of a sweep that is not complete: the results under a temporary name, and the messages of failed runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rigidsim.errors import FormatError, StorageError
from rigidsim.trajectory.checks import own_dataset, stored_dataset
from rigidsim.trajectory.destination import (
    SWEEP,
    Hints,
    as_storage_error,
    checkpoint_path,
    is_unfinished,
    remove_remains,
    result_kind,
    temporary_path,
)
from rigidsim.trajectory.spool import Spool
from rigidsim.trajectory.stored import as_format_error, format_of, is_locked, opened

OLDER, FORMAT, HELD = (f"rigidsim-sweep/{number}" for number in (1, 2, 3))
"""The format, that of a file with arrays of joints, which older versions cannot read, and an older one, which has no
digests of what is not a result: the plan, its values, and what the datasets mean.
"""


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
            except (ValueError, TypeError, RecursionError):
                continue
            if type(run) is int and isinstance(text, str):
                found[run] = text
    return found


def done_of(path: Path) -> int:
    """The number of runs in the temporary file of a sweep that was interrupted; 0 if there is none.

    Raises FormatError if that file is damaged, unless it may be that of a sweep that was killed before it began.
    """
    temporary = temporary_path(path)
    if not temporary.is_file():
        return 0
    try:
        return _done_in(temporary)
    except FormatError:
        if errors_path(path).exists():  # which is made when the file is complete but for the results
            raise
        return 0


def _done_in(path: Path) -> int:
    found = opened(path, lock=False)
    try:
        with as_format_error(path):
            if not str(found.file.attrs["format"]).startswith(SWEEP.format):
                return 0
            status = own_dataset(found.file, path, "runs/status")
            status = stored_dataset(found.file, path, "runs/status", (status.size,), "u1")
            return int(np.count_nonzero(status[()]))
    finally:
        found.close()


def is_under_way(path: Path) -> bool:
    """Whether a process is writing the result file of this path."""
    temporary = temporary_path(path)
    return temporary.is_file() and is_locked(temporary)


def require_idle(path: Path, hints: Hints) -> None:
    """Raise StorageError if a process is writing the result file of this path. What a process did not end that was
    killed while it completed that file, is done.
    """
    if is_under_way(path):
        done = f"{done_of(path):,} runs of a sweep are done"
        raise StorageError(f"another process is writing {path}: {done}; wait for its end, {hints.elsewhere}")
    remove_remains(path)
    if is_unfinished(path):
        with as_storage_error(path):
            spool = Spool(path, keep=True)
            try:
                spool.restore()
            finally:
                spool.close()
            if result_kind(temporary_path(path)) is SWEEP:
                checkpoint_path(path).unlink()
    if not temporary_path(path).exists():
        errors_path(path).unlink(missing_ok=True)


def stored_path(path: Path) -> Path:
    """The result file of a sweep: the temporary one if there is none at the path, and results in that."""
    return path if path.exists() or not done_of(path) else temporary_path(path)


def is_sweep(path: Path) -> bool:
    """Whether the file at a path, or what is done of it so far, is that of a sweep. Raises StorageError or FormatError
    for one that cannot be read.
    """
    found = stored_path(path)
    return format_of(found, lock=found == final_path(found)).startswith(SWEEP.format)


def final_path(path: Path) -> Path:
    """The path that a result file has when it is complete; the inverse of `temporary_path`."""
    name = path.name.removeprefix(".").removesuffix(".tmp")
    return path.with_name(name) if name and path.name == f".{name}.tmp" else path
