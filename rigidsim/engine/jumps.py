"""The velocity jump of a node at an instant: from impulses on it, from a reparenting, and from its parent.

The rotation of a free body is relative to the world, so a jump of the parent does not change it. Its velocity is
relative to the parent, so it changes by the opposite of the inherited jump.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.layout import accumulate, accumulate3, load, load3, load4, load6, store3
from rigidsim.jit import routine
from rigidsim.physics.deltas import cancelling_velocity, inherited_velocity, local_delta_velocity
from rigidsim.physics.impulses import jump_energy, rate_jump, velocity_jump
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity, takes_torque
from rigidsim.physics.vector import add, negated, scaled


@routine
def jump_driven(parent_jump, arm, jump, lanes):
    """A fixed or prescribed node moves with its parent: add the parent's jump to its own."""
    n = len(lanes)
    for lane in range(n):
        dv, domega = load3(parent_jump, at.Y_V, lane, n), load3(parent_jump, at.Y_OMEGA, lane, n)
        inherited = inherited_velocity(dv, domega, load3(arm, at.A_D, lane, n))
        store3(jump, at.Y_V, lane, n, add(load3(jump, at.Y_V, lane, n), inherited))
        store3(jump, at.Y_OMEGA, lane, n, add(load3(jump, at.Y_OMEGA, lane, n), domega))


@routine
def jump_free(state, body, parent, parent_jump, arm, frame, total, inherits, jump, lanes):
    """Impulses change the motion of a free body; the effect of its parent's jump is cancelled, unless it inherits the
    jump. A jump that a reparenting gives to its frame is already part of its state.
    """
    n = len(lanes)
    for lane in range(n):
        q_WP, q_WB = load4(parent, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        mass, scale_WP = load(body, at.B_MASS, lane, n), load(body, at.B_SCALE, lane, n)
        inverse, d = load6(body, at.B_INVERSE, lane, n), load3(arm, at.A_D, lane, n)
        dv_P, domega_P = load3(parent_jump, at.Y_V, lane, n), load3(parent_jump, at.Y_OMEGA, lane, n)

        own = velocity_jump(mass, load3(total, at.TOTAL_J, lane, n))
        own_rate = rate_jump(inverse, rotate_back(q_WB, load3(total, at.TOTAL_K, lane, n)))
        cancelled = scaled(1.0 - inherits, cancelling_velocity(q_WP, scale_WP, dv_P, domega_P, d))
        dv_PC = add(local_delta_velocity(q_WP, scale_WP, own), cancelled)
        domega_B = add(own_rate, scaled(inherits * takes_torque(inverse), rotate_back(q_WB, domega_P)))

        dv = add(own, scaled(inherits, inherited_velocity(dv_P, domega_P, d)))
        v, omega_B = load3(arm, at.A_VC, lane, n), load3(state, at.S_OMEGA, lane, n)
        energy = jump_energy(mass, load6(body, at.B_INERTIA, lane, n), v, dv, omega_B, domega_B)
        accumulate3(state, at.S_V, at.S_V_LOW, lane, n, dv_PC)
        store3(state, at.S_OMEGA, lane, n, add(omega_B, domega_B))  # without its low part, which only `rkmk4` uses
        accumulate(state, at.S_WORK, at.S_WORK_LOW, lane, n, energy)

        domega = rotate(q_WB, domega_B)
        dv_origin = point_velocity(dv, domega, negated(rotate(q_WB, load3(body, at.B_COM, lane, n))))
        store3(jump, at.Y_V, lane, n, add(load3(jump, at.Y_V, lane, n), dv_origin))
        store3(jump, at.Y_OMEGA, lane, n, add(load3(jump, at.Y_OMEGA, lane, n), domega))
