"""From a scene to a blueprint and the world at t = 0: the only package that imports both scene and engine."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from rigidsim.blueprints.contacts import contact_plan
from rigidsim.blueprints.drives import drive_tables
from rigidsim.blueprints.metrics import metric_tables
from rigidsim.blueprints.renumbering import Renumbered
from rigidsim.blueprints.sensing import sensing_tables
from rigidsim.blueprints.triggers import trigger_tables
from rigidsim.blueprints.written import LoadRecords
from rigidsim.containers.columns import numbers_table
from rigidsim.containers.optional import not_none
from rigidsim.engine import integrators
from rigidsim.engine.assembly.blueprint import Blueprint, LoopRecord, Schedule, World
from rigidsim.engine.assembly.constants import lock_rate, model_of
from rigidsim.engine.assembly.joints import joint_states
from rigidsim.engine.integrators.magnus import CUBIC, FULL
from rigidsim.engine.laws import registry
from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import followed
from rigidsim.physics.frames import stretch
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.loops import Coupled, LoopClosure, loop_closures, loop_names
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.loops import AngleLoop, DistanceLoop
from rigidsim.scene.schema.world import MutualGravity
from rigidsim.tree.motion import FrameMotion
from rigidsim.tree.nodes import Tree

WORDS = {"cubic": CUBIC, "full": FULL}
DEFAULT_SAMPLES = 10_000
INTERVALS = 2.0  # between samples: the longest step in scenes with expressions. No stages are farther apart than one


def as_integer(ratio: float) -> int:
    """A ratio of times, which the checks of the scene found to be an integer up to rounding, as an integer."""
    return round(ratio)


def method_of(choice, longest: float = math.inf) -> NamedTuple:
    """The options of the chosen integrator for the kernels, which take numbers in place of words; `longest` is the
    longest step, s, of a method that chooses its steps, if the scene gives none.
    """
    options = integrators.BY_NAME[choice.name].options
    given = {key: WORDS.get(value, value) for key, value in choice.in_numbers().items()}
    if given.get("max_step") == math.inf:
        given["max_step"] = longest
    return options(**given)


def sample_stride(simulation, n_step: int) -> int:
    """Steps between samples: `record_every` of the scene; by default at most ten thousand samples are taken."""
    if simulation.record_every is None:
        return max(1, -(-n_step // DEFAULT_SAMPLES))
    return as_integer(simulation.record_every / simulation.step)


def mutual_of(mutual: MutualGravity | None, tree: Tree) -> SimpleNamespace | None:
    """The group of bodies that attract each other; by default (`bodies` is None) all moved bodies with gravity."""
    if mutual is None:
        return None
    bodies = None if mutual.bodies is None else tuple(tree[path].index for path in mutual.bodies)
    return SimpleNamespace(bodies=bodies, constant=mutual.constant, softening=mutual.softening)


def build_world(scene: Scene) -> World:
    """The world at t = 0 of a scene that has been checked."""
    return scene.once(_built)


def _built(scene: Scene) -> World:
    blueprint = blueprint_of(scene)
    model = model_of(blueprint, blueprint.tree)
    more = followed(model) + (integrators.trials_of(blueprint.method) is not None)
    return World(blueprint, blueprint.tree, model, initial_state(scene.hierarchy, more))


def blueprint_of(scene: Scene) -> Blueprint:
    """The blueprint of a scene that has been checked."""
    tree, schedule = scene.hierarchy.bare(), schedule_of(scene)
    simulation, (drives, driven) = scene.simulation, drive_tables(scene.hierarchy)
    written = LoadRecords(scene, tree, schedule)
    n_step = as_integer(simulation.duration / simulation.step)
    stride, scripts = sample_stride(simulation, n_step), written.scripts.tables()
    motions = drives.driven, drives.rate_driven, drives.desired
    has_functions = any(map(len, (scripts.registers, scripts.motors, scripts.coefficients, *motions)))
    metrics = metric_tables(scene.metrics, tree, loop_names(scene.world.loops)) if scene.metrics else None
    triggers = trigger_tables(scene.hierarchy, tree, schedule, metrics.asked if metrics else ())
    asked = triggers.guards.asked if triggers else metrics.asked if metrics else ()
    if scene.changing is not None and triggers is not None:
        triggers = triggers._replace(renumbering=Renumbered(scene.changing, blueprint_of))
    return Blueprint(
        tree=tree,
        loads=written.loads,
        impulses=written.impulses,
        loops=loops_of(scene.hierarchy),
        scripts=scripts,
        drives=drives,
        gravity=scene.world.uniform_gravity,
        source=written.source,
        mutual=mutual_of(scene.world.mutual_gravity, tree),
        normal=tuple(scene.world.normal or ()),
        schedule=schedule,
        method=method_of(simulation.integrator, INTERVALS * stride * simulation.step if has_functions else math.inf),
        n_step=n_step,
        stride=stride,
        labels=(*written.scripts.labels, *driven, *written.scripts.coefficient_labels, *written.motors),
        contacts=contact_plan(scene.hierarchy),
        metrics=metrics,
        triggers=triggers,
        sensing=sensing_tables(scene, tree, asked),
    )


def loops_of(hierarchy: Hierarchy) -> tuple[LoopRecord, ...]:
    """The loops of a scene, in the order of the file."""
    names, found = loop_names(hierarchy.scene.world.loops), []
    for name, closing in zip(names, loop_closures(hierarchy, Starts(hierarchy)), strict=True):
        first, second = map(hierarchy.frame_of, closing.loop.between)
        record = LoopRecord(name, closing.loop.type, first, second, size=closing.size, apart=not closing.loop.collides)
        found.append(record._replace(**_held(closing)))
    return tuple(found)


def _held(closing: LoopClosure | Coupled) -> dict[str, Any]:
    """What a loop holds of its ends."""
    if isinstance(closing, Coupled):
        return {"length": closing.length, "numbers": closing.numbers, "ratio": closing.ratio}
    at, to_at = closing.loop.at, closing.loop.to_at
    loop = closing.loop
    held: dict[str, Any] = {"length": closing.length}
    if closing.has_limits and isinstance(loop, AngleLoop | DistanceLoop):
        held = {"stops": loop.stops, "keys": loop.keys, "across": closing.across}
    return {"at": at, "to_at": to_at, "axis": closing.axis, "to_axis": closing.to_axis, **held}


def schedule_of(scene: Scene) -> Schedule:
    """The schedule of a scene; bodies are given by their numbers."""
    times: list[float] = []
    stops: list[float] = []
    for body in (node.body for node in scene.hierarchy):
        for force in body.forces:
            times += force.during or ()
            # A load that stores energy adds it when the load begins, and removes it when the load ends.
            stops += (force.during or ()) if registry.BY_NAME[force.type].stores else ()
        stops += [impulse.time for impulse in body.impulses if impulse.time is not None]
    if scene.simulation.integrator.chooses:
        times.append(scene.simulation.duration)  # no step goes beyond the end
    return Schedule(scene.simulation.step, times, stops, scene.hierarchy.reparentings)


def com_state(node: SceneNode, motion: FrameMotion, com: tuple) -> list[float]:
    """State of a free body: its centre of mass, from its origin; `com` in body coordinates."""
    r_P = stretch(node.orientation, node.metres / node.parent_metres, com)
    v = point_velocity(motion.local_v, motion.local_omega, r_P)
    row = layout.STATE.filled(p=add(node.position, r_P), q=motion.q, v=v, omega=motion.omega_B)
    if node.normal:
        lock_rate(row, node.normal)
    return row


def initial_state(hierarchy: Hierarchy, n_more: int) -> np.ndarray:
    """The state at t = 0: of every moved body, of nodes whose rates are functions of time, and rows of zeros: of a
    method that chooses its steps, and of loads with a winding, which is within half a turn of rest.
    """
    starts = Starts(hierarchy)
    moved = []
    for node in hierarchy.moved_nodes():
        if node.is_free():
            moved.append(com_state(node, starts[node.frame], hierarchy.composite(node).mass.center))
        else:
            motion, coordinates = starts[node.frame], not_none(node.joint).coordinates
            own = [(0.0, 0.0) if one.is_prescribed else (one.start, one.rate) for one in coordinates]
            if not_none(node.joint).is_tank:
                own = [(hierarchy.composite(node).mass.mass, 0.0)]
            moved += joint_states(not_none(node.joint), own, motion.q, motion.omega_B)
    spare = [0.0] * (layout.STATE.width - layout.RATE_DRIVEN.width)
    rate_driven = [
        [*layout.RATE_DRIVEN.filled(p=node.position, q=node.orientation), *spare]
        for node in hierarchy
        if node.prescribed and node.prescribed.has_rates
    ]
    return numbers_table([*moved, *rate_driven, *[[0.0] * layout.STATE.width] * n_more], layout.STATE.width)
