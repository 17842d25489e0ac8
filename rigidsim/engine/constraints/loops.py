"""Loops: what is held together beside the joints of the tree (`physics/loops.py` has the equations).

The multipliers follow from the accelerations that there are without loops, and from what a unit of each multiplier does
to the trees (`impulse_response`). They are loads like others: wrenches on the bodies, with which the accelerations are
computed again. After a step gaps and their rates are closed: a displacement and an impulse, which pass through the
tree as corrections do, so that free descendants keep their motion in the world.
"""

from __future__ import annotations

from rigidsim.engine.constraints.delassus import (
    add_impulse_of_row,
    factorise_rows,
    load_rows,
    push_unit,
    rate_of_row,
    respond_to_all,
    solve,
)
from rigidsim.engine.dynamics.articulated import has_modes, is_prescribed, jet_of, propagate_inertia, turns_in
from rigidsim.engine.dynamics.corrections import begin_corrections, distribute
from rigidsim.engine.dynamics.drive import drive
from rigidsim.engine.dynamics.kinds import is_root, place
from rigidsim.engine.dynamics.relations import separate
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import (
    ACCELERATION,
    APART,
    CONSTRAINT,
    COORDINATE,
    CORRECTION,
    EACH,
    EQUATION,
    FAULT,
    FRAME,
    JET,
    JOINT_VALUE,
    KINEMATICS,
    LOOP_KINEMATICS,
    LOOP_VALUE,
    PUSH,
    RATE,
    SCALAR,
    TRIPLE,
    largest_of,
)
from rigidsim.engine.model.programs import fill
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.functions import absolute
from rigidsim.physics.impulses import moment
from rigidsim.physics.loops import (
    CLOSED,
    LEFT,
    axes_apart,
    distance_apart,
    point_motion,
    swing_angle,
    turn_angle,
    twist_angle,
)
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import ZERO, add, cross, dot, negated, norm, projection, rejection, scaled, sub

IDLE = 1e60  # more than what any row does: a row of which as much more is wanted has no multiplier
AT_STOP = 1e-13  # of a length or 1 rad, and of speeds: what rounding may leave between a coordinate and its stop
STILL_AT_STOP = 1e-9  # the same of one that was at rest at the stop, and was not measured since


# --- equations


@lanewise
def meet(value: LOOP_VALUE, first: FRAME, second: FRAME, apart: APART, kinematics: LOOP_KINEMATICS, lane):
    """The way between the two points of a loop, and its rates."""
    q_1, q_2 = first.q, second.q
    at_1, at_2 = rotate(q_1, value.at), rotate(q_2, value.to_at)
    v_1, a_1 = point_motion(ZERO, first.a, first.omega, first.alpha, at_1)
    v_2, a_2 = point_motion(apart.v, second.a, second.omega, second.alpha, at_2)
    kinematics.r = add(apart.p, sub(at_2, at_1))
    kinematics.v = sub(v_2, v_1)
    kinematics.a = sub(a_2, a_1)
    kinematics.arm = rotate(q_1, value.lever)
    kinematics.to_arm = rotate(q_2, value.to_lever)


@lanewise
def hold_point(x, y, z, kinematics: LOOP_KINEMATICS, equation: EQUATION, lane):
    """The points coincide, as far as this axis of the world goes."""
    e = (x, y, z)
    equation.f = e
    equation.t = ZERO
    equation.gap = dot(e, kinematics.r)
    equation.rate = dot(e, kinematics.v)
    equation.second = dot(e, kinematics.a)


@inlined
def write_turning(n, gap, bias, first, second, equation):
    """The row of a gap that turns about n change: of an angle, or of its sine."""
    equation.f, equation.t, equation.gap = ZERO, n, gap
    equation.rate = dot(n, sub(second.omega, first.omega))
    equation.second = dot(n, sub(second.alpha, first.alpha)) + bias


@inlined
def hold_across(axis, across, first, second, equation):
    """The axes are parallel, as far as one direction goes."""
    n, gap, bias = axes_apart(rotate(first.q, axis), rotate(second.q, across), first.omega, second.omega)
    write_turning(n, gap, bias, first, second, equation)


@lanewise
def hold_axis(value: LOOP_VALUE, first: FRAME, second: FRAME, across: EQUATION, beside: EQUATION, lane):
    """The axes are parallel."""
    hold_across(value.axis, value.across, first, second, across)
    hold_across(value.axis, value.beside, first, second, beside)


