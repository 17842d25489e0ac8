"""Controllers: what each law remembers, and what it makes of the numbers that it reads at a sample, in all lanes."""

from __future__ import annotations

import ctypes
import math
import time
import traceback
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any, NamedTuple, cast

import numpy as np

from rigidsim.engine.assembly.blueprint import ControllerRecord
from rigidsim.physics.control import lead_lag, pid, rate_limited, saturated
from rigidsim.physics.elementary import select

Numbers = Sequence[np.ndarray]
"""Numbers that a law reads, each (lane)."""
BEGUN = 0
"""The first row of the memory of each law: whether it had a sample before."""


Faults = dict[int, str]
"""Why a sensor or controller gave no number, by lane."""


class ControllerFault(Exception):
    """A controller gave no number; the message says why."""


class Ended(BaseException):
    """A function of Python is ended from outside, see `end_functions`."""


_called: dict[int, tuple[str, float]] = {}
"""What is called now, by thread: where it is in the scene, since when (s)."""


def functions_called() -> list[str]:
    """The functions of Python that are called now, and how long each has taken."""
    now = time.monotonic()
    return [f"{where} has taken {now - since:.3g} s" for where, since in _called.values()]


def end_functions() -> bool:
    """End the functions of Python that are called now, in all threads, as if they raised; whether there are any."""
    threads = [*_called]
    for thread in threads:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Ended))
    return bool(threads)


class ControlLaw(NamedTuple):
    """A law: how many numbers it remembers besides `BEGUN`, and what it gives of numbers, memory (row, lane), and the
    time between samples, s. It changes the memory.
    """

    memory: int
    output: Callable[[Numbers, np.ndarray, float], np.ndarray]


def _hold(given: Numbers, _memory: np.ndarray, _T: float) -> np.ndarray:
    return given[0]


def _pid(given: Numbers, memory: np.ndarray, T: float) -> np.ndarray:
    e, proportional, integral, derivative, filter, low, high = given
    begun, last, total, slope = memory
    last = select(begun > 0.0, last, e)
    u, total, slope = pid(e, last, total, slope, T, (proportional, integral, derivative), filter, (low, high))
    memory[1:] = e, total, slope
    return u


def _lead_lag(given: Numbers, memory: np.ndarray, T: float) -> np.ndarray:
    x, gain, lead, lag = given
    begun, x_last, y_last = memory
    x_last, y_last = select(begun > 0.0, x_last, x), select(begun > 0.0, y_last, gain * x)
    y = lead_lag(x, x_last, y_last, T, gain, lead, lag)
    memory[1:] = x, y
    return y


def _rate_limit(given: Numbers, memory: np.ndarray, T: float) -> np.ndarray:
    x, rising, falling, initial = given
    y = rate_limited(x, select(memory[BEGUN] > 0.0, memory[1], initial), T, rising, falling)
    memory[1] = y
    return y


def _saturation(given: Numbers, _memory: np.ndarray, _T: float) -> np.ndarray:
    return saturated(*given)


def _input(given: Numbers, memory: np.ndarray, _T: float) -> np.ndarray:
    value, low, high = given
    memory[1] = select(memory[BEGUN] > 0.0, memory[1], value)
    return saturated(memory[1], low, high)


INPUT = "input"
LAWS = {
    "hold": ControlLaw(0, _hold),
    "pid": ControlLaw(3, _pid),
    "lead_lag": ControlLaw(2, _lead_lag),
    "rate_limit": ControlLaw(1, _rate_limit),
    "saturation": ControlLaw(0, _saturation),
    INPUT: ControlLaw(1, _input),
}
PYTHON = "python"


