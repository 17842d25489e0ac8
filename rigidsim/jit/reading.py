"""From the syntax tree of a function to blocks: staged evaluation of a subset of Python.

What is known while code is made (types of named tuples, None, functions, constants, the number of lanes) is computed at
once: an `if` on it takes one branch, a loop over a tuple is written out, a function from a table is called. What is not
known becomes code. The subset:

- statements: assignments (of names, tuples, elements and slices), `if`, `while` and `for` without `else`, `break`,
  `continue`, `return`, `pass`, expressions; loops over ranges, tuples, known tables and rows of arrays;
- expressions: numbers, names, attributes, subscripts, arithmetic, comparisons, `and`, `or`, `not`, conditional
  expressions, tuples with `*`, calls;
- calls: of formulas (Python calls them with traced numbers), of functions marked `inlined` or `routine` (read in
  turn), of types of named tuples, and of the functions in BUILTINS.

`for lane in range(n)` is written once, with vectors in place of numbers, in parts of at most `CodeStyle.width` lanes;
its turns must not depend on each other. A name that has different structures at the ends of two paths cannot be used
after them, and the variable of a loop not after the loop. Everything else is refused with the file, the line and the
reason.
"""

from __future__ import annotations

import ast
import builtins
import gc
import inspect
import math
import operator
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rigidsim.jit import FORMULA, INLINED, LANEWISE, ROUTINE, has_tangents, role_of
from rigidsim.jit.functions import (
    BUILTINS,
    Outlined,
    Parameters,
    SeeLane,
    TooLong,
    assigned_in,
    cause_of,
    has_lanes,
    is_constant,
    parameter_key,
    text_of,
    turns_are_equal,
)
from rigidsim.jit.layouts import KnownArray, Straight, Struct, argument, copy, localised
from rigidsim.jit.rows import Row, RowView, array_of
from rigidsim.jit.values import (
    IR_TYPES,
    MOST_RESULTS,
    NUMBERS,
    Array,
    Lane,
    NotCompilable,
    Traced,
    compare,
    convert,
    kind_of,
    select,
)
from rigidsim.jit.writing import CONSTANT, KERNEL, UNDEFINED, FunctionWriter, Module, Names, Path, leaves, rebuilt


class CodeStyle(NamedTuple):
    """How code is written."""

    unroll: int  # loops of a known, not larger number of turns are written out
    width: int  # most lanes of one vector
    outlines: bool  # whether loops and routines become functions of their own


BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
COMPARISON = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


PARTS = (Traced, Array, Struct, RowView)  # objects that are made anew each time a part is read


