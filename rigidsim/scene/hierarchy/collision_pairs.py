"""Which shapes can meet in the course of a run, and what follows from it: the mode of contact and its sub-steps."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rigidsim.containers.columns import largest, smallest
from rigidsim.containers.optional import not_none
from rigidsim.physics.contact import COLLIDES, IGNORED
from rigidsim.physics.distances import BOX, CONE, CURVED, CYLINDER, ELLIPSOID, HALF_SPACE, MESH, POINT, TRACED
from rigidsim.physics.elementary import sqrt
from rigidsim.scene.hierarchy.loops import ends_on, joined_frames, loop_names
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.surfaces import SurfacedShape, Surfaces
from rigidsim.scene.schema.material import MATERIAL, SENSOR
from rigidsim.scene.schema.shapes import Triangulated, described
from rigidsim.scene.schema.simulation import MOST_SUBSTEPS
from rigidsim.tree.nodes import Node, Tree

FEWEST_SUBSTEPS = 4
SUBSTEPS_PER_ROOT = 0.8
"""Sub-steps by the root of the ratio of masses. A heavy box on a stack of four sinks in proportion to
ratio / n^2: with n = 8 in steps of 5 ms 0.07 mm at a ratio of 10, 0.6 mm at 100, which is accepted, and 6 mm at 1000.
"""
MOST_RATIO = (MOST_SUBSTEPS / SUBSTEPS_PER_ROOT) ** 2

MOST_PAIRS, MOST_NAMES = 200, 3
"""Number of pairs in a summary, and of names that stand for one surface."""
COPY = re.compile(r"_[0-9]+(?=/|$| )")


class Kind(NamedTuple):
    """Shapes that meet the same others, apart from those that move with them."""

    surface: int
    is_moved: bool  # by forces
    is_plane: bool


class Encounters:
    """The shapes that can meet while the tree stays as it is; `action` says what their surfaces do. Shapes with one
    leader do not meet each other, nor do those that a joint holds apart, or a loop: `joined` are the
    frames of its ends.
    """

    def __init__(
        self,
        tree: Tree,
        surfaces: Surfaces,
        candidates: Iterable[int],
        action: np.ndarray,
        joined: Iterable[tuple[int, int]],
    ):
        self._tree = tree
        self._groups: dict[Kind, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))  # by index of a node
        for k in candidates:
            shape = surfaces.shapes[k]
            node = tree.nodes[shape.node.index]
            is_plane = shape.core is not None and shape.core.kind == HALF_SPACE
            kind = Kind(shape.surface, tree.moved_base(node) is not None, is_plane)
            self._groups[kind][tree.leader(node).index].append(k)
        self._apart = tree.held_apart(joined)
        self.kinds = list(self._groups)
        self.meets = self._meets(action)

    def _meets(self, action: np.ndarray) -> np.ndarray:
        """(kind, kind) whether two kinds of shapes meet if they do not move together."""
        surface, moved, plane = np.array(self.kinds, dtype=np.int64).reshape(-1, 3).T
        meets = action[np.ix_(surface, surface)] != IGNORED
        return meets & np.logical_or.outer(moved, moved) & ~np.logical_and.outer(plane, plane)

    @cached_property
    def met(self) -> dict[tuple[Kind, int], list[int]]:
        """The shapes that can meet others, by their kind and the node that they move with."""
        found: dict[tuple[Kind, int], list[int]] = {}
        for kind, partners in zip(self.kinds, self.meets, strict=True):
            others = set().union(*(self._groups[self.kinds[k]] for k in np.flatnonzero(partners)))
            groups = self._groups[kind].items()
            found |= {(kind, node): shapes for node, shapes in groups if self._meets_one(node, others)}
        return found

    def _meets_one(self, node: int, others: Collection[int]) -> bool:
        """Whether a leader can meet one of others."""
        return len(others) > len([each for each in (node, *self._apart.get(node, ())) if each in others])

    def pairs(self) -> set[tuple[int, int]]:
        """The pairs of surfaces that can meet, the lower number first."""
        found = set()
        for one, other in np.argwhere(np.triu(self.meets)):
            ones, others = self._groups[self.kinds[one]].keys(), self._groups[self.kinds[other]].keys()
            if any(self._meets_one(node, others) for node in ones):
                first, second = self.kinds[one].surface, self.kinds[other].surface
                found.add((min(first, second), max(first, second)))
        return found

    def moved(self) -> set[int]:
        """The moved bodies that can meet others."""
        return {node for kind, node in self.met if kind.is_moved}

    def ratio(self) -> float:
        """The largest ratio of the masses of two moved bodies that can meet."""
        moved = [k for k, kind in enumerate(self.kinds) if kind.is_moved]
        masses = {
            node: self._tree.weight(self._tree.nodes[node]) or 1.0  # what has no mass is refused
            for k in moved
            for node in self._groups[self.kinds[k]]
        }
        own = [[masses[node] for node in self._groups[self.kinds[k]]] for k in moved]
        heaviest, lightest = np.array([*map(largest, own)]), np.array([*map(smallest, own)])
        ratios = np.divide.outer(heaviest, lightest)[self.meets[np.ix_(moved, moved)]]
        return largest([1.0, *ratios.tolist()])


MOST_PLACES, MOST_IN_ALL = 8, 64
"""Contacts that can bear loads at once with `contact: events`: of one group of bodies, and in a scene."""


class CollisionPairs:
    """The contacts of a whole run."""

    def __init__(self, hierarchy: Hierarchy):
        self.settings = hierarchy.scene.simulation.contact
        self._hierarchy = hierarchy
        self._joined = joined_frames(hierarchy)
        self.loops = hierarchy.scene.world.loops
        self.surfaces = Surfaces(hierarchy)
        self.pairs: set[tuple[int, int]] = set()  # of surfaces that can meet at some time
        self.met: set[int] = set()  # shapes that can meet others at some time, by their numbers
        self.unsupported: set[int] = set()  # shapes that could, if they were of another type
        self.sheets: set[int] = set()  # open surfaces of triangles that can meet others, without a thickness of either
        self.most_moved = 0  # moved bodies that can meet others at the same time
        self.ratio = 1.0  # the largest of masses of two moved bodies that can meet
        if self.settings.mode != "off":
            self._walk()

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What was chosen, and the values of each two surfaces that can meet, as plain data."""
        if not self.is_on:
            return {"mode": self.mode}
        labels, shown = surface_labels(self), sorted(self.pairs)[:MOST_PAIRS]
        return {
            "mode": self.mode,
            **({"why": self.choice[1]} if self.choice[1] else {}),
            "substeps": self.substeps,
            **({"sleep": True} if self.settings.sleep else {}),
            "bodies": self.most_moved,
            "pairs": [self._pair(one, other, labels) for one, other in shown],
            "further_pairs": len(self.pairs) - len(shown),
        }

    def _pair(self, one: int, other: int, labels: Mapping[int, str]) -> dict[str, Any]:
        values = dict(zip(MATERIAL, self.surfaces.value[one, other].tolist(), strict=True))
        collide = True if self.surfaces.action[one, other] == COLLIDES else SENSOR
        return {"between": [labels[one], labels[other]], **values, "collide": collide}

    @property
    def is_on(self) -> bool:
        """Whether any shapes can meet."""
        return bool(self.met)

    @property
    def mode(self) -> str:
        """The mode that is used: stepping, events or off."""
        return self.choice[0]

    @cached_property
    def choice(self) -> tuple[str, str]:
        """The mode that is used, and why, if `auto` chose it."""
        if not self.is_on:
            return "off", ""
        if self.settings.mode != "auto":
            return self.settings.mode, ""
        why = why_stepping(self._hierarchy, self)
        return ("stepping", why) if why else ("events", "few round shapes and planes can meet")

    @property
    def substeps(self) -> int:
        """Sub-steps of a step: as written, or such that no body sinks far into a lighter one."""
        if self.settings.substeps is not None:
            return self.settings.substeps
        return min(max(FEWEST_SUBSTEPS, math.ceil(SUBSTEPS_PER_ROOT * sqrt(self.ratio))), MOST_SUBSTEPS)

    def in_trees(self) -> Iterator[SurfacedShape]:
        """The shapes that can meet others at some time, and are part of a tree of joints, or on a body that a loop
        holds, at some time.
        """
        held = [(tree, ends_on(tree, self.loops)) for tree in self._hierarchy.history]
        for shape in (self.surfaces.shapes[k] for k in sorted(self.met)):
            moved_bases = ((tree, looped, tree.moved_base(tree.nodes[shape.node.index])) for tree, looped in held)
            if any(
                body is not None and (body.joint or tree.jointed_to(body) or body.index in looped)
                for tree, looped, body in moved_bases
            ):
                yield shape

    def _walk(self) -> None:
        shapes, joined = self.surfaces.shapes, self._joined
        supported = [k for k, shape in enumerate(shapes) if shape.core is not None]
        thin = [k for k in supported if (core := not_none(shapes[k].core)).kind == MESH and core.radius == 0]
        for tree in self._hierarchy.possible_trees() if shapes else ():
            present = Encounters(tree, self.surfaces, supported, self.surfaces.action, joined)
            self.met.update(*present.met.values())
            self.pairs |= present.pairs()
            moved = present.moved()
            self.most_moved = max(self.most_moved, len(moved))
            if moved:
                self.ratio = max(self.ratio, present.ratio())
            if len(thin) > 1:
                both = Encounters(tree, self.surfaces, thin, self.surfaces.action, joined)
                self.sheets.update(k for met in both.met.values() for k in met if is_open(shapes[k]))
            if len(supported) < len(shapes):
                could = Encounters(tree, self.surfaces, range(len(shapes)), self.surfaces.action, joined)
                self.unsupported |= set().union(*could.met.values()).difference(supported)

    def possible_pairs(self) -> set[tuple[int, int]]:
        """The pairs of surfaces that could meet at some time if all shapes collided."""
        everything = np.full_like(self.surfaces.action, COLLIDES)
        candidates = range(len(self.surfaces.shapes))
        trees = self._hierarchy.possible_trees() if candidates else ()
        each = (Encounters(tree, self.surfaces, candidates, everything, self._joined) for tree in trees)
        return set().union(*(one.pairs() for one in each))


