"""Tables of text."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells in columns, the first column left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]


def shortened(lines: list[str], most: int) -> list[str]:
    """The first lines and the count of the others; a single further line is shown instead."""
    return lines if len(lines) <= most + 1 else [*lines[:most], f"... and {len(lines) - most} more"]


def number(value: float) -> str:
    """A number with six digits; -0 becomes 0."""
    return f"{value + 0.0:.6g}"
