"""A step with contact: the smooth step, which the integrator takes between `begin_step` and `end_step`, and its
correction.

Velocities change in n sub-steps from those at the beginning of the step to those without contact at its end, and the
impulses of contact are added to them; the state is corrected by the difference. A step is taken as a whole: if an array
has no room for what it finds, the state is restored, and Python makes room and takes the step again.
"""

from __future__ import annotations

from rigidsim.engine.collision.approach import smooth_motion, turn_since
from rigidsim.engine.collision.bodies import begin_solver, tensor_in_world, write_motions, write_poses, write_travels
from rigidsim.engine.collision.candidates import renew_candidates
from rigidsim.engine.constraints.loops import close_loops, return_to_stops, stop_measured
from rigidsim.engine.constraints.tree_responses import find_mobilities, in_trees, is_in_tree
from rigidsim.engine.contact.arrays import LACKS_LOG, LACKS_NOTHING, LACKS_PAIRS
from rigidsim.engine.contact.division import end_after, forget_part, turns_far, undivided
from rigidsim.engine.contact.impact_problem import pairs_of, points_of
from rigidsim.engine.contact.impacts import FAST_TURN, LANDING_STEPS, N_LANDED, resolve_impacts, rounds_of
from rigidsim.engine.contact.independent import correct_independent, moves_others
from rigidsim.engine.contact.joint_constraints import (
    ROUNDS,
    add_impulses_of_constraints,
    any_pulls,
    any_waits,
    begin_constraints,
    compare_constraints,
    end_constraints,
    have_constraints,
    pull_by_constraints,
    release_blocked,
    wait_for_contact,
)
from rigidsim.engine.contact.ledger import (
    begin_booking,
    book_body,
    book_contacts,
    book_holding,
    book_impacts,
    book_member,
    book_spins,
    book_sums,
    finish_booking,
    gains,
)
from rigidsim.engine.contact.log import (
    LEAST_PART,
    forget_last_step,
    log_impacts,
    log_sleepers,
    log_touches,
    remember,
    write_origins,
    write_present,
)
from rigidsim.engine.contact.passing import is_too_long
from rigidsim.engine.contact.points import bound_closing, find_points
from rigidsim.engine.contact.rebounds import can_rebound, is_at_rebound, rebound, rebounds_earlier
from rigidsim.engine.contact.sleeping import (
    add_present,
    add_work_on_sleepers,
    any_asleep,
    begin_sleepers,
    find_kept,
    is_asleep,
    keep_present,
    let_sleep,
    note_standing,
    nothing_meets,
    pass_over,
    put_back_sleepers,
    remember_sleepers,
    wakes_by_motion,
    wakes_by_touch,
)
from rigidsim.engine.contact.solver import SubSteps, solve_contacts
from rigidsim.engine.contact.trees import (
    any_acts_on_tree,
    begin_linear_velocities,
    displace_by_trees,
    forget_untouched,
    is_pushed,
    keep_momenta,
)
from rigidsim.engine.dynamics.corrections import begin_corrections, distribute
from rigidsim.engine.dynamics.kinds import keeps_frame
from rigidsim.engine.dynamics.relations import relate
from rigidsim.engine.evaluate import place_nodes
from rigidsim.engine.events.modes import BLOCKS
from rigidsim.engine.loads.summing import store_energy
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import switches
from rigidsim.engine.model.contact_layout import CENTRE, LINE
from rigidsim.engine.model.layout import BODY, CORRECTION, LEDGER, STATE, TRIPLE, add_to_sums
from rigidsim.engine.outputs.observe import store_joints
from rigidsim.jit import inlined, routine
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import conjugate, log, product, rotate_back
from rigidsim.physics.rigid_body import kinetic_energy
from rigidsim.physics.vector import add, dot, scaled, sub


