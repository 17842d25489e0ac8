"""Numbers with units, and the words for those that are none."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from rigidsim.scene.expressions import Expression
from rigidsim.scene.values.base import Reading, three
from rigidsim.scene.values.quantities import DIMENSIONS, LENGTH, MASS, NUMBER_ONLY, TIME, varying

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
        ("length", "3 yd", 2.7432),
        ("mass", "1 slug", 14.593902937206364),
        ("velocity", "60 mph", 26.8224),
        ("velocity", "36 kn", 18.52),
        ("torque", "1 lbf*ft", 1.3558179483314004),
        ("angle", "60 arcsec", math.radians(1 / 60)),
        ("length", "3 \N{MICRO SIGN}m", 3e-6),
        ("time", "3 \N{GREEK SMALL LETTER MU}s", 3e-6),
        ("force", "3\N{MICRO SIGN}N", 3e-6),
    ],
)
def test_quantity_in_si(dimension, text, value):
    assert UNITS[dimension].read(text) == value


def plain_spelling(unit: str) -> str:
    letters = re.sub(r"[*·^ ]", "", unit).replace("²", "2").replace("³", "3")
    return re.sub("[\N{MICRO SIGN}\N{GREEK SMALL LETTER MU}]", "u", letters)


def test_the_table_of_units_is_that_of_the_program():
    text = (Path(__file__).parents[2] / "docs" / "scene" / "numbers.md").read_text()
    rows = dict(
        re.findall(r"^\| ([a-z ]+) \| (`.*`) \|$", text.partition("## Units")[2].partition("\n## ")[0], re.MULTILINE)
    )
    assert rows.keys() == {dimension.name for dimension in DIMENSIONS if dimension.units}
    for name, listed in rows.items():
        written, known = re.findall("`(.*?)`", listed), UNITS[name].units
        assert written[0] == UNITS[name].unit and set(written) <= set(known)
        assert set(map(plain_spelling, written)) == set(map(plain_spelling, known))


@given(st.integers(-(10**6), 10**6), st.sampled_from([("cm", 100), ("mm", 1000), ("um", 10**6)]))
def test_decimal_units_round_once(number, unit):
    name, per_metre = unit
    assert LENGTH.read(f"{number} {name}") == number / per_metre


@given(st.floats(-1e50, 1e50))
def test_si_units_change_no_bit(number):
    assert LENGTH.read(f"{number!r} m") == number == LENGTH.read(number)


@pytest.mark.parametrize(
    ("dimension", "value", "code", "words"),
    [
        (LENGTH, "5 kg", "unit", "a unit of mass, but length (m) is expected"),
        (LENGTH, "5 mn", "unit", "units of length: m, km, cm, mm, um, nm, au"),
        (LENGTH, "5 dm", "unit", "units of length: m, km"),
        (LENGTH, "5 feet", "unit", "did you mean 'ft'?"),
        (LENGTH, "5 KM", "unit", "did you mean 'km'?"),
        (MASS, "1 Kg", "unit", "did you mean 'kg'?"),
        (MASS, "1 KGS", "unit", "units of mass: kg, g"),
        (MASS, "12 kt", "unit", "units of mass: kg, g, mg, t, lb, slug"),
        (MASS, "1 Mg", "unit", "units of mass: kg, g"),
        (MASS, "1 \N{MICRO SIGN}g", "unit", "units of mass: kg, g"),
        (UNITS["force"], "1 mn", "unit", "did you mean 'MN' or 'mN'?"),
        (UNITS["force"], "1 GN", "unit", "units of force: N, kN"),
        (UNITS["torque"], "1 KN m", "unit", "did you mean 'kN*m'?"),
        (UNITS["torque"], "1 N dm", "unit", "units of torque: N*m, kN*m, MN*m, mN*m, N*cm, N*mm, lbf*ft, lbf*in"),
        (UNITS["density"], "1 mg/cm^3", "unit", "units of density: kg/m^3, g/cm^3"),
        (UNITS["velocity"], "1 km/hr", "unit", "did you mean 'km/h'?"),
        (LENGTH, "5 parsecs", "unit", "units of length: m, km"),
        (LENGTH, "5", "not-a-number", "without quotes"),
        (LENGTH, "heavy", "not-a-number", "got the text 'heavy'"),
        (LENGTH, "1_000", "not-a-number", "underscores"),
        (LENGTH, "= 2*pie", "expression", "unknown name 'pie'; did you mean 'pi'?"),
        (LENGTH, " =", "expression", "expected a number or a name, got the end"),
        (LENGTH, "= t", "expression", "'t' cannot be used here: only parameters"),
        (LENGTH, True, "not-a-number", "got true"),
        (LENGTH, None, "not-a-number", "got nothing"),
        (LENGTH, [1], "not-a-number", "got a list"),
        (LENGTH, {}, "not-a-number", "got a mapping"),
        (LENGTH, math.nan, "not-finite", "nan is not finite (inf or nan)"),
        (LENGTH, math.inf, "not-finite", "inf is not finite (inf or nan)"),
        (LENGTH, 10**400, "not-finite", "is not finite (inf or nan)"),
        (MASS, "1e400 kg", "not-finite", "is not finite (inf or nan)"),
        (TIME, "1e308 h", "not-finite", "is not finite (inf or nan)"),
        (NUMBER_ONLY, "3 m", "unit", "a plain number is expected"),
    ],
)
def test_what_is_no_quantity(dimension, value, code, words):
    with pytest.raises(ValueError) as caught:
        dimension.read(value)
    assert caught.value.type == code
    context = caught.value.context
    assert words in f"{context['message']}; {context['hint']}"


@pytest.mark.parametrize(
    ("allow", "value", "expected"),
    [
        ((), "= 2*n", 6.0),
        (("time",), "12 cm", 0.12),
        (("time",), " = n*t", "= 3.0 * t"),
        (("time", "state"), "= x", "= x"),
        (("state",), "= 1 - 1", 0.0),
    ],
)
def test_varying(allow, value, expected):
    adapter = TypeAdapter(varying(LENGTH, allow))
    read = adapter.validate_python(value, context=Reading(parameters={"n": 3.0}))
    assert adapter.dump_python(read) == expected
    assert isinstance(read, Expression if isinstance(expected, str) else float)
    assert adapter.validate_python(read) == read
    vector = TypeAdapter(three(varying(LENGTH, allow)))
    assert vector.validate_python([value, 0, 1], context=Reading(parameters={"n": 3.0})) == (read, 0, 1)


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        ("= x", "expression", "'x' cannot be used here: only parameters and t"),
        ("= n", "unit", "'s' is a unit of time, but length (m) is expected"),
        ("= n*m", "follows", "could not be read"),
        (True, "not-a-number", "got true"),
    ],
)
def test_what_does_not_vary(value, code, words):
    reading = Reading(parameters={"n": 3.0, "m": math.nan}, units={"n": "s"})
    with pytest.raises(ValueError) as caught:
        LENGTH.read_varying(value, reading, {"time"})
    assert caught.value.type == code
    assert words in caught.value.context["message"]


@pytest.mark.parametrize("text", ["2026-01-01", "9" * 5000])
def test_what_has_no_underscores_gets_no_hint_about_them(text):
    with pytest.raises(ValueError) as caught:
        LENGTH.read(text)
    assert caught.value.context["hint"] == ""


def test_tiny_quantities_become_zero():
    assert LENGTH.read("1e-999999 m") == 0
