"""Changes to a scene from outside its file: `bodies.tank.mass=4e4`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args, get_origin

from rigidsim.errors import SceneError, UsageError, did_you_mean
from rigidsim.scene.text.document import Document, Path, shown
from rigidsim.scene.text.plain import plain_data
from rigidsim.scene.text.reader import read_text
from rigidsim.scene.values.base import SceneModel

Override = str | tuple[str, Any]

INDEX = re.compile(r"\[?([0-9]{1,9})\]?(?:\.|(?=\[)|$)")
NEW_KEY = re.compile(r"[^.\[\]]+$")
METRICS = "metrics."
"""Metrics from outside a file come as pairs; on the command line by an option of their own."""


def apply_overrides(document: Document, overrides: Iterable[Override], model: type[SceneModel]) -> list[Override]:
    """Put the value of each override into the document, in order; `model` is the schema of the scene. Returns the
    overrides.
    """
    given = _checked(overrides)
    for override in given:
        if isinstance(override, str):
            label = f"--set {shown(override)}"
            dotted, equals, text = override.partition("=")
            if not equals:
                raise UsageError(f"'{shown(override)}' is not of the form path=value")
            value = parsed(text, label)
        else:
            dotted, value = override[0], plain_data(override[1])
            option, name = ("--metric", dotted[len(METRICS) :]) if dotted.startswith(METRICS) else ("--set", dotted)
            label = shown(name) if isinstance(value, dict) else f"{option} {shown(name)}={shown(value)}"
        path = _path(document.data, dotted.strip(), value, model)
        if path[0] == "parameters" and len(path) == 2 and path[1] not in (document.data.get("parameters") or {}):
            document.added.append(str(path[1]))
        put(document, path, value)
        document.overrides.append((path, label))
    return given


def parsed(text: str, label: str) -> Any:
    """The plain data of a YAML text from outside a file; `label` stands for a file name in messages."""
    try:
        fragment = read_text(text, label)
        if fragment.problems:
            raise SceneError(fragment.problems)
    except SceneError as error:
        # There is no file to point to: the label shows the text.
        raise SceneError([replace(problem, line=0, column=0, source_line="") for problem in error.problems]) from None
    return fragment.data


def path_of(document: Document, dotted: str, model: type[SceneModel], value: Any = 0.0) -> Path:
    """The path of what an override with this dotted text, and such a value, would set."""
    return _path(document.data, dotted.strip(), value, model)


def address(path: Path) -> str:
    """The text of a path of which `path_of` gives the path."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def _checked(overrides: Iterable[Override]) -> list[Override]:
    listed = isinstance(overrides, Iterable) and not isinstance(overrides, str | Mapping)
    given: list[Any] = list(overrides) if listed else [overrides]
    for override in given:
        is_pair = isinstance(override, tuple) and len(override) == 2 and isinstance(override[0], str)
        if not listed or not (isinstance(override, str) or is_pair):
            raise UsageError(f'overrides are a list of "path=value" and (path, value), not {shown(override)}')
    return given


def _path(data: Any, dotted: str, value: Any, model: type[SceneModel]) -> Path:
    """The path of a dotted text, which may be a bare parameter; its unit and its description are kept."""
    parameters = data.get("parameters")
    if isinstance(parameters, dict):
        first = dotted.partition(".")[0]
        is_parameter = first in parameters and first not in _keys(model)
        path = _resolve(data, f"parameters.{dotted}" if is_parameter else dotted, model)
        if path[0] == "parameters" and len(path) == 2 and not isinstance(value, dict):
            return (*path, "value") if isinstance(parameters.get(path[1]), dict) else path
        return path
    return _resolve(data, dotted, model)


def _resolve(data: Any, dotted: str, kind: Any) -> Path:
    """The path of a dotted text in this data, of type `kind`. The last key may be new, and so may any key of a
    model.
    """
    path: list[str | int] = []
    node, rest = data, dotted
    while rest or not path:
        part, rest = _next_part(node, rest, dotted, kind)
        kind = _entry(kind, part)
        path.append(part)
        if rest:
            is_new = isinstance(node, dict) and part not in node
            node = {} if is_new else node[part]
    return tuple(path)


def _keys(kind: Any) -> dict[str, Any]:
    """The keys that the models among these types have, and the types of their values."""
    if isinstance(kind, type) and issubclass(kind, SceneModel):
        return {key: field.annotation for key, field in kind.model_fields.items()}
    forms = () if get_origin(kind) in (dict, tuple) else get_args(kind)
    return {key: value for form in forms for key, value in _keys(form).items()}


def _entry(kind: Any, part: str | int) -> Any:
    """The type of the entries of this type; None if it has none."""
    if get_origin(kind) in (dict, tuple):
        return get_args(kind)[get_origin(kind) is dict]
    return _keys(kind).get(str(part))


def _length(kind: Any) -> int:
    """The number of entries of a list of this type; 0 for any number."""
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        return 0 if ... in inner else len(inner)
    return max(map(_length, inner), default=0)


def _next_part(node: Any, rest: str, dotted: str, kind: Any) -> tuple[str | int, str]:
    if isinstance(node, list):
        return _index(node, rest, dotted)
    if not isinstance(node, dict):
        raise UsageError(f"cannot set '{shown(dotted)}': there are no keys inside {shown(node)}; set the whole value")
    # The longest key that fits: a body's name may itself contain dots.
    fitting = [key for key in node if rest == key or rest.startswith((f"{key}.", f"{key}["))]
    if fitting:
        known = max(fitting, key=len)
        return known, rest[len(known) :].removeprefix(".")
    if NEW_KEY.match(rest):
        return rest, ""
    first = re.split(r"[.\[]", rest)[0]
    after, known = rest[len(first) :].removeprefix("."), _keys(kind)
    if not first:
        raise UsageError(f"cannot set '{shown(dotted)}': there is no name before '{shown(rest)}'")
    if first in known and not (INDEX.match(after) or after.startswith("[")):
        return first, after
    if first in known:
        example = ", ".join("0" * _length(known[first])) or "..."
        hint = f'set the whole value: --set {shown(dotted.removesuffix(rest))}{first}="[{example}]"'
    else:
        there = f"there are: {', '.join(map(shown, node)) or 'none'}"
        hint = did_you_mean(first, map(shown, [*node, *known]), there)
    raise UsageError(f"cannot set '{shown(dotted)}': there is no '{shown(first)}'; {hint}")


def _index(node: list, rest: str, dotted: str) -> tuple[int, str]:
    match = INDEX.match(rest)
    if match is None or int(match[1]) >= len(node):
        raise UsageError(f"cannot set '{shown(dotted)}': '{shown(rest)}' is not an index into a list of {len(node)}")
    return int(match[1]), rest[match.end() :]


def put(document: Document, path: Path, value: Any) -> None:
    """Put a value into a document. Containers along the way are copied: an alias elsewhere may share them."""
    for known in [known for known in document.uncertain if known[: len(path)] == path]:
        del document.uncertain[known]
    document.data = node = document.twin(document.data, document.data.copy())
    for part in path[:-1]:
        is_new = isinstance(node, dict) and part not in node
        node[part] = node = {} if is_new else document.twin(node[part], node[part].copy())
    node[path[-1]] = value
