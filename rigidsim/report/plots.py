"""Small plots of characters: a number of many runs over another one."""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

WIDTH, HEIGHT = 32, 7  # characters inside the axes
SIDE_BY_SIDE = 3
LOGARITHMIC = 100.0  # ratio of the ends of an axis


def plot(title: str, x: np.ndarray, y: np.ndarray) -> list[str]:
    """Lines of one width: `*` is the mean of the runs in a column, `:` the range of their values. The x axis is
    logarithmic if its ends are positive and their ratio is 100 or more. Runs where y is not finite are left out; empty
    if there are no others.
    """
    good = np.isfinite(x) & np.isfinite(y)
    if not good.any():
        return []
    x, y = x[good], y[good]
    is_log = x.min() > 0 and x.max() / LOGARITHMIC >= x.min()
    columns = _places(np.log(x) if is_log else _scaled(x), WIDTH)
    rows = _cells(_scaled(y), columns)
    top, bottom = f"{y.max():.4g}", f"{y.min():.4g}"
    margin = max(len(top), len(bottom))
    labels = [top, *[""] * (HEIGHT - 2), bottom]
    first = f"{x.min():.4g}{' (log)' if is_log else ''}"
    ends = first + f"{x.max():.4g}".rjust(WIDTH - len(first))
    lines = [f"{label:>{margin}} |{row}" for label, row in zip(labels, rows, strict=True)]
    lines = [title, *lines, " " * margin + " +" + "-" * WIDTH, " " * (margin + 2) + ends]
    width = max(map(len, lines))
    return [line.ljust(width) for line in lines]


def side_by_side(plots: list[list[str]]) -> list[str]:
    """Plots next to each other, a few in a row."""
    lines = []
    for begin in range(0, len(plots), SIDE_BY_SIDE):
        group = plots[begin : begin + SIDE_BY_SIDE]
        widths = [len(one[0]) for one in group]
        for row in zip_longest(*group, fillvalue=""):
            lines.append("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return lines


def _scaled(values: np.ndarray) -> np.ndarray:
    """The values relative to the largest magnitude, so that their differences and sums are finite."""
    largest = np.abs(values).max()
    return values / largest if largest > 0.0 else values


def _places(values: np.ndarray, count: int) -> np.ndarray:
    """The cell of each value, of `count` between the least and the largest."""
    low, span = values.min(), np.ptp(values)
    if span == 0.0:
        return np.full(len(values), count // 2)
    return np.rint((values - low) / span * (count - 1)).astype(np.int64)


def _cells(y: np.ndarray, columns: np.ndarray) -> list[str]:
    low, span = y.min(), np.ptp(y)
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    for column in np.unique(columns).tolist():
        chosen = y[columns == column]
        ends = np.array([chosen.min(), chosen.max(), chosen.mean()])
        level = (ends - low) / span * (HEIGHT - 1) if span else np.full(3, HEIGHT // 2)
        least, most, mean = (HEIGHT - 1 - round(value) for value in level.tolist())
        for row in range(most, least + 1):
            grid[row][column] = ":"
        grid[mean][column] = "*"
    return ["".join(row) for row in grid]
