"""The terms of which the acceleration of a moved body is the sum, one by one.

What joints do to a body is what all others leave of its acceleration: articulated inertia gives the sum itself.
"""

from __future__ import annotations

from typing import NamedTuple

from rigidsim.engine.constraints.lasting import was_stepped
from rigidsim.engine.dynamics.kinds import is_moved, is_of_joint, is_root
from rigidsim.engine.dynamics.relations import relate
from rigidsim.engine.evaluate import accelerate_nodes, place_nodes
from rigidsim.engine.loads.summing import apply_loads
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import ARM, BODY, FRAME, MEAN, RATE, STAGE, TRIPLE, WRENCH
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import NAN, select
from rigidsim.physics.frames import local_acceleration, local_angular_acceleration
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.inertial_terms import centrifugal_term, coriolis_term, euler_term, linear_term
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import gyroscopic_torque
from rigidsim.physics.vector import add, cross, negated, scaled, sub

LINEAR = (at.T_APPLIED, at.T_GRAVITY, at.T_LINEAR, at.T_EULER, at.T_CENTRIFUGAL, at.T_CORIOLIS)
ANGULAR = (at.T_ANGULAR_APPLIED, at.T_GYROSCOPIC, at.T_ANGULAR_PARENT, at.T_ANGULAR_TRANSPORT)


class TermRows(NamedTuple):
    """The rows of a moved body of which the terms are written, and the terms of all nodes in all samples."""

    body: BODY
    parent: FRAME
    frame: FRAME
    arm: ARM
    wrench: WRENCH
    terms: TRIPLE
    k: int  # the sample
    node: int


@inlined
def write_linear(drift, applied, a, rows):
    """Terms of the centre of mass's acceleration relative to the parent: m/s2 in the parent's axes."""
    parent, arm, wrench, terms, k, node = rows.parent, rows.arm, rows.wrench, rows.terms, rows.k, rows.node
    q_WP, omega_WP, d = parent.q, parent.omega, arm.d
    terms[at.T_VELOCITY, k, node].xyz = rotate_back(q_WP, drift)
    terms[at.T_ACCELERATION, k, node].xyz = a
    terms[at.T_APPLIED, k, node].xyz = rotate_back(q_WP, applied)
    terms[at.T_GRAVITY, k, node].xyz = rotate_back(q_WP, wrench.g)
    terms[at.T_LINEAR, k, node].xyz = rotate_back(q_WP, linear_term(parent.a))
    terms[at.T_EULER, k, node].xyz = rotate_back(q_WP, euler_term(parent.alpha, d))
    terms[at.T_CENTRIFUGAL, k, node].xyz = rotate_back(q_WP, centrifugal_term(omega_WP, d))
    terms[at.T_CORIOLIS, k, node].xyz = rotate_back(q_WP, coriolis_term(omega_WP, drift))


@lanewise
def linear_terms(rate: RATE, rows: TermRows, lane):
    """Those of a free body."""
    applied, a = scaled(1.0 / rows.body.mass, rows.wrench.f), scaled(rows.body.scale, rate.a)
    write_linear(rows.arm.drift, applied, a, rows)


@lanewise
def linear_terms_of_jointed(rows: TermRows, lane):
    """Those of a body on a joint, which may have no mass: then what is applied to it is part of what joints do."""
    parent, arm, omega_WP, d, mass = rows.parent, rows.arm, rows.parent.omega, rows.arm.d, rows.body.mass
    drift = sub(arm.v, cross(omega_WP, d))
    applied = scaled(select(mass > 0.0, 1.0, 0.0) / select(mass > 0.0, mass, 1.0), rows.wrench.f)
    a = local_acceleration(parent.a, omega_WP, parent.alpha, parent.q, 1.0, d, drift, arm.a_WC)
    write_linear(drift, applied, a, rows)


@inlined
def write_angular(omega_B, rows):
    """Terms of the angular acceleration relative to the parent: rad/s2 in the parent's axes."""
    body, parent, frame, _, wrench, terms, k, node = rows
    q_WP, omega_WP = parent.q, parent.omega
    alpha_WP, alpha_WB = parent.alpha, frame.alpha
    q_WB, omega_WB = frame.q, frame.omega
    inverse_inertia = body.inverse
    tau_B = rotate_back(q_WB, wrench.tau)
    gyroscopic_B = apply(inverse_inertia, gyroscopic_torque(body.inertia, omega_B))
    terms[at.T_ANGULAR, k, node].xyz = local_angular_acceleration(omega_WP, alpha_WP, q_WP, omega_WB, alpha_WB)
    terms[at.T_ANGULAR_APPLIED, k, node].xyz = rotate_back(q_WP, rotate(q_WB, apply(inverse_inertia, tau_B)))
    terms[at.T_GYROSCOPIC, k, node].xyz = rotate_back(q_WP, rotate(q_WB, gyroscopic_B))
    terms[at.T_ANGULAR_PARENT, k, node].xyz = rotate_back(q_WP, negated(alpha_WP))
    terms[at.T_ANGULAR_TRANSPORT, k, node].xyz = rotate_back(q_WP, cross(omega_WB, omega_WP))


