"""Checks of metrics: times that no sample reaches."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.expressions.reductions import AT
from rigidsim.scene.hierarchy.nodes import Hierarchy


def metric_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every `at(time, ...)` outside the run."""
    duration = hierarchy.scene.simulation.duration
    for name, metric in hierarchy.scene.metrics.items():
        for reduction in metric.reductions:
            time = reduction.arguments[0].value if reduction.kind == AT else 0.0
            if not 0.0 <= time <= duration:
                message = f"at({time:g}, ...) is outside the run, which lasts from 0 to {duration:g} s"
                yield Finding("time", message, ("metrics", name))
