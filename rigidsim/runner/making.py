"""The progress of a file that is made from a trajectory, piece by piece, and its summary."""

from __future__ import annotations

from pathlib import Path

from rigidsim.errors import Interrupted
from rigidsim.report.wording import counted, size_text
from rigidsim.runner.progress import ProgressLine, Working
from rigidsim.runner.signals import StopRequest


class Making:
    """A context in which a file is made. `report(done, total)` is called with 0 when it is opened, then after each
    piece: it shows the progress, and raises Interrupted after a signal, so that the unfinished file is removed. Before
    there is a file a signal is answered at once. `pieces` is what one of them is called, or empty.
    """

    def __init__(self, path: Path, pieces: str, quiet: bool):
        self._path, self._pieces, self._quiet = path, pieces, quiet
        self._line: ProgressLine | None = None
        self._stop = StopRequest(at_once=self._stop_before)
        self._preparing = Working(f"preparing {path}", quiet)
        self.total = 1

    def __enter__(self) -> Making:
        self._stop.__enter__()
        self._preparing.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._preparing.__exit__()
        self._stop.__exit__()
        if self._line:
            self._line.clear()

    def report(self, done: int, total: int) -> None:
        """Report that some of all pieces are done."""
        if self._line is None:
            self._preparing.__exit__()
        if self._line is None or total != self.total:
            self._line, self.total = ProgressLine(total, self._quiet), total
        self._raise_if_stopped()
        self._line.report(done, lambda spent: f"{done} of {counted(total, self._pieces)}" if self._pieces else "done")

    def _stop_before(self) -> None:
        if self._line is None:
            self._raise_if_stopped()

    def _raise_if_stopped(self) -> None:
        if self._stop.received:
            raise Interrupted(f"stopped by {self._stop.name}; {self._path} was not written", self._stop.received)

    def __str__(self) -> str:
        pieces = f"{counted(self.total, self._pieces)}, " if self._pieces else ""
        return f"{self._path}: {pieces}{size_text(self._path.stat().st_size)}"
