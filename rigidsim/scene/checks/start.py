"""Checks of `start`: whether bodies begin where they should."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.hierarchy.fitting import distance_to
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.start import PLACES

REACHED = 1e-9
"""Of the largest number of a place: how far from it a body may begin."""


def place_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Places that joints cannot bring a body to. The tree is weighed, and has the coordinates that were found."""
    if (start := hierarchy.scene.simulation.start) is None:
        return
    starts = Starts(hierarchy)
    for target in start.targets:
        away = max(map(abs, distance_to(hierarchy, target, starts)))
        if not away > REACHED * max(*map(abs, target.values), *map(abs, starts[hierarchy[target.body].frame].p)):
            continue
        if not any(node.joint for node in hierarchy.lineage(hierarchy[target.body])):
            message, hint = f"no joint moves '{target.body}'", "give its position in its parent"
        else:
            message = f"no coordinates of joints were found that bring '{target.body}' there: {away:.3g} m are left"
            hint = "choose a place within reach, or coordinates of the joints from which the search begins"
        yield Finding("start", message, (*PLACES, target.name), hint)
