"""Second pass of an evaluation: the forces and torques on every free body."""

from __future__ import annotations

from rigidsim._jit import inlined, kernel
from rigidsim.engine import layout as at
from rigidsim.engine.layout import load3, load4, store3
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross


@kernel
def apply_constant(load_row, axes, frame, wrench, lanes):
    """Add a force and torque that are constant in the frame `axes`, the force at a point fixed in the body."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB = load4(axes, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        f_W = rotate(q_WA, load3(load_row, at.L_F, lane, n))
        lever_W = rotate(q_WB, load3(load_row, at.L_LEVER, lane, n))
        tau_W = add(rotate(q_WA, load3(load_row, at.L_TAU, lane, n)), cross(lever_W, f_W))
        store3(wrench, at.W_F, lane, n, add(load3(wrench, at.W_F, lane, n), f_W))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), tau_W))


@inlined
def apply_loads(era, model, scratch, lanes):
    """Fill the wrench of every free body with the loads that act in this era."""
    for i in range(len(model.free_node)):
        node = model.free_node[i]
        wrench = scratch.wrench[i]
        wrench[:] = 0.0
        for k in range(model.first_load[i], model.first_load[i + 1]):
            if model.load_from[k] <= era < model.load_until[k]:
                axes = 0
                if model.load_axes[k] == at.AXES_BODY:
                    axes = node + 1
                elif model.load_axes[k] == at.AXES_PARENT:
                    axes = model.parent[node]
                apply_constant(model.load[k], scratch.frame[axes], scratch.frame[node + 1], wrench, lanes)
