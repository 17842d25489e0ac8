"""Functions in LLVM's intermediate representation (IR): blocks of lines, values that depend on the path, loops."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rigidsim.jit.cache import short_hash
from rigidsim.jit.layouts import Struct
from rigidsim.jit.rows import RowView, array_of
from rigidsim.jit.values import (
    IR_TYPES,
    KINDS,
    NUMBERS,
    Array,
    Traced,
    compare,
    convert,
    ir_type,
    kind_of,
    literal,
    width_of,
)

ORDER = KINDS + "p"
# No flag for fast arithmetic exists anywhere: LLVM may not reassociate, contract or drop an operation on floats.
ATTRIBUTES = """attributes #0 = { nounwind "no-trapping-math"="true" }
attributes #1 = { alwaysinline nounwind "no-trapping-math"="true" }"""
METADATA = """!0 = !{!"rigidsim"}
!1 = !{!3, !3, i64 0}
!2 = !{!4, !4, i64 0}
!3 = !{!"f", !0, i64 0}
!4 = !{!"i", !0, i64 0}
!5 = !{}"""
MOST_COPIED = 1000  # lines of one function; more take longer to compile, and run no faster
KERNEL = "@kernel"  # the function that Python calls
CONSTANT = ".constant"  # the end of the name of a function whose results have no tangents
CALLED = re.compile(r'call [^@\n]*@("[^"\n]+")')
FUNCTION = re.compile(r'define (?:internal )?(.+?) @("[^"]+"|kernel)\((.*)\) #0 \{')
GIVEN = re.compile(r" noundef %[\w.]+")
NUMBER = re.compile(r'\.\d+(?=(\.constant)?"$)')  # in the name of a function: its place in its module
GLOBAL = re.compile(r"@[\w.]+")


class Unit(NamedTuple):
    """A function that is compiled by itself, with its parts: their IR, and how many lines they have."""

    text: str
    size: int


class Module:
    """The functions of a kernel, by name; the first one is what Python calls."""

    def __init__(self, most_lines: float = math.inf, most_copied: int = MOST_COPIED):
        self._most_lines, self._most_copied, self.n_line = most_lines, most_copied, 0
        self.functions: dict[str, str] = {}
        self.outlined: dict[Any, Any] = {}  # functions of their own, by their text and the structure of their arguments
        self.inlined: list[str] = []  # those that LLVM may make parts of their callers; what one calls precedes it
        self._declared: dict[str, None] = {}
        self._constants: dict[str, str] = {}

    def is_too_long(self) -> bool:
        """Whether more lines were written than are wanted."""
        return self.n_line > self._most_lines

    def declare(self, text: str) -> None:
        """Declare a function of LLVM."""
        self._declared[text] = None

    def constants(self, numbers: tuple, kind: str) -> str:
        """The name of an array of constants."""
        text = ", ".join(f"{IR_TYPES[kind]} {literal(x, kind)}" for x in numbers)
        whole = f"[{len(numbers)} x {IR_TYPES[kind]}] [{text}]"
        return self._constants.setdefault(whole, f"@c{short_hash(whole)}")

    def used(self) -> dict[str, str]:
        """The functions that are called."""
        waiting, used = [next(iter(self.functions))], {}
        while waiting:
            name = waiting.pop()
            if name not in used:
                used[name] = self.functions[name]
                waiting += CALLED.findall(used[name])
        return used

    def units(self) -> dict[str, Unit]:
        """The functions that are no parts of their callers. The name of each follows from its text and from what it
        calls, so functions that two kernels have in common have one name and one text.
        """
        functions, names, texts = self.used(), {}, {}
        parts = self._parts_of_callers(functions)

        def renamed(name: str) -> str:
            if name not in names:
                text = CALLED.sub(lambda call: call[0].replace(call[1], renamed(call[1])), functions[name])
                base = NUMBER.sub("", name)
                names[name] = f'{base[:-1]}.{short_hash(text.replace(name, base))}"' if name != KERNEL else name
                texts[names[name]] = text.replace(name, names[name], 1)
            return names[name]

        whole = {renamed(name): _size(text, parts) for name, text in functions.items() if name not in parts}
        within = {names[name] for name in parts}
        return {name.strip('@"'): Unit(self._unit(name, texts, within), size) for name, size in whole.items()}

    def _unit(self, name: str, texts: dict[str, str], parts: set[str]) -> str:
        """The IR of a function and its parts, with declarations of all else that they use."""
        waiting = [name]
        own: dict[str, str] = {}
        called: dict[str, None] = {}
        while waiting:
            one = waiting.pop()
            if one not in own:
                own[one] = texts[one]
                found = dict.fromkeys(CALLED.findall(texts[one]))
                waiting += [other for other in found if other in parts]
                called |= {other: None for other in found if other not in parts}
        body = own.pop(name).replace("define internal ", "define ", 1)
        body = "\n".join([body, *(text.replace("#0 {", "#1 {", 1) for text in own.values())])
        named = set(GLOBAL.findall(body))
        head = [_declaration(texts[other]) for other in called]
        head += [line for line in self._declared if GLOBAL.findall(line)[0] in named]
        head += [f"{other} = internal constant {text}" for text, other in self._constants.items() if other in named]
        return "\n".join([*sorted(head), body, ATTRIBUTES, METADATA])

    def _parts_of_callers(self, functions: dict[str, str]) -> dict[str, int]:
        """The functions that become parts of their callers, and how many lines they have then: those that are called
        once, and those of which the copies are few lines in all.
        """
        calls = Counter(name for text in functions.values() for name in CALLED.findall(text))
        lines: dict[str, int] = {}
        for name in (name for name in self.inlined if name in functions):
            count = _size(functions[name], lines)
            if (calls[name] - 1) * count <= self._most_copied:
                lines[name] = count
        return lines


