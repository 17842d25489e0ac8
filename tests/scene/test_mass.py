"""Inertia as nature allows it, and the combined mass of bodies that are fixed together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rigidsim.scene import Scene
from wholes import carried_mass

EPS = np.finfo(float).eps


def box(mass, a, b, c):
    return [mass * (b * b + c * c) / 12, mass * (a * a + c * c) / 12, mass * (a * a + b * b) / 12]


def body_of(**keys):
    scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 1}, "bodies": {"b": keys}}
    return Scene.from_dict(scene).bodies["b"]


def test_scale_and_turn_of_a_fixed_part():
    # The part is a box lying along z, turned to lie along x, in a frame whose unit is 2 m.
    part = {
        "mass": 3,
        "inertia": {"principal": box(3, 1, 1, 2)},
        "orientation": {"axis": [0, 1, 0], "angle": "90 deg"},
        "position": [0.5, 0, 0],
        "center_of_mass": [0, 0, 1],
        "scale": 0.5,
        "motion": "fixed",
    }
    whole = body_of(mass=1, inertia={"principal": [1, 1, 1]}, children={"part": part})
    carried = carried_mass(whole, metres_per_unit=2.0)
    assert np.allclose(carried.center_of_mass, (0.75, 0, 0), rtol=0, atol=4 * EPS)
    reduced = 1 * 3 / (1 + 3) * (1.0 * 2) ** 2
    expected = np.eye(3) + np.diag(box(3, 2, 1, 1)) + np.diag([0, reduced, reduced])
    assert np.allclose(carried.inertia, expected, rtol=0, atol=16 * EPS * expected.max())


def test_a_body_alone_keeps_its_numbers():
    carried = carried_mass(body_of(mass=2, inertia={"principal": [1, 2, 2.5]}, center_of_mass=[0.1, 0.2, 0.3]))
    assert carried.center_of_mass == (0.1, 0.2, 0.3)
    assert carried.inertia.tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 2.5]]


def test_free_and_prescribed_children_are_not_carried():
    moving = {"motion": {"prescribed": {}}}
    free = {"mass": 5, "inertia": "point"}
    body = body_of(mass=2, inertia={"principal": [1, 2, 2.5]}, children={"a": moving, "b": free})
    assert carried_mass(body).mass == 2


def test_inertia_about_the_origin_is_moved_to_the_centre_of_mass():
    about_end = {"principal": [1.0, 1.0 + 2 * 9, 1.0 + 2 * 9], "about": "origin"}
    carried = carried_mass(body_of(mass=2, inertia=about_end, center_of_mass=[3, 0, 0]))
    assert np.allclose(carried.inertia, np.eye(3), rtol=0, atol=32 * EPS)


def test_particles_at_one_point_are_a_particle():
    stuck = {"mass": 1, "inertia": "point", "motion": "fixed"}
    assert carried_mass(body_of(mass=1, inertia="point", children={"a": stuck})).is_point


@pytest.mark.parametrize(
    ("inertia", "words"),
    [
        ({"principal": [1, 2, 4]}, "1 + 2 = 3 < 4, short by 1"),
        ({"principal": [4, 1, 2]}, "principal moments are 1, 2 and 4"),
        ({"principal": [0, 1, 1]}, "not positive definite"),
        ({"principal": [-1, 1, 1]}, "not positive definite"),
        ({"principal": [0, 0, 0]}, "not positive definite"),
        ({"tensor": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "not positive definite: the principal moments are -1, 1 and 3"),
        ({"tensor": [[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]}, "[0][1] and [1][0] are 0.1 and 0.2"),
        ({"principal": [1, 1, 1], "about": "corner"}, "com or origin"),
        ({"moments": [1, 1, 1]}, "is not an inertia"),
        ("sphere", "write {principal"),
        ([1, 1, 1], "is not an inertia"),
        ({"principal": [1, 1]}, "expected 3 values"),
        ({"principal": ["1 kg", 1, 1]}, "unit of mass"),
        ({"tensor": [[1, 0, 0], [0, 1, 0]]}, "expected 3 values of rows, got 2"),
    ],
)
def test_impossible_inertia(with_body, problem, inertia, words):
    assert words in str(problem(with_body(mass=1, inertia=inertia)))


def test_rounding_may_break_symmetry_and_triangle_a_little():
    body = body_of(mass=1, inertia={"tensor": [[1, 1e-10, 0], [0, 1, 0], [0, 0, 2 + 1e-10]]})
    assert body.inertia.tensor[0][1] == body.inertia.tensor[1][0] == 5e-11


def test_about_origin_is_checked_after_the_shift(with_body, problem):
    inertia = {"principal": [1, 1, 1], "about": "origin"}
    only = problem(with_body(mass=1, inertia=inertia, center_of_mass=[1, 0, 0]))
    assert "moved from the origin to the centre of mass" in only.message
    far = with_body(mass=1, inertia=inertia, center_of_mass=[1e200, 0, 0])
    assert problem(far).message == "1e+200 m is beyond 1e+50 m"


def test_line_of_particles_cannot_rotate(with_body, problem):
    end = {"mass": 1, "inertia": "point", "position": [1, 1, 0], "motion": "fixed"}
    only = problem(with_body(mass=1, inertia="point", children={"end": end}))
    assert "together with the parts fixed to it, the inertia is not positive definite" in only.message


def test_ring_of_particles_can_rotate(with_body):
    places = [(math.cos(a), math.sin(a), 0) for a in (0, 2, 4)]
    ends = {
        f"p{i}": {"mass": 1, "inertia": "point", "position": place, "motion": "fixed"} for i, place in enumerate(places)
    }
    Scene.from_dict(with_body(mass=1, inertia="point", angular_velocity=[0, 0, 1], children=ends))
