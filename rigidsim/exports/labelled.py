"""Labelled arrays: what NetCDF files and xarray datasets are made of, read a part at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rigidsim.arguments import needed
from rigidsim.errors import UsageError
from rigidsim.trajectory.chunks import windows_of

WINDOW_BYTES = 8e6


@dataclass(frozen=True)
class LabelledVariable:
    """An array with named `dimensions`. `read(rows)` gives its values at a slice of the first one, or the value if it
    has none; `is_text` is whether they are strings.
    """

    name: str
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    read: Callable[[slice], Any]
    attributes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, dimensions: tuple[str, ...], values: Any, **attributes: str) -> LabelledVariable:
        """A variable in memory; texts are strings or a sequence of them."""
        array = np.asarray(values)
        is_text = array.dtype.kind in "OSU"
        array = array.astype(object) if is_text else array
        dtype = "text" if is_text else array.dtype.str
        return cls(name, dimensions, array.shape, dtype, lambda rows: array[rows] if array.ndim else array[()],
                   attributes)  # fmt: skip

    @property
    def is_text(self) -> bool:
        """Whether the values are strings."""
        return self.dtype == "text"

    def windows(self) -> Iterator[slice]:
        """Slices of the first dimension that fit in memory."""
        return windows_of(self.shape[0], 8 * int(np.prod(self.shape[1:], dtype=np.int64)), WINDOW_BYTES)


@dataclass(frozen=True)
class Labelled:
    """Variables that share dimensions. `coordinates` are the names of those that label dimensions, `attributes` belong
    to the whole. Raises UsageError if two variables have one name.
    """

    variables: tuple[LabelledVariable, ...]
    coordinates: frozenset[str]
    attributes: Mapping[str, str]

    def __post_init__(self):
        names = [variable.name for variable in self.variables]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"two variables would have the name {name!r}; export them to two files")

    def to_xarray(self):
        """The variables as an `xarray.Dataset`."""
        xarray = needed("xarray", "xarray datasets", "netcdf")
        every = slice(None)
        found = {v.name: (v.dimensions, v.read(every), dict(v.attributes)) for v in self.variables}
        labels = {name: found.pop(name) for name in list(found) if name in self.coordinates}
        return xarray.Dataset(found, labels, dict(self.attributes))


def plain_unit(unit: str) -> str:
    """A unit as in tables, from `m s-2` to `m/s²`; empty for 1."""
    if unit == "1":
        return ""
    return unit.replace(" s-1", "/s").replace(" s-2", "/s²")
