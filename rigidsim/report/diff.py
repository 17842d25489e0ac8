"""Where two trajectory files differ, as text and as JSON: in the inputs, in the first number, and by how much."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path

from rigidsim.hindsight.differences import Comparison, Deviation, Difference
from rigidsim.report.inputs import Input, differing_inputs
from rigidsim.report.table import number
from rigidsim.report.wording import counted
from rigidsim.trajectory.trajectory import Trajectory

SHOWN_INPUTS = 4
MANY_ULPS = 10**6  # of which only the order matters


@dataclass(frozen=True)
class Diff:
    """The output of `diff`. Results are equal if paths, times, samples and events are: what the content hash is of."""

    files: tuple[str, str]
    hashes: tuple[str, str]
    status: tuple[str, str]
    samples: tuple[int, int]
    ends: tuple[float, float]  # s
    shared_samples: int  # of the same time
    shared_bodies: int
    only: tuple[list[str], list[str]]  # bodies that the other has not
    inputs: list[Input]
    first: Difference | None
    event: tuple[float, str] | None  # time (s) and id of the first impulse or reparenting that differs
    deviations: list[Deviation]

    @classmethod
    def of(cls, first: Trajectory, second: Trajectory, files: tuple[str | Path, str | Path]) -> Diff:
        """Compare two trajectories, which may be closed afterwards. Raises FormatError for a file that is found to be
        damaged: of what differs, all is read.
        """
        both, comparison = (first, second), Comparison(first, second)
        found = comparison.first_difference
        return cls(
            files=tuple(map(str, files)),
            hashes=tuple(t.stored_hash or t.content_hash for t in both),
            status=tuple(t.status for t in both),
            samples=tuple(len(t.time) for t in both),
            ends=tuple(float(t.time[-1]) for t in both),
            shared_samples=len(comparison.samples[0]),
            shared_bodies=len(comparison.paths),
            only=tuple([p for p in t.paths if p not in other.header.row_of] for t, other in (both, both[::-1])),
            inputs=differing_inputs(first.header, second.header),
            first=found,
            event=_first_event(first, second),
            deviations=comparison.deviations() if found else [],
        )

    @property
    def is_comparable(self) -> bool:
        """Whether any body is in both at any time."""
        return self.shared_samples > 0 and bool(self.shared_bodies)

    @property
    def are_equal(self) -> bool:
        """Whether the results are bitwise equal."""
        return self.hashes[0] == self.hashes[1] and self.first is None

    def __str__(self) -> str:
        if self.are_equal:
            of = f"{counted(self.samples[0], 'sample')}, content hash {self.hashes[0]}"
            return "\n".join([f"{self.files[0]} and {self.files[1]} have equal results: {of}", *self._inputs()])
        inputs = self._inputs() or ["inputs: no scene, version or machine differs"]
        return "\n".join([*inputs, *self._extent(), *self._first(), *self._deviation()])

    def _inputs(self) -> list[str]:
        if not self.inputs:
            return []
        further = len(self.inputs) - SHOWN_INPUTS
        more = [f"{further} more (--json)"] if further > 0 else []
        of_overrides = " (the text of the scene is the same)" if self.inputs[0].kind == "override" else ""
        return [f"inputs: {'; '.join([*map(str, self.inputs[:SHOWN_INPUTS]), *more])}{of_overrides}"]

    def _extent(self) -> list[str]:
        """Of samples and bodies, what only one of them has."""
        lines = []
        if self.samples[0] != self.samples[1] or self.shared_samples < self.samples[0]:
            each = [f"{counted(n, 'sample')} to {number(t)} s" for n, t in zip(self.samples, self.ends, strict=True)]
            lines.append(f"samples: {each[0]} and {each[1]}; {self.shared_samples} of the same time are compared")
        if self.status[0] != self.status[1]:
            lines.append(f"status: {self.status[0]} and {self.status[1]}")
        lines += [
            f"only in {file}: {', '.join(paths[:SHOWN_INPUTS])}{', ...' * (len(paths) > SHOWN_INPUTS)}"
            for file, paths in zip(self.files, self.only, strict=True)
            if paths
        ]
        return lines

    def _first(self) -> list[str]:
        found = self.first
        if found is None:
            at = f"{self.event[1]} at t = {number(self.event[0])} s" if self.event else ""
            shared = (
                "no sample and body is in both" if not self.is_comparable else "no number differs in what both have"
            )
            return [f"first difference: the event {at}" if at else shared]
        component = f".{found.component}" if found.component else ""
        row = f"row {found.row}" if found.time is None else f"sample {found.row}, t = {number(found.time)} s"
        what = f"{found.body} {found.dataset}{component}".lstrip()
        apart = "" if found.ulps is None else f", {_ulps(found.ulps)} ULP apart"
        return [f"first difference: {row}: {what} is {found.values[0]!r} and {found.values[1]!r}{apart}"]

    def _deviation(self) -> list[str]:
        parts = []
        for name, unit in (("distance", "m"), ("angle", "rad")):
            found = [d for d in self.deviations if getattr(d, name)]
            if found:
                worst = max(found, key=lambda d: getattr(d, name))
                time = getattr(worst, f"{name}_time")
                parts.append(f"{number(getattr(worst, name))} {unit} ({worst.body} at t = {number(time)} s)")
        if parts:
            return [f"largest deviation: {', '.join(parts)}"]
        return ["largest deviation: none in the world"] if self.first and self.is_comparable else []

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`. What is not finite is null."""
        first = None if self.first is None else asdict(self.first) | {"ulps": self.first.ulps}
        return {
            "schema_version": 1,
            "equal": self.are_equal,
            "files": list(self.files),
            "content_hash": list(self.hashes),
            "status": list(self.status),
            "samples": list(self.samples),
            "end": list(self.ends),
            "shared_samples": self.shared_samples,
            "only": [list(paths) for paths in self.only],
            "inputs": [each.as_dict() for each in self.inputs],
            "first_difference": _plain(first),
            "first_event": None if self.event is None else {"time": self.event[0], "id": self.event[1]},
            "deviations": [asdict(each) for each in self.deviations if each.distance or each.angle],
        }


def _ulps(count: int) -> str:
    return str(count) if count < MANY_ULPS else f"{count:.2g}"


def _first_event(first: Trajectory, second: Trajectory) -> tuple[float, str] | None:
    """The first impulse or reparenting that is not the same in both."""
    ours, theirs = first.events.scheduled, second.events.scheduled
    for place, event in enumerate(ours):
        if place == len(theirs) or theirs[place] != event:
            return event.time, event.id
    return None if len(theirs) <= len(ours) else (theirs[len(ours)].time, theirs[len(ours)].id)


def _plain(found: dict | None) -> dict | None:
    """With null in place of numbers that JSON does not have."""
    if found is None:
        return None
    values = [value if math.isfinite(value) else None for value in found["values"]]
    return found | {"values": values}
