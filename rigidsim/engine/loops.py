"""Loops: what is held together beside the joints of the tree (`physics/loops.py` has the equations).

The multipliers follow from the accelerations that there are without loops, and from what a unit of each multiplier does
to the trees (`responses.respond`). They are loads like others: wrenches on the bodies, with which the accelerations are
computed again. After a step gaps and their rates are closed: a displacement and an impulse, which pass through the
tree as corrections do, so that free descendants keep their motion in the world.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.articulated import gather_inwards
from rigidsim.engine.corrections import begin_corrections, distribute
from rigidsim.engine.drive import drive
from rigidsim.engine.kinds import is_root, place
from rigidsim.engine.layout import (
    APART,
    BODY,
    CARRIED,
    CLOSING,
    CORRECTION,
    EACH,
    FAULT,
    FELT,
    FRAME,
    LOOP_VALUE,
    MEETING,
    PUSH,
    SCALAR,
    TRIPLE,
    WRENCH,
)
from rigidsim.engine.parts import largest_of
from rigidsim.engine.programs import fill
from rigidsim.engine.relations import separate
from rigidsim.engine.responses import respond
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.loops import (
    CLOSED,
    LEFT,
    axes_apart,
    distance_apart,
    inverse_pivot,
    point_motion,
    pull_moment,
    unheld_mobility,
)
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, dot, negated, projection, rejection, scaled, sub

NONE = (0.0, 0.0, 0.0)

# --- equations


@lanewise
def meet(value: LOOP_VALUE, first: FRAME, second: FRAME, apart: APART, meeting: MEETING, lane):
    """The way between the two points of a loop, and its rates."""
    q_1, q_2 = first.q, second.q
    at_1, at_2 = rotate(q_1, value.at), rotate(q_2, value.to_at)
    v_1, a_1 = point_motion(NONE, first.a, first.omega, first.alpha, at_1)
    v_2, a_2 = point_motion(apart.v, second.a, second.omega, second.alpha, at_2)
    meeting.r = add(apart.p, sub(at_2, at_1))
    meeting.v = sub(v_2, v_1)
    meeting.a = sub(a_2, a_1)
    meeting.arm = rotate(q_1, value.lever)
    meeting.to_arm = rotate(q_2, value.to_lever)


@lanewise
def hold_point(x, y, z, meeting: MEETING, closing: CLOSING, lane):
    """The points coincide, as far as this axis of the world goes."""
    e = (x, y, z)
    closing.f = e
    closing.t = NONE
    closing.gap = dot(e, meeting.r)
    closing.rate = dot(e, meeting.v)
    closing.second = dot(e, meeting.a)


@inlined
def hold_across(axis, across, first, second, closing):
    """The axes are parallel, as far as one direction goes."""
    n, gap, bias = axes_apart(rotate(first.q, axis), rotate(second.q, across), first.omega, second.omega)
    closing.f = NONE
    closing.t = n
    closing.gap = gap
    closing.rate = dot(n, sub(second.omega, first.omega))
    closing.second = dot(n, sub(second.alpha, first.alpha)) + bias


@lanewise
def hold_axis(value: LOOP_VALUE, first: FRAME, second: FRAME, across: CLOSING, beside: CLOSING, lane):
    """The axes are parallel."""
    hold_across(value.axis, value.across, first, second, across)
    hold_across(value.axis, value.beside, first, second, beside)


@lanewise
def hold_distance(value: LOOP_VALUE, meeting: MEETING, closing: CLOSING, lane):
    """The points keep their distance."""
    e, gap, bias = distance_apart(meeting.r, meeting.v, value.length)
    closing.f = e
    closing.t = NONE
    closing.gap = gap
    closing.rate = dot(e, meeting.v)
    closing.second = dot(e, meeting.a) + bias


@lanewise
def pull(meeting: MEETING, closing: CLOSING, first: PUSH, second: PUSH, lane):
    """What a multiplier of one does to both bodies, about their centres of mass."""
    e, n = closing.f, closing.t
    first.f = negated(e)
    first.t = negated(pull_moment(meeting.arm, e, n))
    second.f = e
    second.t = pull_moment(meeting.to_arm, e, n)


@lanewise
def confine_push(normal: TRIPLE, push: PUSH, lane):
    """In a planar scene: leave out what would move a body out of the plane or tilt it."""
    u = normal.xyz
    push.f = rejection(u, push.f)
    push.t = projection(u, push.t)


@inlined
def write_equations(model, scratch, lanes):
    """The equations of all loops; the frames are placed and related, and have the accelerations that are known."""
    loops, made = model.loops, scratch.loops
    for k in range(len(loops.loop)):
        kind, row, value, meeting = loops.loop[k].kind, loops.loop[k].begin, loops.value[k], made.meeting[k]
        first, second = scratch.frame[loops.loop[k].first], scratch.frame[loops.loop[k].second]
        meet(value, first, second, scratch.apart[loops.loop[k].pair], meeting, lanes)
        if kind == at.DISTANCE:
            hold_distance(value, meeting, made.closing[row], lanes)
        else:
            hold_point(1.0, 0.0, 0.0, meeting, made.closing[row], lanes)
            hold_point(0.0, 1.0, 0.0, meeting, made.closing[row + 1], lanes)
            hold_point(0.0, 0.0, 1.0, meeting, made.closing[row + 2], lanes)
        if kind == at.AXIS:
            hold_axis(value, first, second, made.closing[row + 3], made.closing[row + 4], lanes)
        for i in range(row, loops.loop[k].end):
            pull(meeting, made.closing[i], made.push[2 * i], made.push[2 * i + 1], lanes)
            if len(model.normal) > 0:
                confine_push(model.normal[0], made.push[2 * i], lanes)
                confine_push(model.normal[0], made.push[2 * i + 1], lanes)


# --- multipliers


@lanewise
def clear(felt: FELT, lane):
    """No impulse."""
    felt.t = NONE
    felt.f = NONE


@lanewise
def feel(x: SCALAR, push: PUSH, felt: FELT, lane):
    """Add x times what acts on a body to the wrench that holds it."""
    felt.t = sub(felt.t, scaled(x.value, push.t))
    felt.f = sub(felt.f, scaled(x.value, push.f))


@lanewise
def answer_of(push: PUSH, carried: CARRIED, product: SCALAR, lane):
    """Add what the jump of a body does to the rate of a gap."""
    product.value += dot(push.t, carried.alpha) + dot(push.f, carried.a)


@lanewise
def load(x: SCALAR, push: PUSH, wrench: WRENCH, lane):
    """Add x times what acts on a body to its loads."""
    wrench.f = add(wrench.f, scaled(x.value, push.f))
    wrench.tau = add(wrench.tau, scaled(x.value, push.t))


@lanewise
def strike(x: SCALAR, push: PUSH, own: CORRECTION, lane):
    """Add x times what acts on a body to the impulses on it."""
    own.v = add(own.v, scaled(x.value, push.f))
    own.omega = add(own.omega, scaled(x.value, push.t))


@lanewise
def add_unheld(body: BODY, frame: FRAME, push: PUSH, unheld: SCALAR, lane):
    """Add what a multiplier of one would do through a body that nothing holds."""
    f, t = rotate_back(frame.q, push.f), rotate_back(frame.q, push.t)
    unheld.value += unheld_mobility(body.mass, body.inverse, f, t)


@lanewise
def keep_pivot(pivot: SCALAR, diagonal: SCALAR, unheld: SCALAR, inverse: SCALAR, lane):
    """The inverse of a pivot, or zero."""
    inverse.value = inverse_pivot(pivot.value, diagonal.value, unheld.value)


@lanewise
def copy_number(source: SCALAR, target: SCALAR, lane):
    """Copy a number."""
    target.value = source.value


@lanewise
def subtract_product(x: SCALAR, inverse: SCALAR, y: SCALAR, target: SCALAR, lane):
    """Subtract x y / D from a number."""
    target.value = target.value - (x.value * inverse.value) * y.value


@lanewise
def subtract(x: SCALAR, y: SCALAR, target: SCALAR, lane):
    """Subtract x y from a number."""
    target.value = target.value - x.value * y.value


@lanewise
def divide(inverse: SCALAR, target: SCALAR, lane):
    """Divide a number by that whose inverse this is."""
    target.value = target.value * inverse.value


@inlined
def weigh(model, scratch, lanes):
    """J M^-1 J^T as L D L^T: each column is what a unit of one multiplier does; the inertia is gathered."""
    loops, made, n = model.loops, scratch.loops, len(scratch.loops.closing)
    for column in range(n):
        fill(made.multiplier[column], 1.0, lanes)
        push_bodies(column, column + 1, model, scratch, lanes)
        respond(loops.inward, model, scratch, made.made.shift, lanes)
        for row in range(column, n):
            product = made.gram[n * row + column]
            fill(product, 0.0, lanes)
            for end in range(2 * row, 2 * row + 2):
                if loops.held[end] != at.NO_ROW:
                    answer_of(made.push[end], scratch.joints.carried[loops.held[end]], product, lanes)
    for end in range(2 * n):
        unheld, row = made.unheld[end // 2], loops.held[end]
        if end % 2 == 0:
            fill(unheld, 0.0, lanes)
        if row != at.NO_ROW:
            frame = scratch.frame[model.moved_node[row] + 1]
            add_unheld(model.body[row], frame, made.push[end], unheld, lanes)
    factorise(made, n, lanes)


@inlined
def factorise(made, n, lanes):
    """Replace a symmetric matrix by L and D, without pivoting; rows that depend on those before them drop out."""
    for k in range(n):
        copy_number(made.gram[n * k + k], made.diagonal[k], lanes)
    for k in range(n):
        inverse = made.inverse[k]
        keep_pivot(made.gram[n * k + k], made.diagonal[k], made.unheld[k], inverse, lanes)
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                x, y = made.gram[n * i + k], made.gram[n * j + k]
                subtract_product(x, inverse, y, made.gram[n * i + j], lanes)
        for i in range(k + 1, n):
            divide(inverse, made.gram[n * i + k], lanes)


@inlined
def solve(made, n, lanes):
    """Replace the right-hand sides in `multiplier` by the multipliers."""
    for i in range(n):
        for j in range(i):
            subtract(made.gram[n * i + j], made.multiplier[j], made.multiplier[i], lanes)
    for i in range(n):
        divide(made.inverse[i], made.multiplier[i], lanes)
    for k in range(n):
        i = n - 1 - k
        for j in range(i + 1, n):
            subtract(made.gram[n * j + i], made.multiplier[j], made.multiplier[i], lanes)


@inlined
def feel_multipliers(begin, end, model, scratch, lanes):
    """Let the multipliers of these equations act on all bodies, as impulses on what is at rest."""
    loops, made = model.loops, scratch.loops
    for k in range(2 * begin, 2 * end):
        if loops.held[k] != at.NO_ROW:
            feel(made.multiplier[k // 2], made.push[k], scratch.joints.felt[loops.held[k]], lanes)


@inlined
def push_bodies(begin, end, model, scratch, lanes):
    """Let the multipliers of these equations alone act."""
    for i in model.loops.inward:
        clear(scratch.joints.felt[i], lanes)
    feel_multipliers(begin, end, model, scratch, lanes)


@lanewise
def oppose_second(closing: CLOSING, x: SCALAR, lane):
    """The right-hand side for accelerations."""
    x.value = -closing.second


@lanewise
def oppose_gap(closing: CLOSING, x: SCALAR, lane):
    """The right-hand side for displacements."""
    x.value = -closing.gap


@lanewise
def oppose_rate(closing: CLOSING, x: SCALAR, lane):
    """The right-hand side for velocities."""
    x.value = -closing.rate


@inlined
def hold_loops(model, scratch, lanes):
    """Add the reactions of all loops to the loads; the accelerations without them are known."""
    loops, made, n = model.loops, scratch.loops, len(scratch.loops.closing)
    write_equations(model, scratch, lanes)
    weigh(model, scratch, lanes)
    for k in range(n):
        oppose_second(made.closing[k], made.multiplier[k], lanes)
    solve(made, n, lanes)
    for k in range(2 * n):
        if loops.held[k] != at.NO_ROW:
            load(made.multiplier[k // 2], made.push[k], scratch.wrench[loops.held[k]], lanes)


@lanewise
def negate(x: SCALAR, lane):
    """Change the sign of a number."""
    x.value = -x.value


@inlined
def oppose_jumps(model, scratch, lanes):
    """The multipliers that close loops again after the jumps of bodies in `carried`; the matrix is factorised."""
    loops, made, n = model.loops, scratch.loops, len(scratch.loops.closing)
    for k in range(n):
        fill(made.multiplier[k], 0.0, lanes)
        for end in range(2 * k, 2 * k + 2):
            if loops.held[end] != at.NO_ROW:
                answer_of(made.push[end], scratch.joints.carried[loops.held[end]], made.multiplier[k], lanes)
        negate(made.multiplier[k], lanes)
    solve(made, n, lanes)


# --- samples


@lanewise
def begin_pull(force: TRIPLE, torque: TRIPLE, lane):
    """No reaction."""
    force.xyz = NONE
    torque.xyz = NONE


@lanewise
def add_pull(x: SCALAR, closing: CLOSING, force: TRIPLE, torque: TRIPLE, lane):
    """Add x times the reaction of an equation."""
    force.xyz = add(force.xyz, scaled(x.value, closing.f))
    torque.xyz = add(torque.xyz, scaled(x.value, closing.t))


@inlined
def observe_loops(model, scratch, found, k, lanes):
    """Write what all loops do to sample k; the multipliers are those of the sample."""
    made = scratch.loops
    for j in range(len(model.loops.loop)):
        begin_pull(found.loop_force[k, j], found.loop_torque[k, j], lanes)
        for i in range(model.loops.loop[j].begin, model.loops.loop[j].end):
            add_pull(made.multiplier[i], made.closing[i], found.loop_force[k, j], found.loop_torque[k, j], lanes)


# --- projection


@lanewise
def displace_root(carried: CARRIED, own: CORRECTION, lane):
    """Displace and turn the free body at the root of a tree."""
    own.p = carried.a
    own.turn = carried.alpha


@inlined
def write_gaps(t, model, state, scratch, lanes):
    """Place the frames at time t (s), and write the equations of all loops."""
    drive(t, model, state, scratch, lanes)
    for node in model.active:
        place(node, t, model, state, scratch, lanes)
    separate(model.relations, model, scratch, lanes)
    write_equations(model, scratch, lanes)


@inlined
def part_of_allowed(closing, value, turns):
    """The gap of an equation in parts of what is allowed: of the loop's size, or, of axes, of 1."""
    gap = select(closing.gap < 0.0, -closing.gap, closing.gap)
    return gap / (CLOSED * select(turns > 0.0, 1.0, value.size))


