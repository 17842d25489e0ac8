"""Planar scenes: a free body locked to its plane.

With n the plane's normal, the inertia becomes (n . I n) times the identity: then omega stays along n, the gyroscopic
term vanishes, and alpha = tau / (n . I n). The kinetic energy and the angular momentum about n are those of the real
body. All frames rotate about n only, so n is constant in each of them. Components of loads that would move a body out
of the plane are removed where the loads are summed (`engine/laws/wrench.py`): the plane constraint balances them.
"""

from __future__ import annotations

from rigidsim.engine import layout
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import dot, projection, rejection


def lock_body(row: list[float], normal, n_B) -> None:
    """Lock the constants of a free body, in place; the normal in world axes, and in the body's."""
    moment = dot(n_B, apply(tuple(row[layout.B_INERTIA : layout.B_INERTIA + 6]), n_B))
    inverse = 1.0 / moment if moment > 0.0 else 0.0
    row[layout.B_INERTIA : layout.B_INERTIA + 6] = (moment, moment, moment, 0.0, 0.0, 0.0)
    row[layout.B_INVERSE : layout.B_INVERSE + 6] = (inverse, inverse, inverse, 0.0, 0.0, 0.0)
    row[layout.B_G : layout.B_G + 3] = rejection(normal, tuple(row[layout.B_G : layout.B_G + 3]))


def lock_rate(state: list[float], n_B) -> None:
    """Lock the initial rate of a free body, in place."""
    rate = slice(layout.S_OMEGA, layout.S_OMEGA + 3)
    state[rate] = projection(n_B, tuple(state[rate]))
