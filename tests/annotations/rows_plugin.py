"""A plugin of mypy: a parameter or field that is annotated with the declaration of a row has the parts of that row.

`frame: FRAME`, where `FRAME = Row("...", q=4, p=3)`, makes `frame` a view with the parts `q` and `p`: a part of width 1
is a number, another one a tuple of so many numbers. A parameter annotated with `Each` may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from mypy.plugin import AnalyzeTypeContext, Plugin
from mypy.types import AnyType, ExtraAttrs, Instance, TupleType, Type, TypeOfAny

from rigidsim.jit.rows import Each, Row


class Rows(Plugin):
    """The types of rows, read from the declarations themselves."""

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        module, _, name = fullname.rpartition(".")
        if not (name.isupper() and module.startswith("rigidsim.")):
            return None
        row = getattr(import_module(module), name, None)
        return (lambda context: view_of(row, context)) if isinstance(row, Row) else None


def view_of(row: Row, context: AnalyzeTypeContext) -> Type:
    """The type of a view of a row."""
    if isinstance(row, Each):
        return AnyType(TypeOfAny.explicit)
    number = context.api.named_type("builtins.float", [])
    numbers = context.api.named_type("builtins.tuple", [number])
    parts: dict[str, Type] = {
        name: number if width == 1 else TupleType([number] * width, numbers) for name, (_, width) in row.parts.items()
    }
    view = context.api.named_type("rigidsim.jit.rows.View", [])
    return Instance(view.type, [], extra_attrs=ExtraAttrs(parts))


def plugin(version: str) -> type[Plugin]:
    """What mypy calls."""
    return Rows
