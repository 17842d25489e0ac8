"""Prescribed motions at a time: from constants, or from expressions of time with their exact derivatives."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.jet_programs import fill_jet, run_jet_program
from rigidsim.engine.laws.script import note_fault
from rigidsim.engine.layout import load, load3, load4, store3, store4
from rigidsim.physics.prescribed import (
    prescribed_position,
    prescribed_rotation,
    prescribed_velocity,
    turned_further,
)
from rigidsim.physics.quaternion import product
from rigidsim.physics.vector import scaled


@routine
def prescribe(t, motion, driven, lanes):
    """Local motion of a prescribed node at time t, evaluated from its constants, never accumulated."""
    n = len(lanes)
    for lane in range(n):
        p_0, v_0, a_0 = load3(motion, at.M_P, lane, n), load3(motion, at.M_V, lane, n), load3(motion, at.M_A, lane, n)
        q_0, axis = load4(motion, at.M_Q, lane, n), load3(motion, at.M_AXIS, lane, n)
        rate, rate_dot = load(motion, at.M_RATE, lane, n), load(motion, at.M_RATE_DOT, lane, n)
        store3(driven, at.D_P, lane, n, prescribed_position(p_0, v_0, a_0, t))
        store3(driven, at.D_V, lane, n, prescribed_velocity(v_0, a_0, t))
        store3(driven, at.D_A, lane, n, a_0)
        store4(driven, at.D_Q, lane, n, prescribed_rotation(q_0, axis, rate, rate_dot, t))
        store3(driven, at.D_OMEGA, lane, n, scaled(rate + rate_dot * t, axis))
        store3(driven, at.D_ALPHA, lane, n, scaled(rate_dot, axis))


@routine
def drive_position(x, y, z, driven, lanes):
    """Position, velocity, acceleration from three jets, in the parent's axes and units."""
    n = len(lanes)
    for lane in range(n):
        store3(driven, at.D_P, lane, n, (load(x, 0, lane, n), load(y, 0, lane, n), load(z, 0, lane, n)))
        store3(driven, at.D_V, lane, n, (load(x, 1, lane, n), load(y, 1, lane, n), load(z, 1, lane, n)))
        store3(driven, at.D_A, lane, n, (load(x, 2, lane, n), load(y, 2, lane, n), load(z, 2, lane, n)))


@routine
def drive_rotation(a, b, c, axes, motion, driven, lanes):
    """Three turns about fixed axes, the outermost first, by angles that are jets; then the body's own orientation."""
    n = len(lanes)
    for lane in range(n):
        none = (0.0, 0.0, 0.0)
        turned = ((1.0, 0.0, 0.0, 0.0), none, none)
        jet = (load(a, 0, lane, n), load(a, 1, lane, n), load(a, 2, lane, n))
        turned = turned_further(turned, load3(axes, 0, lane, n), jet)
        jet = (load(b, 0, lane, n), load(b, 1, lane, n), load(b, 2, lane, n))
        turned = turned_further(turned, load3(axes, 3, lane, n), jet)
        jet = (load(c, 0, lane, n), load(c, 1, lane, n), load(c, 2, lane, n))
        turned = turned_further(turned, load3(axes, 6, lane, n), jet)
        store4(driven, at.D_Q, lane, n, product(turned[0], load4(motion, at.M_Q, lane, n)))
        store3(driven, at.D_OMEGA, lane, n, turned[1])
        store3(driven, at.D_ALPHA, lane, n, turned[2])


@inlined
def drive(t, model, scratch, lanes):
    """Local motion of every node driven by expressions, at time t (s)."""
    program = model.drive
    if len(model.driven) > 0:
        fill_jet(scratch.jet[len(program.constant)], t, lanes)
        run_jet_program(program.code, program.first, scratch.jet, lanes)
    for k in range(len(model.driven)):
        r, jet = model.driven[k], scratch.jet
        motion, driven, fault = model.motion[r[0]], scratch.driven[r[0]], scratch.fault[len(model.scripts.who) + k]
        prescribe(t, motion, driven, lanes)
        if r[1] >= 0:
            drive_position(jet[r[1]], jet[r[2]], jet[r[3]], driven, lanes)
            note_fault(t, jet[r[1]], jet[r[2]], jet[r[3]], fault, lanes)
        if r[4] >= 0:
            drive_rotation(jet[r[4]], jet[r[5]], jet[r[6]], model.drive_axes[k], motion, driven, lanes)
            note_fault(t, jet[r[4]], jet[r[5]], jet[r[6]], fault, lanes)
