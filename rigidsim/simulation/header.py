"""The header of a history, common to all samples, and the times of samples."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from rigidsim.engine.assembly.blueprint import Blueprint, World
from rigidsim.scene import Scene
from rigidsim.simulation.events import require_shapes, shapes_of
from rigidsim.simulation.readings import reading_tables_of
from rigidsim.simulation.recording import joints_of, recorded_of, records_contacts, records_terms
from rigidsim.trajectory.header import NO_CONTACT, Change, Header, SceneTexts
from rigidsim.trajectory.provenance import CALLBACKS, provenance
from rigidsim.tree.history import TreeChange, in_order
from rigidsim.tree.nodes import path_of


def header_of(
    scene: Scene, world: World, with_terms: bool, with_callbacks: bool = False, with_contacts: bool = False
) -> Header:
    """The header of the history of a scene; `with_terms` and `with_contacts` add to what the scene records."""
    nodes, shapes = world.tree.nodes, shapes_of(world)
    recorded = recorded_of(scene, world, with_terms, with_contacts)
    with_terms, with_contacts = with_terms or records_terms(scene), with_contacts or records_contacts(scene)
    if with_contacts:
        require_shapes(shapes)
    return Header(
        paths=world.paths,
        parents=tuple(path_of(world.tree.parent(node)) for node in nodes),
        kinds=tuple(node.kind for node in nodes),
        scale=np.array([node.metres for node in nodes]),
        parent_scale=np.array([node.parent_metres for node in nodes]),
        isolated=world.isolated and not with_callbacks and not (scene.changing and scene.changing.gravity),
        with_terms=with_terms,
        changes=changes_of(world),
        scene_name=scene.name,
        texts=SceneTexts(lambda: (scene.source, resolved_text(scene))),
        provenance=provenance() | ({CALLBACKS: "yes"} if with_callbacks else {}),
        contact_settings=world.blueprint.contacts.summary if world.blueprint.contacts else NO_CONTACT.copy(),
        shapes=shapes,
        with_contacts=with_contacts,
        recorded=recorded,
        joints=joints_of(world),
        loops=world.blueprint.loop_types,
        metrics={name: str(metric) for name, metric in scene.metrics.items()},
        metric_units=metric_units(scene),
        readings=reading_tables_of(scene),
    )


def resolved_text(scene: Scene) -> str:
    """The scene as plain data in SI units with all defaults, as files have it."""
    return scene.once(_resolved_text)


def _resolved_text(scene: Scene) -> str:
    return json.dumps(scene.resolved(), indent=1)


def metric_units(scene: Scene) -> dict[str, str]:
    """The units of the metrics that have one."""
    if not scene.metrics:
        return {}
    has_scales = any(node.metres != 1.0 for node in scene.hierarchy)
    found = {name: metric.unit_where(has_scales) for name, metric in scene.metrics.items()}
    return {name: unit for name, unit in found.items() if unit}


def changes_of(world: World, more: Sequence[TreeChange] = ()) -> tuple[Change, ...]:
    """The changes of parents that the scene describes, and more."""
    tree = world.tree
    return tuple(
        Change(change.time, tree.nodes[change.body].path, path_of(tree.node(change.to)), change.kind)
        for change in in_order((*more, *world.blueprint.changes), world.blueprint.schedule.step)
    )


def sample_count(blueprint: Blueprint) -> int:
    """Number of samples of a whole run: one every `stride` steps from t = 0, and the last state."""
    return -(-blueprint.n_step // blueprint.stride) + 1


def sample_times(blueprint: Blueprint, first: int, count: int) -> np.ndarray:
    """Times of samples, s: multiplied, never accumulated."""
    return np.arange(first, first + count) * blueprint.stride * blueprint.schedule.step
