"""Stopping on request: a signal asks, the run ends at its next look, and a second signal ends the process at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

ASKING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class StopRequest:
    """A context in which signals only leave a note: `received` is the signal's number, 0 for none.

    A second signal calls `clean_up` and ends the process. A signal that is ignored stays so (`nohup`, `&` in a script).
    """

    def __init__(self, clean_up: Callable[[], None] = lambda: None):
        self.received = 0
        self._clean_up = clean_up
        self._before: dict[int, object] = {}

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            heard = [number for number in ASKING if signal.getsignal(number) is not signal.SIG_IGN]
            self._before = {number: signal.signal(number, self._note) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def name(self) -> str:
        """The signal's name."""
        return signal.Signals(self.received).name

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self.received:
            self._clean_up()
            os._exit(128 + number)
        self.received = number
