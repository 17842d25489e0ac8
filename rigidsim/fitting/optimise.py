"""`rigidsim.optimise`: numbers of a scene for which a metric is smallest or largest, and others obey conditions.

Goal and margins of conditions are metrics of a run with derivatives, so their gradients are exact. The solver is
sequential quadratic programming (Kraft, A software package for sequential quadratic programming, 1988;
`scipy.optimize.minimize`); where a scene is not valid or a run fails, its step becomes shorter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rigidsim.arguments import instance
from rigidsim.errors import SceneError, SimulationError, UsageError
from rigidsim.fitting.unknowns import BoundedNumber, bounded_number
from rigidsim.scene.read import Scene, as_scene
from rigidsim.scene.schema.optimise import OptimiseSettings
from rigidsim.sensitivities.varied import Varied
from rigidsim.trajectory.trajectory import Trajectory

ASKED = "optimise"
MOST_TURNS, TOLERANCE = 200, 1e-12
MET, SETTLED = 1e-6, 1e-5
"""Relative to their sizes, what a condition may be short of, and the slope that is left at an optimum."""


class Met(NamedTuple):
    """A condition at the optimum: its text, its margin in SI units, whether it is active, and how much the goal would
    change, to first order, per unit by which the condition is relaxed (from the multiplier of Lagrange).
    """

    text: str
    margin: float
    is_active: bool
    gain: float


class Optimum(NamedTuple):
    """The result of an optimisation: what was asked, the numbers and the goal in SI units, the goal at the start, the
    conditions, and the numbers at bounds. It also has the scene and its run, the numbers as the scene has them, how
    they were varied, how many runs it took, and what went wrong.
    """

    asked: str
    values: dict[str, float]
    goal: float
    start: float
    conditions: list[Met]
    at_bounds: list[str]
    scene: Scene
    trajectory: Trajectory
    overrides: list[tuple[str, float | str]]
    unknowns: list[BoundedNumber]
    runs: int
    message: str


class _Spent(Exception):
    """All runs that are allowed were made."""


class _Evaluated(NamedTuple):
    """A point that was tried: its coordinates, its run, goal and margins, and their derivatives; SI units."""

    x: np.ndarray
    run: Trajectory
    values: np.ndarray
    rates: np.ndarray


class Goal:
    """Goal and margins as functions of the coordinates of the unknowns, divided by their sizes at the start. The goal
    is to be smallest.
    """

    def __init__(self, scene: Scene, settings: OptimiseSettings):
        self.scene, self.settings, self.runs = scene, settings, 0
        self._kept: list[_Evaluated | None] = [None, None]  # the last point, and the best one
        metrics = [settings.goal, *(margin for one in settings.subject_to for margin in one.margins)]
        self.names = _unused(scene, ["goal", *(f"margin_{k + 1}" for k in range(len(metrics) - 1))])
        named = zip(self.names, metrics, strict=True)
        asked = scene.with_overrides([(f"metrics.{name}", metric.text) for name, metric in named])
        self.varied = Varied(asked, list(settings.vary), ASKED)
        known = zip(self.varied.parameters, settings.vary.values(), strict=True)
        self.unknowns = [bounded_number(number, one, number.name) for number, one in known]
        self.is_equal = np.array([equal for one in settings.subject_to for equal in one.is_equal], bool)
        self.signs = np.ones(len(metrics))
        self.signs[0] = 1.0 if settings.maximise is None else -1.0
        self.sizes = np.ones(len(metrics))
        values, rates = self.evaluated(np.zeros(len(self.unknowns)))
        self.start = float(self.signs[0] * values[0])
        self._require_dependence(rates)
        size = np.maximum(np.abs(values), np.abs(rates).max(axis=1))
        self.sizes = np.where(size > 0.0, size, 1.0)

    def _require_dependence(self, rates: np.ndarray) -> None:
        if not rates[0].any():
            names = ", ".join(one.label for one in self.unknowns)
            raise UsageError(f"{ASKED}: {self.settings.goal.text} does not change with {names}")

    def values(self, x: np.ndarray) -> np.ndarray:
        """The numbers, in SI units."""
        return np.array([one.value(at) for one, at in zip(self.unknowns, x, strict=True)])

    def evaluated(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Goal and margins, and their derivatives with respect to the coordinates, (metric, unknown). Raises
        SceneError, SimulationError.
        """
        found, factors = self._at(x), self.signs / self.sizes
        return found.values * factors, found.rates * factors[:, np.newaxis]

    def _at(self, x: np.ndarray) -> _Evaluated:
        known = next((one for one in self._kept if one is not None and np.array_equal(one.x, x)), None)
        if known is not None:
            return known
        if self.runs >= self.settings.max_runs:
            raise _Spent
        self.runs += 1
        run = self.varied.run(self.values(x).tolist())
        values = np.array([run.metrics[name] for name in self.names])
        if not np.isfinite(values).all():
            where = int(np.argmax(~np.isfinite(values)))
            raise SimulationError(f"{self._text(where)} has no value: what it asks for does not happen")
        slopes = [one.slope(at) for one, at in zip(self.unknowns, x, strict=True)]
        along = [run.derivative(one.name).metrics for one in self.varied.parameters]
        rates = np.array([[one[name] for one in along] for name in self.names]) * slopes
        found, best = _Evaluated(np.array(x), run, values, rates), self._kept[1]
        is_better = best is None or self._rank(found) < self._rank(best)
        self._kept = [found, found if is_better else best]
        return found

    @property
    def _best(self) -> _Evaluated:
        """The best point up to now."""
        best = self._kept[1]
        assert best is not None
        return best

    def _rank(self, one: _Evaluated) -> tuple[float, float]:
        """What the worst condition is missed by, and the goal: less is better."""
        values = one.values * self.signs / self.sizes
        worst = float(np.max(self._missed(values[1:]), initial=0.0))
        return worst if worst > MET else 0.0, float(values[0])

    def _missed(self, margins: np.ndarray) -> np.ndarray:
        """What each condition is missed by."""
        return np.where(self.is_equal, np.abs(margins), -margins)

    def run(self, x: np.ndarray) -> Trajectory:
        """The run at these coordinates."""
        return self._at(x).run

    def _text(self, k: int) -> str:
        return [self.settings.goal.text, *(one.text for one in self.settings.subject_to for _ in one.margins)][k]

    def tried(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Goal and margins; None where the scene is not valid or the run fails."""
        try:
            return self.evaluated(x)
        except (SceneError, SimulationError, UsageError):
            return None

    def solved(self) -> Optimum:
        """The optimum. Raises SimulationError if the conditions cannot be met."""
        x, message = self._solution(np.zeros(len(self.unknowns)))
        values, rates = self.evaluated(x)
        margins, sizes = values[1:], self.sizes[1:]
        self._require_met(x, margins)
        active = self.is_equal | (margins < MET)
        multipliers, left = self._multipliers(x, active, rates)
        gains = -self.signs[0] * self.sizes[0] * multipliers / sizes
        parts = [self._text(k + 1) for k in range(len(sizes))], margins * sizes, active, gains
        conditions = [Met(text, *numbers) for text, *numbers in zip(*map(_listed, parts), strict=True)]
        return self._optimum(x, conditions, message if left > SETTLED else "")

    def _require_met(self, x: np.ndarray, margins: np.ndarray) -> None:
        short = self._missed(margins)
        if np.any(short > MET):
            k = int(np.argmax(short))
            at = ", ".join(f"{one.label} = {v:.6g}" for one, v in zip(self.unknowns, self.values(x), strict=True))
            by = f"{short[k] * self.sizes[k + 1]:.3g} {self._units[k]}".rstrip()
            tried = f"the best point of {self.runs} tried, {at}, misses it by {by}"
            raise SimulationError(f"no numbers within the bounds were found that meet {self._text(k + 1)}; {tried}")

    @property
    def _units(self) -> list[str]:
        """The unit of each margin, where it is known."""
        return [margin.unit for one in self.settings.subject_to for margin in one.margins]

    def _optimum(self, x: np.ndarray, conditions: list[Met], message: str) -> Optimum:
        run, found = self.run(x), self.values(x).tolist()
        names = [one.label for one in self.unknowns]
        overrides = [(one.number.name, one.number.at(v)) for one, v in zip(self.unknowns, found, strict=True)]
        return Optimum(
            asked=self.settings.goal.text,
            values=dict(zip(names, found, strict=True)),
            goal=run.metrics[self.names[0]],
            start=self.start,
            conditions=conditions,
            at_bounds=[name for name, at in zip(names, self._at_bounds(x), strict=True) if at],
            scene=self.scene.with_overrides(overrides),
            trajectory=run,
            overrides=overrides,
            unknowns=self.unknowns,
            runs=self.runs,
            message=message,
        )

    def _solution(self, x: np.ndarray) -> tuple[np.ndarray, str]:
        from scipy.optimize import Bounds, minimize

        last = self.evaluated(x)

        def at(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            nonlocal last
            found = self.tried(y)
            last = last if found is None else found
            return last if found is not None else (np.where(np.arange(len(self.names)) == 0, np.inf, last[0]), last[1])

        low, high = np.array([one.limits for one in self.unknowns]).T
        kinds = [("eq", self.is_equal), ("ineq", ~self.is_equal)]
        conditions = [
            {"type": kind, "fun": lambda y, k=k: at(y)[0][1:][k], "jac": lambda y, k=k: at(y)[1][1:][k]}
            for kind, k in kinds
            if k.any()
        ]
        try:
            found = minimize(
                lambda y: at(y)[0][0],
                x,
                jac=lambda y: at(y)[1][0],
                method="SLSQP",
                bounds=Bounds(low, high),
                constraints=conditions,
                options={"ftol": TOLERANCE, "maxiter": MOST_TURNS},
            )
            y, message = np.clip(found.x, low, high), "" if found.success else found.message
            self.evaluated(y)
        except _Spent:
            y, message = self._best.x, f"it has made the {self.runs} runs that max_runs allows"
        if self._rank(self._at(y))[0] > 0.0:
            y = self._best.x
        return y, message and f"the optimisation did not converge: {message}"

    def _at_bounds(self, x: np.ndarray) -> np.ndarray:
        low, high = np.array([one.limits for one in self.unknowns]).T
        with np.errstate(invalid="ignore"):
            return (x <= low + MET) | (x >= high - MET)

    def _multipliers(self, x: np.ndarray, active: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, float]:
        """The multipliers of the conditions, and the slope of the goal that neither these nor bounds balance."""
        free, found = ~self._at_bounds(x), np.zeros(len(active))
        held, goal = rates[1:][active][:, free], rates[0][free]
        found[active] = np.linalg.lstsq(held.T, goal, rcond=None)[0]
        return found, float(np.max(np.abs(goal - found[active] @ held), initial=0.0))


def _listed(part: Sequence) -> list:
    return part.tolist() if isinstance(part, np.ndarray) else list(part)


def _unused(scene: Scene, names: Sequence[str]) -> list[str]:
    """Names of metrics that the scene does not have."""
    found = []
    for name in names:
        while name in scene.metrics:
            name += "_"
        found.append(name)
    return found


def optimise(
    scene: Scene | str | Path,
    vary: Sequence[str] | Mapping[str, Any] = (),
    minimise: str | None = None,
    maximise: str | None = None,
    subject_to: Sequence[str] = (),
    max_runs: int | None = None,
) -> Optimum:
    """Find numbers of a scene for which an expression of metrics is smallest, or largest.

    Parameters
    ----------
    scene : Scene or path
        Without the other arguments, its key `optimise` is taken. The optimum is the nearest one downhill from its
        numbers.
    vary : sequence of str, or mapping
        Names of the numbers, or their bounds: `{"reach": [0.5, 2]}`, `"0.5:2"`, `"log:0.5:2"`.
    minimise, maximise : str
        The goal, an expression of metrics.
    subject_to : sequence of str
        Conditions: `"= max(speed('ball')) < 3 m/s"`.
    max_runs : int
        How many runs are made at most, by default those of the scene's `optimise`, or 300.

    Returns
    -------
    Optimum
        The numbers, the goal, the margin of each condition, and the scene with the numbers.

    Raises
    ------
    UsageError, SceneError
        For bad settings. If the scene fails at the start, its own error is raised.
    SimulationError
        Where no numbers meet the conditions.
    """
    scene = as_scene(scene)
    settings = scene.optimise
    if vary or minimise is not None or maximise is not None or subject_to:
        numbers = dict(vary) if isinstance(vary, Mapping) else list(instance(vary, list, "vary", tuple))
        conditions = (
            [subject_to] if isinstance(subject_to, str) else list(instance(subject_to, list, "subject_to", tuple))
        )
        given = {"vary": numbers, "minimise": minimise, "maximise": maximise, "subject_to": conditions,
                 "max_runs": max_runs}  # fmt: skip
        data = {key: value for key, value in given.items() if value not in (None, "", [], {})}
        settings = scene.with_overrides([(ASKED, data)]).optimise
    elif settings is not None and max_runs is not None:
        settings = scene.with_overrides([(f"{ASKED}.max_runs", max_runs)]).optimise
    if settings is None:
        raise UsageError("there is nothing to optimise: give vary and minimise, or add 'optimise' to the scene")
    return Goal(scene, settings).solved()
