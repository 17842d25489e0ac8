"""The numbers of a scene with respect to which a run is differentiated, and the worlds beside it, which differ in one
of these numbers a little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import getitem
from typing import NamedTuple

import numpy as np

from rigidsim.arguments import refuse
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.model.arrays import leaves
from rigidsim.errors import UsageError, did_you_mean
from rigidsim.scene.prepare.overrides import path_of
from rigidsim.scene.prepare.uncertain import deviation_of
from rigidsim.scene.read import Scene
from rigidsim.scene.text.document import Document, Path, shown
from rigidsim.scene.values.amounts import as_written
from rigidsim.scene.values.quantities import DIMENSIONS, dimension_of, split_quantity
from rigidsim.simulation.blocks import WorldGroup
from rigidsim.sweeps.variants import Variants

LEVELS = 4
"""Differences of the building, each with half of the step of the one before, are extrapolated to the step 0."""
FIRST = 2.0**-6
"""The first step, as a part of the value; smaller if the scene is another one so far away."""
CLOSER, TRIES = 2.0**-5, 8


DERIVATIVES = "derivatives"


class VariedNumber(NamedTuple):
    """A number of a scene: its name, as `--set` takes it, its value in SI units, and as it is written there, with its
    unit or beside the key of its unit. Messages begin with what asked for it.
    """

    name: str
    value: float
    written: float
    unit: str
    asked: str = DERIVATIVES
    key: str = ""  # its unit, if that is a key of its own

    @property
    def factor(self) -> float:
        """SI units per unit that is written."""
        unit = self.unit or self.key
        return float(dimension_of(unit).units[unit]) if unit else 1.0

    def moved(self, e: float) -> float | str:
        """The written value plus e."""
        return as_written(self.written + e, self.unit)

    def at(self, value: float) -> float | str:
        """Another value, in SI units, as the scene has it."""
        return as_written(float(value) / self.factor, self.unit)


class Beside(NamedTuple):
    """A world beside that of a scene, a member of a group, and how much larger the parameter is in it, SI units."""

    larger: float
    group: WorldGroup
    place: int

    @property
    def world(self) -> World:
        """The world."""
        return self.group.world(self.place)


def parameters_of(scene: Scene, names: Sequence[str], asked: str = DERIVATIVES) -> list[VariedNumber]:
    """The parameters with these names. Raises UsageError for what is not the name of a number."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        refuse(asked, "a list of names of numbers of the scene", names)
    names, document = [name.strip() for name in names], scene.once(Scene.document)
    for name in names:
        if not name or names.count(name) > 1:
            raise UsageError(f"{asked}: '{shown(name)}' is named twice" if name else f"{asked}: a name is empty")
    return [_parameter(name, document, asked) for name in names]


def _named_beside(path: Path, document: Document) -> list[str]:
    """The keys beside which the last one of a path is not; those of parameters may stand alone."""
    try:
        found = reduce(getitem, path[:-1], document.data)
    except (KeyError, IndexError, TypeError):
        return []
    named = [*found] if isinstance(found, dict) else []
    return [str(key) for key in (named if path[:-1] else [*named, *(document.data.get("parameters") or ())])]


def _parameter(name: str, document: Document, asked: str) -> VariedNumber:
    path = path_of(document, name, Scene)
    try:
        found = reduce(getitem, path, document.data)
    except (KeyError, IndexError, TypeError):
        hint = did_you_mean(path[-1], _named_beside(path, document), "write its value there")
        raise UsageError(f"{asked}: '{shown(name)}' is not in the scene; {hint}") from None
    if isinstance(found, str) and found.lstrip().startswith("="):
        raise UsageError(f"{asked}: '{shown(name)}' is an expression, {shown(found)}; name a parameter in it")
    number, unit = split_quantity(found) if isinstance(found, str) else (found, "")
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if not (is_number or unit) or not math.isfinite(float(number)):
        raise UsageError(f"{asked}: '{shown(name)}' is {shown(found)}, not a number")
    parts = reduce(getitem, path[:-1], document.data)
    key = parts.get("unit", "") if path[0] == "parameters" and path[-1] == "value" else ""
    written = VariedNumber(name, 0.0, float(number), unit, asked, key)
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
        own = parameter.unit or parameter.key
        possible = [dimension_of(own)] if own else DIMENSIONS
        if unit and not any(unit in dimension.units for dimension in possible):
            expected = f"one of {possible[0].name}, as the scene has it in {own}" if own else "a known unit"
            raise UsageError(f"--spread {parameter.name}={text}: '{shown(unit)}' is not {expected}")
        size *= parameter._replace(unit=unit or parameter.unit).factor
    if not (math.isfinite(size) and size > 0.0):
        raise UsageError(
            f"--spread {parameter.name}={text}: expected a positive number, a quantity, or a part such as 1%"
        )
    return size


