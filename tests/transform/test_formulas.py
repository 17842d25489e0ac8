"""The formulas of three dimensions against the algebra of n: the same numbers, in doubles and on
columns; at sixty digits they are checked with each formula (`physics/formula_checks`).
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rigidsim.transform import DynamicTransform, MotionDelta, Transform
from rigidsim.transform.rotations import matrix_from_quaternion
from rigidsim.transform.skew import cross_matrix
from support.formula_references import Situation, flat, random_situation, references, tuples


@cache
def at_random(seed: int) -> dict:
    """Arguments and results of all formulas in one situation."""
    return references(random_situation(seed))


NAMES = sorted(at_random(0))
VECTOR = arrays(np.float64, 3, elements=st.floats(-4.0, 4.0))
SKEW = VECTOR.map(cross_matrix)
QUATERNION = arrays(np.float64, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 0.1)


def formula_of(name):
    module, function = name.split(".")
    return getattr(import_module(f"rigidsim.physics.{module}"), function)


@st.composite
def situations(draw):
    def dynamic():
        q = draw(QUATERNION)
        q = q / np.linalg.norm(q)
        scale = draw(st.floats(0.25, 4.0))
        transform = Transform(draw(VECTOR), matrix_from_quaternion(q), scale)
        return DynamicTransform(transform, draw(VECTOR), draw(VECTOR), draw(SKEW), draw(SKEW)), tuples(q)

    (A2, q2), (A1, q1) = dynamic(), dynamic()
    change = MotionDelta(draw(VECTOR), draw(VECTOR), draw(SKEW), draw(SKEW))
    return Situation(A2, A1, q2, q1, change, draw(VECTOR), draw(VECTOR))


@settings(deadline=None)
@given(situations())
def test_in_doubles(situation):
    # Every term of every formula is below 16^4: factors up to 8 rad/s twice (a rate and its change), arms up to 50 m,
    # a scale of 4 or 1/4. One rounding of the largest; measured: 1000 epsilon.
    bound = sys.float_info.epsilon * 16**4
    for name, (arguments, expected) in references(situation).items():
        error = np.subtract(flat(formula_of(name)(*tuples(arguments))), flat(expected))
        assert np.abs(error).max() <= bound, name


def test_on_columns_of_many():
    """A formula takes NumPy columns, the reference a batch: the same."""
    many = [at_random(seed) for seed in range(4)]
    for name in NAMES:
        arguments, rows = zip(*(one[name] for one in many), strict=True)
        columns = as_columns([tuples(row) for row in arguments])
        expected = np.array([flat(row) for row in rows], dtype=float).T
        error = np.abs(np.array(flat_columns(formula_of(name)(*columns))) - expected).max()
        assert error <= 64 * sys.float_info.epsilon, name  # measured: 12 epsilon


def as_columns(values):
    if isinstance(values[0], tuple):
        return tuple(as_columns([value[i] for value in values]) for i in range(len(values[0])))
    return np.array([float(value) for value in values])


def flat_columns(value):
    return [c for part in value for c in flat_columns(part)] if isinstance(value, tuple) else [value]
