"""Specialised code: the whole steps of a phase as straight code (`stepper.cruise`), where making it is worth its time.

General code steps any scene of a kind. Straight code is for one tree with its loads in one phase: what is written in
loops over tables there is known here, and the state stays in registers. Its bits are the same, so a run may change
from one to the other between any two steps, and nothing but the time depends on it.
"""

from __future__ import annotations

from collections.abc import Callable

from rigidsim.engine.time.stepper import cruise
from rigidsim.jit.kernels import Made

MOST_SECONDS = 4.0  # that making the code may take
SAVED = 0.3  # the least share of general code's time that straight code saves; measured: 0.2 to 0.7, mostly 0.4
WORTH_READING = 0.2  # s that must be saved for the code to be read, to learn how long making it takes


class Specialised:
    """Straight code for the phases of one block. `reason` says in a sentence why it is used, or why not."""

    def __init__(self, hindrance: str = ""):
        self.reason = hindrance or "the run has not been long enough to tell"
        self._is_possible = not hindrance
        self._call = cruise.caller()
        self._on: dict[int, bool] = {}  # by phase
        self._decided: set[int] = set()

    @property
    def is_on(self) -> bool:
        """Whether any steps are taken in this code."""
        return any(self._on.values())

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {"code": "specialised" if self.is_on else "general", "why": self.reason}

    def takes(self, phase: int, arguments: Callable[[], tuple], seconds: float, is_measured: bool) -> bool:
        """Whether the steps of a phase are taken in this code. `seconds` is how long general code would take for all
        steps that are still to come, s: measured, or estimated with care, which may not be the last word.
        """
        if not self._is_possible or phase in self._decided:
            return self._on.get(phase, False)
        if phase not in self._on:
            self._on[phase] = self._call.is_made(*arguments())
            if self._on[phase]:
                self._decide(phase, "its code is made already")
        if not self._on[phase]:
            self._compare_costs(phase, arguments, SAVED * seconds, is_measured)
        return self._on[phase]

    def _compare_costs(self, phase: int, arguments: Callable[[], tuple], saved: float, is_measured: bool) -> None:
        """Decide by the time that would be saved."""
        if saved < WORTH_READING:
            if is_measured:
                self._decide(phase, f"specialised code would save less than {WORTH_READING:g} s")
            return
        cost = self._call.seconds_to_make(*arguments(), most=MOST_SECONDS)
        if cost > MOST_SECONDS:
            self._decide(phase, f"making specialised code would take more than {MOST_SECONDS:g} s")
        elif cost < saved or is_measured:
            self._on[phase] = cost < saved
            self._decide(phase, f"specialised code takes about {cost:.1f} s to make and saves about {saved:.1f} s")

    def make(self, arguments: tuple) -> Made | None:
        """Make the code for these arguments; None if it cannot be used, or takes too long to make."""
        if not self._is_possible or self._call.seconds_to_make(*arguments, most=MOST_SECONDS) > MOST_SECONDS:
            return None
        return self._call.make(*arguments)

    def _decide(self, phase: int, reason: str) -> None:
        self._decided.add(phase)
        self.reason = reason

    def cruise(self, *arguments) -> None:
        """Take the steps."""
        self._call(*arguments)
