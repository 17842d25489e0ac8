"""Rows of contacts: one contact a lane, with the masses of its bodies and its impulses."""

from __future__ import annotations

from rigidsim.engine.contact import columns as at
from rigidsim.engine.layout import load, load3, load6, store, store3, store6
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import (
    effective_mass,
    eigenvalue_bound,
    rates_of_impulse,
    slip_of_impulse,
    tangent_mass,
    tangents,
)
from rigidsim.physics.vector import add, cross, dot, rejection

# How a contact is computed. Balls: both inverse inertias are round and both levers along the normal, so K is a number
# along n and another across; the radii are in the first places of the levers, the inertias in those of the tensors.
# Drifting: the surfaces move on their bodies, the levers change within the step, or friction acts beside the point.
BALLS, BODIES, DRIFTING, KINDS = 0, 1, 2, 3

# Normal, levers, inverse masses and inertias of A and B, effective masses along the normal, across it (of the largest
# eigenvalue), and of rolling; gap, friction, rolling radius; impulses: normal, tangent, rolling; the bias of the
# relaxation; the gap below which it is closed; total impulse of the step. Not of balls: K n, the inverse of K across n;
# both where friction acts. Of drifting contacts alone: the way to there from the point; slip of the surfaces, lever of
# the core, 1.0 if the levers follow it; levers in this sub-step, of the slip and of the impulses.
R_NORMAL, R_A, R_B, R_MASS_A, R_INERTIA_A, R_MASS_B, R_INERTIA_B = 0, 3, 6, 9, 10, 16, 17
R_M_N, R_M_T, R_M_R, R_GAP, R_FRICTION, R_ROLLING, R_PN, R_PT, R_PR, R_OPEN = 23, 24, 25, 26, 27, 28, 29, 30, 33, 36
R_CLOSED, R_TOTAL, R_K_N, R_K_T, R_SHIFT, R_SURFACE, R_CORE, R_SWEPT = 37, 38, 41, 44, 50, 53, 56, 59
R_END_A, R_END_B, R_ARM_A, R_ARM_B, ROWS = 60, 63, 66, 69, 72

# Lanes of two bodies, A and B: velocities and displacements, six components each.
L_A, L_B, L_MOVED_A, L_MOVED_B, LANE_ROWS = 0, 6, 12, 18, 24


@routine
def gather(body, who, lines, place, lanes):
    """One body a lane, from its row to the components from `place` on."""
    n = len(lanes)
    for lane in range(n):
        store6(lines, place, lane, n, tuple(body[who[lane], :6]))


@routine
def gather_linear(body, who, lines, place, lanes):
    """The first three components alone."""
    n = len(lanes)
    for lane in range(n):
        store3(lines, place, lane, n, tuple(body[who[lane], :3]))


@routine
def scatter(body, who, lines, place, lanes):
    """And back. No two lanes have the same body, except bodies which impulses do not change."""
    n = len(lanes)
    for lane in range(n):
        body[who[lane], :6] = load6(lines, place, lane, n)


@inlined
def clear_lane(row, lane, lanes):
    """A spare lane: two bodies without mass."""
    for c in range(ROWS):
        store(row, c, lane, len(lanes), 0.0)


@inlined
def fill_lane(row, lane, kind, who, point, inverse, lanes):
    """Write one contact point, and the inverse masses of its bodies, to a lane."""
    n = len(lanes)
    A, B = inverse[who[at.POINT_A]], inverse[who[at.POINT_B]]
    normal = load3(point, at.C_NORMAL, 0, 1)
    store3(row, R_NORMAL, lane, n, normal)
    store(row, R_MASS_A, lane, n, A[at.I_MASS])
    store(row, R_MASS_B, lane, n, B[at.I_MASS])
    if kind == BALLS:
        store(row, R_A, lane, n, dot(normal, load3(point, at.C_A, 0, 1)))
        store(row, R_B, lane, n, -dot(normal, load3(point, at.C_B, 0, 1)))
        store(row, R_INERTIA_A, lane, n, A[at.I_INERTIA])
        store(row, R_INERTIA_B, lane, n, B[at.I_INERTIA])
    else:
        store3(row, R_A, lane, n, load3(point, at.C_A, 0, 1))
        store3(row, R_B, lane, n, load3(point, at.C_B, 0, 1))
        for c in range(6):
            store(row, R_INERTIA_A + c, lane, n, A[at.I_INERTIA + c])
            store(row, R_INERTIA_B + c, lane, n, B[at.I_INERTIA + c])
    store(row, R_GAP, lane, n, point[at.C_GAP])
    store(row, R_CLOSED, lane, n, point[at.C_CLOSED])
    store(row, R_FRICTION, lane, n, point[at.C_FRICTION])
    store(row, R_ROLLING, lane, n, point[at.C_ROLLING])
    for c in range(at.MEMORY_ROWS):
        store(row, R_PN + c, lane, n, point[at.C_PN + c])
    if kind == DRIFTING:
        store3(row, R_SHIFT, lane, n, load3(point, at.C_SHIFT, 0, 1))
        store3(row, R_SURFACE, lane, n, load3(point, at.C_SURFACE, 0, 1))
        store3(row, R_CORE, lane, n, load3(point, at.C_CORE, 0, 1))
        store(row, R_SWEPT, lane, n, 1.0 if who[at.POINT_FLAGS] & at.SWEPT else 0.0)
        store3(row, R_ARM_A, lane, n, load3(point, at.C_A, 0, 1))
        store3(row, R_ARM_B, lane, n, load3(point, at.C_B, 0, 1))


