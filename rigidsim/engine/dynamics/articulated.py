"""Joints: the articulated-body algorithm of Featherstone, in three passes over the rows of trees.

Outwards each body is placed from its parent, X(q), with the motion subspace S of its joint and the acceleration c that
rates alone give (`place_coordinate`, `place_ball`). Inwards the articulated-body inertia and the bias force of each
body are passed on to its parent, less what the free columns of S let go. Outwards again accelerations follow. Only the
number of free columns matters then: one of a coordinate, three of a rotation about a point, none of a joint that is
rigid or prescribed.

The rows of a tree are free bodies that carry joints, its roots, and what hangs on them, on frames that are held, or on
each other. Only the arms between neighbouring centres of mass and rates occur, never a position or velocity in the
world. In a tree that falls with its root all accelerations are relative to the gravity of that, so that a uniform field
turns nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.dynamics.kinematics import MotionRows
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import (
    ACCELERATION,
    ARM,
    ARTICULATED,
    BALL_FACTOR,
    BODY,
    CONSTRAINT,
    COORDINATE,
    FACTOR,
    FRAME,
    JET,
    JOINT_VALUE,
    KINEMATICS,
    RATE,
    STAGE,
    WRENCH,
)
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.articulated import (
    apparent_force,
    apparent_inertia,
    ball_acceleration,
    ball_factor,
    bias_acceleration,
    coordinate_acceleration,
    coordinate_factor,
    coordinate_force,
    free_acceleration,
    inertia_times,
    plus,
    servo_torque,
    shifted_inertia,
    shifted_wrench,
    spring_torque,
    turning_motion,
)
from rigidsim.physics.elementary import sin_cos
from rigidsim.physics.forces import misalignment
from rigidsim.physics.frames import local_rate, stretch_back
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.modes import sliding, sliding_force, tracking_rate, tracks
from rigidsim.physics.quaternion import conjugate, product, renormalised, rotate, rotate_back
from rigidsim.physics.rigid_body import point_acceleration, power, takes_torque
from rigidsim.physics.vector import ZERO, add, cross, dot, negated, scaled, sub

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# --- what rows are


@inlined
def has_modes(i, joints):
    """Whether a row is that of a coordinate that has modes."""
    return joints.modes is not None and joints.joint[i].mode != at.NO_ROW


@inlined
def is_prescribed(i, joints):
    """Whether a motor prescribes the coordinate of a row."""
    return joints.joint[i].jet != at.NO_ROW and joints.joint[i].dof == 0


@inlined
def is_servo(i, joints):
    """Whether a motor brings the coordinate of a row to a function of time, as far as its torque or force allows."""
    return joints.joint[i].jet != at.NO_ROW and joints.joint[i].dof == 1


@inlined
def turns_in(i, joints):
    """1 if the coordinate of a row is an angle, 0 if it is a displacement."""
    return 1.0 if joints.joint[i].turns > 0 else 0.0


@inlined
def moves_by_angle(i, joints):
    """Whether the state of a row is an angle."""
    return joints.joint[i].dof == 1 and joints.joint[i].turns > 0


@inlined
def keeps_mode(k, model):
    """Whether the row of a chart, which may be that of a rate-driven node, is that of a coordinate that has modes."""
    return model.joints is not None and k < len(model.moved_node) and has_modes(k, model.joints)


@inlined
def jet_of(i, model, scratch):
    """The coordinate of a row as a motor prescribes or a servo follows it, a jet of the time of the evaluation."""
    return scratch.working.jet[model.joints.joint[i].jet]


# --- placement: X(q), S and c


class PlacedRows(NamedTuple):
    """The rows of a body that is placed, and the frame from which it hangs."""

    value: JOINT_VALUE
    body: BODY
    parent: FRAME
    arm: ARM
    joint: KINEMATICS
    frame: FRAME


@inlined
def place_body(rows, q_WB, omega_rel, slide, slip):
    """Place a body that is turned to q_WB, and turns at omega_rel relative to its parent; its joint is displaced by
    `slide`, and moves at `slip`.
    """
    value, body, arm, joint, frame, q_WP, omega_WP = (
        rows.value, rows.body, rows.arm, rows.joint, rows.frame, rows.parent.q, rows.parent.omega
    )  # fmt: skip
    omega = add(omega_WP, omega_rel)
    anchor, reach = rotate(q_WP, value.anchor), rotate(q_WP, value.reach)
    com, r = rotate(q_WB, body.com), add(rotate(q_WB, value.r), slide)
    c_alpha = cross(omega_WP, omega_rel)
    d, v = add(anchor, r), add(add(cross(omega_WP, anchor), cross(omega, r)), slip)
    v_WC = add(rows.parent.v, v)
    arm.d = d
    arm.v = v
    arm.v_WC = v_WC
    frame.q = q_WB
    frame.p = add(rows.parent.p, sub(d, com))
    frame.v = sub(v_WC, cross(omega, com))
    frame.omega = omega
    joint.d = add(reach, r)
    joint.reach = reach
    joint.r = r
    joint.c_alpha = c_alpha
    joint.c_a = bias_acceleration(omega_WP, omega, c_alpha, reach, r, slip)


@inlined
def place_coordinate(turns, slides, x, rate, rows):
    """Place a body by one coordinate: about the axis u by the angle x, if it turns, and along u by h x, if it slides,

    q_WB = q_WP q_0 (cos x/2, u sin x/2), S = (u, u x r) and (0, h u) or the sum of both, with h = 1 of a displacement
    and h = pitch / 2 pi of a screw.
    """
    value, joint, q_WB, omega_rel, slide, slip = rows.value, rows.joint, rows.parent.q, ZERO, ZERO, ZERO
    joint.x = x
    joint.rate = rate
    q_WB = product(q_WB, value.q)
    if turns:
        s, c = sin_cos(0.5 * x)
        x_B, y_B, z_B = value.axis
        q_WB = product(q_WB, (c, s * x_B, s * y_B, s * z_B))
    q_WB = renormalised(q_WB)
    u = rotate(q_WB, value.axis)
    if turns:
        omega_rel = scaled(rate, u)
    if slides:
        h = value.advance if turns else 1.0
        slide, slip = scaled(h * x, u), scaled(h * rate, u)
    place_body(rows, q_WB, omega_rel, slide, slip)
    joint.u = u
    S_omega, S_v = turning_motion(u, joint.r) if turns else (ZERO, u)
    if turns and slides:
        S_v = add(S_v, scaled(value.advance, u))
    joint.S_omega = S_omega
    joint.S_v = S_v


@lanewise
def place_moved(turns, slides, state: STAGE, rows: PlacedRows, lane):
    """Place a body by a coordinate of the state."""
    place_coordinate(turns, slides, state.p[0], state.v[0], rows)


@lanewise
def place_prescribed(turns, slides, jet: JET, rows: PlacedRows, lane):
    """Place a body by a coordinate that a motor prescribes: c has its part of the acceleration, S x''."""
    place_coordinate(turns, slides, jet.value, jet.rate, rows)
    joint = rows.joint
    joint.c_alpha = add(joint.c_alpha, scaled(jet.rate_dot, joint.S_omega))
    joint.c_a = add(joint.c_a, scaled(jet.rate_dot, joint.S_v))


@lanewise
def place_welded(rows: PlacedRows, lane):
    """Place a body that does not move in its parent: S has no column."""
    joint = rows.joint
    place_body(rows, renormalised(product(rows.parent.q, rows.value.q)), ZERO, ZERO, ZERO)
    joint.u = ZERO
    joint.S_omega = ZERO
    joint.S_v = ZERO
    joint.rate = 0.0
    joint.power = 0.0


@lanewise
def place_ball(state: STAGE, rows: PlacedRows, lane):
    """Place a body that turns about a point, of which the rotation in the world is the state: S = (1, [-r])."""
    place_body(rows, state.q, sub(rotate(state.q, state.omega), rows.parent.omega), ZERO, ZERO)


@lanewise
def want_constant(value: JOINT_VALUE, constraint: CONSTRAINT, lane):
    """The wanted rate of a motor is a constant."""
    constraint.wanted = value.wanted
    constraint.wanted_dot = 0.0


@lanewise
def want_tracking(jet: JET, value: JOINT_VALUE, state: STAGE, constraint: CONSTRAINT, lane):
    """The wanted rate of a servo."""
    desired = (jet.value, jet.rate, jet.rate_dot)
    wanted, wanted_dot = tracking_rate(state.p[0], state.v[0], desired, value.tracking)
    constraint.wanted = wanted
    constraint.wanted_dot = wanted_dot


@inlined
def set_wanted(i, block):
    """The rate that the motor of a coordinate wants which has modes; functions of time are evaluated."""
    model = block.model
    value, constraint = model.joints.value[i], block.scratch.joints.modes.constraint[model.joints.joint[i].mode]
    if model.joints.servos is not None and model.expressions is not None and is_servo(i, model.joints):
        want_tracking(jet_of(i, model, block.scratch), value, block.state[i], constraint, block.lanes)
    else:
        want_constant(value, constraint, block.lanes)


@lanewise
def hold_to_tracking(mode: COORDINATE, constraint: CONSTRAINT, joint: KINEMATICS, lane):
    """A coordinate that a servo holds accelerates as the wanted rate does: c has its part, S x''."""
    x = tracks(mode.slip, mode.lag) * constraint.wanted_dot
    constraint.held_dot = x
    joint.c_alpha = add(joint.c_alpha, scaled(x, joint.S_omega))
    joint.c_a = add(joint.c_a, scaled(x, joint.S_v))


@inlined
def want_rate(i, block):
    """The rate that the motor of a coordinate wants which has modes, and with which acceleration a servo holds it."""
    model = block.model
    set_wanted(i, block)
    if model.joints.servos is not None and is_servo(i, model.joints):
        constraint = block.scratch.joints.modes.constraint[model.joints.joint[i].mode]
        hold_to_tracking(block.state[i], constraint, block.scratch.joints.kinematics[i], block.lanes)


@inlined
def place_row(i, block, rows):
    """Place a row of a joint."""
    model, lanes = block.model, block.lanes
    joint = model.joints.joint[i]
    if joint.dof == 3:
        place_ball(block.state[i], rows, lanes)
    elif joint.dof == 1:
        place_by(place_moved, joint, block.state[i], rows, lanes)
        if has_modes(i, model.joints):
            want_rate(i, block)
    elif is_prescribed(i, model.joints):
        if model.expressions is not None:
            place_by(place_prescribed, joint, jet_of(i, model, block.scratch), rows, lanes)
    else:
        place_welded(rows, lanes)


@inlined
def place_by(place, joint, coordinate, rows, lanes):
    """Place a row by a coordinate, as it moves the body."""
    if joint.turns == 0:
        place(False, True, coordinate, rows, lanes)
    elif joint.slides == 0:
        place(True, False, coordinate, rows, lanes)
    else:
        place(True, True, coordinate, rows, lanes)


@lanewise
def lengthen(link: ARM, arm: ARM, lane):
    """Add the arm of a link to that of its body, which then begins at the origin of the body's parent."""
    arm.d = add(arm.d, link.d)
    arm.v = add(arm.v, link.v)


