"""Prescribed motions at a time: from constants, or from expressions of time with their exact derivatives."""

from __future__ import annotations

from rigidsim.engine.layout import DRIVE_AXES, EACH, JET, LOCAL, MOTION, PACE, PACED, SCALAR, add_to_sums
from rigidsim.engine.programs import fill_jet, record_faults, run_jet_program
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.elementary import select
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


@lanewise
def prescribe(t: EACH, motion: MOTION, driven: LOCAL, lane):
    """Local motion of a prescribed node at time t, evaluated from its constants, never accumulated."""
    p_0, v_0, a_0 = motion.p, motion.v, motion.a
    q_0, axis = motion.q, motion.axis
    rate, rate_dot = motion.rate, motion.rate_dot
    driven.p = prescribed_position(p_0, v_0, a_0, t)
    driven.v = prescribed_velocity(v_0, a_0, t)
    driven.a = a_0
    driven.q = prescribed_rotation(q_0, axis, rate, rate_dot, t)
    driven.omega = scaled(rate + rate_dot * t, axis)
    driven.alpha = scaled(rate_dot, axis)


@lanewise
def drive_position(x: JET, y: JET, z: JET, driven: LOCAL, lane):
    """Position, velocity, acceleration from three jets, in the parent's axes and units."""
    driven.p = (x.value, y.value, z.value)
    driven.v = (x.rate, y.rate, z.rate)
    driven.a = (x.rate_dot, y.rate_dot, z.rate_dot)


@lanewise
def drive_rotation(a: JET, b: JET, c: JET, axes: DRIVE_AXES, motion: MOTION, driven: LOCAL, lane):
    """The product of three rotations about fixed axes, the outermost first, by angles given as jets, and the body's own
    orientation.
    """
    none = (0.0, 0.0, 0.0)
    turned = ((1.0, 0.0, 0.0, 0.0), none, none)
    turned = turned_further(turned, axes.first, (a.value, a.rate, a.rate_dot))
    turned = turned_further(turned, axes.second, (b.value, b.rate, b.rate_dot))
    turned = turned_further(turned, axes.third, (c.value, c.rate, c.rate_dot))
    driven.q = product(turned[0], motion.q)
    driven.omega = turned[1]
    driven.alpha = turned[2]


@lanewise
def gather_rates(weight, v_x: SCALAR, v_y: SCALAR, v_z: SCALAR, a: SCALAR, b: SCALAR, c: SCALAR, pace: PACE, lane):
    """Add the velocity and angular velocity at one instant of a step to their weighted sums."""
    v = (v_x.value, v_y.value, v_z.value)
    omega = (a.value, b.value, c.value)
    pace.v = add(pace.v, scaled(weight, v))
    pace.omega = add(pace.omega, scaled(weight, omega))


@lanewise
def keep_first(pace: PACE, lane):
    """Store the angular velocity at the beginning of the step, which is the only summand up to now."""
    pace.first = pace.omega


@lanewise
def pace_position(t: EACH, state: PACED, pace: PACE, v_x: JET, v_y: JET, v_z: JET, driven: LOCAL, lane):
    """Position at time t from the pose in `state`; velocity and acceleration from three jets."""
    p = add(state.p, displacement(pace.v, t - state.since))
    driven.p = p
    driven.v = (v_x.value, v_y.value, v_z.value)
    driven.a = (v_x.rate, v_y.rate, v_z.rate)


@lanewise
def pace_rotation(t: EACH, state: PACED, pace: PACE, a: JET, b: JET, c: JET, driven: LOCAL, lane):
    """Orientation at time t from the pose in `state`; rate and angular acceleration from three jets."""
    omega = (a.value, b.value, c.value)
    total, first = pace.omega, pace.first
    driven.q = advanced_rotation(state.q, total, first, omega, t - state.since)
    driven.omega = omega
    driven.alpha = (a.rate, b.rate, c.rate)


@lanewise
def keep_pose(t: EACH, pace: PACE, driven: LOCAL, state: PACED, lane):
    """Store the pose reached at time t as the beginning of the next step."""
    add_to_sums(state, p=displacement(pace.v, t - state.since))
    state.q = driven.q
    state.since = t


@lanewise
def fill_since(jet: JET, t: EACH, state: PACED, part, lane):
    """Write the jet of a time within a step: at the beginning (part 0), halfway (1) and at t (2)."""
    begin = state.since
    jet.value, jet.rate, jet.rate_dot = select(part < 2, begin + 0.5 * part * (t - begin), t), 1.0, 0.0


