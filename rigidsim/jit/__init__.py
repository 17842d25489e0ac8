"""The compiler of the stepper: plain Python functions become machine code when they are needed.

The marks below say what a function is to it, and change nothing for Python:

- a *formula* takes and returns numbers and tuples; it is called with traced numbers (`values.py`);
- an *inlined* function is read from its syntax tree and written where it is called; one with loops becomes a function
  of its own that LLVM inlines;
- a *routine* becomes a function of its own.

A *kernel* (`kernels.py`) is what Python calls. `reading.py` defines the subset of Python that can be read.
"""

from __future__ import annotations

from collections.abc import Callable

FORMULA, INLINED, ROUTINE = "formula", "inlined", "routine"

_roles: dict[Callable, str] = {}


def role_of(function: Callable) -> str | None:
    """How a function is marked."""
    return _roles.get(function)


def formula(function: Callable) -> Callable:
    """Mark a function on numbers and tuples without decisions by numbers (but `select`)."""
    _roles[function] = FORMULA
    return function


def inlined(function: Callable) -> Callable:
    """Mark a function that is part of those that call it."""
    _roles[function] = INLINED
    return function


def routine(function: Callable) -> Callable:
    """Mark a function, such as a loop over lanes, that compiled code calls."""
    _roles[function] = ROUTINE
    return function
