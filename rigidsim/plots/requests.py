"""What is asked for: `nut.speed`, `load.path@deck`, `load.position.x:load.velocity.x`, `energy`, `load.terms`, ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rigidsim.analysis.quantities import NamedQuantity, body_and_rest, expanded, in_degrees, is_defined, named
from rigidsim.arguments import clipped, text
from rigidsim.errors import UsageError, did_you_mean
from rigidsim.plots.history import PlottedHistory, Request
from rigidsim.plots.references import lasting_parent
from rigidsim.plots.terms import TERM_KINDS
from rigidsim.quantities.names import BadName, name_and_unit, read_name
from rigidsim.quantities.vocabulary import OF_BODIES as QUANTITIES

SERIES, PHASE, ENERGY, IMPACTS, STATES = "series", "phase", "energy", "impacts", "states"
PATH, POLHODE, CONTACT = "path", "polhode", "contact"
OF_BODIES = (PATH, *TERM_KINDS, POLHODE, CONTACT, IMPACTS)
FORCES = ("contact_force.norm", "friction_force.norm")
"""What `BODY.contact` shows over time."""


@dataclass(frozen=True)
class RequestReader:
    """Understands what is asked for of one trajectory; `frames` are for what has none written, `degrees` is whether
    angles without a unit are in degrees.
    """

    history: PlottedHistory
    frames: Sequence[str] = ()
    degrees: bool = False

    def requests(self, written: str) -> list[Request]:
        """Everything that one text asks for. Raises UsageError."""
        written = text(written, "a quantity").strip()
        if not written.startswith("="):
            if written in (ENERGY, IMPACTS, STATES):
                return [Request(written, self.history)]
            if ":" in written and (pair := self._pair(written)):
                return [Request(PHASE, self.history, quantities=pair)]
        return [one for single in expanded(self._trajectory, written) for one in self._of(single)]

    def path(self, written: str) -> list[Request]:
        """The path of `BODY[@FRAME]`."""
        body, at, frame = written.partition("@")
        return self.requests(f"{body}.{PATH}{at}{frame}")

    def _of(self, written: str) -> Iterator[Request]:
        split = None if written.startswith("=") else body_and_rest(self._trajectory, written)
        if split is None:
            yield self._series(written)
            return
        body, (rest, unit) = split[0], name_and_unit(split[1])
        kind, at, frame = rest.partition("@")
        if kind in OF_BODIES and not (at and kind != PATH):
            yield from self._of_body(body, kind, frame)
            return
        if not is_defined(self._trajectory, f"{body}.{rest}") and (near := self._near(rest, kind)):
            raise UsageError(f"{clipped(written)}: there is no quantity {clipped(kind)} of a body; {near}")
        is_open = not at and not rest.startswith(("world.", "local."))
        frames = self.frames if is_open and named(self._trajectory, written).frame else ()
        in_unit = f"[{unit}]" * bool(unit)
        yield from map(self._series, [f"{body}.{rest}@{frame}{in_unit}" for frame in frames] or [written])

    @staticmethod
    def _near(rest: str, kind: str) -> str:
        """What may be meant by a text that names no quantity: one, or what only pictures have; else empty."""
        try:
            read_name(f"body.{rest}")
        except BadName:
            return did_you_mean(kind, (*OF_BODIES, *QUANTITIES))
        return ""

    def _series(self, name: str) -> Request:
        return Request(SERIES, self.history, quantities=(self._named(name),))

    def _of_body(self, body: str, kind: str, frame: str) -> Iterator[Request]:
        if kind == PATH:
            for one in [frame] if frame else self.frames or ["world"]:
                position = named(self._trajectory, f"{body}.position@{one}")
                yield Request(PATH, self.history, body, self._frame(body, position.frame))
        elif kind == CONTACT:
            yield from (self._series(f"{body}.{force}") for force in FORCES)
            if len(self._trajectory.events.contact):
                yield Request(IMPACTS, self.history, body)
        else:
            yield Request(kind, self.history, body)

    def _frame(self, body: str, frame: str) -> str:
        """The path of the parent in place of `parent`, unless that changes."""
        return (lasting_parent(self._trajectory, body) if frame == "parent" else "") or frame

    def _pair(self, written: str) -> tuple[NamedQuantity, NamedQuantity] | None:
        """Both sides of `X:Y`; None if a body of that name contains the colon."""
        if known := body_and_rest(self._trajectory, written):
            body, rest = known
            if ":" in body and ":" not in rest:
                return None
        left, _, right = written.partition(":")
        for place in (k for k, letter in enumerate(written) if letter == ":"):
            try:
                pair = self._named(written[:place]), self._named(written[place + 1 :])
            except UsageError:
                continue
            break
        else:
            pair = self._named(left), self._named(right)
        for one in pair:
            if one.components:
                raise UsageError(
                    f"{clipped(written)}: {one.name} has the components {', '.join(one.components)}; name one of them,"
                    f" such as {one.name.partition('@')[0]}.{one.components[0]}"
                )
        return pair

    def _named(self, name: str) -> NamedQuantity:
        found = named(self._trajectory, name)
        return in_degrees(found) if self.degrees else found

    @property
    def _trajectory(self):
        return self.history.trajectory
