"""Some samples of a trajectory, as quantities read them (`quantities/vocabulary.py`)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.methods import calling
from rigidsim.physics.mass import Lump
from rigidsim.physics.vector import rejection
from rigidsim.quantities.vocabulary import (
    BODY,
    CONTACT,
    DIAGNOSTIC,
    FRICTION,
    JOINT,
    LOOP,
    MASS,
    OF_MASS,
    PARENT,
    REACTION,
    SCENE,
    TERM,
    Columns,
    Formula,
    Quantity,
)
from rigidsim.trajectory.bodies import BodyMapping
from rigidsim.trajectory.contact_points import ContactHistory
from rigidsim.trajectory.fields import CONTACT_WORK, POINTS
from rigidsim.trajectory.motion import Motion, columns, seen_from
from rigidsim.trajectory.readings import held_at
from rigidsim.tree.joints import changing_mass, coordinate_called, has_length, part_of, without_coordinate
from rigidsim.tree.motion import RelativeMotion
from rigidsim.tree.nodes import WORLD, Tree


class Source:
    """Some samples of a trajectory, of which a quantity reads what it needs; `part` has their motion, if it was read
    already.
    """

    def __init__(self, whole: Any, samples: slice = slice(None), part: BodyMapping | None = None):
        self.whole, self.samples = whole, samples
        if part is None:
            part = whole if samples == slice(None) else whole.window(samples)
        self.part: Any = part
        self._motions: dict[tuple[str, str], Motion] = {}

    @property
    def time(self) -> np.ndarray:
        """The times of the samples, s."""
        return self.part.time

    @cached_property
    def _contacts(self) -> ContactHistory:
        return self.whole.contacts

    def contact_count(self) -> Columns:
        """The number of contact points."""
        return (self._contacts.count[self.samples],)

    def contact_work(self) -> Columns:
        """The work of contact since the start, J."""
        _ = self._contacts
        return (np.asarray(self.part.arrays[CONTACT_WORK.name]),)

    def held(self, name: str, body: str) -> np.ndarray:
        """What a sensor of a body measured last, or a controller gave, by its name in expressions."""
        return held_at(self.whole.header, getattr(self.whole, "arrays", {}), self.time, name, body)

    def diagnostic(self, name: str) -> Columns:
        """An energy or momentum of the whole run."""
        if name == "energy_drift":
            return (self.part.total_energy - self.whole.window(slice(0, 1)).total_energy,)
        found = getattr(self.part, name) if name in ("total_energy", "angular_momentum") else self.part.diagnostic(name)
        return columns(found) if found.ndim > 1 else (found,)

    def motion(self, body: str, frame: str) -> Motion:
        """The motion of a body in a frame; in the world if that is its own axes. Each is computed once."""
        if (body, frame) not in self._motions:
            self._motions[body, frame] = self._motion(body, frame)
        return self._motions[body, frame]

    def _motion(self, body: str, frame: str) -> Motion:
        if frame in (WORLD, BODY):
            return self._at_rest() if body == WORLD else self.part[body].world
        return self.part[body].local if frame == PARENT else self.part.relative(body, frame)

    def _at_rest(self) -> Motion:
        identity = RelativeMotion.identity()
        return seen_from(lambda _: (identity, identity), self.time)

    def by_mass(self, formula: Formula, body: str) -> Columns:
        """What a formula of a body's motion in the world and of its mass gives; NaN while it is not moved."""
        world, header = self.part[body].world, self.whole.header
        motion = [columns(getattr(world, name)) for name in formula.needs if name != MASS]
        found = np.full((formula.width, len(self.time)), np.nan)
        for number, samples in header.history.spans(self.time):
            if header.history[number][body].is_moved():
                given = (tuple(x[samples] for x in each) for each in motion)
                found[:, samples] = formula.of(*given, lump_of(self.part, body, number, samples))
        return tuple(found)

    def term(self, name: str, body: str) -> Columns:
        """A term of the acceleration of a body relative to its parent, in the parent's axes."""
        return columns(self.part[body].term(name))

    def coordinate(self, name: str, body: str) -> Columns:
        """A coordinate of the joint of a body, its rate, or what a motor does; lengths in units of the parent."""
        row, dataset = require_coordinate(self.whole, body, name), dataset_of(name)
        if dataset not in self.part.arrays:
            raise NotRecordedError(f"{name} of '{body}' was not recorded ({self.whole.header.record_text})")
        header = self.whole.header
        found, metres = np.asarray(self.part.arrays[dataset][..., row]), header.parent_scale[header.row_of[body]]
        return (found / metres if metres != 1.0 and has_length(name, header.joints[body]) else found,)

    def reaction(self, name: str, body: str) -> Columns:
        """The force of the joint on its body, N, or the torque about the joint, N m, in the parent's axes."""
        return columns(getattr(self.part[body].joint, name))

    def of_loop(self, name: str, loop: str) -> Columns:
        """The force of a loop on its second body, N, or the torque about its point there, N m, world axes."""
        dataset = f"loops/{name}"
        if dataset not in self.part.arrays:
            raise NotRecordedError(f"loop_{name} of '{loop}' was not recorded ({self.whole.header.record_text})")
        return columns(self.part.column(dataset, [*self.whole.header.loops].index(loop)))

    felt_acceleration = calling("felt_acceleration")

    def contact_force(self, of: str, body: str, other: str = "") -> Columns:
        """The sum of the forces of contact on a body and what is fixed to it, N, world axes, exerted by all others or
        by one; of `friction_force` only the parts across the normals.
        """
        wanted = np.arange(len(self.whole.time))[self.samples]
        low, high = (int(wanted.min()), int(wanted.max()) + 1) if len(wanted) else (0, 0)
        begins = self._contacts.begins[low : high + 1]
        first, second, normal, force = (
            np.asarray(self.whole.arrays[f"{POINTS}/{name}"][begins[0] : begins[-1]])
            for name in ("first", "second", "normal", "force")
        )
        if of == FRICTION:
            force = np.stack(rejection(columns(normal), columns(force)), axis=1)
        sample = np.repeat(np.arange(high - low), np.diff(begins))
        total, header = np.zeros((high - low, 3)), self.whole.header
        for number, span in header.history.spans(self.whole.time[low:high]):
            of_span = np.zeros(high - low, bool)
            of_span[span] = True
            tree = header.history[number]
            on = header.shapes_on(body, tree)
            by = header.shapes_on(other, tree) if other else np.ones(len(on), bool)
            sign = ((on[second] & by[first]).astype(float) - (on[first] & by[second])) * of_span[sample]
            np.add.at(total, sample, sign[:, np.newaxis] * force)
        return columns(total[wanted - low])


