"""Joints: places outwards, articulated inertia and wrenches inwards, accelerations outwards.

The rows of a tree are free bodies that carry joints (ROOT), and what hangs on them, on frames that are held, or on each
other. Only the arms between neighbouring centres of mass and rates occur, never a position or velocity in the world. In
a tree that falls with its root all accelerations are relative to the gravity of that, so that a uniform field turns
nothing.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.layout import (
    ACCELERATION,
    ARM,
    ARTICULATED,
    BALL_FACTOR,
    BODY,
    COORDINATE,
    FACTOR,
    FRAME,
    GRIP,
    JET,
    JOINT_VALUE,
    KINEMATICS,
    QUATERNION,
    RATE,
    STAGE,
    TRIPLE,
    WRENCH,
)
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.articulated import (
    apparent_force,
    apparent_inertia,
    ball_acceleration,
    ball_factor,
    bias_term,
    coordinate_acceleration,
    coordinate_factor,
    coordinate_force,
    free_acceleration,
    inertia_times,
    plus,
    shifted_inertia,
    shifted_wrench,
    spring_torque,
    turning_motion,
)
from rigidsim.physics.elementary import sin_cos
from rigidsim.physics.forces import misalignment
from rigidsim.physics.frames import local_rate, stretch_back
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.modes import looseness, sliding_grip
from rigidsim.physics.quaternion import conjugate, product, renormalised, rotate, rotate_back
from rigidsim.physics.rigid_body import point_acceleration, power, takes_torque
from rigidsim.physics.vector import add, cross, dot, negated, scaled, sub

NONE = (0.0, 0.0, 0.0)
NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

# --- places


@inlined
def hang(value, body, parent, arm, joint, frame, q_WB, u, omega_rel, slide, slip):
    """Place a jointed body that is turned to q_WB, and turns at omega_rel relative to its parent; it has slid by
    `slide`, and slides by `slip`.
    """
    q_WP, omega_WP = parent.q, parent.omega
    omega = add(omega_WP, omega_rel)
    anchor, reach = rotate(q_WP, value.anchor), rotate(q_WP, value.reach)
    com, r = rotate(q_WB, body.com), add(rotate(q_WB, value.r), slide)
    turning = cross(omega_WP, omega_rel)
    d, v = add(anchor, r), add(add(cross(omega_WP, anchor), cross(omega, r)), slip)
    v_WC = add(parent.v, v)
    arm.d = d
    arm.v = v
    arm.v_WC = v_WC
    frame.q = q_WB
    frame.p = add(parent.p, sub(d, com))
    frame.v = sub(v_WC, cross(omega, com))
    frame.omega = omega
    joint.d = add(reach, r)
    joint.reach = reach
    joint.r = r
    joint.u = u
    joint.turning = turning
    joint.bias = bias_term(omega_WP, omega, turning, reach, r, slip)


@inlined
def hang_turned(angle, rate, value, body, parent, arm, joint, frame):
    """q_WB = q_WP q_0 (cos x/2, u sin x/2), omega_WB = omega_WP + u x'."""
    joint.x = angle
    joint.rate = rate
    s, c = sin_cos(0.5 * angle)
    axis = value.axis
    x, y, z = axis
    q_WB = renormalised(product(product(parent.q, value.q), (c, s * x, s * y, s * z)))
    u = rotate(q_WB, axis)
    hang(value, body, parent, arm, joint, frame, q_WB, u, scaled(rate, u), NONE, NONE)


@inlined
def hang_slid(x, rate, value, body, parent, arm, joint, frame):
    """q_WB = q_WP q_0, displaced by u x."""
    joint.x = x
    joint.rate = rate
    q_WB = renormalised(product(parent.q, value.q))
    u = rotate(q_WB, value.axis)
    hang(value, body, parent, arm, joint, frame, q_WB, u, NONE, scaled(x, u), scaled(rate, u))


@lanewise
def place_hinge(
    state: STAGE, value: JOINT_VALUE, body: BODY, parent: FRAME, arm: ARM, joint: KINEMATICS, frame: FRAME, lane
):
    """Place what a hinge holds."""
    hang_turned(state.p[0], state.v[0], value, body, parent, arm, joint, frame)