@lanewise
def hold_distance(value: LOOP_VALUE, kinematics: LOOP_KINEMATICS, equation: EQUATION, lane):
    """The points keep their distance."""
    e, gap, bias = distance_apart(kinematics.r, kinematics.v, value.length)
    equation.f = e
    equation.t = ZERO
    equation.gap = gap
    equation.rate = dot(e, kinematics.v)
    equation.second = dot(e, kinematics.a) + bias


@lanewise
def hold_swing(value: LOOP_VALUE, first: FRAME, second: FRAME, equation: EQUATION, lane):
    """The angle between two axes."""
    a, b = rotate(first.q, value.axis), rotate(second.q, cross(value.across, value.beside))
    n, angle, bias = swing_angle(a, b, first.omega, second.omega)
    write_turning(n, angle, bias, first, second, equation)


@lanewise
def hold_twist(value: LOOP_VALUE, first: FRAME, second: FRAME, equation: EQUATION, lane):
    """The angle about two axes."""
    a, b = rotate(first.q, value.axis), rotate(second.q, cross(value.across, value.beside))
    e, f = rotate(first.q, value.upright), rotate(second.q, value.across)
    m, angle, bias = twist_angle(a, b, e, f, first.omega, second.omega)
    write_turning(m, angle, bias, first, second, equation)


@lanewise
def hold_turn(value: LOOP_VALUE, first: FRAME, second: FRAME, equation: EQUATION, lane):
    """The angle of the whole rotation."""
    a, e = rotate(first.q, value.axis), rotate(first.q, value.upright)
    f, g = rotate(second.q, value.across), rotate(second.q, value.beside)
    n, angle, bias = turn_angle((a, e, cross(a, e)), (cross(f, g), f, g), first.omega, second.omega)
    write_turning(n, angle, bias, first, second, equation)


@lanewise
def pull(kinematics: LOOP_KINEMATICS, equation: EQUATION, first: PUSH, second: PUSH, lane):
    """What a multiplier of one does to both bodies, about their centres of mass."""
    e, n = equation.f, equation.t
    first.f = negated(e)
    first.t = negated(moment(kinematics.arm, e, n))
    second.f = e
    second.t = moment(kinematics.to_arm, e, n)


@lanewise
def confine_push(normal: TRIPLE, push: PUSH, lane):
    """In a planar scene: leave out what would move a body out of the plane or tilt it."""
    u = normal.xyz
    push.f = rejection(u, push.f)
    push.t = projection(u, push.t)


@inlined
def hold_ends(k, block):
    """The equations of a loop between two bodies, or the coordinate that has stops in place of a gap."""
    scratch, lanes = block.scratch, block.lanes
    loops, made = block.model.loops, scratch.loops
    kind, row, value, kinematics = loops.loop[k].kind, loops.loop[k].begin, loops.value[k], made.kinematics[k]
    first, second = scratch.frame[loops.loop[k].first], scratch.frame[loops.loop[k].second]
    meet(value, first, second, scratch.apart[loops.loop[k].pair], kinematics, lanes)
    if kind == at.DISTANCE:
        hold_distance(value, kinematics, made.equation[row], lanes)
    elif loops.measured is not None and kind == at.SWING:
        hold_swing(value, first, second, made.equation[row], lanes)
    elif loops.measured is not None and kind == at.TWIST:
        hold_twist(value, first, second, made.equation[row], lanes)
    elif loops.measured is not None and kind == at.TURN:
        hold_turn(value, first, second, made.equation[row], lanes)
    else:
        hold_point(1.0, 0.0, 0.0, kinematics, made.equation[row], lanes)
        hold_point(0.0, 1.0, 0.0, kinematics, made.equation[row + 1], lanes)
        hold_point(0.0, 0.0, 1.0, kinematics, made.equation[row + 2], lanes)
    if kind == at.AXIS:
        hold_axis(value, first, second, made.equation[row + 3], made.equation[row + 4], lanes)


@lanewise
def hold_at_stop(mode: COORDINATE, equation: EQUATION, idle: SCALAR, lane):
    """A coordinate stays at the stop where it is. Elsewhere there is no gap, and no multiplier."""
    rests = mode.slip == 0.0
    equation.gap = select(rests, equation.gap - mode.x, 0.0)
    equation.rate = select(rests, equation.rate, 0.0)
    equation.second = select(rests, equation.second, 0.0)
    idle.value = select(rests, 0.0, IDLE)


