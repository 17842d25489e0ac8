"""Files that are made from trajectories: complete under their final name, or not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rigidsim.arguments import file_path
from rigidsim.errors import StorageError, UsageError
from rigidsim.trajectory.destination import IN_PYTHON, Hints, as_storage_error, check_place
from rigidsim.trajectory.spool import Spool

LONGEST_BEGIN = 300  # bytes


class FileKind(NamedTuple):
    """A kind of file: what messages call one and several, the endings of its name, and a regular expression for how it
    begins; none if any file with that name is one.
    """

    name: str
    plural: str
    endings: tuple[str, ...]
    begin: bytes = b""

    def is_one(self, path: Path) -> bool:
        """Whether an existing file is of this kind by its beginning, or empty."""
        with path.open("rb") as file:
            head = file.read(LONGEST_BEGIN)
        return not head or re.match(self.begin, head, re.DOTALL) is not None


def kind_of(path: str | Path, kinds: tuple[FileKind, ...]) -> FileKind:
    """The kind of file that the ending of a path stands for. Raises UsageError for another ending."""
    path = file_path(path, "the file")
    for kind in kinds:
        if path.suffix.lower() in kind.endings:
            return kind
    endings = ", ".join(ending for kind in kinds for ending in kind.endings)
    raise UsageError(f"{path}: the name must end with one of {endings}")


def check_target(path: Path, kind: FileKind, force: bool, hints: Hints = IN_PYTHON) -> None:
    """Raise StorageError if a file of this kind cannot be written to this path."""
    check_place(path, force, hints, kind.is_one, (kind.name, kind.plural), f"out{kind.endings[0]}")


@contextmanager
def published(path: str | Path, kind: FileKind, force: bool, hints: Hints = IN_PYTHON) -> Iterator[Spool]:
    """A temporary file next to a path, open for writing, which gets its name at the end. After an exception it is
    removed.

    Raises StorageError if it cannot be written, or if the path exists and `force` is false.
    """
    path = file_path(path, "the file")
    check_target(path, kind, force, hints)
    with as_storage_error(path):
        spool = Spool(path)
        try:
            yield spool
            spool.check()
            found = spool.publish(force and (not path.exists() or kind.is_one(path)))
        finally:
            spool.discard()
    if found != path:
        raise StorageError(f"{path} was written by another process in the meantime; this file was saved as {found}")
