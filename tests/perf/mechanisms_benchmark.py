"""Mechanisms with loops, errors and times of each method: `python tests/perf/mechanisms_benchmark.py [--quick]`.

A02 to A05 are problems of the IFToMM library of multibody benchmarks: ten seconds each, A03 for 30 ms. Errors are those
at all samples, against a closed form or a run with a smaller step or tolerance. A time is the least processor time of a
whole run, with samples and without compiling. The tests of loops use the same mechanisms.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import rigidsim
from rigidsim.analysis.quantities import quantity
from work_precision import table

SCENES = Path(__file__).parents[2] / "scenes"
TURNS = 3
ROD, BAR = ({"principal": moments} for moments in ([1 / 12, 1e-3, 1 / 12], [1e-3, 1 / 12, 1 / 12]))
Z = [0, 0, 1]
GRAVITY = [0, -9.81, 0]


def four_bars(n: int, copies: int = 1, type: str = "point") -> tuple[dict, list]:
    """IFToMM A02: n + 1 cranks of 1 m and 1 kg, n bars on their tips, at 1 m/s; each loop several times."""
    bodies, loops = {}, []
    for i in range(n + 1):
        crank = {"mass": 1, "inertia": ROD, "center_of_mass": [0, 0.5, 0], "position": [i, 0, 0]}
        bodies[f"crank{i}"] = crank | {"motion": {"hinge": {"axis": Z, "rate": -1}}}
        if i < n:
            bar = {"mass": 1, "inertia": BAR, "center_of_mass": [0.5, 0, 0], "position": [0, 1, 0]}
            bodies[f"crank{i}"]["children"] = {"bar": bar | {"motion": {"hinge": {"axis": Z, "rate": 1}}}}
            loop = {"type": type, "between": [f"crank{i}/bar", f"crank{i + 1}"], "at": [1, 0, 0], "to_at": [0, 1, 0]}
            loops += [loop | ({"axis": Z} if type == "hinge" else {})] * copies
    return bodies, loops


def swung(t, n: int = 2):
    """The angle of the cranks from the vertical: one pendulum of the inertia (n + 1)/3 + n, kg m^2."""
    softness = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    fastest = math.sqrt(1 + 4 * softness)
    m = 4 * softness / fastest**2
    return 2 * ellipj(ellipk(m) + fastest * t / 2, m)[3] - math.pi


def turned(trajectory, path: str) -> np.ndarray:
    """The angle of a hinge."""
    return quantity(trajectory, f"{path}.angle").values


ANDREWS = {
    "crank": 15.81077119629904, "crank/bar": -15.75637105984298, "middle": 0.04082224013073101,
    "left/arm": -0.5347301163226948, "left": 0.5244099658805304, "right/arm": 0.5347301163226948,
    "right": 1.048080741042263,
}  # fmt: skip
"""Mazzia, Magherini, Test set for initial value problems, problem Andrews' squeezer: the angles at 0.03 s, rad."""


DIRECTIONS = ([1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0])
HINGES = ([0, 1, 0], Z, [1, 0, 0], [0, 1, 0], Z)


def bricard() -> tuple[dict, list]:
    """IFToMM A04: five rods along the edges of a cube, six hinges, of which a loop is the last. One equation in five of
    the loop depends on the others.
    """
    rods: dict = {}
    for k in reversed(range(5)):
        along, thin = np.array(DIRECTIONS[k]), 0.1**2
        moments = [thin / 6 if x else (1 + thin) / 12 for x in along]
        place = DIRECTIONS[k - 1] if k else [0, 0, 0]
        rod = {
            "mass": 1,
            "inertia": {"principal": moments},
            "center_of_mass": (0.5 * along).tolist(),
            "position": place,
        }
        rods = {f"rod{k}": rod | {"position": place, "motion": {"hinge": {"axis": HINGES[k]}}, "children": rods}}
    path = "/".join(f"rod{k}" for k in range(5))
    end = {"at": DIRECTIONS[4], "to_at": [0, 0, 1], "axis": [1, 0, 0]}
    return rods, [{"type": "hinge", "between": [path, "world"], **end}]


