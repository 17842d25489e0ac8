"""From the solver back to the tree: corrections of free bodies, passed on from parents to children.

A free child that has no contact keeps its motion in the world: the correction of its parent is cancelled in its
relative motion, unless it inherits impulses. Rows of the state that no correction reaches keep their bits.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.bodies import tensor_in_world
from rigidsim.engine.contact.ledger import book_body
from rigidsim.engine.kinds import is_moved
from rigidsim.engine.layout import accumulate, accumulate3, load, load3, load4, load6, store3, store4
from rigidsim.jit import inlined, routine
from rigidsim.physics.corrections import (
    carried_displacement,
    carried_rate,
    carried_velocity,
    change_within,
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


@routine
def correct_driven(parent, parent_correction, arm, frame, correction):
    """The correction of a fixed or prescribed node, which moves with its parent."""
    theta, omega = load3(parent_correction, c.J_TURN, 0, 1), load3(parent, at.F_OMEGA, 0, 1)
    domega, d, drift = load3(parent_correction, c.J_OMEGA, 0, 1), load3(arm, at.A_D, 0, 1), load3(arm, at.A_DRIFT, 0, 1)
    e = turn(theta)
    dv = carried_velocity(load3(parent_correction, c.J_V, 0, 1), e, omega, domega, d, drift)
    store3(correction, c.J_P, 0, 1, carried_displacement(load3(parent_correction, c.J_P, 0, 1), e, d))
    store3(correction, c.J_TURN, 0, 1, theta)
    store3(correction, c.J_V, 0, 1, dv)
    store3(correction, c.J_OMEGA, 0, 1, carried_rate(domega, e, omega, load3(frame, at.F_OMEGA, 0, 1)))


@routine
def inherit_correction(parent, parent_correction, arm, frame, body, own):
    """Make the correction of its parent that of a free body that inherits it."""
    theta, omega = load3(parent_correction, c.J_TURN, 0, 1), load3(parent, at.F_OMEGA, 0, 1)
    domega, d = load3(parent_correction, c.J_OMEGA, 0, 1), load3(arm, at.A_D, 0, 1)
    drift, q, omega_WB = load3(arm, at.A_DRIFT, 0, 1), load4(frame, at.F_Q, 0, 1), load3(frame, at.F_OMEGA, 0, 1)
    e, turns = turn(theta), takes_torque(load6(body, at.B_INVERSE, 0, 1))
    dx = carried_displacement(load3(parent_correction, c.J_P, 0, 1), e, d)
    dv = carried_velocity(load3(parent_correction, c.J_V, 0, 1), e, omega, domega, d, drift)
    inertia, omega_after = load6(body, at.B_INERTIA, 0, 1), add(omega_WB, carried_rate(domega, e, omega, omega_WB))
    dL = sub(apply(rotated(turned(e, q), inertia), omega_after), apply(rotated(q, inertia), omega_WB))
    store3(own, c.J_P, 0, 1, dx)
    store3(own, c.J_TURN, 0, 1, scaled(turns, theta))
    store3(own, c.J_V, 0, 1, dv)
    store3(own, c.J_OMEGA, 0, 1, scaled(turns, dL))


@inlined
def change_relative(state, body, parent, moved, changed):
    """Change the motion of a free body relative to its parent by vectors in world axes."""
    q_WP, scale_WP = load4(parent, at.F_Q, 0, 1), load(body, at.B_SCALE, 0, 1)
    accumulate3(state, at.S_P, at.S_P_LOW, 0, 1, stretch_back(q_WP, scale_WP, moved))
    accumulate3(state, at.S_V, at.S_V_LOW, 0, 1, stretch_back(q_WP, scale_WP, changed))


@inlined
def correct_relative(state, body, parent, parent_correction, arm, dx, dv):
    """Change the motion relative to the parent of a free body whose centre of mass is displaced by dx and gains dv in
    the world.
    """
    e_P, domega_P = turn(load3(parent_correction, c.J_TURN, 0, 1)), load3(parent_correction, c.J_OMEGA, 0, 1)
    step, jump = sub(dx, load3(parent_correction, c.J_P, 0, 1)), sub(dv, load3(parent_correction, c.J_V, 0, 1))
    d, drift, omega_WP = load3(arm, at.A_D, 0, 1), load3(arm, at.A_DRIFT, 0, 1), load3(parent, at.F_OMEGA, 0, 1)
    changed = relative_velocity_change(e_P, omega_WP, domega_P, d, drift, step, jump)
    change_relative(state, body, parent, change_within(e_P, d, step), changed)


@routine
def protect_free(state, body, parent, parent_correction, arm):
    """Cancel the correction of its parent in the relative motion of a free body that has none of its own."""
    none = (0.0, 0.0, 0.0)
    correct_relative(state, body, parent, parent_correction, arm, none, none)


@routine
def correct_free(state, body, own, reached, parent, parent_correction, arm, frame, correction):
    """Apply the correction of a free body, given for its centre of mass, and cancel that of its parent, if that has one
    (`reached`). The angular momentum changes by the angular impulse: omega' = I(q')^-1 (I(q) omega + dL). Returns the
    change of its kinetic energy and of its potential energy in uniform gravity, J.
    """
    q_WB, omega_B, theta = load4(frame, at.F_Q, 0, 1), load3(state, at.S_OMEGA, 0, 1), load3(own, c.J_TURN, 0, 1)
    inertia, inverse, mass = load6(body, at.B_INERTIA, 0, 1), load6(body, at.B_INVERSE, 0, 1), body[at.B_MASS]
    dx, e, dv = load3(own, c.J_P, 0, 1), turn(theta), load3(own, c.J_V, 0, 1)
    if reached:
        correct_relative(state, body, parent, parent_correction, arm, dx, dv)
    else:
        change_relative(state, body, parent, dx, sub(dv, cross(load3(parent, at.F_OMEGA, 0, 1), dx)))

    dL = change_within(e, rotate(q_WB, apply(inertia, omega_B)), load3(own, c.J_OMEGA, 0, 1))
    domega_B, q_after = apply(inverse, rotate_back(q_WB, dL)), turned(e, q_WB)
    gained = jump_energy(mass, inertia, load3(arm, at.A_VC, 0, 1), dv, omega_B, domega_B)
    gained = gained - mass * dot(load3(body, at.B_G, 0, 1), dx)
    store4(state, at.S_Q, 0, 1, q_after)
    accumulate3(state, at.S_OMEGA, at.S_OMEGA_LOW, 0, 1, domega_B)
    accumulate(state, at.S_WORK, at.S_WORK_LOW, 0, 1, gained)

    omega, r = load3(frame, at.F_OMEGA, 0, 1), rotate(q_WB, load3(body, at.B_COM, 0, 1))
    domega = sub(rotate(q_after, add(omega_B, domega_B)), omega)
    store3(correction, c.J_P, 0, 1, origin_displacement(dx, e, r))
    store3(correction, c.J_TURN, 0, 1, theta)
    store3(correction, c.J_V, 0, 1, origin_velocity_change(dv, e, omega, domega, r))
    store3(correction, c.J_OMEGA, 0, 1, domega)
    return gained


@inlined
def correct_node(node, model, state, scratch, made):
    """Apply the correction of a node and that of its parent, if there are any. Returns the change of its energy, J."""
    above, row = model.node[node, at.NODE_PARENT], model.node[node, at.NODE_ROW]
    parent, frame, arm = scratch.frame[above], scratch.frame[node + 1], scratch.arm[node]
    given, result = made.frame[above], made.frame[node + 1]
    reached = made.is_shifted[above] > 0
    made.is_shifted[node + 1] = 0
    if not is_moved(node, model):
        if reached:
            correct_driven(parent, given, arm, frame, result)
            made.is_shifted[node + 1] = 1
        return 0.0
    # The impulses on a body that touches something already take account of what moves it.
    inherits = reached and model.inherits[row] > 0.0 and made.is_corrected[row] == 0
    if inherits:
        inherit_correction(parent, given, arm, frame, model.body[row], made.own[row])
    if inherits or made.is_corrected[row] > 0:
        made.is_shifted[node + 1] = 1
        gained = correct_free(state[row], model.body[row], made.own[row], reached, parent, given, arm, frame, result)
        made.inherited[0] += gained if inherits else 0.0
        return gained
    if reached:
        protect_free(state[row], model.body[row], parent, given, arm)
    return 0.0


@routine
def write_correction(start, finish, vel, moved, inertia_W, share, h, own):
    """The correction of a free body: what contact added to the motion of the smooth step, dx = h (v0 + share (v* -
    v0)).
    """
    v, v_end = load3(start, c.X_V, 0, 1), load3(finish, c.X_V, 0, 1)
    omega, omega_end = load3(start, c.X_OMEGA, 0, 1), load3(finish, c.X_OMEGA, 0, 1)
    smooth = scaled(h, add(v, scaled(share, sub(v_end, v))))
    turn = scaled(h, add(omega, scaled(share, sub(omega_end, omega))))
    store3(own, c.J_P, 0, 1, sub(load3(moved, c.L_LINEAR, 0, 1), smooth))
    store3(own, c.J_TURN, 0, 1, sub(load3(moved, c.L_ANGULAR, 0, 1), turn))
    store3(own, c.J_V, 0, 1, sub(load3(vel, c.L_LINEAR, 0, 1), v_end))
    store3(own, c.J_OMEGA, 0, 1, apply(inertia_W, sub(load3(vel, c.L_ANGULAR, 0, 1), omega_end)))


@inlined
def write_corrections(h, contacts, constants, motions, lines, arm, made, ledger):
    """The corrections of all contact bodies on which an impulse acted, with their energies in the ledger of the step.
    Returns whether there are any.
    """
    made.is_corrected[:] = 0
    made.own[:] = 0.0
    found = False
    for b in range(contacts.n_moved):
        if lines.acts[b] > 0:
            row, found = contacts.body[b, c.BODY_ROW], True
            made.is_corrected[row] = 1
            start, finish, body = motions.start[b], motions.finish[b], constants[row]
            inertia = tensor_in_world(load4(lines.attitude[b], 0, 0, 1), load6(body, at.B_INERTIA, 0, 1))
            write_correction(start, finish, lines.vel[b], lines.moved[b], inertia, contacts.share, h, made.own[row])
            v_WC = load3(arm[contacts.body[b, c.BODY_NODE]], at.A_VC, 0, 1)
            book_body(h, contacts, start, finish, body, inertia, lines, b, made.own[row], v_WC, ledger)
    return found


@inlined
def hand_back(model, state, scratch, made):
    """Apply the corrections to the state, parents first; frames and arms are those at the end of the smooth step.
    Returns the change of energy of all bodies, without that of stored energy, J.
    """
    made.is_shifted[0], made.inherited[0] = 0, 0.0
    gained = 0.0
    for node in model.active:
        gained += correct_node(node, model, state, scratch, made)
    return gained
