"""Evaluation of expressions: a list of operations on registers, performed in order, each over all lanes.

Registers hold the constants, then time and the motions that expressions read, then one result after the other; a result
never overwrites what a later operation needs. A register is a number, or a jet: three rows with value, first and second
derivative with respect to time. Conditions are 1.0 and 0.0.

The source of the interpreters is generated from the table of operations, once for numbers and once for jets. Lanes are
read and written by `load` and `store`: plain indices would not become vector instructions (measured: a sine 8.0 instead
of 1.0 ns per lane).
"""

from __future__ import annotations

from collections.abc import Callable

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.layout import load, load3, store, store3
from rigidsim.physics.elementary import select
from rigidsim.physics.operations import OPERATIONS, Operation

HEAD = """
def {name}(code, first, register, lanes):
    n = len(lanes)
    for k in range(len(code)):
        operation, out = code[k, at.OPERATION], register[first + k]
        x, y, z = register[code[k, at.OPERAND_A]], register[code[k, at.OPERAND_B]], register[code[k, at.OPERAND_C]]
        if operation < 0:
            pass
"""
CASE = """
        elif operation == {code}:
            for lane in range(n):
                {store}(out, 0, lane, n, {result})
"""
NAMES = {"__name__": __name__, "at": at, "load": load, "load3": load3, "store": store, "store3": store3}


def _operands(load: str, operation: Operation) -> str:
    return ", ".join(f"{load}({row}, 0, lane, n)" for row in "xyz"[: len(operation.takes)])


def _of_numbers(operation: Operation) -> tuple[str, str]:
    return "store", f"{operation.name}_value({_operands('load', operation)})"


def _of_jets(operation: Operation) -> tuple[str, str]:
    if operation.jet:
        return "store3", f"{operation.name}_jet({_operands('load3', operation)})"
    return "store3", f"({operation.name}_value({_operands('load', operation)}), 0.0, 0.0)"


def _interpreter(name: str, case: Callable[[Operation], tuple[str, str]]) -> Callable:
    """A routine that performs all operations of a program in order; `case` gives the store function and the result of
    each.
    """
    text, names = HEAD.format(name=name), dict(NAMES)
    for code, operation in enumerate(OPERATIONS):
        store, result = case(operation)
        text += CASE.format(code=code, store=store, result=result)
        names |= {f"{operation.name}_value": operation.value, f"{operation.name}_jet": operation.jet}
    exec(compile(text, f"<{name}>", "exec"), names)
    return routine(names[name])


run_program = _interpreter("run_program", _of_numbers)
run_jet_program = _interpreter("run_jet_program", _of_jets)


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
