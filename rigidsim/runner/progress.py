"""The progress of a command, on stderr."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread

from rigidsim.report.wording import clock

REDRAW_SECONDS = {True: 0.1, False: 10.0}  # on a terminal; if stderr is redirected
MEASURED_SECONDS = 1.0  # of stepping before the speed is estimated
LONG_SECONDS = 60.0  # a run with more time left prints its first line early
SHORT_SECONDS = 2.0  # work of unknown length that takes longer is named
TICK_SECONDS = 0.5


def write_line(text: str) -> None:
    """Write a line to stderr; a closed stream is ignored, as it must not stop the run."""
    with suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class TerminalLine:
    """A line on stderr that is rewritten; only if that is a terminal."""

    def __init__(self):
        self.is_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._width = 0

    def show(self, text: str) -> None:
        """Replace the line, as far as it fits: one that wraps could not be rewritten."""
        columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        shown = text[: columns - 1]
        self._rewrite(shown.ljust(self._width))
        self._width = len(shown)

    def clear(self) -> None:
        """Leave no trace of the line."""
        if self._width:
            self._rewrite(" " * self._width + "\r")
            self._width = 0

    def _rewrite(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write("\r" + text)
            sys.stderr.flush()


class Working:
    """A context of work of unknown length: a terminal shows what is being done once that has taken `after` seconds, and
    for how long: `reading scene.yaml, 12 s`. The line is gone at the end.
    """

    def __init__(self, what: str, quiet: bool = False, after: float = SHORT_SECONDS):
        self._what, self._after, self._line, self._over = what, after, TerminalLine(), Event()
        is_shown = self._line.is_terminal and not quiet
        self._teller = Thread(target=self._tell, daemon=True) if is_shown else None

    def __enter__(self) -> Working:
        if self._teller:
            self._teller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._teller:
            self._teller.join()
            self._line.clear()

    def _tell(self) -> None:
        begin, wait = time.monotonic(), self._after
        while not self._over.wait(wait):
            self._line.show(f"{self._what}, {time.monotonic() - begin:.0f} s")
            wait = TICK_SECONDS


class ProgressLine:
    """Prints progress: on a terminal in one line that is rewritten, otherwise in a new line every ten seconds, the
    first one as soon as the estimate shows a long run.
    """

    def __init__(self, total: int, quiet: bool):
        self._total, self._quiet = total, quiet
        self._line = TerminalLine()
        self._begin = self._drawn = time.monotonic()
        self._estimated = self._line.is_terminal  # whether the early line is done; a terminal does not need it

    def report(self, n: int, describe: Callable[[float], str]) -> None:
        """Report that n of the total are done; `describe(spent)` is the text between that and the time left."""
        now = time.monotonic()
        spent, done = now - self._begin, n / self._total
        left = spent / done - spent if done else 0.0
        is_first = not self._estimated and spent >= MEASURED_SECONDS
        self._estimated |= is_first
        due = now - self._drawn >= REDRAW_SECONDS[self._line.is_terminal] or (is_first and left > LONG_SECONDS)
        if self._quiet or not due:
            return
        self._drawn = now
        show = self._line.show if self._line.is_terminal else write_line
        show(f"{done:6.1%}  {describe(spent)}  {clock(left)} left")

    def write_above(self, text: str) -> None:
        """Write a line that stays."""
        if not self._quiet:
            self.clear()
            write_line(text)

    def clear(self) -> None:
        """Clear the line on the terminal."""
        self._line.clear()


class Progress(ProgressLine):
    """Simulated time, speed and remaining time of a run."""

    def __init__(self, n_step: int, step: float, quiet: bool):
        super().__init__(n_step, quiet)
        self._step = step

    def update(self, n: int) -> None:
        """Report that n steps are done."""
        reached, end = n * self._step, self._total * self._step
        self.report(n, lambda spent: f"t = {reached:.6g} of {end:.6g} s  {reached / spent:.3g} x real time")
