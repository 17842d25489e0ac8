"""Variants that are read in columns are those that are read alone: the same worlds to the last bit, and messages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from every_number import difference, numbers_in, written
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import block_of
from rigidsim.errors import SceneError, UsageError
from rigidsim.scene import Scene
from rigidsim.scene.text.reader import read_file, read_text
from rigidsim.sweeps.variants import FIRST, MOST, Variants

SCENES = sorted((Path(__file__).parents[2] / "scenes").glob("*.yaml"))
LARGE = ("billiard_break", "marbles_in_drum", "spheres_in_a_box")  # take seconds to read
SMALL = [path for path in SCENES if path.stem not in LARGE]
HOSTILE = [0.0, -0.0, 1e-300, 1e300, -1e300, 1e16, float("inf"), float("nan")]
TOP = """
format: rigidsim/1
parameters:
  spin: {value: 20, unit: rpm}
  beads: 2
simulation: {duration: 1, step: 0.01}
bodies:
  top:
    mass: 1
    inertia: {principal: [1, 2, 2.5]}
    angular_velocity: ["= spin", 0, "= 0.1*sqrt(spin)"]
    forces: [{type: constant, force: [0, 0, 1], during: [0.2, 0.5]}]
  bead:
    repeat: {line: "= beads", spacing: [1, 0, 0]}
    mass: 2
    inertia: point
