"""A function that is called for each of several tables of loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rigidsim.engine.laws.declaration import Table
from rigidsim.jit import inlined


def over(tables: Sequence[Table], each: Callable, part: str) -> Callable:
    """A function (laws, ...) that calls each(law, do, ...) for every table that has the attribute `part`, with `do` its
    value. `laws` has the law of each table by its name.
    """
    parts = tuple((table.name, getattr(table, part)) for table in tables if getattr(table, part))

    @inlined
    def over_each(laws, *more):
        for name, do in parts:
            each(getattr(laws, name), do, *more)

    return over_each
