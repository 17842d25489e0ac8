"""The report of `rigidsim fit`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rigidsim.report.sections import CellTable, Report, Section
from rigidsim.report.wording import counted

if TYPE_CHECKING:
    from rigidsim.fitting.estimate import Direction, Fit

NOTABLE = 0.1  # part of a direction
FAR = 3.0  # standard deviations of chi2
SERIAL = 5.0  # standard deviations of the correlation of neighbours
ROUGH = 0.1  # standard deviations of a measurement


class FitReport(Report):
    """Estimates with standard deviations, residuals, correlations, and what the data do not determine."""

    def __init__(self, name: str, fit: Fit):
        self.fit, self.warnings = fit, [*_warnings(fit)]
        count = sum(len(one.values) for each in fit.experiments for one in each.measured)
        of = f" in {counted(len(fit.experiments), 'experiment')}" if len(fit.experiments) > 1 else ""
        line = f"{name}: {counted(count, 'measurement')}{of}, {counted(fit.runs, 'run')}, chi2 {fit.chi2:.6g}"
        about = f"{line} for {counted(fit.dof, 'degree')} of freedom"
        data = {"scene": name, "runs": fit.runs, "chi2": fit.chi2, "degrees_of_freedom": fit.dof,
                "converged": not fit.message, "warnings": self.warnings}  # fmt: skip
        super().__init__(Section(data, [about]), _estimates(fit), _columns(fit), _correlations(fit), _directions(fit))


def _estimates(fit: Fit) -> Section:
    rows, data = [], {}
    for one in fit.unknowns:
        number = one.unknown.number
        value, sigma, bound = fit.values[one.label], fit.sigma[one.label], one.label in fit.at_bounds
        data[one.label] = {"value": value, "sigma": sigma, "start": number.value, "at_bound": bound}
        known = "at its bound" if bound else "not determined" if math.isinf(sigma) else f"{sigma / number.factor:.3g}"
        rows.append(
            [one.label, f"{value / number.factor:.9g}", known, f"{number.value / number.factor:.6g}", number.unit]
        )
    return Section({"parameters": data}, table=CellTable(["parameter", "estimate", "+-", "start", "unit"], rows))


def _columns(fit: Fit) -> Section:
    rows, data = [], []
    for k, (each, found, sigmas) in enumerate(zip(fit.experiments, fit.residuals, fit.sigmas, strict=True)):
        for one, sigma in zip(each.measured, sigmas, strict=True):
            rms = float((found[one.quantity] ** 2).mean() ** 0.5)
            typical, known = float((sigma**2).mean() ** 0.5), one.sigma is not None
            data.append({"experiment": k + 1, "file": each.label, "quantity": one.quantity, "rms": rms,
                         "sigma": typical, "sigma_is_given": known, "measurements": len(sigma)})  # fmt: skip
            given = f"{typical:.3g}" if known else f"{typical:.3g} (estimated)"
            rows.append([one.quantity, each.label, f"{len(sigma)}", f"{rms:.4g}", given])
    head = ["quantity", "data", "measurements", "rms residual", "standard deviation"]
    return Section({"columns": data}, table=CellTable(head, rows))


def _correlations(fit: Fit) -> Section:
    found = fit.correlation
    rows = [
        [name, *(f"{found[i, j]:.3f}" if math.isfinite(found[i, j]) else "" for j in range(i + 1))]
        + [""] * (len(fit.names) - i - 1)
        for i, name in enumerate(fit.names)
    ]
    data = {"covariance": fit.covariance, "correlation": found, "singular_values": fit.singular_values}
    return Section(data, table=CellTable(["correlation", *fit.names], rows) if len(rows) > 1 else None)


def _directions(fit: Fit) -> Section:
    data = {"undetermined": [one._asdict() for one in fit.undetermined]}
    return Section(data, [f"the data do not determine {_words(one)}" for one in fit.undetermined])


def _words(one: Direction) -> str:
    """A direction: relative changes that go together."""
    parts = {name: part for name, part in one.parts.items() if abs(part) > NOTABLE}
    how = "they do not change" if math.isinf(one.sigma) else f"the standard deviation is {100 * one.sigma:.3g} %"
    if len(parts) == 1:
        return f"{next(iter(parts))}: {how}"
    together = " and ".join(f"{part:+.2f} of {name}" for name, part in parts.items())
    return f"a relative change of {together} together: {how}"


def _warnings(fit: Fit) -> Iterator[str]:
    if fit.message:
        yield fit.message
    far = abs(fit.chi2 - fit.dof) / math.sqrt(2.0 * max(fit.dof, 1))
    if far > FAR and not fit.has_estimated_sigma:
        size = math.sqrt(fit.chi2 / max(fit.dof, 1))
        yield (
            f"residuals are {size:.3g} times their standard deviations: the model or these are not right, and the"
            " standard deviations of the estimates hold for right ones only"
        )
    for one, values in ((one, values) for found in fit.residuals for one, values in found.items()):
        alike = _serial_correlation(values)
        if alike > SERIAL / math.sqrt(len(values)):
            yield (
                f"residuals of {one} resemble their neighbours (correlation {alike:.2f}): the model misses something,"
                " and the standard deviations of the estimates are too small"
            )
    if fit.interpolation_error > ROUGH:
        yield (
            f"measurements lie between samples that are too far apart: reading there may be wrong by"
            f" {fit.interpolation_error:.2g} standard deviations; make simulation.record_every smaller"
        )


def _serial_correlation(values: np.ndarray) -> float:
    """The correlation of residuals with the next ones."""
    total = float(values @ values)
    return float(values[:-1] @ values[1:]) / total if total else 0.0