@inlined
def hold_bodies(k, block):
    """The equations of a loop between two bodies, and what their multipliers do."""
    model, lanes = block.model, block.lanes
    loops, made = model.loops, block.scratch.loops
    hold_ends(k, block)
    if has_stops(k, loops):
        row = loops.loop[k].begin
        hold_at_stop(block.state[row_of_measured(k, model)], made.equation[row], made.rows.idle[row], lanes)
    for i in range(loops.loop[k].begin, loops.loop[k].end):
        first_push, second_push = made.rows.push[loops.rows.first[i]], made.rows.push[loops.rows.first[i] + 1]
        pull(made.kinematics[k], made.equation[i], first_push, second_push, lanes)
        if len(model.normal) > 0:
            confine_push(model.normal[0], first_push, lanes)
            confine_push(model.normal[0], second_push, lanes)


@inlined
def part_in(of_second, value):
    """How often a coordinate is in the gap of a coupling: 1 the second, -ratio the first."""
    return select(of_second > 0.0, 1.0, -value.ratio)


@lanewise
def begin_coupling(turns, value: LOOP_VALUE, second: KINEMATICS, equation: EQUATION, lane):
    """The gap of a coupling is the second coordinate less the ratio times the first, and a constant."""
    equation.f = scaled(1.0 - turns, second.u)
    equation.t = scaled(turns, second.u)
    equation.gap = -value.length
    equation.rate = 0.0
    equation.second = 0.0


@lanewise
def add_coordinate(of_second, value: LOOP_VALUE, joint: KINEMATICS, own: PUSH, parent: PUSH, equation: EQUATION, lane):
    """Add a coordinate to the gap of a coupling; of a unit in it as much acts as it is in the gap."""
    x = part_in(of_second, value)
    equation.gap += x * joint.x
    equation.rate += x * joint.rate
    own.t, own.f = scaled(x, own.t), scaled(x, own.f)
    parent.t, parent.f = scaled(x, parent.t), scaled(x, parent.f)


@lanewise
def add_second(of_second, value: LOOP_VALUE, rate: RATE, equation: EQUATION, lane):
    """Add the second derivative of a coordinate to that of the gap of a coupling."""
    equation.second += part_in(of_second, value) * rate.a[0]


@lanewise
def add_prescribed(of_second, value: LOOP_VALUE, jet: JET, equation: EQUATION, lane):
    """The same of a coordinate that a motor prescribes."""
    equation.second += part_in(of_second, value) * jet.rate_dot