@lanewise
def place_turned(
    jet: JET, value: JOINT_VALUE, body: BODY, parent: FRAME, arm: ARM, joint: KINEMATICS, frame: FRAME, lane
):
    """Place what a motor turns; of its accelerations those by the coordinate are known."""
    hang_turned(jet.value, jet.rate, value, body, parent, arm, joint, frame)
    joint.turning = add(joint.turning, scaled(jet.rate_dot, joint.u))
    joint.bias = add(joint.bias, scaled(jet.rate_dot, cross(joint.u, joint.r)))


@lanewise
def place_slide(
    state: STAGE, value: JOINT_VALUE, body: BODY, parent: FRAME, arm: ARM, joint: KINEMATICS, frame: FRAME, lane
):
    """Place what a slide holds."""
    hang_slid(state.p[0], state.v[0], value, body, parent, arm, joint, frame)


@lanewise
def place_slid(
    jet: JET, value: JOINT_VALUE, body: BODY, parent: FRAME, arm: ARM, joint: KINEMATICS, frame: FRAME, lane
):
    """Place what a motor slides; likewise."""
    hang_slid(jet.value, jet.rate, value, body, parent, arm, joint, frame)
    joint.bias = add(joint.bias, scaled(jet.rate_dot, joint.u))


@lanewise
def place_weld(value: JOINT_VALUE, body: BODY, parent: FRAME, arm: ARM, joint: KINEMATICS, frame: FRAME, lane):
    """Place what a weld holds."""
    q_WB = renormalised(product(parent.q, value.q))
    hang(value, body, parent, arm, joint, frame, q_WB, NONE, NONE, NONE, NONE)
    joint.power = 0.0


@lanewise
def place_ball(
    state: STAGE, value: JOINT_VALUE, body: BODY, parent: FRAME, arm: ARM, joint: KINEMATICS, frame: FRAME, lane
):
    """Place what a ball joint holds: its rotation in the world is its state."""
    q_WB = state.q
    omega_rel = sub(rotate(q_WB, state.omega), parent.omega)
    hang(value, body, parent, arm, joint, frame, q_WB, NONE, omega_rel, NONE, NONE)


@lanewise
def lengthen(link: ARM, arm: ARM, lane):
    """Add the arm of a link to that of its body, which then begins at the origin of the body's parent."""
    arm.d = add(arm.d, link.d)
    arm.v = add(arm.v, link.v)


@inlined
def course(i, model, scratch):
    """The coordinate of a row as a motor prescribes it, a jet of the time of the evaluation."""
    return scratch.working.jet[model.joints.joint[i].jet]


@inlined
def place_by_motor(i, model, scratch, value, body, parent, arm, joint, frame, lanes):
    """Place what a motor moves."""
    if model.joints.joint[i].kind == at.TURNED:
        place_turned(course(i, model, scratch), value, body, parent, arm, joint, frame, lanes)
    else:
        place_slid(course(i, model, scratch), value, body, parent, arm, joint, frame, lanes)


@inlined
def place_jointed(node, model, state, scratch, lanes):
    """Compute the frames and arms of a jointed node and of the links before it; the frame of its parent is known."""
    first, last = model.node[node].first, model.node[node].row
    for i in range(first, last + 1):
        value, body, place = model.joints.value[i], model.body[i], model.moved_node[i]
        parent, arm = scratch.frame[model.joints.joint[i].parent_frame], scratch.arm[place]
        frame, joint = scratch.frame[place + 1], scratch.joints.kinematics[i]
        kind = model.joints.joint[i].kind
        if kind == at.HINGE:
            place_hinge(state[i], value, body, parent, arm, joint, frame, lanes)
        elif kind == at.SLIDE:
            place_slide(state[i], value, body, parent, arm, joint, frame, lanes)
        elif kind == at.BALL:
            place_ball(state[i], value, body, parent, arm, joint, frame, lanes)
        elif kind == at.WELDED:
            place_weld(value, body, parent, arm, joint, frame, lanes)
        elif model.expressions is not None:
            place_by_motor(i, model, scratch, value, body, parent, arm, joint, frame, lanes)
    for i in range(first, last):
        lengthen(scratch.arm[model.moved_node[i]], scratch.arm[node], lanes)


