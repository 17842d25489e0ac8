"""The schema of `tables`: functions of one argument that a scene gives by points, inline or in a CSV file.

scipy finds the coefficients of the polynomials between the points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, WrapValidator, model_validator
from pydantic_core import PydanticCustomError

from rigidsim.errors import StorageError, did_you_mean
from rigidsim.quantities.units import in_si
from rigidsim.scene.expressions.tables import Interpolant
from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.text.csv_text import BadTable, Line, csv_lines, csv_names, require_cells, with_unit
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, Reading, SceneModel, invalid, said
from rigidsim.scene.values.files import status_of
from rigidsim.scene.values.quantities import LARGEST, Dimension, dimension_of, split_quantity

KEY = "tables"
MOST_ROWS = 100_000
MAX_BYTES = 16 * 2**20
HEADERS = "the first line names the columns, with units: altitude (km),density (kg/m^3)"
_NUMBER = {"type": ["number", "string"]}


class TablePoints(NamedTuple):
    """The points of a table in SI units, those units, and the place of the values of each, for messages."""

    x: np.ndarray
    y: np.ndarray
    units: tuple[str, str]
    places: tuple[str, ...] | None = None

    def place(self, row: int) -> str:
        """Where a point is given."""
        return self.places[row] if self.places else f"point {row + 1}"


def _read_points(written: Any) -> Any:
    if not isinstance(written, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in written):
        raise invalid("not-a-list", "expected points [[x, y], [x, y], ...]", "write points: [[0, 1.2], [1000, 1.1]]")
    if len(written) > MOST_ROWS:
        raise invalid("table", f"a table has at most {MOST_ROWS} points, got {len(written)}", "take fewer of them")
    return written


def _check_units(units: Any) -> Any:
    if not isinstance(units, list | tuple) or len(units) != 2 or not all(isinstance(unit, str) for unit in units):
        raise invalid("not-a-list", "expected the units of x and y", 'write units: [km, kg/m^3], with "" for none')
    return tuple(dimension_of(unit) and unit for unit in units)


class TableData(SceneModel):
    """A function of one argument for expressions, by points inline or in a CSV file."""

    file: Parsed[str | None, str] = Field(
        None, description="CSV file with names and units in its first line, relative to the scene's folder."
    )
    x: str = Field("", description="The column of the argument; default: the first one.")
    y: str = Field("", description="The column of the value; default: the second one.")
    points: Annotated[
        Any,
        BeforeValidator(_read_points),
        WithJsonSchema({"type": "array", "items": {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}}),
    ] = Field(None, description="Points [x, y] in place of a file, x rising; numbers or quantities.")
    units: Annotated[
        Any,
        BeforeValidator(_check_units),
        WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}),
    ] = Field(None, description="Units of x and y of points that are numbers; default: SI.")
    kind: Literal["linear", "cubic", "pchip"] = Field(
        "linear", description="Between points: lines, a cubic spline, or monotonic cubics without overshoot."
    )
    outside: Literal["error", "hold", "extend"] = Field(
        "error", description="Beyond the ends: the run fails, the last value holds, or the last piece goes on."
    )

    @model_validator(mode="after")
    def _require_one(self) -> TableData:
        given = {key for key in ("file", "points") if getattr(self, key) is not None}
        if len(given) != 1:
            wrong = "both 'file' and 'points' are given" if given else "there is neither a file nor points"
            raise invalid("table", wrong, "write {file: air.csv} or {points: [[0, 1.2], [1000, 1.1]]}")
        if given == {"points"} and (self.x or self.y):
            raise invalid("table", "columns are named of a file only", "omit it", key="x" if self.x else "y")
        return self

    def table(self, name: str, reading: Reading) -> tuple[GivenTable, Interpolant]:
        """The table as it is kept, and as expressions take it."""
        points = self._points(reading)
        _require_rising(points)
        pieces = _pieces(points, self.kind, self.outside)
        return GivenTable(points, self.kind, self.outside), Interpolant(name, pieces, *points.units)

    def _points(self, reading: Reading) -> TablePoints:
        if self.file is None:
            return _inline(self.points, self.units or ("", ""), reading)
        return _of_file(reading.folder / self.file, self.x, self.y)


class GivenTable(NamedTuple):
    """A table that was read: its points and what is between and beyond them."""

    points: TablePoints
    kind: str
    outside: str

    def written(self) -> dict[str, Any]:
        """The table in the form of a scene, with its points."""
        x, y, units, _ = self.points
        points = [[*pair] for pair in zip(x.tolist(), y.tolist(), strict=True)]
        return {"points": points, "units": [*units], "kind": self.kind, "outside": self.outside}


def _inline(points: list, units: tuple[str, str], reading: Reading) -> TablePoints:
    columns = [_column([pair[k] for pair in points], unit, k, reading) for k, unit in enumerate(units)]
    (x, x_unit), (y, y_unit) = columns
    return TablePoints(x, y, (x_unit, y_unit))


def _column(values: list, unit: str, k: int, reading: Reading) -> tuple[np.ndarray, str]:
    """The SI values of one column of points, and their unit."""
    written = next((found for value in values if isinstance(value, str) and (found := split_quantity(value)[1])), "")
    dimension = dimension_of(written or unit)
    si = []
    for row, value in enumerate(values):
        if unit and not isinstance(value, str):
            value = f"{value!r} {unit}"
        try:
            si.append(float(dimension.read(value, reading)))
        except ValueError as error:
            message = getattr(error, "context", {}).get("message", str(error))
            raise invalid("table", f"point {row + 1}, {'xy'[k]}: {message}", key=("points", row, k)) from None
    return np.array(si), dimension.unit


def _of_file(path: Path, x: str, y: str) -> TablePoints:
    status = status_of(path, "table", MAX_BYTES, FEWER, key="file")
    return _read_file(path, x, y, status.st_mtime_ns, status.st_size)


FEWER = f"a table has at most {MOST_ROWS} rows; leave out some"


@lru_cache(maxsize=16)
def _read_file(path: Path, x: str, y: str, _changed: int, _size: int) -> TablePoints:
    # The time of change and the size are part of the key, so that a changed file is read again.
    try:
        number, names, units, rows = _rows(path)
    except (BadTable, StorageError) as error:
        line, message = getattr(error, "line", 0), getattr(error, "message", str(error))
        raise _bad(path, f"line {line}: {message}" if line else message, "" if line else HEADERS) from None
    places = [_place_of(path, names, name, default) for name, default in ((x, 0), (y, 1))]
    columns = [(k, _dimension(path, number, names[k], units[k])) for k in places]
    numbers = [f"line {line} of '{shown(path.name)}'" for line, _ in rows]
    values = [[_cell(path, line, cells[k], names[k], units[k], one) for k, one in columns] for line, cells in rows]
    if not values:
        raise _bad(path, "there are no rows below the first line")
    x_si, y_si = np.array(values).T
    (_, of_x), (_, of_y) = columns
    return TablePoints(x_si, y_si, (of_x.unit, of_y.unit), tuple(numbers))


def _rows(path: Path) -> tuple[int, list[str], list[str], list[Line]]:
    """The number of the first line, names and units of the columns, and the rows."""
    lines = csv_lines(path)
    number, header = next(lines, (1, []))
    if len(header) < 2:
        raise BadTable(path, "a table needs two columns")
    if all(map(_is_number, header)):
        raise BadTable(path, "the first line has numbers, not names")
    titles = csv_names(path, number, header)
    rows: list[Line] = []
    for line in lines:
        if len(rows) == MOST_ROWS:
            raise BadTable(path, f"more than {MOST_ROWS} rows; {FEWER}", line[0])
        require_cells(path, line, titles)
        rows.append(line)
    names, units = zip(*map(with_unit, titles), strict=True)
    return number, [*names], [*units], rows


def _bad(path: Path, message: str, hint: str = "") -> Exception:
    return invalid("table", f"'{shown(path.name)}': {message}", hint, key="file")


def _place_of(path: Path, names: list[str], name: str, default: int) -> int:
    if not name:
        return default
    if names.count(name) != 1:
        hint = did_you_mean(name, names, f"there are {', '.join(map(shown, names))}")
        raise invalid("table", f"'{shown(path.name)}' has no column '{shown(name)}'", hint, key="xy"[default])
    return names.index(name)


def _dimension(path: Path, number: int, name: str, unit: str) -> Dimension:
    try:
        return dimension_of(unit)
    except PydanticCustomError as error:
        message = f"line {number}, column '{shown(name)}': {said(error)['message']}"
        raise _bad(path, message, said(error)["hint"]) from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _cell(path: Path, number: int, cell: str, name: str, unit: str, dimension: Dimension) -> float:
    if not _is_number(cell) or not math.isfinite(float(cell)):
        place = f"line {number}, column '{shown(name)}'"
        raise _bad(path, f"{place}: expected a finite number, got '{shown(cell.strip())}'")
    return in_si(cell.strip(), dimension.units[unit]) if unit else float(cell)


def _require_rising(points: TablePoints) -> None:
    if len(points.x) < 2:
        raise invalid("table", "a table needs at least two points, got one" if len(points.x) else "there are no points")
    back = np.flatnonzero(~(np.diff(points.x) > 0.0))
    if len(back):
        row = int(back[0]) + 1
        before, x = points.x[row - 1], points.x[row]
        raise invalid("table", f"{points.place(row)}: x = {x:g} is not above {before:g}, that before it", "sort by x")
    large = np.flatnonzero(~(np.maximum(np.abs(points.x), np.abs(points.y)) <= LARGEST))
    if len(large):
        raise invalid("table", f"{points.place(int(large[0]))} is larger than {LARGEST:g}")


def _pieces(points: TablePoints, kind: str, outside: str) -> np.ndarray:
    """The pieces of the table, and those beyond its ends."""
    x, y, *_ = points
    inner = np.column_stack([x[:-1], *_coefficients(x, y, kind)])
    bad = np.flatnonzero(~np.isfinite(inner).all(axis=1))
    if len(bad):
        message = f"{points.place(int(bad[0]) + 1)}: the slope to it is not finite"
        raise invalid("table", message, "points are too close together")
    if outside == "extend":
        return inner
    # The value at the last point belongs to the table.
    end, beyond = (x[-1], y[[0, -1]]) if outside == "hold" else (np.nextafter(x[-1], np.inf), [np.nan] * 2)
    first, last = ([origin, value, 0.0, 0.0, 0.0] for origin, value in zip((x[0], end), beyond, strict=True))
    return np.vstack([first, inner, last])


def _coefficients(x: np.ndarray, y: np.ndarray, kind: str) -> Iterable[np.ndarray]:
    """c_0 to c_3 of each piece."""
    with np.errstate(all="ignore"):
        if kind == "linear":
            none = np.zeros(len(x) - 1)
            return y[:-1], np.diff(y) / np.diff(x), none, none
        # Imported here because few scenes need it, and it takes long.
        from scipy.interpolate import CubicSpline, PchipInterpolator

        made = (CubicSpline if kind == "cubic" else PchipInterpolator)(x, y)
        return made.c[::-1]


class GivenTables(dict[str, GivenTable]):
    """The tables of a scene, which were read before the rest of it."""


def _taken(written: Any, _info: ValidationInfo) -> Any:
    return dict(written) if isinstance(written, GivenTables) else {}


def _unless_read(written: Any, read: Callable[[Any], TableData]) -> Any:
    return written if isinstance(written, GivenTable) else read(written)


_TABLE = Annotated[TableData, WrapValidator(_unless_read)]
_NAMED = {"propertyNames": {"pattern": f"^{NAME.pattern}$"}}
Tables = Annotated[
    Parsed[dict[str, GivenTable], dict[str, _TABLE]], BeforeValidator(_taken), Field(json_schema_extra=_NAMED)
]
