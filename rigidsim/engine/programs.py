"""Expressions, evaluated: a list of operations on registers, one after the other, each over all lanes.

Lanes are read and written by `load` and `store`: plain indices would not become vector instructions (measured: a sine
8.0 instead of 1.0 ns a lane).

Registers hold first the constants, then time and what the expressions look at, then one result after the other; a
result never overwrites what a later operation needs. Conditions are 1.0 and 0.0.
"""

from __future__ import annotations

from operator import add, mul, neg, sub, truediv

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
    is_at_most,
    is_equal,
    is_less,
    is_not,
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
def of_one(function, x, out, lanes):
    """A function of one argument, lane by lane."""
    n = len(lanes)
    for lane in range(n):
        store(out, 0, lane, n, function(load(x, 0, lane, n)))


@inlined
def of_two(function, x, y, out, lanes):
    """A function of two arguments, lane by lane."""
    n = len(lanes)
    for lane in range(n):
        store(out, 0, lane, n, function(load(x, 0, lane, n), load(y, 0, lane, n)))


@inlined
def choose(x, y, z, out, lanes):
    """y where the condition x holds, z elsewhere."""
    n = len(lanes)
    for lane in range(n):
        store(out, 0, lane, n, select(load(x, 0, lane, n) != 0.0, load(y, 0, lane, n), load(z, 0, lane, n)))


@inlined
def condition(operation, x, y, out, lanes):
    """Comparisons and what connects them: 1.0 where it holds, 0.0 elsewhere."""
    if operation == LESS:
        of_two(is_less, x, y, out, lanes)
    elif operation == LESS_EQUAL:
        of_two(is_at_most, x, y, out, lanes)
    elif operation == EQUAL:
        of_two(is_equal, x, y, out, lanes)
    elif operation == AND:
        of_two(mul, x, y, out, lanes)
    elif operation == OR:
        of_two(larger, x, y, out, lanes)
    else:
        of_one(is_not, x, out, lanes)


@inlined
def arithmetic(operation, x, y, z, out, lanes):
    """Sums, products, choices; comparisons."""
    if operation == ADD:
        of_two(add, x, y, out, lanes)
    elif operation == SUBTRACT:
        of_two(sub, x, y, out, lanes)
    elif operation == MULTIPLY:
        of_two(mul, x, y, out, lanes)
    elif operation == DIVIDE:
        of_two(truediv, x, y, out, lanes)
    elif operation == NEGATE:
        of_one(neg, x, out, lanes)
    elif operation == SELECT:
        choose(x, y, z, out, lanes)
    else:
        condition(operation, x, y, out, lanes)


@inlined
def common_function(operation, x, y, out, lanes):
    """Functions that scenes use most."""
    if operation == SQRT:
        of_one(sqrt, x, out, lanes)
    elif operation == SIN:
        of_one(sine, x, out, lanes)
    elif operation == COS:
        of_one(cosine, x, out, lanes)
    elif operation == EXP:
        of_one(exponential, x, out, lanes)
    elif operation == POWER:
        of_two(power, x, y, out, lanes)
    elif operation == MIN:
        of_two(smaller, x, y, out, lanes)
    elif operation == MAX:
        of_two(larger, x, y, out, lanes)
    elif operation == ABS:
        of_one(absolute, x, out, lanes)
    elif operation == TAN:
        of_one(tangent, x, out, lanes)
    elif operation == LOG:
        of_one(logarithm, x, out, lanes)


@inlined
def rare_function(operation, x, y, out, lanes):
    """The others."""
    if operation == ASIN:
        of_one(arc_sine, x, out, lanes)
    elif operation == ACOS:
        of_one(arc_cosine, x, out, lanes)
    elif operation == ATAN:
        of_one(arc_slope, x, out, lanes)
    elif operation == ATAN2:
        of_two(arc_tangent, x, y, out, lanes)
    elif operation == SIGN:
        of_one(sign, x, out, lanes)
    elif operation == FLOOR:
        of_one(floored, x, out, lanes)
    elif operation == MOD:
        of_two(remainder, x, y, out, lanes)
    elif operation == HYPOT:
        of_two(hypotenuse, x, y, out, lanes)
    elif operation == SINH:
        of_one(hyperbolic_sine, x, out, lanes)
    elif operation == COSH:
        of_one(hyperbolic_cosine, x, out, lanes)
    elif operation == TANH:
        of_one(hyperbolic_tangent, x, out, lanes)


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


@routine
def note_fault(t, register, c, fault, lanes):
    """Keep time and value of the first number in a register, in its row c, that is not finite."""
    n = len(lanes)
    for lane in range(n):
        x, noted = load(register, c, lane, n), load(fault, at.N_FAILED, lane, n)
        first = select(x - x == 0.0, 0.0, 1.0) > noted
        store(fault, at.N_TIME, lane, n, select(first, t, load(fault, at.N_TIME, lane, n)))
        store(fault, at.N_VALUE, lane, n, select(first, x, load(fault, at.N_VALUE, lane, n)))
        store(fault, at.N_FAILED, lane, n, select(first, 1.0, noted))


@inlined
def note_faults(t, x, y, z, width, fault, lanes):
    """The first of three registers, each of so many rows: one for numbers, three for jets."""
    for c in range(width):
        note_fault(t, x, c, fault, lanes)
        note_fault(t, y, c, fault, lanes)
        note_fault(t, z, c, fault, lanes)
