"""Where two trajectory files differ: in the inputs, in the first number, and by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rigidsim.analysis.differences import Comparison, Deviation, Difference
from rigidsim.report.inputs import Input, differing_inputs
from rigidsim.report.sections import Report, Section
from rigidsim.report.table import number
from rigidsim.report.wording import counted
from rigidsim.trajectory.trajectory import Trajectory

SHOWN_INPUTS = 4
MANY_ULPS = 10**6  # of which only the order matters


class Diff(Report):
    """The output of `diff`. Results are equal if paths, times, samples and events are: what the content hash is of."""

    def __init__(self, first: Trajectory, second: Trajectory, files: Sequence[str | Path]):
        """Compare two trajectories, which may be closed afterwards. Raises FormatError for a file that is found to be
        damaged: of what differs, all is read.
        """
        both, comparison = (first, second), Comparison(first, second)
        found, event = comparison.first_difference, _first_event(first, second)
        hashes = [one.present_hash for one in both]
        self.are_equal = hashes[0] == hashes[1] and found is None
        inputs, shared = differing_inputs(first.header, second.header), len(comparison.samples[0])
        is_comparable = bool(shared and comparison.paths)
        deviations = comparison.deviations() if found else []
        extent = {
            "status": [one.status for one in both],
            "samples": [len(one.time) for one in both],
            "end": [float(one.time[-1]) for one in both],
            "shared_samples": shared,
            "only": [[p for p in one.paths if p not in other.header.row_of] for one, other in (both, both[::-1])],
        }
        if self.are_equal:
            of = f"{counted(shared, 'sample')}, content hash {hashes[0]}"
            lines = [f"{files[0]} and {files[1]} have equal results: {of}", *_inputs(inputs)]
        else:
            lines = _inputs(inputs) or ["inputs: no scene, version or machine differs"]
            lines += [*_extent(extent, files), _first(found, event, is_comparable)]
            lines += _deviation(deviations) or (
                ["largest deviation: none in the world"] if found and is_comparable else []
            )
        differences = {
            "first_difference": found and vars(found) | {"ulps": found.ulps},
            "first_event": event and {"time": event[0], "id": event[1]},
            "deviations": [each for each in deviations if each.distance or each.angle],
        }
        about = {"equal": self.are_equal, "files": list(map(str, files)), "content_hash": hashes}
        super().__init__(Section({**about, **extent, "inputs": inputs, **differences}, lines))


def _inputs(inputs: Sequence[Input]) -> list[str]:
    if not inputs:
        return []
    further = len(inputs) - SHOWN_INPUTS
    more = [f"{further} more (--json)"] if further > 0 else []
    of_overrides = " (the text of the scene is the same)" if inputs[0].kind == "override" else ""
    return [f"inputs: {'; '.join([*map(str, inputs[:SHOWN_INPUTS]), *more])}{of_overrides}"]


def _extent(extent: Mapping[str, Any], files: Sequence[str | Path]) -> list[str]:
    """Of samples and bodies, what only one of them has."""
    samples, status, shared, lines = extent["samples"], extent["status"], extent["shared_samples"], []
    if samples[0] != samples[1] or shared < samples[0]:
        each = [f"{counted(n, 'sample')} to {number(t)} s" for n, t in zip(samples, extent["end"], strict=True)]
        lines.append(f"samples: {each[0]} and {each[1]}; {shared} of the same time are compared")
    if status[0] != status[1]:
        lines.append(f"status: {status[0]} and {status[1]}")
    return lines + [
        f"only in {file}: {', '.join(paths[:SHOWN_INPUTS])}{', ...' * (len(paths) > SHOWN_INPUTS)}"
        for file, paths in zip(files, extent["only"], strict=True)
        if paths
    ]


def _first(found: Difference | None, event: tuple[float, str] | None, is_comparable: bool) -> str:
    """The first number, or else the first event, that differs."""
    if found is None:
        if event:
            return f"first difference: the event {event[1]} at t = {number(event[0])} s"
        return "no number differs in what both have" if is_comparable else "no sample and body is in both"
    component = f".{found.component}" if found.component else ""
    row = f"row {found.row}" if found.time is None else f"sample {found.row}, t = {number(found.time)} s"
    what = f"{found.body} {found.dataset}{component}".lstrip()
    ulps = str(found.ulps) if (found.ulps or 0) < MANY_ULPS else f"{found.ulps:.2g}"
    apart = "" if found.ulps is None else f", {ulps} ULP apart"
    return f"first difference: {row}: {what} is {found.values[0]!r} and {found.values[1]!r}{apart}"


def _deviation(deviations: Sequence[Deviation]) -> list[str]:
    """The largest distance and angle of any body."""
    parts = []
    for name, unit in (("distance", "m"), ("angle", "rad")):
        found = [one for one in deviations if getattr(one, name)]
        if found:
            worst = max(found, key=lambda one: getattr(one, name))
            time = getattr(worst, f"{name}_time")
            parts.append(f"{number(getattr(worst, name))} {unit} ({worst.body} at t = {number(time)} s)")
    return [f"largest deviation: {', '.join(parts)}"] if parts else []


def _first_event(first: Trajectory, second: Trajectory) -> tuple[float, str] | None:
    """The first impulse or reparenting that is not the same in both."""
    ours, theirs = first.events.scheduled, second.events.scheduled
    for place, event in enumerate(ours):
        if place == len(theirs) or theirs[place] != event:
            return event.time, event.id
    return None if len(theirs) <= len(ours) else (theirs[len(ours)].time, theirs[len(ours)].id)
