"""A scene as a function of some of its numbers, and the derivatives of named quantities of its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rigidsim.analysis.quantities import NamedQuantity, named
from rigidsim.errors import UsageError
from rigidsim.quantities.vocabulary import CONTACT, SCENE
from rigidsim.scene.read import Scene, as_scene
from rigidsim.sensitivities.parameters import FIRST, LEVELS, VariedNumber, parameters_of
from rigidsim.sensitivities.runs import extrapolated
from rigidsim.sensitivities.simulation import differentiated
from rigidsim.simulation.batch import simulate
from rigidsim.simulation.header import resolved_text
from rigidsim.trajectory.derivatives import Derivative
from rigidsim.trajectory.header import Header, texts_of
from rigidsim.trajectory.trajectory import Trajectory


class Varied:
    """A scene as a function of some of its numbers, in SI units. Raises UsageError for what is not the name of one,
    which begins with what asked for them.
    """

    def __init__(self, scene: Scene | str | Path, names: Sequence[str], asked: str):
        self.scene, self.asked = as_scene(scene), asked
        self.parameters: list[VariedNumber] = parameters_of(self.scene, names, asked)

    @property
    def values(self) -> np.ndarray:
        """The numbers that the scene has."""
        return np.array([one.value for one in self.parameters])

    def at(self, values: Sequence[float] | np.ndarray) -> Scene:
        """The scene with other numbers. Raises SceneError if it is not valid."""
        changes = zip(self.parameters, values, strict=True)
        return self.scene.with_overrides([(one.name, one.at(value)) for one, value in changes])

    def run(self, values: Sequence[float] | np.ndarray | None = None) -> Trajectory:
        """The run of that scene, by default with the numbers that it has, with the derivatives with respect to these
        numbers. Raises SimulationError, too.
        """
        scene, names = self.scene if values is None else self.at(values), [one.name for one in self.parameters]
        return differentiated(scene, names, asked=self.asked) if names else simulate(scene)

    def rates(self, run: Trajectory, wanted: NamedQuantity) -> np.ndarray:
        """The derivatives of a quantity of such a run, SI units, (time, components, parameter); of a single number
        there is one component. A quantity is a function of the samples and, where it has masses or parameters, of the
        scene; differences of this function along the derivatives of both are extrapolated.
        """
        shape = len(run.time), max(1, len(wanted.components)), 1
        found = [rates_along(run, run.derivative(p.name), wanted, self._header).reshape(shape) for p in self.parameters]
        return np.concatenate([np.zeros((*shape[:2], 0)), *found], axis=-1)

    def _header(self, run: Trajectory, derivative: Derivative, e: float) -> Header:
        """The header of a run if a parameter is e larger, SI units."""
        values = [run.derivative(one.name).value + e * (one.name == derivative.parameter) for one in self.parameters]
        return replace(run.header, texts=texts_of(run.header.scene_text, resolved_text(self.at(values))))


def same_header(run: Trajectory, _derivative: Derivative, _e: float) -> Header:
    """The header, if the scene does not vary."""
    return run.header


def rates_along(
    run: Trajectory,
    derivative: Derivative,
    wanted: NamedQuantity,
    header: Callable[[Trajectory, Derivative, float], Header],
) -> np.ndarray:
    """The derivative of a quantity, SI units, (time) or (time, components), along those of all samples; `header` is
    that of a run beside. Raises UsageError for what has none.
    """
    if wanted.kind is not None and wanted.kind.needs == CONTACT:
        raise UsageError(f"{wanted.name} has no derivatives: those of forces at contact points are not computed")
    size, reads = _first_size(run, derivative), reads_scene(run.header, wanted)

    def value(e: float) -> np.ndarray:
        arrays = {name: np.asarray(run.arrays[name]) + e * np.asarray(derivative.arrays[name])
                  for name in _in_both(run, derivative)}  # fmt: skip
        own = replace(header(run, derivative, e) if reads else run.header, with_contacts=False)
        return named(Trajectory(own, {"time": run.time} | arrays, run.status), wanted.name).of()

    moves = [sign * size * 0.5**level for level in range(LEVELS) for sign in (1.0, -1.0)]
    return extrapolated((e, value(e)) for e in moves)


def _in_both(run: Trajectory, derivative: Derivative) -> list[str]:
    """The datasets of samples."""
    return [field.name for field in run.header.fields if field.name in derivative.arrays]


def reads_scene(header: Header, wanted: NamedQuantity) -> bool:
    """Whether a quantity depends on the scene besides the samples: by masses, parameters, or what was not recorded."""
    kind = wanted.kind
    return kind is None or bool(kind.of_free) or kind.needs in (SCENE, CONTACT) or header.recorded is not None


def _first_size(run: Trajectory, derivative: Derivative) -> float:
    """The first change of a parameter: it moves no dataset by more than a part of its largest number."""
    sizes = [FIRST * abs(derivative.value or 1.0)]
    for name in _in_both(run, derivative):
        values, rates = np.asarray(run.arrays[name]), np.asarray(derivative.arrays[name])
        largest, moved = np.nanmax(np.abs(values), initial=0.0), np.nanmax(np.abs(rates), initial=0.0)
        if largest > 0.0 and moved > 0.0:
            sizes.append(FIRST * largest / moved)
    return float(min(sizes))