# --- inwards


@lanewise
def begin_body(body: BODY, frame: FRAME, wrench: WRENCH, root: WRENCH, articulated: ARTICULATED, lane):
    """The inertia of a body alone, and the wrench that holds it at rest, less the gravity of the tree's root."""
    m, omega = body.mass, frame.omega
    inertia = rotated(frame.q, body.inertia)
    articulated.A = inertia
    articulated.B = NOTHING
    articulated.M = (m, m, m, 0.0, 0.0, 0.0)
    articulated.t = sub(cross(omega, apply(inertia, omega)), wrench.tau)
    articulated.f = sub(scaled(-m, sub(wrench.g, root.g)), wrench.f)


@inlined
def hand_in(articulated, inertia, t, f):
    """Add to what a carrier feels."""
    A, B, M = inertia
    articulated.A = plus(articulated.A, A)
    articulated.B = plus(articulated.B, B)
    articulated.M = plus(articulated.M, M)
    articulated.t = add(articulated.t, t)
    articulated.f = add(articulated.f, f)


@inlined
def free_coordinate(S, state, value, joint, articulated, factor, grip=None):
    """What is felt through a joint of one coordinate, at the body's centre of mass: inertia, and wrench with the
    accelerations that rates give. Through one whose rate is held everything is felt: k is zero.
    """
    inertia, t, f, x, rate = (
        (articulated.A, articulated.B, articulated.M),
        articulated.t,
        articulated.f,
        state.p[0],
        state.v[0],
    )
    U, k = coordinate_factor(S, inertia)
    torque = spring_torque(x, rate, value.stiffness, value.rest, value.damping) + joint.motor
    if grip is not None:
        k, torque = grip.loose * k, torque + grip.torque
    w = coordinate_force(S, torque, t, f)
    joint.power = (joint.motor - value.damping * rate) * rate
    factor.U_t = U[0]
    factor.U_f = U[1]
    factor.D_inverse = k
    factor.u = w
    inertia = apparent_inertia(inertia, U, k)
    more_t, more_f = inertia_times(inertia, joint.turning, joint.bias)
    return inertia, add(add(t, scaled(k * w, U[0])), more_t), add(add(f, scaled(k * w, U[1])), more_f)


@lanewise
def free_hinge(
    state: STAGE,
    value: JOINT_VALUE,
    joint: KINEMATICS,
    articulated: ARTICULATED,
    factor: FACTOR,
    carrier: ARTICULATED,
    lane,
):
    """Hand in what is felt through a hinge."""
    inertia, t, f = free_coordinate(turning_motion(joint.u, joint.r), state, value, joint, articulated, factor)
    hand_in(carrier, shifted_inertia(inertia, joint.d), *shifted_wrench(t, f, joint.d))


@lanewise
def free_slide(
    state: STAGE,
    value: JOINT_VALUE,
    joint: KINEMATICS,
    articulated: ARTICULATED,
    factor: FACTOR,
    carrier: ARTICULATED,
    lane,
):
    """Hand in what is felt through a slide."""
    inertia, t, f = free_coordinate((NONE, joint.u), state, value, joint, articulated, factor)
    hand_in(carrier, shifted_inertia(inertia, joint.d), *shifted_wrench(t, f, joint.d))


@inlined
def motion_of(turns, joint):
    """S of a hinge, or, if `turns` is zero, of a slide."""
    u = joint.u
    return scaled(turns, u), add(scaled(turns, cross(u, joint.r)), scaled(1.0 - turns, u))


@lanewise
def free_gripped(
    turns,
    state: STAGE,
    mode: COORDINATE,
    value: JOINT_VALUE,
    joint: KINEMATICS,
    articulated: ARTICULATED,
    factor: FACTOR,
    grip: GRIP,
    carrier: ARTICULATED,
    lane,
):
    """Hand in what is felt through a hinge or slide that has modes."""
    grip.loose = looseness(mode.slip, mode.lag)
    grip.torque = sliding_grip(mode.slip, mode.lag, value.friction, value.largest)
    inertia, t, f = free_coordinate(motion_of(turns, joint), state, value, joint, articulated, factor, grip)
    hand_in(carrier, shifted_inertia(inertia, joint.d), *shifted_wrench(t, f, joint.d))


