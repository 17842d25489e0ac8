"""The interpreters of expressions against the table of operations: the same bits, for numbers and for jets."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.engine.model.arrays import table
from rigidsim.engine.model.programs import run_jet_program, run_program
from rigidsim.jit.kernels import kernel
from rigidsim.physics.operations import CODE, CONDITION, JETS, OPERATIONS, VALUES

LANES = 16


@kernel
def of_numbers(code, first, register, lanes):
    """Values, as a kernel computes them."""
    run_program(code, first, None, register, lanes)


@kernel
def of_jets(code, first, register, lanes):
    """Values with two derivatives."""
    run_jet_program(code, first, None, register, lanes)


def registers(height: int) -> np.ndarray:
    """(register, row * lanes) a condition, three numbers, and room for the results."""
    register = np.zeros((4 + len(OPERATIONS), height * LANES))
    rng = np.random.default_rng(5)
    register[0, :LANES] = rng.integers(0, 2, LANES)
    register[1:4] = rng.uniform(0.05, 0.95, (3, height * LANES))
    return register


def operands(operation) -> list[int]:
    return [0 if kind == CONDITION else 1 + k for k, kind in enumerate(operation.takes)]


CODES = table([(CODE[op.name], *[*operands(op), 0, 0][:3]) for op in OPERATIONS], 4)


@pytest.mark.parametrize(("height", "functions"), [(1, VALUES), (3, JETS)])
def test_every_operation_has_the_bits_of_the_table(height, functions):
    register = registers(height)
    (of_jets if height > 1 else of_numbers)(CODES, 4, register, (0,) * LANES)
    for k, operation in enumerate(OPERATIONS):
        for lane in range(LANES):
            values = [tuple(register[r, lane::LANES].tolist()) for r in operands(operation)]
            expected = functions[operation.name](*(v if height > 1 else v[0] for v in values))
            assert np.array_equal(np.ravel(expected), register[4 + k, lane::LANES]), operation.name
