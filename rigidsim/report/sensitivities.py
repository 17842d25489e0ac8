"""The report of `rigidsim sensitivities`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rigidsim.analysis.growth import Growth
from rigidsim.report.growth import growth_section
from rigidsim.report.sections import CellTable, Report, Section
from rigidsim.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from rigidsim.sensitivities.spread import Displaced, Reach


class SensitivityReport(Report):
    """Derivatives of metrics, their standard deviations, how far all this holds, and what displaced runs say."""

    def __init__(
        self,
        name: str,
        trajectory: Trajectory,
        spreads: Mapping[str, float],
        sigmas: Mapping[str, float],
        reaches: Mapping[str, Reach],
        displaced: Sequence[Displaced],
        growth: Growth | None,
    ):
        self._trajectory, self._spreads = trajectory, spreads
        head = Section({"scene": name}, [f"{name}: derivatives of metrics, per SI unit of each parameter"])
        parts = self._derivatives(), self._sigmas(sigmas), _reaches(reaches), growth_section(growth)
        super().__init__(head, *parts, _displaced(displaced))

    def _derivatives(self) -> Section:
        rows: list[list[str]] = []
        data: dict[str, Any] = {}
        for metric, value in self._trajectory.metrics.items():
            data[metric] = {"value": value, "derivatives": {}, "elasticities": {}}
            for parameter in self._trajectory.parameters:
                one = self._trajectory.derivative(parameter)
                rate, elasticity = one.metrics[metric], _elasticity(one.metrics[metric], one.value, value)
                data[metric]["derivatives"][parameter], data[metric]["elasticities"][parameter] = rate, elasticity
                rows.append([metric, f"{value:.9g}", parameter, f"{one.value:.6g}", f"{rate:.9g}", _shown(elasticity)])
        names = ["metric", "value", "parameter", "value", "derivative", "elasticity"]
        return Section({"metrics": data}, table=CellTable(names, rows))

    def _sigmas(self, sigmas: Mapping[str, float]) -> Section:
        if not self._spreads:
            return Section()
        values = self._trajectory.metrics
        rows = [[metric, f"{values[metric]:.9g}", f"{sigma:.6g}"] for metric, sigma in sigmas.items()]
        data = {"spreads": self._spreads, "standard_deviations": sigmas}
        return Section(data, table=CellTable(["metric", "value", "standard deviation"], rows))


def _elasticity(rate: float, parameter: float, value: float) -> float:
    """The relative change of a metric over that of the parameter."""
    return rate * parameter / value if value else math.nan


def _shown(number: float) -> str:
    return "" if math.isnan(number) else f"{number:.6g}"


def _reaches(reaches: Mapping[str, Reach]) -> Section:
    data = {name: {"distance": one.distance, "time": one.time, "why": one.reason} for name, one in reaches.items()}
    rows = [
        [name, f"{one.distance:.6g}", f"{one.time:.6g} s", one.reason]
        for name, one in reaches.items()
        if math.isfinite(one.distance)
    ]
    table = CellTable(["parameter", "events change at", "event", "which"], rows) if rows else None
    return Section({"events_change": data}, table=table)


def _displaced(displaced: Sequence[Displaced]) -> Section:
    if not displaced:
        return Section()
    head = ["metric", "displaced", "by derivatives", "by the run", "difference", "events"]
    return Section({"displaced": [d._asdict() for d in displaced]}, table=CellTable(head, [*map(_row, displaced)]))


def _row(one: Displaced) -> list[str]:
    before, after = one.events
    events = f"{after}" if before == after else f"{after}, not {before}"
    numbers = f"{one.linear:.9g}", f"{one.found:.9g}", f"{one.found - one.linear:.3g}"
    return [one.metric, f"{one.parameter} {one.by:+.3g}", *numbers, events]
