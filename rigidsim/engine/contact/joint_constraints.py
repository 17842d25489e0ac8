"""Coordinates that have modes (stops, dry friction, motors of a wanted rate) in trees that contact pushes.

In a step that begins with contact on a tree, what holds a rate at rest is not compared with its bounds before contact
is known: the coordinate waits. Contact is solved as if it were held, whatever that takes. Then the impulse of its
constraint force in the whole step, that in the smooth motion and what it takes against contact, is compared with the
bounds times the length of the step: where it is beyond one, the coordinate is released, and contact is solved again,
with what the bound leaves of the constraint force as a force that is constant within the step. In the first rounds a
released coordinate that moves the other way is held again (principal pivoting, as in `modes.choose_modes`), afterwards
not, so that it ends, and no constraint force is beyond its bounds. What rests on held joints rests; what slides is
right to first order, as all contact is.

A contact between a body that is held and one that forces do not move has no effective mass, so no impulse. If it closes
nevertheless, the coordinates that an impulse of it pushes are released, if their bounds are finite.

An impact with restitution is an instant, in which friction and motors have no impulse. It begins with all coordinates
released but those that rest at a stop, and is solved again in the same way, so stops take part in it as contacts do.
"""

from __future__ import annotations

from rigidsim.engine.constraints.contact_rows import CONTACT
from rigidsim.engine.constraints.delassus import add_impulse_of_row
from rigidsim.engine.constraints.loops import measure_all
from rigidsim.engine.contact.trees import respond_members
from rigidsim.engine.dynamics.responses import drive_left
from rigidsim.engine.events.modes import BLOCKS, add_impulses, find_jump, is_measured, loop_of, natural_mode, write_row
from rigidsim.engine.events.switching import ModeRows, mode_rows, want_now
from rigidsim.engine.model.arrays import switches
from rigidsim.engine.model.contact_layout import LINE
from rigidsim.engine.model.layout import (
    ACCELERATION,
    COORDINATE,
    FACTOR,
    IMPACT,
    JOINT_VALUE,
    TRIPLE,
)
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import slip
from rigidsim.physics.elementary import select
from rigidsim.physics.modes import UNBOUNDED, constraint_bounds, mode_of, sliding
from rigidsim.physics.vector import cross, dot, negated, norm

ROUNDS = 24  # of contact in a step, each with other coordinates released
SLACK = 1e-9  # of the impulse of a constraint force: what is not beyond a bound


@inlined
def turns(i, joints):
    """Whether what has modes is an angle."""
    return i < len(joints.joint) and joints.joint[i].turns > 0  # of loops the smaller bound holds


@inlined
def have_constraints(model):
    """Whether coordinates of trees that contact pushes may have modes."""
    return switches(model) and model.contacts is not None and model.contacts.trees is not None


# --- before contact


@inlined
def begin_constraint(constraint):
    """No impulse, and no contact, up to now."""
    constraint.given, constraint.waits = 0.0, 0.0


@inlined
def is_part_of(n, root, joints):
    """Whether what has modes is part of the tree with this root, or of several of which this is one."""
    found = False
    for j in range(joints.rows.first[n], joints.rows.first[n + 1]):
        i = joints.rows.held[j]
        found = found or (0 <= i < len(joints.joint) and joints.joint[i].root == root)
    return found


@inlined
def wait_for_contact(contacts, model, scratch):
    """Let coordinates wait whose tree was pushed in the last step, as the accelerations by contact say."""
    joints, found, mean = model.joints, scratch.joints.modes, scratch.contact_mean
    for n in range(len(joints.modes)):
        begin_constraint(found.constraint[n])
    for m in range(len(contacts.trees.member)):
        b, pushed = contacts.trees.member[m].body, False
        for k in range(6):
            pushed = pushed or mean[b, k] != 0.0
        if pushed:
            root = joints.joint[contacts.body[b].row].root
            for n in contacts.trees.modes:
                if is_part_of(n, root, joints):
                    found.constraint[n].waits = 1.0


@inlined
def any_waits(model, scratch):
    """Whether a coordinate waits for contact, which then has to look at it, even if nothing touches any more."""
    found = False
    for n in range(len(model.joints.modes)):
        found = found or scratch.joints.modes.constraint[n].waits > 0.0
    return found


# --- what constraints take


@inlined
def begin_constraints(t, block):
    """No coordinate is released yet at time t, s."""
    want_now(t, block)
    for n in range(len(block.model.joints.modes)):
        impact = block.scratch.joints.modes.impact[n]
        impact.last, impact.rebound, impact.compression = 0.0, 0.0, 0.0


@routine
def hold_at_stop(value: JOINT_VALUE, mode: COORDINATE):
    """Let a coordinate slide, unless it rests at a stop."""
    mode.slip, mode.lag = mode_of(mode.x, mode.v, (value.low, value.high), 0.0, 0.0, 0.0)


