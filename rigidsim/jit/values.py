"""What compiled code computes with: numbers, lanes, arrays and named tuples that are known only when it runs.

A formula is called with `Traced` numbers, and each of its operations writes a line of LLVM's intermediate
representation (IR). Python's semantics hold: integers (of 64 bits) and floats mix as in Python, and no operation has a
flag that would let LLVM change the bits of a result. An operation on numbers that are known while code is made is
carried out by Python.

Differences from Python: a name that is an integer on one path and a float on another is a float, so that -x of its 0 is
-0.0; a float divided by zero is infinite or NaN, and an integer 0, as in NumPy; the integer nearest to a float that is
too large is the largest one, and that of NaN is 0; an index or a bound that is not known is not checked, and does not
count from the end if it is negative.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

IR_TYPES = {"f": "double", "i": "i64", "b": "i1", "p": "ptr"}
TAGS = {"f": "!1", "i": "!2"}  # floats and integers never share memory
KINDS = "bif"  # bool, integer, float: the kind of a result is the last of those of its operands
MOST_RESULTS = 8  # numbers that a kernel returns
NUMBERS = (int, float, bool, np.integer, np.floating, np.bool_)


class NotCompilable(Exception):
    """Code outside the subset of Python that can be compiled; the message says where and why."""


class Located(NotCompilable):
    """One whose message says where."""


def ir_type(kind: str, width: int) -> str:
    """The type of a number, or of a vector of `width` lanes."""
    return f"<{width} x {IR_TYPES[kind]}>" if width else IR_TYPES[kind]


def kind_of(x: Any) -> str:
    """b, i or f (or p, of an address)."""
    if isinstance(x, Traced):
        return x.kind
    return "b" if isinstance(x, (bool, np.bool_)) else "i" if isinstance(x, (int, np.integer)) else "f"


def width_of(x: Any) -> int:
    """The lanes of a number; 0 for one number."""
    return x.width if isinstance(x, Traced) else 0


def literal(x: Any, kind: str) -> str:
    """A known number as IR text, exactly."""
    if kind == "f":
        return f"0x{struct.unpack('<Q', struct.pack('<d', float(x)))[0]:016X}"
    return ("true" if x else "false") if kind == "b" else str(int(x))


class Traced:
    """A number, or one in each lane, that is known when the code runs; `ref` is its name in the IR. `parts` are the
    numbers that a vector was assembled from, if it was.
    """

    __slots__ = ("kind", "parts", "ref", "width", "writer")
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, writer, kind: str, ref: str, width: int = 0):
        self.writer, self.kind, self.ref, self.width, self.parts = writer, kind, ref, width, None

    def __bool__(self):
        raise NotCompilable("a decision by a number that is known only when the code runs; use `select` in formulas")

    @property
    def context(self) -> type[Primitives]:
        """The functions that generic formulas ask for, as of mpmath numbers."""
        return Primitives

    def __neg__(self):
        if self.kind == "f":
            return self.writer.emit(f"fneg {ir_type('f', self.width)} {self.ref}", "f", self.width)
        return arithmetic("sub", 0, self)

    def __pos__(self):
        return self

    def __invert__(self):
        return arithmetic("xor", self, -1)

    def __abs__(self):
        return intrinsic("fabs", self) if self.kind == "f" else select(self < 0, -self, self)


def convert(x: Any, kind: str, width: int = 0) -> Traced:
    """A number as one of this kind, in this number of lanes."""
    if not isinstance(x, Traced):
        if not isinstance(x, NUMBERS):
            raise NotCompilable(f"expected a number, got {x!r}")
        text = literal({"f": float, "i": int, "b": bool}[kind](x), kind)
        return Traced(None, kind, f"<{', '.join([f'{IR_TYPES[kind]} {text}'] * width)}>" if width else text, width)
    if x.kind != kind:
        words = {"if": "sitofp", "bf": "uitofp", "bi": "zext"}
        if x.kind + kind not in words:
            raise NotCompilable(f"a number of kind {x.kind} where one of kind {kind} is expected")
        text = f"{words[x.kind + kind]} {ir_type(x.kind, x.width)} {x.ref} to {ir_type(kind, x.width)}"
        x = x.writer.emit(text, kind, x.width) if x.writer else convert_literal(x, kind)
    if width and not x.width and not x.writer:
        return Traced(None, kind, f"<{', '.join([f'{IR_TYPES[kind]} {x.ref}'] * width)}>", width)
    if width and not x.width:
        vector, one = ir_type(kind, width), ir_type(kind, 0)
        first = x.writer.emit(f"insertelement {vector} poison, {one} {x.ref}, i32 0", kind, width)
        zeros = f"<{width} x i32> zeroinitializer"
        x = x.writer.emit(f"shufflevector {vector} {first.ref}, {vector} poison, {zeros}", kind, width)
    return x


def convert_literal(x: Traced, kind: str) -> Traced:
    """A constant of another kind."""
    known = {"true": True, "false": False}.get(x.ref)
    return convert(int(x.ref) if known is None else known, kind, x.width)


def common(a: Any, b: Any, least: str = "b") -> tuple[Traced, Traced]:
    """Both numbers in the kind and the lanes of their result."""
    kind = max(kind_of(a), kind_of(b), least, key=KINDS.index)
    width = max(width_of(a), width_of(b))
    return convert(a, kind, width), convert(b, kind, width)


def writer_of(*numbers: Any):
    """The writer of the function that these numbers belong to."""
    return next(x.writer for x in numbers if isinstance(x, Traced) and x.writer)


FLOAT_WORD = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


def arithmetic(word: str, a: Any, b: Any):
    """One operation; `word` is that of integers."""
    if isinstance(a, Lane) or isinstance(b, Lane):
        return NotImplemented
    a, b = common(a, b, "f" if word == "div" else "b" if word in ("and", "or", "xor") else "i")
    if a.kind == "f" and word not in FLOAT_WORD:
        raise NotCompilable(f"`{word}` of floats")
    word = FLOAT_WORD[word] if a.kind == "f" else word
    return writer_of(a, b).emit(f"{word} {ir_type(a.kind, a.width)} {a.ref}, {b.ref}", a.kind, a.width)


def compare(word: str, a: Any, b: Any):
    """lt, le, gt, ge, eq or ne: False for NaN, but for ne."""
    if not isinstance(a, (Traced, *NUMBERS)) or not isinstance(b, (Traced, *NUMBERS)):
        if a is None or b is None:
            return word == "ne"
        return NotImplemented
    a, b = common(a, b)
    if a.kind == "f":
        how = "fcmp une" if word == "ne" else f"fcmp o{word}"
    else:
        how = f"icmp {word}" if word in ("eq", "ne") else f"icmp {'u' if a.kind == 'b' else 's'}{word}"
    return writer_of(a, b).emit(f"{how} {ir_type(a.kind, a.width)} {a.ref}, {b.ref}", "b", a.width)


def floor_division(a: Any, b: Any):
    """a // b, rounded down."""
    if "f" in (kind_of(a), kind_of(b)):
        raise NotCompilable("`//` of floats")
    a, b = common(a, b, "i")
    safe = _divisor(b)
    q, r = arithmetic("sdiv", a, safe), arithmetic("srem", a, safe)
    q = q - convert((r != 0) & ((r ^ b) < 0), "i", a.width)
    return select(b == -1, -q, select(b == 0, 0, q)) if safe is not b else q


