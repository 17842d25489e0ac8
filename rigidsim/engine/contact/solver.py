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
from rigidsim.engine.contact.colours import COLOURS, GROUP, NO_CONTACT, colour_contacts, sort_bodies
from rigidsim.engine.contact.columns import LINE, WHO
from rigidsim.engine.contact.iterations import WAYS, add_total, correct_block, follow_block, push_block, relax_block
from rigidsim.engine.contact.rows import (
    BALLS,
    BODY_PAIR,
    KINDS,
    LAYERS,
    TURNING,
    Blocks,
    clear_lane,
    fill_lane,
    gather,
    gather_linear,
    make_blocks,
    prepare_balls,
    prepare_bodies,
    prepare_turning,
    read_lane,
    row_of,
    scatter,
)
from rigidsim.engine.contact.tree_responses import is_in_tree
from rigidsim.engine.contact.trees import (
    begin_tree_contacts,
    displace_trees,
    fill_tree_contacts,
    follow_tree_contacts,
    push_tree_contacts,
    resolve_tree_contacts,
)
from rigidsim.engine.layout import copy_rows
from rigidsim.engine.model import floats, integers, made
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import lasting, mean_velocity, softness
from rigidsim.physics.elementary import select
from rigidsim.physics.vector import add, scaled, sub

ONE = (0.0,)  # the lane of a single contact
VELOCITIES, DISPLACEMENTS = BODY_PAIR.place("v_A"), BODY_PAIR.place("moved_A")  # six numbers of A, then of B


class SolverArrays(NamedTuple):
    """The working arrays of the solver; nothing in them is kept from step to step."""

    block: Blocks
    single: Blocks  # contacts without a colour
    lines: np.ndarray = floats(BODY_PAIR)  # the bodies of one block
    form: np.ndarray = integers("bodies + 1")  # here and below: the last one is that of spare lanes
    used: np.ndarray = integers("bodies + 1")  # its colours, one bit each
    touched: np.ndarray = integers("bodies + 1")  # 1 if contacts changed its velocity, or pushed it, in any sub-step
    size: np.ndarray = integers(3)  # blocks and single contacts of this step; 1 if more than two rounds had an effect
    trial: np.ndarray = floats("bodies + 1", LINE.width)  # velocities before a round
    next_place: np.ndarray = integers(COLOURS * KINDS)  # of the group that is being filled


