"""Random pairs of convex cores for tests, and their support functions, written anew."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from rigidsim.engine.collision.convex import ConvexArrays
from rigidsim.engine.collision.narrow import meet
from rigidsim.engine.collision.pairs import PlacedShape
from rigidsim.engine.model import contact_layout as at
from rigidsim.engine.model.arrays import made
from rigidsim.jit.kernels import kernel
from rigidsim.physics.distances import BOX, CONE, CYLINDER, ELLIPSOID, HULL

KINDS = (BOX, HULL, ELLIPSOID, CYLINDER, CONE)
FAR = 1e30


class Core(NamedTuple):
    """A core: half sizes, and the corners of a hull."""

    kind: int
    half: np.ndarray
    corners: np.ndarray = np.zeros((0, 3))

    @property
    def bound(self) -> float:
        return float(np.linalg.norm(self.half))

    def support(self, n: np.ndarray) -> np.ndarray:
        """The point farthest along n, in its own axes."""
        a, b, c = self.half
        if self.kind == BOX:
            return np.where(n > 0, self.half, -self.half)
        if self.kind == HULL:
            return self.corners[np.argmax(self.corners @ n)]
        if self.kind == ELLIPSOID:
            return self.half**2 * n / np.linalg.norm(self.half * n)
        length = np.hypot(a * n[0], b * n[1])
        rim = np.array([a * a * n[0], b * b * n[1]]) / length if length > 1e-300 else np.array([a, 0.0])
        base = np.array([*rim, -c])
        other = np.array([0.0, 0.0, c]) if self.kind == CONE else np.array([*rim, c])
        return other if other @ n > base @ n else base

    def beyond(self, x: np.ndarray) -> float:
        """About how far a point is outside, negative inside."""
        a, b, c = self.half
        if self.kind == BOX:
            return float((np.abs(x) - self.half).max())
        if self.kind == HULL:
            hull = ConvexHull(self.corners / self.bound)
            return self.bound * float((hull.equations @ np.append(x / self.bound, 1)).max())
        if self.kind == ELLIPSOID:
            return float((np.linalg.norm(x / self.half) - 1) * self.half.min())
        across, share = np.hypot(x[0] / a, x[1] / b), 1.0 if self.kind == CYLINDER else (c - x[2]) / (2 * c)
        return float(max((across - share) * min(a, b), abs(x[2]) - c))


class Pair(NamedTuple):
    """Two cores, the second one placed relative to the first."""

    first: Core
    second: Core
    place: np.ndarray
    turn: Rotation

    @property
    def size(self) -> float:
        return self.first.bound + self.second.bound

    def separation(self, n: np.ndarray) -> float:
        """How far the second core is beyond the first along n."""
        turn = self.turn.as_matrix()
        return float(n @ (self.place + turn @ self.second.support(-turn.T @ n) - self.first.support(n)))


class Found(NamedTuple):
    """What the program says of a pair: all places, the nearest points of the cores in the unit of the pair, and their
    features.
    """

    rows: np.ndarray
    nearest: np.ndarray
    features: np.ndarray
    unit: float

    @property
    def normal(self) -> np.ndarray:
        return self.nearest[at.NEAREST.normal]

    @property
    def separation(self) -> float:
        return self.unit * float(self.nearest[at.NEAREST.separation])

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the first and of the second core, in the axes of the first."""
        return self.unit * self.nearest[at.NEAREST.a], self.unit * self.nearest[at.NEAREST.b]


def random_core(kind: int, rng, size: float = 1.0) -> Core:
    half = size * rng.uniform(0.2, 1.0, 3)
    if kind == HULL:
        points = rng.normal(size=(30, 3))
        points *= half / np.linalg.norm(points, axis=1)[:, None]
        points = points[ConvexHull(points).vertices]
        return Core(kind, np.abs(points).max(axis=0), points)
    return Core(kind, half)


def random_pair(rng, first: int, second: int, size: float = 1.0, near: float = 0.1, far: float = 3.0) -> Pair:
    way = rng.normal(size=3)
    place = size * rng.uniform(near, far) * way / np.linalg.norm(way)
    return Pair(random_core(first, rng, size), random_core(second, rng, size), place, Rotation.random(random_state=rng))


def arrays_of(pairs: list[Pair]) -> tuple:
    """Kinds, values and poses of all cores, and the working arrays with their corners."""
    cores = [core for pair in pairs for core in (pair.first, pair.second)]
    values, poses, first = np.zeros((len(cores), at.SOLID.width)), np.zeros((len(cores), at.POSE.width)), 0
    for k, core in enumerate(cores):
        values[k, at.SOLID.half], values[k, at.SOLID.bound] = core.half, core.bound
        values[k, at.SOLID.first], values[k, at.SOLID.count] = first, len(core.corners)
        first += len(core.corners)
    for k, pair in enumerate(pairs):
        poses[2 * k, at.POSE.place("q")] = 1.0
        poses[2 * k + 1, :3], poses[2 * k + 1, 3:] = pair.place, np.roll(pair.turn.as_quat(), 1)
    corners = np.concatenate([np.zeros((0, 3)), *(core.corners for core in cores)])
    kinds = np.array([core.kind for core in cores], np.int64)
    return kinds, values, poses, made(ConvexArrays, {"pairs": 0}, corner=corners, mesh=None)


@kernel
def meet_all(kind, value: at.SOLID, pose: at.POSE, work, reach, rows, count, nearest, features):
    """All pairs, from features where they are known."""
    for k in range(len(count)):
        i, j = 2 * k, 2 * k + 1
        for c in range(at.FEATURES.width):
            work.features[c] = features[k, c]
        shape_i, shape_j = PlacedShape(kind[i], value[i], pose[i]), PlacedShape(kind[j], value[j], pose[j])
        count[k] = meet(shape_i, shape_j, reach, rows[k], work)
        for c in range(at.NEAREST.width):
            nearest[k, c] = work.nearest[c]
        for c in range(at.FEATURES.width):
            features[k, c] = work.features[c]


def found_of(pairs: list[Pair], reach: float = FAR, features=None, meets=meet_all) -> list[Found]:
    """By the compiled program, or by `meet_all.interpreted`."""
    n = len(pairs)
    rows, count = np.zeros((n, at.MOST_PLACES, at.PLACE.width)), np.zeros(n, np.int64)
    features = np.zeros((n, at.FEATURES.width)) if features is None else np.array(features)
    nearest = np.zeros((n, at.NEAREST.width))
    meets(*arrays_of(pairs), reach, rows, count, nearest, features)
    units = [2.0 ** np.ceil(np.log2(pair.size)) for pair in pairs]
    return [Found(rows[k, : count[k]], nearest[k], features[k], units[k]) for k in range(n)]
