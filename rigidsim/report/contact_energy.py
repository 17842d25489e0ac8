"""What contact did with the energy, as text: the causes, and warnings about what they leave unexplained."""

from __future__ import annotations

import math

from rigidsim.report.table import aligned, beyond_rounding, number
from rigidsim.report.wording import counted
from rigidsim.trajectory.contact_ledger import ContactLedger

TITLES = {
    "restitution": "impacts, restitution",
    "impact_friction": "impacts, friction",
    "friction": "friction",
    "damping": "damping",
    "overlaps": "overlapping shapes",
    "driven": "driven surfaces",
    "loads": "loads along displacements",
    "error": "error of contact",
}
ALLOWED = 1e-3  # of the largest kinetic energy: an error of contact above it gets a warning


def ledger_lines(ledger: ContactLedger) -> list[str]:
    """A table of the causes that changed the energy, and of the error, in J; a line about restitution left out."""
    size = max(ledger.kinetic_energy, *map(abs, ledger.causes.values()))
    changes = {name: beyond_rounding(value, size) for name, value in ledger.causes.items()}
    shown = {name: value for name, value in changes.items() if value != 0.0 or name == "error"}
    rows = [
        ["what contact did", "energy, J"],
        *([f"  {TITLES[name]}", number(value)] for name, value in shown.items()),
        ["  in all", number(beyond_rounding(ledger.work, size))],
    ]
    lines = aligned(rows)
    if shown["error"]:
        lines[-2] += f"  ({ledger.relative_error:.2g} of the largest kinetic energy)"
    return [*lines, *_approximated(ledger)]


def _approximated(ledger: ContactLedger) -> list[str]:
    slow = [f"{counted(ledger.left_out, 'impact')} too slow for restitution, treated as e = 0"]
    blows = counted(ledger.unsettled, "blow")
    shared = [f"the impulses of {blows} through many bodies did not settle: how the bodies share them is approximate"]
    return [*(slow if ledger.left_out else []), *(shared if ledger.unsettled else [])]


def plain_ledger(ledger: ContactLedger) -> dict[str, float]:
    """Plain data."""
    counts = {"left_out": ledger.left_out, "unsettled": ledger.unsettled}
    return {**ledger.causes, "work": ledger.work, "kinetic_energy": ledger.kinetic_energy, **counts}


def ledger_warnings(ledger: ContactLedger | None, step: float) -> list[str]:
    """Warnings about an error of contact above ALLOWED."""
    return [_error_warning(ledger, step)] if ledger is not None and ledger.relative_error > ALLOWED else []


def _error_warning(ledger: ContactLedger, step: float) -> str:
    # The error is of second order in the step.
    advised = step * math.sqrt(ALLOWED / ledger.relative_error)
    return (
        f"the error of contact is {ledger.error:.3g} J, {ledger.relative_error:.2g} of the largest kinetic energy,"
        f" {ledger.kinetic_energy:.4g} J: bodies that touch turn too far in a step of {step:g} s;"
        f" use at most {_rounded_down(advised):g} s"
    )


def _rounded_down(value: float) -> float:
    """To one digit."""
    unit = 10.0 ** math.floor(math.log10(value))
    return math.floor(value / unit * (1.0 + 1e-12)) * unit
