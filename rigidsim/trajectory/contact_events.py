"""The events of contact: shapes begin to touch, part, and strike each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from rigidsim.errors import FormatError
from rigidsim.trajectory.contact_fields import EVENT_COLUMNS, EVENTS, MEANINGS, node_of
from rigidsim.trajectory.header import Header

Vector = tuple[float, float, float]
BEGINS, ENDS, IMPACT = range(len(MEANINGS))
COLUMNS = {column.name.removeprefix(f"{EVENTS}/"): column for column in EVENT_COLUMNS}


@dataclass(frozen=True)
class ContactEvent:
    """Two shapes that begin to touch, part, or strike each other.

    `cause` is contact_begins, contact_ends or impact: a strike by restitution, or a first touch that is as fast.
    `shapes` are the names of both shapes, `car/wheel.shapes[0]`, and `bodies` what they move with: the free or
    prescribed body that carries the shape, or the shape's own if that is fixed in the world. The point is in the world;
    the unit normal leads from the first shape to the second, the impulse (N s) acts on the second body and its opposite
    on the first, both in world axes. The energies (J) are the kinetic energy of both bodies. `protected_bodies` are the
    free bodies below them that keep their motion in the world, `carried_bodies` those that follow
    (`inherit_impulses`).
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
        """The change of the kinetic energy of both bodies, J."""
        return self.energy_after - self.energy_before

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return asdict(self)

    def concerns(self, body: str) -> bool:
        """Whether the event involves a body: as one of both, as the one a shape is on, protected or carried."""
        return body in (*self.bodies, *map(node_of, self.shapes), *self.protected_bodies, *self.carried_bodies)

    def side_of(self, body: str) -> int:
        """0 for the first body or the one that its shape is on, else 1."""
        return 0 if body in (self.bodies[0], node_of(self.shapes[0])) else 1


class ContactEvents:
    """The events of contact as columns, in order of time: `time` (s), `kind` (0 begins, 1 ends, 2 impact), `first` and
    `second` (rows of `shapes`), `point`, `normal`, `impulse`, `energy_before`, `energy_after`; see `ContactEvent`.
    """

    def __init__(self, header: Header, columns: Mapping[str, np.ndarray]):
        self.shapes, self._header, self._columns = header.shapes, header, columns

    def __len__(self) -> int:
        return self._columns[f"{EVENTS}/time"].shape[0] if self._columns else 0

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in COLUMNS:
            raise AttributeError(f"there is no column {name!r} of events of contact")
        column = COLUMNS[name]
        found = np.asarray(self._columns.get(column.name, np.zeros(column.shape(0), dtype=column.dtype)))
        highest = {"kind": len(MEANINGS), "first": len(self.shapes), "second": len(self.shapes)}.get(name)
        if highest is not None and not np.all((found >= 0) & (found < highest)):
            raise FormatError(f"the trajectory is damaged: {EVENTS}/{name} is not in the range 0 to {highest - 1}")
        vars(self)[name] = found
        return found

    @cached_property
    def nodes(self) -> np.ndarray:
        """The paths of the nodes that the shapes are on."""
        return np.array([node_of(shape) for shape in self.shapes], dtype=object)

    def event(self, row: int) -> ContactEvent:
        """One event."""
        time, pair = float(self.time[row]), (int(self.first[row]), int(self.second[row]))
        movers = self._header.movers_at(time)
        bodies = tuple(movers[self.nodes[number]] for number in pair)
        protected, carried = self._reached(bodies, time) if self.kind[row] == IMPACT else ((), ())
        return ContactEvent(
            cause=MEANINGS[self.kind[row]],
            time=time,
            shapes=tuple(self.shapes[number] for number in pair),
            bodies=bodies,
            **{name: tuple(getattr(self, name)[row].tolist()) for name in ("point", "normal", "impulse")},
            **{name: float(getattr(self, name)[row]) for name in ("energy_before", "energy_after")},
            protected_bodies=protected,
            carried_bodies=carried,
        )

    def _reached(self, struck: tuple[str, str], time: float) -> tuple[tuple[str, ...], ...]:
        """The free bodies that the jumps of the struck ones reach, parents first: protected and carried."""
        protected, carried, below = [], [], self._header.free_below_at(time)
        waiting = [body for name in struck for body in below.get(name, ())]
        while waiting:
            body = waiting.pop(0)
            if body in struck or body in protected or body in carried:
                continue
            if body in self._header.inheriting:
                carried.append(body)
                waiting += below.get(body, ())
            else:
                protected.append(body)
        return tuple(protected), tuple(carried)