def _declaration(text: str) -> str:
    """The declaration of a function that is defined elsewhere."""
    type_, name, given = fitted(FUNCTION, text).groups()
    return f"declare {type_} @{name}({GIVEN.sub('', given)})"


def fitted(pattern: str | re.Pattern, text: str) -> re.Match[str]:
    """The match of text that the compiler itself has written in this form."""
    found = re.match(pattern, text)
    assert found is not None, text
    return found


def _size(text: str, parts: dict[str, int]) -> int:
    """The lines of a function, if these functions are parts of their callers."""
    return text.count("\n") + sum(parts.get(called, 0) for called in CALLED.findall(text))


class BasicBlock:
    """Lines that are executed one after the other. What was computed in the blocks above it, each of which every path
    to this block passes, is known here.
    """

    __slots__ = ("above", "end", "known", "label", "lines", "phis")

    def __init__(self, label: str, above: BasicBlock | None):
        self.label, self.above = label, above
        self.lines: list[str] = []
        self.phis: list[Phi] = []
        self.end: str | None = None
        self.known: dict[str, Traced] = {}

    def find(self, text: str) -> Traced | None:
        """The number that was computed by this text."""
        block: BasicBlock | None = self
        while block is not None:
            if text in block.known:
                return block.known[text]
            block = block.above
        return None


class Undefined:
    """In place of a value that has a different structure on each path to a block."""


UNDEFINED = Undefined()
Names = dict[str, Any]
Path = tuple[BasicBlock, Names]


