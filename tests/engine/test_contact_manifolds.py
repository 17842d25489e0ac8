"""Boxes and capsules that lie on something: enough places to carry them, which last from step to step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine.contact_shapes import Shape, box, capsule, places_of, plane, sphere
from engine.test_contact_pairs import depth_in, distance_of_cores, random_pair
from rigidsim.engine.model import contact_layout as at

CUBE = box(0.5, 0.5, 0.5)
SIDE = Rotation.from_euler("y", 90, degrees=True)  # a capsule along x
REACH = 1e-3


def jittered(shape: Shape, rng, size: float = 1e-6) -> Shape:
    """Moved and turned a little, about its own centre."""
    turn = Rotation.from_rotvec(rng.normal(size=3) * size)
    centre = shape.pose[:3]
    return shape.moved(-centre).moved(centre + rng.normal(size=3) * size, turn)


def depth_by_axes(a: Shape, b: Shape) -> float:
    """The smallest overlap of the shadows of two boxes on the fifteen axes."""
    axes = [*a.axes.T, *b.axes.T, *(np.cross(u, v) for u in a.axes.T for v in b.axes.T)]
    axes = np.array([n / np.linalg.norm(n) for n in axes if np.linalg.norm(n) > 1e-6])
    widths = sum(np.abs(axes @ s.axes) @ s.value[at.SOLID.half] for s in (a, b))
    return float((widths - np.abs(axes @ (b.pose[:3] - a.pose[:3]))).min())


def lasting(a: Shape, b: Shape, rng, times: int = 50) -> list[tuple]:
    """The features of the places of a pair, which jitter does not change."""
    found = {tuple(p.feature for p in places_of(jittered(a, rng), jittered(b, rng), REACH)) for _ in range(times)}
    assert len(found) == 1
    features = found.pop()
    assert len(set(features)) == len(features)
    return features


def test_boxes_that_overlap_part_along_the_axis_of_least_depth():
    rng, faces, edges = np.random.default_rng(1), 0, 0
    for _ in range(400):
        a, b = random_pair(("box", "box"), rng, 0.35)
        depth = depth_by_axes(a, b)
        if depth <= 0.0:
            continue
        places = places_of(a, b)
        deepest = min(places, key=lambda place: place.gap)
        thin = 2.0 * min(s.value[at.SOLID.half].min() for s in (a, b))
        on_face = max(np.abs(np.hstack([a.axes, b.axes]).T @ deepest.normal)) > 1.0 - 1e-12
        if not on_face:  # a face is preferred by 0.01 of the size, twice: to the other's face and to an edge
            assert abs(deepest.gap + depth) < 1e-9
        across = np.abs(deepest.normal @ np.hstack([a.axes, b.axes])) @ np.hstack(
            [s.value[at.SOLID.half] for s in (a, b)]
        )
        shadow = across - deepest.normal @ (b.pose[:3] - a.pose[:3])
        assert depth - 1e-9 < shadow < depth + 0.02 * thin
        assert distance_of_cores(a, b.moved((shadow + 1e-6) * deepest.normal)) > 1e-7
        faces, edges = faces + on_face, edges + (not on_face)
    assert faces > 100 and edges > 5


def test_the_gap_of_boxes_that_almost_touch_is_never_too_large():
    """It may be too small, by the tolerances."""
    rng = np.random.default_rng(2)
    for k in range(200):
        a, b = random_pair(("box", "box"), rng, 2.0)
        apart = distance_of_cores(a, b)
        if apart < 1e-3:
            continue
        away = min(places_of(a, b), key=lambda place: place.gap)
        gap = 10.0 ** -(2 + k % 5)
        near = b.moved((gap - apart) * away.normal)
        exact, found = distance_of_cores(a, near), min(place.gap for place in places_of(a, near))
        assert exact - 2e-3 < found < exact + 1e-9


@pytest.mark.parametrize("turn", [Rotation.identity(), Rotation.from_rotvec([0.3, -0.5, 0.9])])
@pytest.mark.parametrize("sunk", [1e-4, 0.0, -1e-4])
def test_aligned_boxes_have_four_places_that_last(turn, sunk):
    rng, top = np.random.default_rng(4), CUBE.moved([0.0, 0.0, 1.0 - sunk])
    a, b = (shape.moved(np.array([1.0, 2.0, 3.0]), turn) for shape in (CUBE, top))
    assert len(lasting(a, b, rng)) == len(lasting(b, a, rng)) == 4
    for place in places_of(a, b, REACH):
        assert np.abs(turn.inv().apply(place.normal) - [0, 0, 1]).max() < 1e-12
        assert abs(place.gap + sunk) < 1e-12
        assert np.abs(np.abs(turn.inv().apply(place.first)) - 0.5).max() < 1e-12


def test_a_box_on_a_larger_one_and_one_that_overhangs():
    rng, floor = np.random.default_rng(5), box(5.0, 5.0, 0.5)
    for p, corners in (([1.0, 2.0, 1.0], [0.5, 1.5]), ([5.2, 0.0, 1.0], [4.7, 5.0])):
        block = CUBE.moved(np.array(p))
        for a, b in ((floor, block), (block, floor)):
            assert len(lasting(a, b, rng)) == 4
            x = [a.pose[0] + place.first[0] for place in places_of(a, b, REACH)]
            assert sorted({round(value, 9) for value in x}) == corners


def test_crossed_boxes_meet_in_an_octagon():
    rng, turned = np.random.default_rng(6), CUBE.moved([0.05, 0.02, 1.0], Rotation.from_euler("z", 40, degrees=True))
    assert len(lasting(CUBE, turned, rng)) == 8
    for place in places_of(CUBE, turned, REACH):
        for shape, point in ((CUBE, place.first), (turned, turned.pose[:3] + place.second)):
            assert abs(depth_in(shape, point)) < 1e-9


@pytest.mark.parametrize("turn", [Rotation.identity(), Rotation.from_rotvec([0.3, -0.5, 0.9])])
def test_a_box_flat_on_a_plane_has_its_four_lower_corners(turn):
    rng, ground = np.random.default_rng(7), plane().moved([0, 0, 0], turn)
    block = box(0.5, 0.2, 0.1).moved([3.0, 4.0, 0.1 - 1e-4]).moved([0, 0, 0], turn)
    assert len(lasting(block, ground, rng)) == len(lasting(ground, block, rng)) == 4
    for place in places_of(block, ground):
        assert abs(place.gap + 1e-4) < 1e-12
        assert np.abs(np.abs(turn.inv().apply(place.first)) - [0.5, 0.2, 0.1]).max() < 1e-12


@pytest.mark.parametrize(
    "under", [plane(), box(2.0, 2.0, 1.0).moved([0, 0, -1.0]), box(0.3, 2.0, 1.0).moved([0, 0, -1.0])]
)
def test_a_capsule_that_lies_has_two_places(under):
    lying, rng = capsule(0.1, 0.5).moved([0.2, 0.0, 0.1], SIDE), np.random.default_rng(8)
    assert len(lasting(lying, under, rng)) == len(lasting(under, lying, rng)) == 2
    ends = sorted(0.2 + place.first[0] for place in places_of(lying, under, REACH))
    overhang = under.value[at.SOLID.place("half")] == 0.3
    assert np.abs(np.array(ends) - [-0.3, 0.3 if overhang else 0.7]).max() < 1e-9


def test_parallel_capsules_have_two_places_and_crossed_ones_one():
    rng, low = np.random.default_rng(9), capsule(0.1, 0.5).moved([0, 0, 0], SIDE)
    high = capsule(0.2, 0.7).moved([0.4, 0.0, 0.3], SIDE)
    assert len(lasting(low, high, rng)) == len(lasting(high, low, rng)) == 2
    ends = sorted(place.first[0] for place in places_of(low, high, REACH))
    assert np.abs(np.array(ends) - [-0.3, 0.5]).max() < 1e-9
    crossed = capsule(0.2, 0.7).moved([0.1, 0.0, 0.3], Rotation.from_euler("x", 90, degrees=True))
    (place,) = places_of(low, crossed, REACH)
    assert np.abs(place.first - [0.1, 0.0, 0.1]).max() < 1e-12


def test_a_capsule_along_an_edge_of_a_box_has_two_places():
    rng, diagonal = np.random.default_rng(10), 0.5 + 0.1 * np.sqrt(0.5)
    lying = capsule(0.1, 0.3).moved([0.0, diagonal, diagonal], SIDE)
    assert len(lasting(lying, CUBE, rng)) == 2
    for place in places_of(lying, CUBE, REACH):
        assert np.abs(place.normal - [0, -np.sqrt(0.5), -np.sqrt(0.5)]).max() < 1e-12


def test_what_is_deep_inside_leaves_by_the_nearest_side():
    slab = box(1.0, 2.0, 0.3)
    for shape in (sphere(0.1), capsule(0.1, 0.1), box(0.05, 0.05, 0.05)):
        for sign, a in itertools.product((1.0, -1.0), (0.1, 0.2)):
            places = places_of(shape.moved([0.3, 0.2, sign * a], Rotation.identity()), slab)
            assert np.abs(places[0].normal - [0, 0, -sign]).max() < 1e-12
            assert min(place.gap for place in places) < -(0.3 - a)


def test_corners_that_pass_each_other_far_apart_have_the_way_between_them_as_normal():
    """Along the axes of the boxes they would seem nearer."""
    (place,) = places_of(CUBE, CUBE.moved([2.0, 3.0, 4.0]))
    assert abs(place.gap - np.sqrt(1 + 4 + 9)) < 1e-12
    assert np.abs(place.normal * place.gap - [1, 2, 3]).max() < 1e-12
