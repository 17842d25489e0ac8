"""The composition of motions along the tree: relative to an ancestor, without world coordinates, and in the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from rigidsim.physics import frames
from rigidsim.physics.frames import stretch
from rigidsim.physics.quaternion import rotate_back
from rigidsim.physics.vector import add, cross, sub
from rigidsim.tree.nodes import NO_TURN, ZERO, Node, Tree


class RelativeMotion(NamedTuple):
    """Pose (p, q, s) and rates of a frame in an ancestor; numbers or columns; lengths in the ancestor's units."""

    pose: tuple
    v: tuple
    omega: tuple

    @staticmethod
    def identity() -> RelativeMotion:
        """The motion of a frame relative to itself."""
        return RelativeMotion((ZERO, NO_TURN, 1.0), ZERO, ZERO)

    @staticmethod
    def of(links: Iterable[tuple]) -> RelativeMotion:
        """The composition of links, the last descendant first, each as (pose, v, omega) of a frame in its parent."""
        chain = RelativeMotion.identity()
        for link in links:
            chain = chain.below(*link)
        return chain

    def below(self, above: tuple, v_above, omega_above) -> RelativeMotion:
        """The motion relative to the next ancestor, in which the present one has this pose (p, q, s) and these
        rates.
        """
        return RelativeMotion(*frames.compose_motion(above, v_above, omega_above, self.pose, self.v, self.omega))

    def seen_from(self, other: RelativeMotion) -> tuple:
        """(p, q, v, omega) of this frame in another one; both are relative to the same ancestor. Lengths in the other
        frame's units.
        """
        (p, q, _), v, omega = frames.local_motion(*other, *self)
        return p, q, v, omega


def seen(tree: Tree, frame: int, observer: int, link: Callable[[Node], tuple]) -> tuple:
    """(p, q, v, omega) of a frame in another one, in its axes and units of length, via their nearest common ancestor;
    `link` gives (pose, v, omega) of a node in its parent.
    """
    inwards, outwards = (RelativeMotion.of(map(link, branch)) for branch in tree.branches(observer, frame))
    return outwards.seen_from(inwards)


class FrameMotion(NamedTuple):
    """The motion of a frame in the world at some time, in m, rad and s, and its rates relative to the parent, in the
    parent's axes and units of length.
    """

    p: tuple = ZERO
    q: tuple = NO_TURN
    v: tuple = ZERO
    omega: tuple = ZERO
    metres: float = 1.0  # per unit of its own lengths
    local_v: tuple = ZERO
    local_omega: tuple = ZERO
    omega_B: tuple = ZERO  # relative to the world, body axes

    def child(self, node: Node, v_PB: tuple, omega_PB: tuple) -> FrameMotion:
        """The motion of a child of this frame that has its pose in the tree, and these rates relative to this frame."""
        X_PB, omega_P = (node.position, node.orientation, node.scale), add(omega_PB, rotate_back(self.q, self.omega))
        X_WP = self.p, self.q, self.metres
        (p, q, metres), v, omega = frames.compose_motion(X_WP, self.v, self.omega, X_PB, v_PB, omega_PB)
        return FrameMotion(p, q, v, omega, metres, v_PB, omega_PB, rotate_back(node.orientation, omega_P))

    def point(self, x: tuple) -> tuple:
        """A point of the frame, in its coordinates, in the world, m."""
        return add(self.p, stretch(self.q, self.metres, x))

    def velocity_at(self, point: tuple) -> tuple:
        """The velocity of what moves with the frame at a point of the world, m/s."""
        return add(self.v, cross(self.omega, sub(point, self.p)))
