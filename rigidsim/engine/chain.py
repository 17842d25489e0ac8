"""Frames hung below one another: pose and rates of the last in the first, without world coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rigidsim.physics import frames


@dataclass(frozen=True)
class Chain:
    """Pose (p, q, s) and rates of a frame in an ancestor's; numbers or columns; lengths in the ancestor's units."""

    pose: tuple
    v: tuple
    omega: tuple

    @staticmethod
    def identity() -> Chain:
        """A frame in itself."""
        zero = (0.0, 0.0, 0.0)
        return Chain((zero, (1.0, 0.0, 0.0, 0.0), 1.0), zero, zero)

    @staticmethod
    def of(links: Iterable[tuple]) -> Chain:
        """Frames that hang one below another, innermost first, each as (pose, v, omega) in the one above it."""
        chain = Chain.identity()
        for link in links:
            chain = chain.below(*link)
        return chain

    def below(self, above: tuple, v_above, omega_above) -> Chain:
        """This chain hung below one more frame, of that pose (p, q, s) and those rates in its own parent's."""
        _, q, s = above
        d, drift = frames.stretch(q, s, self.pose[0]), frames.stretch(q, s, self.v)
        return Chain(
            frames.compose_pose(above, self.pose),
            frames.compose_velocity(v_above, omega_above, d, drift),
            frames.compose_rate(omega_above, q, self.omega),
        )

    def seen_from(self, other: Chain) -> tuple:
        """(p, q, v, omega) of this frame in another one's, both given in the same ancestor's; lengths in the
        other one's units.
        """
        pose = frames.compose_pose(frames.inverse_pose(other.pose), self.pose)
        _, q, s = other.pose
        d = frames.stretch(q, s, pose[0])
        v = frames.local_velocity(other.v, other.omega, q, s, d, self.v)
        return pose[0], pose[1], v, frames.local_rate(other.omega, q, self.omega)
