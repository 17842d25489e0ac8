"""Impulses on what joints hold together: the linear part of the passes of `articulated.py`, from impulses to jumps.

Inwards, the impulses on the bodies of a tree become that on the free body at its root; then, in the walk of
`corrections.py` from parents to children, the coordinates follow the jump of what they hang on.
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.dynamics.articulated import propagate_inertia, root_acceleration
from rigidsim.engine.dynamics.kinds import is_root
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import (
    ACCELERATION,
    ARM,
    ARTICULATED,
    BALL_FACTOR,
    BODY,
    CORRECTION,
    FACTOR,
    FRAME,
    GAINED,
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
    rotor_jump,
    shifted_wrench,
)
from rigidsim.physics.corrections import (
    inherited_displacement,
    inherited_rate,
    inherited_velocity,
    joined_turn,
    turn,
    turned,
)
from rigidsim.physics.impulses import jump_energy
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import rotate, rotate_back, swing
from rigidsim.physics.vector import ZERO, add, cross, dot, negated, scaled, sub

# --- inwards


@lanewise
def push_alone(own: CORRECTION, articulated: ARTICULATED, lane):
    """The impulse on a body alone, as a wrench that holds it."""
    articulated.t = negated(own.omega)
    articulated.f = negated(own.v)


@inlined
def add_impulse(parent, t, f, d):
    """Add an impulse about a point at d from the parent's centre of mass to that on the parent."""
    t, f = shifted_wrench(t, f, d)
    parent.t = add(parent.t, t)
    parent.f = add(parent.f, f)


@lanewise
def pass_impulse(joint: KINEMATICS, articulated: ARTICULATED, factor: FACTOR, parent: ARTICULATED, lane):
    """Pass on the part of an impulse that a coordinate does not let go."""
    t, f = articulated.t, articulated.f
    u = coordinate_force((joint.S_omega, joint.S_v), 0.0, t, f)
    factor.u = u
    x = factor.D_inverse * u
    add_impulse(parent, add(t, scaled(x, factor.U_t)), add(f, scaled(x, factor.U_f)), joint.d)


@lanewise
def pass_impulse_through_ball(
    joint: KINEMATICS, articulated: ARTICULATED, factor: BALL_FACTOR, parent: ARTICULATED, lane
):
    """Pass on the impulse through a ball joint."""
    t, f = shifted_wrench(articulated.t, articulated.f, joint.r)
    factor.t = t
    add_impulse(parent, ZERO, apparent_force(factor.inverse, factor.B, t, f), joint.reach)


@lanewise
def pass_whole_impulse(joint: KINEMATICS, articulated: ARTICULATED, parent: ARTICULATED, lane):
    """Pass on the impulse through a joint that is rigid or prescribed."""
    add_impulse(parent, articulated.t, articulated.f, joint.d)


@lanewise
def push_root(body: BODY, frame: FRAME, articulated: ARTICULATED, own: CORRECTION, lane):
    """What the impulses on a tree do to the free body at its root: jump of velocity, and of angular momentum."""
    domega, dv = root_acceleration(body, articulated)
    own.v = dv
    own.omega = apply(rotated(frame.q, body.inertia), domega)


@inlined
def propagate_impulse(i, block):
    """Pass on the impulse on a moved row to its parent body, if it hangs on one."""
    lanes = block.lanes
    dof, dynamics = block.model.joints.joint[i].dof, block.scratch.joints
    joint, articulated, factor = dynamics.kinematics[i], dynamics.articulated[i], dynamics.factor[i]
    parent = dynamics.articulated[block.model.joints.joint[i].parent]
    if dof == 1:
        pass_impulse(joint, articulated, factor, parent, lanes)
    elif dof == 3:
        pass_impulse_through_ball(joint, articulated, factor, parent, lanes)
    elif dof == 0:
        pass_whole_impulse(joint, articulated, parent, lanes)


@inlined
def respond_inwards(block, made):
    """Replace the impulses on all bodies of trees by what they do at the roots; all are placed."""
    model = block.model
    joints, dynamics, n_moved = model.joints, block.scratch.joints, len(model.moved_node)
    propagate_inertia(block)
    dynamics.acceleration[:] = 0.0
    for i in joints.inward:
        push_alone(made.own[i], dynamics.articulated[i], block.lanes)
    for i in joints.inward:
        parent = joints.joint[i].parent
        propagate_impulse(i, block)
        if is_root(i, model) and made.is_pushed[i] > 0:
            node = model.moved_node[i]
            push_root(model.body[i], block.scratch.frame[node + 1], dynamics.articulated[i], made.own[i], block.lanes)
            made.source[node + 1] = node + 1
        if made.is_pushed[i] > 0 and 0 <= parent < n_moved:
            made.is_pushed[parent] = 1


# --- outwards: jumps of the state


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


