"""Files that are made from trajectories: complete under their final name, or not there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rigidsim.arguments import file_path
from rigidsim.errors import StorageError, UsageError
from rigidsim.trajectory.destination import IN_PYTHON, Hints, as_storage_error, check_output
from rigidsim.trajectory.file_kinds import FileKind, may_replace
from rigidsim.trajectory.spool import Spool


def kind_of(path: str | Path, kinds: tuple[FileKind, ...]) -> FileKind:
    """The kind of file that the ending of a path stands for. Raises UsageError for another ending."""
    path = file_path(path, "the file")
    for kind in kinds:
        if path.suffix.lower() in kind.endings:
            return kind
    endings = ", ".join(ending for kind in kinds for ending in kind.endings)
    raise UsageError(f"{path}: the name must end with one of {endings}")


@contextmanager
def published(path: str | Path, kind: FileKind, force: bool, hints: Hints = IN_PYTHON) -> Iterator[Spool]:
    """A temporary file next to a path, open for writing, which gets its name at the end. After an exception it is
    removed.

    Raises StorageError if it cannot be written, or if the path exists and `force` is false.
    """
    path = file_path(path, "the file")
    check_output(path, kind, force, hints)
    with as_storage_error(path):
        spool = Spool(path)
        try:
            yield spool
            spool.check()
            found = spool.publish(may_replace(path, kind, force))
        finally:
            spool.discard()
    if found != path:
        raise StorageError(f"{path} was written by another process in the meantime; this file was saved as {found}")
