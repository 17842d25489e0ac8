"""Impulses on what joints hold together: the linear part of the passes of `articulated.py`, from impulses to jumps.

Inwards, the impulses on the bodies of a tree become that on the free body at its root; then, in the walk of
`corrections.py` from parents to children, the coordinates follow the jump of what they hang on.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.articulated import NONE, course, free_root, gather_inwards, motion_of
from rigidsim.engine.kinds import is_root
from rigidsim.engine.layout import (
    ARM,
    BODY,
    CARRIED,
    CORRECTION,
    FELT,
    FRAME,
    FREED,
    FREED_BALL,
    GAINED,
    HUNG,
    JET,
    JOINT_VALUE,
    STATE,
    TRIPLE,
    add_to_sums,
)
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.articulated import (
    ball_acceleration,
    coordinate_acceleration,
    coordinate_drive,
    felt_force,
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
def push_alone(own: CORRECTION, felt: FELT, lane):
    """The impulse on a body alone, as a wrench that holds it."""
    felt.t = negated(own.omega)
    felt.f = negated(own.v)


@inlined
def respond_coordinate(S, hung, felt, freed, carrier):
    """Hand in the impulse that is felt through a joint of one coordinate."""
    t, f, U_t, U_f = felt.t, felt.f, freed.U_t, freed.U_f
    w = coordinate_drive(S, 0.0, t, f)
    freed.w = w
    t, f = shifted_wrench(add(t, scaled(freed.k * w, U_t)), add(f, scaled(freed.k * w, U_f)), hung.d)
    carrier.t = add(carrier.t, t)
    carrier.f = add(carrier.f, f)


@lanewise
def respond_hinge(hung: HUNG, felt: FELT, freed: FREED, carrier: FELT, lane):
    """Hand in the impulse that is felt through a hinge."""
    respond_coordinate(turning_motion(hung.u, hung.r), hung, felt, freed, carrier)


@lanewise
def respond_slide(hung: HUNG, felt: FELT, freed: FREED, carrier: FELT, lane):
    """Hand in the impulse that is felt through a slide."""
    respond_coordinate((NONE, hung.u), hung, felt, freed, carrier)


@lanewise
def respond_ball(hung: HUNG, felt: FELT, freed: FREED_BALL, carrier: FELT, lane):
    """Hand in the impulse that is felt through a ball joint."""
    t, f = shifted_wrench(felt.t, felt.f, hung.r)
    freed.t = t
    t, f = shifted_wrench(NONE, felt_force(freed.inverse, freed.B, t, f), hung.reach)
    carrier.t = add(carrier.t, t)
    carrier.f = add(carrier.f, f)


@lanewise
def bear_impulse(hung: HUNG, felt: FELT, carrier: FELT, lane):
    """Hand in the impulse that is felt through a weld, or a joint that a motor moves."""
    t, f = shifted_wrench(felt.t, felt.f, hung.d)
    carrier.t = add(carrier.t, t)
    carrier.f = add(carrier.f, f)


@lanewise
def respond_root(body: BODY, frame: FRAME, felt: FELT, own: CORRECTION, lane):
    """What the impulses on a tree do to the free body at its root: jump of velocity, and of angular momentum."""
    domega, dv = free_root(body, felt)
    own.v = dv
    own.omega = apply(rotated(frame.q, body.inertia), domega)


@inlined
def hand_inwards(i, model, scratch, lanes):
    """Hand in the impulse that a moved row feels to its carrier, if it hangs on one."""
    kind, c, hung = model.joints.joint[i].kind, model.joints.joint[i].carrier, scratch.joints.hung[i]
    felt, freed, carrier = scratch.joints.felt[i], scratch.joints.freed[i], scratch.joints.felt[c]
    if kind == at.HINGE:
        respond_hinge(hung, felt, freed, carrier, lanes)
    elif kind == at.SLIDE:
        respond_slide(hung, felt, freed, carrier, lanes)
    elif kind == at.BALL:
        respond_ball(hung, felt, freed, carrier, lanes)
    elif kind >= at.WELDED:
        bear_impulse(hung, felt, carrier, lanes)


@inlined
def respond_inwards(model, state, scratch, made, lanes):
    """Replace the impulses on all bodies of trees by what they do at the roots; all are placed."""
    joints, hanging, n_moved = model.joints, scratch.joints, len(model.moved_node)
    gather_inwards(model, state, scratch, lanes)
    hanging.carried[:] = 0.0
    for i in joints.inward:
        push_alone(made.own[i], hanging.felt[i], lanes)
    for i in joints.inward:
        c = joints.joint[i].carrier
        hand_inwards(i, model, scratch, lanes)
        if is_root(i, model) and made.is_pushed[i] > 0:
            node = model.moved_node[i]
            respond_root(model.body[i], scratch.frame[node + 1], hanging.felt[i], made.own[i], lanes)
            made.source[node + 1] = node + 1
        if made.is_pushed[i] > 0 and 0 <= c < n_moved:
            made.is_pushed[c] = 1


@lanewise
def jump_root(own: CORRECTION, correction: CORRECTION, carried: CARRIED, lane):
    """The jump of the free body at the root of a tree, for what hangs on it."""
    carried.alpha = correction.omega
    carried.a = own.v


@lanewise
def jump_held(correction: CORRECTION, carried: CARRIED, lane):
    """The jump of a frame that is held."""
    carried.alpha = correction.omega
    carried.a = correction.v


@inlined
def count_jump(state, body, frame, arm, carried, gained, domega, dv, dx):
    """Pass on the jump of a jointed body, and count its energy as work."""
    q_WB = frame.q
    omega_B, domega_B = rotate_back(q_WB, frame.omega), rotate_back(q_WB, domega)
    jump, fall = jump_energy(body.mass, body.inertia, arm.v_WC, dv, omega_B, domega_B), body.mass * dot(body.g, dx)
    carried.alpha = domega
    carried.a = dv
    gained.value += jump
    gained.lifted -= fall
    add_to_sums(state, work=jump - fall)


@inlined
def drive_left(hung, freed, carrier):
    """What drives a coordinate after the jump of its carrier, N m s or N s: `coordinate_acceleration` over k."""
    domega, dv = carrier.alpha, add(carrier.a, cross(carrier.alpha, hung.d))
    return coordinate_acceleration(1.0, freed.w, (freed.U_t, freed.U_f), domega, dv)


@inlined
def rate_jump(hung, freed, carrier):
    """The jump of the rate of a coordinate."""
    return freed.k * drive_left(hung, freed, carrier)


@inlined
def follow(S, way, rate, x, state, value, body, hung, parent, given, arm, frame, correction, carrier, carried, gained):
    """The jump of what hangs by one coordinate, of which the rate jumps by x; its frame is displaced and turned with
    that from which it hangs, and by a small way of the coordinate, of which velocities leave out the square.
    """
    q_WB, omega, omega_WP, e = frame.q, frame.omega, parent.omega, turn(given.turn)
    domega, dv = carrier.alpha, add(carrier.a, cross(carrier.alpha, hung.d))
    anchor, com = rotate(parent.q, value.anchor), rotate(q_WB, body.com)
    d, sweep = add(anchor, sub(hung.r, com)), sub(S[1], cross(S[0], com))  # to the origin, and its motion by x
    theta, slid = scaled(way, S[0]), scaled(way, sub(S[1], cross(S[0], hung.r)))
    own, swept = turn(theta), scaled(way, sweep)
    correction.p = add(carried_displacement(given.p, e, d), rotate(e, add(swing(own, sub(hung.r, com)), slid)))
    correction.turn = joined_turn(given.turn, theta)
    velocity = carried_velocity(given.v, e, omega_WP, given.omega, d, scaled(rate, sweep))
    correction.v = add(add(velocity, rotate(e, scaled(x, sweep))), cross(omega, swept))
    correction.omega = add(carried_rate(given.omega, e, omega_WP, omega), rotate(e, scaled(x, S[0])))
    dx = add(carried_displacement(given.p, e, add(anchor, hung.r)), rotate(e, add(swing(own, hung.r), slid)))
    domega, dv = add(domega, scaled(x, S[0])), add(dv, scaled(x, S[1]))
    count_jump(state, body, frame, arm, carried, gained, domega, dv, dx)


@lanewise
def follow_hinge(
    shift: TRIPLE, state: STATE, value: JOINT_VALUE, body: BODY, hung: HUNG, freed: FREED, parent: FRAME,
    given: CORRECTION, arm: ARM, frame: FRAME, correction: CORRECTION, carrier: CARRIED, carried: CARRIED,
    gained: GAINED, lane,
):  # fmt: skip
    """The jump of what a hinge holds."""
    S, x, rate = turning_motion(hung.u, hung.r), rate_jump(hung, freed, carrier), state.v[0]
    way = shift.xyz[0]
    add_to_sums(state, p=(way, 0.0, 0.0), v=(x, 0.0, 0.0))
    follow(S, way, rate, x, state, value, body, hung, parent, given, arm, frame, correction, carrier, carried, gained)


@lanewise
def follow_slide(
    shift: TRIPLE, state: STATE, value: JOINT_VALUE, body: BODY, hung: HUNG, freed: FREED, parent: FRAME,
    given: CORRECTION, arm: ARM, frame: FRAME, correction: CORRECTION, carrier: CARRIED, carried: CARRIED,
    gained: GAINED, lane,
):  # fmt: skip
    """The jump of what a slide holds."""
    S, x, rate = (NONE, hung.u), rate_jump(hung, freed, carrier), state.v[0]
    way = shift.xyz[0]
    add_to_sums(state, p=(way, 0.0, 0.0), v=(x, 0.0, 0.0))
    follow(S, way, rate, x, state, value, body, hung, parent, given, arm, frame, correction, carrier, carried, gained)


@lanewise
def follow_motor(
    turns, jet: JET, state: STATE, value: JOINT_VALUE, body: BODY, hung: HUNG, parent: FRAME, given: CORRECTION,
    arm: ARM, frame: FRAME, correction: CORRECTION, carrier: CARRIED, carried: CARRIED, gained: GAINED, lane,
):  # fmt: skip
    """The jump of what a motor moves, which keeps the rate of its coordinate."""
    S, rate = motion_of(turns, hung), jet.rate
    follow(S, 0.0, rate, 0.0, state, value, body, hung, parent, given, arm, frame, correction, carrier, carried, gained)


@lanewise
def follow_weld(
    state: STATE, value: JOINT_VALUE, body: BODY, hung: HUNG, parent: FRAME, given: CORRECTION, arm: ARM, frame: FRAME,
    correction: CORRECTION, carrier: CARRIED, carried: CARRIED, gained: GAINED, lane,
):  # fmt: skip
    """The jump of what a weld holds."""
    S = NONE, NONE
    follow(S, 0.0, 0.0, 0.0, state, value, body, hung, parent, given, arm, frame, correction, carrier, carried, gained)


@lanewise
def follow_ball(
    shift: TRIPLE, state: STATE, value: JOINT_VALUE, body: BODY, hung: HUNG, freed: FREED_BALL, parent: FRAME,
    given: CORRECTION, arm: ARM, frame: FRAME, correction: CORRECTION, carrier: CARRIED, carried: CARRIED,
    gained: GAINED, lane,
):  # fmt: skip
    """The jump of what a ball joint holds: its joint is displaced with the frame from which it hangs, and its rotation
    follows its moment.
    """
    q_WB, e, theta, omega = frame.q, turn(given.turn), shift.xyz, frame.omega
    dv_J = add(carrier.a, cross(carrier.alpha, hung.reach))
    domega = ball_acceleration(freed.inverse, freed.B, freed.t, dv_J)
    anchor, com = rotate(parent.q, value.anchor), rotate(q_WB, body.com)
    dx = carried_displacement(given.p, e, anchor)
    velocity = carried_velocity(given.v, e, parent.omega, given.omega, anchor, NONE)
    d = sub(hung.r, com)
    own = turn(theta)
    correction.p = add(dx, swing(own, d))
    correction.turn = theta
    correction.v = add(add(velocity, cross(domega, d)), cross(theta, cross(omega, d)))
    correction.omega = add(domega, cross(theta, omega))
    state.q = turned(turn(theta), q_WB)
    add_to_sums(state, omega=rotate_back(q_WB, domega))
    dx = add(dx, swing(own, hung.r))
    count_jump(state, body, frame, arm, carried, gained, domega, add(dv_J, cross(domega, hung.r)), dx)


@inlined
def correct_jointed(node, model, state, scratch, made, lanes):
    """The jump of a jointed node and of the links before it, if anything happens to them or to what they hang on."""
    joints, hanging, n_moved, last = model.joints, scratch.joints, len(model.moved_node), model.node[node].row
    source = made.source[model.node[node].parent]
    if source == at.NO_ROW and made.is_pushed[last] == 0:
        return
    for i in range(model.node[node].first, last + 1):
        kind, c, inner, place = (
            joints.joint[i].kind, joints.joint[i].carrier, joints.joint[i].inner, model.moved_node[i]
        )  # fmt: skip
        if c >= n_moved:
            jump_held(made.frame[joints.held[c - n_moved]], hanging.carried[c], lanes)
        value, body, hung, freed = joints.value[i], model.body[i], hanging.hung[i], hanging.freed[i]
        parent, given, arm = scratch.frame[inner], made.frame[inner], scratch.arm[place]
        frame, correction = scratch.frame[place + 1], made.frame[place + 1]
        carrier, carried, gained = hanging.carried[c], hanging.carried[i], made.gained[at.OF_TREES]
        if kind == at.HINGE:
            follow_hinge(
                made.shift[i], state[i], value, body, hung, freed, parent, given, arm, frame, correction, carrier,
                carried, gained, lanes,
            )  # fmt: skip
        elif kind == at.SLIDE:
            follow_slide(
                made.shift[i], state[i], value, body, hung, freed, parent, given, arm, frame, correction, carrier,
                carried, gained, lanes,
            )  # fmt: skip
        elif kind == at.WELDED:
            follow_weld(
                state[i], value, body, hung, parent, given, arm, frame, correction, carrier, carried, gained, lanes
            )
        elif model.expressions is not None and kind > at.WELDED:
            turns = 1.0 if kind == at.TURNED else 0.0
            follow_motor(
                turns, course(i, model, scratch), state[i], value, body, hung, parent, given, arm, frame,
                correction, carrier, carried, gained, lanes,
            )  # fmt: skip
        else:
            follow_ball(
                made.shift[i], state[i], value, body, hung, freed, parent, given, arm, frame, correction, carrier,
                carried, gained, lanes,
            )  # fmt: skip
    made.source[node + 1] = node + 1 if source == at.NO_ROW else source


# --- responses that change nothing


@lanewise
def answer_root(body: BODY, felt: FELT, carried: CARRIED, lane):
    """The jump of the free body at the root of a tree."""
    alpha, a = free_root(body, felt)
    carried.alpha = alpha
    carried.a = a


@inlined
def answer_coordinate(S, hung, freed, carrier, carried, jump):
    """The jump of what hangs by one coordinate, of which that is written."""
    x = rate_jump(hung, freed, carrier)
    jump.xyz = (x, 0.0, 0.0)
    carried.alpha = add(carrier.alpha, scaled(x, S[0]))
    carried.a = add(add(carrier.a, cross(carrier.alpha, hung.d)), scaled(x, S[1]))


@lanewise
def answer_hinge(hung: HUNG, freed: FREED, carrier: CARRIED, carried: CARRIED, jump: TRIPLE, lane):
    """The jump of what a hinge holds."""
    answer_coordinate(turning_motion(hung.u, hung.r), hung, freed, carrier, carried, jump)


@lanewise
def answer_slide(hung: HUNG, freed: FREED, carrier: CARRIED, carried: CARRIED, jump: TRIPLE, lane):
    """The jump of what a slide holds."""
    answer_coordinate((NONE, hung.u), hung, freed, carrier, carried, jump)


@lanewise
def answer_motor(hung: HUNG, carrier: CARRIED, carried: CARRIED, lane):
    """The jump of what a weld holds, or a motor moves."""
    carried.alpha = carrier.alpha
    carried.a = add(carrier.a, cross(carrier.alpha, hung.d))


@lanewise
def answer_ball(hung: HUNG, freed: FREED_BALL, carrier: CARRIED, carried: CARRIED, jump: TRIPLE, lane):
    """The jump of what a ball joint holds."""
    a = add(carrier.a, cross(carrier.alpha, hung.reach))
    alpha = ball_acceleration(freed.inverse, freed.B, freed.t, a)
    jump.xyz = alpha
    carried.alpha = alpha
    carried.a = add(a, cross(alpha, hung.r))


@inlined
def respond(rows, model, scratch, jumps, lanes):
    """What impulses do to whole trees, given by their rows inwards: wrenches that hold the bodies, in `felt`, become
    jumps of the bodies, in `carried`, and of joints, in `jumps`. What an evaluation had in these arrays is lost, except
    for inertia.
    """
    joints, hanging = model.joints, scratch.joints
    hanging.carried[len(model.moved_node) :] = 0.0
    for i in rows:
        hand_inwards(i, model, scratch, lanes)
    for k in range(len(rows)):
        i = rows[len(rows) - 1 - k]
        kind, hung, freed = joints.joint[i].kind, hanging.hung[i], hanging.freed[i]
        carrier, carried = hanging.carried[joints.joint[i].carrier], hanging.carried[i]
        if kind == at.HINGE:
            answer_hinge(hung, freed, carrier, carried, jumps[i], lanes)
        elif kind == at.SLIDE:
            answer_slide(hung, freed, carrier, carried, jumps[i], lanes)
        elif kind == at.BALL:
            answer_ball(hung, freed, carrier, carried, jumps[i], lanes)
        elif kind >= at.WELDED:
            answer_motor(hung, carrier, carried, lanes)
        else:
            answer_root(model.body[i], hanging.felt[i], carried, lanes)
