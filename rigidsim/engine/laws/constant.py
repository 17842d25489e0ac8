"""Forces and torques that are constant in some frame's axes, and thrusters."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from rigidsim.engine import layout as at
from rigidsim.engine.laws.declaration import (
    AT,
    DIRECTION,
    NUMBER,
    VECTOR,
    ZERO,
    Force,
    Key,
    Row,
    Table,
    frame,
    unit,
    varies,
)
from rigidsim.engine.layout import load3, load4, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross

# Force, torque, lever from the centre of mass (body axes, m).
FORCE, TORQUE, LEVER, WIDTH = 0, 3, 6, 9


@routine
def apply_constant(value, axes, frame, wrench, lanes):
    """Add a force, at a point fixed in the body, and a torque, both constant in the frame `axes`."""
    n = len(lanes)
    for lane in range(n):
        q_WA, q_WB = load4(axes, at.F_Q, lane, n), load4(frame, at.F_Q, lane, n)
        f_W = rotate(q_WA, load3(value, FORCE, lane, n))
        lever_W = rotate(q_WB, load3(value, LEVER, lane, n))
        tau_W = add(rotate(q_WA, load3(value, TORQUE, lane, n)), cross(lever_W, f_W))
        store3(wrench, at.W_F, lane, n, add(load3(wrench, at.W_F, lane, n), f_W))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), tau_W))


@inlined
def constant(law, k, arrays, lanes):
    """Apply one load to its body."""
    i = law.who[k, at.LAW_SECOND]
    frame = arrays.frame[arrays.moved_node[i] + 1]
    apply_constant(law.value[k], arrays.frame[law.who[k, at.LAW_PAIR]], frame, arrays.wrench[i], lanes)


def constant_rows(force, site) -> Iterator[Row]:
    """One row, of numbers or of expressions."""
    end = site.end(at=force.at)
    if varies(force.force, force.torque):
        yield Row(None, site.frame(force.frame), end, end.lever, (force.force, force.torque, ZERO))
    else:
        axes = site.axes(force.frame)
        pull, torque = (rotate(axes.turn, vector) for vector in (force.force, force.torque))
        yield Row(CONSTANTS, axes, end, (*pull, *torque, *end.lever))


def thruster_rows(force, site) -> Iterator[Row]:
    """A row of a constant force; of expressions, if thrust or throttle is one."""
    size = site.product(force.thrust, force.throttle)
    thrust = tuple(site.product(size, part) if part else 0.0 for part in unit(force.direction))
    yield from constant_rows(SimpleNamespace(force=thrust, torque=ZERO, at=force.at, frame=force.frame), site)


def constant_title(force: dict[str, Any]) -> str:
    """`force`, or `torque` if the force is zero."""
    return "force" if any(part != 0 for part in force["force"]) else "torque"


CONSTANTS = Table("constants", WIDTH, constant, is_pair=False)
CONSTANT = Force(
    name="constant",
    title="force",
    title_of=constant_title,
    description="a force at a point and a torque; components may be expressions",
    keys=(
        Key("force", VECTOR, "the force at the point `at`", "force", ZERO, varies=True),
        Key("torque", VECTOR, "a torque, independent of the point where the force acts", "torque", ZERO, varies=True),
        AT,
        frame("parent"),
    ),
    one_of=("force", "torque"),
    table=CONSTANTS,
    rows=constant_rows,
)
THRUSTER = Force(
    name="thruster",
    title="thruster",
    description="thrust times throttle along a direction, of which the length is ignored; thrust and throttle may be"
    " expressions of time and state, the direction is constant",
    keys=(
        Key("thrust", NUMBER, "the force at full throttle", "force", varies=True),
        Key("direction", DIRECTION, "the direction of the force on the body"),
        Key("throttle", NUMBER, "the factor by which the thrust is multiplied", default=1.0, varies=True),
        AT,
        frame("body"),
    ),
    table=CONSTANTS,
    rows=thruster_rows,
)
