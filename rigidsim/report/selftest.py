"""What the self-test found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

from rigidsim.report.table import aligned, number
from rigidsim.report.wording import counted
from rigidsim.selftest.checking import Check

VERDICTS = {True: "passed", False: "FAILED"}
HEAD = ["quantity", "reference", "measured", "error", "tolerance", "order", "verdict"]


@dataclass(frozen=True)
class SelftestReport:
    """The output of `selftest`."""

    checks: Sequence[Check]

    @property
    def has_passed(self) -> bool:
        """Whether all have."""
        return bool(self.checks) and all(check.has_passed for check in self.checks)

    def __str__(self) -> str:
        rows = aligned([HEAD, *map(_row, self.checks)])
        lines, begin = [rows[0]], 1
        for case, found in groupby(self.checks, key=lambda check: (check.case, check.title, check.source)):
            name, title, source = case
            count = len(list(found))
            lines += ["", f"{name}: {title} ({source})", *rows[begin : begin + count]]
            begin += count
        failed = [check for check in self.checks if not check.has_passed]
        lines += ["", *(f"{check.case} {check.quantity}: {check.message}" for check in failed if check.message)]
        cases = counted(len({check.case for check in self.checks}), "case")
        what = f"{cases}, {counted(len(self.checks), 'quantity', 'quantities')}"
        return "\n".join([*lines, f"{what}: {f'{len(failed)} failed' if failed else 'all passed'}"])

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        checks = [asdict(check) | {"passed": check.has_passed} for check in self.checks]
        return {"schema_version": 1, "passed": self.has_passed, "checks": checks}


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
