"""What a run found besides the motion: contact, metrics, errors with respect to the oracle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rigidsim.report.contact import SHOWN_PAIRS, ContactSummary
from rigidsim.report.oracle import oracle_lines, plain_errors
from rigidsim.report.sections import Section
from rigidsim.report.table import aligned

if TYPE_CHECKING:
    from rigidsim.hindsight.oracles import OracleError


def metric_lines(metrics: Mapping[str, float], units: Mapping[str, str]) -> list[str]:
    """A heading, and a line for each metric, with its unit if that is known."""
    rows = ([name, f"{value:.9g} {units.get(name, '')}".rstrip()] for name, value in metrics.items())
    return aligned([["metric", "value"], *rows])


def plain_metrics(metrics: Mapping[str, float]) -> dict[str, float | None]:
    """The values for JSON, which has no number for those that are not finite: None."""
    return {name: value if math.isfinite(value) else None for name, value in metrics.items()}


def outcome(
    contact: ContactSummary | None,
    metrics: Mapping[str, float],
    units: Mapping[str, str],
    oracle: Sequence[OracleError],
    most: int | None = SHOWN_PAIRS,
) -> list[Section]:
    """Contact, with at most so many pairs, metrics, and errors with respect to the oracle, each if there is any."""
    found: list[tuple[str, Any, Any]] = [
        ("contact", contact and contact.as_dict(), contact and contact.lines(most)),
        ("metrics", plain_metrics(metrics), metrics and metric_lines(metrics, units)),
        ("oracle", plain_errors(oracle), oracle and oracle_lines(oracle)),
    ]
    sections = [Section({name: data}, lines) for name, data, lines in found if lines]
    return [*sections, Section({"metric_units": dict(units)})] if units else sections
