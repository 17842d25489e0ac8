"""Springs and dampers between two points of any bodies or of the world."""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.laws.wrench import ends, react
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.physics.forces import damping_force, elastic_energy, elastic_force, separation
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, dot, sub


@routine
def pull_spring(value, apart, first, second, pull, lanes):
    """The force on the second end, world axes, and in row 3 the rate at which the spring gives energy back."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2, d = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n), load3(apart, at.Z_P, lane, n)
        p_1, p_2 = load3(value, at.G_FIRST, lane, n), load3(value, at.G_SECOND, lane, n)
        r_1, r_2, s = separation(d, q_W1, p_1, q_W2, p_2)
        v_2 = point_velocity(load3(apart, at.Z_V, lane, n), load3(second, at.F_OMEGA, lane, n), r_2)
        v = sub(v_2, point_velocity((0.0, 0.0, 0.0), load3(first, at.F_OMEGA, lane, n), r_1))
        elastic = elastic_force(load(value, at.G_STIFFNESS, lane, n), load(value, at.G_LENGTH, lane, n), s)
        store3(pull, 0, lane, n, add(elastic, damping_force(load(value, at.G_DAMPING, lane, n), s, v)))
        store(pull, 3, lane, n, -dot(elastic, v))


@routine
def store_spring(value, apart, first, second, ledger, place, sign, lanes):
    """Add sign times the energy of the spring to a place of a ledger."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2, d = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n), load3(apart, at.Z_P, lane, n)
        p_1, p_2 = load3(value, at.G_FIRST, lane, n), load3(value, at.G_SECOND, lane, n)
        _, _, s = separation(d, q_W1, p_1, q_W2, p_2)
        energy = elastic_energy(load(value, at.G_STIFFNESS, lane, n), load(value, at.G_LENGTH, lane, n), s)
        store(ledger, place, lane, n, load(ledger, place, lane, n) + sign * energy)


@inlined
def spring(law, k, model, scratch, lanes):
    """One of them, on both of its ends."""
    first, second, apart = ends(law, k, model, scratch)
    pull_spring(law.value[k], apart, first, second, scratch.pull, lanes)
    react(law, k, scratch.pull, model, scratch, at.G_FIRST, at.G_SECOND, lanes)


@inlined
def energy_of_spring(law, k, model, scratch, ledger, place, sign, lanes):
    """What one of them stores."""
    first, second, apart = ends(law, k, model, scratch)
    store_spring(law.value[k], apart, first, second, ledger, place, sign, lanes)
