"""The compiler of the stepper: plain Python functions become machine code when they are needed.

The marks below say what a function is to it:

- a *formula* takes and returns numbers and tuples; it is called with traced numbers (`values.py`);
- an *inlined* function is read from its syntax tree and written where it is called; one with loops becomes a function
  of its own that LLVM inlines;
- a *routine* becomes a function of its own;
- a *lanewise* one is a routine that is written for one lane, its last parameter, and is called with all of them;
- what a *constant* one of these finds is not differentiated: how the length of a step depends on a scene's numbers
  tells nothing of the motion (`tangents.py`).

A parameter that is annotated with the declaration of a row (`rows.py`) is a view of the row that is given, in the lane
of a lanewise function. Otherwise the marks change nothing for Python. A *kernel* (`kernels.py`) is what Python calls.
`reading.py` defines the subset of Python that can be read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps

from rigidsim.jit.rows import array_of, rows_of

FORMULA, INLINED, ROUTINE, LANEWISE = "formula", "inlined", "routine", "lanewise"

_roles: dict[Callable, str] = {}
_constants: set[Callable] = set()


def role_of(function: Callable) -> str | None:
    """How a function is marked."""
    return _roles.get(function)


def constant(function: Callable) -> Callable:
    """Mark a routine whose results have no tangents."""
    _constants.add(inspect.unwrap(function))
    return function


def has_tangents(function: Callable) -> bool:
    """Whether the results of a function have tangents."""
    return inspect.unwrap(function) not in _constants


def formula(function: Callable) -> Callable:
    """Mark a function on numbers and tuples without decisions by numbers (but `select`)."""
    _roles[function] = FORMULA
    return function


def inlined(function: Callable) -> Callable:
    """Mark a function that is part of those that call it."""
    return _marked(function, INLINED)


def routine(function: Callable) -> Callable:
    """Mark a function, such as a loop, that compiled code calls."""
    return _marked(function, ROUTINE)


def _marked(function: Callable, role: str) -> Callable:
    rows, marked = rows_of(function), function
    if rows:

        @wraps(function)
        def marked(*given, **named):
            given = list(given)
            for place, row in rows.items():
                given[place] = row(given[place])
            return function(*given, **named)

    _roles[marked] = role
    return marked


def lanewise(function: Callable) -> Callable:
    """Mark a function that is done in each lane. Its last parameter is the lane; in a call the tuple of all lanes is in
    its place. It returns nothing.
    """
    rows = rows_of(function)

    @wraps(function)
    def in_each_lane(*given):
        *given, lanes = given
        arrays = {place: array_of(given[place]) for place in rows}
        for lane in range(len(lanes)):
            for place, row in rows.items():
                given[place] = row.view(arrays[place], lane, len(lanes))
            function(*given, lane)

    _roles[in_each_lane] = LANEWISE
    return in_each_lane
