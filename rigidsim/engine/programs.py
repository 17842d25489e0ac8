"""Expressions, evaluated: a list of operations on registers, one after the other, each over all lanes.

Lanes are read and written by `load` and `store`: plain indices would not become vector instructions (measured: a sine
8.0 instead of 1.0 ns a lane).

Registers hold first the constants, then time and what the expressions look at, then one result after the other; a
result never overwrites what a later operation needs. Conditions are 1.0 and 0.0.
"""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, store
from rigidsim.physics.elementary import arc_tangent, select, sqrt
from rigidsim.physics.exponentials import exponential, logarithm
from rigidsim.physics.functions import (
    absolute,
    arc_cosine,
    arc_sine,
    arc_slope,
    cosine,
    floored,
    hyperbolic_cosine,
    hyperbolic_sine,
    hyperbolic_tangent,
    hypotenuse,
    larger,
    power,
    remainder,
    sign,
    sine,
    smaller,
    tangent,
)

# In the order of how often they are needed; what the numbers are matters to nobody else.
OPERATIONS = (
    "add", "subtract", "multiply", "divide", "negate", "select", "less", "less_equal", "equal", "and", "or", "not",
    "min", "max", "abs", "sqrt",
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "power",
    "sign", "floor", "mod", "hypot", "sinh", "cosh", "tanh",
)  # fmt: skip
CODE = {name: code for code, name in enumerate(OPERATIONS)}
(
    ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE, SELECT, LESS, LESS_EQUAL, EQUAL, AND, OR, NOT,
    MIN, MAX, ABS, SQRT,
    SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, EXP, LOG, POWER,
    SIGN, FLOOR, MOD, HYPOT, SINH, COSH, TANH,
) = range(len(OPERATIONS))  # fmt: skip


@inlined
def arithmetic(operation, x, y, z, out, lanes):
    """Sums, products, comparisons, choices."""
    n = len(lanes)
    if operation == ADD:
        for lane in range(n):
            store(out, 0, lane, n, load(x, 0, lane, n) + load(y, 0, lane, n))
    elif operation == SUBTRACT:
        for lane in range(n):
            store(out, 0, lane, n, load(x, 0, lane, n) - load(y, 0, lane, n))
    elif operation == MULTIPLY:
        for lane in range(n):
            store(out, 0, lane, n, load(x, 0, lane, n) * load(y, 0, lane, n))
    elif operation == DIVIDE:
        for lane in range(n):
            store(out, 0, lane, n, load(x, 0, lane, n) / load(y, 0, lane, n))
    elif operation == NEGATE:
        for lane in range(n):
            store(out, 0, lane, n, -load(x, 0, lane, n))
    elif operation == SELECT:
        for lane in range(n):
            store(out, 0, lane, n, select(load(x, 0, lane, n) != 0.0, load(y, 0, lane, n), load(z, 0, lane, n)))
    elif operation == LESS:
        for lane in range(n):
            store(out, 0, lane, n, select(load(x, 0, lane, n) < load(y, 0, lane, n), 1.0, 0.0))
    elif operation == LESS_EQUAL:
        for lane in range(n):
            store(out, 0, lane, n, select(load(x, 0, lane, n) <= load(y, 0, lane, n), 1.0, 0.0))
    elif operation == EQUAL:
        for lane in range(n):
            store(out, 0, lane, n, select(load(x, 0, lane, n) == load(y, 0, lane, n), 1.0, 0.0))
    elif operation == AND:
        for lane in range(n):
            store(out, 0, lane, n, load(x, 0, lane, n) * load(y, 0, lane, n))
    elif operation == OR:
        for lane in range(n):
            store(out, 0, lane, n, larger(load(x, 0, lane, n), load(y, 0, lane, n)))
    else:
        for lane in range(n):
            store(out, 0, lane, n, 1.0 - load(x, 0, lane, n))


