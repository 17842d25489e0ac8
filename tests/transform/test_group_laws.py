"""Transforms, at rest and in motion, are a group; what holds for it holds in 2, 3, 4 and 5 dimensions."""

from __future__ import annotations

import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rigidsim.transform import DynamicTransform, MotionDelta, Transform, cancellation, parent_changed_deltas

EPS = sys.float_info.epsilon
# Products of up to three transforms and their inverses: lengths below 8, scales in [1/2, 2], rates below 20 rad/s, so
# accelerations stay below 20^2 * 8^3. One rounding of the largest; measured: 100 EPS.
BOUND = EPS * 20**2 * 8**3
# Each example draws up to a hundred numbers, which takes longer than the laws themselves.
sample = settings(deadline=None, max_examples=settings().max_examples // 4)


def vectors(n):
    return arrays(np.float64, n, elements=st.floats(-2.0, 2.0))


def skews(n):
    return arrays(np.float64, (n, n), elements=st.floats(-1.0, 1.0)).map(lambda m: m - m.T)


@st.composite
def transforms(draw, n):
    """The rotation by Cayley's (1 - X)^-1 (1 + X) of a skew X."""
    X = draw(skews(n))
    return Transform(draw(vectors(n)), np.linalg.solve(np.eye(n) - X, np.eye(n) + X), draw(st.floats(0.5, 2.0)))


@st.composite
def dynamics(draw, n):
    return DynamicTransform(draw(transforms(n)), draw(vectors(n)), draw(vectors(n)), draw(skews(n)), draw(skews(n)))


@st.composite
def changes(draw, n):
    return MotionDelta(draw(vectors(n)), draw(vectors(n)), draw(skews(n)), draw(skews(n)))


def several(kind, count):
    """That many of a kind, in one number of dimensions."""
    return st.sampled_from((2, 3, 4, 5)).flatmap(lambda n: st.tuples(*[kind(n)] * count))


def difference(a, b):
    """The largest difference of any entry."""
    if isinstance(a, Transform):
        return np.abs(a.matrix - b.matrix).max()
    names = ("velocity", "acceleration", "angular_velocity", "angular_acceleration")
    moving = max(np.abs(getattr(a, name) - getattr(b, name)).max() for name in names)
    return max(moving, difference(a.transform, b.transform) if isinstance(a, DynamicTransform) else 0.0)


def check_group(a, b, c, identity):
    assert difference((a @ b) @ c, a @ (b @ c)) <= BOUND
    assert difference(a @ identity, a) == difference(identity @ a, a) == 0.0
    assert difference(a @ a.inverse(), identity) <= BOUND
    assert difference(a.inverse() @ a, identity) <= BOUND
    assert difference(a.inverse().inverse(), a) <= BOUND
    assert difference((a @ b).inverse(), b.inverse() @ a.inverse()) <= BOUND
    assert difference(a * b, a @ b) == 0.0


@sample
@given(several(transforms, 3))
def test_transforms_are_a_group(abc):
    check_group(*abc, Transform.identity(abc[0].n))


@sample
@given(several(dynamics, 3))
def test_dynamic_transforms_are_a_group(abc):
    check_group(*abc, DynamicTransform.identity(abc[0].n))


@sample
@given(several(transforms, 2), st.data())
def test_transforms_act(ab, data):
    a, b = ab
    x = data.draw(vectors(a.n))
    assert np.abs((a @ b)(x) - a(b(x))).max() <= BOUND
    assert np.abs(a(x) - (a.matrix @ [*x, 1.0])[:-1]).max() <= BOUND
    assert np.abs(a.linear()(x) - (a(x) - a.translation)).max() <= BOUND
    assert np.abs((a @ b).matrix - a.matrix @ b.matrix).max() <= BOUND
    assert np.abs(a.normal().jacobian @ a.jacobian.T - np.eye(a.n)).max() <= BOUND
    assert difference(Transform.from_matrix(a.matrix), a) <= BOUND
    assert (a @ b).isclose(a @ b)
    assert not a.isclose(Transform(a.translation + 1e-3, a.rotation, a.scale))


@sample
@given(several(dynamics, 3))
def test_global_to_local_is_the_inverse_composed(abc):
    a, b, c = abc
    assert difference(a.global_to_local(b), a.inverse() @ b) <= BOUND
    assert difference(a.global_to_local(a @ b), b) <= BOUND
    moved = b.reparented(c, a)  # from the parent a to the parent c
    assert difference(c @ moved, a @ b) <= BOUND
    assert difference(b.reparented(c), c.global_to_local(b)) == 0.0  # from the world
    scale = a.transform.scale * b.transform.scale / c.transform.scale
    assert abs(moved.transform.scale - scale) <= 8 * EPS * scale


@sample
@given(several(dynamics, 3), st.data())
def test_what_a_child_inherits_and_what_cancels_it(abc, data):
    parent, child, grandchild = abc
    change = data.draw(changes(parent.n))
    before, after = parent @ child, change.added_to(parent)
    inherited = MotionDelta.between(before, after @ child)
    assert difference(parent_changed_deltas(parent, child, change), inherited) <= BOUND
    protected = after @ cancellation(parent, child, change).added_to(child)
    assert difference(protected, before) <= BOUND
    assert difference(protected @ grandchild, before @ grandchild) <= 8 * BOUND  # deeper ones need nothing


@sample
@given(several(dynamics, 2), st.data())
def test_the_linear_cancellation_is_a_special_case(ab, data):
    """Only the parent's velocity changes: dv1 = -J2^-1 dv, da1 = 2 J2^-1 w2 dv, no angular change."""
    parent, child = ab
    n = parent.n
    dv, none, no_turn = data.draw(vectors(n)), np.zeros(n), np.zeros((n, n))
    cancelling = cancellation(parent, child, MotionDelta(dv, none, no_turn, no_turn))
    back = np.linalg.inv(parent.transform.jacobian)
    wanted = MotionDelta(-back @ dv, 2 * back @ parent.angular_velocity @ dv, no_turn, no_turn)
    assert difference(cancelling, wanted) <= BOUND


def test_in_the_plane_the_commutator_vanishes():
    """In 2-D a cancelled angular acceleration does not depend on the rates; in 3-D it does."""
    rng = np.random.default_rng(1)
    for n, depends in ((2, False), (3, True)):
        m = rng.normal(size=(4, n, n))
        w, al, dw, dal = m - np.swapaxes(m, -1, -2)
        parent, child = (DynamicTransform(Transform.identity(n), angular_velocity=rate) for rate in (w, al))
        change = MotionDelta(np.zeros(n), np.zeros(n), dw, dal)
        differs = np.abs(cancellation(parent, child, change).angular_acceleration + dal).max() > BOUND
        assert differs == depends


def test_skew_matrices_stay_skew_to_the_last_bit():
    rng = np.random.default_rng(2)
    m = rng.normal(size=(8, 4, 4)) * 10.0
    turning = DynamicTransform(Transform.identity(4), None, None, m - np.swapaxes(m, -1, -2), None)
    result = turning[0]
    for other in (turning[i] for i in range(1, 8)):
        result = (result @ other).inverse()
    for rate in (result.angular_velocity, result.angular_acceleration):
        assert (rate == -rate.T).all()
