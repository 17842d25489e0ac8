"""Drag relative to a medium that moves with some frame."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.laws.wrench import ends, push
from rigidsim.engine.layout import load, load3, load4, store3
from rigidsim.physics.forces import drag_force
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, cross, sub


@routine
def pull_drag(value, apart, medium, frame, pull, lanes):
    """The force on a point of the body, world axes: v is the point's velocity less the medium's at that place."""
    n = len(lanes)
    for lane in range(n):
        r = rotate(load4(frame, at.F_Q, lane, n), load3(value, at.D_POINT, lane, n))
        s = add(load3(apart, at.Z_P, lane, n), r)
        v_point = point_velocity(load3(apart, at.Z_V, lane, n), load3(frame, at.F_OMEGA, lane, n), r)
        v = sub(v_point, cross(load3(medium, at.F_OMEGA, lane, n), s))
        f_W = drag_force(load(value, at.D_LINEAR, lane, n), load(value, at.D_QUADRATIC, lane, n), v)
        store3(pull, 0, lane, n, f_W)


@inlined
def drag(law, k, model, scratch, lanes):
    """On one body; the medium feels no reaction."""
    j = law.who[k, at.LAW_SECOND]
    medium, frame, apart = ends(law, k, model, scratch)
    pull_drag(law.value[k], apart, medium, frame, scratch.pull, lanes)
    push(scratch.pull, 1.0, model.body[j], frame, law.value[k], at.D_POINT, scratch.wrench[j], lanes)
