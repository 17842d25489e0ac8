"""What can be plotted or exported of a trajectory, by name: `table/let_go.position.x@table`.

A name is `BODY.QUANTITY[.COMPONENT][@FRAME]`, or for the whole run `QUANTITY[.COMPONENT]`, or an expression of the
scene language, `= speed("ball") / 2`. FRAME is world, parent, body (its own axes) or the path of a body;
`BODY.world.QUANTITY` and `BODY.local.QUANTITY` mean `@world` and `@parent`. The end of a path will do where it is
unique. The component `norm` of a vector is its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NoReturn

import numpy as np

from rigidsim.arguments import clipped, text
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.hindsight.body_momenta import require_free
from rigidsim.hindsight.body_quantities import BODY, KINDS, PARENT, WORLD, BodyQuantity, Source
from rigidsim.hindsight.run_quantities import RUN_KINDS, RunQuantity
from rigidsim.trajectory.trajectory import Trajectory

NORM = "norm"
ALIASES = {"local": PARENT, "world": WORLD}
SAME_AS = {"acceleration": "terms.acceleration", "angular_acceleration": "terms.angular_acceleration"}
FRAMES = (WORLD, PARENT, BODY)
SHOWN = 12


@dataclass(frozen=True)
class Quantity:
    """Values over time, with what an axis or a legend needs.

    `values` is an array (time,) if `components` is empty, else (time, components). `unit` is empty for pure numbers and
    for expressions. `body` is a path, empty for the whole run; `words` name the quantity without body and frame;
    `frame` is world, parent, body or a path, empty for the whole run.
    """

    name: str
    label: str
    unit: str
    components: tuple[str, ...]
    values: np.ndarray
    body: str = ""
    words: str = ""
    frame: str = ""


@dataclass(frozen=True)
class NamedQuantity:
    """A name that has been understood: everything of a `Quantity` but its values, which `of` reads."""

    trajectory: Trajectory = field(repr=False)
    name: str
    what: str  # in words, without the component
    unit: str
    components: tuple[str, ...]
    kind: BodyQuantity | RunQuantity | None  # None for an expression
    component: str = ""  # the only one that is asked for
    body: str = ""
    frame: str = ""

    def of(self, samples: slice = slice(None)) -> Quantity:
        """The values at some samples. Of a file only the parts are read that these samples need.

        Raises NotRecordedError.
        """
        values = self._values(Source(self.trajectory, samples))
        shown = ("name", "label", "unit", "components", "body", "words", "frame")
        return Quantity(**{key: getattr(self, key) for key in shown}, values=values)

    def _values(self, source: Source) -> np.ndarray:
        if self.kind is None:
            # Imported here because it imports the scene's schema, which is needed for expressions alone.
            from rigidsim.trajectory.metrics import values_of

            return np.asarray(values_of(source.part, self.name))
        found = np.asarray(self.kind.read(source, self.body, self.frame))
        if self.component == NORM:
            return np.sqrt(np.sum(found * found, axis=-1))
        return found[:, self.kind.components.index(self.component)] if self.component else found

    @property
    def words(self) -> str:
        """The quantity in words, without body and frame."""
        if self.component == NORM:
            return f"|{self.what}|"
        return f"{self.what} {self.component}" if self.component else self.what

    @property
    def label(self) -> str:
        """Body, quantity and frame in words, without the unit."""
        return f"{short_name(self.body)} {self.words}{self.seen}".strip()

    @property
    def seen(self) -> str:
        """The frame in words, as the end of a label; empty for the one that is meant if none is written."""
        if self.frame == getattr(self.kind, "default", ""):
            return ""
        shown = {WORLD: ", in world axes", PARENT: ", relative to its parent", BODY: ", in its own axes"}
        return shown.get(self.frame, f", seen from {short_name(self.frame)}")


def quantity(trajectory: Trajectory, name: str, samples: slice = slice(None)) -> Quantity:
    """A quantity by its name, at all samples or some. Raises UsageError, NotRecordedError for what is not in the
    trajectory.
    """
    return named(trajectory, name).of(samples)


def named(trajectory: Trajectory, name: str) -> NamedQuantity:
    """The quantity of a name, not yet read. Raises UsageError."""
    name = text(name, "a quantity").strip()
    if name.startswith("="):
        return NamedQuantity(trajectory, name, name.removeprefix("=").strip(), "", (), None)
    found = body_and_rest(trajectory, name)
    if found is None:
        return _of_run(trajectory, name)
    return _of_body(trajectory, name, *found)


def names(trajectory: Trajectory) -> list[str]:
    """All quantities of a trajectory, without components; of bodies as in the world, and of terms as recorded. What was
    neither recorded nor can be derived is left out.
    """
    found = [name for name, kind in RUN_KINDS.items() if kind.is_recorded(trajectory)]
    one = slice(0, 1)
    for path in trajectory.paths:
        for name, kind in KINDS.items():
            if kind.is_recorded(trajectory, path) and _can_be_read(named(trajectory, f"{path}.{name}"), one):
                found.append(f"{path}.{name}")
    return found


def short_name(path: str) -> str:
    """The last part of a path."""
    return path.rsplit("/", 1)[-1]


def full_path(trajectory: Trajectory, name: str) -> str:
    """The path of a body from its path or the end of it. Raises UsageError if there is none, or several."""
    found = paths_ending(trajectory, name)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"the body {clipped(name)} is ambiguous: {', '.join(found[:SHOWN])}; write the path")
    ends = map(short_name, trajectory.paths)
    close = get_close_matches(name, [*trajectory.paths, *ends], n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"bodies: {', '.join(trajectory.paths[:SHOWN])}"
    raise UsageError(f"there is no body {clipped(name)}; {hint}")


def paths_ending(trajectory: Trajectory, name: str) -> list[str]:
    """The bodies with this path, or else with this end of it."""
    if name in trajectory.header.row_of:
        return [name]
    return [path for path in trajectory.paths if path.endswith(f"/{name}")] if name else []


def body_and_rest(trajectory: Trajectory, name: str) -> tuple[str, str] | None:
    """The path of the body that a name begins with, and the rest; None if it begins with none. A name of a body may
    contain dots, so the longest that fits is taken.
    """
    for end in range(len(name) - 1, 0, -1):
        if name[end] == "." and paths_ending(trajectory, name[:end]):
            return full_path(trajectory, name[:end]), name[end + 1 :]
    return None


def _of_run(trajectory: Trajectory, name: str) -> NamedQuantity:
    key, _, component = name.partition(".")
    kind = RUN_KINDS.get(key)
    if kind is None:
        if paths_ending(trajectory, name):
            raise UsageError(f"{clipped(name)} is a body; name one of its quantities, such as {name}.speed")
        if "." in name:
            full_path(trajectory, key)  # raises UsageError with a suggestion
        _refuse(name, key, [*RUN_KINDS, *(f"{short_name(path)}.speed" for path in trajectory.paths[:3])])
    part = _component(name, component, kind.components)
    return NamedQuantity(trajectory, name, kind.words, kind.unit, _left(kind, part), kind, part)


def _of_body(trajectory: Trajectory, name: str, body: str, rest: str) -> NamedQuantity:
    written, at, frame = rest.partition("@")
    before, _, after = written.partition(".")
    if before in ALIASES:
        if at:
            raise UsageError(f"{clipped(name)} names two frames, {before} and {frame}; write one of them")
        at, frame, written = "@", ALIASES[before], after
    key, component = _split(written)
    kind = KINDS.get(key)
    if kind is None:
        _refuse(name, key, [*KINDS, *SAME_AS])
    if kind.of_free:
        require_free(trajectory, body, kind.of_free)
    part = _component(name, component, kind.components)
    frame = _frame(trajectory, name, kind, frame) if at else kind.default
    shown = f"{body}.{key}" + (f".{part}" if part else "") + (f"@{frame}" if frame != kind.default else "")
    unit = kind.unit.replace("L", _length(trajectory, body, frame))
    return NamedQuantity(trajectory, shown, kind.words, unit, _left(kind, part), kind, part, body, frame)


def _split(written: str) -> tuple[str, str]:
    """The key and the component of what is written behind a body."""
    parts = written.split(".")
    count = 2 if parts[0] == "terms" else 1
    key = ".".join(parts[:count])
    return SAME_AS.get(key, key), ".".join(parts[count:])


def _component(name: str, component: str, known: tuple[str, ...]) -> str:
    if not component or component in known or (component == NORM and set(known) == set("xyz")):
        return component
    if not known:
        raise UsageError(f"{clipped(name)}: this is one number at each time; it has no component '{component}'")
    raise UsageError(f"{clipped(name)}: there is no component '{component}'; choose one of {', '.join(known)}")


def _left(kind: BodyQuantity | RunQuantity, component: str) -> tuple[str, ...]:
    return () if component else kind.components


def _frame(trajectory: Trajectory, name: str, kind: BodyQuantity, written: str) -> str:
    if written in FRAMES:
        frame, is_known = written, written in kind.frames
    else:
        frame, is_known = full_path(trajectory, written), kind.is_seen
    if not is_known:
        others = ", ".join((*kind.frames, *(["the path of a body"] if kind.is_seen else [])))
        raise UsageError(f"{clipped(name)}: {kind.words} has no frame '{written}'; choose one of {others}")
    return frame


def _length(trajectory: Trajectory, body: str, frame: str) -> str:
    """The unit of lengths in a frame; that of a parent at t = 0 if it changes."""
    header = trajectory.header
    if frame == PARENT:
        return header.length_unit(trajectory[body].parent)
    return header.length_unit("" if frame in (WORLD, BODY) else frame)


def _can_be_read(one: NamedQuantity, samples: slice) -> bool:
    if one.trajectory.is_whole:
        return True
    try:
        one.of(samples)
    except NotRecordedError:
        return False
    return True


def _refuse(name: str, key: str, known: Iterable[str]) -> NoReturn:
    known = list(known)
    close = get_close_matches(key, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"choose one of {', '.join(_shortened(known))}"
    raise UsageError(f"{clipped(name)}: there is no quantity {clipped(key)}; {hint}")


def _shortened(known: list[str]) -> Iterator[str]:
    yield from (key for key in known if not key.startswith("terms."))
    if any(key.startswith("terms.") for key in known):
        yield "terms.NAME"
