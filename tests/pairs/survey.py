"""Many random scenes, each compared with the reference, and its ledgers closed:
`python tests/pairs/survey.py --first 0 --count 1250`.

Each seed is run with several sets of numbers, so that code is made once for all of them. Prints the seeds that are far
from the reference, refused, or left open by its laws, and the largest difference of each feature, integrator and way.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np

import rigidsim
from random_scenes import FEATURES, MORE, Drawn, drawn
from reference_runs import Reference
from unilateral import Undetermined
from ways import WAYS

SMOOTH = 2e-8
"""Of lengths and speeds above 1: largest 2.1e-9 of 2000 scenes, by steps of `rkmk4` in stiff ones."""
SPUN, SPUN_LEDGER = 3e-2, 1e-4
"""The same where a body turns by up to 960 rad in parts of steps of `rkmk4`: 1.5e-5 of the angle."""
CONTACT = 5e-4
"""The same of bodies that roll or strike each other in steps of 1 ms, an error of second order: largest 7.7e-5 of 171
scenes that roll, 8.6e-7 of 41 impacts.
"""
EVENTS = 1e-6
"""The same with contact by events: largest 1.5e-7 of 250 scenes without fast spins."""
LEDGER, CONTACT_LEDGER = 2e-8, 1e-4
"""Of the largest energy: of contact largest 8.3e-7 of 212 scenes."""
SAME = 1e-10
"""The rounding of sums in another order, which motion may let grow: measured up to 3e-12."""


class Bounds(NamedTuple):
    """Of the differences of a scene from its reference."""

    motion: float
    ledger: float
    contact: float


def bounds_of(drawing: Drawn) -> Bounds:
    """How far a scene may be from its reference, and its ledgers from closed."""
    is_spun = "fast spin" in drawing.words and drawing.method == "rkmk4"
    smooth, ledger = (SPUN, SPUN_LEDGER) if is_spun else (SMOOTH, LEDGER)
    contact = EVENTS if drawing.data["simulation"]["contact"] == "events" else CONTACT
    return Bounds(max(smooth, contact) if drawing.touches else smooth, ledger, CONTACT_LEDGER)


class Ends(NamedTuple):
    """What the last sample of a run has, and how far the ledgers are from closed, in largest energies."""

    motions: dict[str, np.ndarray]
    drift: float
    contact: float


def ends(trajectory: rigidsim.Trajectory) -> dict[str, np.ndarray]:
    """(15) position, rotation matrix and velocity in the world of each body at the end."""
    found = {}
    for path in trajectory.paths:
        world = trajectory[path].world
        w, x, y, z = world.orientation[-1]
        matrix = [
            1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
            1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
            1 - 2 * (x * x + y * y),
        ]  # fmt: skip
        found[path] = np.array([*world.position[-1], *matrix, *world.velocity[-1]])
    return found


def end_of(trajectory: rigidsim.Trajectory) -> Ends:
    """What is compared of a run; in lanes one that fails raises no error."""
    if trajectory.status != "complete":
        raise rigidsim.SimulationError(f"the run is {trajectory.status} at t = {trajectory.time[-1]:g} s")
    ledger = trajectory.contact_ledger
    contact = abs(ledger.error) / max(ledger.kinetic_energy, 1e-9) if ledger else 0.0
    return Ends(ends(trajectory), imbalance(trajectory), contact)


def run(drawing: Drawn) -> Ends:
    """The end of a run in its own way."""
    with WAYS[drawing.way](drawing.data) as trajectory:
        return end_of(trajectory)


def expected(data: dict[str, Any]) -> dict[str, np.ndarray]:
    """The same by the reference."""
    bodies = {name: body for name, body in data["bodies"].items() if not name.startswith("pile")}
    motions = Reference(data | {"bodies": bodies}).run()
    return {path: np.array([*one.p, *one.R.ravel(), *one.v]) for path, one in motions.items()}


def apart(one: dict[str, np.ndarray], two: dict[str, np.ndarray]) -> float:
    """The largest difference, relative to the largest value of its kind or 1 m, 1 m/s."""
    worst = 0.0
    for part in (slice(0, 3), slice(3, 12), slice(12, 15)):
        size = max(1.0, *(np.abs(values[part]).max() for values in two.values()))
        worst = max(worst, *(np.abs(one[path][part] - two[path][part]).max() / size for path in two))
    return float(worst)


def imbalance(trajectory: rigidsim.Trajectory) -> float:
    """How far kinetic + potential - work departs from what it was, in largest energies."""
    size = max(np.abs(trajectory.diagnostic(part)).max() for part in ("kinetic_energy", "potential_energy", "work"))
    return float(np.ptp(trajectory.total_energy) / size) if size > 0 else 0.0


class Findings:
    """What a survey found."""

    def __init__(self):
        self.kinds, self.count = Counter(), Counter()
        self.worst = {name: defaultdict(float) for name in ("motion", "ledger", "contact")}

    def add(self, name: str, drawing: Drawn) -> None:
        """Run and compare a scene."""
        verdict, told = "right", ""
        try:
            found = run(drawing)
            error = apart(found.motions, expected(drawing.data))
        except rigidsim.errors.RigidsimError as failure:
            verdict, told = "refused", str(failure)
        except Undetermined as why:
            verdict, told = "open", str(why)
        except Exception:
            verdict, told = "failed", traceback.format_exc()
        else:
            self._note(drawing, error, found)
            if not all(a <= b for a, b in zip((error, found.drift, found.contact), bounds_of(drawing), strict=True)):
                verdict, told = "far", f"{error:.1e}, ledger {found.drift:.1e}, of contact {found.contact:.1e}"
        self.kinds[verdict] += 1
        self.kinds["with contact"] += drawing.touches and verdict in ("right", "far")
        if told and verdict != "open":
            print(f"{name}, {', '.join(drawing.words)}: {verdict}: {told}", flush=True)

    def _note(self, drawing: Drawn, error: float, found: Ends) -> None:
        for word in drawing.words:
            self.count[word] += 1
            for name, value in (("motion", error), ("ledger", found.drift), ("contact", found.contact)):
                self.worst[name][word] = max(self.worst[name][word], value)

    def show(self, seconds: float) -> None:
        """A table."""
        print(f"{sum(self.kinds.values()) - self.kinds['with contact']} scenes in {seconds:.0f} s: {dict(self.kinds)}")
        print(f"{'feature':24} scenes  motion  ledger contact")
        for word in sorted(self.count):
            values = " ".join(f"{self.worst[name][word]:.1e}" for name in self.worst)
            print(f"{word:24} {self.count[word]:6} {values}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100, help="of structures")
    parser.add_argument("--variants", type=int, default=8, help="sets of numbers of each")
    parser.add_argument("--among", nargs="*", default=[], choices=[*FEATURES, *MORE])
    parser.add_argument("--contact", default="auto", help="the mode of contact, in scenes whose shapes can meet")
    options = parser.parse_args()
    findings, began = Findings(), time.time()
    for k in range(options.count):
        seed = options.first + k
        for variant in range(options.variants):
            findings.add(f"seed {seed}, variant {variant}", drawn(seed, options.among, variant, options.contact))
        if k % 5 == 4 or k == options.count - 1:
            findings.show(time.time() - began)
    return min(1, findings.kinds["far"] + findings.kinds["failed"])


if __name__ == "__main__":
    sys.exit(main())
