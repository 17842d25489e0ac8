"""The events of contact and the contact points of a run: from the arrays of the kernels to columns of trajectories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.contact import columns as at
from rigidsim.engine.contact.impacts import LEFT_OUT, UNSETTLED
from rigidsim.engine.contact.ledger import ContactLedger as KernelLedger
from rigidsim.engine.contact.record import no_points
from rigidsim.errors import UsageError
from rigidsim.trajectory.contact_fields import COUNT, EVENT_COLUMNS, EVENT_NAMES, POINT_COLUMNS
from rigidsim.trajectory.contact_ledger import ContactLedger
from rigidsim.trajectory.fields import Column

Pieces = Sequence[tuple[np.ndarray, np.ndarray]]
"""Arrays of integers and of values with rows of what happened, in the columns of the engine."""

IN_LOG = dict(zip(EVENT_NAMES, (
    at.G_TIME, at.LOG_KIND, at.LOG_FIRST, at.LOG_SECOND, at.G_POINT, at.G_NORMAL, at.G_IMPULSE, at.G_BEFORE, at.G_AFTER,
), strict=True))  # fmt: skip
IN_SAMPLED = dict(zip((column.name for column in POINT_COLUMNS), (
    at.S_FIRST, at.S_SECOND, at.S_POINT, at.S_NORMAL, at.S_FORCE,
), strict=True))  # fmt: skip
"""The place of each column in the arrays of the engine."""


def ledger_of(ledger: KernelLedger, kinetic_energy: float) -> ContactLedger:
    """The ledger of a run, from that of the kernels and the largest kinetic energy of samples, J."""
    causes = [high + low for high, low in ledger.cause.tolist()]
    error, counts = float(ledger.work[0]), ledger.tally.tolist()
    for part in (float(ledger.work[1]), *(-cause for cause in causes)):
        error += part
    size = max(kinetic_energy, float(ledger.from_rest[0]))
    return ContactLedger(*causes, error, size, counts[LEFT_OUT], counts[UNSETTLED])


def shapes_of(world: World) -> tuple[str, ...]:
    """The name of each shape of a world that can touch: the path of its node and its number there."""
    contacts, paths = world.model.contacts, world.paths
    shapes = contacts.shape[:, [at.SHAPE_NODE, at.SHAPE_NUMBER]].tolist() if contacts else []
    return tuple(f"{paths[node]}.shapes[{number}]" for node, number in shapes)


def require_shapes(shapes: Sequence[str]) -> None:
    """Raise UsageError if there is no contact to record."""
    if not shapes:
        raise UsageError(
            "there are no contacts to record: no two shapes of this scene can touch, or its contact is switched off;"
            " leave out `contacts`, or give the bodies shapes and set simulation.contact"
        )


def event_columns(log: Pieces) -> dict[str, np.ndarray]:
    """The events of contact in order of time, by dataset; empty if there are none."""
    if not log:
        return {}
    rows, values = (np.concatenate(arrays) for arrays in zip(*log, strict=True))
    order = np.argsort(values[:, at.G_TIME], kind="stable")
    return _columns(EVENT_COLUMNS, IN_LOG, rows[order], values[order])


def point_columns(sampled: Pieces, first: int, count: int) -> dict[str, np.ndarray]:
    """The contact points of samples `first` to `first + count - 1`, by dataset, and their number at each."""
    rows, values = (np.concatenate(arrays) for arrays in zip(no_points(), *sampled, strict=True))
    sample = rows[:, at.S_SAMPLE] - first
    used = (sample >= 0) & (sample < count)
    number = np.bincount(sample[used], minlength=count).astype(np.int64)
    return {COUNT: number, **_columns(POINT_COLUMNS, IN_SAMPLED, rows[used], values[used])}


def _columns(
    table: Sequence[Column], places: dict[str, int], rows: np.ndarray, values: np.ndarray
) -> dict[str, np.ndarray]:
    """The columns of a table; whole numbers are in `rows`, the others in `values`."""
    found = {}
    for column in table:
        source, place = (values if column.dtype == "f8" else rows), places[column.name]
        part = source[:, place : place + 3] if column.axis else source[:, place]
        found[column.name] = np.ascontiguousarray(part, dtype=column.dtype)
    return found
