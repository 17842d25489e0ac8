"""The quantities of a whole run: energies, momenta, contact."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rigidsim.hindsight.body_quantities import XYZ, Source
from rigidsim.trajectory.fields import CONTACT_WORK
from rigidsim.trajectory.trajectory import Trajectory


class RunQuantity(NamedTuple):
    """A quantity of the whole run: words, components, unit, `read(source, body, frame)` of the last two of which it
    needs none, and whether a trajectory has it.
    """

    words: str
    components: tuple[str, ...]
    unit: str
    read: Callable[[Source, str, str], np.ndarray]
    is_recorded: Callable[[Trajectory], bool]


def _has_diagnostics(trajectory: Trajectory) -> bool:
    return trajectory.has_diagnostics


def _diagnostic(name: str, words: str, unit: str, components: tuple[str, ...] = ()) -> RunQuantity:
    return RunQuantity(words, components, unit, lambda source, *_: source.part.diagnostic(name), _has_diagnostics)


def _drift(source: Source, *_: str) -> np.ndarray:
    first = source.whole.window(slice(0, 1)).total_energy
    return source.part.total_energy - first


RUN_KINDS = {
    "time": RunQuantity("time", (), "s", lambda source, *_: source.part.time, lambda _: True),
    "kinetic_energy": _diagnostic("kinetic_energy", "kinetic energy", "J"),
    "potential_energy": _diagnostic("potential_energy", "potential energy", "J"),
    "work": _diagnostic("work", "work", "J"),
    "total_energy": RunQuantity(
        "energy minus work", (), "J", lambda source, *_: source.part.total_energy, _has_diagnostics
    ),
    "energy_drift": RunQuantity("energy drift", (), "J", _drift, _has_diagnostics),
    "linear_momentum": _diagnostic("linear_momentum", "momentum", "N s", XYZ),
    "angular_momentum": RunQuantity(
        "angular momentum", XYZ, "N m s", lambda source, *_: source.part.angular_momentum, _has_diagnostics
    ),
    "spin_angular_momentum": _diagnostic("spin_angular_momentum", "spin angular momentum", "N m s", XYZ),
    "orbital_angular_momentum": _diagnostic("orbital_angular_momentum", "orbital angular momentum", "N m s", XYZ),
    "contact_count": RunQuantity(
        "contact points", (), "", lambda source, *_: source.contact_count(), lambda t: t.header.with_contacts
    ),
    "contact_work": RunQuantity(
        "work of contact", (), "J", lambda source, *_: np.asarray(source.contact_work(CONTACT_WORK.name)),
        lambda t: t.header.with_contacts,
    ),
}  # fmt: skip
"""The quantities of a run by name."""
