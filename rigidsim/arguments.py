"""What the public functions are given, looked at before they begin: right, or one sentence says what was wanted."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from rigidsim.errors import UsageError

T = TypeVar("T")

MOST = 2**53  # beyond it a float does not tell neighbouring whole numbers apart


def refuse(name: str, wanted: str, value: object) -> NoReturn:
    """Raise UsageError: `name` must be what was wanted, not this value."""
    raise UsageError(f"{name} must be {wanted}, not {clipped(value)}")


def clipped(value: object) -> str:
    """A value in a message, on one line; of a large one the beginning."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def whole_number(value: object, name: str, least: int = 0) -> int:
    """An integer, of NumPy's too, or a float that is one, such as 2.0; no bool."""
    found = None
    try:
        found = None if isinstance(value, bool) else index(value)
    except TypeError:
        if isinstance(value, Real) and math.isfinite(value) and value == math.floor(value):
            found = int(value)
    if found is None or not least <= found <= MOST:
        refuse(name, f"a whole number from {least} on", value)
    return found


def numbers(value: object, name: str) -> np.ndarray:
    """Real numbers as float64, of any shape."""
    try:
        array = np.asarray(value)
    except ValueError:
        refuse(name, "numbers", value)
    return array.astype(np.float64) if array.dtype.kind in "biuf" else refuse(name, "numbers", value)


def number(value: object, name: str) -> float:
    """One real number."""
    array = numbers(value, name)
    return float(array) if array.ndim == 0 else refuse(name, "one number", value)


def text(value: object, name: str) -> str:
    """Text."""
    return value if isinstance(value, str) else refuse(name, "text", value)


def file_path(value: object, name: str) -> Path:
    """A path, as text or as a path object."""
    if not isinstance(value, str | os.PathLike):
        refuse(name, "a path, as text or pathlib.Path", value)
    return Path(value)


def function(value: object, name: str) -> Callable:
    """Something that can be called."""
    return value if callable(value) else refuse(name, "a function", value)


def instance(value: Any, kind: type[T], name: str) -> T:
    """An object of one of our classes."""
    return value if isinstance(value, kind) else refuse(name, f"a {kind.__name__}", value)
