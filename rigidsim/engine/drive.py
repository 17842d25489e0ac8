"""Prescribed motions at a time: from constants, or from expressions of time with their exact derivatives."""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.layout import accumulate3, load, load3, load4, store, store3, store4
from rigidsim.engine.programs import fill_jet, record_faults, run_jet_program
from rigidsim.jit import inlined, routine
from rigidsim.physics.prescribed import (
    advanced_rotation,
    displacement,
    prescribed_position,
    prescribed_rotation,
    prescribed_velocity,
    turned_further,
)
from rigidsim.physics.quaternion import product
from rigidsim.physics.vector import add, scaled


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
    """The product of three rotations about fixed axes, the outermost first, by angles given as jets, and the body's own
    orientation.
    """
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


@routine
def gather_rates(weight, v_x, v_y, v_z, a, b, c, pace, lanes):
    """Add the velocity and angular velocity at one instant of a step to their weighted sums."""
    n = len(lanes)
    for lane in range(n):
        v = (load(v_x, 0, lane, n), load(v_y, 0, lane, n), load(v_z, 0, lane, n))
        omega = (load(a, 0, lane, n), load(b, 0, lane, n), load(c, 0, lane, n))
        store3(pace, at.P_V, lane, n, add(load3(pace, at.P_V, lane, n), scaled(weight, v)))
        store3(pace, at.P_OMEGA, lane, n, add(load3(pace, at.P_OMEGA, lane, n), scaled(weight, omega)))


@routine
def keep_first(pace, lanes):
    """Store the angular velocity at the beginning of the step, which is the only summand up to now."""
    n = len(lanes)
    for lane in range(n):
        store3(pace, at.P_FIRST, lane, n, load3(pace, at.P_OMEGA, lane, n))


@routine
def pace_position(h, state, pace, v_x, v_y, v_z, driven, lanes):
    """Position at a time h after that of the pose in `state`; velocity and acceleration from three jets."""
    n = len(lanes)
    for lane in range(n):
        p = add(load3(state, at.PACED_P, lane, n), displacement(load3(pace, at.P_V, lane, n), h))
        store3(driven, at.D_P, lane, n, p)
        store3(driven, at.D_V, lane, n, (load(v_x, 0, lane, n), load(v_y, 0, lane, n), load(v_z, 0, lane, n)))
        store3(driven, at.D_A, lane, n, (load(v_x, 1, lane, n), load(v_y, 1, lane, n), load(v_z, 1, lane, n)))


@routine
def pace_rotation(h, state, pace, a, b, c, driven, lanes):
    """Orientation at a time h after that of the pose in `state`; rate and angular acceleration from three jets."""
    n = len(lanes)
    for lane in range(n):
        omega = (load(a, 0, lane, n), load(b, 0, lane, n), load(c, 0, lane, n))
        total, first = load3(pace, at.P_OMEGA, lane, n), load3(pace, at.P_FIRST, lane, n)
        store4(driven, at.D_Q, lane, n, advanced_rotation(load4(state, at.PACED_Q, lane, n), total, first, omega, h))
        store3(driven, at.D_OMEGA, lane, n, omega)
        store3(driven, at.D_ALPHA, lane, n, (load(a, 1, lane, n), load(b, 1, lane, n), load(c, 1, lane, n)))


@routine
def keep_pose(t, h, pace, driven, state, lanes):
    """Store the pose reached at t, a time h after that in `state`, as the beginning of the next step."""
    n = len(lanes)
    for lane in range(n):
        accumulate3(state, at.PACED_P, at.PACED_P_LOW, lane, n, displacement(load3(pace, at.P_V, lane, n), h))
        store4(state, at.PACED_Q, lane, n, load4(driven, at.D_Q, lane, n))
        store(state, at.PACED_SINCE, lane, n, t)


@inlined
def evaluate_drive(given, t, working, lanes):
    """The expressions of prescribed motions, at time t (s)."""
    program = given.drive
    fill_jet(working.jet[len(program.constant)], t, lanes)
    run_jet_program(program.code, program.first, working.jet, lanes)


