"""What commands tell of compiling, on stderr: a line before it, and on a terminal how far it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rigidsim.jit.kernels import CompileWatch, compilation_notice, watch_compilation
from rigidsim.report.progress import ProgressLine, write_line

TICK_SECONDS = 0.1
PARTS = 1000  # of the progress
MOST = 0.99  # of the progress, until it is done


class _Ticking:
    """The progress of a compilation, drawn by a thread from `begin` to `end`: LLVM does not hold Python's lock."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, seconds: float) -> None:
        """A compilation begins that will take about so long."""
        write_line(compilation_notice(seconds))
        line = ProgressLine(PARTS, False)
        if line.is_rewritten:
            self._thread = threading.Thread(target=self._draw, args=(line, seconds), daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Nothing more is compiled."""
        self._over.set()
        if self._thread:
            self._thread.join()

    def _draw(self, line: ProgressLine, seconds: float) -> None:
        begin = time.monotonic()
        while not self._over.wait(TICK_SECONDS):
            share = min((time.monotonic() - begin) / seconds, MOST)
            line.report(max(1, round(PARTS * share)), lambda spent: f"compiling for {spent:.1f} s")
        line.clear()


def unannounced(_seconds: float) -> None:
    """An announcement that is not made."""


@contextmanager
def compiling(quiet: bool) -> Iterator[CompileWatch]:
    """Tell what is compiled in this context, which does nothing else that takes long."""
    ticking = _Ticking()
    with watch_compilation(unannounced if quiet else ticking.begin) as watch:
        try:
            yield watch
        finally:
            ticking.end()


@contextmanager
def compiling_beside(progress: ProgressLine) -> Iterator[CompileWatch]:
    """Tell what is compiled in this context above the progress of what else it does."""
    with watch_compilation(lambda seconds: progress.write_above(compilation_notice(seconds))) as watch:
        yield watch
