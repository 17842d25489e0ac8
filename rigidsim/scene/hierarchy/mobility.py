"""The acceleration of a free body by a unit force or torque on it or on a part fixed to it."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.physics.mass import unpacked
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import scaled, sub
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.values.rotation import Vector


class Part:
    """A free body, or a part fixed to one: its moved base, the mass of that with all its parts, its placement there."""

    def __init__(self, hierarchy: Hierarchy, node: SceneNode):
        self._node, self.moved_base = node, not_none(hierarchy.moved_base(node))
        self.mass, self.at = hierarchy.composite(self.moved_base).mass, hierarchy.placements[node.index]

    def point(self, at: Vector | None) -> Vector:
        """A point of the part, as a force has it, in the coordinates of the moved base."""
        if at is None and self._node is self.moved_base:
            return self.mass.center
        return self.at.point(self._node.center if at is None else at)

    def pulled(self, at: Vector | None) -> float:
        """The largest acceleration of a point by a unit force there, over all directions, 1/kg."""
        arm = scaled(self.moved_base.metres, sub(self.point(at), self.mass.center))
        if not any(arm):
            return 1 / self.mass.mass
        lever = np.cross(np.eye(3), arm)
        return 1 / self.mass.mass + _most(lever @ self._mobility @ lever.T)

    def turned(self, axis: Vector | None) -> float:
        """The angular acceleration about an axis of the part by a unit torque about it; at most, if there is none."""
        if axis is None:
            return _most(self._mobility)
        u = np.array(rotate(self.at.rotation, scaled(1 / math.hypot(*axis), axis)))
        return float(u @ self._mobility @ u)

    @cached_property
    def _mobility(self) -> np.ndarray:
        """The angular acceleration by a torque, body axes, 1/(kg m^2); in a planar scene, about the normal alone."""
        inertia = np.array(unpacked(self.mass.inertia))
        if self.mass.is_point:
            return np.zeros((3, 3))
        if not self.moved_base.normal:
            return np.linalg.inv(inertia)
        n = np.array(self.moved_base.normal)
        return np.outer(n, n) / (n @ inertia @ n)


def _most(symmetric: np.ndarray) -> float:
    """The largest eigenvalue."""
    return float(np.linalg.eigvalsh(symmetric)[-1]) if np.isfinite(symmetric).all() else math.inf