@inlined
def run_drive(given, working, lanes):
    """The expressions of prescribed motions, at the time that was filled in."""
    run_jet_program(given.drive.code, given.drive.first, given.drive.tables, working.jet, lanes)


@inlined
def gather_pace(given, t, paced_state, working, lanes):
    """Sum the rates of paced nodes from the beginning of the step to t: at the beginning, halfway and at t."""
    working.pace[:] = 0.0
    for part in range(3):
        fill_since(working.jet[len(given.drive.constant)], t, paced_state[0], part, lanes)
        run_drive(given, working, lanes)
        for k in range(len(given.paced)):
            jet, pace, weight = working.jet, working.pace[k], 4.0 if part == 1 else 1.0
            (x, y, z), (a, b, c) = given.paced[k].v, given.paced[k].omega
            gather_rates(weight, jet[x], jet[y], jet[z], jet[a], jet[b], jet[c], pace, lanes)
            if part == 0:
                keep_first(pace, lanes)


@inlined
def drive_posed(given, t, motions, working, fault, driven_rows, lanes):
    """Local motion of nodes whose pose is given, from their jets at time t (s)."""
    jet = working.jet
    for k in range(len(given.driven)):
        posed = given.driven[k]
        motion, driven, (x, y, z), (a, b, c) = motions[posed.row], driven_rows[posed.row], posed.position, posed.angles
        prescribe(t, motion, driven, lanes)
        if x >= 0:
            drive_position(jet[x], jet[y], jet[z], driven, lanes)
            record_faults(t, jet[x], jet[y], jet[z], 3, fault[k], lanes)
        if a >= 0:
            drive_rotation(jet[a], jet[b], jet[c], given.drive_axes[k], motion, driven, lanes)
            record_faults(t, jet[a], jet[b], jet[c], 3, fault[k], lanes)


@inlined
def drive_paced(given, t, paced_state, working, fault, driven_rows, lanes):
    """Local motion of nodes whose rates are given: the pose at the beginning of the step, advanced to t (s) by the
    rates in between.
    """
    jet = working.jet
    for k in range(len(given.paced)):
        paced, row, pace = given.paced[k], paced_state[k], working.pace[k]
        driven, (x, y, z), (a, b, c) = driven_rows[paced.row], paced.v, paced.omega
        if paced.moves > 0:
            pace_position(t, row, pace, jet[x], jet[y], jet[z], driven, lanes)
            record_faults(t, jet[x], jet[y], jet[z], 3, fault[k], lanes)
        if paced.turns > 0:
            pace_rotation(t, row, pace, jet[a], jet[b], jet[c], driven, lanes)
            record_faults(t, jet[a], jet[b], jet[c], 3, fault[k], lanes)


@inlined
def drive_all(given, t, motions, paced_state, working, fault, driven_rows, lanes):
    """Local motion of every node driven by expressions, at time t (s)."""
    if len(given.paced) > 0:
        gather_pace(given, t, paced_state, working, lanes)
    else:
        fill_jet(working.jet[len(given.drive.constant)], t, lanes)
        run_drive(given, working, lanes)
    n_script, n_driven = len(given.scripts.who), len(given.driven)
    drive_posed(given, t, motions, working, fault[n_script:], driven_rows, lanes)
    drive_paced(given, t, paced_state, working, fault[n_script + n_driven :], driven_rows, lanes)
    for k in range(len(given.desired)):
        jet = working.jet[given.desired[k].register]
        record_faults(t, jet, jet, jet, 3, fault[n_script + n_driven + len(given.paced) + k], lanes)


@inlined
def drive_expressed(given, t, block):
    """Call `drive_all` with the parts of model, state and scratch arrays that it needs."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    if len(given.driven) + len(given.paced) + len(given.desired) > 0:
        paced_state = state[len(model.moved_node) :]
        drive_all(given, t, model.motion, paced_state, scratch.working, scratch.fault, scratch.driven, lanes)


@inlined
def drive(t, block):
    """Local motion of every node driven by expressions, at time t (s), if there are any."""
    if block.model.expressions is not None:
        drive_expressed(block.model.expressions, t, block)


@inlined
def settle_paced(given, t, block):
    """Store the poses reached at time t (s) as the beginning of the next step."""
    if len(given.paced) > 0:
        drive_expressed(given, t, block)
        for k in range(len(given.paced)):
            row = block.state[len(block.model.moved_node) + k]
            driven = block.scratch.driven[given.paced[k].row]
            keep_pose(t, block.scratch.working.pace[k], driven, row, block.lanes)


@inlined
def settle(t, block):
    """At the end of a step: store the poses that paced nodes have reached."""
    if block.model.expressions is not None:
        settle_paced(block.model.expressions, t, block)
