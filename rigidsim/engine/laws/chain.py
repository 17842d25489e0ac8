"""A function that is called for each of several tables of loads: generated, with a line for each table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rigidsim._jit import inlined
from rigidsim.engine.laws.declaration import Table


def over(tables: Sequence[Table], each: Callable, part: str) -> Callable:
    """A function (laws, ...) that calls each(law, do, ...) for every table that has the attribute `part`, with `do` its
    value. `laws` has the law of each table by its name.
    """
    parts = {table.name: getattr(table, part) for table in tables if getattr(table, part)}
    name = f"{each.__name__}_{part}"
    calls = [f"    each(laws.{table}, {table}, *more)" for table in parts]
    names = {"__name__": __name__, "each": each, **parts}
    exec(compile("\n".join((f"def {name}(laws, *more):", *calls)), f"<{name}>", "exec"), names)
    return inlined(names[name])
