"""Projection of contacts that last: after a trial and at an event, gaps of closed contacts are closed and their slips
are ended; and corrections of single bodies by impulses.
"""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import (
    BEYOND,
    EXACT,
    MODES,
    N_CALLS,
    N_SLOTS,
    OPEN,
    STUCK,
    add_row,
    body_of,
    moment_of,
    size_of,
    solve_rows,
    speed_of,
    write_now,
)
from rigidsim.engine.constraints.tree_responses import is_in_tree
from rigidsim.engine.contact.ledger import finish_booking, gains
from rigidsim.engine.contact.trees import displace_by_trees
from rigidsim.engine.dynamics.corrections import begin_corrections, distribute
from rigidsim.engine.evaluate import evaluate
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import tangents
from rigidsim.physics.inertia import apply
from rigidsim.physics.vector import add, dot, negated, norm, scaled

CLOSED, MOST_CLOSINGS = 1e-13, 3  # in parts of sizes and speeds: what a second correction is for; how many there are
AMPLIFIED = 1e2  # of the energy of changes that end each slip alone: that of one that ends them where none should end
ENDS = 1e-6  # of the speeds: a slip beyond it is more than the error of a step


@inlined
def look_at_end(now, block):
    """Evaluate the state at the end of a trial."""
    scratch = block.scratch
    calls = scratch.lasting.size[N_CALLS]
    evaluate(now, block)
    scratch.lasting.size[N_CALLS] = calls
    if scratch.lasting.size[N_SLOTS] == 0:
        write_now(block)


@inlined
def rows_of_velocities(island, contacts, lasting):
    """The rows of an island whose slip is zero; how many there are, and the largest slip in parts of the speeds."""
    n_row, most = 0, 0.0
    for k in range(island, lasting.size[N_SLOTS]):
        slot, row, speed = lasting.slot[k], lasting.value[k], speed_of(k, contacts, lasting)
        n, u = row.normal, row.slip
        if slot.mode == OPEN or slot.island != island:
            continue
        lasting.right[n_row] = -dot(n, u)
        n_row = add_row(n_row, k, n, n, lasting)
        left = abs(dot(n, u))
        if slot.mode == STUCK and slot.bound == 0:
            t, b = tangents(n)
            lasting.right[n_row], lasting.right[n_row + 1] = -dot(t, u), -dot(b, u)
            n_row = add_row(add_row(n_row, k, t, t, lasting), k, b, b, lasting)
            left = norm(u)
        most = max(most, left / speed if speed > 0.0 else 0.0)
    return n_row, most


@inlined
def rows_of_gaps(island, contacts, lasting):
    """The rows of gaps of an island, also of places that open but overlap, as when others were closed; how many there
    are, and the largest in parts of the sizes.
    """
    n_row, most = 0, 0.0
    for k in range(island, lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        if slot.island == island and (slot.mode != OPEN or row.gap < 0.0):
            lasting.right[n_row] = -row.gap
            most = max(most, abs(row.gap) / size_of(slot.first, slot.second, contacts))
            n_row = add_row(n_row, k, row.normal, row.normal, lasting)
    return n_row, most


@inlined
def correct_bodies(n, moves, contacts, lasting, made):
    """Add what the multipliers of n rows do to the corrections of bodies: displacements, or changes of velocity."""
    for i in range(n):
        k, f = lasting.row_slot[i], scaled(lasting.x[i], lasting.row[i].push)
        row = lasting.value[k]
        for s in range(2):
            b = body_of(s, k, contacts, lasting)
            if b < contacts.n_moved:
                P, r = (f, row.lever_B) if s == 1 else (negated(f), row.lever_A)
                push_correction(b, P, moment_of(row, r, P), moves, contacts, lasting, made)


@inlined
def push_correction(b, P, L, moves, contacts, lasting, made):
    """An impulse and its moment on a body, or the displacement that goes with them. Trees answer all at last."""
    if is_in_tree(b, contacts.trees):
        line = lasting.trees.moved[b] if moves else lasting.trees.total[b]
        line.linear, line.angular = add(line.linear, P), add(line.angular, L)
        return
    row, node, inverse = contacts.body[b].row, contacts.body[b].node, lasting.inverse[b]
    own = made.own[row]
    made.is_settled[row], made.source[node + 1] = 1, node + 1
    if moves:
        own.p, own.turn = add(own.p, scaled(inverse.mass, P)), add(own.turn, apply(inverse.inertia, L))
    else:
        own.v, own.omega = add(own.v, scaled(inverse.mass, P)), add(own.omega, L)


@inlined
def begin_changes(made, contacts, lasting):
    """No corrections yet."""
    begin_corrections(made)
    if contacts.trees is not None:
        lasting.trees.total[:] = 0.0
        lasting.trees.moved[:] = 0.0


@inlined
def distribute_changes(block, made):
    """Apply all corrections."""
    model = block.model
    if model.contacts.trees is not None:
        displace_by_trees(0.0, model.contacts, block, made, block.scratch.lasting.trees)
    distribute(model.active, block, made)


@inlined
def close_contacts(now, block, arrays):
    """Close the gaps of all closed contacts and end their slips, where more than round-off is left. The state was
    evaluated. A displacement changes the levers of slips a little, so coarse steps need a second correction.
    """
    least, turn = EXACT, 0
    while turn < MOST_CLOSINGS and close_once(least, now, block, arrays):
        least, turn = CLOSED, turn + 1


@inlined
def is_amplified(n, lasting):
    """Whether the changes of velocity by n rows are out of proportion to the slips that they end: where bodies pass a
    position in which the rows depend on each other, a slip that passes zero cannot end unless the bodies stop.
    """
    together, one_by_one = 0.0, 0.0
    for i in range(n):
        right = lasting.right[i]
        together += lasting.x[i] * right
        one_by_one += right * right / lasting.matrix[i, i]
    return together > AMPLIFIED * one_by_one


@inlined
def close_island(island, least, contacts, lasting, made):
    """The corrections of the bodies of an island; whether there are any."""
    n_gap, widest = rows_of_gaps(island, contacts, lasting)
    if widest > least:
        solve_rows(n_gap, contacts, lasting)
        correct_bodies(n_gap, True, contacts, lasting, made)
    n_slip, fastest = rows_of_velocities(island, contacts, lasting)
    if fastest > least:
        solve_rows(n_slip, contacts, lasting)
        if fastest > ENDS and is_amplified(n_slip, lasting):
            lasting.size[BEYOND] = MODES
        correct_bodies(n_slip, False, contacts, lasting, made)
    return widest > least or fastest > least


@routine
def close_once(least, now, block, arrays):
    """The smallest displacement and change of velocities, measured by the mass matrix, that close all contacts; whether
    there was more to do than this, in parts of sizes and speeds.
    """
    lasting, contacts, made = block.scratch.lasting, block.model.contacts, arrays.corrections
    begin_changes(made, contacts, lasting)
    moves = False
    for k in range(lasting.size[N_SLOTS]):
        if lasting.slot[k].island == k:
            moves = close_island(k, least, contacts, lasting, made) or moves
    if not moves:
        return False
    arrays.ledger.step[:] = 0.0
    distribute_changes(block, made)
    changed, _, _, _ = gains(block.model, made)
    finish_booking(changed, arrays.ledger)
    look_at_end(now, block)
    return True