@inlined
def begin_step(arrays, t, block):
    """Keep the state and the motion of all contact bodies at the beginning of the step, t (s)."""
    model, state, scratch = block.model, block.state, block.scratch
    contacts, motions = model.contacts, arrays.motions
    arrays.lacks[0] = LACKS_NOTHING
    at.copy_rows(0, len(state), state, scratch.before)
    if have_constraints(model):
        wait_for_contact(contacts, model, scratch)
    if arrays.sleep is not None:
        find_kept(contacts, state, arrays.sleep)
    place_nodes(model.active, t, block, omits=keeps_frame)
    write_motions(contacts, block, motions.way, motions.start, omits=keeps_frame)
    write_poses(contacts, contacts.shape_value, motions.start, arrays.sleep, motions.pose)
    if arrays.sleep is not None:
        begin_sleepers(contacts, scratch.arm, state, arrays.last, arrays.sleep)
        log_sleepers(t, contacts, arrays.record, arrays.sleep)


@routine
def write_accelerations(contacts, finish: CENTRE, vel: LINE, kicked: LINE, acts, h, sleep, mean: TRIPLE):
    """Mean accelerations by contact in this step, without those by impacts, m/s2 and rad/s2, world axes. What sleeps
    keeps its own.
    """
    for b in range(len(finish)):
        if sleep is not None and is_asleep(b, contacts, sleep):
            continue
        share = acts[b] / h
        v = sub(vel[b].linear, finish[b].v)
        omega = sub(vel[b].angular, finish[b].omega)
        mean[b].xyz = scaled(share, sub(v, kicked[b].linear))
        mean[b].put(3, scaled(share, sub(omega, kicked[b].angular)))


@routine
def write_push(h, body: BODY, finish: CENTRE, total: LINE, mean: TRIPLE):
    """The accelerations that the impulses on one body alone would give it."""
    q = finish.q
    mean.xyz = scaled(1.0 / (h * body.mass), total.linear)
    mean.put(3, scaled(1.0 / h, apply(rotated(q, body.inverse), total.angular)))


@inlined
def write_pushes(h, contacts, body, finish, trees, mean):
    """`write_accelerations` of bodies of trees: the share of contact, without that of the joints."""
    for b in range(contacts.n_moved):
        if is_in_tree(b, contacts.trees):
            write_push(h, body[contacts.body[b].row], finish[b], trees.made.total[b], mean[b])


@routine
def write_kicks(start: CENTRE, vel: LINE, kicked: LINE):
    """What impacts changed."""
    for b in range(len(start)):
        kicked[b].linear = sub(vel[b].linear, start[b].v)
        kicked[b].angular = sub(vel[b].angular, start[b].omega)


@routine
def mark_acting(kicked: LINE, touched, acts):
    """Mark the bodies that impacts or the solver changed."""
    for b in range(len(acts)):
        v, omega = kicked[b].linear, kicked[b].angular
        acts[b] = 1 if touched[b] > 0 or dot(v, v) + dot(omega, omega) > 0.0 else 0


@inlined
def rounds_now(h, n_point, contacts, arrays):
    """(landing, rounds, least): steps left since something landed or the run began, and as in `rounds_of`."""
    if arrays.impacts is None:
        return 0, 1, -1.0
    lines, work = arrays.lines, arrays.impacts
    landed = work.size[N_LANDED] > 0 or arrays.last.step[0] == 0.0
    landing = LANDING_STEPS if landed else arrays.last.landing[0]
    n_round, least = rounds_of(
        h, contacts.substeps, contacts.trees, points_of(n_point, arrays), lines.vel, lines.smooth, landing, work
    )
    return landing, n_round, least


@inlined
def pushes_trees(n_point, contacts, model, scratch, points):
    """Whether anything may push trees: contact points, or constraints that wait for contact."""
    if any_acts_on_tree(points.who, n_point, contacts.trees):
        return True
    return any_waits(model, scratch) if have_constraints(model) else False


@inlined
def solve(steps, n_point, contacts, trees, arrays):
    """The impulses of all contact points in a step."""
    solve_contacts(
        steps, len(contacts.body), points_of(n_point, arrays), arrays.lines, arrays.solver, trees, arrays.lanes
    )


