"""Metrics as text and as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rigidsim.report.table import aligned


def metric_lines(metrics: Mapping[str, float]) -> list[str]:
    """A heading, and a line for each metric."""
    return aligned([["metric", "value"], *([name, f"{value:.9g}"] for name, value in metrics.items())])


def plain_metrics(metrics: Mapping[str, float]) -> dict[str, float | None]:
    """The values for JSON, which has no number for those that are not finite: None."""
    return {name: value if math.isfinite(value) else None for name, value in metrics.items()}