def modulo(a: Any, b: Any):
    """a % b with the sign of b: of floats C's exact fmod, plus b at most."""
    x, y = common(a, b, "i")
    if x.kind == "i":
        r = arithmetic("srem", x, _divisor(y))
        return select((r != 0) & ((r ^ y) < 0), r + y, r)
    r = writer_of(x, y).emit(f"frem {ir_type('f', x.width)} {x.ref}, {y.ref}", "f", x.width)
    return select((r != 0.0) & ((b < 0.0) != (r < 0.0)), r + y, select(r == 0.0, with_sign(r, b), r))


def _divisor(b: Traced) -> Traced:
    """The divisor, with 1 in place of 0 and -1, by which a processor cannot divide all numbers."""
    return select((b == 0) | (b == -1), 1, b) if b.writer else b


def shift_left(a: Any, b: Any):
    """a << b, of 64 bits."""
    return select(b < 64, arithmetic("shl", a, b & 63), 0)


def shift_right(a: Any, b: Any):
    """a >> b."""
    return arithmetic("ashr", a, smaller(b, 63))


def _define_operators() -> None:
    def reversible(name: str, function: Callable) -> None:
        setattr(Traced, f"__{name}__", function)
        setattr(Traced, f"__r{name}__", lambda a, b: function(b, a))

    words = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "and": "and", "or": "or", "xor": "xor"}
    for name, word in words.items():
        reversible(name, lambda a, b, word=word: arithmetic(word, a, b))
    reversible("floordiv", floor_division)
    reversible("mod", modulo)
    reversible("lshift", shift_left)
    reversible("rshift", shift_right)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Traced, f"__{name}__", lambda a, b, name=name: compare(name, a, b))


