"""What happens at an event of a coordinate that has modes: impacts at stops, and which coordinates slide or are held.

Impacts: all coordinates that are at their stops get impulses together, as places that are struck at one instant do; no
finite torque acts meanwhile, so all coordinates slide. Then those at rest are held at first; where that takes more
than there is, they slide against it, until all are consistent: a linear complementarity problem with bounds, of which
the inverse mass matrix is positive definite.
"""

from __future__ import annotations

from rigidsim.engine.constraints.delassus import (
    add_bias_of_row,
    add_bias_of_rows,
    add_impulse_of_row,
    clear_impulses,
    push_unit,
    rate_of_row,
    respond_to_row,
)
from rigidsim.engine.constraints.loops import close_loops, let_measured_go, measure_all, measure_rates, oppose_jumps
from rigidsim.engine.dynamics.articulated import turns_in
from rigidsim.engine.dynamics.corrections import begin_corrections, distribute
from rigidsim.engine.dynamics.relations import step_row
from rigidsim.engine.dynamics.responses import impulse_response
from rigidsim.engine.evaluate import evaluate
from rigidsim.engine.events.buffer import complete_instant, lacks_room, record_event, record_reached_bodies
from rigidsim.engine.events.switching import (
    ModeRows,
    count_events,
    keep_rates,
    mode_rows,
    note_taken,
    short,
    sliding_signs,
    want_now,
)
from rigidsim.engine.integrators.parts import put_back
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import (
    BODY,
    CONSTRAINT,
    COORDINATE,
    EQUATION,
    FACTOR,
    FRAME,
    HIT,
    IMPACT,
    JOINT_VALUE,
    KINEMATICS,
    LOOP_VALUE,
    PUSH,
    RATE,
    SCALAR,
    SEARCH,
    TRIGGERED,
    TRIPLE,
    copy_rows,
    largest_of,
)
from rigidsim.engine.model.programs import fill
from rigidsim.engine.outputs.observe import observe
from rigidsim.engine.outputs.terms import evaluate_touching
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import INFINITY, NAN, select, select3
from rigidsim.physics.functions import absolute
from rigidsim.physics.modes import constraint_bounds, least_approach, mode_of, sliding
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.restitution import combined_restitution
from rigidsim.physics.vector import add, scaled, sub

BLOCKS, ROUNDS = 4, 60  # rounds of all coordinates at once; rounds at all, then of the first one that has to change
MOST_IMPACTS, MOST_ROUNDS = 100, 400  # impacts that follow each other at an instant; rounds over all coordinates of one
# Events of a step, or within SHORT of the grid, after which impacts are plastic: between stops that are very near.
MOST_REBOUNDS = 100.0
SETTLED = 1e-14  # of the fastest approach
AT_REST = 1e-12
NO_IMPULSE = 1e-28  # N m s or N s: less is what products of roundings leave
SOON = 1e-9  # of the time constant of a servo
SLACK = 1e-9  # of the largest constraint force: what a coordinate may lack that was released by rounding


# --- impacts


@lanewise
def note_stop(occurs: SCALAR, mode: COORDINATE, value: JOINT_VALUE, impact: IMPACT, changes: SCALAR, lane):
    """Note whether a coordinate is at a stop, and the fastest approach."""
    x, v, happens = mode.x, mode.v, occurs.value > 0.0
    stop = select(x <= value.low, 1.0, select(x >= value.high, -1.0, 0.0))
    stop = select(happens, stop, 0.0)
    approach = -stop * v
    impact.stop = stop
    impact.rate = v
    impact.rebound = 0.0
    impact.compression = 0.0
    changes.value = select(approach > changes.value, approach, changes.value)


@lanewise
def let_slide(mode: COORDINATE, constraint: CONSTRAINT, lane):
    """Let a coordinate slide."""
    slip, lag = sliding_signs(mode.v, constraint.wanted)
    mode.slip = slip
    mode.lag = lag


@inlined
def let_all_slide(block):
    """Let all coordinates slide: no finite torque acts in an impact."""
    joints = block.model.joints
    for n in range(len(joints.modes)):
        let_slide(block.state[joints.modes[n]], block.scratch.joints.modes.constraint[n], block.lanes)


