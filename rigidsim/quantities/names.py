"""Names of quantities, `table/let_go.position.x@table`, and of bodies: their paths, ends of these, and patterns.

A name is `BODY.QUANTITY[.COMPONENT][@FRAME]`, or for the whole run `QUANTITY[.COMPONENT]`. FRAME is world, parent, body
(its own axes) or the path of a body; `BODY.world.QUANTITY` and `BODY.local.QUANTITY` mean `@world` and `@parent`. The
component `norm` of a vector is its length. `ball.contact_force(floor)` is exerted by one body, without brackets by all.

The end of a path will do where it is unique. In a pattern `*` stands for any part of a name, `?` for one character,
`**` for any part of a path.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rigidsim.arguments import clipped
from rigidsim.errors import did_you_mean
from rigidsim.quantities.vocabulary import (
    ANGLES,
    CONTACT,
    FRAMES,
    NORM,
    OF_BODIES,
    OF_RUN,
    PARENT,
    SAME_AS,
    WXYZ,
    Quantity,
)
from rigidsim.tree.nodes import WORLD

ATTRIBUTES = {"world": WORLD, "local": PARENT}
"""`ball.local.position`, as the Python API has it, is `ball.position@parent`."""
KNOWN = sorted((*OF_BODIES, *SAME_AS), key=len, reverse=True)
FORM = re.compile(
    rf"(?P<body>.+)(?<!\.terms)\.(?P<quantity>{'|'.join(map(re.escape, KNOWN))})"
    r"(?:\((?P<other>[^()]+)\))?(?:\.(?P<component>[^.@/]*))?(?:@(?P<frame>.+))?"
)
EXAMPLE = "write BODY.position, BODY.velocity.x@parent, kinetic_energy"
TERMS = "terms."
WILD = re.compile(r"\*\*/|\*\*|\*|\?")
MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


class BadName(ValueError):
    """A text that names no quantity: the message, and a hint."""

    def __init__(self, message: str, hint: str):
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True)
class QuantityName:
    """A quantity of a body, seen from a frame (`world`, `parent`, `body` for the body's own axes, or a path); of the
    whole run if `body` is empty. `component` is empty for all components; `other` is the body that exerts a force of
    contact, empty for all.
    """

    quantity: str
    component: str = ""
    body: str = ""
    frame: str = WORLD
    other: str = ""

    @property
    def kind(self) -> Quantity:
        """What is known of the quantity."""
        return (OF_BODIES if self.body else OF_RUN)[self.quantity]

    @property
    def components(self) -> tuple[str, ...]:
        """The components that are meant; none if it is one number at each time."""
        return () if self.component else self.kind.components


def name_and_unit(written: str) -> tuple[str, str]:
    """A name or an expression, and the unit that is asked for behind it: `ball.angles[deg]`; empty if there is none."""
    name, _, unit = written.rstrip().removesuffix("]").rpartition("[")
    return (name.rstrip(), unit.strip()) if written.rstrip().endswith("]") and unit.strip() else (written, "")


def read_name(text: str) -> QuantityName:
    """The quantity with this name. Raises BadName; whether there is such a body is not checked."""
    match, (stem, _, component) = FORM.fullmatch(text), text.partition(".")
    if match is not None:
        return _of_body(text, match)
    if stem not in OF_RUN:
        raise _unknown(text)
    return QuantityName(stem, _component(OF_RUN[stem], component))


def is_pattern(name: str) -> bool:
    """Whether a name has any wildcards."""
    return WILD.search(name) is not None


def matches(name: str, paths: Collection[str]) -> list[str]:
    """The paths that a pattern stands for, in their order; for the path of a body that one only, whatever is in it."""
    if name in paths:
        return [name]
    if not is_pattern(name):
        return []
    literal, text = WILD.split(name), re.escape(WILD.split(name)[0])
    for wildcard, following in zip(WILD.findall(name), literal[1:], strict=True):
        text += MEANINGS[wildcard] + re.escape(following)
    found = re.compile(text)
    return [path for path in paths if found.fullmatch(path)]


def bodies_called(name: str, paths: Collection[str]) -> list[str]:
    """The body with this path, or all bodies whose path ends so; of a pattern those that it or its end stands for."""
    if name in paths or not name:
        return [name] if name else []
    ends = [path for path in paths if path.endswith(f"/{name}")]
    return ends or matches(f"**/{name}", paths)


def _of_body(text: str, match: re.Match) -> QuantityName:
    body, frame = match["body"], match["frame"]
    before, dot, attribute = body.rpartition(".")
    if dot and attribute in ATTRIBUTES:
        if frame:
            raise BadName(f"{clipped(text)} has two frames", f"omit '.{attribute}' or '@{frame}'")
        body, frame = before, ATTRIBUTES[attribute]
    kind = OF_BODIES[SAME_AS.get(match["quantity"], match["quantity"])]
    frame = frame or kind.default
    if frame not in kind.frames and (frame in FRAMES or not kind.is_seen):
        known = ", ".join((*kind.frames, *(["the path of a body"] if kind.is_seen else [])))
        raise BadName(f"'{kind.name}' has no frame {clipped(frame)}", f"there are {known}")
    other = match["other"] or ""
    if other and kind.needs != CONTACT:
        raise BadName(f"'{kind.name}' is of one body", f"omit '({other})'")
    return QuantityName(kind.name, _component(kind, match["component"] or ""), body, frame, other)


def _component(kind: Quantity, component: str) -> str:
    if component and component not in kind.accepts:
        hint = f"there are {', '.join(kind.components)}" if kind.components else "it is a single number"
        raise BadName(f"'{kind.name}' has no component {clipped(component)}", hint)
    return component


def _unknown(text: str) -> BadName:
    """What is wrong with a text that has not the form of a name."""
    body, dot, asked = text.partition("@")[0].rpartition(".")
    if not dot:
        if text in (*OF_BODIES, *SAME_AS):
            return BadName(f"{clipped(text)} is a quantity of a body", f"write BODY.{text}")
        return BadName(f"there is no quantity {clipped(text)}", did_you_mean(text, OF_RUN, EXAMPLE))
    if "." in body and asked in (*WXYZ, *ANGLES, NORM):
        body, _, asked = body.rpartition(".")
    if body.endswith(".terms") or body == "terms":
        asked = f"{TERMS}{asked}"
    hint = did_you_mean(asked, (*OF_BODIES, *SAME_AS), f"there are {', '.join(shortened(OF_BODIES))}")
    return BadName(f"there is no quantity {clipped(asked)} of a body", hint)


def shortened(known: Iterable[str]) -> list[str]:
    """Names for a hint, with one for all terms."""
    plain = [name for name in known if not name.startswith(TERMS)]
    return plain if len(plain) == len([*known]) else [*plain, f"{TERMS}NAME"]


def reading_names(sensor: str, channels: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, int]]:
    """What expressions call the readings of a sensor, `imu_acceleration_x`: each name with its channel and component.
    `channels` have the components of each. Of one channel with one number it is the name of the sensor.
    """
    if len(channels) == 1 and not any(channels.values()):
        return {sensor: (next(iter(channels)), 0)}
    return {
        "_".join(filter(None, (sensor, channel, letter))): (channel, k)
        for channel, components in channels.items()
        for k, letter in enumerate(components or ("",))
    }
