"""Quantities of a trajectory by name, see `rigidsim.quantities`: read as arrays, with what an axis or a legend needs.

Besides names there are expressions of the scene language, `= speed("ball") / 2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rigidsim.arguments import clipped, text
from rigidsim.errors import NotRecordedError, UsageError, did_you_mean
from rigidsim.quantities.dimensions import in_units
from rigidsim.quantities.names import BadName, bodies_called, is_pattern, name_and_unit, read_name, reading_names
from rigidsim.quantities.vocabulary import (
    BODY,
    FRAMES,
    JOINT,
    LOOP,
    NORM,
    OF_BODIES,
    OF_RUN,
    PARENT,
    REACTION,
    Quantity,
    component_of,
)
from rigidsim.trajectory.fields import AXES
from rigidsim.trajectory.samples import (
    Source,
    is_recorded,
    require_coordinate,
    require_free,
)
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.tree.joints import coordinate_unit
from rigidsim.tree.nodes import WORLD

SHOWN = 12
DEGREES = {"rad": "deg", "rad/s": "deg/s", "rad/s^2": "deg/s^2"}


@dataclass(frozen=True)
class NamedQuantity:
    """A name that has been understood: what an axis or a legend needs, and `of`, which reads the values.

    `unit` is empty for pure numbers, `components` for a number and for expressions; `body` is a path, empty for the
    whole run; `frame` is world, parent, body or a path, empty for the whole run.
    """

    trajectory: Trajectory = field(repr=False)
    name: str
    what: str  # in words, without the component
    unit: str
    components: tuple[str, ...]
    kind: Quantity | None  # None for an expression
    component: str = ""  # the only one that is asked for
    body: str = ""
    frame: str = ""
    other: str = ""  # the body that exerts a force of contact
    si_units: float = 1.0  # in a unit
    expression: str = ""  # in place of a kind
    values: np.ndarray | None = field(default=None, repr=False)  # if they were asked for, see `quantity`

    def of(self, samples: slice = slice(None)) -> np.ndarray:
        """The values at some samples, (time), or (time, components) if it has some. Of a file only the parts are read
        that these samples need.

        Raises NotRecordedError.
        """
        values = self._values(Source(self.trajectory, samples))
        return values if self.si_units == 1.0 else values / self.si_units

    @property
    def columns(self) -> list[str]:
        """The name of each component, `ball.position.x@table`, or the only name."""
        name, at, frame = self.name.partition("@")
        return [f"{name}.{component}{at}{frame}" for component in self.components] or [self.name]

    def _values(self, source: Source) -> np.ndarray:
        if self.kind is None:
            # Imported here because it imports the scene's schema, which is needed for expressions alone.
            from rigidsim.trajectory.metrics import values_of

            return np.asarray(values_of(source, self.expression))
        found = self.kind.columns(source, self.body, self.frame, *filter(None, [self.other]))
        if not self.components:
            return component_of(found, self.kind, self.component)
        return np.stack(np.broadcast_arrays(*found), axis=-1)

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


def quantity(trajectory: Trajectory, name: str, samples: slice = slice(None)) -> NamedQuantity:
    """A quantity by its name, with its `values` at all samples or some. Raises UsageError, NotRecordedError for what is
    not in the trajectory.
    """
    found = named(trajectory, name)
    return replace(found, values=found.of(samples))


def named(trajectory: Trajectory, name: str) -> NamedQuantity:
    """The quantity of a name, not yet read. Raises UsageError."""
    name, unit = name_and_unit(text(name, "a quantity").strip())
    if name.startswith("="):
        return _in_unit(_expressed(trajectory, name, name.removeprefix("=").strip(), name), unit)
    if defined := is_defined(trajectory, name):
        body, word = defined
        return _in_unit(_expressed(trajectory, f"{body}.{word}" if body else word, word, f"= '{name}'", body), unit)
    try:
        meant = read_name(name)
    except BadName as error:
        if table := next((one for one in trajectory.header.readings if one.name == name), None):
            body, _, sensor = name.rpartition(".")
            channels = {column.name.rpartition("/")[2]: AXES.get(column.axis, ()) for column in table.columns}
            known = ", ".join(f"{body}.{one}" if body else one for one in reading_names(sensor, channels))
            raise UsageError(f"{clipped(name)} has several readings; name one of {known}") from None
        if bodies_called(name, trajectory.paths) and not is_pattern(name):
            raise UsageError(f"{clipped(name)} is a body; name one of its quantities, such as {name}.speed") from None
        if "." in name and name.partition(".")[0] not in OF_RUN and not body_and_rest(trajectory, name):
            full_path(trajectory, name.partition(".")[0])  # raises UsageError with a suggestion
        raise UsageError(f"{clipped(name)}: {error.message}; {error.hint}") from None
    kind, frame = meant.kind, meant.body and meant.frame
    of_loop = kind.needs == LOOP
    body = meant.body and (
        _called(meant.body, [*trajectory.header.loops], "loop") if of_loop else full_path(trajectory, meant.body)
    )
    if kind.of_free:
        require_free(trajectory, body, kind.of_free)
    if kind.needs == JOINT:
        require_coordinate(trajectory, body, kind.name)
    if kind.needs == REACTION:
        _ = trajectory[body].joint  # raises UsageError
    if frame and frame not in FRAMES:
        frame = full_path(trajectory, frame)
    other = meant.other and full_path(trajectory, meant.other)
    part = (f"({other})" if other else "") + (f".{meant.component}" if meant.component else "")
    shown = f"{body}.{kind.name}{part}" + (f"@{frame}" if frame != kind.default else "") if body else name
    in_general = coordinate_unit(kind.name, trajectory.header.joints[body]) if kind.needs == JOINT else kind.unit
    si = in_general.replace("L", _length(trajectory, body, frame))
    words = f"{kind.words} of {short_name(other)}" if other else kind.words
    found = NamedQuantity(trajectory, shown, words, si, meant.components, kind, meant.component, body, frame, other)
    return _in_unit(found, unit)


def is_defined(trajectory: Trajectory, name: str) -> tuple[str, str] | None:
    """The body, empty for the whole scene, and the name of a quantity that the scene defines under `let`; None if it
    has none of this name.
    """
    scope = trajectory.header.scope
    try:
        return scope.named(name) if scope else None
    except ValueError as error:
        raise UsageError(f"{clipped(name)}: {error}; {getattr(error, 'hint', '')}") from None


def _expressed(trajectory: Trajectory, name: str, what: str, expression: str, body: str = "") -> NamedQuantity:
    """What an expression gives."""
    # Imported here because it imports the scene's schema, which is needed for expressions alone.
    from rigidsim.trajectory.metrics import unit_of

    unit = unit_of(trajectory, expression)
    return NamedQuantity(trajectory, name, what.replace("_", " "), unit, (), None, body=body, expression=expression)


def _in_unit(one: NamedQuantity, unit: str) -> NamedQuantity:
    """The quantity in a unit that is asked for. Raises UsageError."""
    if not unit:
        return one
    try:
        return replace(one, unit=unit, si_units=in_units(one.unit, unit))
    except ValueError as others:
        known = str(others) or "none but its own"
        raise UsageError(f"{clipped(one.name)} cannot be given in {clipped(unit)}; units: {known}") from None


def in_degrees(one: NamedQuantity) -> NamedQuantity:
    """The quantity with degrees in place of radians, if it has any."""
    return replace(one, unit=unit, si_units=in_units(one.unit, unit)) if (unit := DEGREES.get(one.unit)) else one


def expanded(trajectory: Trajectory, written: str) -> list[str]:
    """The names that a name with a pattern of bodies stands for, `marble_*.speed`, of those bodies and loops that have
    such a quantity; a name without a pattern is itself. Raises UsageError.
    """
    if written.startswith("=") or not is_pattern(written) or body_and_rest(trajectory, written):
        return [written]
    held = [*trajectory.paths, *trajectory.header.loops]
    for end in range(len(written) - 1, 0, -1):
        if written[end] == "." and (found := bodies_called(written[:end], held)):
            names = [path + written[end:] for path in found]
            return [name for name in names if _is_known(trajectory, name)] or names
    raise UsageError(f"{clipped(written)}: no body fits; bodies: {', '.join(trajectory.paths[:SHOWN])}")


def body_and_rest(trajectory: Trajectory, name: str) -> tuple[str, str] | None:
    """The path of the body that a name begins with, and the rest; None if it begins with none. A name of a body may
    contain dots, so the longest that fits is taken.
    """
    paths = trajectory.paths
    for end in range(len(name) - 1, 0, -1):
        body = name[:end]
        if name[end] == "." and (body in paths or not is_pattern(body)) and bodies_called(body, paths):
            return full_path(trajectory, body), name[end + 1 :]
    return None


def names(trajectory: Trajectory) -> list[str]:
    """All quantities of a trajectory, without components; of bodies as in the world, and of terms as recorded, and
    those that the scene defines. What was neither recorded nor can be derived from the motion is left out.
    """
    found = [name for name, one in OF_RUN.items() if is_recorded(trajectory, one)]
    scope = trajectory.header.scope
    found += [".".join(filter(None, name)) for name in (scope.quantities if scope else ())]
    first, bodies = slice(0, 1), {name: one for name, one in OF_BODIES.items() if one.needs != LOOP}
    found += [f"{loop}.{name}" for loop in trajectory.header.loops for name, one in OF_BODIES.items()
              if one.needs == LOOP and is_recorded(trajectory, one, loop)]  # fmt: skip
    for path in trajectory.paths:
        for name, one in bodies.items():
            if is_recorded(trajectory, one, path) and _can_be_read(named(trajectory, f"{path}.{name}"), first):
                found.append(f"{path}.{name}")
    return found


def short_name(path: str) -> str:
    """The last part of a path."""
    return path.rsplit("/", 1)[-1]


def full_path(trajectory: Trajectory, name: str) -> str:
    """The path of a body from its path or the end of it. Raises UsageError if there is none, or several."""
    return _called(name, trajectory.paths, "body", trajectory.header.loop_hint(name))


def _called(name: str, paths: Sequence[str], what: str, other: str = "") -> str:
    """The path of a body, or the name of a loop, from the end of it; `other` is what else the name is."""
    found = bodies_called(name, paths)
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"the {what} {clipped(name)} is ambiguous: {', '.join(found[:SHOWN])}; write the path")
    known = f"{'bodies' if what == 'body' else 'loops'}: {', '.join(paths[:SHOWN]) or 'none'}"
    hint = other or did_you_mean(name, [*paths, *map(short_name, paths)], known)
    raise UsageError(f"there is no {what} {clipped(name)}; {hint}")


def _is_known(trajectory: Trajectory, name: str) -> bool:
    """Whether the body has that quantity: fixed parts have no acceleration of their own."""
    try:
        named(trajectory, name)
    except UsageError:
        return False
    return True


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
