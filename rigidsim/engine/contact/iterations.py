"""The iterations of the solver: all contacts of one block, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rigidsim.engine.constraints.contact_rows import BALL, BODY_PAIR, CONTACT, MASSES
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.contact import (
    friction_impulse,
    normal_impulse,
    opposing_impulse,
    sagitta,
    slip,
    slip_of_balls,
    small_swing,
)
from rigidsim.physics.elementary import select, select3
from rigidsim.physics.impulses import moment, respond
from rigidsim.physics.inertia import apply
from rigidsim.physics.supports import bulge, rolled_on
from rigidsim.physics.vector import ZERO, add, cross, dot, scaled, sub

LARGEST_TURN = 1.0  # rad
NEVER_CLOSES = 1e9  # m/s, the bias in the relaxation of a contact that is open and has no impulse: it is left alone


@inlined
def turn_bodies(row, masses, bodies, K_A, K_B):
    """Moment K_B on B, and -K_A on A."""
    turn_A, turn_B = apply(masses.inertia_A, K_A), apply(masses.inertia_B, K_B)
    bodies.omega_A = sub(bodies.omega_A, turn_A)
    bodies.omega_B = add(bodies.omega_B, turn_B)


@inlined
def push_bodies(row, masses, bodies, r_A, r_B, P, K):
    """Impulse P at the contact, with these levers, and moment K on B, the opposite on A."""
    dv_A, turn_A = respond(masses.mass_A, masses.inertia_A, r_A, P, K)
    dv_B, turn_B = respond(masses.mass_B, masses.inertia_B, r_B, P, K)
    bodies.v_A = sub(bodies.v_A, dv_A)
    bodies.v_B = add(bodies.v_B, dv_B)
    bodies.omega_A = sub(bodies.omega_A, turn_A)
    bodies.omega_B = add(bodies.omega_B, turn_B)


@inlined
def note_push(row, masses, bodies, r_A, r_B, P, K):
    """`push_bodies` of which the effect is found elsewhere: trees answer as a whole."""
    bodies.P = P
    bodies.K_A = moment(r_A, P, K)
    bodies.K_B = moment(r_B, P, K)


@inlined
def note_moments(row, masses, bodies, K_A, K_B):
    """`turn_bodies`, likewise."""
    bodies.P = ZERO
    bodies.K_A = K_A
    bodies.K_B = K_B


@inlined
def push_balls(row, masses, bodies, P, K):
    """`push_bodies` with levers a n of A and -b n of B."""
    a, b = row.lever_A, row.lever_B
    of_A, of_B = masses.inertia_A[0], masses.inertia_B[0]
    couple = cross(row.normal, P)
    turn_A, turn_B = scaled(of_A, add(K, scaled(a, couple))), scaled(of_B, sub(K, scaled(b, couple)))
    bodies.v_A = sub(bodies.v_A, scaled(masses.mass_A, P))
    bodies.v_B = add(bodies.v_B, scaled(masses.mass_B, P))
    bodies.omega_A = sub(bodies.omega_A, turn_A)
    bodies.omega_B = add(bodies.omega_B, turn_B)


@inlined
def impulse(row):
    """Normal and tangent impulse."""
    return add(scaled(row.p_n, row.normal), row.p_t)


@inlined
def rates_at(bodies):
    """The rate of B minus that of A."""
    return sub(bodies.omega_B, bodies.omega_A)


@inlined
def rolled(row, bodies, q_n):
    """Change the rolling impulse; returns by how much."""
    old, limit = row.p_r, row.rolling * q_n
    new = opposing_impulse(old, row.m_r, rates_at(bodies), limit)
    row.p_r = new
    return sub(new, old)


@inlined
def not_rolled(row, bodies, q_n):
    """`rolled` without rolling friction."""
    return ZERO


@inlined
def resolve_slip(row, masses, bodies, turns, roll, push, u, law):
    """One contact, once, with slip u, by its law; returns its normal impulse. `turns`: whether its levers turn; `roll`:
    what rolling friction does; `push`: what its impulses do.
    """
    normal, p_n, p_t = row.normal, row.p_n, row.p_t
    q_n = normal_impulse(p_n, row.m_n, dot(normal, u), law[0], law[1], law[2])
    if turns:
        u = add(u, cross(rates_at(bodies), row.shift))
    u = add(u, scaled(q_n - p_n, row.K_n))
    inverse, limit = row.K_t, row.friction * q_n
    q_t = friction_impulse(p_t, normal, u, inverse, row.m_t, limit)
    K, dP = roll(row, bodies, q_n), sub(q_t, p_t)
    if turns:
        K = add(K, cross(row.shift, dP))
    row.p_n = q_n
    row.p_t = q_t
    r_A, r_B = (row.arm_A, row.arm_B) if turns else (row.lever_A, row.lever_B)
    push(row, masses, bodies, r_A, r_B, add(scaled(q_n - p_n, normal), dP), K)
    return q_n


@inlined
def resolve_bodies(row, masses, bodies, roll, law):
    """One contact of bodies of any form, once; returns its normal impulse."""
    u = slip(bodies.v_A, bodies.omega_A, row.lever_A, bodies.v_B, bodies.omega_B, row.lever_B)
    return resolve_slip(row, masses, bodies, False, roll, push_bodies, u, law)


@inlined
def slip_of_surfaces(row, bodies):
    """With levers and surfaces that move."""
    return add(slip(bodies.v_A, bodies.omega_A, row.end_A, bodies.v_B, bodies.omega_B, row.end_B), row.surface)


@inlined
def resolve_turning(row, masses, bodies, roll, law):
    """`resolve_bodies`, with levers and surfaces that move."""
    return resolve_slip(row, masses, bodies, True, roll, push_bodies, slip_of_surfaces(row, bodies), law)


@inlined
def resolve_in_tree(row, masses, bodies, roll, law):
    """`resolve_turning` where a body is part of a tree."""
    return resolve_slip(row, masses, bodies, True, roll, note_push, slip_of_surfaces(row, bodies), law)


@inlined
def resolve_balls(row: BALL, masses, bodies, roll, law):
    """`resolve_bodies` of balls: K n is along n, and K across n is a number."""
    normal, p_n, p_t = row.normal, row.p_n, row.p_t
    u = slip_of_balls(
        bodies.v_A, bodies.omega_A, row.lever_A,
        bodies.v_B, bodies.omega_B, row.lever_B, normal,
    )  # fmt: skip
    u_n = dot(normal, u)
    q_n = normal_impulse(p_n, row.m_n, u_n, law[0], law[1], law[2])
    u_t, limit = sub(u, scaled(u_n, normal)), row.friction * q_n
    q_t = opposing_impulse(p_t, row.m_t, u_t, limit)
    K = roll(row, bodies, q_n)
    row.p_n = q_n
    row.p_t = q_t
    push_balls(row, masses, bodies, add(scaled(q_n - p_n, normal), sub(q_t, p_t)), K)
    return q_n


@inlined
def lever_changes(row, bodies, s):
    """By how much the levers of A and B have changed s seconds after the beginning of the sub-step."""
    on_B = row.on_B > 0.0
    travel = add(sub(bodies.moved_A, bodies.moved_B), scaled(s, sub(bodies.v_A, bodies.v_B)))
    theta = add(turned_core(row, bodies), scaled(s, select3(on_B, bodies.omega_B, bodies.omega_A)))
    follows = followed(row, theta)
    moved = add(small_swing(row.core, theta), rolled_on(row.bend, outward(row), theta))
    way, moved = scaled(follows, travel), scaled(follows, moved)
    return select3(on_B, sub(moved, way), moved), select3(on_B, moved, add(way, moved))


@inlined
def followed(row, theta):
    """1.0 if the levers follow a core with this turn since the beginning of the step: not a large one, as they do so to
    second order.
    """
    return select(dot(theta, theta) < LARGEST_TURN * LARGEST_TURN, row.follows, 0.0)


@inlined
def turned_core(row, bodies):
    """The turn of the body whose core the levers follow."""
    return select3(row.on_B > 0.0, bodies.turned_B, bodies.turned_A)


@inlined
def outward(row):
    """The outward normal of that body."""
    return scaled(select(row.on_B > 0.0, -1.0, 1.0), row.normal)


@inlined
def follow_motion(turn, row, masses, bodies, s):
    """Write the levers of the slip, those at the end of the sub-step, and move the impulses to those in its middle."""
    P, (end_A, end_B) = impulse(row), lever_changes(row, bodies, s)
    middle_A, middle_B = lever_changes(row, bodies, 0.5 * s)
    row.end_A, row.end_B = add(row.lever_A, end_A), add(row.lever_B, end_B)
    arm_A, arm_B = add(row.lever_A, middle_A), add(row.lever_B, middle_B)
    # The moments that P, which is applied already, has by the changes of its levers.
    K_A, K_B = cross(sub(arm_A, row.arm_A), P), cross(sub(arm_B, row.arm_B), P)
    row.arm_A, row.arm_B = arm_A, arm_B
    turn(row, masses, bodies, K_A, K_B)


@inlined
def displacement_of_balls(row, bodies):
    """Of B's point relative to A's, m, along the normal: turns add nothing to it."""
    return sub(bodies.moved_B, bodies.moved_A)


@inlined
def displacement_of_bodies(row, bodies):
    """Of B's point relative to A's, m."""
    return slip(bodies.moved_A, bodies.turned_A, row.lever_A, bodies.moved_B, bodies.turned_B, row.lever_B)


@inlined
def displacement_of_turning(row, bodies):
    """Of B's point relative to A's, m, that of a core which its lever follows to second order."""
    on_B, theta, n = row.on_B > 0.0, turned_core(row, bodies), outward(row)
    of_core = scaled(followed(row, theta), add(sagitta(row.core, theta), bulge(row.bend, n, theta)))
    between = displacement_of_bodies(row, bodies)
    return select3(on_B, add(between, of_core), sub(between, of_core))


@inlined
def push_last_of_balls(row: BALL, masses, bodies):
    """The impulses of the last step."""
    push_balls(row, masses, bodies, impulse(row), row.p_r)


@inlined
def push_last_of_bodies(row, masses, bodies):
    """The impulses of the last step."""
    push_bodies(row, masses, bodies, row.lever_A, row.lever_B, impulse(row), row.p_r)


@inlined
def push_last_of_turning(row, masses, bodies):
    """The impulses of the last step; those of friction act beside the point."""
    push_bodies(row, masses, bodies, row.lever_A, row.lever_B, impulse(row), add(row.p_r, cross(row.shift, row.p_t)))


@inlined
def push_last_in_tree(row, masses, bodies):
    """`push_last_of_turning` where a body is part of a tree."""
    note_push(row, masses, bodies, row.lever_A, row.lever_B, impulse(row), add(row.p_r, cross(row.shift, row.p_t)))


class Way(NamedTuple):
    """How the contacts of one kind are computed."""

    push: Callable
    displacement: Callable
    resolve: Callable
    turn: Callable = turn_bodies  # what moments do
    roll: Callable = rolled  # what rolling friction does


ROLLING = (
    Way(push_last_of_balls, displacement_of_balls, resolve_balls),
    Way(push_last_of_bodies, displacement_of_bodies, resolve_bodies),
    Way(push_last_of_turning, displacement_of_turning, resolve_turning),
)
WAYS = (tuple(way._replace(roll=not_rolled) for way in ROLLING), ROLLING)
"""Without and with rolling friction, by kind: BALLS, BODIES, TURNING."""
IN_TREE = Way(push_last_in_tree, displacement_of_turning, resolve_in_tree, note_moments)
"""Of bodies in trees."""


@inlined
def contact_law(gap, closed, s, softness):
    """(bias, stiff, soft): an open gap may close within the sub-step, an overlap is a soft constraint. A gap that
    differs from zero by rounding alone is closed: otherwise the rounding would decide which of the two it is.
    """
    rate, stiff, soft = softness
    apart = gap > closed
    return gap * select(apart, 1.0 / s, rate), select(apart, 1.0, stiff), select(apart, 0.0, soft)


@lanewise
def push_block(way, row: CONTACT, masses: MASSES, bodies: BODY_PAIR, lane):
    """The impulses of the last step."""
    way.push(row, masses, bodies)


@lanewise
def correct_block(way, row: CONTACT, masses: MASSES, bodies: BODY_PAIR, s, softness, lane):
    """Impulses of a sub-step, overlaps included; the bias of the relaxation depends on whether the contact closed."""
    moved, closed = way.displacement(row, bodies), row.closed
    gap = row.gap + dot(row.normal, moved)
    q_n = way.resolve(row, masses, bodies, way.roll, contact_law(gap, closed, s, softness))
    row.open = select(gap > closed, 1.0, 0.0) * select(q_n > 0.0, 0.0, NEVER_CLOSES)


@lanewise
def relax_block(way, row: CONTACT, masses: MASSES, bodies: BODY_PAIR, lane):
    """Impulses that remove the velocity by which overlapping bodies were parted."""
    way.resolve(row, masses, bodies, way.roll, (row.open, 1.0, 0.0))


@lanewise
def follow_block(way, row: CONTACT, masses: MASSES, bodies: BODY_PAIR, s, lane):
    """Levers and slip of turning contacts for a sub-step."""
    follow_motion(way.turn, row, masses, bodies, s)


@lanewise
def add_total(row: CONTACT, lane):
    """Add the impulses of a sub-step to the totals of the step."""
    row.total = add(row.total, impulse(row))