_define_operators()


def intrinsic(name: str, *numbers: Any) -> Traced:
    """A function of LLVM of numbers of one kind."""
    kind, width = numbers[0].kind, max(map(width_of, numbers))
    whole = ir_type(kind, width)
    mangled = f"llvm.{name}.{f'v{width}' if width else ''}{'f64' if kind == 'f' else 'i64'}"
    writer = writer_of(*numbers)
    writer.module.declare(f"declare {whole} @{mangled}({', '.join([whole] * len(numbers))})")
    given = ", ".join(f"{whole} {convert(x, kind, width).ref}" for x in numbers)
    return writer.emit(f"call {whole} @{mangled}({given})", kind, width)


def select(condition: Any, a: Any, b: Any):
    """`a` where the condition holds, else `b`."""
    if not isinstance(condition, Traced):
        return a if condition else b
    condition = condition if condition.kind == "b" else condition != 0
    a, b = common(a, b)
    width = max(a.width, condition.width)
    a, b = convert(a, a.kind, width), convert(b, a.kind, width)
    whole, test = ir_type(a.kind, width), ir_type("b", condition.width)
    text = f"select {test} {condition.ref}, {whole} {a.ref}, {whole} {b.ref}"
    return condition.writer.emit(text, a.kind, width)


def with_sign(size: Any, x: Any) -> Traced:
    """|size| with the sign of x."""
    return intrinsic("copysign", *common(size, x, "f"))


def bits(x: Traced, kind: str) -> Traced:
    """The same 64 bits as a float or an integer."""
    return x.writer.emit(f"bitcast {ir_type(x.kind, x.width)} {x.ref} to {ir_type(kind, x.width)}", kind, x.width)


class Primitives:
    """The functions of which generic formulas are made; their context, named as in mpmath's."""

    precedence = 1  # dual numbers of traced ones come first
    select, copysign, bits = staticmethod(select), staticmethod(with_sign), staticmethod(bits)
    sqrt = staticmethod(lambda x: intrinsic("sqrt", to_float(x)))
    floor = staticmethod(lambda x: intrinsic("floor", to_float(x)))
    quotient = staticmethod(operator.truediv)


def larger(*values: Any):
    """Python's max of numbers: the first that no later one exceeds."""
    return _extreme(values, "gt")


def smaller(*values: Any):
    """Python's min."""
    return _extreme(values, "lt")


def _extreme(values: Sequence, word: str):
    values = values[0] if len(values) == 1 else values
    best = values[0]
    for x in values[1:]:
        if isinstance(best, Traced) or isinstance(x, Traced):
            best = select(compare(word, x, best), x, best)
        else:
            best = x if getattr(operator, word)(x, best) else best
    return best