def is_open(shape: SurfacedShape) -> bool:
    """Whether a shape is a surface of triangles that collides on both sides."""
    return isinstance(shape.shape, Triangulated) and shape.shape.is_two_sided


def surface_labels(collision_pairs: CollisionPairs) -> dict[int, str]:
    """For each surface of shapes that can meet others the bodies that have it; copies of a body share one name."""
    shapes = collision_pairs.surfaces.shapes
    surfaces: dict[str, set[int]] = defaultdict(set)  # of each body
    for k in collision_pairs.met:
        surfaces[shapes[k].node.path].add(shapes[k].surface)
    names: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for k in sorted(collision_pairs.met):
        path = shapes[k].node.path
        label = f"{path} shapes[{shapes[k].number}]" if len(surfaces[path]) > 1 else path
        names[shapes[k].surface][COPY.sub("_*", label)].add(label)
    return {surface: _listed(found) for surface, found in names.items()}


def _listed(found: dict[str, set[str]]) -> str:
    """Names of bodies, and the number of those that are copies."""
    each = [next(iter(same)) if len(same) == 1 else f"{name} ({len(same)})" for name, same in found.items()]
    more = f", {len(each) - MOST_NAMES} more" if len(each) > MOST_NAMES else ""
    return ", ".join(each[:MOST_NAMES]) + more