@inlined
def common_function(operation, x, y, out, lanes):
    """Functions that scenes use most."""
    n = len(lanes)
    if operation == SQRT:
        for lane in range(n):
            store(out, 0, lane, n, sqrt(load(x, 0, lane, n)))
    elif operation == SIN:
        for lane in range(n):
            store(out, 0, lane, n, sine(load(x, 0, lane, n)))
    elif operation == COS:
        for lane in range(n):
            store(out, 0, lane, n, cosine(load(x, 0, lane, n)))
    elif operation == EXP:
        for lane in range(n):
            store(out, 0, lane, n, exponential(load(x, 0, lane, n)))
    elif operation == POWER:
        for lane in range(n):
            store(out, 0, lane, n, power(load(x, 0, lane, n), load(y, 0, lane, n)))
    elif operation == MIN:
        for lane in range(n):
            store(out, 0, lane, n, smaller(load(x, 0, lane, n), load(y, 0, lane, n)))
    elif operation == MAX:
        for lane in range(n):
            store(out, 0, lane, n, larger(load(x, 0, lane, n), load(y, 0, lane, n)))
    elif operation == ABS:
        for lane in range(n):
            store(out, 0, lane, n, absolute(load(x, 0, lane, n)))
    elif operation == TAN:
        for lane in range(n):
            store(out, 0, lane, n, tangent(load(x, 0, lane, n)))
    elif operation == LOG:
        for lane in range(n):
            store(out, 0, lane, n, logarithm(load(x, 0, lane, n)))


@inlined
def rare_function(operation, x, y, out, lanes):
    """The others."""
    n = len(lanes)
    if operation == ASIN:
        for lane in range(n):
            store(out, 0, lane, n, arc_sine(load(x, 0, lane, n)))
    elif operation == ACOS:
        for lane in range(n):
            store(out, 0, lane, n, arc_cosine(load(x, 0, lane, n)))
    elif operation == ATAN:
        for lane in range(n):
            store(out, 0, lane, n, arc_slope(load(x, 0, lane, n)))
    elif operation == ATAN2:
        for lane in range(n):
            store(out, 0, lane, n, arc_tangent(load(x, 0, lane, n), load(y, 0, lane, n)))
    elif operation == SIGN:
        for lane in range(n):
            store(out, 0, lane, n, sign(load(x, 0, lane, n)))
    elif operation == FLOOR:
        for lane in range(n):
            store(out, 0, lane, n, floored(load(x, 0, lane, n)))
    elif operation == MOD:
        for lane in range(n):
            store(out, 0, lane, n, remainder(load(x, 0, lane, n), load(y, 0, lane, n)))
    elif operation == HYPOT:
        for lane in range(n):
            store(out, 0, lane, n, hypotenuse(load(x, 0, lane, n), load(y, 0, lane, n)))
    elif operation == SINH:
        for lane in range(n):
            store(out, 0, lane, n, hyperbolic_sine(load(x, 0, lane, n)))
    elif operation == COSH:
        for lane in range(n):
            store(out, 0, lane, n, hyperbolic_cosine(load(x, 0, lane, n)))
    elif operation == TANH:
        for lane in range(n):
            store(out, 0, lane, n, hyperbolic_tangent(load(x, 0, lane, n)))


@routine
def run_program(code, first, register, lanes):
    """All operations in order."""
    for k in range(len(code)):
        operation = code[k, at.OPERATION]
        x, y, z = register[code[k, at.OPERAND_A]], register[code[k, at.OPERAND_B]], register[code[k, at.OPERAND_C]]
        out = register[first + k]
        if operation <= NOT:
            arithmetic(operation, x, y, z, out, lanes)
        else:
            common_function(operation, x, y, out, lanes)
            rare_function(operation, x, y, out, lanes)


@routine
def fill(register, value, lanes):
    """The same number in all lanes."""
    n = len(lanes)
    for lane in range(n):
        store(register, 0, lane, n, value)
