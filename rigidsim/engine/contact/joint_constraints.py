"""Coordinates that have modes (stops, dry friction, motors of a wanted rate) in trees that contact pushes.

In a step that begins with contact on a tree, what holds a rate at rest is not compared with its bounds before contact
is known: the coordinate waits. Contact is solved as if it were held, whatever that takes. Then the impulse of its
constraint force in the whole step, that in the smooth motion and what it takes against contact, is compared with the
bounds times the length of the step: where it is beyond one, the coordinate is released, and contact is solved again,
with what the bound leaves of the constraint force as a force that is constant within the step. In the first rounds a
released coordinate that moves the other way is held again (principal pivoting, as in `modes.choose_modes`), afterwards
not, so that it ends, and no constraint force is beyond its bounds. What rests on held joints rests; what slides is
right to first order, as all contact is.

An impact with restitution is an instant, in which friction and motors have no impulse. It begins with all coordinates
released but those that rest at a stop, and is solved again in the same way, so stops take part in it as contacts do.
"""

from __future__ import annotations

from rigidsim.engine.articulated import has_modes
from rigidsim.engine.contact.columns import LINE
from rigidsim.engine.contact.trees import respond_members
from rigidsim.engine.delassus import strike_row
from rigidsim.engine.layout import (
    ACCELERATION,
    BLOW,
    CONSTRAINT,
    COORDINATE,
    FACTOR,
    JOINT_VALUE,
    KINEMATICS,
    TRIPLE,
)
from rigidsim.engine.modes import BLOCKS, add_impulses, natural_mode, write_row
from rigidsim.engine.responses import drive_left
from rigidsim.engine.switching import switches, want_now
from rigidsim.jit import inlined, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.modes import UNBOUNDED, constraint_bounds, mode_of, sliding

ROUNDS = 24  # of contact in a step, each with other coordinates released
SLACK = 1e-9  # of the impulse of a constraint force: what is not beyond a bound


@inlined
def have_constraints(model):
    """Whether coordinates of trees that contact pushes may have modes."""
    return switches(model) and model.contacts is not None and model.contacts.trees is not None


# --- before contact


@routine
def begin_constraint(constraint: CONSTRAINT):
    """No impulse, and no contact, up to now."""
    constraint.given, constraint.waits = 0.0, 0.0


@routine
def let_wait(constraint: CONSTRAINT):
    """Let a coordinate wait for contact."""
    constraint.waits = 1.0


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
            for i in contacts.trees.inward:
                if has_modes(i, joints) and joints.joint[i].root == root:
                    let_wait(found.constraint[joints.joint[i].mode])


@routine
def does_wait(constraint: CONSTRAINT):
    """Whether a coordinate waits for contact."""
    return constraint.waits > 0.0


@inlined
def any_waits(model, scratch):
    """Whether a coordinate waits for contact, which then has to look at it, even if nothing touches any more."""
    found = False
    for n in range(len(model.joints.modes)):
        found = found or does_wait(scratch.joints.modes.constraint[n])
    return found


# --- what constraints take


@routine
def hold_back(blow: BLOW):
    """No coordinate is released."""
    blow.last, blow.bounce, blow.catch = 0.0, 0.0, 0.0


@inlined
def begin_constraints(t, model, state, scratch, lanes):
    """No coordinate is released yet at time t, s."""
    want_now(t, model, state, scratch, lanes)
    for n in range(len(model.joints.modes)):
        hold_back(scratch.joints.modes.blow[n])


@routine
def hold_at_stop(value: JOINT_VALUE, mode: COORDINATE):
    """Let a coordinate slide, unless it rests at a stop."""
    mode.slip, mode.lag = mode_of(mode.x, mode.v, (value.low, value.high), 0.0, 0.0, 0.0)


@inlined
def begin_instant(t, contacts, model, state, scratch, lanes):
    """Hold what rests at stops and nothing else in the impacts at time t, s: no finite torque acts in an instant."""
    joints, found = model.joints, scratch.joints.modes
    begin_constraints(t, model, state, scratch, lanes)
    for i in contacts.trees.inward:
        if has_modes(i, joints):
            begin_constraint(found.constraint[joints.joint[i].mode])
            hold_at_stop(joints.value[i], state[i])


@routine
def missing_impulse(joint: KINEMATICS, factor: FACTOR, parent: ACCELERATION):
    """What would hold the rate of a coordinate against the impulses that it feels, N m s or N s."""
    return -drive_left(joint, factor, parent)


@inlined
def impulse_bounds(h, value, mode):
    """(lower, upper) of the impulse of a constraint force in h s, N m s or N s; in an instant, h = 0, of a stop."""
    stops = (value.low, value.high)
    lower, upper = constraint_bounds(mode.x, mode.slip, mode.lag, stops, value.friction, value.largest)
    return select(lower > -UNBOUNDED, h * lower, lower), select(upper < UNBOUNDED, h * upper, upper)