@lanewise
def damp_ball(value: JOINT_VALUE, parent: FRAME, frame: FRAME, joint: KINEMATICS, lane):
    """The torque of the damper in a ball joint."""
    omega_rel = sub(frame.omega, parent.omega)
    own = scaled(-value.damping, omega_rel)
    joint.u = own
    joint.power = dot(own, omega_rel)


@inlined
def wound(value, parent, frame):
    """The rotation vector of a ball joint from its pose at zero, rad, in the body's axes."""
    return misalignment(value.q, product(conjugate(parent.q), frame.q))


@lanewise
def wind_ball(value: JOINT_VALUE, parent: FRAME, frame: FRAME, joint: KINEMATICS, lane):
    """Add the torque of the spring in a ball joint."""
    joint.u = sub(joint.u, rotate(frame.q, scaled(value.stiffness, wound(value, parent, frame))))


@lanewise
def free_ball(joint: KINEMATICS, articulated: ARTICULATED, factor: BALL_FACTOR, carrier: ARTICULATED, lane):
    """Hand in what is felt through a ball joint: a force alone, and the torque of its spring and damper."""
    r, own, inertia = joint.r, joint.u, (articulated.A, articulated.B, articulated.M)
    e = sub(joint.bias, cross(joint.turning, r))  # a_WC less that of the joint, where alpha is zero
    more_t, more_f = inertia_times(inertia, NONE, e)
    t, f = shifted_wrench(add(articulated.t, more_t), add(articulated.f, more_f), r)
    t, inertia = sub(t, own), shifted_inertia(inertia, r)
    inverse_A, M = ball_factor(inertia)
    factor.inverse = inverse_A
    factor.B = inertia[1]
    factor.t = t
    zeros = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    felt_there = shifted_inertia((zeros, NOTHING, M), joint.reach)
    t, f = shifted_wrench(own, apparent_force(inverse_A, inertia[1], t, f), joint.reach)
    hand_in(carrier, felt_there, t, f)


@lanewise
def bear(joint: KINEMATICS, articulated: ARTICULATED, carrier: ARTICULATED, lane):
    """Hand in what is felt through a weld, or a joint that a motor moves: everything."""
    inertia = articulated.A, articulated.B, articulated.M
    t, f = inertia_times(inertia, joint.turning, joint.bias)
    t, f = shifted_wrench(add(articulated.t, t), add(articulated.f, f), joint.d)
    hand_in(carrier, shifted_inertia(inertia, joint.d), t, f)


@inlined
def has_modes(i, joints):
    """Whether a row is that of a coordinate that has modes."""
    return joints.modes is not None and joints.joint[i].mode != at.NO_ROW


@inlined
def turns_in(i, joints):
    """1 for a hinge, 0 for a slide."""
    return 1.0 if joints.joint[i].kind == at.HINGE else 0.0


@inlined
def slides_in(i, joints):
    """1 for a slide, whether a motor moves it or not, else 0."""
    return 1.0 if joints.joint[i].kind == at.SLIDE or joints.joint[i].kind == at.SLID else 0.0


@inlined
def keeps_mode(k, model):
    """Whether the row of a chart, which may be that of a paced node, is that of a coordinate that has modes."""
    return model.joints is not None and k < len(model.moved_node) and has_modes(k, model.joints)


