"""Torsion springs: torques that turn one body back to its orientation in another."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.laws.wrench import count_power, turn
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.physics.elementary import select
from rigidsim.physics.forces import misalignment, torsion_energy, torsion_torque, twist
from rigidsim.physics.quaternion import conjugate, product, rotate, rotate_back
from rigidsim.physics.vector import dot, scaled, sub


@routine
def pull_torsion(value, first, second, pull, lanes):
    """The torque on the second frame, world axes, and in row 3 the rate at which the spring gives energy back."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2 = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n)
        q_12, q_rest = product(conjugate(q_W1), q_W2), load4(value, at.H_REST, lane, n)
        axis = load3(value, at.H_AXIS, lane, n)
        about = dot(axis, axis) > 0.5
        stiffness, damping = load(value, at.H_STIFFNESS, lane, n), load(value, at.H_DAMPING, lane, n)
        omega_W = sub(load3(second, at.F_OMEGA, lane, n), load3(first, at.F_OMEGA, lane, n))
        omega = rotate_back(q_W2, omega_W)
        phi, g = twist(q_rest, axis, q_12)
        theta = misalignment(q_rest, q_12)
        turned = (
            select(about, phi * g[0], theta[0]),
            select(about, phi * g[1], theta[1]),
            select(about, phi * g[2], theta[2]),
        )
        along = scaled(dot(g, omega), g)
        slipping = (
            select(about, along[0], omega[0]),
            select(about, along[1], omega[1]),
            select(about, along[2], omega[2]),
        )
        store3(pull, 0, lane, n, rotate(q_W2, torsion_torque(stiffness, damping, turned, slipping)))
        store(pull, 3, lane, n, stiffness * dot(turned, omega))


@routine
def store_torsion(value, first, second, ledger, place, sign, lanes):
    """Add sign times the energy of the torsion spring to a place of a ledger."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2 = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n)
        q_12, q_rest = product(conjugate(q_W1), q_W2), load4(value, at.H_REST, lane, n)
        axis = load3(value, at.H_AXIS, lane, n)
        about = dot(axis, axis) > 0.5
        phi, _ = twist(q_rest, axis, q_12)
        theta = misalignment(q_rest, q_12)
        turned = (
            select(about, phi, theta[0]),
            select(about, 0.0 * phi, theta[1]),
            select(about, 0.0 * phi, theta[2]),
        )
        energy = torsion_energy(load(value, at.H_STIFFNESS, lane, n), turned)
        store(ledger, place, lane, n, load(ledger, place, lane, n) + sign * energy)


@inlined
def apply_torsions(era, model, scratch, lanes):
    """Those of this era."""
    law = model.torsions
    for k in range(len(law.who)):
        if law.who[k, at.LAW_BEGIN] <= era < law.who[k, at.LAW_UNTIL]:
            pair, i, j = law.who[k, at.LAW_PAIR], law.who[k, at.LAW_FIRST], law.who[k, at.LAW_SECOND]
            first, second = (
                scratch.frame[model.pair[pair, at.PAIR_FIRST]],
                scratch.frame[model.pair[pair, at.PAIR_SECOND]],
            )
            pull_torsion(law.value[k], first, second, scratch.pull, lanes)
            if j >= 0:
                turn(scratch.pull, 1.0, scratch.wrench[j], lanes)
            if i >= 0:
                turn(scratch.pull, -1.0, scratch.wrench[i], lanes)
            count_power(scratch.pull, scratch.wrench[j if j >= 0 else i], lanes)


@inlined
def store_torsions(era, model, scratch, ledger, lanes):
    """Add the energy of those of this era to the potential energy."""
    law = model.torsions
    for k in range(len(law.who)):
        if law.who[k, at.LAW_BEGIN] <= era < law.who[k, at.LAW_UNTIL]:
            pair = law.who[k, at.LAW_PAIR]
            first, second = (
                scratch.frame[model.pair[pair, at.PAIR_FIRST]],
                scratch.frame[model.pair[pair, at.PAIR_SECOND]],
            )
            store_torsion(law.value[k], first, second, ledger, at.E_POTENTIAL, 1.0, lanes)
