"""Where two trajectories differ: the first number of which the bits differ, and how far the bodies part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.trajectory.fields import AXES, SIDE_NAMES
from rigidsim.trajectory.motion import Motion
from rigidsim.trajectory.stored import StoredArray
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import windows

SAME_TIME = 1e-9
"""Times of samples that differ by less than this part of the longer run are one time: the product of the number of a
step and its length rounds otherwise if the step is another one."""
COMPONENTS = {len(letters): letters for letters in AXES.values()}


@dataclass(frozen=True)
class Difference:
    """A number of which the bits differ: its `values` in both, in row `row` of a dataset of the first trajectory, a
    sample or, in a table, an event or a contact point. `time` (s) is that of a sample, or None; `body` and
    `component` are empty where the dataset has none.
    """

    dataset: str
    row: int
    time: float | None
    body: str
    component: str
    values: tuple[float, float]

    @property
    def ulps(self) -> int | None:
        """How many float64 numbers one value is away from the other, 0 for 0 and -0; None unless both are finite
        floats.
        """
        if not all(isinstance(value, float) and math.isfinite(value) for value in self.values):
            return None
        first, second = map(_place, self.values)
        return abs(second - first)


@dataclass(frozen=True)
class Deviation:
    """How far a body of one trajectory is from that of the other, in the world: the largest distance (m) and the
    largest angle (rad), each with its time (s); None where the bits are the same, and where they were not recorded.
    """

    body: str
    distance: float | None
    distance_time: float | None
    angle: float | None
    angle_time: float | None


class Comparison:
    """Two trajectories at the times, and for the bodies, that both have. Files are read in windows of samples, and
    chunks of which both store the same bytes are not decoded.
    """

    def __init__(self, first: Trajectory, second: Trajectory):
        self.both = (first, second)
        self.paths = [path for path in first.paths if path in second.header.row_of]

    @cached_property
    def samples(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the samples at the same times, in the first and in the second."""
        ours, theirs = (trajectory.time for trajectory in self.both)
        tolerance = SAME_TIME * max(ours[-1], theirs[-1])
        nearest = np.minimum(np.searchsorted(theirs, ours - tolerance), len(theirs) - 1)
        found = np.flatnonzero(np.abs(theirs[nearest] - ours) <= tolerance)
        return found, nearest[found]

    @cached_property
    def first_difference(self) -> Difference | None:
        """The first number that differs in the earliest sample in which the motion of a body differs; if none does, of
        the times, energies and momenta, else of the tables of contact points and events.
        """
        fields = self.both[0].header.fields
        motions = [field.name for field in fields if "body" in field.dimensions]
        others = ["time", *(field.name for field in fields if "body" not in field.dimensions)]
        tables = [name for name in self.both[0].arrays if name not in {*motions, *others, *SIDE_NAMES}]
        for names in (motions, others):
            if found := self._first_of_samples(self._shared(names)):
                return found
        return next(filter(None, map(self._first_in_table, self._shared(tables))), None)

    def deviations(self) -> list[Deviation]:
        """How far each body is apart, in the order of the first trajectory."""
        spans = [_Spans() for _ in self.paths]
        for samples in self._windows():
            names = [name for name in MEASURES if not self._is_same(f"world/{name}", samples)]
            parts = [trajectory.part(which) for trajectory, which in zip(self.both, samples, strict=True)]
            for path, span in zip(self.paths, spans, strict=True):
                span.add(names, *(part[path].world for part in parts))
        return [span.deviation(path) for path, span in zip(self.paths, spans, strict=True)]

    def _shared(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if all(name in trajectory.arrays for trajectory in self.both)]

    def _windows(self) -> Iterator[tuple[slice | np.ndarray, slice | np.ndarray]]:
        """The samples at the same times, as many at a time as fit in memory."""
        larger = max(self.both, key=lambda trajectory: (len(trajectory), len(trajectory.time)))
        rows = next(windows(larger)).stop
        for begin in range(0, len(self.samples[0]), rows):
            one, other = (_as_slice(numbers[begin : begin + rows]) for numbers in self.samples)
            yield one, other

    def _is_same(self, name: str, samples: tuple[slice | np.ndarray, slice | np.ndarray]) -> bool:
        """Whether the bytes of these samples are known to be the same without decoding them."""
        first, second = (trajectory.arrays.get(name) for trajectory in self.both)
        if not (isinstance(first, StoredArray) and isinstance(second, StoredArray)):
            return False
        one, other = samples
        is_one = isinstance(one, slice) and isinstance(other, slice) and one == other
        return is_one and first.is_same(second, cast(slice, one))

    def _first_of_samples(self, names: Sequence[str]) -> Difference | None:
        for samples in self._windows():
            found = [self._first_in(name, samples) for name in names if not self._is_same(name, samples)]
            if found := [one for one in found if one is not None]:
                return min(found, key=lambda one: one.row)
        return None

    def _first_in(self, name: str, samples: tuple[slice | np.ndarray, slice | np.ndarray]) -> Difference | None:
        """The first difference in some samples of a dataset, for the bodies of which both have it."""
        first, second = (np.asarray(t.arrays[name][which]) for t, which in zip(self.both, samples, strict=True))
        field = next((field for field in self.both[0].header.fields if field.name == name), None)
        of_each, axis = (field.of_each, field.axis) if field else ("", "")
        bodies = self._recorded(name, of_each) if of_each else []
        if of_each:
            first, second = (
                array[:, [t.header.labels[of_each].index(label) for label in bodies]]
                for t, array in zip(self.both, (first, second), strict=True)
            )
        place = _first_place(first, second)
        if place is None:
            return None
        row = int(np.arange(len(self.both[0].time))[samples[0]][place[0]])
        body = bodies[place[1]] if bodies else ""
        component = COMPONENTS[first.shape[-1]][place[-1]] if axis else ""
        time = float(self.both[0].time[row])
        return Difference(name, row, time, body, component, (first[place].item(), second[place].item()))

    def _recorded(self, name: str, of_each: str) -> list[str]:
        """The bodies, joints or coordinates of which both have a dataset."""
        if of_each != "body":
            ours, theirs = (trajectory.header.labels[of_each] for trajectory in self.both)
            return [label for label in ours if label in theirs]
        rows = [t.header.recorded_rows(name) for t in self.both]
        has = [
            set(t.paths) if some is None else {t.paths[row] for row in some}
            for t, some in zip(self.both, rows, strict=True)
        ]
        return [path for path in self.paths if path in has[0] & has[1]]

    def _first_in_table(self, name: str) -> Difference | None:
        """The first row in which a column of a table of contact differs, of the rows that both have."""
        first, second = (np.asarray(trajectory.arrays[name]) for trajectory in self.both)
        rows = min(len(first), len(second))
        place = _first_place(first[:rows], second[:rows])
        if place is None:
            return None
        component = COMPONENTS[first.shape[-1]][place[-1]] if first.ndim > 1 else ""
        return Difference(name, int(place[0]), None, "", component, (first[place].item(), second[place].item()))


