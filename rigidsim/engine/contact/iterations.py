"""The iterations of the solver: all contacts of one block, once."""

from __future__ import annotations

from rigidsim.engine.contact import rows as at
from rigidsim.engine.layout import load, load3, load6, store, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import (
    carried,
    friction_impulse,
    normal_impulse,
    opposing_impulse,
    sagitta,
    slip,
    slip_of_balls,
)
from rigidsim.physics.elementary import select
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, cross, dot, scaled, sub

NEVER_CLOSES = 1e9  # m/s, the bias in the relaxation of a contact that is open and has no impulse: it is left alone


@inlined
def turn_bodies(row, lines, lane, n, K_A, K_B):
    """Moment K_B on B, and -K_A on A."""
    turn_A, turn_B = apply(load6(row, at.R_INERTIA_A, lane, n), K_A), apply(load6(row, at.R_INERTIA_B, lane, n), K_B)
    store3(lines, at.L_A + 3, lane, n, sub(load3(lines, at.L_A + 3, lane, n), turn_A))
    store3(lines, at.L_B + 3, lane, n, add(load3(lines, at.L_B + 3, lane, n), turn_B))


@inlined
def push_bodies(row, lines, lane, n, levers, P, K):
    """Impulse P at the contact and moment K on B, the opposite on A; `levers`: the first of R_A and R_B, or of R_ARM_A
    and R_ARM_B.
    """
    w_A, w_B = load(row, at.R_MASS_A, lane, n), load(row, at.R_MASS_B, lane, n)
    K_A = add(cross(load3(row, levers, lane, n), P), K)
    K_B = add(cross(load3(row, levers + 3, lane, n), P), K)
    store3(lines, at.L_A, lane, n, sub(load3(lines, at.L_A, lane, n), scaled(w_A, P)))
    store3(lines, at.L_B, lane, n, add(load3(lines, at.L_B, lane, n), scaled(w_B, P)))
    turn_bodies(row, lines, lane, n, K_A, K_B)


@inlined
def push_balls(row, lines, lane, n, P, K):
    """`push_bodies` with levers a n of A and -b n of B."""
    w_A, w_B = load(row, at.R_MASS_A, lane, n), load(row, at.R_MASS_B, lane, n)
    a, b = load(row, at.R_A, lane, n), load(row, at.R_B, lane, n)
    of_A, of_B = load(row, at.R_INERTIA_A, lane, n), load(row, at.R_INERTIA_B, lane, n)
    moment = cross(load3(row, at.R_NORMAL, lane, n), P)
    turn_A, turn_B = scaled(of_A, add(K, scaled(a, moment))), scaled(of_B, sub(K, scaled(b, moment)))
    store3(lines, at.L_A, lane, n, sub(load3(lines, at.L_A, lane, n), scaled(w_A, P)))
    store3(lines, at.L_B, lane, n, add(load3(lines, at.L_B, lane, n), scaled(w_B, P)))
    store3(lines, at.L_A + 3, lane, n, sub(load3(lines, at.L_A + 3, lane, n), turn_A))
    store3(lines, at.L_B + 3, lane, n, add(load3(lines, at.L_B + 3, lane, n), turn_B))


@inlined
def impulse(row, lane, n):
    """Normal and tangent impulse."""
    normal = scaled(load(row, at.R_PN, lane, n), load3(row, at.R_NORMAL, lane, n))
    return add(normal, load3(row, at.R_PT, lane, n))


@inlined
def slip_at(row, lines, lane, n, levers, place):
    """The slip of the velocities, or of the displacements, that begin at `place` of A and six later of B; `levers`: the
    first of those of A and B.
    """
    return slip(
        load3(lines, place, lane, n), load3(lines, place + 3, lane, n), load3(row, levers, lane, n),
        load3(lines, place + 6, lane, n), load3(lines, place + 9, lane, n), load3(row, levers + 3, lane, n),
    )  # fmt: skip


@inlined
def rates_at(lines, lane, n):
    """The rate of B minus that of A."""
    return sub(load3(lines, at.L_B + 3, lane, n), load3(lines, at.L_A + 3, lane, n))


@inlined
def rolled(row, lines, lane, n, q_n):
    """The rolling impulse, and its change."""
    old, limit = load3(row, at.R_PR, lane, n), load(row, at.R_ROLLING, lane, n) * q_n
    new = opposing_impulse(old, load(row, at.R_M_R, lane, n), rates_at(lines, lane, n), limit)
    store3(row, at.R_PR, lane, n, new)
    return sub(new, old)


