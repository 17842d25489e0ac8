"""Why did the energy drift? The likely cause, in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rigidsim.report.drift import BOUND, Drift
from rigidsim.report.windows import windows
from rigidsim.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from rigidsim.hindsight.rates import Culprit

CARRIED = 1e-6
"""Of the kinetic energy relative to the parents: a velocity that is right to a thousandth of what the parent sees. A
body at rest in the world has no other energy in motion, and its drift is that of the sum of two large velocities.
"""
UNREMARKABLE = 0.05  # below it, no load is fast for the step


def judged(trajectory: Trajectory, drift: list[Drift]) -> list[Drift]:
    """The drifts, of which that of the energy exceeds nothing if it is no more than CARRIED allows."""
    if all(d.exceeds is None for d in drift):
        return drift
    from rigidsim.hindsight.relative_energy import relative_kinetic_energy

    allowed = CARRIED * relative_kinetic_energy(trajectory, windows(trajectory))
    return [replace(d, exceeds=None) if d.largest <= allowed else d for d in drift]


def drift_warnings(trajectory: Trajectory, drift: list[Drift]) -> list[str]:
    """A sentence for each quantity that drifted beyond BOUND."""
    return [_warning(trajectory, d) for d in drift if d.exceeds is not None]


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
        return f"{alone}, as far as the samples show: half the step, or a higher order, errs less"
    # The same advice as before a run. Only here, as a history without drift needs none of it.
    from rigidsim.scene.notes.load_steps import DAMPED
    from rigidsim.scene.notes.step_length import ADVISED_TURN

    number, followed = found.rate.number, DAMPED if found.rate.by == "velocity" else ADVISED_TURN
    advised = min(followed / found.rate.number, 0.5) * step
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
    meeting = "; bodies that pass through one another need a 'softening'" if "gravity" in what else ""
    return f"likely cause: {what} {how}, {number:.3g} in one step of {step:g} s{shorter}{meeting}"


def _meanwhile(trajectory: Trajectory, begin: float, end: float) -> str:
    """What happened in between."""
    names = [event.id for event in trajectory.events if begin < event.time <= end]
    return f"; {', '.join(names)} happened then" if names else ""
