"""The ledger of contact: the work of all contact and what did it; bodies that contact spins too fast for the step, and
shapes that it could not keep from sinking into each other.

`physics/contact_energy.py` derives the causes. Nothing that moves reads the ledger.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.collision.bodies import is_round
from rigidsim.engine.constraints.contact_rows import BALL, BALLS, BODY_PAIR, CONTACT, MASSES, TURNING, gather, row_of
from rigidsim.engine.contact.colours import GROUP
from rigidsim.engine.contact.impacts import TALLIES
from rigidsim.engine.contact.iterations import rates_at
from rigidsim.engine.contact.trees import note_momenta, respond_members
from rigidsim.engine.dynamics.articulated import along_coordinate, has_modes, is_prescribed, turns_in
from rigidsim.engine.dynamics.kinds import is_root
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import floats, integers, made
from rigidsim.engine.model.contact_layout import CENTRE, LINE, SPUN, SUNK
from rigidsim.engine.model.layout import (
    ACCELERATION,
    ARTICULATED,
    BODY,
    CORRECTION,
    JOINT_VALUE,
    KINEMATICS,
    STAGE,
    SUM,
    TRIPLE,
    add_to_sums,
)
from rigidsim.engine.outputs.observe import reaction_of
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.jit.rows import Row
from rigidsim.physics.contact import slip, slip_of_balls
from rigidsim.physics.contact_energy import friction_work
from rigidsim.physics.elementary import select
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity, power
from rigidsim.physics.vector import add, cross, dot, norm, rejection, scaled, sub

FAST = 1.0  # rad a step: a body that contact spins faster is named
ROUNDING = 1e-13  # of what was booked: the contacts of a step that did less are not distinguished
ONE = (0.0,)  # the lane of a single contact

DONE = Row(
    "work of contacts in this step, J: of friction, of overlaps, of surfaces that something else drives",
    friction=1, overlaps=1, driven=1,
)  # fmt: skip


# Sums over bodies, component by component: of the work of the sub-steps, of loads times the length of the step, and of
# twice the kinetic energy that the smooth motion of the step gives from rest.
OF_MASS, OF_INERTIA, LOADS_OF_MASS, LOADS_OF_INERTIA, FROM_REST, SUMS = 0, 1, 2, 3, 4, 5


class LedgerArrays(NamedTuple):
    """What contact did since the beginning of the run, and in this step."""

    work: SUM = floats()  # of all contact, J
    cause: SUM = floats(c.CAUSES)  # of each cause, likewise
    step: np.ndarray = floats(c.CAUSES)  # of each cause in this step, J
    done: np.ndarray = floats(GROUP, DONE)  # by contacts in this step, by place in their group, J; in blocks of lanes
    single: np.ndarray = floats(GROUP, DONE)  # by contacts without a colour
    sums: LINE = floats(SUMS)  # over all bodies in this step, as in `book_rows`
    from_rest: np.ndarray = floats(1)  # the largest kinetic energy that a smooth step gives from rest, J
    tally: np.ndarray = integers(TALLIES)  # counts of `impacts`
    spun: SPUN = floats(c.SPUN_ROWS)  # all zero if no body was
    sunk: SUNK = floats(c.SUNK_ROWS)  # all zero if no pair did


def make_ledger(lanes: tuple) -> LedgerArrays:
    """Nothing booked yet."""
    ledger = made(LedgerArrays, {})
    return ledger._replace(done=ledger.done.reshape(GROUP // len(lanes), DONE.width * len(lanes)))


# --- the contacts of the sub-steps


@routine
def find_paths(h, moved, way):
    """The velocities that make the displacements of the sub-steps, in place of the displacements before."""
    rate = 1.0 / h
    for b in range(len(way)):
        for lane in range(c.LINE.width):
            way[b, lane] = rate * (moved[b, lane] - way[b, lane])


@inlined
def book_lane(row, masses, bodies, done, K, u, v_B, surface):
    """Add the work of one contact in the step: moment K of rolling and spinning, slip u of the bodies, velocity v_B of
    the point of B, slip of the surfaces on their bodies.
    """
    normal, P = row.normal, row.total
    drives = select(masses.mass_B > 0.0, 0.0, 1.0)
    overlaps = select(row.gap < 0.0, 1.0, 0.0)
    friction = friction_work(normal, P, add(u, surface), K, rates_at(bodies))
    driven = -(drives * power(P, v_B, K, bodies.omega_B)) - dot(P, surface)
    done.friction += friction
    done.overlaps += overlaps * dot(normal, P) * dot(normal, u)
    done.driven += driven


@inlined
def moment_of_rolling(row, n_sub):
    """In all sub-steps, as in the last one, N m s."""
    return scaled(n_sub, row.p_r)


@lanewise
def book_balls(row: BALL, masses: MASSES, bodies: BODY_PAIR, done: DONE, n_sub, lane):
    """Add the work of a block of balls; `bodies` has the velocities that make their displacements."""
    normal, b = row.normal, row.lever_B
    v_B, omega_B = bodies.v_B, bodies.omega_B
    u = slip_of_balls(bodies.v_A, bodies.omega_A, row.lever_A, v_B, omega_B, b, normal)
    at_B = add(v_B, cross(normal, scaled(b, omega_B)))
    book_lane(row, masses, bodies, done, moment_of_rolling(row, n_sub), u, at_B, (0.0, 0.0, 0.0))


@inlined
def slip_and_point(row, bodies, r_A, r_B):
    """The slip of bodies of any form, and the velocity of the point of B."""
    v_B, omega_B = bodies.v_B, bodies.omega_B
    return slip(bodies.v_A, bodies.omega_A, r_A, v_B, omega_B, r_B), point_velocity(v_B, omega_B, r_B)


@lanewise
def book_bodies(row: CONTACT, masses: MASSES, bodies: BODY_PAIR, done: DONE, n_sub, lane):
    """`book_balls` of bodies of any form."""
    u, at_B = slip_and_point(row, bodies, row.lever_A, row.lever_B)
    book_lane(row, masses, bodies, done, moment_of_rolling(row, n_sub), u, at_B, (0.0, 0.0, 0.0))


@inlined
def middle_lever(first, last, n_sub):
    """The lever in the middle of the step, from that at its beginning and that in the middle of the last sub-step."""
    return add(first, scaled(n_sub / (2.0 * n_sub - 1.0), sub(last, first)))


@lanewise
def book_turning(row: CONTACT, masses: MASSES, bodies: BODY_PAIR, done: DONE, n_sub, lane):
    """`book_bodies`, with levers and surfaces that move, and friction beside the point."""
    r_A = middle_lever(row.lever_A, row.arm_A, n_sub)
    u, at_B = slip_and_point(row, bodies, r_A, middle_lever(row.lever_B, row.arm_B, n_sub))
    K = add(moment_of_rolling(row, n_sub), cross(row.shift, rejection(row.normal, row.total)))
    book_lane(row, masses, bodies, done, K, u, at_B, row.surface)


@routine
def book_blocks(blocks, n_block, path, bodies, n_sub, done, step, lanes):
    """Add the work of all contacts of some blocks, first by place in a group: the order of a sum does not depend on the
    number of lanes.
    """
    n = len(lanes)
    if n_block == 0:
        return
    done[:] = 0.0
    for b in range(n_block):
        kind, row_done = blocks.kind[b], done[b % (GROUP // n)]
        gather(path, blocks.body_A[b], bodies, BODY_PAIR.place("v_A"), lanes)
        gather(path, blocks.body_B[b], bodies, BODY_PAIR.place("v_B"), lanes)
        for layer in range(blocks.layers[b]):
            row, masses = blocks.row[row_of(blocks, b, layer)], blocks.masses[b]
            if kind == BALLS:
                book_balls(row, masses, bodies, row_done, n_sub, lanes)
            elif kind == TURNING:
                book_turning(row, masses, bodies, row_done, n_sub, lanes)
            else:
                book_bodies(row, masses, bodies, row_done, n_sub, lanes)
    friction, overlaps, driven = 0.0, 0.0, 0.0
    for b in range(GROUP // n):
        for place in range(n):
            one = DONE(done[b], place, n)
            friction += one.friction
            overlaps += one.overlaps
            driven += one.driven
    step[c.W_FRICTION] += friction
    step[c.W_OVERLAPS] += overlaps
    step[c.W_DRIVEN] += driven
    step[c.W_DAMPING] -= friction + overlaps + driven


@inlined
def has_belt(blocks, n_block, lanes):
    """Whether the surface of some body moves on it."""
    n, found = len(lanes), False
    for b in range(n_block):
        for layer in range(blocks.layers[b] if blocks.kind[b] == TURNING else 0):
            for k in range(CONTACT.place("surface") * n, (CONTACT.place("surface") + 3) * n):
                found = found or blocks.row[row_of(blocks, b, layer), k] != 0.0
    return found


@inlined
def is_driven(n_moved, first, solver, trees, lanes):
    """Whether anything that forces do not move does move."""
    found = has_belt(solver.block, solver.size[0], lanes) or has_belt(solver.single, solver.size[1], ONE)
    if trees is not None:
        found = found or has_belt(trees.blocks, trees.count[0], ONE)
    for b in range(n_moved, len(first)):
        for k in range(6):
            found = found or first[b, k] != 0.0
    return found


@inlined
def is_active(ledger):
    """Whether what the sub-steps did to all bodies is more than rounding beside what was booked up to now."""
    work, booked = abs(ledger.step[c.W_DAMPING]), 0.0
    for k in range(c.LINE.width):
        work += abs(ledger.sums[OF_MASS, k]) + abs(ledger.sums[OF_INERTIA, k])
    for k in range(c.CAUSES):
        booked += abs(ledger.cause[k, 0])
    return work > ROUNDING * booked


@inlined
def book_contacts(h, n_moved, n_sub, solver, trees, lines, ledger, lanes):
    """The work of each contact in the sub-steps, taken off that of all of them; nothing where all rests. trees: the
    working arrays of contacts of trees, or None.
    """
    if is_active(ledger) or is_driven(n_moved, lines.first, solver, trees, lanes):
        path, done, step, size = lines.way, ledger.done, ledger.step, solver.size
        find_paths(h, lines.moved, path)
        book_blocks(solver.block, size[0], path, solver.bodies, n_sub, done, step, lanes)
        book_blocks(solver.single, size[1], path, solver.bodies, n_sub, ledger.single, step, ONE)
        if trees is not None:
            book_blocks(trees.blocks, trees.count[0], path, solver.bodies, n_sub, ledger.single, step, ONE)


# --- the bodies


@inlined
def book_rows(b, h, ahead, n_sub, of_mass, lines, own, sums):
    """Add what the sub-steps did to a body, and loads along its displacement by contact times the length of the step:
    component by component, with its mass and with its inertia, `of_mass`.
    """
    vel, first, moved, way, smooth = lines.vel[b], lines.first[b], lines.moved[b], lines.way[b], lines.smooth[b]
    (mass, inertia), rate = of_mass, 1.0 / h
    for lane in range(c.LINE.width):
        v, v_0, gained = vel[lane], first[lane], n_sub * smooth[lane]
        work = 0.5 * (v - v_0) * (v + v_0) - gained * (rate * (moved[lane] - way[lane]))
        along = gained * (own[lane] + ahead * gained)
        sums[OF_MASS, lane] += mass * work
        sums[OF_INERTIA, lane] += inertia * work
        sums[LOADS_OF_MASS, lane] += mass * along
        sums[LOADS_OF_INERTIA, lane] += inertia * along
        sums[FROM_REST, lane] += mass * gained * gained


@inlined
def momentum_at(motion: CENTRE, inertia):
    """Angular momentum in world axes, N m s."""
    q = motion.q
    return rotate(q, apply(inertia, rotate_back(q, motion.omega)))


@routine
def book_turn(b, h, ahead, body: BODY, inertia_W, own: CORRECTION, arrays):
    """The part of rotation, of a body that is not round; `inertia_W` is that of the sub-steps."""
    lines, step, start, finish = arrays.lines, arrays.ledger.step, arrays.motions.start[b], arrays.motions.finish[b]
    omega, omega_0, turned = lines.vel[b].angular, lines.first[b].angular, own.turn
    gained = sub(finish.omega, start.omega)
    jump, theta = apply(inertia_W, sub(omega, omega_0)), sub(lines.moved[b].angular, lines.way[b].angular)
    work = 0.5 * dot(jump, add(omega, omega_0)) - dot(apply(inertia_W, gained), theta) / h
    inertia = body.inertia
    torque = sub(momentum_at(finish, inertia), momentum_at(start, inertia))
    step[c.W_DAMPING] += work
    step[c.W_LOADS] += dot(torque, add(turned, scaled(ahead, gained))) / h


@inlined
def book_body(b, h, contacts, body: BODY, inertia_W, own: CORRECTION, v_WC, arrays):
    """Book what the sub-steps did to a body (as damping, of which `book_contacts` takes off the rest), the work of
    loads, and that of the motion of the reference frame.
    """
    mass, ledger = body.mass, arrays.ledger
    # Displacements are those beyond the mean velocity of the smooth motion, whatever the integrator makes of it.
    ahead, turns = (contacts.share - 0.5) * h, not is_round(body.inertia)
    of_mass = (mass, 0.0 if turns else inertia_W[0])
    book_rows(b, h, ahead, contacts.substeps, of_mass, arrays.lines, own, ledger.sums)
    if turns:
        book_turn(b, h, ahead, body, inertia_W, own, arrays)
    ledger.step[c.W_LOADS] -= mass * dot(body.g, own.p)
    ledger.step[c.W_DRIVEN] += mass * dot(own.v, sub(v_WC, arrays.motions.finish[b].v))


@inlined
def book_sums(h, ledger):
    """Book the sums over bodies."""
    from_rest = 0.0
    for k in range(3):
        linear, angular = c.LINE.place("linear") + k, c.LINE.place("angular") + k
        ledger.step[c.W_DAMPING] += ledger.sums[OF_MASS, linear] + ledger.sums[OF_INERTIA, angular]
        ledger.step[c.W_LOADS] += (ledger.sums[LOADS_OF_MASS, linear] + ledger.sums[LOADS_OF_INERTIA, angular]) / h
        from_rest += 0.5 * ledger.sums[FROM_REST, linear]
    ledger.from_rest[0] = max(ledger.from_rest[0], from_rest)


# --- the bodies of trees


@routine
def book_member(b, h, n_sub, v_WC, arrays):
    """Book what contact did to a body of a tree by its impulses J: of all bodies of the tree together, the sum of J .
    (v + v_0)/2 + dv . (J/2 - x/h) in the sub-steps, and of dv . x/h by loads, with the gain dv by the smooth motion and
    the sum x of what impulses displace, in place of what `book_rows` has of masses. v_WC: the velocity of its
    centre in the world.
    """
    lines, total, moved, step = arrays.lines, arrays.trees.total[b], arrays.trees.moved[b], arrays.ledger.step
    for k in range(6):
        v_end, v_0, gained, J, x = lines.vel[b, k], lines.first[b, k], n_sub * lines.smooth[b, k], total[k], moved[k]
        step[c.W_DAMPING] += 0.5 * J * (v_end + v_0) + gained * (0.5 * J - x / h)
        step[c.W_LOADS] += gained * x / h
    step[c.W_DRIVEN] += dot(total.linear, sub(v_WC, arrays.motions.finish[b].v))


@routine
def book_motor(
    turns, value: JOINT_VALUE, joint: KINEMATICS, articulated: ARTICULATED, acceleration: ACCELERATION, jump: TRIPLE,
    step,
):  # fmt: skip
    """Book the work of what holds the rate of a coordinate: the part of its joint's reaction along the coordinate, of
    which those to the jumps of the bodies and of the rotor are as much parts as that to the impulses.
    """
    t, f = reaction_of(value, articulated, joint, acceleration)
    held = along_coordinate(turns, value.advance, joint.u, t, f) + value.armature * jump.xyz[0]
    step[c.W_DRIVEN] += held * joint.rate


@inlined
def has_motor(i, joints):
    """Whether something may hold the rate of a row: a motor that prescribes it, or a mode."""
    return is_prescribed(i, joints) or has_modes(i, joints)


@inlined
def book_holding(contacts, block, shift, trees, step):
    """Book the work of frames and motors that hold their rates against the impulses of contact on trees, and note the
    momenta after these. Returns the kinetic energy that they give the trees, J.
    """
    joints, dynamics, n_moved = block.model.joints, block.scratch.joints, len(block.model.moved_node)
    respond_members(trees.total, 1.0, contacts, block, shift)
    for k in range(len(joints.held)):
        articulated, frame = dynamics.articulated[n_moved + k], block.scratch.frame[joints.held[k]]
        step[c.W_DRIVEN] += dot(articulated.f, frame.v) + dot(articulated.t, frame.omega)
    for i in contacts.trees.inward:
        if has_motor(i, joints):
            book_motor(
                turns_in(i, joints),
                joints.value[i],
                dynamics.kinematics[i],
                dynamics.articulated[i],
                dynamics.acceleration[i],
                shift[i],
                step,
            )
    return note_momenta(contacts.trees.inward, block.model, block.scratch, shift, trees)


# --- the step


@inlined
def begin_booking(impacts, ledger):
    """Nothing booked in this step, apart from its counts."""
    ledger.step[:] = ledger.sums[:] = 0.0
    if impacts is not None:
        for k in range(TALLIES):
            ledger.tally[k] += impacts.counted[k]


@inlined
def book_impacts(impacts, ledger):
    """The work of the impacts of the step."""
    ledger.step[c.W_RESTITUTION], ledger.step[c.W_IMPACT_FRICTION] = impacts.energy[0], impacts.energy[1]
    ledger.step[c.W_DRIVEN] += impacts.energy[2]


@inlined
def book_spin(row: SPUN, t, node, turn):
    """Note a body that turns by so many radians a step."""
    row.time, row.node, row.turn = t, node, turn


@inlined
def book_spins(t, nominal, contacts, finish: CENTRE, acts, state: STAGE, spun: SPUN):
    """Note the bodies that contact spun by more than a radian a step."""
    for b in range(contacts.n_moved):
        if acts[b] > 0:
            row, smooth = state[contacts.body[b].row], finish[b].omega
            omega = row.omega
            square = dot(omega, omega)
            if nominal * nominal * square > FAST * FAST and square > dot(smooth, smooth):
                turn, node = nominal * norm(omega), contacts.body[b].node
                if spun[c.FIRST_SPUN].turn == 0.0:
                    book_spin(spun[c.FIRST_SPUN], t, node, turn)
                if turn > spun[c.FASTEST_SPUN].turn:
                    book_spin(spun[c.FASTEST_SPUN], t, node, turn)


@inlined
def finish_booking(changed, ledger):
    """Add the step to the sums; `changed` is the whole change of energy, J."""
    step = ledger.step
    add_to_sums(ledger.work, value=changed)
    for k in range(c.CAUSES):
        add_to_sums(ledger.cause[k], value=step[k])


@inlined
def gains(model, made):
    """Energy that bodies gained by jumps, J: all; those that inherit jumps; trees that touch, all of theirs, and its
    kinetic part.
    """
    inherited, of_trees = made.gained[at.INHERITED].value, made.gained[at.OF_TREES]
    changed, gained, jumped = made.gained[at.OF_OTHERS].value + inherited, 0.0, 0.0
    if model.contacts.trees is not None:
        gained, jumped = of_trees.value + of_trees.lifted, of_trees.value
        changed += gained
        for i in model.contacts.trees.inward:
            if is_root(i, model):
                jumped += model.body[i].mass * dot(model.body[i].g, made.own[i].p)
    return changed, inherited, gained, jumped


@inlined
def finish_impacts(by_impulses, model, made, ledger):
    """Book impacts at an instant, whose impulses give trees so much energy, J; with loads what else bodies and trees
    gain, which struck ones carry.
    """
    changed, inherited, gained, _ = gains(model, made)
    ledger.step[c.W_LOADS] += inherited + (gained - by_impulses)
    finish_booking(changed, ledger)
