"""Impulses on what joints hold together: the linear part of the passes of `articulated.py`, from impulses to jumps.

Inwards, the impulses on the bodies of a tree become that on the free body at its root; then, in the walk of
`corrections.py` from parents to children, the coordinates follow the jump of what they hang on.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.articulated import NONE, course, free_root, motion_of, propagate_inertia
from rigidsim.engine.kinds import is_root
from rigidsim.engine.layout import (
    ACCELERATION,
    ARM,
    ARTICULATED,
    BALL_FACTOR,
    BODY,
    CORRECTION,
    FACTOR,
    FRAME,
    GAINED,
    JET,
    JOINT_VALUE,
    KINEMATICS,
    STATE,
    TRIPLE,
    add_to_sums,
)
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.articulated import (
    apparent_force,
    ball_acceleration,
    coordinate_acceleration,
    coordinate_force,
    shifted_wrench,
    turning_motion,
)
from rigidsim.physics.corrections import (
    carried_displacement,
    carried_rate,
    carried_velocity,
    joined_turn,
    swing,
    turn,
    turned,
)
from rigidsim.physics.impulses import jump_energy
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, dot, negated, scaled, sub


@lanewise
def push_alone(own: CORRECTION, articulated: ARTICULATED, lane):
    """The impulse on a body alone, as a wrench that holds it."""
    articulated.t = negated(own.omega)
    articulated.f = negated(own.v)


@inlined
def respond_coordinate(S, joint, articulated, factor, carrier):
    """Hand in the impulse that is felt through a joint of one coordinate."""
    t, f, U_t, U_f = articulated.t, articulated.f, factor.U_t, factor.U_f
    w = coordinate_force(S, 0.0, t, f)
    factor.u = w
    t, f = shifted_wrench(add(t, scaled(factor.D_inverse * w, U_t)), add(f, scaled(factor.D_inverse * w, U_f)), joint.d)
    carrier.t = add(carrier.t, t)
    carrier.f = add(carrier.f, f)


@lanewise
def respond_hinge(joint: KINEMATICS, articulated: ARTICULATED, factor: FACTOR, carrier: ARTICULATED, lane):
    """Hand in the impulse that is felt through a hinge."""
    respond_coordinate(turning_motion(joint.u, joint.r), joint, articulated, factor, carrier)


@lanewise
def respond_slide(joint: KINEMATICS, articulated: ARTICULATED, factor: FACTOR, carrier: ARTICULATED, lane):
    """Hand in the impulse that is felt through a slide."""
    respond_coordinate((NONE, joint.u), joint, articulated, factor, carrier)


@lanewise
def respond_ball(joint: KINEMATICS, articulated: ARTICULATED, factor: BALL_FACTOR, carrier: ARTICULATED, lane):
    """Hand in the impulse that is felt through a ball joint."""
    t, f = shifted_wrench(articulated.t, articulated.f, joint.r)
    factor.t = t
    t, f = shifted_wrench(NONE, apparent_force(factor.inverse, factor.B, t, f), joint.reach)
    carrier.t = add(carrier.t, t)
    carrier.f = add(carrier.f, f)


@lanewise
def bear_impulse(joint: KINEMATICS, articulated: ARTICULATED, carrier: ARTICULATED, lane):
    """Hand in the impulse that is felt through a weld, or a joint that a motor moves."""
    t, f = shifted_wrench(articulated.t, articulated.f, joint.d)
    carrier.t = add(carrier.t, t)
    carrier.f = add(carrier.f, f)


@lanewise
def respond_root(body: BODY, frame: FRAME, articulated: ARTICULATED, own: CORRECTION, lane):
    """What the impulses on a tree do to the free body at its root: jump of velocity, and of angular momentum."""
    domega, dv = free_root(body, articulated)
    own.v = dv
    own.omega = apply(rotated(frame.q, body.inertia), domega)


@inlined
def hand_inwards(i, model, scratch, lanes):
    """Hand in the impulse that a moved row feels to its carrier, if it hangs on one."""
    kind, c, joint = model.joints.joint[i].kind, model.joints.joint[i].parent, scratch.joints.kinematics[i]
    articulated, factor, carrier = (
        scratch.joints.articulated[i],
        scratch.joints.factor[i],
        scratch.joints.articulated[c],
    )
    if kind == at.HINGE:
        respond_hinge(joint, articulated, factor, carrier, lanes)
    elif kind == at.SLIDE:
        respond_slide(joint, articulated, factor, carrier, lanes)
    elif kind == at.BALL:
        respond_ball(joint, articulated, factor, carrier, lanes)
    elif kind >= at.WELDED:
        bear_impulse(joint, articulated, carrier, lanes)


@inlined
def respond_inwards(model, state, scratch, made, lanes):
    """Replace the impulses on all bodies of trees by what they do at the roots; all are placed."""
    joints, dynamics, n_moved = model.joints, scratch.joints, len(model.moved_node)
    propagate_inertia(model, state, scratch, lanes)
    dynamics.acceleration[:] = 0.0
    for i in joints.inward:
        push_alone(made.own[i], dynamics.articulated[i], lanes)
    for i in joints.inward:
        c = joints.joint[i].parent
        hand_inwards(i, model, scratch, lanes)
        if is_root(i, model) and made.is_pushed[i] > 0:
            node = model.moved_node[i]
            respond_root(model.body[i], scratch.frame[node + 1], dynamics.articulated[i], made.own[i], lanes)
            made.source[node + 1] = node + 1
        if made.is_pushed[i] > 0 and 0 <= c < n_moved:
            made.is_pushed[c] = 1


@lanewise
def jump_root(own: CORRECTION, correction: CORRECTION, acceleration: ACCELERATION, lane):
    """The jump of the free body at the root of a tree, for what hangs on it."""
    acceleration.alpha = correction.omega
    acceleration.a = own.v


@lanewise
def jump_held(correction: CORRECTION, acceleration: ACCELERATION, lane):
    """The jump of a frame that is held."""
    acceleration.alpha = correction.omega
    acceleration.a = correction.v


@inlined
def count_jump(state, body, frame, arm, acceleration, gained, domega, dv, dx):
    """Pass on the jump of a jointed body, and count its energy as work."""
    q_WB = frame.q
    omega_B, domega_B = rotate_back(q_WB, frame.omega), rotate_back(q_WB, domega)
    jump, fall = jump_energy(body.mass, body.inertia, arm.v_WC, dv, omega_B, domega_B), body.mass * dot(body.g, dx)
    acceleration.alpha = domega
    acceleration.a = dv
    gained.value += jump
    gained.lifted -= fall
    add_to_sums(state, work=jump - fall)


@inlined
def drive_left(joint, factor, carrier):
    """What drives a coordinate after the jump of its carrier, N m s or N s: `coordinate_acceleration` over k."""
    domega, dv = carrier.alpha, add(carrier.a, cross(carrier.alpha, joint.d))
    return coordinate_acceleration(1.0, factor.u, (factor.U_t, factor.U_f), domega, dv)


@inlined
def rate_jump(joint, factor, carrier):
    """The jump of the rate of a coordinate."""
    return factor.D_inverse * drive_left(joint, factor, carrier)


@inlined
def follow(
    S, way, rate, x, state, value, body, joint, parent, given, arm, frame, correction, carrier, acceleration, gained
):
    """The jump of what hangs by one coordinate, of which the rate jumps by x; its frame is displaced and turned with
    that from which it hangs, and by a small way of the coordinate, of which velocities leave out the square.
    """
    q_WB, omega, omega_WP, e = frame.q, frame.omega, parent.omega, turn(given.turn)
    domega, dv = carrier.alpha, add(carrier.a, cross(carrier.alpha, joint.d))
    anchor, com = rotate(parent.q, value.anchor), rotate(q_WB, body.com)
    d, sweep = add(anchor, sub(joint.r, com)), sub(S[1], cross(S[0], com))  # to the origin, and its motion by x
    theta, slid = scaled(way, S[0]), scaled(way, sub(S[1], cross(S[0], joint.r)))
    own, swept = turn(theta), scaled(way, sweep)
    correction.p = add(carried_displacement(given.p, e, d), rotate(e, add(swing(own, sub(joint.r, com)), slid)))
    correction.turn = joined_turn(given.turn, theta)
    velocity = carried_velocity(given.v, e, omega_WP, given.omega, d, scaled(rate, sweep))
    correction.v = add(add(velocity, rotate(e, scaled(x, sweep))), cross(omega, swept))
    correction.omega = add(carried_rate(given.omega, e, omega_WP, omega), rotate(e, scaled(x, S[0])))
    dx = add(carried_displacement(given.p, e, add(anchor, joint.r)), rotate(e, add(swing(own, joint.r), slid)))
    domega, dv = add(domega, scaled(x, S[0])), add(dv, scaled(x, S[1]))
    count_jump(state, body, frame, arm, acceleration, gained, domega, dv, dx)


@lanewise
def follow_hinge(
    shift: TRIPLE,
    state: STATE,
    value: JOINT_VALUE,
    body: BODY,
    joint: KINEMATICS,
    factor: FACTOR,
    parent: FRAME,
    given: CORRECTION,
    arm: ARM,
    frame: FRAME,
    correction: CORRECTION,
    carrier: ACCELERATION,
    acceleration: ACCELERATION,
    gained: GAINED,
    lane,
):
    """The jump of what a hinge holds."""
    S, x, rate = turning_motion(joint.u, joint.r), rate_jump(joint, factor, carrier), state.v[0]
    way = shift.xyz[0]
    add_to_sums(state, p=(way, 0.0, 0.0), v=(x, 0.0, 0.0))
    follow(
        S, way, rate, x, state, value, body, joint, parent, given, arm, frame, correction, carrier, acceleration, gained
    )


@lanewise
def follow_slide(
    shift: TRIPLE,
    state: STATE,
    value: JOINT_VALUE,
    body: BODY,
    joint: KINEMATICS,
    factor: FACTOR,
    parent: FRAME,
    given: CORRECTION,
    arm: ARM,
    frame: FRAME,
    correction: CORRECTION,
    carrier: ACCELERATION,
    acceleration: ACCELERATION,
    gained: GAINED,
    lane,
):
    """The jump of what a slide holds."""
    S, x, rate = (NONE, joint.u), rate_jump(joint, factor, carrier), state.v[0]
    way = shift.xyz[0]
    add_to_sums(state, p=(way, 0.0, 0.0), v=(x, 0.0, 0.0))
    follow(
        S, way, rate, x, state, value, body, joint, parent, given, arm, frame, correction, carrier, acceleration, gained
    )


@lanewise
def follow_motor(
    turns,
    jet: JET,
    state: STATE,
    value: JOINT_VALUE,
    body: BODY,
    joint: KINEMATICS,
    parent: FRAME,
    given: CORRECTION,
    arm: ARM,
    frame: FRAME,
    correction: CORRECTION,
    carrier: ACCELERATION,
    acceleration: ACCELERATION,
    gained: GAINED,
    lane,
):
    """The jump of what a motor moves, which keeps the rate of its coordinate."""
    S, rate = motion_of(turns, joint), jet.rate
    follow(
        S,
        0.0,
        rate,
        0.0,
        state,
        value,
        body,
        joint,
        parent,
        given,
        arm,
        frame,
        correction,
        carrier,
        acceleration,
        gained,
    )


@lanewise
def follow_weld(
    state: STATE,
    value: JOINT_VALUE,
    body: BODY,
    joint: KINEMATICS,
    parent: FRAME,
    given: CORRECTION,
    arm: ARM,
    frame: FRAME,
    correction: CORRECTION,
    carrier: ACCELERATION,
    acceleration: ACCELERATION,
    gained: GAINED,
    lane,
):
    """The jump of what a weld holds."""
    S = NONE, NONE
    follow(
        S,
        0.0,
        0.0,
        0.0,
        state,
        value,
        body,
        joint,
        parent,
        given,
        arm,
        frame,
        correction,
        carrier,
        acceleration,
        gained,
    )


@lanewise
def follow_ball(
    shift: TRIPLE,
    state: STATE,
    value: JOINT_VALUE,
    body: BODY,
    joint: KINEMATICS,
    factor: BALL_FACTOR,
    parent: FRAME,
    given: CORRECTION,
    arm: ARM,
    frame: FRAME,
    correction: CORRECTION,
    carrier: ACCELERATION,
    acceleration: ACCELERATION,
    gained: GAINED,
    lane,
):
    """The jump of what a ball joint holds: its joint is displaced with the frame from which it hangs, and its rotation
    follows its moment.
    """
    q_WB, e, theta, omega = frame.q, turn(given.turn), shift.xyz, frame.omega
    dv_J = add(carrier.a, cross(carrier.alpha, joint.reach))
    domega = ball_acceleration(factor.inverse, factor.B, factor.t, dv_J)
    anchor, com = rotate(parent.q, value.anchor), rotate(q_WB, body.com)
    dx = carried_displacement(given.p, e, anchor)
    velocity = carried_velocity(given.v, e, parent.omega, given.omega, anchor, NONE)
    d = sub(joint.r, com)
    own = turn(theta)
    correction.p = add(dx, swing(own, d))
    correction.turn = theta
    correction.v = add(add(velocity, cross(domega, d)), cross(theta, cross(omega, d)))
    correction.omega = add(domega, cross(theta, omega))
    state.q = turned(turn(theta), q_WB)
    add_to_sums(state, omega=rotate_back(q_WB, domega))
    dx = add(dx, swing(own, joint.r))
    count_jump(state, body, frame, arm, acceleration, gained, domega, add(dv_J, cross(domega, joint.r)), dx)


@inlined
def correct_jointed(node, model, state, scratch, made, lanes):
    """The jump of a jointed node and of the links before it, if anything happens to them or to what they hang on."""
    joints, dynamics, n_moved, last = model.joints, scratch.joints, len(model.moved_node), model.node[node].row
    source = made.source[model.node[node].parent]
    if source == at.NO_ROW and made.is_pushed[last] == 0:
        return
    for i in range(model.node[node].first, last + 1):
        kind, c, inner, place = (
            joints.joint[i].kind,
            joints.joint[i].parent,
            joints.joint[i].parent_frame,
            model.moved_node[i],
        )
        if c >= n_moved:
            jump_held(made.frame[joints.held[c - n_moved]], dynamics.acceleration[c], lanes)
        value, body, joint, factor = joints.value[i], model.body[i], dynamics.kinematics[i], dynamics.factor[i]
        parent, given, arm = scratch.frame[inner], made.frame[inner], scratch.arm[place]
        frame, correction = scratch.frame[place + 1], made.frame[place + 1]
        carrier, acceleration, gained = dynamics.acceleration[c], dynamics.acceleration[i], made.gained[at.OF_TREES]
        if kind == at.HINGE:
            follow_hinge(
                made.shift[i],
                state[i],
                value,
                body,
                joint,
                factor,
                parent,
                given,
                arm,
                frame,
                correction,
                carrier,
                acceleration,
                gained,
                lanes,
            )
        elif kind == at.SLIDE:
            follow_slide(
                made.shift[i],
                state[i],
                value,
                body,
                joint,
                factor,
                parent,
                given,
                arm,
                frame,
                correction,
                carrier,
                acceleration,
                gained,
                lanes,
            )
        elif kind == at.WELDED:
            follow_weld(
                state[i],
                value,
                body,
                joint,
                parent,
                given,
                arm,
                frame,
                correction,
                carrier,
                acceleration,
                gained,
                lanes,
            )
        elif model.expressions is not None and kind > at.WELDED:
            turns = 1.0 if kind == at.TURNED else 0.0
            follow_motor(
                turns,
                course(i, model, scratch),
                state[i],
                value,
                body,
                joint,
                parent,
                given,
                arm,
                frame,
                correction,
                carrier,
                acceleration,
                gained,
                lanes,
            )
        else:
            follow_ball(
                made.shift[i],
                state[i],
                value,
                body,
                joint,
                factor,
                parent,
                given,
                arm,
                frame,
                correction,
                carrier,
                acceleration,
                gained,
                lanes,
            )
    made.source[node + 1] = node + 1 if source == at.NO_ROW else source


# --- responses that change nothing


@lanewise
def answer_root(body: BODY, articulated: ARTICULATED, acceleration: ACCELERATION, lane):
    """The jump of the free body at the root of a tree."""
    alpha, a = free_root(body, articulated)
    acceleration.alpha = alpha
    acceleration.a = a


@inlined
def answer_coordinate(S, joint, factor, carrier, acceleration, jump):
    """The jump of what hangs by one coordinate, of which that is written."""
    x = rate_jump(joint, factor, carrier)
    jump.xyz = (x, 0.0, 0.0)
    acceleration.alpha = add(carrier.alpha, scaled(x, S[0]))
    acceleration.a = add(add(carrier.a, cross(carrier.alpha, joint.d)), scaled(x, S[1]))


@lanewise
def answer_hinge(
    joint: KINEMATICS, factor: FACTOR, carrier: ACCELERATION, acceleration: ACCELERATION, jump: TRIPLE, lane
):
    """The jump of what a hinge holds."""
    answer_coordinate(turning_motion(joint.u, joint.r), joint, factor, carrier, acceleration, jump)


@lanewise
def answer_slide(
    joint: KINEMATICS, factor: FACTOR, carrier: ACCELERATION, acceleration: ACCELERATION, jump: TRIPLE, lane
):
    """The jump of what a slide holds."""
    answer_coordinate((NONE, joint.u), joint, factor, carrier, acceleration, jump)


@lanewise
def answer_motor(joint: KINEMATICS, carrier: ACCELERATION, acceleration: ACCELERATION, lane):
    """The jump of what a weld holds, or a motor moves."""
    acceleration.alpha = carrier.alpha
    acceleration.a = add(carrier.a, cross(carrier.alpha, joint.d))


@lanewise
def answer_ball(
    joint: KINEMATICS, factor: BALL_FACTOR, carrier: ACCELERATION, acceleration: ACCELERATION, jump: TRIPLE, lane
):
    """The jump of what a ball joint holds."""
    a = add(carrier.a, cross(carrier.alpha, joint.reach))
    alpha = ball_acceleration(factor.inverse, factor.B, factor.t, a)
    jump.xyz = alpha
    acceleration.alpha = alpha
    acceleration.a = add(a, cross(alpha, joint.r))


@inlined
def impulse_response(rows, model, scratch, jumps, lanes):
    """What impulses do to whole trees, given by their rows inwards: wrenches that hold the bodies, in `felt`, become
    jumps of the bodies, in `carried`, and of joints, in `jumps`. What an evaluation had in these arrays is lost, except
    for inertia.
    """
    joints, dynamics = model.joints, scratch.joints
    dynamics.acceleration[len(model.moved_node) :] = 0.0
    for i in rows:
        hand_inwards(i, model, scratch, lanes)
    for k in range(len(rows)):
        i = rows[len(rows) - 1 - k]
        kind, joint, factor = joints.joint[i].kind, dynamics.kinematics[i], dynamics.factor[i]
        carrier, acceleration = dynamics.acceleration[joints.joint[i].parent], dynamics.acceleration[i]
        if kind == at.HINGE:
            answer_hinge(joint, factor, carrier, acceleration, jumps[i], lanes)
        elif kind == at.SLIDE:
            answer_slide(joint, factor, carrier, acceleration, jumps[i], lanes)
        elif kind == at.BALL:
            answer_ball(joint, factor, carrier, acceleration, jumps[i], lanes)
        elif kind >= at.WELDED:
            answer_motor(joint, carrier, acceleration, lanes)
        else:
            answer_root(model.body[i], dynamics.articulated[i], acceleration, lanes)