@lanewise
def angular_terms(state: STAGE, rows: TermRows, lane):
    """Those of a free body."""
    write_angular(state.omega, rows)


@lanewise
def angular_terms_of_jointed(rows: TermRows, lane):
    """Those of a body on a joint."""
    write_angular(rotate_back(rows.frame.q, rows.frame.omega), rows)


@lanewise
def leave_to_joints(terms: TRIPLE, k, node, lane):
    """What all other terms leave of the accelerations of a body with joints."""
    linear, angular = terms[at.T_ACCELERATION, k, node].xyz, terms[at.T_ANGULAR, k, node].xyz
    for term in LINEAR:
        linear = sub(linear, terms[term, k, node].xyz)
    for term in ANGULAR:
        angular = sub(angular, terms[term, k, node].xyz)
    terms[at.T_JOINT, k, node].xyz = linear
    terms[at.T_ANGULAR_JOINT, k, node].xyz = angular


@routine
def push_body(body: BODY, frame: FRAME, mean: MEAN, wrench: WRENCH):
    """Add force and torque of the contacts of the last step to the loads on a free body, by its mean acceleration."""
    f_W, tau_W = scaled(body.mass, mean.a), apply(rotated(frame.q, body.inertia), mean.alpha)
    wrench.f = add(wrench.f, f_W)
    wrench.tau = add(wrench.tau, tau_W)


@inlined
def push_bodies(contacts, model, scratch):
    """Add the contacts of the last step to the loads."""
    for b in range(contacts.n_moved):
        row = contacts.body[b].row
        frame, mean = scratch.frame[model.moved_node[row] + 1], scratch.contact_mean[b]
        push_body(model.body[row], frame, mean, scratch.wrench[row])


@inlined
def evaluate_touching(t, block):
    """`evaluate`, with the contacts of the last step among the loads, which the reactions of loops answer, too."""
    model = block.model
    place_nodes(model.active, t, block)
    relate(block)
    apply_loads(t, block)
    if model.contacts is not None and was_stepped(block.scratch):
        push_bodies(model.contacts, model, block.scratch)
    accelerate_nodes(model.active, block)


@routine
def contact_terms(
    parent: FRAME, mean: MEAN, applied: TRIPLE, angular_applied: TRIPLE, contact: TRIPLE, angular_contact: TRIPLE
):
    """Split the terms of contact from those of the other loads."""
    linear, angular = rotate_back(parent.q, mean.a), rotate_back(parent.q, mean.alpha)
    contact.xyz = linear
    angular_contact.xyz = angular
    applied.xyz = sub(applied.xyz, linear)
    angular_applied.xyz = sub(angular_applied.xyz, angular)


@inlined
def observe_contacts(contacts, model, scratch, terms, k):
    """The terms of contact of every body that can touch."""
    for b in range(contacts.n_moved):
        node = model.moved_node[contacts.body[b].row]
        parent = scratch.frame[model.node[node].parent]
        contact_terms(
            parent, scratch.contact_mean[b], terms[at.T_APPLIED, k, node], terms[at.T_ANGULAR_APPLIED, k, node],
            terms[at.T_CONTACT, k, node], terms[at.T_ANGULAR_CONTACT, k, node],
        )  # fmt: skip


@inlined
def leave_out_held(model, terms, k):
    """NaN for the nodes that have no terms."""
    for node in model.every:
        if not is_moved(node, model):
            for term in range(len(terms)):
                terms[term, k, node, :] = NAN


@inlined
def observe_terms(block, terms, k):
    """Write the terms of every moved body in sample k: those of the given state, which was evaluated with contact."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    leave_out_held(model, terms, k)
    for i in range(len(model.moved_node)):
        node = model.moved_node[i]
        if node >= len(model.node):  # a link of a joint, which is no node
            continue
        parent, frame, arm = scratch.frame[model.node[node].parent], scratch.frame[node + 1], scratch.arm[node]
        rows = TermRows(model.body[i], parent, frame, arm, scratch.wrench[i], terms, k, node)
        for term in range(at.T_CONTACT, at.TERMS):
            terms[term, k, node, :] = 0.0
        if is_of_joint(i, model):
            linear_terms_of_jointed(rows, lanes)
            angular_terms_of_jointed(rows, lanes)
        else:
            linear_terms(scratch.rate[i], rows, lanes)
            angular_terms(block.state[i], rows, lanes)
        if is_root(i, model) or is_of_joint(i, model):
            leave_to_joints(terms, k, node, lanes)
    if model.contacts is not None:
        observe_contacts(model.contacts, model, scratch, terms, k)
