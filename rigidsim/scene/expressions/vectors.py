"""Vectors in expressions: three numbers each, so that a tree has numbers alone. What is done to vectors is done to
their components while a text is parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from rigidsim.scene.expressions.operands import (
    NUMBER,
    VECTOR,
    Operand,
    applied,
    componentwise,
    constant,
    read_of,
    require,
    vector,
)
from rigidsim.scene.expressions.tree import StateRead

OF_STATE = {"p": "position", "v": "velocity", "omega": "angular_velocity"}
"""The vectors of the state by their names. A parameter of that name comes first where no body is named."""
FUNCTIONS = {
    "dot": (("a", "b"), "the scalar product of two vectors"),
    "cross": (("a", "b"), "the vector product"),
    "norm": (("a",), "the length of a vector"),
    "rotate": (("a", '"body"'), "the vector that has the components a in the axes of the body, in the axes used here"),
}
"""Each function of vectors: its arguments, and what it gives."""


def dot(offset: int, a: Operand, b: Operand) -> Operand:
    """a . b"""
    products = (applied("multiply", offset, u, w) for u, w in zip(_parts(a), _parts(b), strict=True))
    return reduce(lambda one, other: applied("add", offset, one, other), products)


def cross(offset: int, a: Operand, b: Operand) -> Operand:
    """a x b"""
    u, w = _parts(a), _parts(b)

    def part(i: int, j: int) -> Operand:
        first, second = applied("multiply", offset, u[i], w[j]), applied("multiply", offset, u[j], w[i])
        return applied("subtract", offset, first, second)

    return vector([part(1, 2), part(2, 0), part(0, 1)], offset)


def norm(offset: int, a: Operand) -> Operand:
    """|a|"""
    return reduce(lambda one, other: applied("hypot", offset, one, other), _parts(a))


def turned(offset: int, q: Sequence[Operand], a: Operand, back: bool = False) -> Operand:
    """q a q*, or q* a q: a + w t + u x t with t = 2 u x a, where q = (w, u), or (w, -u)."""
    w, *u = q
    along = vector(u, offset)
    if back:
        along = componentwise("negate", offset, along)
    t = componentwise("multiply", offset, constant(2.0, offset), cross(offset, along, a))
    further = componentwise("add", offset, componentwise("multiply", offset, w, t), cross(offset, along, t))
    return componentwise("add", offset, a, further)


def read_vector(quantity: str, paths: Sequence[str], offset: int, has_units: bool) -> Operand:
    """A vector of the state of a body, as an observer sees it."""
    return vector([_read(StateRead(quantity, k, *paths), offset, has_units) for k in range(3)], offset)


def read_turn(quantity: str, paths: Sequence[str], offset: int, has_units: bool) -> list[Operand]:
    """The quaternion of the orientation of a body, as an observer sees it."""
    return [_read(StateRead(quantity, k, *paths), offset, has_units) for k in range(4)]


def _read(state: StateRead, offset: int, has_units: bool) -> Operand:
    return read_of(state, offset) if has_units else Operand(state, NUMBER, offset)


def _parts(a: Operand) -> tuple[Operand, ...]:
    return require(VECTOR, a).parts
