"""Torsion springs: torques that rotate one body back to an orientation relative to another."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rigidsim.engine.laws.declaration import (
    DIRECTION,
    NOT_NEGATIVE,
    NUMBER,
    ORIENTATION,
    TO,
    ZERO,
    Force,
    Key,
    Load,
    LoadTable,
    unit,
    worked,
)
from rigidsim.engine.laws.wrench import LoadRows, count_power, rows_of_load, turn
from rigidsim.engine.model.layout import PULL, UNWRAPPED
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.elementary import select
from rigidsim.physics.forces import (
    deflection,
    deflection_and_slip,
    has_axis,
    torsion_energy,
    torsion_torque,
    winding,
)
from rigidsim.physics.quaternion import conjugate, product, rotate, rotate_back
from rigidsim.physics.vector import dot, sub

VALUES = Row(
    "a torsion spring: stiffness, damping, the orientation of the second frame in the first at rest, and the axis"
    " (unit, second frame's axes); zero for a spring that acts about every axis; 1 if its energy is work, because its"
    " numbers vary",
    stiffness=1, damping=1, rest=4, axis=3, worked=1,
)  # fmt: skip


@lanewise
def pull_torsion(value: VALUES, load: LoadRows, pull: PULL, lane):
    """The torque on the second frame, world axes, and in row 3 the rate at which the spring releases energy."""
    first, second = load.first, load.second
    q_AB, omega = product(conjugate(first.q), second.q), rotate_back(second.q, sub(second.omega, first.omega))
    theta, slip = deflection_and_slip(value.rest, value.axis, q_AB, omega, load.unwrapped.now)
    pull.f = rotate(second.q, torsion_torque(value.stiffness, value.damping, theta, slip))
    pull.power = (1.0 - value.worked) * (value.stiffness * dot(theta, omega))


@inlined
def stored(value, load):
    """The energy of the torsion spring."""
    q_AB = product(conjugate(load.first.q), load.second.q)
    energy = torsion_energy(value.stiffness, deflection(value.rest, value.axis, q_AB, load.unwrapped.now))
    return (1.0 - value.worked) * energy


@lanewise
def wind(value: VALUES, load: LoadRows, state: UNWRAPPED, lane):
    """The winding, counted from the value in the state; without an axis the torque reverses at half a turn."""
    axis, stiffness = value.axis, value.stiffness
    load.unwrapped.now = winding(value.rest, axis, product(conjugate(load.first.q), load.second.q), state.last)
    load.unwrapped.turns_over = select(has_axis(axis), 0.0 * stiffness, stiffness)


@inlined
def torsion(law, k, block):
    """Apply one torsion spring to the second end, and the opposite to the first if that is on a free body."""
    scratch, lanes = block.scratch, block.lanes
    i, j, pull = law.who[k].first, law.who[k].second, scratch.pull
    pull_torsion(law.value[k], rows_of_load(law, k, block, winds=True), pull, lanes)
    turn(pull, 1.0, scratch.wrench[j], lanes)
    if i >= 0:
        turn(pull, -1.0, scratch.wrench[i], lanes)
    count_power(pull, scratch.wrench[j], lanes)


def torsion_rows(force, site) -> Iterator[Load]:
    """One row, between two orientations."""
    first, second = site.end(force.to), site.end()
    rest = product(product(first.turn, force.rest), conjugate(second.turn))
    axis = ZERO if force.axis is None else rotate(second.turn, unit(force.axis))
    value = VALUES.filled(stiffness=force.stiffness, damping=force.damping, rest=rest, axis=axis, worked=worked(force))
    yield Load(TORSIONS, first, second, value)


def rest_at_start(force, site) -> dict[str, tuple]:
    """Default orientation at rest: that at t = 0."""
    return {} if force.rest is not None else {"rest": site.pose(force.to, site.frame().frame)[1]}


def torsion_rates(force, ends, _speed) -> tuple[float, list[float]]:
    """Rates about its axis at its own end; at the other end, and without an axis, about the axis of least inertia."""
    yielding = [end.turned(axis) for end, axis in zip(ends, (force.axis, None), strict=False)]
    damping = [force.damping * each for each in yielding] if force.damping else []
    return math.sqrt(force.stiffness * sum(yielding)), damping


def has_axis_in(value) -> bool:
    """Whether a row of values belongs to a spring about one axis."""
    return any(value[VALUES.axis])


TORSIONS = LoadTable("torsions", VALUES, torsion, stored, wind, has_axis_in)
TORSION_SPRING = Force(
    name="torsion_spring",
    title="torsion spring",
    description="rotates the body back to the orientation `rest` in `to`: torque `stiffness` times the rotation vector,"
    " which is at most half a turn; beyond that the torque reverses, and the run prints a warning. With `axis`, in the"
    " body's axes: `stiffness` times the angle about this axis (the twist); rotation about other axes is free. The"
    " angle includes full turns; at t = 0 it is within half a turn of `rest`, and it must change by less than half a"
    " turn per step of a given length",
    keys=(
        TO,
        Key("stiffness", NUMBER, "torque per radian", "torsion stiffness", bound=NOT_NEGATIVE, varies=True),
        Key("damping", NUMBER, "torque per rad/s", "torsion damping", 0.0, NOT_NEGATIVE, True),
        Key("rest", ORIENTATION, "of the body relative to `to`, at rest; default: that at t = 0", "", None),
        Key("axis", DIRECTION, "of the body, about which it acts; default: every axis", "", None),
    ),
    table=TORSIONS,
    rows=torsion_rows,
    at_start=rest_at_start,
    stores=True,
    twists=True,
    rates=torsion_rates,
    turned_over="with an 'axis' full turns are counted",
)
