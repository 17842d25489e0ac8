"""Dual numbers x + y e with e^2 = 0: derivatives to round-off, of expressions of `+ - * /` and these functions.

(x, y) + (a, b) = (x + a, y + b); (x, y)(a, b) = (xa, ya + xb); f(x + y e) = f(x) + y f'(x) e.
The parts are floats, NumPy arrays (one number per element), mpmath numbers, or dual numbers, which give second
derivatives. The formulas of `rigidsim.physics` accept them.

First and second derivatives of the functions below have a relative error of 1e-15; they are infinite at poles and
branch points, and undefined outside the domain. At 0, abs has the derivative 1, while hypot, atan2 and sqrt(t t) give
NaN. A physics formula is differentiated as written, so terms may cancel: the derivative of
`functions.hyperbolic_cosine` has an absolute error of 1e-16.
Sources: Clifford, Preliminary sketch of biquaternions (1873); Griewank and Walther, Evaluating Derivatives (2008).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from rigidsim.physics import elementary, functions

Number = Any
Function = Callable[[Number], Number]

__all__ = [
    "Dual", "abs", "acos", "asin", "atan", "atan2", "cos", "cosh", "derivative", "directional", "exp", "hessian",
    "hypot", "jacobian", "log", "second_derivative", "sin", "sinh", "sqrt", "tan", "tanh",
]  # fmt: skip

# Each differentiation has its own e (level), so that nested differentiations do not mix them up. Dual numbers nested by
# the user are numbered from 1 by depth.
_levels = count(1000)


def _level(x: Number) -> int:
    return x.level if isinstance(x, Dual) else 0


def _plain(x: Number) -> Number:
    return _plain(x.value) if isinstance(x, Dual) else x


def _of_values(relation: Callable) -> Callable:
    """A comparison of the values only."""
    return lambda p, q: relation(_plain(p), _plain(q))


class Dual:
    """x + y e: a value and its derivative. Comparisons use the value only."""

    __array_ufunc__ = None  # arithmetic of arrays with dual numbers uses the methods below
    __hash__ = None  # type: ignore[assignment]  # it has `__eq__` only
    __slots__ = ("derivative", "level", "value")

    def __init__(self, value: Number, derivative: Number = 0.0, level: int | None = None):
        self.value, self.derivative = value, derivative
        self.level = 1 + max(_level(value), _level(derivative)) if level is None else level

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.derivative!r})"

    @property
    def context(self) -> type[_Functions]:
        """The functions that physics formulas use for numbers other than floats, as for those of mpmath."""
        return _Functions

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.derivative, self.level)

    def __pos__(self) -> Dual:
        return self

    def __abs__(self) -> Dual:
        return functions.absolute(self)

    def __add__(self, other: Number) -> Dual:
        x, y, a, b, level = _parts(self, other)
        return Dual(x + a, y + b, level)

    __radd__ = __add__

    def __sub__(self, other: Number) -> Dual:
        return self + -other

    def __mul__(self, other: Number) -> Dual:
        """(x, y)(a, b) = (xa, ya + xb); times a constant (xa, ya), even if x is infinite."""
        if _level(other) != self.level:
            p, c = (self, other) if self.level > _level(other) else (other, self)
            return Dual(p.value * c, p.derivative * c, p.level)
        return Dual(self.value * other.value, self.derivative * other.value + self.value * other.derivative, self.level)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> Dual:
        """(x, y)/(a, b) = (x/a, (y - (x/a) b)/a)."""
        x, y, a, b, level = _parts(self, other)
        return Dual(x / a, (y - x / a * b) / a, level)

    def __mod__(self, other: Number) -> Dual:
        """x - a floor(x/a), with the derivative of the floor taken as 0."""
        x, y, a, b, level = _parts(self, other)
        r = functions.remainder(x, a)
        return Dual(r, y - functions.floored((x - r) / a + 0.5) * b, level)

    def __pow__(self, other: Number) -> Dual:
        return _Functions.power(self, other)

    def __rsub__(self, other: Number) -> Dual:
        return -self + other

    def __rtruediv__(self, other: Number) -> Dual:
        return Dual(other, 0.0, self.level) / self

    def __rmod__(self, other: Number) -> Dual:
        return Dual(other, 0.0, self.level) % self

    def __rpow__(self, other: Number) -> Dual:
        return _Functions.power(other, self)

    __lt__, __le__ = _of_values(operator.lt), _of_values(operator.le)
    __gt__, __ge__ = _of_values(operator.gt), _of_values(operator.ge)
    __eq__, __ne__ = _of_values(operator.eq), _of_values(operator.ne)

    def __float__(self) -> float:
        raise TypeError("a dual number cannot be converted to float; use its attribute value")


def _parts(p: Number, q: Number) -> tuple[Number, Number, Number, Number, int]:
    """Values and derivatives of both by the newer e; a number that does not contain it is constant."""
    level = max(_level(p), _level(q))
    x, y = (p.value, p.derivative) if _level(p) == level else (p, 0.0)
    a, b = (q.value, q.derivative) if _level(q) == level else (q, 0.0)
    return x, y, a, b, level


def _moves(x: Number) -> bool:
    return _moves(x.value) or _moves(x.derivative) if isinstance(x, Dual) else bool(np.any(x != 0.0))


def _chained(x: Dual, value: Number, rate: Number) -> Dual:
    """f(x) + y f'(x) e."""
    return Dual(value, rate * x.derivative, x.level)