@inlined
def resolve_bodies(row, lines, lane, n, drifts, u, bias, stiff, soft):
    """One contact, once, with slip u; returns its normal impulse. `drifts`: whether it is drifting."""
    normal, p_n, p_t = load3(row, at.R_NORMAL, lane, n), load(row, at.R_PN, lane, n), load3(row, at.R_PT, lane, n)
    q_n = normal_impulse(p_n, load(row, at.R_M_N, lane, n), dot(normal, u), bias, stiff, soft)
    if drifts:
        u = add(u, cross(rates_at(lines, lane, n), load3(row, at.R_SHIFT, lane, n)))
    u = add(u, scaled(q_n - p_n, load3(row, at.R_K_N, lane, n)))
    inverse, limit = load6(row, at.R_K_T, lane, n), load(row, at.R_FRICTION, lane, n) * q_n
    q_t = friction_impulse(p_t, normal, u, inverse, load(row, at.R_M_T, lane, n), limit)
    K, dP = rolled(row, lines, lane, n, q_n), sub(q_t, p_t)
    if drifts:
        K = add(K, cross(load3(row, at.R_SHIFT, lane, n), dP))
    store(row, at.R_PN, lane, n, q_n)
    store3(row, at.R_PT, lane, n, q_t)
    push_bodies(row, lines, lane, n, at.R_ARM_A if drifts else at.R_A, add(scaled(q_n - p_n, normal), dP), K)
    return q_n


@inlined
def resolve_balls(row, lines, lane, n, bias, stiff, soft):
    """`resolve_bodies` of balls: K n is along n, and K across n is a number."""
    normal, p_n, p_t = load3(row, at.R_NORMAL, lane, n), load(row, at.R_PN, lane, n), load3(row, at.R_PT, lane, n)
    u = slip_of_balls(
        load3(lines, at.L_A, lane, n), load3(lines, at.L_A + 3, lane, n), load(row, at.R_A, lane, n),
        load3(lines, at.L_B, lane, n), load3(lines, at.L_B + 3, lane, n), load(row, at.R_B, lane, n), normal,
    )  # fmt: skip
    u_n = dot(normal, u)
    q_n = normal_impulse(p_n, load(row, at.R_M_N, lane, n), u_n, bias, stiff, soft)
    u_t, limit = sub(u, scaled(u_n, normal)), load(row, at.R_FRICTION, lane, n) * q_n
    q_t = opposing_impulse(p_t, load(row, at.R_M_T, lane, n), u_t, limit)
    K = rolled(row, lines, lane, n, q_n)
    store(row, at.R_PN, lane, n, q_n)
    store3(row, at.R_PT, lane, n, q_t)
    push_balls(row, lines, lane, n, add(scaled(q_n - p_n, normal), sub(q_t, p_t)), K)
    return q_n


@inlined
def lever_changes(row, lines, lane, n, s):
    """By how much the levers of A and B have changed s seconds after the beginning of the sub-step."""
    v_A, omega_A = load3(lines, at.L_A, lane, n), load3(lines, at.L_A + 3, lane, n)
    moved = sub(load3(lines, at.L_MOVED_A, lane, n), load3(lines, at.L_MOVED_B, lane, n))
    travel = add(moved, scaled(s, sub(v_A, load3(lines, at.L_B, lane, n))))
    theta, follows = add(load3(lines, at.L_MOVED_A + 3, lane, n), scaled(s, omega_A)), load(row, at.R_SWEPT, lane, n)
    of_A = scaled(follows, carried(load3(row, at.R_CORE, lane, n), theta))
    return of_A, add(scaled(follows, travel), of_A)


@inlined
def move_lever(row, lever, arm, change, P, lane, n):
    """Write the lever of the impulses; returns the moment that P, which is applied already, has by its change."""
    old, new = load3(row, arm, lane, n), add(load3(row, lever, lane, n), change)
    store3(row, arm, lane, n, new)
    return cross(sub(new, old), P)


@inlined
def follow_motion(row, lines, lane, n, s):
    """Write the levers of the slip, those at the end of the sub-step, and move the impulses to those in its middle."""
    P, (end_A, end_B) = impulse(row, lane, n), lever_changes(row, lines, lane, n, s)
    middle_A, middle_B = lever_changes(row, lines, lane, n, 0.5 * s)
    store3(row, at.R_END_A, lane, n, add(load3(row, at.R_A, lane, n), end_A))
    store3(row, at.R_END_B, lane, n, add(load3(row, at.R_B, lane, n), end_B))
    K_A = move_lever(row, at.R_A, at.R_ARM_A, middle_A, P, lane, n)
    K_B = move_lever(row, at.R_B, at.R_ARM_B, middle_B, P, lane, n)
    turn_bodies(row, lines, lane, n, K_A, K_B)


@inlined
def displacement_at(row, lines, lane, n):
    """Of B's point relative to A's, m, that of a core which its lever follows to second order."""
    bend = sagitta(load3(row, at.R_CORE, lane, n), load3(lines, at.L_MOVED_A + 3, lane, n))
    return sub(slip_at(row, lines, lane, n, at.R_A, at.L_MOVED_A), scaled(load(row, at.R_SWEPT, lane, n), bend))


@inlined
def contact_law(gap, closed, s, rate, stiff, soft):
    """(bias, stiff, soft): an open gap may close within the sub-step, an overlap is a soft constraint. A gap that
    differs from zero by rounding alone is closed: otherwise the rounding would decide which of the two it is.
    """
    apart = gap > closed
    return gap * select(apart, 1.0 / s, rate), select(apart, 1.0, stiff), select(apart, 0.0, soft)


