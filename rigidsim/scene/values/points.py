"""The values that a number of a scene takes in a sweep: an evenly divided range, or a list."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import PydanticCustomError

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.amounts import Amount, as_written, in_one_unit, read_amount
from rigidsim.scene.values.base import invalid, said
from rigidsim.scene.values.quantities import DIMENSIONS, split_quantity

LOG = "log:"
FORMS = 'start:stop:count ("0:60:13", "0 rpm:60 rpm:13"), log:start:stop:count, or a list [1, 2, 5]'
UNITS = frozenset(unit for dimension in DIMENSIONS for unit in dimension.units)
COUNT, TOO_LARGE = re.compile(r"\s*[0-9]{1,16}\s*"), re.compile(r"\s*[0-9]{17,}\s*")


@dataclass(frozen=True)
class Range:
    """`count` points from `start` to `stop`, both included: those of `numpy.linspace`, or of `numpy.geomspace` if
    `is_log`. The ends are numbers in `unit`, which is empty for bare numbers.
    """

    start: float
    stop: float
    count: int
    unit: str = ""
    is_log: bool = False

    def __str__(self) -> str:
        ends = f"{Amount(self.start, self.unit)}:{Amount(self.stop, self.unit)}"
        return f"{LOG if self.is_log else ''}{ends}:{self.count}"


@dataclass(frozen=True)
class Listed:
    """The values of a list, in order: numbers in `unit`, or, if they are not all numbers or quantities of one
    dimension (`is_numeric`), words and other data as a scene has them.
    """

    values: tuple[Any, ...]
    unit: str = ""
    is_numeric: bool = True

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.values)


Points = Range | Listed


def read_points(value: Any) -> Points:
    """The points in the text of a range, or in a list of plain data."""
    if isinstance(value, Range | Listed):
        return value
    if isinstance(value, str):
        return _read_range(value)
    if isinstance(value, list | tuple):
        return read_list(value)
    raise invalid("range", f"expected {FORMS}, got {shown(value)}")


def read_list(values: list | tuple) -> Listed:
    """The points in a list of plain data. Errors have the index of the entry as `key`."""
    if not values:
        raise invalid("range", "the list is empty", "a number without values makes zero runs")
    for index, value in enumerate(values):
        if value is None:
            raise invalid("empty", "an entry of the list has no value", key=index)
    if all(type(value) is float and math.isfinite(value) for value in values):  # as below, ten times faster
        return Listed(tuple(values))
    if not all(map(_is_amount, values)):
        return Listed(tuple(values), is_numeric=False)
    amounts = [_at(index, read_amount, value) for index, value in enumerate(values)]
    if len({amount.unit for amount in amounts}) > 1:
        for index, amount in enumerate(amounts):
            _at(index, in_one_unit, (amounts[0], amount))
    return Listed(*in_one_unit(amounts))


def read_column(values: list) -> Listed:
    """The same for a column of a table, which has only numbers and quantities if it begins with one."""
    if values and _is_amount(values[0]):
        for index, value in enumerate(values):
            if not _is_amount(value):
                message = f"expected a number or a quantity, as in the lines above, got {shown(value)}"
                raise invalid("not-a-number", message, key=index)
    return read_list(values)


def written_points(points: Points) -> str | list:
    """The points as plain data in the form of a scene, from which `read_points` reads the same."""
    if isinstance(points, Range):
        return str(points)
    return [as_written(value, points.unit) for value in points.values]


def _is_amount(value: Any) -> bool:
    """Whether this is a number, or the text of a number with a known unit."""
    if not isinstance(value, str):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return split_quantity(value)[1] in UNITS


def _at(index: int, read: Callable[[Any], Any], value: Any) -> Any:
    """What `read` makes of the entry with this index."""
    try:
        return read(value)
    except PydanticCustomError as error:
        words = said(error)
        raise invalid(error.type, words["message"], words["hint"], key=index) from None


def _read_range(text: str) -> Range:
    bare = text.strip()
    is_log = bare.startswith(LOG)
    parts = bare.removeprefix(LOG).split(":")
    if len(parts) != 3:
        raise invalid("range", f"expected {FORMS}, got the text '{shown(text)}'")
    (start, stop), unit = in_one_unit([read_amount(part) for part in parts[:2]])
    _check_ends(start, stop, is_log)
    return Range(start, stop, _count(parts[2], start, stop), unit, is_log)


def _check_ends(start: float, stop: float, is_log: bool) -> None:
    if not math.isfinite(stop - start):
        raise invalid("range", f"the ends {start:g} and {stop:g} are too far apart", "their difference overflows")
    if is_log and not (start > 0 < stop or start < 0 > stop):
        raise invalid(
            "range", f"a logarithmic range from {start:g} to {stop:g} would pass zero", "both ends have one sign"
        )


def _count(text: str, start: float, stop: float) -> int:
    if TOO_LARGE.fullmatch(text):
        raise invalid("range", f"{shown(text.strip())} points are too many; the limit is 2**53")
    if not COUNT.fullmatch(text):
        raise invalid("range", f"'{shown(text.strip())}' is not a number of points", "write start:stop:count")
    count = int(text)
    if count == 0:
        raise invalid("range", "a range of 0 points makes zero runs")
    if count == 1 and start != stop:
        raise invalid("range", "a range with two ends has at least 2 points", f"for one value write [{start!r}]")
    return count
