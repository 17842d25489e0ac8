"""`Transform` and `DynamicTransform` as they are made, read and refused."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
import quaternion
from scipy.spatial.transform import Rotation

import rigidsim
from rigidsim.errors import UsageError
from rigidsim.scene.values.rotation import from_euler as scene_euler
from rigidsim.transform import DynamicTransform, MotionDelta, Transform, as_quaternions, cancellation
from rigidsim.transform.skew import skew, unskew

EPS = sys.float_info.epsilon
ROUND_OFF = 16 * EPS
ORDERS = [
    "".join(order)
    for lower in itertools.product("xyz", repeat=3)
    if lower[0] != lower[1] != lower[2]
    for order in (lower, map(str.upper, lower))
]


def random_rotations(count, seed=0):
    return Rotation.random(count, rng=np.random.default_rng(seed))


# --- rotations of three dimensions, scipy as the oracle


def test_quaternions_go_in_and_come_out():
    R = random_rotations(200)
    xyzw = R.as_quat()
    q = as_quaternions(np.roll(xyzw, 1, axis=-1))
    X = Transform.from_quaternion(np.zeros(3), q, 2.0)
    assert np.abs(X.rotation - R.as_matrix()).max() <= ROUND_OFF
    back = X.quaternion
    assert back.dtype == quaternion.quaternion
    assert np.minimum(np.abs(back - q), np.abs(back + q)).max() <= ROUND_OFF
    assert (quaternion.as_float_array(back)[:, 0] >= 0).all()
    assert Transform.from_quaternion([1, 2, 3], np.quaternion(0, 1, 0, 0)).quaternion == np.quaternion(0, 1, 0, 0)


@pytest.mark.parametrize("axis", range(3))
def test_half_turns_have_quaternions(axis):
    half = Transform.from_axis_angle(np.eye(3)[axis], math.pi)
    assert np.abs(quaternion.as_float_array(half.quaternion)[1:] - np.eye(3)[axis]).max() <= EPS


def test_axis_and_angle():
    R = random_rotations(200)
    axis, angle = Transform(np.zeros(3), R.as_matrix()).axis_angle
    assert np.abs(axis * angle[:, None] - R.as_rotvec()).max() <= 2 * ROUND_OFF
    assert np.abs(Transform.from_axis_angle(3e300 * axis, angle).rotation - R.as_matrix()).max() <= ROUND_OFF
    none = Transform.identity(3).axis_angle
    assert none[0].tolist() == [1, 0, 0]
    assert none[1] == 0


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_are_those_of_scipy_and_of_scenes(order):
    angles = np.random.default_rng(3).uniform(-3, 3, (50, 3))
    X = Transform.from_euler(angles, order)
    assert np.abs(X.rotation - Rotation.from_euler(order, angles).as_matrix()).max() <= ROUND_OFF
    wanted = Rotation.from_euler(order, angles).as_euler(order)
    # Near gimbal lock the angles are worth as much less as the cosine (sine) of the middle one is small.
    lock = np.abs(np.sin(wanted[:, 1]) if order[0] == order[2] else np.cos(wanted[:, 1]))
    assert (np.abs(X.euler(order) - wanted).max(axis=-1) <= ROUND_OFF / lock).all()
    one = Transform.from_euler(angles[0], order)
    in_scene = Transform.from_quaternion(np.zeros(3), np.quaternion(*scene_euler(tuple(angles[0]), order)))
    assert one.isclose(in_scene, rtol=ROUND_OFF)


@pytest.mark.parametrize("order", ORDERS)
def test_gimbal_lock_is_resolved_as_in_scipy(order):
    angles = np.random.default_rng(4).uniform(-3, 3, (20, 3))
    ends = (0.0, math.pi) if order[0] == order[2] else (-math.pi / 2, math.pi / 2)
    angles[:, 1] = np.resize(ends, 20)
    X = Transform.from_euler(angles, order)
    found = X.euler(order)
    assert (found[:, 2] == 0).all()
    assert np.abs(Transform.from_euler(found, order).rotation - X.rotation).max() <= ROUND_OFF
    with pytest.warns(UserWarning, match="Gimbal"):
        wanted = Rotation.from_matrix(X.rotation).as_euler(order)
    turns = np.abs(found - wanted)
    assert np.minimum(turns, 2 * math.pi - turns).max() <= ROUND_OFF


def test_angles_of_the_plane():
    angles = np.linspace(-3.1, 3.1, 9)
    X = Transform.from_angle(angles, translation=[1, 2], scale=3)
    assert np.abs(X.angle - angles).max() <= ROUND_OFF
    assert np.abs(Transform.from_angle(math.pi / 2)([1, 0]) - [0, 1]).max() <= EPS


# --- batches


def test_leading_axes_broadcast():
    rng = np.random.default_rng(5)
    many = Transform(rng.normal(size=(4, 1, 3)), random_rotations(5).as_matrix(), 2.0)
    assert many.shape == (4, 5)
    one = Transform.from_axis_angle([1, 2, 3], 0.3, translation=[1, 0, 0])
    assert (many @ one)[2, 3].isclose(many[2, 3] @ one)
    assert (one @ many).inverse()[1, ..., 4].isclose((one @ many[1, 4]).inverse())
    points = rng.normal(size=(7, 3))
    assert many[..., None](points).shape == (4, 5, 7, 3)
    assert np.abs(many[..., None](points)[1, 2, 3] - many[1, 2](points[3])).max() <= 2 * ROUND_OFF
    assert many[many.scale > 1].shape == (20,)
    assert many.matrix.shape == (4, 5, 4, 4)


def test_motions_broadcast():
    rng = np.random.default_rng(6)
    turning = DynamicTransform.from_rates(
        Transform.identity(3), rng.normal(size=(6, 3)), [0, 0, 1], rng.normal(size=(2, 1, 3)), [0, 0, 0]
    )
    assert turning.shape == turning.transform.shape == (2, 6)
    both = turning @ turning
    assert np.abs(both[1, 4].acceleration - (turning[1, 4] @ turning[1, 4]).acceleration).max() <= 64 * EPS
    change = MotionDelta(rng.normal(size=(6, 3)), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)))
    assert cancellation(turning, turning, change).velocity.shape == (2, 6, 3)
    assert change.n == 3


def test_rates_as_vectors_and_as_numbers():
    spinning = DynamicTransform.from_rates(Transform.identity(3), [0] * 3, [0] * 3, [0, 0, 2], [1, 0, 0])
    assert spinning.omega.tolist() == [0, 0, 2]
    assert spinning.alpha.tolist() == [1, 0, 0]
    assert spinning.point_velocity([1, 0, 0]).tolist() == [0, 2, 0]
    assert spinning.point_acceleration([1, 0, 0]).tolist() == [-4, 0, 0]
    flat = DynamicTransform.from_rates(Transform.identity(2), [0, 0], [0, 0], 2.0, 1.0)
    assert flat.omega == 2
    assert flat.alpha == 1
    assert flat.point_velocity([1, 0], [0, 1]).tolist() == [0, 3]
    vectors = np.arange(12.0).reshape(4, 3)
    assert (unskew(skew(vectors, 3)) == vectors).all()
    assert (skew(vectors, 3) @ [1, 2, 3] == np.cross(vectors, [1, 2, 3])).all()


# --- what is kept, what is refused


def test_arrays_are_copied_and_read_only():
    T = np.zeros(3)
    X = Transform(T, np.eye(3))
    T[0] = 9.0
    assert X.translation[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        X.translation[0] = 1.0
    with pytest.raises(AttributeError):
        X.scale = 2.0


I3, I2 = Transform.identity(3), Transform.identity(2)
REFUSED = {
    "must have a shape .*got": lambda: Transform([0, 0], np.eye(3)),
    "translation must have a shape": lambda: Transform(1.0, np.eye(3)),
    "not orthonormal": lambda: Transform([0, 0], [[1, 0], [0, 2]]),
    "reflection": lambda: Transform([0, 0], [[1, 0], [0, -1]]),
    "must be positive": lambda: Transform([0, 0], np.eye(2), 0.0),
    "must be finite": lambda: Transform([0, math.nan], np.eye(2)),
    "do not broadcast": lambda: Transform(np.zeros((3, 2)), np.eye(2), np.ones(4)),
    "array of numbers": lambda: Transform([0, None], np.eye(2)),
    "real numbers": lambda: Transform(["a", "b"], np.eye(2)),
    "cannot be composed": lambda: I2 @ I3,
    "points must have a shape": lambda: I3([1, 2]),
    "last row": lambda: Transform.from_matrix(np.ones((4, 4))),
    "is zero": lambda: Transform.from_matrix(np.diag([0, 0, 0, 1.0])),
    "no quaternion": lambda: I2.quaternion,
    "no Euler angles": lambda: I2.euler("xyz"),
    "no angle": lambda: I3.angle,
    "norm of a quaternion must be 1": lambda: Transform.from_quaternion([0, 0, 0], np.quaternion(1, 1, 0, 0)),
    "axis must not be zero": lambda: Transform.from_axis_angle([0, 0, 0], 1.0),
    "order of axes": lambda: Transform.from_euler([1, 2, 3], "xYz"),
    "must not repeat an axis": lambda: Transform.from_euler([1, 2, 3], "xxz"),
    "not skew-symmetric": lambda: DynamicTransform(I3, angular_velocity=np.eye(3)),
    "velocity must have a shape": lambda: DynamicTransform(I3, [1, 2]),
    "in 4 dimensions": lambda: DynamicTransform(Transform.identity(4)).omega,
    "in 5 dimensions": lambda: skew([1, 2, 3], 5),
    "same number of dimensions, got 3, 2, 3": lambda: cancellation(
        DynamicTransform.identity(3),
        DynamicTransform.identity(2),
        MotionDelta(np.zeros(3), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))),
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_makes_no_transform_is_refused(message):
    with pytest.raises(UsageError, match=message) as caught:
        REFUSED[message]()
    assert isinstance(caught.value, ValueError)


def test_other_operands_are_refused():
    for left, right in ((I3, np.eye(4)), (np.eye(4), I3), (I3, 2.0), (DynamicTransform(I3), I3)):
        with pytest.raises(TypeError):
            left @ right


# --- the package


def test_public_names():
    assert rigidsim.Transform is Transform
    assert rigidsim.DynamicTransform is DynamicTransform
    assert {"TRS", "pairs", "distinct_pairs", "ContiguousList"} <= set(rigidsim.__all__)
