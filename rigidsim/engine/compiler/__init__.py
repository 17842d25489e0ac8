"""From what the user wrote to constant arrays: the only place that knows both Scene and Model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.initial import Frame, com_state, initial_frame, prescribed_constants
from rigidsim.engine.compiler.loads import Load, carried_loads, eras
from rigidsim.engine.compiler.plane import lock_body, lock_load
from rigidsim.engine.integrators import BY_NAME
from rigidsim.engine.integrators.magnus import CUBIC, FULL
from rigidsim.engine.model import Model, zeros
from rigidsim.physics.inertia import inverse
from rigidsim.scene import Scene
from rigidsim.scene.mass import MassProperties, carried_mass

KINDS = {"free": layout.FREE, "fixed": layout.FIXED, "prescribed": layout.PRESCRIBED}
WORDS = {"cubic": CUBIC, "full": FULL}
DEFAULT_SAMPLES = 10_000


class Compiled(NamedTuple):
    """One world, ready to run: constants, initial state, method, and the names of things."""

    model: Model
    state: np.ndarray  # (free, STATE_ROWS)
    method: NamedTuple
    paths: tuple[str, ...]
    parents: tuple[str, ...]  # path of each node's parent, "" for the world
    scale: np.ndarray  # (node) metres per unit of the node's own lengths
    parent_scale: np.ndarray  # (node) metres per unit of the lengths it is placed in
    n_step: int
    stride: int  # steps between samples
    isolated: bool  # no force, torque or gravity acts on any body, so momenta are conserved


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


def body_row(carried: MassProperties, frame: Frame, gravity) -> np.ndarray:
    """Constants of a free body with all that is fixed to it."""
    tensor = carried.inertia
    symmetric = (tensor[0][0], tensor[1][1], tensor[2][2], tensor[0][1], tensor[0][2], tensor[1][2])
    row = zeros(layout.BODY_ROWS)
    row[layout.B_MASS] = carried.mass
    row[layout.B_G : layout.B_G + 3] = gravity
    row[layout.B_INERTIA : layout.B_INERTIA + 6] = symmetric
    # No torque turns a particle, if I^-1 is zero.
    row[layout.B_INVERSE : layout.B_INVERSE + 6] = 0.0 if carried.is_point else inverse(symmetric)
    row[layout.B_COM : layout.B_COM + 3] = [frame.scale * c for c in carried.center_of_mass]
    row[layout.B_SCALE] = frame.parent_scale
    return row


def needed(kind: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Nodes that a free body's motion depends on: the free ones and all that carry one."""
    carries = kind == layout.FREE
    for node in reversed(range(len(kind))):
        if carries[node] and parent[node] > 0:
            carries[parent[node] - 1] = True
    return np.flatnonzero(carries)


@dataclass
class Rows:
    """Constants and states of the nodes as they are met, parents first."""

    frames: list[Frame] = field(default_factory=lambda: [Frame()])  # the world's, then one for each node
    row: list[int] = field(default_factory=list)
    bodies: list[np.ndarray] = field(default_factory=list)
    states: list[np.ndarray] = field(default_factory=list)
    loads: list[list[Load]] = field(default_factory=list)
    motions: list[np.ndarray] = field(default_factory=list)

    def add(self, body, parent: int, world) -> None:
        """One node, the child of frame `parent`."""
        above = self.frames[parent]
        if body.kind == "free":
            carried = carried_mass(body, above.scale * body.scale)
            self.frames.append(initial_frame(body, above, turns=not carried.is_point))
            self.row.append(len(self.bodies))
            self._add_free(body, carried, self.frames[-1], above, world)
        else:
            self.frames.append(initial_frame(body, above, turns=True))
            self.row.append(len(self.motions))
            self.motions.append(prescribed_constants(body, self.frames[-1]))

    def _add_free(self, body, carried: MassProperties, frame: Frame, parent: Frame, world) -> None:
        com = tuple(carried.center_of_mass)
        constants = body_row(carried, frame, world.gravity if body.gravity else (0.0, 0.0, 0.0))
        state, loads = com_state(frame, com), carried_loads(body, com, frame.scale)
        if world.normal:
            lock_body(constants, state, world.normal, frame.q)
            for load in loads:
                lock_load(load.row, load.axes, world.normal, parent.q, frame.q)
        self.bodies.append(constants)
        self.states.append(state)
        self.loads.append(loads)


def compile_scene(scene: Scene) -> Compiled:
    """Constants and initial state of one world; the scene has been checked."""
    simulation, nodes = scene.simulation, list(scene.walk())
    index = {path: i for i, (path, _, _) in enumerate(nodes)}
    parent = np.array([0 if above is None else index[above] + 1 for _, _, above in nodes], dtype=np.int64)
    rows = Rows()
    for (_, body, _), above in zip(nodes, parent, strict=True):
        rows.add(body, above, scene.world)
    model = model_of(nodes, parent, rows, simulation.step)
    n_step = whole(simulation.duration / simulation.step)
    return Compiled(
        model=model,
        state=_stacked(rows.states, layout.STATE_ROWS),
        method=method_of(simulation.integrator),
        paths=tuple(path for path, _, _ in nodes),
        parents=tuple(above or "" for _, _, above in nodes),
        scale=np.array([frame.scale for frame in rows.frames[1:]]),
        parent_scale=np.array([frame.parent_scale for frame in rows.frames[1:]]),
        n_step=n_step,
        stride=sample_stride(simulation, n_step),
        isolated=not len(model.load) and not np.any(model.body[:, layout.B_G : layout.B_G + 3]),
    )


def model_of(nodes: list, parent: np.ndarray, rows: Rows, step: float) -> Model:
    """The rows as arrays, with the tree and the eras."""
    kind = np.array([KINDS[body.kind] for _, body, _ in nodes], dtype=np.int64)
    free_node = np.flatnonzero(kind == layout.FREE)
    loads = [load for carried in rows.loads for load in carried]
    edge_step, edge_fraction, spans = eras([load.during for load in loads], step)
    return Model(
        parent=parent,
        kind=kind,
        row=np.array(rows.row, dtype=np.int64),
        active=needed(kind, parent),
        every=np.arange(len(nodes)),
        free_node=free_node,
        by_path=np.array(sorted(range(len(free_node)), key=lambda k: nodes[free_node[k]][0]), dtype=np.int64),
        body=_stacked(rows.bodies, layout.BODY_ROWS),
        motion=_stacked(rows.motions, layout.MOTION_ROWS),
        first_load=np.cumsum([0, *(len(carried) for carried in rows.loads)], dtype=np.int64),
        load_axes=np.array([load.axes for load in loads], dtype=np.int64),
        load_from=np.array([begin for begin, _ in spans], dtype=np.int64),
        load_until=np.array([end for _, end in spans], dtype=np.int64),
        load=_stacked([load.row for load in loads], layout.LOAD_ROWS),
        edge_step=edge_step,
        edge_fraction=edge_fraction,
        step=step,
    )


def _stacked(rows: list[np.ndarray], width: int) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)
