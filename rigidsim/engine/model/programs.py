"""Evaluation of expressions: a list of operations on registers, performed in order, each over all lanes.

Registers hold the constants, then time and the motions that expressions read, then one result after the other; a result
never overwrites what a later operation needs. A register is a number, or a jet: three rows with value, first and second
derivative with respect to time. Conditions are 1.0 and 0.0.

The routine of each operation is chosen from the table of operations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rigidsim.engine.model.arrays import Program
from rigidsim.engine.model.layout import EACH, FAULT, JET, NUMBERS, OPERATION, SCALAR, TRIPLE, jets_of, numbers_of
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.operations import OPERATIONS, TABLE_CODE
from rigidsim.physics.piecewise import PARTS, jet_piece, piece


def _interpreter(perform: Callable, look_up: Callable) -> Callable:
    """A routine that performs all operations of a program in order."""
    operations = tuple(enumerate(OPERATIONS))

    @routine
    def run(code: OPERATION, first, tables, register, lanes):
        n = len(lanes)
        for k in range(len(code)):
            operation, out = code[k].operation, register[first + k]
            if tables is not None and operation == TABLE_CODE:
                number = code[k].b
                look_up(register[code[k].a], tables[number, 0], tables[number, 1], register, out, lanes)
                continue
            rows = (register[code[k].a], register[code[k].b], register[code[k].c])
            for number, candidate in operations:
                if operation == number:
                    for lane in range(n):
                        perform(candidate, rows[: len(candidate.takes)], out, lane, n)
                    break

    return run


@inlined
def of_numbers(operation, rows, out, lane, n):
    """One operation on numbers."""
    SCALAR(out, lane, n).value = operation.value(*numbers_of(rows, lane, n))


@inlined
def of_jets(operation, rows, out, lane, n):
    """One operation on jets; the result of one without a jet is constant."""
    if operation.jet is None:
        TRIPLE(out, lane, n).xyz = (operation.value(*numbers_of(rows, lane, n)), 0.0, 0.0)
    else:
        TRIPLE(out, lane, n).xyz = operation.jet(*jets_of(rows, lane, n))


@inlined
def find_piece(x, first, count, flat, step, k):
    """The place of the first number of the piece at x in lane k: the last one that does not begin after x, or the first
    piece. `step` is the distance of registers.
    """
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if flat[(first + PARTS * middle) * step + k] <= x:
            low = middle
        else:
            high = middle
    return (first + PARTS * low) * step + k


@routine
def look_up_number(x, first, count, register, out, lanes):
    """The values of a table; lanes may be in different pieces."""
    n, flat, k = len(lanes), register.reshape(-1), 0
    while k < n:
        at = find_piece(x[k], first, count, flat, n, k)
        c = (flat[at], flat[at + n], flat[at + 2 * n], flat[at + 3 * n], flat[at + 4 * n])
        out[k] = piece(x[k], c[0], c[1], c[2], c[3], c[4])
        k += 1


@routine
def look_up_jet(x, first, count, register, out, lanes):
    """The jets of a table."""
    n, flat, k = len(lanes), register.reshape(-1), 0
    step = 3 * n
    while k < n:
        at = find_piece(x[k], first, count, flat, step, k)
        c = (flat[at], flat[at + step], flat[at + 2 * step], flat[at + 3 * step], flat[at + 4 * step])
        jet = jet_piece((x[k], x[n + k], x[2 * n + k]), c[0], c[1], c[2], c[3], c[4])
        out[k], out[n + k], out[2 * n + k] = jet[0], jet[1], jet[2]
        k += 1


run_program = _interpreter(of_numbers, look_up_number)
run_jet_program = _interpreter(of_jets, look_up_jet)


@lanewise
def fill(register: SCALAR, value: EACH, lane):
    """Write a number to all lanes."""
    register.value = value


@lanewise
def fill_jet(jet: JET, t: EACH, lane):
    """Write the jet of the time: t, 1, 0."""
    jet.value, jet.rate, jet.rate_dot = t, 1.0, 0.0


@lanewise
def record_fault(t: EACH, register: NUMBERS, c, fault: FAULT, lane):
    """Record time and value of the first non-finite number in row c of a register."""
    x, recorded = register[c], fault.failed
    first = select(x - x == 0.0, 0.0, 1.0) > recorded
    fault.time = select(first, t, fault.time)
    fault.value = select(first, x, fault.value)
    fault.failed = select(first, 1.0, recorded)


@inlined
def record_faults(t, registers, width, fault, lanes):
    """Record the first non-finite value of registers, each of `width` rows: one for numbers, three for jets."""
    for c in range(width):
        for register in registers:
            record_fault(t, register, c, fault, lanes)


def put_held(program: Program, register: np.ndarray, values: np.ndarray) -> None:
    """Write numbers that are held, (held, lane), into the constants of a program, and these into its registers."""
    if program.held is not None:
        program.constant[program.held[:, 0]] = values[program.held[:, 1]]
    register[: len(program.constant)] = program.constant


@inlined
def is_steered(model):
    """Whether the motion depends on numbers that are held between samples, through loads or conditions."""
    return (model.expressions is not None and model.expressions.script.held is not None) or (
        model.guards is not None and model.guards.program.held is not None
    )
