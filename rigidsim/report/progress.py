"""One line on stderr that says how far a run is."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

REDRAW_SECONDS = {True: 0.1, False: 10.0}  # on a terminal, and elsewhere
MEASURED_SECONDS = 1.0  # of stepping, after which the speed is known
LONG_SECONDS = 60.0  # a run that takes longer is told early


def clock(seconds: float) -> str:
    """Hours, minutes, seconds."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def say(text: str) -> None:
    """A line on stderr. Nobody listening there is no reason to lose a run."""
    with suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class Progress:
    """Simulated time, speed, remaining time; rewrites its line on a terminal. Elsewhere it adds a line every ten
    seconds, the first as soon as the speed is measured if that says that the run is long.
    """

    def __init__(self, n_step: int, step: float, quiet: bool):
        self._n_step, self._step, self._quiet = n_step, step, quiet
        self._terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._begin = self._drawn = time.monotonic()
        self._width = 0
        self._foretold = self._terminal  # the terminal's line has the time that is left

    def update(self, n: int) -> None:
        """n steps are done."""
        now = time.monotonic()
        spent, done = now - self._begin, n / self._n_step
        left = spent / done - spent if done else 0.0
        foretell = not self._foretold and spent >= MEASURED_SECONDS
        self._foretold |= foretell
        due = now - self._drawn >= REDRAW_SECONDS[self._terminal] or (foretell and left > LONG_SECONDS)
        if self._quiet or not due:
            return
        self._drawn = now
        self._write(
            f"{done:6.1%}  t = {n * self._step:.6g} of {self._n_step * self._step:.6g} s"
            f"  {n * self._step / spent:.3g} x real time  {clock(left)} left"
        )

    def clear(self) -> None:
        """Leave the terminal's line empty."""
        if self._width:
            self._rewrite(" " * self._width + "\r")

    def _write(self, text: str) -> None:
        if not self._terminal:
            say(text)
            return
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        shown = text[: columns - 1]  # a longer one would wrap, and stay
        self._rewrite(shown.ljust(self._width))
        self._width = len(shown)

    def _rewrite(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write("\r" + text)
            sys.stderr.flush()
