"""Closed forms of a sphere with a cylinder or a cone: against the general routine, and where that has no answer."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigidsim.engine.collision.manifolds import meet_convex
from rigidsim.engine.collision.pairs import PlacedShape
from rigidsim.engine.model import contact_layout as at
from rigidsim.jit.kernels import kernel
from rigidsim.physics.distances import CONE, CYLINDER, POINT
from support.convex_pairs import FAR, Core, Pair, arrays_of, found_of, meet_all

BALL = Core(POINT, np.zeros(3))


@kernel
def meet_by_iteration(kind, value: at.SOLID, pose: at.POSE, work, reach, rows, count, nearest, features):
    """All pairs by the general routine."""
    for k in range(len(count)):
        i, j = 2 * k, 2 * k + 1
        work.features.known = 0.0
        shape_i, shape_j = PlacedShape(kind[i], value[i], pose[i]), PlacedShape(kind[j], value[j], pose[j])
        count[k] = meet_convex(shape_i, shape_j, reach, rows[k], work)
        for c in range(at.NEAREST.width):
            nearest[k, c] = work.nearest[c]
        for c in range(at.FEATURES.width):
            features[k, c] = work.features[c]


def random_pairs(kind: int, count: int, seed: int, size: float = 1.0) -> list[Pair]:
    """Spheres all around and inside solids, slender and flat ones."""
    rng, pairs = np.random.default_rng(seed), []
    for _ in range(count):
        radius, half = size * 10 ** rng.uniform(-1, 0, 2)
        solid, way = Core(kind, np.array([radius, radius, half])), rng.normal(size=3)
        place = rng.uniform(0.01, 2) * solid.bound * way / np.linalg.norm(way)
        pairs.append(Pair(BALL, solid, place, Rotation.random(random_state=rng)))
    return pairs


def rounded(pairs: list[Pair], radii: tuple[float, float]):
    """The program's arrays with these radii in parts of the size of each pair."""
    kinds, values, poses, work = arrays_of(pairs)
    for k, pair in enumerate(pairs):
        for m in range(2):
            values[2 * k + m, at.SOLID.place("radius")] = radii[m] * pair.size
            values[2 * k + m, at.SOLID.place("bound")] += radii[m] * pair.size
    return kinds, values, poses, work


def found_by(meets, pairs: list[Pair], radii=(0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    """The first place of each pair, and whether its features are proven."""
    n = len(pairs)
    rows, count = np.zeros((n, at.MOST_PLACES, at.PLACE.width)), np.zeros(n, np.int64)
    features = np.zeros((n, at.FEATURES.width))
    meets(*rounded(pairs, radii), FAR, rows, count, np.zeros((n, at.NEAREST.width)), features)
    assert (count == 1).all()
    return rows[:, 0], features[:, at.FEATURES.place("known")] > 0.5


def part(rows: np.ndarray, name: str, width: int) -> np.ndarray:
    begin = at.PLACE.place(name)
    return rows[:, begin : begin + width]


@pytest.mark.parametrize("kind", [CYLINDER, CONE], ids=["cylinder", "cone"])
@pytest.mark.parametrize("radii", [(0.0, 0.0), (0.3, 0.0), (0.2, 0.1)], ids=["point", "ball", "rounded"])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_places_are_those_of_the_general_routine(kind, radii, size):
    """Where that is proven; gap, normal, both points and the curvature. Inside, another way out may be as short."""
    pairs = random_pairs(kind, 2000, 1, size)
    ours, _ = found_by(meet_all, pairs, radii)
    theirs, proven = found_by(meet_by_iteration, pairs, radii)
    sizes = np.array([pair.size for pair in pairs])
    gaps = (ours[:, at.PLACE.gap] - theirs[:, at.PLACE.gap]) / sizes
    apart = ours[:, at.PLACE.gap] > -(sum(radii) - 1e-6) * sizes
    assert 0.5 < apart.mean() < 0.95 and proven[apart].mean() > 0.999 and proven[~apart].mean() > 0.9
    assert np.abs(gaps[proven]).max() < 1e-14
    assert gaps.min() > -1e-14  # none is deeper than by iteration
    clear = proven & apart
    assert np.abs(part(ours, "normal", 3) - part(theirs, "normal", 3))[clear].max() < 1e-14
    for name in ("first", "second"):
        apart_by = np.linalg.norm(part(ours, name, 3) - part(theirs, name, 3), axis=1) / sizes
        assert apart_by[clear].max() < 1e-14
    bends = np.linalg.norm(part(ours, "bend_second", 6) - part(theirs, "bend_second", 6), axis=1) / sizes
    assert np.median(bends[clear]) < 1e-15
    assert bends[clear].max() < 1e-10  # that of the general routine grows with 1/n_r near the axis
    assert not part(ours, "bend_first", 6).any()


@pytest.mark.parametrize("kind", [CYLINDER, CONE], ids=["cylinder", "cone"])
def test_centres_on_the_axis_the_rim_the_faces_and_the_apex(kind):
    """Exact gaps and unit normals, at which the general routine stalls or has no direction."""
    solid = Core(kind, np.array([0.75, 0.75, 1.0]))  # the side of the cone: normal (0.936, 0.351)
    c, s = (2.0, 0.75) / np.hypot(2.0, 0.75)
    places = {(0.0, 0.0, -0.75): -0.25, (0.75, 0.0, -1.0): 0.0, (0.0, -0.5, -1.0): 0.0, (0.0, 0.0, -3.0): 2.0}
    places |= {(0.75 + 3.0, 0.0, -1.0 - 4.0): 5.0}
    if kind == CONE:
        places |= {(0.0, 0.0, 1.0): 0.0, (0.0, 0.0, 3.0): 2.0, (0.0, 0.375, 0.0): 0.0, (0.0, 0.0, 0.5): -0.5 * s}
        places |= {(0.375 + c, 0.0, s): 1.0, (0.0, 3.0, 5.0): 5.0}
    else:
        places |= {(0.0, 0.0, 0.0): -0.75, (0.0, 0.75, 0.5): 0.0, (0.0, 1.75, 0.5): 1.0, (0.75, 0.0, 2.0): 1.0}
    turn = Rotation.from_rotvec([0.3, -0.5, 0.7])
    pairs = [Pair(BALL, solid, -turn.apply(x), turn) for x in places]
    rows, _ = found_by(meet_all, pairs)
    assert np.abs(rows[:, at.PLACE.gap] - list(places.values())).max() < 4e-15
    assert np.abs(np.linalg.norm(part(rows, "normal", 3), axis=1) - 1).max() < 4e-16 * 4
    others, _ = found_by(meet_all.interpreted, pairs)
    assert rows.tobytes() == others.tobytes()


def test_an_oval_cylinder_is_left_to_the_general_routine():
    rng = np.random.default_rng(4)
    pairs = []
    for _ in range(50):
        way = rng.normal(size=3)
        place = 2 * way / np.linalg.norm(way)
        pairs.append(Pair(BALL, Core(CYLINDER, np.array([1.0, 0.4, 0.5])), place, Rotation.random(random_state=rng)))
    for pair, found in zip(pairs, found_of(pairs), strict=True):
        assert pair.separation(found.normal) == pytest.approx(found.separation, abs=1e-13)
