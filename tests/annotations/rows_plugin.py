"""A plugin of mypy: what is annotated with the declaration of a row, or made by it, has the parts of that row.

`frame: FRAME`, where `FRAME = Row("...", q=4, p=3)`, makes `frame` an array with the parts `q` and `p`: a part of
width 1 is a number, another one a tuple of so many numbers. So does `FRAME(rows)`; a row that is not declared by a name
of its own may have any parts. A parameter annotated with `Each` may be anything. `FRAME.p` is a slice of columns, the
place of a part of width 1 an integer.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from mypy.nodes import ARG_POS, CallExpr, Expression, MemberExpr, RefExpr
from mypy.plugin import AnalyzeTypeContext, AttributeContext, MethodContext, Plugin
from mypy.types import AnyType, CallableType, ExtraAttrs, Instance, LiteralType, TupleType, Type, TypeOfAny

from rigidsim.jit.rows import Each, Integers, Row

ANY = AnyType(TypeOfAny.explicit)
ROW, INTEGERS = "rigidsim.jit.rows.Row", "rigidsim.jit.rows.Integers"
Named = Callable[[str, list[Type]], Instance]
"""The instance of a class, by its name and arguments."""


class Rows(Plugin):
    """The types of rows, read from the declarations themselves."""

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        row = declared(fullname)
        return (lambda context: view_of(row, fullname, context.api.named_type)) if row is not None else None

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        if fullname == "numpy.ndarray.__getitem__":
            return part_of
        return made if fullname in (f"{ROW}.__call__", f"{INTEGERS}.__call__") else None

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        owner, _, part = fullname.rpartition(".")
        return (lambda context: place_of(part, context)) if owner == ROW else None


def declared(fullname: str) -> Row | None:
    """The row of this name, if it is one."""
    module, _, name = fullname.rpartition(".")
    if not (name.isupper() and module.startswith("rigidsim.")):
        return None
    found = getattr(import_module(module), name, None)
    return found if isinstance(found, Row) else None


def named_by(expression: Expression) -> tuple[Row | None, str]:
    """The row that an expression names, and the name."""
    fullname = expression.fullname if isinstance(expression, RefExpr) else ""
    return declared(fullname), fullname


def made(context: MethodContext) -> Type:
    """The type of `FRAME(rows)`."""
    call = context.context
    row, fullname = named_by(call.callee) if isinstance(call, CallExpr) else (None, "")
    return ANY if row is None else view_of(row, fullname, context.api.named_generic_type)


def part_of(context: MethodContext) -> Type:
    """The type of some of the rows of an array: they have the parts, too."""
    whole, part = context.type, context.default_return_type
    has_parts = isinstance(whole, Instance) and whole.extra_attrs is not None
    return whole if has_parts and isinstance(part, Instance) and part.type.fullname == "numpy.ndarray" else part


def place_of(part: str, context: AttributeContext) -> Type:
    """The type of `FRAME.p`: an integer or a slice."""
    read = context.context
    row, _ = named_by(read.expr) if isinstance(read, MemberExpr) else (None, "")
    if row is None or part not in row.parts:
        return context.default_attr_type
    named = context.api.named_generic_type
    return named("builtins.int", []) if row.parts[part][1] == 1 else named("builtins.slice", [ANY, ANY, ANY])


def view_of(row: Row, fullname: str, named: Named) -> Type:
    """The type of a view of a row: an array with its parts. Its shape has the name of the row, so mypy, which merges
    instances that differ in extra attributes only, keeps it apart from those of others.
    """
    if isinstance(row, Each):
        return ANY
    number = named("builtins.int" if isinstance(row, Integers) else "builtins.float", [])
    numbers = named("builtins.tuple", [number])
    some = CallableType([ANY, ANY], [ARG_POS] * 2, ["first", "width"], numbers, named("builtins.function", []))
    parts: dict[str, Type] = {
        name: number if width == 1 else TupleType([number] * width, numbers) for name, (_, width) in row.parts.items()
    }
    name = LiteralType(fullname, named("builtins.int", []))  # sizes are integers, so the name counts as one
    shape = TupleType([name], named("builtins.tuple", [name]))
    return Instance(
        named("numpy.ndarray", [ANY, ANY]).type,
        [shape, named("numpy.dtype", [ANY])],
        extra_attrs=ExtraAttrs({"part": some} | parts),
    )


def plugin(version: str) -> type[Plugin]:
    """What mypy calls."""
    return Rows
