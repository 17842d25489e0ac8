"""Colours of bodies, the same in every picture: seven that colour-blind readers can tell apart (Okabe and Ito 2008)."""

from __future__ import annotations

from collections.abc import Iterable

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe's and Ito's palette without its yellow, which is hardly seen on white."""


def colour_of(index: int) -> str:
    """The colour of a number from 0, `#rrggbb`; it repeats after the last."""
    return COLOURS[index % len(COLOURS)]


def colours(paths: Iterable[str]) -> dict[str, str]:
    """The colour of each body, in the order of the scene."""
    return {path: colour_of(index) for index, path in enumerate(paths)}
