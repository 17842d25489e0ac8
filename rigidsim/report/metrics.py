"""What a run found besides the motion: contact, metrics, errors with respect to the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rigidsim.report.contact import SHOWN_PAIRS, ContactSummary
from rigidsim.report.sections import CellTable, Section
from rigidsim.trajectory.derivatives import Derivative

if TYPE_CHECKING:
    from rigidsim.analysis.oracles import OracleError


def outcome(
    contact: ContactSummary,
    metrics: Mapping[str, float],
    units: Mapping[str, str],
    oracle: Sequence[OracleError],
    most: int | None = SHOWN_PAIRS,
    sigmas: Mapping[str, float] = MappingProxyType({}),
) -> list[Section]:
    """Contact, with at most so many pairs, metrics, those of uncertain scenes with their standard deviations, and
    errors with respect to the oracle, each if there is any.
    """
    found = contact.sections(most)
    if metrics:
        spread = {name: f" +- {sigma:.3g}" for name, sigma in sigmas.items()}
        rows = [[n, f"{x:.9g}{spread.get(n, '')} {units.get(n, '')}".rstrip()] for n, x in metrics.items()]
        data: dict[str, Any] = {"metrics": metrics} | ({"standard_deviations": sigmas} if sigmas else {})
        found.append(Section(data, table=CellTable(["metric", "value"], rows)))
    if oracle:
        head = ["oracle", "largest error", "at", "tolerance"]
        data = {"oracle": {each.name: _plain_error(each) for each in oracle}}
        found.append(Section(data, table=CellTable(head, [*map(_error_row, oracle)])))
    return [*found, Section({"metric_units": units})] if units else found


def metric_sigmas(derivatives: Mapping[str, Derivative]) -> dict[str, float]:
    """The standard deviations of the metrics, to first order, for independent errors of the uncertain numbers."""
    uncertain = [one for one in derivatives.values() if one.sigma]
    if not uncertain:
        return {}
    from rigidsim.sensitivities.spread import sigma_of

    spreads = {one.parameter: one.sigma for one in uncertain}
    names = uncertain[0].metrics
    return {name: sigma_of({one.parameter: one.metrics[name] for one in uncertain}, spreads) for name in names}


def _error_row(error: OracleError) -> list[str]:
    unit = error.unit and f" {error.unit}"
    tolerance = "" if error.tolerance is None else f"{error.tolerance:g}{unit}"
    if error.error is None:
        return [error.name, "not compared", "", tolerance]
    mark = ", exceeded" if error.exceeds else ""
    return [error.name, f"{error.error:.3g}{unit}", f"{error.time:g} s", f"{tolerance}{mark}"]


def _plain_error(error: OracleError) -> dict[str, object]:
    """What JSON has; `error` and `at` are None if nothing could be compared."""
    found: dict[str, object] = {
        "error": error.error,
        "at": error.time,
        "unit": error.unit,
        "tolerance": error.tolerance,
    }
    return found | {"exceeded": error.exceeds} | ({"message": error.remark} if error.remark else {})
