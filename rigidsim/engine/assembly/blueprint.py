"""What a Model is assembled from, at t = 0 and at each reparenting: numbers, strings, tuples and arrays.

Frames stand for the names of bodies. Omitted values are filled in, and so are those that depend on the start.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.schedule import Schedule
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.laws.registry import BY_NAME, FOLLOWED
from rigidsim.engine.model import Model, Program
from rigidsim.physics.vector import rejection


class LoadRecord(NamedTuple):
    """One force as written on the node of a frame."""

    kind: str  # its `type`
    frame: int
    values: SimpleNamespace  # as the rows of its kind take them, but for expressions
    eras: tuple[int, int]  # it acts in [begin, until)
    label: str  # its location in the scene


class ImpulseRecord(NamedTuple):
    """An impulse as written on the node of a frame."""

    frame: int
    index: int  # in the node's list
    name: str
    values: SimpleNamespace
    era: int  # it acts when this one begins


class ViewRecord(NamedTuple):
    """A motion that some expression reads: kind, observer and body, each as (frame or PARENT, frame of whose parent),
    and the first of its registers.
    """

    kind: int
    observer: tuple[int, int]
    body: tuple[int, int]
    register: int


class ScriptTables(NamedTuple):
    """The expressions of all loads."""

    program: Program
    registers: np.ndarray  # (script, 9) where force, torque and gravity are found
    views: tuple[ViewRecord, ...]


class DriveTables(NamedTuple):
    """The prescribed motions; the first column of a table is the number of the node."""

    program: Program
    driven: np.ndarray
    axes: np.ndarray
    paced: np.ndarray
    motions: dict[int, np.ndarray]  # constants of each prescribed node


class Blueprint(NamedTuple):
    """One world as written, and how it is run."""

    tree: Tree  # at the start
    loads: tuple[LoadRecord, ...]  # in the order of paths and, on one node, of the file
    impulses: tuple[ImpulseRecord, ...]  # in that order too
    scripts: ScriptTables
    drives: DriveTables
    gravity: tuple  # m/s2, uniform
    source: SimpleNamespace | None  # of the gravity of the world
    mutual: SimpleNamespace | None
    normal: tuple  # of the plane of a planar scene; else empty
    schedule: Schedule
    method: NamedTuple
    n_step: int
    stride: int  # steps between samples
    labels: tuple[str, ...]  # location of each expression that can fail

    @property
    def has_pairs(self) -> bool:
        """Whether anything depends on where two frames are from each other. No reparenting changes that, so that a run
        needs one kind of stepper.
        """
        of_world = self.mutual is not None or self.source is not None
        return of_world or any(BY_NAME[load.kind].table.is_pair for load in self.loads)

    @property
    def followed(self) -> list[LoadRecord]:
        """The loads whose winding is state, in the order of its last rows."""
        return [load for table in FOLLOWED for load in self.loads if BY_NAME[load.kind].table is table]


class World(NamedTuple):
    """One world, ready to run: constants and state, and what they were assembled from."""

    blueprint: Blueprint
    tree: Tree  # as it is now
    model: Model
    state: np.ndarray  # (state, STATE_ROWS): the free bodies, then the paced nodes, then the loads that are followed

    @property
    def paths(self) -> tuple[str, ...]:
        """Of all nodes."""
        return tuple(node.path for node in self.tree.nodes)

    @property
    def state_labels(self) -> tuple[str, ...]:
        """What each row of the state belongs to: the path of a body, or the location of a load."""
        paced = (self.paths[index] for index in self.blueprint.drives.paced[:, 0])
        followed = (load.label for load in self.blueprint.followed)
        return (*(node.path for node in self.tree.free()), *paced, *followed)

    @property
    def isolated(self) -> bool:
        """Whether bodies act on each other only, so that momenta are conserved."""
        return is_isolated(self.blueprint, self.tree, self.model)


def is_isolated(blueprint: Blueprint, tree: Tree, model: Model) -> bool:
    """Whether the bodies of a tree act on each other only."""
    free, g = tree.free(), blueprint.gravity
    if blueprint.normal:
        g = rejection(blueprint.normal, g)
    falls = any(g) and any(node.falls for node in free)
    # A jump that carries a body along gives it momentum.
    is_carried = bool(blueprint.schedule.reparentings) and any(node.inherits for node in free)
    scripts = (model.expressions.scripts,) if model.expressions else ()
    laws = (*model.single, *(model.pairwise or ()), *scripts, model.impulses)
    is_internal = all((law.who[:, [layout.LAW_FIRST, layout.LAW_SECOND]] >= 0).all() for law in laws)
    return bool(is_internal and not falls and not is_carried)