@inlined
def finish_correction(row, lane, n, apart, q_n):
    """What the relaxation needs to know: whether the contact has closed."""
    store(row, at.R_OPEN, lane, n, select(apart, 1.0, 0.0) * select(q_n > 0.0, 0.0, NEVER_CLOSES))


@inlined
def resolve_drifting(row, lines, lane, n, bias, stiff, soft):
    """`resolve_bodies`, with the slip of the surfaces."""
    u = add(slip_at(row, lines, lane, n, at.R_END_A, at.L_A), load3(row, at.R_SURFACE, lane, n))
    return resolve_bodies(row, lines, lane, n, True, u, bias, stiff, soft)


@routine
def push_block(row, lines, kind, lanes):
    """The impulses of the last step."""
    n = len(lanes)
    if kind == at.BALLS:
        for lane in range(n):
            push_balls(row, lines, lane, n, impulse(row, lane, n), load3(row, at.R_PR, lane, n))
    elif kind == at.BODIES:
        for lane in range(n):
            push_bodies(row, lines, lane, n, at.R_A, impulse(row, lane, n), load3(row, at.R_PR, lane, n))
    else:
        for lane in range(n):
            K = add(load3(row, at.R_PR, lane, n), cross(load3(row, at.R_SHIFT, lane, n), load3(row, at.R_PT, lane, n)))
            push_bodies(row, lines, lane, n, at.R_A, impulse(row, lane, n), K)


@routine
def correct_balls(row, lines, s, rate, stiff, soft, lanes):
    """Impulses of a sub-step, overlaps included."""
    n = len(lanes)
    for lane in range(n):
        moved = sub(load3(lines, at.L_MOVED_B, lane, n), load3(lines, at.L_MOVED_A, lane, n))
        gap = load(row, at.R_GAP, lane, n) + dot(load3(row, at.R_NORMAL, lane, n), moved)
        closed = load(row, at.R_CLOSED, lane, n)
        law = contact_law(gap, closed, s, rate, stiff, soft)
        q_n = resolve_balls(row, lines, lane, n, law[0], law[1], law[2])
        finish_correction(row, lane, n, gap > closed, q_n)


@routine
def relax_balls(row, lines, lanes):
    """Impulses that remove the velocity by which overlapping bodies were parted."""
    n = len(lanes)
    for lane in range(n):
        resolve_balls(row, lines, lane, n, load(row, at.R_OPEN, lane, n), 1.0, 0.0)


@routine
def correct_bodies(row, lines, s, rate, stiff, soft, lanes):
    """`correct_balls` of bodies of any form."""
    n = len(lanes)
    for lane in range(n):
        moved = slip_at(row, lines, lane, n, at.R_A, at.L_MOVED_A)
        gap = load(row, at.R_GAP, lane, n) + dot(load3(row, at.R_NORMAL, lane, n), moved)
        closed = load(row, at.R_CLOSED, lane, n)
        law = contact_law(gap, closed, s, rate, stiff, soft)
        u = slip_at(row, lines, lane, n, at.R_A, at.L_A)
        q_n = resolve_bodies(row, lines, lane, n, False, u, law[0], law[1], law[2])
        finish_correction(row, lane, n, gap > closed, q_n)


@routine
def relax_bodies(row, lines, lanes):
    """`relax_balls` of bodies of any form."""
    n = len(lanes)
    for lane in range(n):
        u = slip_at(row, lines, lane, n, at.R_A, at.L_A)
        resolve_bodies(row, lines, lane, n, False, u, load(row, at.R_OPEN, lane, n), 1.0, 0.0)


@routine
def follow_block(row, lines, s, lanes):
    """Levers and slip of drifting contacts for a sub-step."""
    n = len(lanes)
    for lane in range(n):
        follow_motion(row, lines, lane, n, s)


@routine
def correct_drifting(row, lines, s, rate, stiff, soft, lanes):
    """`correct_bodies`, with levers and surfaces that move."""
    n = len(lanes)
    for lane in range(n):
        moved = displacement_at(row, lines, lane, n)
        gap = load(row, at.R_GAP, lane, n) + dot(load3(row, at.R_NORMAL, lane, n), moved)
        closed = load(row, at.R_CLOSED, lane, n)
        law = contact_law(gap, closed, s, rate, stiff, soft)
        q_n = resolve_drifting(row, lines, lane, n, law[0], law[1], law[2])
        finish_correction(row, lane, n, gap > closed, q_n)


@routine
def relax_drifting(row, lines, lanes):
    """`relax_bodies`, with levers and surfaces that move."""
    n = len(lanes)
    for lane in range(n):
        resolve_drifting(row, lines, lane, n, load(row, at.R_OPEN, lane, n), 1.0, 0.0)


@routine
def add_total(row, lanes):
    """Add the impulses of a sub-step to the totals of the step."""
    n = len(lanes)
    for lane in range(n):
        store3(row, at.R_TOTAL, lane, n, add(load3(row, at.R_TOTAL, lane, n), impulse(row, lane, n)))
