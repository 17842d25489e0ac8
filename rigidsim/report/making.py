"""The progress of a file that is made from a trajectory, piece by piece, and its summary."""

from __future__ import annotations

from pathlib import Path

from rigidsim.errors import Interrupted
from rigidsim.report.progress import ProgressLine
from rigidsim.report.signals import StopRequest
from rigidsim.report.wording import counted


class Making:
    """A context in which a file is made. `report(done, total)` is called after each piece: it shows the progress, and
    raises Interrupted after a signal, so that the unfinished file is removed. `pieces` is what one of them is called,
    or empty.
    """

    def __init__(self, path: Path, pieces: str, quiet: bool):
        self._path, self._pieces, self._quiet = path, pieces, quiet
        self._line: ProgressLine | None = None
        self._stop = StopRequest()
        self.total = 1

    def __enter__(self) -> Making:
        self._stop.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.__exit__()
        if self._line:
            self._line.clear()

    def report(self, done: int, total: int) -> None:
        """Report that some of all pieces are done."""
        if self._stop.received:
            raise Interrupted(f"stopped by {self._stop.name}; {self._path} was not written", self._stop.received)
        self._line = self._line or ProgressLine(total, self._quiet)
        self.total = total
        self._line.report(done, lambda spent: f"{done} of {counted(total, self._pieces)}" if self._pieces else "done")

    def __str__(self) -> str:
        pieces = f"{counted(self.total, self._pieces)}, " if self._pieces else ""
        return f"{self._path}: {pieces}{_bytes(self._path.stat().st_size)}"


def _bytes(size: int) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return counted(size, "byte")
