"""The numbers of a scene with respect to which a run is differentiated, and the worlds beside it, which differ in one
of these numbers a little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import getitem
from typing import NamedTuple

import numpy as np

from rigidsim.arguments import refuse
from rigidsim.engine.assembly.blueprint import World
from rigidsim.errors import UsageError
from rigidsim.scene.prepare.overrides import path_of
from rigidsim.scene.read import Scene
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.amounts import as_written
from rigidsim.scene.values.quantities import dimension_of, split_quantity
from rigidsim.sweeps.variants import Variants

LEVELS = 4
"""Differences of the building, each with half of the step of the one before, are extrapolated to the step 0."""
FIRST = 2.0**-6
"""The first step, as a part of the value; smaller if the scene is another one so far away."""
CLOSER, TRIES = 2.0**-5, 8


class VariedNumber(NamedTuple):
    """A number of a scene: its name, as `--set` takes it, its value in SI units, and as it is written there."""

    name: str
    value: float
    written: float
    unit: str

    @property
    def factor(self) -> float:
        """SI units per unit that is written."""
        return float(dimension_of(self.unit).units[self.unit]) if self.unit else 1.0

    def moved(self, e: float) -> float | str:
        """The written value plus e."""
        return as_written(self.written + e, self.unit)

    def at(self, value: float) -> float | str:
        """Another value, in SI units, as the scene has it."""
        return as_written(float(value) / self.factor, self.unit)


class Beside(NamedTuple):
    """Two worlds beside that of a scene, and by how much the parameter, in SI units, differs from it in both."""

    size: float
    up: World
    down: World


def parameters_of(scene: Scene, names: Sequence[str]) -> list[VariedNumber]:
    """The parameters with these names. Raises UsageError for what is not the name of a number."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        refuse("derivatives", "a list of names of numbers of the scene", names)
    names, document = [name.strip() for name in names], scene.document()
    for name in names:
        if not name or names.count(name) > 1:
            raise UsageError(f"derivatives: '{shown(name)}' is named twice" if name else "derivatives: a name is empty")
    return [_parameter(name, document) for name in names]


def _parameter(name: str, document) -> VariedNumber:
    path = path_of(document, name, Scene)
    try:
        found = reduce(getitem, path, document.data)
    except (KeyError, IndexError, TypeError):
        raise UsageError(f"derivatives: '{shown(name)}' is not in the scene; write its value there") from None
    if isinstance(found, str) and found.lstrip().startswith("="):
        raise UsageError(f"derivatives: '{shown(name)}' is an expression, {shown(found)}; name a parameter in it")
    number, unit = split_quantity(found) if isinstance(found, str) else (found, "")
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if not (is_number or unit) or not math.isfinite(float(number)):
        raise UsageError(f"derivatives: '{shown(name)}' is {shown(found)}, not a number")
    written = VariedNumber(name, 0.0, float(number), unit)
    return written._replace(value=written.written * written.factor)


def spread_of(parameter: VariedNumber, text: str) -> float:
    """A standard deviation, in SI units: `1%` of the value, or a number or quantity in the scene's units."""
    share = text.strip().removesuffix("%")
    number, unit = split_quantity(text.strip()) if share == text.strip() else (share, "")
    try:
        size = float(number or share)
    except ValueError:
        size = math.nan
    if share != text.strip():
        size *= 0.01 * abs(parameter.value)
    else:
        size *= parameter._replace(unit=unit or parameter.unit).factor
    if not (math.isfinite(size) and size > 0.0):
        raise UsageError(
            f"--spread {parameter.name}={text}: expected a positive number, a quantity, or a part such as 1%"
        )
    return size


def beside(scene: Scene, parameter: VariedNumber, world: World) -> list[Beside]:
    """Worlds on both sides of that of a scene, of the same structure. Raises UsageError where there are none."""
    document, h = scene.document(), FIRST * (abs(parameter.written) or 1.0)
    variants = Variants(document, [parameter.name])
    for _ in range(TRIES):
        sizes = [h * 0.5**level for level in range(LEVELS)]
        worlds = _read(variants, parameter, [sign * size for size in sizes for sign in (1.0, -1.0)])
        if worlds and all(
            _same_grid(parameter, world, one) and structure_of(one) == structure_of(world) for one in worlds
        ):
            factor = parameter.factor
            return [
                Beside(factor * 0.5 * ((parameter.written + e) - (parameter.written - e)), up, down)
                for e, up, down in zip(sizes, worlds[::2], worlds[1::2], strict=True)
            ]
        h *= CLOSER
    raise UsageError(
        f"derivatives: on one side of {parameter.name} = {parameter.written:g} {parameter.unit}".rstrip()
        + " the scene is invalid or has another structure, such as other bodies, or another order of events"
    )


def _read(variants: Variants, parameter: VariedNumber, moves: Sequence[float]) -> list[World] | None:
    """The worlds of variants; None if one is not valid."""
    groups, faults = variants.models({parameter.name: [parameter.moved(e) for e in moves]})
    if any(problem.path.startswith("simulation") for fault in faults.values() for problem in fault.problems):
        raise UsageError(other_grid(parameter))
    found = {int(number): group.world(k) for group in groups for k, number in enumerate(group.numbers)}
    return None if faults else [found[k] for k in range(len(moves))]


def _same_grid(parameter: VariedNumber, world: World, other: World) -> bool:
    """Raises UsageError if the steps or the samples of two worlds are at other times."""
    a, b = world.blueprint, other.blueprint
    grids = [(one.n_step, one.stride, float(w.model.step), one.method) for one, w in ((a, world), (b, other))]
    if grids[0] != grids[1]:
        raise UsageError(other_grid(parameter))
    return True


def other_grid(parameter: VariedNumber) -> str:
    """The message about a parameter that moves the samples."""
    why = "changes the steps or the times of the samples; the derivatives are those of samples at the same times"
    return f"derivatives: {parameter.name} {why}"


def leaves(part: object) -> Iterator[np.ndarray]:
    """The arrays of nested tuples."""
    if isinstance(part, tuple):
        for inner in part:
            yield from leaves(inner)
    elif isinstance(part, np.ndarray):
        yield part


def structure_of(world: World) -> list:
    """What must be equal in worlds beside each other: all of a model but its numbers, and but the steps of events,
    which may be at the end of one.
    """
    model = world.model._replace(edge_step=None)
    events = [(e.body, e.to, e.kind, e.number) for e in world.blueprint.schedule.reparentings]
    return [events, *(a.shape if a.dtype == np.float64 else a.tobytes() for a in leaves(model))]
