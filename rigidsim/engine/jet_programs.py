"""The operations of `programs` on jets: a value with its first and second derivative with respect to time."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine import programs as op
from rigidsim.engine.layout import load, load3, store, store3
from rigidsim.physics import jets


@inlined
def jet_of_one(function, x, out, lanes):
    """A function of one jet, lane by lane."""
    n = len(lanes)
    for lane in range(n):
        store3(out, 0, lane, n, function(load3(x, 0, lane, n)))


@inlined
def jet_of_two(function, x, y, out, lanes):
    """A function of two jets, lane by lane."""
    n = len(lanes)
    for lane in range(n):
        store3(out, 0, lane, n, function(load3(x, 0, lane, n), load3(y, 0, lane, n)))


@inlined
def jet_choice(x, y, z, out, lanes):
    """y where the condition x holds, z elsewhere."""
    n = len(lanes)
    for lane in range(n):
        y_lane, z_lane = load3(y, 0, lane, n), load3(z, 0, lane, n)
        store3(out, 0, lane, n, jets.jet_select(load(x, 0, lane, n) != 0.0, y_lane, z_lane))


@inlined
def jet_arithmetic(operation, x, y, z, out, lanes):
    """Sums, products, choices; comparisons are those of the values."""
    if operation == op.ADD:
        jet_of_two(jets.jet_sum, x, y, out, lanes)
    elif operation == op.SUBTRACT:
        jet_of_two(jets.jet_difference, x, y, out, lanes)
    elif operation == op.MULTIPLY:
        jet_of_two(jets.jet_product, x, y, out, lanes)
    elif operation == op.DIVIDE:
        jet_of_two(jets.jet_quotient, x, y, out, lanes)
    elif operation == op.NEGATE:
        jet_of_one(jets.jet_negated, x, out, lanes)
    elif operation == op.SELECT:
        jet_choice(x, y, z, out, lanes)
    else:
        op.condition(operation, x, y, out, lanes)
        n = len(lanes)
        for lane in range(n):
            store(out, 1, lane, n, 0.0)
            store(out, 2, lane, n, 0.0)


@inlined
def one_argument(operation, x, out, lanes):
    """Functions of one argument."""
    if operation == op.SIN:
        jet_of_one(jets.jet_sine, x, out, lanes)
    elif operation == op.COS:
        jet_of_one(jets.jet_cosine, x, out, lanes)
    elif operation == op.SQRT:
        jet_of_one(jets.jet_square_root, x, out, lanes)
    elif operation == op.EXP:
        jet_of_one(jets.jet_exponential, x, out, lanes)
    elif operation == op.TAN:
        jet_of_one(jets.jet_tangent, x, out, lanes)
    elif operation == op.LOG:
        jet_of_one(jets.jet_logarithm, x, out, lanes)
    elif operation == op.ABS:
        jet_of_one(jets.jet_absolute, x, out, lanes)
    elif operation == op.ASIN:
        jet_of_one(jets.jet_arc_sine, x, out, lanes)
    elif operation == op.ACOS:
        jet_of_one(jets.jet_arc_cosine, x, out, lanes)
    elif operation == op.ATAN:
        jet_of_one(jets.jet_arc_tangent, x, out, lanes)
    elif operation == op.SIGN:
        jet_of_one(jets.jet_sign, x, out, lanes)
    elif operation == op.FLOOR:
        jet_of_one(jets.jet_floored, x, out, lanes)
    elif operation == op.SINH:
        jet_of_one(jets.jet_hyperbolic_sine, x, out, lanes)
    elif operation == op.COSH:
        jet_of_one(jets.jet_hyperbolic_cosine, x, out, lanes)
    elif operation == op.TANH:
        jet_of_one(jets.jet_hyperbolic_tangent, x, out, lanes)


@inlined
def two_arguments(operation, x, y, out, lanes):
    """Functions of two arguments."""
    if operation == op.POWER:
        jet_of_two(jets.jet_power, x, y, out, lanes)
    elif operation == op.MIN:
        jet_of_two(jets.jet_smaller, x, y, out, lanes)
    elif operation == op.MAX:
        jet_of_two(jets.jet_larger, x, y, out, lanes)
    elif operation == op.ATAN2:
        jet_of_two(jets.jet_arc_tangent_2, x, y, out, lanes)
    elif operation == op.MOD:
        jet_of_two(jets.jet_remainder, x, y, out, lanes)
    elif operation == op.HYPOT:
        jet_of_two(jets.jet_hypotenuse, x, y, out, lanes)


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