def to_integer(x: Any):
    """int(x): towards zero."""
    if not isinstance(x, Traced):
        return int(x)
    if x.kind != "f":
        return convert(x, "i")
    lanes = f"v{x.width}" if x.width else ""
    whole, given = f"{ir_type('i', x.width)} @llvm.fptosi.sat.{lanes}i64.{lanes}f64", ir_type("f", x.width)
    x.writer.module.declare(f"declare {whole}({given})")
    return x.writer.emit(f"call {whole}({given} {x.ref})", "i", x.width)


def to_float(x: Any):
    """float(x)."""
    return convert(x, "f", x.width) if isinstance(x, Traced) else float(x)


class Lane:
    """An index whose last part is the lane, in a loop over lanes that is written as operations on vectors: the places
    base, base + 1, ... base + width - 1.
    """

    __slots__ = ("base", "width")

    def __init__(self, base: Any, width: int):
        self.base, self.width = base, width

    def __add__(self, other):
        return Lane(self.base + other, self.width)

    __radd__ = __add__


class Array:
    """A C-contiguous array of floats or integers."""

    __slots__ = ("dims", "kind", "pointer")

    def __init__(self, pointer: Traced, dims: Sequence, kind: str):
        self.pointer, self.dims, self.kind = pointer, tuple(dims), kind

    @property
    def shape(self) -> tuple:
        """The sizes."""
        return self.dims

    def __iter__(self):
        raise NotCompilable("an array as several values; their number is not known")

    def _flat(self, index: tuple) -> Any:
        """The place of an element, or of the beginning of a part."""
        if len(index) > len(self.dims):
            raise NotCompilable(f"{len(index)} indices of an array with {len(self.dims)} dimensions")
        flat = 0
        for axis, n in enumerate(self.dims):
            i = index[axis] if axis < len(index) else 0
            if isinstance(i, NUMBERS) and i < 0:
                i = n + i
            flat = flat * n + i if axis else i
        return flat

    def _at(self, flat: Any) -> Traced:
        flat = flat.base if isinstance(flat, Lane) else flat
        if not isinstance(flat, Traced) and flat == 0:
            return self.pointer
        if kind_of(flat) == "f" or width_of(flat):
            raise NotCompilable("an index must be an integer")
        text = f"getelementptr {IR_TYPES[self.kind]}, ptr {self.pointer.ref}, i64 {convert(flat, 'i').ref}"
        return self.pointer.writer.emit(text, "p")

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if any(isinstance(i, slice) for i in index):
            return self._part(index)
        if any(width_of(i) for i in index):
            return self._gathered(index)
        flat = self._flat(index)
        if len(index) < len(self.dims):
            return Array(self._at(flat), self.dims[len(index) :], self.kind)
        if not isinstance(flat, Lane):
            return self._load(flat)
        if self.kind == "i":  # the places of rows, which are needed one by one
            return assembled([self._load(flat.base + k) for k in range(flat.width)])
        return self._load(flat.base, flat.width)

    def _load(self, flat: Any, width: int = 0) -> Traced:
        """The number at a place, or a vector that begins there."""
        text = f"load {ir_type(self.kind, width)}, ptr {self._at(flat).ref}, align 8, !tbaa {TAGS[self.kind]}"
        return self.pointer.writer.emit(text, self.kind, width, pure=False)

    def _store(self, flat: Any, value: Traced) -> None:
        whole = ir_type(self.kind, value.width)
        text = f"store {whole} {value.ref}, ptr {self._at(flat).ref}, align 8, !tbaa {TAGS[self.kind]}"
        self.pointer.writer.line(text)

    def _gathered(self, index: tuple) -> LaneRows | Traced:
        """A row, or a number, for each lane."""
        width = max(map(width_of, index))
        rows = [self[element(index, k)] for k in range(width)]
        return LaneRows(rows) if isinstance(rows[0], Array) else assembled(rows)

    def _part(self, index: tuple) -> Array | LaneRows:
        *front, last = index
        if not isinstance(last, slice) or last.step is not None or any(isinstance(i, slice) for i in front):
            raise NotCompilable("only the last index of an array may be a slice, without a step")
        whole = self[tuple(front)] if front else self
        if isinstance(whole, LaneRows):
            return LaneRows([row[last] for row in whole.rows])
        begin, end = (
            default if x is None else whole.dims[0] + x if isinstance(x, NUMBERS) and x < 0 else x
            for x, default in ((last.start, 0), (last.stop, whole.dims[0]))
        )
        return Array(whole._at(whole._flat((begin,))), (end - begin, *whole.dims[1:]), self.kind)

    def __setitem__(self, index, value):
        index = index if isinstance(index, tuple) else (index,)
        if any(isinstance(i, slice) for i in index):
            return self._part(index).fill(value)
        if len(index) < len(self.dims):
            raise NotCompilable("a row is assigned; write `row[:] = number`, or assign its elements")
        flat = self._flat(index)
        width = flat.width if isinstance(flat, Lane) else 0
        if width_of(value) and not width:
            raise NotCompilable("a number of all lanes is assigned to one element")
        self._store(flat, convert(value, self.kind, width))
        return None

    def numbers(self) -> tuple:
        """The elements of a row of known length, all read at once."""
        return tuple(self[k] for k in range(self.length()))

    def length(self) -> int:
        """Of a row of known length."""
        if len(self.dims) > 1 or not isinstance(self.dims[0], int):
            raise NotCompilable("only a row of known length has a known number of elements")
        return self.dims[0]

    def fill(self, value: Any) -> None:
        """array[:] = number, or of a row a tuple of as many numbers."""
        size, writer = larger(math.prod(self.dims, start=1), 0), self.pointer.writer
        if isinstance(value, tuple) and self.dims == (len(value),):
            for k, x in enumerate(value):
                self[k] = x
            return
        if not isinstance(value, (Traced, *NUMBERS)):
            raise NotCompilable("only a number, or to a row a tuple of known length, can be assigned to a slice")
        if not isinstance(value, Traced) and literal(value, self.kind) in ("0x0000000000000000", "0", "-1"):
            writer.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
            byte = -1 if value == -1 else 0
            size = convert(size * 8, "i").ref
            tag = TAGS[self.kind]
            writer.line(
                f"call void @llvm.memset.p0.i64(ptr {self.pointer.ref}, i8 {byte}, i64 {size}, i1 false), !tbaa {tag}"
            )
        else:
            flat = Array(self.pointer, (size,), self.kind)
            writer.count(0, size, 1, lambda k: flat.__setitem__(k, value))

    def reshape(self, n: int) -> Array:
        """reshape(-1): the same elements in one row."""
        if n != -1:
            raise NotCompilable("only reshape(-1)")
        return Array(self.pointer, (math.prod(self.dims, start=1),), self.kind)


