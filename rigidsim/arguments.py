"""Checks of the arguments of public functions: each returns the converted value or raises UsageError."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from importlib import import_module
from numbers import Real
from operator import index
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, SupportsIndex, TypeVar, cast

import numpy as np

from rigidsim.errors import UsageError

T = TypeVar("T")

MOST = 2**53  # above it, neighbouring integers have the same float64


def refuse(name: str, expected: str, value: object) -> NoReturn:
    """Raise UsageError: the value of `name` is not what was expected."""
    raise UsageError(f"{name} must be {expected}, got {clipped(value)}")


def clipped(value: object) -> str:
    """The `repr` of a value on one line, truncated, for a message."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def whole_number(value: object, name: str, least: int = 0) -> int:
    """An integer (Python or NumPy), or a float with an integer value such as 2.0; not a bool."""
    found = None
    try:
        found = None if isinstance(value, bool) else index(cast(SupportsIndex, value))
    except TypeError:
        if isinstance(value, Real) and math.isfinite(value) and value == math.floor(value):
            found = int(float(value))
    if found is None or not least <= found <= MOST:
        refuse(name, f"an integer from {least} to 2**53", value)
    return found


def numbers(value: object, name: str) -> np.ndarray:
    """Real numbers as float64, of any shape."""
    try:
        array = np.asarray(value)
    except ValueError:
        refuse(name, "an array of real numbers", value)
    return array.astype(np.float64) if array.dtype.kind in "biuf" else refuse(name, "an array of real numbers", value)


def number(value: object, name: str) -> float:
    """One real number."""
    array = numbers(value, name)
    return float(array) if array.ndim == 0 else refuse(name, "a real number", value)


def text(value: object, name: str) -> str:
    """A string."""
    return value if isinstance(value, str) else refuse(name, "a string", value)


def one_of(value: object, choices: Iterable[str], name: str) -> str:
    """One of these words."""
    return value if isinstance(value, str) and value in choices else refuse(name, f"one of {', '.join(choices)}", value)


def file_path(value: object, name: str) -> Path:
    """A path, from a string or a path object."""
    if not isinstance(value, str | os.PathLike):
        refuse(name, "a path (a string or pathlib.Path)", value)
    return Path(value)


def function(value: object, name: str) -> Callable:
    """A callable."""
    return value if callable(value) else refuse(name, "a function", value)


def needed(module: str, what: str, extra: str, package: str = "") -> ModuleType:
    """An optional module; `what` needs it. Raises UsageError with the extra that brings it if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        hint = f'install it with: pip install "rigidsim[{extra}]"'
        raise UsageError(f"{what} need {package or module}; {hint}") from None


def instance(value: Any, kind: type[T], name: str, *others: type) -> T:
    """An instance of a class of rigidsim, or of another one."""
    expected = " or ".join(f"a {one.__name__}" for one in (kind, *others))
    return cast(T, value) if isinstance(value, (kind, *others)) else refuse(name, expected, value)