@inlined
def solve_with_constraints(h, steps, n_point, trees, block, arrays):
    """Solve contact again, with other coordinates released, until no constraint force is beyond its bounds."""
    contacts, points, lines, made = block.model.contacts, arrays.points, arrays.lines, arrays.trees
    shift = arrays.corrections.shift
    if not pushes_trees(n_point, contacts, block.model, block.scratch, points):
        return
    at.copy_rows(0, len(lines.smooth), lines.smooth, made.smooth)
    made.work[0] = 0.0
    for number in range(ROUNDS):
        changed = compare_constraints(h, number, contacts, block, shift, made)
        if number < BLOCKS and release_blocked(h, contacts, block, shift, lines.vel, lines.moved, made):
            changed = True
        if not changed:
            break
        at.copy_rows(0, len(lines.vel), lines.first, lines.vel)
        at.copy_rows(0, len(lines.moved), lines.way, lines.moved)
        at.copy_rows(0, len(lines.smooth), made.smooth, lines.smooth)
        at.copy_rows(0, n_point, made.point, points.value)
        find_mobilities(contacts, block, shift, made)
        made.work[0] = pull_by_constraints(contacts, block, shift, lines)
        solve(steps, n_point, contacts, trees, arrays)


@inlined
def find_impulses(t, h, n_point, trees, block, arrays):
    """Impacts in the order of time, then the impulses of all other contact points. Returns whether there was room."""
    model = block.model
    contacts, motions, lines, points = model.contacts, arrays.motions, arrays.lines, arrays.points
    arrays.n_impact[0] = 0
    if arrays.impacts is not None:
        motion = smooth_motion(h, contacts, motions, lines)
        found = points_of(n_point, arrays)
        arrays.n_impact[0] = resolve_impacts(t - h, pairs_of(None, model, arrays), found, motion, arrays.impacts)
    if arrays.n_impact[0] < 0:
        return False
    write_kicks(motions.start, lines.vel, lines.kicked)
    if contacts.trees is not None and pushes_trees(n_point, contacts, model, block.scratch, points):
        find_mobilities(contacts, block, arrays.corrections.shift, arrays.trees)
        begin_linear_velocities(h, contacts, motions, lines)
    at.copy_rows(0, len(lines.vel), lines.vel, lines.first)
    at.copy_rows(0, len(lines.moved), lines.moved, lines.way)
    landing, rounds, least = rounds_now(h, n_point, contacts, arrays)
    share = h / undivided(model.step, arrays.part)
    steps = SubSteps(contacts.substeps, h / contacts.substeps, share, rounds, least)
    if have_constraints(model):
        at.copy_rows(0, n_point, points.value, arrays.trees.point)
        begin_constraints(t, block)
    solve(steps, n_point, contacts, trees, arrays)
    if have_constraints(model):
        solve_with_constraints(h, steps, n_point, trees, block, arrays)
    arrays.next.landing[0] = landing - 1 if landing > 0 and arrays.solver.size[2] > 0 else 0
    mark_acting(lines.kicked, arrays.solver.touched, lines.acts)
    if trees is not None:
        forget_untouched(lines.acts, trees)
    return True


@inlined
def can_log(n, contacts, arrays):
    """Whether the log has room for n entries, and for all bodies that fall asleep after this step or wake in the
    next.
    """
    sleepers = 0 if arrays.sleep is None else 2 * contacts.n_moved
    return arrays.record.count[0] + n + sleepers <= len(arrays.record.log)


