"""The contents of the result file of a sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.errors import UsageError, did_you_mean
from rigidsim.report.plots import plot, side_by_side
from rigidsim.report.sections import CellTable, Report, Section
from rigidsim.report.sweep import failures
from rigidsim.report.table import aligned
from rigidsim.report.wording import counted
from rigidsim.sweeps.sensitivity import SobolIndices
from rigidsim.sweeps.stored import Sweep, load_sweep
from rigidsim.sweeps.unfinished import final_path, is_under_way
from rigidsim.trajectory.fields import JOINT_FIELDS
from rigidsim.tree.joints import coordinate_number, coordinate_rows, coordinate_unit, coordinates_of

SHOWN_FAILURES = 10
SHOWN_BODIES = 6
SHOWN_METRICS, SHOWN_NAMES = 6, 6
HEAD = ["", "least", "mean", "most", "run of least", "run of most"]
QUANTITIES = {
    "position": ("distance", "m"),
    "velocity": ("speed", "m/s"),
    "angular_velocity": ("angular speed", "rad/s"),
}


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


def inspect_sweep(file: str | Path) -> Report:
    """The contents of the result file of a sweep. Reads all of it; raises FormatError if it is damaged."""
    with load_sweep(file) as sweep:
        sweep.verify()
        *about, failed = run_sections(sweep, SHOWN_FAILURES)
        title = Section({"file": str(file), "plan": sweep.description}, [f"{file}: {sweep.description}"])
        found = [*metric_statistics(sweep), *_of_last_states(sweep)]
        hint = "a process is running it" if is_under_way(final_path(sweep.path)) else "--resume continues it"
        ending = f"content hash {sweep.content_hash}" if sweep.content_hash else f"the sweep is not complete: {hint}"
        return Report(
            title,
            *about,
            failed,
            Section({"statistics": {one.name: one for one in found}}, table=statistics_table(found)),
            Section(lines=_plots(sweep)),
            _sensitivity(sweep),
            Section({"content_hash": sweep.content_hash}, [ending]),
        )


def run_sections(sweep: Sweep, most: int) -> list[Section]:
    """How the runs ended, the ranges of the varied values, the first runs that failed."""
    statuses = Counter(sweep.runs["status"].tolist())
    counts = ", ".join(f"{count:,} {status}" for status, count in statuses.items())
    samples = min(1, len(sweep.datasets)) if sweep.time is None else len(sweep.time)
    kept = ("metrics", "the last state")[samples] if samples < 2 else f"{samples} samples"
    shown = failures(sweep, most)
    more = len(sweep.failed) - len(shown)
    return [
        Section({"runs": dict(statuses), "samples": samples}, [f"  {counts}; {kept} of each run"], joins=True),
        Section(lines=[f"  {range_of(sweep, name)}" for name in sweep.names], joins=True),
        Section({"failures": shown}, [*shown, *([f"... and {more:,} more failed"] if more else [])]),
    ]


def inspect_metrics(file: str | Path, names: Sequence[str]) -> Report:
    """Some metrics of a sweep over all its runs. Reads the whole file; raises UsageError for a name that is no metric
    of the sweep, FormatError if it is damaged.
    """
    with load_sweep(file) as sweep:
        sweep.verify()
        for name in names:
            _require_metric(sweep, name, file)
        found = {name: sweep.metrics[name] for name in names}
        statistics = {name: _statistics(sweep, name) for name in names}
        runs, data = list(map(str, sweep.numbers.tolist())), {}
        for name, one in found.items():
            data[name] = {"statistics": statistics[name], "values": dict(zip(runs, one.tolist(), strict=True))}
        rows = [one.row() if one else [name, *["-"] * (len(HEAD) - 1)] for name, one in statistics.items()]
        return Report(
            Section({"file": str(file), "plan": sweep.description}, [f"{file}: {sweep.description}"]),
            Section({"metrics": data}, table=CellTable(HEAD, rows)),
            *(Section(lines=side_by_side(_over_each(sweep, name))) for name in names),
        )


def statistics_table(found: Sequence[Statistics], most: int | None = None) -> CellTable | None:
    """The first statistics, if there are any."""
    rows = [one.row() for one in found[:most]]
    return CellTable(HEAD, rows, len(found) - len(rows)) if rows else None


def range_of(sweep: Sweep, name: str) -> str:
    """The values of a varied number or text in words: the first few, or the least and the greatest."""
    values, unit = sweep.runs[name], sweep.units[name]
    if values.dtype == object:
        found = list(dict.fromkeys(map(str, values)))
        return f"{name}: {', '.join(found[:5])}{', ...' if len(found) > 5 else ''}"
    return f"{name}: {values.min():g} to {values.max():g}{unit and f' {unit}'}"


def metric_statistics(sweep: Sweep) -> list[Statistics]:
    """Those of the metrics that have a finite value in any run."""
    return [*filter(None, (_statistics(sweep, name) for name in sweep.metrics))]


def _statistics(sweep: Sweep, metric: str) -> Statistics | None:
    return Statistics.of(metric, sweep.metric_units.get(metric, ""), sweep.metrics[metric], sweep.numbers)


def _of_last_states(sweep: Sweep) -> list[Statistics]:
    """Distance, speed and angular speed of the first bodies in the last states, and the first coordinates of joints."""
    found = []
    for name, (word, unit) in QUANTITIES.items():
        if f"world/{name}" in sweep.datasets:
            last = sweep.last(f"world/{name}")
            for body, path in enumerate(sweep.paths[:SHOWN_BODIES]):
                size = np.sqrt((last[:, body] ** 2).sum(axis=1))
                found.append(Statistics.of(f"last {word} of {path}", unit, size, sweep.numbers))
    if JOINT_FIELDS[0].name in sweep.datasets:
        last, rows = sweep.last(JOINT_FIELDS[0].name), coordinate_rows(sweep.joints)
        named = [(path, type, name) for path, type in sweep.joints.items() for name in coordinates_of(type)]
        for path, type, name in named[:SHOWN_BODIES]:
            unit = coordinate_unit(name, type).replace("L", "m")
            values = last[:, rows[path][coordinate_number(name, type)]]
            found.append(Statistics.of(f"last {name} of {path}", unit, values, sweep.numbers))
    return [*filter(None, found)]


def _plots(sweep: Sweep) -> list[str]:
    """The first metrics over the first varied numbers."""
    metrics, names = [*sweep.metrics], _numbers(sweep)
    lines: list[str] = []
    for metric in metrics[:SHOWN_METRICS] if names else ():
        made = _over_each(sweep, metric, SHOWN_NAMES)
        lines += [*([""] if lines else []), *side_by_side(made)] if made else []
    if lines and (len(metrics) > SHOWN_METRICS or len(names) > SHOWN_NAMES):
        lines.append(f"... of {counted(len(metrics), 'metric')} and {counted(len(names), 'varied number')}")
    return lines


def _numbers(sweep: Sweep) -> list[str]:
    """The names of the varied numbers."""
    return [name for name in sweep.names if sweep.runs[name].dtype != object]


def _over_each(sweep: Sweep, metric: str, most: int | None = None) -> list[list[str]]:
    """Plots of a metric over each of the first varied numbers."""
    names = _numbers(sweep)[:most]
    titles = [f"{metric} over {name}{sweep.units[name] and f' ({sweep.units[name]})'}" for name in names]
    made = (plot(title, sweep.runs[name], sweep.metrics[metric]) for title, name in zip(titles, names, strict=True))
    return [one for one in made if one]


def _require_metric(sweep: Sweep, name: str, file: str | Path) -> None:
    if name in sweep.metrics:
        return
    metrics = list(sweep.metrics)
    known = f"metrics: {', '.join(metrics) or 'none'}"
    hint = f"{known}; rigidsim run SCENE --from {file} --index N makes the trajectory of a run"
    message = f"{file} is the result file of a sweep, which has no metric '{name}'"
    raise UsageError(f"{message}; {did_you_mean(name, metrics, hint)}")


def _sensitivity(sweep: Sweep) -> Section:
    """The Sobol indices of each metric, or why there are none."""
    try:
        found = sweep.sensitivity() if sweep.metrics else {}
    except UsageError as error:
        return Section({"sensitivity": {"message": str(error)}}, ["", str(error)])
    lines = []
    for metric, indices in found.items():
        rows = [[f"Sobol indices of {metric}", "first order", "95 % bounds", "total", "95 % bounds"]]
        for number, name in enumerate(indices.names):
            rows.append([f"  {name}", *_bounded(indices, "first", number), *_bounded(indices, "total", number)])
        table = aligned(rows) if not np.isnan(indices.first).all() else rows[0][:1]
        lines += ["", *table, *([f"  {indices.remark}"] if indices.remark else [])]
    return Section({"sensitivity": found or {"message": ""}}, lines)


def _bounded(indices: SobolIndices, kind: str, number: int) -> list[str]:
    value, low, high = (f"{getattr(indices, kind + end)[number]:.4f}" for end in ("", "_low", "_high"))
    return [value, f"{low} to {high}"]