class _Spans:
    """The largest distance and angle between two motions so far."""

    def __init__(self):
        self._found: dict[str, tuple[float | None, float | None]] = dict.fromkeys(MEASURES, (None, None))

    def add(self, names: Iterable[str], first: Motion, second: Motion) -> None:
        for name in names:
            try:
                apart = MEASURES[name](getattr(first, name), getattr(second, name))
            except NotRecordedError:
                continue
            if np.all(np.isnan(apart)):
                continue
            worst, largest = int(np.nanargmax(apart)), self._found[name][0]
            if largest is None or apart[worst] > largest:
                self._found[name] = (float(apart[worst]), float(first.time[worst]))

    def deviation(self, path: str) -> Deviation:
        return Deviation(path, *self._found["position"], *self._found["orientation"])


def distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """How far positions are apart."""
    return np.linalg.norm(second - first, axis=-1)


def angles(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The angles between orientations: two unit quaternions are 2 sin(angle/4) apart, or their negatives are nearer."""
    apart = np.minimum(np.linalg.norm(second - first, axis=-1), np.linalg.norm(second + first, axis=-1))
    return 4.0 * np.arcsin(np.minimum(apart / 2.0, 1.0))


MEASURES = {"position": distances, "orientation": angles}
"""How far apart two motions are, by the quantity of which that is given."""


def _first_place(first: np.ndarray, second: np.ndarray) -> tuple[int, ...] | None:
    """The index of the first number of which the bits differ."""
    one, other = (np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}") for array in (first, second))
    if np.array_equal(one, other):
        return None
    return tuple(int(k) for k in np.unravel_index(np.argmax(one != other), first.shape))


def _place(value: float) -> int:
    """The place of a float64 in the order of all of them; that of 0 and of -0 is 0."""
    bits = int(np.float64(value).view(np.int64))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _as_slice(numbers: np.ndarray) -> slice | np.ndarray:
    """Ascending numbers, as a slice if they follow each other."""
    begin, end = int(numbers[0]), int(numbers[-1]) + 1
    return slice(begin, end) if end - begin == len(numbers) else numbers
