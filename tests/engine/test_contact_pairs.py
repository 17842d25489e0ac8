"""The narrow phase against nearest points by bounded least squares, and what holds for all kinds of pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

from engine.contact_shapes import Place, Shape, box, capsule, places_of, plane, sphere
from rigidsim.engine.model import contact_layout as at
from rigidsim.physics.distances import BOX, HALF_SPACE

KINDS = ("sphere", "capsule", "box", "plane")
PAIRS = [pair for pair in itertools.combinations_with_replacement(KINDS, 2) if pair != ("plane", "plane")]


def random_shape(kind: str, rng) -> Shape:
    size = rng.uniform(0.2, 1.0, 3)
    made = {"sphere": lambda: sphere(size[0]), "capsule": lambda: capsule(0.5 * size[0], size[1]), "plane": plane}
    return box(*size) if kind == "box" else made[kind]()


def random_pair(kinds, rng, distance: float) -> list[Shape]:
    """Two shapes at random, far from the reference frame's origin."""
    far = rng.uniform(-5, 5, 3)
    shift = distance * rng.normal(size=3)
    turns = Rotation.random(2, random_state=rng)
    return [random_shape(kind, rng).moved(far + k * shift, turns[k]) for k, kind in enumerate(kinds)]


def distance_of_cores(a: Shape, b: Shape) -> float:
    """Of two cores, or of a core above a plane: of its lowest point, below the surface negative."""
    if b.kind == HALF_SPACE:
        normal = b.axes[:, 2]
        return float((a.pose[:3] - b.pose[:3]) @ normal - np.abs(a.axes.T @ normal) @ half_of(a))
    columns = np.hstack([a.axes * half_of(a), -b.axes * half_of(b)])
    columns = columns[:, np.abs(columns).max(axis=0) > 0.0]
    d = b.pose[:3] - a.pose[:3]
    if not columns.shape[1]:
        return float(np.linalg.norm(d))
    best = lsq_linear(columns, d, (-1, 1), method="bvls", tol=1e-15, max_iter=500)
    return float(np.linalg.norm(columns @ best.x - d))


def half_of(a: Shape) -> np.ndarray:
    return a.value[at.SOLID.half]


def radii(a: Shape, b: Shape) -> float:
    return a.value[at.SOLID.radius] + b.value[at.SOLID.radius]


def depth_in(shape: Shape, x: np.ndarray) -> float:
    """How far a point is inside a shape; negative outside."""
    local = shape.axes.T @ (x - shape.pose[:3])
    if shape.kind == HALF_SPACE:
        return float(-local[2])
    outside = local - np.clip(local, -half_of(shape), half_of(shape))
    if shape.kind == BOX and not outside.any():
        return float((half_of(shape) - np.abs(local)).min())
    return float(shape.value[at.SOLID.radius] - np.linalg.norm(outside))


def is_consistent(a: Shape, b: Shape, place: Place) -> None:
    """A unit normal, and points that are one gap along it apart."""
    assert abs(np.linalg.norm(place.normal) - 1.0) < 1e-12
    apart = b.pose[:3] + place.second - a.pose[:3] - place.first
    assert np.abs(apart - place.gap * place.normal).max() < 1e-12


@pytest.mark.parametrize("kinds", PAIRS)
@pytest.mark.parametrize("distance", [0.8, 3.0])
def test_of_separated_shapes_the_smallest_gap_is_the_distance(kinds, distance):
    rng, met = np.random.default_rng(3), 0
    for _ in range(150):
        a, b = random_pair(kinds, rng, distance)
        exact = distance_of_cores(a, b) - radii(a, b)
        places = places_of(a, b)
        for place in places:
            is_consistent(a, b, place)
        if exact > 1e-9:
            met += 1
            nearest = min(places, key=lambda place: place.gap)
            assert abs(nearest.gap - exact) < 1e-9
            # A face keeps its four places if the nearest features are others by less than 0.001 of the size.
            aside = 2e-3 if kinds == ("box", "box") else 1e-9
            assert abs(depth_in(a, a.pose[:3] + nearest.first)) < aside
            assert abs(depth_in(b, b.pose[:3] + nearest.second)) < aside
    assert met > 15


@pytest.mark.parametrize("angle", [0.009, 0.001, -0.004])
@pytest.mark.parametrize("along", [0.0, 0.3, 0.8])
def test_a_capsule_that_nearly_lies_on_a_box_touches_it_where_it_does(angle, along):
    """Both places are on both surfaces, also where the capsule crosses an edge of the face and its end is above that.
    Across the box's normal the capsule's surface is off by its radius times the square of half the angle.
    """
    turn = Rotation.from_euler("yz", [0.5 * np.pi - angle, 0.2])
    a, b = capsule(0.05, 0.4).moved((along, 0.02, 0.251), turn), box(0.5, 0.3, 0.2)
    places = places_of(a, b)
    assert len(places) == 2
    for place in places:
        is_consistent(a, b, place)
        assert abs(depth_in(a, a.pose[:3] + place.first)) < 0.51 * 0.05 * angle**2
        assert abs(depth_in(b, b.pose[:3] + place.second)) < 1e-12
    assert min(place.gap for place in places) == pytest.approx(distance_of_cores(a, b) - radii(a, b), abs=1e-9)


