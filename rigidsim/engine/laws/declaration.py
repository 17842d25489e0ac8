"""How a kind of force is declared, once: its keys in a scene, its rows in the kernels, what is said of it.

A module of this package declares its kinds beside the routine that applies them, and `registry` lists them. The schema
of scenes, the checks and warnings, the stepper, the ledger, the reports and the documents read them there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rigidsim.engine import layout
from rigidsim.physics.vector import scaled

REQUIRED = object()
ZERO = (0.0, 0.0, 0.0)

# What the value of a key may be: a number or three, a direction, an orientation; axes (`body`, `parent`, `world` or a
# path), the other end, which feels the reaction, or a medium, which does not (a path or `world`); a path or a point.
NUMBER, VECTOR, DIRECTION, ORIENTATION = "number", "vector", "direction", "orientation"
AXES, END, MEDIUM, CENTER = "axes", "end", "medium", "center"
POSITIVE, NOT_NEGATIVE = "positive", "not negative"


class Key(NamedTuple):
    """One key of a force: what may be written, in which quantity, and what it means."""

    name: str
    form: str
    says: str
    quantity: str = "plain number"
    default: Any = REQUIRED
    bound: str = ""
    varies: bool = False  # whether it may be an expression of time and state


class End(NamedTuple):
    """Where a load acts, in the present tree: a frame, and a point of it in its axes and from its origin, m."""

    frame: int
    row: int = layout.NOBODY  # of the free body that feels it
    point: tuple = ZERO
    lever: tuple = ZERO  # the point from the centre of mass of that body
    turn: tuple = (1.0, 0.0, 0.0, 0.0)  # from the axes of the node that is named to those of the frame

    @property
    def unfelt(self) -> End:
        """The same, feeling no reaction."""
        return self._replace(row=layout.NOBODY)


class Table(NamedTuple):
    """One kind of load in the kernels. The functions get (law, k, model, scratch, ...): load k of a `Law`."""

    name: str
    width: int  # of a row of values
    apply: Callable  # adds it to the wrenches
    energy: Callable | None = None  # adds what it stores to a ledger
    follow: Callable | None = None  # finds the winding of load k, which is state (see `relations`)
    counts_turns: Callable[[Any], bool] = bool  # of a row of values: whether its winding is an angle, else a cosine
    is_pair: bool = True  # else its first frame names axes, and nothing is known of where that is


class Row(NamedTuple):
    """One load for the kernels: on the second end, and the opposite on the first if a body is there."""

    table: Table | None  # none: force, torque and gravity are expressions
    first: End
    second: End
    value: tuple
    vectors: tuple = ()  # the expressions


class Fault(NamedTuple):
    """What is wrong with the values of a force taken together, at one of its keys."""

    code: str
    message: str
    hint: str
    key: str


def no_fault(_values: Any) -> None:
    """The values of most kinds always fit together."""


def nothing_left(_force: Any, _site: Any) -> dict[str, Any]:
    """Of most kinds no value is left to the start."""
    return {}


@dataclass(frozen=True)
class Force:
    """One kind of force. `rows(force, site)` gives its loads in the present tree: `force` has the written values, the
    bodies among them as frames, as attributes; `site` finds frames, points and axes (`engine/assembly/site.py`).
    """

    name: str  # the `type` of a scene
    title: str  # what reports call it
    says: str
    keys: tuple[Key, ...]
    table: Table
    rows: Callable[[Any, Any], Iterable[Row]]
    at_start: Callable[[Any, Any], dict[str, Any]] = nothing_left  # what the start decides if it is left out
    one_of: tuple[str, ...] = ()  # keys of which one has to be given
    needs: tuple[tuple[str, str], ...] = ()  # (key, another that has to be given with it)
    fault: Callable[[Any], Fault | None] = no_fault
    stores: bool = False  # whether it stores energy
    twists: bool = False  # whether it acts by a torque of its own, which no particle can take
    takes_world: bool = False  # whether its center, left out, is the world's source of gravity
    # How fast it swings (rad/s) and what it damps at each end (1/s) as if alone; see `scene/notes/load_steps.py`.
    rates: Callable[[Any, list, Callable], tuple[float, list[float]]] | None = None
    title_of: Callable[[dict[str, Any]], str] | None = None  # where it depends on what is written
    turned_over: str = ""  # what helps if its torque turns over at half a turn

    def key(self, form: str) -> Key | None:
        """The first of its keys that has this form."""
        return next((key for key in self.keys if key.form == form), None)

    def called(self, force: dict[str, Any], other: str | None) -> str:
        """A force of this kind, of a scene as plain data, as reports call it; `other` is the body at its other end."""
        if self.key(END):
            return f"{self.title} to {other}"
        medium = self.key(MEDIUM) and force[self.key(MEDIUM).name]
        return (
            (self.title_of(force) if self.title_of else self.title)
            if medium in (None, "world")
            else f"{self.title} in {medium}"
        )


def point(name: str, says: str) -> Key:
    """A point fixed in a body, in its coordinates; left out, its centre of mass."""
    return Key(name, VECTOR, f"{says}; left out, the centre of mass", "length", None)


# What all kinds call their own point, the other end and the point there.
AT = point("at", "the point of the body where it acts, in the body's coordinates")
TO = Key("to", END, "the body at the other end, by its path, or world")
TO_AT = point("to_at", "the point of the other body, in that body's coordinates")


def frame(default: str) -> Key:
    """The axes of vectors."""
    return Key(
        "frame", AXES, "whose axes the components are in: body, parent, world or the path of a body", "", default
    )


def varies(*vectors: tuple) -> bool:
    """Whether any component is an expression of time or state."""
    return not all(isinstance(part, float) for vector in vectors for part in vector)


def unit(v) -> tuple:
    """The direction of a vector that does not vanish, without overflow on the way."""
    largest = max(map(abs, v))
    small = scaled(1.0 / largest, v)
    return scaled(1.0 / math.sqrt(sum(c * c for c in small)), small)
