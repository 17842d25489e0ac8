"""Several touching places of one pair of shapes: their joint frictionless plastic impulse, and the point it stands for.

The impulses p >= 0 minimise p . M p/2 + u . p, u the slips along the normals: a least-squares problem with p >= 0, for
M is that of a sum of squares. It is solved by Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23: the
place that approaches fastest is taken in, the places taken in stop, and one that would have to pull is left out again.
No more than three places with one normal are taken in, so this ends after a few of them, exact to round-off.
"""

from __future__ import annotations

from rigidsim.engine import layout as at
from rigidsim.engine.contact import columns as c
from rigidsim.engine.contact.approach import M_INERTIA, M_MASS, levers, slip_at
from rigidsim.engine.layout import load3, load6, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.restitution import coupling
from rigidsim.physics.vector import add, cross, dot, scaled

# A row of the joint problem: that of M, the slip along the normal, the impulse, whether it is taken in, levers, moments
# of unit impulses.
SLIP, IMPULSE, TAKEN = c.MOST_PLACES, c.MOST_PLACES + 1, c.MOST_PLACES + 2
LEVER_A, LEVER_B, MOMENT_A, MOMENT_B, JOINT_COLUMNS = 11, 14, 17, 20, 23
SYSTEM_COLUMNS = c.MOST_PLACES + 1  # of linear equations: the matrix, the right side

STOPPED = 1e-12  # of the fastest approach: what is left of it is round-off
MOST_CHANGES = 4 * c.MOST_PLACES  # of the places taken in; round-off cannot make it go on


@inlined
def pose_joint_problem(count, near):
    """The levers of all places, the slips along their normals, and M."""
    A, B, joint = near.side[0], near.side[1], near.joint
    w, inverse_A, inverse_B = A[M_MASS] + B[M_MASS], load6(A, M_INERTIA, 0, 1), load6(B, M_INERTIA, 0, 1)
    for i in range(count):
        n = load3(near.places[i], c.Q_NORMAL, 0, 1)
        r_A, r_B = levers(near.places[i], near)
        joint[i, SLIP], joint[i, IMPULSE], joint[i, TAKEN] = dot(n, slip_at(r_A, r_B, near)), 0.0, 0.0
        store3(joint[i], LEVER_A, 0, 1, r_A)
        store3(joint[i], LEVER_B, 0, 1, r_B)
        store3(joint[i], MOMENT_A, 0, 1, cross(r_A, n))
        store3(joint[i], MOMENT_B, 0, 1, cross(r_B, n))
    for i in range(count):
        n_i, a_i, b_i = normal_and_moments(i, near)
        for j in range(count):
            n_j, a_j, b_j = normal_and_moments(j, near)
            joint[i, j] = coupling(w, n_i, n_j, inverse_A, a_i, a_j, inverse_B, b_i, b_j)


@inlined
def normal_and_moments(i, near):
    """Of a unit impulse along the normal of one place."""
    row = near.joint[i]
    return load3(near.places[i], c.Q_NORMAL, 0, 1), load3(row, MOMENT_A, 0, 1), load3(row, MOMENT_B, 0, 1)


@inlined
def fastest_left(count, joint):
    """The place not taken in that approaches fastest after the impulses, or NO_ROW if none does."""
    best, most = at.NO_ROW, 0.0
    for i in range(count):
        most = max(most, -STOPPED * joint[i, SLIP])
    for i in range(count):
        after = joint[i, SLIP]
        for j in range(count):
            after += joint[i, j] * joint[j, IMPULSE]
        if joint[i, TAKEN] == 0.0 and -after > most:
            best, most = i, -after
    return best


@inlined
def solve_taken(count, joint, system):
    """The impulses that stop all places taken in, whatever their signs, as the right side of the system."""
    for i in range(count):
        for j in range(count):
            both = joint[i, TAKEN] * joint[j, TAKEN]
            system[i, j] = both * joint[i, j] if both > 0.0 or i != j else 1.0
        system[i, c.MOST_PLACES] = -joint[i, TAKEN] * joint[i, SLIP]
    for k in range(count):
        for i in range(k + 1, count):
            factor = system[i, k] / system[k, k]
            for j in range(k, count):
                system[i, j] -= factor * system[k, j]
            system[i, c.MOST_PLACES] -= factor * system[k, c.MOST_PLACES]
    for i in range(count - 1, -1, -1):
        for j in range(i + 1, count):
            system[i, c.MOST_PLACES] -= system[i, j] * system[j, c.MOST_PLACES]
        system[i, c.MOST_PLACES] /= system[i, i]


@inlined
def go_towards(count, joint, system):
    """Change the impulses towards those of the system, until one would become negative: it is left out; False then."""
    share, out = 1.0, at.NO_ROW
    for i in range(count):
        p, wanted = joint[i, IMPULSE], system[i, c.MOST_PLACES]
        if joint[i, TAKEN] > 0.0 and wanted <= 0.0 and (out == at.NO_ROW or p < share * (p - wanted)):
            share, out = p / (p - wanted) if p > wanted else 0.0, i
    for i in range(count):
        joint[i, IMPULSE] += share * (system[i, c.MOST_PLACES] - joint[i, IMPULSE])
    if out != at.NO_ROW:
        joint[out, IMPULSE], joint[out, TAKEN] = 0.0, 0.0
    return out == at.NO_ROW


@routine
def joint_impulse(count, joint, system):
    """The frictionless plastic impulses of all places at once, N s; their sum."""
    stops = True
    for _ in range(MOST_CHANGES):
        if stops:
            i = fastest_left(count, joint)
            if i == at.NO_ROW:
                break
            joint[i, TAKEN] = 1.0
        solve_taken(count, joint, system)
        stops = go_towards(count, joint, system)
    total = 0.0
    for i in range(count):
        total += joint[i, IMPULSE]
    return total


@inlined
def centre(count, total, near):
    """(n, r_A, r_B) of the point that stands for all places: the mean by their impulses."""
    n, r_A, r_B = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(count):
        row = near.joint[i]
        share = row[IMPULSE] / total
        n = add(n, scaled(share, load3(near.places[i], c.Q_NORMAL, 0, 1)))
        r_A = add(r_A, scaled(share, load3(row, LEVER_A, 0, 1)))
        r_B = add(r_B, scaled(share, load3(row, LEVER_B, 0, 1)))
    return n, r_A, r_B
