"""Contacts of bodies that are parts of trees of joints: an impulse on one body of a tree moves all of them.

When something touches a tree, what wrenches on its contact bodies do to all of these is found at the end of the smooth
step (`impulse_response`): the block W of M^-1 that belongs to them. Loops answer, too: with their rows C and their
matrix K = C M^-1 C^T, W is a block of M^-1 - M^-1 C^T K^-1 C M^-1, and trees that loops connect are one. The inverse
effective masses of a contact are made of such blocks; an impulse changes the velocities of all contact bodies of its
tree. So a tree is one thing in the solver, and its contacts are computed one by one, after all others, in their order.
The impulses on each body are summed like velocities, with the same rule for displacements; at the end of the step the
trees answer the sums, by W again, so what is handed back has the velocities that the solver found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout as at
from rigidsim.engine.articulated import has_modes, propagate_inertia
from rigidsim.engine.contact import rows
from rigidsim.engine.contact.columns import CENTRE, CONTACT_POINT, INVERSE, LINE, MEMBER, MEMORY_ROWS, RESPONSE, WHO
from rigidsim.engine.contact.iterations import IN_TREE, NEVER_CLOSES, correct_block, follow_block, relax_block
from rigidsim.engine.contact.rows import BODY_PAIR, CONTACT, TURNING, Blocks, begin_impulses, fill_lane, gather
from rigidsim.engine.corrections import begin_corrections
from rigidsim.engine.delassus import clear_impulses, feel_row, feel_rows, strike_row
from rigidsim.engine.kinds import is_root
from rigidsim.engine.layout import (
    ACCELERATION,
    ARM,
    ARTICULATED,
    BODY,
    COORDINATE,
    CORRECTION,
    FRAME,
    JOINT_VALUE,
    KINEMATICS,
    TRIPLE,
)
from rigidsim.engine.loops import displace_root, oppose_jumps, weigh_loops
from rigidsim.engine.model import Contacts, Trees, floats, integers, made
from rigidsim.engine.modes import add_impulses, write_row
from rigidsim.engine.responses import impulse_response
from rigidsim.engine.switching import switches
from rigidsim.jit import inlined, routine
from rigidsim.physics.articulated import dots, rotor_jump, rows_of
from rigidsim.physics.contact import (
    effective_mass,
    eigenvalue_bound,
    lasting_share,
    mean_velocity,
    ramp_change,
    slip,
    softness,
    tangent_mass,
    tangents,
)
from rigidsim.physics.elementary import select
from rigidsim.physics.impulses import impulse_moment, jump_energy
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import conjugate, log, product
from rigidsim.physics.restitution import HELD
from rigidsim.physics.vector import add, cross, dot, negated, projection, rejection, scaled, sub

NONE = (0.0, 0.0, 0.0)
ONE = (0.0,)  # the lane of a single contact
# Of the motions that an impulse gives to each of two bodies: with less there is no relative one, if joints have modes.
# Without this bound random trees whose parts overlap, and are held by stops or friction, gain energy.
TOGETHER = 1e-4
# Over the contacts of trees in each sub-step. A landing on four legs sinks a third of what it does with one round.
ROUNDS = 4


class TreeArrays(NamedTuple):
    """The working arrays of contacts of trees; nothing in them is kept from step to step."""

    blocks: Blocks  # contacts of bodies in trees, one by one
    count: np.ndarray = integers(1)  # of them
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
def is_in_tree(b, table):
    """Whether a contact body is part of a tree; `table` is None in scenes without any."""
    return table is not None and table.place[b] != at.NO_ROW


@inlined
def acts_on_tree(who: WHO, table):
    """Whether one of the bodies of a contact point is part of a tree."""
    return is_in_tree(who.a, table) or is_in_tree(who.b, table)


@inlined
def any_acts_on_tree(point_who, count, table):
    """Whether some contact point is on a tree."""
    found = False
    for m in range(count):
        found = found or acts_on_tree(point_who[m], table)
    return found


# --- responses


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
def push_units(first, unit, contacts, model, scratch, lanes):
    """Let an impulse act on the contact body of this number of each tree alone."""
    table = contacts.trees
    clear_impulses(table.inward, model, scratch, lanes)
    for m in range(len(table.member)):
        if m - table.member[m].begin == first:
            row = contacts.body[table.member[m].body].row
            hold_impulse(unit, model.normal, scratch.joints.articulated[row])


@inlined
def respond(push, pushed, contacts, model, scratch, jumps, lanes):
    """What the impulses that `push(*pushed, ...)` makes do to the trees, with those of the loops that they connect:
    jumps of bodies in `acceleration`, of joints in `jumps`.
    """
    push(*pushed, contacts, model, scratch, lanes)
    impulse_response(contacts.trees.inward, model, scratch, jumps, lanes)
    if model.loops is not None:
        oppose_jumps(model, scratch, lanes)
        push(*pushed, contacts, model, scratch, lanes)
        feel_rows(model.loops.rows, scratch.loops.rows, scratch, lanes)
        impulse_response(contacts.trees.inward, model, scratch, jumps, lanes)


@inlined
def weigh_trees(contacts, model, state, scratch, shift, trees, lanes):
    """What unit wrenches on all contact bodies of trees do to these, in the pose that the frames have; trees do not
    disturb each other, so one body of each is pushed at a time. What an evaluation had in the arrays is lost.
    """
    table, dynamics, unit = contacts.trees, scratch.joints, trees.jump[0]
    propagate_inertia(model, state, scratch, lanes)
    if model.loops is not None:
        weigh_loops(model, state, scratch, lanes)
    most = 0
    for m in range(len(table.member)):
        most = max(most, table.member[m].end - table.member[m].begin)
    for first in range(most):
        for k in range(6):
            unit[:] = 0.0
            unit[(k + 3) % 6] = 1.0  # torques come first in responses
            respond(push_units, (first, unit), contacts, model, scratch, shift, lanes)
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


@inlined
def push_noted(A, B, lines: BODY_PAIR, vel, trees):
    """What was noted of the impulses of a contact."""
    P = lines.P
    push(A, negated(lines.K_A), negated(P), vel, trees)
    push(B, lines.K_B, P, vel, trees)


# --- rows of contacts


@inlined
def slip_by(A, B, r_A, r_B, P, K, trees):
    """(slip, rate of B less that of A) that an impulse P and a moment K on B make, and the opposite on A."""
    jump = trees.made.jump
    jump[:] = 0.0
    K_A, K_B = impulse_moment(r_A, P, K), impulse_moment(r_B, P, K)
    for s in range(2):
        j = A if s == 0 else B
        add_jump(j, A, negated(K_A), negated(P), trees, jump[s])
        add_jump(j, B, K_B, P, trees, jump[s])
    u = slip(jump[0].linear, jump[0].angular, r_A, jump[1].linear, jump[1].angular, r_B)
    return u, sub(jump[1].angular, jump[0].angular)


@inlined
def slip_of_each(A, B, r_A, r_B, P, trees):
    """The slip that an impulse P on B makes of B, and its opposite on A of A, as if they did not hang together."""
    jump = trees.made.jump
    jump[:] = 0.0
    add_jump(A, A, negated(impulse_moment(r_A, P, NONE)), negated(P), trees, jump[0])
    add_jump(B, B, impulse_moment(r_B, P, NONE), P, trees, jump[1])
    return slip(jump[0].linear, jump[0].angular, r_A, jump[1].linear, jump[1].angular, r_B)


@inlined
def write_masses(row: CONTACT, A, B, trees):
    """Effective masses of a contact. In a direction that joints do not allow nothing can be moved, nor where joints
    whose rates are held keep both bodies together.
    """
    n, r_A, r_B, shift = row.normal, row.lever_A, row.lever_B, row.shift
    beside_A, beside_B, (t, b) = add(r_A, shift), add(r_B, shift), tangents(n)
    K_n, rates = slip_by(A, B, r_A, r_B, n, NONE, trees)
    K_t, _ = slip_by(A, B, beside_A, beside_B, t, NONE, trees)
    K_b, _ = slip_by(A, B, beside_A, beside_B, b, NONE, trees)
    k_n = dot(n, K_n)
    least = HELD * (k_n + dot(t, K_t) + dot(b, K_b))
    if trees.has_modes:
        each = dot(n, slip_of_each(A, B, r_A, r_B, n, trees))
        least = select(k_n > TOGETHER * each, least, each)
    row.K_n = add(K_n, cross(rates, shift))
    row.m_n = effective_mass(select(k_n > least, k_n, 0.0))
    row.K_t, row.m_t = tangent_mass(least, t, b, add(K_t, scaled(least, t)), add(K_b, scaled(least, b)))
    row.m_r = 0.0
    if row.rolling > 0.0:
        _, x = slip_by(A, B, r_A, r_B, NONE, (1.0, 0.0, 0.0), trees)
        _, y = slip_by(A, B, r_A, r_B, NONE, (0.0, 1.0, 0.0), trees)
        _, z = slip_by(A, B, r_A, r_B, NONE, (0.0, 0.0, 1.0), trees)
        row.m_r = effective_mass(eigenvalue_bound((x[0], y[1], z[2], x[1], x[2], y[2])))


@routine
def prepare_row(row: CONTACT, A, B, trees):
    """Effective masses and impulses at the beginning of a step: none, where nothing can be moved."""
    write_masses(row, A, B, trees)
    if row.m_n == 0.0:
        row.p_n, row.p_t, row.p_r = 0.0, NONE, NONE
    begin_impulses(row, row.normal)


@inlined
def fill_tree_contacts(point_who: WHO, point, trees):
    """The rows of all contacts of trees."""
    blocks = trees.made.blocks
    for k in range(trees.made.count[0]):
        m = blocks.contact[k, 0]
        blocks.body_A[k, 0], blocks.body_B[k, 0] = point_who[m].a, point_who[m].b
        blocks.kind[k], blocks.layers[k] = TURNING, 1
        fill_lane(blocks.row[k], 0, TURNING, point_who[m], point[m], trees.inverse, ONE)
        prepare_row(blocks.row[k], point_who[m].a, point_who[m].b, trees)


# --- sub-steps


@routine
def begin_row(row: CONTACT, kept):
    """Keep the impulses of the last step; contacts without any take no part in the beginning."""
    row.end_A, row.end_B = row.lever_A, row.lever_B
    row.open = select(row.p_n > 0.0, 0.0, NEVER_CLOSES)
    kept[0] = row.p_n
    for k in range(3):
        kept[1 + k], kept[4 + k] = row.p_t[k], row.p_r[k]


@routine
def finish_row(row: CONTACT, kept):
    """Count what was found at the beginning, and begin the sub-steps with the impulses of the last step."""
    p_t, p_r = (kept[1], kept[2], kept[3]), (kept[4], kept[5], kept[6])
    row.total = add(scaled(row.p_n - kept[0], row.normal), sub(row.p_t, p_t))
    row.p_n, row.p_t, row.p_r = kept[0], p_t, p_r


@inlined
def begin_tree_contacts(s, part, vel, moved, lines, trees):
    """What contacts that last change at the beginning of the step, where the ramps do not begin with the velocities
    before it (`begin_ramp`): impulses in addition to those of the sub-steps, which then are the same in each, so that
    what rests does not creep.
    """
    made = trees.made
    for k in range(made.count[0]):
        begin_row(made.blocks.row[k], made.kept[k])
    resolve_tree_contacts(True, s, part, vel, moved, lines, trees)
    for k in range(made.count[0]):
        finish_row(made.blocks.row[k], made.kept[k])


@routine
def begin_ramp(h, n_sub, start: CENTRE, finish: CENTRE, vel: LINE, smooth: LINE):
    """Let the ramp of velocity of a body end where the smooth step did: springs and dampers in joints, which contact
    does not know of, may change much within a step. If it began with the velocity before the step, what rests would
    creep by what is missing.
    """
    turn = scaled(2.0, log(product(finish.q, conjugate(start.q))))
    of_v = ramp_change(h, sub(finish.p, start.p), start.v, finish.v)
    of_omega = ramp_change(h, turn, start.omega, finish.omega)
    vel.linear, vel.angular = add(vel.linear, of_v), add(vel.angular, of_omega)
    smooth.linear = sub(smooth.linear, scaled(1.0 / n_sub, of_v))
    smooth.angular = sub(smooth.angular, scaled(1.0 / n_sub, of_omega))


@inlined
def begin_ramps(h, contacts, motions, lines):
    """The ramps of all bodies of trees."""
    for m in range(len(contacts.trees.member)):
        b = contacts.trees.member[m].body
        begin_ramp(h, contacts.substeps, motions.start[b], motions.finish[b], lines.vel[b], lines.smooth[b])


@inlined
def gather_pair(values, blocks, k, lines, place):
    """The rows of both bodies of a contact."""
    gather(values, blocks.body_A[k], lines, place, ONE)
    gather(values, blocks.body_B[k], lines, place + 6, ONE)


@inlined
def push_tree_contacts(vel, lines, trees):
    """Warm start: the impulses of the last step."""
    blocks = trees.made.blocks
    for k in range(trees.made.count[0]):
        IN_TREE.push(CONTACT(blocks.row[k], 0, 1), BODY_PAIR(lines, 0, 1))
        push_noted(blocks.body_A[k, 0], blocks.body_B[k, 0], lines, vel, trees)


@inlined
def follow_tree_contacts(s, vel, moved, lines, trees):
    """Levers and slip of all contacts of trees for a sub-step."""
    blocks = trees.made.blocks
    for k in range(trees.made.count[0]):
        gather_pair(vel, blocks, k, lines, BODY_PAIR.place("v_A"))
        gather_pair(moved, blocks, k, lines, BODY_PAIR.place("moved_A"))
        follow_block(IN_TREE, blocks.row[k], lines, s, ONE)
        push_noted(blocks.body_A[k, 0], blocks.body_B[k, 0], lines, vel, trees)


@inlined
def resolve_tree_contacts(relaxes, s, part, vel, moved, lines, trees):
    """All contacts of trees, some rounds; `relaxes`: without the overlaps."""
    blocks, (rate, stiff, soft) = trees.made.blocks, softness(s, part)
    for turn in range(ROUNDS * trees.made.count[0]):
        k = turn % trees.made.count[0]
        gather_pair(vel, blocks, k, lines, BODY_PAIR.place("v_A"))
        if relaxes:
            relax_block(IN_TREE, blocks.row[k], lines, ONE)
        else:
            gather_pair(moved, blocks, k, lines, BODY_PAIR.place("moved_A"))
            correct_block(IN_TREE, blocks.row[k], lines, s, rate, stiff, soft, ONE)
        push_noted(blocks.body_A[k, 0], blocks.body_B[k, 0], lines, vel, trees)


@inlined
def work_of(impulse: LINE, jump: LINE):
    """Of an impulse and its moment along a jump of the motion."""
    return dot(impulse.linear, jump.linear) + dot(impulse.angular, jump.angular)


@inlined
def work_gained(impulse: LINE, vel: LINE, began: LINE):
    """The same along the jump from one motion to another."""
    linear, angular = sub(vel.linear, began.linear), sub(vel.angular, began.angular)
    return dot(impulse.linear, linear) + dot(impulse.angular, angular)


@routine
def displace_member(s, share, vel: LINE, smooth: LINE, push: LINE, moved: LINE):
    """Add the displacement of a sub-step, in which a share of the last jump lasts."""
    for k in range(0, 6, 3):
        mean = mean_velocity(vel.part(k, 3), smooth.part(k, 3), scaled(share, push.part(k, 3)))
        moved.put(k, add(moved.part(k, 3), scaled(s, mean)))


@routine
def displace_trees(s, vel: LINE, moved: LINE, smooth: LINE, push: LINE, began: LINE, trees):
    """Add the displacements of a sub-step to bodies of trees. What lasts of a jump is one share of the impulses of the
    whole tree, in the measure of its kinetic energy.
    """
    table, sums = trees.table, trees.made
    for m in range(len(table.member)):
        if m != table.member[m].begin:
            continue
        old, new = 0.0, 0.0
        for n in range(m, table.member[m].end):
            b = table.member[n].body
            old += work_of(sums.push[b], push[b])
            new += work_gained(sums.push[b], vel[b], began[b])
        share = lasting_share(old, new)
        for n in range(m, table.member[m].end):
            b = table.member[n].body
            displace_member(s, share, vel[b], smooth[b], push[b], moved[b])
            displace_member(s, share, sums.total[b], sums.still[b], sums.push[b], sums.moved[b])


# --- handing back


@inlined
def feel_constraints(part, contacts, model, scratch, lanes):
    """Let parts of the impulses of the constraint forces of released coordinates act, too (`joint_constraints.py`)."""
    found = scratch.joints.modes
    for n in contacts.trees.modes:
        write_row(n, model, scratch, lanes)
        add_impulses(part, found.blow[n], found.rows.multiplier[n], lanes)
        feel_row(n, model.joints.rows, found.rows, scratch, lanes)


@routine
def stop_shift(value: JOINT_VALUE, mode: COORDINATE, shift: TRIPLE):
    """Displace a coordinate that has modes no farther than to its stops."""
    x, way = mode.x, shift.xyz[0]
    way = select(x + way > value.high, value.high - x, select(x + way < value.low, value.low - x, way))
    shift.xyz = (way, 0.0, 0.0)


@inlined
def push_members(values, part, contacts, model, scratch, lanes):
    """Let the impulses of all contact bodies of trees alone, if there are any, act on these, at rest, with a part of
    those of constraint forces.
    """
    table = contacts.trees
    clear_impulses(table.inward, model, scratch, lanes)
    if values is not None:
        for m in range(len(table.member)):
            b = table.member[m].body
            hold_impulse(values[b], model.normal, scratch.joints.articulated[contacts.body[b].row])
    if switches(model):
        feel_constraints(part, contacts, model, scratch, lanes)


@inlined
def respond_members(values, part, contacts, model, scratch, jumps, lanes):
    """`respond` to the impulses of all contact bodies of trees, with a part of those of constraint forces."""
    respond(push_members, (values, part), contacts, model, scratch, jumps, lanes)


@inlined
def strike_loops(contacts, model, scratch, made, trees, lanes):
    """The impulses of loops that answer those on bodies of trees, as what happens to bodies."""
    loops = model.loops
    respond_members(trees.total, 1.0, contacts, model, scratch, scratch.loops.made.shift, lanes)
    for k in range(len(scratch.loops.closing)):
        strike_row(k, loops.rows, scratch.loops.rows, made, lanes)


@routine
def strike(line: LINE, normal: TRIPLE, own: CORRECTION):
    """The impulse on a body of a tree, and its moment, as what happens to it. Returns whether there is any."""
    t, f = confined(normal, line.angular, line.linear)
    own.v = add(own.v, f)
    own.omega = add(own.omega, t)
    return dot(t, t) + dot(f, f) > 0.0


@inlined
def strike_members(contacts, model, made, trees):
    """The impulses on bodies of trees, as what happens to these."""
    for m in range(len(contacts.trees.member)):
        b, row = contacts.trees.member[m].body, contacts.body[contacts.trees.member[m].body].row
        if strike(trees.total[b], model.normal, made.own[row]):
            made.is_pushed[row] = 1
            root = model.joints.joint[row].root
            if root < len(model.moved_node):
                made.is_settled[root] = 1


@routine
def forget_untouched(acts, trees):
    """Leave out what the beginning of the step was to correct, in trees that nothing pushed in its sub-steps: that
    corrects them, and alone is no impulse of a contact.
    """
    table, sums = trees.table, trees.made
    for m in range(len(table.member)):
        found = False
        for n in range(table.member[m].begin, table.member[m].end):
            found = found or acts[table.member[n].body] > 0
        if not found:
            b = table.member[m].body
            sums.total[b, :] = 0.0
            sums.moved[b, :] = 0.0


@routine
def is_pushed(total: LINE, moved: LINE):
    """Whether there is any impulse on a body of a tree, also on one whose motion impulses do not change."""
    found = False
    for k in range(6):
        found = found or total[k] != 0.0 or moved[k] != 0.0
    return found


@inlined
def displace_by_trees(h, contacts, model, state, scratch, made, trees, lanes):
    """The displacements of the joints and roots of trees by contact in a step of h s, and the impulses on their
    bodies; those of free bodies of other kinds are known.
    """
    table = contacts.trees
    respond_members(trees.moved, 0.5 * h, contacts, model, scratch, made.shift, lanes)
    for i in table.inward:
        if has_modes(i, model.joints):
            stop_shift(model.joints.value[i], state[i], made.shift[i])
    for i in table.inward:
        if is_root(i, model):
            displace_root(scratch.joints.acceleration[i], made.own[i], lanes)
    strike_members(contacts, model, made, trees)
    if model.loops is not None:
        strike_loops(contacts, model, scratch, made, trees, lanes)


@routine
def note_momentum(body: BODY, frame: FRAME, arm: ARM, acceleration: ACCELERATION, row: LINE):
    """The momentum of a body after a jump. Returns what that gives it of kinetic energy, J."""
    v, dv, omega, domega = arm.v_WC, acceleration.a, frame.omega, acceleration.alpha
    inertia = rotated(frame.q, body.inertia)
    row.linear = scaled(body.mass, add(v, dv))
    row.angular = apply(inertia, add(omega, domega))
    return jump_energy(body.mass, inertia, v, dv, omega, domega)


@routine
def rotor_gain(value: JOINT_VALUE, joint: KINEMATICS, jump: TRIPLE):
    """The kinetic energy that a jump gives to the rotor in a joint, J."""
    return rotor_jump(value.armature, joint.rate, jump.xyz[0])


@inlined
def note_momenta(inward, model, scratch, jumps, trees):
    """The momenta of all rows of trees after the jumps that impulses on these make, before they are displaced; `jumps`
    are those of coordinates. Returns the kinetic energy that these jumps give, J.
    """
    energy = 0.0
    for k in range(len(inward)):
        i = inward[k]
        place = model.moved_node[i]
        acceleration = scratch.joints.acceleration[i]
        energy += note_momentum(
            model.body[i], scratch.frame[place + 1], scratch.arm[place], acceleration, trees.momentum[k]
        )
        if model.joints.joint[i].dof == 1:
            energy += rotor_gain(model.joints.value[i], scratch.joints.kinematics[i], jumps[i])
    return energy


@routine
def restore_momentum(body: BODY, frame: FRAME, arm: ARM, row: LINE, normal: TRIPLE, own: CORRECTION):
    """The impulse that gives a body its momentum back."""
    lost = sub(row.linear, scaled(body.mass, arm.v_WC))
    lost_angular = sub(row.angular, apply(rotated(frame.q, body.inertia), frame.omega))
    own.omega, own.v = confined(normal, lost_angular, lost)


@inlined
def keep_momenta(inward, model, scratch, made, trees):
    """What happens to trees in the pose to which they were displaced: coordinates kept their rates, so the bodies have
    other momenta, which impulses give back to them as far as joints allow it, and to the whole in any case.
    """
    begin_corrections(made)
    for k in range(len(inward)):
        i = inward[k]
        place = model.moved_node[i]
        made.is_pushed[i] = 1
        restore_momentum(
            model.body[i], scratch.frame[place + 1], scratch.arm[place], trees.momentum[k], model.normal, made.own[i]
        )
