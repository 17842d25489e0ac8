"""The numbers of a scene file, and comparisons of worlds to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rigidsim.scene.text.document import Document, path_text
from rigidsim.scene.values.quantities import split_quantity


def numbers_in(data: object, path: tuple = ()) -> Iterator[tuple[str, float, str]]:
    """(path, number, unit) of each number and each quantity in the plain data of a scene."""
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from numbers_in(value, (*path, key))
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield path_text(path), data, ""
    elif isinstance(data, str) and path != ("title",):
        number, unit = split_quantity(data)
        if unit:
            yield path_text(path), float(number), unit


def written(values: list[float], unit: str) -> list:
    """The values as they are written with a unit."""
    return [f"{value} {unit}" for value in values] if unit else values


def difference(a: object, b: object, at: str = "") -> str:
    """Where two objects differ in type, structure or bits; empty if they do not."""
    if type(a) is not type(b):
        return f"{at}: {a!r} and {b!r}"
    if isinstance(a, np.ndarray):
        is_same = a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        return "" if is_same else f"{at}: {a} and {b}"
    if isinstance(a, tuple | list):
        if len(a) != len(b):
            return f"{at}: {len(a)} and {len(b)} entries"
        names = getattr(a, "_fields", range(len(a)))
        return next(filter(None, (difference(x, y, f"{at}.{k}") for k, x, y in zip(names, a, b, strict=True))), "")
    if isinstance(a, dict):
        if list(a) != list(b):
            return f"{at}: {list(a)} and {list(b)}"
        return next(filter(None, (difference(a[k], b[k], f"{at}[{k!r}]") for k in a)), "")
    if isinstance(a, float):
        return "" if np.float64(a).tobytes() == np.float64(b).tobytes() else f"{at}: {a!r} and {b!r}"
    if slots := [name for kind in type(a).__mro__ for name in getattr(kind, "__slots__", ())]:
        return difference([getattr(a, s) for s in slots], [getattr(b, s) for s in slots], f"{at}:")
    if isinstance(a, Document):  # finds its places by the addresses of containers
        a, b = ({**vars(one), "places": [*one.places.values()]} for one in (a, b))
        return difference(a, b, f"{at}:")
    if hasattr(a, "__dict__") and not isinstance(a, type):
        return difference(vars(a), vars(b), f"{at}:")
    return "" if a == b else f"{at}: {a!r} and {b!r}"
