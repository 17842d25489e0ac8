"""Worlds of which some numbers are columns: that of one lane, and those of a block of lanes side by side."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from rigidsim.containers.columns import Column, Lanes, is_column
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import put_lanes, side_by_side
from rigidsim.engine.model.arrays import Model, holds_values
from rigidsim.simulation.blocks import Places, WorldGroup


class Cells:
    """An array (row, component) of doubles, some of which are columns. ValueError for NaN: its sign depends on the way
    it was computed.
    """

    def __init__(self, objects: np.ndarray):
        varied = np.frompyfunc(is_column, 1, 1)(objects).astype(bool)
        if any(column != column for column in objects[varied]):
            raise ValueError("NaN in a model")
        self._place = np.nonzero(varied)
        self._columns = np.array([column.values for column in objects[varied]])
        self._fixed = np.where(varied, 0.0, objects).astype(np.float64)
        self._wide: dict[int, np.ndarray] = {}  # the fixed numbers for each lane, by the number of lanes

    def of(self, lane: int) -> np.ndarray:
        """The array of one lane."""
        found = self._fixed.copy()
        found[self._place] = self._columns[:, lane]
        return found

    def block(self, lanes: np.ndarray) -> np.ndarray:
        """(row, component * lanes), the arrays of these lanes side by side."""
        count = len(lanes)
        if count not in self._wide:
            self._wide[count] = side_by_side([self._fixed] * count)
        found = self._wide[count].copy()
        self.put(found, lanes)
        return found

    def put(self, block: np.ndarray, lanes: np.ndarray) -> None:
        """Make the array of other lanes that of these."""
        block.reshape(*self._fixed.shape, len(lanes))[self._place] = self._columns[:, lanes]

    def put_into(self, block: np.ndarray, places: np.ndarray, lanes: np.ndarray) -> None:
        """Make some lanes of a block, at these places, these lanes."""
        rows, components = self._place
        wide = block.reshape(*self._fixed.shape, block.size // self._fixed.size)
        wide[..., places] = self._fixed[..., np.newaxis]
        wide[rows[:, np.newaxis], components[:, np.newaxis], places] = self._columns[:, lanes]


class WorldColumns:
    """Worlds of one structure that were read in columns; `numbers` are those of the variants."""

    def __init__(self, world: World, lanes: Lanes, numbers: np.ndarray):
        blueprint, schedule = world.blueprint, world.blueprint.schedule
        step = one_value(world.model.step)
        one_value((blueprint.method, blueprint.n_step, blueprint.stride, schedule.instants, schedule.reparentings))
        self._model: Model
        self._state: Any
        self._model, self._state = _with_cells((world.model._replace(step=step), world.state))
        self._origin = _with_cells(blueprint), world.tree
        self._lanes = lanes.numbers()
        self.numbers = numbers[self._lanes]
        self._columns: list[Column | Cells] = []
        self._shared: dict[int, object] = {}
        _look(self._origin, {}, self._columns, self._shared)
        self._wide: dict[int, tuple[Model, Any]] = {}
        self._cells = list(_cells_in(self._model))

    def __len__(self) -> int:
        return len(self.numbers)

    def world(self, place: int) -> World:
        """The world of one variant, as it would be read alone; worlds share the parts in which they do not differ."""
        lane = self._lanes[place]
        numbers = {id(c): c.of(lane) if isinstance(c, Cells) else float(c.values[lane]) for c in self._columns}
        origin = copy.deepcopy(self._origin, self._shared | numbers)
        return World(*origin, *_each((self._model, self._state), Cells.of, lane))

    def block(self, places: Places, into: Model | None = None) -> tuple[Model, np.ndarray]:
        """Model and state of a block of these variants, one for each lane; see `Group.block`."""
        count, lanes = len(places), self._lanes[places]
        if count not in self._wide:
            self._wide[count] = _mapped(
                (self._model, self._state), lambda one: side_by_side([one] * count) if holds_values(one) else one
            )
        model, state = self._wide[count]
        if into is None:
            return _each((model, state), Cells.block, lanes)
        for path, cells in self._cells:
            part: Any = into
            for place in path:
                part = part[place]
            cells.put(part, lanes)
        return into, _each((state,), Cells.block, lanes)[0]

    def varies_as(self, other: WorldGroup) -> bool:
        """Whether the same arrays of the models vary in another group of this structure, and the others are equal."""
        return isinstance(other, WorldColumns) and all(
            type(mine) is type(theirs)
            and (isinstance(mine, Cells) or np.asarray(mine).tobytes() == np.asarray(theirs).tobytes())
            for mine, theirs in zip(_leaves(self._model), _leaves(other._model), strict=True)
        )

    def put(self, model: Model, state: np.ndarray, lanes: np.ndarray, places: np.ndarray) -> None:
        """Write these variants into lanes of a block in which others are, of groups that vary as this one. Parts that
        the model lacks are left out.
        """
        own = self._lanes[places]
        for path, cells in self._cells:
            part: Any = model
            for place in path:
                part = part and part[place]
            if part is not None:
                cells.put_into(part, lanes, own)
        if isinstance(self._state, Cells):
            self._state.put_into(state, lanes, own)
        else:
            put_lanes(state, lanes, side_by_side([self._state] * len(lanes)))


def one_value(part: Any) -> Any:
    """A part of the structure: of the lanes of a column in it, those with one value are left."""
    if isinstance(part, tuple | list):
        return [one_value(inner) for inner in part]
    return float(part) if is_column(part) else part


# --- models: tuples of tuples and arrays


def _with_cells(part: Any) -> Any:
    """A model, or a part of one, with cells in place of arrays of objects."""
    return _mapped(part, lambda one: Cells(one) if isinstance(one, np.ndarray) and one.dtype == object else one)


def _each(part: Any, array_of: Callable, lanes: object) -> Any:
    """A model, or a part of one, with arrays in place of cells."""
    return _mapped(part, lambda one: array_of(one, lanes) if isinstance(one, Cells) else one)


def _leaves(part: object) -> Iterator[object]:
    """All that is no tuple in a model."""
    if isinstance(part, tuple):
        for inner in part:
            yield from _leaves(inner)
    else:
        yield part


def _cells_in(part: object, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Cells]]:
    """The cells of a model, with the place of each part on the way to them."""
    if isinstance(part, tuple):
        for place, inner in enumerate(part):
            yield from _cells_in(inner, (*path, place))
    elif isinstance(part, Cells):
        yield path, part


def _mapped(part: Any, changed: Callable) -> Any:
    """A model, or a part of one, with all that is no tuple changed."""
    return _made(part, (_mapped(inner, changed) for inner in part)) if isinstance(part, tuple) else changed(part)


def _made(like: tuple, parts: Iterator) -> tuple:
    return like._make(parts) if hasattr(like, "_make") else tuple(parts)


# --- blueprints and trees: objects of all kinds


def _inner(part: object) -> list:
    """The parts of a container or object; none of anything else."""
    if isinstance(part, tuple | list):
        return list(part)
    if isinstance(part, dict):
        return [*part.keys(), *part.values()]
    return list(_attributes(part).values())


def _attributes(part: Any) -> dict[str, object]:
    """The attributes of an object of this program; none of a number, an array, a class."""
    if isinstance(part, type | np.ndarray | np.generic):
        return {}
    return {name: getattr(part, name) for name in _slots(part.__class__)} | getattr(part, "__dict__", {})


@cache
def _slots(kind: type) -> list[str]:
    """The attributes that are not in the dictionary of an object."""
    return [name for parent in kind.__mro__ for name in getattr(parent, "__slots__", ())]


def _look(part: object, varied: dict[int, bool], columns: list, shared: dict[int, object]) -> bool:
    """Whether a container or object is a column or has some in it. Collects those columns, and what is beside them
    without any, by its id.
    """
    if id(part) not in varied:
        varied[id(part)] = isinstance(part, Column | Cells)
        if varied[id(part)]:
            columns.append(part)
        else:
            inner = _inner(part)
            answers = [_look(one, varied, columns, shared) for one in inner]
            varied[id(part)] = any(answers)
            if any(answers):
                shared |= {id(one): one for one, has_columns in zip(inner, answers, strict=True) if not has_columns}
    return varied[id(part)]
