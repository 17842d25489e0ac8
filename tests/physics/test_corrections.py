"""Corrections of a parent and its child: world motion kept, relative motion kept; zero corrections change no bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.physics.corrections import (
    change_within,
    inherited_velocity,
    relative_velocity_change,
    turn,
)
from rigidsim.physics.vector import add, cross, sub

EPS = np.finfo(float).eps


def vectors(size: float):
    """Vectors with components up to a size."""
    return st.tuples(*[st.floats(-size, size)] * 3)


corrections = st.tuples(vectors(0.1), vectors(0.1), vectors(2.0), vectors(2.0))


@given(vectors(1e11), vectors(1e5), vectors(10.0))
def test_a_correction_of_zero_changes_no_bit(d, drift, omega):
    none = (0.0, 0.0, 0.0)
    still = turn(none)
    assert change_within(still, d, none) == none
    assert relative_velocity_change(still, omega, none, d, drift, none, none) == none
    assert inherited_velocity(none, still, omega, none, d, drift) == none


@given(corrections, vectors(3.0), vectors(3.0), vectors(3.0))
def test_without_displacement_and_turn_corrections_are_jumps_to_the_last_bit(parent, omega, d, drift):
    _, _, dv_P, domega = parent
    none, carried = (0.0, 0.0, 0.0), add(dv_P, cross(domega, d))
    assert inherited_velocity(dv_P, turn(none), omega, domega, d, drift) == carried
    assert relative_velocity_change(turn(none), omega, domega, d, drift, none, sub(none, dv_P)) == sub(none, carried)
