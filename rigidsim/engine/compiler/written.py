"""What acts in a scene, as plain data: bodies are frames, what is left to the start is decided.

From these records the loads of any later tree are made, without the scene.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from rigidsim.engine.compiler.site import PARENT, Site, rows_of_free
from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.laws.declaration import AXES, CENTER, END, MEDIUM, Force
from rigidsim.engine.laws.gravity import SOURCE_KEYS
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.scene import Scene


class Acting(NamedTuple):
    """A force as written, on the node of a frame; `during` is None for always."""

    kind: str
    frame: int
    values: SimpleNamespace
    during: tuple[float, float] | None
    label: str  # where it is written, for a message


class Striking(NamedTuple):
    """An impulse as written, on the node of a frame."""

    frame: int
    index: int  # among those of its node
    values: SimpleNamespace


class WrittenLoads(NamedTuple):
    """All that acts, in the order of paths and, on one node, of the file."""

    forces: tuple[Acting, ...]
    impulses: tuple[Striking, ...]
    source: SimpleNamespace | None  # of the world's gravity


def written_loads(scene: Scene, start: Tree) -> WrittenLoads:
    """The loads of a scene; `start` is the tree at t = 0, which says where springs are at rest."""
    nodes, rows = sorted(start.nodes, key=lambda node: node.path), rows_of_free(start)
    source = scene.world.source and _plain(scene.world.source, SOURCE_KEYS, nodes[0], start)
    forces = tuple(
        _acting(force, f"{node.path}, forces[{index}]", node, source, start, rows)
        for node in nodes
        for index, force in enumerate(node.spec.forces)
    )
    impulses = tuple(
        Striking(node.frame, index, _plain_impulse(impulse, node, start))
        for node in nodes
        for index, impulse in enumerate(node.spec.impulses)
    )
    return WrittenLoads(forces, impulses, source)


def _acting(force: Any, label: str, node: Node, source: SimpleNamespace | None, start: Tree, rows: dict) -> Acting:
    kind: Force = BY_NAME[force.type]
    values = _plain(force, kind.keys, node, start)
    if kind.takes_world and values.center is None:
        vars(values).update({key.name: getattr(source, key.name) for key in kind.keys})
    vars(values).update(kind.at_start(values, Site(start, rows, node.frame)))
    return Acting(kind.name, node.frame, values, force.during, label)


def _plain(given: Any, keys: tuple, node: Node, tree: Tree) -> SimpleNamespace:
    return SimpleNamespace(**{key.name: _value(key.form, getattr(given, key.name), node, tree) for key in keys})


def _value(form: str, value: Any, node: Node, tree: Tree) -> Any:
    if form == AXES:
        return _axes(value, node, tree)
    is_path = form in (END, MEDIUM) or (form == CENTER and isinstance(value, str))
    return tree.frame_of(value) if is_path else value


def _axes(name: str, node: Node, tree: Tree) -> int:
    """The frame that a word or a path means; which one the parent is depends on the time."""
    return PARENT if name == "parent" else tree.frame(name, node)


def _plain_impulse(impulse: Any, node: Node, tree: Tree) -> SimpleNamespace:
    given = {key: getattr(impulse, key) for key in ("time", "impulse", "angular_impulse", "at", "name")}
    return SimpleNamespace(**given, frame=_axes(impulse.frame, node, tree))
