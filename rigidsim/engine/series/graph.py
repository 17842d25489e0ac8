"""The graph of formulas: numbers that remember how they were computed.

A formula that is called with a `Vertex` returns one: the operation and its operands. Equal operations of equal operands
are one vertex; operations on constants are carried out; 0 x, 1 x, x + 0 and x - x are folded, so the signs of zeros,
and what overflows, may differ from the formula's own result. A number that is `named` may have other values in other
lanes and blocks, and nothing is folded because of them; only of a power each lane has the operations for its exponent.

Every function but `+ - * /` and the square root grows by the chain rule: f(u(t)) = f(u(0)) + the integral of f'(u) du,
where the vertex of f' may contain f. So `grow` is the only recurrence of all of them. Its first value is *held*: a held
number is computed at the beginning of a step and does not change during it. Comparisons are held, too: a branch is
chosen when a step begins. Each of them has a *guard*, whose change of sign during the step would change the answer. An
equality holds at single instants only, and is never true of numbers that vary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import add, mul, neg, pos, sub
from typing import Any, NamedTuple

import numpy as np

from rigidsim.physics import elementary, exponentials, functions

SMALLEST_GUARD = 1e-100  # a comparison with a smaller number guards against a division by zero, and has no guard
MOST_MULTIPLIED = 63  # largest exponent of a power that becomes products

Number = Any


class Vertex:
    """A number of a graph: the result of an operation. A constant has an array of its values in all lanes instead."""

    __slots__ = ("graph", "is_held", "operands", "operation", "place", "values")
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, graph: Graph, place: int, operation: str, operands: list, values: np.ndarray | None = None):
        self.graph, self.place, self.operation, self.operands, self.values = graph, place, operation, operands, values
        self.is_held: bool = (
            operation in HELD
            or operation == "held_variable"
            or values is not None
            or (operation in ARITHMETIC and all(not isinstance(x, Vertex) or x.is_held for x in operands))
        )

    def __repr__(self) -> str:
        shown = (f"#{x.place}" if isinstance(x, Vertex) else repr(x) for x in self.operands)
        return f"#{self.place} = {self.operation}({', '.join(shown)})"

    @property
    def context(self) -> Graph:
        """The functions that formulas ask for."""
        return self.graph

    def __neg__(self):
        return self.graph.negated(self)

    def __pos__(self):
        return self

    def __add__(self, other):
        return self.graph.sum(self, other)

    __radd__ = __add__

    def __sub__(self, other):
        return self.graph.difference(self, other)

    def __rsub__(self, other):
        return self.graph.difference(other, self)

    def __mul__(self, other):
        return self.graph.product(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.graph.quotient(self, other)

    def __rtruediv__(self, other):
        return self.graph.quotient(other, self)

    def __mod__(self, other):
        return self - other * self.graph.floor(self / other)

    def __rmod__(self, other):
        return other - self * self.graph.floor(other / self)

    def __lt__(self, other):
        return self.graph.less(self, other)

    def __gt__(self, other):
        return self.graph.less(other, self)

    def __le__(self, other):
        return self.graph.less(other, self, reversed_answer=True)

    def __ge__(self, other):
        return self.graph.less(self, other, reversed_answer=True)

    def __eq__(self, other):
        return self.graph.equal(self, other)

    def __ne__(self, other):
        return negation(self.graph.equal(self, other))

    def __and__(self, other):
        return self * float(other) if isinstance(other, (bool, np.bool_)) else self * other

    __rand__ = __and__

    def __bool__(self):
        raise TypeError("a decision by a number that varies; formulas use `select`")


def negation(condition: Any) -> Any:
    """Not, of True, False, or a vertex that is 1 or 0."""
    return 1.0 - condition if isinstance(condition, Vertex) else not condition


class Guard(NamedTuple):
    """A number whose sign must not change during a step; whether it is negative (1 or 0); what depends on that."""

    guard: Vertex
    answer: Number
    user: Vertex


ARITHMETIC = ("add", "subtract", "multiply", "square", "scale", "divide", "negate", "sqrt", "choose")
HELD: dict[str, Callable] = {
    "sine": functions.sine,
    "cosine": functions.cosine,
    "exponential": exponentials.exponential,
    "exponential_less_one": exponentials.exponential_less_one,
    "logarithm": exponentials.logarithm,
    "power": functions.power,
    "arc_tangent": elementary.arc_tangent,
    "floored": functions.floored,
    "less": functions.is_less,
    "equal": functions.is_equal,
    "at_start": pos,
}
"""The functions of which a vertex is held, by the names of its operations."""
OF_TWO = ("power", "arc_tangent", "less", "equal")


class Graph:
    """The vertices of a computation; as a context, the functions of which formulas are made."""

    precedence = 0  # dual numbers of vertices come first

    def __init__(self, exponents: set | None = None):
        """`exponents` are those of named numbers in graphs that this one replaces; its own are added."""
        self.vertices: list[Vertex] = []
        self.constants: list[Vertex] = []  # those of the vertices that are constants
        self.guards: dict[tuple[int, int], Guard] = {}  # by the places of the guard and of what depends on it
        self._known: dict[tuple, Vertex] = {}
        self._exponents = set() if exponents is None else exponents
        self._foreseen: dict[int, tuple[Vertex, set]] = {}  # exponents that are named, and what they may be

    def vertex(self, operation: str, *operands: Number) -> Vertex:
        """The vertex of an operation, which is made once."""
        key = (operation, *map(_key_of, operands))
        if key not in self._known:
            self._known[key] = self._new(operation, list(operands))
        return self._known[key]

    def _new(self, operation: str, operands: list, values: np.ndarray | None = None) -> Vertex:
        made = Vertex(self, len(self.vertices), operation, operands, values)
        self.vertices.append(made)
        if values is not None:
            self.constants.append(made)
        return made

    def variable(self) -> Vertex:
        """A number of which the rate is given."""
        return self._new("variable", [])

    def held_variable(self) -> Vertex:
        """A number that is given at the beginning of a step and does not change during it."""
        return self._new("held_variable", [])

    def named(self, place: int, values: np.ndarray) -> Vertex:
        """A constant that is given by its place among numbers, and may have others of these values, (lane), later."""
        return self._new("constant", [place], values)

    def _computed(self, function: Callable, *numbers: Number) -> Number:
        """A function of constants: a constant, too."""
        if not any(isinstance(x, Vertex) for x in numbers):
            return float(_value_of(function, numbers))
        key = (function, *map(_key_of, numbers))
        if key not in self._known:
            self._known[key] = self._new("constant", [function, *numbers], _value_of(function, numbers))
        return self._known[key]

    def renew(self, numbers: np.ndarray) -> bool:
        """Give the constants the values that follow from other numbers, (number, lane); False if an exponent among them
        needs other operations.
        """
        for constant in self.constants:
            first, *operands = constant.operands
            constant.values = _value_of(first, operands) if operands else numbers[first]
        return all(_exponents_in(exponent) <= foreseen for exponent, foreseen in self._foreseen.values())

    # --- arithmetic

    def negated(self, a: Vertex) -> Number:
        """-a."""
        if is_constant(a):
            return self._computed(neg, a)
        if a.operation == "negate":
            return a.operands[0]
        if a.operation == "subtract":
            return self.vertex("subtract", a.operands[1], a.operands[0])
        return self.vertex("negate", a)

    def sum(self, a: Number, b: Number) -> Number:
        """a + b."""
        if is_constant(a) and is_constant(b):
            return self._computed(add, a, b)
        if is_number(b, 0.0):
            return a
        if is_number(a, 0.0):
            return b
        if is_operation(b, "negate"):
            return self.difference(a, b.operands[0])
        if is_operation(a, "negate"):
            return self.difference(b, a.operands[0])
        return self.vertex("add", *in_order(a, b))

    def difference(self, a: Number, b: Number) -> Number:
        """a - b."""
        if is_constant(a) and is_constant(b):
            return self._computed(sub, a, b)
        if a is b:
            return 0.0
        if is_number(b, 0.0):
            return a
        if is_number(a, 0.0):
            return -b
        if is_operation(b, "negate"):
            return self.sum(a, b.operands[0])
        return self.vertex("subtract", a, b)

    def product(self, a: Number, b: Number) -> Number:
        """a b."""
        if is_constant(a):
            a, b = b, a
        if is_constant(b):
            return self._scaled(a, b)
        if is_operation(a, "negate") or is_operation(b, "negate"):
            p, q = (x.operands[0] if x.operation == "negate" else x for x in (a, b))
            return p * q if a.operation == b.operation else -(p * q)
        (p, x), (q, y) = (n.operands if has_exact_factor(n) else (n, 1.0) for n in (a, b))
        if p is not a or q is not b:
            return self._scaled(self.product(p, q), x * y)
        return self.vertex("square", a, a) if a is b else self.vertex("multiply", *in_order(a, b))

    def _scaled(self, a: Number, c: Number) -> Number:
        """A number times a constant."""
        if is_constant(a):
            return self._computed(mul, a, c)
        if is_number(c, 0.0):
            return 0.0
        if is_number(c, 1.0):
            return a
        if is_number(c, -1.0):
            return -a
        if a.operation == "negate":
            return self._scaled(a.operands[0], self._computed(neg, c))
        if has_exact_factor(a) or (a.operation == "scale" and is_exact(c)):
            return self._scaled(a.operands[0], self._computed(mul, a.operands[1], c))
        return self.vertex("scale", a, c)

    def quotient(self, a: Number, b: Number) -> Number:
        """a/b."""
        if is_constant(b):
            if is_constant(a):
                return self._computed(functions.quotient, a, b)
            if is_exact(b):
                return self._scaled(a, 1.0 / b)
        if is_number(a, 0.0):
            return 0.0
        if a is b:
            return 1.0
        if is_operation(a, "negate"):
            return -(a.operands[0] / b)
        if has_exact_factor(a):
            return self._scaled(self.quotient(a.operands[0], b), a.operands[1])
        return self.vertex("divide", a, b)

    def sqrt(self, a: Vertex) -> Number:
        """The square root; a step ends where it is zero, beyond which its series would be that of -sqrt(a)."""
        if is_constant(a):
            return self._computed(elementary.sqrt, a)
        made = self.vertex("sqrt", a)
        if not made.is_held:
            self._watch(made, 0.0, made)
        return made

    def length_of(self, v: Sequence[Number]) -> Number:
        """The length of a vector, which has a series where the vector is zero, too."""
        if any(isinstance(x, Vertex) and x.is_held for x in v):
            return elementary.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        made = self.vertex("length", *v)
        self._watch(made, 0.0, made)
        return made

    def at_start(self, x: Vertex) -> Number:
        """A number as it is at the beginning of a step."""
        return x if is_constant(x) or x.is_held else self.vertex("at_start", x)

    # --- functions, which grow by their derivatives

    def _held(self, name: str, *operands: Number) -> Number:
        if all(map(is_constant, operands)):
            return self._computed(HELD[name], *operands)
        return self.vertex(name, *operands)

    def grown(self, value: Number, u: Vertex, slope: Number | Callable[[Vertex], Number]) -> Number:
        """value + the integral of `slope` du from the beginning of the step; the slope may depend on the result."""
        if is_constant(value) and is_constant(u):
            return value
        if u.is_held:
            return value
        if not (is_constant(value) or value.is_held):
            return value + self.grown(0.0, u, slope)
        made = self.vertex("grow", value, self.vertex("theta", u, u))
        if len(made.operands) == 2:
            made.operands.append(0.0)  # until the slope is known, which may ask for this number
            made.operands[2] = slope(made) if callable(slope) else slope
        return made

    def _function(self, name: str, u: Vertex, slope: Callable[[Vertex], Number]) -> Number:
        return self.grown(self._held(name, u), u, slope)

    def sin(self, u: Vertex) -> Number:
        """The sine; its slope is the cosine."""
        return self._function("sine", u, lambda _: self.cos(u))

    def cos(self, u: Vertex) -> Number:
        """The cosine."""
        return self._function("cosine", u, lambda _: -self.sin(u))

    def exp(self, u: Vertex) -> Number:
        """e^u, which is its own slope."""
        return self._function("exponential", u, lambda f: f)

    def expm1(self, u: Vertex) -> Number:
        """e^u - 1."""
        return self._function("exponential_less_one", u, lambda f: 1.0 + f)

    def log(self, u: Vertex) -> Number:
        """ln u."""
        return self._function("logarithm", u, lambda _: 1.0 / u)

    def atan2(self, y: Number, x: Number) -> Number:
        """The angle of the point (x, y), with d = (x dy - y dx)/(x^2 + y^2)."""
        value = self._held("arc_tangent", y, x)
        square = x * x + y * y
        for u, slope in ((y, x), (x, -y)):
            if isinstance(u, Vertex):
                value = self.grown(value, u, slope / square)
        return value

    def power(self, u: Number, v: Number) -> Number:
        """u^v: products and a root for v = n or n + 1/2 up to MOST_MULTIPLIED, else by its slope v u^v/u; for a varying
        exponent e^(v ln u).
        """
        if isinstance(v, Vertex) and not v.is_held:
            return self.exp(v * exponentials.logarithm(u))
        if is_constant(u):
            return self._held("power", u, v)
        if not isinstance(v, Vertex):
            return self._power(u, v, v if is_multiplied(v) else None)
        if v.values is None:
            return self._power(u, v, None)
        self._exponents |= _exponents_in(v)
        _, foreseen = self._foreseen[v.place] = v, {*self._exponents}
        result = self._power(u, v, None) if None in foreseen else 0.0
        for n in sorted(foreseen - {None}):
            is_n = self._held("equal", v, n)
            result = (
                self.select(is_n, self._power(u, v, n, is_n), result) if len(foreseen) > 1 else self._power(u, v, n)
            )
        return result

    def _power(self, u: Vertex, v: Number, n: float | None, holds: Number = True) -> Number:
        """u^v where v = n, by products and a root; by its slope if n is None. Where that does not hold no step ends for
        the root, which is that of 1 there.
        """
        if n is None:
            return self.grown(self._held("power", u, v), u, lambda f: f / u * v)
        root = 1.0 if abs(n) % 1.0 == 0.0 else elementary.sqrt(self.select(holds, u, 1.0))
        whole, result, factor = int(abs(n)), root, u
        while whole:
            result = result * factor if whole & 1 else result
            whole >>= 1
            factor = factor * factor if whole else factor
        return 1.0 / result if n < 0.0 else result

    # --- functions of the square of a number that have a series at 0, where the formula takes a root

    def angle_over_sine(self, n2: Vertex, w: Vertex) -> Number:
        """atan2(n, w)/n with n = sqrt(n2): (1 - z/3 + z^2/5 - ...)/w with z = n2/w^2 up to ANGLE_SMALL, if w > 0."""
        z, n = n2 / (w * w), elementary.sqrt(n2)
        is_small = (z < ANGLE_SMALL) * (w > 0.0)
        return self.select(is_small, polynomial(ANGLE_TERMS, z) / w, elementary.arc_tangent(n, w) / n)

    def cotangent_share(self, h2: Vertex) -> Number:
        """(1 - h cot h)/h^2 with h = sqrt(h2): 1/3 + h^2/45 + ..., up to COTANGENT_SMALL."""
        h = elementary.sqrt(h2)
        closed = (1.0 - h * self.cos(h) / self.sin(h)) / h2
        return self.select(h2 < COTANGENT_SMALL, polynomial(COTANGENT_TERMS, h2), closed)

    # --- branches

    def _watch(self, guard: Vertex, answer: Number, user: Vertex) -> None:
        """Let steps end where the sign of a guard changes, if anything needs the number that depends on it."""
        self.guards[guard.place, user.place] = Guard(guard, answer, user)

    def less(self, a: Number, b: Number, reversed_answer: bool = False) -> Any:
        """Whether a < b: True, False or a vertex that is 1 or 0; with `reversed_answer` whether not."""
        guard = self.difference(a, b) if isinstance(a, Vertex) else -self.difference(b, a)
        if is_constant(guard) and not isinstance(guard, Vertex):
            return (guard < 0.0) != reversed_answer
        made = self._held("less", guard, 0.0)
        if not isinstance(made, Vertex):
            return (made == 1.0) != reversed_answer
        guards = any(not isinstance(x, Vertex) and 0.0 < abs(x) < SMALLEST_GUARD for x in (a, b))
        if not guards and not guard.is_held:
            self._watch(guard, made, made)
        return negation(made) if reversed_answer else made

    def equal(self, a: Number, b: Number) -> Any:
        """Whether a = b; of numbers that vary, only if they are one."""
        if a is b:
            return True
        if not all(is_constant(x) or x.is_held for x in (a, b)):
            return False
        if is_number(b, 0.0) and is_condition(a):
            return 1.0 - a
        made = self._held("equal", a, b)
        return made if isinstance(made, Vertex) else made == 1.0

    def select(self, condition: Any, a: Number, b: Number) -> Number:
        """a where the condition holds, else b."""
        if not isinstance(condition, Vertex):
            return a if condition else b
        if a is b or (is_number(b, a) if not isinstance(a, Vertex) else False):
            return a
        if is_number(a, 1.0) and is_number(b, 0.0):
            return condition
        if is_number(a, 0.0) and is_number(b, 1.0):
            return 1.0 - condition
        if all(map(is_constant, (condition, a, b))):
            return self._computed(functions.choice, condition, a, b)
        return self.vertex("choose", condition, a, b)

    def copysign(self, size: Number, x: Vertex) -> Number:
        """|size| with the sign of x."""
        size = functions.absolute(size)
        return self.select(x < 0.0, -size, size)

    def floor(self, x: Vertex) -> Number:
        """The largest integer not above x, which is held; it changes where x meets the next integer or its own."""
        if is_constant(x):
            return self._computed(functions.floored, x)
        made = self.vertex("floored", x)
        if not x.is_held:
            self._watch(x - made, self._held("less", x - made, 0.0), made)
            self._watch(x - (made + 1.0), self._held("less", x - (made + 1.0), 0.0), made)
        return made

    def unwrap(self, phi: Vertex, last: Vertex) -> Number:
        """An angle within half a turn of `last` at the beginning of the step, from where it goes on without a jump."""
        turns = self.vertex("floored", (last - phi) / FULL_TURN + 0.5)
        return phi + FULL_TURN * turns


def is_multiplied(v: float) -> bool:
    """Whether a power with this exponent becomes products and a root."""
    return (2.0 * v) % 1.0 == 0.0 and abs(v) <= MOST_MULTIPLIED


def _exponents_in(v: Vertex) -> set[float | None]:
    """The exponents in the lanes of a constant for which powers become products; None stands for all others."""
    assert v.values is not None
    return {x if is_multiplied(x) else None for x in v.values.tolist()}


def _key_of(x: Number) -> Any:
    return x.place if isinstance(x, Vertex) else ("number", float(x).hex())


def _value_of(function: Callable, numbers: Sequence[Number]) -> Any:
    """A function of constants, of floats and of their values in all lanes."""
    with np.errstate(all="ignore"):
        return function(*(x.values if isinstance(x, Vertex) else np.float64(x) for x in numbers))


FULL_TURN = 6.283185307179586
ANGLE_SMALL, ANGLE_TERMS = 0.0625, [(-1.0) ** k / (2 * k + 1) for k in range(14)]
COTANGENT_SMALL = 0.25
# 2 zeta(2k)/pi^(2k), k = 1 to 11
COTANGENT_TERMS = [
    0.3333333333333333, 0.022222222222222223, 0.0021164021164021165, 0.00021164021164021165, 2.1377799155576935e-05,
    2.1644042808063972e-06, 2.192594785187378e-07, 2.2214608789979678e-08, 2.2507846516808994e-09,
    2.2805151204592183e-10, 2.3106432599002624e-11,
]  # fmt: skip


def polynomial(terms: Sequence[float], z: Vertex) -> Vertex:
    """The sum of terms[k] z^k."""
    total: Any = terms[-1]
    for term in terms[-2::-1]:
        total = term + z * total
    return total


def is_constant(x: Number) -> bool:
    """Whether a number never changes."""
    return not isinstance(x, Vertex) or x.values is not None


def is_number(x: Number, value: Number) -> bool:
    """Whether it is this number in all lanes."""
    return not isinstance(x, Vertex) and not isinstance(value, Vertex) and x == value


def is_exact(x: Number) -> bool:
    """Whether products and quotients with this number are exact, and may change places: a power of two or minus one."""
    return not isinstance(x, Vertex) and abs(math.frexp(x)[0]) == 0.5


def has_exact_factor(x: Number) -> bool:
    """Whether it is another number times such a number."""
    return is_operation(x, "scale") and is_exact(x.operands[1])


def is_operation(x: Number, name: str) -> bool:
    """Whether it is the result of this operation."""
    return isinstance(x, Vertex) and x.operation == name


def is_condition(x: Number) -> bool:
    """Whether a number is 1 or 0, as the result of a comparison."""
    if not isinstance(x, Vertex):
        return x in (0.0, 1.0)
    if x.operation in ("less", "equal"):
        return True
    is_part = x.operation in ("multiply", "square", "subtract", "choose")
    return x.is_held and is_part and all(map(is_condition, x.operands))


def in_order(a: Number, b: Number) -> tuple[Number, Number]:
    """Both operands of a commutative operation in one order, constants last."""
    return (b, a) if not isinstance(a, Vertex) or (isinstance(b, Vertex) and b.place < a.place) else (a, b)
