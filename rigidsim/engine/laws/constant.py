"""Forces and torques that are constant in some frame's axes, and thrusters."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from rigidsim.engine.laws.declaration import (
    AT,
    DIRECTION,
    NUMBER,
    VECTOR,
    ZERO,
    Force,
    Key,
    Load,
    LoadTable,
    frame,
    unit,
    varies,
)
from rigidsim.engine.model.layout import FRAME, WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, cross

VALUES = Row("a constant load: force, torque, lever from the centre of mass (body axes, m)", force=3, torque=3, lever=3)


@lanewise
def apply_constant(value: VALUES, axes: FRAME, frame: FRAME, wrench: WRENCH, lane):
    """Add a force, at a point fixed in the body, and a torque, both constant in the frame `axes`."""
    f_W = rotate(axes.q, value.force)
    tau_W = add(rotate(axes.q, value.torque), cross(rotate(frame.q, value.lever), f_W))
    wrench.f = add(wrench.f, f_W)
    wrench.tau = add(wrench.tau, tau_W)


@inlined
def constant(law, k, block):
    """Apply one load to its body."""
    scratch = block.scratch
    i = law.who[k].second
    axes, frame = scratch.frame[law.who[k].pair], scratch.frame[block.model.moved_node[i] + 1]
    apply_constant(law.value[k], axes, frame, scratch.wrench[i], block.lanes)


def constant_rows(force, site) -> Iterator[Load]:
    """One row, of numbers or of expressions."""
    end = site.end(at=force.at)
    if varies(force.force, force.torque):
        yield Load(None, site.frame(force.frame), end, end.lever, (force.force, force.torque, ZERO))
    else:
        axes = site.axes(force.frame)
        pull, torque = (rotate(axes.turn, vector) for vector in (force.force, force.torque))
        yield Load(CONSTANTS, axes, end, VALUES.filled(force=pull, torque=torque, lever=end.lever))


def thruster_rows(force, site) -> Iterator[Load]:
    """A row of a constant force; of expressions, if thrust or throttle is one."""
    size = site.product(force.thrust, force.throttle)
    thrust = tuple(site.product(size, part) if part else 0.0 for part in unit(force.direction))
    yield from constant_rows(SimpleNamespace(force=thrust, torque=ZERO, at=force.at, frame=force.frame), site)


def constant_title(force: dict[str, Any]) -> str:
    """`force`, or `torque` if the force is zero."""
    return "force" if any(part != 0 for part in force["force"]) else "torque"


CONSTANTS = LoadTable("constants", VALUES, constant, is_pair=False)
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
