"""The operations of `programs` on jets: a value with its first and second derivative with respect to time."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine import programs as op
from rigidsim.engine.layout import load, load3, store, store3
from rigidsim.physics import jets
from rigidsim.physics.elementary import select
from rigidsim.physics.functions import larger


@inlined
def jet_arithmetic(operation, x, y, z, out, lanes):
    """Sums, products, comparisons, choices."""
    n = len(lanes)
    if operation == op.ADD:
        for lane in range(n):
            store3(out, 0, lane, n, jets.jet_sum(load3(x, 0, lane, n), load3(y, 0, lane, n)))
    elif operation == op.SUBTRACT:
        for lane in range(n):
            store3(out, 0, lane, n, jets.jet_difference(load3(x, 0, lane, n), load3(y, 0, lane, n)))
    elif operation == op.MULTIPLY:
        for lane in range(n):
            store3(out, 0, lane, n, jets.jet_product(load3(x, 0, lane, n), load3(y, 0, lane, n)))
    elif operation == op.DIVIDE:
        for lane in range(n):
            store3(out, 0, lane, n, jets.jet_quotient(load3(x, 0, lane, n), load3(y, 0, lane, n)))
    elif operation == op.NEGATE:
        for lane in range(n):
            store3(out, 0, lane, n, jets.jet_negated(load3(x, 0, lane, n)))
    elif operation == op.SELECT:
        for lane in range(n):
            a, b = load3(y, 0, lane, n), load3(z, 0, lane, n)
            store3(out, 0, lane, n, jets.jet_select(load(x, 0, lane, n) != 0.0, a, b))
    else:
        for lane in range(n):
            a, b = load(x, 0, lane, n), load(y, 0, lane, n)
            store3(out, 0, lane, n, (condition(operation, a, b), 0.0, 0.0))


@inlined
def condition(operation, a, b):
    """A comparison or a connection of conditions; 1.0 where it holds."""
    value = 1.0 - a  # not
    value = select(operation == op.LESS, select(a < b, 1.0, 0.0), value)
    value = select(operation == op.LESS_EQUAL, select(a <= b, 1.0, 0.0), value)
    value = select(operation == op.EQUAL, select(a == b, 1.0, 0.0), value)
    value = select(operation == op.AND, a * b, value)
    return select(operation == op.OR, larger(a, b), value)


@inlined
def one_argument(operation, x, out, lanes):
    """Functions of one argument."""
    n = len(lanes)
    for lane in range(n):
        u = load3(x, 0, lane, n)
        if operation == op.SIN:
            store3(out, 0, lane, n, jets.jet_sine(u))
        elif operation == op.COS:
            store3(out, 0, lane, n, jets.jet_cosine(u))
        elif operation == op.SQRT:
            store3(out, 0, lane, n, jets.jet_square_root(u))
        elif operation == op.EXP:
            store3(out, 0, lane, n, jets.jet_exponential(u))
        elif operation == op.TAN:
            store3(out, 0, lane, n, jets.jet_tangent(u))
        elif operation == op.LOG:
            store3(out, 0, lane, n, jets.jet_logarithm(u))
        elif operation == op.ABS:
            store3(out, 0, lane, n, jets.jet_absolute(u))
        elif operation == op.ASIN:
            store3(out, 0, lane, n, jets.jet_arc_sine(u))
        elif operation == op.ACOS:
            store3(out, 0, lane, n, jets.jet_arc_cosine(u))
        elif operation == op.ATAN:
            store3(out, 0, lane, n, jets.jet_arc_tangent(u))
        elif operation == op.SIGN:
            store3(out, 0, lane, n, jets.jet_sign(u))
        elif operation == op.FLOOR:
            store3(out, 0, lane, n, jets.jet_floored(u))
        elif operation == op.SINH:
            store3(out, 0, lane, n, jets.jet_hyperbolic_sine(u))
        elif operation == op.COSH:
            store3(out, 0, lane, n, jets.jet_hyperbolic_cosine(u))
        elif operation == op.TANH:
            store3(out, 0, lane, n, jets.jet_hyperbolic_tangent(u))


@inlined
def two_arguments(operation, x, y, out, lanes):
    """Functions of two arguments."""
    n = len(lanes)
    for lane in range(n):
        u, v = load3(x, 0, lane, n), load3(y, 0, lane, n)
        if operation == op.POWER:
            store3(out, 0, lane, n, jets.jet_power(u, v))
        elif operation == op.MIN:
            store3(out, 0, lane, n, jets.jet_smaller(u, v))
        elif operation == op.MAX:
            store3(out, 0, lane, n, jets.jet_larger(u, v))
        elif operation == op.ATAN2:
            store3(out, 0, lane, n, jets.jet_arc_tangent_2(u, v))
        elif operation == op.MOD:
            store3(out, 0, lane, n, jets.jet_remainder(u, v))
        elif operation == op.HYPOT:
            store3(out, 0, lane, n, jets.jet_hypotenuse(u, v))


@routine
def run_jet_program(code, first, jet, lanes):
    """All operations in order."""
    for k in range(len(code)):
        operation = code[k, at.OPERATION]
        x, y, z = jet[code[k, at.OPERAND_A]], jet[code[k, at.OPERAND_B]], jet[code[k, at.OPERAND_C]]
        out = jet[first + k]
        if operation <= op.NOT:
            jet_arithmetic(operation, x, y, z, out, lanes)
        else:
            one_argument(operation, x, out, lanes)
            two_arguments(operation, x, y, out, lanes)


@routine
def fill_jet(jet, t, lanes):
    """Time itself: t, 1, 0."""
    n = len(lanes)
    for lane in range(n):
        store(jet, 0, lane, n, t)
        store(jet, 1, lane, n, 1.0)
        store(jet, 2, lane, n, 0.0)
