"""The surfaces of all shapes: what each collides with, and the values of contact of each two."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rigidsim.containers.columns import is_column, largest
from rigidsim.physics.contact import IGNORED, SENSED
from rigidsim.physics.distances import Core
from rigidsim.physics.elementary import sqrt
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.material import MATERIAL, SENSOR, Groups, Material
from rigidsim.scene.schema.shapes import Shape
from rigidsim.scene.schema.world import PairContact
from rigidsim.scene.values.rotation import three_numbers
from rigidsim.tree.nodes import WORLD

RESTITUTION, FRICTION = map(list(MATERIAL).index, ("restitution", "friction"))


class Surface(NamedTuple):
    """All that decides on the contacts of a shape; of a body, what its shapes and the bodies fixed to it inherit."""

    values: tuple[float, float, float] = three_numbers(MATERIAL.values())
    collide: bool | str | Groups = True  # true, false, sensor, or the group and those that it admits
    within: frozenset[str] = frozenset()  # the paths named in `world.contacts` that it is on or below

    def changed(self, material: Material | None, collide: Any) -> Surface:
        """With what is given in place of what is inherited."""
        if material is None and collide is None:
            return self
        given = [getattr(material, key, None) for key in MATERIAL]
        values = three_numbers(old if new is None else new for old, new in zip(self.values, given, strict=True))
        return self._replace(values=values, collide=self.collide if collide is None else collide)


class SurfacedShape(NamedTuple):
    """A shape, and the number of its surface."""

    node: SceneNode
    number: int  # in the node's list
    shape: Shape
    core: Core | None  # None if it cannot collide
    surface: int


class Surfaces:
    """The surfaces of a scene, without repetition, and its shapes, in the order of paths and of the file."""

    def __init__(self, hierarchy: Hierarchy):
        self.entries: tuple[PairContact, ...] = hierarchy.scene.world.contacts
        self.all: list[Surface] = []  # by their numbers
        self._numbers: dict[Surface, int] | None = {}
        self.shapes = sorted(self._shapes(hierarchy), key=lambda shape: (shape.node.path, shape.number))

    def _shapes(self, hierarchy: Hierarchy) -> Iterator[SurfacedShape]:
        named = {path for entry in self.entries for path in entry.between}
        found = {0: Surface(within=frozenset(named & {WORLD}))}  # by frame
        for node in hierarchy:
            above = found[node.parent]
            within = above.within | {node.path} if node.path in named else above.within
            inherited = above._replace(within=within) if node.kind == "fixed" else Surface(within=within)
            own = found[node.frame] = inherited.changed(node.body.material, node.body.collide)
            for number, shape in enumerate(node.body.shapes):
                surface = self._number(own.changed(shape.material, shape.collide))
                yield SurfacedShape(node, number, shape, shape.core(), surface)

    def _number(self, surface: Surface) -> int:
        """The number of a surface; a new one is added."""
        if any(map(is_column, surface.values)):
            self._numbers = None  # columns cannot be looked up, only compared
        if self._numbers is not None:
            number = self._numbers.setdefault(surface, len(self.all))
        else:
            number = next((k for k, known in enumerate(self.all) if known == surface), len(self.all))
        if number == len(self.all):
            self.all.append(surface)
        return number

    def members(self, path: str) -> np.ndarray:
        """The numbers of the surfaces on a body and below it."""
        return np.array([k for k, surface in enumerate(self.all) if path in surface.within], dtype=np.int64)

    @cached_property
    def action(self) -> np.ndarray:
        """(surface, surface) IGNORED, COLLIDES or SENSED."""
        groups, numbers = self._groups()
        admitted = groups[:, numbers]
        word = np.array([SENSED if s.collide == SENSOR else int(bool(s.collide)) for s in self.all])
        action = np.maximum.outer(word, word)
        action[np.minimum.outer(word, word) == 0] = IGNORED
        action[~(admitted & admitted.T)] = IGNORED
        for rows, columns, entry in self._overrides():
            if entry.collide is not None:
                _set(action, rows, columns, SENSED if entry.collide == SENSOR else int(entry.collide))
        return action

    @cached_property
    def value(self) -> np.ndarray:
        """(surface, surface, value): the geometric mean of the frictions, the larger of the others."""
        own = np.array([surface.values for surface in self.all]).reshape(-1, len(MATERIAL))
        larger, root = np.maximum, np.sqrt
        if own.dtype == object:
            larger, root = np.frompyfunc(lambda a, b: largest((a, b)), 2, 1), np.frompyfunc(sqrt, 1, 1)
        value = larger(own[:, None], own[None])
        value[..., FRICTION] = root(np.multiply.outer(own[:, FRICTION], own[:, FRICTION]))
        if any(is_column(getattr(entry, key)) for entry in self.entries for key in MATERIAL):
            value = value.astype(object)
        for rows, columns, entry in self._overrides():
            for column, key in enumerate(MATERIAL):
                if getattr(entry, key) is not None:
                    _set(value[..., column], rows, columns, getattr(entry, key))
        return value

    def _groups(self) -> tuple[np.ndarray, np.ndarray]:
        """(surface, group) whether a surface admits a group; and the group of each surface, the first being none."""
        own, others = ([getattr(s.collide, key, None) for s in self.all] for key in ("group", "with"))
        names = {name: k for k, name in enumerate(dict.fromkeys([None, *own]))}
        admits = [[admitted is None or name in admitted for name in names] for admitted in others]
        numbers = np.array([names[group] for group in own], dtype=np.int64)
        return np.array(admits, dtype=bool).reshape(len(numbers), len(names)), numbers

    def _overrides(self) -> Iterator[tuple[np.ndarray, np.ndarray, PairContact]]:
        """The entries of `world.contacts`, the more specific last, with the surfaces on both sides."""
        for entry in sorted(self.entries, key=lambda entry: sum(map(depth, entry.between))):
            one, other = entry.between
            yield self.members(one), self.members(other), entry


def depth(path: str) -> int:
    """The number of levels of a path below the world."""
    return 0 if path == WORLD else 1 + path.count("/")


def _set(table: np.ndarray, rows: np.ndarray, columns: np.ndarray, value: float) -> None:
    table[np.ix_(rows, columns)] = value
    table[np.ix_(columns, rows)] = value
