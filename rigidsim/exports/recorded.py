"""Everything that a trajectory file has, or some quantities of it, as labelled arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rigidsim.analysis.quantities import NamedQuantity, expanded, named
from rigidsim.exports.labelled import Labelled, LabelledVariable
from rigidsim.quantities.units import udunits
from rigidsim.trajectory.fields import (
    AXES,
    CAUSES,
    COORDINATE,
    COUNT_COLUMN,
    EVENT_COLUMNS,
    JOINT,
    LOOP,
    POINT_COLUMNS,
    SHAPES,
    TYPES,
    Field,
    TableColumn,
    sides_in,
)
from rigidsim.trajectory.recorded import labels_of
from rigidsim.trajectory.structure import LABELS, in_file
from rigidsim.trajectory.trajectory import Trajectory

TIME = {"units": "s", "long_name": "time since the start"}
CONTACT_POINT = "contact_point"


def labelled(trajectory: Trajectory, quantities: Sequence[str] = (), events: bool = False) -> Labelled:
    """Quantities of a trajectory by their names; or all that was recorded, named as in the file with "_" for "/". With
    `events`, or if everything is asked for, the events, too. Raises UsageError.
    """
    found = asked_for(trajectory, quantities)
    time = LabelledVariable(
        "time", ("time",), trajectory.time.shape, "<f8", lambda rows: np.asarray(trajectory.time[rows]), TIME
    )
    variables = [time]
    if quantities:
        variables += _quantities(trajectory, found)
    else:
        variables += [*_bodies(trajectory), *_samples(trajectory), *_contacts(trajectory), *_readings(trajectory)]
        variables += _metrics(trajectory)
    if events or not quantities:
        variables += _events(trajectory)
    used = {dimension for variable in variables for dimension in variable.dimensions}
    axes = [LabelledVariable.of(axis, (axis,), list(labels)) for axis, labels in AXES.items() if axis in used]
    coordinates = {"time", "parent", "kind", "scale_to_metre", "own_scale_to_metre", "body", "component", SHAPES, *AXES}
    coordinates |= {table.time.replace("/", "_") for table in trajectory.header.readings}
    coordinates |= {*TYPES, *TYPES.values(), COORDINATE}
    return Labelled((*variables, *axes), frozenset(coordinates), _attributes(trajectory))


def asked_for(trajectory: Trajectory, quantities: Sequence[str]) -> list[NamedQuantity]:
    """The quantities of these names, without the time, which is there anyway. Raises UsageError."""
    found = (named(trajectory, name) for written in quantities for name in expanded(trajectory, written))
    return [one for one in found if one.name != "time"]


def _attributes(trajectory: Trajectory) -> dict[str, str]:
    header = trajectory.header
    return {
        "title": json.loads(header.scene_resolved or "{}").get("title") or header.scene_name,
        "source": f"rigidsim {header.provenance.get('rigidsim', '')}".strip(),
        "status": trajectory.status,
        "quaternion_order": "wxyz",
        "content_hash": trajectory.stored_hash or trajectory.content_hash,
        "provenance": json.dumps(dict(header.provenance)),
        "scene": header.scene_text,
        "scene_resolved": header.scene_resolved,
    }


def _quantities(trajectory: Trajectory, found: Sequence[NamedQuantity]) -> Iterator[LabelledVariable]:
    """Quantities; the components of one that has neither x, y, z nor w, x, y, z are variables of their own."""
    expressions = 0
    for one in found:
        is_expression = one.name.startswith("=")
        expressions += is_expression
        name = f"expression_{expressions}" if is_expression else one.name.replace("/", "_")
        described = {"units": udunits(one.unit), "long_name": one.label, "quantity": one.name}
        axis = next((axis for axis, labels in AXES.items() if one.components == tuple(labels)), "")
        if one.components and not axis:
            for k, component in enumerate(one.components):
                yield _series(trajectory, f"{name}.{component}", (), one, described, k)
        else:
            yield _series(trajectory, name, (axis,) if axis else (), one, described)


def _series(
    trajectory: Trajectory,
    name: str,
    axes: tuple[str, ...],
    one: NamedQuantity,
    described: Mapping[str, str],
    component: int | None = None,
) -> LabelledVariable:
    def read(rows: slice) -> np.ndarray:
        values = one.of(rows)
        return values if component is None else values[:, component]

    shape = (len(trajectory.time), *(len(AXES[axis]) for axis in axes))
    return LabelledVariable(name, ("time", *axes), shape, "<f8", read, described)


def _bodies(trajectory: Trajectory) -> Iterator[LabelledVariable]:
    header, body = trajectory.header, ("body",)
    yield LabelledVariable.of("body", body, list(header.paths), long_name="path of the node")
    yield LabelledVariable.of("parent", body, list(header.parents), long_name="path of the parent at the start")
    yield LabelledVariable.of(
        "kind", body, list(header.kinds), long_name="free, jointed, fixed or prescribed, at the start"
    )
    local = "metres per unit of the lengths in local_... at the start"
    yield LabelledVariable.of("scale_to_metre", body, header.parent_scale, units="m", long_name=local)
    own = "metres per unit of the node's own coordinates"
    yield LabelledVariable.of("own_scale_to_metre", body, header.scale, units="m", long_name=own)
    yield from held_axes(header.joints, header.loops)


def held_axes(joints: Mapping[str, str], loops: Mapping[str, str]) -> Iterator[LabelledVariable]:
    """The joints, whose types are given by path, and their coordinates; the loops, whose types are given by name."""
    labels = labels_of((), joints, loops)
    for axis in (JOINT, COORDINATE, LOOP):
        if labels[axis]:
            yield LabelledVariable.of(axis, (axis,), labels[axis], long_name=LABELS[axis])
    for axis, types in ((JOINT, joints), (LOOP, loops)):
        if types:
            yield LabelledVariable.of(TYPES[axis], (axis,), [*types.values()], long_name=f"type of the {axis}")


def _samples(trajectory: Trajectory) -> Iterator[LabelledVariable]:
    for field in trajectory.header.fields:
        long_name, units = in_file(field, trajectory.header)
        yield _array(trajectory, field, field.dimensions, {"units": units, "long_name": long_name})


def _array(
    trajectory: Trajectory,
    of: Field | TableColumn,
    dimensions: tuple[str, ...],
    described: Mapping[str, str],
    dtype: str = "<f8",
) -> LabelledVariable:
    array = trajectory.arrays[of.name]
    name, shape = of.name.replace("/", "_"), tuple(array.shape)
    return LabelledVariable(name, dimensions, shape, dtype, lambda rows: np.asarray(array[rows]), described)


def _contacts(trajectory: Trajectory) -> Iterator[LabelledVariable]:
    """The names of shapes, and the contact points of the samples."""
    if trajectory.header.shapes:
        yield LabelledVariable.of(SHAPES, (SHAPES,), list(trajectory.header.shapes), long_name="name of each shape")
    if trajectory.header.with_contacts:
        yield _column(trajectory, COUNT_COLUMN, "time")
        yield from (_column(trajectory, column, CONTACT_POINT) for column in POINT_COLUMNS)


def _readings(trajectory: Trajectory) -> Iterator[LabelledVariable]:
    """What sensors and controllers gave, each with an axis of its own times."""
    for table in trajectory.header.readings:
        axis = table.time.replace("/", "_")
        yield LabelledVariable.of(axis, (axis,), trajectory.arrays[table.time], **TIME)
        yield from (_column(trajectory, column, axis) for column in table.columns)


def _column(trajectory: Trajectory, column: TableColumn, dimension: str) -> LabelledVariable:
    dimensions = (dimension, *((column.axis,) if column.axis else ()))
    described = {"units": column.units, "long_name": column.long_name.replace("/shape", SHAPES)}
    if column.name == "events/cause":
        described["flag_meanings"] = " ".join(CAUSES)
    return _array(trajectory, column, dimensions, described, f"<{column.dtype}")


def _metrics(trajectory: Trajectory) -> Iterator[LabelledVariable]:
    for name, value in trajectory.metrics.items():
        unit = trajectory.header.metric_units.get(name)
        about = {"expression": trajectory.header.metrics[name]} | ({"units": udunits(unit)} if unit else {})
        yield LabelledVariable.of(f"metrics_{name}", (), np.float64(value), **about)


def _events(trajectory: Trajectory) -> Iterator[LabelledVariable]:
    """The table of events; each of its side tables has rows of its own."""
    if not len(trajectory.events):
        return
    yield from (_column(trajectory, column, "event") for column in EVENT_COLUMNS)
    for side, columns in sides_in(trajectory.events.columns).items():
        for column in columns:
            dimensions = (side, *((column.axis,) if column.axis else ()))
            described = {"units": column.units, "long_name": column.long_name} if column.long_name else {}
            yield LabelledVariable.of(
                column.name.replace("/", "_"), dimensions, trajectory.events.columns[column.name], **described
            )
