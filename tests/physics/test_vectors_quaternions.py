"""Vector and quaternion algebra: identities on any numbers, and agreement with numpy and numpy-quaternion."""

from __future__ import annotations

import math

import numpy as np
import quaternion
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics import quaternion as Q
from rigidsim.physics import vector as V

EPS = np.finfo(float).eps
# Each identity takes some twenty roundings of numbers no larger than the scale; measured: 3 eps and less.
ROUND_OFF = 16 * EPS

components = st.floats(-1e3, 1e3, allow_subnormal=False)
vectors = st.tuples(components, components, components)
quadruples = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: math.hypot(*q) > 0.1)
rotations = quadruples.map(Q.normalised)


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
def test_jacobi_identity_of_the_cross_product(a, b, c):
    parts = (V.cross(a, V.cross(b, c)), V.cross(b, V.cross(c, a)), V.cross(c, V.cross(a, b)))
    assert close(np.sum(parts, axis=0), 0.0, size(a, b, c))


@given(quadruples, quadruples, quadruples)
def test_product_is_associative_and_not_reversed(p, q, r):
    assert close(Q.product(Q.product(p, q), r), Q.product(p, Q.product(q, r)), size(p, q, r))
    theirs = np.quaternion(*p) * np.quaternion(*q)
    assert close(Q.product(p, q), quaternion.as_float_array(theirs), size(p, q))


@given(quadruples, quadruples)
def test_the_conjugate_of_a_product_turns_the_order_round(p, q):
    swapped = Q.product(Q.conjugate(q), Q.conjugate(p))
    assert close(Q.conjugate(Q.product(p, q)), swapped, size(p, q))


@given(rotations, vectors)
def test_rotate_is_the_sandwich_the_matrix_and_numpy_quaternions(q, v):
    turned = Q.rotate(q, v)
    sandwich = Q.product(Q.product(q, (0.0, *v)), Q.conjugate(q))
    assert close(turned, sandwich[1:], size(v))
    assert close(turned, np.array(Q.to_matrix(q)) @ v, size(v))
    assert close(turned, quaternion.rotate_vectors(np.quaternion(*q), np.array(v)), size(v))


@given(rotations, rotations, vectors)
def test_rotations_compose_and_turn_back(p, q, v):
    assert close(Q.rotate(Q.product(p, q), v), Q.rotate(p, Q.rotate(q, v)), size(v))
    assert close(Q.rotate_back(q, Q.rotate(q, v)), v, size(v))
    assert close(Q.rotate(Q.conjugate(q), v), Q.rotate_back(q, v), size(v))


@given(rotations)
def test_the_matrix_of_a_rotation_is_numpy_quaternions_and_proper(q):
    matrix = np.array(Q.to_matrix(q))
    assert close(matrix, quaternion.as_rotation_matrix(np.quaternion(*q)), 1.0)
    assert close(matrix @ matrix.T, np.eye(3), 1.0)
    assert close(np.linalg.det(matrix), 1.0, 1.0)


def test_a_quarter_turn_is_right_handed_and_active():
    quarter = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    assert close(Q.rotate(quarter, (1.0, 0.0, 0.0)), (0.0, 1.0, 0.0), 1.0)


@given(quadruples)
def test_normalised_has_length_one_and_the_same_direction(q):
    unit = Q.normalised(q)
    assert close(size(unit), 1.0, 1.0)
    assert close(np.multiply(unit, size(q)), q, size(q))


@given(rotations, st.floats(-1e-8, 1e-8))
def test_renormalised_takes_away_the_error_of_the_length(q, excess):
    """One Newton step squares the error of |q|^2 (times 3/4): from 1e-8 to below round-off."""
    stretched = tuple((1.0 + excess) * x for x in q)
    unit = Q.renormalised(stretched)
    assert close(size(unit), 1.0, 1.0)
    assert close(unit, q, 1.0)
