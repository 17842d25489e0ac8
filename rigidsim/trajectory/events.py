"""What happened at instants: impulses, reparentings, impacts at the stops of joints, and the events of contact, as one
table and as objects.

The table has a row for each event, in order of time; at one instant those of contact come last. Side tables have what
only the others have: what the receiver got, the bodies that were protected from it, and those that it carried along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, overload

import numpy as np

from rigidsim.engine.model import layout
from rigidsim.errors import FormatError
from rigidsim.trajectory.fields import CAUSES, EVENT_COLUMNS, EVENT_NAMES, SIDE_NAMES, SIDE_TABLES
from rigidsim.trajectory.header import Header
from rigidsim.tree.nodes import Tree

Vector = tuple[float, float, float]
Columns = Mapping[str, np.ndarray]
"""A table of events by the names in `EVENT_COLUMNS` and `SIDE_TABLES`; empty if nothing happened."""

BEGINS, ENDS, IMPACT, SLIDES, ROLLS, STICKS, RESTS, SLEEPS, WAKES = range(len(layout.OF_CONTACT))
"""The kinds of events of contact; from `SLIDES` to `RESTS`, the modes that begin."""
KIND_OF = np.full(len(CAUSES), -1, np.int8)
KIND_OF[list(layout.OF_CONTACT)] = range(len(layout.OF_CONTACT))
OF_CONTACT = {name.removeprefix("events/"): column for name, column in zip(EVENT_NAMES, EVENT_COLUMNS, strict=True)}
OF_CONTACT["kind"] = OF_CONTACT.pop("cause")


def node_of(shape: str) -> str:
    """The path of the node of a shape, from its name `car/wheel.shapes[0]`."""
    return shape.rpartition(".shapes[")[0]


# --- one event


@dataclass(frozen=True)
class Protected:
    """A body that keeps its motion in the world, and the changes of its motion relative to its parent that compensate.

    Velocities in m/s (of the origin; in length units of the parent) and rad/s, accelerations in m/s2 (of the centre of
    mass) and rad/s2, all in the parent's axes. The accelerations follow from the forces after the event.
    """

    body: str
    velocity: Vector
    angular_velocity: Vector
    acceleration: Vector
    angular_acceleration: Vector


@dataclass(frozen=True)
class Carried:
    """A body with `inherit_impulses`, and its gain in the world. The gain is the change of velocity (m/s, of the
    origin) and of angular velocity (rad/s), and the equivalent impulse (N s) and angular impulse about its centre of
    mass (N m s). All in world axes.
    """

    body: str
    velocity: Vector
    angular_velocity: Vector
    impulse: Vector
    angular_impulse: Vector


@dataclass(frozen=True)
class Event:
    """One impulse, one reparenting, one impact of a joint at one of its stops, or a joint that breaks.

    `id` is its path in the scene, `car.impulses[0]`, `reparent[0]`, `door.limits[0]` or `lamp.motion.weld.breaks`; the
    cause of the last is reparent, too. `body` is the body that the scene names, `receiver` the free or jointed body
    that carries it. The impulse (N s) and the angular impulse (N m s) about the receiver's centre of mass are those
    that acted, in world axes. `constraint_impulse` and `constraint_angular_impulse` are the part absorbed by the plane
    of a planar scene, or by a particle, which does not rotate. Velocity and angular velocity are those of the
    receiver's origin in the world, before and after all events at that time. `energy` is the change of the kinetic and
    potential energy of all bodies by all of them, J. `motion` is the kind of a reparented body: free, fixed or jointed.
    The impulse of a stop is along its slide, or angular about its hinge; its opposite acts on the parent. `force` (N)
    and `torque` (N m) are what a joint bore that breaks, about the joint, in the parent's axes; None for all others.
    `changed` are the numbers that were set, with their values after that, by their paths in the resolved scene; None
    for all others.
    """

    id: str
    name: str
    cause: str
    time: float
    body: str
    receiver: str
    parent_before: str
    parent_after: str
    motion: str
    impulse: Vector
    angular_impulse: Vector
    constraint_impulse: Vector
    constraint_angular_impulse: Vector
    velocity_before: Vector
    velocity_after: Vector
    angular_velocity_before: Vector
    angular_velocity_after: Vector
    energy: float
    protected: tuple[Protected, ...]
    carried: tuple[Carried, ...]
    force: Vector | None = None
    torque: Vector | None = None
    changed: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def concerns(self, body: str) -> bool:
        """Whether the event involves a body, as the receiver, a parent, protected or carried.

        Parameters
        ----------
        body : str
            The path of the body.
        """
        others = (*(one.body for one in self.protected), *(one.body for one in self.carried))
        if self.changed:
            return any(map(_written_of(body), self.changed))
        return body in (self.body, self.receiver, self.parent_before, self.parent_after, *others)


def _written_of(body: str) -> Callable[[str], bool]:
    """Whether a path in the resolved scene is about a body itself, or about the world."""
    own = f"bodies.{body.replace('/', '.children.')}."
    return lambda path: path.startswith((own, "world.")) and not path.startswith(f"{own}children.")


@dataclass(frozen=True)
class ContactEvent:
    """Two shapes that begin to touch, part, or strike each other, or whose contact begins another mode; or a body that
    falls asleep or wakes.

    `cause` is contact_begins, contact_ends or impact: one with restitution, or a first touch that is as fast. With
    `contact: events` it is also sliding_begins, rolling_begins, sticking_begins (on a corner or an edge) or
    rest_begins. A mode ends where the next one of both shapes begins, or their contact ends. With `sleep` it is also
    falls_asleep or wakes, of one body: both shapes are its first one.
    `shapes` are the names of both shapes, `car/wheel.shapes[0]`, and `bodies` what they move with: the free or
    prescribed body that carries the shape, or the shape's own if that is fixed in the world. Point, normal and impulse
    are in world axes. The unit normal leads from the first shape to the second. The impulse (N s) acts on the second
    body and its opposite on the first. The energies (J) are the kinetic energy of both bodies; where a mode ends, 0 and
    the work of friction in it. `protected_bodies` are the free bodies below them that keep their motion in the world,
    `carried_bodies` those that follow (`inherit_impulses`).
    """

    cause: str
    time: float
    shapes: tuple[str, str]
    bodies: tuple[str, str]
    point: Vector
    normal: Vector
    impulse: Vector
    energy_before: float
    energy_after: float
    protected_bodies: tuple[str, ...]
    carried_bodies: tuple[str, ...]

    @property
    def energy(self) -> float:
        """The change of the kinetic energy of both bodies, or the work of friction in the mode that ends, J."""
        return self.energy_after - self.energy_before

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return asdict(self)

    def concerns(self, body: str) -> bool:
        """Whether the event involves a body: as one of both, as the one a shape is on, protected or carried.

        Parameters
        ----------
        body : str
            The path of the body.
        """
        return body in (*self.bodies, *map(node_of, self.shapes), *self.protected_bodies, *self.carried_bodies)

    def side_of(self, body: str) -> int:
        """0 for the first body or the one that its shape is on, else 1.

        Parameters
        ----------
        body : str
            The path of one of both bodies.

        Returns
        -------
        int
            0 or 1.
        """
        return 0 if body in (self.bodies[0], node_of(self.shapes[0])) else 1


# --- tables


def in_order(tables: Sequence[Columns]) -> dict[str, np.ndarray]:
    """One table with the events of several, in order of time; those of contact are last at one instant."""
    tables = [table for table in tables if table]
    if not tables:
        return {}
    joined = {name: np.concatenate([table[name] for table in tables]) for name in (*EVENT_NAMES, *SIDE_NAMES)}
    begins = np.cumsum([0, *(len(table["events/time"]) for table in tables)])
    for place in (f"events/{side}/event" for side in SIDE_TABLES):
        joined[place] = np.concatenate([table[place] + begin for table, begin in zip(tables, begins, strict=False)])
    touches = np.isin(joined["events/cause"], layout.OF_CONTACT)
    return some_of(joined, np.lexsort((touches, joined["events/time"].real)))


def some_of(table: Columns, rows: np.ndarray) -> dict[str, np.ndarray]:
    """These events of a table, in this order, with what its side tables have of them."""
    place = np.full(table["events/time"].shape[0], -1)
    place[rows] = np.arange(len(rows))
    found = {name: np.asarray(table[name])[rows] for name in EVENT_NAMES}
    for side, columns in SIDE_TABLES.items():
        event = place[table[f"events/{side}/event"]]
        kept = np.argsort(event, kind="stable")[np.count_nonzero(event < 0) :]
        found |= {column.name: table[column.name][kept] for column in columns} | {f"events/{side}/event": event[kept]}
    return found


def no_side_rows() -> dict[str, np.ndarray]:
    """The side tables of events of contact."""
    columns = (column for side in SIDE_TABLES.values() for column in side)
    return {c.name: np.zeros(c.shape(0), "U1" if c.dtype == "text" else c.dtype) for c in columns}


def scheduled_in(columns: Columns) -> tuple[Event, ...]:
    """The events in a table but those of contact."""
    if not columns:
        return ()
    rows = columns["events/received/event"]
    before, after, impulse, time, cause = (
        np.asarray(columns[f"events/{name}"])[rows]
        for name in ("energy_before", "energy_after", "impulse", "time", "cause")
    )
    received = records_of(columns, "received")
    reactions = dict(zip(columns["events/broken/event"].tolist(), records_of(columns, "broken"), strict=True))
    changed: dict[int, dict[str, Any]] = {}
    for row, one in zip(columns["events/changed/event"].tolist(), records_of(columns, "changed"), strict=True):
        changed.setdefault(row, {})[one["path"]] = json.loads(one["value"])
    protected, carried = _by_event(columns, "protected", Protected), _by_event(columns, "carried", Carried)
    return tuple(
        Event(
            **one,
            cause=CAUSES[cause[k]],
            time=float(time[k]),
            impulse=tuple(impulse[k].tolist()),
            energy=float(after[k] - before[k]),
            protected=tuple(protected.get(int(row), ())),
            carried=tuple(carried.get(int(row), ())),
            **reactions.get(int(row), {}),
            changed=changed.get(int(row)),
        )
        for k, (row, one) in enumerate(zip(rows, received, strict=True))
    )


def records_of(columns: Columns, side: str) -> Iterator[dict[str, Any]]:
    """The rows of a side table by name, without that of the event."""
    names = [column.name for column in SIDE_TABLES[side][1:]]
    short = [name.removeprefix(f"events/{side}/") for name in names]
    lists = [columns[name].tolist() for name in names]
    for values in zip(*lists, strict=True):
        yield {name: tuple(v) if isinstance(v, list) else v for name, v in zip(short, values, strict=True)}


def _by_event(columns: Columns, side: str, kind: type) -> dict[int, list]:
    """The objects of a side table by the row of their event."""
    found: dict[int, list] = {}
    for row, values in zip(columns[f"events/{side}/event"].tolist(), records_of(columns, side), strict=True):
        found.setdefault(row, []).append(kind(**values))
    return found


class ContactEvents:
    """The events of contact as columns, in order of time: `time` (s), `kind`, `first` and `second` (rows of `shapes`),
    `point`, `normal`, `impulse`, `energy_before`, `energy_after`; see `ContactEvent`. Kinds are 0 begins, 1 ends,
    2 impact, then the modes that begin: 3 sliding, 4 rolling, 5 sticking, 6 rest; 7 a body falls asleep, 8 it wakes.
    """

    def __init__(self, header: Header, columns: Columns):
        self.shapes, self._header, self._columns = header.shapes, header, columns

    def __len__(self) -> int:
        if not self._columns:
            return 0
        return self._columns["events/time"].shape[0] - len(self._columns["events/received/event"])

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in OF_CONTACT:
            raise AttributeError(f"there is no column {name!r} of events of contact")
        column = OF_CONTACT[name]
        if len(self):
            found = np.delete(np.asarray(self._columns[column.name]), self._columns["events/received/event"], axis=0)
        else:
            found = np.zeros(column.shape(0), column.dtype)
        if name == "kind":
            found = np.where((found >= 0) & (found < len(CAUSES)), KIND_OF[found % len(CAUSES)], -1)
        highest = {"kind": len(layout.OF_CONTACT), "first": len(self.shapes), "second": len(self.shapes)}.get(name)
        if highest is not None and not np.all((found >= 0) & (found < highest)):
            raise FormatError(f"the trajectory is damaged: {column.name} has a number of nothing that is known")
        vars(self)[name] = found
        return found

    @cached_property
    def nodes(self) -> np.ndarray:
        """The paths of the nodes that the shapes are on."""
        return np.array([node_of(shape) for shape in self.shapes], dtype=object)

    def event(self, row: int) -> ContactEvent:
        """One event.

        Parameters
        ----------
        row : int
            The row in the table of events.

        Returns
        -------
        ContactEvent
            The event in that row.
        """
        time, pair = float(self.time[row]), (int(self.first[row]), int(self.second[row]))
        tree = self._header.tree_at(time)
        one, other = (tree.part_of(tree[self.nodes[number]]).path for number in pair)
        bodies = one, other
        protected, carried = self._reached(bodies, tree) if self.kind[row] == IMPACT else ((), ())
        return ContactEvent(
            cause=CAUSES[layout.OF_CONTACT[self.kind[row]]],
            time=time,
            shapes=(self.shapes[pair[0]], self.shapes[pair[1]]),
            bodies=bodies,
            point=tuple(self.point[row].tolist()),
            normal=tuple(self.normal[row].tolist()),
            impulse=tuple(self.impulse[row].tolist()),
            energy_before=float(self.energy_before[row]),
            energy_after=float(self.energy_after[row]),
            protected_bodies=protected,
            carried_bodies=carried,
        )

    def ended_by(self, event: ContactEvent) -> ContactEvent | None:
        """The beginning of the mode that an event ended.

        Parameters
        ----------
        event : ContactEvent
            An event that ends a mode of contact.

        Returns
        -------
        ContactEvent | None
            None if the file has no beginning of it.
        """
        pair = [self.shapes.index(shape) for shape in event.shapes]
        of_pair = (self.first == pair[0]) & (self.second == pair[1]) & (self.time < event.time)
        rows = np.flatnonzero(of_pair & ((self.kind >= SLIDES) | (self.kind == ENDS)))
        return self.event(rows[-1]) if len(rows) and self.kind[rows[-1]] != ENDS else None

    def _reached(self, struck: tuple[str, str], tree: Tree) -> tuple[tuple[str, ...], ...]:
        """The free bodies that the jumps of the struck ones reach, parents first: protected and carried."""
        protected, carried = [], []
        waiting = [node.path for name in struck for node in tree.first_free_below(tree[name])]
        while waiting:
            body = waiting.pop(0)
            if body in struck or body in protected or body in carried:
                continue
            if body in self._header.inheriting:
                carried.append(body)
                waiting += [node.path for node in tree.first_free_below(tree[body])]
            else:
                protected.append(body)
        return tuple(protected), tuple(carried)


class Events(Sequence):
    """Events in order of time, as objects, made on request. Impulses, reparentings and impacts at stops of joints
    (`Event`) come before the events of contact (`ContactEvent`) of the same instant.

    `columns` is the table of all. `scheduled` has all but those of contact, `contact` the events of contact
    as columns (`ContactEvents`), which are the way to handle many.
    """

    def __init__(
        self, header: Header, columns: Columns | None = None, older_digests: Mapping[str, bytes] = MappingProxyType({})
    ):
        self._header = header
        self.older_digests = older_digests  # what the content hash of an older file has in place of these columns
        self.columns = dict(columns) if columns and columns["events/time"].shape[0] else {}
        self.contact = ContactEvents(header, self.columns)

    @cached_property
    def scheduled(self) -> tuple[Event, ...]:
        """All but those of contact."""
        return scheduled_in(self.columns)

    def __len__(self) -> int:
        return self.columns["events/time"].shape[0] if self.columns else 0

    @overload
    def __getitem__(self, place: int) -> Event | ContactEvent: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Event | ContactEvent, ...]: ...
    def __getitem__(self, place: int | slice) -> Event | ContactEvent | tuple[Event | ContactEvent, ...]:
        if isinstance(place, slice):
            return tuple(self[k] for k in range(*place.indices(len(self))))
        place = range(len(self))[place]  # IndexError beyond
        rows = self.columns["events/received/event"]
        k = int(np.searchsorted(rows, place))
        return self.scheduled[k] if k < len(rows) and rows[k] == place else self.contact.event(place - k)

    def __iter__(self) -> Iterator[Event | ContactEvent]:
        return (self[k] for k in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Events):
            if self.columns.keys() != other.columns.keys():
                return False
            are_named = not len(self.contact) or self.contact.shapes == other.contact.shapes
            return are_named and all(np.array_equal(mine, other.columns[name]) for name, mine in self.columns.items())
        return isinstance(other, tuple | list) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # it has `__eq__` only

    def __repr__(self) -> str:
        return f"<Events: {len(self.contact)} of contact, {len(self.scheduled)} others>"

    def between(self, begin: float, end: float) -> Events:
        """The events from one time to another (s), both included.

        Parameters
        ----------
        begin : float
            The first time, s.
        end : float
            The last time, s.

        Returns
        -------
        Events
            These events, in their order.
        """
        if not self.columns:
            return self
        time = np.asarray(self.columns["events/time"])
        first, last = int(np.searchsorted(time, begin)), int(np.searchsorted(time, end, side="right"))
        found = some_of(self.columns, np.arange(first, last))
        return Events(self._header, found)
