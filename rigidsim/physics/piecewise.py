"""Piecewise cubic polynomials: tables of a function at points, and one polynomial between each two of them.

Which piece holds at x is found by halving (`engine/model/programs.py`); these formulas are those of one piece.
Source: de Boor, A Practical Guide to Splines (1978), chapter IV.
"""

from __future__ import annotations

from rigidsim.jit import formula
from rigidsim.physics.jets import jet_chain

PARTS = 5
"""Numbers of a piece: its origin, where it begins, and the coefficients c_0 to c_3."""


@formula
def piece(x, origin, c_0, c_1, c_2, c_3):
    """f = c_0 + c_1 s + c_2 s^2 + c_3 s^3 with s = x - origin, by Horner's rule. Units: c_k in that of f over x^k."""
    s = x - origin
    return c_0 + s * (c_1 + s * (c_2 + s * c_3))


@formula
def jet_piece(u, origin, c_0, c_1, c_2, c_3):
    """The jet of f(u): f' = c_1 + 2 c_2 s + 3 c_3 s^2 and f'' = 2 c_2 + 6 c_3 s with s = u - origin."""
    s = u[0] - origin
    f_1 = c_1 + s * (2.0 * c_2 + 3.0 * s * c_3)
    return jet_chain(piece(u[0], origin, c_0, c_1, c_2, c_3), f_1, 2.0 * c_2 + 6.0 * s * c_3, u)
