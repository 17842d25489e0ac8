"""Planar scenes: a free body locked to its plane is a body whose constants cannot move it out.

With n the plane's normal, forces and gravity lose their part along n, torques keep only theirs, and the inertia becomes
(n . I n) times the identity: then omega stays along n, the gyroscopic term vanishes, and alpha = tau / (n . I n). The
kinetic energy and the angular momentum about n are the body's own. All frames turn about n only, so n is constant in
each of them and the constants are made once.
"""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate_back
from rigidsim.physics.vector import dot, scaled, sub


def within(normal, v) -> tuple:
    """v without its part along the unit normal."""
    return sub(v, scaled(dot(normal, v), normal))


def about(normal, v) -> tuple:
    """The part of v along the unit normal."""
    return scaled(dot(normal, v), normal)


def _replace(row: np.ndarray, first: int, change, normal) -> None:
    row[first : first + 3] = change(normal, tuple(row[first : first + 3]))


def lock_body(row: np.ndarray, state: np.ndarray, normal, q_WB) -> None:
    """Lock the constants and the initial rate of a free body, in place."""
    n_B = rotate_back(q_WB, normal)
    moment = dot(n_B, apply(tuple(row[layout.B_INERTIA : layout.B_INERTIA + 6]), n_B))
    inverse = 1.0 / moment if moment > 0.0 else 0.0
    row[layout.B_INERTIA : layout.B_INERTIA + 6] = (moment, moment, moment, 0.0, 0.0, 0.0)
    row[layout.B_INVERSE : layout.B_INVERSE + 6] = (inverse, inverse, inverse, 0.0, 0.0, 0.0)
    _replace(row, layout.B_G, within, normal)
    _replace(state, layout.S_OMEGA, about, n_B)


def lock_load(row: np.ndarray, axes: int, normal, q_WP, q_WB) -> None:
    """Lock a constant load of a free body, in place."""
    n_B = rotate_back(q_WB, normal)
    own = {layout.AXES_BODY: n_B, layout.AXES_PARENT: rotate_back(q_WP, normal), layout.AXES_WORLD: normal}[axes]
    _replace(row, layout.L_F, within, own)
    _replace(row, layout.L_TAU, about, own)
    _replace(row, layout.L_LEVER, within, n_B)