class JumpRows(NamedTuple):
    """The rows of a body that jumps, and those of what it hangs on: frame and correction, and jump of its centre of
    mass.
    """

    shift: TRIPLE
    state: STATE
    value: JOINT_VALUE
    body: BODY
    joint: KINEMATICS
    parent_frame: FRAME
    given: CORRECTION
    arm: ARM
    frame: FRAME
    correction: CORRECTION
    parent: ACCELERATION
    acceleration: ACCELERATION
    gained: GAINED


@inlined
def count_jump(rows, domega, dv, dx, rotor=0.0):
    """Pass on the jump of a jointed body, and count its energy, and that of a rotor, as work."""
    body, q_WB = rows.body, rows.frame.q
    omega_B, domega_B = rotate_back(q_WB, rows.frame.omega), rotate_back(q_WB, domega)
    jump, fall = jump_energy(body.mass, body.inertia, rows.arm.v_WC, dv, omega_B, domega_B), body.mass * dot(body.g, dx)
    jump = jump + rotor
    rows.acceleration.alpha = domega
    rows.acceleration.a = dv
    rows.gained.value += jump
    rows.gained.lifted -= fall
    add_to_sums(rows.state, work=jump - fall)


@inlined
def inherited_jump(joint, parent):
    """The jump of a body of which the coordinates have none."""
    return parent.alpha, add(parent.a, cross(parent.alpha, joint.d))


@inlined
def drive_left(joint, factor, parent):
    """What drives a coordinate after the jump of its parent body, N m s or N s: `coordinate_acceleration` over D^-1."""
    return coordinate_acceleration(1.0, factor.u, (factor.U_t, factor.U_f), *inherited_jump(joint, parent))


@inlined
def rate_jump(joint, factor, parent):
    """The jump of the rate of a coordinate."""
    return factor.D_inverse * drive_left(joint, factor, parent)


@inlined
def follow(rows, way, rate, x):
    """The jump of what hangs by one coordinate, of which the rate jumps by x; its frame is displaced and turned with
    that from which it hangs, and by a small way of the coordinate, of which velocities leave out the square.
    """
    joint, given, correction, S_omega, S_v = rows.joint, rows.given, rows.correction, rows.joint.S_omega, rows.joint.S_v
    q_WB, omega, omega_WP, e = rows.frame.q, rows.frame.omega, rows.parent_frame.omega, turn(given.turn)
    domega, dv = inherited_jump(joint, rows.parent)
    anchor, com = rotate(rows.parent_frame.q, rows.value.anchor), rotate(q_WB, rows.body.com)
    d, sweep = add(anchor, sub(joint.r, com)), sub(S_v, cross(S_omega, com))  # to the origin, and its motion by x
    theta, slid = scaled(way, S_omega), scaled(way, sub(S_v, cross(S_omega, joint.r)))
    own, swept = turn(theta), scaled(way, sweep)
    correction.p = add(inherited_displacement(given.p, e, d), rotate(e, add(swing(own, sub(joint.r, com)), slid)))
    correction.turn = joined_turn(given.turn, theta)
    velocity = inherited_velocity(given.v, e, omega_WP, given.omega, d, scaled(rate, sweep))
    correction.v = add(add(velocity, rotate(e, scaled(x, sweep))), cross(omega, swept))
    correction.omega = add(inherited_rate(given.omega, e, omega_WP, omega), rotate(e, scaled(x, S_omega)))
    dx = add(inherited_displacement(given.p, e, add(anchor, joint.r)), rotate(e, add(swing(own, joint.r), slid)))
    rotor = rotor_jump(rows.value.armature, rate, x)
    count_jump(rows, add(domega, scaled(x, S_omega)), add(dv, scaled(x, S_v)), dx, rotor)


@lanewise
def jump_coordinate(factor: FACTOR, rows: JumpRows, lane):
    """The jump of a coordinate, and of its body."""
    x, rate, way = rate_jump(rows.joint, factor, rows.parent), rows.state.v[0], rows.shift.xyz[0]
    add_to_sums(rows.state, p=(way, 0.0, 0.0), v=(x, 0.0, 0.0))
    follow(rows, way, rate, x)


@lanewise
def jump_rigid(rows: JumpRows, lane):
    """The jump of what hangs by a joint that is rigid, or prescribed, which keeps the rate of its coordinate."""
    follow(rows, 0.0, rows.joint.rate, 0.0)


@lanewise
def jump_ball(factor: BALL_FACTOR, rows: JumpRows, lane):
    """The jump of what a ball joint holds: its joint is displaced with the frame from which it hangs, and its rotation
    follows its moment.
    """
    joint, given, correction, parent = rows.joint, rows.given, rows.correction, rows.parent
    q_WB, e, theta, omega = rows.frame.q, turn(given.turn), rows.shift.xyz, rows.frame.omega
    dv_J = add(parent.a, cross(parent.alpha, joint.reach))
    domega = ball_acceleration(factor.inverse, factor.B, factor.t, dv_J)
    anchor, com = rotate(rows.parent_frame.q, rows.value.anchor), rotate(q_WB, rows.body.com)
    dx = inherited_displacement(given.p, e, anchor)
    velocity = inherited_velocity(given.v, e, rows.parent_frame.omega, given.omega, anchor, ZERO)
    d = sub(joint.r, com)
    own = turn(theta)
    correction.p = add(dx, swing(own, d))
    correction.turn = theta
    correction.v = add(add(velocity, cross(domega, d)), cross(theta, cross(omega, d)))
    correction.omega = add(domega, cross(theta, omega))
    rows.state.q = turned(turn(theta), q_WB)
    add_to_sums(rows.state, omega=rotate_back(q_WB, domega))
    count_jump(rows, domega, add(dv_J, cross(domega, joint.r)), add(dx, swing(own, joint.r)))


