"""Errors with respect to the oracle of a scene, as text and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rigidsim.report.table import aligned

if TYPE_CHECKING:
    from rigidsim.hindsight.oracles import OracleError


def oracle_lines(errors: Sequence[OracleError]) -> list[str]:
    """A heading, and a line for each quantity."""
    return aligned([["oracle", "largest error", "at", "tolerance"], *map(_row, errors)])


def _row(error: OracleError) -> list[str]:
    unit = error.unit and f" {error.unit}"
    tolerance = "" if error.tolerance is None else f"{error.tolerance:g}{unit}"
    if error.error is None:
        return [error.name, "not compared", "", tolerance]
    mark = ", exceeded" if error.exceeds else ""
    return [error.name, f"{error.error:.3g}{unit}", f"{error.time:g} s", f"{tolerance}{mark}"]


def plain_errors(errors: Sequence[OracleError]) -> dict[str, dict[str, object]]:
    """The errors for JSON, by the names of the quantities; `error` and `at` are None if nothing could be compared."""
    return {
        each.name: {
            "error": each.error,
            "at": each.time,
            "unit": each.unit,
            "tolerance": each.tolerance,
            "exceeded": each.exceeds,
            **({"message": each.remark} if each.remark else {}),
        }
        for each in errors
    }
