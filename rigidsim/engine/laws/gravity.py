"""Gravity of point sources on single bodies: attraction, and the torque of its gradient.

Gravity enters a wrench as an acceleration, so that bodies of any mass have the same motion to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rigidsim.engine.laws.declaration import (
    CENTER,
    DIRECTION,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    Fault,
    Force,
    Key,
    Load,
    LoadPoint,
    LoadTable,
    unit,
)
from rigidsim.engine.laws.wrench import LoadRows, rows_of_load
from rigidsim.engine.model.layout import WRENCH
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import Row
from rigidsim.physics.forces import (
    attraction,
    attraction_potential,
    gravity_gradient_torque,
    oblateness,
    oblateness_potential,
    separation,
)
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import add, dot

VALUES = Row(
    "a source of gravity: gm; softening length squared; J2 times the equatorial radius squared, and the axis"
    " (source's axes); the point of the source (its axes, m); of a gradient only the first and the last",
    gm=1, soft=1, j2=1, pole=3, point=3,
)  # fmt: skip


@inlined
def field_of(value, source, s):
    """The gravity of a source at s from it, m/s2."""
    return add(attraction(value.gm, value.soft, s), oblateness(value.gm, value.j2, rotate(source.q, value.pole), s))


@lanewise
def attract(value: VALUES, load: LoadRows, wrench: WRENCH, lane):
    """Gravity of a source at the body's centre of mass; and the power that moves the source."""
    source, frame, apart, body, _ = load
    _, r_B, s = separation(apart.p, source.q, value.point, frame.q, body.com)
    g = field_of(value, source, s)
    # The field moves with the source's frame, and that motion does work.
    v_field = point_velocity(source.v, source.omega, add(apart.p, r_B))
    wrench.g = add(wrench.g, g)
    wrench.power += body.mass * dot(g, v_field)


@inlined
def potential(value, load):
    """The potential energy of one attraction; its source is the point in `value`."""
    return load.body.mass * potential_of_mass(value, load)


@inlined
def potential_of_mass(value, load):
    """The same of a kilogram, J/kg."""
    source, frame, apart, body, _ = load
    _, _, s = separation(apart.p, source.q, value.point, frame.q, body.com)
    axis_W = rotate(source.q, value.pole)
    round_part = attraction_potential(value.gm, value.soft, s)
    return round_part + oblateness_potential(value.gm, value.j2, axis_W, s)


@lanewise
def twist_by_gradient(value: VALUES, load: LoadRows, wrench: WRENCH, lane):
    """Add the gravity-gradient torque on a body."""
    source, frame, apart, body, _ = load
    _, _, s = separation(apart.p, source.q, value.point, frame.q, body.com)
    tau_B = gravity_gradient_torque(value.gm, rotate_back(frame.q, s), body.inertia)
    wrench.tau = add(wrench.tau, rotate(frame.q, tau_B))


def on_body(pull: Callable) -> Callable:
    """How a source acts on a body, without a reaction."""

    @inlined
    def apply(law, k, block):
        pull(law.value[k], rows_of_load(law, k, block), block.scratch.wrench[law.who[k].second], block.lanes)

    return apply


def source_values(force, source: LoadPoint) -> list[float]:
    """The values of a source that is at this point."""
    flat = force.j2 * force.radius * force.radius if force.j2 else 0.0
    pole, soft = rotate(source.turn, unit(force.axis)), force.softening * force.softening
    return VALUES.filled(gm=force.gm, soft=soft, j2=flat, pole=pole, point=source.point)


def attraction_rows(force, site) -> Iterator[Load]:
    """One row, unless its source has become part of the body."""
    source, body = site.source(force.center), site.moved_base_center()
    if source.row != body.row:
        yield Load(ATTRACTIONS, source.unfelt, body, source_values(force, source))


def gradient_rows(force, site) -> Iterator[Load]:
    """One row."""
    source, body = site.source(force.center), site.moved_base_center()
    if source.row != body.row:
        yield Load(GRADIENTS, source.unfelt, body, VALUES.filled(gm=force.gm, point=source.point))


def source_fault(source: Any) -> Fault | None:
    """The error in the keys of a flattened source, if there is one; the source of the world has the same keys."""
    if source.j2 and source.radius is None:
        message = "'j2' is given without 'radius', the equatorial radius it refers to"
        return Fault("missing-key", message, "give both, or neither", "j2")
    if source.j2 and source.softening:
        hint = "omit 'j2' or 'softening'"
        return Fault("gravity", "a flattened source cannot be softened", hint, "softening")
    return None


def attraction_title(force: dict[str, Any]) -> str:
    """The title, with the name of the source."""
    return f"gravity of {force['center'] if isinstance(force['center'], str) else 'a point'}"


SOURCE = Key(
    "center", CENTER, "the source: a body (its centre of mass), by its path, or a point of the world", "length"
)
STRENGTH = Key("gm", NUMBER, "its gravitational parameter", "gravitational parameter", bound=POSITIVE)
FLATTENED = (("radius", "j2"), ("axis", "j2"))
SOURCE_KEYS = (
    *(SOURCE, STRENGTH),
    Key("j2", NUMBER, "the coefficient of its oblateness", default=0.0),
    Key("radius", NUMBER, "its equatorial radius, which j2 refers to", "length", None, POSITIVE),
    Key("axis", DIRECTION, "its axis of symmetry, in the axes of the center", "", (0.0, 0.0, 1.0)),
    Key("softening", NUMBER, "a length: r^2 is replaced by r^2 + softening^2", "length", 0.0, NOT_NEGATIVE),
)
ATTRACTIONS = LoadTable("attractions", VALUES, on_body(attract), potential)
GRADIENTS = LoadTable("gradients", VALUES, on_body(twist_by_gradient))
POINT_GRAVITY = Force(
    name="point_gravity",
    title="gravity",
    title_of=attraction_title,
    description="a point source that acts on this body only; see Gravity",
    keys=SOURCE_KEYS,
    needs=FLATTENED,
    fault=source_fault,
    table=ATTRACTIONS,
    rows=attraction_rows,
    stores=True,
)
GRAVITY_GRADIENT = Force(
    name="gravity_gradient",
    title="gravity gradient",
    description="the torque 3 GM/r^5 r x (I r) of a source, by default that of the world; no force",
    keys=(SOURCE._replace(default=None), STRENGTH._replace(default=None)),
    needs=(("center", "gm"), ("gm", "center")),
    takes_world=True,
    table=GRADIENTS,
    rows=gradient_rows,
    twists=True,
)