@inlined
def log_step(t, h, n_point, contacts, trees, model, scratch, arrays):
    """Record what happened. Returns whether there was room, also for impacts that end the step."""
    motions, lines, points, record = arrays.motions, arrays.lines, arrays.points, arrays.record
    pair, whole = arrays.candidates.pair, undivided(model.step, arrays.part)
    remember(h, h / whole, n_point, pair, points, arrays.last, arrays.next)
    n_before = record.count[2]
    if any_asleep(arrays):
        replaced = h / whole >= LEAST_PART
        remember_sleepers(replaced, contacts, motions, arrays.last, arrays.next, arrays.sleep)
    more = arrays.n_impact[0]
    if is_at_rebound(arrays):
        more += len(arrays.impacts.log)
    if not can_log(2 * arrays.next.count[1] + arrays.last.count[1] + more, contacts, arrays):
        return False
    write_origins(contacts, model, scratch, motions)
    if arrays.impacts is not None:
        log_impacts(arrays.impacts, arrays.n_impact[0], contacts, motions.origin, record)
    log_touches(t, n_point, whole / h, model, arrays)
    if any_asleep(arrays):
        keep_present(h, contacts, scratch.arm, record, arrays.sleep)
    write_present(pair, n_point, h, motions, lines.moved, points, record)
    if any_asleep(arrays):
        add_present(n_before, contacts, motions, record, arrays.sleep)
    write_accelerations(contacts, motions.finish, lines.vel, lines.kicked, lines.acts, h, arrays.sleep, arrays.mean)
    if trees is not None:
        write_pushes(h, contacts, model.body, motions.finish, trees, arrays.mean)
    return True


@inlined
def kinetic_of_trees(inward, model, scratch):
    """The kinetic energy of some rows, J."""
    total = 0.0
    for i in inward:
        place, body = model.moved_node[i], model.body[i]
        omega_B = rotate_back(scratch.frame[place + 1].q, scratch.frame[place + 1].omega)
        total += kinetic_energy(body.mass, body.inertia, scratch.arm[place].v_WC, omega_B)
    return total


@inlined
def stored_energy(t, block, energy: LEDGER):
    """The energy stored in loads at time t (s), J; in trees that touch also the kinetic energy, of which displacements
    change the inertia.
    """
    model = block.model
    trees = model.contacts.trees
    if model.pairwise is None and trees is None:
        return 0.0
    energy[:] = 0.0
    place_nodes(model.active, t, block)
    relate(block)
    store_energy(block, energy)
    if trees is None:
        return energy.potential
    store_joints(block, energy)
    return energy.kinetic + energy.potential + kinetic_of_trees(trees.inward, model, block.scratch)


@routine
def write_correction(b, motion, kicked: LINE, inertia_W, is_planar, own: CORRECTION):
    """The correction of a free body: what contact added to the motion of the smooth step, dx = h (v0 + share (v* -
    v0)). Of a body that was struck, the turn is that from the smooth orientation to the one which it has turned to
    since it was struck last: rotations one after the other do not add up. Its angular momentum gains the impulses
    themselves, of which a planar scene only has what turns it in the plane.
    """
    h, share, start, finish, struck = motion.h, motion.share, motion.start[b], motion.finish[b], motion.struck[b]
    vel, moved = motion.vel[b], motion.moved[b]
    v, v_end = start.v, finish.v
    omega, omega_end = start.omega, finish.omega
    smooth = scaled(h, add(v, scaled(share, sub(v_end, v))))
    turn = scaled(h, add(omega, scaled(share, sub(omega_end, omega))))
    own.p = sub(moved.linear, smooth)
    own.v, change = sub(vel.linear, v_end), sub(vel.angular, omega_end)
    if struck.count > 0.0:
        q = product(turn_since(h, moved.angular, struck), struck.q)
        own.turn = scaled(2.0, log(product(q, conjugate(finish.q))))
    else:
        own.turn = sub(moved.angular, turn)
    if struck.count > 0.0 and not is_planar:
        own.omega = add(struck.dL, apply(inertia_W, sub(change, kicked[b].angular)))
    else:
        own.omega = apply(inertia_W, change)


@inlined
def write_corrections(h, trees, model, scratch, arrays):
    """The corrections of all contact bodies on which an impulse acted, but for those of trees, with their energies in
    the ledger of the step. Returns whether there are any, and whether there are any of trees.
    """
    contacts, motions, lines, made = model.contacts, arrays.motions, arrays.lines, arrays.corrections
    motion, is_planar = smooth_motion(h, contacts, motions, lines), len(model.normal) > 0
    begin_corrections(made)
    found, of_trees = False, False
    for b in range(contacts.n_moved):
        row, frame, v_WC = contacts.body[b].row, contacts.body[b].node + 1, scratch.arm[contacts.body[b].node].v_WC
        if is_in_tree(b, contacts.trees):
            if not is_pushed(trees.made.total[b], trees.made.moved[b]):
                continue
            of_trees = True
            book_member(b, h, contacts.substeps, v_WC, arrays)
        elif lines.acts[b] > 0:
            found = True
            made.is_settled[row], made.source[frame] = 1, frame
            inertia = tensor_in_world(lines.struck[b].q, model.body[row].inertia)
            write_correction(b, motion, lines.kicked, inertia, is_planar, made.own[row])
            book_body(b, h, contacts, model.body[row], inertia, made.own[row], v_WC, arrays)
    return found, of_trees


