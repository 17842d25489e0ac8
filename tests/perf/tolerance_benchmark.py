"""Errors of methods that choose their steps, over the tolerance: `python tests/perf/tolerance_benchmark.py [--quick]`.

The tidy top after 10 s (the angle and the difference of the rates) and an orbit with e = 0.6 after a period, each the
root mean square of sixteen starts within a percent, from the motion by `taylor` at a tolerance of 1e-16.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import rigidsim
from work_precision import table

TOLERANCES = [10.0**-k for k in range(4, 11)]
TOP = {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": {"frame": "body", "value": [1, 1, 1]}}
# On the ellipse of eccentricity 0.6 with half axis 1 and period 2 pi.
PLANET = {"mass": 1, "inertia": "point", "position": [0.4, 0, 0], "velocity": [0, 2, 0]}
SUN = {"center": [0, 0, 0], "gm": 1.0}
CHANGES = np.linspace(-0.01, 0.01, 16)
"""Relative changes of the sixteen starts."""


def ends(name: str, tolerance: float, starts: list[dict], duration: float, gravity) -> list[rigidsim.MotionHistory]:
    """The motions of bodies by a method to a tolerance; the last sample is at the end."""
    how = {"name": name, "rtol" if name == "adaptive" else "tolerance": tolerance}
    head = {"format": "rigidsim/1", "world": {"gravity": gravity}}
    head["simulation"] = {"duration": duration, "integrator": how, "record_every": duration}
    scenes = [rigidsim.Scene.from_dict(head | {"bodies": {"b": start}}) for start in starts]
    return [found["b"].world for found in rigidsim.simulate(scenes)]


def tops(name: str, tolerance: float, changes=CHANGES) -> np.ndarray:
    """Orientation and rate of tidy tops after ten seconds, whose rates at the start differ by relative changes."""
    rates = [{"frame": "body", "value": [1 + change, 1, 1]} for change in changes]
    found = ends(name, tolerance, [TOP | {"angular_velocity": rate} for rate in rates], 10.0, [0, 0, 0])
    return np.array([np.hstack((2 * one.orientation[-1], one.angular_velocity[-1])) for one in found])


def orbits(name: str, tolerance: float, changes=CHANGES) -> np.ndarray:
    """The positions after the period of the first, of planets whose speeds at the start differ by relative changes."""
    starts = [PLANET | {"velocity": [0, 2 * (1 + change), 0]} for change in changes]
    return np.array([one.position[-1] for one in ends(name, tolerance, starts, math.tau, SUN)])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two tolerances")
    tolerances = TOLERANCES[1::4] if parser.parse_args().quick else TOLERANCES
    row = table("Error over tolerance", "method", "motion", *(f"{tolerance:.0e}" for tolerance in tolerances))
    for motion, title in ((tops, "top"), (orbits, "orbit")):
        exact = motion("taylor", 1e-16)
        for name in ("adaptive", "taylor"):
            errors = [np.linalg.norm(motion(name, each) - exact) / 4 / each for each in tolerances]
            row(f"`{name}`", title, *(f"{error:.2g}" for error in errors))


if __name__ == "__main__":
    main()
