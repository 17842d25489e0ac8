"""For methods that integrate the rate relative to the parent: the orientation's turn, and the way back to the state."""

from __future__ import annotations

from rigidsim._jit import kernel
from rigidsim.engine.kinematics import place
from rigidsim.engine.layout import F_OMEGA, F_Q, FREE, S_OMEGA, S_Q, load3, load4, store3, store4
from rigidsim.physics.quaternion import exp_cubic, exp_full, product, renormalised, rotate_back
from rigidsim.physics.vector import add, scaled


@kernel
def turn_cubic(state, turn, lanes):
    """q' = exp(Omega/2) q with the truncated, normalised exponential."""
    n = len(lanes)
    for lane in range(n):
        increment = exp_cubic(scaled(0.5, load3(turn, 0, lane, n)))
        store4(state, S_Q, lane, n, renormalised(product(increment, load4(state, S_Q, lane, n))))


@kernel
def turn_full(state, turn, lanes):
    """q' = exp(Omega/2) q."""
    n = len(lanes)
    for lane in range(n):
        increment = exp_full(scaled(0.5, load3(turn, 0, lane, n)))
        store4(state, S_Q, lane, n, renormalised(product(increment, load4(state, S_Q, lane, n))))


@kernel
def adopt_rate(state, relative, parent, lanes):
    """The body's own rate from its rate relative to the parent: omega_B = R_PB^T (omega_PB + R_WP^T omega_WP)."""
    n = len(lanes)
    for lane in range(n):
        omega_WP_P = rotate_back(load4(parent, F_Q, lane, n), load3(parent, F_OMEGA, lane, n))
        omega_P = add(load3(relative, 0, lane, n), omega_WP_P)
        store3(state, S_OMEGA, lane, n, rotate_back(load4(state, S_Q, lane, n), omega_P))


@kernel
def adopt_rates(t_end, model, state, scratch, lanes):
    """Every free body's own rate at the end of a step, parents first; `scratch.sum` leads with the relative rates."""
    for node in model.active:
        if model.kind[node] == FREE:
            i = model.row[node]
            adopt_rate(state[i], scratch.sum[i], scratch.frame[model.parent[node]], lanes)
        place(node, t_end, model, state, scratch, lanes)
