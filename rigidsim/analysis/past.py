"""The model at one sample of a trajectory: tree, state and loads."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from rigidsim.analysis.windings import winding_rows
from rigidsim.blueprints import blueprint_of
from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import Blueprint
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.assembly.joints import joint_states
from rigidsim.engine.assembly.reparent import MotionSnapshot, free_state, numbers_of
from rigidsim.engine.laws.declaration import LoadPoint
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import Model, MotionSamples, make_samples, make_scratch
from rigidsim.engine.model.programs import is_steered
from rigidsim.engine.sensing.sensors import hold
from rigidsim.engine.time.stepper import observe_at, resume_at
from rigidsim.errors import NotRecordedError
from rigidsim.jit.layouts import zeros
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add
from rigidsim.scene import Scene
from rigidsim.scene.expressions.tree import Held
from rigidsim.trajectory.bodies import State
from rigidsim.trajectory.readings import held_at
from rigidsim.trajectory.trajectory import Trajectory, sample_of
from rigidsim.tree.joints import Joint
from rigidsim.tree.nodes import NO_TURN, ZERO, Node, Tree, links_of, path_of

ONE_LANE = (0,)
Numbers = tuple[tuple[str, object], ...]
"""Numbers of a scene by their paths, and their values."""


def numbers_at(trajectory: Trajectory, time: float) -> Numbers:
    """The numbers of the simulated scene that were set up to a time (s)."""
    numbers: dict[str, object] = {}
    for event in trajectory.events.scheduled if trajectory.header.scene.changing else ():
        if event.changed and event.time <= time:
            numbers |= event.changed
    return tuple(numbers.items())


@lru_cache(maxsize=16)
def _scene_with(resolved: str, numbers: Numbers) -> Scene:
    return Scene.from_dict(json.loads(resolved), numbers)


def scene_at(trajectory: Trajectory, time: float) -> Scene:
    """The simulated scene with the numbers that hold at a time (s)."""
    numbers = numbers_at(trajectory, time)
    return _scene_with(trajectory.header.scene_resolved, numbers) if numbers else trajectory.header.scene


class SampleModel:
    """One sample of a trajectory, at which scenes with the same bodies can be evaluated; the state there may be given.
    Its own scene has the numbers that hold then. Raises NotRecordedError if the motion of any body is neither recorded
    nor can be derived.
    """

    def __init__(self, trajectory: Trajectory, sample: int, state: State | None = None):
        self._trajectory, self.sample = trajectory, sample
        self.header, self.time = trajectory.header, float(trajectory.time[sample])
        state = sample_of(trajectory, sample) if state is None else state
        self.local, self.world = (
            MotionSamples(*(state.of_all(frame, quantity) for quantity in MotionSamples._fields))
            for frame in ("local", "world")
        )
        self.scene = scene_at(trajectory, self.time)
        self.numbers, self.blueprint = numbers_at(trajectory, self.time), self.scene.once(blueprint_of)
        self.tree = self._tree_of(self.blueprint)
        self.free = [node.path for node in self.tree.free()]
        nodes = self.tree.moved_nodes()
        self.moved = [node for node in nodes for _ in range(1 + links_of(node))]  # the body of each row of the state

    def _tree_of(self, blueprint: Blueprint) -> Tree:
        """The present tree of a scene with the same bodies, on the joints that the own scene gives them."""
        known = self.blueprint.schedule.reparentings
        tree = self.header.posed(blueprint.tree, known, self.time, lambda index: numbers_of(self.local, index)[:2])
        return tree.begun(self._begun)

    def _begun(self, node: Node) -> Joint:
        """A joint whose pose at zero is that which its body had when it was made."""
        p, q, *_ = numbers_of(self.local, node.index)
        return not_none(node.joint).beginning(p, q, self.coordinates(node), node.scale, node.parent_metres)

    def pose(self, frame: int) -> tuple:
        """(p_W, q_W) of a frame: its origin in the world, m, and its orientation."""
        return numbers_of(self.world, frame - 1)[:2] if frame else (ZERO, NO_TURN)

    def place(self, point: LoadPoint) -> tuple:
        """A point of a frame in the world, m."""
        p_W, q_W = self.pose(point.frame)
        return add(p_W, rotate(q_W, point.point))

    def moved_base(self, path: str) -> str:
        """The free body that a node is a part of; empty for the world and if there is none."""
        return path_of(self.tree.moved_base(self.tree[path])) if path in self.tree else ""

    def state(self) -> np.ndarray:
        """(state, width of `STATE`) of the moved bodies, then of the rate-driven nodes; without windings. Modes of
        joints, which samples do not have, are chosen as at the beginning of a phase.
        """
        instant = MotionSnapshot(self.tree, self.local, self.world)
        rows = [each for node in self.tree.moved_nodes() for each in self._rows(node, instant)]
        for node in self.blueprint.drives.rate_driven[:, 0]:
            row = zeros(layout.STATE.width)
            rate_driven = layout.RATE_DRIVEN(row)
            rate_driven.p, rate_driven.q = self.local.position[node], self.local.orientation[node]
            rate_driven.since = self.time
            rows.append(row)
        state = np.array(rows, dtype=np.float64).reshape(len(rows), layout.STATE.width)
        if not any(node.joint and node.joint.has_modes for node in self.moved):
            return state
        return self.under(self.scene).resumed(self.time, state)

    def _rows(self, node: Node, instant: MotionSnapshot) -> list[np.ndarray | list[float]]:
        """The rows of a moved body: one if it is free, one for each coordinate of its joint, one of a ball."""
        if node.is_free():
            return [free_state(node, self.tree, instant, None)]
        q, omega = instant.world(node)
        return [*joint_states(not_none(node.joint), self.coordinates(node), q, rotate_back(q, omega))]

    def coordinates(self, node: Node) -> list[tuple[float, float]]:
        """The coordinates of a joint and their rates."""
        if not not_none(node.joint).coordinates:
            return []
        if "joints/rate" not in self._trajectory.arrays:
            raise NotRecordedError(f"the coordinates of joints were not recorded ({self.header.record_text})")
        x, rate = (self._trajectory.arrays[f"joints/{name}"][self.sample] for name in ("coordinate", "rate"))
        return [(float(x[k]), float(rate[k])) for k in self.header.coordinates[node.path]]

    def whole_state(self) -> np.ndarray:
        """The state with the rows of the windings of its own loads, and of lengths that are measured."""
        return self.under(self.scene).whole(self.time, self.state())

    def under(self, scene: Scene) -> LoadsInPhase:
        """The loads of a scene with the same bodies at this sample; contact is none of them."""
        is_own = scene is self.scene
        blueprint = self.blueprint if is_own else blueprint_of(scene)
        model = model_of(blueprint, self.tree if is_own else self._tree_of(blueprint))
        windings = winding_rows(blueprint, self._trajectory, self.sample)
        model = model._replace(contacts=None, metrics=None, sensing=None)
        held = np.array([self._held(one) for one in scene.scope.held]).reshape(-1, 1) if is_steered(model) else None
        return LoadsInPhase(model, blueprint.schedule.phase(self.time), windings, held)

    def _held(self, one: Held) -> float:
        """A number that was held at this sample."""
        trajectory = self._trajectory
        return float(held_at(self.header, trajectory.arrays, np.array([self.time]), one.name, one.body)[0])


class LoadsInPhase:
    """The loads of one phase on the bodies that forces move; `held` are the numbers that are held then, if any."""

    def __init__(self, model: Model, phase: int, windings: list[np.ndarray], held: np.ndarray | None = None):
        self.model, self.phase, self.windings = model, phase, windings
        self.free = np.flatnonzero(model.node[:, layout.NODE.kind] == layout.FREE)
        self.is_free = np.isin(model.moved_node, self.free)  # of each row of the state
        self.scratch, self.sample = make_scratch(model, ONE_LANE), make_samples(model, 1, True, ONE_LANE)
        if held is not None:
            hold(model, self.scratch, held)

    def terms(self, time: float, state: np.ndarray) -> np.ndarray:
        """(TERMS, node, 3) the terms of the accelerations, in a state at a time (s); NaN for driven nodes."""
        self.evaluate(time, state)
        return self.sample.terms[:, 0].copy()

    def resumed(self, time: float, state: np.ndarray) -> np.ndarray:
        """The state at a time (s) with the modes of its joints, which it is given without."""
        return self._resume(time, self._with_windings(state))[: len(state)]

    def whole(self, time: float, state: np.ndarray) -> np.ndarray:
        """The state at a time (s) with its last rows: windings, and lengths, which are measured."""
        whole = self._with_windings(state)
        return self._resume(time, whole) if self.model.loops and self.model.loops.measured is not None else whole

    def _with_windings(self, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state, *(row[np.newaxis] for row in self.windings)])

    def _resume(self, time: float, whole: np.ndarray) -> np.ndarray:
        resume_at(0, time / self.model.step, self.phase, self.model, whole, self.scratch, ONE_LANE)
        return whole

    def evaluate(self, time: float, state: np.ndarray) -> np.ndarray:
        """Evaluate a state at a time (s); frames and wrenches are in `scratch`. Returns the state with the windings."""
        state = self.whole(time, state)
        observe_at(0, time / self.model.step, self.phase, self.model, state, self.scratch, self.sample, 0, ONE_LANE)
        return state