@inlined
def read_lane(row, lane, point, lanes):
    """The impulses of the last sub-step, and the total of the step."""
    n = len(lanes)
    for c in range(at.MEMORY_ROWS):
        point[at.C_PN + c] = load(row, R_PN + c, lane, n)
    for c in range(3):
        point[at.C_TOTAL + c] = load(row, R_TOTAL + c, lane, n)


@inlined
def begin_impulses(row, lane, n, normal):
    """What the last step left of the tangent impulse, in the new tangent plane; the total."""
    store3(row, R_PT, lane, n, rejection(normal, load3(row, R_PT, lane, n)))
    store3(row, R_TOTAL, lane, n, (0.0, 0.0, 0.0))


@inlined
def store_tangent_mass(row, lane, n, mass):
    """The inverse of K across n, and of its largest eigenvalue."""
    store6(row, R_K_T, lane, n, mass[0])
    store(row, R_M_T, lane, n, mass[1])


@routine
def prepare_balls(row, lanes):
    """Effective masses of balls."""
    n = len(lanes)
    for lane in range(n):
        w = load(row, R_MASS_A, lane, n) + load(row, R_MASS_B, lane, n)
        a, b = load(row, R_A, lane, n), load(row, R_B, lane, n)
        of_A, of_B = load(row, R_INERTIA_A, lane, n), load(row, R_INERTIA_B, lane, n)
        store(row, R_M_N, lane, n, effective_mass(w))
        store(row, R_M_T, lane, n, effective_mass(w + (of_A * a * a + of_B * b * b)))
        store(row, R_M_R, lane, n, effective_mass(of_A + of_B))
        begin_impulses(row, lane, n, load3(row, R_NORMAL, lane, n))


@routine
def prepare_bodies(row, lanes):
    """Effective masses of bodies of any form."""
    n = len(lanes)
    for lane in range(n):
        normal, r_A, r_B = load3(row, R_NORMAL, lane, n), load3(row, R_A, lane, n), load3(row, R_B, lane, n)
        w = load(row, R_MASS_A, lane, n) + load(row, R_MASS_B, lane, n)
        of_A, of_B = load6(row, R_INERTIA_A, lane, n), load6(row, R_INERTIA_B, lane, n)
        t, b = tangents(normal)
        K_n = slip_of_impulse(w, of_A, r_A, of_B, r_B, normal)
        K_t = slip_of_impulse(w, of_A, r_A, of_B, r_B, t)
        K_b = slip_of_impulse(w, of_A, r_A, of_B, r_B, b)
        store(row, R_M_N, lane, n, effective_mass(dot(normal, K_n)))
        store3(row, R_K_N, lane, n, K_n)
        store_tangent_mass(row, lane, n, tangent_mass(w, t, b, K_t, K_b))
        store(row, R_M_R, lane, n, effective_mass(eigenvalue_bound(of_A) + eigenvalue_bound(of_B)))
        begin_impulses(row, lane, n, normal)


@routine
def prepare_drifting(row, lanes):
    """Effective masses of friction that acts beside the point, after `prepare_bodies`."""
    n = len(lanes)
    for lane in range(n):
        normal, r_A, r_B = load3(row, R_NORMAL, lane, n), load3(row, R_A, lane, n), load3(row, R_B, lane, n)
        w, shift = load(row, R_MASS_A, lane, n) + load(row, R_MASS_B, lane, n), load3(row, R_SHIFT, lane, n)
        of_A, of_B = load6(row, R_INERTIA_A, lane, n), load6(row, R_INERTIA_B, lane, n)
        at_A, at_B, (t, b) = add(r_A, shift), add(r_B, shift), tangents(normal)
        K_t = slip_of_impulse(w, of_A, at_A, of_B, at_B, t)
        K_b = slip_of_impulse(w, of_A, at_A, of_B, at_B, b)
        rates = rates_of_impulse(of_A, r_A, of_B, r_B, normal)
        store3(row, R_K_N, lane, n, add(load3(row, R_K_N, lane, n), cross(rates, shift)))
        store_tangent_mass(row, lane, n, tangent_mass(w, t, b, K_t, K_b))
