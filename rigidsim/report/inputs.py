"""In which inputs two trajectories differ: scene, overrides, versions, machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rigidsim.trajectory.header import Header

KINDS = ("name", "type", "form")
"""Keys that say what a mapping is: mappings of different kinds are compared as a whole."""
LONGEST = 60


class Absent:
    """Stands for the value of a key that is not there."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


@dataclass(frozen=True)
class Input:
    """An input that differs: a key of the scene (`bodies.tank.mass`) or a part of the provenance (`rigidsim`)."""

    kind: str  # scene, override (of the same text), or version
    name: str
    values: tuple[Any, Any]

    def __str__(self) -> str:
        first, second = map(_shown, self.values)
        return f"{self.name} is {first} and {second}"

    def as_dict(self) -> dict[str, object]:
        """The input as JSON shows it; null for what is absent."""
        first, second = (None if value is ABSENT else value for value in self.values)
        return {"kind": self.kind, "name": self.name, "a": first, "b": second}


def differing_inputs(first: Header, second: Header) -> list[Input]:
    """The keys of the scene as it was simulated, then the versions and the machine."""
    kind = "override" if first.scene_text == second.scene_text else "scene"
    same_scene = first.scene_resolved == second.scene_resolved
    keys = () if same_scene else differing_keys(first.resolved, second.resolved)
    versions = differing_keys(first.provenance, second.provenance)
    return [
        *(Input(kind, name, values) for name, values in keys),
        *(Input("version", name, values) for name, values in versions),
    ]


def differing_keys(first: Any, second: Any, name: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The smallest parts of plain data that differ, by their paths."""
    if isinstance(first, Mapping) and isinstance(second, Mapping) and _are_of_one_kind(first, second):
        for key in dict.fromkeys((*first, *second)):
            inner = f"{name}.{key}" if name else str(key)
            yield from differing_keys(first.get(key, ABSENT), second.get(key, ABSENT), inner)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for place, pair in enumerate(zip(first, second, strict=True)):
            yield from differing_keys(*pair, f"{name}[{place}]")
    elif first != second:
        yield name, (first, second)


def _are_of_one_kind(first: Mapping, second: Mapping) -> bool:
    return all(first.get(key) == second.get(key) for key in KINDS)


def _shown(value: Any) -> str:
    """A value on one line; of a mapping first its kind: `magnus2 {"iterations": 4}`."""
    if value is ABSENT:
        return repr(value)
    if isinstance(value, Mapping) and (kind := next((key for key in KINDS if key in value), "")):
        rest = {key: inner for key, inner in value.items() if key != kind}
        return f"{value[kind]} {_shown(rest)}" if rest else str(value[kind])
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