@inlined
def gather_pace(given, t, since, working, lanes):
    """Sum the rates of paced nodes from the beginning of the step to t: at the beginning, halfway and at t."""
    working.pace[:] = 0.0
    for part in range(3):
        evaluate_drive(given, since + 0.5 * part * (t - since) if part < 2 else t, working, lanes)
        for k in range(len(given.paced)):
            r, jet, pace = given.paced[k], working.jet, working.pace[k]
            weight = 4.0 if part == 1 else 1.0
            gather_rates(weight, jet[r[1]], jet[r[2]], jet[r[3]], jet[r[4]], jet[r[5]], jet[r[6]], pace, lanes)
            if part == 0:
                keep_first(pace, lanes)


@inlined
def drive_posed(given, t, motions, working, fault, driven_rows, lanes):
    """Local motion of nodes whose pose is given, from their jets at time t (s)."""
    jet = working.jet
    for k in range(len(given.driven)):
        r = given.driven[k]
        motion, driven = motions[r[0]], driven_rows[r[0]]
        prescribe(t, motion, driven, lanes)
        if r[1] >= 0:
            drive_position(jet[r[1]], jet[r[2]], jet[r[3]], driven, lanes)
            record_faults(t, jet[r[1]], jet[r[2]], jet[r[3]], 3, fault[k], lanes)
        if r[4] >= 0:
            drive_rotation(jet[r[4]], jet[r[5]], jet[r[6]], given.drive_axes[k], motion, driven, lanes)
            record_faults(t, jet[r[4]], jet[r[5]], jet[r[6]], 3, fault[k], lanes)


@inlined
def drive_paced(given, t, paced_state, working, fault, driven_rows, lanes):
    """Local motion of nodes whose rates are given: the pose at the beginning of the step, advanced to t (s) by the
    rates in between.
    """
    jet = working.jet
    for k in range(len(given.paced)):
        r, row = given.paced[k], paced_state[k]
        driven, h = driven_rows[r[0]], t - row[at.PACED_SINCE * len(lanes)]
        if r[at.PACES_POSITION] > 0:
            pace_position(h, row, working.pace[k], jet[r[1]], jet[r[2]], jet[r[3]], driven, lanes)
            record_faults(t, jet[r[1]], jet[r[2]], jet[r[3]], 3, fault[k], lanes)
        if r[at.PACES_ROTATION] > 0:
            pace_rotation(h, row, working.pace[k], jet[r[4]], jet[r[5]], jet[r[6]], driven, lanes)
            record_faults(t, jet[r[4]], jet[r[5]], jet[r[6]], 3, fault[k], lanes)


@inlined
def drive_all(given, t, motions, paced_state, working, fault, driven_rows, lanes):
    """Local motion of every node driven by expressions, at time t (s)."""
    if len(given.paced) > 0:
        gather_pace(given, t, paced_state[0, at.PACED_SINCE * len(lanes)], working, lanes)
    else:
        evaluate_drive(given, t, working, lanes)
    n_script, n_driven = len(given.scripts.who), len(given.driven)
    drive_posed(given, t, motions, working, fault[n_script:], driven_rows, lanes)
    drive_paced(given, t, paced_state, working, fault[n_script + n_driven :], driven_rows, lanes)


@inlined
def drive_expressed(given, t, model, state, scratch, lanes):
    """Call `drive_all` with the parts of model, state and scratch arrays that it needs."""
    if len(given.driven) + len(given.paced) > 0:
        paced_state = state[len(model.moved_node) :]
        drive_all(given, t, model.motion, paced_state, scratch.working, scratch.fault, scratch.driven, lanes)


@inlined
def drive(t, model, state, scratch, lanes):
    """Local motion of every node driven by expressions, at time t (s), if there are any."""
    if model.expressions is not None:
        drive_expressed(model.expressions, t, model, state, scratch, lanes)


@inlined
def settle_paced(given, t, model, state, scratch, lanes):
    """Store the poses reached at time t (s) as the beginning of the next step."""
    if len(given.paced) > 0:
        drive_expressed(given, t, model, state, scratch, lanes)
        for k in range(len(given.paced)):
            row = state[len(model.moved_node) + k]
            h = t - row[at.PACED_SINCE * len(lanes)]
            keep_pose(t, h, scratch.working.pace[k], scratch.driven[given.paced[k, 0]], row, lanes)


@inlined
def settle(t, model, state, scratch, lanes):
    """At the end of a step: store the poses that paced nodes have reached."""
    if model.expressions is not None:
        settle_paced(model.expressions, t, model, state, scratch, lanes)
