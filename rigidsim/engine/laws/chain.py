"""A function that is called for each of several tables of loads, unrolled when it is compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rigidsim._jit import inlined
from rigidsim.engine.laws.declaration import Table


def over(tables: Sequence[Table], each: Callable, part: str) -> Callable:
    """A function (laws, ...) that calls each(law, do, ...) for every table that has the attribute `part`, with `do` its
    value; `laws` are the loads of the tables, in the same order.
    """
    parts = [getattr(table, part) for table in tables]
    return _in_turn([_of_table(place, each, do) for place, do in enumerate(parts) if do])


def _of_table(place: int, each: Callable, do: Callable) -> Callable:
    @inlined
    def over_table(laws, *more):
        each(laws[place], do, *more)

    return over_table


def _in_turn(parts: list[Callable]) -> Callable:
    first, rest = parts[0], parts[1:]
    if not rest:
        return first
    others = _in_turn(rest)

    @inlined
    def in_turn(laws, *more):
        first(laws, *more)
        others(laws, *more)

    return in_turn