class FunctionWriter:
    """Writes one function. `block` is the block that is being written; None where no path leads."""

    def __init__(self, module: Module):
        self.module, self._n = module, 0
        self.blocks: list[BasicBlock] = []
        self._words: dict[tuple[str, int], tuple[Traced, list[str]]] = {}
        self.block: BasicBlock | None = self.new_block(None)

    @property
    def present(self) -> BasicBlock:
        """The block that is being written, to which some path leads."""
        assert self.block is not None
        return self.block

    # --- lines

    def new_block(self, above: BasicBlock | None) -> BasicBlock:
        """A block that comes after the present ones."""
        self._n += 1
        block = BasicBlock(f"b{self._n}", above)
        self.blocks.append(block)
        return block

    def line(self, text: str) -> None:
        """Write a line without a result."""
        self.present.lines.append(text)

    def emit(self, text: str, kind: str, width: int = 0, pure: bool = True) -> Traced:
        """Write an operation; a pure one, whose result depends on its operands alone, is written once."""
        block = self.present
        known = block.find(text) if pure else None
        if known is not None:
            return known
        made = self._new(kind, width)
        self.module.n_line += 1
        block.lines.append(f"{made.ref} = {text}")
        if pure:
            block.known[text] = made
        return made

    def _new(self, kind: str, width: int = 0) -> Traced:
        self._n += 1
        return Traced(self, kind, f"%v{self._n}", width)

    def phi(self, kind: str, width: int) -> Phi:
        """A number that depends on the path."""
        return Phi(self._new(kind, width))

    def word(self, table: Traced, place: int, kind: str) -> Traced:
        """A word of a table. Tables do not change while compiled code runs, so it is read when the function begins, if
        the table is known then.
        """
        key = (table.ref, place)
        if key not in self._words:
            made = self._new(kind)
            lines = self._reading(table, place, made)
            if not (table.ref.startswith(("%words", "%a")) or any(table is word for word, _ in self._words.values())):
                self.present.lines += lines
                return made
            self._words[key] = made, lines
        return self._words[key][0]

    def _reading(self, table: Traced, place: int, word: Traced) -> list[str]:
        is_bool, at = word.kind == "b", f"{word.ref}.at"
        whole, type_ = (f"{word.ref}.whole", "i64") if is_bool else (word.ref, IR_TYPES[word.kind])
        return [
            f"{at} = getelementptr i64, ptr {table.ref}, i64 {place}",
            f"{whole} = load {type_}, ptr {at}, align 8, !invariant.load !5",
            *([f"{word.ref} = trunc i64 {whole} to i1"] if is_bool else []),
        ]

    def local(self, size: int) -> Traced:
        """The address of an array of floats that exists while the function runs."""
        made = self._new("p")
        self.blocks[0].lines.insert(0, f"{made.ref} = alloca [{max(size, 1)} x double], align 64")
        return made

    def constant(self, numbers: tuple, kind: str) -> Array:
        """An array of constants."""
        return Array(Traced(self, "p", self.module.constants(numbers, kind)), (len(numbers),), kind)

    def text(self) -> str:
        """The blocks as IR."""
        self.blocks[0].lines[:0] = [line for _, lines in self._words.values() for line in lines]
        self._words = {}
        out = []
        for block in self.blocks:
            out += [f"{block.label}:", *(phi.text() for phi in block.phis), *block.lines, block.end or "unreachable"]
        return "\n".join(out)

    def place(self) -> tuple:
        """What `go_back` needs to forget all that is written from here on."""
        block = self.present
        return block, len(block.lines), dict(block.known), len(self.blocks)

    def go_back(self, place: tuple) -> None:
        """Forget what was written since."""
        block, n_line, known, n_block = place
        del block.lines[n_line:], self.blocks[n_block:]
        block.known, block.end, self.block = known, None, block

    # --- paths

    def go(self, target: BasicBlock) -> None:
        """End the present block."""
        self.present.end = f"br label %{target.label}"

    def fork(self, condition: Traced) -> tuple[BasicBlock, BasicBlock]:
        """End the present block by a decision; returns the blocks of both paths."""
        yes, no = self.new_block(self.block), self.new_block(self.block)
        self.present.end = f"br i1 {condition.ref}, label %{yes.label}, label %{no.label}"
        return yes, no

    def merge(self, paths: list[Path], above: BasicBlock) -> Names:
        """Go on where paths come together, each with its names; `above` is a block that all of them passed. Returns the
        names that all have.
        """
        if not paths:
            self.block = None
            return {}
        if len(paths) == 1:
            self.block = paths[0][0]
            return paths[0][1]
        target, blocks = self.new_block(above), [block for block, _ in paths]
        shared = [name for name in paths[0][1] if all(name in names for _, names in paths)]
        made = {name: self._joined([names[name] for _, names in paths], blocks, target) for name in shared}
        for block in blocks:
            block.end = f"br label %{target.label}"
        self.block = target
        return made

    def _joined(self, values: list, blocks: list[BasicBlock], target: BasicBlock) -> Any:
        first = values[0]
        if all(value is first for value in values):
            return first
        if any(structure(value) != structure(first) for value in values[1:]):
            return UNDEFINED
        parts = zip(*map(leaves, values), strict=True)
        return rebuilt(first, iter([self._joined_number(numbers, blocks, target) for numbers in parts]))

    def _joined_number(self, numbers: tuple, blocks: list[BasicBlock], target: BasicBlock) -> Any:
        if all(is_same(x, numbers[0]) for x in numbers):
            return numbers[0]
        kind = max(map(kind_of, numbers), key=ORDER.index)
        phi = self.phi(kind, max(map(width_of, numbers)))
        for number, block in zip(numbers, blocks, strict=True):
            self.block = block
            phi.come_from(block, number)
        target.phis.append(phi)
        return phi.number

    # --- loops

    def loop(
        self,
        names: Names,
        assigned: Iterable[str],
        test: Callable[[Names], Any],
        body: Callable[[Names], tuple[list[Path], list[Path]]],
        advance: Callable[[Names], None] = lambda names: None,
    ) -> Names:
        """A loop. `test` gives the condition; `body` writes a turn, and returns the paths that go on and those that
        leave; `advance` is done before the next turn. What the turns assign depends on the path; if it turns out that
        it has another kind or structure after a turn (0 becomes 0.0), the loop is written again. Returns the names
        after the loop.
        """
        start, carried = self.place(), LoopNames([name for name in assigned if name in names])
        while True:
            self.go_back(start)
            header = self.new_block(self.block)
            inside = carried.enter(self, names)
            header.phis = list(carried.phis.values())
            self.go(header)
            self.block = header
            condition, left = test(inside), []
            if isinstance(condition, Traced):
                turn, out = self.fork(condition)
                left.append((out, inside))
            elif condition:
                turn = self.new_block(self.block)
                self.go(turn)
            else:
                return inside
            self.block = turn
            going, leaving = body(dict(inside))
            after = self.merge(going, turn)
            if self.block is not None:
                advance(after)
                if carried.differs(inside, after):
                    continue
                carried.come_back(self.block, after)
                self.go(header)
            return self.merge(left + leaving, header)

    def count(self, begin: Any, end: Any, step: int, turn: Callable[[Traced], None]) -> None:
        """A loop over integers whose turns assign no names."""

        def body(names: Names) -> tuple[list[Path], list[Path]]:
            turn(names["index"])
            return [(self.present, names)], []

        def advance(names: Names) -> None:
            names["index"] = names["index"] + step

        first = {"index": convert(begin, "i")}
        self.loop(first, ["index"], lambda names: compare("lt", names["index"], end), body, advance)


