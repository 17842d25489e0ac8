"""Why did the energy drift? The likely cause, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rigidsim.report.drift import BOUND, Drift
from rigidsim.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from rigidsim.hindsight.rates import Culprit

FOLLOWED = 0.1  # of a decay or a turn in a step: the methods follow that well
UNREMARKABLE = 0.05  # below it, no load is fast for the step


def drift_warnings(trajectory: Trajectory, drift: list[Drift]) -> list[str]:
    """A sentence for each quantity that drifted beyond BOUND."""
    return [_warning(trajectory, d) for d in drift if d.exceeds is not None and d.name == "energy"]


def _warning(trajectory: Trajectory, drift: Drift) -> str:
    # Only here, so that a history without drift is looked at without loading what compiles.
    from rigidsim.hindsight.past import Past
    from rigidsim.hindsight.rates import culprit

    after = int(np.searchsorted(trajectory.time, drift.exceeds))
    past = Past(trajectory, max(after - 1, 0))
    step = past.scene.simulation.step
    return (
        f"the energy drifted by {drift.largest:.3g} J, {drift.relative:.3g} of the {drift.size:.4g} J in motion, and"
        f" passed {BOUND:g} of them by t = {drift.exceeds:.9g} s: the motion is wrong by as much;"
        f" {_cause(culprit(past, step, drift.exceeds), step)}{_meanwhile(trajectory, past.time, drift.exceeds)}"
    )


def _cause(found: Culprit | None, step: float) -> str:
    if found is None or found.rate.number < UNREMARKABLE:
        alone = f"no force in the scene is too fast for the step of {step:g} s by itself"
        return f"{alone}: half the step, or a higher order, errs less"
    number, advised = found.rate.number, FOLLOWED * step / found.rate.number
    what = f"the {found.load} on '{found.body}'" if found.load else f"what acts on '{found.body}'"
    shorter = f"; {advised:.1g} s would follow it"
    if found.rate.by == "turn":
        return f"likely cause: '{found.body}' or its parent turns by {number:.3g} rad in a step of {step:g} s{shorter}"
    if found.rate.by == "time":
        return (
            f"likely cause: {what} changes by {number:.0%} of its size within one step, at t = {found.rate.when:.6g} s:"
            f" a step of {step:g} s is too long for it, or its expression has a pole or a jump there"
        )
    rate = number / step
    how = f"damps at {rate:.3g} per second" if found.rate.by == "velocity" else f"swings at {rate:.3g} rad/s"
    return f"likely cause: {what} {how}, {number:.3g} in one step of {step:g} s{shorter}"


def _meanwhile(trajectory: Trajectory, begin: float, end: float) -> str:
    """What happened in between."""
    names = [event.id for event in trajectory.events if begin < event.time <= end]
    return f"; {', '.join(names)} happened then" if names else ""
