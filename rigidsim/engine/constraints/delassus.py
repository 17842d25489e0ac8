"""Constraint rows: what a multiplier of one exerts, pushed through the trees, and the Delassus matrix J M^-1 J^T.

A row of J is a list of wrenches (PUSH), about centres of mass, on moved rows and on frames that are held. Equations of
loops, coupled coordinates and coordinates that have modes are such rows. What the wrenches of one row do to the trees
(`responses.impulse_response`) is a column of the matrix; what a motion of the bodies does to the row is the power of
its wrenches (`add_rate`). Equations are solved by L D L^T; rows that depend on those before them drop out.
"""

from __future__ import annotations

from rigidsim.engine.dynamics.responses import impulse_response
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import (
    ACCELERATION,
    ARTICULATED,
    BODY,
    CORRECTION,
    FRAME,
    KINEMATICS,
    PUSH,
    SCALAR,
    WRENCH,
)
from rigidsim.engine.model.programs import fill
from rigidsim.jit import inlined, lanewise
from rigidsim.physics.loops import inverse_pivot, unheld_mobility
from rigidsim.physics.quaternion import rotate_back
from rigidsim.physics.vector import ZERO, add, cross, dot, negated, scaled, sub

# --- wrenches


@lanewise
def push_unit(turns, joint: KINEMATICS, own: PUSH, parent: PUSH, lane):
    """What an impulse of one in a coordinate is on its body, and on the parent."""
    t, f = scaled(turns, joint.u), scaled(1.0 - turns, joint.u)
    own.t = t
    own.f = f
    parent.t = negated(add(t, cross(joint.d, f)))
    parent.f = negated(f)


@lanewise
def clear(articulated: ARTICULATED, lane):
    """No impulse."""
    articulated.t = ZERO
    articulated.f = ZERO


@lanewise
def add_bias(x: SCALAR, push: PUSH, articulated: ARTICULATED, lane):
    """Add x times what acts on a body to the wrench that holds it."""
    articulated.t = sub(articulated.t, scaled(x.value, push.t))
    articulated.f = sub(articulated.f, scaled(x.value, push.f))


@lanewise
def load(x: SCALAR, push: PUSH, wrench: WRENCH, lane):
    """Add x times what acts on a body to its loads."""
    wrench.f = add(wrench.f, scaled(x.value, push.f))
    wrench.tau = add(wrench.tau, scaled(x.value, push.t))


@lanewise
def add_impulse(x: SCALAR, push: PUSH, own: CORRECTION, lane):
    """Add x times what acts on a body to the impulses on it."""
    own.v = add(own.v, scaled(x.value, push.f))
    own.omega = add(own.omega, scaled(x.value, push.t))


@lanewise
def add_rate(push: PUSH, acceleration: ACCELERATION, product: SCALAR, lane):
    """Add the power of what acts on a body in the jump of that."""
    product.value += dot(push.t, acceleration.alpha) + dot(push.f, acceleration.a)


@inlined
def add_bias_of_row(k, rows, made, scratch, lanes):
    """Let the multiplier of a row act on all bodies, as an impulse on what is at rest."""
    for j in range(rows.first[k], rows.first[k + 1]):
        if rows.held[j] != at.NO_ROW:
            add_bias(made.multiplier[k], made.push[j], scratch.joints.articulated[rows.held[j]], lanes)


@inlined
def add_bias_of_rows(rows, made, scratch, lanes):
    """The same of all rows."""
    for k in range(len(made.multiplier)):
        add_bias_of_row(k, rows, made, scratch, lanes)


@inlined
def load_rows(rows, made, scratch, lanes):
    """Add what the multipliers of all rows exert to the loads."""
    n_moved = len(scratch.wrench) - 1
    for k in range(len(made.multiplier)):
        for j in range(rows.first[k], rows.first[k + 1]):
            if 0 <= rows.held[j] < n_moved:
                load(made.multiplier[k], made.push[j], scratch.wrench[rows.held[j]], lanes)


@inlined
def add_impulse_of_row(k, rows, made, corrections, lanes):
    """Add the impulse of the multiplier of a row to what happens to bodies."""
    for j in range(rows.first[k], rows.first[k + 1]):
        if 0 <= rows.held[j] < len(corrections.own):
            add_impulse(made.multiplier[k], made.push[j], corrections.own[rows.held[j]], lanes)
            corrections.is_pushed[rows.held[j]] = 1