@inlined
def place_jointed(node, block):
    """Compute the frames and arms of a jointed node and of the links before it; the frame of its parent is known."""
    model, scratch = block.model, block.scratch
    first, last = model.node[node].first, model.node[node].row
    for i in range(first, last + 1):
        place, parent = model.moved_node[i], scratch.frame[model.joints.joint[i].parent_frame]
        rows = PlacedRows(
            model.joints.value[i], model.body[i], parent, scratch.arm[place], scratch.joints.kinematics[i],
            scratch.frame[place + 1],
        )  # fmt: skip
        place_row(i, block, rows)
    for i in range(first, last):
        lengthen(scratch.arm[model.moved_node[i]], scratch.arm[node], block.lanes)


# --- inwards: articulated-body inertias and bias forces


@lanewise
def begin_inertia(body: BODY, frame: FRAME, wrench: WRENCH, root: WRENCH, articulated: ARTICULATED, lane):
    """The inertia of a body alone, and the wrench that holds it at rest, less the gravity of the tree's root."""
    m, omega = body.mass, frame.omega
    inertia = rotated(frame.q, body.inertia)
    articulated.A = inertia
    articulated.B = NOTHING
    articulated.M = (m, m, m, 0.0, 0.0, 0.0)
    articulated.t = sub(cross(omega, apply(inertia, omega)), wrench.tau)
    articulated.f = sub(scaled(-m, sub(wrench.g, root.g)), wrench.f)


