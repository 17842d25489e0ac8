"""Expressions, evaluated: a list of operations on registers, one after the other, each over all lanes.

Registers hold first the constants, then time and what the expressions look at, then one result after the other; a
result never overwrites what a later operation needs. Conditions are 1.0 and 0.0.
"""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
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
            out[lane] = x[lane] + y[lane]
    elif operation == SUBTRACT:
        for lane in range(n):
            out[lane] = x[lane] - y[lane]
    elif operation == MULTIPLY:
        for lane in range(n):
            out[lane] = x[lane] * y[lane]
    elif operation == DIVIDE:
        for lane in range(n):
            out[lane] = x[lane] / y[lane]
    elif operation == NEGATE:
        for lane in range(n):
            out[lane] = -x[lane]
    elif operation == SELECT:
        for lane in range(n):
            out[lane] = select(x[lane] != 0.0, y[lane], z[lane])
    elif operation == LESS:
        for lane in range(n):
            out[lane] = select(x[lane] < y[lane], 1.0, 0.0)
    elif operation == LESS_EQUAL:
        for lane in range(n):
            out[lane] = select(x[lane] <= y[lane], 1.0, 0.0)
    elif operation == EQUAL:
        for lane in range(n):
            out[lane] = select(x[lane] == y[lane], 1.0, 0.0)
    elif operation == AND:
        for lane in range(n):
            out[lane] = x[lane] * y[lane]
    elif operation == OR:
        for lane in range(n):
            out[lane] = larger(x[lane], y[lane])
    else:
        for lane in range(n):
            out[lane] = 1.0 - x[lane]


@inlined
def common_function(operation, x, y, out, lanes):
    """Functions that scenes use most."""
    n = len(lanes)
    if operation == SQRT:
        for lane in range(n):
            out[lane] = sqrt(x[lane])
    elif operation == SIN:
        for lane in range(n):
            out[lane] = sine(x[lane])
    elif operation == COS:
        for lane in range(n):
            out[lane] = cosine(x[lane])
    elif operation == EXP:
        for lane in range(n):
            out[lane] = exponential(x[lane])
    elif operation == POWER:
        for lane in range(n):
            out[lane] = power(x[lane], y[lane])
    elif operation == MIN:
        for lane in range(n):
            out[lane] = smaller(x[lane], y[lane])
    elif operation == MAX:
        for lane in range(n):
            out[lane] = larger(x[lane], y[lane])
    elif operation == ABS:
        for lane in range(n):
            out[lane] = absolute(x[lane])
    elif operation == TAN:
        for lane in range(n):
            out[lane] = tangent(x[lane])
    elif operation == LOG:
        for lane in range(n):
            out[lane] = logarithm(x[lane])


@inlined
def rare_function(operation, x, y, out, lanes):
    """The others."""
    n = len(lanes)
    if operation == ASIN:
        for lane in range(n):
            out[lane] = arc_sine(x[lane])
    elif operation == ACOS:
        for lane in range(n):
            out[lane] = arc_cosine(x[lane])
    elif operation == ATAN:
        for lane in range(n):
            out[lane] = arc_slope(x[lane])
    elif operation == ATAN2:
        for lane in range(n):
            out[lane] = arc_tangent(x[lane], y[lane])
    elif operation == SIGN:
        for lane in range(n):
            out[lane] = sign(x[lane])
    elif operation == FLOOR:
        for lane in range(n):
            out[lane] = floored(x[lane])
    elif operation == MOD:
        for lane in range(n):
            out[lane] = remainder(x[lane], y[lane])
    elif operation == HYPOT:
        for lane in range(n):
            out[lane] = hypotenuse(x[lane], y[lane])
    elif operation == SINH:
        for lane in range(n):
            out[lane] = hyperbolic_sine(x[lane])
    elif operation == COSH:
        for lane in range(n):
            out[lane] = hyperbolic_cosine(x[lane])
    elif operation == TANH:
        for lane in range(n):
            out[lane] = hyperbolic_tangent(x[lane])


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
    for lane in range(len(lanes)):
        register[lane] = value