@inlined
def count_work(state: STATE, work):
    """Count the work of all loads, J, in the first row, because only the sum over bodies is used."""
    add_to_sums(state[0], work=work)


@inlined
def apply_corrections(t, h, block, trees, arrays):
    """Correct the state at the end of the step, t (s), if any impulse acted; the change of the stored energy is counted
    as work, too.
    """
    model, scratch = block.model, block.scratch
    motions, lines, made, ledger = arrays.motions, arrays.lines, arrays.corrections, arrays.ledger
    begin_booking(arrays.impacts, ledger)
    contacts = model.contacts
    found, of_trees = write_corrections(h, trees, model, scratch, arrays)
    if have_constraints(model):
        of_trees = of_trees or any_pulls(model, scratch)
    if not (found or of_trees):
        return
    by_impulses = 0.0
    if trees is not None and of_trees:
        by_impulses = book_holding(contacts, block, made.shift, arrays.trees, ledger.step)
        displace_by_trees(h, contacts, block, made, arrays.trees)
        if have_constraints(model):
            add_impulses_of_constraints(contacts, block, made)
            ledger.step[c.W_LOADS] += arrays.trees.work[0]
    book_sums(h, ledger)
    book_contacts(h, contacts.n_moved, contacts.substeps, arrays.solver, arrays.trees, lines, ledger, arrays.lanes)
    if arrays.impacts is not None:
        book_impacts(arrays.impacts, ledger)
    before = stored_energy(t, block, arrays.energy)
    if scratch.independent is not None and not moves_others(model, scratch):
        correct_independent(block, made)
    distribute(model.active, block, made)
    book_spins(t, model.step, contacts, motions.finish, lines.acts, block.state, ledger.spun)
    changed, inherited, gained, jumped = gains(model, made)
    if trees is not None and of_trees:
        place_nodes(model.active, t, block)
        keep_momenta(contacts.trees.inward, model, scratch, made, arrays.trees)
        distribute(model.active, block, made)
        restored, _, _, of_rates = gains(model, made)
        changed, inherited, jumped = changed + restored, inherited + restored, jumped + of_rates
        if model.loops is not None:
            stop_measured(t, block)
            close_loops(t, block)
            closed, _, _, of_closing = gains(model, scratch.loops.made)
            changed, inherited, jumped = changed + closed, inherited + closed, jumped + of_closing
            if model.loops.measured is not None:
                return_to_stops(block)
                returned, _, _, of_stops = gains(model, scratch.loops.made)
                changed, inherited, jumped = changed + returned, inherited + returned, jumped + of_stops
        if have_constraints(model):
            end_constraints(t, contacts, block)
    of_loads = stored_energy(t, block, arrays.energy) - before - jumped
    count_work(block.state, of_loads)
    ledger.step[c.W_LOADS] += inherited + of_loads + (gained - by_impulses)
    finish_booking(changed + of_loads, ledger)


@inlined
def rests(h, all_stand, contacts, arrays):
    """Whether contact has nothing to do in a step of length h, s; it has not if no body moves (`all_stand`)."""
    candidates, last = arrays.candidates, arrays.last
    return (
        h == last.step[0]
        and can_log(0, contacts, arrays)
        and (
            all_stand
            or nothing_meets(contacts, candidates.pair, candidates.count[0], arrays.motions, last, arrays.sleep)
        )
    )


@inlined
def lacks_room_for_sleepers(n_point, arrays):
    """Whether the points of this step and those of the last one, which may be left as they are, have no room."""
    last, n_present = arrays.last, arrays.record.count[2]
    return n_point + max(last.count[0], max(last.count[1], n_present)) >= len(arrays.points.value)


