"""Rotation under constant angular acceleration: the Magnus expansion.

q' = exp(Omega/2) q, with Omega = O1 + O2 + O3 + O4 (rad), where omega' = omega + alpha h and everything is in the axes
in which alpha is constant (the parent's). Source: Magnus (1954); the closed terms for linear omega are those of
"Numerical Integration for Rotational Dynamics" (cwzx), O4 its completion at order h^5.
Local orders 3, 5, 5, 7 for one to four terms (global 2, 4, 4, 6). Converges if the rotation per step is below
pi/sqrt(2) (sufficient).
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.vector import add, cross, scaled


@formula
def magnus_1(omega, omega_end, h):
    """O1 = (omega + omega') h/2."""
    return scaled(0.5 * h, add(omega, omega_end))


@formula
def magnus_2(omega, omega_end, h):
    """O2 = (omega' x omega) h^2/12 = (alpha x omega) h^3/12."""
    return scaled(h * h / 12.0, cross(omega_end, omega))


@formula
def magnus_3(omega, alpha, h):
    """O3 = alpha x (alpha x omega) h^5/240."""
    return scaled(h * h * h * h * h / 240.0, cross(alpha, cross(alpha, omega)))


@formula
def magnus_4(omega, omega_end, alpha, h):
    """O4 = m x (m x (m x alpha)) h^5/720, m = (omega + omega')/2: the remainder of order h^5 after the first three."""
    m = scaled(0.5, add(omega, omega_end))
    return scaled(h * h * h * h * h / 720.0, cross(m, cross(m, cross(m, alpha))))
