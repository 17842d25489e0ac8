"""The kinds of files that are written, and which of them may replace an existing one: its own kind only."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import NamedTuple

from rigidsim.errors import FormatError

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
LONGEST_BEGIN = 300  # bytes


class FileKind(NamedTuple):
    """A kind of file: what messages call one and several, the endings of its name, and a regular expression for how it
    begins; none if any file with that name is one. Results have the name of their `format` in the file, before its
    number, and any name.
    """

    name: str
    plural: str
    endings: tuple[str, ...]
    begin: bytes = b""
    format: str = ""

    def is_one(self, path: Path) -> bool:
        """Whether an existing file is of this kind, or empty. A trajectory, or the result file of a sweep, is of no
        other kind, whatever its name.
        """
        with path.open("rb") as file:
            head = file.read(LONGEST_BEGIN)
        if not head or self.format:
            return not head or result_kind(path) is self
        return re.match(self.begin, head, re.DOTALL) is not None and result_kind(path) is None


TRAJECTORY = FileKind("a trajectory", "trajectories", (".h5",), format="rigidsim-trajectory/")
SWEEP = FileKind("the result file of a sweep", "result files of sweeps", (".h5",), format="rigidsim-sweep/")
RESULTS = (TRAJECTORY, SWEEP)


def result_kind(path: Path, lock: bool = True) -> FileKind | None:
    """The kind of results in an existing file; None for another file, and for one that is damaged. With `lock`,
    StorageError if another process writes it.
    """
    from rigidsim.trajectory.stored import format_of

    with path.open("rb") as file:
        if file.read(len(HDF5_SIGNATURE)) != HDF5_SIGNATURE:
            return None
    with contextlib.suppress(FormatError):
        found = format_of(path, lock)
        return next((kind for kind in RESULTS if found.startswith(kind.format)), None)
    return None


def may_replace(path: Path, kind: FileKind, force: bool) -> bool:
    """Whether a file of this kind may be written to a path that has been checked before, and may exist by now."""
    return force and (not path.exists() or kind.is_one(path))
