"""The metadata of a trajectory: bodies, their tree and its changes, the scene."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rigidsim.arguments import refuse
from rigidsim.trajectory.contact_fields import COUNT, POINT_NAMES
from rigidsim.trajectory.fields import Field
from rigidsim.trajectory.recorded import Selection, possible_fields, recorded_bytes

NO_CONTACT = {"mode": "off"}
"""The contact of a run in which nothing can touch."""


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
    of its parent at t = 0. `shapes` are the names of the shapes that can touch, `car/wheel.shapes[0]`;
    `contact_settings` is what was chosen for contact: mode, sub-steps, values of pairs. `recorded` is what was
    selected: for each dataset of samples that is recorded the rows of the bodies, in order, or None for all bodies; it
    is None itself if nothing was left out. `metrics` are the expressions of the scene's metrics.
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
    contact_settings: Mapping[str, Any] = field(default_factory=NO_CONTACT.copy)
    shapes: tuple[str, ...] = ()
    with_contacts: bool = False
    recorded: Selection | None = None
    metrics: Mapping[str, str] = field(default_factory=dict)

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

    def tree_at(self, time: float) -> int:
        """The number of the tree, among `trees`, that holds at a time (s)."""
        # Round-off: 70 steps of 0.01 give 0.7000000000000001.
        reached = time + 1e-12 * abs(time)
        found = [begin <= reached for begin, _ in self.trees()]
        return len(found) - 1 - found[::-1].index(True) if any(found) else refuse("time", "a number", time)

    def places_at(self, time: float) -> tuple[Place, ...]:
        """The place of each body at a time (s)."""
        return self.trees()[self.tree_at(time)][1]

    def spans(self, time: np.ndarray | float) -> list[tuple[int, Any]]:
        """The number of each tree that holds at some of these times (s), in order, and which times those are, as an
        index.
        """
        trees, times = self.trees(), np.atleast_1d(time)
        begins = [int(np.searchsorted(times, begin)) for begin, _ in trees]
        found = zip(range(len(trees)), begins, [*begins[1:], len(times)], strict=True)
        held = [(number, slice(begin, end)) for number, begin, end in found if end > begin]
        return held if len(held) > 1 else [(held[0][0] if held else 0, ...)]

    def scale_of(self, path: str) -> float:
        """The length unit of a body in metres; 1 for the world."""
        return float(self.scale[self.row_of[path]]) if path else 1.0

    def length_unit(self, path: str) -> str:
        """The length unit of a body, or of the world, as text: `m`, or `0.5 m`."""
        scale = self.scale_of(path)
        return "m" if scale == 1.0 else f"{scale:.9g} m"

    def carrier_at(self, path: str, time: float) -> str:
        """The free body that carries a body at a time (s), itself if it is free; empty if there is none."""
        return carrier(path, self.row_of, self.places_at(time))

    def movers_at(self, time: float) -> Mapping[str, str]:
        """What each body moves with at a time (s): the free or prescribed body that carries it, or itself if it is
        fixed in the world.
        """
        return self._contact_trees[self.tree_at(time)][0]

    def free_below_at(self, time: float) -> Mapping[str, list[str]]:
        """The first free descendants of each free body at a time (s)."""
        return self._contact_trees[self.tree_at(time)][1]

    @cached_property
    def _contact_trees(self) -> list[tuple[dict[str, str], dict[str, list[str]]]]:
        """For each tree what each body moves with, and the first free descendants of each free body."""
        return [self._contact_tree(places) for _, places in self._trees]

    def _contact_tree(self, places: Sequence[Place]) -> tuple[dict[str, str], dict[str, list[str]]]:
        movers, below = {}, {}
        for path, place in zip(self.paths, places, strict=True):
            mover = path
            while mover and places[self.row_of[mover]].kind == "fixed":
                mover = places[self.row_of[mover]].parent
            movers[path] = mover or path
            if place.kind == "free":
                below.setdefault(carrier(place.parent, self.row_of, places), []).append(path)
        return movers, below

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The datasets of samples that are recorded, apart from time."""
        return tuple(f for f in self._possible if self.recorded is None or f.name in self.recorded)

    @property
    def _possible(self) -> tuple[Field, ...]:
        return possible_fields(bool(self.shapes), self.with_terms, self.with_contacts)

    @property
    def sample_bytes(self) -> int:
        """Bytes of one recorded sample, uncompressed."""
        return recorded_bytes(self._possible, self.recorded, len(self.paths))

    def recorded_rows(self, name: str) -> np.ndarray | None:
        """The rows of the bodies of which a dataset is recorded, in order; None for all bodies."""
        return None if self.recorded is None else self.recorded.get(name)

    @cached_property
    def dataset_names(self) -> tuple[str, ...]:
        """Names of all datasets that are written with the samples: those with a time axis, then contact points."""
        contacts = (COUNT, *POINT_NAMES) if self.with_contacts else ()
        return ("time", *(f.name for f in self.fields), *contacts)

    @cached_property
    def resolved(self) -> Mapping[str, Any]:
        """The simulated scene as plain data, with overrides and all defaults; empty if it is not known."""
        return json.loads(self.scene_resolved or "{}")

    def section(self, key: str) -> Mapping[str, Any]:
        """A part of `resolved` by its key; usually without reading the others, which may be a hundred thousand bodies.
        As it is written, only keys of the whole stand after a line break and one blank.
        """
        begin = self.scene_resolved.find(mark := f'\n "{key}": ')
        if begin < 0:
            return self.resolved.get(key, {})
        return json.JSONDecoder().raw_decode(self.scene_resolved, begin + len(mark))[0]

    @property
    def title(self) -> str:
        """The title of the scene, or else its name."""
        return self.resolved.get("title") or self.scene_name or "untitled"

    @cached_property
    def record_text(self) -> str:
        """What was recorded as text, for messages: `simulation.record: [world/position]`."""
        written = self.section("simulation").get("record")
        names = [f.name for f in self.fields] if written is None else map(_entry_text, written)
        return f"simulation.record: [{', '.join(names)}]"

    @cached_property
    def inheriting(self) -> frozenset[str]:
        """The paths of the bodies with `inherit_impulses`."""
        return frozenset(_inheriting("", self.resolved))


def carrier(path: str, row_of: Mapping[str, int], places: Sequence[Place]) -> str:
    """The free body that carries a body, itself if it is free; empty if there is none."""
    while path and (place := places[row_of[path]]).kind != "free":
        path = place.parent
    return path


def _entry_text(entry: str | Mapping) -> str:
    """One entry of `simulation.record`, as a scene file has it."""
    if isinstance(entry, str):
        return entry
    bodies, quantities = (", ".join(entry[key]) for key in ("bodies", "of"))
    return f"{{bodies: [{bodies}], of: [{quantities}]}}"


def _inheriting(above: str, resolved: Mapping) -> Iterator[str]:
    """The paths of the bodies with `inherit_impulses` below a body of a resolved scene, or in the whole scene."""
    for name, body in resolved.get("children" if above else "bodies", {}).items():
        if body.get("inherit_impulses"):
            yield above + name
        yield from _inheriting(f"{above}{name}/", body)