def make_solver(n_body: int, n_point: int, lanes: tuple) -> SolverArrays:
    """Arrays for n_point contact points of n_body contact bodies; one group of each colour and kind may stay open."""
    n_group = min(n_point, n_point // GROUP + COLOURS * KINDS)
    block, single = make_blocks(n_group * (GROUP // len(lanes)), LAYERS, len(lanes)), make_blocks(n_point, 1, 1)
    return made(SolverArrays, {"bodies": n_body, "lanes": len(lanes)}, block=block, single=single)


@inlined
def fill_blocks(blocks, n_block, point_who: WHO, point, inverse, dummy, lanes):
    """The rows of all contacts; a block at a time, which stays in the cache. Spare lanes act on the dummy body."""
    for b in range(n_block):
        blocks.body_A[b, :] = blocks.body_B[b, :] = dummy
        for layer in range(blocks.layers[b]):
            fill_layer(blocks, b, row_of(blocks, b, layer), point_who, point, inverse, lanes)


@inlined
def fill_layer(blocks, b, r, point_who: WHO, point, inverse, lanes):
    """Row r, a layer of block b."""
    row, kind = blocks.row[r], blocks.kind[b]
    for lane in range(len(lanes)):
        m = blocks.contact[r, lane]
        if m == NO_CONTACT:
            clear_lane(row, lane, lanes)
        else:
            blocks.body_A[b, lane], blocks.body_B[b, lane] = point_who[m].a, point_who[m].b
            fill_lane(row, lane, kind, point_who[m], point[m], inverse, lanes)
    if kind == BALLS:
        prepare_balls(row, lanes)
    else:
        prepare_bodies(row, lanes)
    if kind == TURNING:
        prepare_turning(row, lanes)


@inlined
def read_blocks(blocks, n_block, point, lanes):
    """The impulses of all contacts."""
    for b in range(n_block):
        for layer in range(blocks.layers[b]):
            r = row_of(blocks, b, layer)
            for lane in range(len(lanes)):
                if blocks.contact[r, lane] != NO_CONTACT:
                    read_lane(blocks.row[r], lane, point[blocks.contact[r, lane]], lanes)


@inlined
def begin_substep(first, vel, smooth, push, began, n_body):
    """Add the smooth motion of a sub-step, and the jumps that contacts made in the last one."""
    for i in range(n_body):
        for lane in range(c.LINE.width):
            jump = select(first, 0.0, vel[i, lane] - began[i, lane])
            push[i, lane] = jump
            began[i, lane] = vel[i, lane] + smooth[i, lane]
            vel[i, lane] = began[i, lane] + jump


@inlined
def read_push(vel, push, began, n_body):
    """What the warm start added."""
    for i in range(n_body):
        for lane in range(c.LINE.width):
            push[i, lane] = vel[i, lane] - began[i, lane]


@inlined
def mark_touched(vel, began, touched, i):
    """Note that contacts changed the velocity of a body, or pushed one that joints hold."""
    for k in range(6):
        if vel[i, k] != began[i, k]:
            touched[i] = 1


@inlined
def displace(s, vel: LINE, moved: LINE, smooth: LINE, push: LINE, began: LINE, touched, n_body, trees):
    """Add the displacements of a sub-step."""
    for i in range(n_body):
        mark_touched(vel, began, touched, i)
        if trees is not None and is_in_tree(i, trees.table):
            mark_touched(trees.made.total, trees.made.began, touched, i)
            continue
        for k in range(0, 6, 3):
            v, old = vel[i].part(k, 3), push[i].part(k, 3)
            mean = mean_velocity(v, smooth[i].part(k, 3), lasting(old, sub(v, began[i].part(k, 3))))
            moved[i].put(k, add(moved[i].part(k, 3), scaled(s, mean)))
    if trees is not None:
        displace_trees(s, vel, moved, smooth, push, began, trees)


@inlined
def gather_bodies(values, blocks, b, lines, place, lanes):
    """The rows of both bodies of each contact of a block, A's from `place` on, then B's."""
    gather(values, blocks.body_A[b], lines, place, lanes)
    gather(values, blocks.body_B[b], lines, place + 6, lanes)


@inlined
def scatter_velocities(vel, blocks, b, lines, lanes):
    """The velocities of both bodies back to their rows."""
    scatter(vel, blocks.body_A[b], lines, VELOCITIES, lanes)
    scatter(vel, blocks.body_B[b], lines, VELOCITIES + 6, lanes)


@inlined
def push_all(vel, blocks, n_block, lines, lanes):
    """Warm start: the impulses of the last step."""
    for b in range(n_block):
        if blocks.layers[b] > 0:
            gather_bodies(vel, blocks, b, lines, VELOCITIES, lanes)
            for k in range(KINDS):
                if blocks.kind[b] == k:
                    for layer in range(blocks.layers[b]):
                        push_block(WAYS[k], blocks.row[row_of(blocks, b, layer)], lines, lanes)
            scatter_velocities(vel, blocks, b, lines, lanes)


@inlined
def follow_all(s, vel, moved, blocks, n_block, lines, lanes):
    """All contacts whose levers or surfaces move: before any of them is corrected, as the moments of impulses at the
    places of one body, which move together, add up to little.
    """
    for b in range(n_block):
        if blocks.kind[b] == TURNING and blocks.layers[b] > 0:
            gather_bodies(vel, blocks, b, lines, VELOCITIES, lanes)
            gather_bodies(moved, blocks, b, lines, DISPLACEMENTS, lanes)
            for layer in range(blocks.layers[b]):
                follow_block(WAYS[TURNING], blocks.row[row_of(blocks, b, layer)], lines, s, lanes)
            scatter_velocities(vel, blocks, b, lines, lanes)


@inlined
def gather_displacements(moved, blocks, b, lines, lanes):
    """Of balls those of the centres are enough."""
    if blocks.kind[b] == BALLS:
        gather_linear(moved, blocks.body_A[b], lines, DISPLACEMENTS, lanes)
        gather_linear(moved, blocks.body_B[b], lines, DISPLACEMENTS + 6, lanes)
    else:
        gather_bodies(moved, blocks, b, lines, DISPLACEMENTS, lanes)


@inlined
def resolve_all(relaxes, s, part, vel, moved, blocks, n_block, lines, lanes):
    """All contacts, once; `relaxes`: without the overlaps."""
    rate, stiff, soft = softness(s, part)
    for b in range(n_block):
        if blocks.layers[b] > 0:
            gather_bodies(vel, blocks, b, lines, VELOCITIES, lanes)
            if not relaxes:
                gather_displacements(moved, blocks, b, lines, lanes)
            for k in range(KINDS):
                if blocks.kind[b] == k:
                    for layer in range(blocks.layers[b]):
                        row = blocks.row[row_of(blocks, b, layer)]
                        if relaxes:
                            relax_block(WAYS[k], row, lines, lanes)
                        else:
                            correct_block(WAYS[k], row, lines, s, rate, stiff, soft, lanes)
            scatter_velocities(vel, blocks, b, lines, lanes)


@inlined
def total_all(blocks, n_block, lanes):
    """Add the impulses of a sub-step to the totals."""
    for b in range(n_block):
        for layer in range(blocks.layers[b]):
            add_total(blocks.row[row_of(blocks, b, layer)], lanes)


@inlined
def have_settled(m, vel, least, n_body, arrays):
    """Whether round m changed no velocity by more than `least`."""
    for i in range(n_body):
        for lane in range(6):
            if abs(vel[i, lane] - arrays.trial[i, lane]) > least:
                arrays.size[2] = 1 if m > 1 else arrays.size[2]
                return False
    return True


@inlined
def correct_contacts(relaxes, s, part, n_round, least, n_body, vel, moved, arrays, trees, lanes):
    """Rounds over all contacts; `relaxes`: without the overlaps."""
    for m in range(n_round):
        if n_round > 1:
            copy_rows(0, n_body, vel, arrays.trial)
        resolve_all(relaxes, s, part, vel, moved, arrays.block, arrays.size[0], arrays.lines, lanes)
        resolve_all(relaxes, s, part, vel, moved, arrays.single, arrays.size[1], arrays.lines, ONE)
        if trees is not None:
            resolve_tree_contacts(relaxes, s, part, vel, moved, arrays.lines, trees)
        if m > 0 and have_settled(m, vel, least, n_body, arrays):
            break


@inlined
def begin_substeps(first, vel, smooth, push, began, n_body, arrays, trees, lanes):
    """Begin a sub-step, the first one with the impulses of the last step."""
    begin_substep(first, vel, smooth, push, began, n_body)
    if trees is not None:
        sums = trees.made
        begin_substep(first, sums.total, sums.still, sums.push, sums.began, n_body)
    if first:
        push_all(vel, arrays.block, arrays.size[0], arrays.lines, lanes)
        push_all(vel, arrays.single, arrays.size[1], arrays.lines, ONE)
        if trees is not None:
            push_tree_contacts(vel, arrays.lines, trees)
            read_push(sums.total, sums.push, sums.began, n_body)
        read_push(vel, push, began, n_body)


@routine
def solve_contacts(
    h, part, n_sub, n_round, least, n_body, point_who, point, count, inverse, vel, moved, smooth, push, began, arrays,
    trees, lanes,
):  # fmt: skip
    """All sub-steps of a step of h seconds, which is this part of an undivided one, each with so many rounds, or fewer
    if one changes no velocity by more than `least`: changes `vel` and `moved`, and the impulses of the contact points.
    Bodies that are not `touched` have no more than the rounding of their ramp.
    """
    block, single, lines, s = arrays.block, arrays.single, arrays.lines, h / n_sub
    sort_bodies(inverse, vel, smooth, n_body, arrays.form)
    n_block, n_single = colour_contacts(
        point_who, point, count, inverse, arrays.form, arrays.used, arrays.next_place, block, single, trees, lanes
    )
    arrays.size[0], arrays.size[1], arrays.size[2] = n_block, n_single, 0
    fill_blocks(block, n_block, point_who, point, inverse, n_body, lanes)
    fill_blocks(single, n_single, point_who, point, inverse, n_body, ONE)
    if trees is not None:
        fill_tree_contacts(point_who, point, trees)
        trees.made.total[:] = trees.made.moved[:] = 0.0
        begin_tree_contacts(s, part, vel, moved, lines, trees)
    arrays.touched[:] = 0
    for k in range(n_sub):
        begin_substeps(k == 0, vel, smooth, push, began, n_body, arrays, trees, lanes)
        follow_all(s, vel, moved, block, n_block, lines, lanes)
        follow_all(s, vel, moved, single, n_single, lines, ONE)
        if trees is not None:
            follow_tree_contacts(s, vel, moved, lines, trees)
        correct_contacts(False, s, part, n_round, least, n_body, vel, moved, arrays, trees, lanes)
        displace(s, vel, moved, smooth, push, began, arrays.touched, n_body, trees)
        correct_contacts(True, s, part, n_round, least, n_body, vel, moved, arrays, trees, lanes)
        total_all(block, n_block, lanes)
        total_all(single, n_single, ONE)
        if trees is not None:
            total_all(trees.made.blocks, trees.made.count[0], ONE)
    for i in range(n_body):
        mark_touched(vel, began, arrays.touched, i)
    read_blocks(block, n_block, point, lanes)
    read_blocks(single, n_single, point, ONE)
    if trees is not None:
        read_blocks(trees.made.blocks, trees.made.count[0], point, ONE)