class LaneRows:
    """A row for each lane, of equal sizes: what an array gives for an index that differs from lane to lane."""

    __slots__ = ("rows",)

    def __init__(self, rows: list[Array]):
        self.rows = rows

    @property
    def shape(self) -> tuple:
        """The sizes of one."""
        return self.rows[0].shape

    def __getitem__(self, index):
        parts = [row[element(index, k)] for k, row in enumerate(self.rows)]
        return LaneRows(parts) if isinstance(parts[0], Array) else assembled(parts)

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            return LaneRows([row[index] for row in self.rows]).fill(value)
        for k, row in enumerate(self.rows):  # in the order of the lanes, as in Python
            row[element(index, k)] = element(value, k)
        return None

    def numbers(self) -> tuple:
        """Their elements, each a vector of the lanes: some of each row are read at once, and transposed."""
        found, width = [], len(self.rows)
        for begin, size in pieces(self.rows[0].length(), width):
            parts = [row._load(begin, size if size > 1 else 0) for row in self.rows]
            found += transposed(parts[0].writer, side_by_side(parts)) if size > 1 else [assembled(parts)]
        return tuple(found)

    def fill(self, value: Any) -> None:
        """rows[:] = number, or a tuple of as many numbers or vectors of the lanes."""
        if not isinstance(value, tuple) or len(value) != self.rows[0].length():
            for k, row in enumerate(self.rows):
                row.fill(element(value, k))
            return
        width, writer = len(self.rows), self.rows[0].pointer.writer
        for begin, size in pieces(len(value), width):
            vectors = [convert(x, self.rows[0].kind, width) for x in value[begin : begin + size]]
            vectors = transposed(writer, vectors)
            for k, row in enumerate(self.rows):
                if size == 1:
                    row[begin] = element(value[begin], k)
                else:
                    part, first = vectors[k % size], k - k % size
                    row._store(begin, shuffled(writer, part, part, range(first, first + size)))