@inlined
def solve_step(t, h, trees, block, arrays):
    """Find and record the impulses of the step of length h (s) that ends at time t (s). Returns the number of contact
    points, or -1 if an array has no room (`lacks`), or the step is to be divided (`is_divided`) or taken again as
    something woke (`woke`).
    """
    model = block.model
    contacts, motions, candidates = model.contacts, arrays.motions, arrays.candidates
    bound_closing(contacts, candidates.pair, candidates.count[0], motions, arrays.points, arrays.sleep)
    if turns_far(contacts, arrays):
        return -1
    n_point = find_points(t - h, h, model, arrays)
    if n_point < 0 or (any_asleep(arrays) and lacks_room_for_sleepers(n_point, arrays)):
        arrays.lacks[0] = LACKS_PAIRS
        return -1
    if rebounds_earlier(h, n_point, model, arrays):
        return -1
    if not find_impulses(t, h, n_point, trees, block, arrays):
        if arrays.n_impact[0] == FAST_TURN:
            end_after(arrays.impacts.struck[0], h, model.step, arrays.part)
        else:
            arrays.lacks[0] = LACKS_PAIRS
        return -1
    if is_too_long(h, n_point, model, arrays):
        return -1
    if any_asleep(arrays) and wakes_by_touch(contacts, arrays.lines.acts, arrays.last, arrays.sleep):
        forget_part(arrays)
        return -1
    if not log_step(t, h, n_point, contacts, trees, model, block.scratch, arrays):
        arrays.lacks[0] = LACKS_LOG
        return -1
    return n_point


@inlined
def end_step(arrays, t, h, block):
    """Correct the smooth step of length h (s) that ended at time t (s). Returns whether there was room, and the step is
    not to be divided or taken again; if not, the state is that before the step.
    """
    model, state, scratch = block.model, block.state, block.scratch
    contacts, motions, candidates = model.contacts, arrays.motions, arrays.candidates
    trees = in_trees(contacts.trees, arrays.trees, arrays.lines.inverse, switches(model))
    if any_asleep(arrays):
        put_back_sleepers(contacts, scratch.before, state, arrays.sleep)
    place_nodes(model.active, t, block, omits=keeps_frame)
    write_motions(contacts, block, motions.way, motions.finish, omits=keeps_frame)
    all_stand = arrays.sleep is not None and note_standing(contacts, motions.start, motions.finish, arrays.sleep)
    if any_asleep(arrays) and wakes_by_motion(h, all_stand, block, motions, arrays.last, arrays.sleep):
        at.copy_rows(0, len(state), scratch.before, state)
        return False
    write_travels(h, contacts, arrays.sleep, motions)
    is_listed = renew_candidates(contacts, motions.pose, motions.travel, 0.0, candidates)
    if any_asleep(arrays) and is_listed and rests(h, all_stand, contacts, arrays):
        pass_over(h, all_stand, block, arrays)
        forget_part(arrays)
        let_sleep(t, h, block, arrays)
        log_sleepers(t, contacts, arrays.record, arrays.sleep)
        return True
    begin_solver(contacts, model.body, model.normal, motions, arrays.lines)
    n_point = -1
    if is_listed:
        n_point = solve_step(t, h, trees, block, arrays)
    else:
        arrays.lacks[0] = LACKS_PAIRS
    if n_point < 0:
        at.copy_rows(0, len(state), scratch.before, state)
        return False
    if any_asleep(arrays):
        add_work_on_sleepers(h, block, state, arrays.ledger, arrays.sleep)
    apply_corrections(t, h, block, trees, arrays)
    forget_last_step(arrays.last, arrays.next)
    if can_rebound(arrays) and is_at_rebound(arrays):
        rebound(t, n_point, trees, block, arrays)
    forget_part(arrays)
    if arrays.sleep is not None:
        let_sleep(t, h, block, arrays)
        log_sleepers(t, contacts, arrays.record, arrays.sleep)
    return True