def is_recorded(trajectory: Any, one: Quantity, body: str = "") -> bool:
    """Whether a trajectory has what a quantity, of a body, needs besides the motions."""
    header = trajectory.header
    if one.of_free and not _is_ever_moved(trajectory, body):
        return False
    if one.needs == SCENE:
        return False
    if one.needs == DIAGNOSTIC:
        return trajectory.has_diagnostics
    if one.needs == CONTACT:
        return header.with_contacts and (not body or header.shapes_on(body, header.history[0]).any())
    if one.needs == JOINT:
        type = header.joints.get(body)
        return (
            type is not None
            and coordinate_called(one.name, type) is not None
            and dataset_of(one.name) in trajectory.arrays
        )
    if one.needs == REACTION:
        return body in header.joints and one.name.replace("reaction_", "joints/") in trajectory.arrays
    if one.needs == LOOP:
        return body in header.loops and one.name.replace("loop_", "loops/") in trajectory.arrays
    if one.needs == TERM:
        rows = header.recorded_rows(one.name.replace(".", "/"))
        is_there = one.name.replace(".", "/") in trajectory.arrays
        return is_there and (rows is None or header.row_of[body] in rows)
    return True


def lump_of(trajectory: BodyMapping, path: str, number: int = 0, samples=...) -> Lump:
    """Mass, centre (m) and inertia of a free body with what is fixed to it, in its own axes, while a tree holds (its
    number in `trajectory.header.history`), which it does at these samples. Raises UsageError if it is not free then.
    """
    if not trajectory.header.history[number][path].is_moved():
        require_free(trajectory, path)
        raise UsageError(f"'{path}' is not free from the start; it has no energy and momentum of its own until then")
    hierarchy = trajectory.header.scene.hierarchy
    tree: Tree = hierarchy
    if number:
        sample = int(np.arange(len(trajectory.time))[samples][0])

        def pose(index: int) -> tuple:
            local = trajectory.motion("local", index)
            return tuple(local.position[sample].tolist()), tuple(local.orientation[sample].tolist())

        tree = trajectory.header.posed(tree, hierarchy.reparentings, float(trajectory.time[sample]), pose)
    if (joint := tree[path].joint) is not None and joint.is_tank:
        raise UsageError(changing_mass(path, OF_MASS))
    return tree.lump(tree[path])


def dataset_of(name: str) -> str:
    """The dataset of a coordinate, of the rate of one, or of what its motor does, by its name."""
    return f"joints/{part_of(name)}"


def require_coordinate(trajectory: BodyMapping, body: str, name: str) -> int:
    """The row of a coordinate of a body's joint. Raises UsageError if there is none of this name."""
    type = trajectory.header.joints.get(body)
    number = None if type is None else coordinate_called(name, type)
    if number is None:
        raise UsageError(without_coordinate(trajectory[body].kind, body, type, name))
    return trajectory.header.coordinates[body][number]


def _is_ever_moved(trajectory: BodyMapping, path: str) -> bool:
    """Whether forces move a body at some time."""
    return trajectory.header.row_of[path] in trajectory.header.history.ever_moved


def require_free(trajectory: BodyMapping, path: str, what: str = OF_MASS) -> None:
    """Raise UsageError if forces never move a body, and so it never has this."""
    if not _is_ever_moved(trajectory, path):
        moving = trajectory[path].free_ancestor_at(0.0)
        hint = f"ask for '{moving}', which moves it" if moving else "no free body moves it"
        kind = trajectory[path].kind
        raise UsageError(f"'{path}' is {kind}: only free and jointed bodies have {what}; {hint}")