@inlined
def propagate_inertia(model, state, scratch, lanes):
    """What is felt at every body that is part of a tree, and at frames that are held; all loads are known."""
    joints, dynamics, n_moved = model.joints, scratch.joints, len(model.moved_node)
    dynamics.articulated[n_moved:] = 0.0
    for i in joints.inward:
        frame, root = scratch.frame[model.moved_node[i] + 1], scratch.wrench[joints.joint[i].root]
        begin_body(model.body[i], frame, scratch.wrench[i], root, dynamics.articulated[i], lanes)
    for i in joints.inward:
        kind, value, joint, articulated = (
            joints.joint[i].kind,
            joints.value[i],
            dynamics.kinematics[i],
            dynamics.articulated[i],
        )
        factor, carrier = dynamics.factor[i], dynamics.articulated[joints.joint[i].parent]
        if has_modes(i, joints):
            grip, turns = dynamics.modes.grip[joints.joint[i].mode], turns_in(i, joints)
            free_gripped(turns, state[i], state[i], value, joint, articulated, factor, grip, carrier, lanes)
        elif kind == at.HINGE:
            free_hinge(state[i], value, joint, articulated, factor, carrier, lanes)
        elif kind == at.SLIDE:
            free_slide(state[i], value, joint, articulated, factor, carrier, lanes)
        elif kind == at.BALL:
            parent, frame = scratch.frame[joints.joint[i].parent_frame], scratch.frame[model.moved_node[i] + 1]
            damp_ball(value, parent, frame, joint, lanes)
            if joints.joint[i].springs > 0:
                wind_ball(value, parent, frame, joint, lanes)
            free_ball(joint, articulated, factor, carrier, lanes)
        elif kind >= at.WELDED:
            bear(joint, articulated, carrier, lanes)


# --- outwards


@inlined
def free_root(body, articulated):
    """(alpha, a) of the free body at the root of a tree. A particle does not rotate: it may take any inertia."""
    xx, yy, zz, xy, xz, yz = articulated.A
    more = 1.0 - takes_torque(body.inverse)
    return free_acceleration(
        ((xx + more, yy + more, zz + more, xy, xz, yz), articulated.B, articulated.M), articulated.t, articulated.f
    )


@lanewise
def accelerate_root(
    body: BODY,
    articulated: ARTICULATED,
    wrench: WRENCH,
    arm: ARM,
    frame: FRAME,
    acceleration: ACCELERATION,
    rate: RATE,
    lane,
):
    """Newton's and Euler's equations for a free body that carries joints."""
    q_WB, omega = frame.q, frame.omega
    alpha, a = free_root(body, articulated)
    a_WC = add(a, wrench.g)
    acceleration.alpha = alpha
    acceleration.a = a
    arm.a_WC = a_WC
    frame.a = point_acceleration(a_WC, omega, alpha, negated(rotate(q_WB, body.com)))
    frame.alpha = alpha
    rate.alpha = rotate_back(q_WB, alpha)
    rate.power = power(wrench.f, arm.v_WC, wrench.tau, omega) + wrench.power


@lanewise
def hold(frame: FRAME, acceleration: ACCELERATION, lane):
    """The accelerations of a frame that is held."""
    acceleration.alpha = frame.alpha
    acceleration.a = frame.a


@inlined
def accelerated(body, joint, wrench, root, arm, frame, acceleration, rate, alpha, a):
    """Write the accelerations of a jointed body, and the power of its loads."""
    omega, a_WC = frame.omega, add(a, root.g)
    acceleration.alpha = alpha
    acceleration.a = a
    arm.a_WC = a_WC
    frame.a = point_acceleration(a_WC, omega, alpha, negated(rotate(frame.q, body.com)))
    frame.alpha = alpha
    rate.power = power(wrench.f, arm.v_WC, wrench.tau, omega) + wrench.power + joint.power


@inlined
def follow_coordinate(S, joint, factor, carrier, rate, grip=None):
    """The accelerations of a body that hangs by one coordinate, of which that is written, and what holds it."""
    alpha = add(carrier.alpha, joint.turning)
    a = add(add(carrier.a, cross(carrier.alpha, joint.d)), joint.bias)
    if grip is not None:
        missing = coordinate_acceleration(1.0, factor.u, (factor.U_t, factor.U_f), alpha, a)
        grip.torque = grip.torque - (1.0 - grip.loose) * missing
        joint.power = joint.power + grip.torque * joint.rate
    x = coordinate_acceleration(factor.D_inverse, factor.u, (factor.U_t, factor.U_f), alpha, a)
    rate.a = (x, 0.0, 0.0)
    rate.alpha = NONE
    return add(alpha, scaled(x, S[0])), add(a, scaled(x, S[1]))