@lanewise
def set_least(rate: RATE, h, search: SEARCH, impact: IMPACT, lane):
    """The least approach that rebounds, by all loads and the contact forces of the last step; after many events in a
    step none does.
    """
    least = least_approach(-impact.stop * rate.a[0], h)
    impact.least = select(search.events < MOST_REBOUNDS, least, INFINITY)


@inlined
def has_measured(model):
    """Whether measured coordinates of loops are among what has modes, after those of joints."""
    return model.loops is not None and model.loops.measured is not None


@inlined
def is_measured(i, model):
    """Whether a row is that of the measured coordinate of a loop."""
    return has_measured(model) and i >= len(model.joints.joint)


@inlined
def loop_of(n, model):
    """The loop of which the coordinate has this number among what has modes."""
    measured = model.loops.measured
    return measured[n - len(model.joints.modes) + len(measured)]


@inlined
def number_of(i, joints):
    """The number of a row among those with modes; measured ones come last, one after the other."""
    if i < len(joints.joint):
        return joints.joint[i].mode
    last = len(joints.modes) - 1
    return last - (joints.modes[last] - i)


@lanewise
def copy_push(source: PUSH, target: PUSH, lane):
    """Copy what acts on a body."""
    target.t, target.f = source.t, source.f


@inlined
def write_row(n, block):
    """The wrenches of the row of a coordinate, or of the equation of a loop."""
    model, scratch = block.model, block.scratch
    joints = model.joints
    i, push, first = joints.modes[n], scratch.joints.modes.rows.push, joints.rows.first[n]
    if is_measured(i, model):
        own = model.loops.rows.first[model.loops.loop[loop_of(n, model)].begin]
        for j in range(2):
            copy_push(scratch.loops.rows.push[own + j], push[first + j], block.lanes)
    else:
        push_unit(turns_in(i, joints), scratch.joints.kinematics[i], push[first], push[first + 1], block.lanes)


@lanewise
def keep_jump(jump: TRIPLE, product: SCALAR, lane):
    """Keep what the impulse does to the rate of a coordinate."""
    product.value = jump.xyz[0]


@inlined
def find_jump(n, block, jumps, product):
    """What an impulse does to the rate of what has modes; the jumps of bodies are known, and those of joints."""
    model = block.model
    i = model.joints.modes[n]
    if is_measured(i, model):
        rate_of_row(n, model.joints.rows, block.scratch.joints.modes.rows, block.scratch, product, block.lanes)
    else:
        keep_jump(jumps[i], product, block.lanes)


@inlined
def fill_delassus_of_stops(block, jumps):
    """What an impulse of one on each coordinate does to the rates of all; their inertia is gathered."""
    model, scratch = block.model, block.scratch
    joints, made, n_modes = model.joints, scratch.joints.modes.rows, len(model.joints.modes)
    for n in range(n_modes):
        write_row(n, block)
    for n in range(n_modes):
        respond_to_row(n, joints.rows, made, block, jumps)
        if model.loops is not None:
            oppose_jumps(block)
            clear_impulses(joints.inward, block)
            add_bias_of_row(n, joints.rows, made, scratch, block.lanes)
            add_bias_of_rows(model.loops.rows, scratch.loops.rows, scratch, block.lanes)
            impulse_response(joints.inward, block, jumps)
        for m in range(n_modes):
            find_jump(m, block, jumps, made.delassus[n * n_modes + m])


@lanewise
def begin_round(impact: IMPACT, count: SCALAR, hits: SCALAR, lane):
    """Whether a coordinate approaches fast enough to rebound. At first it is an island of its own."""
    approach = -impact.stop * impact.rate
    impact.start = impact.rate
    impact.island = count.value
    count.value += 1.0
    hits.value = select(approach > 0.0, select(approach > impact.least, 1.0, hits.value), hits.value)


