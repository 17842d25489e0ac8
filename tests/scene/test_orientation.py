"""Every form of an orientation, against SciPy, and what is no orientation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rigidsim.physics.quaternion import to_matrix
from rigidsim.scene import Scene
from rigidsim.scene.values.rotation import (
    from_axis_angle,
    from_euler,
    from_matrix,
    normalised,
)

EPS = np.finfo(float).eps
ORDERS = ["".join(o) for o in itertools.product("xyz", repeat=3) if o[0] != o[1] != o[2]]
ORDERS += [order.upper() for order in ORDERS]
ANGLES = st.floats(-10, 10)


def angle_between(p, q):
    """The angle of the rotation from p to q, accurate near zero."""
    p, q = np.array(p), np.array(q)
    return 4 * math.asin(min(1.0, min(np.linalg.norm(p - q), np.linalg.norm(p + q)) / 2))


def orientation(minimal, written):
    minimal["bodies"]["brick"] = minimal["bodies"]["brick"] | {"orientation": written}
    return Scene.from_dict(minimal).bodies["brick"].orientation


@pytest.mark.parametrize("order", ORDERS)
def test_euler_agrees_with_scipy(order):
    angles = (0.3, -1.1, 2.5)
    x, y, z, w = Rotation.from_euler(order, angles).as_quat()
    assert angle_between(from_euler(angles, order), (w, x, y, z)) <= 16 * EPS


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), ANGLES)
def test_axis_angle_and_matrix_agree_with_scipy(axis, angle):
    length = math.hypot(*axis)
    assume(length > 1e-3)
    unit = tuple(part / length for part in axis)
    theirs = Rotation.from_rotvec(np.array(unit) * angle)
    q = from_axis_angle(unit, angle)
    assert np.allclose(to_matrix(q), theirs.as_matrix(), rtol=0, atol=32 * EPS)
    assert angle_between(from_matrix(to_matrix(q)), q) <= 64 * EPS


@given(st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4))
def test_normalising_twice_is_normalising_once(q):
    assume(math.hypot(*q) > 1e-3)
    once = normalised(tuple(q))
    assert normalised(once) == once


def test_all_forms_mean_the_same_quarter_turn(minimal):
    s = math.sqrt(0.5)
    for written in (
        {"wxyz": [s, 0, 0, s]},
        {"xyzw": [0, 0, s, s]},
        {"axis": [0, 0, 7], "angle": "90 deg"},
        {"euler": [0, 0, "90 deg"], "order": "xyz"},
        {"euler": ["0.25 turn", 0, 0], "order": "ZYX"},
        {"matrix": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]},
    ):
        assert angle_between(orientation(minimal, written), (s, 0, 0, s)) <= 4 * EPS


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
def test_half_turn_matrix(minimal, axis):
    q = orientation(minimal, {"matrix": (2 * np.outer(axis, axis) - np.eye(3)).tolist()})
    assert q == (0, *axis)


def test_small_deviation_is_normalised_with_a_note(minimal):
    minimal["bodies"]["brick"]["orientation"] = {"wxyz": [0.7071, 0, 0, 0.7071]}
    minimal["bodies"]["brick"]["inertia"]["orientation"] = {"xyzw": [0, 0, 0, 1.0001]}
    minimal["bodies"]["brick"]["children"] = {"antenna": {"orientation": {"wxyz": [1, 0, 0, 0]}}}
    scene = Scene.from_dict(minimal)
    assert abs(math.hypot(*scene.bodies["brick"].orientation) - 1) <= 2 * EPS
    assert scene.warnings == (
        "bodies.brick.orientation.wxyz: the quaternion of norm 0.99999041 was normalised",
        "bodies.brick.inertia.orientation.xyzw: the quaternion of norm 1.0001 was normalised",
    )


@pytest.mark.parametrize(
    ("written", "code", "words"),
    [
        ([1, 0, 0, 0], "orientation", "{wxyz: [1, 0, 0, 0]} or {xyzw: [1, 0, 0, 0]}"),
        ([1, 0, 0], "orientation", "is not an orientation"),
        ("up", "orientation", "up is not an orientation"),
        ({"quaternion": [1, 0, 0, 0]}, "orientation", "wxyz"),
        ({"wxyz": [0, 0, 0, 0]}, "orientation", "is zero"),
        ({"xyzw": [0, 0, 0, 1.01]}, "orientation", "norm 1.01"),
        ({"wxyz": [1, 0, 0]}, "length", "expected 4 values [w, x, y, z], got 3"),
        ({"wxyz": [1e200, 1e200, 0, 0]}, "orientation", "norm"),
        ({"axis": [0, 0, 0], "angle": 1}, "orientation", "axis is zero"),
        ({"axis": [0, 0, 1]}, "missing-key", "'angle' is missing"),
        ({"angle": 1}, "missing-key", "'axis' is missing"),
        ({"axis": [0, 0, 1], "angle": "3 m"}, "unit", "unit of length"),
        ({"wxyz": [1, 0, 0, 0], "angle": 1}, "unknown-key", "unknown key 'angle'"),
        ({"euler": [1, 2, 3], "order": "xyZ"}, "orientation", "not an order"),
        ({"euler": [1, 2, 3], "order": "xxy"}, "orientation", "two consecutive rotations"),
        ({"euler": [1, 2, 3], "order": "abc"}, "orientation", "not an order"),
        ({"euler": [1, 2, 3]}, "missing-key", "'order' is missing"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "orientation", "reflection"),
        ({"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1.1]]}, "orientation", "not orthonormal"),
        ({"matrix": [[1e300] * 3] * 3}, "orientation", "not orthonormal"),
    ],
)
def test_what_is_no_orientation(with_body, problem, written, code, words):
    only = problem(with_body(mass=1, inertia={"principal": [1, 1, 1]}, orientation=written))
    assert only.code == code
    assert words in str(only)
    assert only.path.startswith("bodies.b.orientation")
