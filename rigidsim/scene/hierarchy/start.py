"""The motion of the bodies at t = 0, from the several forms in which a scene can give it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.physics.frames import local_rate, local_velocity, stretch
from rigidsim.physics.quaternion import rotate
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode, in_parent_axes
from rigidsim.scene.values.rotation import Vector
from rigidsim.scene.values.vectors import ZERO
from rigidsim.tree.motion import FrameMotion
from rigidsim.tree.prescribed import jet_of


class Starts:
    """The motion of each frame of a weighed tree at t = 0, by its number; the world rests."""

    def __init__(self, hierarchy: Hierarchy):
        self._hierarchy, self._found = hierarchy, hierarchy.starts
        self._found.setdefault(0, FrameMotion())

    def __getitem__(self, frame: int) -> FrameMotion:
        if frame not in self._found:
            for node in reversed(self._hierarchy.lineage(self._hierarchy.at(frame))):
                if node.frame not in self._found:
                    self._found[node.frame] = self._start(node, self._found[node.parent])
        return self._found[frame]

    def _start(self, node: SceneNode, parent: FrameMotion) -> FrameMotion:
        if node.joint is not None and not node.joint.has_attitude:
            _, _, v, omega = node.joint.moved(node.joint.starts, node.scale, parent.metres)
            return parent.child(node, v, omega)
        turns = not (node.is_free() and self._hierarchy.composite(node).mass.is_point)
        if node.kind == "jointed":
            omega = relative_rate(node, parent, turns)
            return parent.child(node, not_none(node.joint).held(node.orientation, omega, node.scale)[2], omega)
        found = parent.child(node, relative_velocity(node, parent), relative_rate(node, parent, turns))
        return found if turns else found._replace(omega_B=ZERO)


def relative_velocity(node: SceneNode, parent: FrameMotion) -> Vector:
    """v_PB of a node's origin at t = 0, in the parent's axes and units of length."""
    if node.prescribed is not None and node.prescribed.path:
        return node.prescribed.moved(0.0)[1]
    given = not_none(node.body.prescribed).velocity if node.prescribed else node.body.velocity
    v_P = in_parent_axes(given, node.orientation, parent.q)
    if given.relative_to == "world":
        d, v_W = stretch(parent.q, parent.metres, node.position), rotate(parent.q, v_P)
        return local_velocity(parent.v, parent.omega, parent.q, parent.metres, d, v_W)
    return v_P


def relative_rate(node: SceneNode, parent: FrameMotion, turns: bool = True) -> Vector:
    """omega_PB at t = 0 in the parent's axes; a particle (`turns` false) does not rotate in the world."""
    if not turns:
        return local_rate(parent.omega, parent.q, ZERO)
    if node.prescribed is not None and node.prescribed.turns:
        return node.prescribed.turned(0.0)[1]
    given = not_none(node.body.prescribed).angular_velocity if node.prescribed else node.body.angular_velocity
    omega_P = in_parent_axes(given, node.orientation, parent.q)
    if given.relative_to == "world":
        return local_rate(parent.omega, parent.q, rotate(parent.q, omega_P))
    return omega_P


def columns(part: Any, t: np.ndarray | float) -> tuple:
    """Value, first and second derivative of a number or a function of time, at each of these times (s)."""
    return tuple(np.broadcast_to(column, np.shape(t)) for column in jet_of(part, t))


def largest(column: np.ndarray | float) -> float:
    """The largest absolute value of the finite numbers."""
    sizes = np.abs(column)
    return float(np.max(sizes, where=np.isfinite(sizes), initial=0.0))