class _Functions:
    """The functions of dual numbers, named as in mpmath contexts."""

    precedence = 2

    @staticmethod
    def sqrt(x: Dual) -> Dual:
        f = elementary.sqrt(x.value)
        return _chained(x, f, functions.quotient(0.5, f))

    @staticmethod
    def sin(x: Dual) -> Dual:
        return _chained(x, *elementary.sin_cos(x.value))

    @staticmethod
    def cos(x: Dual) -> Dual:
        s, c = elementary.sin_cos(x.value)
        return _chained(x, c, -s)

    @staticmethod
    def exp(x: Dual) -> Dual:
        f = functions.exponential(x.value)
        return _chained(x, f, f)

    @staticmethod
    def expm1(x: Dual) -> Dual:
        return _chained(x, functions.exponential_less_one(x.value), functions.exponential(x.value))

    @staticmethod
    def log(x: Dual) -> Dual:
        return _chained(x, functions.logarithm(x.value), functions.quotient(1.0, x.value))

    @staticmethod
    def floor(x: Dual) -> Dual:
        return _chained(x, functions.floored(x.value), 0.0)

    @staticmethod
    def atan2(y: Number, x: Number) -> Dual:
        p, dp, q, dq, level = _parts(y, x)
        c, s, h = _polar(q, p)
        return Dual(elementary.arc_tangent(p, q), functions.quotient(c * dp - s * dq, h), level)

    @staticmethod
    def power(p: Number, q: Number) -> Dual:
        """d(x^a) = a x^(a-1) dx + x^a ln(x) da, where a term with a = 0 or da = 0 is 0."""
        x, y, a, b, level = _parts(p, q)
        f = functions.power(x, a)
        rate = a * functions.power(x, elementary.select(a == 0.0, 1.0, a - 1.0))
        other = f * functions.logarithm(x) * b if _moves(b) else 0.0
        return Dual(f, rate * y + other, level)

    @staticmethod
    def quotient(p: Number, q: Number) -> Dual:
        """p/q; inf or NaN where q is 0."""
        x, y, a, b, level = _parts(p, q)
        f = functions.quotient(x, a)
        return Dual(f, functions.quotient(y - f * b if _level(q) == level else y, a), level)

    @staticmethod
    def select(condition: np.ndarray, p: Number, q: Number) -> Dual:
        x, y, a, b, level = _parts(p, q)
        return Dual(elementary.select(condition, x, a), elementary.select(condition, y, b), level)


def _polar(x: Number, y: Number) -> tuple[Number, Number, Number]:
    """(c, s, h) of the point (x, y) = h (c, s) = h (cos a, sin a): h' = c x' + s y', h a' = c y' - s x'."""
    if not isinstance(x, Dual) and not isinstance(y, Dual):
        h = functions.hypotenuse(x, y)
        return functions.quotient(x, h), functions.quotient(y, h), h
    x, dx, y, dy, level = _parts(x, y)
    c, s, h = _polar(x, y)
    turn = functions.quotient(c * dy - s * dx, h)
    return Dual(c, -s * turn, level), Dual(s, c * turn, level), Dual(h, c * dx + s * dy, level)


def _differentiable(f: Function, rate: Function) -> Function:
    """Extend a function f of floats, arrays and mpmath numbers to dual numbers, given its derivative."""

    def function(x: Number) -> Number:
        return _chained(x, function(x.value), rate(x.value)) if isinstance(x, Dual) else f(x)

    function.__doc__ = f.__doc__
    return function


# For dual numbers, floats, arrays and mpmath numbers; angles in rad. f(x + y e) = f(x) + y f'(x) e.
sqrt = elementary.sqrt
sin, cos, tan = functions.sine, functions.cosine, functions.tangent
atan, atan2 = functions.arc_slope, elementary.arc_tangent
exp, log = functions.exponential, functions.logarithm
abs = functions.absolute
_across: Function = _differentiable(
    lambda x: functions.power((1.0 - x) * (1.0 + x), 0.5), lambda x: functions.quotient(-x, _across(x))
)
asin = _differentiable(functions.arc_sine, lambda x: functions.quotient(1.0, _across(x)))
acos = _differentiable(functions.arc_cosine, lambda x: functions.quotient(-1.0, _across(x)))

