"""The solver of contacts: sub-steps of soft contact, warm start, and relaxation, for all contacts of a step.

Within the step the smooth motion is a ramp: each sub-step adds `smooth` to the velocities, and again what contacts
added in the last one (`push`). A correction of all contacts, in which overlaps count, gives the displacements; a
relaxation, without the overlaps, the velocities. Contacts are computed in blocks of lanes (`colours`), those that find
no colour one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact import rows as at
from rigidsim.engine.contact.colours import COLOURS, GROUP, NO_CONTACT, colour_contacts, sort_bodies
from rigidsim.engine.contact.iterations import (
    add_total,
    correct_balls,
    correct_bodies,
    correct_drifting,
    follow_block,
    push_block,
    relax_balls,
    relax_bodies,
    relax_drifting,
)
from rigidsim.engine.contact.rows import (
    BALLS,
    BODIES,
    DRIFTING,
    KINDS,
    clear_lane,
    fill_lane,
    gather,
    gather_linear,
    prepare_balls,
    prepare_bodies,
    prepare_drifting,
    read_lane,
    scatter,
)
from rigidsim.engine.layout import load3, store3
from rigidsim.engine.model import zeros
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import lasting, mean_velocity, softness
from rigidsim.physics.elementary import select
from rigidsim.physics.vector import add, scaled, sub

ONE = (0.0,)  # the lane of a single contact


class Blocks(NamedTuple):
    """Contacts, some lanes to a block."""

    row: np.ndarray  # (block, ROWS * lanes)
    body_A: np.ndarray  # (block, lanes)
    body_B: np.ndarray  # (block, lanes)
    contact: np.ndarray  # (block, lanes) the contact point, or NO_CONTACT
    kind: np.ndarray  # (block) of its contacts


class SolverArrays(NamedTuple):
    """The working arrays of the solver; nothing in them is kept from step to step."""

    block: Blocks
    single: Blocks  # contacts without a colour
    lines: np.ndarray  # (LANE_ROWS * lanes) the bodies of one block
    form: np.ndarray  # (contact body and dummy)
    used: np.ndarray  # (contact body and dummy) its colours, one bit each
    touched: np.ndarray  # (contact body and dummy) 1 if contacts changed its velocity at any time of the step
    size: np.ndarray  # (3) blocks and single contacts of this step; 1 if more than two sweeps changed velocities
    trial: np.ndarray  # (contact body and dummy, LINE_ROWS) velocities before a sweep
    next_place: np.ndarray  # (COLOURS * KINDS) of the group that is being filled
    capacity: int  # contact points that there is room for


def make_blocks(count: int, lanes: int) -> Blocks:
    """So many blocks."""
    body_A, body_B, contact = (np.zeros((count, lanes), np.int64) for _ in range(3))
    return Blocks(zeros(count, at.ROWS * lanes), body_A, body_B, contact, np.zeros(count, np.int64))


def make_solver(n_body: int, n_point: int, lanes: tuple) -> SolverArrays:
    """Arrays for n_point contact points of n_body contact bodies; one group of each colour and kind may stay open."""
    n, n_open = len(lanes), COLOURS * KINDS
    n_group = min(n_point, n_point // GROUP + n_open)
    return SolverArrays(
        make_blocks(n_group * (GROUP // n), n), make_blocks(n_point, 1), zeros(at.LANE_ROWS * n),
        *(np.zeros(n_body + 1, np.int64) for _ in range(3)), np.zeros(3, np.int64), zeros(n_body + 1, c.LINE_ROWS),
        np.zeros(n_open, np.int64), n_point,
    )  # fmt: skip


@inlined
def fill_blocks(blocks, n_block, point_who, point, inverse, dummy, lanes):
    """The rows of all contacts; a block at a time, which stays in the cache. Spare lanes act on the dummy body."""
    n = len(lanes)
    for b in range(n_block):
        row, kind = blocks.row[b], blocks.kind[b]
        for lane in range(n):
            m = blocks.contact[b, lane]
            blocks.body_A[b, lane], blocks.body_B[b, lane] = dummy, dummy
            if m == NO_CONTACT:
                clear_lane(row, lane, lanes)
            else:
                blocks.body_A[b, lane], blocks.body_B[b, lane] = point_who[m, c.POINT_A], point_who[m, c.POINT_B]
                fill_lane(row, lane, kind, point_who[m], point[m], inverse, lanes)
        if kind == BALLS:
            prepare_balls(row, lanes)
        else:
            prepare_bodies(row, lanes)
        if kind == DRIFTING:
            prepare_drifting(row, lanes)


@inlined
def read_blocks(blocks, n_block, point, lanes):
    """The impulses of all contacts."""
    for b in range(n_block):
        for lane in range(len(lanes)):
            if blocks.contact[b, lane] != NO_CONTACT:
                read_lane(blocks.row[b], lane, point[blocks.contact[b, lane]], lanes)


@inlined
def begin_substep(first, vel, smooth, push, began, n_body):
    """Add the smooth motion of a sub-step, and the jumps that contacts made in the last one."""
    for i in range(n_body):
        for lane in range(c.LINE_ROWS):
            jump = select(first, 0.0, vel[i, lane] - began[i, lane])
            push[i, lane] = jump
            began[i, lane] = vel[i, lane] + smooth[i, lane]
            vel[i, lane] = began[i, lane] + jump


@inlined
def read_push(vel, push, began, n_body):
    """What the warm start added."""
    for i in range(n_body):
        for lane in range(c.LINE_ROWS):
            push[i, lane] = vel[i, lane] - began[i, lane]


@inlined
def mark_touched(vel, began, touched, i):
    """Note that contacts changed the velocity of a body."""
    for k in range(6):
        if vel[i, k] != began[i, k]:
            touched[i] = 1


@inlined
def displace(s, vel, moved, smooth, push, began, touched, n_body):
    """Add the displacements of a sub-step."""
    for i in range(n_body):
        mark_touched(vel, began, touched, i)
        for k in range(0, 6, 3):
            v, old = load3(vel[i], k, 0, 1), load3(push[i], k, 0, 1)
            lasts = lasting(old, sub(v, load3(began[i], k, 0, 1)))
            mean = mean_velocity(v, load3(smooth[i], k, 0, 1), lasts)
            store3(moved[i], k, 0, 1, add(load3(moved[i], k, 0, 1), scaled(s, mean)))


@inlined
def push_all(vel, blocks, n_block, lines, lanes):
    """Warm start: the impulses of the last step."""
    for b in range(n_block):
        gather(vel, blocks.body_A[b], lines, at.L_A, lanes)
        gather(vel, blocks.body_B[b], lines, at.L_B, lanes)
        push_block(blocks.row[b], lines, blocks.kind[b], lanes)
        scatter(vel, blocks.body_A[b], lines, at.L_A, lanes)
        scatter(vel, blocks.body_B[b], lines, at.L_B, lanes)


@inlined
def follow_all(s, vel, moved, blocks, n_block, lines, lanes):
    """All contacts whose levers or surfaces move: before any of them is corrected, as the moments of impulses at the
    places of one body, which move together, add up to little.
    """
    for b in range(n_block):
        if blocks.kind[b] == DRIFTING:
            gather(vel, blocks.body_A[b], lines, at.L_A, lanes)
            gather(vel, blocks.body_B[b], lines, at.L_B, lanes)
            gather(moved, blocks.body_A[b], lines, at.L_MOVED_A, lanes)
            gather(moved, blocks.body_B[b], lines, at.L_MOVED_B, lanes)
            follow_block(blocks.row[b], lines, s, lanes)
            scatter(vel, blocks.body_A[b], lines, at.L_A, lanes)
            scatter(vel, blocks.body_B[b], lines, at.L_B, lanes)


@inlined
def correct_all(s, part, vel, moved, blocks, n_block, lines, lanes):
    """All contacts, overlaps included."""
    rate, stiff, soft = softness(s, part)
    for b in range(n_block):
        row, kind = blocks.row[b], blocks.kind[b]
        gather(vel, blocks.body_A[b], lines, at.L_A, lanes)
        gather(vel, blocks.body_B[b], lines, at.L_B, lanes)
        if kind == BALLS:
            gather_linear(moved, blocks.body_A[b], lines, at.L_MOVED_A, lanes)
            gather_linear(moved, blocks.body_B[b], lines, at.L_MOVED_B, lanes)
        else:
            gather(moved, blocks.body_A[b], lines, at.L_MOVED_A, lanes)
            gather(moved, blocks.body_B[b], lines, at.L_MOVED_B, lanes)
        if kind == BALLS:
            correct_balls(row, lines, s, rate, stiff, soft, lanes)
        elif kind == BODIES:
            correct_bodies(row, lines, s, rate, stiff, soft, lanes)
        else:
            correct_drifting(row, lines, s, rate, stiff, soft, lanes)
        scatter(vel, blocks.body_A[b], lines, at.L_A, lanes)
        scatter(vel, blocks.body_B[b], lines, at.L_B, lanes)


@inlined
def relax_all(vel, blocks, n_block, lines, lanes):
    """All contacts, without the overlaps."""
    for b in range(n_block):
        row, kind = blocks.row[b], blocks.kind[b]
        gather(vel, blocks.body_A[b], lines, at.L_A, lanes)
        gather(vel, blocks.body_B[b], lines, at.L_B, lanes)
        if kind == BALLS:
            relax_balls(row, lines, lanes)
        elif kind == BODIES:
            relax_bodies(row, lines, lanes)
        else:
            relax_drifting(row, lines, lanes)
        scatter(vel, blocks.body_A[b], lines, at.L_A, lanes)
        scatter(vel, blocks.body_B[b], lines, at.L_B, lanes)


@inlined
def total_all(blocks, n_block, lanes):
    """Add the impulses of a sub-step to the totals."""
    for b in range(n_block):
        add_total(blocks.row[b], lanes)


@inlined
def keep_velocities(vel, trial, n_sweep, n_body):
    """Those before a sweep, if there may be another one."""
    if n_sweep > 1:
        for i in range(n_body):
            for lane in range(c.LINE_ROWS):
                trial[i, lane] = vel[i, lane]


@inlined
def have_settled(m, vel, least, n_body, arrays):
    """Whether sweep m changed no velocity by more than `least`."""
    for i in range(n_body):
        for lane in range(6):
            if abs(vel[i, lane] - arrays.trial[i, lane]) > least:
                arrays.size[2] = 1 if m > 1 else arrays.size[2]
                return False
    return True


@inlined
def correct_contacts(s, part, n_sweep, least, n_body, vel, moved, arrays, lanes):
    """Sweeps over all contacts, overlaps included."""
    for m in range(n_sweep):
        keep_velocities(vel, arrays.trial, n_sweep, n_body)
        correct_all(s, part, vel, moved, arrays.block, arrays.size[0], arrays.lines, lanes)
        correct_all(s, part, vel, moved, arrays.single, arrays.size[1], arrays.lines, ONE)
        if m > 0 and have_settled(m, vel, least, n_body, arrays):
            break


@inlined
def relax_contacts(n_sweep, least, n_body, vel, arrays, lanes):
    """Sweeps over all contacts, without the overlaps."""
    for m in range(n_sweep):
        keep_velocities(vel, arrays.trial, n_sweep, n_body)
        relax_all(vel, arrays.block, arrays.size[0], arrays.lines, lanes)
        relax_all(vel, arrays.single, arrays.size[1], arrays.lines, ONE)
        if m > 0 and have_settled(m, vel, least, n_body, arrays):
            break


@routine
def solve_contacts(
    h, part, n_sub, n_sweep, least, n_body, point_who, point, count, inverse, vel, moved, smooth, push, began, arrays,
    lanes,
):  # fmt: skip
    """All sub-steps of a step of h seconds, which is this part of an undivided one, each with so many sweeps, or fewer
    if one changes no velocity by more than `least`: changes `vel` and `moved`, and the impulses of the contact points.
    Bodies that are not `touched` have no more than the rounding of their ramp.
    """
    block, single, lines, s = arrays.block, arrays.single, arrays.lines, h / n_sub
    sort_bodies(inverse, vel, smooth, n_body, arrays.form)
    n_block, n_single = colour_contacts(
        point_who, point, count, inverse, arrays.form, arrays.used, arrays.next_place, block, single, lanes
    )
    arrays.size[0], arrays.size[1], arrays.size[2] = n_block, n_single, 0
    fill_blocks(block, n_block, point_who, point, inverse, n_body, lanes)
    fill_blocks(single, n_single, point_who, point, inverse, n_body, ONE)
    for i in range(n_body):
        arrays.touched[i] = 0
    for k in range(n_sub):
        begin_substep(k == 0, vel, smooth, push, began, n_body)
        if k == 0:
            push_all(vel, block, n_block, lines, lanes)
            push_all(vel, single, n_single, lines, ONE)
            read_push(vel, push, began, n_body)
        follow_all(s, vel, moved, block, n_block, lines, lanes)
        follow_all(s, vel, moved, single, n_single, lines, ONE)
        correct_contacts(s, part, n_sweep, least, n_body, vel, moved, arrays, lanes)
        displace(s, vel, moved, smooth, push, began, arrays.touched, n_body)
        relax_contacts(n_sweep, least, n_body, vel, arrays, lanes)
        total_all(block, n_block, lanes)
        total_all(single, n_single, ONE)
    for i in range(n_body):
        mark_touched(vel, began, arrays.touched, i)
    read_blocks(block, n_block, point, lanes)
    read_blocks(single, n_single, point, ONE)
