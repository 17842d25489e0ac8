"""The terms of which the acceleration of a free body is the sum, one by one."""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact.columns import BODY_ROW
from rigidsim.engine.evaluate import accelerate_nodes, evaluate
from rigidsim.engine.kinds import is_moved
from rigidsim.engine.layout import load, load3, load4, load6, store3, store_term
from rigidsim.jit import inlined, routine
from rigidsim.physics.frames import local_angular_acceleration
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.inertial_terms import centrifugal_term, coriolis_term, euler_term, linear_term
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import gyroscopic_torque
from rigidsim.physics.vector import add, cross, negated, scaled, sub

NAN = float("nan")


@routine
def linear_terms(body, parent, arm, wrench, rate, terms, k, node, lanes):
    """Terms of the centre of mass's acceleration relative to the parent: m/s2 in the parent's axes."""
    n = len(lanes)
    for lane in range(n):
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        a_WP, alpha_WP = load3(parent, at.F_A, lane, n), load3(parent, at.F_ALPHA, lane, n)
        d, drift = load3(arm, at.A_D, lane, n), load3(arm, at.A_DRIFT, lane, n)
        applied = scaled(1.0 / load(body, at.B_MASS, lane, n), load3(wrench, at.W_F, lane, n))
        store_term(terms, at.T_VELOCITY, k, node, lane, n, rotate_back(q_WP, drift))
        acceleration = scaled(load(body, at.B_SCALE, lane, n), load3(rate, at.R_A, lane, n))
        store_term(terms, at.T_ACCELERATION, k, node, lane, n, acceleration)
        store_term(terms, at.T_APPLIED, k, node, lane, n, rotate_back(q_WP, applied))
        store_term(terms, at.T_GRAVITY, k, node, lane, n, rotate_back(q_WP, load3(wrench, at.W_G, lane, n)))
        store_term(terms, at.T_LINEAR, k, node, lane, n, rotate_back(q_WP, linear_term(a_WP)))
        store_term(terms, at.T_EULER, k, node, lane, n, rotate_back(q_WP, euler_term(alpha_WP, d)))
        store_term(terms, at.T_CENTRIFUGAL, k, node, lane, n, rotate_back(q_WP, centrifugal_term(omega_WP, d)))
        store_term(terms, at.T_CORIOLIS, k, node, lane, n, rotate_back(q_WP, coriolis_term(omega_WP, drift)))


@routine
def angular_terms(state, body, parent, frame, wrench, terms, k, node, lanes):
    """Terms of the angular acceleration relative to the parent: rad/s2 in the parent's axes."""
    n = len(lanes)
    for lane in range(n):
        q_WP, omega_WP = load4(parent, at.F_Q, lane, n), load3(parent, at.F_OMEGA, lane, n)
        alpha_WP, alpha_WB = load3(parent, at.F_ALPHA, lane, n), load3(frame, at.F_ALPHA, lane, n)
        q_WB, omega_WB = load4(frame, at.F_Q, lane, n), load3(frame, at.F_OMEGA, lane, n)
        inverse_inertia, omega_B = load6(body, at.B_INVERSE, lane, n), load3(state, at.S_OMEGA, lane, n)
        tau_B = rotate_back(q_WB, load3(wrench, at.W_TAU, lane, n))
        gyroscopic_B = apply(inverse_inertia, gyroscopic_torque(load6(body, at.B_INERTIA, lane, n), omega_B))
        total = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
        store_term(terms, at.T_ANGULAR, k, node, lane, n, total)
        store_term(
            terms,
            at.T_ANGULAR_APPLIED,
            k,
            node,
            lane,
            n,
            rotate_back(q_WP, rotate(q_WB, apply(inverse_inertia, tau_B))),
        )
        store_term(terms, at.T_GYROSCOPIC, k, node, lane, n, rotate_back(q_WP, rotate(q_WB, gyroscopic_B)))
        store_term(terms, at.T_ANGULAR_PARENT, k, node, lane, n, rotate_back(q_WP, negated(alpha_WP)))
        store_term(terms, at.T_ANGULAR_TRANSPORT, k, node, lane, n, rotate_back(q_WP, cross(omega_WB, omega_WP)))


