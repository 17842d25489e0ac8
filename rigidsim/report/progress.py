"""One line on stderr that says how far a run is."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

REDRAW_SECONDS = {True: 0.1, False: 10.0}  # on a terminal, and elsewhere


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
    """Simulated time, speed, remaining time; rewrites its line on a terminal, adds a line every ten seconds
    elsewhere.
    """

    def __init__(self, n_step: int, step: float, quiet: bool):
        self._n_step, self._step, self._quiet = n_step, step, quiet
        self._terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._begin = self._drawn = time.monotonic()
        self._width = 0

    def update(self, n: int) -> None:
        """n steps are done."""
        now = time.monotonic()
        if self._quiet or now - self._drawn < REDRAW_SECONDS[self._terminal]:
            return
        self._drawn = now
        spent, done = now - self._begin, n / self._n_step
        left = spent / done - spent if done else 0.0
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
