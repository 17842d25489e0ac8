"""What sensors and controllers gave at their samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rigidsim.arguments import clipped
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.quantities.names import reading_names
from rigidsim.trajectory.fields import AXES, ReadingTable
from rigidsim.trajectory.header import Header


class Readings(Mapping[str, np.ndarray]):
    """The readings of a sensor, or the outputs of a controller: `time` (n) s, and an array for each of what it gave, by
    name, (n) or (n, components). They are apart from the truth, and have times of their own.
    """

    def __init__(self, table: ReadingTable, arrays: Mapping[str, np.ndarray]):
        self.table, self._arrays = table, arrays
        self._columns = {column.name.rpartition("/")[2]: column for column in table.columns}

    @property
    def time(self) -> np.ndarray:
        """Times of the samples, s; of a controller, when its outputs took effect."""
        return self._recorded(self.table.time)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each of what it gave; 1 for plain numbers and for what has no known unit."""
        return {name: column.units for name, column in self._columns.items()}

    def components(self, name: str) -> tuple[str, ...]:
        """The components of one of what it gave; none of a number."""
        return AXES.get(self._columns[name].axis, ())

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            known = ", ".join(self._columns)
            raise UsageError(f"'{self.table.name}' has no {clipped(name)}; it has {known}")
        return self._recorded(self._columns[name].name)

    def _recorded(self, dataset: str) -> np.ndarray:
        """The numbers of a dataset, which a file of a sweep does not have."""
        if dataset not in self._arrays:
            raise NotRecordedError(f"these samples do not have what '{self.table.name}' gave; a single run keeps it")
        return np.asarray(self._arrays[dataset])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        samples = len(self._arrays.get(self.table.time, ()))
        return f"<Readings of '{self.table.name}': {', '.join(self)}; {samples} samples>"

    def held(self, time: np.ndarray, name: str, component: int = 0) -> np.ndarray:
        """A number as it is held at some times (s), 0 before the first sample; one at that time counts."""
        values = self[name]
        values = values[:, component] if values.ndim > 1 else values
        last = np.searchsorted(self.time, time, side="right") - 1
        return np.where(last >= 0, values[np.maximum(last, 0)] if len(values) else 0.0, 0.0)


def held_at(header: Header, arrays: Mapping[str, np.ndarray], time: np.ndarray, name: str, body: str) -> np.ndarray:
    """(time) a reading of the sensor of a body, or an output of a controller if `body` is empty, by the name that
    expressions have for it, as it was held at some times (s). Raises NotRecordedError.
    """
    for table in header.readings:
        found, (of, _, sensor) = Readings(table, arrays), table.name.rpartition(".")
        channels = {channel: found.components(channel) for channel in found}
        names = reading_names(sensor, channels) if of else {channel: (channel, 0) for channel in channels}
        if of == body and name in names:
            return found.held(time, *names[name])
    raise NotRecordedError(f"the trajectory does not have '{name}'{f' of {body!r}' if body else ''}")
