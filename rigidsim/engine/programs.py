"""Evaluation of expressions: a list of operations on registers, performed in order, each over all lanes.

Registers hold the constants, then time and the motions that expressions read, then one result after the other; a result
never overwrites what a later operation needs. A register is a number, or a jet: three rows with value, first and second
derivative with respect to time. Conditions are 1.0 and 0.0.

The routine of each operation is chosen from the table of operations.
"""

from __future__ import annotations

from collections.abc import Callable

from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, load_each, store, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.operations import OPERATIONS


def _interpreter(perform: Callable) -> Callable:
    """A routine that performs all operations of a program in order."""
    operations = tuple(enumerate(OPERATIONS))

    @routine
    def run(code, first, register, lanes):
        n = len(lanes)
        for k in range(len(code)):
            operation, out = code[k, at.OPERATION], register[first + k]
            rows = (register[code[k, at.OPERAND_A]], register[code[k, at.OPERAND_B]], register[code[k, at.OPERAND_C]])
            for number, candidate in operations:
                if operation == number:
                    for lane in range(n):
                        perform(candidate, rows[: len(candidate.takes)], out, lane, n)
                    break

    return run


@inlined
def of_numbers(operation, rows, out, lane, n):
    """One operation on numbers."""
    store(out, 0, lane, n, operation.value(*load_each(load, rows, lane, n)))


@inlined
def of_jets(operation, rows, out, lane, n):
    """One operation on jets; the result of one without a jet is constant."""
    if operation.jet is None:
        store3(out, 0, lane, n, (operation.value(*load_each(load, rows, lane, n)), 0.0, 0.0))
    else:
        store3(out, 0, lane, n, operation.jet(*load_each(load3, rows, lane, n)))


run_program = _interpreter(of_numbers)
run_jet_program = _interpreter(of_jets)


@routine
def fill(register, value, lanes):
    """Write the same number to all lanes."""
    n = len(lanes)
    for lane in range(n):
        store(register, 0, lane, n, value)


@routine
def fill_jet(jet, t, lanes):
    """Write the jet of the time: t, 1, 0."""
    n = len(lanes)
    for lane in range(n):
        store3(jet, 0, lane, n, (t, 1.0, 0.0))


@routine
def record_fault(t, register, c, fault, lanes):
    """Record time and value of the first non-finite number in row c of a register."""
    n = len(lanes)
    for lane in range(n):
        x, recorded = load(register, c, lane, n), load(fault, at.N_FAILED, lane, n)
        first = select(x - x == 0.0, 0.0, 1.0) > recorded
        store(fault, at.N_TIME, lane, n, select(first, t, load(fault, at.N_TIME, lane, n)))
        store(fault, at.N_VALUE, lane, n, select(first, x, load(fault, at.N_VALUE, lane, n)))
        store(fault, at.N_FAILED, lane, n, select(first, 1.0, recorded))


@inlined
def record_faults(t, x, y, z, width, fault, lanes):
    """Record the first non-finite value of three registers, each of `width` rows: one for numbers, three for jets."""
    for c in range(width):
        record_fault(t, x, c, fault, lanes)
        record_fault(t, y, c, fault, lanes)
        record_fault(t, z, c, fault, lanes)