class LoopNames:
    """The names that the turns of a loop assign, and what is known of them from the turns that were written so far."""

    def __init__(self, names: list[str]):
        self._names = names
        self._kinds: dict[tuple[str, int], str] = {}  # of the numbers of a name
        self._undefined: set[str] = set()  # names that get another structure
        self._moving: set[tuple[str, int]] = set()  # sizes of arrays that change, which is rare
        self._numbers: dict[str, list] = {}  # the numbers that each name consists of, at the beginning of a turn
        self.phis: dict[tuple[str, int], Phi] = {}

    def enter(self, writer: FunctionWriter, names: Names) -> Names:
        """The names at the beginning of a turn; the present block leads to the first."""
        inside, self._numbers, self.phis = dict(names), {}, {}
        for name in self._names:
            if name in self._undefined or names[name] is UNDEFINED:
                inside[name] = UNDEFINED
                continue
            numbers = leaves(names[name])
            for k, x in enumerate(numbers):
                if isinstance(array_of(names[name]), Array) and k and (name, k) not in self._moving:
                    continue
                self.phis[name, k] = phi = writer.phi(self._kinds.get((name, k), kind_of(x)), width_of(x))
                phi.come_from(writer.present, x)
                numbers[k] = phi.number
            self._numbers[name], inside[name] = numbers, rebuilt(names[name], iter(numbers))
        return inside

    def differs(self, inside: Names, after: Names) -> bool:
        """Whether a turn changed more of a name than its numbers; remembers what."""
        found = False
        for name, numbers in self._numbers.items():
            value = after.get(name, UNDEFINED)
            if structure(value) != structure(inside[name]):
                self._undefined.add(name)
                found = True
                continue
            for k, (x, y) in enumerate(zip(numbers, leaves(value), strict=True)):
                if (name, k) not in self.phis:
                    if not is_same(x, y):
                        self._moving.add((name, k))
                        found = True
                elif ORDER.index(kind_of(y)) > ORDER.index(x.kind):
                    self._kinds[name, k] = kind_of(y)
                    found = True
        return found

    def come_back(self, block: BasicBlock, after: Names) -> None:
        """Go on with the numbers at the end of a turn."""
        for (name, k), phi in self.phis.items():
            phi.come_from(block, leaves(after[name])[k])


