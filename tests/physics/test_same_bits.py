"""One text, the same bits: on floats, on NumPy columns, and compiled."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_formulas import compiled, on_floats, same

from rigidsim.physics import frames, inertia, inertial_terms, magnus, quaternion, rigid_body
from rigidsim.physics.elementary import sin_cos

COUNT = 200
# Formula and the sizes of its arguments: 0 a number, 3 a vector, 4 a unit quaternion, 6 a tensor.
CASES = {
    "sin_cos": (sin_cos, (0,)),
    "exp_cubic": (quaternion.exp_cubic, (3,)),
    "exp_septic": (quaternion.exp_septic, (3,)),
    "exp_full": (quaternion.exp_full, (3,)),
    "dexp_inverse": (quaternion.dexp_inverse, (3, 3)),
    "product": (quaternion.product, (4, 4)),
    "rotate": (quaternion.rotate, (4, 3)),
    "renormalised": (quaternion.renormalised, (4,)),
    "inverse": (inertia.inverse, (6,)),
    "angular_acceleration": (rigid_body.angular_acceleration, (6, 6, 3, 3)),
    "inertial_acceleration": (inertial_terms.inertial_acceleration, (3, 3, 3, 3, 3)),
    "local_acceleration": (frames.local_acceleration, (3, 3, 3, 4, 0, 3, 3, 3)),
    "compose_acceleration": (frames.compose_acceleration, (3, 3, 3, 3, 3, 3)),
    "magnus_2": (magnus.magnus_2, (3, 3, 0)),
    "magnus_4": (magnus.magnus_4, (3, 3, 3, 0)),
}


def arguments(sizes) -> list:
    """Random columns for each argument."""
    rng = np.random.default_rng(sum(sizes))
    made = []
    for size in sizes:
        rows = rng.normal(size=(max(size, 1), COUNT))
        if size == 4:
            rows /= np.sqrt(np.sum(rows * rows, axis=0))
        made.append(tuple(rows) if size else np.abs(rows[0]) + 0.1)
    return made


@pytest.mark.parametrize("name", CASES)
def test_floats_columns_and_compiled_agree_bit_for_bit(name):
    formula, sizes = CASES[name]
    columns = arguments(sizes)
    by_column = np.array(formula(*columns))
    shapes, numbers = tuple((None,) * size or None for size in sizes), np.vstack(columns)
    plain, _ = on_floats(formula, shapes, numbers)
    assert same(plain, by_column)
    assert same(plain, compiled(formula, shapes, numbers, len(plain)))
