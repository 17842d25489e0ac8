"""What struck what in a run: the events of contact by pairs of bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigidsim.report.contact_energy import ledger_lines, plain_ledger
from rigidsim.report.table import aligned, beyond_rounding, number, shortened
from rigidsim.report.wording import counted
from rigidsim.trajectory.contact_events import BEGINS, ENDS, IMPACT, ContactEvents
from rigidsim.trajectory.contact_ledger import ContactLedger

SHOWN_PAIRS = 8


@dataclass(frozen=True)
class Strikes:
    """The impacts between two bodies."""

    bodies: tuple[str, str]
    impacts: int
    largest_impulse: float  # N s
    energy: float  # change of kinetic energy by all of them, J
    before: float  # the kinetic energies before them, J, of which the changes are differences


@dataclass(frozen=True)
class ContactSummary:
    """The events of contact of a run: their numbers, and the pairs with impacts, those with the largest first."""

    begins: int
    ends: int
    impacts: int
    pairs: tuple[Strikes, ...]
    work: float | None  # of all contact, J
    ledger: ContactLedger | None  # None in files of older versions

    @classmethod
    def of(
        cls, events: ContactEvents, work: float | None = None, ledger: ContactLedger | None = None
    ) -> ContactSummary | None:
        """None without events."""
        if not len(events):
            return None
        begins, ends, impacts = (int(np.sum(events.kind == kind)) for kind in (BEGINS, ENDS, IMPACT))
        pairs = sorted(_strikes(events), key=lambda pair: -pair.largest_impulse)
        return cls(begins, ends, impacts, tuple(pairs), ledger.work if ledger else work, ledger)

    @property
    def energy(self) -> float:
        """The change of kinetic energy by impacts, J."""
        return sum(pair.energy for pair in self.pairs)

    @property
    def other_work(self) -> float | None:
        """The work of contact apart from impacts, J."""
        return None if self.work is None else self.work - self.energy

    def lines(self, most: int | None = SHOWN_PAIRS) -> list[str]:
        """A line of counts, the energies, and a table of at most so many pairs."""
        numbers = (
            f"{counted(self.impacts, 'impact')}, {counted(self.begins, 'touch', 'touches')} began, {self.ends} ended"
        )
        before = sum(pair.before for pair in self.pairs)
        if self.ledger:
            pairs = self._table(most)
            return [numbers, "", *ledger_lines(self.ledger), *(["", *pairs] if pairs else [])]
        energies = f"energy changed by {number(beyond_rounding(self.energy, before))} J in impacts"
        if self.other_work is not None:
            energies += f", by {number(beyond_rounding(self.other_work, before))} J due to friction and damping"
        return [f"{numbers}; {energies}", *self._table(most)]

    def _table(self, most: int | None) -> list[str]:
        """The pairs with impacts."""
        rows = [
            [
                " and ".join(pair.bodies),
                str(pair.impacts),
                number(pair.largest_impulse),
                number(beyond_rounding(pair.energy, pair.before)),
            ]
            for pair in self.pairs
        ]
        header_row, *table = aligned([["what struck what", "impacts", "largest impulse, N s", "energy, J"], *rows])
        return [header_row, *shortened(table, most)] if rows else []

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        told = ("impacts", "largest_impulse", "energy")
        pairs = [{"bodies": list(pair.bodies), **{name: getattr(pair, name) for name in told}} for pair in self.pairs]
        counts = {"begins": self.begins, "ends": self.ends, "impacts": self.impacts}
        ledger = {"ledger": plain_ledger(self.ledger)} if self.ledger else {}
        energies = {"energy_in_impacts": self.energy, "other_work": self.other_work}
        return {**counts, **energies, **ledger, "pairs": pairs}


def _strikes(events: ContactEvents) -> list[Strikes]:
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
    found = zip(keys.tolist(), counts.tolist(), largest.tolist(), energy.tolist(), before.tolist(), strict=True)
    return [Strikes(tuple(str(nodes[k]) for k in divmod(key, len(nodes))), *values) for key, *values in found]