def governor(t: np.ndarray) -> np.ndarray:
    """The angle of the arms of scenes/flyball_governor.yaml, from an equation of its own: angular momentum L about the
    spindle is constant, and d/dt dT/dalpha' = L^2 I'(alpha)/(2 I^2) - V'.
    """
    rod = 0.3
    across, along, spindle = rod * ((1 + 1e-4) / 12 + 0.25) + 5, rod * 2e-4 / 12, rod * 2e-4 / 12 + 3 * 0.01 / 6
    weight = 9.81 * (2 * (0.5 * rod + 5) + 3)

    def rates(_, y):
        sine, cosine = math.sin(y[0]), math.cos(y[0])
        moment = spindle + 2 * (across * sine**2 + along * cosine**2)
        turn = 0.5 * L * L * 4 * (across - along) * sine * cosine / moment**2
        return [y[1], (turn - 3 * sine * cosine * y[1] ** 2 - weight * sine) / (2 * across + 3 * sine**2)]

    L = (spindle + 2 * (across * 0.25 + along * 0.75)) * 2 * math.pi
    return solve_ivp(rates, (0, t[-1]), [math.pi / 6, 0], "DOP853", t, rtol=3e-14, atol=1e-14).y[0]


SOLID = {"mass": 1, "inertia": {"principal": [0.3, 0.4, 0.5]}}


def floating() -> tuple[dict, list]:
    """A chain of a ball and a universal joint is closed by a distance, and holds another body on a hinge; all turn as
    one at the start.
    """
    universal = {"universal": {"axes": [[1, 0, 0], [0, 1, 0]]}}
    outer = SOLID | {"position": [0, 1, 0], "center_of_mass": [-0.3, 0.1, 0.2], "motion": universal}
    inner = SOLID | {"position": [1, 0, 0], "center_of_mass": [0.2, 0.1, 0.3], "motion": {"ball": {}}}
    turn = [1, 2, 0.5]
    other = SOLID | {"position": [1, 3, 0], "velocity": np.cross(turn, [1, 3, 0]).tolist(), "angular_velocity": turn}
    base = SOLID | {"angular_velocity": turn, "children": {"inner": inner | {"children": {"outer": outer}}}}
    outer_end = {"between": ["base/inner/outer", "base"], "at": [-1, 0, 0], "to_at": [0.1, 0, 0.2]}
    hinge = {"between": ["other", "base/inner/outer"], "at": [0, -1, 0], "to_at": [0, 1, 0], "axis": Z}
    return {"base": base, "other": other}, [{"type": "distance"} | outer_end, {"type": "hinge"} | hinge]


def governor_on_springs() -> dict:
    """IFToMM A05 as published: 8e5 N/m and 4e4 N s/m in place of the links of scenes/flyball_governor.yaml."""
    written = yaml.safe_load((SCENES / "flyball_governor.yaml").read_text())
    written["world"].pop("loops")
    spring = {"type": "spring", "to": "spindle/slider", "at": [0, -0.5, 0], "length": 0.5}
    for arm in ("left", "right"):
        body = written["bodies"]["spindle"]["children"][arm]
        body["forces"] = [spring | {"stiffness": 8e5, "damping": 4e4}]
    return written


# --- errors and times


class Mechanism(NamedTuple):
    """A mechanism: what its table row says, the scene without `simulation`, its duration and the time between samples,
    s; a function of a trajectory, of which errors are differences; its exact values, or None; the settings.
    """

    title: str
    written: dict
    duration: float
    every: float
    watched: Callable[[rigidsim.Trajectory], np.ndarray]
    exact: Callable[[np.ndarray], np.ndarray] | None
    settings: list[tuple[str, float]]
    scale: str = ""


def written_as(bodies: dict, loops: list, gravity: list | None = None) -> dict:
    """A scene without `simulation`."""
    world = {"loops": loops} | ({"gravity": gravity} if gravity else {})
    return {"format": "rigidsim/1", "world": world, "bodies": bodies}


def simulated(one: Mechanism, method: str, setting: float) -> tuple[rigidsim.Trajectory, float]:
    """The trajectory with a step of `rkmk4` (s) or a tolerance, and the least processor time of a run, s."""
    how: dict = {"duration": one.duration, "step": setting if method == "rkmk4" else one.every}
    if method != "rkmk4":
        keys = ("rtol", "atol") if method == "adaptive" else ("tolerance",)
        how["integrator"] = {"name": method} | dict.fromkeys(keys, setting)
    scene = rigidsim.Scene.from_dict(one.written | {"simulation": how | {"record_every": one.every}})
    found, times = rigidsim.simulate(scene), []
    for _ in range(TURNS):
        begin = time.process_time()
        rigidsim.simulate(scene)
        times.append(time.process_time() - begin)
    return found, min(times)


