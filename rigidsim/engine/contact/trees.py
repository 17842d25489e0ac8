"""Contacts of bodies that are parts of trees of joints: an impulse on one body of a tree moves all of them.

When something touches a tree, what wrenches on its contact bodies do to all of these is found at the end of the smooth
step: the block W of M^-1 that belongs to them (`tree_responses.py`). The inverse effective masses of a contact are made
of such blocks; an impulse changes the velocities of all contact bodies of its tree. So a tree is one thing in the
solver, and its contacts are computed one by one, after all others, in their order.
The impulses on each body are summed like velocities, with the same rule for displacements; at the end of the step the
trees answer the sums, by W again, so what is handed back has the velocities that the solver found.
"""

from __future__ import annotations

from rigidsim.engine.constraints.contact_rows import (
    BODY_PAIR,
    CONTACT,
    TURNING,
    begin_impulses,
    fill_bodies,
    fill_turning,
    gather,
    gather_pair_masses,
)
from rigidsim.engine.constraints.delassus import add_bias_of_row, add_impulse_of_row, clear_impulses
from rigidsim.engine.constraints.loops import displace_root
from rigidsim.engine.constraints.tree_responses import (
    add_jump,
    confined,
    hold_impulses,
    is_in_tree,
    push,
    respond,
)
from rigidsim.engine.contact.iterations import IN_TREE, NEVER_CLOSES, correct_block, follow_block, relax_block
from rigidsim.engine.dynamics.articulated import has_modes
from rigidsim.engine.dynamics.corrections import begin_corrections
from rigidsim.engine.dynamics.kinds import is_root
from rigidsim.engine.events.modes import add_impulses, write_row
from rigidsim.engine.model.arrays import switches
from rigidsim.engine.model.contact_layout import CENTRE, LINE, WHO
from rigidsim.engine.model.layout import (
    ACCELERATION,
    ARM,
    BODY,
    COORDINATE,
    CORRECTION,
    FRAME,
    JOINT_VALUE,
    TRIPLE,
)
from rigidsim.jit import inlined, routine
from rigidsim.physics.articulated import rotor_jump
from rigidsim.physics.contact import (
    effective_mass,
    eigenvalue_bound,
    initial_velocity_change,
    lasting_share,
    mean_velocity,
    slip,
    softness,
    tangent_mass,
    tangents,
)
from rigidsim.physics.elementary import select
from rigidsim.physics.impulses import jump_energy, moment
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import conjugate, log, product
from rigidsim.physics.restitution import HELD
from rigidsim.physics.vector import ZERO, add, cross, dot, negated, scaled, sub

ONE = (0.0,)  # the lane of a single contact
# Of the motions that an impulse gives to each of two bodies: with less there is no relative one, if joints have modes.
# Without this bound random trees whose parts overlap, and are held by stops or friction, gain energy.
TOGETHER = 1e-4
# Over the contacts of trees in each sub-step. A landing on four legs sinks a third of what it does with one round.
ROUNDS = 4


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


@inlined
def push_noted(A, B, bodies: BODY_PAIR, vel, trees):
    """What was noted of the impulses of a contact."""
    P = bodies.P
    push(A, negated(bodies.K_A), negated(P), vel, trees)
    push(B, bodies.K_B, P, vel, trees)


# --- rows of contacts


@inlined
def slip_by(A, B, r_A, r_B, P, K, trees):
    """(slip, rate of B less that of A) that an impulse P and a moment K on B make, and the opposite on A."""
    jump = trees.made.jump
    jump[:] = 0.0
    K_A, K_B = moment(r_A, P, K), moment(r_B, P, K)
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
    add_jump(A, A, negated(moment(r_A, P, ZERO)), negated(P), trees, jump[0])
    add_jump(B, B, moment(r_B, P, ZERO), P, trees, jump[1])
    return slip(jump[0].linear, jump[0].angular, r_A, jump[1].linear, jump[1].angular, r_B)


@inlined
def write_masses(row: CONTACT, A, B, trees):
    """Effective masses of a contact. In a direction that joints do not allow nothing can be moved, nor where joints
    whose rates are held keep both bodies together.
    """
    n, r_A, r_B, shift = row.normal, row.lever_A, row.lever_B, row.shift
    beside_A, beside_B, (t, b) = add(r_A, shift), add(r_B, shift), tangents(n)
    K_n, rates = slip_by(A, B, r_A, r_B, n, ZERO, trees)
    K_t, _ = slip_by(A, B, beside_A, beside_B, t, ZERO, trees)
    K_b, _ = slip_by(A, B, beside_A, beside_B, b, ZERO, trees)
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
        _, x = slip_by(A, B, r_A, r_B, ZERO, (1.0, 0.0, 0.0), trees)
        _, y = slip_by(A, B, r_A, r_B, ZERO, (0.0, 1.0, 0.0), trees)
        _, z = slip_by(A, B, r_A, r_B, ZERO, (0.0, 0.0, 1.0), trees)
        row.m_r = effective_mass(eigenvalue_bound((x[0], y[1], z[2], x[1], x[2], y[2])))


