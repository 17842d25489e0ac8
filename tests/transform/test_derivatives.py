"""Every formula of the transform algebra against central differences at sixty digits, in 2, 3 and 4 dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.transform import MotionDelta, cancellation, parent_changed_deltas
from support.smooth_paths import MP, Path, path_of, random_motion, random_skew, random_vector, residuals

DIMENSIONS = (2, 3, 4)
WANTED = MP.mpf(10) ** -25


def random_delta(rng, n):
    skews = random_skew(rng, n), random_skew(rng, n)
    return MotionDelta(random_vector(rng, n), random_vector(rng, n), *skews)


class Family:
    """A parent A2 in the world, a child A1 in it, another frame B in the world: motions and paths."""

    def __init__(self, n):
        self.n, self.rng = n, np.random.default_rng(n)
        self.A2, self.A1, self.B = (random_motion(self.rng, n) for _ in range(3))
        self.path2, self.path1, self.path_B = map(self.path, (self.A2, self.A1, self.B))
        self.A3, self.path3 = self.A2 @ self.A1, self.path2 @ self.path1
        self.change = random_delta(self.rng, n)

    def path(self, motion):
        return path_of(motion, self.rng)

    def changed(self, motion, change):
        return self.path(change.added_to(motion))


def composition(f):
    """A3 = A2 o A1."""
    return f.A3, f.path3


def inverse(f):
    """A2^-1."""
    return f.A2.inverse(), f.path2.inverse()


def global_to_local(f):
    """A2^-1 o B."""
    return f.A2.global_to_local(f.B), f.path2.inverse() @ f.path_B


def reparented(f):
    """A1, child of A2, seen from B."""
    return f.A1.reparented(f.B, f.A2), f.path_B.inverse() @ f.path3


def local_change(f):
    """A1 changes: the change of A3 by the four delta transforms."""
    A2, d = f.A2, f.change
    delta = MotionDelta(
        A2.transform_delta_velocity(d.velocity),
        A2.transform_delta_acceleration(d.velocity, d.acceleration),
        A2.transform_delta_angular_velocity(d.angular_velocity),
        A2.transform_delta_angular_acceleration(d.angular_velocity, d.angular_acceleration),
    )
    return delta.added_to(f.A3), f.path2 @ f.changed(f.A1, d)


def global_change(f):
    """A3 is to change: the change of A1 that does it, by the four inverse delta transforms."""
    A2, d = f.A2, f.change
    delta = MotionDelta(
        A2.inverse_transform_delta_velocity(d.velocity),
        A2.inverse_transform_delta_acceleration(d.velocity, d.acceleration),
        A2.inverse_transform_delta_angular_velocity(d.angular_velocity),
        A2.inverse_transform_delta_angular_acceleration(d.angular_velocity, d.angular_acceleration),
    )
    return d.added_to(f.A3), f.path2 @ f.changed(f.A1, delta)


def parent_changed(f):
    """A2 changes, A1 does not."""
    delta = parent_changed_deltas(f.A2, f.A1, f.change)
    return delta.added_to(f.A3), f.changed(f.A2, f.change) @ f.path1


def cancelled(f):
    """A2 changes, A1 by the cancellation: A3 does not."""
    delta = cancellation(f.A2, f.A1, f.change)
    return f.A3, f.changed(f.A2, f.change) @ f.changed(f.A1, delta)


CASES = (
    composition, inverse, global_to_local, reparented, local_change, global_change, parent_changed, cancelled
)  # fmt: skip


@pytest.mark.parametrize("n", DIMENSIONS)
def test_motions_are_the_derivatives_of_the_poses(n):
    """The table is printed with `pytest -s`."""
    family = Family(n)
    for case in CASES:
        for quantity, residual, bound in residuals(*case(family)):
            print(f"n={n}  {case.__name__:16} {quantity:21} {MP.nstr(residual, 2):>9} <= {MP.nstr(bound, 2)}")
            assert residual <= bound < WANTED, (case.__name__, quantity)


@pytest.mark.parametrize("n", DIMENSIONS)
def test_points_that_move_in_a_moving_frame(n):
    """A point of the child's coordinates is the origin of a frame that does not turn."""
    f = Family(n)
    x, u, b = (random_vector(f.rng, n) for _ in range(3))
    point = Path(lambda t: (x + u * t + b * t**2 / 2, np.eye(n)), 1, sum(map(abs, [*x, *u, *b])), 1)
    claimed = MotionDelta(
        f.A2.point_velocity(x, u) - f.A3.velocity,
        f.A2.point_acceleration(x, u, b) - f.A3.acceleration,
        np.zeros((n, n)),
        np.zeros((n, n)),
    ).added_to(f.A3)
    for quantity, residual, bound in residuals(claimed, f.path2 @ point)[1:3]:
        assert residual <= bound < WANTED, quantity
