"""Prescribed motions at a time: from constants, or from expressions of time with their exact derivatives."""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.model.layout import DRIVE_AXES, EACH, JET, LOCAL, MOTION, PACE, RATE_DRIVEN, add_to_sums
from rigidsim.engine.model.programs import fill_jet, record_faults, run_jet_program
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


class JetVector(NamedTuple):
    """Three jets: a vector, or three angles, with two derivatives."""

    x: JET
    y: JET
    z: JET


@inlined
def jet_vector(registers, jets):
    """The jets in three registers."""
    x, y, z = registers
    return JetVector(jets[x], jets[y], jets[z])


@inlined
def value_of(jets: JetVector):
    """The vector."""
    return jets.x.value, jets.y.value, jets.z.value


@inlined
def rate_of(jets: JetVector):
    """Its derivative."""
    return jets.x.rate, jets.y.rate, jets.z.rate


@inlined
def rate_dot_of(jets: JetVector):
    """Its second derivative."""
    return jets.x.rate_dot, jets.y.rate_dot, jets.z.rate_dot


@lanewise
def drive_position(position: JetVector, driven: LOCAL, lane):
    """Position, velocity, acceleration from a jet, in the parent's axes and units."""
    driven.p = value_of(position)
    driven.v = rate_of(position)
    driven.a = rate_dot_of(position)


@lanewise
def drive_rotation(angles: JetVector, axes: DRIVE_AXES, motion: MOTION, driven: LOCAL, lane):
    """The product of three rotations about fixed axes, the outermost first, by angles given as jets, and the body's own
    orientation.
    """
    a, b, c, none = angles.x, angles.y, angles.z, (0.0, 0.0, 0.0)
    turned = ((1.0, 0.0, 0.0, 0.0), none, none)
    turned = turned_further(turned, axes.first, (a.value, a.rate, a.rate_dot))
    turned = turned_further(turned, axes.second, (b.value, b.rate, b.rate_dot))
    turned = turned_further(turned, axes.third, (c.value, c.rate, c.rate_dot))
    driven.q = product(turned[0], motion.q)
    driven.omega = turned[1]
    driven.alpha = turned[2]


@lanewise
def gather_rates(weight, v: JetVector, omega: JetVector, pace: PACE, lane):
    """Add the velocity and angular velocity at one instant of a step to their weighted sums."""
    pace.v = add(pace.v, scaled(weight, value_of(v)))
    pace.omega = add(pace.omega, scaled(weight, value_of(omega)))


@lanewise
def keep_first(pace: PACE, lane):
    """Store the angular velocity at the beginning of the step, which is the only summand up to now."""
    pace.first = pace.omega


@lanewise
def pace_position(t: EACH, state: RATE_DRIVEN, pace: PACE, v: JetVector, driven: LOCAL, lane):
    """Position at time t from the pose in `state`; velocity and acceleration from jets."""
    p = add(state.p, displacement(pace.v, t - state.since))
    driven.p = p
    driven.v = value_of(v)
    driven.a = rate_of(v)


@lanewise
def pace_rotation(t: EACH, state: RATE_DRIVEN, pace: PACE, omega: JetVector, driven: LOCAL, lane):
    """Orientation at time t from the pose in `state`; rate and angular acceleration from jets."""
    rate, total, first = value_of(omega), pace.omega, pace.first
    driven.q = advanced_rotation(state.q, total, first, rate, t - state.since)
    driven.omega = rate
    driven.alpha = rate_of(omega)


@lanewise
def keep_pose(t: EACH, pace: PACE, driven: LOCAL, state: RATE_DRIVEN, lane):
    """Store the pose reached at time t as the beginning of the next step."""
    add_to_sums(state, p=displacement(pace.v, t - state.since))
    state.q = driven.q
    state.since = t


@lanewise
def fill_since(jet: JET, t: EACH, state: RATE_DRIVEN, part, lane):
    """Write the jet of a time within a step: at the beginning (part 0), halfway (1) and at t (2)."""
    begin = state.since
    jet.value, jet.rate, jet.rate_dot = select(part < 2, begin + 0.5 * part * (t - begin), t), 1.0, 0.0


@inlined
def run_drive(given, working, lanes):
    """The expressions of prescribed motions, at the time that was filled in."""
    run_jet_program(given.drive.code, given.drive.first, given.drive.tables, working.jet, lanes)


