"""`rigidsim.fit`: numbers of a scene from measurements, by least squares with the derivatives of the runs.

The step of the solver is a trust region (Branch, Coleman, Li 1999; `scipy.optimize.least_squares`): where a scene is
not valid or a run fails, the region becomes smaller. Standard deviations are those of the linearised problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rigidsim.arguments import instance
from rigidsim.errors import SceneError, SimulationError, UsageError
from rigidsim.fitting.data import MeasuredTable, Measurements, table_of
from rigidsim.fitting.residuals import Compared, Residuals
from rigidsim.fitting.unknowns import BoundedNumber, bounded_number, in_si
from rigidsim.methods import calling
from rigidsim.scene.read import Scene, as_scene
from rigidsim.scene.schema.fit import TIME_OFFSET, FitSettings, FittedNumber, read_fit
from rigidsim.sensitivities.parameters import VariedNumber
from rigidsim.trajectory.trajectory import Trajectory

MOST_RUNS, TOLERANCE = 200, 1e-9
SEPARATE = 1e-8
"""Relative to the largest one, a singular value below this is rounding: the data do not change along its direction."""
NOTABLE = 0.1  # part of a direction, or of a standard deviation
MOST_TURNS, SETTLED = 8, 1e-2
"""Standard deviations of measurements that are not known are estimated so often, until they change less."""

LOSSES = {
    "soft_l1": lambda z: (2.0 * (np.sqrt(1.0 + z) - 1.0), (1.0 + z) ** -0.5, -0.5 * (1.0 + z) ** -1.5),
    "huber": lambda z: (
        np.where(z <= 1.0, z, 2.0 * np.sqrt(z) - 1.0),
        np.where(z <= 1.0, 1.0, np.maximum(z, 1.0) ** -0.5),
        np.where(z <= 1.0, 0.0, -0.5 * np.maximum(z, 1.0) ** -1.5),
    ),
    "cauchy": lambda z: (np.log1p(z), 1.0 / (1.0 + z), -1.0 / (1.0 + z) ** 2),
}
"""The robust losses of Triggs et al. (2000) and their first two derivatives, of the squares of residuals."""


class Estimated(NamedTuple):
    """A number that is estimated: its name, the experiment that it belongs to (None: all), how it is varied, and
    the mean and standard deviation that are known without the data, in SI units.
    """

    name: str
    experiment: int | None
    unknown: BoundedNumber
    prior: tuple[float, float] | None

    @property
    def label(self) -> str:
        """What it is called where several experiments have one of this name."""
        return self.unknown.label


class Direction(NamedTuple):
    """A combination of relative changes of the numbers, and its standard deviation; infinite if the data do not change
    along it.
    """

    parts: dict[str, float]
    sigma: float


class Fit:
    """The result of a fit. `values` and `sigma` are in SI units, by the names of the numbers."""

    def __init__(self, problem: FitResiduals, x: np.ndarray, jacobian: np.ndarray, active: np.ndarray, message: str):
        self._problem, self.message, self.runs = problem, message, problem.runs
        self.unknowns = problem.unknowns
        self.names = [one.label for one in self.unknowns]
        self.values = dict(zip(self.names, problem.values(x).tolist(), strict=True))
        self.at_bounds = [name for name, side in zip(self.names, active, strict=True) if side]
        self.trajectories, self.readings = problem.evaluated(x)
        self.sigmas = problem.sigmas
        self._decompose(x, jacobian, np.asarray(active) == 0)

    def _decompose(self, x: np.ndarray, jacobian: np.ndarray, free: np.ndarray) -> None:
        """Standard deviations and directions, from the singular values of the Jacobian."""
        slopes = np.array([one.unknown.slope(at) for one, at in zip(self.unknowns, x, strict=True)])
        sizes = np.array([abs(self.values[name]) or 1.0 for name in self.names])
        relative = jacobian[:, free] * (sizes / np.abs(slopes))[free]
        _, singular, rows = np.linalg.svd(relative, full_matrices=len(relative) < free.sum())
        singular = np.append(singular, np.zeros(len(rows) - len(singular)))
        known = singular > SEPARATE * np.max(singular, initial=0.0)
        spread = np.where(known, 1.0 / np.where(known, singular, 1.0), np.inf)
        parts = rows[known] * spread[known, np.newaxis]
        covariance = np.full((len(self.names),) * 2, np.nan)
        covariance[np.ix_(free, free)] = (parts.T @ parts) * np.outer(sizes[free], sizes[free])
        lost = np.zeros(len(self.names), bool)
        lost[free] = (np.abs(rows[~known]) > 1e-3).any(axis=0)
        covariance[lost] = covariance[:, lost] = np.nan
        covariance[lost, lost] = np.inf
        self.covariance = covariance
        with np.errstate(invalid="ignore"):
            self.sigma = dict(zip(self.names, np.sqrt(np.diag(covariance)).tolist(), strict=True))
        names = [name for name, is_free in zip(self.names, free, strict=True) if is_free]
        self.singular_values = singular
        self.directions = [
            Direction(dict(zip(names, (row * np.sign(row[np.argmax(abs(row))])).tolist(), strict=True)), float(size))
            for row, size in sorted(zip(rows, spread, strict=True), key=lambda pair: -pair[1])
        ]

    @property
    def undetermined(self) -> list[Direction]:
        """The directions along which the data allow relative changes larger than 1, the worst first."""
        return [one for one in self.directions if one.sigma > 1.0]

    @property
    def correlation(self) -> np.ndarray:
        """The correlations of the errors of the numbers."""
        sizes = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            return self.covariance / np.outer(sizes, sizes)

    @property
    def experiments(self) -> list[Compared]:
        """The experiments, with their measurements."""
        return self._problem.experiments

    @cached_property
    def residuals(self) -> list[dict[str, np.ndarray]]:
        """Measured less computed, in units of the quantity, by the names of quantities, of each experiment."""
        return [
            {one.quantity: reading.residuals for one, reading in zip(each.measured, readings, strict=True)}
            for each, readings in zip(self.experiments, self.readings, strict=True)
        ]

    @property
    def chi2(self) -> float:
        """The sum of squares of the residuals over their standard deviations, and of the priors."""
        rows = self._problem.stacked(self.readings, np.array([*self.values.values()]))[0]
        return float(rows @ rows)

    @property
    def dof(self) -> int:
        """Measurements and priors, less the numbers that are estimated and not at a bound."""
        count = sum(len(one.values) for each in self.experiments for one in each.measured)
        return count + sum(one.prior is not None for one in self.unknowns) - len(self.names) + len(self.at_bounds)

    @property
    def has_estimated_sigma(self) -> bool:
        """Whether the standard deviation of some measurements is estimated from their residuals."""
        return self._problem.is_estimating

    @property
    def interpolation_error(self) -> float:
        """What reading between samples may add, in standard deviations of a measurement: the largest difference of two
        orders.
        """
        sizes = [
            np.max(np.abs(one.residuals - one.rough) / sigma, initial=0.0)
            for readings, sigmas in zip(self.readings, self.sigmas, strict=True)
            for one, sigma in zip(readings, sigmas, strict=True)
        ]
        return float(max(sizes))

    @property
    def overrides(self) -> list[tuple[str, Any]]:
        """The numbers that all experiments share, as the scene has them."""
        return [
            (one.name, one.unknown.number.at(self.values[one.label])) for one in self.unknowns if one.experiment is None
        ]

    @property
    def scene(self) -> Scene:
        """The scene with the estimated numbers that all experiments share."""
        return self._problem.scene.with_overrides(self.overrides)

    plot = calling("fit_figure")

    def __repr__(self) -> str:
        each = ", ".join(f"{name} = {self.values[name]:.6g} +- {self.sigma[name]:.2g}" for name in self.names)
        return f"<Fit: {each}; chi2 {self.chi2:.4g} of {self.dof}>"


class FitResiduals:
    """Residuals and their Jacobian as functions of the coordinates of the unknowns."""

    def __init__(self, scene: Scene, settings: FitSettings, tables: Sequence[MeasuredTable | None]):
        self.scene, self.loss, self.runs = scene, settings.loss, 0
        shared = list(settings.parameters)
        self.experiments = [
            Compared(scene, one, [*shared, *one.vary], table) for one, table in zip(settings.data, tables, strict=True)
        ]
        self.unknowns = self._unknowns(settings)
        self.is_estimating = any(one.sigma is None for each in self.experiments for one in each.measured)
        self.sigmas = [[_first_sigma(one) for one in each.measured] for each in self.experiments]
        self._kept: tuple[np.ndarray, Any] | None = None

    def _unknowns(self, settings: FitSettings) -> list[Estimated]:
        many = len(self.experiments) > 1
        found = [_estimated(name, None, name, self.experiments[0], what) for name, what in settings.parameters.items()]
        for k, (one, each) in enumerate(zip(settings.data, self.experiments, strict=True)):
            names = (f"{name} of experiment {k + 1}" if many else name for name in one.vary)
            found += [_estimated(n, k, label, each, one.vary[n]) for n, label in zip(one.vary, names, strict=True)]
        return found

    def values(self, x: np.ndarray) -> np.ndarray:
        """The numbers, in SI units."""
        return np.array([one.unknown.value(at) for one, at in zip(self.unknowns, x, strict=True)])

    def evaluated(self, x: np.ndarray) -> tuple[list[Trajectory], list[list[Residuals]]]:
        """The runs, and what they say at the measurements. Raises SceneError, SimulationError."""
        if self._kept is None or not np.array_equal(self._kept[0], x):
            self.runs += 1
            values, runs, readings = self.values(x), [], []
            for k, each in enumerate(self.experiments):
                own = {u.name: v for u, v in zip(self.unknowns, values, strict=True) if u.experiment in (None, k)}
                numbers, offset = each.split(own)
                runs.append(each.varied.run(numbers))
                readings.append(each.read(runs[-1], offset))
            self._kept = np.array(x), (runs, readings)
        return self._kept[1]

    def stacked(self, readings: Sequence[Sequence[Residuals]], values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All residuals over their standard deviations, then those of priors; their derivatives, in SI units."""
        rows, rates = [], []
        for k, (each, found) in enumerate(zip(self.experiments, readings, strict=True)):
            for one, sigma in zip(found, self.sigmas[k], strict=True):
                jacobian = np.zeros((len(one.residuals), len(self.unknowns)))
                for j, unknown in enumerate(self.unknowns):
                    if unknown.experiment in (None, k):
                        jacobian[:, j] = one.rates[:, each.names.index(unknown.name)] / sigma
                rows.append(one.residuals / sigma)
                rates.append(jacobian)
        for j, (unknown, value) in enumerate(zip(self.unknowns, values, strict=True)):
            if unknown.prior is not None:
                mean, deviation = unknown.prior
                rows.append(np.array([(value - mean) / deviation]))
                rates.append(np.eye(1, len(self.unknowns), j) / deviation)
        return np.concatenate(rows), np.concatenate(rates)

    def residuals(self, x: np.ndarray) -> np.ndarray:
        """Infinite where the scene is not valid, or its run fails: the solver then takes a shorter step."""
        try:
            readings = self.evaluated(x)[1]
        except (SceneError, SimulationError, UsageError):
            return np.full(self._count, np.inf)
        return self.stacked(readings, self.values(x))[0]

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """The derivatives of the residuals with respect to the coordinates."""
        slopes = np.array([one.unknown.slope(at) for one, at in zip(self.unknowns, x, strict=True)])
        return self.stacked(self.evaluated(x)[1], self.values(x))[1] * slopes

    @property
    def _count(self) -> int:
        priors = sum(one.prior is not None for one in self.unknowns)
        return priors + sum(len(one.values) for each in self.experiments for one in each.measured)

    def loss_of(self) -> Any:
        """The loss, as scipy takes it: that of a prior is always linear."""
        if self.loss == "linear":
            return "linear"
        measured = np.arange(self._count) < self._count - sum(one.prior is not None for one in self.unknowns)

        def rho(z: np.ndarray) -> np.ndarray:
            linear = z, np.ones_like(z), np.zeros_like(z)
            return np.array([np.where(measured, a, b) for a, b in zip(LOSSES[self.loss](z), linear, strict=True)])

        return rho

    def solved(self) -> Fit:
        """The fit. Raises the error of the first scene, or of its run."""
        from scipy.optimize import least_squares

        x = np.zeros(len(self.unknowns))
        self.evaluated(x)
        low, high = np.array([one.unknown.limits for one in self.unknowns]).T
        # Coordinates begin at 0, where the first region of a scale by the Jacobian would be tiny; they are relative.
        for _ in range(MOST_TURNS):
            found = least_squares(self.residuals, x, self.jacobian, (low, high), loss=self.loss_of(), x_scale=1.0,
                                  xtol=TOLERANCE, ftol=TOLERANCE, gtol=TOLERANCE, max_nfev=MOST_RUNS)  # fmt: skip
            x = found.x
            if not self._estimate(x):
                break
        message = "" if found.status > 0 else f"the fit did not converge in {MOST_RUNS} runs"
        return Fit(self, x, found.jac, found.active_mask, message)

    def _estimate(self, x: np.ndarray) -> bool:
        """Take the standard deviations that are not known from the residuals; whether they changed much."""
        share = 1.0 - len(self.unknowns) / self._count
        changes = [0.0]
        for k, (each, readings) in enumerate(zip(self.experiments, self.evaluated(x)[1], strict=True)):
            for i, (one, reading) in enumerate(zip(each.measured, readings, strict=True)):
                if one.sigma is None:
                    rms = np.sqrt(np.mean(reading.residuals**2) / max(share, 1.0 / self._count))
                    changes.append(abs(rms / self.sigmas[k][i][0] - 1.0))
                    self.sigmas[k][i] = np.full(len(one.values), rms or self.sigmas[k][i][0])
        return max(changes) > SETTLED


