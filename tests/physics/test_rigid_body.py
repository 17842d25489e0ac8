"""Principal axes, and Euler's equation against derivatives at fifty digits. Each formula alone: `formula_checks`."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics import inertia, rigid_body
from rigidsim.physics.quaternion import exp_full, normalised, rotate, rotate_back, to_matrix
from rigidsim.physics.vector import scaled

EPS = np.finfo(float).eps
parts = st.floats(-2, 2)
vectors = st.tuples(parts, parts, parts)
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


def test_euler_equation_is_the_derivative_of_the_angular_momentum():
    """d/dt (R I omega) = tau while omega_B changes by alpha and R by omega; and dT/dt is the power."""
    with mpmath.workdps(60):
        number = mpmath.mpf
        I_B = tuple(map(number, ("1.3", "1.7", "2.1", "0.2", "-0.1", "0.3")))
        omega = tuple(map(number, ("0.7", "-1.1", "0.4")))
        tau = tuple(map(number, ("0.5", "0.3", "-0.9")))
        alpha = rigid_body.angular_acceleration(I_B, inertia.inverse(I_B), omega, tau)
        h = number(10) ** -20

        def momentum_and_energy(k):
            """At t = k h, to second order: q turns by omega and its change, in body axes."""
            later = tuple(w + k * h * a for w, a in zip(omega, alpha, strict=True))
            middle = tuple((w + v) / 2 for w, v in zip(omega, later, strict=True))
            q = exp_full(scaled(k * h / 2, middle))
            L_W = rotate(q, rigid_body.angular_momentum(I_B, later))
            return L_W, rigid_body.kinetic_energy(number(2), I_B, (number(0),) * 3, later)

        (L_1, T_1), (L_0, T_0) = momentum_and_energy(1), momentum_and_energy(-1)
        residuals = [abs((a - b) / (2 * h) - t) for a, b, t in zip(L_1, L_0, tau, strict=True)]
        residuals.append(abs((T_1 - T_0) / (2 * h) - rigid_body.power((0, 0, 0), (0, 0, 0), tau, omega)))
        assert max(residuals) < number(10) ** -35  # the floor of the method: h^2


@given(rotations, rotations, vectors)
def test_turning_the_axes_turns_the_momentum(q, p, omega):
    """Equivariance: the angular momentum of a body described in other axes is the same vector."""
    I_B = tensor_of((1.0, 2.0, 3.0), p)
    turned = rigid_body.angular_momentum(inertia.rotated(q, I_B), rotate(q, omega))
    assert np.allclose(rotate_back(q, turned), rigid_body.angular_momentum(I_B, omega), rtol=0, atol=256 * EPS)
