"""A sample: local and world motion of every node, energies and momenta."""

from __future__ import annotations

from rigidsim.engine.articulated import observe_coordinates, observe_reactions, store_joints
from rigidsim.engine.asked import observe_asked
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.kinds import hangs, sample_local
from rigidsim.engine.kinematics import write_world
from rigidsim.engine.layout import ARM, BODY, FRAME, LEDGER, STAGE
from rigidsim.engine.loads import store_energy
from rigidsim.engine.relations import relate
from rigidsim.engine.terms import evaluate_touching, observe_terms
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import (
    angular_momentum,
    kinetic_energy,
    momentum,
    orbital_angular_momentum,
    uniform_potential,
)
from rigidsim.physics.vector import add


@inlined
def add_body(omega_B, work, body, frame, arm, ledger):
    """Add one moved body's energies, work and momenta."""
    mass, g_W, inertia_B = (body.mass, body.g, body.inertia)
    q_WB, v_WC = (frame.q, arm.v_WC)
    p_WC = add(frame.p, rotate(q_WB, body.com))
    spin = rotate(q_WB, angular_momentum(inertia_B, omega_B))
    orbital = orbital_angular_momentum(mass, p_WC, v_WC)
    ledger.kinetic = ledger.kinetic + kinetic_energy(mass, inertia_B, v_WC, omega_B)
    ledger.potential = ledger.potential + uniform_potential(mass, g_W, p_WC)
    ledger.work += work
    ledger.momentum = add(ledger.momentum, momentum(mass, v_WC))
    ledger.spin = add(ledger.spin, spin)
    ledger.orbital = add(ledger.orbital, orbital)


@lanewise
def add_to_ledger(state: STAGE, body: BODY, frame: FRAME, arm: ARM, ledger: LEDGER, lane):
    """Add a free body."""
    add_body(state.omega, state.work, body, frame, arm, ledger)


@lanewise
def add_jointed_to_ledger(state: STAGE, body: BODY, frame: FRAME, arm: ARM, ledger: LEDGER, lane):
    """Add a jointed body, or a link without mass."""
    add_body(rotate_back(frame.q, frame.omega), state.work, body, frame, arm, ledger)


@inlined
def observe_motion(t, model, state, scratch, local, world, k, lanes):
    """Motion of every node in sample k, relative to its parent and in the world."""
    place_nodes(model.every, t, model, state, scratch, lanes)
    for node in model.every:
        write_world(
            scratch.frame[node + 1], world.position[k, node], world.orientation[k, node], world.velocity[k, node],
            world.angular_velocity[k, node], lanes,
        )  # fmt: skip
    if len(local.position) > 0:
        for node in model.every:
            sample_local(node, model, state, scratch, local, k, lanes)


@inlined
def observe_ledger(era, model, state, scratch, ledger: LEDGER, lanes):
    """Energies, work and momenta; the motion was observed before."""
    ledger[:] = 0.0
    for i in model.by_path:
        node = model.moved_node[i]
        frame, arm = scratch.frame[node + 1], scratch.arm[node]
        if hangs(i, model):
            add_jointed_to_ledger(state[i], model.body[i], frame, arm, ledger, lanes)
        else:
            add_to_ledger(state[i], model.body[i], frame, arm, ledger, lanes)
    relate(model, state, scratch, lanes)
    store_energy(era, model, scratch, ledger, lanes)
    if model.joints is not None:
        store_joints(model, state, scratch, ledger, lanes)
    if model.contacts is not None:
        ledger.contact = scratch.contact_work[0] + scratch.contact_work[1]


@routine
def observe(t, era, model, state, scratch, samples, k, lanes):
    """Write sample k: the given state at time t (s), with the loads of the given era. Parts of `samples` that have no
    room are left out; terms are wanted together with the ledger.
    """
    observe_motion(t, model, state, scratch, samples.local, samples.world, k, lanes)
    if model.joints is not None and len(samples.joints.coordinate) > 0:
        observe_coordinates(model, state, scratch, samples.joints, k, lanes)
    if len(samples.ledger) > 0:
        observe_ledger(era, model, state, scratch, samples.ledger[k], lanes)
    if samples.terms.shape[1] > 0:
        observe_terms(t, era, model, state, scratch, samples.terms, k, lanes)
    if model.joints is not None and len(samples.joints.force) > 0:
        evaluate_touching(t, era, model, state, scratch, lanes)
        observe_reactions(model, scratch, samples.joints, k, lanes)
    if model.asked is not None and len(samples.asked) > 0:
        observe_asked(model.asked, t, era, model, state, scratch, samples, k, lanes)