@lanewise
def note_gap(closing: CLOSING, value: LOOP_VALUE, turns, opened: SCALAR, widest: SCALAR, lane):
    """Keep a gap, and the widest."""
    opened.value = part_of_allowed(closing, value, turns)
    widest.value = select(opened.value > widest.value, opened.value, widest.value)


@lanewise
def find_gap(t: EACH, closing: CLOSING, value: LOOP_VALUE, turns, opened: SCALAR, fault: FAULT, lane):
    """Note the first gap that was too wide, and of which too much is left. Other lanes do not matter."""
    left = part_of_allowed(closing, value, turns)
    most = select(LEFT * opened.value > 1.0, LEFT * opened.value, 1.0)
    is_open = select(opened.value > 1.0, select(left > most, 1.0, 0.0), 0.0)
    first = is_open > fault.failed
    fault.time = select(first, t, fault.time)
    fault.value = select(first, closing.gap, fault.value)
    fault.failed = select(first, 1.0, fault.failed)


@inlined
def note_gaps(model, made, lanes):
    """Keep the gaps of all loops before they are closed."""
    loops = model.loops
    fill(made.widest[0], 0.0, lanes)
    for k in range(len(loops.loop)):
        for i in range(loops.loop[k].begin, loops.loop[k].end):
            turns = 1.0 if i >= loops.loop[k].begin + 3 else 0.0
            note_gap(made.closing[i], loops.value[k], turns, made.opened[i], made.widest[0], lanes)


