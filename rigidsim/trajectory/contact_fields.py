"""The tables of contact in a trajectory: its events, and the contact points of each sample."""

from __future__ import annotations

from rigidsim.trajectory.fields import Column

SHAPES = "shape"
"""The dataset with the names of all shapes that can touch; tables refer to its rows."""
EVENTS, POINTS = "events/contact", "contacts"
ROW = "row"
"""The axis of both tables, a counter."""
MEANINGS = ("contact_begins", "contact_ends", "impact")
"""The causes of the events of contact, in the order of their numbers."""


def _pair(table: str) -> tuple[Column, ...]:
    return (
        Column(f"{table}/first", "i4", "", "1", "row of the first shape in /shape"),
        Column(f"{table}/second", "i4", "", "1", "row of the second shape in /shape"),
        Column(f"{table}/point", "f8", "xyz", "m", "point of contact in the world"),
        Column(f"{table}/normal", "f8", "xyz", "1", "unit normal from the first shape to the second, world axes"),
    )


EVENT_COLUMNS = (
    Column(f"{EVENTS}/time", "f8", "", "s", "time since the start"),
    Column(f"{EVENTS}/kind", "i1", "", "1", "what happened"),
    *_pair(EVENTS),
    Column(f"{EVENTS}/impulse", "f8", "xyz", "N s", "impulse on the body of the second shape, world axes"),
    Column(f"{EVENTS}/energy_before", "f8", "", "J", "kinetic energy of both bodies before"),
    Column(f"{EVENTS}/energy_after", "f8", "", "J", "kinetic energy of both bodies after"),
)
POINT_COLUMNS = (
    *_pair(POINTS),
    Column(f"{POINTS}/force", "f8", "xyz", "N", "force on the body of the second shape in the last step, world axes"),
)
COUNT_COLUMN = Column(f"{POINTS}/count", "i8", "", "1", "number of contact points at each sample")
COUNT = COUNT_COLUMN.name
"""The rows of the contact points follow each other in the order of samples."""
EVENT_NAMES, POINT_NAMES = (tuple(column.name for column in table) for table in (EVENT_COLUMNS, POINT_COLUMNS))


def node_of(shape: str) -> str:
    """The path of the node of a shape, from its name `car/wheel.shapes[0]`."""
    return shape.rpartition(".shapes[")[0]
