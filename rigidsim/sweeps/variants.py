"""The models of many variants of a scene, which is read once: a varied number is a column with a lane for each variant.

Nothing is known in advance about what depends on a number. Lanes that need another step of the reading than most leave
it, and are read again together; what cannot be read in columns is read alone, as `run --set` does.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rigidsim.blueprints import build_world
from rigidsim.containers.columns import LARGEST_EXACT, Column, Lanes
from rigidsim.engine.assembly.lanes import LANES, structure
from rigidsim.errors import SceneError
from rigidsim.scene.changing import has_changes
from rigidsim.scene.prepare.overrides import apply_overrides, path_of, put
from rigidsim.scene.read import Scene, checked, require_mapping
from rigidsim.scene.text.document import Document
from rigidsim.scene.text.reader import collector_paused
from rigidsim.scene.values.quantities import QuantityColumn, split_quantity
from rigidsim.simulation.blocks import WorldGroup, WorldList
from rigidsim.sweeps.cells import WorldColumns

FEW = 4
"""So few variants are read alone: reading in columns takes about as long as reading so many scenes."""
FIRST, MOST = 64, 4096
"""Lanes of the first reading, and of any: a column stays in the processor's cache."""
MOST_BYTES = 2**28
"""Of all columns that a reading makes. How many a scene needs is known after the first."""
ALONE = "alone"
"""In place of a unit: a value that is neither a finite number nor a quantity."""


class Variants:
    """A scene of which some numbers vary; `varied` are names of parameters or paths, as `--set` takes them.

    Raises UsageError for a path that the scene does not have, and SceneError for a document that is not a mapping.
    """

    def __init__(self, document: Document, varied: Sequence[str]):
        require_mapping(document)
        self.document = document.copy()
        self.paths = {name: path_of(self.document, name, Scene) for name in varied}
        self.columns = 0  # most of a reading
        self.readings = 0  # in columns
        self.alone = 0  # variants that were read alone

    def models(self, columns: Mapping[str, Any]) -> tuple[list[WorldGroup], dict[int, SceneError]]:
        """The worlds of all variants, in groups of one structure, and the errors of invalid variants by their numbers.

        `columns` has the values of each varied name, all of the same length: numbers in the scene's units, or
        quantities as text (`"5 rpm"`). Each world has the bits of the scene that is read with `--set name=value`.
        """
        found, groups = self.reading(columns), defaultdict(list)
        for number, world in sorted(found.alone.items()):
            groups[structure(world)].append(number)
        alone = (WorldList([found.alone[k] for k in ks], ks) for ks in groups.values())
        return [*found.groups, *alone], found.faults

    def reading(self, columns: Mapping[str, Sequence | np.ndarray]) -> VariantReadings:
        """What `read` finds for all variants."""
        values = {name: _Values(columns[name]) for name in self.paths}
        (count,) = {len(column.written) for column in values.values()}
        found = VariantReadings(self, values)
        begin = 0
        while begin < count:
            lanes = MOST_BYTES // (8 * self.columns) // LANES * LANES if self.columns else FIRST
            numbers = np.arange(begin, min(begin + max(FIRST, min(MOST, lanes)), count))
            found.read(numbers)
            begin += len(numbers)
        return found

    def read(self, document: Document) -> Any:
        """The world of a document."""
        return build_world(checked(document)[0])

    def grouped(self, found: Any, lanes: Lanes, numbers: np.ndarray) -> Any:
        """What was read in columns, for the lanes that are left."""
        return WorldColumns(found, lanes, numbers)


class _Values:
    """The values of one varied number."""

    def __init__(self, values: Sequence | np.ndarray):
        self.written = values.tolist() if isinstance(values, np.ndarray) else [_plain(value) for value in values]
        self._floats = np.array(self.written) if all(type(value) is float for value in self.written) else None
        if self._floats is not None:
            self.units = np.where(np.isfinite(self._floats), "", ALONE)
        else:
            self.units = np.array([_unit(value) for value in self.written], dtype=object)

    def column(self, numbers: np.ndarray, lanes: Lanes) -> Column | QuantityColumn:
        """The values of variants that are written with the same unit."""
        if self._floats is not None:
            return Column(self._floats[numbers], lanes)
        unit = self.units[numbers[0]]
        written = [self.written[k] for k in numbers]
        if unit:
            return QuantityColumn(tuple(split_quantity(text)[0] for text in written), unit, lanes)
        return Column(np.array(written, dtype=np.float64), lanes)


class VariantReadings:
    """The readings that a set of variants needs, and what they found: `groups` in columns, others `alone` by number."""

    def __init__(self, family: Variants, values: Mapping[str, _Values]):
        self.groups: list[Any] = []
        self.alone: dict[int, Any] = {}
        self.faults: dict[int, SceneError] = {}
        self._family, self._values = family, values

    def read(self, numbers: np.ndarray) -> None:
        """Read variants."""
        waiting = self._by_units(numbers)
        while waiting:
            group = waiting.pop()
            if (
                len(group) < FEW
                or has_changes(self._family.document)
                or any(column.units[group[0]] == ALONE for column in self._values.values())
            ):
                self._read_alone(group)
            else:
                waiting += self._read_in_columns(group)

    def _by_units(self, numbers: np.ndarray) -> list[np.ndarray]:
        """Variants whose values are written with the same units."""
        groups = [numbers]
        for column in self._values.values():
            groups = [group[column.units[group] == u] for group in groups for u in sorted(set(column.units[group]))]
        return groups

    def _read_in_columns(self, numbers: np.ndarray) -> list[np.ndarray]:
        """Read variants in columns; returns those that left the reading, in groups."""
        family, lanes = self._family, Lanes(len(numbers))
        family.readings += 1
        document = family.document.copy()
        for name, column in self._values.items():
            put(document, family.paths[name], column.column(numbers, lanes))
        try:
            with np.errstate(all="ignore"), collector_paused():
                self.groups.append(family.grouped(family.read(document), lanes, numbers))
        except Exception:  # whatever it is, reading alone says it in the words of `run`
            self._read_alone(numbers[lanes.left])
        family.columns = max(family.columns, lanes.columns)
        return [numbers[group] for group in lanes.gone]

    def _read_alone(self, numbers: np.ndarray) -> None:
        for number in numbers.tolist():
            self._family.alone += 1
            document = self._family.document.copy()
            overrides = [f"{name}={column.written[number]}" for name, column in self._values.items()]
            try:
                apply_overrides(document, overrides, Scene)
                with collector_paused():
                    self.alone[number] = self._family.read(document)
            except SceneError as error:
                self.faults[number] = error


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value


def _unit(value: object) -> str:
    """The unit of a quantity; empty for a finite number."""
    if isinstance(value, str):
        number, unit = split_quantity(value)
        return unit if unit and math.isfinite(float(number)) else ALONE
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ALONE
    is_exact = math.isfinite(value) if isinstance(value, float) else abs(value) <= LARGEST_EXACT
    return "" if is_exact else ALONE
