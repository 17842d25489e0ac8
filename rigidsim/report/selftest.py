"""What the self-test found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rigidsim.report.sections import Report, Section
from rigidsim.report.table import aligned, number
from rigidsim.report.wording import counted
from rigidsim.selftest.checking import Check

VERDICTS = {True: "passed", False: "FAILED"}
HEAD = ["quantity", "reference", "measured", "error", "tolerance", "order", "verdict"]


class SelftestReport(Report):
    """The output of `selftest`."""

    def __init__(self, checks: Sequence[Check]):
        self.has_passed = bool(checks) and all(check.has_passed for check in checks)
        head, *rows = aligned([HEAD, *map(_row, checks)])
        sections, begin = [Section(lines=[head])], 0
        for case, found in groupby(checks, key=lambda check: (check.case, check.title, check.source)):
            name, title, source = case
            end = begin + len(list(found))
            sections.append(Section(lines=[f"{name}: {title} ({source})", *rows[begin:end]]))
            begin = end
        failed = [check for check in checks if not check.has_passed]
        messages = [f"{check.case} {check.quantity}: {check.message}" for check in failed if check.message]
        cases = counted(len({check.case for check in checks}), "case")
        what = f"{cases}, {counted(len(checks), 'quantity', 'quantities')}"
        verdict = f"{what}: {f'{len(failed)} failed' if failed else 'all passed'}"
        data = [vars(check) | {"passed": check.has_passed} for check in checks]
        ending = Section({"passed": self.has_passed, "checks": data}, [*messages, verdict])
        super().__init__(*sections, ending)


def _row(check: Check) -> list[str]:
    unit = check.unit and f" {check.unit}"
    order = "" if check.order is None else f"{check.order:.2f}"
    return [
        f"  {check.quantity or 'the run'}",
        _digits(check.reference),
        f"{_digits(check.measured)}{unit}" if check.measured is not None else "",
        number(check.error) if check.error is not None else "not compared",
        number(check.tolerance) if check.tolerance is not None else "",
        order,
        VERDICTS[check.has_passed],
    ]


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value + 0.0:.12g}"
