"""What tells curves apart: the parts in which they differ are their names, what they share names the axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rigidsim.analysis.quantities import NamedQuantity, short_name
from rigidsim.plots.history import PlottedHistory
from rigidsim.plots.style import shortened, with_unit


class Parts(NamedTuple):
    """The parts of the name of a curve, empty where it has none."""

    file: str
    body: str
    words: str
    component: str
    seen: str


def parts_of(history: PlottedHistory, named: NamedQuantity, component: str = "") -> Parts:
    """The parts of the name of a component of a quantity."""
    return Parts(history.name, named.body, named.words, component, named.seen.removeprefix(", "))


def body_names(paths: Iterable[str]) -> dict[str, str]:
    """The last parts of the paths of bodies, or the whole paths where some of these are equal."""
    paths = set(paths)
    is_short = len({short_name(path) for path in paths}) == len(paths)
    return {path: short_name(path) if is_short else path for path in paths}


def names_of(curves: Sequence[Parts]) -> list[str]:
    """The name of each curve in a legend: what differs; none for a single curve."""
    differ = [len(set(column)) > 1 for column in zip(*curves, strict=True)]
    shown = body_names(parts.body for parts in curves)
    found = []
    for parts in curves:
        file, body, words, component, seen = (part if d else "" for part, d in zip(parts, differ, strict=True))
        words = " ".join(part for part in (shortened(shown.get(body, "")), words, component) if part)
        named = ", ".join(part for part in (words, seen) if part)
        found.append(": ".join(part for part in (shortened(file), named) if part))
    return [name or ("all bodies" if differ[1] else "in the world") for name in found] if any(found) else []


def shared_name(curves: Sequence[Parts], unit: str) -> str:
    """The name of the axis: what all curves share, with the unit."""
    _, body, words, component, seen = (
        column[0] if len(set(column)) == 1 else "" for column in zip(*curves, strict=True)
    )
    body = shortened(short_name(body))
    if not words:
        return with_unit(body, unit)
    return with_unit(", ".join(part for part in (" ".join(filter(None, (body, words, component))), seen) if part), unit)