@lanewise
def accelerate_hinge(
    body: BODY,
    joint: KINEMATICS,
    factor: FACTOR,
    carrier: ACCELERATION,
    wrench: WRENCH,
    root: WRENCH,
    arm: ARM,
    frame: FRAME,
    acceleration: ACCELERATION,
    rate: RATE,
    lane,
):
    """The acceleration of a hinge, and of its body."""
    alpha, a = follow_coordinate(turning_motion(joint.u, joint.r), joint, factor, carrier, rate)
    accelerated(body, joint, wrench, root, arm, frame, acceleration, rate, alpha, a)


@lanewise
def accelerate_slide(
    body: BODY,
    joint: KINEMATICS,
    factor: FACTOR,
    carrier: ACCELERATION,
    wrench: WRENCH,
    root: WRENCH,
    arm: ARM,
    frame: FRAME,
    acceleration: ACCELERATION,
    rate: RATE,
    lane,
):
    """The acceleration of a slide, and of its body."""
    alpha, a = follow_coordinate((NONE, joint.u), joint, factor, carrier, rate)
    accelerated(body, joint, wrench, root, arm, frame, acceleration, rate, alpha, a)


@lanewise
def accelerate_gripped(
    turns,
    body: BODY,
    joint: KINEMATICS,
    factor: FACTOR,
    grip: GRIP,
    carrier: ACCELERATION,
    wrench: WRENCH,
    root: WRENCH,
    arm: ARM,
    frame: FRAME,
    acceleration: ACCELERATION,
    rate: RATE,
    lane,
):
    """The acceleration of a hinge or slide that has modes, and of its body."""
    alpha, a = follow_coordinate(motion_of(turns, joint), joint, factor, carrier, rate, grip)
    accelerated(body, joint, wrench, root, arm, frame, acceleration, rate, alpha, a)


@lanewise
def accelerate_ball(
    body: BODY,
    joint: KINEMATICS,
    factor: BALL_FACTOR,
    carrier: ACCELERATION,
    wrench: WRENCH,
    root: WRENCH,
    arm: ARM,
    frame: FRAME,
    acceleration: ACCELERATION,
    rate: RATE,
    lane,
):
    """The angular acceleration of a ball joint's body."""
    a_J = add(carrier.a, cross(carrier.alpha, joint.reach))
    e = sub(joint.bias, cross(joint.turning, joint.r))
    alpha = ball_acceleration(factor.inverse, factor.B, factor.t, a_J)
    rate.a = NONE
    rate.alpha = rotate_back(frame.q, alpha)
    accelerated(
        body, joint, wrench, root, arm, frame, acceleration, rate, alpha, add(add(a_J, e), cross(alpha, joint.r))
    )


@lanewise
def accelerate_welded(
    body: BODY,
    joint: KINEMATICS,
    carrier: ACCELERATION,
    wrench: WRENCH,
    root: WRENCH,
    arm: ARM,
    frame: FRAME,
    acceleration: ACCELERATION,
    rate: RATE,
    lane,
):
    """The acceleration of what a weld holds."""
    a = add(add(carrier.a, cross(carrier.alpha, joint.d)), joint.bias)
    rate.a = NONE
    rate.alpha = NONE
    accelerated(body, joint, wrench, root, arm, frame, acceleration, rate, add(carrier.alpha, joint.turning), a)


@lanewise
def follow_motor(
    turns,
    jet: JET,
    body: BODY,
    joint: KINEMATICS,
    articulated: ARTICULATED,
    carrier: ACCELERATION,
    wrench: WRENCH,
    root: WRENCH,
    arm: ARM,
    frame: FRAME,
    acceleration: ACCELERATION,
    rate: RATE,
    lane,
):
    """The acceleration of what a motor moves, and the motor's torque or force."""
    alpha = add(carrier.alpha, joint.turning)
    a = add(add(carrier.a, cross(carrier.alpha, joint.d)), joint.bias)
    t, f = inertia_times((articulated.A, articulated.B, articulated.M), alpha, a)
    t, f = shifted_wrench(add(articulated.t, t), add(articulated.f, f), joint.r)
    motor = turns * dot(joint.u, t) + (1.0 - turns) * dot(joint.u, f)
    joint.motor = motor
    joint.power = motor * jet.rate
    rate.a = NONE
    rate.alpha = NONE
    accelerated(body, joint, wrench, root, arm, frame, acceleration, rate, alpha, a)


