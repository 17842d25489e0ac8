"""The report of `rigidsim optimise`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigidsim.report.sections import CellTable, Report, Section
from rigidsim.report.wording import counted

if TYPE_CHECKING:
    from rigidsim.fitting.optimise import Optimum


class OptimumReport(Report):
    """The numbers, the goal, and the conditions with what they cost."""

    def __init__(self, name: str, found: Optimum):
        self.warnings = [found.message] * bool(found.message)
        line = f"{name}: {found.asked} is {found.goal:.9g}, {found.start:.9g} at the start; "
        data = {"scene": name, "goal": found.asked, "value": found.goal, "start": found.start, "runs": found.runs,
                "converged": not found.message, "warnings": self.warnings}  # fmt: skip
        head = Section(data, [line + counted(found.runs, "run")])
        super().__init__(head, _numbers(found), _conditions(found))


def _numbers(found: Optimum) -> Section:
    rows, data = [], {}
    for one in found.unknowns:
        value, bound, number = found.values[one.label], one.label in found.at_bounds, one.number
        data[one.label] = {"value": value, "start": number.value, "at_bound": bound}
        written = f"{value / number.factor:.9g}", f"{number.value / number.factor:.6g}"
        rows.append([one.label, *written, number.unit or number.key, "at its bound" * bound])
    return Section({"parameters": data}, table=CellTable(["parameter", "value", "start", "unit", ""], rows))


def _conditions(found: Optimum) -> Section:
    rows = [
        [one.text, f"{one.margin:.6g}", f"{one.gain:.6g}" if one.is_active else "", "active" * one.is_active]
        for one in found.conditions
    ]
    head = ["condition", "margin, SI units", "change of the goal per unit of slack", ""]
    data = {"conditions": [one._asdict() for one in found.conditions]}
    return Section(data, table=CellTable(head, rows) if rows else None)
