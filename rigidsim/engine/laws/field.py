"""Uniform gravity on single bodies: an acceleration, so that bodies of any mass have the same motion to the last
bit.
"""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.engine import layout as at
from rigidsim.engine.laws.declaration import VECTOR, ZERO, Force, Key, Row, Table, frame, varies
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, dot

# The acceleration.
G, WIDTH = 0, 3


@routine
def fall(g_x, g_y, g_z, axes, body, arm, wrench, lanes):
    """Add gravity given by three components in the frame `axes`; its power is counted as work."""
    n = len(lanes)
    for lane in range(n):
        g = (load(g_x, 0, lane, n), load(g_y, 0, lane, n), load(g_z, 0, lane, n))
        g_W = rotate(load4(axes, at.F_Q, lane, n), g)
        power = load(body, at.B_MASS, lane, n) * dot(g_W, load3(arm, at.A_VC, lane, n))
        store3(wrench, at.W_G, lane, n, add(load3(wrench, at.W_G, lane, n), g_W))
        store(wrench, at.W_POWER, lane, n, load(wrench, at.W_POWER, lane, n) + power)


@inlined
def field(law, k, arrays, lanes):
    """Apply one uniform field to its body."""
    i, g, n = law.who[k, at.LAW_SECOND], law.value[k], len(lanes)
    axes, arm = arrays.frame[law.who[k, at.LAW_PAIR]], arrays.arm[arrays.moved_node[i]]
    fall(g[G * n :], g[(G + 1) * n :], g[(G + 2) * n :], axes, arrays.body[i], arm, arrays.wrench[i], lanes)


def field_rows(force, site) -> Iterator[Row]:
    """One row, of numbers or of expressions, at the centre of mass."""
    body = site.carrier_center()
    if varies(force.acceleration):
        yield Row(None, site.frame(force.frame), body, body.lever, (ZERO, ZERO, force.acceleration))
    else:
        axes = site.axes(force.frame)
        yield Row(FIELDS, axes, body, rotate(axes.turn, force.acceleration))


FIELDS = Table("fields", WIDTH, field, is_pair=False)
GRAVITY = Force(
    name="gravity",
    title="uniform gravity",
    description="a uniform field that acts on this body only, independent of its mass; components may be expressions",
    keys=(Key("acceleration", VECTOR, "the acceleration of the field", "acceleration", varies=True), frame("world")),
    table=FIELDS,
    rows=field_rows,
)
