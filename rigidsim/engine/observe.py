"""A sample: local and world motion of every node, energies and momenta."""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.kinds import sample_local
from rigidsim.engine.kinematics import write_world
from rigidsim.engine.layout import load, load3, load4, load6, store, store3
from rigidsim.engine.loads import store_energy
from rigidsim.engine.relations import relate
from rigidsim.engine.terms import observe_terms
from rigidsim.jit import inlined, routine
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import (
    angular_momentum,
    kinetic_energy,
    momentum,
    orbital_angular_momentum,
    uniform_potential,
)
from rigidsim.physics.vector import add


@routine
def add_to_ledger(state, body, frame, arm, ledger, lanes):
    """Add one free body's energies, work and momenta."""
    n = len(lanes)
    for lane in range(n):
        mass, g_W, inertia_B = (
            load(body, at.B_MASS, lane, n),
            load3(body, at.B_G, lane, n),
            load6(body, at.B_INERTIA, lane, n),
        )
        q_WB, omega_B, v_WC = (
            load4(frame, at.F_Q, lane, n),
            load3(state, at.S_OMEGA, lane, n),
            load3(arm, at.A_VC, lane, n),
        )
        p_WC = add(load3(frame, at.F_P, lane, n), rotate(q_WB, load3(body, at.B_COM, lane, n)))
        kinetic = load(ledger, at.E_KINETIC, lane, n) + kinetic_energy(mass, inertia_B, v_WC, omega_B)
        potential = load(ledger, at.E_POTENTIAL, lane, n) + uniform_potential(mass, g_W, p_WC)
        spin = rotate(q_WB, angular_momentum(inertia_B, omega_B))
        orbital = orbital_angular_momentum(mass, p_WC, v_WC)
        store(ledger, at.E_KINETIC, lane, n, kinetic)
        store(ledger, at.E_POTENTIAL, lane, n, potential)
        store(ledger, at.E_WORK, lane, n, load(ledger, at.E_WORK, lane, n) + load(state, at.S_WORK, lane, n))
        store3(ledger, at.E_MOMENTUM, lane, n, add(load3(ledger, at.E_MOMENTUM, lane, n), momentum(mass, v_WC)))
        store3(ledger, at.E_SPIN, lane, n, add(load3(ledger, at.E_SPIN, lane, n), spin))
        store3(ledger, at.E_ORBITAL, lane, n, add(load3(ledger, at.E_ORBITAL, lane, n), orbital))


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
def store_contact_work(_contacts, work, ledger):
    """The part of the work that contact did."""
    ledger[at.E_CONTACT] = work[0] + work[1]


@inlined
def observe_ledger(era, model, state, scratch, ledger, lanes):
    """Energies, work and momenta; the motion was observed before."""
    ledger[:] = 0.0
    for i in model.by_path:
        node = model.moved_node[i]
        add_to_ledger(state[i], model.body[i], scratch.frame[node + 1], scratch.arm[node], ledger, lanes)
    relate(model, state, scratch, lanes)
    store_energy(era, model, scratch, ledger, lanes)
    if model.contacts is not None:
        store_contact_work(model.contacts, scratch.contact_work, ledger)


@routine
def observe(t, era, model, state, scratch, samples, k, lanes):
    """Write sample k: the given state at time t (s), with the loads of the given era. Parts of `samples` that have no
    room are left out; terms are wanted together with the ledger.
    """
    observe_motion(t, model, state, scratch, samples.local, samples.world, k, lanes)
    if len(samples.ledger) > 0:
        observe_ledger(era, model, state, scratch, samples.ledger[k], lanes)
    if samples.terms.shape[1] > 0:
        observe_terms(t, era, model, state, scratch, samples.terms, k, lanes)