class InwardRows(NamedTuple):
    """The rows of a body whose inertia is passed on to its parent."""

    value: JOINT_VALUE
    joint: KINEMATICS
    articulated: ARTICULATED
    parent: ARTICULATED


@inlined
def inertia_of(articulated):
    """The articulated-body inertia."""
    return articulated.A, articulated.B, articulated.M


@inlined
def add_to_parent(parent, inertia, t, f, d):
    """Add an inertia and a wrench about a point at d from the parent's centre of mass to those of the parent."""
    A, B, M = shifted_inertia(inertia, d)
    t, f = shifted_wrench(t, f, d)
    parent.A = plus(parent.A, A)
    parent.B = plus(parent.B, B)
    parent.M = plus(parent.M, M)
    parent.t = add(parent.t, t)
    parent.f = add(parent.f, f)


@inlined
def pass_coordinate(state, factor, rows, constraint=None):
    """Pass on what a coordinate does not let go: I^a = I - U D^-1 U^T, p^a = p + I^a c + U D^-1 u. One whose rate is
    held lets nothing go: D^-1 is zero.
    """
    value, joint, inertia, t, f = (
        rows.value, rows.joint, inertia_of(rows.articulated), rows.articulated.t, rows.articulated.f
    )  # fmt: skip
    S, x, rate = (joint.S_omega, joint.S_v), state.p[0], state.v[0]
    U, D_inverse = coordinate_factor(S, inertia, value.armature)
    torque = spring_torque(x, rate, value.stiffness, value.rest, value.damping) + joint.motor
    if constraint is not None:
        D_inverse, torque = constraint.slides * D_inverse, torque + constraint.torque
    u = coordinate_force(S, torque, t, f)
    joint.power = (joint.motor - value.damping * rate) * rate
    factor.U_t = U[0]
    factor.U_f = U[1]
    factor.D_inverse = D_inverse
    factor.u = u
    inertia = apparent_inertia(inertia, U, D_inverse)
    more_t, more_f = inertia_times(inertia, joint.c_alpha, joint.c_a)
    t, f = add(add(t, scaled(D_inverse * u, U[0])), more_t), add(add(f, scaled(D_inverse * u, U[1])), more_f)
    add_to_parent(rows.parent, inertia, t, f, joint.d)


