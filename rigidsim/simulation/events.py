"""What the kernels recorded of events and of contact, as tables of trajectories with the names of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.joints import row_of
from rigidsim.engine.contact.impacts import LEFT_OUT, UNSETTLED
from rigidsim.engine.contact.ledger import LedgerArrays
from rigidsim.engine.contact.run import no_points
from rigidsim.engine.events.buffer import RecordedEvents
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model import layout
from rigidsim.engine.time.run import BlockRun
from rigidsim.errors import UsageError
from rigidsim.jit.rows import Row
from rigidsim.scene.text.document import path_text
from rigidsim.trajectory.contact_ledger import ContactLedger
from rigidsim.trajectory.events import in_order, no_side_rows
from rigidsim.trajectory.fields import COUNT, EVENT_COLUMNS, POINT_COLUMNS, POINTS, SIDE_TABLES, TableColumn
from rigidsim.tree.joints import key_of

Pieces = Sequence[tuple[np.ndarray, np.ndarray]]
"""Arrays of integers and of values with rows of what happened, in the columns of the engine."""

CHANGES = layout.CHANGE.v, layout.CHANGE.omega, layout.CHANGE.a, layout.CHANGE.alpha
"""The vectors of protected and carried bodies, in the order of their columns."""


# --- events


def event_columns(run: BlockRun, lane: int = 0) -> dict[str, np.ndarray]:
    """All events of one world of a run as a table; empty if there are none."""
    return in_order([*(_scheduled(events, lane) for events in run.events), *map(_of_contact, run.contact.log)])


def scheduled_ids(run: BlockRun, first: int) -> list[str]:
    """The names of the impulses and reparentings since there were `first` records of them."""
    tables = (_scheduled(events, 0) for events in run.events[first:])
    return [name for table in tables for name in table["events/received/id"].tolist()]


def _of_contact(log: tuple[np.ndarray, np.ndarray]) -> dict[str, np.ndarray]:
    """A table of events of contact."""
    rows, values = log
    return {
        **_common(rows, values),
        "events/first": rows[:, layout.RECORD.first].astype("i4"),
        "events/second": rows[:, layout.RECORD.second].astype("i4"),
        **no_side_rows(),
    }


def _scheduled(events: RecordedEvents, lane: int) -> dict[str, np.ndarray]:
    """A table of the events of one world but those of contact. What happened in other lanes only has no time."""
    n_lane = len(events.after)
    values, changes = events.value[:, lane::n_lane], events.change[:, lane::n_lane]
    happened = np.flatnonzero(~np.isnan(values[:, layout.EVENT.time]))
    named = _Names(events.before[lane], events.after[lane])
    received = [named.received(*row) for row in events.event[happened].tolist()]
    table = _common(events.event[happened], values[happened]) | no_side_rows()
    table["events/first"] = table["events/second"] = np.full(len(happened), -1, "i4")
    table["events/received/event"] = np.arange(len(happened))
    for name in received[0] if received else ():
        table[f"events/received/{name}"] = np.array([texts[name] for texts in received])
    table |= _numbers(SIDE_TABLES["received"], layout.HIT, values[happened])
    if events.reaction is not None:
        table |= {"events/broken/event": np.array([0]), "events/broken/force": events.reaction[0][np.newaxis]}
        table |= {"events/broken/torque": events.reaction[1][np.newaxis]}
    if events.changed:
        paths, texts = zip(*events.changed, strict=True)
        table |= {"events/changed/event": np.zeros(len(paths), np.int64)}
        table |= {"events/changed/path": np.array(paths), "events/changed/value": np.array(texts)}
    for role, kind in ((layout.ROLE_PROTECTED, "protected"), (layout.ROLE_CARRIED, "carried")):
        found = [each for each in _reached(events) if each[1] == role and each[0] in happened]
        if found:
            event, _, row, node = map(list, zip(*found, strict=True))
            table[f"events/{kind}/event"] = np.searchsorted(happened, event)
            table[f"events/{kind}/body"] = np.array([named.frames[k + 1] for k in node])
            for column, place in zip(SIDE_TABLES[kind][2:], CHANGES, strict=True):
                table[column.name] = np.ascontiguousarray(changes[row, place])
    return table


def _common(rows: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
    """What all events have."""
    cause = rows[:, layout.RECORD.cause].astype("i1")
    return {"events/cause": cause, **_numbers(EVENT_COLUMNS, layout.EVENT, values)}


def _numbers(columns: Sequence[TableColumn], row: Row, values: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of a table that are in rows of the engine, by the same names."""
    places = {one.name: getattr(row, one.name.rpartition("/")[2]) for one in columns if one.dtype == "f8"}
    return {name: np.ascontiguousarray(values[:, place]) for name, place in places.items()}