"""


def read_alone(read, columns: Mapping, k: int):
    """The world of one variant by the path of `run --set`, or the message."""
    try:
        return build_world(read([f"{name}={values[k]}" for name, values in columns.items()]))
    except SceneError as error:
        return str(error)


def compared(document, read, columns: Mapping, only: list[int] | None = None) -> Variants:
    """The family, after comparing all its variants, or some, with those read alone."""
    family = Variants(document, list(columns))
    groups, faults = family.models(columns)
    found = {int(k): (group, place) for group in groups for place, k in enumerate(group.numbers)}
    count = len(next(iter(columns.values())))
    assert sorted([*found, *faults]) == list(range(count))
    used: dict[int, object] = {}  # a model of each group, with the numbers of the variant before
    for k in range(count) if only is None else only:
        expected = read_alone(read, columns, k)
        if isinstance(expected, str):
            assert str(faults[k]) == expected
            continue
        group, place = found[k]
        assert not difference(group.world(place), expected)
        block = block_of([expected] * 16)
        assert not difference(group.block([place] * 16), block)
        into = used.setdefault(id(group), group.block([place] * 16)[0])
        assert not difference(group.block([place] * 16, into), block)
    return family


def compared_file(path: Path, columns: Mapping, only: list[int] | None = None) -> Variants:
    return compared(read_file(path), lambda overrides: Scene.from_file(path, overrides=overrides), columns, only)


def compared_top(columns: Mapping) -> Variants:
    name = "top.yaml"
    return compared(read_text(TOP, name), lambda overrides: Scene.from_text(TOP, name, overrides), columns)


def near(number: float, count: int = 7) -> list[float]:
    return [number * (1 + 1e-3 * k) if number else 1e-3 * k for k in range(-(count // 2), count - count // 2)]


def is_geometry(name: str) -> bool:
    """Whether a change of this number alone is an error, or makes a group of its own."""
    parts = ("format", "simulation", "reparent", "during", "time", "repeat", "matrix", "wxyz", "plane", "restitution")
    return any(part in name for part in parts)


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_all_numbers_of_a_scene_vary_at_once(path):
    document = read_file(path)
    numbers = [entry for entry in numbers_in(document.data) if entry[1] and not is_geometry(entry[0])]
    scatter = np.random.default_rng(1).uniform(-1e-3, 1e-3, (len(numbers), 12))
    columns = {
        name: written((number * (1 + row)).tolist(), unit)
        for (name, number, unit), row in zip(numbers, scatter, strict=True)
    }
    compared_file(path, columns, [0, 5, 11])


@settings(max_examples=settings().max_examples // 8)
@given(st.data())
def test_any_number_of_any_scene(data):
    path = data.draw(st.sampled_from(SMALL))
    name, number, unit = data.draw(st.sampled_from(list(numbers_in(read_file(path).data))))
    values = near(number, 5) + data.draw(st.lists(st.sampled_from([*HOSTILE, -number]), max_size=3))
    compared_file(path, {name: written(values, unit)})


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_every_number_of_every_scene(path):
    for name, number, unit in numbers_in(read_file(path).data):
        compared_file(path, {name: written([*near(number), *HOSTILE, -number], unit)})


@pytest.mark.parametrize("name", ["flipping_axis", "car_crash"])
def test_a_thousand_variants_take_one_reading(name):
    path = next(path for path in SCENES if path.stem == name)
    numbers = [entry for entry in numbers_in(read_file(path).data) if "mass" in entry[0] or "inertia" in entry[0]]
    scatter = np.random.default_rng(1).uniform(0.999, 1.001, (len(numbers), 1000))
    family = compared_file(
        path, {name: number * row for (name, number, _), row in zip(numbers, scatter, strict=True)}, [0, 999]
    )
    assert (family.readings, family.alone) == (2, 0)  # the first shows how many columns the scene needs


def test_many_variants_are_read_in_parts():
    count = FIRST + 2 * MOST + 1
    family = Variants(read_text(TOP, "<text>"), ["spin"])
    groups, faults = family.models({"spin": np.linspace(1.0, 2.0, count)})
    assert [len(group) for group in groups] == [FIRST, MOST, MOST, 1]
    assert np.concatenate([group.numbers for group in groups]).tolist() == list(range(count))
    assert not faults


def test_quantities_and_numbers_of_any_kind():
    family = compared_top({"spin": [*(f"{k} deg/s" for k in range(1, 6)), *range(1, 6), *np.linspace(1, 2, 5), "= 3"]})
    assert family.readings == 2  # quantities, and numbers in rpm
    assert family.alone == 1


def test_what_changes_structure_makes_groups():
    family = compared_top({"beads": np.repeat([1, 2, 3, 2.5], 5), "spin": np.linspace(1.0, 9.0, 20)})
    assert family.readings == 4
    assert family.alone == 5
    for name, values in {
        "simulation.step": np.repeat([0.01, 0.02, 0.03], 4),
        "simulation.duration": np.repeat([1.0, 2.0], 4),
        "bodies.top.forces[0].during[1]": np.repeat([0.5, 0.505, 0.7, 0.1], 4),
    }.items():
        family = compared_top({name: values, "spin": np.arange(float(len(values)))})
        assert family.readings == len(values) // 4


def test_invalid_variants_fail_alone():
    values = np.where(np.arange(40) % 10 == 3, -1.0, 2.0)
    family = compared_top({"bodies.top.mass": values, "bodies.top.inertia.principal[2]": np.linspace(2.5, 3.5, 40)})
    assert family.readings == 3  # valid, a negative mass, and more than the triangle allows
    assert family.alone == 4 + 20 - 2


def test_zero_is_not_a_number_among_others():
    """A component that is 0 has no register in a program, so it is another structure."""
    compared_top({"bodies.top.angular_velocity[1]": [0.0, 1.0, -0.0, 2.0, 0.0, 3.0, 4.0, 5.0]})
    text = TOP.replace("force: [0, 0, 1]", 'force: [0, "= v_x", 0], torque: [0, 0, 1]')
    values = {"bodies.top.forces[0].torque[2]": [0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 5.0]}
    compared(read_text(text, "a.yaml"), lambda overrides: Scene.from_text(text, "a.yaml", overrides), values)


def test_the_sign_of_a_nan_is_that_of_reading_alone():
    """A roll that overflows has no sine."""
    path = next(path for path in SCENES if path.stem == "ship_deck_in_seaway")
    compared_file(path, {"parameters.roll": [f"{k}e{n} deg" for n in (0, 300) for k in range(1, 7)]}, [0, 5, 6, 11])


def test_unknown_paths_are_refused_at_once():
    with pytest.raises(UsageError, match="did you mean 'top'"):
        Variants(read_text(TOP, "<text>"), ["bodies.tip.mass"])
