"""Inertia, Newton and Euler, energy and momentum: against matrices and against derivatives at fifty digits."""

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


@given(moments, rotations, vectors, vectors)
def test_tensors_are_matrices(principal, q, v, r):
    t, R = tensor_of(principal, q), np.array(to_matrix(q))
    size = 64 * EPS * max(principal)
    assert np.allclose(matrix(t), R @ np.diag(principal) @ R.T, rtol=0, atol=size)
    assert np.allclose(inertia.apply(t, v), matrix(t) @ v, rtol=0, atol=size * 4)
    assert np.allclose(matrix(inertia.inverse(t)) @ matrix(t), np.eye(3), rtol=0, atol=1e4 * EPS * 100)
    r = np.array(r)
    steiner = matrix(t) + 3.0 * (r @ r * np.eye(3) - np.outer(r, r))
    assert np.allclose(matrix(inertia.displaced(t, 3.0, tuple(r))), steiner, rtol=0, atol=size + 64 * EPS * 12)


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


@given(vectors, vectors, vectors, vectors)
def test_points_of_a_body(v, omega, alpha, r):
    assert np.allclose(rigid_body.point_velocity(v, omega, r), np.add(v, np.cross(omega, r)), rtol=0, atol=32 * EPS)
    centripetal = np.cross(omega, np.cross(omega, r))
    expected = np.add(v, np.cross(alpha, r)) + centripetal
    assert np.allclose(rigid_body.point_acceleration(v, omega, alpha, r), expected, rtol=0, atol=64 * EPS)
    assert rigid_body.origin_from_com(v, r) == tuple(a - b for a, b in zip(v, r, strict=True))


@given(vectors, vectors, vectors)
def test_newton_energy_and_momenta(f, g, p):
    assert np.allclose(rigid_body.acceleration(2.0, f, g), np.array(f) / 2 + g, rtol=0, atol=8 * EPS)
    assert rigid_body.uniform_potential(2.0, g, p) == pytest.approx(-2.0 * np.dot(g, p), abs=32 * EPS)
    assert np.allclose(rigid_body.orbital_angular_momentum(2.0, p, f), 2 * np.cross(p, f), rtol=0, atol=64 * EPS)
    energy = rigid_body.kinetic_energy(2.0, (1.0, 2.0, 3.0, 0.0, 0.0, 0.0), f, p)
    assert energy == pytest.approx(np.dot(f, f) + 0.5 * np.dot([1, 2, 3], np.square(p)), abs=64 * EPS)


@given(rotations, rotations, vectors)
def test_turning_the_axes_turns_the_momentum(q, p, omega):
    """Equivariance: the angular momentum of a body described in other axes is the same vector."""
    I_B = tensor_of((1.0, 2.0, 3.0), p)
    turned = rigid_body.angular_momentum(inertia.rotated(q, I_B), rotate(q, omega))
    assert np.allclose(rotate_back(q, turned), rigid_body.angular_momentum(I_B, omega), rtol=0, atol=256 * EPS)
