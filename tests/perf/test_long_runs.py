"""Errors of long runs grow like rounding: see `long_runs.py`, of which these are the first decades."""

from __future__ import annotations

import pytest

from long_runs import METHODS, growth


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_errors_of_a_top_grow_like_the_rounding_of_its_steps(name):
    """From 1e3 to 1e5 steps: energy and |L| as n^0.5 or less, the angle as n^1.5 or less; 0.2 for a fit of sixteen."""
    sizes, (energy, momentum, angle) = growth(name, [1000, 10_000, 100_000])
    assert max(energy, momentum) < 0.7
    assert angle < 1.7
    assert sizes[-1, :2].max() < 1e-14  # 9e-15 measured
    assert sizes[-1, 2] < 1e-10  # 2.4e-11 rad measured, with steps of a quarter of a radian
