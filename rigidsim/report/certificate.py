"""What `certify` found, as text and as JSON."""

from __future__ import annotations

import math
from typing import Any

from rigidsim.certify.certifying import DIFFERS, FEWEST, PARTS, SKIPPED, Certificate, Restatement
from rigidsim.report.growth import growth_section
from rigidsim.report.sections import CellTable, Report, Section
from rigidsim.report.table import number

SHOWN_BODIES = 12
HEAD = ["compared with the scene as it is written", "distance", "angle", "order", "verdict"]


class CertificateReport(Report):
    """The output of `certify`; with at most `most` bodies in its table, all if None."""

    def __init__(self, file: str, found: Certificate, most: int | None = SHOWN_BODIES):
        self.found = found
        settings = {"step": found.step, "duration": found.duration, "expected_order": found.expected_order}
        data: dict[str, Any] = {"file": file, "certified": found.is_certified, **settings, "first_touch": found.touched}
        ways = {"half_step": _plain(found.half), "ways": [*map(_plain, found.ways)], "reasons": self._reasons()}
        title = f"{file}: {found.title}; {number(found.duration)} s {found.pace}"
        rows = [[name, *_sizes(distance, angle), way] for name, distance, angle, way in worst_of(found)]
        head = ["largest of each body", "distance", "angle", "way"]
        super().__init__(
            Section(data | ways, [title]),
            Section(table=CellTable(HEAD, [*map(_row, (found.half, *found.ways))])),
            Section(table=CellTable.first(head, rows, most, " (--json)")),
            growth_section(found.growth, f"the difference of the {found.refined_by} and less of it"),
            Section(lines=[*self._reasons(), self._verdict()]),
        )

    def _reasons(self) -> list[str]:
        """What is wrong with the step, and why paths that part prove nothing."""
        found, half, key = self.found, self.found.half, self.found.refined_by
        large, less, small = ("long", "half of it", "shorter") if key == "step" else ("large", "less", "smaller")
        is_low = half.order is not None and half.order < found.expected_order
        order = f": the order is {half.order:.1f} instead of {found.expected_order:g}" if is_low else ""
        parted = "" if half.parted is None else f", and part from t = {number(half.parted)} s on"
        if half.remark:
            return [f"the run fails: it is {half.remark}"]
        if half.verdict == DIFFERS:
            return [f"the {key} is too {large}, or a force jumps: with {less} paths do not come nearer{parted}{order}"]
        parting = [way.parted for way in (half, *found.ways) if way.verdict == PARTS]
        if not parting:
            return []
        first = min((time for time in parting if time is not None), default=None)
        when = (
            f"paths differ by more than the {key} explains" if first is None else f"paths part at t = {number(first)} s"
        )
        if found.touched is not None:
            touch = (
                f"bodies touch from t = {number(found.touched)} s on; impacts and friction enlarge small differences"
            )
            return [f"{when}, which proves nothing: {touch}"]
        why = f"the {key} is too {large} for what follows, or small differences grow"
        return [f"{when}, which proves nothing: {why}; a {small} {key} or duration can be certified"]

    def _verdict(self) -> str:
        found = self.found
        agree, differ = len(found.agreeing), sum(way.verdict == DIFFERS for way in found.ways)
        ran = sum(way.verdict != SKIPPED for way in found.ways)
        if found.is_certified:
            distance, angle = (max(getattr(way, name) for way in found.agreeing) for name in ("distance", "angle"))
            return f"certified: {agree} of {ran} ways agree, to {distance:.1e} m and {angle:.1e} rad"
        ways = f"of {ran} ways {agree} agree" + (
            f" and {differ} {'differs' if differ == 1 else 'differ'}" if differ else ""
        )
        if found.is_refuted:
            return f"not certified: {f'{found.half.name} differs; ' * (found.half.verdict == DIFFERS)}{ways}"
        return f"neither certified nor refuted: {ways}" + (f", at least {FEWEST} must" if agree < FEWEST else "")


def worst_of(found: Certificate) -> list[tuple[str, float, float, str]]:
    """Of each body its path, the largest distance (m) and angle (rad), and the way with the largest distance or, if
    there is none, angle.
    """
    ran = [way for way in found.ways if way.bodies]
    rows = []
    for k, body in enumerate(found.half.bodies):
        each = [(way.bodies[k], way.name) for way in ran]
        if each:
            distance, angle = (max(getattr(one, name) for one, _ in each) for name in ("distance", "angle"))
            name = max(each, key=lambda one: (one[0].distance, one[0].angle))[1]
            rows.append((body.body, distance, angle, name))
    return rows


def _sizes(distance: float, angle: float) -> list[str]:
    return [f"{distance:.1e} m", f"{angle:.1e} rad"]


def _row(way: Restatement) -> list[str]:
    name = f"{way.name} ({way.remark})" if way.remark else way.name
    if way.verdict == SKIPPED:
        return [name, "", "", "", SKIPPED]
    order = "" if way.order is None or not math.isfinite(way.order) else f"{way.order:.1f}"
    parted = f", apart from {number(way.parted)} s on" if way.parted is not None else ""
    return [name, *_sizes(way.distance, way.angle), order, f"{way.verdict}{parted}"]


def _plain(way: Restatement) -> dict[str, object]:
    return vars(way) | {"distance": way.distance, "angle": way.angle}