def _reached(events: RecordedEvents) -> list[tuple[int, int, int, int]]:
    """For each event the bodies that its jump reached, directly or through carried bodies: the row of the event, the
    role, the row of the body in `reached`, and its node.
    """
    by_instant: dict[int, list] = {}
    for row, (instant, *body) in enumerate(events.reached.tolist()):
        by_instant.setdefault(instant, []).append((row, *body))
    found = []
    for k, (cause, _, receiver, instant) in enumerate(events.event.tolist()):
        reached = by_instant.get(instant, [])
        frames = {source for *_, source in reached} if cause == layout.CAUSE_REPARENTING else {receiver + 1}
        for row, role, node, source in reached:
            if source in frames:
                found.append((k, role, row, node))
                frames |= {node + 1} if role == layout.ROLE_CARRIED else set()
    return found


class _Names:
    """The names of bodies and events in a world before and after an instant."""

    def __init__(self, before: World, after: World):
        self.frames = ("", *after.paths)
        self._written, self._tree, self._types = after.blueprint, after.tree, after.blueprint.joint_types
        first = len(after.state) - len(after.blueprint.measured)
        numbers = (number for number, loop in enumerate(after.blueprint.loops) if loop.stops)
        self._lengths = {first + k: number for k, number in enumerate(numbers)}
        self._parents = [world.model.node[:, layout.NODE.parent].tolist() for world in (before, after)]

    def received(self, cause: int, number: int, receiver: int, _instant: int) -> dict[str, str]:
        """The texts of an event."""
        if cause == layout.CAUSE_IMPULSE:
            impulse = self._written.impulses[number]
            node, name, motion = impulse.frame - 1, impulse.name, ""
            path = f"{self.frames[impulse.frame]}.impulses[{impulse.index}]"
        elif cause == layout.CAUSE_STOP:
            node, motion = receiver, ""
            path, name = self._stop(receiver, *divmod(number, 2))
        elif cause == layout.CAUSE_TRIGGER:
            one = not_none(self._written.triggers).records[number]
            node, name, motion, path = layout.NO_ROW, one.name, "", one.id
        elif number == layout.NO_ROW:
            node, name, motion = receiver, "", "free"
            path = path_text((self.frames[receiver + 1], "motion", self._types[receiver], "breaks"))
        else:
            event = self._written.schedule.reparentings[number]
            node, name, motion, path = event.body, "", event.kind, f"reparent[{number}]"
        before, after = ("" if node == layout.NO_ROW else self.frames[parents[node]] for parents in self._parents)
        return {
            "id": path, "name": name, "body": self.frames[node + 1], "receiver": self.frames[receiver + 1],
            "parent_before": before, "parent_after": after, "motion": motion,
        }  # fmt: skip

    def _stop(self, node: int, row: int, end: int) -> tuple[str, str]:
        """The path of a limit of a coordinate, or of a loop and the name of this; `end` is 1 for the upper one."""
        if (number := self._lengths.get(row)) is not None:
            loop = self._written.loops[number]
            return path_text(("world", "loops", number, *loop.keys[end])), loop.name
        place, number = self._tree.nodes[node], row - row_of(self._tree, node, 0)
        return path_text((place.path, *key_of(not_none(place.joint).type, "limits", number), end)), ""


# --- contact


def ledger_of(ledger: LedgerArrays, kinetic_energy: float) -> ContactLedger:
    """The ledger of a run, from that of the kernels and the largest kinetic energy of samples, J."""
    causes = [high + low for high, low in ledger.cause.tolist()]
    error, counts = float(ledger.work[0]), ledger.tally.tolist()
    for part in (float(ledger.work[1]), *(-cause for cause in causes)):
        error += part
    size = max(kinetic_energy, float(ledger.from_rest[0]))
    rest: tuple[Any, ...] = error, size, counts[LEFT_OUT], counts[UNSETTLED]
    return ContactLedger(*causes, *rest)


def shapes_of(world: World) -> tuple[str, ...]:
    """The name of each shape of a world that can touch: the path of its node and its number there."""
    contacts, paths = world.model.contacts, world.paths
    shapes = contacts.shape[:, [at.SHAPE.node, at.SHAPE.number]].tolist() if contacts else []
    return tuple(f"{paths[node]}.shapes[{number}]" for node, number in shapes)


def require_shapes(shapes: Sequence[str]) -> None:
    """Raise UsageError if there is no contact to record."""
    if not shapes:
        raise UsageError(
            "there are no contacts to record: no two shapes of this scene can touch, or its contact is switched off;"
            " leave out `contacts`, or give the bodies shapes and set simulation.contact"
        )


def point_columns(sampled: Pieces, first: int, count: int) -> dict[str, np.ndarray]:
    """The contact points of samples `first` to `first + count - 1`, by dataset, and their number at each."""
    rows, values = (np.concatenate(arrays) for arrays in zip(no_points(), *sampled, strict=True))
    sample = rows[:, at.SAMPLED.sample] - first
    used = (sample >= 0) & (sample < count)
    number = np.bincount(sample[used], minlength=count).astype(np.int64)
    return {
        COUNT: number,
        f"{POINTS}/first": rows[used, at.SAMPLED.first].astype("i4"),
        f"{POINTS}/second": rows[used, at.SAMPLED.second].astype("i4"),
        **_numbers(POINT_COLUMNS, at.SAMPLED_POINT, values[used]),
    }
