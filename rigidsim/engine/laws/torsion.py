"""Torsion springs: torques that turn one body back to its orientation in another."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.laws.wrench import count_power, ends, turn
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.physics.forces import deflection, deflection_and_slip, torsion_energy, torsion_torque
from rigidsim.physics.quaternion import conjugate, product, rotate, rotate_back
from rigidsim.physics.vector import dot, sub


@routine
def pull_torsion(value, first, second, wound, pull, lanes):
    """The torque on the second frame, world axes, and in row 3 the rate at which the spring gives energy back."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2 = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n)
        q_rest, axis = load4(value, at.H_REST, lane, n), load3(value, at.H_AXIS, lane, n)
        phi = load(wound, 0, lane, n)
        stiffness, damping = load(value, at.H_STIFFNESS, lane, n), load(value, at.H_DAMPING, lane, n)
        omega_W = sub(load3(second, at.F_OMEGA, lane, n), load3(first, at.F_OMEGA, lane, n))
        omega = rotate_back(q_W2, omega_W)
        theta, slip = deflection_and_slip(q_rest, axis, product(conjugate(q_W1), q_W2), omega, phi)
        store3(pull, 0, lane, n, rotate(q_W2, torsion_torque(stiffness, damping, theta, slip)))
        store(pull, 3, lane, n, stiffness * dot(theta, omega))


@routine
def store_torsion(value, first, second, wound, ledger, place, sign, lanes):
    """Add sign times the energy of the torsion spring to a place of a ledger."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2 = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n)
        q_rest, axis = load4(value, at.H_REST, lane, n), load3(value, at.H_AXIS, lane, n)
        theta = deflection(q_rest, axis, product(conjugate(q_W1), q_W2), load(wound, 0, lane, n))
        energy = torsion_energy(load(value, at.H_STIFFNESS, lane, n), theta)
        store(ledger, place, lane, n, load(ledger, place, lane, n) + sign * energy)


@inlined
def torsion(law, k, model, scratch, lanes):
    """One of them, on the second end, and the opposite on the first if a free body carries it."""
    i, j = law.who[k, at.LAW_FIRST], law.who[k, at.LAW_SECOND]
    first, second, _ = ends(law, k, model, scratch)
    pull_torsion(law.value[k], first, second, scratch.wound[k], scratch.pull, lanes)
    turn(scratch.pull, 1.0, scratch.wrench[j], lanes)
    if i >= 0:
        turn(scratch.pull, -1.0, scratch.wrench[i], lanes)
    count_power(scratch.pull, scratch.wrench[j], lanes)


@inlined
def energy_of_torsion(law, k, model, scratch, ledger, place, sign, lanes):
    """What one of them stores."""
    first, second, _ = ends(law, k, model, scratch)
    store_torsion(law.value[k], first, second, scratch.wound[k], ledger, place, sign, lanes)
