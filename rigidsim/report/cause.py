"""Warnings about energy drift, with the likely cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.report.drift import BOUND, Drift
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.trajectory.windows import measured

if TYPE_CHECKING:
    from rigidsim.analysis.rates import DriftCause

ALLOWED_RELATIVE = 1e-6
"""Allowed drift relative to the kinetic energy in the parents' frames: a velocity error of 1e-3. A body at rest in the
world below a moving parent has no other kinetic energy, and its velocity is the sum of two large ones.
"""
SPREAD = 16  # samples over the whole run, where those at the drift have no cause
SLOW = 0.05  # rad per step; a load with a lower rate is resolved by the step


def without_allowed(trajectory: Trajectory, drift: list[Drift]) -> list[Drift]:
    """The drifts; `exceeds` of the energy is None if its drift is within ALLOWED_RELATIVE, as far as velocities were
    recorded.
    """
    if all(d.exceeds is None for d in drift):
        return drift
    from rigidsim.analysis.relative_energy import RelativeEnergyMeter

    try:
        (moving,) = measured(trajectory, RelativeEnergyMeter(trajectory.header))
    except NotRecordedError:
        return drift
    return [replace(d, exceeds=None) if d.largest <= ALLOWED_RELATIVE * moving else d for d in drift]


def drift_warnings(trajectory: Trajectory, drift: list[Drift]) -> list[str]:
    """A warning for each quantity that drifted beyond BOUND."""
    return [_warning(trajectory, d) for d in drift if d.exceeds is not None]


def _warning(trajectory: Trajectory, drift: Drift) -> str:
    # Imported here to keep the engine out of reports on trajectories without drift.
    from rigidsim.analysis.past import SampleModel
    from rigidsim.analysis.rates import drift_cause

    exceeds = drift.exceeds
    assert exceeds is not None
    after = int(np.searchsorted(trajectory.time, exceeds))
    before = max(after - 1, 0)
    try:
        simulation = trajectory.header.scene.simulation
        step, method = simulation.step, simulation.integrator
        cause = method.chooses and _smaller(method.refined_by, trajectory.header.contact_settings, step)
        if not cause:
            # A pendulum at rest on one side is as slow as nothing else, and fast at the next sample.
            # A force that has a limit shows its slope only at samples at which it is within the limit.
            spread = np.linspace(0, len(trajectory.time) - 1, SPREAD).astype(int).tolist()
            causes = (
                drift_cause(SampleModel(trajectory, k), step, exceeds) for k in dict.fromkeys([before, after, *spread])
            )
            cause = _cause(next((one for one in causes if one and one.rate.number >= SLOW), None), step)
    except NotRecordedError as error:
        cause = f"its cause is unknown, because {error}"
    return (
        f"the energy drifted by {drift.largest:.3g} J, {drift.relative:.3g} of {drift.size:.4g} J;"
        f" this ratio exceeded {BOUND:g} by t = {exceeds:.9g} s, so the motion is inaccurate;"
        f" {cause}{_events_between(trajectory, float(trajectory.time[before]), exceeds)}"
    )


def _cause(found: DriftCause | None, step: float) -> str:
    if found is None:
        slow = f"at the samples examined no force changes too fast for the step of {step:g} s; one with a limit"
        return f"{slow} or a jump (clamp, if) may between them; use a shorter step or an integrator of higher order"
    # The same limits as for the warnings before a run.
    from rigidsim.scene.notes.steps import ADVISED_TURN, DAMPED

    number, limit = found.rate.number, DAMPED if found.rate.by == "velocity" else ADVISED_TURN
    advised = min(limit / found.rate.number, 0.5) * step
    of_all = f"the {found.joint} joint of" if found.joint else "the total load on"
    what = f"{f'the {found.load} on' if found.load else of_all} '{found.body}'"
    shorter = f"; use a step of at most {advised:.1g} s"
    if found.rate.by == "turn":
        return f"likely cause: '{found.body}' or its parent rotates by {number:.3g} rad per step of {step:g} s{shorter}"
    if found.rate.by == "time":
        return (
            f"likely cause: {what} changes by {number:.0%} of its largest value within one step at"
            f" t = {found.rate.when:.6g} s; use a step shorter than {step:g} s, or remove a pole or a jump there"
        )
    rate = number / step
    how = f"damps at {rate:.3g} 1/s" if found.rate.by == "velocity" else f"oscillates at {rate:.3g} rad/s"
    passes = "gravity" in what and not found.joint
    softening = "; set 'softening' if bodies pass close to each other" if passes else ""
    return f"likely cause: {what} {how}, {number:.3g} per step of {step:g} s{shorter}{softening}"


def _smaller(key: str, contact: Mapping[str, Any], step: float) -> str:
    """The advice where the method chooses its steps."""
    touching = f", or a step of contact shorter than {step:g} s" if contact["mode"] != "off" else ""
    return f"use a smaller {key}{touching}; give a max_step if a force has a pulse that is shorter than a step"


def _events_between(trajectory: Trajectory, begin: float, end: float) -> str:
    """The events between two times, for the end of a message."""
    names = [event.id for event in trajectory.events.scheduled if begin < event.time <= end]
    return f"; events at that time: {', '.join(names)}" if names else ""