@lanewise
def pass_through_coordinate(state: STAGE, factor: FACTOR, rows: InwardRows, lane):
    """Pass on inertia and bias force through a joint of one coordinate."""
    pass_coordinate(state, factor, rows)


@lanewise
def pass_through_modes(state: STAGE, mode: COORDINATE, constraint: CONSTRAINT, factor: FACTOR, rows: InwardRows, lane):
    """Likewise through one of which the coordinate has modes."""
    constraint.slides = sliding(mode.slip, mode.lag)
    constraint.torque = sliding_force(mode.slip, mode.lag, rows.value.friction, rows.value.largest)
    pass_coordinate(state, factor, rows, constraint)


@lanewise
def exert_servo(jet: JET, value: JOINT_VALUE, state: STAGE, joint: KINEMATICS, lane):
    """The torque or force of a servo that has a stiffness; none of one that has not."""
    desired, limit = (jet.value, jet.rate), value.servo_limit
    joint.motor = servo_torque(state.p[0], state.v[0], desired, value.servo_stiffness, value.servo_damping, limit)


@lanewise
def damp_ball(value: JOINT_VALUE, parent: FRAME, frame: FRAME, joint: KINEMATICS, lane):
    """The torque of the damper in a ball joint."""
    omega_rel = sub(frame.omega, parent.omega)
    own = scaled(-value.damping, omega_rel)
    joint.u = own
    joint.power = dot(own, omega_rel)


@inlined
def deflection_of_ball(value, parent, frame):
    """The rotation vector of a ball joint from its pose at zero, rad, in the body's axes."""
    return misalignment(value.q, product(conjugate(parent.q), frame.q))


@lanewise
def wind_ball(value: JOINT_VALUE, parent: FRAME, frame: FRAME, joint: KINEMATICS, lane):
    """Add the torque of the spring in a ball joint."""
    joint.u = sub(joint.u, rotate(frame.q, scaled(value.stiffness, deflection_of_ball(value, parent, frame))))


