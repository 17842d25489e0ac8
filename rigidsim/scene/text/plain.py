"""Plain data from Python objects, and YAML text from plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from rigidsim.errors import Problem, SceneError
from rigidsim.scene.text import scalars
from rigidsim.scene.text.builder import MAX_DEPTH, TOO_DEEP
from rigidsim.scene.text.document import Path, path_text, shown

if TYPE_CHECKING:
    _Fastest = yaml.SafeDumper
else:
    _Fastest = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_Fastest):
    """Quotes texts that YAML 1.1 or 1.2 would not read back as the same text."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _kind, _pattern in (("int", scalars.INTEGER), ("float", scalars.FLOAT)):
    _Dumper.add_implicit_resolver(f"{scalars.TAG_PREFIX}{_kind}", _pattern, list(scalars.NUMBER_START))


def as_yaml(data: Any) -> str:
    """Plain data as YAML text that reads back as the same data."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)


def bodies_in(bodies: Any, place: Path = ("bodies",)) -> Iterator[tuple[Path, Any]]:
    """The bodies in the plain data of a scene, parents first, each with its location."""
    for name, body in bodies.items() if isinstance(bodies, dict) else ():
        yield (*place, name), body
        if isinstance(body, dict):
            yield from bodies_in(body.get("children"), (*place, name, "children"))


def plain_data(value: Any, path: Path = ()) -> Any:
    """The value as new dicts, lists, text, numbers and None; NumPy arrays and numbers are converted."""
    if len(path) > MAX_DEPTH:
        raise SceneError([Problem("depth", TOO_DEEP, path_text(path[:4]))])
    if isinstance(value, Mapping):
        _require_text_keys(value, path)
        return {key: plain_data(item, (*path, key)) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist() if value.dtype == np.float64 else plain_data(value.tolist(), path)
    if isinstance(value, list | tuple):
        return [plain_data(item, (*path, index)) for index, item in enumerate(value)]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**scalars.LONGEST_INTEGER:
        return math.inf
    if value is None or isinstance(value, str | int | float):
        return value
    message = f"an object of type {type(value).__name__} is not allowed in a scene"
    raise SceneError([Problem("type", message, path_text(path))])


def _require_text_keys(mapping: Mapping, path: Path) -> None:
    for key in mapping:
        if not isinstance(key, str):
            raise SceneError([Problem("key", f"the key {shown(key)} is not text", path_text(path))])