@inlined
def hold_coordinates(k, block):
    """The equation of a coupling, of which both coordinates are there."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    loops, made, joints = model.loops, scratch.loops, model.joints
    row, value = loops.loop[k].begin, loops.value[k]
    equation, first = made.equation[row], loops.rows.first[row]
    second = loops.loop[k].second
    begin_coupling(turns_in(second, joints), value, scratch.joints.kinematics[second], equation, lanes)
    for of_second, i, j in ((0.0, loops.loop[k].first, first), (1.0, second, first + 2)):
        joint, own, parent = scratch.joints.kinematics[i], made.rows.push[j], made.rows.push[j + 1]
        push_unit(turns_in(i, joints), joint, own, parent, lanes)
        add_coordinate(of_second, value, joint, own, parent, equation, lanes)
        if model.expressions is not None and is_prescribed(i, joints):
            add_prescribed(of_second, value, jet_of(i, model, scratch), equation, lanes)
        else:
            add_second(of_second, value, scratch.rate[i], equation, lanes)


@inlined
def write_equations(block):
    """The equations of all loops; the frames are placed and related, and have the accelerations that are known."""
    loops = block.model.loops
    for k in range(len(loops.loop)):
        if loops.has_couplings is None or loops.loop[k].kind != at.COUPLING:
            hold_bodies(k, block)
        elif loops.loop[k].begin < loops.loop[k].end:
            hold_coordinates(k, block)


# --- multipliers


@lanewise
def oppose(part, equation: EQUATION, x: SCALAR, lane):
    """The right-hand side: less the gap, its rate or its second derivative."""
    x.value = -equation[part]


@inlined
def solve_against(part, made, lanes):
    """The multipliers that end the gaps of all equations, their rates or their second derivatives."""
    for k in range(len(made.equation)):
        oppose(part, made.equation[k], made.rows.multiplier[k], lanes)
    solve(made.rows, len(made.equation), lanes)


@inlined
def hold_loops(block):
    """Add the reactions of all loops to the loads; the accelerations without them are known."""
    scratch, lanes = block.scratch, block.lanes
    loops, made = block.model.loops, scratch.loops
    write_equations(block)
    factorise_rows(loops.rows, made.rows, block, made.made.shift)
    solve_against(EQUATION.second, made, lanes)
    load_rows(loops.rows, made.rows, scratch, lanes)
    if loops.measured is not None:
        for k in loops.measured:
            constraint = scratch.joints.modes.constraint[loops.loop[k].mode]
            keep_force(made.rows.multiplier[loops.loop[k].begin], constraint, lanes)


# --- lengths and angles that have stops: coordinates with modes that are measured


@inlined
def has_stops(k, loops):
    """Whether a loop holds a coordinate that is measured, at stops only."""
    return loops.measured is not None and loops.loop[k].mode != at.NO_ROW


@inlined
def row_of_measured(k, model):
    """The row of the state that has the coordinate of a loop."""
    return model.joints.modes[model.loops.loop[k].mode]


@lanewise
def keep_force(multiplier: SCALAR, constraint: CONSTRAINT, lane):
    """The multiplier of a loop that holds at stops only is the force of the stop."""
    constraint.torque = multiplier.value


@lanewise
def let_go(mode: COORDINATE, lane):
    """No stop holds a coordinate, which is not known."""
    mode.slip, mode.lag = 1.0, 1.0


@inlined
def keep_measured(size, pace, value, equation, mode):
    """The coordinate, unless it rests at a stop, and its rate. What is rounding of a size and a pace is at the stop,
    and at rest there.
    """
    x, v = equation.gap, equation.rate
    was_low, was_high = mode.x == value.low, mode.x == value.high
    is_still = select(select(was_low, True, was_high), absolute(v) <= STILL_AT_STOP * pace, False)
    part = select(is_still, STILL_AT_STOP, AT_STOP)
    at_low = absolute(x - value.low) <= select(was_low, part, AT_STOP) * size
    at_high = absolute(x - value.high) <= select(was_high, part, AT_STOP) * size
    rests = select(absolute(v) <= part * pace, select(at_low, True, at_high), False)
    slides = mode.slip != 0.0
    mode.x = select(slides, select(at_low, value.low, select(at_high, value.high, x)), mode.x)
    mode.v = select(select(slides, rests, True), 0.0, v)


@lanewise
def measure_length(
    value: JOINT_VALUE,
    first: FRAME,
    second: FRAME,
    kinematics: LOOP_KINEMATICS,
    equation: EQUATION,
    mode: COORDINATE,
    lane,
):
    """The distance of two points and its rate."""
    pace = norm(first.v) + norm(second.v) + norm(kinematics.v)
    keep_measured(equation.gap, pace, value, equation, mode)


@lanewise
def measure_angle(value: JOINT_VALUE, first: FRAME, second: FRAME, equation: EQUATION, mode: COORDINATE, lane):
    """An angle and its rate."""
    keep_measured(1.0, norm(first.omega) + norm(second.omega), value, equation, mode)


@lanewise
def measure_rate(equation: EQUATION, mode: COORDINATE, lane):
    """The rate of a coordinate."""
    mode.v = equation.rate


@lanewise
def measure_acceleration(equation: EQUATION, rate: RATE, lane):
    """The second derivative of a coordinate."""
    rate.a = (equation.second, 0.0, 0.0)


@inlined
def accelerate_measured(block):
    """The second derivatives of all coordinates that are measured; all accelerations are known."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    for k in model.loops.measured:
        hold_ends(k, block)
        equation, rate = scratch.loops.equation[model.loops.loop[k].begin], scratch.rate[row_of_measured(k, model)]
        measure_acceleration(equation, rate, lanes)


@inlined
def let_measured_go(model, state, lanes):
    """No stop holds any coordinate that is measured, of which none is known."""
    if model.loops is not None and model.loops.measured is not None:
        for k in model.loops.measured:
            let_go(state[row_of_measured(k, model)], lanes)


@inlined
def place_ends(t, block):
    """Place the frames at time t (s), and relate those that loops hold together."""
    drive(t, block)
    for node in block.model.active:
        place(node, t, block)
    separate(block.model.relations, block)


