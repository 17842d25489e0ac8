"""The progress line of a run or a sweep, on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress

REDRAW_SECONDS = {True: 0.1, False: 10.0}  # on a terminal; if stderr is redirected
MEASURED_SECONDS = 1.0  # of stepping before the speed is estimated
LONG_SECONDS = 60.0  # a run with more time left prints its first line early


def clock(seconds: float) -> str:
    """Hours, minutes, seconds."""
    total = round(seconds)
    return f"{total // 3600}:{total // 60 % 60:02}:{total % 60:02}"


def write_line(text: str) -> None:
    """Write a line to stderr; a closed stream is ignored, as it must not stop the run."""
    with suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class ProgressLine:
    """Prints progress: on a terminal in one line that is rewritten, otherwise in a new line every ten seconds, the
    first one as soon as the estimate shows a long run.
    """

    def __init__(self, total: int, quiet: bool):
        self._total, self._quiet = total, quiet
        self.is_rewritten = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._begin = self._drawn = time.monotonic()
        self._width = 0
        self._estimated = self.is_rewritten  # whether the early line is done; a terminal does not need it

    def report(self, n: int, describe: Callable[[float], str]) -> None:
        """Report that n of the total are done; `describe(spent)` is the text between that and the time left."""
        now = time.monotonic()
        spent, done = now - self._begin, n / self._total
        left = spent / done - spent if done else 0.0
        is_first = not self._estimated and spent >= MEASURED_SECONDS
        self._estimated |= is_first
        due = now - self._drawn >= REDRAW_SECONDS[self.is_rewritten] or (is_first and left > LONG_SECONDS)
        if self._quiet or not due:
            return
        self._drawn = now
        self._write(f"{done:6.1%}  {describe(spent)}  {clock(left)} left")

    def write_above(self, text: str) -> None:
        """Write a line that stays."""
        if not self._quiet:
            self.clear()
            write_line(text)

    def clear(self) -> None:
        """Clear the line on the terminal."""
        if self._width:
            self._rewrite(" " * self._width + "\r")

    def _write(self, text: str) -> None:
        if not self.is_rewritten:
            write_line(text)
            return
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        shown = text[: columns - 1]  # a longer line would wrap and could not be rewritten
        self._rewrite(shown.ljust(self._width))
        self._width = len(shown)

    def _rewrite(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write("\r" + text)
            sys.stderr.flush()


class Progress(ProgressLine):
    """Simulated time, speed and remaining time of a run."""

    def __init__(self, n_step: int, step: float, quiet: bool):
        super().__init__(n_step, quiet)
        self._step = step

    def update(self, n: int) -> None:
        """Report that n steps are done."""
        reached, end = n * self._step, self._total * self._step
        self.report(n, lambda spent: f"t = {reached:.6g} of {end:.6g} s  {reached / spent:.3g} x real time")
