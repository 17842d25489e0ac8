"""Every sign and factor of the formulas matters to some check: each is altered in turn, and the check must fail."""

from __future__ import annotations

import ast

import pytest
from alterations import PHYSICS, formulas_of, mutants_of, namespace

from formula_references import flat, random_situation, references, tuples

REFERENCES = references(random_situation(7))
MODULES = sorted({name.split(".")[0] for name in REFERENCES})
COMPLETE = ("deltas", "frames", "inertial_terms", "vector")  # every formula of these has a reference
SAME_ROTATION = {"quaternion.rotate_back: negated conjugate(q)"}  # -q is the rotation q
TOLERANCE = 1e-30


def agrees(function, name: str) -> bool:
    """The quick check: one random situation at sixty digits."""
    arguments, expected = REFERENCES[name]
    given, wanted = flat(function(*tuples(arguments))), flat(expected)
    return max(abs(a - b) for a, b in zip(given, wanted, strict=True)) < TOLERANCE


@pytest.mark.parametrize("module", COMPLETE)
def test_every_formula_has_a_reference(module):
    assert {f"{module}.{name}" for name in formulas_of(module)} <= set(REFERENCES)


@pytest.mark.parametrize("module", MODULES)
def test_unaltered_formulas_agree(module):
    names = namespace(ast.parse((PHYSICS / f"{module}.py").read_text()))
    for name in REFERENCES:
        if name.startswith(f"{module}."):
            assert agrees(names[name.split(".")[1]], name), name


@pytest.mark.parametrize("module", MODULES)
def test_every_alteration_is_caught(module):
    survivors, altered = [], dict.fromkeys(formulas_of(module), 0)
    wanted = {name.split(".")[1] for name in REFERENCES if name.startswith(f"{module}.")}
    for function, what, names in mutants_of(module, wanted):
        altered[function] += 1
        if agrees(names[function], f"{module}.{function}") and what not in SAME_ROTATION:
            survivors.append(what)
    assert not survivors
    print(f"{module}: {sum(altered.values())} alterations caught")
    if module in COMPLETE:
        assert all(altered.values()), "a formula without anything to alter"