sinh: Function = _differentiable(functions.hyperbolic_sine, lambda x: cosh(x))
cosh: Function = _differentiable(functions.hyperbolic_cosine, lambda x: sinh(x))
_sech: Function = _differentiable(lambda x: 1.0 / functions.hyperbolic_cosine(x), lambda x: -_sech(x) * tanh(x))
tanh: Function = _differentiable(functions.hyperbolic_tangent, lambda x: _sech(x) * _sech(x))


def hypot(x: Number, y: Number) -> Number:
    """sqrt(x^2 + y^2) without intermediate overflow; `functions.hypotenuse`.

    Parameters
    ----------
    x : Number
        One side.
    y : Number
        The other side.

    Returns
    -------
    Number
        The hypotenuse.
    """
    return _polar(x, y)[2]


def _split(y: Number, level: int) -> tuple[Number, Number]:
    """Value and derivative of a result by the e of a level; the derivative is 0 if it does not contain this e."""
    value, rate = (y.value, y.derivative) if _level(y) == level else (y, 0.0)
    if isinstance(value, np.ndarray) and not isinstance(rate, Dual):
        rate = np.broadcast_to(rate, value.shape).copy()
    return value, rate


def derivative(f: Callable[[Number], Number], x: Number) -> Number:
    """f'(x): the dual part of f(x + e). For an array x and a function of each element, all derivatives at once.

    Parameters
    ----------
    f : Callable[[Number], Number]
        A function of one number.
    x : Number
        Where; a number or an array.

    Returns
    -------
    Number
        As many numbers as x has.
    """
    level = next(_levels)
    return _split(f(Dual(x, 1.0, level)), level)[1]


def second_derivative(f: Callable[[Number], Number], x: Number) -> tuple[Number, Number, Number]:
    """(f(x), f'(x), f''(x)), from f((x + e) + d) with two dual units e and d.

    Parameters
    ----------
    f : Callable[[Number], Number]
        A function of one number.
    x : Number
        Where.

    Returns
    -------
    tuple[Number, Number, Number]
        The value, the first and the second derivative.
    """
    inner, outer = next(_levels), next(_levels)
    value, rate = _split(f(Dual(Dual(x, 1.0, inner), 1.0, outer)), outer)
    return *_split(value, inner), _split(rate, inner)[1]


def directional(f: Callable[[tuple], Any], x: Sequence[Number], v: Sequence[Number]) -> Any:
    """J(x) v, the dual part of f(x + v e), in one evaluation: a number for a scalar f, an array for a vector f.

    Parameters
    ----------
    f : Callable[[tuple], Any]
        A function of a tuple of numbers.
    x : Sequence[Number]
        Where, n numbers.
    v : Sequence[Number]
        The direction, n numbers.

    Returns
    -------
    Any
        As many numbers as f gives.
    """
    level = next(_levels)
    y = f(tuple(Dual(a, b, level) for a, b in zip(x, v, strict=True)))
    if isinstance(y, tuple | list) or (isinstance(y, np.ndarray) and y.dtype == object):
        return np.array([_split(part, level)[1] for part in y])
    return _split(y, level)[1]


def jacobian(f: Callable[[tuple], Sequence[Number]], x: Sequence[Number]) -> np.ndarray:
    """The (m, n) matrix df_i/dx_j of a function of a tuple of n numbers with m results, one evaluation per column.

    Parameters
    ----------
    f : Callable[[tuple], Sequence[Number]]
        A function of a tuple of n numbers, with m results.
    x : Sequence[Number]
        Where, n numbers.

    Returns
    -------
    np.ndarray
        The derivatives, (m, n).
    """
    n = len(x)
    return np.stack([directional(f, x, [float(i == j) for i in range(n)]) for j in range(n)], axis=1)


def hessian(f: Callable[[tuple], Number], x: Sequence[Number]) -> np.ndarray:
    """The symmetric (n, n) matrix d2f/dx_i dx_j of a scalar function of a tuple of n numbers, from n (n + 1)/2 nested
    evaluations.

    Parameters
    ----------
    f : Callable[[tuple], Number]
        A function of a tuple of n numbers.
    x : Sequence[Number]
        Where, n numbers.

    Returns
    -------
    np.ndarray
        The second derivatives, (n, n).
    """
    n = len(x)
    rows: list[list[Number]] = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            inner, outer = next(_levels), next(_levels)
            point = (Dual(Dual(a, float(k == i), inner), float(k == j), outer) for k, a in enumerate(x))
            rows[i][j] = rows[j][i] = _split(_split(f(tuple(point)), outer)[1], inner)[1]
    return np.array(rows)
