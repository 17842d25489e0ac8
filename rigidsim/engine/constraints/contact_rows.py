"""Rows of contacts: one contact a lane, with the masses of its bodies and its impulses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import floats, integers, made
from rigidsim.engine.model.contact_layout import CONTACT_POINT, INVERSE, WHO
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.contact import (
    effective_mass,
    eigenvalue_bound,
    rates_of_impulse,
    slip_of_impulse,
    tangent_mass,
    tangents,
)
from rigidsim.physics.elementary import select
from rigidsim.physics.vector import add, cross, dot, rejection

# How a contact is computed. Balls: both inverse inertias are round and both levers along the normal, so K is a number
# along n and another across; the radii are in the first places of the levers, the inertias in those of the tensors.
# Drifting: the surfaces move on their bodies, the levers change within the step, or friction acts beside the point.
BALLS, BODIES, TURNING, KINDS = 0, 1, 2, 3

LAYERS = 4  # points of one pair in one lane: a box on a face has four

CONTACT = Row(
    "a contact of A and B: normal, levers, effective masses along the normal, across it (of the largest eigenvalue),"
    " and of rolling; gap, friction, rolling radius; impulses: normal, tangent, rolling; the bias of the relaxation;"
    " the gap below which it is closed; total impulse of the step; K n, the inverse of K across n, both where friction"
    " acts; of turning contacts alone: the way to there from the point; slip of the surfaces, lever of the core, 1.0 if"
    " the levers follow it, 1.0 if it is that of B, its derivative by the outward normal; levers in this sub-step, of"
    " the slip and of the impulses. Room at the end: rows almost a page apart would share the same sets of a cache",
    normal=3, lever_A=3, lever_B=3, m_n=1, m_t=1, m_r=1, gap=1, friction=1, rolling=1, p_n=1, p_t=3, p_r=3, open=1,
    closed=1, total=3, K_n=3, K_t=6, shift=3, surface=3, core=3, follows=1, on_B=1, bend=6, end_A=3, end_B=3, arm_A=3,
    arm_B=3, _room=13,
)  # fmt: skip
BALL = Row(
    "a contact of balls, in the places of `CONTACT`: the radii in place of the levers",
    normal=3, lever_A=1, _1=2, lever_B=1, _2=2, m_n=1, m_t=1, m_r=1, gap=1, friction=1, rolling=1, p_n=1, p_t=3, p_r=3,
    open=1, closed=1, total=3,
)  # fmt: skip
MASSES = Row(
    "inverse masses and inertias of two bodies, A and B; of balls the inertias are numbers, the first of each six",
    mass_A=1, inertia_A=6, mass_B=1, inertia_B=6,
)  # fmt: skip
BODY_PAIR = Row(
    "velocities and displacements of two bodies, A and B, of the motion and of the rotation; where one is part of a"
    " tree, the impulse on B, and its moments, that on A with the opposite sign",
    v_A=3, omega_A=3, v_B=3, omega_B=3, moved_A=3, turned_A=3, moved_B=3, turned_B=3, P=3, K_A=3, K_B=3,
)  # fmt: skip


class Blocks(NamedTuple):
    """Contacts, some lanes to a block. A lane has contacts of one pair of shapes, at most as many as a block has rows:
    its layers, computed one after the other.
    """

    row: np.ndarray = floats("rows", CONTACT)
    contact: np.ndarray = integers("rows", "lanes")  # the contact point; in a spare lane that after the last one
    body_A: np.ndarray = integers("blocks", "lanes")
    body_B: np.ndarray = integers("blocks", "lanes")
    masses: np.ndarray = floats("blocks", MASSES)  # of both
    kind: np.ndarray = integers("blocks")  # of its contacts
    layers: np.ndarray = integers("blocks")  # how many layers it has; 0 if it is empty
    rolls: np.ndarray = integers("blocks")  # 1 if some contact may have rolling friction


def make_blocks(n_block: int, n_layer: int, lanes: int) -> Blocks:
    """Blocks of so many lanes, with room for so many layers."""
    return made(Blocks, {"blocks": n_block, "rows": n_layer * n_block, "lanes": lanes})


@inlined
def row_of(blocks, b, layer):
    """The number of the row of a layer of a block."""
    return b * (len(blocks.row) // len(blocks.kind)) + layer


@lanewise
def gather(body, who, lines: BODY_PAIR, place, lane):
    """One body a lane, from its row to the components from `place` on."""
    lines.put(place, tuple(body[who[lane], :6]))


@lanewise
def gather_linear(body, who, lines: BODY_PAIR, place, lane):
    """The first three components alone."""
    lines.put(place, tuple(body[who[lane], :3]))


@lanewise
def scatter(body, who, lines: BODY_PAIR, place, lane):
    """And back. No two lanes have the same body, except bodies which impulses do not change."""
    body[who[lane], :6] = lines.part(place, 6)


@lanewise
def gather_masses(inverse, who, masses: MASSES, place, lane):
    """Inverse mass and inertia of one body a lane, to the components from `place` on."""
    masses.put(place, tuple(inverse[who[lane], : INVERSE.width]))


@inlined
def gather_pair_masses(inverse, blocks, b, lanes):
    """Those of all bodies of a block."""
    gather_masses(inverse, blocks.body_A[b], blocks.masses[b], MASSES.place("mass_A"), lanes)
    gather_masses(inverse, blocks.body_B[b], blocks.masses[b], MASSES.place("mass_B"), lanes)


@inlined
def point_of(contact, point, lane):
    """The contact point of a lane."""
    return CONTACT_POINT(tuple(point[contact[lane], : CONTACT_POINT.width]))


@inlined
def fill_lane(point, row):
    """What all kinds of contacts have."""
    row.normal = point.normal
    row.gap = point.gap
    row.closed = point.closed
    row.friction = point.friction
    row.rolling = point.rolling
    row.p_n, row.p_t, row.p_r = point.p_n, point.p_t, point.p_r


@lanewise
def fill_balls(contact, points, row: BALL, lane):
    """A contact point of balls in each lane."""
    point = point_of(contact, points, lane)
    fill_lane(point, row)
    row.lever_A = dot(point.normal, point.lever_A)
    row.lever_B = -dot(point.normal, point.lever_B)


@lanewise
def fill_bodies(contact, points, row: CONTACT, lane):
    """A contact point of bodies of any form in each lane."""
    point = point_of(contact, points, lane)
    fill_lane(point, row)
    row.lever_A = point.lever_A
    row.lever_B = point.lever_B


@lanewise
def fill_turning(contact, who, points, row: CONTACT, lane):
    """What turning contacts have besides."""
    point, marks = point_of(contact, points, lane), who[contact[lane], WHO.marks]
    row.shift = point.shift
    row.surface = point.surface
    row.core = point.core
    row.follows = select((marks & at.FOLLOWING) > 0, 1.0, 0.0)
    row.on_B = select((marks & at.ON_B) > 0, 1.0, 0.0)
    row.bend = point.bend
    row.arm_A = point.lever_A
    row.arm_B = point.lever_B


@inlined
def may_roll(point: CONTACT_POINT):
    """Whether a contact point has rolling friction, or an impulse of it that was left by the last step."""
    x, y, z = point.p_r
    return point.rolling != 0.0 or x != 0.0 or y != 0.0 or z != 0.0


@lanewise
def read_impulses(contact, points, row: CONTACT, lane):
    """The impulses of the last sub-step, and the total of the step."""
    begin, end = CONTACT_POINT.p_n, CONTACT_POINT.place("core")
    points[contact[lane], begin:end] = (row.p_n, *row.p_t, *row.p_r, *row.total)


@inlined
def begin_impulses(row, normal):
    """What the last step left of the tangent impulse, in the new tangent plane; the total."""
    row.p_t = rejection(normal, row.p_t)
    row.total = (0.0, 0.0, 0.0)


@inlined
def write_tangent_mass(row, masses, r_A, r_B):
    """The inverse of K across n, and of its largest eigenvalue."""
    w, of_A, of_B = masses.mass_A + masses.mass_B, masses.inertia_A, masses.inertia_B
    t, b = tangents(row.normal)
    K_t, K_b = slip_of_impulse(w, of_A, r_A, of_B, r_B, t), slip_of_impulse(w, of_A, r_A, of_B, r_B, b)
    row.K_t, row.m_t = tangent_mass(w, t, b, K_t, K_b)


@lanewise
def prepare_balls(row: BALL, masses: MASSES, lane):
    """Effective masses of balls."""
    w = masses.mass_A + masses.mass_B
    a, b = row.lever_A, row.lever_B
    of_A, of_B = masses.inertia_A[0], masses.inertia_B[0]
    row.m_n = effective_mass(w)
    row.m_t = effective_mass(w + (of_A * a * a + of_B * b * b))
    row.m_r = effective_mass(of_A + of_B)
    begin_impulses(row, row.normal)


@lanewise
def prepare_bodies(row: CONTACT, masses: MASSES, lane):
    """Effective masses of bodies of any form."""
    normal, r_A, r_B, of_A, of_B = row.normal, row.lever_A, row.lever_B, masses.inertia_A, masses.inertia_B
    row.K_n = slip_of_impulse(masses.mass_A + masses.mass_B, of_A, r_A, of_B, r_B, normal)
    row.m_n = effective_mass(dot(normal, row.K_n))
    write_tangent_mass(row, masses, r_A, r_B)
    row.m_r = effective_mass(eigenvalue_bound(of_A) + eigenvalue_bound(of_B))
    begin_impulses(row, normal)


@lanewise
def prepare_turning(row: CONTACT, masses: MASSES, lane):
    """Effective masses of friction that acts beside the point, after `prepare_bodies`."""
    r_A, r_B, shift = row.lever_A, row.lever_B, row.shift
    rates = rates_of_impulse(masses.inertia_A, r_A, masses.inertia_B, r_B, row.normal)
    row.K_n = add(row.K_n, cross(rates, shift))
    write_tangent_mass(row, masses, add(r_A, shift), add(r_B, shift))