@routine
def prepare_row(row: CONTACT, A, B, trees):
    """Effective masses and impulses at the beginning of a step: none, where nothing can be moved."""
    write_masses(row, A, B, trees)
    if row.m_n == 0.0:
        row.p_n, row.p_t, row.p_r = 0.0, ZERO, ZERO
    begin_impulses(row, row.normal)


@inlined
def fill_tree_contacts(point_who: WHO, point, trees):
    """The rows of all contacts of trees."""
    blocks = trees.made.blocks
    for k in range(trees.made.count[0]):
        m = blocks.contact[k, 0]
        blocks.body_A[k, 0], blocks.body_B[k, 0] = point_who[m].a, point_who[m].b
        blocks.kind[k], blocks.layers[k] = TURNING, 1
        gather_pair_masses(trees.inverse, blocks, k, ONE)
        fill_bodies(blocks.contact[k], point, blocks.row[k], ONE)
        fill_turning(blocks.contact[k], point_who, point, blocks.row[k], ONE)
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
def begin_tree_contacts(s, part, lines, bodies, trees):
    """What contacts that last change at the beginning of the step, where the ramps do not begin with the velocities
    before it (`begin_linear_velocity`): impulses in addition to those of the sub-steps, which then are the same
    in each, so that what rests does not creep.
    """
    made = trees.made
    for k in range(made.count[0]):
        begin_row(made.blocks.row[k], made.kept[k])
    resolve_tree_contacts(True, s, part, lines, bodies, trees)
    for k in range(made.count[0]):
        finish_row(made.blocks.row[k], made.kept[k])


@routine
def begin_linear_velocity(h, n_sub, start: CENTRE, finish: CENTRE, vel: LINE, smooth: LINE):
    """Let the ramp of velocity of a body end where the smooth step did: springs and dampers in joints, which contact
    does not know of, may change much within a step. If it began with the velocity before the step, what rests would
    creep by what is missing.
    """
    turn = scaled(2.0, log(product(finish.q, conjugate(start.q))))
    of_v = initial_velocity_change(h, sub(finish.p, start.p), start.v, finish.v)
    of_omega = initial_velocity_change(h, turn, start.omega, finish.omega)
    vel.linear, vel.angular = add(vel.linear, of_v), add(vel.angular, of_omega)
    smooth.linear = sub(smooth.linear, scaled(1.0 / n_sub, of_v))
    smooth.angular = sub(smooth.angular, scaled(1.0 / n_sub, of_omega))


@inlined
def begin_linear_velocities(h, contacts, motions, lines):
    """The ramps of all bodies of trees."""
    for m in range(len(contacts.trees.member)):
        b = contacts.trees.member[m].body
        begin_linear_velocity(h, contacts.substeps, motions.start[b], motions.finish[b], lines.vel[b], lines.smooth[b])


@inlined
def gather_pair(values, blocks, k, bodies, place):
    """The rows of both bodies of a contact."""
    gather(values, blocks.body_A[k], bodies, place, ONE)
    gather(values, blocks.body_B[k], bodies, place + 6, ONE)


@inlined
def push_tree_contacts(vel, bodies, trees):
    """Warm start: the impulses of the last step."""
    blocks = trees.made.blocks
    for k in range(trees.made.count[0]):
        IN_TREE.push(CONTACT(blocks.row[k], 0, 1), blocks.masses[k], BODY_PAIR(bodies, 0, 1))
        push_noted(blocks.body_A[k, 0], blocks.body_B[k, 0], bodies, vel, trees)


@inlined
def follow_tree_contacts(s, lines, bodies, trees):
    """Levers and slip of all contacts of trees for a sub-step."""
    blocks = trees.made.blocks
    for k in range(trees.made.count[0]):
        gather_pair(lines.vel, blocks, k, bodies, BODY_PAIR.place("v_A"))
        gather_pair(lines.moved, blocks, k, bodies, BODY_PAIR.place("moved_A"))
        follow_block(IN_TREE, blocks.row[k], blocks.masses[k], bodies, s, ONE)
        push_noted(blocks.body_A[k, 0], blocks.body_B[k, 0], bodies, lines.vel, trees)