# --- the matrix


@inlined
def clear_impulses(inward, block):
    """No impulse on the bodies of trees, given by their rows inwards, nor on frames that are held."""
    block.scratch.joints.articulated[len(block.model.moved_node) :] = 0.0
    for i in inward:
        clear(block.scratch.joints.articulated[i], block.lanes)


@inlined
def respond_to_row(k, rows, made, block, jumps):
    """What a multiplier of one of a row alone does: jumps of bodies in `acceleration`, of joints in `jumps`."""
    fill(made.multiplier[k], 1.0, block.lanes)
    clear_impulses(rows.inward, block)
    add_bias_of_row(k, rows, made, block.scratch, block.lanes)
    impulse_response(rows.inward, block, jumps)


@inlined
def respond_to_all(rows, made, block, jumps):
    """What the multipliers of all rows do to the trees together."""
    clear_impulses(rows.inward, block)
    add_bias_of_rows(rows, made, block.scratch, block.lanes)
    impulse_response(rows.inward, block, jumps)


@inlined
def rate_of_row(k, rows, made, scratch, product, lanes):
    """The power of what a multiplier of one of a row exerts, in the jumps of bodies in `acceleration`."""
    fill(product, 0.0, lanes)
    for j in range(rows.first[k], rows.first[k + 1]):
        if rows.held[j] != at.NO_ROW:
            add_rate(made.push[j], scratch.joints.acceleration[rows.held[j]], product, lanes)


@lanewise
def add_unheld(body: BODY, frame: FRAME, push: PUSH, unheld: SCALAR, lane):
    """Add what a multiplier of one would do through a body that nothing holds."""
    f, t = rotate_back(frame.q, push.f), rotate_back(frame.q, push.t)
    unheld.value += unheld_mobility(body.mass, body.inverse, f, t)


@inlined
def fill_unheld(k, rows, made, block):
    """What the diagonal of a row would be if nothing held the bodies."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    fill(made.unheld[k], made.idle[k], lanes)
    for j in range(rows.first[k], rows.first[k + 1]):
        i = rows.held[j]
        if 0 <= i < len(model.body):
            add_unheld(model.body[i], scratch.frame[model.moved_node[i] + 1], made.push[j], made.unheld[k], lanes)


@inlined
def factorise_rows(rows, made, block, jumps):
    """J M^-1 J^T as L D L^T: each column is what a unit of one multiplier does; the inertia is gathered."""
    n = len(made.multiplier)
    for column in range(n):
        respond_to_row(column, rows, made, block, jumps)
        for k in range(column, n):
            rate_of_row(k, rows, made, block.scratch, made.delassus[n * k + column], block.lanes)
    for k in range(n):
        fill_unheld(k, rows, made, block)
    factorise(made, n, block.lanes)


# --- equations


@lanewise
def keep_pivot(pivot: SCALAR, diagonal: SCALAR, unheld: SCALAR, inverse: SCALAR, lane):
    """The inverse of a pivot, or zero."""
    inverse.value = inverse_pivot(pivot.value, diagonal.value, unheld.value)


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
def factorise(made, n, lanes):
    """Replace a symmetric matrix by L and D, without pivoting; rows that depend on those before them drop out."""
    for k in range(n):
        fill(made.diagonal[k], made.delassus[n * k + k], lanes)
    for k in range(n):
        inverse = made.inverse[k]
        keep_pivot(made.delassus[n * k + k], made.diagonal[k], made.unheld[k], inverse, lanes)
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                x, y = made.delassus[n * i + k], made.delassus[n * j + k]
                subtract_product(x, inverse, y, made.delassus[n * i + j], lanes)
        for i in range(k + 1, n):
            divide(inverse, made.delassus[n * i + k], lanes)


@inlined
def solve(made, n, lanes):
    """Replace the right-hand sides in `multiplier` by the multipliers."""
    for i in range(n):
        for j in range(i):
            subtract(made.delassus[n * i + j], made.multiplier[j], made.multiplier[i], lanes)
    for i in range(n):
        divide(made.inverse[i], made.multiplier[i], lanes)
    for k in range(n):
        i = n - 1 - k
        for j in range(i + 1, n):
            subtract(made.delassus[n * j + i], made.multiplier[j], made.multiplier[i], lanes)
