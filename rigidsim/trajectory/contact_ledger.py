"""What contact did with the energy of a run, by cause, and how a file has it."""

from __future__ import annotations

from dataclasses import dataclass

LEDGER = "contact_ledger"
CAUSES = {
    "restitution": "impacts, along the normal: what restitution does not give back",
    "impact_friction": "impacts, across the normal: friction",
    "friction": "friction in lasting contacts, sliding and rolling",
    "damping": "damping: bodies that land without rebound, and what sub-steps settle",
    "overlaps": "overlapping shapes that are parted, less what presses shapes into each other",
    "driven": "what something else moves: prescribed bodies, belts, coordinates and rates that motors keep",
    "loads": "loads along the displacements by contact, and bodies that inherit impulses",
    "error": "error of contact: the rest",
}
"""The causes of a change of energy, in the order of the engine, and the rest."""
OTHERS = {
    "kinetic_energy": ("largest kinetic energy of the samples, or that a smooth step gives from rest", "J"),
    "left_out": ("impacts that were too slow for their restitution", "1"),
    "unsettled": ("impacts whose impulses did not settle", "1"),
}
DESCRIBED = {**{name: (meaning, "J") for name, meaning in CAUSES.items()}, **OTHERS}
"""The meaning and the units of each number of a ledger, in the order of the file."""


@dataclass(frozen=True)
class ContactLedger:
    """The energy that contact added since t = 0, J, by its cause, as in `CAUSES`; they add up to the work of contact.

    `kinetic_energy` is the largest one of all samples, J, or what a step without contact would give the bodies from
    rest; `left_out` counts impacts that were too slow for their restitution, `unsettled` those whose impulses did not
    settle.
    """

    restitution: float
    impact_friction: float
    friction: float
    damping: float
    overlaps: float
    driven: float
    loads: float
    error: float
    kinetic_energy: float
    left_out: int
    unsettled: int

    @property
    def causes(self) -> dict[str, float]:
        """The energy of each cause, and the error, J."""
        return {name: getattr(self, name) for name in CAUSES}

    @property
    def work(self) -> float:
        """Of all contact, J."""
        total = 0.0
        for value in self.causes.values():
            total += value
        return total

    @property
    def relative_error(self) -> float:
        """The size of the error relative to the largest kinetic energy, or to what overlapping shapes gave if that is
        more; 0 if there is neither.
        """
        size = max(self.kinetic_energy, self.overlaps)
        return abs(self.error) / size if size > 0.0 else 0.0