@lanewise
def compression(impact: IMPACT, own: SCALAR, size: SCALAR, goes_on: SCALAR, changes: SCALAR, lane):
    """End an approach, or take back what was too much for that, in lanes in which rounds go on."""
    approach, before = -impact.stop * impact.rate, impact.stop * impact.compression
    wanted = before + approach / own.value
    rests = select(before == 0.0, approach <= AT_REST * size.value, False)  # but for rounding
    after = select(impact.stop == 0.0, 0.0, select(rests, 0.0, select(wanted > 0.0, wanted, 0.0)))
    after = select(goes_on.value > 0.0, after, before)
    impact.last = impact.stop * (after - before)
    impact.compression += impact.last
    changed = absolute(after - before) * own.value
    changes.value = select(changed > SETTLED * size.value, 1.0, changes.value)


@lanewise
def join(impact: IMPACT, product: SCALAR, other: IMPACT, changes: SCALAR, lane):
    """Two coordinates with impulses, of which one changes the rate of the other, are of one island."""
    pushes = select(impact.compression == 0.0, False, select(other.compression == 0.0, False, product.value != 0.0))
    same = select(impact.island < other.island, impact.island, other.island)
    joins = select(pushes, impact.island != other.island, False)
    impact.island = select(joins, same, impact.island)
    other.island = select(joins, same, other.island)
    changes.value = select(joins, 1.0, changes.value)


@lanewise
def begin_works(impact: IMPACT, lane):
    """No work of compression is known."""
    impact.compressed, impact.returned = 0.0, 0.0


@lanewise
def add_work(value: JOINT_VALUE, other: IMPACT, impact: IMPACT, lane):
    """Add twice the work that compresses another coordinate of the island, and the share which that gives back."""
    work = select(other.island == impact.island, -other.compression * other.start, 0.0)
    hits = -other.stop * other.start > other.least
    impact.compressed += work
    impact.returned += select(hits, value.restitution * value.restitution * work, 0.0)


@lanewise
def rebound(impact: IMPACT, lane):
    """Give back a share of the impulse that stopped the approach, the same for all of an island."""
    e = combined_restitution(impact.returned, impact.compressed)
    impact.rebound += (1.0 + e) * impact.compression
    impact.rate += e * (impact.rate - impact.start)
    impact.compression = 0.0


@lanewise
def pass_on(impact: IMPACT, product: SCALAR, other: IMPACT, lane):
    """Change the rate of a coordinate by the last impulse on another one."""
    other.rate += impact.last * product.value


@inlined
def pass_to_all(n, found, lanes):
    """Change all rates by the last impulse on a coordinate."""
    n_modes = len(found.impact)
    for m in range(n_modes):
        pass_on(found.impact[n], found.rows.delassus[n * n_modes + m], found.impact[m], lanes)


@inlined
def compress(model, found, lanes):
    """The impulses that end all approaches together, in lanes that take part (`found.hits`)."""
    n_modes, size = len(found.impact), found.takes
    for _ in range(MOST_ROUNDS):
        fill(found.changes, 0.0, lanes)
        for n in range(n_modes):
            compression(found.impact[n], found.rows.delassus[n * n_modes + n], size, found.hits, found.changes, lanes)
            pass_to_all(n, found, lanes)
        fill(found.hits, found.changes, lanes)  # another round, in lanes in which this one changed anything
        if largest_of(found.hits, lanes) == 0.0:
            break


@inlined
def restore(model, found, lanes):
    """The rebounds of all islands of coordinates that were stopped together."""
    joints, n_modes = model.joints, len(found.impact)
    for _ in range(n_modes):
        fill(found.changes, 0.0, lanes)
        for n in range(n_modes):
            for m in range(n):
                join(found.impact[n], found.rows.delassus[n * n_modes + m], found.impact[m], found.changes, lanes)
        if largest_of(found.changes, lanes) == 0.0:
            break
    for n in range(n_modes):
        begin_works(found.impact[n], lanes)
        for m in range(n_modes):
            add_work(joints.value[joints.modes[m]], found.impact[m], found.impact[n], lanes)
    for n in range(n_modes):
        rebound(found.impact[n], lanes)


