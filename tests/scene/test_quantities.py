"""Numbers with units, and the words for those that are none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigidsim.scene.quantities import DIMENSIONS, LENGTH, MASS, NUMBER_ONLY, TIME

UNITS = {dimension.name: dimension for dimension in DIMENSIONS}


@pytest.mark.parametrize(
    ("dimension", "text", "value"),
    [
        ("length", "12 cm", 0.12),
        ("length", "7cm", 0.07),
        ("length", "3 mm", 0.003),
        ("length", "2.5 km", 2500.0),
        ("mass", "42 t", 42000.0),
        ("mass", "1 g", 0.001),
        ("time", "1.5 min", 90.0),
        ("time", "5 ms", 0.005),
        ("angle", "30 deg", math.radians(30)),
        ("angle", "180 deg", math.pi),
        ("angle", "90 °", math.pi / 2),
        ("angular velocity", "60 rpm", 2 * math.pi),
        ("angular velocity", "180 deg/s", math.pi),
        ("velocity", "36 km/h", 10.0),
        ("acceleration", "981 cm/s^2", 9.81),
        ("acceleration", "1 m/s²", 1.0),
        ("acceleration", "1 m/s2", 1.0),
        ("angular acceleration", "180 deg/s^2", math.pi),
        ("force", "3 kN", 3000.0),
        ("torque", "2 kN*m", 2000.0),
        ("torque", "2 Nm", 2.0),
        ("inertia", "3 g*cm^2", 3e-7),
        ("length", " -1.5e-3 m ", -1.5e-3),
    ],
)
def test_quantity_in_si(dimension, text, value):
    assert UNITS[dimension].read(text) == value


@given(st.integers(-(10**6), 10**6), st.sampled_from([("cm", 100), ("mm", 1000), ("um", 10**6)]))
def test_decimal_units_round_once(number, unit):
    name, per_metre = unit
    assert LENGTH.read(f"{number} {name}") == number / per_metre


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_si_units_change_no_bit(number):
    assert LENGTH.read(f"{number!r} m") == number == LENGTH.read(number)


@pytest.mark.parametrize(
    ("dimension", "value", "code", "words"),
    [
        (LENGTH, "5 kg", "unit", "a unit of mass, but length (m) is wanted"),
        (LENGTH, "5 mn", "unit", "did you mean"),
        (LENGTH, "5 parsecs", "unit", "units of length: m, km"),
        (LENGTH, "5", "not-a-number", "without quotes"),
        (LENGTH, "heavy", "not-a-number", "got the text 'heavy'"),
        (LENGTH, "1_000", "not-a-number", "underscores"),
        (LENGTH, "= 2*pi", "expression", "not available in this version"),
        (LENGTH, True, "not-a-number", "got true"),
        (LENGTH, None, "not-a-number", "got nothing"),
        (LENGTH, [1], "not-a-number", "got a list"),
        (LENGTH, {}, "not-a-number", "got a mapping"),
        (LENGTH, math.nan, "not-finite", "nan is not a finite number"),
        (LENGTH, math.inf, "not-finite", "inf is not a finite number"),
        (LENGTH, 10**400, "not-finite", "is not a finite number"),
        (MASS, "1e400 kg", "not-finite", "is not a finite number"),
        (TIME, "1e308 h", "not-finite", "is not a finite number"),
        (NUMBER_ONLY, "3 m", "unit", "a plain number is wanted"),
    ],
)
def test_what_is_no_quantity(dimension, value, code, words):
    with pytest.raises(ValueError) as caught:
        dimension.read(value)
    assert caught.value.type == code
    context = caught.value.context
    assert words in f"{context['message']}; {context['hint']}"


def test_tiny_quantities_become_zero():
    assert LENGTH.read("1e-999999 m") == 0
