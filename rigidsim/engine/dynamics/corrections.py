"""What happens at an instant, passed through the tree from parents to children: impulses, reparentings, contact.

Each contributes to nodes: a free body gets a displacement, a turn, a change of velocity and of angular momentum at its
centre of mass (`own`); a frame whose motion jumped with a change of the tree begins with that jump. One pass makes of
these the corrections of all frames. Fixed and prescribed nodes move with their parents. A free body keeps its motion in
the world: the correction of its parent is cancelled in its relative motion, unless it inherits that; then it keeps its
motion relative to its parent. Impulses and reparentings displace and turn nothing; the formulas are the same.

All sums of the state are compensated, so no pass loses what a step has gained. Rows that nothing reaches keep their
bits.
"""

from __future__ import annotations

from rigidsim.engine.dynamics.kinds import is_jointed, is_root
from rigidsim.engine.dynamics.responses import correct_jointed, jump_root, respond_inwards
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import ARM, BODY, CORRECTION, FRAME, GAINED, STATE, add_to_sums
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.corrections import (
    change_within,
    inherited_angular_momentum,
    inherited_displacement,
    inherited_rate,
    inherited_velocity,
    origin_displacement,
    origin_velocity_change,
    relative_velocity_change,
    turn,
    turned,
)
from rigidsim.physics.frames import stretch_back
from rigidsim.physics.impulses import jump_energy
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import takes_torque
from rigidsim.physics.vector import add, cross, dot, scaled, sub


@inlined
def begin_corrections(made):
    """Nothing happened yet at this instant."""
    made.own[:] = 0.0
    made.shift[:] = 0.0
    made.frame[:] = 0.0
    made.source[:] = at.NO_ROW
    made.is_settled[:] = 0
    made.is_corrected[:] = 0
    made.is_pushed[:] = 0
    made.gained[:] = 0.0


@inlined
def inherited(parent, given, arm, omega_WB):
    """What the correction of its parent is of a node that moves with it: the turn as e, displacement, and changes of
    velocity and rate.
    """
    e, omega_WP, domega = turn(given.turn), parent.omega, given.omega
    dx = inherited_displacement(given.p, e, arm.d)
    dv = inherited_velocity(given.v, e, omega_WP, domega, arm.d, arm.drift)
    return e, dx, dv, inherited_rate(domega, e, omega_WP, omega_WB)


@lanewise
def correct_driven(parent: FRAME, parent_correction: CORRECTION, arm: ARM, frame: FRAME, correction: CORRECTION, lane):
    """The correction of a fixed or prescribed node, which moves with its parent; added to its own."""
    _, dx, dv, domega = inherited(parent, parent_correction, arm, frame.omega)
    correction.p = add(correction.p, dx)
    correction.turn = parent_correction.turn
    correction.v = add(correction.v, dv)
    correction.omega = add(correction.omega, domega)


@inlined
def change_relative(state, body, q_WP, moved, changed):
    """Change the motion of a free body relative to its parent by vectors in world axes."""
    add_to_sums(state, p=stretch_back(q_WP, body.scale, moved), v=stretch_back(q_WP, body.scale, changed))


@lanewise
def correct_alone(state: STATE, body: BODY, own: CORRECTION, parent: FRAME, lane):
    """Change the motion relative to the parent of a free body by what happens to it, while the parent keeps its
    motion, or the body inherits what that gains.
    """
    change_relative(state, body, parent.q, own.p, sub(own.v, cross(parent.omega, own.p)))


@lanewise
def correct_relative(
    state: STATE, body: BODY, own: CORRECTION, parent: FRAME, parent_correction: CORRECTION, arm: ARM, lane
):
    """Change the motion relative to the parent of a free body by what happens to it, less what happens to its
    parent.
    """
    e_P, d = turn(parent_correction.turn), arm.d
    dx, dv = sub(own.p, parent_correction.p), sub(own.v, parent_correction.v)
    changed = relative_velocity_change(e_P, parent.omega, parent_correction.omega, d, arm.drift, dx, dv)
    change_relative(state, body, parent.q, change_within(e_P, d, dx), changed)


