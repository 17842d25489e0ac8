"""Pose and rates of a frame relative to an ancestor, along the tree, without world coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rigidsim.physics import frames


@dataclass(frozen=True)
class RelativeMotion:
    """Pose (p, q, s) and rates of a frame in an ancestor; numbers or columns; lengths in the ancestor's units."""

    pose: tuple
    v: tuple
    omega: tuple

    @staticmethod
    def identity() -> RelativeMotion:
        """The motion of a frame relative to itself."""
        zero = (0.0, 0.0, 0.0)
        return RelativeMotion((zero, (1.0, 0.0, 0.0, 0.0), 1.0), zero, zero)

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
        _, q, s = above
        d, drift = frames.stretch(q, s, self.pose[0]), frames.stretch(q, s, self.v)
        return RelativeMotion(
            frames.compose_pose(above, self.pose),
            frames.compose_velocity(v_above, omega_above, d, drift),
            frames.compose_rate(omega_above, q, self.omega),
        )

    def seen_from(self, other: RelativeMotion) -> tuple:
        """(p, q, v, omega) of this frame in another one; both are relative to the same ancestor. Lengths in the other
        frame's units.
        """
        pose = frames.compose_pose(frames.inverse_pose(other.pose), self.pose)
        _, q, s = other.pose
        d = frames.stretch(q, s, pose[0])
        v = frames.local_velocity(other.v, other.omega, q, s, d, self.v)
        return pose[0], pose[1], v, frames.local_rate(other.omega, q, self.omega)
