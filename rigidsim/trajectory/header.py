"""The metadata of a trajectory: bodies, their tree and its changes, the scene."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rigidsim.arguments import refuse
from rigidsim.trajectory.fields import fields


class Change(NamedTuple):
    """A reparenting: from this time (s) on a body has another parent and kind. The sample at that time is after it."""

    time: float
    body: str
    parent: str
    kind: str


class Place(NamedTuple):
    """The place of a body in the tree: path of the parent, empty for the world; kind: free, fixed or prescribed."""

    parent: str
    kind: str


@dataclass(frozen=True)
class Header:
    """The metadata of a trajectory: bodies, their tree and its changes, the scene, and provenance.

    `kinds[i]` is free, fixed or prescribed. `scale[i]` is the length unit of body i in metres, `parent_scale[i]` that
    of its parent at t = 0.
    """

    paths: tuple[str, ...]
    parents: tuple[str, ...]
    kinds: tuple[str, ...]
    scale: np.ndarray
    parent_scale: np.ndarray
    isolated: bool
    with_terms: bool = False
    changes: tuple[Change, ...] = ()
    scene_name: str = ""
    scene_text: str = ""
    scene_resolved: str = ""
    provenance: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _trees(self) -> list[tuple[float, tuple[Place, ...]]]:
        found = [(-math.inf, tuple(map(Place, self.parents, self.kinds)))]
        for change in self.changes:
            places = list(found[-1][1])
            places[self.row_of[change.body]] = Place(change.parent, change.kind)
            found.append((change.time, tuple(places)))
        return found

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each body, by path."""
        return {path: row for row, path in enumerate(self.paths)}

    def trees(self) -> list[tuple[float, tuple[Place, ...]]]:
        """(time from which it holds, place of each body) at the start and after each change of the tree, in order."""
        return self._trees

    def places_at(self, time: float) -> tuple[Place, ...]:
        """The place of each body at a time (s)."""
        # Round-off: 70 steps of 0.01 give 0.7000000000000001.
        reached = time + 1e-12 * abs(time)
        found = next((places for begin, places in reversed(self.trees()) if begin <= reached), None)
        return found or refuse("time", "a number", time)

    def scale_of(self, path: str) -> float:
        """The length unit of a body in metres; 1 for the world."""
        return float(self.scale[self.row_of[path]]) if path else 1.0

    @property
    def dataset_names(self) -> tuple[str, ...]:
        """Names of all datasets with a time axis."""
        return ("time", *(f.name for f in fields(self.with_terms)))
