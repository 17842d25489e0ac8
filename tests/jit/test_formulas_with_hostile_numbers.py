"""All formulas of physics with numbers that break arithmetic: on columns, compiled, in lanes, optimised or not, the
bits of Python's floats.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import rigidsim.physics
from rigidsim.jit import FORMULA, role_of
from support.compiled_formulas import compiled, count_of, on_columns, on_floats, same

sys.path.append(str(Path(__file__).parents[1] / "physics"))
from formula_checks import CHECKS

COUNT = 144  # points of each formula, in nine blocks of sixteen lanes
HOSTILE = np.array([
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -7.5, 1e-8, 5e-324, -1e-310, 2.3e-308, 1e-160, 1e154, -1e160, 1e300, 1e308,
    -1.7e308, np.inf, -np.inf, np.nan, 1e15, -1.001e15, 1e22, 6755399441055744.0, 709.8, -745.2,
])  # fmt: skip
# Parameters of formulas without checks of their own are vectors, unless their names begin with one of these.
SIZES = {"q": 4, "X": 8, "I": 6}
NUMBERS = ("s", "c", "k", "size", "x", "y")
JET = (None, None, None)
SHAPES = {"select": (bool, None, None), "jet_choice": (JET, JET, JET)}


def normal(x):
    """Positive and normal."""
    return np.clip(np.abs(np.nan_to_num(x)), 2.3e-308, 1e308)


# Where a formula on bits has no other domain: exponents, whole or not, and normal positive numbers.
DOMAINS = {
    "exponentials.power_of_two": lambda x: np.round(1000.0 * np.tanh(np.nan_to_num(x))),
    "exponentials.split": normal,
    "step_control.rough_power_of_two": lambda x: 1000.0 * np.tanh(np.nan_to_num(x)),
    "step_control.rough_logarithm": normal,
    "step_control.group_logarithm": normal,
    "step_control.longest_step": normal,
    "step_control.length_by_defect": normal,
}


def shape_of(argument):
    """None for a number, a tuple of shapes for a tuple."""
    if isinstance(argument, tuple | list) or (isinstance(argument, np.ndarray) and argument.ndim):
        return tuple(shape_of(part) for part in argument)
    return None


def shape_by_name(module: str, name: str):
    stem = name.split("_")[0]
    return None if stem in NUMBERS or module == "functions" else (None,) * SIZES.get(stem, 3)


def shapes_of(module: str, formula) -> tuple:
    """The shapes of a formula's arguments: None for a number, bool for a condition, a tuple of shapes for a tuple."""
    if formula.__name__ in SHAPES:
        return SHAPES[formula.__name__]
    cases = CHECKS.get(module, {}).get(formula.__name__)
    names = list(inspect.signature(formula).parameters)
    shapes = map(shape_of, cases[0][0]) if cases else [shape_by_name(module, name) for name in names]
    return tuple(bool if name == "condition" else shape for name, shape in zip(names, shapes, strict=False))


def formulas() -> dict[str, Callable]:
    """All formulas, by module and name."""
    found = {}
    for _, module, _ in pkgutil.iter_modules(rigidsim.physics.__path__):
        for name, value in vars(importlib.import_module(f"rigidsim.physics.{module}")).items():
            is_of_it = isinstance(value, FunctionType) and value.__module__ == f"rigidsim.physics.{module}"
            if is_of_it and role_of(value) == FORMULA:
                found[f"{module}.{name}"] = value
    turned = found.pop("inertia._turned")  # whose axis is known
    return found | {f"inertia._turned.{axis}": about(axis, turned) for axis in range(3)}


def about(axis: int, turned: Callable) -> Callable:
    """The formula for one axis."""
    return lambda q, c, s: turned(q, axis, c, s)


FORMULAS = formulas()


def columns_for(name: str, count: int) -> np.ndarray:
    """Hostile numbers, numbers of any size and ordinary ones: a third of the points each."""
    rng = np.random.default_rng(list(name.encode()))
    wild = rng.normal(size=(count, COUNT)) * 10.0 ** rng.uniform(-300, 300, (count, COUNT))
    kinds = [rng.choice(HOSTILE, (count, COUNT)), wild, rng.uniform(-3, 3, (count, COUNT))]
    return np.select([np.arange(COUNT) % 3 == k for k in range(3)], kinds)


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_have_the_same_bits_on_floats_on_columns_and_compiled(name):
    formula, shapes = FORMULAS[name], shapes_of(name.split(".")[0], FORMULAS[name])
    columns = DOMAINS.get(name, np.asarray)(columns_for(name, sum(map(count_of, shapes))))
    expected, can = on_floats(formula, shapes, columns)
    assert np.isfinite(expected[:, can]).any() or not len(expected)
    ways = {way: compiled(formula, shapes, columns, len(expected), *way) for way in ((1, "none"), (16, "light"))}
    for way, found in (ways | {"on columns": on_columns(formula, shapes, columns)}).items():
        wrong = [k for k in np.flatnonzero(can) if not same(found[:, k], expected[:, k])]
        assert not wrong, (way, columns[:, wrong[0]], found[:, wrong[0]], expected[:, wrong[0]])


def test_all_formulas_are_found():
    assert len(FORMULAS) > 250
