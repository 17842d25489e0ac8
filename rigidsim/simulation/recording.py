"""What a run records: from the names and patterns of a scene to datasets and rows of bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rigidsim.engine.assembly.blueprint import World
from rigidsim.quantities.names import matches
from rigidsim.scene import Scene
from rigidsim.scene.schema.record import CONTACTS, DIAGNOSTICS, FRAMES, JOINTS, LOOPS, QUANTITIES, TERMS, RecordedPart
from rigidsim.simulation.events import shapes_of
from rigidsim.trajectory.recorded import Selection, possible_fields, selection

Entries = Sequence[str | RecordedPart]
"""`simulation.record` of a scene."""


def records_terms(scene: Scene) -> bool:
    """Whether a scene asks for the terms of accelerations of any bodies."""
    return any(TERMS in _names(entry) for entry in scene.simulation.record or ())


def records_contacts(scene: Scene) -> bool:
    """Whether a scene asks for contact points."""
    return CONTACTS in (scene.simulation.record or ())


def records_joints(scene: Scene) -> bool:
    """Whether what joints do is recorded, if there are any."""
    return scene.simulation.record is None or JOINTS in scene.simulation.record


def joints_of(world: World) -> dict[str, str]:
    """The type of joint of each body that is on one at some time, by path."""
    return {world.tree.nodes[index].path: type for index, type in world.blueprint.joint_types.items()}


def recorded_of(scene: Scene, world: World, terms: bool, contacts: bool) -> Selection | None:
    """The selection of a scene; `terms` and `contacts` add those of all bodies."""
    record = scene.simulation.record
    if record is None:
        return None
    more = [name for name, is_asked in ((TERMS, terms), (CONTACTS, contacts)) if is_asked]
    with_terms, with_contacts = terms or records_terms(scene), contacts or records_contacts(scene)
    held = joints_of(world), world.blueprint.loop_types
    possible = possible_fields(bool(shapes_of(world)), with_terms, with_contacts, *held)
    rows = rows_by_dataset([*record, *more], world.paths, [field.name for field in possible])
    return selection(rows, possible, len(world.paths))


def rows_by_dataset(record: Entries, paths: Sequence[str], possible: Sequence[str]) -> dict[str, set[int] | None]:
    """For each of the possible datasets that these entries name the rows of the bodies, or None for all bodies: the
    union of the entries.
    """
    row_of = {path: row for row, path in enumerate(paths)}
    found: dict[str, set[int] | None] = {}
    for entry in record:
        rows = _rows(entry, row_of)
        for name in _names(entry):
            for dataset in _datasets(name, possible):
                before = found.get(dataset, set())
                found[dataset] = None if rows is None or before is None else before | rows
    return found


def _names(entry: str | RecordedPart) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else entry.of


def _rows(entry: str | RecordedPart, row_of: Mapping[str, int]) -> set[int] | None:
    if isinstance(entry, str):
        return None
    return {row_of[path] for name in entry.bodies for path in matches(name, row_of)}


def _datasets(name: str, possible: Sequence[str]) -> Iterator[str]:
    """The datasets that a name stands for."""
    if name in QUANTITIES:
        return (f"{frame}/{name}" for frame in FRAMES)
    if name in (*FRAMES, TERMS, DIAGNOSTICS, CONTACTS, JOINTS, LOOPS):
        return (dataset for dataset in possible if dataset.startswith(f"{name}/"))
    return iter((name,))
