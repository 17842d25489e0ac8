"""A plugin of mypy: what is annotated with the declaration of a row, or made by it, has the parts of that row.

`frame: FRAME`, where `FRAME = Row("...", q=4, p=3)`, makes `frame` a view with the parts `q` and `p`: a part of width 1
is a number, another one a tuple of so many numbers. So does `FRAME(rows)`; a row that is not declared by a name of its
own may have any parts. A parameter annotated with `Each` may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from mypy.nodes import CallExpr, RefExpr
from mypy.plugin import AnalyzeTypeContext, MethodContext, Plugin
from mypy.types import AnyType, ExtraAttrs, Instance, TupleType, Type, TypeOfAny

from rigidsim.jit.rows import Each, Row

ANY = AnyType(TypeOfAny.explicit)
Named = Callable[[str, list[Type]], Instance]
"""The instance of a class, by its name and arguments."""


class Rows(Plugin):
    """The types of rows, read from the declarations themselves."""

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        row = declared(fullname)
        return (lambda context: annotated(row, context)) if row is not None else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        return made if fullname == "rigidsim.jit.rows.Row.__call__" else None


def declared(fullname: str) -> Row | None:
    """The row of this name, if it is one."""
    module, _, name = fullname.rpartition(".")
    if not (name.isupper() and module.startswith("rigidsim.")):
        return None
    found = getattr(import_module(module), name, None)
    return found if isinstance(found, Row) else None


def made(context: MethodContext) -> Type:
    """The type of `FRAME(rows)`."""
    callee = context.context.callee if isinstance(context.context, CallExpr) else None
    row = declared(callee.fullname) if isinstance(callee, RefExpr) else None
    view = context.default_return_type
    if row is None or not isinstance(view, Instance):
        return ANY
    return view_of(row, view, context.api.named_generic_type)


def annotated(row: Row, context: AnalyzeTypeContext) -> Type:
    """The type of `frame` in `frame: FRAME`."""
    return view_of(row, context.api.named_type("rigidsim.jit.rows.View", []), context.api.named_type)


def view_of(row: Row, view: Instance, named: Named) -> Type:
    """The type of a view of a row, a view with its parts."""
    if isinstance(row, Each):
        return ANY
    number = named("builtins.float", [])
    numbers = named("builtins.tuple", [number])
    parts: dict[str, Type] = {
        name: number if width == 1 else TupleType([number] * width, numbers) for name, (_, width) in row.parts.items()
    }
    return Instance(view.type, [], extra_attrs=ExtraAttrs(parts))


def plugin(version: str) -> type[Plugin]:
    """What mypy calls."""
    return Rows
