"""How reports say for how long a motion is predictable."""

from __future__ import annotations

from rigidsim.analysis.growth import Growth
from rigidsim.report.sections import Section


def growth_section(growth: Growth | None, what: str = "a rounding error", joins: bool = False) -> Section:
    """The growth of a small difference: as data, and as a line if it is exponential or becomes visible."""
    if growth is None:
        return Section()
    data = {"predictability": {"growth_rate": growth.rate, "horizon": growth.horizon, "within_run": growth.is_reached}}
    lines = []
    if growth.rate:
        lines.append(f"small differences grow by a factor e in {1.0 / growth.rate:.3g} s")
    if growth.is_reached or growth.rate:
        lines.append(f"predictable for {growth.horizon:.4g} s: then {what} has become a millimetre or a milliradian")
    return Section(data, lines, joins=joins)
