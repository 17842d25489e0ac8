"""Changes to a scene from outside its file: `bodies.tank.mass=4e4`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from rigidsim.errors import SceneError, UsageError
from rigidsim.scene.document import Document, Path, Places, shown
from rigidsim.scene.plain import plain_data
from rigidsim.scene.reader import read_text

Override = str | tuple[str, Any]

INDEX = re.compile(r"\[?([0-9]{1,9})\]?(?:\.|(?=\[)|$)")
NEW_KEY = re.compile(r"[^.\[\]]+$")


def apply_overrides(document: Document, overrides: Iterable[Override], keys: Collection[str] = ()) -> None:
    """Put each override's value into the document, in order. `keys` are those of a scene: they hide parameters."""
    for override in overrides:
        if isinstance(override, str):
            label = f"--set {shown(override)}"
            dotted, equals, text = override.partition("=")
            if not equals:
                raise UsageError(f"'{shown(override)}' is not of the form path=value")
            value = _parsed(text, label)
        else:
            dotted, value = override[0], plain_data(override[1])
            label = f"--set {shown(dotted)}={shown(value)}"
        path = _path(document.data, dotted.strip(), value, keys)
        _put(document, path, value)
        document.overrides.append((path, label))


def _parsed(text: str, label: str) -> Any:
    try:
        fragment = read_text(text, label)
        if fragment.problems:
            raise SceneError(fragment.problems)
    except SceneError as error:
        # There is no file to point into: the label shows the text.
        raise SceneError([replace(problem, line=0, column=0, source_line="") for problem in error.problems]) from None
    return fragment.data


def _path(data: Any, dotted: str, value: Any, keys: Collection[str]) -> Path:
    """The path that a dotted text means, which may be a bare parameter; its unit and its description stay."""
    parameters = data.get("parameters")
    if isinstance(parameters, dict):
        first = dotted.partition(".")[0]
        path = _resolve(data, f"parameters.{dotted}" if first in parameters and first not in keys else dotted)
        if path[0] == "parameters" and len(path) == 2 and not isinstance(value, dict):
            return (*path, "value") if isinstance(parameters.get(path[1]), dict) else path
        return path
    return _resolve(data, dotted)


def _resolve(data: Any, dotted: str) -> Path:
    """The path that a dotted text means in this data. Only its last key may be new."""
    path: list[str | int] = []
    node, rest = data, dotted
    while rest or not path:
        part, rest = _next_part(node, rest, dotted)
        path.append(part)
        if rest:
            node = node[part]
    return tuple(path)


def _next_part(node: Any, rest: str, dotted: str) -> tuple[str | int, str]:
    if isinstance(node, list):
        return _index(node, rest, dotted)
    if not isinstance(node, dict):
        raise UsageError(f"cannot set '{shown(dotted)}': there are no keys inside {shown(node)}; set the whole of it")
    # The longest key that fits: a body's name may itself contain dots.
    fitting = [key for key in node if rest == key or rest.startswith((f"{key}.", f"{key}["))]
    if fitting:
        known = max(fitting, key=len)
        return known, rest[len(known) :].removeprefix(".")
    if NEW_KEY.match(rest):
        return rest, ""
    first = re.split(r"[.\[]", rest)[0]
    close = get_close_matches(first, node, n=1)
    hint = f"did you mean '{shown(close[0])}'?" if close else f"there are: {', '.join(map(shown, node))}"
    raise UsageError(f"cannot set '{shown(dotted)}': there is no '{shown(first)}'; {hint}")


def _index(node: list, rest: str, dotted: str) -> tuple[int, str]:
    match = INDEX.match(rest)
    if match is None or int(match[1]) >= len(node):
        raise UsageError(f"cannot set '{shown(dotted)}': '{shown(rest)}' is not an index into a list of {len(node)}")
    return int(match[1]), rest[match.end() :]


def _put(document: Document, path: Path, value: Any) -> None:
    # Containers along the way are copied: an alias elsewhere in the file may share them.
    document.data = node = _copy(document, document.data)
    for part in path[:-1]:
        node[part] = node = _copy(document, node[part])
    node[path[-1]] = value


def _copy(document: Document, container: Any) -> Any:
    twin = container.copy()
    places = document.places.get(id(container))
    if places is not None:
        document.places[id(twin)] = Places(twin, places.of_key, places.of_value)
    return twin
