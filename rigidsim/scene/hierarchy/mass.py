"""The mass of a body without its parts, as it is written or as its shapes give it."""

from __future__ import annotations

from rigidsim.physics import solids
from rigidsim.physics.inertia import displaced
from rigidsim.physics.mass import Lump, joined, total_of
from rigidsim.physics.vector import scaled
from rigidsim.scene.schema.body import Body
from rigidsim.scene.schema.inertia import Symmetric, packed
from rigidsim.scene.values.rotation import Vector


def own_mass(part: Body, metres_per_unit: float = 1.0) -> Lump:
    """The mass of one body without its parts, in its own coordinates; values that are not given come from its shapes.

    Surfaces that enclose no volume leave all values to be given. A written centre of mass replaces that of the shapes;
    their inertia about their own centre is then kept.
    """
    if not part.solids or any(solid.flaw() for solid in part.solids):
        mass = part.mass or 0.0
        return Lump(mass, part.center_of_mass, _written_inertia(part, mass, part.center_of_mass, metres_per_unit))
    shaped = joined(solid_masses(part, metres_per_unit), metres_per_unit)
    mass = shaped.mass if part.mass is None else part.mass
    center = part.center_of_mass if "center_of_mass" in part.model_fields_set else shaped.center
    inertia = shaped.inertia if part.inertia is None else _written_inertia(part, mass, center, metres_per_unit)
    return Lump(mass, center, inertia)


def solid_masses(body: Body, metres_per_unit: float) -> list[Lump]:
    """The mass of each shape of a body, in the body's coordinates: I = m (tr(C) 1 - C), C in m^2."""
    weights = solid_weights(body, metres_per_unit)
    if body.mass is not None:
        total = total_of(weights)
        weights = [body.mass * (weight / total) for weight in weights]
    square = metres_per_unit * metres_per_unit
    lumps = []
    for solid, mass in zip(body.solids, weights, strict=True):
        _, centroid, covariance = solid.measures()
        lumps.append(Lump(mass, centroid, solids.inertia(mass, tuple(square * c for c in covariance))))
    return lumps


def solid_weights(body: Body, metres_per_unit: float) -> list[float]:
    """The mass (kg) of each shape; if the body has a mass, what that is divided in proportion to.

    A shape's own mass or density comes before the body's density; without any of them all are of one density.
    """
    cube = metres_per_unit * metres_per_unit * metres_per_unit
    weights = []
    for solid in body.solids:
        density = solid.density or body.density or 1.0
        weights.append(density * (cube * solid.measures().volume) if solid.mass is None else solid.mass)
    return weights


def _written_inertia(part: Body, mass: float, center: Vector, metres_per_unit: float) -> Symmetric:
    assert part.inertia is not None
    tensor = packed(part.inertia.tensor)
    if part.inertia.about == "com":
        return tensor
    return displaced(tensor, -mass, scaled(metres_per_unit, center))
