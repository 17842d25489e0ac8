"""Drag relative to a medium that moves with some frame."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.engine.laws.declaration import AT, MEDIUM, NOT_NEGATIVE, NUMBER, Force, Key, Load, LoadTable
from rigidsim.engine.laws.wrench import LoadRows, push, rows_of_load
from rigidsim.engine.model.layout import PULL
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.forces import drag_force
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, cross, sub

VALUES = Row(
    "drag: linear and quadratic coefficient, the point of the body at which it acts (that frame's axes, m)",
    linear=1, quadratic=1, point=3,
)  # fmt: skip


@lanewise
def pull_drag(value: VALUES, load: LoadRows, pull: PULL, lane):
    """The force on a point of the body, world axes: v is the velocity of the point minus that of the medium there."""
    medium, frame, apart = load.first, load.second, load.apart
    r = rotate(frame.q, value.point)
    v = sub(point_velocity(apart.v, frame.omega, r), cross(medium.omega, add(apart.p, r)))
    pull.f = drag_force(value.linear, value.quadratic, v)


@inlined
def drag(law, k, block):
    """Apply the drag on one body; there is no reaction on the medium."""
    load, pull, value = rows_of_load(law, k, block), block.scratch.pull, law.value[k]
    pull_drag(value, load, pull, block.lanes)
    wrench = block.scratch.wrench[law.who[k].second]
    push(pull, 1.0, load.body, load.second, value, VALUES.place("point"), wrench, block.lanes)


def drag_rows(force, site) -> Iterator[Load]:
    """One row, at its point, without a reaction on the medium."""
    end = site.end(at=force.at)
    value = VALUES.filled(linear=force.linear, quadratic=force.quadratic, point=end.point)
    yield Load(DRAGS, site.frame(force.medium), end, value)


def drag_rates(force, ends, speed) -> tuple[float, list[float]]:
    """The derivative of the drag with respect to the speed, at the speed of t = 0."""
    slope = force.linear + (2 * force.quadratic * speed(force.at, force.medium) if force.quadratic else 0.0)
    return 0.0, [slope * ends[0].pulled(force.at)]


DRAGS = LoadTable("drags", VALUES, drag)
DRAG = Force(
    name="drag",
    title="drag",
    description="-(linear + quadratic |v|) v, with v the point's velocity relative to a medium that moves and rotates"
    " with `medium`",
    keys=(
        Key("linear", NUMBER, "drag per m/s", "damping", 0.0, NOT_NEGATIVE, True),
        Key("quadratic", NUMBER, "drag per m^2/s^2", "quadratic drag", 0.0, NOT_NEGATIVE, True),
        Key("medium", MEDIUM, "the body that the medium moves with, by its path, or world", "", "world"),
        AT,
    ),
    one_of=("linear", "quadratic"),
    table=DRAGS,
    rows=drag_rows,
    rates=drag_rates,
)