@inlined
def find_open(t, model, scratch, lanes):
    """Find loops that the projection has left open; the last rows of the faults are theirs."""
    loops, made, n = model.loops, scratch.loops, len(model.loops.loop)
    for k in range(n):
        fault = scratch.fault[len(scratch.fault) - n + k]
        for i in range(loops.loop[k].begin, loops.loop[k].end):
            turns = 1.0 if i >= loops.loop[k].begin + 3 else 0.0
            find_gap(t, made.closing[i], loops.value[k], turns, made.opened[i], fault, lanes)


@routine
def close_loops(t, model, state, scratch, lanes):
    """Close the gaps of all loops at time t (s), and end their rates: the smallest displacement and the smallest change
    of velocities, measured by the mass matrix. What is left is a product of the gap and of a rate or the gap itself; a
    loop of which more is left cannot be closed, which is a fault.
    """
    loops, made, n = model.loops, scratch.loops, len(scratch.loops.closing)
    write_gaps(t, model, state, scratch, lanes)
    note_gaps(model, made, lanes)
    gather_inwards(model, state, scratch, lanes)
    weigh(model, scratch, lanes)
    begin_corrections(made.made)
    for k in range(n):
        oppose_gap(made.closing[k], made.multiplier[k], lanes)
    solve(made, n, lanes)
    push_bodies(0, n, model, scratch, lanes)
    respond(loops.inward, model, scratch, made.made.shift, lanes)
    for i in loops.inward:
        if is_root(i, model):
            displace_root(scratch.joints.carried[i], made.made.own[i], lanes)
    for k in range(n):
        oppose_rate(made.closing[k], made.multiplier[k], lanes)
    solve(made, n, lanes)
    for k in range(2 * n):
        i = loops.held[k]
        if i != at.NO_ROW:
            strike(made.multiplier[k // 2], made.push[k], made.made.own[i], lanes)
            made.made.is_pushed[i] = 1
    distribute(model.active, model, state, scratch, made.made, lanes)
    if largest_of(made.widest[0], lanes) > 1.0:
        write_gaps(t, model, state, scratch, lanes)
        find_open(t, model, scratch, lanes)
