"""Contact as text: what was chosen for it, what struck what, and what it did with the energy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rigidsim.report.sections import CellTable, Section
from rigidsim.report.table import aligned, beyond_rounding, number, remark
from rigidsim.report.wording import counted
from rigidsim.trajectory.contact_ledger import ContactLedger
from rigidsim.trajectory.events import BEGINS, ENDS, IMPACT, RESTS, ROLLS, SLEEPS, SLIDES, STICKS, WAKES, ContactEvents

if TYPE_CHECKING:
    from rigidsim.report.drift import Drift

SHOWN_SURFACES = 20
VALUES = ("restitution", "friction", "rolling_friction")


def chosen_contact(contact: Mapping[str, Any]) -> list[str]:
    """One line with the mode; none if nothing can touch."""
    if contact["mode"] == "off":
        return []
    substeps = counted(contact["substeps"], "sub-step")
    bodies = counted(contact["bodies"], "moving body", "moving bodies")
    why = f" (auto: {contact['why']})" if "why" in contact else ""
    return [f"contact: {contact['mode']}{why}, {substeps}, {bodies} that can collide"]


def contact_lines(contact: Mapping[str, Any]) -> list[str]:
    """The mode, and a table of the values of each two surfaces."""
    chosen = chosen_contact(contact)
    if not chosen:
        return []
    rows = [
        ["contact between", *(key.replace("_", " ") for key in VALUES)],
        *map(_row, contact["pairs"][:SHOWN_SURFACES]),
    ]
    further = contact["further_pairs"] + max(0, len(contact["pairs"]) - SHOWN_SURFACES)
    return [*chosen, *(f"  {line}" for line in [*aligned(rows), *remark(further)])]


def _row(pair: Mapping[str, Any]) -> list[str]:
    one, other = map(str, pair["between"])
    sensor = " (sensor)" if pair["collide"] == "sensor" else ""
    two = f"{one} among each other" if one == other else f"{one} and {other}"
    return [f"{two}{sensor}", *(number(pair[key]) for key in VALUES)]


# --- the energy


TITLES = {
    "restitution": "impacts, restitution",
    "impact_friction": "impacts, friction",
    "friction": "friction",
    "damping": "damping",
    "overlaps": "overlapping shapes",
    "driven": "motors, driven surfaces",
    "loads": "loads along displacements",
    "error": "error of contact",
}
ALLOWED = 1e-3  # of the largest kinetic energy: an error of contact above it gets a warning
ALLOWED_MOMENTUM = 1e-5  # of the largest part of the angular momentum: as above
LEAST_PART = 0.125  # of the step: below it the advice would rest on an order that such an error may not have


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
    impacts = counted(ledger.unsettled, "impact")
    shared = [
        f"the impulses of {impacts} through many bodies at once did not settle. Momentum is conserved, but how the"
        " bodies share it, and which rebound, is approximate. Compare with a run with half the step"
    ]
    return [*(slow if ledger.left_out else []), *(shared if ledger.unsettled else [])]


def ledger_warnings(ledger: ContactLedger | None, step: float) -> list[str]:
    """Warnings about an error of contact above ALLOWED."""
    if ledger is None or ledger.relative_error <= ALLOWED:
        return []
    begin = (
        f"the error of contact is {ledger.error:.3g} J, {ledger.relative_error:.2g} of the largest kinetic energy,"
        f" {ledger.kinetic_energy:.4g} J:"
    )
    # The error is of second order in the step; the advice is rounded down to one digit.
    advised = step * math.sqrt(ALLOWED / ledger.relative_error)
    if advised < LEAST_PART * step:
        return [
            f"{begin} more than turns of bodies in a step of {step:g} s explain. Run once with {0.5 * step:g} s;"
            " if the error does not fall to a quarter, shorter steps do not help, and the energies are not reliable"
        ]
    unit = 10.0 ** math.floor(math.log10(advised))
    return [
        f"{begin} bodies that touch turn too far in a step of {step:g} s;"
        f" use at most {math.floor(advised / unit * (1.0 + 1e-12)) * unit:g} s"
    ]


def momentum_warnings(ledger: ContactLedger | None, drift: list[Drift], step: float) -> list[str]:
    """A warning about a drift of the angular momentum above ALLOWED_MOMENTUM where shapes touch; of a total that began
    smaller than its drift nothing is said, because its rounding is as large. The linear one has impulses in pairs.
    """
    if ledger is None:
        return []
    return [
        f"the angular momentum drifted by {one.largest:.3g} {one.unit}, {one.relative:.2g} of {one.size:.4g}"
        f" {one.unit}. Impulses on shapes that slide while they land, and on trees that fold, have arms of two"
        f" instants of a step of {step:g} s. Use a shorter step if that matters"
        for one in drift
        if one.name == "angular momentum" and one.relative > ALLOWED_MOMENTUM and one.began >= one.largest
    ]


# --- what struck what


SHOWN_PAIRS = 8
MODES = {"sliding": SLIDES, "rolling": ROLLS, "sticking": STICKS, "rest": RESTS}
"""The modes of contact that last, with `contact: events`."""


@dataclass(frozen=True)
class PairImpacts:
    """The impacts between two bodies."""

    bodies: tuple[str, str]
    impacts: int
    largest_impulse: float  # N s
    energy: float  # change of kinetic energy by all of them, J
    before: float  # the kinetic energies before them, J, of which the changes are differences

    def row(self) -> list[str]:
        """The cells of a table."""
        numbers = self.largest_impulse, beyond_rounding(self.energy, self.before)
        return [" and ".join(self.bodies), str(self.impacts), *map(number, numbers)]

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {name: value for name, value in vars(self).items() if name != "before"}


class ContactSummary:
    """The events of contact of a run: their numbers, and the `pairs` with impacts, those with the largest first; the
    `work` of all contact (J) and what is known of its causes, which files of older versions do not have.
    """

    def __init__(self, events: ContactEvents, work: float | None = None, ledger: ContactLedger | None = None):
        self.begins, self.ends, self.impacts = (int(np.sum(events.kind == kind)) for kind in (BEGINS, ENDS, IMPACT))
        begun = {mode: int(np.sum(events.kind == kind)) for mode, kind in MODES.items()}
        self.modes = {mode: count for mode, count in begun.items() if count}
        self.fell_asleep, self.woke = (int(np.sum(events.kind == kind)) for kind in (SLEEPS, WAKES))
        self.pairs = sorted(_pair_impacts(events), key=lambda pair: -pair.largest_impulse)
        self.work, self.ledger = ledger.work if ledger else work, ledger

    @property
    def energy(self) -> float:
        """The change of kinetic energy by impacts, J."""
        return sum(pair.energy for pair in self.pairs)

    @property
    def other_work(self) -> float | None:
        """The work of contact apart from impacts, J."""
        return None if self.work is None else self.work - self.energy

    def sections(self, most: int | None = SHOWN_PAIRS) -> list[Section]:
        """A line of counts, the energies, and a table of at most so many pairs; none without events."""
        if not (self.begins or self.ends or self.impacts):
            return []
        numbers = (
            f"{counted(self.impacts, 'impact')}, {counted(self.begins, 'touch', 'touches')} began, {self.ends} ended"
        )
        begun = [f"{mode} {counted(count, 'time')}" for mode, count in self.modes.items()]
        numbers += f"; there began {', '.join(begun)}" if begun else ""
        asleep = counted(self.fell_asleep, "time a body fell asleep", "times a body fell asleep")
        numbers += f"; {asleep}, {self.woke} woke" if self.fell_asleep else ""
        head = ["what struck what", "impacts", "largest impulse, N s", "energy, J"]
        table = CellTable.first(head, [pair.row() for pair in self.pairs], most) if self.pairs else None
        data = {"contact": self}
        if self.ledger:
            return [Section(data, [numbers]), Section(lines=ledger_lines(self.ledger)), Section(table=table)]
        before = sum(pair.before for pair in self.pairs)
        energies = f"energy changed by {number(beyond_rounding(self.energy, before))} J in impacts"
        if self.other_work is not None:
            energies += f", by {number(beyond_rounding(self.other_work, before))} J due to friction and damping"
        return [Section(data, [f"{numbers}; {energies}"], table=table)]

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        counts = {"begins": self.begins, "ends": self.ends, "impacts": self.impacts}
        modes = {"modes": self.modes} if self.modes else {}
        slept = {"fell_asleep": self.fell_asleep, "woke": self.woke} if self.fell_asleep else {}
        energies = {"energy_in_impacts": self.energy, "other_work": self.other_work}
        causes = self.ledger and {**self.ledger.causes, "work": self.ledger.work, **vars(self.ledger)}
        ledger = {"ledger": causes} if causes else {}
        return {**counts, **modes, **slept, **energies, **ledger, "pairs": self.pairs}


def _pair_impacts(events: ContactEvents) -> list[PairImpacts]:
    """The impacts of each pair of nodes with shapes, in the order of the nodes."""
    struck = events.kind == IMPACT
    nodes, node_of = np.unique(events.nodes.astype(str), return_inverse=True)
    sides = np.sort(np.stack([node_of[events.first[struck]], node_of[events.second[struck]]]), axis=0)
    keys, pair_of = np.unique(sides[0] * len(nodes) + sides[1], return_inverse=True)
    largest, energy, before = np.zeros((3, len(keys)))
    np.maximum.at(largest, pair_of, np.linalg.norm(events.impulse[struck], axis=1))
    np.add.at(energy, pair_of, (events.energy_after - events.energy_before)[struck])
    np.add.at(before, pair_of, events.energy_before[struck])
    counts = np.bincount(pair_of, minlength=len(keys))
    found = zip(counts.tolist(), largest.tolist(), energy.tolist(), before.tolist(), strict=True)
    both = (divmod(key, len(nodes)) for key in keys.tolist())
    return [PairImpacts((str(nodes[a]), str(nodes[b])), *values) for (a, b), values in zip(both, found, strict=True)]