@routine
def push_body(body, frame, mean, wrench):
    """Add force and torque of the contacts of the last step to the loads on a free body, by its mean acceleration."""
    inertia = rotated(load4(frame, at.F_Q, 0, 1), load6(body, at.B_INERTIA, 0, 1))
    f_W, tau_W = scaled(body[at.B_MASS], load3(mean, 0, 0, 1)), apply(inertia, load3(mean, 3, 0, 1))
    store3(wrench, at.W_F, 0, 1, add(load3(wrench, at.W_F, 0, 1), f_W))
    store3(wrench, at.W_TAU, 0, 1, add(load3(wrench, at.W_TAU, 0, 1), tau_W))


@inlined
def push_bodies(contacts, model, state, scratch, lanes):
    """Add the contacts of the last step to the loads, and evaluate all accelerations again."""
    for b in range(contacts.n_moved):
        row = contacts.body[b, BODY_ROW]
        frame, mean = scratch.frame[model.moved_node[row] + 1], scratch.contact_mean[b]
        push_body(model.body[row], frame, mean, scratch.wrench[row])
    accelerate_nodes(model.active, model, state, scratch, lanes)


@routine
def contact_terms(parent, mean, applied, angular_applied, contact, angular_contact):
    """Split the terms of contact from those of the other loads."""
    q_WP = load4(parent, at.F_Q, 0, 1)
    linear, angular = rotate_back(q_WP, load3(mean, 0, 0, 1)), rotate_back(q_WP, load3(mean, 3, 0, 1))
    store3(contact, 0, 0, 1, linear)
    store3(angular_contact, 0, 0, 1, angular)
    store3(applied, 0, 0, 1, sub(load3(applied, 0, 0, 1), linear))
    store3(angular_applied, 0, 0, 1, sub(load3(angular_applied, 0, 0, 1), angular))


@inlined
def observe_contacts(contacts, model, scratch, terms, k):
    """The terms of contact of every body that can touch."""
    for b in range(contacts.n_moved):
        node = model.moved_node[contacts.body[b, BODY_ROW]]
        parent = scratch.frame[model.node[node, at.NODE_PARENT]]
        contact_terms(
            parent, scratch.contact_mean[b], terms[at.T_APPLIED, k, node], terms[at.T_ANGULAR_APPLIED, k, node],
            terms[at.T_CONTACT, k, node], terms[at.T_ANGULAR_CONTACT, k, node],
        )  # fmt: skip


@inlined
def leave_out_driven(model, terms, k):
    """NaN for the nodes that have no terms."""
    for node in model.every:
        if not is_moved(node, model):
            for term in range(len(terms)):
                terms[term, k, node, :] = NAN


@inlined
def observe_terms(t, era, model, state, scratch, terms, k, lanes):
    """Write the terms of every free body in sample k: the given state at time t (s), with the loads of the given
    era.
    """
    evaluate(t, era, model, state, scratch, lanes)
    if model.contacts is not None:
        push_bodies(model.contacts, model, state, scratch, lanes)
    leave_out_driven(model, terms, k)
    for i in range(len(model.moved_node)):
        node = model.moved_node[i]
        parent, frame, arm = scratch.frame[model.node[node, at.NODE_PARENT]], scratch.frame[node + 1], scratch.arm[node]
        linear_terms(model.body[i], parent, arm, scratch.wrench[i], scratch.rate[i], terms, k, node, lanes)
        angular_terms(state[i], model.body[i], parent, frame, scratch.wrench[i], terms, k, node, lanes)
        terms[at.T_CONTACT, k, node, :] = 0.0
        terms[at.T_ANGULAR_CONTACT, k, node, :] = 0.0
    if model.contacts is not None:
        observe_contacts(model.contacts, model, scratch, terms, k)