def error_of(one: Mechanism, method: str, setting: float, found: rigidsim.Trajectory) -> float:
    """The largest difference from the exact values, or else from a run with a quarter of the step or a hundredth of the
    tolerance.
    """
    if one.exact is not None:
        return float(np.abs(one.watched(found) - one.exact(found.time)).max())
    finer = setting / (4 if method == "rkmk4" else 100)
    return float(np.abs(one.watched(found) - one.watched(simulated(one, method, finer)[0])).max())


def momenta_of(found: rigidsim.Trajectory) -> np.ndarray:
    """How momentum and angular momentum vary, N s and N m s."""
    both = np.hstack((found.diagnostic("linear_momentum"), found.angular_momentum))
    return both - both[0]


@cache
def andrews_ends() -> tuple[float, ...]:
    """The angles of Andrews' squeezer at 0.03 s, rad, by `taylor` at a tolerance of 1e-13."""
    written = yaml.safe_load((SCENES / "andrews_squeezer.yaml").read_text())
    written["simulation"] = {"duration": 0.03, "step": 1e-5, "integrator": {"name": "taylor", "tolerance": 1e-13}}
    found = rigidsim.simulate(rigidsim.Scene.from_dict(written))
    return tuple(turned(found, path)[-1] for path in ANDREWS)


def mechanisms() -> list[Mechanism]:
    """All of them."""
    squeezer = yaml.safe_load((SCENES / "andrews_squeezer.yaml").read_text())
    squeezer.pop("simulation")
    springs = governor_on_springs()
    springs.pop("simulation")
    return [
        Mechanism(
            "A02, two four-bar linkages through the singular position, against elliptic functions, rad",
            written_as(*four_bars(2), GRAVITY), 10, 0.1,
            lambda found: np.array([turned(found, f"crank{i}") for i in range(3)]), lambda t: -swung(t),
            [("rkmk4", 1e-3), ("rkmk4", 5e-4), ("rkmk4", 2.5e-4), ("taylor", 1e-6), ("taylor", 1e-8)],
        ),
        Mechanism(
            "A03, Andrews' squeezer, at the end, against `taylor` at 1e-13, rad", squeezer, 0.03, 0.03,
            lambda found: np.array([turned(found, path)[-1] for path in ANDREWS]), lambda _: np.array(andrews_ends()),
            [("rkmk4", 1e-5), ("rkmk4", 5e-6), ("adaptive", 1e-10), ("taylor", 1e-10)],
        ),
        Mechanism(
            "A04, Bricard's mechanism, against a quarter of the step or a hundredth of the tolerance, rad",
            written_as(*bricard(), GRAVITY), 10, 0.08, lambda found: turned(found, "rod0"), None,
            [("rkmk4", 2e-3), ("adaptive", 1e-10), ("taylor", 1e-10)],
        ),
        Mechanism(
            "A05, a governor on stiff springs, likewise", springs, 10, 0.04,
            lambda found: turned(found, "spindle/left"), None,
            [("rkmk4", 8e-5), ("rkmk4", 2e-5), ("adaptive", 1e-8)],
        ),
        Mechanism(
            "a floating tree of ball and universal joints with two loops, 2 s: momenta, N s and N m s",
            written_as(*floating()), 2, 0.02, momenta_of, lambda _: np.array(0.0),
            [("rkmk4", 1e-3), ("adaptive", 1e-13), ("taylor", 1e-12)],
        ),
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one setting of each, a fiftieth of the time")
    quick = parser.parse_args().quick
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    row = table("Mechanisms", "mechanism", "method", "error", "energy, J", "largest kinetic energy, J", "s")
    for one in mechanisms():
        if quick and one.duration > 1:
            one = one._replace(duration=one.every * round(one.duration / (50 * one.every) + 1))
        for method, setting in one.settings[: 1 if quick else None]:
            named = f"`{method}` {1e3 * setting:g} ms" if method == "rkmk4" else f"`{method}` {setting:g}"
            try:
                found, seconds = simulated(one, method, setting)
            except rigidsim.SimulationError:
                row(one.title, named, "no step is short enough", "-", "-", "-")
                continue
            error, energy = error_of(one, method, setting, found), np.ptp(found.total_energy)
            largest = found.diagnostic("kinetic_energy").max()
            row(one.title, named, f"{error:.1e}", f"{energy:.1e}", f"{largest:.2g}", f"{seconds:.3g}")


if __name__ == "__main__":
    main()
