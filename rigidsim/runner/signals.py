"""Stopping a run by a signal: the first requests a stop. The second ends functions of Python that a controller calls,
if any; else, or if it is the third, it ends the process immediately.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from rigidsim.engine.sensing.controllers import end_functions, functions_called

STOP_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class StopRequest:
    """A context in which signals are only recorded: `received` is the number of the signal, 0 for none. `at_once` is
    called at the first signal, wherever the program is, and may raise an exception.

    A further signal calls `clean_up` and ends the process, unless functions of controllers can be ended. Ignored
    signals stay ignored (`nohup`, `&` in a script).
    """

    def __init__(self, clean_up: Callable[[], None] = lambda: None, at_once: Callable[[], None] = lambda: None):
        self.received = 0
        self._has_ended = False  # functions of controllers
        self._clean_up, self._at_once = clean_up, at_once
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            handled = [number for number in STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
            self._previous = {number: signal.signal(number, self._record) for number in handled}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @property
    def name(self) -> str:
        """The name of the signal."""
        return signal.Signals(self.received).name

    def _record(self, number: int, _frame: FrameType | None) -> None:
        if self.received and not self._has_ended and end_functions():
            self._has_ended = True
            return
        if self.received:
            self._clean_up()
            os._exit(128 + number)
        self.received = number
        for called in functions_called():
            print(f"\nwaiting: {called}; a second signal ends it", file=sys.stderr, flush=True)
        self._at_once()