@inlined
def gather_pace(given, t, states, working, lanes):
    """Sum the rates of rate-driven nodes from the beginning of the step to t: at the beginning, halfway and at t."""
    working.pace[:] = 0.0
    for part in range(3):
        fill_since(working.jet[len(given.drive.constant)], t, states[0], part, lanes)
        run_drive(given, working, lanes)
        for k in range(len(given.rate_driven)):
            jets, pace, node, weight = working.jet, working.pace[k], given.rate_driven[k], 4.0 if part == 1 else 1.0
            gather_rates(weight, jet_vector(node.v, jets), jet_vector(node.omega, jets), pace, lanes)
            if part == 0:
                keep_first(pace, lanes)


@inlined
def drive_posed(given, t, first, block):
    """Local motion of nodes whose pose is given, from their jets at time t (s); faults from this row on."""
    scratch, lanes = block.scratch, block.lanes
    for k in range(len(given.driven)):
        posed, fault = given.driven[k], scratch.fault[first + k]
        motion, driven, jets = block.model.motion[posed.row], scratch.driven[posed.row], scratch.working.jet
        prescribe(t, motion, driven, lanes)
        if posed.position[0] >= 0:
            position = jet_vector(posed.position, jets)
            drive_position(position, driven, lanes)
            record_faults(t, position, 3, fault, lanes)
        if posed.angles[0] >= 0:
            angles = jet_vector(posed.angles, jets)
            drive_rotation(angles, given.drive_axes[k], motion, driven, lanes)
            record_faults(t, angles, 3, fault, lanes)


@inlined
def drive_rate_driven(given, t, states, first, block):
    """Local motion of nodes whose rates are given: the pose at the beginning of the step, advanced to t (s) by the
    rates in between; faults from this row on.
    """
    scratch, lanes = block.scratch, block.lanes
    for k in range(len(given.rate_driven)):
        node, row, pace, fault = given.rate_driven[k], states[k], scratch.working.pace[k], scratch.fault[first + k]
        driven, jets = scratch.driven[node.row], scratch.working.jet
        v, omega = jet_vector(node.v, jets), jet_vector(node.omega, jets)
        if node.moves > 0:
            pace_position(t, row, pace, v, driven, lanes)
            record_faults(t, v, 3, fault, lanes)
        if node.turns > 0:
            pace_rotation(t, row, pace, omega, driven, lanes)
            record_faults(t, omega, 3, fault, lanes)


@inlined
def drive_expressed(given, t, block):
    """Local motion of every node driven by expressions, at time t (s)."""
    working, fault, lanes = block.scratch.working, block.scratch.fault, block.lanes
    n_script, n_driven, n_rate_driven = len(given.scripts.who), len(given.driven), len(given.rate_driven)
    if n_driven + n_rate_driven + len(given.desired) > 0:
        states = block.state[len(block.model.moved_node) :]
        if n_rate_driven > 0:
            gather_pace(given, t, states, working, lanes)
        else:
            fill_jet(working.jet[len(given.drive.constant)], t, lanes)
            run_drive(given, working, lanes)
        drive_posed(given, t, n_script, block)
        drive_rate_driven(given, t, states, n_script + n_driven, block)
        for k in range(len(given.desired)):
            jet = working.jet[given.desired[k].register]
            record_faults(t, (jet,), 3, fault[n_script + n_driven + n_rate_driven + k], lanes)


@inlined
def drive(t, block):
    """Local motion of every node driven by expressions, at time t (s), if there are any."""
    if block.model.expressions is not None:
        drive_expressed(block.model.expressions, t, block)


@inlined
def settle_rate_driven(given, t, block):
    """Store the poses reached at time t (s) as the beginning of the next step."""
    if len(given.rate_driven) > 0:
        drive_expressed(given, t, block)
        for k in range(len(given.rate_driven)):
            row = block.state[len(block.model.moved_node) + k]
            driven = block.scratch.driven[given.rate_driven[k].row]
            keep_pose(t, block.scratch.working.pace[k], driven, row, block.lanes)


@inlined
def settle(t, block):
    """At the end of a step: store the poses that rate-driven nodes have reached."""
    if block.model.expressions is not None:
        settle_rate_driven(block.model.expressions, t, block)
