"""Some metrics of a sweep over all its runs, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.report.metrics import plain_metrics
from rigidsim.report.plots import plot, side_by_side
from rigidsim.report.sweep_inspection import Statistics
from rigidsim.report.table import aligned
from rigidsim.sweeps.stored import Sweep, load_sweep


@dataclass(frozen=True)
class SweepMetrics:
    """The output of `inspect SWEEP METRIC ...`."""

    file: str
    plan: str
    statistics: Mapping[str, Statistics | None]  # None if no run has a finite value
    plots: tuple[str, ...]  # lines
    values: Mapping[str, Mapping[str, float | None]]  # of each metric by the number of the run

    @classmethod
    def of(cls, file: str | Path, names: Sequence[str]) -> SweepMetrics:
        """Read the whole file. Raises UsageError for a name that is no metric of the sweep, FormatError if it is
        damaged.
        """
        with load_sweep(file) as sweep:
            sweep.verify()
            for name in names:
                _require_metric(sweep, name, file)
            found = {name: sweep.metrics[name] for name in names}
            statistics = {name: Statistics.of(name, "", one, sweep.numbers) for name, one in found.items()}
            lines = [line for name, one in found.items() for line in _plots(sweep, name, one)]
            runs = list(map(str, sweep.numbers.tolist()))
            values = {name: plain_metrics(dict(zip(runs, one.tolist(), strict=True))) for name, one in found.items()}
            return cls(str(file), sweep.description, statistics, tuple(lines), values)

    def __str__(self) -> str:
        head = ["", "least", "mean", "most", "run of least", "run of most"]
        rows = [one.row() if one else [name, *["-"] * (len(head) - 1)] for name, one in self.statistics.items()]
        return "\n".join([f"{self.file}: {self.plan}", "", *aligned([head, *rows]), *self.plots])

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        metrics = {
            name: {"statistics": one and vars(one), "values": self.values[name]}
            for name, one in self.statistics.items()
        }
        return {"schema_version": 1, "file": self.file, "plan": self.plan, "metrics": metrics}


def _require_metric(sweep: Sweep, name: str, file: str | Path) -> None:
    if name in sweep.metrics:
        return
    metrics = list(sweep.metrics)
    close = get_close_matches(name, metrics, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"metrics: {', '.join(metrics) or 'none'}"
    hint += "" if close else f"; rigidsim run SCENE --from {file} --index N makes the trajectory of a run"
    raise UsageError(f"{file} is the result file of a sweep, which has no metric '{name}'; {hint}")


def _plots(sweep: Sweep, name: str, values: np.ndarray) -> list[str]:
    """The metric over each varied number."""
    varied = [one for one in sweep.names if sweep.runs[one].dtype != object]
    titles = [(one, f"{name} over {one}{sweep.units[one] and f' ({sweep.units[one]})'}") for one in varied]
    made = [lines for one, title in titles if (lines := plot(title, sweep.runs[one], values))]
    return ["", *side_by_side(made)] if made else []