@routine
def leave_stop(mode: COORDINATE, value: JOINT_VALUE, impact: IMPACT):
    """Let a coordinate leave the stop where it rests. Returns whether it rests there."""
    if sliding(mode.slip, mode.lag) != 0.0:
        return False
    away = 1.0 if mode.x <= value.low else -1.0
    mode.slip, mode.lag, impact.last = away, away, away
    return True


@inlined
def leave_stops(contacts, block):
    """Let all coordinates leave the stops where they rest, as in an instant in which nothing gives way to what strikes.
    Returns whether there are any.
    """
    changed = False
    for n in contacts.trees.modes:
        rows = mode_rows(n, block)
        one = leave_stop(rows.mode, rows.value, block.scratch.joints.modes.impact[n])
        changed = changed or one
    return changed


@inlined
def begin_instant(t, contacts, block):
    """Hold what rests at stops and nothing else in the impacts at time t, s: no finite torque acts in an instant."""
    joints, found = block.model.joints, block.scratch.joints.modes
    begin_constraints(t, block)
    for n in contacts.trees.modes:
        begin_constraint(found.constraint[n])
        hold_at_stop(joints.value[joints.modes[n]], block.state[joints.modes[n]])


@inlined
def missing_impulse(n, model, scratch):
    """What would hold, or holds, the rate of what has modes against the impulses that act, N m s or N s."""
    i, dynamics = model.joints.modes[n], scratch.joints
    if is_measured(i, model):
        return scratch.loops.rows.multiplier[model.loops.loop[loop_of(n, model)].begin].value
    parent = dynamics.acceleration[model.joints.joint[i].parent]
    return -drive_left(dynamics.kinematics[i], FACTOR(dynamics.factor[i]), parent)


@inlined
def impulse_bounds(h, value, mode):
    """(lower, upper) of the impulse of a constraint force in h s, N m s or N s; in an instant, h = 0, of a stop."""
    stops = (value.low, value.high)
    lower, upper = constraint_bounds(mode.x, mode.slip, mode.lag, stops, value.friction, value.largest)
    return select(lower > -UNBOUNDED, h * lower, lower), select(upper < UNBOUNDED, h * upper, upper)


@inlined
def release(bound, away, rows, impact):
    """Release a coordinate, which has this impulse left then, in the direction in which it is going to move."""
    _, mode, constraint = rows
    slip, lag = natural_mode(rows)
    impact.last, impact.rebound = away, bound - constraint.given
    mode.slip, mode.lag = select(slip == 0.0, away, slip), select(lag == 0.0, away, lag)


@routine
def compare(h, returns, missing, rows: ModeRows, jump: TRIPLE, impact: IMPACT):
    """Release a coordinate whose constraint force is out of bounds in a step of h s; with `returns`, hold a released
    one that moves the other way. Returns whether it was changed.
    """
    value, mode, constraint = rows
    slip, lag = natural_mode(rows)
    if sliding(mode.slip, mode.lag) == 0.0:
        lower, upper = impulse_bounds(h, value, mode)
        needed, size = constraint.given + missing, SLACK * (abs(constraint.given) + abs(missing))
        if needed <= upper + size and needed >= lower - size:
            return False
        over = needed > upper
        release(upper if over else lower, -1.0 if over else 1.0, rows, impact)
        return True
    if returns and impact.last * jump.xyz[0] < 0.0:
        mode.slip, mode.lag, impact.last, impact.rebound = slip, lag, 0.0, 0.0
        return True
    return False


@inlined
def compare_constraints(h, number, contacts, block, jumps, trees):
    """Compare all constraint forces with their bounds after a round of contact. Returns whether any mode changed."""
    found, changed = block.scratch.joints.modes, False
    respond_members(trees.total, 1.0, contacts, block, jumps)
    for n in contacts.trees.modes:
        missing = missing_impulse(n, block.model, block.scratch)
        find_jump(n, block, jumps, found.jump[n])
        one = compare(h, number < BLOCKS, missing, mode_rows(n, block), found.jump[n], found.impact[n])
        changed = changed or one
    return changed


@routine
def is_blocked(row: CONTACT, vel_A: LINE, vel_B: LINE, moved_A: LINE, moved_B: LINE):
    """Whether a contact closes that has no effective mass, so that nothing gives way to it."""
    n, r_A, r_B = row.normal, row.lever_A, row.lever_B
    u = slip(vel_A.linear, vel_A.angular, r_A, vel_B.linear, vel_B.angular, r_B)
    way = slip(moved_A.linear, moved_A.angular, r_A, moved_B.linear, moved_B.angular, r_B)
    size = norm(vel_A.linear) + norm(cross(vel_A.angular, r_A)) + norm(vel_B.linear) + norm(cross(vel_B.angular, r_B))
    return row.m_n == 0.0 and dot(n, u) < -SLACK * size and row.gap + dot(n, way) < 0.0


