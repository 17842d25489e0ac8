"""Many random scenes, each compared with the reference, and its ledger closed:
`python tests/pairs/survey.py --first 0 --count 1000`.

Prints the seeds that are far from the reference, or that are refused, and the largest difference of each feature.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from typing import Any

import numpy as np

import rigidsim
from maximal_coordinates import Reference
from random_scenes import drawn
from rigidsim.scene import Scene

BOUND = 2e-8
"""Of lengths and speeds above 1: largest 2.1e-9 of 2000 scenes, by steps of `rkmk4` in stiff ones."""
LEDGER = 2e-8
"""Of the largest energy."""


def simulated(data: dict[str, Any]) -> rigidsim.Trajectory:
    """The run of a scene as plain data."""
    return rigidsim.simulate(Scene.from_dict(data))


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


def expected(data: dict[str, Any]) -> dict[str, np.ndarray]:
    """The same by the reference."""
    motions = Reference(data).run()
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    worst, ledgers, count, kinds = defaultdict(float), defaultdict(float), Counter(), Counter()
    began = time.time()
    for seed in range(options.first, options.first + options.count):
        features, method, data = drawn(seed)
        try:
            trajectory = simulated(data)
        except rigidsim.errors.RigidsimError as failure:
            kinds["refused"] += 1
            print(f"seed {seed}, {method}, {', '.join(features)}: {failure}", flush=True)
            continue
        error, left = apart(ends(trajectory), expected(data)), imbalance(trajectory)
        for feature in (*features, method):
            count[feature] += 1
            worst[feature], ledgers[feature] = max(worst[feature], error), max(ledgers[feature], left)
        is_far = not (error <= BOUND and left <= LEDGER)
        kinds["far" if is_far else "right"] += 1
        if is_far:
            print(f"seed {seed}, {method}, {', '.join(features)}: {error:.1e}, ledger {left:.1e}", flush=True)
    print(f"{options.count} scenes in {time.time() - began:.0f} s: {dict(kinds)}")
    print(f"{'feature':24} scenes  motion  ledger")
    for name in sorted(worst):
        print(f"{name:24} {count[name]:6} {worst[name]:.1e} {ledgers[name]:.1e}")
    return min(1, kinds["far"])


if __name__ == "__main__":
    sys.exit(main())
