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
        return RelativeMotion(*frames.compose_motion(above, v_above, omega_above, self.pose, self.v, self.omega))

    def seen_from(self, other: RelativeMotion) -> tuple:
        """(p, q, v, omega) of this frame in another one; both are relative to the same ancestor. Lengths in the other
        frame's units.
        """
        (p, q, _), v, omega = frames.local_motion(*other.parts(), *self.parts())
        return p, q, v, omega

    def parts(self) -> tuple:
        """Pose, velocity and rate."""
        return self.pose, self.v, self.omega
