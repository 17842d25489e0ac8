"""What a tree does beyond a linear answer when contact displaces it.

Within a step springs in joints may move a leg that stands on the floor, as the smooth step knows of no floor; contact
moves it back. The solver has displacements to first order in the turns of joints, but a foot that is moved away and
back by turns of some milliradians does not end where it was, and friction, which knows velocities alone, would let it
creep by that in each step. So when the displacements are known, those of the bodies are found exactly, and what a contact
point that sticks has missed is displaced back.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact.columns import BENT, LINE
from rigidsim.engine.contact.rows import CONTACT
from rigidsim.engine.contact.trees import ROUNDS, push, push_members
from rigidsim.engine.layout import CARRIED, HUNG, TRIPLE
from rigidsim.engine.responses import respond
from rigidsim.jit import inlined, routine
from rigidsim.physics.contact import slip
from rigidsim.physics.corrections import swing, turn
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import log, product, rotate
from rigidsim.physics.vector import add, cross, dot, negated, rejection, scaled, sub

STICKS = 0.99  # of the largest friction: a point with less of it does not slip


@routine
def bend(kind, shift: TRIPLE, hung: HUNG, carried: CARRIED, above: BENT, row: BENT):
    """Turn and displacement of a body of a tree, exactly, from those of the one that it hangs on."""
    e, x, r = above.e, shift.xyz[0], hung.r
    carrier = add(above.p, swing(e, hung.d))
    row.e, row.p = e, carrier
    if kind == at.ROOT:
        row.e, row.p = turn(carried.alpha), carried.a
    elif kind == at.HINGE:
        own = turn(scaled(x, hung.u))
        row.e = product(e, own)
        row.p = add(carrier, rotate(e, swing(own, r)))
    elif kind == at.SLIDE:
        row.p = add(carrier, rotate(e, scaled(x, hung.u)))
    elif kind == at.BALL:
        own = turn(shift.xyz)
        row.e = own
        row.p = add(add(above.p, swing(e, hung.reach)), swing(own, r))


@inlined
def bend_trees(inward, model, scratch, shift, bent):
    """The displacements of all rows of trees, parents first; linear ones were found before."""
    bent[:] = 0.0
    for k in range(len(bent)):
        bent[k].e = (1.0, 0.0, 0.0, 0.0)
    for k in range(len(inward)):
        i = inward[len(inward) - 1 - k]
        joint, hanging = model.joints.joint[i], scratch.joints
        bend(joint.kind, shift[i], hanging.hung[i], hanging.carried[i], bent[max(joint.carrier, 0)], bent[i])


@routine
def write_missed(bent: BENT, carried: CARRIED, missed: LINE):
    """What a linear displacement misses."""
    missed.linear = sub(bent.p, carried.a)
    missed.angular = sub(scaled(2.0, log(bent.e)), carried.alpha)


@routine
def put_back(row: CONTACT, A, B, missed: LINE, trees):
    """Displace what is missed at one contact point back: along the normal, and across it if it sticks."""
    n, r_A, r_B, p_t = row.normal, row.lever_A, row.lever_B, row.p_t
    if row.p_n <= 0.0:
        return
    u = slip(missed[A].linear, missed[A].angular, r_A, missed[B].linear, missed[B].angular, r_B)
    P_n = -row.m_n * dot(n, u)
    P, limit = scaled(P_n, n), STICKS * row.friction * row.p_n
    if dot(p_t, p_t) < limit * limit:
        P = sub(P, apply(row.K_t, rejection(n, add(u, scaled(P_n, row.K_n)))))
    push(A, negated(cross(r_A, P)), negated(P), missed, trees.made.moved, trees)
    push(B, cross(r_B, P), P, missed, trees.made.moved, trees)


@inlined
def straighten(contacts, model, scratch, shift, moved, trees, lanes):
    """Add to the displacements of bodies what they miss, and displace contact points that stick back."""
    table, made = trees.table, trees.made
    push_members(made.moved, contacts, model, scratch, lanes)
    respond(table.inward, model, scratch, shift, lanes)
    bend_trees(table.inward, model, scratch, shift, made.bent)
    made.missed[:] = 0.0
    for m in range(len(table.member)):
        b, row = table.member[m].body, contacts.body[table.member[m].body].row
        write_missed(made.bent[row], scratch.joints.carried[row], made.missed[b])
    hung, count = made.hung, made.count[0]
    for k in range(ROUNDS * count):
        put_back(hung.row[k % count], hung.body_A[k % count, 0], hung.body_B[k % count, 0], made.missed, trees)
    for b in range(len(moved)):
        for lane in range(6):
            moved[b, lane] += made.missed[b, lane]