@lanewise
def inherit(body: BODY, parent: FRAME, parent_correction: CORRECTION, arm: ARM, frame: FRAME, own: CORRECTION, lane):
    """Add the correction of its parent to what happens to a free body, which moves along."""
    turns, (e, dx, dv, rate) = takes_torque(body.inverse), inherited(parent, parent_correction, arm, frame.omega)
    dL = inherited_angular_momentum(rotated(frame.q, body.inertia), e, frame.omega, rate)
    own.p = add(own.p, dx)
    own.turn = add(own.turn, scaled(turns, parent_correction.turn))
    own.v = add(own.v, dv)
    own.omega = add(own.omega, scaled(turns, dL))


@lanewise
def correct_free(
    state: STATE, body: BODY, own: CORRECTION, arm: ARM, frame: FRAME, correction: CORRECTION, gained: GAINED, lane
):
    """Apply what happens to a free body to its orientation, rate and work; and the correction of its frame, added to
    that which it has. The angular momentum changes by the angular impulse: omega' = I(q')^-1 (I(q) omega + dL). Its
    change of kinetic energy, and of potential energy in uniform gravity, is added to `gained`.
    """
    q_WB, omega_B = frame.q, state.omega
    inertia, inverse = body.inertia, body.inverse
    mass, theta = body.mass, own.turn
    dx, e, dv = own.p, turn(theta), own.v

    dL = change_within(e, rotate(q_WB, apply(inertia, omega_B)), own.omega)
    domega_B, q_after = apply(inverse, rotate_back(q_WB, dL)), turned(e, q_WB)
    energy = jump_energy(mass, inertia, arm.v_WC, dv, omega_B, domega_B)
    energy = energy - mass * dot(body.g, dx)
    state.q = q_after
    add_to_sums(state, omega=domega_B, work=energy)
    gained.value += energy

    omega, r = frame.omega, rotate(q_WB, body.com)
    domega = sub(rotate(q_after, add(omega_B, domega_B)), omega)
    dx, dv = origin_displacement(dx, e, r), origin_velocity_change(dv, e, omega, domega, r)
    correction.p = dx
    correction.turn = theta
    correction.v = add(correction.v, dv)
    correction.omega = add(correction.omega, domega)


@inlined
def correct_node(node, block, made):
    """Apply what happens to a node and to its parent, if anything does."""
    model, state, scratch, lanes = block.model, block.state, block.scratch, block.lanes
    above, i = model.node[node].parent, model.node[node].row
    reached, begins = made.source[above] != at.NO_ROW, made.source[node + 1] != at.NO_ROW
    parent, frame, arm = scratch.frame[above], scratch.frame[node + 1], scratch.arm[node]
    given, result = made.frame[above], made.frame[node + 1]
    if is_jointed(node, model):
        correct_jointed(node, block, made)
        return
    if not reached and not begins:
        return
    if model.node[node].kind != at.FREE:
        correct_driven(parent, given, arm, frame, result, lanes)
        made.source[node + 1] = node + 1 if begins else made.source[above]
        return
    if made.is_corrected[i] > 0:
        return
    body, own = model.body[i], made.own[i]
    inherits = model.inherits[i] if reached and made.is_settled[i] == 0 else 0.0
    if reached and inherits == 0.0:
        correct_relative(state[i], body, own, parent, given, arm, lanes)
    else:
        correct_alone(state[i], body, own, parent, lanes)
    if inherits > 0.0:
        inherit(body, parent, given, arm, frame, own, lanes)
    if begins or inherits > 0.0:
        gain = at.OF_TREES if is_root(i, model) else at.INHERITED if inherits > 0.0 else at.OF_OTHERS
        correct_free(state[i], body, own, arm, frame, result, made.gained[gain], lanes)
        made.source[node + 1] = node + 1
        if is_root(i, model):
            jump_root(own, result, scratch.joints.acceleration[i], lanes)


@inlined
def distribute(nodes, block, made):
    """Apply what happens to all nodes, parents first; their frames and arms are placed."""
    if block.model.joints is not None:
        respond_inwards(block, made)
    for node in nodes:
        correct_node(node, block, made)
