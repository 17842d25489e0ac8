"""The loads of one kind, collected in a list and converted to arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rigidsim.engine import layout
from rigidsim.engine.model import Law, table
from rigidsim.structures.columns import numbers_table


class LoadRow(NamedTuple):
    """One load; its fields are the columns of a `Law`."""

    pair: int
    first: int
    second: int
    span: tuple[int, int]
    value: tuple
    number: int = 0  # of its kind


def law_of(entries: Sequence[LoadRow], width: int) -> Law:
    """The rows as the arrays of a `Law`."""
    who = [(entry.pair, entry.first, entry.second, *entry.span, entry.number) for entry in entries]
    return Law(
        who=table(who, layout.LAW_COLUMNS),
        value=numbers_table([entry.value for entry in entries], width),
    )
