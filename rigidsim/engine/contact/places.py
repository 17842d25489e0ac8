"""The places at which two shapes are nearest: how one is written, and what the pair routines read of a shape."""

from __future__ import annotations

from rigidsim.engine.contact import columns as at
from rigidsim.engine.layout import load3, load4, store3
from rigidsim.jit import inlined
from rigidsim.physics.quaternion import to_matrix
from rigidsim.physics.vector import add, dot, negated, scaled, sub

# Below this part of the sizes a distance between cores gives no direction: it is round-off.
NO_DIRECTION = 1e-10
NO_DISTANCE = 1e-150  # squares of smaller numbers underflow
CENTRE = (0.0, 0.0, 0.0)


@inlined
def between(pose_i, pose_j):
    """From the centre of the first shape to that of the second."""
    return sub(load3(pose_j, at.H_P, 0, 1), load3(pose_i, at.H_P, 0, 1))


@inlined
def axes_of(pose):
    """The three axes of a shape, in world axes."""
    x, y, z = to_matrix(load4(pose, at.H_Q, 0, 1))
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


@inlined
def half_of(value):
    """The half sizes of a core."""
    return load3(value, at.V_HALF, 0, 1)


@inlined
def components(axes, x):
    """The components of a vector along the axes."""
    return (dot(axes[0], x), dot(axes[1], x), dot(axes[2], x))


@inlined
def along(axes, x):
    """The vector with these components along the axes."""
    return add(add(scaled(x[0], axes[0]), scaled(x[1], axes[1])), scaled(x[2], axes[2]))


@inlined
def put_place(places, count, normal, distance, core, d, value_i, value_j, reach, feature):
    """Add a place, if its gap is below reach; returns how many there are now.

    `distance` is that of the cores along the normal, `core` the point of the first one, from its centre. Both points
    lie on the normal, so the impulses there have the same moment.
    """
    radius = value_i[at.V_RADIUS]
    gap = distance - radius - value_j[at.V_RADIUS]
    if not gap < reach:
        return count
    first, row = add(core, scaled(radius, normal)), places[count]
    store3(row, at.Q_NORMAL, 0, 1, normal)
    row[at.Q_GAP] = gap
    store3(row, at.Q_FIRST, 0, 1, first)
    store3(row, at.Q_SECOND, 0, 1, sub(add(first, scaled(gap, normal)), d))
    row[at.Q_FEATURE] = feature
    return count + 1


@inlined
def turn_over(count, places):
    """Exchange the two shapes in all places."""
    for k in range(count):
        row = places[k]
        first = load3(row, at.Q_FIRST, 0, 1)
        store3(row, at.Q_NORMAL, 0, 1, negated(load3(row, at.Q_NORMAL, 0, 1)))
        store3(row, at.Q_FIRST, 0, 1, load3(row, at.Q_SECOND, 0, 1))
        store3(row, at.Q_SECOND, 0, 1, first)