# --- what contact by events has no law for, and where `contact: auto` chooses it


def beyond_events(hierarchy: Hierarchy, collision_pairs: CollisionPairs) -> str:
    """What of the whole scene `contact: events` does not support; empty if it supports all."""
    surfaces, rolling = collision_pairs.surfaces, [*MATERIAL].index("rolling_friction")
    jointed = [node for tree in hierarchy.possible_trees() for node in tree.nodes if node.joint is not None]
    switching = [node for node in jointed if not_none(node.joint).has_modes or not_none(node.joint).breaks]
    named = zip(loop_names(collision_pairs.loops), collision_pairs.loops, strict=True)
    limited = [name for name, loop in named if getattr(loop, "stops", None)]
    if hierarchy.scene.world.plane is not None:
        return "scenes with world.plane"
    if switching:
        return f"joints that stop, rub, hold a rate or break, such as that of '{switching[0].path}'"
    if limited:
        return f"limits of loops, such as '{limited[0]}'"
    if any(surfaces.action[pair] != COLLIDES for pair in collision_pairs.pairs):
        return "sensors"
    return "rolling friction" if any(surfaces.value[pair][rolling] > 0 for pair in collision_pairs.pairs) else ""


def shapes_beyond_events(hierarchy: Hierarchy, collision_pairs: CollisionPairs) -> Iterator[tuple[SurfacedShape, str]]:
    """The shapes that it does not support, and why."""
    for shape in met_shapes(collision_pairs):
        if not_none(shape.core).kind not in TRACED:
            yield shape, f"contact: events does not follow the point of contact on {described(shape.shape)}"
        elif any(_rides(tree, shape.node.index) for tree in hierarchy.history):
            yield shape, "contact: events does not support a shape that moves as prescribed on a body that forces move"
        elif not_none(shape.core).kind in CURVED and _meets_solid(hierarchy, collision_pairs, shape):
            yield shape, f"with contact: events {described(shape.shape)} can touch planes alone"


