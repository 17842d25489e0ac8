"""The solver of contacts: sub-steps of soft contact, warm start, and relaxation, for all contacts of a step.

Within the step the smooth motion is a ramp: each sub-step adds `smooth` to the velocities, and again what contacts
added in the last one (`push`). A correction of all contacts, in which overlaps count, gives the displacements; a
relaxation, without the overlaps, the velocities. Contacts are computed in blocks of lanes (`colours`), those that find
no colour one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.constraints.contact_rows import (
    BALLS,
    BODY_PAIR,
    KINDS,
    LAYERS,
    TURNING,
    Blocks,
    fill_balls,
    fill_bodies,
    fill_turning,
    gather,
    gather_linear,
    gather_pair_masses,
    make_blocks,
    may_roll,
    prepare_balls,
    prepare_bodies,
    prepare_turning,
    read_impulses,
    row_of,
    scatter,
)
from rigidsim.engine.constraints.tree_responses import is_in_tree
from rigidsim.engine.contact.colours import COLOURS, GROUP, colour_contacts, sort_bodies
from rigidsim.engine.contact.iterations import (
    ROLLING,
    WAYS,
    add_total,
    correct_block,
    follow_block,
    push_block,
    relax_block,
)
from rigidsim.engine.contact.trees import (
    begin_tree_contacts,
    displace_trees,
    fill_tree_contacts,
    follow_tree_contacts,
    push_tree_contacts,
    resolve_tree_contacts,
)
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model.arrays import floats, integers, made
from rigidsim.engine.model.contact_layout import LINE
from rigidsim.engine.model.layout import copy_rows
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.contact import lasting, mean_velocity, softness
from rigidsim.physics.elementary import select
from rigidsim.physics.vector import add, scaled, sub

ONE = (0.0,)  # the lane of a single contact
VELOCITIES, DISPLACEMENTS = BODY_PAIR.place("v_A"), BODY_PAIR.place("moved_A")  # six numbers of A, then of B


class SubSteps(NamedTuple):
    """How the sub-steps of a step are taken."""

    number: int
    length: float  # s
    part: float  # of an undivided step
    rounds: int  # over all contacts in each, or fewer if one changes no velocity by more than `least`
    least: float


class SolverArrays(NamedTuple):
    """The working arrays of the solver; nothing in them is kept from step to step."""

    block: Blocks
    single: Blocks  # contacts without a colour
    bodies: np.ndarray = floats(BODY_PAIR)  # of one block
    form: np.ndarray = integers("bodies + 1")  # here and below: the last one is that of spare lanes
    used: np.ndarray = integers("bodies + 1")  # its colours, one bit each
    alone: np.ndarray = integers("alone")  # bodies that are not parts of trees, and that of spare lanes
    touched: np.ndarray = integers("bodies + 1")  # 1 if contacts changed its velocity, or pushed it, in any sub-step
    size: np.ndarray = integers(3)  # blocks and single contacts of this step; 1 if more than two rounds had an effect
    trial: np.ndarray = floats("bodies + 1", LINE.width)  # velocities before a round
    next_place: np.ndarray = integers(COLOURS * KINDS)  # of the group that is being filled


def make_solver(n_body: int, n_point: int, lanes: tuple) -> SolverArrays:
    """Arrays for n_point contact points of n_body contact bodies; one group of each colour and kind may stay open."""
    n_group = min(n_point, n_point // GROUP + COLOURS * KINDS)
    block, single = make_blocks(n_group * (GROUP // len(lanes)), LAYERS, len(lanes)), make_blocks(n_point, 1, 1)
    sizes = {"bodies": n_body, "alone": n_body + len(lanes), "lanes": len(lanes)}
    return made(SolverArrays, sizes, block=block, single=single)


@inlined
def clear_spare(points, dummy):
    """The contact point of spare lanes, which acts on the dummy body and has no impulse."""
    spare = points.number
    points.value[spare, :] = 0.0
    points.who[spare].a, points.who[spare].b, points.who[spare].marks = dummy, dummy, 0


@inlined
def fill_blocks(blocks, n_block, points, inverse, lanes):
    """The rows of all contacts; a block at a time, which stays in the cache."""
    for b in range(n_block):
        if blocks.layers[b] > 0:
            fill_pairs(blocks, b, row_of(blocks, b, 0), points.who, inverse, lanes)
        blocks.rolls[b] = 0
        for layer in range(blocks.layers[b]):
            fill_layer(blocks, b, row_of(blocks, b, layer), points, lanes)


@inlined
def fill_pairs(blocks, b, r, who, inverse, lanes):
    """The bodies of block b, from its first layer, row r, and their masses."""
    for lane in range(len(lanes)):
        whose = who[blocks.contact[r, lane]]
        blocks.body_A[b, lane], blocks.body_B[b, lane] = whose.a, whose.b
    gather_pair_masses(inverse, blocks, b, lanes)


@inlined
def fill_layer(blocks, b, r, points, lanes):
    """Row r, a layer of block b."""
    row, masses, kind, contact = blocks.row[r], blocks.masses[b], blocks.kind[b], blocks.contact[r]
    for lane in range(len(lanes)):
        if may_roll(points.value[contact[lane]]):
            blocks.rolls[b] = 1
    if kind == BALLS:
        fill_balls(contact, points.value, row, lanes)
        prepare_balls(row, masses, lanes)
    else:
        fill_bodies(contact, points.value, row, lanes)
        prepare_bodies(row, masses, lanes)
    if kind == TURNING:
        fill_turning(contact, points.who, points.value, row, lanes)
        prepare_turning(row, masses, lanes)


@inlined
def read_blocks(blocks, n_block, point, lanes):
    """The impulses of all contacts."""
    for b in range(n_block):
        for layer in range(blocks.layers[b]):
            r = row_of(blocks, b, layer)
            read_impulses(blocks.contact[r], point, blocks.row[r], lanes)


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
    if touched[i] == 0:
        for k in range(6):
            if vel[i, k] != began[i, k]:
                touched[i] = 1


@inlined
def list_alone(n_body, alone, trees, lanes):
    """List the bodies that are not parts of trees; spare lanes have the dummy body. Returns how many there are."""
    n = 0
    for i in range(n_body):
        if trees is None or not is_in_tree(i, trees.table):
            alone[n] = i
            n += 1
    for k in range(n, n + len(lanes)):
        alone[k] = n_body
    return n


@inlined
def mean_part(k, v, began, smooth, old):
    """The mean of a velocity in the sub-step, its components from k on."""
    v, old = v[k : k + 3], old[k : k + 3]
    return mean_velocity(v, smooth[k : k + 3], lasting(old, sub(v, began[k : k + 3])))


@lanewise
def displace_bodies(s, who, lines, lane):
    """Add the displacements of a sub-step, of a body in each lane."""
    i = who[lane]
    v, began, moved = tuple(lines.vel[i, :6]), tuple(lines.began[i, :6]), tuple(lines.moved[i, :6])
    smooth, push = tuple(lines.smooth[i, :6]), tuple(lines.push[i, :6])
    way, turn = mean_part(0, v, began, smooth, push), mean_part(3, v, began, smooth, push)
    lines.moved[i, :6] = (*add(moved[:3], scaled(s, way)), *add(moved[3:], scaled(s, turn)))


@inlined
def displace(s, lines, arrays, n_body, n_alone, trees, lanes):
    """Add the displacements of a sub-step."""
    for i in range(n_body):
        mark_touched(lines.vel, lines.began, arrays.touched, i)
        if trees is not None and is_in_tree(i, trees.table):
            mark_touched(trees.made.total, trees.made.began, arrays.touched, i)
    for first in range(0, n_alone, len(lanes)):
        displace_bodies(s, arrays.alone[first:], lines, lanes)
    if trees is not None:
        displace_trees(s, lines, trees)


@inlined
def gather_bodies(values, blocks, b, bodies, place, lanes):
    """The rows of both bodies of each contact of a block, A's from `place` on, then B's."""
    gather(values, blocks.body_A[b], bodies, place, lanes)
    gather(values, blocks.body_B[b], bodies, place + 6, lanes)


@inlined
def scatter_velocities(vel, blocks, b, bodies, lanes):
    """The velocities of both bodies back to their rows."""
    scatter(vel, blocks.body_A[b], bodies, VELOCITIES, lanes)
    scatter(vel, blocks.body_B[b], bodies, VELOCITIES + 6, lanes)


@inlined
def push_all(vel, blocks, n_block, bodies, lanes):
    """Warm start: the impulses of the last step."""
    for b in range(n_block):
        if blocks.layers[b] > 0:
            gather_bodies(vel, blocks, b, bodies, VELOCITIES, lanes)
            for k in range(KINDS):
                if blocks.kind[b] == k:
                    for layer in range(blocks.layers[b]):
                        push_block(ROLLING[k], blocks.row[row_of(blocks, b, layer)], blocks.masses[b], bodies, lanes)
            scatter_velocities(vel, blocks, b, bodies, lanes)


@inlined
def follow_all(s, lines, blocks, n_block, bodies, lanes):
    """All contacts whose levers or surfaces move: before any of them is corrected, as the moments of impulses at the
    places of one body, which move together, add up to little.
    """
    for b in range(n_block):
        if blocks.kind[b] == TURNING and blocks.layers[b] > 0:
            gather_bodies(lines.vel, blocks, b, bodies, VELOCITIES, lanes)
            gather_bodies(lines.moved, blocks, b, bodies, DISPLACEMENTS, lanes)
            for layer in range(blocks.layers[b]):
                row = blocks.row[row_of(blocks, b, layer)]
                follow_block(ROLLING[TURNING], row, blocks.masses[b], bodies, s, lanes)
            scatter_velocities(lines.vel, blocks, b, bodies, lanes)


@inlined
def gather_displacements(moved, blocks, b, bodies, lanes):
    """Of balls those of the centres are enough."""
    if blocks.kind[b] == BALLS:
        gather_linear(moved, blocks.body_A[b], bodies, DISPLACEMENTS, lanes)
        gather_linear(moved, blocks.body_B[b], bodies, DISPLACEMENTS + 6, lanes)
    else:
        gather_bodies(moved, blocks, b, bodies, DISPLACEMENTS, lanes)


@inlined
def resolve_all(relaxes, steps, lines, blocks, n_block, bodies, lanes):
    """All contacts, once; `relaxes`: without the overlaps."""
    vel, s = lines.vel, steps.length
    soft = softness(s, steps.part)
    for b in range(n_block):
        if blocks.layers[b] > 0:
            gather_bodies(vel, blocks, b, bodies, VELOCITIES, lanes)
            if not relaxes:
                gather_displacements(lines.moved, blocks, b, bodies, lanes)
            for k in range(KINDS):
                for rolls in (0, 1):
                    if blocks.kind[b] == k and blocks.rolls[b] == rolls:
                        for layer in range(blocks.layers[b]):
                            row, masses, way = blocks.row[row_of(blocks, b, layer)], blocks.masses[b], WAYS[rolls][k]
                            if relaxes:
                                relax_block(way, row, masses, bodies, lanes)
                            else:
                                correct_block(way, row, masses, bodies, s, soft, lanes)
            scatter_velocities(vel, blocks, b, bodies, lanes)


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
def correct_contacts(relaxes, steps, n_body, lines, arrays, trees, lanes):
    """Rounds over all contacts; `relaxes`: without the overlaps."""
    for m in range(steps.rounds):
        if steps.rounds > 1:
            copy_rows(0, n_body, lines.vel, arrays.trial)
        resolve_all(relaxes, steps, lines, arrays.block, arrays.size[0], arrays.bodies, lanes)
        resolve_all(relaxes, steps, lines, arrays.single, arrays.size[1], arrays.bodies, ONE)
        if trees is not None:
            resolve_tree_contacts(relaxes, steps.length, steps.part, lines, arrays.bodies, trees)
        if m > 0 and have_settled(m, lines.vel, steps.least, n_body, arrays):
            break


@inlined
def begin_substeps(first, n_body, lines, arrays, trees, lanes):
    """Begin a sub-step, the first one with the impulses of the last step."""
    vel = lines.vel
    begin_substep(first, vel, lines.smooth, lines.push, lines.began, n_body)
    if trees is not None:
        sums = trees.made
        begin_substep(first, sums.total, sums.still, sums.push, sums.began, n_body)
    if first:
        push_all(vel, arrays.block, arrays.size[0], arrays.bodies, lanes)
        push_all(vel, arrays.single, arrays.size[1], arrays.bodies, ONE)
        if trees is not None:
            push_tree_contacts(vel, arrays.bodies, trees)
            read_push(sums.total, sums.push, sums.began, n_body)
        read_push(vel, lines.push, lines.began, n_body)


@routine
def solve_contacts(steps, n_body, points, lines, arrays, trees, lanes):
    """All sub-steps of a step: changes `vel` and `moved`, and the impulses of the contact points. Bodies that are not
    `touched` have no more than the rounding of their ramp.
    """
    block, single, bodies, s = arrays.block, arrays.single, arrays.bodies, steps.length
    vel, inverse, point = lines.vel, lines.inverse, points.value
    clear_spare(points, n_body)
    n_alone = list_alone(n_body, arrays.alone, trees, lanes)
    sort_bodies(inverse, vel, lines.smooth, n_body, arrays.form)
    n_block, n_single = colour_contacts(points, inverse, arrays, trees, lanes)
    arrays.size[0], arrays.size[1], arrays.size[2] = n_block, n_single, 0
    fill_blocks(block, n_block, points, inverse, lanes)
    fill_blocks(single, n_single, points, inverse, ONE)
    if trees is not None:
        fill_tree_contacts(points.who, point, trees)
        trees.made.total[:] = trees.made.moved[:] = 0.0
        begin_tree_contacts(s, steps.part, lines, bodies, trees)
    arrays.touched[:] = 0
    for k in range(steps.number):
        begin_substeps(k == 0, n_body, lines, arrays, trees, lanes)
        follow_all(s, lines, block, n_block, bodies, lanes)
        follow_all(s, lines, single, n_single, bodies, ONE)
        if trees is not None:
            follow_tree_contacts(s, lines, bodies, trees)
        correct_contacts(False, steps, n_body, lines, arrays, trees, lanes)
        displace(s, lines, arrays, n_body, n_alone, trees, lanes)
        correct_contacts(True, steps, n_body, lines, arrays, trees, lanes)
        total_all(block, n_block, lanes)
        total_all(single, n_single, ONE)
        if trees is not None:
            total_all(trees.made.blocks, trees.made.count[0], ONE)
    for i in range(n_body):
        mark_touched(vel, lines.began, arrays.touched, i)
    read_blocks(block, n_block, point, lanes)
    read_blocks(single, n_single, point, ONE)
    if trees is not None:
        read_blocks(trees.made.blocks, trees.made.count[0], point, ONE)
