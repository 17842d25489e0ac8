"""Running cases, and what came out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rigidsim.analysis.oracles import ClosedForm, LargestError, OracleError, closed_forms
from rigidsim.analysis.quantities import named
from rigidsim.errors import SimulationError
from rigidsim.selftest.cases import Case
from rigidsim.simulation.batch import simulate
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import measured

ROUNDING = 1e-12
"""An error below this part of the largest value of the reference is rounding, of which the order means nothing."""
MISSING_ORDER = 0.4
"""By how much an observed order may be below that of the integrator: terms of higher order at the steps of the cases
(measured: 0.22 at most)."""


@dataclass(frozen=True)
class Check:
    """One quantity of a case. `reference` and `measured` are the values of the component with the largest difference
    at the time (s) of the largest error, `error` the length of the difference there, with the finest step; in the unit
    of the quantity. `order` is the observed order of convergence, None if the errors are rounding or the case runs with
    one step; `expected_order` that of the integrator. `message` says why nothing could be compared.
    """

    case: str
    title: str
    source: str
    quantity: str
    unit: str
    time: float | None
    reference: float | None
    measured: float | None
    error: float | None
    tolerance: float | None
    order: float | None
    expected_order: float | None
    message: str = ""

    @property
    def has_passed(self) -> bool:
        """Whether the error is within the tolerance, and falls with the step as it should."""
        if self.error is None or self.tolerance is None or not self.error <= self.tolerance:
            return False
        return self.order is None or self.expected_order is None or self.order >= self.expected_order - MISSING_ORDER


def checks(case: Case) -> Iterator[Check]:
    """Run a case, and compare each of its quantities with its reference."""
    scenes = case.scenes()
    scene, runs = scenes[-1], []
    try:
        runs = [simulate(scene) for scene in scenes]
    except SimulationError as error:
        unknown = (None,) * 7
        yield Check(case.name, scene.title, " ".join(scene.description.split()), "", "", *unknown, str(error))
        return
    order = order_of(scene.simulation.integrator.order) if case.is_refined else None
    for form in (*closed_forms(runs[-1].header).values(), *case.references):
        found = [measured(run, LargestError(form))[0] for run in runs]
        reference, value = _values(runs[-1], form, found[-1])
        yield Check(
            case=case.name,
            title=scene.title,
            source=" ".join(scene.description.split()) if case.is_refined else "its oracle",
            quantity=form.name,
            unit=found[-1].unit,
            time=found[-1].time,
            reference=reference,
            measured=value,
            error=found[-1].error,
            tolerance=form.tolerance,
            order=observed_order([one.error for one in found], _size(runs[-1], form)),
            expected_order=order,
            message=found[-1].remark,
        )


def observed_order(errors: Sequence[float | None], size: float) -> float | None:
    """The order at which errors fall, of runs with a step, half of it and so on, from the last two that are not
    rounding for values of this size; None if there are none.
    """
    known = [error for error in errors if error is not None and math.isfinite(error)]
    if len(known) < len(errors):
        return None
    usable = [pair for pair in pairwise(known) if pair[1] > ROUNDING * size]
    return math.log2(usable[-1][0] / usable[-1][1]) if usable and usable[-1][0] > 0 else None


def order_of(text: str) -> float | None:
    """The order of an integrator; None for one whose order depends on the scene."""
    return float(text) if text.replace(".", "").isdigit() else None


def _values(run: Trajectory, form: ClosedForm, found: OracleError) -> tuple[float | None, float | None]:
    """The reference and the value where the error is largest; of what is nothing but rounding, at the end."""
    if found.error is None:
        return None, None
    known = np.isfinite(form.at(run.time).reshape(len(run.time), -1)).any(axis=1)
    is_rounding = found.error <= ROUNDING * _size(run, form)
    at = int(np.flatnonzero(known)[-1]) if is_rounding else int(np.argmin(np.abs(run.time - found.time)))
    reached = np.atleast_1d(named(run, form.name).of()[at])
    expected = np.atleast_1d(form.at(run.time[at : at + 1])[0])
    worst = int(np.nanargmax(np.abs(reached - expected)))
    return float(expected[worst]), float(reached[worst])


def _size(run: Trajectory, form: ClosedForm) -> float:
    expected = form.at(run.time)
    return float(np.nanmax(np.abs(expected), initial=0.0))
