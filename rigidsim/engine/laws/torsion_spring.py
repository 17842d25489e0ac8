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
    Table,
    unit,
)
from rigidsim.engine.laws.wrench import count_power, ends, turn
from rigidsim.engine.layout import FRAME, NUMBERS, PULL, WINDING, WOUND
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
    " (unit, second frame's axes); zero for a spring that acts about every axis",
    stiffness=1, damping=1, rest=4, axis=3,
)  # fmt: skip


@lanewise
def pull_torsion(value: VALUES, first: FRAME, second: FRAME, wound: WINDING, pull: PULL, lane):
    """The torque on the second frame, world axes, and in row 3 the rate at which the spring releases energy."""
    q_W1, q_W2 = first.q, second.q
    q_rest, axis = value.rest, value.axis
    phi = wound.now
    stiffness, damping = value.stiffness, value.damping
    omega_W = sub(second.omega, first.omega)
    omega = rotate_back(q_W2, omega_W)
    theta, slip = deflection_and_slip(q_rest, axis, product(conjugate(q_W1), q_W2), omega, phi)
    pull.f = rotate(q_W2, torsion_torque(stiffness, damping, theta, slip))
    pull.power = stiffness * dot(theta, omega)


@lanewise
def store_torsion(value: VALUES, first: FRAME, second: FRAME, wound: WINDING, ledger: NUMBERS, place, sign, lane):
    """Add sign times the energy of the torsion spring to a place of a ledger."""
    q_W1, q_W2 = first.q, second.q
    q_rest, axis = value.rest, value.axis
    theta = deflection(q_rest, axis, product(conjugate(q_W1), q_W2), wound.now)
    energy = torsion_energy(value.stiffness, theta)
    ledger[place] += sign * energy


@lanewise
def wind(value: VALUES, first: FRAME, second: FRAME, state: WOUND, wound: WINDING, lane):
    """The winding, counted from the value in the state; without an axis the torque reverses at half a turn."""
    q_AB = product(conjugate(first.q), second.q)
    q_rest, axis = value.rest, value.axis
    wound.now = winding(q_rest, axis, q_AB, state.last)
    stiffness = value.stiffness
    wound.turns_over = select(has_axis(axis), 0.0 * stiffness, stiffness)


@inlined
def torsion(law, k, arrays, lanes):
    """Apply one torsion spring to the second end, and the opposite to the first if that is on a free body."""
    i, j = law.who[k].first, law.who[k].second
    first, second, _ = ends(law, k, arrays)
    pull_torsion(law.value[k], first, second, arrays.wound[law.who[k].followed], arrays.pull, lanes)
    turn(arrays.pull, 1.0, arrays.wrench[j], lanes)
    if i >= 0:
        turn(arrays.pull, -1.0, arrays.wrench[i], lanes)
    count_power(arrays.pull, arrays.wrench[j], lanes)


@inlined
def energy_of_torsion(law, k, arrays, ledger, place, sign, lanes):
    """Add the energy of one torsion spring."""
    first, second, _ = ends(law, k, arrays)
    store_torsion(law.value[k], first, second, arrays.wound[law.who[k].followed], ledger, place, sign, lanes)


@inlined
def winding_of_torsion(law, k, state, arrays, lanes):
    """Compute the winding of one torsion spring."""
    first, second, _ = ends(law, k, arrays)
    wind(law.value[k], first, second, state, arrays.wound[law.who[k].followed], lanes)


def torsion_rows(force, site) -> Iterator[Load]:
    """One row, between two orientations."""
    first, second = site.end(force.to), site.end()
    rest = product(product(first.turn, force.rest), conjugate(second.turn))
    axis = ZERO if force.axis is None else rotate(second.turn, unit(force.axis))
    yield Load(
        TORSIONS, first, second, VALUES.filled(stiffness=force.stiffness, damping=force.damping, rest=rest, axis=axis)
    )


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


TORSIONS = Table("torsions", VALUES, torsion, energy_of_torsion, winding_of_torsion, has_axis_in)
TORSION_SPRING = Force(
    name="torsion_spring",
    title="torsion spring",
    description="rotates the body back to the orientation `rest` in `to`: torque `stiffness` times the rotation vector,"
    " which is at most half a turn; beyond that the torque reverses, and the run prints a warning. With `axis`, in the"
    " body's axes: `stiffness` times the angle about this axis (the twist); rotation about other axes is free. The"
    " angle includes full turns; at t = 0 it is within half a turn of `rest`, and it must change by less than half a"
    " turn per step",
    keys=(
        TO,
        Key("stiffness", NUMBER, "torque per radian", "torsion stiffness", bound=NOT_NEGATIVE),
        Key("damping", NUMBER, "torque per rad/s", "torsion damping", 0.0, NOT_NEGATIVE),
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
