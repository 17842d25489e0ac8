"""Columns of text that stand under each other."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    ]


def shortened(lines: list[str], most: int) -> list[str]:
    """The first lines, and how many more there are; one more is shown rather than counted."""
    return lines if len(lines) <= most + 1 else [*lines[:most], f"... and {len(lines) - most} more"]


def number(value: float) -> str:
    """Six digits; no minus before a zero."""
    return f"{value + 0.0:.6g}"