@inlined
def measure_all(t, block):
    """Write all coordinates that are measured, and their rates, into the state of time t, s."""
    model, scratch = block.model, block.scratch
    if model.loops is not None and model.loops.measured is not None:
        place_ends(t, block)
        for k in model.loops.measured:
            hold_ends(k, block)
            loop, row, made = model.loops.loop[k], row_of_measured(k, model), scratch.loops
            first, second = scratch.frame[loop.first], scratch.frame[loop.second]
            value, equation = model.joints.value[row], made.equation[loop.begin]
            if loop.kind == at.DISTANCE:
                measure_length(value, first, second, made.kinematics[k], equation, block.state[row], block.lanes)
            else:
                measure_angle(value, first, second, equation, block.state[row], block.lanes)


@lanewise
def stop_beyond(value: JOINT_VALUE, mode: COORDINATE, lane):
    """Let a stop hold a coordinate that is beyond it."""
    low, high = mode.x < value.low, mode.x > value.high
    beyond = select(low, True, high)
    mode.x = select(low, value.low, select(high, value.high, mode.x))
    mode.v = select(beyond, 0.0, mode.v)
    mode.slip = select(beyond, 0.0, mode.slip)


@inlined
def stop_measured(t, block):
    """Let stops hold all measured coordinates that are beyond them at time t (s), as after a displacement by contact;
    closing the loops takes them back, and ends their rates.
    """
    model = block.model
    if model.loops.measured is not None:
        measure_all(t, block)
        for k in model.loops.measured:
            row = row_of_measured(k, model)
            stop_beyond(model.joints.value[row], block.state[row], block.lanes)


@inlined
def measure_rates(t, block):
    """Write the rates of all coordinates that are measured after a jump at time t, s."""
    model = block.model
    if model.loops.measured is not None:
        place_ends(t, block)
        for k in model.loops.measured:
            hold_ends(k, block)
            equation = block.scratch.loops.equation[model.loops.loop[k].begin]
            measure_rate(equation, block.state[row_of_measured(k, model)], block.lanes)


@lanewise
def negate(x: SCALAR, lane):
    """Change the sign of a number."""
    x.value = -x.value


@inlined
def factorise_loops(block):
    """The equations of all loops and their matrix, where the frames are placed; the inertia is gathered."""
    separate(block.model.relations, block)
    write_equations(block)
    factorise_rows(block.model.loops.rows, block.scratch.loops.rows, block, block.scratch.loops.made.shift)


@inlined
def oppose_jumps(block):
    """The multipliers that close loops again after the jumps of bodies in `acceleration`; the matrix is factorised."""
    scratch, lanes = block.scratch, block.lanes
    rows, made, n = block.model.loops.rows, scratch.loops.rows, len(scratch.loops.equation)
    for k in range(n):
        rate_of_row(k, rows, made, scratch, made.multiplier[k], lanes)
        negate(made.multiplier[k], lanes)
    solve(made, n, lanes)


# --- samples


@lanewise
def begin_pull(force: TRIPLE, torque: TRIPLE, lane):
    """No reaction."""
    force.xyz = ZERO
    torque.xyz = ZERO


@lanewise
def add_pull(x: SCALAR, equation: EQUATION, force: TRIPLE, torque: TRIPLE, lane):
    """Add x times the reaction of an equation."""
    force.xyz = add(force.xyz, scaled(x.value, equation.f))
    torque.xyz = add(torque.xyz, scaled(x.value, equation.t))


@inlined
def observe_loops(block, found, k):
    """Write what all loops do to sample k; the multipliers are those of the sample."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    made = scratch.loops
    for j in range(len(model.loops.loop)):
        begin_pull(found.loop_force[k, j], found.loop_torque[k, j], lanes)
        for i in range(model.loops.loop[j].begin, model.loops.loop[j].end):
            add_pull(made.rows.multiplier[i], made.equation[i], found.loop_force[k, j], found.loop_torque[k, j], lanes)


# --- projection


@lanewise
def displace_root(acceleration: ACCELERATION, own: CORRECTION, lane):
    """Displace and turn the free body at the root of a tree."""
    own.p = acceleration.a
    own.turn = acceleration.alpha


@inlined
def write_gaps(t, block):
    """Place the frames at time t (s), and write the equations of all loops."""
    place_ends(t, block)
    write_equations(block)


@inlined
def part_of_allowed(equation, value, turns):
    """The gap of an equation in parts of what is allowed: of the loop's size, or, of axes, of 1."""
    return absolute(equation.gap) / (CLOSED * select(turns > 0.0, 1.0, value.extent))