@lanewise
def pass_through_ball(factor: BALL_FACTOR, rows: InwardRows, lane):
    """Pass on inertia and bias force through a ball joint: a force alone, and the torque of its spring and damper."""
    joint, articulated, inertia = rows.joint, rows.articulated, inertia_of(rows.articulated)
    r, own = joint.r, joint.u
    e = sub(joint.c_a, cross(joint.c_alpha, r))  # a_WC less that of the joint, where alpha is zero
    more_t, more_f = inertia_times(inertia, ZERO, e)
    t, f = shifted_wrench(add(articulated.t, more_t), add(articulated.f, more_f), r)
    t, inertia = sub(t, own), shifted_inertia(inertia, r)
    inverse_A, M = ball_factor(inertia)
    factor.inverse = inverse_A
    factor.B = inertia[1]
    factor.t = t
    zeros = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    add_to_parent(rows.parent, (zeros, NOTHING, M), own, apparent_force(inverse_A, inertia[1], t, f), joint.reach)


@lanewise
def pass_through_rigid(rows: InwardRows, lane):
    """Pass on all inertia and bias force through a joint that is rigid or prescribed."""
    joint, articulated, inertia = rows.joint, rows.articulated, inertia_of(rows.articulated)
    t, f = inertia_times(inertia, joint.c_alpha, joint.c_a)
    add_to_parent(rows.parent, inertia, add(articulated.t, t), add(articulated.f, f), joint.d)


@inlined
def load_ball(i, joints, block):
    """The torque of spring and damper in a ball joint."""
    scratch = block.scratch
    value, joint = joints.value[i], scratch.joints.kinematics[i]
    parent, frame = scratch.frame[joints.joint[i].parent_frame], scratch.frame[block.model.moved_node[i] + 1]
    damp_ball(value, parent, frame, joint, block.lanes)
    if joints.joint[i].springs > 0:
        wind_ball(value, parent, frame, joint, block.lanes)


@inlined
def propagate_inertia(block):
    """Articulated-body inertia and bias force of every body that is part of a tree, and of what hangs on frames that
    are held; all loads are known.
    """
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    joints, dynamics, n_moved = model.joints, scratch.joints, len(model.moved_node)
    dynamics.articulated[n_moved:] = 0.0
    for i in joints.inward:
        frame, root = scratch.frame[model.moved_node[i] + 1], scratch.wrench[joints.joint[i].root]
        begin_inertia(model.body[i], frame, scratch.wrench[i], root, dynamics.articulated[i], lanes)
    for i in joints.inward:
        dof, factor, parent = joints.joint[i].dof, dynamics.factor[i], joints.joint[i].parent
        rows = InwardRows(
            joints.value[i], dynamics.kinematics[i], dynamics.articulated[i], dynamics.articulated[parent]
        )
        if model.expressions is not None and is_servo(i, joints):
            exert_servo(jet_of(i, model, scratch), rows.value, state[i], rows.joint, lanes)
        if has_modes(i, joints):
            constraint = dynamics.modes.constraint[joints.joint[i].mode]
            pass_through_modes(state[i], state[i], constraint, factor, rows, lanes)
        elif dof == 1:
            pass_through_coordinate(state[i], factor, rows, lanes)
        elif dof == 3:
            load_ball(i, joints, block)
            pass_through_ball(factor, rows, lanes)
        elif dof == 0:
            pass_through_rigid(rows, lanes)


# --- outwards: accelerations


@inlined
def root_acceleration(body, articulated):
    """(alpha, a) of the free body at the root of a tree. A particle does not rotate: it may take any inertia."""
    xx, yy, zz, xy, xz, yz = articulated.A
    more = 1.0 - takes_torque(body.inverse)
    A = (xx + more, yy + more, zz + more, xy, xz, yz)
    return free_acceleration((A, articulated.B, articulated.M), articulated.t, articulated.f)


@lanewise
def accelerate_root(
    body: BODY, articulated: ARTICULATED, wrench: WRENCH, arm: ARM, frame: FRAME, acceleration: ACCELERATION,
    rate: RATE, lane,
):  # fmt: skip
    """Newton's and Euler's equations for a free body that carries joints."""
    q_WB, omega = frame.q, frame.omega
    alpha, a = root_acceleration(body, articulated)
    a_WC = add(a, wrench.g)
    acceleration.alpha = alpha
    acceleration.a = a
    arm.a_WC = a_WC
    frame.a = point_acceleration(a_WC, omega, alpha, negated(rotate(q_WB, body.com)))
    frame.alpha = alpha
    rate.alpha = rotate_back(q_WB, alpha)
    rate.power = power(wrench.f, arm.v_WC, wrench.tau, omega) + wrench.power


