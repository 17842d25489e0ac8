"""What impulses on contact bodies do to the trees of joints that these are parts of: a block W of M^-1.

Unit wrenches on the contact bodies of a tree go through it by `impulse_response`; what they do to these bodies is W.
Loops answer, too: with their rows C and their matrix K = C M^-1 C^T, W is a block of M^-1 - M^-1 C^T K^-1 C M^-1, and
trees that loops connect are one. A free body that carries no joints is a tree of one body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.constraints import contact_rows as rows
from rigidsim.engine.constraints.contact_rows import Blocks
from rigidsim.engine.constraints.delassus import add_bias_of_rows, clear_impulses
from rigidsim.engine.constraints.loops import factorise_loops, oppose_jumps
from rigidsim.engine.dynamics.articulated import propagate_inertia
from rigidsim.engine.dynamics.responses import impulse_response
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import Contacts, Trees, floats, integers, made
from rigidsim.engine.model.contact_layout import CONTACT_POINT, INVERSE, LINE, MEMBER, MEMORY_ROWS, RESPONSE
from rigidsim.engine.model.layout import ACCELERATION, ARTICULATED, TRIPLE
from rigidsim.jit import inlined, routine
from rigidsim.physics.articulated import dots, rows_of
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, negated, projection, rejection, scaled


class TreeArrays(NamedTuple):
    """The working arrays of contacts of trees; nothing in them is kept from step to step."""

    blocks: Blocks  # contacts of bodies in trees, one by one
    count: np.ndarray = integers(1)  # type: ignore[assignment]  # of them; hides a method of tuples
    response: RESPONSE = floats("responses")
    jump: LINE = floats(2)  # of A and B of a contact
    total: LINE = floats("bodies")  # impulses on a body up to now, N s, and their moments about its centre
    moved: LINE = floats("bodies")  # and here what such velocities would displace
    push: LINE = floats("bodies")
    began: LINE = floats("bodies")
    still: LINE = floats("bodies")  # zero, in place of smooth motion
    smooth: LINE = floats("bodies")  # smooth motion without constraint forces
    tried: LINE = floats("bodies")  # an impulse of one of a contact alone, and its moments
    work: np.ndarray = floats(1)  # of the constraint forces of released coordinates, J
    point: CONTACT_POINT = floats("points")  # before contact was solved, if that may happen again
    kept: np.ndarray = floats("points", MEMORY_ROWS)  # impulses of a contact: normal, tangent, rolling
    momentum: LINE = floats("rows")  # of each row of the trees, with the jumps: linear, and angular about its centre


def make_trees(contacts: Contacts, n_point: int) -> TreeArrays | None:
    """Arrays for so many contact points; None if no tree can touch anything."""
    if contacts.trees is None:
        return None
    last = MEMBER(contacts.trees.member[-1])
    sizes = {"bodies": len(contacts.body) + 1, "responses": last.response + last.end - last.begin}
    sizes |= {"points": n_point, "rows": len(contacts.trees.inward)}
    return made(TreeArrays, sizes, blocks=rows.make_blocks(n_point, 1, 1))


class InTrees(NamedTuple):
    """What the solver knows of trees."""

    table: Trees
    made: TreeArrays
    inverse: INVERSE  # of all contact bodies; in trees of no use
    has_modes: bool  # whether joints may hold their rates


@inlined
def in_trees(table, made, inverse, has_modes):
    """What the solver knows of trees, or None."""
    return None if table is None else InTrees(table, made, inverse, has_modes)


@inlined
def is_in_tree(b, table):
    """Whether a contact body is part of a tree; `table` is None in scenes without any."""
    return table is not None and table.place[b] != at.NO_ROW


@inlined
def are_in_one_tree(a, b, table):
    """Whether two contact bodies are parts of one tree."""
    if table is None:
        return False
    m, n = table.place[a], table.place[b]
    return m != at.NO_ROW and n != at.NO_ROW and table.member[m].begin == table.member[n].begin


@inlined
def confined(normal: TRIPLE, t, f):
    """A wrench, in a planar scene without what would move bodies out of the plane or tilt them."""
    if len(normal) > 0:
        return projection(normal[0].xyz, t), rejection(normal[0].xyz, f)
    return t, f


@routine
def hold_impulse(line: LINE, normal: TRIPLE, articulated: ARTICULATED):
    """An impulse and its moment on a body at rest, as a wrench that holds it."""
    t, f = confined(normal, line.angular, line.linear)
    articulated.t, articulated.f = negated(t), negated(f)


@routine
def take_response(acceleration: ACCELERATION, k, response: RESPONSE):
    """Write what unit k of a wrench did: a torque, or from 3 on a force."""
    place = k if k < 3 else k + RESPONSE.place("rate_f") - 3
    alpha, a = acceleration.alpha, acceleration.a
    for c in range(3):
        response[place + 3 * c] = alpha[c]
        response[place + RESPONSE.place("v_t") + 3 * c] = a[c]


@inlined
def push_units(first, unit, contacts, block):
    """Let an impulse act on the contact body of this number of each tree alone."""
    table = contacts.trees
    clear_impulses(table.inward, block)
    for m in range(len(table.member)):
        if m - table.member[m].begin == first:
            row = contacts.body[table.member[m].body].row
            hold_impulse(unit, block.model.normal, block.scratch.joints.articulated[row])


@inlined
def hold_impulses(values, contacts, block):
    """Let the impulses on all contact bodies of trees alone act on these, at rest."""
    table = contacts.trees
    clear_impulses(table.inward, block)
    for m in range(len(table.member)):
        b = table.member[m].body
        hold_impulse(values[b], block.model.normal, block.scratch.joints.articulated[contacts.body[b].row])


@inlined
def respond(push, pushed, contacts, block, jumps):
    """What the impulses that `push(*pushed, ...)` makes do to the trees, with those of the loops that they connect:
    jumps of bodies in `acceleration`, of joints in `jumps`.
    """
    push(*pushed, contacts, block)
    impulse_response(contacts.trees.inward, block, jumps)
    if block.model.loops is not None:
        oppose_jumps(block)
        push(*pushed, contacts, block)
        add_bias_of_rows(block.model.loops.rows, block.scratch.loops.rows, block.scratch, block.lanes)
        impulse_response(contacts.trees.inward, block, jumps)


@inlined
def find_mobilities(contacts, block, shift, trees):
    """What unit wrenches on all contact bodies of trees do to these, in the pose that the frames have; trees do not
    disturb each other, so one body of each is pushed at a time. What an evaluation had in the arrays is lost.
    """
    table, dynamics, unit = contacts.trees, block.scratch.joints, trees.jump[0]
    propagate_inertia(block)
    if block.model.loops is not None:
        factorise_loops(block)
    most = 0
    for m in range(len(table.member)):
        most = max(most, table.member[m].end - table.member[m].begin)
    for first in range(most):
        for k in range(6):
            unit[:] = 0.0
            unit[(k + 3) % 6] = 1.0  # torques come first in responses
            respond(push_units, (first, unit), contacts, block, shift)
            for m in range(len(table.member)):
                begin = table.member[m].begin
                if m - begin == first:
                    for n in range(begin, table.member[m].end):
                        row = contacts.body[table.member[n].body].row
                        take_response(
                            dynamics.acceleration[row], k, trees.response[table.member[m].response + n - begin]
                        )


@routine
def add_jump(j, i, t, f, trees, jump: LINE):
    """Add what a wrench on contact body i, an impulse and its moment, does to the motion of contact body j."""
    table, inverse, m, n = trees.table, trees.inverse, trees.table.place[i], trees.table.place[j]
    if m == at.NO_ROW:
        if i == j:
            jump.linear = add(jump.linear, scaled(inverse[i].mass, f))
            jump.angular = add(jump.angular, apply(inverse[i].inertia, t))
    elif table.member[m].begin <= n and n < table.member[m].end:
        response = trees.made.response[table.member[m].response + n - table.member[m].begin]
        rate_t, rate_f, v_t, v_f = response.rate_t, response.rate_f, response.v_t, response.v_f
        jump.linear = add(jump.linear, add(dots(rows_of(v_t), t), dots(rows_of(v_f), f)))
        jump.angular = add(jump.angular, add(dots(rows_of(rate_t), t), dots(rows_of(rate_f), f)))


@routine
def push(i, t, f, vel: LINE, trees):
    """An impulse and its moment on a contact body."""
    m, total = trees.table.place[i], trees.made.total
    if m == at.NO_ROW:
        add_jump(i, i, t, f, trees, vel[i])
        return
    total[i].linear = add(total[i].linear, f)
    total[i].angular = add(total[i].angular, t)
    for n in range(trees.table.member[m].begin, trees.table.member[m].end):
        j = trees.table.member[n].body
        add_jump(j, i, t, f, trees, vel[j])
