"""From what the user wrote to constant arrays: the only place that knows both Scene and Model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.constants import Assembled, model_of
from rigidsim.engine.compiler.drives import Drives
from rigidsim.engine.compiler.initial import Frame, com_state, initial_frame
from rigidsim.engine.compiler.plane import lock_rate
from rigidsim.engine.compiler.schedule import Schedule
from rigidsim.engine.compiler.tree import Tree
from rigidsim.engine.integrators import BY_NAME
from rigidsim.engine.integrators.magnus import CUBIC, FULL
from rigidsim.engine.model import Model, followed, zeros
from rigidsim.scene import Scene

WORDS = {"cubic": CUBIC, "full": FULL}
DEFAULT_SAMPLES = 10_000


class Compiled(NamedTuple):
    """One world, ready to run: constants, initial state, method, and the names of things."""

    model: Model
    state: np.ndarray  # (state, STATE_ROWS): the free bodies, then the paced nodes, then what is followed
    state_labels: tuple[str, ...]  # whose state each row is: a path, or where the load is written
    method: NamedTuple
    paths: tuple[str, ...]
    parents: tuple[str, ...]  # path of each node's parent, "" for the world
    kinds: tuple[str, ...]  # free, fixed or prescribed
    scale: np.ndarray  # (node) metres per unit of the node's own lengths
    parent_scale: np.ndarray  # (node) metres per unit of the lengths it is placed in
    n_step: int
    stride: int  # steps between samples
    isolated: bool  # bodies act on each other only, so momenta are conserved
    schedule: Schedule
    labels: tuple[str, ...]  # where each expression that can fail is written
    impulse_names: tuple[tuple[str, int, str], ...]  # body, place in its list, name of each impulse of the model
    scene: Scene
    tree: Tree
    start: Tree  # the tree at t = 0


def whole(ratio: float) -> int:
    """The integer a checked ratio of times stands for."""
    return round(ratio)


def method_of(choice) -> NamedTuple:
    """The options of the chosen integrator, as the kernels take them: the scene's, with words as numbers."""
    options = BY_NAME[choice.name].options
    given = {key: WORDS.get(value, value) for key, value in choice.model_dump(exclude={"name"}).items()}
    return options(**given)


def sample_stride(simulation, n_step: int) -> int:
    """Steps between samples: what the scene asks for, or all of them up to ten thousand."""
    if simulation.record_every is None:
        return max(1, -(-n_step // DEFAULT_SAMPLES))
    return whole(simulation.record_every / simulation.step)


def compile_scene(scene: Scene) -> Compiled:
    """Constants and initial state of one world; the scene has been checked."""
    tree, schedule = Tree.of(scene), Schedule.of(scene)
    frames = initial_frames(tree)
    made = model_of(scene, tree, tree, schedule)
    return compiled(scene, tree, tree, schedule, made, initial_state(scene, tree, frames, made.model))


def compiled(scene: Scene, tree: Tree, start: Tree, schedule: Schedule, made: Assembled, state: np.ndarray) -> Compiled:
    """All of one world together."""
    n_step = whole(scene.simulation.duration / scene.simulation.step)
    return Compiled(
        model=made.model,
        state=state,
        state_labels=made.state_labels,
        method=method_of(scene.simulation.integrator),
        paths=tuple(node.path for node in tree.nodes),
        parents=tuple(node.parent.path if node.parent else "" for node in tree.nodes),
        kinds=tuple(node.kind for node in tree.nodes),
        scale=np.array([node.metres for node in tree.nodes]),
        parent_scale=np.array([node.parent_metres for node in tree.nodes]),
        n_step=n_step,
        stride=sample_stride(scene.simulation, n_step),
        isolated=made.isolated,
        schedule=schedule,
        labels=made.labels,
        impulse_names=made.impulse_names,
        scene=scene,
        tree=tree,
        start=start,
    )


def initial_frames(tree: Tree) -> dict[str, Frame]:
    """Where every node is at the start, by path."""
    frames: dict[str, Frame] = {}
    for node in tree.nodes:
        above = frames[node.parent.path] if node.parent else Frame()
        turns = not (node.is_free() and tree.carried(node).mass.is_point)
        frames[node.path] = initial_frame(node, above, turns)
    return frames


def initial_state(scene: Scene, tree: Tree, frames: dict[str, Frame], model: Model) -> np.ndarray:
    """The state at the start: of every free body, of nodes whose rates are functions of time, of loads that wind up,
    which are within half a turn of their rest.
    """
    rows = []
    for node in tree.free():
        frame = frames[node.path]
        row = com_state(frame, tuple(tree.carried(node).mass.center_of_mass))
        if scene.world.normal:
            lock_rate(row, scene.world.normal, frame.q)
        rows.append(row)
    rows += Drives(tree).start()
    rows += [zeros(layout.STATE_ROWS) for _ in range(followed(model))]
    return np.array(rows, dtype=np.float64).reshape(len(rows), layout.STATE_ROWS)