@lanewise
def accelerate_held(frame: FRAME, acceleration: ACCELERATION, lane):
    """The accelerations of a frame that is held."""
    acceleration.alpha = frame.alpha
    acceleration.a = frame.a


class OutwardRows(NamedTuple):
    """The rows of a body that is accelerated, of its parent body, and of the root of its tree."""

    body: BODY
    joint: KINEMATICS
    parent: ACCELERATION
    wrench: WRENCH
    root: WRENCH
    arm: ARM
    frame: FRAME
    acceleration: ACCELERATION
    rate: RATE


@inlined
def parent_acceleration(rows):
    """The accelerations of a body of which the coordinates have none: those of the parent, there, and c."""
    joint, parent = rows.joint, rows.parent
    return add(parent.alpha, joint.c_alpha), add(add(parent.a, cross(parent.alpha, joint.d)), joint.c_a)


@inlined
def accelerate_body(rows, alpha, a, of_coordinate=ZERO, of_rotation=ZERO):
    """Write the accelerations of a jointed body and of its state, and the power of its loads."""
    arm, frame, wrench, omega, a_WC = rows.arm, rows.frame, rows.wrench, rows.frame.omega, add(a, rows.root.g)
    rows.acceleration.alpha = alpha
    rows.acceleration.a = a
    rows.rate.a = of_coordinate
    rows.rate.alpha = of_rotation
    arm.a_WC = a_WC
    frame.a = point_acceleration(a_WC, omega, alpha, negated(rotate(frame.q, rows.body.com)))
    frame.alpha = alpha
    rows.rate.power = power(wrench.f, arm.v_WC, wrench.tau, omega) + wrench.power + rows.joint.power


@inlined
def follow_coordinate(factor, rows, constraint=None):
    """Accelerate a body by x'' = D^-1 (u - U . a'), and what holds a coordinate that has modes."""
    joint, U, (alpha, a) = rows.joint, (factor.U_t, factor.U_f), parent_acceleration(rows)
    if constraint is not None:
        missing = coordinate_acceleration(1.0, factor.u, U, alpha, a)
        constraint.torque = constraint.torque - (1.0 - constraint.slides) * missing
        joint.power = joint.power + constraint.torque * joint.rate
    x = coordinate_acceleration(factor.D_inverse, factor.u, U, alpha, a)
    accelerate_body(rows, add(alpha, scaled(x, joint.S_omega)), add(a, scaled(x, joint.S_v)), (x, 0.0, 0.0))


@lanewise
def accelerate_coordinate(factor: FACTOR, rows: OutwardRows, lane):
    """The acceleration of a coordinate, and of its body."""
    follow_coordinate(factor, rows)


@lanewise
def accelerate_modes(constraint: CONSTRAINT, factor: FACTOR, rows: OutwardRows, lane):
    """The acceleration of a coordinate that has modes, and of its body."""
    follow_coordinate(factor, rows, constraint)


@lanewise
def add_tracking(constraint: CONSTRAINT, value: JOINT_VALUE, joint: KINEMATICS, rate: RATE, lane):
    """The acceleration of a coordinate that a servo holds, and what that takes of the rotor."""
    torque = value.armature * constraint.held_dot
    constraint.torque = constraint.torque + torque
    joint.power = joint.power + torque * joint.rate
    x, y, z = rate.a
    rate.a = (x + constraint.held_dot, y, z)
    rate.power = rate.power + torque * joint.rate


@lanewise
def accelerate_ball(factor: BALL_FACTOR, rows: OutwardRows, lane):
    """The angular acceleration of a ball joint's body."""
    joint, parent = rows.joint, rows.parent
    a_J = add(parent.a, cross(parent.alpha, joint.reach))
    e = sub(joint.c_a, cross(joint.c_alpha, joint.r))
    alpha = ball_acceleration(factor.inverse, factor.B, factor.t, a_J)
    a = add(add(a_J, e), cross(alpha, joint.r))
    accelerate_body(rows, alpha, a, ZERO, rotate_back(rows.frame.q, alpha))


@lanewise
def accelerate_rigid(rows: OutwardRows, lane):
    """The acceleration of what a weld holds."""
    alpha, a = parent_acceleration(rows)
    accelerate_body(rows, alpha, a)