class FunctionReader:
    """One call of a function, written where `writer` is."""

    def __init__(self, writer: FunctionWriter, style: CodeStyle, function: types.FunctionType, names: Names):
        self.writer, self.style, self.names = writer, style, names
        self.text, function = text_of(function), inspect.unwrap(function)
        self.function, self._given = function, dict(names)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self._free = {name: cell.cell_contents for name, cell in cells}
        self._returned: list[Path] = []
        self._loops: list[tuple[list[Path], list[Path]]] = []  # paths that go on and that leave, of each loop

    def result(self) -> Any:
        """Write the function, and return its value."""
        begin = self.writer.present
        if self.text.loop is None:
            self._see_rows(0, 1)
            self._statements(self.text.node.body)
        else:
            self._for(self.text.loop, range(len(self.names[self.text.parameters[-1]])))
        if self.writer.block is not None:
            self._returned.append((self.writer.block, {"": None}))
        value = self.writer.merge(self._returned, begin).get("")
        if value is UNDEFINED:
            raise self.text.error("its results have different structures")
        return value

    def _see_rows(self, lane: Any, n: int) -> None:
        """See the parameters that are rows in a lane."""
        for place, row in self.text.rows.items():
            name = self.text.parameters[place]
            given = self._given[name]
            self.names[name] = row(given) if self.text.loop is None else row.view(array_of(given), lane, n)

    def _statements(self, nodes: list[ast.stmt]) -> None:
        for node in nodes:
            if self.writer.block is None:
                return
            write = getattr(self, f"_do_{type(node).__name__}", None)
            if self.writer.module.is_too_long():
                raise TooLong
            try:
                if write is None:
                    raise NotCompilable(f"`{ast.unparse(node).splitlines()[0]}` is outside the subset that is compiled")
                write(node)
            except TooLong:
                raise
            except Exception as error:
                raise cause_of(error, self.text, node.lineno) from error

    # statements

    def _do_SeeLane(self, _node: SeeLane) -> None:
        last = self.text.parameters[-1]
        self._see_rows(self.names[last], len(self._given[last]))

    def _do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self._value(node.value)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Assign(self, node: ast.Assign) -> None:
        value = self._value(node.value)
        for target in node.targets:
            self._assign(target, value)

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._assign(node.target, self._operation(node)(self._name(node.target.id), self._value(node.value)))
        elif isinstance(node.target, ast.Subscript):
            whole, index = self._value(node.target.value), self._index(node.target.slice)
            whole[index] = self._operation(node)(whole[index], self._value(node.value))
        else:
            row, name = self._row(node.target), node.target.attr
            setattr(row, name, self._operation(node)(getattr(row, name), self._value(node.value)))

    def _assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple):
            parts = [value[k] for k in range(len(target.elts))] if isinstance(value, (Array, RowView)) else value
            if not isinstance(parts, (tuple, list)) or len(parts) != len(target.elts):
                raise NotCompilable(f"{len(target.elts)} names for another number of values")
            for part, x in zip(target.elts, parts, strict=True):
                self._assign(part, x)
        elif isinstance(target, ast.Subscript):
            self._value(target.value)[self._index(target.slice)] = value
        elif isinstance(target, ast.Attribute):
            setattr(self._row(target), target.attr, value)
        else:
            raise NotCompilable("only names, tuples and elements of arrays, and parts of rows, can be assigned")

    def _row(self, target: ast.Attribute) -> RowView:
        """The row of which a part is assigned."""
        row = self._value(target.value)
        if not isinstance(row, RowView) or target.attr not in row.row.parts:
            raise NotCompilable("only names, tuples and elements of arrays, and parts of rows, can be assigned")
        return row

    def _do_Return(self, node: ast.Return) -> None:
        value = self._value(node.value) if node.value else None
        self._returned.append((self.writer.present, {"": value}))
        self.writer.block = None

    def _do_Break(self, node: ast.Break) -> None:
        self._loops[-1][1].append((self.writer.present, self.names))
        self.writer.block = None

    def _do_Continue(self, node: ast.Continue) -> None:
        self._loops[-1][0].append((self.writer.present, self.names))
        self.writer.block = None

    def _do_If(self, node: ast.If) -> None:
        condition = self._truth(self._value(node.test))
        if not isinstance(condition, Traced):
            return self._statements(node.body if condition else node.orelse)
        self._branch(condition, lambda: self._statements(node.body), lambda: self._statements(node.orelse))
        return None

    def _branch(self, condition: Traced, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        names, above, paths = self.names, self.writer.present, []
        for block, write in zip(self.writer.fork(condition), (then, otherwise), strict=True):
            self.writer.block, self.names = block, dict(names)
            write()
            if self.writer.block is not None:
                paths.append((self.writer.block, self.names))
        self.names = self.writer.merge(paths, above)

    def _do_While(self, node: ast.While) -> None:
        if node.orelse:
            raise NotCompilable("a loop with `else`")
        n_returned = len(self._returned)

        def test(names: Names) -> Any:
            del self._returned[n_returned:]  # if the loop is written again
            self.names = names
            return self._truth(self._value(node.test))

        self.names = self.writer.loop(self.names, assigned_in([node]), test, lambda names: self._turn(names, node.body))

    def _turn(self, names: Names, body: list[ast.stmt]) -> tuple[list[Path], list[Path]]:
        """One turn of a loop: paths that go on, and paths that leave."""
        self.names = names
        self._loops.append(([], []))
        self._statements(body)
        going, leaving = self._loops.pop()
        if self.writer.block is not None:
            going.append((self.writer.block, self.names))
        return going, leaving

    def _do_For(self, node: ast.For) -> None:
        if node.orelse:
            raise NotCompilable("a loop with `else`")
        self._for(node, self._iterated(node.iter))

    def _for(self, node: ast.For, sequence: Any) -> None:
        if isinstance(sequence, range):
            is_lanes = isinstance(node.target, ast.Name) and node.target.id == "lane"
            is_lanes = is_lanes and len(sequence) > 1 and sequence == range(len(sequence))
            if is_lanes and turns_are_equal(node) and (len(sequence) > self.style.unroll or not self.style.outlines):
                return self._lanes(node, len(sequence))
            if len(sequence) > self.style.unroll:
                sequence = Counted(sequence.start, sequence.stop, sequence.step, lambda k: k)
        if isinstance(sequence, (Array, RowView)):
            sequence = Counted(0, sequence.shape[0], 1, sequence.__getitem__)
        if isinstance(sequence, Counted):
            return self._counted(node, sequence)
        if not isinstance(sequence, (tuple, range, KnownArray)):
            raise NotCompilable("a loop over something else than a range, a tuple or an array")
        return self._written_out(node, sequence)

    def _iterated(self, node: ast.expr) -> Any:
        """What a loop goes through; a range whose ends are not known is `Counted`."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
            return self._value(node)
        given = [self._value(x) for x in node.args]
        if all(isinstance(x, NUMBERS) for x in given):
            return range(*map(int, given))
        begin, end, step = (0, given[0], 1) if len(given) == 1 else (*given, 1)[:3]
        if isinstance(step, Traced):
            raise NotCompilable("a range whose step is not known")
        return Counted(begin, end, step, lambda k: k)

    def _counted(self, node: ast.For, sequence: Counted) -> None:
        """A loop that counts."""
        own, outer = set(assigned_in([node.target])), self.names
        index = f"index of line {node.lineno}"  # apart from the loop's variable, which a turn may assign
        carried = [name for name in assigned_in(node.body) if name not in own]
        names = {name: value for name, value in outer.items() if name not in own}
        names[index] = convert(sequence.begin, "i")
        n_returned = len(self._returned)

        def body(names: Names) -> tuple[list[Path], list[Path]]:
            del self._returned[n_returned:]  # if the loop is written again
            self.names = names
            self._assign(node.target, sequence.item(names[index]))
            return self._turn(self.names, node.body)

        def advance(names: Names) -> None:
            names[index] = names[index] + sequence.step

        word = "lt" if sequence.step > 0 else "gt"
        self.names = self.writer.loop(
            names, [*carried, index], lambda names: compare(word, names[index], sequence.end), body, advance
        )
        self.names.pop(index, None)

    def _written_out(self, node: ast.For, sequence: Any) -> None:
        """A loop whose turns are written one after the other."""
        left, above = [], self.writer.present
        for x in sequence:
            self._assign(node.target, x)
            going, leaving = self._turn(self.names, node.body)
            left += leaving
            self.names = self.writer.merge(going, above)
            if self.writer.block is None:
                break
        if left:
            here = [(self.writer.block, self.names)] if self.writer.block is not None else []
            self.names = self.writer.merge([*left, *here], above)

    def _lanes(self, node: ast.For, n: int) -> None:
        """A loop over lanes, as operations on vectors."""
        outer = dict(self.names)
        width = max(k for k in range(1, self.style.width + 1) if n % k == 0)

        def turn(first: Any) -> None:
            self.names = {**outer, "lane": Lane(first, width)}
            self._statements(node.body)
            for name in assigned_in(node.body):
                if name in outer and self.names.get(name) is not outer[name]:
                    raise NotCompilable(f"a loop over lanes changes `{name}`, which other turns see")

        if n == width or not self.style.outlines:
            for first in range(0, n, width):
                turn(first)
        else:
            self.writer.count(0, n, width, turn)
        self.names = outer

    # expressions

    def _value(self, node: ast.expr) -> Any:
        read = getattr(self, f"_of_{type(node).__name__}", None)
        if read is None:
            raise NotCompilable(f"`{ast.unparse(node)}` is outside the subset that is compiled")
        return read(node)

    def _of_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def _of_Name(self, node: ast.Name) -> Any:
        return self._name(node.id)

    def _name(self, name: str) -> Any:
        is_own = name in self.function.__code__.co_varnames
        for names in (self.names,) if is_own else (self._free, self.function.__globals__, vars(builtins)):
            if name in names:
                if names[name] is UNDEFINED:
                    raise NotCompilable(f"`{name}` has another structure on another path")
                return names[name]
        raise NotCompilable(f"`{name}` is not defined here, or not on each path")

    def _of_Attribute(self, node: ast.Attribute) -> Any:
        return getattr(self._value(node.value), node.attr)

    def _index(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Tuple):
            return tuple(self._index(x) for x in node.elts)
        if isinstance(node, ast.Slice):
            if node.step:
                raise NotCompilable("a slice with a step")
            return slice(*(None if x is None else self._value(x) for x in (node.lower, node.upper)))
        return self._value(node)

    def _of_Subscript(self, node: ast.Subscript) -> Any:
        whole, index = self._value(node.value), self._index(node.slice)
        if isinstance(whole, tuple) and isinstance(index, Traced):
            return self._chosen(whole, index)
        return whole[index]

    def _chosen(self, whole: tuple, index: Traced) -> Any:
        """The element of a tuple at a place that is not known."""
        if is_constant(whole):
            kind = max(map(kind_of, whole), key="bif".index)
            return self.writer.constant(whole, "f" if kind == "f" else "i")[index]
        chosen = whole[0]
        for k, x in enumerate(whole[1:], 1):
            is_this = index == k
            if isinstance(x, tuple):
                chosen = tuple(select(is_this, p, q) for p, q in zip(x, chosen, strict=True))
            else:
                chosen = select(is_this, x, chosen)
        return chosen

    def _of_BinOp(self, node: ast.BinOp) -> Any:
        return self._operation(node)(self._value(node.left), self._value(node.right))

    def _operation(self, node: ast.BinOp | ast.AugAssign) -> Callable:
        if type(node.op) not in BINARY:
            raise NotCompilable(f"`{ast.unparse(node)}`: powers and matrix products are not compiled")
        return BINARY[type(node.op)]

    def _of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        x = self._value(node.operand)
        if isinstance(node.op, ast.Not):
            x = self._truth(x)
            return operator.xor(x, True) if isinstance(x, Traced) else not x
        return -x if isinstance(node.op, ast.USub) else +x if isinstance(node.op, ast.UAdd) else ~x

    def _of_Compare(self, node: ast.Compare) -> Any:
        result, left = True, self._value(node.left)
        for op, other in zip(node.ops, node.comparators, strict=True):
            if type(op) not in COMPARISON:
                raise NotCompilable(f"`{ast.unparse(node)}`: this comparison is not compiled")
            right = self._value(other)
            if isinstance(op, (ast.Is, ast.IsNot)) and all(isinstance(x, PARTS) for x in (left, right)):
                raise NotCompilable(f"`{ast.unparse(node)}`: whether two parts are one is not known")
            one = COMPARISON[type(op)](left, right)
            if isinstance(result, Traced):
                result = result & one
            else:
                result = one if result else False
            left = right
        return result

    def _of_BoolOp(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)

        def rest(nodes: list[ast.expr]) -> Any:
            first = self._value(nodes[0])
            if len(nodes) == 1:
                return first
            truth = self._truth(first)
            if not isinstance(truth, Traced):
                return rest(nodes[1:]) if truth == is_and else first
            then, otherwise = (lambda: rest(nodes[1:])), (lambda: not is_and if truth is first else first)
            return self._either(truth, then, otherwise) if is_and else self._either(truth, otherwise, then)

        return rest(node.values)

    def _truth(self, x: Any) -> Any:
        """A condition: True, False, or a traced bool."""
        if isinstance(x, Traced):
            if x.width:
                raise NotCompilable("a decision that differs from lane to lane; use `select` in a formula")
            return x if x.kind == "b" else x != 0
        return True if isinstance(x, (Struct, Array, RowView)) else bool(x)

    def _either(self, condition: Traced, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        def put(make: Callable[[], Any]) -> None:
            self.names["?"] = make()

        self._branch(condition, lambda: put(then), lambda: put(otherwise))
        value = self.names.pop("?")
        if value is UNDEFINED:
            raise NotCompilable("one of two values, which have different structures")
        return value

    def _of_IfExp(self, node: ast.IfExp) -> Any:
        condition = self._truth(self._value(node.test))
        if not isinstance(condition, Traced):
            return self._value(node.body if condition else node.orelse)
        return self._either(condition, lambda: self._value(node.body), lambda: self._value(node.orelse))

    def _of_Tuple(self, node: ast.Tuple) -> tuple:
        return tuple(self._listed(node.elts))

    def _listed(self, nodes: list[ast.expr]) -> Iterator[Any]:
        for x in nodes:
            if isinstance(x, ast.Starred):
                yield from self._value(x.value)
            else:
                yield self._value(x)

    def _of_Call(self, node: ast.Call) -> Any:
        function, given = self._value(node.func), list(self._listed(node.args))
        return self._call(function, given, {str(k.arg): self._value(k.value) for k in node.keywords})

    # calls

    def _call(self, function: Any, given: list, named: Names) -> Any:
        if isinstance(function, types.FunctionType):
            role = role_of(function)
            if role == FORMULA:
                return function(*given, **named)
            if role is None:
                raise NotCompilable(f"{function.__qualname__} is not marked as a formula, inlined or routine")
            return self._read(function, role, given, named)
        if function in BUILTINS:
            return BUILTINS[function](*given, **named)
        if getattr(function, "__module__", None) == "_operator":
            return function(*given, **named)
        is_type = isinstance(function, Row) or (isinstance(function, type) and issubclass(function, tuple))
        if is_type or getattr(function, "__func__", None) in (Array.reshape, Row.place, RowView.part, RowView.put):
            return function(*given, **named)
        raise NotCompilable(f"a call of {function!r}")

    def _read(self, function: types.FunctionType, role: str, given: list, named: Names) -> Any:
        text = text_of(function)
        names = text.names_of(given, named)
        is_own = (role in (ROUTINE, LANEWISE) or text.has_loop) and self.style.outlines
        if is_own and not any(map(has_lanes, names.values())):
            return self._call_outlined(function, role, names)
        return FunctionReader(self.writer, self.style, function, names).result()

    def _call_outlined(self, function: types.FunctionType, role: str, names: Names) -> Any:
        """Call a function of its own, which is written once for each structure of its arguments."""
        module, key = self.writer.module, (function, *map(parameter_key, names.values()))
        writer = FunctionWriter(module)
        parameters = Parameters(writer)
        inside = {name: parameters.inside(x) for name, x in names.items()}
        if key not in module.outlined:
            module.outlined[key] = None
            module.outlined[key] = self._outlined(function, role, writer, inside, parameters)
        made = module.outlined[key]
        if made is None:
            raise NotCompilable(f"{function.__qualname__} calls itself")
        given = ", ".join(f"{IR_TYPES[x.kind]} {x.ref}" for x in parameters.given)
        if not made.kinds:
            self.writer.line(f"call void @{made.name}({given})")
            return made.result
        whole = self.writer.emit(f"call {made.type} @{made.name}({given})", "x", pure=False)
        numbers = [
            self.writer.emit(f"extractvalue {made.type} {whole.ref}, {i}", kind) for i, kind in enumerate(made.kinds)
        ]
        return rebuilt(made.result, iter(numbers))

    def _outlined(self, function, role: str, writer: FunctionWriter, inside: Names, parameters: Parameters) -> Outlined:
        value = FunctionReader(writer, self.style, function, inside).result()
        numbers = [convert(x, kind_of(x)) for x in leaves(value)]
        kinds = [x.kind for x in numbers]
        type_ = "{ " + ", ".join(IR_TYPES[kind] for kind in kinds) + " }" if kinds else "void"
        last = "undef"
        for i, x in enumerate(numbers):
            last = writer.emit(f"insertvalue {type_} {last}, {IR_TYPES[x.kind]} {x.ref}, {i}", "x", pure=False).ref
        if writer.block is not None:
            writer.block.end = f"ret {type_} {last}" if kinds else "ret void"
        head = ", ".join(f"{IR_TYPES[x.kind]} noundef %a{i}" for i, x in enumerate(parameters.given))
        end = "" if has_tangents(function) else CONSTANT
        name = f'"{function.__module__}.{function.__name__}.{len(writer.module.functions)}{end}"'
        writer.module.functions[name] = f"define internal {type_} @{name}({head}) #0 {{\n{writer.text()}\n}}"
        if role == INLINED:
            writer.module.inlined.append(name)
        return Outlined(name, type_, kinds, value)


class Counted(NamedTuple):
    """A range that is counted when the code runs, and what a turn gets for a number."""

    begin: Any
    end: Any
    step: int
    item: Callable[[Traced], Any]


# --- kernels

GENERAL = CodeStyle(unroll=6, width=8, outlines=True)
STRAIGHT = CodeStyle(unroll=1 << 30, width=16, outlines=False)


@contextmanager
def without_collection() -> Iterator[None]:
    """Without Python's search for circular garbage, which takes a seventh of the time of reading and finds little."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@without_collection()
def read_kernel(
    function: types.FunctionType,
    layouts: dict[str, Any],
    straight: Straight | None = None,
    most_lines: float = math.inf,
) -> tuple[Module | None, str]:
    """The IR of `void kernel(ptr words)` for arguments of these layouts, and the kinds of its results.

    `words` has a word for each argument, a number or the address of a table, and after them room for the results: none,
    one number, or a tuple of them (then the kinds are in brackets). None if it
    had more lines than `most_lines`.
    """
    module = Module(most_lines)
    module.functions[KERNEL] = ""
    writer = FunctionWriter(module)
    call = Traced(writer, "p", "%words")
    names = {name: argument(call, place, layout) for place, (name, layout) in enumerate(layouts.items())}
    back: list[tuple[Any, Any]] = []
    for name, local in straight.local.items() if straight else ():
        names[name] = localised(names[name], local, back)
    try:
        value = FunctionReader(writer, STRAIGHT if straight else GENERAL, function, names).result()
    except TooLong:
        return None, ""
    for there, here in back:
        copy(here, there)
    numbers = list(value) if isinstance(value, tuple) else [] if value is None else [value]
    if len(numbers) > MOST_RESULTS or not all(isinstance(x, (Traced, *NUMBERS)) for x in numbers):
        raise text_of(function).error(f"a kernel returns nothing or numbers, {MOST_RESULTS} at most")
    for k, x in enumerate(numbers):
        Array(call, (len(layouts) + MOST_RESULTS,), "f" if kind_of(x) == "f" else "i")[len(layouts) + k] = x
    if writer.block is not None:
        writer.block.end = "ret void"
    module.functions[KERNEL] = f"define void @kernel(ptr noundef %words) #0 {{\n{writer.text()}\n}}"
    kinds = "".join(map(kind_of, numbers))
    return module, f"({kinds})" if isinstance(value, tuple) else kinds
