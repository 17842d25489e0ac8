"""Vector algebra against numpy, and the group laws of quaternions that hold for any four numbers."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics import quaternion as Q
from rigidsim.physics import vector as V

EPS = np.finfo(float).eps
# Some twenty roundings of numbers no larger than the scale. Measured: 1.4 eps.
ROUND_OFF = 16 * EPS

# Zero or large enough for products of three not to underflow.
components = st.floats(1e-3, 1e3) | st.floats(-1e3, -1e-3) | st.just(0.0)
vectors = st.tuples(components, components, components)
quadruples = st.tuples(components, components, components, components)


def size(*arrays):
    """The product of the vectors' lengths."""
    return math.prod(float(np.linalg.norm(a)) for a in arrays)


def close(a, b, scale):
    return np.abs(np.subtract(a, b)).max() <= ROUND_OFF * scale


@given(vectors, vectors, components)
def test_vector_operations_are_numpys(a, b, s):
    assert V.add(a, b) == tuple(np.add(a, b))
    assert V.sub(a, b) == tuple(np.subtract(a, b))
    assert V.negated(a) == tuple(-np.array(a))
    assert V.scaled(s, a) == tuple(s * np.array(a))
    assert V.cross(a, b) == tuple(np.cross(a, b))
    assert close(V.dot(a, b), np.dot(a, b), size(a, b))
    assert close(V.norm(a), np.linalg.norm(a), size(a))


@given(vectors, vectors, vectors)
def test_jacobi_identity_and_the_triple_product(a, b, c):
    cyclic = (V.cross(a, V.cross(b, c)), V.cross(b, V.cross(c, a)), V.cross(c, V.cross(a, b)))
    assert close(np.sum(cyclic, axis=0), 0.0, size(a, b, c))
    expanded = V.sub(V.scaled(V.dot(a, c), b), V.scaled(V.dot(a, b), c))
    assert close(cyclic[0], expanded, size(a, b, c))


@given(quadruples, quadruples, quadruples)
def test_the_product_is_associative(p, q, r):
    assert close(Q.product(Q.product(p, q), r), Q.product(p, Q.product(q, r)), size(p, q, r))


@given(quadruples, quadruples)
def test_the_conjugate_of_a_product_turns_the_order_round(p, q):
    swapped = Q.product(Q.conjugate(q), Q.conjugate(p))
    assert close(Q.conjugate(Q.product(p, q)), swapped, size(p, q))


@given(quadruples, quadruples)
def test_lengths_multiply(p, q):
    assert abs(size(Q.product(p, q)) - size(p, q)) <= ROUND_OFF * size(p, q)


def test_a_quarter_turn_is_right_handed_and_active():
    quarter = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    assert close(Q.rotate(quarter, (1.0, 0.0, 0.0)), (0.0, 1.0, 0.0), 1.0)
    assert close(Q.rotate_back(quarter, (1.0, 0.0, 0.0)), (0.0, -1.0, 0.0), 1.0)
