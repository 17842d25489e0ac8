"""Any two convex cores: separation, normal and nearest points, proven by support functions of the test's own."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rigidsim.engine.model import contact_layout as at
from rigidsim.physics.distances import BOX, CONE, CYLINDER, ELLIPSOID, HULL
from support.convex_pairs import FAR, KINDS, Core, Pair, found_of, meet_all, random_core, random_pair

MIXED = [(a, b) for a in KINDS for b in KINDS if a <= b and (a, b) != (BOX, BOX)]
ROUND_OFF = 2e-14  # of the size: some fifty roundings of numbers of the size of the pair
FIRST = slice(at.PLACE.place("first"), at.PLACE.place("first") + 3)
SECOND = slice(at.PLACE.place("second"), at.PLACE.place("second") + 3)


def many(count: int, seed: int, **options) -> list[Pair]:
    rng = np.random.default_rng(seed)
    return [random_pair(rng, *MIXED[k % len(MIXED)], **options) for k in range(count)]


def errors(pair: Pair, found) -> tuple[float, float, float]:
    """(separation, witness points, normal): relative to the size. The separation along the normal is a lower bound of
    the distance, and two points of the cores that are as far apart an upper one: where both agree they are proven.
    """
    normal, gap, (first, second) = found.normal, found.separation, found.points
    separation = abs(pair.separation(normal) - gap) + abs(np.linalg.norm(second - first) - abs(gap))
    inside = max(pair.first.beyond(first), pair.second.beyond(pair.turn.inv().apply(second - pair.place)), 0.0)
    return separation / pair.size, inside / pair.size, abs(normal @ normal - 1)


def check(pairs: list[Pair], founds, apart: float, together: float) -> None:
    """These shares of the pairs that are apart, and of those that overlap, are proven to 1e-12; the others are known to
    1e-4, or overlap.
    """
    worst = np.array([max(errors(pair, found)) for pair, found in zip(pairs, founds, strict=True)])
    are_apart = np.array([found.separation > 0 for found in founds])
    assert np.mean(worst[are_apart] < 1e-12) >= apart
    assert worst[are_apart].max(initial=0.0) < 1e-4
    assert np.mean(worst[~are_apart] < 1e-12) >= together or are_apart.all()


def least_depth(pair: Pair, rng, count: int = 400) -> float:
    """The smallest overlap along many directions, refined by the best of random changes."""
    directions = rng.normal(size=(count, 3))
    best = max(directions / np.linalg.norm(directions, axis=1)[:, None], key=pair.separation)
    for width in np.geomspace(0.1, 1e-4, 12):
        tries = best + width * rng.normal(size=(12, 3))
        best = max([best, *(tries / np.linalg.norm(tries, axis=1)[:, None])], key=pair.separation)
    return -pair.separation(best)


def test_separation_and_points_of_random_pairs():
    pairs = many(700, 1)
    check(pairs, found_of(pairs), 1.0, 0.99)


@pytest.mark.slow
def test_separation_and_points_of_ten_thousand_pairs():
    pairs = many(10_000, 2)
    check(pairs, found_of(pairs), 0.9995, 0.995)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3, 1e6])
def test_sizes(size):
    """The same to round-off in any unit; exactly, in one that is a power of two."""
    pairs = many(140, 3, size=size)
    check(pairs, found_of(pairs), 1.0, 0.97)


def test_a_unit_that_is_a_power_of_two_changes_no_bit():
    pairs, s = many(140, 4), 2.0**-20
    scaled = [
        Pair(*(Core(c.kind, s * c.half, s * c.corners) for c in pair[:2]), s * pair.place, pair.turn) for pair in pairs
    ]
    for found, other in zip(found_of(pairs), found_of(scaled), strict=True):
        assert (s * found.rows[:, at.PLACE.gap] == other.rows[:, at.PLACE.gap]).all()
        assert (found.rows[:, :3] == other.rows[:, :3]).all()


def test_overlaps_are_not_deeper_than_by_a_search():
    rng, pairs = np.random.default_rng(5), many(28, 5, near=0.05, far=0.6)
    for pair, found in zip(pairs, found_of(pairs), strict=True):
        assert -found.rows[:, at.PLACE.gap].min() <= least_depth(pair, rng) + 1e-9 * pair.size


def test_compiled_and_interpreted_bits_are_equal():
    pairs = many(28, 6) + many(14, 7, near=0.05, far=0.5)
    others = found_of(pairs, meets=meet_all.interpreted)
    for found, other in zip(found_of(pairs), others, strict=True):
        assert found.rows.tobytes() == other.rows.tobytes()


def test_remembered_features_give_the_same_answer():
    """After a small motion the nearest points follow from those features, to round-off."""
    pairs = many(280, 8, near=1.2)
    before = found_of(pairs)
    turn = Rotation.from_rotvec([2e-3, 1e-3, 0])
    moved = [pair._replace(place=pair.place + 1e-3, turn=pair.turn * turn) for pair in pairs]
    again = found_of(moved, features=[found.features for found in before])
    assert np.mean([found.features[at.FEATURES.known] for found in before]) > 0.95
    for pair, found, other in zip(moved, again, found_of(moved), strict=True):
        assert found.separation == pytest.approx(other.separation, abs=ROUND_OFF * pair.size)


SHARP = {
    "thin disc": Core(CYLINDER, np.array([1.0, 1.0, 1e-3])),
    "lens": Core(ELLIPSOID, np.array([1.0, 1.0, 1e-2])),
    "needle": Core(CONE, np.array([1e-2, 1e-2, 1.0])),
    "flat hull": Core(
        HULL, np.array([1.0, 1.0, 1e-3]), np.array([[1, 0, 1e-3], [-1, 0, 1e-3], [0, 1, -1e-3], [0, -1, -1e-3]])
    ),
    "oval cylinder": Core(CYLINDER, np.array([1.0, 0.3, 0.5])),
}


@pytest.mark.parametrize("name", SHARP)
def test_thin_cores(name):
    rng, thin = np.random.default_rng(9), SHARP[name]
    pairs = []
    for k in range(200):
        other, way = random_core(KINDS[k % 5], rng), rng.normal(size=3)
        place, turn = rng.uniform(1.0, 3.0) * way / np.linalg.norm(way), Rotation.random(random_state=rng)
        first, second = (thin, other) if thin.kind <= other.kind else (other, thin)
        pairs.append(Pair(first, second, place, turn))
    check(pairs, found_of(pairs), 0.99, 0.9)


CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FLAT_ENDS = [Core(HULL, np.ones(3), CUBE), Core(CYLINDER, np.ones(3)), Core(BOX, np.ones(3)), Core(CONE, np.ones(3))]


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-8, 1e-12, 0.0, -1e-12, -1e-8, -1e-4])
def test_parallel_faces(gap):
    """The normal is that of the faces, and the gap exact; four places or more carry it."""
    for a in FLAT_ENDS:
        for b in FLAT_ENDS:
            if a.kind > b.kind or a.kind == b.kind == BOX or a.kind == CONE:
                continue
            turn = Rotation.identity()
            pair = Pair(a, b, np.array([0.3, 0.2, 2.0 + gap]), turn)
            (found,) = found_of([pair], reach=0.1)
            assert len(found.rows) >= 4, (a.kind, b.kind)
            assert np.abs(found.rows[:, :3] - [0, 0, 1]).max() < 1e-12
            assert found.rows[:, at.PLACE.gap] == pytest.approx(gap, abs=4e-15)
            names = found.rows[:, at.PLACE.feature]
            assert len(set(names)) == len(names)


def test_lasting_places_of_faces():
    """Jitter changes neither the number nor the names of places that lie on a face."""
    rng = np.random.default_rng(10)
    for a in FLAT_ENDS[:3]:
        for b in FLAT_ENDS[:2]:
            if a.kind <= b.kind:
                base = Pair(a, b, np.array([0.31, 0.17, 2.0]), Rotation.from_euler("z", 0.3))
                jitter = [
                    base._replace(
                        place=base.place + 1e-6 * rng.normal(size=3),
                        turn=Rotation.from_rotvec(1e-6 * rng.normal(size=3)) * base.turn,
                    )
                    for _ in range(40)
                ]
                names = {tuple(sorted(found.rows[:, at.PLACE.feature])) for found in found_of(jitter, reach=0.1)}
                assert len(names) == 1


def test_coincident_centres_part_along_an_axis():
    for core, depth in ((SHARP["lens"], 0.02), (SHARP["oval cylinder"], 0.6), (Core(ELLIPSOID, np.ones(3)), 2.0)):
        (found,) = found_of([Pair(core, core, np.zeros(3), Rotation.identity())])
        assert -found.rows[:, at.PLACE.gap].min() == pytest.approx(depth, rel=1e-6)


def test_areas_of_faces_that_meet():
    """The polygon of the places is the intersection of both faces."""
    shapely = pytest.importorskip("shapely.geometry")
    rng, ring = np.random.default_rng(11), np.exp(0.25j * np.pi * np.arange(8))
    outlines = {CYLINDER: np.column_stack([ring.real, ring.imag]), HULL: CUBE[[0, 4, 6, 2], :2]}
    for _ in range(60):
        a, b = FLAT_ENDS[rng.integers(2)], FLAT_ENDS[rng.integers(2)]
        a, b = (a, b) if a.kind <= b.kind else (b, a)
        way, angle = rng.uniform(-0.8, 0.8, 2), rng.uniform(0, 2 * np.pi)
        turn = Rotation.from_euler("z", angle)
        (found,) = found_of([Pair(a, b, np.array([*way, 2.0]), turn)], reach=0.1)
        points = found.rows[:, FIRST][:, :2]
        middle = points.mean(axis=0)
        order = np.argsort(np.arctan2(*(points - middle).T[::-1]))
        moved = outlines[b.kind] @ turn.as_matrix()[:2, :2].T + way
        wanted = shapely.Polygon(outlines[a.kind]).intersection(shapely.Polygon(moved)).area
        # A corner that is beyond by less than the tolerance, a thousandth of the size, stays where it is.
        assert shapely.Polygon(points[order]).area == pytest.approx(wanted, abs=2e-2)


def test_far_pairs_have_no_places():
    for pair in many(28, 12, near=4.0, far=6.0):
        gap = found_of([pair])[0].rows[:, at.PLACE.gap].min()
        assert len(found_of([pair], reach=0.99 * gap)[0].rows) == 0
        assert len(found_of([pair], reach=min(1.01 * gap, FAR))[0].rows) == 1


@pytest.mark.parametrize("tilt", [0.0, 0.02, 0.3])
def test_features_of_a_thin_body_that_sinks_through_a_sheet_are_looked_for_anew(tilt):
    """Those of the side that it came from give an overlap that is deeper than the way out of the other side."""
    disc, sheet = Core(CYLINDER, np.array([0.15, 0.15, 0.001])), Core(BOX, np.array([0.5, 0.4, 0.0005]))
    turn, features = Rotation.from_rotvec([tilt, 0.5 * tilt, 0]), None
    for height in np.linspace(0.004, -0.06 if tilt > 0.1 else -0.004, 60):
        pair = Pair(sheet, disc, np.array([0.03, 0.02, height]), turn)
        (found,), (cold,) = found_of([pair], features=features), found_of([pair])
        features = [found.features]
        assert found.separation >= cold.separation - 1e-9, height