class ControlBlock:
    """A controller of a run: its law, None of a function, its memory (row, lane), and the time between samples, s."""

    def __init__(self, record: ControllerRecord, step: float, n_lane: int):
        self.record, self.period = record, record.every * step
        is_python = record.law == PYTHON
        self.law = None if is_python else LAWS[record.law]
        remembered = record.count - len(record.inputs) if self.law is None else self.law.memory
        self._function = loaded(record) if is_python else None
        self.memory = np.zeros((1 + remembered, n_lane))

    @property
    def label(self) -> str:
        """Its location in the scene."""
        return f"controllers.{self.record.name}"

    def sample(
        self, times: Callable[[], np.ndarray], given: Numbers, live: np.ndarray | None
    ) -> tuple[np.ndarray, Faults]:
        """(output, lane) what it gives in the lanes that are live (None: all), and why some gave nothing; the others
        keep their memory. `times` gives the time of each, s.
        """
        faults: Faults = {}
        before = None if live is None else self.memory.copy()
        if self.law is None:
            found = self._call(times(), given, live, faults)
        else:
            found = self.law.output(given, self.memory, self.period)[np.newaxis]
        self.memory[BEGUN] = 1.0
        if before is not None and live is not None:
            self.memory[:, ~live] = before[:, ~live]
        if not math.isfinite(found.sum()) and not np.isfinite(found).all():
            wrong = ~np.isfinite(found) if live is None else ~np.isfinite(found) & live
            for output, lane in np.argwhere(wrong).tolist():
                read = ", ".join(f"{one[lane]:g}" for one in given)
                name = self.record.outputs[output]
                faults.setdefault(lane, f"{self.label} gave {found[output, lane]:g} for '{name}'; what it read: {read}")
        return found, faults

    def _call(self, times: np.ndarray, given: Numbers, live: np.ndarray | None, faults: Faults) -> np.ndarray:
        """What a function of Python gives, lane by lane."""
        n, state = len(self.record.inputs), self.memory[1:]
        found = np.zeros((len(self.record.outputs), self.memory.shape[1]))
        for lane in range(len(times)) if live is None else np.flatnonzero(live).tolist():
            inputs = {name: float(one[lane]) for name, one in zip(self.record.inputs, given[:n], strict=True)}
            begun = self.memory[BEGUN, lane] > 0.0
            own = np.array([row[lane] for row in (state if begun else given[n:])])
            try:
                found[:, lane] = self._called(float(times[lane]), inputs, own)
            except ControllerFault as error:
                faults[lane] = str(error)
                continue
            if not np.isfinite(own).all():
                faults[lane] = f"{self.label}: {self.record.call[0]} left a state that is not finite"
                continue
            state[:, lane] = own
        return found

    def _called(self, t: float, inputs: dict[str, float], state: np.ndarray) -> Sequence[float]:
        """The outputs of the function for one world."""
        names, where = self.record.outputs, f"{self.label}: {self.record.call[0]}"
        begin = time.monotonic()
        try:
            _called[get_ident()] = where, begin
            assert self._function is not None
            given = self._function(t, inputs, *((state,) if len(state) else ()))
        except (Exception, Ended) as error:
            file, line = self.record.call[0].rpartition(":")[0], None
            for frame in traceback.extract_tb(error.__traceback__):
                line = frame.lineno if frame.filename == file else line
            place = f"{self.label}: {file}{f', line {line}' if line else ''}"
            if isinstance(error, Ended):
                raise ControllerFault(f"{place}: ended by a signal after {time.monotonic() - begin:.3g} s") from None
            raise ControllerFault(f"{place}: {type(error).__name__}: {error}") from error
        finally:
            _called.pop(get_ident(), None)
        numbers = given if isinstance(given, list | tuple | np.ndarray) else [given]
        if np.ndim(numbers) != 1 or len(numbers) != len(names):
            raise ControllerFault(f"{where} gave {_shown(given)}; expected {_wanted(names)}")
        try:
            return [float(one) if not isinstance(one, str) else math.nan for one in numbers]
        except (TypeError, ValueError):
            raise ControllerFault(f"{where} gave {_shown(given)}; expected {_wanted(names)}") from None


def _wanted(names: Sequence[str]) -> str:
    return "one number" if len(names) == 1 else f"{len(names)} numbers, {', '.join(names)}"


def _shown(given: object) -> str:
    text = repr(given)
    return text if len(text) < 60 else f"{text[:57]}..."


def loaded(record: ControllerRecord) -> Callable:
    """The function of a controller, from the text of its file. Raises ControllerFault."""
    (file, _, name), source = record.call[0].rpartition(":"), record.call[1]
    names = {"__name__": f"rigidsim.controller.{record.name}", "__file__": file}
    try:
        exec(compile(source, file, "exec"), names)
    except Exception as error:
        raise ControllerFault(f"controllers.{record.name}: {file}: {type(error).__name__}: {error}") from error
    return cast(Callable[..., Any], names[name])
