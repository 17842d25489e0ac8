"""The acceleration of a free body by a unit force or torque on it or on a part fixed to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rigidsim.physics.mass import Placement
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import scaled, sub
from rigidsim.scene.hierarchy.mass import MassProperties, carried_mass, own_center
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode, fixed_parts
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.body import Body
from rigidsim.scene.values.rotation import Vector


class Carrier:
    """A free body with all that is fixed to it."""

    def __init__(self, node: SceneNode, normal: Vector | None, start: Starts):
        self.path = node.path
        self.metres_per_unit = node.metres_per_unit
        self._body, self._normal, self._start = node.body, normal, start

    @cached_property
    def mass(self) -> MassProperties:
        """Of all of it together."""
        return carried_mass(self._body, self.metres_per_unit)

    @cached_property
    def mobility(self) -> np.ndarray:
        """The angular acceleration by a torque, body axes, 1/(kg m^2); in a planar scene, about the normal alone."""
        if self.mass.is_point:
            return np.zeros((3, 3))
        if self._normal is None:
            return np.linalg.inv(self.mass.inertia)
        n = np.array(rotate_back(self._start[self.path].q, self._normal))
        return np.outer(n, n) / (n @ self.mass.inertia @ n)


@dataclass(frozen=True)
class Part:
    """A free body, or a part fixed to one: its carrier, and its placement there."""

    carrier: Carrier
    body: Body
    at: Placement

    def point(self, at: Vector | None) -> Vector:
        """A point of the part, as a force has it, in the coordinates of the carrier."""
        if at is not None:
            return self.at.point(at)
        if self.body.kind == "free":
            return self.carrier.mass.center_of_mass
        return self.at.point(own_center(self.body, self.carrier.metres_per_unit * self.at.scale))

    def pulled(self, at: Vector | None) -> float:
        """The largest acceleration of a point by a unit force there, over all directions, 1/kg."""
        mass = self.carrier.mass
        arm = scaled(self.carrier.metres_per_unit, sub(self.point(at), mass.center_of_mass))
        if not any(arm):
            return 1 / mass.mass
        lever = np.cross(np.eye(3), arm)
        return 1 / mass.mass + _most(lever @ self.carrier.mobility @ lever.T)

    def turned(self, axis: Vector | None) -> float:
        """The angular acceleration about an axis of the part by a unit torque about it; at most, if there is none."""
        if axis is None:
            return _most(self.carrier.mobility)
        u = np.array(rotate(self.at.rotation, scaled(1 / math.hypot(*axis), axis)))
        return float(u @ self.carrier.mobility @ u)


def _most(symmetric: np.ndarray) -> float:
    """The largest eigenvalue."""
    return float(np.linalg.eigvalsh(symmetric)[-1]) if np.isfinite(symmetric).all() else math.inf


def parts(hierarchy: Hierarchy, start: Starts) -> dict[str, Part]:
    """Every free body and every part fixed to one, by its path."""
    found = {}
    for node in hierarchy:
        if node.kind == "free":
            carrier = Carrier(node, hierarchy.scene.world.normal, start)
            for names, body, placement in fixed_parts(node.body):
                found["/".join((carrier.path, *names))] = Part(carrier, body, placement)
    return found