def spreads_of(scene: Scene, parameters: Sequence[VariedNumber]) -> dict[str, float]:
    """The standard deviations, SI units, of those that are uncertain in the scene."""
    known = scene.uncertain
    return {one.name: one.factor * deviation_of(known[one.name]) for one in parameters if one.name in known}


def beside(scene: Scene, parameters: Sequence[VariedNumber], world: World) -> list[list[Beside]]:
    """For each parameter worlds on both sides of that of a scene, of the same structure. All are read at once; where
    the scene is another one so far away, parameters are read one by one. Raises UsageError where there are none.
    """
    document = scene.once(Scene.document)
    sizes = [FIRST * (abs(one.written) or 1.0) for one in parameters]
    found = _read(document, parameters, sizes, world) if parameters else []
    return [
        worlds or _closer(document, one, CLOSER * size, world)
        for one, size, worlds in zip(parameters, sizes, found, strict=True)
    ]


def _closer(document: Document, parameter: VariedNumber, size: float, world: World) -> list[Beside]:
    for _ in range(TRIES):
        (found,) = _read(document, [parameter], [size], world)
        if found:
            return found
        size *= CLOSER
    raise UsageError(
        f"{parameter.asked}: on one side of {parameter.name} = {parameter.written:g} {parameter.unit}".rstrip()
        + " the scene is invalid or has another structure, such as other bodies, or another order of events"
    )


def _read(
    document: Document, parameters: Sequence[VariedNumber], sizes: Sequence[float], world: World
) -> list[list[Beside]]:
    """For each parameter its worlds, at both sides by a size and by half of the one before; none if some are not valid
    or have another structure.
    """
    moves = [[sign * size * 0.5**level for level in range(LEVELS) for sign in (1.0, -1.0)] for size in sizes]
    places = [(k, e) for k, each in enumerate(moves) for e in each]
    columns = {one.name: [one.moved(e if j == k else 0.0) for j, e in places] for k, one in enumerate(parameters)}
    groups, faults = Variants(document, [*columns]).models(columns)
    for number, fault in faults.items():
        if any(problem.path.startswith("simulation") for problem in fault.problems):
            raise UsageError(other_grid(parameters[places[number][0]]))
    found: dict[int, Beside] = {}
    for group in groups:
        first = group.world(0)
        _require_grid(parameters[places[int(group.numbers[0])][0]], world, first)
        if structure_of(first) == structure_of(world):
            for place, number in enumerate(group.numbers.tolist()):
                k, e = places[number]
                one = parameters[k]
                half = 0.5 * ((one.written + abs(e)) - (one.written - abs(e)))  # without the rounding of the sums
                found[number] = Beside(one.factor * math.copysign(half, e), group, place)
    count = 2 * LEVELS
    each = [[found.get(number) for number in range(k * count, (k + 1) * count)] for k in range(len(parameters))]
    known = [[one for one in worlds if one is not None] for worlds in each]
    return [worlds if len(worlds) == count else [] for worlds in known]


def _require_grid(parameter: VariedNumber, world: World, other: World) -> None:
    """Raise UsageError if the steps or the samples of two worlds are at other times."""
    a, b = world.blueprint, other.blueprint
    grids = [(one.n_step, one.stride, float(w.model.step), one.method) for one, w in ((a, world), (b, other))]
    if grids[0] != grids[1]:
        raise UsageError(other_grid(parameter))


def other_grid(parameter: VariedNumber) -> str:
    """The message about a parameter that moves the samples."""
    why = "changes the steps or the times of the samples; the derivatives are those of samples at the same times"
    return f"{parameter.asked}: {parameter.name} {why}"


def structure_of(world: World) -> list:
    """What must be equal in worlds beside each other: all of a model but its numbers, and but the steps of events,
    which may be at the end of one.
    """
    steps = world.model.edge_step
    kept = (array for array in leaves(world.model) if array is not steps)
    events = [(e.body, e.to, e.kind, e.number) for e in world.blueprint.schedule.reparentings]
    return [events, *(a.shape if a.dtype == np.float64 else a.tobytes() for a in kept)]