def pieces(n: int, width: int) -> Iterator[tuple[int, int]]:
    """Beginnings and lengths of the pieces of a row of n numbers that are transposed at once, for a number of rows."""
    begin = 0
    while begin < n:
        size = next(
            size
            for size in (4, 2, 1)
            if size <= n - begin and (size == 1 or width in (size, 2 * size, 4 * size, 8 * size))
        )
        yield begin, size
        begin += size


def shuffled(writer, a: Traced, b: Traced, places: Iterable[int]) -> Traced:
    """The vector of the numbers at these places of two vectors, one after the other."""
    whole, numbers = ir_type(a.kind, a.width), [f"i32 {k}" for k in places]
    text = f"shufflevector {whole} {a.ref}, {whole} {b.ref}, <{len(numbers)} x i32> <{', '.join(numbers)}>"
    return writer.emit(text, a.kind, len(numbers))


def side_by_side(parts: list[Traced]) -> list[Traced]:
    """As many vectors as each of these parts is long: part k is block k // size of vector k % size."""
    made, distance = dict(enumerate(parts)), parts[0].width
    while distance < len(parts):
        made = {
            k: shuffled(x.writer, x, made[k + distance], range(2 * x.width))
            for k, x in made.items()
            if not k & distance
        }
        distance *= 2
    return list(made.values())


def transposed(writer, vectors: list[Traced]) -> list[Traced]:
    """Of each block, as long as there are vectors, the transpose: element j of vector i changes places with element i
    of vector j.
    """
    vectors, places, distance = vectors.copy(), range(vectors[0].width), 1
    while distance < len(vectors):
        for i in (i for i in range(len(vectors)) if not i & distance):
            a, b = vectors[i], vectors[i + distance]
            vectors[i] = shuffled(writer, a, b, (len(places) + k - distance if k & distance else k for k in places))
            other = (len(places) + k if k & distance else k + distance for k in places)
            vectors[i + distance] = shuffled(writer, a, b, other)
        distance *= 2
    return vectors


def assembled(numbers: list[Traced]) -> Traced:
    """The vector of these numbers."""
    kind, width, made = numbers[0].kind, len(numbers), "poison"
    for k, x in enumerate(numbers):
        text = f"insertelement {ir_type(kind, width)} {made}, {IR_TYPES[kind]} {x.ref}, i32 {k}"
        vector = x.writer.emit(text, kind, width)
        made = vector.ref
    vector.parts = numbers
    return vector


def element(x: Any, lane: int) -> Any:
    """The number, or the index, of one lane."""
    if isinstance(x, tuple):
        return tuple(element(part, lane) for part in x)
    if isinstance(x, Lane):
        return x.base + lane
    if not width_of(x):
        return x
    if x.parts:
        return x.parts[lane]
    return x.writer.emit(f"extractelement {ir_type(x.kind, x.width)} {x.ref}, i32 {lane}", x.kind)
