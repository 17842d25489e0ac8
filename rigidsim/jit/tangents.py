"""Tangents of a kernel (forward mode): beside each float its derivatives in K directions.

One pass over the text of a kernel, before it is compiled. Beside each line with floats it writes the line of their
tangents, a vector `<K x double>` for each number; the shadow of an array of floats is one of K times its size, with
`array[i]` at `shadow[i, :]`. The lines of the kernel itself stay as they are, and so do its decisions and its bits.
In the lines of tangents only, sums of products may be chains of instructions that multiply and add (`SUM`).

`%x.t` is the tangent of the number `%x`, or the address of the shadow of the array at `%x`. A number without a name
`.t` is constant, such as the numbers in tables. The word before the table of a kernel has the address of a second
table: of an argument that is a number it has the address of its tangent, of an array that of its shadow, of a table
that of its second table.
Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rigidsim.jit.values import literal
from rigidsim.jit.writing import CONSTANT, FUNCTION, MOST_COPIED, Module, fitted

GROWTH = 4
"""The lines of a function with its tangents, over those without, at most."""
# x + 1.5 2^52, of which the last bits are an integer.
ROUNDING = {literal(1.5 * 2.0**52 + shift, "f") for shift in (0, 1023)}
SUM = "fadd reassoc contract"
ZEROS = "@zeros"  # the shadow of each array of constants

FLOAT = r"(double|<\d+ x double>)"
PARAMETER = re.compile(r"(\S+) noundef (%[\w.]+)")
NAMED = re.compile(r"(%[\w.]+) = (\S+) ?(.*)")
NAME = re.compile(r"%[\w.]+")
BINARY = re.compile(rf"{FLOAT} (<.*?>|\S+), (<.*>|\S+)$")
SELECT = re.compile(rf"(i1|<\d+ x i1>) (\S+), {FLOAT} (.+), \3 (.+)$")
PHI = re.compile(r"\[ (<[^>]*>|[^,\]]+), %(\w+) \]")
OF_LLVM = re.compile(rf"{FLOAT} @llvm\.(\w+)\.\w+\((.*)\)$")
CALL = re.compile(r'(.+?) @("[^"]+")\((.*)\)$')
EXTRACT = re.compile(r"(\{.*\}) (\S+), (\d+)$")
INSERT = re.compile(r"(\{.*\}) (\S+), (\S+) (\S+), (\d+)$")
BITS = re.compile(rf"{FLOAT} (\S+) to|(?:i64|<\d+ x i64>) (\S+) to {FLOAT}$|(?:i64|<\d+ x i64>) (%\S+), ")
MEMSET = re.compile(r"call void @llvm\.memset\S+\(ptr (\S+), i8 \S+, i64 (\S+), i1 false\), !tbaa !1")
MOVING = ("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "phi", "select")
LANES = ("extractelement", "insertelement", "shufflevector")


def with_tangents(module: Module, k: int) -> Module:
    """The module of a kernel with K tangents."""
    made, used = Module(most_copied=GROWTH * MOST_COPIED), module.used()
    made.inlined = list(module.inlined)
    made._declared, made._constants = dict(module._declared), dict(module._constants)
    sizes = [int(fitted(r"\[(\d+) x", text)[1]) for text in module._constants]
    made._constants[f"[{k * max(sizes, default=1)} x double] zeroinitializer"] = ZEROS
    made.functions = {name: Tangents(text, k).text() for name, text in used.items()}
    return made


def width_of(type_: str) -> int:
    """The lanes of a type; 0 of one number."""
    return int(type_[1:].split()[0]) if type_[0] == "<" else 0


def given_in(text: str) -> list[tuple[str, str]]:
    """Type and name of each argument of a call."""
    return re.findall(r"(<[^>]*>|\w+) (<[^>]*>|[^\s,]+)(?:, |$)", text)


def parts_of(type_: str) -> list[str]:
    """The types of the parts of a result."""
    return type_.strip("{} ").split(", ")


def filled(type_: str, x: float) -> str:
    """A known number, in all lanes."""
    text, width = literal(x, "f"), width_of(type_)
    return f"<{', '.join([f'double {text}'] * width)}>" if width else text


class Tangents:
    """One function of a kernel with its tangents."""

    def __init__(self, text: str, k: int):
        self.k, self.lines, self._n = k, text.split("\n"), 0
        self.out: list[str] = []
        self.type, self.name, given = fitted(FUNCTION, self.lines[0]).groups()
        self.given = PARAMETER.findall(given)
        found = [(match[1], match[2], match[3]) for line in self.lines if (match := NAMED.match(line))]
        self.results = {name for name, word, text in found if word == "getelementptr" and ", ptr %words, " in text}
        self.bits: dict[str, str] = {}  # integers with the mantissa of a float: that float
        self.moving = set() if self.name.strip('"').endswith(CONSTANT) else self._moving(found)

    # --- which numbers have tangents

    def _moving(self, lines: list[tuple[str, str, str]]) -> set[str]:
        """The names of the numbers that are not constant."""
        found, waiting = {name for type_, name in self.given if type_ == "double"}, []
        for name, word, text in lines:
            if self._has_tangent(word, text):
                found.add(name)
            elif word in ("bitcast", "and", "or"):
                waiting += [(name, [source])] if (source := self._bits(name, text)) else []
            elif operands := self._operands(word, text):
                waiting.append((name, operands))
        count = -1
        while len(found) > count:  # of loops the last lines come before the first
            count = len(found)
            found.update(name for name, operands in waiting if not found.isdisjoint(operands))
        return found

    def _has_tangent(self, word: str, text: str) -> bool:
        """Whether a line reads a float from elsewhere; numbers in tables are constant."""
        if word == "load" and "!invariant" in text:
            return text.startswith("double") and fitted(r"double, ptr (\S+),", text)[1] in self.results
        if word == "load":
            return text.startswith(("double", "<")) and "x i64" not in text
        found = EXTRACT.match(text) if word == "extractvalue" else None
        return found is not None and parts_of(found[1])[int(found[3])] == "double"

    @staticmethod
    def _operands(word: str, text: str) -> list[str]:
        """The names from which a line makes a float; nothing if the float is constant."""
        if word == "call":
            found = OF_LLVM.match(text)
            return NAME.findall(found[3]) if found and found[2] != "floor" else []
        is_float = word in MOVING + LANES and ("double " in text or "x double>" in text)
        is_rounding = word == "fadd" and any(number in text for number in ROUNDING)
        return NAME.findall(text) if is_float and not is_rounding else []

    def _bits(self, name: str, text: str) -> str | None:
        """The float that a float consists of the bits of; notes integers with the mantissa of a float."""
        bits = BITS.match(text)
        if bits is None:
            return None
        number, integer, _, masked = bits.groups("")[1:]
        if number or masked in self.bits:
            self.bits[name] = number or self.bits[masked]
        return self.bits.get(integer)

    # --- types and names

    def vector(self, type_: str = "double", kind: str = "double") -> str:
        """The type of the tangent of a number, or of the lanes of a vector."""
        return f"<{max(width_of(type_), 1) * self.k} x {kind}>"

    def of(self, name: str) -> str:
        """The tangent of a number."""
        return f"{name}.t" if name in self.moving else "zeroinitializer"

    @staticmethod
    def shadow(name: str) -> str:
        """The address of the shadow of an array."""
        return ZEROS if name.startswith("@") else f"{name}.t"

    def whole(self, type_: str) -> str:
        """The type of a result with its tangents, which come behind all of its parts."""
        parts = parts_of(type_)
        return f"{{ {', '.join(parts + [self.vector()] * parts.count('double'))} }}"

    @staticmethod
    def place(type_: str, i: int) -> int:
        """Where the tangent of part i of a result stands."""
        parts = parts_of(type_)
        return len(parts) + parts[:i].count("double")

    def new(self, text: str) -> str:
        """Write a line; the name of its result."""
        self._n += 1
        self.out.append(f"%t{self._n} = {text}")
        return f"%t{self._n}"

    def groups(self, places: Sequence[int | None]) -> str:
        """The mask of these groups of K numbers; of None any."""
        found = [f"i32 {'poison' if i is None else i * self.k + j}" for i in places for j in range(self.k)]
        return f"<{len(found)} x i32> <{', '.join(found)}>"

    def wide(self, type_: str, name: str) -> str:
        """A number, or each lane of a vector, K times."""
        width, kind = width_of(type_) or 1, "i1" if "i1" in type_ else "double"
        whole = f"<{width} x {kind}>"
        if not width_of(type_):
            name = self.new(f"insertelement {whole} poison, {kind} {name}, i32 0")
        mask = ", ".join(f"i32 {i}" for i in range(width) for _ in range(self.k))
        return self.new(f"shufflevector {whole} {name}, {whole} poison, <{width * self.k} x i32> <{mask}>")

    # --- the text

    def text(self) -> str:
        """The function with its tangents."""
        if self.name == "kernel":
            at = ["%words.at = getelementptr i64, ptr %words, i64 -1", "%words.t = load ptr, ptr %words.at, align 8"]
            self.out += [self.lines[0], self.lines.pop(1), *at]
        else:
            head = ", ".join(
                f"{type_} noundef {name}" for type_, name in [*self.given, *self._further(self.given, True)]
            )
            type_ = self.type if self.type == "void" else self.whole(self.type)
            self.out.append(f"define internal {type_} @{self.name}({head}) #0 {{")
        for line in self.lines[1:]:
            if found := NAMED.match(line):
                self._number(line, *found.groups())
            else:
                self._effect(line)
        return "\n".join(self.out)

    def _further(self, given: Sequence[tuple[str, str]], named: bool = False) -> Iterator[tuple[str, str]]:
        """The tangents and shadows that a function takes with these arguments, all of them `named` in its head."""
        for type_, name in given:
            if type_ == "double":
                yield self.vector(), f"{name}.t" if named else self.of(name)
            elif type_ == "ptr":
                yield "ptr", self.shadow(name)

    def _arguments(self, text: str) -> str:
        given = given_in(text)
        return ", ".join(f"{type_} {name}" for type_, name in [*given, *self._further(given)])

    def _effect(self, line: str) -> None:
        """A line without a result."""
        if found := re.match(r"call void @(\"[^\"]+\")\((.*)\)$", line):
            self.out.append(f"call void @{found[1]}({self._arguments(found[2])})")
        elif found := re.match(r"ret (\{.*\}) (\S+)$", line):
            self.out.append(f"ret {self.whole(found[1])} {found[2]}.whole")
        else:
            self.out.append(line)
            self._stored(line)

    def _stored(self, line: str) -> None:
        """Tangents of numbers that a line stores."""
        if found := re.match(rf"store {FLOAT} (.+), ptr (\S+), align 8", line):
            self.out.append(f"store {self.vector(found[1])} {self.of(found[2])}, ptr {self._at(found[3])}, align 8")
        elif found := MEMSET.match(line):
            to, size = self.shadow(found[1]), found[2]
            size = str(int(size) * self.k) if size.isdigit() else self.new(f"mul i64 {size}, {self.k}")
            self.out.append(f"call void @llvm.memset.p0.i64(ptr {to}, i8 0, i64 {size}, i1 false)")

    def _at(self, name: str) -> str:
        """The address of the tangent of the number at an address; a table has it in place of the number."""
        return self.new(f"load ptr, ptr {name}.t, align 8") if name in self.results else self.shadow(name)

    def _number(self, line: str, name: str, word: str, text: str) -> None:
        """A line with a result, and those of its tangent."""
        changed = getattr(self, f"_changed_{word}", lambda *_: False)
        if changed(name, text):
            return
        self.out.append(line)
        if word in ("getelementptr", "alloca") or text.startswith("ptr"):
            self.out += self._address(name, word, text)
        elif name in self.moving:
            self.out.append(f"{name}.t = {getattr(self, f'_of_{word}')(name, text)}")

    def _changed_extractvalue(self, name: str, text: str) -> bool:
        type_, whole, i = fitted(EXTRACT, text).groups()
        self.out.append(f"{name} = extractvalue {self.whole(type_)} {whole}, {i}")
        if name in self.moving:
            self.out.append(f"{name}.t = extractvalue {self.whole(type_)} {whole}, {self.place(type_, int(i))}")
        return True

    def _changed_insertvalue(self, name: str, text: str) -> bool:
        type_, last, kind, x, i = fitted(INSERT, text).groups()
        whole, last = self.whole(type_), last if last == "undef" else f"{last}.whole"
        part = f"{name}.part" if kind == "double" else f"{name}.whole"
        self.out.append(f"{part} = insertvalue {whole} {last}, {kind} {x}, {i}")
        if kind == "double":
            place = self.place(type_, int(i))
            self.out.append(f"{name}.whole = insertvalue {whole} {part}, {self.vector()} {self.of(x)}, {place}")
        return True

    def _changed_call(self, name: str, text: str) -> bool:
        found = CALL.match(text)
        if found:
            self.out.append(f"{name} = call {self.whole(found[1])} @{found[2]}({self._arguments(found[3])})")
        return found is not None

    def _address(self, name: str, word: str, text: str) -> list[str]:
        """The address of a shadow, or of a second table."""
        if word == "alloca":
            size = int(fitted(r"\[(\d+) x", text)[1])
            return [f"{name}.t = alloca [{size * self.k} x double], align 64"]
        if word == "getelementptr":
            kind, array, place = fitted(r"(double|i64), ptr (\S+), (i64 \S+)$", text).groups()
            stride = f"[{self.k} x double]" if kind == "double" and array != "%words" else "i64"
            return [f"{name}.t = getelementptr {stride}, ptr {self.shadow(array)}, {place}"]
        if word == "phi":
            arms = ", ".join(f"[ {self.shadow(x)}, %{block} ]" for x, block in PHI.findall(text))
            return [f"{name}.t = phi ptr {arms}"]
        if word == "select":
            condition, a, b = fitted(r"i1 (\S+), ptr (\S+), ptr (\S+)$", text).groups()
            return [f"{name}.t = select i1 {condition}, ptr {self.shadow(a)}, ptr {self.shadow(b)}"]
        return [f"{name}.t = load ptr, ptr {fitted(r'ptr, ptr ([^,]+),', text)[1]}.t, align 8"]

    # --- the rules: the line of the tangent of a number

    def _of_load(self, _name: str, text: str) -> str:
        type_, at = fitted(rf"{FLOAT}, ptr (\S+),", text).groups()
        if "!invariant" in text:  # an argument of a kernel
            return f"load {self.vector(type_)}, ptr {self.new(f'load ptr, ptr {at}.t, align 8')}, align 8"
        return f"load {self.vector(type_)}, ptr {self.shadow(at)}, align 8"

    def _of_fneg(self, _name: str, text: str) -> str:
        type_, x = fitted(rf"{FLOAT} (\S+)$", text).groups()
        return f"fneg {self.vector(type_)} {self.of(x)}"

    def _of_fadd(self, _name: str, text: str, word: str = SUM) -> str:
        type_, a, b = fitted(BINARY, text).groups()
        return f"{word} {self.vector(type_)} {self.of(a)}, {self.of(b)}"

    def _of_fsub(self, name: str, text: str) -> str:
        return self._of_fadd(name, text, SUM.replace("fadd", "fsub"))

    def _of_fmul(self, _name: str, text: str) -> str:
        """b a' + a b'."""
        type_, a, b = fitted(BINARY, text).groups()
        vector, sides = self.vector(type_), [(x, y) for x, y in ((b, a), (a, b)) if y in self.moving]
        parts = [f"fmul contract {vector} {self.wide(type_, x)}, {self.of(y)}" for x, y in sides]
        if len(parts) == 1:
            return parts[0]
        return f"{SUM} {vector} {self.new(parts[0])}, {self.new(parts[1])}"

    def _of_fdiv(self, name: str, text: str) -> str:
        """(a' - q b')/b of a quotient q."""
        type_, a, b = fitted(BINARY, text).groups()
        over = self.wide(type_, self.new(f"fdiv {type_} {filled(type_, 1.0)}, {b}"))
        return f"fmul {self.vector(type_)} {self._less(type_, a, name, b)}, {over}"

    def _of_frem(self, name: str, text: str) -> str:
        """a' - q b' of a remainder, with the whole number q."""
        type_, a, b = fitted(BINARY, text).groups()
        q = self.new(f"fdiv {type_} {self.new(f'fsub {type_} {a}, {name}')}, {b}")
        return f"fadd {self.vector(type_)} {self._less(type_, a, q, b)}, zeroinitializer"

    def _less(self, type_: str, a: str, q: str, b: str) -> str:
        """a' - q b'."""
        if b not in self.moving:
            return self.of(a)
        vector = self.vector(type_)
        product = self.new(f"fmul contract {vector} {self.wide(type_, q)}, {self.of(b)}")
        return self.new(f"fsub contract {vector} {self.of(a)}, {product}")

    def _of_select(self, _name: str, text: str) -> str:
        test, condition, type_, a, b = fitted(SELECT, text).groups()
        if width_of(test):
            condition, test = self.wide(test, condition), self.vector(type_, "i1")
        return f"select {test} {condition}, {self.vector(type_)} {self.of(a)}, {self.vector(type_)} {self.of(b)}"

    def _of_phi(self, _name: str, text: str) -> str:
        type_ = fitted(FLOAT, text)[1]
        arms = ", ".join(f"[ {self.of(x)}, %{block} ]" for x, block in PHI.findall(text))
        return f"phi {self.vector(type_)} {arms}"

    def _of_bitcast(self, name: str, text: str) -> str:
        """x' y/x of a number y = x 2^n with the mantissa of x."""
        type_ = text.split(" to ")[1]
        x = self.bits[text.split(" to ")[0].split()[-1]]
        return f"fmul {self.vector(type_)} {self.wide(type_, self.new(f'fdiv {type_} {name}, {x}'))}, {self.of(x)}"

    def _of_call(self, name: str, text: str) -> str:
        """f'(x) x' of a function of LLVM: sqrt, whose slope is taken as 0 at 0; fabs; copysign. Zeros are positive."""
        type_, function, given = fitted(OF_LLVM, text).groups()
        numbers = [x for _, x in given_in(given)]
        if function == "sqrt":
            slope = self.new(f"fdiv {type_} {filled(type_, 0.5)}, {name}")
            slope = self._chosen(type_, f"oeq {type_} {name}", 0.0, slope)
        else:
            signs = [self._chosen(type_, f"olt {type_} {x}", -1.0, filled(type_, 1.0)) for x in numbers]
            slope = signs[0] if len(signs) == 1 else self.new(f"fmul {type_} {signs[0]}, {signs[1]}")
        return f"fmul {self.vector(type_)} {self.wide(type_, slope)}, {self.of(numbers[0])}"

    def _chosen(self, type_: str, comparison: str, x: float, other: str) -> str:
        """A known number where a comparison with 0 holds, else the other one."""
        test = f"<{width_of(type_)} x i1>" if width_of(type_) else "i1"
        holds = self.new(f"fcmp {comparison}, {filled(type_, 0.0)}")
        return self.new(f"select {test} {holds}, {type_} {filled(type_, x)}, {type_} {other}")

    def _of_extractelement(self, _name: str, text: str) -> str:
        type_, x, i = fitted(r"(<.* x double>) (\S+), i32 (\d+)$", text).groups()
        vector = self.vector(type_)
        return f"shufflevector {vector} {self.of(x)}, {vector} poison, {self.groups([int(i)])}"

    def _of_insertelement(self, _name: str, text: str) -> str:
        type_, x, y, i = fitted(r"(<\d+ x double>) (.+), double (\S+), i32 (\d+)$", text).groups()
        vector, one, lanes, i = self.vector(type_), self.vector(), range(width_of(type_)), int(i)
        spread = self.groups([0 if j == i else None for j in lanes])
        wide = self.new(f"shufflevector {one} {self.of(y)}, {one} poison, {spread}")
        taken = self.groups([len(lanes) + j if j == i else j for j in lanes])
        return f"shufflevector {vector} {self.of(x)}, {vector} {wide}, {taken}"

    def _of_shufflevector(self, _name: str, text: str) -> str:
        found = fitted(r"(<\d+ x double>) (.+), <\d+ x double> (\S+), <(\d+) x i32> (.*)$", text).groups()
        type_, x, y, n, mask = found
        places = [0] * int(n) if mask == "zeroinitializer" else [int(i) for i in re.findall(r"i32 (\d+)", mask)]
        vector = self.vector(type_)
        return f"shufflevector {vector} {self.of(x)}, {vector} {self.of(y)}, {self.groups(places)}"