@inlined
def solve_impacts(model, found, lanes):
    """The impulses of all impacts of an instant, by the law of `physics.restitution` for several places, until none
    rebounds; then what ends slower approaches.
    """
    n_modes = len(found.impact)
    for _ in range(MOST_IMPACTS):
        fill(found.hits, 0.0, lanes)
        fill(found.changes, 0.0, lanes)
        for n in range(n_modes):
            begin_round(found.impact[n], found.changes, found.hits, lanes)
        if largest_of(found.hits, lanes) == 0.0:
            break
        compress(model, found, lanes)
        restore(model, found, lanes)
    fill(found.hits, 1.0, lanes)
    compress(model, found, lanes)


@lanewise
def add_impulses(part, impact: IMPACT, total: SCALAR, lane):
    """A part of the whole impulse in a coordinate."""
    total.value = part * (impact.rebound + impact.compression)


@lanewise
def end_impact(size: SCALAR, rows: ModeRows, impact: IMPACT, lane):
    """The rate of a coordinate that stays at its stop is zero, without rounding; each is held if it can be."""
    mode = rows.mode
    slow = select(impact.compression == 0.0, absolute(impact.rate) <= AT_REST * size.value, True)
    stays = select(impact.stop == 0.0, False, slow)
    mode.v = select(stays, 0.0, mode.v)
    mode.v_low = select(stays, 0.0, mode.v_low)
    slip, lag = natural_mode(rows)
    mode.slip = slip
    mode.lag = lag


@inlined
def apply_impacts(t, block, made):
    """Let the impulses of all impacts act on the trees; all are placed."""
    model, lanes = block.model, block.lanes
    joints, found = model.joints, block.scratch.joints.modes
    begin_corrections(made)
    for n in range(len(joints.modes)):
        add_impulses(1.0, found.impact[n], found.rows.multiplier[n], lanes)
        add_impulse_of_row(n, joints.rows, found.rows, made, lanes)
    distribute(model.active, block, made)
    if model.loops is not None:
        close_loops(t, block)
        measure_rates(t, block)
    for n in range(len(joints.modes)):
        end_impact(found.takes, mode_rows(n, block), found.impact[n], lanes)


@inlined
def has_impulse(stop, impact):
    """Whether a coordinate gets an impulse at this one of its stops, 1.0 the lower, -1.0 the upper one."""
    return select(impact.stop == stop, absolute(impact.rebound + impact.compression) > NO_IMPULSE, False)


@inlined
def impulse_at(stop, impact):
    """That impulse, N m s or N s."""
    return select(has_impulse(stop, impact), impact.rebound + impact.compression, 0.0)


@lanewise
def note_impact(stop, impact: IMPACT, changes: SCALAR, lane):
    """Note whether a coordinate gets an impulse at a stop."""
    changes.value = select(has_impulse(stop, impact), 1.0, changes.value)


@lanewise
def write_impact(turns, stop, impact: IMPACT, joint: KINEMATICS, frame: FRAME, body: BODY, hit: HIT, lane):
    """Write the impulse of a stop on the body of a coordinate, and where its joint is."""
    u, impulse = joint.u, impulse_at(stop, impact)
    hit.point = sub(add(frame.p, rotate(frame.q, body.com)), joint.r)
    hit.normal = scaled(stop, u)
    hit.impulse = scaled((1.0 - turns) * impulse, u)
    hit.angular_impulse = scaled(turns * impulse, u)


@lanewise
def write_jerk(stop, sign, impact: IMPACT, equation: EQUATION, value: LOOP_VALUE, frame: FRAME, hit: HIT, lane):
    """Write the impulse of a stop of a loop on the body at one of its ends, the second (1.0) or the first
    (-1.0), and where it acts.
    """
    point, impulse = select3(sign > 0.0, value.to_at, value.at), impulse_at(stop, impact)
    hit.point = add(frame.p, rotate(frame.q, point))
    hit.normal = scaled(sign * stop, add(equation.f, equation.t))
    hit.impulse = scaled(sign * impulse, equation.f)
    hit.angular_impulse = scaled(sign * impulse, equation.t)


@lanewise
def leave_out(stop, impact: IMPACT, hit: HIT, lane):
    """No event, in lanes in which the stop gave no impulse."""
    hit.time = select(has_impulse(stop, impact), hit.time, NAN)


@inlined
def body_of(i, model):
    """The node of the body of a row, which may be that of a link before it."""
    while model.moved_node[i] >= len(model.node):
        i += 1
    return model.moved_node[i]