def test_a_capsule_whose_end_is_above_an_edge_touches_that_at_one_place():
    """The part of it that is above the face is of no length, to round-off."""
    tilt = 0.4
    end = np.array([0.5 - 1e-13, 0.0, 0.25])
    a = capsule(0.05, 0.4).moved(
        end + 0.4 * np.array([np.cos(tilt), 0, np.sin(tilt)]), Rotation.from_euler("y", 0.5 * np.pi - tilt)
    )
    assert len(places_of(a, box(0.5, 0.3, 0.2))) == 1


@pytest.mark.parametrize("kinds", PAIRS)
def test_shapes_that_overlap_part_by_their_depth(kinds):
    """And by less they do not, for shapes whose cores are apart."""
    rng, met = np.random.default_rng(5), 0
    for _ in range(200):
        a, b = random_pair(kinds, rng, 0.3)
        places = places_of(a, b)
        deepest = min(places, key=lambda place: place.gap)
        if deepest.gap < 0.0:
            met += 1
            parted = b.moved(-deepest.gap * deepest.normal)
            assert distance_of_cores(a, parted) - radii(a, b) > -1e-9
    assert met > 15


@pytest.mark.parametrize("kinds", PAIRS)
def test_exchanged_shapes_have_the_opposite_normal_and_exchanged_points(kinds):
    rng = np.random.default_rng(7)
    for distance in np.geomspace(0.1, 3.0, 60):
        a, b = random_pair(kinds, rng, distance)
        there, back = places_of(a, b), places_of(b, a)
        assert len(there) == len(back)
        back = [Place(-p.normal, p.gap, p.second, p.first, p.feature) for p in back]
        for place in there:
            error = min(np.abs(np.hstack(place[:4]) - np.hstack(other[:4])).max() for other in back)
            assert error < 1e-9


@pytest.mark.parametrize("kinds", PAIRS)
def test_a_pair_that_is_turned_and_shifted_meets_at_turned_places(kinds):
    rng = np.random.default_rng(9)
    for distance in np.geomspace(0.1, 3.0, 60):
        a, b = random_pair(kinds, rng, distance)
        turn, shift = Rotation.random(random_state=rng), rng.normal(size=3)
        plain, turned = places_of(a, b), places_of(a.moved(shift, turn), b.moved(shift, turn))
        assert [p.feature for p in plain] == [p.feature for p in turned]
        for p, q in zip(plain, turned, strict=True):
            assert abs(p.gap - q.gap) < 1e-9
            for vector in ("normal", "first", "second"):
                assert np.abs(turn.apply(getattr(p, vector)) - getattr(q, vector)).max() < 1e-7  # of a small distance


@pytest.mark.parametrize("kinds", PAIRS)
def test_places_beyond_the_reach_are_left_out(kinds):
    rng = np.random.default_rng(11)
    for distance in (0.5, 1.0, 2.0):
        a, b = random_pair(kinds, rng, distance)
        places = places_of(a, b)
        for place in places:
            assert place.gap not in [p.gap for p in places_of(a, b, place.gap)]
            assert place.gap in [p.gap for p in places_of(a, b, place.gap + 1e-12)]


COORDINATES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-6, -1e-9, 1e-17, 2.0])
SIZES = st.sampled_from([0.0, 1e-9, 0.5, 1.0])
QUARTERS = st.sampled_from([0.0, 45.0, 90.0, 180.0, 1e-5, 1e-12])


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from(PAIRS),
    st.tuples(*[COORDINATES] * 3),
    st.tuples(*[QUARTERS] * 3),
    st.tuples(*[SIZES] * 6),
    st.sampled_from([0.0, 1e-3, 1.0, 1e3, np.inf]),
)
def test_degenerate_pairs_have_finite_places(kinds, p, angles, sizes, reach):
    """Concentric, parallel, touching, and of no size."""
    a, b = (degenerate(kind, sizes[3 * k : 3 * k + 3]) for k, kind in enumerate(kinds))
    b = b.moved(np.array(p), Rotation.from_euler("xyz", angles, degrees=True))
    exact = distance_of_cores(a, b) - radii(a, b)
    places = places_of(a, b, reach)
    if reach == np.inf:
        assert places
    for place in places:
        assert np.isfinite(np.hstack(place)).all()
        is_consistent(a, b, place)
    if 1e-8 < exact < reach - 1e-8:
        # Two boxes: corners that are beside a face by less than 0.001 of the size count as above it.
        less = 1e-3 * b.value[at.SOLID.bound] if kinds == ("box", "box") else 1e-8
        assert exact - less <= min(place.gap for place in places) <= exact + 1e-8


def degenerate(kind: str, sizes) -> Shape:
    made = {"sphere": lambda: sphere(sizes[0]), "capsule": lambda: capsule(*sizes[:2]), "plane": plane}
    return box(*sizes) if kind == "box" else made[kind]()
