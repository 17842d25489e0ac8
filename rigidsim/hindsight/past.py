"""The model at one sample of a trajectory: tree, state and loads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.constants import model_of
from rigidsim.engine.compiler.drives import paced_nodes
from rigidsim.engine.compiler.reparent import Instant, free_state
from rigidsim.engine.compiler.schedule import Schedule
from rigidsim.engine.compiler.tree import Tree
from rigidsim.engine.model import Model, make_samples, make_scratch, zeros
from rigidsim.engine.stepper import observe_at
from rigidsim.errors import FormatError, SceneError
from rigidsim.hindsight.windings import winding_rows
from rigidsim.scene import Scene
from rigidsim.trajectory.header import Header, Place
from rigidsim.trajectory.trajectory import Trajectory

MOTION = ("position", "orientation", "velocity", "angular_velocity")
ONE_LANE = (0,)


def scene_of(header: Header) -> Scene:
    """The scene of a trajectory. Raises FormatError if it is invalid."""
    try:
        return Scene.from_dict(json.loads(header.scene_resolved))
    except (SceneError, ValueError):
        raise FormatError("the trajectory is damaged: scene/resolved is not a valid scene") from None


def tree_at(start: Tree, places: Sequence[Place], local: np.ndarray | None = None) -> Tree:
    """The tree at a later time. Poses of fixed nodes are taken from the sample `local` (node, SAMPLE_ROWS) if given, and
    are else those at t = 0.
    """
    nodes = {node.path: replace(node, children={}) for node in start.nodes}
    for node, place in zip(nodes.values(), places, strict=True):
        before = start.by_path[node.path]
        node.parent, node.kind = nodes.get(place.parent), place.kind
        if node.parent is not None:
            node.parent.children[node.path] = node
        if place.parent != (before.parent.path if before.parent else ""):
            node.scale = before.metres / (start.by_path[place.parent].metres if place.parent else 1.0)
        if local is not None and node.kind == "fixed":
            row = tuple(map(float, local[node.index]))
            node.position, node.orientation = row[layout.O_P : layout.O_P + 3], row[layout.O_Q : layout.O_Q + 4]
    return Tree(list(nodes.values()))


class Past:
    """One sample of a trajectory, at which scenes with the same bodies can be evaluated."""

    def __init__(self, trajectory: Trajectory, sample: int):
        self._trajectory, self._sample = trajectory, sample
        self.header, self.time = trajectory.header, float(trajectory.time[sample])
        self.places = self.header.places_at(self.time)
        self.local, self.world = (
            np.concatenate([np.asarray(trajectory.arrays[f"{frame}/{name}"][sample]) for name in MOTION], axis=-1)
            for frame in ("local", "world")
        )
        self.scene = scene_of(self.header)
        self.tree = tree_at(Tree.of(self.scene), self.places, self.local)
        self.free = [node.path for node in self.tree.free()]

    def carrier(self, path: str) -> str:
        """The free body that carries a node; empty if there is none."""
        node = self.tree.carrier(self.tree.by_path[path]) if path in self.tree.by_path else None
        return node.path if node else ""

    def state(self) -> np.ndarray:
        """(state, STATE_ROWS) of the free bodies, then of the paced nodes; without the rows of what winds up."""
        instant = Instant(self.tree, self.local, self.world)
        rows = [free_state(node, self.tree, instant, None) for node in self.tree.free()]
        for node in paced_nodes(self.tree):
            row = zeros(layout.STATE_ROWS)
            row[layout.S_P : layout.S_P + 7] = self.local[node.index, layout.O_P : layout.O_P + 7]
            row[layout.S_SINCE] = self.time
            rows.append(row)
        return np.array(rows, dtype=np.float64).reshape(len(rows), layout.STATE_ROWS)

    def under(self, scene: Scene) -> Acting:
        """The loads of a scene with the same bodies, at this sample."""
        start, schedule = Tree.of(scene), Schedule.of(scene)
        era = sum(place <= schedule.place(self.time) for place in schedule.places)
        model = model_of(scene, tree_at(start, self.places, self.local), start, schedule).model
        return Acting(model, era, winding_rows(start, self._trajectory, self._sample))


class Acting:
    """The loads of one era on the free bodies."""

    def __init__(self, model: Model, era: int, windings: list[np.ndarray]):
        self._model, self._era, self._windings = model, era, windings
        self._scratch, self._sample = make_scratch(model, ONE_LANE), make_samples(model, 1, True, ONE_LANE)

    def terms(self, time: float, state: np.ndarray) -> np.ndarray:
        """(free, TERM_ROWS) the terms of the accelerations, in a state at a time (s)."""
        n = time / self._model.step
        state = np.concatenate([state, *(row[np.newaxis] for row in self._windings)])
        observe_at(0, n, self._era, self._model, state, self._scratch, self._sample, 0, ONE_LANE)
        return self._sample.terms[0][self._model.free_node].copy()
