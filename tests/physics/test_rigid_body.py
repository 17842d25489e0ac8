"""Principal axes, and Euler's equation against derivatives at fifty digits. Each formula alone: `formula_checks`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics import inertia
from rigidsim.physics.quaternion import normalised, to_matrix

EPS = np.finfo(float).eps
parts = st.floats(-2, 2)
rotations = st.tuples(parts, parts, parts, parts).filter(lambda q: np.linalg.norm(q) > 0.1).map(normalised)
moments = st.tuples(*[st.floats(0.1, 10)] * 3)


def matrix(t) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = t
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def tensor_of(principal, q) -> tuple:
    return inertia.rotated(q, (*principal, 0.0, 0.0, 0.0))


@given(moments, rotations)
def test_principal_axes_make_the_tensor_diagonal(principal, q):
    t = tensor_of(principal, q)
    found, q_BQ = inertia.principal_axes(t)
    assert np.allclose(sorted(found), np.linalg.eigvalsh(matrix(t)), rtol=0, atol=64 * EPS * max(principal))
    R = np.array(to_matrix(q_BQ))
    assert np.allclose(R @ np.diag(found) @ R.T, matrix(t), rtol=0, atol=128 * EPS * max(principal))


@pytest.mark.parametrize(
    "t", [(1.0, 2.0, 3.0, 0.0, 0.0, 0.0), (2.0, 2.0, 2.0, 0.0, 0.0, 0.0), (1.0, 1.0, 2.0, 1e-9, 0, 0)]
)
def test_principal_axes_of_special_tensors(t):
    found, _ = inertia.principal_axes(t)
    assert np.allclose(sorted(found), np.linalg.eigvalsh(matrix(t)), rtol=0, atol=16 * EPS)