@routine
def try_push(row: CONTACT, tried_A: LINE, tried_B: LINE):
    """An impulse of one along the normal of a contact. Returns the largest of its levers, m."""
    n, r_A, r_B = row.normal, row.lever_A, row.lever_B
    tried_A.linear, tried_A.angular = negated(n), negated(cross(r_A, n))
    tried_B.linear, tried_B.angular = n, cross(r_B, n)
    return max(norm(r_A), norm(r_B))


@routine
def give_way(h, missing, least, rows: ModeRows, impact: IMPACT):
    """Release a coordinate that an impulse pushes, if its bound on that side is finite. Returns whether it was."""
    mode = rows.mode
    lower, upper = impulse_bounds(h, rows.value, mode)
    over = missing > 0.0
    bound = upper if over else lower
    if sliding(mode.slip, mode.lag) != 0.0 or abs(missing) <= least or abs(bound) >= UNBOUNDED:
        return False
    release(bound, -1.0 if over else 1.0, rows, impact)
    return True


@inlined
def release_blocked(h, contacts, block, jumps, vel, moved, trees):
    """Release the coordinates that block contacts. Returns whether there are any."""
    joints, found, changed = block.model.joints, block.scratch.joints.modes, False
    for k in range(trees.count[0]):
        row, A, B = trees.blocks.row[k], trees.blocks.body_A[k, 0], trees.blocks.body_B[k, 0]
        if is_blocked(row, vel[A], vel[B], moved[A], moved[B]):
            trees.tried[:] = 0.0
            lever = try_push(row, trees.tried[A], trees.tried[B])
            respond_members(trees.tried, 0.0, contacts, block, jumps)
            for n in contacts.trees.modes:
                i, missing = joints.modes[n], missing_impulse(n, block.model, block.scratch)
                least = SLACK * (lever if turns(i, joints) else 1.0)
                one = give_way(h, missing, least, mode_rows(n, block), found.impact[n])
                changed = changed or one
    return changed


@routine
def add_to_smooth(n_sub, ahead: ACCELERATION, smooth: LINE):
    """Add a jump to the smooth motion of a body, in equal parts to all sub-steps."""
    for k in range(3):
        smooth[k] += ahead.a[k] / n_sub
        smooth[k + 3] += ahead.alpha[k] / n_sub


@inlined
def pull_by_constraints(contacts, block, jumps, lines):
    """Add what constraint forces of released coordinates do to the smooth motion of all members. Returns their work,
    J.
    """
    found, work = block.scratch.joints.modes, 0.0
    respond_members(None, 1.0, contacts, block, jumps)
    for m in range(len(contacts.trees.member)):
        b = contacts.trees.member[m].body
        add_to_smooth(contacts.substeps, block.scratch.joints.acceleration[contacts.body[b].row], lines.smooth[b])
    for n in contacts.trees.modes:
        find_jump(n, block, jumps, found.jump[n])
        v = COORDINATE(block.state[block.model.joints.modes[n]]).v
        work += found.impact[n].rebound * (v + 0.5 * found.jump[n].xyz[0])  # the rate jumps by its own share
    return work


# --- handing back


@inlined
def any_pulls(model, scratch):
    """Whether the constraint force of some released coordinate has an impulse."""
    found = False
    for n in range(len(model.joints.modes)):
        found = found or scratch.joints.modes.impact[n].rebound != 0.0
    return found


@inlined
def add_impulses_of_constraints(contacts, block, made):
    """Add the impulses of the constraint forces of released coordinates to what happens to bodies."""
    joints, found, n_moved = block.model.joints, block.scratch.joints.modes, len(block.model.moved_node)
    for n in contacts.trees.modes:
        if found.impact[n].rebound != 0.0:
            write_row(n, block)
            add_impulses(1.0, found.impact[n], found.rows.multiplier[n], block.lanes)
            add_impulse_of_row(n, joints.rows, found.rows, made, block.lanes)
            for j in range(joints.rows.first[n], joints.rows.first[n + 1]):
                i = joints.rows.held[j]
                if 0 <= i < n_moved and joints.joint[i].root < n_moved:
                    made.is_settled[joints.joint[i].root] = 1


@routine
def end_constraint(rows: ModeRows):
    """The mode of a coordinate after contact: held if it can be."""
    rows.mode.slip, rows.mode.lag = natural_mode(rows)


@inlined
def end_constraints(t, contacts, block):
    """The modes of all coordinates after contact at time t, s."""
    want_now(t, block)
    measure_all(t, block)
    for n in contacts.trees.modes:
        end_constraint(mode_rows(n, block))