@inlined
def correct_row(i, block, made):
    """The jump of a row of a joint."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    joint, dynamics, n_moved, place = model.joints.joint[i], scratch.joints, len(model.moved_node), model.moved_node[i]
    parent, factor = joint.parent, dynamics.factor[i]
    if parent >= n_moved:
        jump_held(made.frame[model.joints.held[parent - n_moved]], dynamics.acceleration[parent], lanes)
    rows = JumpRows(
        made.shift[i], block.state[i], model.joints.value[i], model.body[i], dynamics.kinematics[i],
        scratch.frame[joint.parent_frame], made.frame[joint.parent_frame], scratch.arm[place],
        scratch.frame[place + 1], made.frame[place + 1], dynamics.acceleration[parent], dynamics.acceleration[i],
        made.gained[at.OF_TREES],
    )  # fmt: skip
    if joint.dof == 1:
        jump_coordinate(factor, rows, lanes)
    elif joint.dof == 3:
        jump_ball(factor, rows, lanes)
    else:
        jump_rigid(rows, lanes)


@inlined
def correct_jointed(node, block, made):
    """The jump of a jointed node and of the links before it, if anything happens to them or to what they hang on."""
    model = block.model
    source, last = made.source[model.node[node].parent], model.node[node].row
    if source == at.NO_ROW and made.is_pushed[last] == 0:
        return
    for i in range(model.node[node].first, last + 1):
        correct_row(i, block, made)
    made.source[node + 1] = node + 1 if source == at.NO_ROW else source


# --- impulse responses, which change no state


@lanewise
def respond_root(body: BODY, articulated: ARTICULATED, acceleration: ACCELERATION, lane):
    """The jump of the free body at the root of a tree."""
    alpha, a = root_acceleration(body, articulated)
    acceleration.alpha = alpha
    acceleration.a = a


class ResponseRows(NamedTuple):
    """The rows of a body that responds to impulses, and the jump of its parent body."""

    joint: KINEMATICS
    parent: ACCELERATION
    acceleration: ACCELERATION
    jump: TRIPLE


@lanewise
def respond_coordinate(factor: FACTOR, rows: ResponseRows, lane):
    """The jump of a coordinate, and of its body."""
    joint, parent, (domega, dv) = rows.joint, rows.parent, inherited_jump(rows.joint, rows.parent)
    x = rate_jump(joint, factor, parent)
    rows.jump.xyz = (x, 0.0, 0.0)
    rows.acceleration.alpha = add(domega, scaled(x, joint.S_omega))
    rows.acceleration.a = add(dv, scaled(x, joint.S_v))


@lanewise
def respond_ball(factor: BALL_FACTOR, rows: ResponseRows, lane):
    """The jump of what a ball joint holds."""
    joint, parent = rows.joint, rows.parent
    a = add(parent.a, cross(parent.alpha, joint.reach))
    alpha = ball_acceleration(factor.inverse, factor.B, factor.t, a)
    rows.jump.xyz = alpha
    rows.acceleration.alpha = alpha
    rows.acceleration.a = add(a, cross(alpha, joint.r))


@lanewise
def respond_rigid(rows: ResponseRows, lane):
    """The jump of what hangs by a joint that is rigid or prescribed."""
    rows.acceleration.alpha, rows.acceleration.a = inherited_jump(rows.joint, rows.parent)


@inlined
def impulse_response(rows, block, jumps):
    """What impulses do to whole trees, given by their rows inwards: wrenches that hold the bodies, in `articulated`,
    become jumps of the bodies, in `acceleration`, and of joints, in `jumps`. What an evaluation had in these arrays is
    lost, except for inertia.
    """
    model, lanes = block.model, block.lanes
    joints, dynamics = model.joints, block.scratch.joints
    dynamics.acceleration[len(model.moved_node) :] = 0.0
    for i in rows:
        propagate_impulse(i, block)
    for k in range(len(rows)):
        i = rows[len(rows) - 1 - k]
        dof, factor, acceleration = joints.joint[i].dof, dynamics.factor[i], dynamics.acceleration[i]
        each = ResponseRows(
            dynamics.kinematics[i], dynamics.acceleration[joints.joint[i].parent], acceleration, jumps[i]
        )
        if dof == 1:
            respond_coordinate(factor, each, lanes)
        elif dof == 3:
            respond_ball(factor, each, lanes)
        elif dof == 0:
            respond_rigid(each, lanes)
        else:
            respond_root(model.body[i], dynamics.articulated[i], acceleration, lanes)
