"""The declaration of a kind of force: its keys in a scene, its rows in the kernels, its texts in reports.

A module of this package declares its kinds next to the routine that applies them, and `registry` lists them. The schema
of scenes, the checks and warnings, the stepper, the ledger, the reports and the documentation read the declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rigidsim.engine.model import layout
from rigidsim.jit.rows import Row
from rigidsim.physics.elementary import context_of
from rigidsim.physics.vector import ZERO, norm, scaled

REQUIRED = object()

# What the value of a key may be: a number or three, a direction, an orientation; axes (`body`, `parent`, `world` or a
# path), the other end, which feels the reaction, or a medium, which does not (a path or `world`); a path or a point;
# the path of a tank.
NUMBER, VECTOR, DIRECTION, ORIENTATION = "number", "vector", "direction", "orientation"
AXES, END, MEDIUM, CENTER, TANK = "axes", "end", "medium", "center", "tank"
COIL, DASHPOT = "coil", "dashpot"
POSITIVE, NOT_NEGATIVE = "positive", "not negative"


class Key(NamedTuple):
    """One key of a force: the form of its value, its quantity, default and description."""

    name: str
    form: str
    description: str
    quantity: str = "plain number"
    default: Any = REQUIRED
    bound: str = ""
    varies: bool = False  # whether it may be an expression of time and state


class LoadPoint(NamedTuple):
    """Where a load acts, in the present tree: a frame, and a point of it, in its axes and relative to its origin, m."""

    frame: int
    row: int = layout.NO_ROW  # of the free body on which it acts
    point: tuple = ZERO
    lever: tuple = ZERO  # the point relative to the centre of mass of that body
    turn: tuple = (1.0, 0.0, 0.0, 0.0)  # rotation from the axes of the named node to those of the frame

    @property
    def unfelt(self) -> LoadPoint:
        """The same point, without a body that receives a reaction."""
        return self._replace(row=layout.NO_ROW)


class LoadTable(NamedTuple):
    """One kind of load in the kernels. `apply` gets load k of a `Law`, and the block; the others its values and its
    `LoadRows`, and `follow` also the row of the state that has the winding.
    """

    name: str
    values: Row  # what a load of this kind consists of
    apply: Callable  # adds it to the wrenches
    energy: Callable | None = None  # its stored energy, J
    follow: Callable | None = None  # computes its winding, which is part of the state (see `relations`)
    counts_turns: Callable[[Any], bool] = bool  # whether the winding of these values is an angle; else it is a cosine
    is_pair: bool = True  # if false, the first frame gives axes only, not a position
    is_rare: bool = False  # whether models have it only if the scene has such loads


class Load(NamedTuple):
    """One load for the kernels: on the second end, and the opposite on the first if that is on a free body."""

    table: LoadTable | None  # None: force, torque and gravity are expressions
    first: LoadPoint
    second: LoadPoint
    value: Sequence
    vectors: tuple = ()  # the expressions


class Fault(NamedTuple):
    """An error in the combination of values of a force, reported at one of its keys."""

    code: str
    message: str
    hint: str
    key: str


def no_fault(_values: Any) -> None:
    """The default: every combination of values is valid."""


def nothing_left(_force: Any, _site: Any) -> dict[str, Any]:
    """The default: no value depends on the motion at t = 0."""
    return {}


@dataclass(frozen=True)
class Force:
    """One kind of force. `rows(force, site)` returns its loads in the present tree: `force` has the values of the keys
    as attributes, with bodies as frames; `site` gives frames, points and axes (`engine/assembly/site.py`).
    """

    name: str  # the `type` of a scene
    title: str  # its name in reports
    description: str
    keys: tuple[Key, ...]
    table: LoadTable
    rows: Callable[[Any, Any], Iterable[Load]]
    at_start: Callable[[Any, Any], dict[str, Any]] = nothing_left  # defaults that depend on the motion at t = 0
    one_of: tuple[str, ...] = ()  # keys of which at least one is required
    needs: tuple[tuple[str, str], ...] = ()  # (key, another that it requires)
    fault: Callable[[Any], Fault | None] = no_fault
    stores: bool = False  # whether it stores energy
    twists: bool = False  # whether it applies a torque of its own, which cannot act on a particle
    takes_world: bool = False  # whether its default center is the world's source of gravity
    # Frequency of its oscillation (rad/s) and decay rate at each end (1/s), without other loads; see
    # `scene/notes/load_steps.py`.
    rates: Callable[[Any, list, Callable], tuple[float, list[float]]] | None = None
    title_of: Callable[[dict[str, Any]], str] | None = None  # if the title depends on the keys that are given
    symbol: str = ""  # by which pictures draw it between its two points
    turned_over: str = ""  # a hint for the case that its torque reverses at half a turn

    def key(self, form: str) -> Key | None:
        """The first of its keys with this form."""
        return next((key for key in self.keys if key.form == form), None)

    def called(self, force: dict[str, Any], other: str | None) -> str:
        """The name of a force of this kind in reports; `other` is the body at its other end."""
        if self.key(END):
            return f"{self.title} to {other}"
        key = self.key(MEDIUM)
        medium = key and force[key.name]
        return (
            (self.title_of(force) if self.title_of else self.title)
            if medium in (None, "world")
            else f"{self.title} in {medium}"
        )


def point(name: str, description: str) -> Key:
    """A key for a point fixed in a body, in its coordinates; by default its centre of mass."""
    return Key(name, VECTOR, f"{description}; default: the centre of mass", "length", None)


# Keys that all kinds share: their own point, the other end and the point there.
AT = point("at", "the point of the body at which it acts, in the body's coordinates")
TO = Key("to", END, "the body at the other end, by its path, or world")
TO_AT = point("to_at", "the point of the other body, in that body's coordinates")


def frame(default: str) -> Key:
    """A key for the axes of vectors."""
    return Key("frame", AXES, "the axes of the components: body, parent, world or the path of a body", "", default)


def varies(*vectors: tuple) -> bool:
    """Whether any component is an expression of time or state."""
    return not all(isinstance(part, float) or context_of(part) for vector in vectors for part in vector)


def worked(force: Any) -> float:
    """1 if the energy of a load is counted as work, because expressions give its numbers, else 0: it is stored."""
    return getattr(force, "worked", 0.0)


def unit(v) -> tuple:
    """The direction of a vector that does not vanish, computed without overflow."""
    small = scaled(1.0 / max(map(abs, v)), v)
    return scaled(1.0 / norm(small), small)
