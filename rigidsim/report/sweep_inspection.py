"""The contents of the result file of a sweep, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.report.plots import plot, side_by_side
from rigidsim.report.table import aligned
from rigidsim.report.wording import counted
from rigidsim.sweeps.sensitivity import SobolIndices
from rigidsim.sweeps.stored import Sweep, load_sweep
from rigidsim.sweeps.unfinished import final_path, is_under_way

SHOWN_FAILURES = 10
SHOWN_BODIES = 6
SHOWN_METRICS, SHOWN_NAMES = 6, 6
QUANTITIES = {"position": ("distance", "m"), "velocity": ("speed", "m/s"), "angular_velocity": ("rate", "rad/s")}


@dataclass(frozen=True)
class Statistics:
    """A number over all runs that have it, and the runs with the smallest and the largest value."""

    name: str
    unit: str
    least: float
    mean: float
    most: float
    least_run: int
    most_run: int

    @classmethod
    def of(cls, name: str, unit: str, values: np.ndarray, numbers: np.ndarray) -> Statistics | None:
        """None if no run has a finite value."""
        good = np.flatnonzero(np.isfinite(values))
        if not len(good):
            return None
        least, most = good[np.argmin(values[good])], good[np.argmax(values[good])]
        mean = float(np.mean(values[good]))
        ends = float(values[least]), mean, float(values[most])
        return cls(name, unit, *ends, int(numbers[least]), int(numbers[most]))

    def row(self) -> list[str]:
        """The cells of a table."""
        return [
            f"{self.name}{self.unit and f' ({self.unit})'}",
            f"{self.least:.6g}", f"{self.mean:.6g}", f"{self.most:.6g}", f"{self.least_run}", f"{self.most_run}",
        ]  # fmt: skip


@dataclass(frozen=True)
class SweepInspection:
    """The output of `inspect` for a sweep."""

    file: str
    plan: str
    statuses: dict[str, int]
    failures: tuple[str, ...]  # the first ones
    failed: int
    varied: tuple[str, ...]
    statistics: tuple[Statistics, ...]
    plots: tuple[str, ...]  # lines
    sensitivity: Mapping[str, SobolIndices] | str  # of each metric, or why there is none
    samples: int  # of a run; 1 if only the last state was recorded, 0 if only metrics
    content_hash: str
    is_under_way: bool = False

    @classmethod
    def of(cls, file: str | Path) -> SweepInspection:
        """Read the whole file. Raises FormatError if it is damaged."""
        with load_sweep(file) as sweep:
            sweep.verify()
            statuses = Counter(sweep.runs["status"].tolist())
            failed = sweep.failed
            shown = [
                f"run {sweep.numbers[k]} ({sweep.values_text(k)}): {sweep.error_at(k)}"
                for k in failed[:SHOWN_FAILURES].tolist()
            ]
            samples = min(1, len(sweep.datasets)) if sweep.time is None else len(sweep.time)
            varied = tuple(range_of(sweep, name) for name in sweep.names)
            found = tuple(filter(None, (*_of_metrics(sweep), *_of_last_states(sweep))))
            return cls(
                str(file), sweep.description, dict(statuses), tuple(shown), len(failed), varied, found, _plots(sweep),
                _sensitivity(sweep), samples, sweep.content_hash, is_under_way(final_path(sweep.path)),
            )  # fmt: skip

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {status}" for status, count in self.statuses.items())
        kept = ("metrics", "the last state")[self.samples] if self.samples < 2 else f"{self.samples} samples"
        lines = [f"{self.file}: {self.plan}", f"  {counts}; {kept} of each run"]
        lines += [f"  {text}" for text in self.varied]
        if self.failures:
            more = self.failed - len(self.failures)
            lines += ["", *self.failures, *([f"... and {more:,} more failed"] if more else [])]
        if self.statistics:
            head = ["", "least", "mean", "most", "run of least", "run of most"]
            lines += ["", *aligned([head, *(each.row() for each in self.statistics)])]
        lines += [*self.plots, *_sensitivity_lines(self.sensitivity)]
        if not self.content_hash:
            hint = "a process is running it" if self.is_under_way else "--resume continues it"
            return "\n".join([*lines, "", f"the sweep is not complete: {hint}"])
        return "\n".join([*lines, "", f"content hash {self.content_hash}"])

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        return {
            "schema_version": 1,
            "file": self.file,
            "plan": self.plan,
            "runs": self.statuses,
            "failures": list(self.failures),
            "samples": self.samples,
            "statistics": {each.name: vars(each) for each in self.statistics},
            "sensitivity": (
                {"message": self.sensitivity}
                if isinstance(self.sensitivity, str)
                else {name: indices.as_dict() for name, indices in self.sensitivity.items()}
            ),
            "content_hash": self.content_hash,
        }


def range_of(sweep: Sweep, name: str) -> str:
    """The values of a varied number or text in words: the first few, or the least and the greatest."""
    values, unit = sweep.runs[name], sweep.units[name]
    if values.dtype == object:
        found = list(dict.fromkeys(map(str, values)))
        return f"{name}: {', '.join(found[:5])}{', ...' if len(found) > 5 else ''}"
    return f"{name}: {values.min():g} to {values.max():g}{unit and f' {unit}'}"


def _of_metrics(sweep: Sweep) -> list[Statistics | None]:
    return [Statistics.of(name, "", values, sweep.numbers) for name, values in sweep.metrics.items()]


def _of_last_states(sweep: Sweep) -> list[Statistics | None]:
    """Distance, speed and rate of the first bodies in the last states."""
    found = []
    for name, (word, unit) in QUANTITIES.items():
        if f"world/{name}" in sweep.datasets:
            last = sweep.last(f"world/{name}")
            for body, path in enumerate(sweep.paths[:SHOWN_BODIES]):
                size = np.sqrt((last[:, body] ** 2).sum(axis=1))
                found.append(Statistics.of(f"last {word} of {path}", unit, size, sweep.numbers))
    return found


def _plots(sweep: Sweep) -> tuple[str, ...]:
    """The first metrics over the first varied numbers."""
    names = [name for name in sweep.names if sweep.runs[name].dtype != object]
    metrics, lines = [*sweep.metrics], []
    for metric in metrics[:SHOWN_METRICS] if names else ():
        titles = [(f"{metric} over {name}{sweep.units[name] and f' ({sweep.units[name]})'}", name) for name in names]
        values = sweep.metrics[metric]
        made = [plot(title, sweep.runs[name], values) for title, name in titles[:SHOWN_NAMES]]
        lines += ["", *side_by_side([one for one in made if one])] if any(made) else []
    if lines and (len(metrics) > SHOWN_METRICS or len(names) > SHOWN_NAMES):
        lines.append(f"... of {counted(len(metrics), 'metric')} and {counted(len(names), 'varied number')}")
    return tuple(lines)


def _sensitivity(sweep: Sweep) -> Mapping[str, SobolIndices] | str:
    if not sweep.metrics:
        return ""
    try:
        return sweep.sensitivity()
    except UsageError as error:
        return str(error)


def _sensitivity_lines(sensitivity: Mapping[str, SobolIndices] | str) -> list[str]:
    if isinstance(sensitivity, str):
        return ["", sensitivity] if sensitivity else []
    lines = []
    for metric, indices in sensitivity.items():
        rows = [[f"Sobol indices of {metric}", "first order", "95 % bounds", "total", "95 % bounds"]]
        for number, name in enumerate(indices.names):
            rows.append([f"  {name}", *_bounded(indices, "first", number), *_bounded(indices, "total", number)])
        table = aligned(rows) if not np.isnan(indices.first).all() else rows[0][:1]
        lines += ["", *table, *([f"  {indices.remark}"] if indices.remark else [])]
    return lines


def _bounded(indices: SobolIndices, kind: str, number: int) -> list[str]:
    value, low, high = (f"{getattr(indices, kind + end)[number]:.4f}" for end in ("", "_low", "_high"))
    return [value, f"{low} to {high}"]