def why_stepping(hierarchy: Hierarchy, collision_pairs: CollisionPairs) -> str:
    """Why `contact: auto` does not choose events; empty if it does."""
    method, n_shape = hierarchy.scene.simulation.integrator, len(collision_pairs.met)
    if not method.holds_contacts:
        return f"{method.name} does not locate the events of contacts"
    if collision_pairs.settings.substeps is not None:
        return "substeps are given"
    if collision_pairs.settings.sleep:
        return "bodies may sleep"
    if n_shape > 2 * MOST_IN_ALL:
        return f"{n_shape} shapes can meet"
    if what := beyond_events(hierarchy, collision_pairs):
        return f"contact: events does not support {what}"
    if found := next(shapes_beyond_events(hierarchy, collision_pairs), None):
        return found[1]
    for shape in met_shapes(collision_pairs):
        is_moved = any(_is_moved(tree, shape) for tree in hierarchy.history)
        if not_none(shape.core).kind in (CYLINDER, CONE) or (not_none(shape.core).kind == BOX and is_moved):
            return f"{described(shape.shape)} of '{shape.node.path}' can lie on a face"
    groups = [_places_of_groups(tree, collision_pairs) for tree in hierarchy.history]
    count = max(max(group.values(), default=0) for group in groups)
    if count > MOST_PLACES:
        return f"{count} places of one group of bodies can bear loads at once"
    count = max(sum(group.values()) for group in groups)
    return f"{count} places can bear loads at once" if count > MOST_IN_ALL else ""


def met_shapes(collision_pairs: CollisionPairs) -> list[SurfacedShape]:
    """The shapes that can meet others at some time."""
    return [collision_pairs.surfaces.shapes[k] for k in sorted(collision_pairs.met)]


def _places_of_groups(tree: Tree, collision_pairs: CollisionPairs) -> Counter[int]:
    """How many places can touch at once in each group of moved bodies that can meet each other, or that joints or loops
    hold together: two of a capsule and what is not round, one of all others.
    """
    pairs = [pair for pair in combinations(met_shapes(collision_pairs), 2) if _meet(tree, collision_pairs, *pair)]
    led = [_trees_of(tree, [tree.nodes[shape.node.index] for shape in pair]) for pair in pairs]
    held = [_trees_of(tree, [*map(tree.get, loop.between)]) for loop in collision_pairs.loops]
    group = {index: index for leaders in (*led, *held) for index in leaders}
    for leaders in (*led, *[each for each in held if each]):
        joined = {group[index] for index in leaders}
        group = {index: min(joined) if of in joined else of for index, of in group.items()}
    counts: Counter[int] = Counter()
    for (one, other), leaders in zip(pairs, led, strict=True):
        counts[group[leaders[0]]] += (
            1 if {POINT, ELLIPSOID} & {not_none(one.core).kind, not_none(other.core).kind} else 2
        )
    return counts


def _trees_of(tree: Tree, nodes: Iterable[Node | None]) -> list[int]:
    """The numbers of the first bodies of the trees of joints to which nodes belong, of those that forces move."""
    moved_bases = (tree.moved_base(node) for node in nodes if node is not None)
    return [tree.outermost(moved_base).index for moved_base in moved_bases if moved_base is not None]


def _is_moved(tree: Tree, shape: SurfacedShape) -> bool:
    """Whether forces move a shape."""
    return tree.moved_base(tree.nodes[shape.node.index]) is not None


def _meet(tree: Tree, collision_pairs: CollisionPairs, one: SurfacedShape, other: SurfacedShape) -> bool:
    """Whether two shapes can meet, of which forces move one at least."""
    nodes = [tree.nodes[shape.node.index] for shape in (one, other)]
    is_moved = _is_moved(tree, one) or _is_moved(tree, other)
    are_apart = tree.leader(nodes[0]) is not tree.leader(nodes[1])
    return is_moved and are_apart and collision_pairs.surfaces.action[one.surface, other.surface] != IGNORED


def _meets_solid(hierarchy: Hierarchy, collision_pairs: CollisionPairs, shape: SurfacedShape) -> bool:
    """Whether a shape can meet another one than a plane."""
    others = [other for other in met_shapes(collision_pairs) if not_none(other.core).kind != HALF_SPACE]
    action = collision_pairs.surfaces.action
    return any(
        action[shape.surface, other.surface] != IGNORED
        and tree.leader(tree.nodes[shape.node.index]) is not tree.leader(tree.nodes[other.node.index])
        for tree in hierarchy.history
        for other in others
    )


def _rides(tree: Tree, index: int) -> bool:
    """Whether a node moves as prescribed relative to a body that forces move."""
    node = tree.nodes[index]
    return tree.moved_base(node) is None and any(above.is_moved() for above in tree.lineage(node))
