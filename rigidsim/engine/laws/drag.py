"""Drag relative to a medium that moves with some frame."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.engine import layout as at
from rigidsim.engine.laws.declaration import AT, MEDIUM, NOT_NEGATIVE, NUMBER, Force, Key, Row, Table
from rigidsim.engine.laws.wrench import ends, push
from rigidsim.engine.layout import load, load3, load4, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.forces import drag_force
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, cross, sub

# Linear and quadratic coefficient, the point of the body at which it acts (that frame's axes, m).
LINEAR, QUADRATIC, POINT, WIDTH = 0, 1, 2, 5


@routine
def pull_drag(value, apart, medium, frame, pull, lanes):
    """The force on a point of the body, world axes: v is the velocity of the point minus that of the medium there."""
    n = len(lanes)
    for lane in range(n):
        r = rotate(load4(frame, at.F_Q, lane, n), load3(value, POINT, lane, n))
        s = add(load3(apart, at.Z_P, lane, n), r)
        v_point = point_velocity(load3(apart, at.Z_V, lane, n), load3(frame, at.F_OMEGA, lane, n), r)
        v = sub(v_point, cross(load3(medium, at.F_OMEGA, lane, n), s))
        f_W = drag_force(load(value, LINEAR, lane, n), load(value, QUADRATIC, lane, n), v)
        store3(pull, 0, lane, n, f_W)


@inlined
def drag(law, k, arrays, lanes):
    """Apply the drag on one body; there is no reaction on the medium."""
    j = law.who[k, at.LAW_SECOND]
    medium, frame, apart = ends(law, k, arrays)
    pull_drag(law.value[k], apart, medium, frame, arrays.pull, lanes)
    push(arrays.pull, 1.0, arrays.body[j], frame, law.value[k], POINT, arrays.wrench[j], lanes)


def drag_rows(force, site) -> Iterator[Row]:
    """One row, at its point, without a reaction on the medium."""
    end = site.end(at=force.at)
    yield Row(DRAGS, site.frame(force.medium), end, (force.linear, force.quadratic, *end.point))


def drag_rates(force, ends, speed) -> tuple[float, list[float]]:
    """The derivative of the drag with respect to the speed, at the speed of t = 0."""
    slope = force.linear + (2 * force.quadratic * speed(force.at, force.medium) if force.quadratic else 0.0)
    return 0.0, [slope * ends[0].pulled(force.at)]


DRAGS = Table("drags", WIDTH, drag)
DRAG = Force(
    name="drag",
    title="drag",
    description="-(linear + quadratic |v|) v, with v the point's velocity relative to a medium that moves and rotates"
    " with `medium`",
    keys=(
        Key("linear", NUMBER, "drag per m/s", "damping", 0.0, NOT_NEGATIVE),
        Key("quadratic", NUMBER, "drag per m^2/s^2", "quadratic drag", 0.0, NOT_NEGATIVE),
        Key("medium", MEDIUM, "the body that the medium moves with, by its path, or world", "", "world"),
        AT,
    ),
    one_of=("linear", "quadratic"),
    table=DRAGS,
    rows=drag_rows,
    rates=drag_rates,
)
