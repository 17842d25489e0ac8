"""Tables of text, and the numbers in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

ROUNDING = 1e-12
"""Relative to what a number is a part of, less is rounding: 2^-53 in each of 1e8 operations that err at random."""
ULP = 2.0**-53
MOST_ROWS = 40
"""Rows of a table about bodies or quantities; --all shows the others."""
ALL = "; --all shows them"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells in columns, the first column left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]


def shown_of(count: int, most: int | None) -> int:
    """How many of so many rows are shown, if that is at most `most` (None: all) and a line about the others: a single
    further row is shown instead of that line.
    """
    return count if most is None or count <= most + 1 else most


def shortened(lines: list[str], most: int | None) -> list[str]:
    """The first lines and the count of the others."""
    shown = shown_of(len(lines), most)
    return [*lines[:shown], *remark(len(lines) - shown)]


def remark(others: int, hint: str = "") -> list[str]:
    """A line about rows that are left out, if there are any."""
    return [f"... and {others} more{hint}"] if others else []


def number(value: float) -> str:
    """A number with six digits; -0 becomes 0."""
    return f"{value + 0.0:.6g}"


def without_rounding(vectors: Iterable[Any], errors: Iterable[float] = repeat(0.0)) -> list[list[float]]:
    """Vectors of one quantity with 0 in place of each component that is nothing but rounding: it is less than
    `ROUNDING` of the length of its vector, than what float64 can tell apart at the longest of all, or than the known
    error of its vector. What is not finite stays.
    """
    rows = [[float(part) for part in vector] for vector in vectors]
    sizes = [math.hypot(*(part for part in row if math.isfinite(part))) for row in rows]
    apart = ULP * max(sizes, default=0.0)
    least = [max(error, apart, ROUNDING * size) for error, size in zip(errors, sizes, strict=False)]
    return [[0.0 if abs(part) <= bound else part for part in row] for row, bound in zip(rows, least, strict=True)]


def beyond_rounding(value: float, scale: float) -> float:
    """A number, or 0 if it is nothing but the rounding of numbers of this size."""
    return 0.0 if abs(value) <= ROUNDING * scale else value
