"""Every sign, operator and constant of the formulas matters to a check."""

from __future__ import annotations

import ast
from collections import Counter

import numpy as np
import pytest

from alterations import PHYSICS, formulas_of, mutants_of, namespace
from articulated_checks import ARTICULATED_EQUIVALENT
from contact_checks import CONTACT_EQUIVALENT
from contact_mode_checks import CONTACT_MODE_EQUIVALENT
from control_checks import CONTROL_EQUIVALENT
from force_checks import FORCE_EQUIVALENT
from formula_checks import CHECKS
from function_checks import FUNCTION_EQUIVALENT
from geometry_checks import GEOMETRY_EQUIVALENT
from loop_checks import LOOP_EQUIVALENT
from mode_checks import MODE_EQUIVALENT
from reduction_checks import REDUCTION_EQUIVALENT
from restitution_checks import RESTITUTION_EQUIVALENT
from step_checks import STEP_EQUIVALENT
from support.smooth_paths import MP
from support_checks import SUPPORT_EQUIVALENT

NOTHING_TO_ALTER = {
    "reductions.kept",
    "articulated.rows_of",
    "articulated.columns_of",
    "rounding.of_one",
    "vector.transposed",
}


def plain(value):
    """A value as formulas take it: a float, a number of sixty digits, or a tuple of such."""
    if isinstance(value, tuple | list | np.ndarray):
        return tuple(map(plain, value))
    return value if isinstance(value, MP.mpf) else float(value)


def flat(value) -> list:
    """The numbers of nested tuples, in order."""
    return [number for part in value for number in flat(part)] if isinstance(value, tuple) else [value]


def passes(names: dict, module: str, formula: str) -> bool:
    """Whether every case of a formula comes out right; an exception is not right."""
    try:
        for arguments, expected, bound in CHECKS[module][formula]:
            found, wanted = (flat(plain(value)) for value in (names[formula](*map(plain, arguments)), expected))
            bounds = np.broadcast_to(bound, len(wanted))
            if not all(abs(a - b) <= limit for a, b, limit in zip(found, wanted, bounds, strict=True)):
                return False
    except (ArithmeticError, ValueError, TypeError):
        return False
    return True


def test_every_formula_is_checked():
    for path in PHYSICS.glob("*.py"):
        assert set(formulas_of(path.stem)) <= set(CHECKS.get(path.stem, {})), path.stem


@pytest.mark.parametrize("module", CHECKS)
def test_unaltered_formulas_pass(module):
    names = namespace(ast.parse((PHYSICS / f"{module}.py").read_text()))
    for formula in CHECKS[module]:
        assert passes(names, module, formula), formula


# Alterations that change nothing a double can show, and in how many places each stands.
EQUIVALENT = {
    # Where the series takes over, and what keeps the other branch away from 0/0.
    "quaternion.exp_full: doubled 1e-08": 2,
    "quaternion.exp_full: other operator in 1e-08 + 0.0 * n2": 1,
    "quaternion.exp_full: other operator in 0.0 * n2": 1,
    "quaternion.exp_full: doubled 0.0": 1,
    "quaternion.angle_over_sine: doubled 1e-16": 2,
    "quaternion.angle_over_sine: other operator in 1e-16 + 0.0 * n2": 1,
    "quaternion.angle_over_sine: other operator in 1.0 + 0.0 * w": 1,
    "quaternion.angle_over_sine: other operator in 0.0 * w": 1,
    "quaternion.angle_over_sine: doubled 0.0": 2,
    "quaternion.log: doubled 0.0": 1,
    "quaternion.turn_of_z: doubled 0.0": 3,
    "inertia._jacobi_rotation: doubled 1e-300": 1,
    "inertia._jacobi_rotation: other operator in 1.0 + 0.0 * a_pq": 1,
    "inertia._jacobi_rotation: doubled 1.0": 1,
    "inertia._jacobi_rotation: doubled 0.0": 4,
    # sin(n)/n and cos(n) are even; the logarithm is that of the quaternion's direction, whatever its length.
    "quaternion.exp_full: negated sqrt(select(small, 1e-08 + 0.0 * n2, n2))": 1,
    "quaternion.angle_over_sine: negated sqrt(select(small, 1e-16 + 0.0 * n2, n2))": 1,
    "quaternion.angle_over_sine: doubled 1.0": 1,
    "quaternion.log: doubled 1.0": 2,
    # w is 1 to the last bit where it stands; dividing by a sign is multiplying by it.
    "quaternion.angle_over_sine: other operator in 1.0 / select(small, w, 1.0 + 0.0 * w)": 1,
    "inertia._jacobi_rotation: other operator in zeta * select(zeta < 0.0, -1.0, 1.0)": 1,
    # (-R) I (-R)^T; (-s) (-s)^T; -q is the rotation q, and the logarithm knows; zero has no sign.
    "inertia.rotated: negated to_matrix(q_PB)": 1,
    "solids.tetrahedron_products: negated add(a, add(b, c))": 1,
    "interpolation.hermite_rotation: negated product(conjugate(q_0), q_1)": 1,
    "interpolation.hermite_rotation: negated conjugate(q_0)": 1,
    "interpolation.hermite_rotation: negated scaled(0.0, turn)": 1,
    "interpolation.hermite_rotation: doubled 0.0": 1,
    "quaternion.rotate_back: negated conjugate(q)": 1,
    # Twice nothing.
    "frames.changes_in_parent: doubled 0.0": 1,
    "rigid_body.takes_torque: doubled 0.0": 2,
    "solids.cylinder: doubled 0.0": 1,
    **ARTICULATED_EQUIVALENT,
    **LOOP_EQUIVALENT,
    **MODE_EQUIVALENT,
    **CONTACT_EQUIVALENT,
    **CONTACT_MODE_EQUIVALENT,
    **FORCE_EQUIVALENT,
    **FUNCTION_EQUIVALENT,
    **GEOMETRY_EQUIVALENT,
    **REDUCTION_EQUIVALENT,
    **RESTITUTION_EQUIVALENT,
    **STEP_EQUIVALENT,
    **SUPPORT_EQUIVALENT,
    **CONTROL_EQUIVALENT,
}


@pytest.mark.parametrize("module", CHECKS)
def test_every_alteration_is_noticed(module):
    altered, survivors = Counter(), Counter()
    for formula, what, names in mutants_of(module, CHECKS[module]):
        altered[formula] += 1
        survivors[what] += passes(names, module, formula)
    print(f"{module}: {altered.total()} alterations")
    assert {f"{module}.{formula}" for formula in formulas_of(module).keys() - altered.keys()} <= NOTHING_TO_ALTER
    assert dict(+survivors) == {what: n for what, n in EQUIVALENT.items() if what.startswith(f"{module}.")}
