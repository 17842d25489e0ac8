"""What contact did with the energy of a run, by cause, and how a file has it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rigidsim.errors import FormatError

if TYPE_CHECKING:
    import h5py

LEDGER = "contact_ledger"
CAUSES = {
    "restitution": "impacts, along the normal: what restitution does not give back",
    "impact_friction": "impacts, across the normal: friction",
    "friction": "friction in lasting contacts, sliding and rolling",
    "damping": "damping: bodies that land without rebound, and what sub-steps settle",
    "overlaps": "overlapping shapes that are parted, less what presses shapes into each other",
    "driven": "surfaces that something else moves: prescribed bodies, belts",
    "loads": "loads along the displacements by contact, and bodies that inherit impulses",
    "error": "error of contact: the rest",
}
"""The causes of a change of energy, in the order of the engine, and the rest."""
OTHERS = {
    "kinetic_energy": ("J", "largest kinetic energy of the samples, or that a smooth step gives from rest"),
    "left_out": ("1", "impacts that were too slow for their restitution"),
    "unsettled": ("1", "blows whose impulses did not settle"),
}


@dataclass(frozen=True)
class ContactLedger:
    """The energy that contact added since t = 0, J, by its cause, as in `CAUSES`; they add up to the work of contact.

    `kinetic_energy` is the largest one of all samples, J, or what a step without contact would give the bodies from
    rest; `left_out` counts impacts that were too slow for their restitution, `unsettled` blows whose impulses did not
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


def write_ledger(root: h5py.File, ledger: ContactLedger | None, content_hash: str) -> None:
    """Write the ledger, with a digest that belongs to this file; nothing if nothing can touch."""
    if ledger is None:
        return
    group = root.create_group(LEDGER, track_order=True)
    group.attrs["sha256"] = digest_of_ledger(ledger, content_hash)
    for name, (units, long_name) in ({name: ("J", text) for name, text in CAUSES.items()} | OTHERS).items():
        dataset = group.create_dataset(name, data=np.float64(getattr(ledger, name)))
        dataset.attrs["units"], dataset.attrs["long_name"] = units, long_name


def read_ledger(values: Mapping[str, float], stored_digest: str, content_hash: str, path: object) -> ContactLedger:
    """The ledger of these values; FormatError if they do not match their digest."""
    counts = {name: int(values[name]) for name in ("left_out", "unsettled")}
    ledger = ContactLedger(**{**values, **counts})
    if digest_of_ledger(ledger, content_hash) != stored_digest:
        raise FormatError(f"{path} is damaged: {LEDGER} does not match its sha256")
    return ledger


def digest_of_ledger(ledger: ContactLedger, content_hash: str) -> str:
    """SHA-256, in hexadecimal, of the ledger and of the content hash of the samples that it belongs to."""
    digest = hashlib.sha256(content_hash.encode())
    for name in (*CAUSES, *OTHERS):
        digest.update(name.encode() + np.float64(getattr(ledger, name)).tobytes())
    return digest.hexdigest()
