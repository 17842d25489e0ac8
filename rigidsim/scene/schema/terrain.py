"""Grids of heights, inline or in a file, and the triangles between them."""

from __future__ import annotations

import hashlib
import io
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from rigidsim.containers.columns import is_column
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid
from rigidsim.scene.values.files import file_of, status_of
from rigidsim.scene.values.quantities import LARGEST, LENGTH, quantity

FORMATS = (".npy", ".csv")
MAX_BYTES = 64 * 2**20
MOST = 1_000_000
"""Heights of a grid, of each four of which two triangles are made."""


class HeightFile(SceneModel):
    """A file of heights, and what is known of it: its size, its range, and a hash of its numbers."""

    path: str = Field(description="Path of the file.")
    rows: int = Field(description="Number of rows, along y.")
    columns: int = Field(description="Number of columns, along x.")
    lowest: Parsed[float, quantity(LENGTH)] = Field(description="The smallest height.")
    highest: Parsed[float, quantity(LENGTH)] = Field(description="The largest height.")
    digest: str = Field(description="Hash of the heights.")


def checked_grid(grid: np.ndarray) -> np.ndarray:
    """A grid (row, column) of heights without gaps."""
    if grid.ndim != 2 or min(grid.shape) < 2:
        size = " x ".join(map(str, grid.shape)) or "one number"
        raise invalid("terrain", f"a terrain needs at least 2 rows of 2 heights, got {size}")
    if grid.size > MOST:
        message = f"{grid.shape[0]} rows of {grid.shape[1]} heights are more than {MOST:,}".replace(",", " ")
        raise invalid("terrain", message, "take every second one")
    gaps = ~(np.abs(grid) < LARGEST)
    if gaps.any():
        row, column = (int(k) for k in np.argwhere(gaps)[0])
        count = np.count_nonzero(gaps)
        message = f"row {row + 1}, column {column + 1}: {grid[row, column]:g} is no height; there are {count} such gaps"
        raise invalid("terrain", message, "fill the gaps, for example with their neighbours' heights")
    return grid


def heights_of_file(path: Path) -> np.ndarray:
    """The grid (row, column) of heights in a file."""
    status = status_of(path, "terrain", MAX_BYTES, "take fewer heights", kind="file of heights", formats=FORMATS)
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> np.ndarray:
    try:
        if path.suffix.lower() == ".npy":
            grid = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
        else:
            grid = np.genfromtxt(path, delimiter=",", ndmin=2, encoding="utf-8-sig")
        grid = np.ascontiguousarray(grid, dtype=np.float64)
    except (OSError, ValueError, TypeError, EOFError) as error:
        reason = shown(str(error).strip().splitlines()[-1].strip())
        raise invalid("terrain", f"'{shown(path.name)}' cannot be read: {reason}") from None
    return checked_grid(grid)


def grid_of(file: HeightFile) -> np.ndarray | None:
    """The grid of heights in a described file; None if it cannot be read, or has changed."""
    path = Path(file.path)
    try:
        return heights_of_file(path) if described_file(path) == file else None
    except ValueError:  # of which PydanticCustomError is one
        return None


def triangles_of_grid(grid: np.ndarray, spacing: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and faces (m, 3), counter-clockwise from above, of a grid about the middle of its base."""
    rows, columns = grid.shape
    x, y = ((np.arange(count) - (count - 1) / 2) * step for count, step in zip((columns, rows), spacing, strict=True))
    vertices = np.column_stack([np.tile(x, rows), np.repeat(y, columns), grid.ravel()])
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]))
    return vertices, np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 3)


def described_file(path: Path) -> HeightFile:
    """What is known of a file of heights."""
    grid = heights_of_file(path)
    digest = hashlib.sha256(grid.tobytes()).hexdigest()[:16]
    rows, columns = grid.shape
    return HeightFile(
        path=str(path), rows=rows, columns=columns, lowest=float(grid.min()), highest=float(grid.max()), digest=digest
    )


def _require_rows(value: Any) -> Any:
    if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) for row in value):
        raise invalid("not-a-list", f"expected rows of heights [[0, 0.1, ...], ...], got {shown(value)}")
    for k, row in enumerate(value):
        if len(row) != len(value[0]):
            raise invalid("terrain", f"row {k + 1} has {len(row)} heights, the first one has {len(value[0])}")
    return value


def _require_grid(rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    if any(is_column(height) for row in rows for height in row):
        raise invalid("terrain", "single heights cannot be varied", "vary the scale of the terrain")
    checked_grid(np.array(rows, dtype=np.float64))
    return rows


_Row = Annotated[tuple[Parsed[float, quantity(LENGTH)], ...], Field(strict=False)]
Heights = Annotated[
    tuple[_Row, ...], Field(strict=False), AfterValidator(_require_grid), BeforeValidator(_require_rows)
]
"""Rows of heights along x, one after the other along y."""
GridFile = file_of("file of heights", HeightFile, described_file)