@inlined
def along_coordinate(turns, advance, u, t, f):
    """S . (t, f) of a wrench about the joint, N m or N: what acts in a coordinate about or along u."""
    return turns * dot(u, t) + advance * dot(u, f)


@lanewise
def accelerate_prescribed(turns, jet: JET, articulated: ARTICULATED, value: JOINT_VALUE, rows: OutwardRows, lane):
    """The acceleration of what a motor moves, and the motor's torque or force."""
    joint, (alpha, a) = rows.joint, parent_acceleration(rows)
    t, f = inertia_times(inertia_of(articulated), alpha, a)
    t, f = shifted_wrench(add(articulated.t, t), add(articulated.f, f), joint.r)
    joint.motor = along_coordinate(turns, value.advance, joint.u, t, f) + value.armature * jet.rate_dot
    joint.power = joint.motor * joint.rate
    accelerate_body(rows, alpha, a)


@lanewise
def count_support(articulated: ARTICULATED, frame: FRAME, acceleration: ACCELERATION, rate: RATE, lane):
    """Add the power of what holds a frame against all that hangs on it."""
    t, f = inertia_times(inertia_of(articulated), acceleration.alpha, acceleration.a)
    rate.power = rate.power + power(add(f, articulated.f), frame.v, add(t, articulated.t), frame.omega)


@inlined
def accelerate_row(i, block, rows):
    """The acceleration of a row of a joint."""
    model, lanes = block.model, block.lanes
    joints, dynamics = model.joints, block.scratch.joints
    dof, factor = joints.joint[i].dof, dynamics.factor[i]
    if has_modes(i, joints):
        constraint = dynamics.modes.constraint[joints.joint[i].mode]
        accelerate_modes(constraint, factor, rows, lanes)
        if joints.servos is not None and is_servo(i, joints):
            add_tracking(constraint, joints.value[i], rows.joint, rows.rate, lanes)
    elif dof == 1:
        accelerate_coordinate(factor, rows, lanes)
    elif dof == 3:
        accelerate_ball(factor, rows, lanes)
    elif is_prescribed(i, joints):
        if model.expressions is not None:
            turns, jet = turns_in(i, joints), jet_of(i, model, block.scratch)
            accelerate_prescribed(turns, jet, dynamics.articulated[i], joints.value[i], rows, lanes)
    else:
        accelerate_rigid(rows, lanes)


@inlined
def accelerate_jointed(node, block):
    """The accelerations of a jointed node and of the links before it; those of its parent body are known."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    joints, dynamics, n_moved = model.joints, scratch.joints, len(model.moved_node)
    for i in range(model.node[node].first, model.node[node].row + 1):
        parent, place = joints.joint[i].parent, model.moved_node[i]
        if parent > n_moved:
            accelerate_held(scratch.frame[joints.held[parent - n_moved]], dynamics.acceleration[parent], lanes)
        rows = OutwardRows(
            model.body[i], dynamics.kinematics[i], dynamics.acceleration[parent], scratch.wrench[i],
            scratch.wrench[joints.joint[i].root], scratch.arm[place], scratch.frame[place + 1],
            dynamics.acceleration[i], scratch.rate[i],
        )  # fmt: skip
        accelerate_row(i, block, rows)
        if joints.joint[i].counts > 0:
            held = scratch.frame[joints.held[parent - n_moved]]
            count_support(dynamics.articulated[parent], held, dynamics.acceleration[parent], scratch.rate[i], lanes)


# --- samples


@lanewise
def write_local_jointed(body: BODY, parent: FRAME, arm: ARM, frame: FRAME, motion: MotionRows, lane):
    """Write the motion of a jointed body's origin relative to its parent into a sample."""
    q_WP, omega_WP = parent.q, parent.omega
    com = rotate(frame.q, body.com)
    d = sub(arm.d, com)
    drift = sub(sub(arm.v, cross(frame.omega, com)), cross(omega_WP, d))
    motion.position.xyz = stretch_back(q_WP, body.scale, d)
    motion.orientation.wxyz = product(conjugate(q_WP), frame.q)
    motion.velocity.xyz = stretch_back(q_WP, body.scale, drift)
    motion.angular_velocity.xyz = local_rate(omega_WP, q_WP, frame.omega)