@inlined
def record_jerk(instant, n, upper, stop, block, buffer):
    """Record the impulse of a stop of a loop on its second body, or the first, if that is the world."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    k, i, found = loop_of(n, model), model.joints.modes[n], scratch.joints.modes
    loop, equation = model.loops.loop[k], scratch.loops.equation[model.loops.loop[k].begin]
    value, of_second = model.loops.value[k], loop.second > 0
    node = loop.second - 1 if of_second else loop.first - 1
    hit = buffer.event_value[record_event(instant, at.CAUSE_STOP, 2 * i + upper, node, buffer)]
    write_jerk(stop, 1.0 if of_second else -1.0, found.impact[n], equation, value, scratch.frame[node + 1], hit, lanes)


@inlined
def record_impacts(instant, block, buffer):
    """Record the impacts of an instant at the stops of all coordinates; `first` of an event is twice the row, and 1
    more for the upper stop.
    """
    model, scratch, lanes = block.model, block.scratch, block.lanes
    joints, found = model.joints, scratch.joints.modes
    for n in range(len(joints.modes)):
        i = joints.modes[n]
        for upper, stop in ((0, 1.0), (1, -1.0)):
            fill(found.changes, 0.0, lanes)
            note_impact(stop, found.impact[n], found.changes, lanes)
            if largest_of(found.changes, lanes) > 0.0 and is_measured(i, model):
                record_jerk(instant, n, upper, stop, block, buffer)
            elif largest_of(found.changes, lanes) > 0.0:
                node = body_of(i, model)
                hit = buffer.event_value[record_event(instant, at.CAUSE_STOP, 2 * i + upper, node, buffer)]
                place, joint = model.moved_node[i], scratch.joints.kinematics[i]
                frame, body = scratch.frame[place + 1], model.body[i]
                write_impact(turns_in(i, joints), stop, found.impact[n], joint, frame, body, hit, lanes)


@inlined
def complete_impacts(t, instant, block, buffer):
    """Complete the records of the impacts of an instant, which is over."""
    joints, found = block.model.joints, block.scratch.joints.modes
    complete_instant(t, instant, block.model, buffer, block.lanes)
    for k in range(instant, buffer.filled[0]):
        number = buffer.event[k].first
        stop = -1.0 if number % 2 > 0 else 1.0
        leave_out(stop, found.impact[number_of(number // 2, joints)], buffer.event_value[k], block.lanes)


@inlined
def resolve_impacts_at_stops(t, h, block, buffer):
    """All impacts at time t, s. Lanes without one are put back. Returns whether there are any. For h see
    `settle_modes`.
    """
    state, scratch, lanes = block.state, block.scratch, block.lanes
    joints, found = block.model.joints, scratch.joints.modes
    fill(found.takes, 0.0, lanes)
    for n in range(len(joints.modes)):
        i = joints.modes[n]
        note_stop(found.occurs, state[i], joints.value[i], found.impact[n], found.takes, lanes)
    if largest_of(found.takes, lanes) == 0.0:
        return False
    observe(t, block, buffer.pair, 0)
    copy_rows(0, len(state), state, scratch.joints.modes.before)
    let_all_slide(block)
    evaluate_touching(t, block)
    for n in range(len(joints.modes)):
        set_least(scratch.rate[joints.modes[n]], h, found.search, found.impact[n], lanes)
    fill_delassus_of_stops(block, buffer.made.shift)
    solve_impacts(block.model, found, lanes)
    apply_impacts(t, block, buffer.made)
    for k in range(len(state)):
        put_back(found.takes, scratch.joints.modes.before[k], state[k], lanes)
    return True


# --- modes


@inlined
def natural_mode(rows):
    """The mode of a coordinate, held if it can be. At a stop the rate that a servo wants counts as it is a moment
    later, so that its sign is known where it turns.
    """
    value, mode, constraint = rows
    slip, lag = mode_of(mode.x, mode.v, (value.low, value.high), value.friction, constraint.wanted, value.largest)
    rests, tracking = (
        select(slip == 0.0, value.tracking > 0.0, False),
        select(value.tracking > 0.0, value.tracking, 1.0),
    )
    soon = constraint.wanted + SOON / tracking * constraint.wanted_dot
    return slip, select(rests, select(soon > 0.0, -1.0, 1.0), lag)


@inlined
def turns_now(value, constraint):
    """Whether the rate that a servo wants is zero, up to what it changes in a moment."""
    change = SOON / select(value.tracking > 0.0, value.tracking, 1.0) * constraint.wanted_dot
    return select(value.tracking > 0.0, constraint.wanted * constraint.wanted <= change * change, False)


@lanewise
def arrive(triggered: TRIGGERED, occurs: SCALAR, rows: ModeRows, lane):
    """Put a coordinate exactly where it has arrived, at a stop or at a rate that can be held; it is held if it can be,
    but one of which the constraint force has arrived at its bound begins to slide. What leaves a stop and is there
    again at once is at rest.
    """
    value, mode, constraint = rows
    happens, slides = occurs.value > 0.0, sliding(mode.slip, mode.lag) > 0.0
    first, second = select(happens, triggered.slip > 0.0, False), select(happens, triggered.lag > 0.0, False)
    moves = select(happens, mode.slip != 0.0, False)
    low, high = select(moves, triggered.low > 0.0, False), select(moves, triggered.high > 0.0, False)
    mode.x = select(low, value.low, select(high, value.high, mode.x))
    mode.x_low = select(low, 0.0, select(high, 0.0, mode.x_low))
    returns = select(low, mode.v > 0.0, select(high, mode.v < 0.0, False))
    stops, meets = select(returns, True, select(slides, first, False)), select(slides, second, False)
    mode.v = select(stops, 0.0, select(meets, constraint.wanted, mode.v))
    mode.v_low = select(stops, 0.0, select(meets, 0.0, mode.v_low))
    slip, lag = natural_mode(rows)
    way = select(slides, 0.0, select(first, -1.0, select(second, 1.0, 0.0)))
    slip, lag = select(slip == 0.0, way, slip), select(lag == 0.0, way, lag)
    mode.slip = select(happens, slip, mode.slip)
    mode.lag = select(happens, lag, mode.lag)


@lanewise
def review(
    one_by_one, occurs: SCALAR, triggered: TRIGGERED, rows: ModeRows, rate: RATE, factor: FACTOR, changes: SCALAR, lane
):
    """Let a coordinate slide whose constraint force is out of bounds, and hold one that would move against the way it
    slides. One that leaves a stop as the rate that its servo wants turns is held by the servo, if that can. As the
    force of a stop vanishes, so does the acceleration, and its sign is that of rounding: the coordinate leaves.
    """
    value, mode, constraint = rows
    slip, lag = natural_mode(rows)
    holds = sliding(mode.slip, mode.lag) == 0.0
    lower, upper = constraint_bounds(
        mode.x, mode.slip, mode.lag, (value.low, value.high), value.friction, value.largest
    )
    over, under = constraint.torque > upper, constraint.torque < lower
    way = select(slip == 0.0, mode.slip, select(lag == 0.0, mode.lag, 0.0))
    a = rate.a[0] - select(slip == 0.0, 0.0, constraint.wanted_dot)
    most = value.friction + value.largest
    leaves_stop = select(most == 0.0, triggered.slip + triggered.lag > 0.0, False)
    returns = select(leaves_stop, False, way * a < -SLACK * factor.D_inverse * most)
    waits = select(occurs.value > 0.0, select(one_by_one > 0.0, changes.value > 0.0, False), True)
    beyond = select(constraint.waits > 0.0, False, select(over, True, under))
    releases = select(waits, False, select(holds, beyond, False))
    sticks = select(waits, False, select(holds, False, returns))
    away, leaves = select(over, -1.0, 1.0), select(value.tracking > 0.0, mode.slip, 0.0)
    begins = select(mode.slip == 0.0, turns_now(value, constraint), False)
    mode.slip = select(
        releases, select(slip == 0.0, select(leaves == 0.0, away, leaves), slip), select(sticks, slip, mode.slip)
    )
    mode.lag = select(releases, select(begins, 0.0, select(lag == 0.0, away, lag)), select(sticks, lag, mode.lag))
    changes.value = select(releases, 1.0, select(sticks, 1.0, changes.value))


@inlined
def choose_modes(t, block):
    """Choose the modes of all coordinates at time t (s), in lanes in which an event occurs."""
    scratch, lanes = block.scratch, block.lanes
    joints, found = block.model.joints, scratch.joints.modes
    for number in range(ROUNDS):
        evaluate(t, block)
        fill(found.changes, 0.0, lanes)
        one_by_one = 1.0 if number >= BLOCKS else 0.0
        for n in range(len(joints.modes)):
            i, rows = joints.modes[n], mode_rows(n, block)
            rate, factor = scratch.rate[i], scratch.joints.factor[i]
            review(one_by_one, found.occurs, found.triggered[n], rows, rate, factor, found.changes, lanes)
        if largest_of(found.changes, lanes) == 0.0:
            break


@lanewise
def set_now(t, search: SEARCH, now: SCALAR, lane):
    """The time that a step which began at time t has reached, s."""
    now.value = t + search.done


@inlined
def let_all_occur(found, lanes):
    """An event in every lane, at which no coordinate arrives anywhere."""
    fill(found.occurs, 1.0, lanes)
    found.triggered[:] = 0.0


@inlined
def arrive_all(block):
    """Put all coordinates where they have arrived, in lanes in which an event occurs."""
    joints, found = block.model.joints, block.scratch.joints.modes
    for n in range(len(joints.modes)):
        arrive(found.triggered[n], found.occurs, mode_rows(n, block), block.lanes)


@inlined
def settle_modes(t, h, block, buffer):
    """What happens at time t (s) in lanes in which an event occurs; a rebound shorter than h (s) is none."""
    model = block.model
    want_now(t, block)
    arrive_all(block)
    instant = buffer.filled[0]
    impacts = resolve_impacts_at_stops(t, h, block, buffer)
    if impacts and not lacks_room(model, buffer):
        record_impacts(instant, block, buffer)
        record_reached_bodies(model.active, instant, model, buffer)
    choose_modes(t, block)
    if impacts:
        observe(t, block, buffer.pair, 1)
        complete_impacts(t, instant, block, buffer)


@routine
def settle_event(t, block, buffer):
    """What happens at the events that a step which began at time t (s) has reached."""
    now = block.scratch.part.now
    set_now(t, block.scratch.joints.modes.search, now, block.lanes)
    settle_modes(now, block.model.step, block, buffer)


@lanewise
def forget_events(search: SEARCH, lane):
    """No events have been in a step that begins."""
    search.events = 0.0


@routine
def settle_begin(block, buffer):
    """What happens at the events at the beginning of trials."""
    scratch = block.scratch
    found, now, h = scratch.joints.modes, scratch.part.begin, short(block.model)
    settle_modes(now, h, block, buffer)
    count_events(block.state[step_row(block.state, scratch)], found.search, found.occurs, now, h, block.lanes)


@routine
def settle_taken(trial, block, buffer):
    """What happens at the events at the ends of trials that were taken."""
    scratch, lanes = block.scratch, block.lanes
    found, now, h = scratch.joints.modes, scratch.part.now, short(block.model)
    note_taken(trial, found.search, found.takes, found.occurs, now, lanes)
    keep_rates(now, found.takes, block)
    if largest_of(found.occurs, lanes) > 0.0:
        settle_modes(now, h, block, buffer)
        count_events(block.state[step_row(block.state, scratch)], found.search, found.occurs, now, h, lanes)


@inlined
def resume_modes(t, block):
    """Choose the modes of a state at time t (s), of which only coordinates and rates are known."""
    let_measured_go(block.model, block.state, block.lanes)
    measure_all(t, block)
    let_all_occur(block.scratch.joints.modes, block.lanes)
    want_now(t, block)
    arrive_all(block)
    choose_modes(t, block)


@routine
def begin_modes(t, h, block, buffer):
    """Choose all modes anew at time t (s), at which a phase begins; for h see `settle_modes`."""
    found = block.scratch.joints.modes
    measure_all(t, block)
    let_all_occur(found, block.lanes)
    forget_events(found.search, block.lanes)
    settle_modes(t, h, block, buffer)