@lanewise
def count_holding(articulated: ARTICULATED, frame: FRAME, acceleration: ACCELERATION, rate: RATE, lane):
    """Add the power of what holds a frame against all that hangs on it."""
    t, f = inertia_times((articulated.A, articulated.B, articulated.M), acceleration.alpha, acceleration.a)
    rate.power = rate.power + power(add(f, articulated.f), frame.v, add(t, articulated.t), frame.omega)


@inlined
def accelerate_jointed(node, model, scratch, lanes):
    """The accelerations of a jointed node and of the links before it; those of its carrier are known."""
    joints, dynamics, n_moved = model.joints, scratch.joints, len(model.moved_node)
    for i in range(model.node[node].first, model.node[node].row + 1):
        kind, c, place = joints.joint[i].kind, joints.joint[i].parent, model.moved_node[i]
        if c > n_moved:
            hold(scratch.frame[joints.held[c - n_moved]], dynamics.acceleration[c], lanes)
        body, joint, factor, carrier = (
            model.body[i],
            dynamics.kinematics[i],
            dynamics.factor[i],
            dynamics.acceleration[c],
        )
        wrench, root = scratch.wrench[i], scratch.wrench[joints.joint[i].root]
        arm, frame, acceleration, rate = (
            scratch.arm[place],
            scratch.frame[place + 1],
            dynamics.acceleration[i],
            scratch.rate[i],
        )
        if has_modes(i, joints):
            grip, turns = dynamics.modes.grip[joints.joint[i].mode], turns_in(i, joints)
            accelerate_gripped(
                turns, body, joint, factor, grip, carrier, wrench, root, arm, frame, acceleration, rate, lanes
            )
        elif kind == at.HINGE:
            accelerate_hinge(body, joint, factor, carrier, wrench, root, arm, frame, acceleration, rate, lanes)
        elif kind == at.SLIDE:
            accelerate_slide(body, joint, factor, carrier, wrench, root, arm, frame, acceleration, rate, lanes)
        elif kind == at.BALL:
            accelerate_ball(body, joint, factor, carrier, wrench, root, arm, frame, acceleration, rate, lanes)
        elif kind == at.WELDED:
            accelerate_welded(body, joint, carrier, wrench, root, arm, frame, acceleration, rate, lanes)
        elif model.expressions is not None:
            turns, articulated = 1.0 if kind == at.TURNED else 0.0, dynamics.articulated[i]
            follow_motor(
                turns,
                course(i, model, scratch),
                body,
                joint,
                articulated,
                carrier,
                wrench,
                root,
                arm,
                frame,
                acceleration,
                rate,
                lanes,
            )
        if joints.joint[i].counts > 0:
            held = scratch.frame[joints.held[c - n_moved]]
            count_holding(dynamics.articulated[c], held, dynamics.acceleration[c], rate, lanes)


# --- samples


@lanewise
def write_local_jointed(
    body: BODY,
    parent: FRAME,
    arm: ARM,
    frame: FRAME,
    position: TRIPLE,
    orientation: QUATERNION,
    velocity: TRIPLE,
    angular_velocity: TRIPLE,
    lane,
):
    """Write the motion of a jointed body's origin relative to its parent into a sample."""
    q_WP, omega_WP = parent.q, parent.omega
    com = rotate(frame.q, body.com)
    d = sub(arm.d, com)
    drift = sub(sub(arm.v, cross(frame.omega, com)), cross(omega_WP, d))
    position.xyz = stretch_back(q_WP, body.scale, d)
    orientation.wxyz = product(conjugate(q_WP), frame.q)
    velocity.xyz = stretch_back(q_WP, body.scale, drift)
    angular_velocity.xyz = local_rate(omega_WP, q_WP, frame.omega)
