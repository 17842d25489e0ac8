"""Uniform gravity on single bodies: an acceleration, so that bodies of any mass have the same motion to the last
bit.
"""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.engine.laws.declaration import VECTOR, ZERO, Force, Key, Load, LoadTable, frame, varies
from rigidsim.engine.model.layout import ARM, BODY, FRAME, SCALAR, WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, dot

VALUES = Row("a uniform field of gravity: the acceleration", g=3)


@lanewise
def fall(g_x: SCALAR, g_y: SCALAR, g_z: SCALAR, axes: FRAME, body: BODY, arm: ARM, wrench: WRENCH, lane):
    """Add gravity given by three components in the frame `axes`; its power is counted as work."""
    g_W = rotate(axes.q, (g_x.value, g_y.value, g_z.value))
    wrench.g = add(wrench.g, g_W)
    wrench.power += body.mass * dot(g_W, arm.v_WC)


@inlined
def field(law, k, block):
    """Apply one uniform field to its body."""
    scratch = block.scratch
    i, g, n = law.who[k].second, law.value[k], len(block.lanes)
    axes, arm = scratch.frame[law.who[k].pair], scratch.arm[block.model.moved_node[i]]
    fall(g, g[n:], g[2 * n :], axes, block.model.body[i], arm, scratch.wrench[i], block.lanes)


def field_rows(force, site) -> Iterator[Load]:
    """One row, of numbers or of expressions, at the centre of mass."""
    body = site.moved_base_center()
    if varies(force.acceleration):
        yield Load(None, site.frame(force.frame), body, body.lever, (ZERO, ZERO, force.acceleration))
    else:
        axes = site.axes(force.frame)
        yield Load(FIELDS, axes, body, rotate(axes.turn, force.acceleration))


FIELDS = LoadTable("fields", VALUES, field, is_pair=False)
GRAVITY = Force(
    name="gravity",
    title="uniform gravity",
    description="a uniform field that acts on this body only, independent of its mass; components may be expressions",
    keys=(Key("acceleration", VECTOR, "the acceleration of the field", "acceleration", varies=True), frame("world")),
    table=FIELDS,
    rows=field_rows,
)