class Phi:
    """A number that depends on the block from which another one is reached."""

    def __init__(self, number: Traced):
        self.number = number
        self.arms: list[str] = []

    def come_from(self, block: BasicBlock, x: Any) -> None:
        """The number for the path from a block, which is written at its end."""
        writer, number = self.number.writer, self.number
        before, writer.block = writer.block, block
        self.arms.append(f"[ {convert(x, number.kind, number.width).ref}, %{block.label} ]")
        writer.block = before

    def text(self) -> str:
        """The line."""
        return f"{self.number.ref} = phi {ir_type(self.number.kind, self.number.width)} {', '.join(self.arms)}"


# --- values that consist of several numbers


def leaves(value: Any) -> list:
    """The numbers and addresses that a value consists of, in order."""
    if isinstance(value, (Traced, *NUMBERS)):
        return [value]
    if isinstance(value, Array):
        return [value.pointer, *value.dims]
    if isinstance(value, Struct):
        return [value._table]
    if isinstance(value, RowView):
        return leaves(value.rows) + ([value.lane] if value.n > 1 else [])
    return [x for part in value for x in leaves(part)] if isinstance(value, tuple) else []


def rebuilt(value: Any, source) -> Any:
    """The value with other numbers."""
    if isinstance(value, (Traced, *NUMBERS)):
        return next(source)
    if isinstance(value, Array):
        return Array(next(source), [next(source) for _ in value.dims], value.kind)
    if isinstance(value, Struct):
        return Struct(next(source), value._layout)
    if isinstance(value, RowView):
        return type(value)(rebuilt(value.rows, source), next(source) if value.n > 1 else value.lane, value.n)
    if isinstance(value, tuple):
        return tuple_like(value, [rebuilt(part, source) for part in value])
    return value


def tuple_like(value: tuple, parts: list) -> tuple:
    """A tuple, or a named tuple of the same type, of other parts."""
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def structure(value: Any) -> Any:
    """All of a value but its numbers."""
    if isinstance(value, (Traced, *NUMBERS)):
        return "number", width_of(value)
    if isinstance(value, Array):
        return "array", value.kind, len(value.dims)
    if isinstance(value, Struct):
        return "struct", value._layout
    if isinstance(value, RowView):
        return "view", value.row, value.n, structure(value.rows)
    if isinstance(value, tuple):
        return (type(value), *map(structure, value))
    return value


def is_same(a: Any, b: Any) -> bool:
    """Whether two numbers are one: the same line, or equal constants of one type."""
    if isinstance(a, Traced) or isinstance(b, Traced):
        return isinstance(a, Traced) and isinstance(b, Traced) and (a.ref, a.kind) == (b.ref, b.kind)
    return type(a) is type(b) and literal(a, kind_of(a)) == literal(b, kind_of(b))