@routine
def compare(
    h, returns, missing, value: JOINT_VALUE, jump: TRIPLE, constraint: CONSTRAINT, blow: BLOW, mode: COORDINATE
):
    """Release a coordinate whose constraint force is out of bounds in a step of h s; with `returns`, hold a released
    one that moves the other way. Returns whether it was changed.
    """
    slip, lag = natural_mode(mode, value, constraint)
    if sliding(mode.slip, mode.lag) == 0.0:
        lower, upper = impulse_bounds(h, value, mode)
        needed, size = constraint.given + missing, SLACK * (abs(constraint.given) + abs(missing))
        if needed <= upper + size and needed >= lower - size:
            return False
        over = needed > upper
        away = -1.0 if over else 1.0
        blow.last, blow.bounce = away, (upper if over else lower) - constraint.given
        mode.slip, mode.lag = select(slip == 0.0, away, slip), select(lag == 0.0, away, lag)
        return True
    if returns and blow.last * jump.xyz[0] < 0.0:
        mode.slip, mode.lag, blow.last, blow.bounce = slip, lag, 0.0, 0.0
        return True
    return False


@inlined
def compare_constraints(h, number, contacts, model, state, scratch, jumps, trees, lanes):
    """Compare all constraint forces with their bounds after a round of contact. Returns whether any mode changed."""
    joints, dynamics, changed = model.joints, scratch.joints, False
    respond_members(trees.total, 1.0, contacts, model, scratch, jumps, lanes)
    for i in contacts.trees.inward:
        if has_modes(i, joints):
            n, parent = joints.joint[i].mode, dynamics.acceleration[joints.joint[i].parent]
            missing = missing_impulse(dynamics.kinematics[i], dynamics.factor[i], parent)
            one = compare(
                h, number < BLOCKS, missing, joints.value[i], jumps[i], dynamics.modes.constraint[n],
                dynamics.modes.blow[n], state[i],
            )  # fmt: skip
            changed = changed or one
    return changed


@routine
def work_of_constraint(blow: BLOW, mode: COORDINATE, jump: TRIPLE):
    """The work of the impulse of a constraint force, J, of which the rate jumps by its own share."""
    return blow.bounce * (mode.v + 0.5 * jump.xyz[0])


@routine
def add_ramp(n_sub, ahead: ACCELERATION, smooth: LINE):
    """Add a jump to the smooth motion of a body, in equal parts to all sub-steps."""
    for k in range(3):
        smooth[k] += ahead.a[k] / n_sub
        smooth[k + 3] += ahead.alpha[k] / n_sub


@inlined
def pull_by_constraints(contacts, model, state, scratch, jumps, lines, lanes):
    """Add what constraint forces of released coordinates do to the smooth motion of all members. Returns their work,
    J.
    """
    joints, dynamics, work = model.joints, scratch.joints, 0.0
    respond_members(None, 1.0, contacts, model, scratch, jumps, lanes)
    for m in range(len(contacts.trees.member)):
        b = contacts.trees.member[m].body
        add_ramp(contacts.substeps, dynamics.acceleration[contacts.body[b].row], lines.smooth[b])
    for i in contacts.trees.inward:
        if has_modes(i, joints):
            work += work_of_constraint(dynamics.modes.blow[joints.joint[i].mode], state[i], jumps[i])
    return work


# --- handing back


@routine
def pulls(blow: BLOW):
    """Whether the constraint force of a released coordinate has an impulse."""
    return blow.bounce != 0.0


@inlined
def any_pulls(model, scratch):
    """Whether the constraint force of some released coordinate has an impulse."""
    found = False
    for n in range(len(model.joints.modes)):
        found = found or pulls(scratch.joints.modes.blow[n])
    return found


@inlined
def strike_by_constraints(contacts, model, scratch, made, lanes):
    """Add the impulses of the constraint forces of released coordinates to what happens to bodies."""
    joints, found, n_moved = model.joints, scratch.joints.modes, len(model.moved_node)
    for i in contacts.trees.inward:
        if has_modes(i, joints) and pulls(found.blow[joints.joint[i].mode]):
            n, root = joints.joint[i].mode, joints.joint[i].root
            write_row(n, joints, scratch, lanes)
            add_impulses(1.0, found.blow[n], found.rows.multiplier[n], lanes)
            strike_row(n, joints.rows, found.rows, made, lanes)
            if root < n_moved:
                made.is_settled[root] = 1


@routine
def end_constraint(value: JOINT_VALUE, constraint: CONSTRAINT, mode: COORDINATE):
    """The mode of a coordinate after contact: held if it can be."""
    mode.slip, mode.lag = natural_mode(mode, value, constraint)


@inlined
def end_constraints(t, contacts, model, state, scratch, lanes):
    """The modes of all coordinates after contact at time t, s."""
    want_now(t, model, state, scratch, lanes)
    for i in contacts.trees.inward:
        if has_modes(i, model.joints):
            end_constraint(model.joints.value[i], scratch.joints.modes.constraint[model.joints.joint[i].mode], state[i])
