"""Torsion springs: torques that turn one body back to its orientation in another."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.laws.declaration import (
    DIRECTION,
    NOT_NEGATIVE,
    NUMBER,
    ORIENTATION,
    TO,
    ZERO,
    Force,
    Key,
    Row,
    Table,
    unit,
)
from rigidsim.engine.laws.wrench import count_power, ends, turn
from rigidsim.engine.layout import load, load3, load4, store, store3
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

# Stiffness, damping, the orientation of the second frame in the first at rest, and the axis (unit, second frame's
# axes); zero for a spring that acts about every axis.
STIFFNESS, DAMPING, REST, AXIS, WIDTH = 0, 1, 2, 6, 9


@routine
def pull_torsion(value, first, second, wound, pull, lanes):
    """The torque on the second frame, world axes, and in row 3 the rate at which the spring gives energy back."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2 = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n)
        q_rest, axis = load4(value, REST, lane, n), load3(value, AXIS, lane, n)
        phi = load(wound, at.WINDING_NOW, lane, n)
        stiffness, damping = load(value, STIFFNESS, lane, n), load(value, DAMPING, lane, n)
        omega_W = sub(load3(second, at.F_OMEGA, lane, n), load3(first, at.F_OMEGA, lane, n))
        omega = rotate_back(q_W2, omega_W)
        theta, slip = deflection_and_slip(q_rest, axis, product(conjugate(q_W1), q_W2), omega, phi)
        store3(pull, 0, lane, n, rotate(q_W2, torsion_torque(stiffness, damping, theta, slip)))
        store(pull, 3, lane, n, stiffness * dot(theta, omega))


@routine
def store_torsion(value, first, second, wound, ledger, place, sign, lanes):
    """Add sign times the energy of the torsion spring to a place of a ledger."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2 = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n)
        q_rest, axis = load4(value, REST, lane, n), load3(value, AXIS, lane, n)
        theta = deflection(q_rest, axis, product(conjugate(q_W1), q_W2), load(wound, at.WINDING_NOW, lane, n))
        energy = torsion_energy(load(value, STIFFNESS, lane, n), theta)
        store(ledger, place, lane, n, load(ledger, place, lane, n) + sign * energy)


@routine
def wind(value, first, second, state, wound, lanes):
    """How far it is wound up, counted on from its state; without an axis its torque turns over at half a turn."""
    n = len(lanes)
    for lane in range(n):
        q_AB = product(conjugate(load4(first, at.F_Q, lane, n)), load4(second, at.F_Q, lane, n))
        q_rest, axis = load4(value, REST, lane, n), load3(value, AXIS, lane, n)
        store(wound, at.WINDING_NOW, lane, n, winding(q_rest, axis, q_AB, load(state, at.WOUND_LAST, lane, n)))
        stiffness = load(value, STIFFNESS, lane, n)
        store(wound, at.WINDING_TURNS_OVER, lane, n, select(has_axis(axis), 0.0 * stiffness, stiffness))


@inlined
def torsion(law, k, model, scratch, lanes):
    """One of them, on the second end, and the opposite on the first if a free body carries it."""
    i, j = law.who[k, at.LAW_FIRST], law.who[k, at.LAW_SECOND]
    first, second, _ = ends(law, k, model, scratch)
    pull_torsion(law.value[k], first, second, scratch.wound[law.who[k, at.LAW_FOLLOWED]], scratch.pull, lanes)
    turn(scratch.pull, 1.0, scratch.wrench[j], lanes)
    if i >= 0:
        turn(scratch.pull, -1.0, scratch.wrench[i], lanes)
    count_power(scratch.pull, scratch.wrench[j], lanes)


@inlined
def energy_of_torsion(law, k, model, scratch, ledger, place, sign, lanes):
    """What one of them stores."""
    first, second, _ = ends(law, k, model, scratch)
    store_torsion(law.value[k], first, second, scratch.wound[law.who[k, at.LAW_FOLLOWED]], ledger, place, sign, lanes)


@inlined
def winding_of_torsion(law, k, model, state, scratch, lanes):
    """How far one of them is wound up."""
    first, second, _ = ends(law, k, model, scratch)
    wind(law.value[k], first, second, state, scratch.wound[law.who[k, at.LAW_FOLLOWED]], lanes)


def torsion_rows(force, site) -> Iterator[Row]:
    """One between two orientations."""
    first, second = site.end(force.to), site.end()
    rest = product(product(first.turn, force.rest), conjugate(second.turn))
    axis = ZERO if force.axis is None else rotate(second.turn, unit(force.axis))
    yield Row(TORSIONS, first, second, (force.stiffness, force.damping, *rest, *axis))


def rest_at_start(force, site) -> dict[str, tuple]:
    """It is at rest as at the start, unless the orientation is written."""
    return {} if force.rest is not None else {"rest": site.pose(force.to, site.frame().frame)[1]}


def torsion_rates(force, ends, _speed) -> tuple[float, list[float]]:
    """About its axis at its own end, elsewhere about the one that yields most."""
    yielding = [end.turned(axis) for end, axis in zip(ends, (force.axis, None), strict=False)]
    damping = [force.damping * each for each in yielding] if force.damping else []
    return math.sqrt(force.stiffness * sum(yielding)), damping


def has_axis_in(value) -> bool:
    """Whether a row of values is that of a spring about one axis."""
    return any(value[AXIS : AXIS + 3])


TORSIONS = Table("torsions", WIDTH, torsion, energy_of_torsion, winding_of_torsion, has_axis_in)
TORSION_SPRING = Force(
    name="torsion_spring",
    title="torsion spring",
    says="turns the body back to the orientation `rest` in `to`: torque `stiffness` times the rotation vector, of half"
    " a turn at most: there it turns over, and the run says so; with `axis`, in the body's axes, times the angle about"
    " it (the twist), leaving the others free. That angle counts turns, as a shaft winds up: it begins within half a"
    " turn of `rest` and must change by less than half a turn a step",
    keys=(
        TO,
        Key("stiffness", NUMBER, "torque for each radian", "torsion stiffness", bound=NOT_NEGATIVE),
        Key("damping", NUMBER, "torque for each rad/s", "torsion damping", 0.0, NOT_NEGATIVE),
        Key("rest", ORIENTATION, "in the body at the other end, at rest; left out, as at the start", "", None),
        Key("axis", DIRECTION, "of the body, the only one about which it acts; left out, every axis", "", None),
    ),
    table=TORSIONS,
    rows=torsion_rows,
    at_start=rest_at_start,
    stores=True,
    twists=True,
    rates=torsion_rates,
    turned_over="with an 'axis' it counts turns",
)