@inlined
def resolve_tree_contacts(relaxes, s, part, lines, bodies, trees):
    """All contacts of trees, some rounds; `relaxes`: without the overlaps."""
    blocks, soft = trees.made.blocks, softness(s, part)
    for turn in range(ROUNDS * trees.made.count[0]):
        k = turn % trees.made.count[0]
        gather_pair(lines.vel, blocks, k, bodies, BODY_PAIR.place("v_A"))
        if relaxes:
            relax_block(IN_TREE, blocks.row[k], blocks.masses[k], bodies, ONE)
        else:
            gather_pair(lines.moved, blocks, k, bodies, BODY_PAIR.place("moved_A"))
            correct_block(IN_TREE, blocks.row[k], blocks.masses[k], bodies, s, soft, ONE)
        push_noted(blocks.body_A[k, 0], blocks.body_B[k, 0], bodies, lines.vel, trees)


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
def displace_trees(s, lines, trees):
    """Add the displacements of a sub-step to bodies of trees. What lasts of a jump is one share of the impulses of the
    whole tree, in the measure of its kinetic energy.
    """
    table, sums, vel, push = trees.table, trees.made, lines.vel, lines.push
    for m in range(len(table.member)):
        if m != table.member[m].begin:
            continue
        old, new = 0.0, 0.0
        for n in range(m, table.member[m].end):
            b = table.member[n].body
            old += work_of(sums.push[b], push[b])
            new += work_gained(sums.push[b], vel[b], lines.began[b])
        share = lasting_share(old, new)
        for n in range(m, table.member[m].end):
            b = table.member[n].body
            displace_member(s, share, vel[b], lines.smooth[b], push[b], lines.moved[b])
            displace_member(s, share, sums.total[b], sums.still[b], sums.push[b], sums.moved[b])


# --- handing back


@inlined
def add_bias_of_constraints(part, contacts, block):
    """Let parts of the impulses of the constraint forces of released coordinates act, too (`joint_constraints.py`)."""
    found = block.scratch.joints.modes
    for n in contacts.trees.modes:
        write_row(n, block)
        add_impulses(part, found.impact[n], found.rows.multiplier[n], block.lanes)
        add_bias_of_row(n, block.model.joints.rows, found.rows, block.scratch, block.lanes)


@routine
def stop_shift(value: JOINT_VALUE, mode: COORDINATE, shift: TRIPLE):
    """Displace a coordinate that has modes no farther than to its stops."""
    x, way = mode.x, shift.xyz[0]
    way = select(x + way > value.high, value.high - x, select(x + way < value.low, value.low - x, way))
    shift.xyz = (way, 0.0, 0.0)


@inlined
def push_members(values, part, contacts, block):
    """Let the impulses of all contact bodies of trees alone, if there are any, act on these, at rest, with a part of
    those of constraint forces.
    """
    if values is None:
        clear_impulses(contacts.trees.inward, block)
    else:
        hold_impulses(values, contacts, block)
    if switches(block.model):
        add_bias_of_constraints(part, contacts, block)


@inlined
def respond_members(values, part, contacts, block, jumps):
    """`respond` to the impulses of all contact bodies of trees, with a part of those of constraint forces."""
    respond(push_members, (values, part), contacts, block, jumps)


@inlined
def add_impulses_of_loops(contacts, block, made, trees):
    """The impulses of loops that answer those on bodies of trees, as what happens to bodies."""
    scratch = block.scratch
    loops = block.model.loops
    respond_members(trees.total, 1.0, contacts, block, scratch.loops.made.shift)
    for k in range(len(scratch.loops.equation)):
        add_impulse_of_row(k, loops.rows, scratch.loops.rows, made, block.lanes)


@routine
def add_impulse_of_line(line: LINE, normal: TRIPLE, own: CORRECTION):
    """The impulse on a body of a tree, and its moment, as what happens to it. Returns whether there is any."""
    t, f = confined(normal, line.angular, line.linear)
    own.v = add(own.v, f)
    own.omega = add(own.omega, t)
    return dot(t, t) + dot(f, f) > 0.0


@inlined
def add_impulses_of_members(contacts, model, made, trees):
    """The impulses on bodies of trees, as what happens to these."""
    for m in range(len(contacts.trees.member)):
        b, row = contacts.trees.member[m].body, contacts.body[contacts.trees.member[m].body].row
        if add_impulse_of_line(trees.total[b], model.normal, made.own[row]):
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
def displace_by_trees(h, contacts, block, made, trees):
    """The displacements of the joints and roots of trees by contact in a step of h s, and the impulses on their
    bodies; those of free bodies of other kinds are known.
    """
    model = block.model
    table = contacts.trees
    respond_members(trees.moved, 0.5 * h, contacts, block, made.shift)
    for i in table.inward:
        if has_modes(i, model.joints):
            stop_shift(model.joints.value[i], block.state[i], made.shift[i])
    for i in table.inward:
        if is_root(i, model):
            displace_root(block.scratch.joints.acceleration[i], made.own[i], block.lanes)
    add_impulses_of_members(contacts, model, made, trees)
    if model.loops is not None:
        add_impulses_of_loops(contacts, block, made, trees)


@routine
def note_momentum(body: BODY, frame: FRAME, arm: ARM, acceleration: ACCELERATION, row: LINE):
    """The momentum of a body after a jump. Returns what that gives it of kinetic energy, J."""
    v, dv, omega, domega = arm.v_WC, acceleration.a, frame.omega, acceleration.alpha
    inertia = rotated(frame.q, body.inertia)
    row.linear = scaled(body.mass, add(v, dv))
    row.angular = apply(inertia, add(omega, domega))
    return jump_energy(body.mass, inertia, v, dv, omega, domega)


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
            rate = scratch.joints.kinematics[i].rate
            energy += rotor_jump(model.joints.value[i].armature, rate, jumps[i].xyz[0])
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
