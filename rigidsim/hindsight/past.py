"""The model at one sample of a trajectory: tree, state and loads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.assembly.reparent import MotionSnapshot, free_state, numbers_of
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.building import blueprint_of
from rigidsim.engine.building.known import scene_from
from rigidsim.engine.model import Model, MotionSamples, make_samples, make_scratch, zeros
from rigidsim.engine.stepper import observe_at
from rigidsim.hindsight.windings import winding_rows
from rigidsim.scene import Scene
from rigidsim.trajectory.header import Header, Place
from rigidsim.trajectory.trajectory import Trajectory, sample_of

ONE_LANE = (0,)


def scene_of(header: Header) -> Scene:
    """The scene of a trajectory. Raises FormatError if it is invalid."""
    return scene_from(header.scene_resolved)


def tree_at(start: Tree, places: Sequence[Place], local: MotionSamples | None = None) -> Tree:
    """The tree at a later time. Fixed nodes have their pose in the sample `local`, arrays (node, component); without
    it, the pose at t = 0.
    """
    nodes = []
    for node, place in zip(start.nodes, places, strict=True):
        parent = start.frame_of(place.parent) if place.parent else 0
        moved = node._replace(parent=parent, kind=place.kind)
        if parent != node.parent:
            metres = start.metres(parent)
            moved = moved._replace(scale=node.metres / metres, parent_metres=metres)
        if local is not None and place.kind == "fixed":
            position, orientation, *_ = numbers_of(local, node.index)
            moved = moved._replace(position=position, orientation=orientation)
        nodes.append(moved)
    return Tree.of(nodes)


class SampleModel:
    """One sample of a trajectory, at which scenes with the same bodies can be evaluated. Raises NotRecordedError if the
    motion of any body is neither recorded nor can be derived.
    """

    def __init__(self, trajectory: Trajectory, sample: int):
        self._trajectory, self._sample = trajectory, sample
        self.header, self.time = trajectory.header, float(trajectory.time[sample])
        self.places, state = self.header.places_at(self.time), sample_of(trajectory, sample)
        self.local, self.world = (
            MotionSamples(*(state.of_all(frame, quantity) for quantity in MotionSamples._fields))
            for frame in ("local", "world")
        )
        self.scene = scene_of(self.header)
        self._blueprint = blueprint_of(self.scene)
        self.tree = tree_at(self._blueprint.tree, self.places, self.local)
        self.free = [node.path for node in self.tree.free()]

    def carrier(self, path: str) -> str:
        """The free body that carries a node; empty if there is none."""
        node = self.tree.carrier(self.tree.by_path[path]) if path in self.tree.by_path else None
        return node.path if node else ""

    def state(self) -> np.ndarray:
        """(state, STATE_ROWS) of the free bodies, then of the paced nodes; without the rows of loads with a winding."""
        instant = MotionSnapshot(self.tree, self.local, self.world)
        rows = [free_state(node, self.tree, instant, None) for node in self.tree.free()]
        for node in self._blueprint.drives.paced[:, 0]:
            row = zeros(layout.STATE_ROWS)
            row[layout.PACED_P : layout.PACED_P + 3] = self.local.position[node]
            row[layout.PACED_Q : layout.PACED_Q + 4] = self.local.orientation[node]
            row[layout.PACED_SINCE] = self.time
            rows.append(row)
        return np.array(rows, dtype=np.float64).reshape(len(rows), layout.STATE_ROWS)

    def under(self, scene: Scene) -> LoadsInEra:
        """The loads of a scene with the same bodies at this sample; contact is none of them."""
        blueprint = blueprint_of(scene)
        schedule = blueprint.schedule
        era = sum(place <= schedule.place(self.time) for place in schedule.places)
        model = model_of(blueprint, tree_at(blueprint.tree, self.places, self.local))
        windings = winding_rows(blueprint, self._trajectory, self._sample)
        return LoadsInEra(model._replace(contacts=None, metrics=None), era, windings)


class LoadsInEra:
    """The loads of one era on the free bodies."""

    def __init__(self, model: Model, era: int, windings: list[np.ndarray]):
        self._model, self._era, self._windings = model, era, windings
        self._scratch, self._sample = make_scratch(model, ONE_LANE), make_samples(model, 1, True, ONE_LANE)

    def terms(self, time: float, state: np.ndarray) -> np.ndarray:
        """(TERMS, free, 3) the terms of the accelerations, in a state at a time (s)."""
        n = time / self._model.step
        state = np.concatenate([state, *(row[np.newaxis] for row in self._windings)])
        observe_at(0, n, self._era, self._model, state, self._scratch, self._sample, 0, ONE_LANE)
        return self._sample.terms[:, 0][:, self._model.moved_node]
