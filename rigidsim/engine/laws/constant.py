"""Forces and torques that are constant in some frame's axes."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.layout import load3, load4, store3
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross


@routine
def apply_constant(value, axes, frame, wrench, lanes):
    """Add a force and torque that are constant in the frame `axes`, the force at a point fixed in the body."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB = load4(axes, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        f_W = rotate(q_WA, load3(value, at.L_F, lane, n))
        lever_W = rotate(q_WB, load3(value, at.L_LEVER, lane, n))
        tau_W = add(rotate(q_WA, load3(value, at.L_TAU, lane, n)), cross(lever_W, f_W))
        store3(wrench, at.W_F, lane, n, add(load3(wrench, at.W_F, lane, n), f_W))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), tau_W))


@inlined
def constant(law, k, model, scratch, lanes):
    """One of them, on its body."""
    i = law.who[k, at.LAW_SECOND]
    frame = scratch.frame[model.free_node[i] + 1]
    apply_constant(law.value[k], scratch.frame[law.who[k, at.LAW_PAIR]], frame, scratch.wrench[i], lanes)