def _first_sigma(one: Measurements) -> np.ndarray:
    """The standard deviations; those that are not known begin with that of the values themselves."""
    return np.full(len(one.values), float(np.std(one.values)) or 1.0) if one.sigma is None else one.sigma


def _estimated(name: str, experiment: int | None, label: str, each: Compared, known: FittedNumber) -> Estimated:
    if name == TIME_OFFSET:
        number = VariedNumber(name, each.experiment.time_offset, each.experiment.time_offset, "s", "fit")
    else:
        number = next(one for one in each.varied.parameters if one.name == name)._replace(asked="fit")
    prior = known.prior and tuple(in_si(one, number, label) for one in known.prior)
    return Estimated(name, experiment, bounded_number(number, known, label), prior)


def fit(
    scene: Scene | str | Path, data: Any = None, vary: Sequence[str] | Mapping[str, Any] = (), **settings: Any
) -> Fit:
    """Estimate numbers of a scene from measurements, by least squares.

    Parameters
    ----------
    scene : Scene or path
        Without the other arguments, its key `fit` is taken.
    data : path, mapping of arrays by name, or list of experiments
        A CSV file, a table, or experiments. Each of these is a mapping with the keys that `fit.data` has in a scene;
        `table` may stand in place of `file`.
    vary : sequence of str, or mapping
        Names of the numbers, or what is known of them: `{"mass": {"bounds": [1, 3], "scale": "log"}}`.
    **settings : other keys of `fit`
        `loss` is one of linear, soft_l1, huber, cauchy.

    Returns
    -------
    Fit
        Values, standard deviations, residuals, and the scene with the values.

    Raises
    ------
    UsageError
        For bad data or settings. If the scene fails at the start, its own error is raised.
    """
    scene = as_scene(scene)
    if data is None and not vary and not settings:
        if scene.fit is None:
            raise UsageError("there is nothing to fit: give data and vary, or add 'fit' to the scene")
        return FitResiduals(scene, scene.fit, [None] * len(scene.fit.data)).solved()
    experiments, tables = _experiments(data)
    given = {"data": experiments, "parameters": vary if isinstance(vary, Mapping) else list(vary), **settings}
    return FitResiduals(scene, read_fit(given), tables).solved()


def _experiments(data: Any) -> tuple[list[dict[str, Any]], list[MeasuredTable | None]]:
    """Experiments as plain data, and the tables that stand in place of files."""
    if isinstance(data, str | Path):
        return [{"file": str(data)}], [None]
    if hasattr(data, "keys") and not {"file", "table"} & set(data.keys()):
        data = [{"table": data}]
    each = [data] if isinstance(data, Mapping) else list(instance(data, list, "data", tuple))
    found, tables = [], []
    for one in each:
        if not isinstance(one, Mapping):
            raise UsageError(f"data: expected a mapping with file or table, got {one!r:.60}")
        table = one.get("table")
        tables.append(None if table is None else table_of({name: table[name] for name in [*table]}))
        found.append({"file": "", **{key: value for key, value in one.items() if key != "table"}})
    return found, tables