@lanewise
def note_gap(equation: EQUATION, value: LOOP_VALUE, turns, opened: SCALAR, widest: SCALAR, lane):
    """Keep a gap, and the widest."""
    opened.value = part_of_allowed(equation, value, turns)
    widest.value = select(opened.value > widest.value, opened.value, widest.value)


@lanewise
def find_gap(t: EACH, equation: EQUATION, value: LOOP_VALUE, turns, opened: SCALAR, fault: FAULT, lane):
    """Note the first gap that was too wide, and of which too much is left. Other lanes do not matter."""
    left = part_of_allowed(equation, value, turns)
    most = select(LEFT * opened.value > 1.0, LEFT * opened.value, 1.0)
    is_open = select(opened.value > 1.0, select(left > most, 1.0, 0.0), 0.0)
    first = is_open > fault.failed
    fault.time = select(first, t, fault.time)
    fault.value = select(first, equation.gap, fault.value)
    fault.failed = select(first, 1.0, fault.failed)


@inlined
def note_gaps(model, made, lanes):
    """Keep the gaps of all loops before they are closed."""
    loops = model.loops
    fill(made.widest[0], 0.0, lanes)
    for k in range(len(loops.loop)):
        for i in range(loops.loop[k].begin, loops.loop[k].end):
            turns = 1.0 if i >= loops.loop[k].begin + 3 else 0.0
            note_gap(made.equation[i], loops.value[k], turns, made.opened[i], made.widest[0], lanes)


@inlined
def find_open(t, block):
    """Find loops that the projection has left open; the last rows of the faults are theirs."""
    scratch = block.scratch
    loops, made, n = block.model.loops, scratch.loops, len(block.model.loops.loop)
    for k in range(n):
        fault = scratch.fault[len(scratch.fault) - n + k]
        for i in range(loops.loop[k].begin, loops.loop[k].end):
            turns = 1.0 if i >= loops.loop[k].begin + 3 else 0.0
            find_gap(t, made.equation[i], loops.value[k], turns, made.opened[i], fault, block.lanes)


@routine
def close_loops(t, block):
    """Close the gaps of all loops at time t (s), and end their rates: the smallest displacement and the smallest change
    of velocities, measured by the mass matrix. What is left is a product of the gap and of a rate or the gap itself; a
    loop of which more is left cannot be closed, which is a fault.
    """
    model, scratch, lanes = block.model, block.scratch, block.lanes
    loops, made = model.loops, scratch.loops
    write_gaps(t, block)
    note_gaps(model, made, lanes)
    propagate_inertia(block)
    factorise_rows(loops.rows, made.rows, block, made.made.shift)
    begin_corrections(made.made)
    solve_against(EQUATION.gap, made, lanes)
    respond_to_all(loops.rows, made.rows, block, made.made.shift)
    for i in loops.rows.inward:
        if is_root(i, model):
            displace_root(scratch.joints.acceleration[i], made.made.own[i], lanes)
    solve_against(EQUATION.rate, made, lanes)
    for k in range(len(made.equation)):
        add_impulse_of_row(k, loops.rows, made.rows, made.made, lanes)
    distribute(model.active, block, made.made)
    if largest_of(made.widest[0], lanes) > 1.0:
        write_gaps(t, block)
        find_open(t, block)


@lanewise
def take_back(value: JOINT_VALUE, mode: COORDINATE, shift: TRIPLE, lane):
    """Displace a coordinate of a joint that is beyond a stop back to it."""
    x = mode.x
    shift.xyz = (select(x < value.low, value.low - x, select(x > value.high, value.high - x, 0.0)), 0.0, 0.0)


@inlined
def return_to_stops(block):
    """Take coordinates of joints back to their stops, beyond which closing the loops moved them."""
    model = block.model
    made = block.scratch.loops.made
    begin_corrections(made)
    for i in model.loops.rows.inward:
        if has_modes(i, model.joints):
            take_back(model.joints.value[i], block.state[i], made.shift[i], block.lanes)
            made.is_pushed[i] = 1
    distribute(model.active, block, made)
