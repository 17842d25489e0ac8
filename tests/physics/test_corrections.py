"""Corrections of a parent and its child: world motion kept, relative motion kept; zero corrections change no bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics.corrections import (
    carried_angular_momentum,
    carried_displacement,
    carried_rate,
    carried_velocity,
    change_within,
    origin_displacement,
    origin_velocity_change,
    relative_velocity_change,
    swing,
    turn,
    turned,
)
from rigidsim.physics.inertia import apply, rotated
from rigidsim.physics.quaternion import normalised, rotate
from rigidsim.physics.vector import add, cross, sub

EPS = np.finfo(float).eps


def vectors(size: float):
    """Vectors with components up to a size."""
    return st.tuples(*[st.floats(-size, size)] * 3)


unit_quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(x * x for x in q) > 0.01).map(normalised)
corrections = st.tuples(vectors(0.1), vectors(0.1), vectors(2.0), vectors(2.0))


@given(unit_quaternions, vectors(0.3), vectors(5.0))
def test_a_turn_moves_a_vector_like_its_frame(q, theta, v):
    """R(theta) R(q) v by the turned orientation, and by the swing of R(q) v."""
    before = rotate(q, v)
    after = rotate(turned(turn(theta), q), v)
    np.testing.assert_allclose(add(before, swing(turn(theta), before)), after, atol=20 * EPS * 5)


@given(corrections, vectors(3.0), vectors(3.0), vectors(3.0), corrections)
def test_a_child_gets_the_motion_that_is_its_own_in_the_world(parent, omega, d, drift, child):
    """World velocity of the child from its new relative motion and the corrected parent: v_P + omega_P x d + drift."""
    dx_P, theta, dv_P, domega = parent
    dx, _, dv, _ = child
    moved = change_within(turn(theta), d, sub(dx, dx_P))
    changed = relative_velocity_change(turn(theta), omega, domega, d, drift, sub(dx, dx_P), sub(dv, dv_P))
    # In the axes of the turned parent, the new arm and drift are R (d + moved) and R (drift + changed).
    arm, rate = add(d, moved), add(drift, changed)
    arm_W, rate_W = add(arm, swing(turn(theta), arm)), add(rate, swing(turn(theta), rate))
    np.testing.assert_allclose(add(dx_P, arm_W), add(d, dx), atol=50 * EPS * 3)
    after = add(add(dv_P, cross(add(omega, domega), arm_W)), rate_W)
    before = add(add(cross(omega, d), drift), dv)
    np.testing.assert_allclose(after, before, atol=100 * EPS * 30)


@given(corrections, vectors(3.0), vectors(3.0), vectors(3.0), vectors(3.0))
def test_a_carried_point_keeps_its_relative_motion(parent, omega, d, drift, omega_WB):
    """What a point gains that keeps its relative arm and drift is what leaves nothing to change within the parent."""
    dx_P, theta, dv_P, domega = parent
    dx = carried_displacement(dx_P, turn(theta), d)
    dv = carried_velocity(dv_P, turn(theta), omega, domega, d, drift)
    none = (0.0, 0.0, 0.0)
    np.testing.assert_allclose(change_within(turn(theta), d, sub(dx, dx_P)), none, atol=50 * EPS * 3)
    changed = relative_velocity_change(turn(theta), omega, domega, d, drift, sub(dx, dx_P), sub(dv, dv_P))
    np.testing.assert_allclose(changed, none, atol=100 * EPS * 30)
    gained = carried_rate(domega, turn(theta), omega, omega_WB)
    relative = sub(omega_WB, omega)
    np.testing.assert_allclose(
        sub(add(omega_WB, gained), add(omega, domega)), add(relative, swing(turn(theta), relative)), atol=50 * EPS * 6
    )


@given(corrections, vectors(3.0), vectors(3.0))
def test_the_origin_follows_the_centre_of_mass(correction, omega, r):
    """Velocity of the centre of mass from that of the origin, with the turned lever."""
    dx, theta, dv, domega = correction
    lever = add(r, swing(turn(theta), r))
    np.testing.assert_allclose(add(origin_displacement(dx, turn(theta), r), sub(lever, r)), dx, atol=20 * EPS * 3)
    after = add(origin_velocity_change(dv, turn(theta), omega, domega, r), cross(add(omega, domega), lever))
    np.testing.assert_allclose(after, add(dv, cross(omega, r)), atol=50 * EPS * 20)


@given(vectors(1e11), vectors(1e5), vectors(10.0))
def test_a_correction_of_zero_changes_no_bit(d, drift, omega):
    none = (0.0, 0.0, 0.0)
    still = turn(none)
    assert change_within(still, d, none) == none
    assert relative_velocity_change(still, omega, none, d, drift, none, none) == none
    assert carried_velocity(none, still, omega, none, d, drift) == none


@given(unit_quaternions, vectors(0.3), vectors(3.0), vectors(2.0))
def test_a_body_that_turns_with_its_parent_has_the_angular_momentum_of_its_new_rate(q, theta, omega, domega):
    inertia, e = (1.0, 2.0, 3.0, 0.1, -0.2, 0.3), turn(theta)
    gained = carried_angular_momentum(rotated(q, inertia), e, omega, domega)
    after = apply(rotated(turned(e, q), inertia), add(omega, domega))
    np.testing.assert_allclose(add(apply(rotated(q, inertia), omega), gained), after, atol=100 * EPS * 15)


@given(corrections, vectors(3.0), vectors(3.0), vectors(3.0))
def test_without_displacement_and_turn_corrections_are_jumps_to_the_last_bit(parent, omega, d, drift):
    _, _, dv_P, domega = parent
    none, carried = (0.0, 0.0, 0.0), add(dv_P, cross(domega, d))
    assert carried_velocity(dv_P, turn(none), omega, domega, d, drift) == carried
    assert relative_velocity_change(turn(none), omega, domega, d, drift, none, sub(none, dv_P)) == sub(none, carried)
