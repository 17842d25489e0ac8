"""Gravity on single bodies: of uniform fields and of point sources, and the torque of a source's gradient.

Gravity enters a wrench as an acceleration, so that bodies of any mass fall alike to the last bit.
"""

from __future__ import annotations

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.laws.wrench import ends
from rigidsim.engine.layout import load, load3, load4, load6, store, store3
from rigidsim.physics.forces import (
    attraction,
    attraction_potential,
    gravity_gradient_torque,
    oblateness,
    oblateness_potential,
    separation,
)
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, dot


@routine
def fall(g_x, g_y, g_z, axes, body, arm, wrench, lanes):
    """Add gravity whose components, in the frame `axes`, are three rows; what it does is work."""
    n = len(lanes)
    for lane in range(n):
        g = (load(g_x, 0, lane, n), load(g_y, 0, lane, n), load(g_z, 0, lane, n))
        g_W = rotate(load4(axes, at.F_Q, lane, n), g)
        power = load(body, at.B_MASS, lane, n) * dot(g_W, load3(arm, at.A_VC, lane, n))
        store3(wrench, at.W_G, lane, n, add(load3(wrench, at.W_G, lane, n), g_W))
        store(wrench, at.W_POWER, lane, n, load(wrench, at.W_POWER, lane, n) + power)


@routine
def attract(value, apart, source, frame, body, wrench, lanes):
    """Gravity of a source at the body's centre of mass; and the power of whatever moves the source."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB, d = load4(source, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n), load3(apart, at.Z_P, lane, n)
        _, r_B, s = separation(d, q_WA, load3(value, at.U_POINT, lane, n), q_WB, load3(body, at.B_COM, lane, n))
        gm = load(value, at.U_GM, lane, n)
        axis_W = rotate(q_WA, load3(value, at.U_AXIS, lane, n))
        round_part = attraction(gm, load(value, at.U_SOFT, lane, n), s)
        g = add(round_part, oblateness(gm, load(value, at.U_J2, lane, n), axis_W, s))
        # The field is carried along by the source's frame; where that moves, it does work.
        v_field = point_velocity(load3(source, at.F_V, lane, n), load3(source, at.F_OMEGA, lane, n), add(d, r_B))
        store3(wrench, at.W_G, lane, n, add(load3(wrench, at.W_G, lane, n), g))
        power = load(value, at.U_MASS, lane, n) * dot(g, v_field)
        store(wrench, at.W_POWER, lane, n, load(wrench, at.W_POWER, lane, n) + power)


@routine
def store_attraction(value, apart, source, frame, body, ledger, place, sign, lanes):
    """Add sign times the potential energy of one attraction, whose source is the point that `value` holds."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB, d = load4(source, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n), load3(apart, at.Z_P, lane, n)
        _, _, s = separation(d, q_WA, load3(value, at.U_POINT, lane, n), q_WB, load3(body, at.B_COM, lane, n))
        gm = load(value, at.U_GM, lane, n)
        axis_W = rotate(q_WA, load3(value, at.U_AXIS, lane, n))
        round_part = attraction_potential(gm, load(value, at.U_SOFT, lane, n), s)
        potential = round_part + oblateness_potential(gm, load(value, at.U_J2, lane, n), axis_W, s)
        energy = sign * (load(value, at.U_MASS, lane, n) * potential)
        store(ledger, place, lane, n, load(ledger, place, lane, n) + energy)


@routine
def twist_by_gradient(value, apart, source, frame, body, wrench, lanes):
    """Add the gravity-gradient torque on a body."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB, d = load4(source, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n), load3(apart, at.Z_P, lane, n)
        _, _, s = separation(d, q_WA, load3(value, at.U_POINT, lane, n), q_WB, load3(body, at.B_COM, lane, n))
        s_B = rotate_back(q_WB, s)
        tau_B = gravity_gradient_torque(load(value, at.U_GM, lane, n), s_B, load6(body, at.B_INERTIA, lane, n))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), rotate(q_WB, tau_B)))


@inlined
def field(law, k, model, scratch, lanes):
    """One uniform field, on its body."""
    i, g, n = law.who[k, at.LAW_SECOND], law.value[k], len(lanes)
    axes, arm = scratch.frame[law.who[k, at.LAW_PAIR]], scratch.arm[model.free_node[i]]
    fall(g, g[n:], g[2 * n :], axes, model.body[i], arm, scratch.wrench[i], lanes)


@inlined
def gravity(law, k, model, scratch, lanes):
    """One attraction of a body by a source that feels nothing."""
    j = law.who[k, at.LAW_SECOND]
    first, second, apart = ends(law, k, model, scratch)
    attract(law.value[k], apart, first, second, model.body[j], scratch.wrench[j], lanes)


@inlined
def gradient(law, k, model, scratch, lanes):
    """One gradient torque."""
    j = law.who[k, at.LAW_SECOND]
    first, second, apart = ends(law, k, model, scratch)
    twist_by_gradient(law.value[k], apart, first, second, model.body[j], scratch.wrench[j], lanes)


@inlined
def energy_of_gravity(law, k, model, scratch, ledger, place, sign, lanes):
    """What one attraction stores."""
    first, second, apart = ends(law, k, model, scratch)
    body = model.body[law.who[k, at.LAW_SECOND]]
    store_attraction(law.value[k], apart, first, second, body, ledger, place, sign, lanes)
