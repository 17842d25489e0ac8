"""Bushings: stiffness and damping along three axes of one frame, against displacement and rotation of another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rigidsim.engine import layout as at
from rigidsim.engine.laws.declaration import (
    AT,
    NOT_NEGATIVE,
    ORIENTATION,
    TO,
    TO_AT,
    VECTOR,
    ZERO,
    Force,
    Key,
    Row,
    Table,
)
from rigidsim.engine.laws.wrench import ends
from rigidsim.engine.layout import load, load3, load4, store, store3
from rigidsim.jit import inlined, routine
from rigidsim.physics.elementary import select, select3
from rigidsim.physics.forces import (
    along_axes,
    energy_along_axes,
    free_axis,
    has_axis,
    moved_from,
    separation,
    swung_from,
    turned_from,
    turning_torque,
)
from rigidsim.physics.quaternion import conjugate, product, rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, cross, dot, negated, scaled, sub

# Stiffnesses and dampings along three axes, of displacement and of rotation; the displacement and orientation at rest,
# in those axes; the orientation of these axes in the first frame; the two ends, each a point of its frame (that frame's
# axes, m).
STIFFNESS, DAMPING, TURN_STIFFNESS, TURN_DAMPING, OFFSET, REST, AXES, FIRST, SECOND, WIDTH = (
    *(0, 3, 6, 9, 12, 15, 19, 23, 26),
    29,
)


@inlined
def misaligned(stiffness, q_rest, q_A2):
    """(theta, share) as `turning_torque` takes them: the rotation from rest or, with a free axis, the swing."""
    axis = free_axis(stiffness)
    swings = has_axis(axis)
    theta = select3(swings, swung_from(axis, q_rest, q_A2), turned_from(q_rest, q_A2))
    return theta, select(swings, 1.0, 0.5)


@routine
def press(value, apart, first, second, frame, body, end, wrench, lanes):
    """Add force and torque on one end (1.0 for the second, -1.0 for the first), given with its frame and body. Both
    wrenches act at the point of the second end; the power of the bushing is counted at the second end.
    """
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2, d = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n), load3(apart, at.Z_P, lane, n)
        q_WA = product(q_W1, load4(value, AXES, lane, n))
        _, r_2, s = separation(d, q_W1, load3(value, FIRST, lane, n), q_W2, load3(value, SECOND, lane, n))
        omega_1 = load3(first, at.F_OMEGA, lane, n)
        omega_A = rotate_back(q_WA, sub(load3(second, at.F_OMEGA, lane, n), omega_1))
        v_2 = point_velocity(load3(apart, at.Z_V, lane, n), load3(second, at.F_OMEGA, lane, n), r_2)
        v_A = rotate_back(q_WA, sub(v_2, cross(omega_1, add(d, r_2))))

        x = moved_from(q_WA, load3(value, OFFSET, lane, n), s)
        turning = load3(value, TURN_STIFFNESS, lane, n)
        theta, share = misaligned(turning, load4(value, REST, lane, n), product(conjugate(q_WA), q_W2))
        elastic = negated(along_axes(load3(value, STIFFNESS, lane, n), x))
        torque = turning_torque(turning, theta, share)
        f_A = sub(elastic, along_axes(load3(value, DAMPING, lane, n), v_A))
        tau_A = sub(torque, along_axes(load3(value, TURN_DAMPING, lane, n), omega_A))
        f_W, tau_W = scaled(end, rotate(q_WA, f_A)), scaled(end, rotate(q_WA, tau_A))

        origin = scaled(0.5 - 0.5 * end, d)  # of the second frame, relative to this one's
        com = rotate(load4(frame, at.F_Q, lane, n), load3(body, at.B_COM, lane, n))
        moment = cross(sub(add(origin, r_2), com), f_W)
        stored = (0.5 + 0.5 * end) * (dot(elastic, v_A) + dot(torque, omega_A))
        store3(wrench, at.W_F, lane, n, add(load3(wrench, at.W_F, lane, n), f_W))
        store3(wrench, at.W_TAU, lane, n, add(load3(wrench, at.W_TAU, lane, n), add(tau_W, moment)))
        store(wrench, at.W_POWER, lane, n, load(wrench, at.W_POWER, lane, n) - stored)


@routine
def store_bushing(value, apart, first, second, ledger, place, sign, lanes):
    """Add sign times the energy of the bushing to a place of a ledger."""
    n = len(lanes)
    for lane in range(n):
        q_W1, q_W2, d = load4(first, at.F_Q, lane, n), load4(second, at.F_Q, lane, n), load3(apart, at.Z_P, lane, n)
        q_WA = product(q_W1, load4(value, AXES, lane, n))
        _, _, s = separation(d, q_W1, load3(value, FIRST, lane, n), q_W2, load3(value, SECOND, lane, n))
        x = moved_from(q_WA, load3(value, OFFSET, lane, n), s)
        turning = load3(value, TURN_STIFFNESS, lane, n)
        theta, _ = misaligned(turning, load4(value, REST, lane, n), product(conjugate(q_WA), q_W2))
        energy = energy_along_axes(load3(value, STIFFNESS, lane, n), x) + energy_along_axes(turning, theta)
        store(ledger, place, lane, n, load(ledger, place, lane, n) + sign * energy)


@routine
def follow_bushing(value, first, second, wound, lanes):
    """The cosine of half the angle; the torque reverses where it changes sign, unless an axis is free."""
    n = len(lanes)
    for lane in range(n):
        q_WA = product(load4(first, at.F_Q, lane, n), load4(value, AXES, lane, n))
        q_A2 = product(conjugate(q_WA), load4(second, at.F_Q, lane, n))
        store(wound, at.WINDING_NOW, lane, n, product(q_A2, conjugate(load4(value, REST, lane, n)))[0])
        stiffness = load3(value, TURN_STIFFNESS, lane, n)
        total = stiffness[0] + stiffness[1] + stiffness[2]
        store(wound, at.WINDING_TURNS_OVER, lane, n, select(has_axis(free_axis(stiffness)), 0.0 * total, total))


@inlined
def bushing(law, k, arrays, lanes):
    """Apply one bushing to the second end, and the opposite to the first if that is on a free body."""
    i, j = law.who[k, at.LAW_FIRST], law.who[k, at.LAW_SECOND]
    first, second, apart = ends(law, k, arrays)
    press(law.value[k], apart, first, second, second, arrays.body[j], 1.0, arrays.wrench[j], lanes)
    if i >= 0:
        press(law.value[k], apart, first, second, first, arrays.body[i], -1.0, arrays.wrench[i], lanes)


@inlined
def energy_of_bushing(law, k, arrays, ledger, place, sign, lanes):
    """Add the energy of one bushing."""
    first, second, apart = ends(law, k, arrays)
    store_bushing(law.value[k], apart, first, second, ledger, place, sign, lanes)


@inlined
def winding_of_bushing(law, k, _state, arrays, lanes):
    """Compute the winding of one bushing."""
    first, second, _ = ends(law, k, arrays)
    follow_bushing(law.value[k], first, second, arrays.wound[law.who[k, at.LAW_FOLLOWED]], lanes)


def counts_no_turns(_value) -> bool:
    """The winding of a bushing is never an angle."""
    return False


def bushing_rows(force, site) -> Iterator[Row]:
    """One row, between two frames."""
    first, second = site.end(force.to, force.to_at), site.end(at=force.at)
    rest = product(force.rest, conjugate(second.turn))
    gains = (*force.stiffness, *force.damping, *force.torsion_stiffness, *force.torsion_damping)
    yield Row(BUSHINGS, first, second, (*gains, *force.offset, *rest, *first.turn, *first.point, *second.point))


def pose_at_start(force, site) -> dict[str, Any]:
    """Default offset and orientation at rest: those at t = 0."""
    first, second = site.end(force.to, force.to_at), site.end(at=force.at)
    p, q = site.pose(first.frame, second.frame)
    offset = rotate_back(first.turn, sub(add(p, rotate(q, second.point)), first.point))
    rest = site.pose(force.to, site.frame().frame)[1]
    return {
        "offset": offset if force.offset is None else force.offset,
        "rest": rest if force.rest is None else force.rest,
    }


def bushing_rates(force, ends, _speed) -> tuple[float, list[float]]:
    """Rates for displacement, without rotation of the bodies; and for rotation, about the axes of least inertia."""
    pulled = max(force.stiffness) * sum(1 / end.carrier.mass.mass for end in ends)
    turned = max(force.torsion_stiffness) * sum(end.turned(None) for end in ends)
    damped = zip(ends, (force.at, force.to_at), strict=False)
    c, c_turned = max(force.damping), max(force.torsion_damping)
    return math.sqrt(max(pulled, turned)), [c * end.pulled(at) + c_turned * end.turned(None) for end, at in damped]


def _along(name: str, description: str, quantity: str) -> Key:
    return Key(name, VECTOR, f"{description}, along the three axes of `to`", quantity, ZERO, NOT_NEGATIVE)


BUSHINGS = Table("bushings", WIDTH, bushing, energy_of_bushing, follow=winding_of_bushing, counts_turns=counts_no_turns)
BUSHING = Force(
    name="bushing",
    title="bushing",
    description="holds the point `at` and the orientation at their rest values in `to`, with a stiffness along each"
    " axis of `to`: force -K x for the displacement x, torque minus the gradient of theta . K theta/2 for the rotation"
    " vector theta. theta is at most half a turn; beyond that the torque reverses, and the run prints a warning. If one"
    " torsion_stiffness is zero and two are not, that axis of the body turns as it likes, and theta is its swing",
    keys=(
        *(TO, AT, TO_AT),
        _along("stiffness", "force per metre", "stiffness"),
        _along("damping", "force per m/s", "damping"),
        _along("torsion_stiffness", "torque per radian", "torsion stiffness"),
        _along("torsion_damping", "torque per rad/s", "torsion damping"),
        Key(
            "offset",
            VECTOR,
            "of `at` from `to_at` at rest, in the axes of `to`; default: the offset at t = 0",
            "length",
            None,
        ),
        Key("rest", ORIENTATION, "of the body relative to `to`, at rest; default: that at t = 0", "", None),
    ),
    one_of=("stiffness", "damping", "torsion_stiffness", "torsion_damping"),
    table=BUSHINGS,
    rows=bushing_rows,
    at_start=pose_at_start,
    stores=True,
    twists=True,
    rates=bushing_rates,
    turned_over="a bushing is meant for smaller angles",
)
