"""The metadata of a trajectory: bodies, their tree and its changes, the scene."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rigidsim.arguments import refuse
from rigidsim.errors import FormatError, SceneError
from rigidsim.trajectory.fields import COUNT, POINT_NAMES, Field, ReadingTable
from rigidsim.trajectory.recorded import Selection, labels_of, possible_fields, recorded_bytes
from rigidsim.tree.history import History, TreeChange, with_joints
from rigidsim.tree.joints import coordinate_rows
from rigidsim.tree.nodes import Node, Tree

NAMES = re.compile('"(let|tables|sensors|controllers)": ')
"""In a resolved scene: keys that add names to expressions."""

if TYPE_CHECKING:
    from rigidsim.scene import Scene
    from rigidsim.scene.expressions import Scope

NO_CONTACT = {"mode": "off"}
"""The contact of a run in which nothing can touch."""


class SceneTexts:
    """The text of a scene as it was written, and resolved as JSON; `make` gives both when one is first asked for."""

    def __init__(self, make: Callable[[], tuple[str, str]]):
        self._make = make

    @cached_property
    def both(self) -> tuple[str, str]:
        """(written, resolved)."""
        return self._make()

    def __eq__(self, other: object) -> bool:
        return self.both == other.both if isinstance(other, SceneTexts) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.both)

    def __reduce__(self) -> tuple:
        return texts_of, self.both


def texts_of(written: str, resolved: str) -> SceneTexts:
    """The texts of a scene that are known."""
    return SceneTexts(lambda: (written, resolved))


class Change(NamedTuple):
    """A reparenting: from this time (s) on a body has another parent and kind. The sample at that time is after it."""

    time: float
    body: str
    parent: str
    kind: str


@dataclass(frozen=True)
class Header:
    """The metadata of a trajectory: bodies, their tree and its changes, the scene, and provenance.

    `kinds[i]` is free, jointed, fixed or prescribed at t = 0. `scale[i]` is the length unit of body i in metres,
    `parent_scale[i]` that of its parent at t = 0. `shapes` are the names of the shapes that can touch;
    `contact_settings` is what was chosen for contact: mode, sub-steps, values of pairs. `recorded` is what was
    selected: for each dataset of samples that is recorded the rows of the bodies, in order, or None for all bodies; it
    is None itself if nothing was left out. `joints` has the type of joint of each body that is on one at some time, by
    path, in the order of the file, `loops` the type of each loop, by name. `metrics` are the expressions of the scene's
    metrics, `metric_units` the units of those that have one. `readings` are the tables of sensors and controllers.
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
    texts: SceneTexts = field(default_factory=lambda: texts_of("", ""))
    provenance: Mapping[str, str] = field(default_factory=dict)
    contact_settings: Mapping[str, Any] = field(default_factory=NO_CONTACT.copy)
    shapes: tuple[str, ...] = ()
    with_contacts: bool = False
    recorded: Selection | None = None
    joints: Mapping[str, str] = field(default_factory=dict)
    loops: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    metric_units: Mapping[str, str] = field(default_factory=dict)
    readings: tuple[ReadingTable, ...] = ()

    @property
    def scene_text(self) -> str:
        """The scene as it was written."""
        return self.texts.both[0]

    @property
    def scene_resolved(self) -> str:
        """The simulated scene as JSON, in SI units, with overrides and all defaults."""
        return self.texts.both[1]

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The row of each body, by path."""
        return {path: row for row, path in enumerate(self.paths)}

    @cached_property
    def history(self) -> History:
        """The trees of the run; the nodes have the rows of the bodies, and neither poses nor masses."""
        frames = {"": 0} | {path: 1 + row for row, path in enumerate(self.paths)}
        metres = [1.0, *map(float, self.scale)]
        nodes = [
            Node(path=path, index=row, parent=frames[parent], kind=kind, metres=metres[1 + row],
                 parent_metres=metres[frames[parent]], scale=metres[1 + row] / metres[frames[parent]])
            for row, (path, parent, kind) in enumerate(zip(self.paths, self.parents, self.kinds, strict=True))
        ]  # fmt: skip
        changes = [TreeChange(c.time, frames[c.body] - 1, frames[c.parent], c.kind) for c in self.changes]
        return History(Tree.of(nodes), changes)

    def tree_at(self, time: float) -> Tree:
        """The tree that holds at a time (s)."""
        return self.history.at(time) if time == time else refuse("time", "a number", time)

    def scale_of(self, path: str) -> float:
        """The length unit of a body in metres; 1 for the world."""
        return float(self.scale[self.row_of[path]]) if path else 1.0

    def length_unit(self, path: str) -> str:
        """The length unit of a body, or of the world, as text: `m`, or `0.5 m`."""
        scale = self.scale_of(path)
        return "m" if scale == 1.0 else f"{scale:.9g} m"

    def whole_history(self, start: Tree, known: Sequence[TreeChange]) -> History:
        """The trees of the run, given that at t = 0 with poses and masses, and the changes that the scene describes."""
        return History(start, with_joints(self.history.changes, known))

    def posed(self, start: Tree, known: Sequence[TreeChange], time: float, pose: Callable[[int], tuple]) -> Tree:
        """The tree at a time (s), from what `whole_history` takes; `pose` gives (position, orientation) that fixed
        nodes have then, by their numbers.
        """
        tree = self.whole_history(start, known).at(time)
        return tree.posed({node.index: pose(node.index) for node in tree if node.kind == "fixed"})

    def bodies_of_shapes(self, tree: Tree) -> list[str]:
        """The path of the body that each of the `shapes` is part of."""
        return [tree.part_of(tree[path]).path for path in self._paths_of_shapes]

    def shapes_on(self, body: str, tree: Tree) -> np.ndarray:
        """Whether each of the `shapes` is on a body or what is fixed to it."""
        parts = {part.path for part in tree.parts(tree[body])}
        return np.array([path in parts for path in self._paths_of_shapes], dtype=bool)

    @cached_property
    def _paths_of_shapes(self) -> list[str]:
        return [name.rpartition(".shapes[")[0] for name in self.shapes]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The datasets of samples that are recorded, apart from time."""
        return self._possible if self.recorded is None else tuple(f for f in self._possible if f.name in self.recorded)

    @cached_property
    def _possible(self) -> tuple[Field, ...]:
        return possible_fields(bool(self.shapes), self.with_terms, self.with_contacts, self.joints, self.loops)

    @cached_property
    def coordinates(self) -> dict[str, range]:
        """The rows of the coordinates of each joint, by the path of the body."""
        return coordinate_rows(self.joints)

    @property
    def labels(self) -> dict[str, Sequence[str]]:
        """The labels of the dimensions of samples that are neither times nor components."""
        return labels_of(self.paths, self.joints, self.loops)

    @property
    def sample_bytes(self) -> int:
        """Bytes of one recorded sample, uncompressed."""
        return recorded_bytes(self._possible, self.recorded, self.labels)

    def recorded_rows(self, name: str) -> np.ndarray | None:
        """The rows of the bodies of which a dataset is recorded, in order; None for all bodies."""
        return None if self.recorded is None else self.recorded.get(name)

    @cached_property
    def sampled_names(self) -> tuple[str, ...]:
        """Names of the datasets with a row for each sample that the stepper writes."""
        return ("time", *(f.name for f in self.fields))

    @cached_property
    def table_names(self) -> tuple[str, ...]:
        """Names of the datasets whose rows are not samples: contact points, and what sensors and controllers gave."""
        points = POINT_NAMES if self.with_contacts else ()
        return (*points, *(name for table in self.readings for name in table.names))

    @cached_property
    def dataset_names(self) -> tuple[str, ...]:
        """Names of all datasets that are written with the samples: those with a time axis, then tables."""
        count = (COUNT,) if self.with_contacts else ()
        return (*self.sampled_names, *count, *self.table_names)

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
    def scope(self) -> Scope | None:
        """The names that the scene adds to expressions. It is read only if it may have any."""
        return self.scene.scope if NAMES.search(self.scene_resolved) else None

    @property
    def scene(self) -> Scene:
        """The simulated scene: its tree with poses, masses and motions, its loads. Raises FormatError if it is
        invalid.
        """
        return _scene(self.scene_resolved)

    def loop_hint(self, name: object) -> str:
        """What to say of the name of a loop in place of a body; nothing of another one."""
        is_loop = isinstance(name, str) and name in self.loops
        return f"it is a loop, of which there are {name}.loop_force and {name}.loop_torque" if is_loop else ""

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


@lru_cache(maxsize=4)
def _scene(resolved: str) -> Scene:
    # Imported here because what was recorded is read without the scene, and most of it without its schema.
    from rigidsim.scene import Scene

    try:
        return Scene.from_dict(json.loads(resolved))
    except (SceneError, ValueError):
        raise FormatError("the trajectory is damaged: scene/resolved is not a valid scene") from None


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
