"""Bushings: stiffness and damping along three axes of one frame, against displacement and rotation of another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rigidsim.engine.laws.declaration import (
    AT,
    COIL,
    NOT_NEGATIVE,
    ORIENTATION,
    TO,
    TO_AT,
    VECTOR,
    ZERO,
    Force,
    Key,
    Load,
    LoadTable,
)
from rigidsim.engine.laws.wrench import LoadRows, rows_of_load
from rigidsim.engine.model.layout import BODY, FRAME, UNWRAPPED, WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
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

VALUES = Row(
    "a bushing: stiffnesses and dampings along three axes, of displacement and of rotation; the displacement and"
    " orientation at rest, in those axes; the orientation of these axes in the first frame; the two ends, each a"
    " point of its frame (that frame's axes, m)",
    stiffness=3, damping=3, turn_stiffness=3, turn_damping=3, offset=3, rest=4, axes=4, first=3, second=3,
)  # fmt: skip


@inlined
def misaligned(stiffness, q_rest, q_A2):
    """(theta, share) as `turning_torque` takes them: the rotation from rest or, with a free axis, the swing."""
    axis = free_axis(stiffness)
    swings = has_axis(axis)
    theta = select3(swings, swung_from(axis, q_rest, q_A2), turned_from(q_rest, q_A2))
    return theta, select(swings, 1.0, 0.5)


@lanewise
def press(value: VALUES, load: LoadRows, frame: FRAME, body: BODY, end, wrench: WRENCH, lane):
    """Add force and torque on one end (1.0 for the second, -1.0 for the first), given with its frame and body. Both
    wrenches act at the point of the second end; the power of the bushing is counted at the second end.
    """
    first, second, apart = load.first, load.second, load.apart
    q_W1, q_W2, d = first.q, second.q, apart.p
    q_WA = product(q_W1, value.axes)
    _, r_2, s = separation(d, q_W1, value.first, q_W2, value.second)
    omega_1 = first.omega
    omega_A = rotate_back(q_WA, sub(second.omega, omega_1))
    v_A = rotate_back(q_WA, sub(point_velocity(apart.v, second.omega, r_2), cross(omega_1, add(d, r_2))))

    x = moved_from(q_WA, value.offset, s)
    turning = value.turn_stiffness
    theta, share = misaligned(turning, value.rest, product(conjugate(q_WA), q_W2))
    elastic = negated(along_axes(value.stiffness, x))
    torque = turning_torque(turning, theta, share)
    f_A = sub(elastic, along_axes(value.damping, v_A))
    tau_A = sub(torque, along_axes(value.turn_damping, omega_A))
    f_W, tau_W = scaled(end, rotate(q_WA, f_A)), scaled(end, rotate(q_WA, tau_A))

    origin = scaled(0.5 - 0.5 * end, d)  # of the second frame, relative to this one's
    moment = cross(sub(add(origin, r_2), rotate(frame.q, body.com)), f_W)
    stored = (0.5 + 0.5 * end) * (dot(elastic, v_A) + dot(torque, omega_A))
    wrench.f = add(wrench.f, f_W)
    wrench.tau = add(wrench.tau, add(tau_W, moment))
    wrench.power = wrench.power - stored


@inlined
def stored(value, load):
    """The energy of the bushing."""
    first, second, apart = load.first, load.second, load.apart
    q_WA, turning = product(first.q, value.axes), value.turn_stiffness
    _, _, s = separation(apart.p, first.q, value.first, second.q, value.second)
    theta, _ = misaligned(turning, value.rest, product(conjugate(q_WA), second.q))
    return energy_along_axes(value.stiffness, moved_from(q_WA, value.offset, s)) + energy_along_axes(turning, theta)


@lanewise
def follow_bushing(value: VALUES, load: LoadRows, _state: UNWRAPPED, lane):
    """The cosine of half the angle; the torque reverses where it changes sign, unless an axis is free."""
    q_A2, unwrapped = product(conjugate(product(load.first.q, value.axes)), load.second.q), load.unwrapped
    unwrapped.now = product(q_A2, conjugate(value.rest))[0]
    x, y, z = value.turn_stiffness
    total = x + y + z
    unwrapped.turns_over = select(has_axis(free_axis((x, y, z))), 0.0 * total, total)


@inlined
def bushing(law, k, block):
    """Apply one bushing to the second end, and the opposite to the first if that is on a free body."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    load = rows_of_load(law, k, block)
    for sign, i, frame in ((1.0, law.who[k].second, load.second), (-1.0, law.who[k].first, load.first)):
        if i >= 0:
            press(law.value[k], load, frame, model.body[i], sign, scratch.wrench[i], lanes)


def counts_no_turns(_value) -> bool:
    """The winding of a bushing is never an angle."""
    return False


def bushing_rows(force, site) -> Iterator[Load]:
    """One row, between two frames."""
    first, second = site.end(force.to, force.to_at), site.end(at=force.at)
    rest = product(force.rest, conjugate(second.turn))
    value = VALUES.filled(
        stiffness=force.stiffness, damping=force.damping, turn_stiffness=force.torsion_stiffness,
        turn_damping=force.torsion_damping, offset=force.offset, rest=rest, axes=first.turn, first=first.point,
        second=second.point,
    )  # fmt: skip
    yield Load(BUSHINGS, first, second, value)


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
    pulled = max(force.stiffness) * sum(1 / end.mass.mass for end in ends)
    turned = max(force.torsion_stiffness) * sum(end.turned(None) for end in ends)
    damped = zip(ends, (force.at, force.to_at), strict=False)
    c, c_turned = max(force.damping), max(force.torsion_damping)
    return math.sqrt(max(pulled, turned)), [c * end.pulled(at) + c_turned * end.turned(None) for end, at in damped]


def _along(name: str, description: str, quantity: str) -> Key:
    return Key(name, VECTOR, f"{description}, along the three axes of `to`", quantity, ZERO, NOT_NEGATIVE)


BUSHINGS = LoadTable("bushings", VALUES, bushing, stored, follow_bushing, counts_no_turns)
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
    symbol=COIL,
    turned_over="a bushing is meant for smaller angles",
)
