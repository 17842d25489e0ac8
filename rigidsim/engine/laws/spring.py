"""Springs and dampers between two points, of bodies or of the world."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import SimpleNamespace

from rigidsim.engine.laws.declaration import (
    AT,
    COIL,
    DASHPOT,
    NOT_NEGATIVE,
    NUMBER,
    TO,
    TO_AT,
    Force,
    Key,
    Load,
    LoadTable,
    worked,
)
from rigidsim.engine.laws.wrench import LoadRows, react, rows_of_load
from rigidsim.engine.model.layout import PULL
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.forces import damping_force, elastic_energy, elastic_force, separation
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, dot, norm, sub

VALUES = Row(
    "a spring: stiffness, damping, length at rest; the two ends, each a point of its frame (that frame's axes, m);"
    " 1 if its energy is work, because its numbers vary",
    stiffness=1, damping=1, length=1, first=3, second=3, worked=1,
)  # fmt: skip


@lanewise
def pull_spring(value: VALUES, load: LoadRows, pull: PULL, lane):
    """The force on the second end, world axes, and in row 3 the rate at which the spring releases energy."""
    first, second, apart = load.first, load.second, load.apart
    r_1, r_2, s = separation(apart.p, first.q, value.first, second.q, value.second)
    v = sub(point_velocity(apart.v, second.omega, r_2), point_velocity((0.0, 0.0, 0.0), first.omega, r_1))
    elastic = elastic_force(value.stiffness, value.length, s)
    pull.f = add(elastic, damping_force(value.damping, s, v))
    pull.power = (value.worked - 1.0) * dot(elastic, v)


@inlined
def stored(value, load):
    """The energy of the spring."""
    _, _, s = separation(load.apart.p, load.first.q, value.first, load.second.q, value.second)
    return (1.0 - value.worked) * elastic_energy(value.stiffness, value.length, s)


@inlined
def spring(law, k, block):
    """Apply one spring to both of its ends."""
    pull_spring(law.value[k], rows_of_load(law, k, block), block.scratch.pull, block.lanes)
    react(law, k, block, VALUES.place("first"), VALUES.place("second"))


def spring_rows(force, site) -> Iterator[Load]:
    """One row, between its two points."""
    first, second = site.end(force.to, force.to_at), site.end(at=force.at)
    value = VALUES.filled(
        stiffness=force.stiffness, damping=force.damping, length=force.length, first=first.point, second=second.point,
        worked=worked(force),
    )  # fmt: skip
    yield Load(SPRINGS, first, second, value)


def damper_rows(force, site) -> Iterator[Load]:
    """The row of a spring without stiffness."""
    yield from spring_rows(SimpleNamespace(**vars(force), stiffness=0.0, length=0.0), site)


def length_at_start(force, site) -> dict[str, float]:
    """Default length at rest: the length at t = 0."""
    if force.length is not None:
        return {}
    first, second = site.end(force.to, force.to_at), site.end(at=force.at)
    p, q = site.pose(first.frame, second.frame)
    return {"length": norm(sub(add(p, rotate(q, second.point)), first.point))}


def spring_rates(force, ends, _speed) -> tuple[float, list[float]]:
    """Rates without rotation of the bodies."""
    return math.sqrt(force.stiffness * sum(1 / end.mass.mass for end in ends)), damper_rates(force, ends)[1]


def damper_rates(force, ends, _speed=None) -> tuple[float, list[float]]:
    """Decay rate at each end, in the direction of least inertia."""
    points = (force.at, force.to_at)
    damped = zip(ends, points, strict=False) if force.damping else ()
    return 0.0, [force.damping * end.pulled(at) for end, at in damped]


SPRINGS = LoadTable("springs", VALUES, spring, stored)
SPRING = Force(
    name="spring",
    title="spring",
    description="pulls the two points together with `stiffness` times the extension beyond `length`; the damping acts"
    " along the line between them",
    keys=(
        *(TO, AT, TO_AT),
        Key("stiffness", NUMBER, "force per metre of extension", "stiffness", bound=NOT_NEGATIVE, varies=True),
        Key("damping", NUMBER, "force per m/s of extension rate", "damping", 0.0, NOT_NEGATIVE, True),
        Key("length", NUMBER, "at rest; default: the length at t = 0", "length", None, NOT_NEGATIVE, True),
    ),
    table=SPRINGS,
    rows=spring_rows,
    at_start=length_at_start,
    stores=True,
    rates=spring_rates,
    symbol=COIL,
)
DAMPER = Force(
    name="damper",
    title="damper",
    description="resists changes of the distance between the two points",
    keys=(
        *(TO, AT, TO_AT),
        Key(
            "damping", NUMBER, "force per m/s at which the distance changes", "damping", bound=NOT_NEGATIVE, varies=True
        ),
    ),
    table=SPRINGS,
    rows=damper_rows,
    rates=damper_rates,
    symbol=DASHPOT,
)
