"""From a scene to a blueprint and the world at t = 0: the only package that imports both scene and engine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

from rigidsim.engine.assembly.blueprint import Blueprint, World
from rigidsim.engine.assembly.constants import model_of
from rigidsim.engine.assembly.tree import Tree
from rigidsim.engine.building.bodies import tree_of, written_bodies
from rigidsim.engine.building.contacts import contact_plan
from rigidsim.engine.building.drives import Drives
from rigidsim.engine.building.initial import initial_state
from rigidsim.engine.building.metrics import metric_tables
from rigidsim.engine.building.windows import schedule_of
from rigidsim.engine.building.written import LoadRecords
from rigidsim.engine.integrators import BY_NAME
from rigidsim.engine.integrators.magnus import CUBIC, FULL
from rigidsim.engine.model import followed
from rigidsim.scene import Scene
from rigidsim.scene.schema.gravity import MutualGravity

WORDS = {"cubic": CUBIC, "full": FULL}
DEFAULT_SAMPLES = 10_000


def as_integer(ratio: float) -> int:
    """A ratio of times, which the checks of the scene found to be an integer up to rounding, as an integer."""
    return round(ratio)


def method_of(choice) -> NamedTuple:
    """The options of the chosen integrator for the kernels, which take numbers in place of words."""
    options = BY_NAME[choice.name].options
    given = {key: WORDS.get(value, value) for key, value in choice.model_dump(exclude={"name"}).items()}
    return options(**given)


def sample_stride(simulation, n_step: int) -> int:
    """Steps between samples: `record_every` of the scene; by default at most ten thousand samples are taken."""
    if simulation.record_every is None:
        return max(1, -(-n_step // DEFAULT_SAMPLES))
    return as_integer(simulation.record_every / simulation.step)


def mutual_of(mutual: MutualGravity | None, tree: Tree) -> SimpleNamespace | None:
    """The group of bodies that attract each other; by default (`bodies` is None) all free bodies with gravity."""
    if mutual is None:
        return None
    bodies = mutual.bodies and tuple(tree.by_path[path].index for path in mutual.bodies)
    return SimpleNamespace(bodies=bodies, constant=mutual.constant, softening=mutual.softening)


def blueprint_of(scene: Scene) -> Blueprint:
    """The blueprint of a scene that has been checked."""
    return _blueprint(scene, tree_of(scene), Drives(written_bodies(scene)))


def build_world(scene: Scene) -> World:
    """The world at t = 0 of a scene that has been checked."""
    tree, bodies = tree_of(scene), written_bodies(scene)
    drives = Drives(bodies)
    blueprint = _blueprint(scene, tree, drives)
    model = model_of(blueprint, tree)
    return World(blueprint, tree, model, initial_state(tree, bodies, drives.start(), followed(model)))


def _blueprint(scene: Scene, tree: Tree, drives: Drives) -> Blueprint:
    schedule, simulation = schedule_of(scene, tree), scene.simulation
    written = LoadRecords(scene, tree, schedule)
    n_step = as_integer(simulation.duration / simulation.step)
    return Blueprint(
        tree=tree,
        loads=written.loads,
        impulses=written.impulses,
        scripts=written.scripts.tables(),
        drives=drives.tables(),
        gravity=scene.world.uniform_gravity,
        source=written.source,
        mutual=mutual_of(scene.world.mutual_gravity, tree),
        normal=tuple(scene.world.normal or ()),
        schedule=schedule,
        method=method_of(simulation.integrator),
        n_step=n_step,
        stride=sample_stride(simulation, n_step),
        labels=(*written.scripts.labels, *drives.labels),
        contacts=contact_plan(scene, tree),
        metrics=metric_tables(scene.metrics, tree) if scene.metrics else None,
    )
