"""Two environments side by side: `python tests/perf/compare.py PYTHON OTHER_PYTHON [--cases NAME ...] [--repeats N]`.

Each environment is a process of its own, and they take turns, so both meet the same neighbours on the machine. A figure
is the least processor time of the repeats, per body and step; the ratio is that of the first to the second. The last
columns are the seconds of processor time from an empty cache to the first step, in new processes (`--compile`).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__)
SCENES = HERE.parents[2] / "scenes"
REPEATS = 9
BUDGET = 0.15  # s of one repeat
METHODS = ("rkmk4", "magnus", "magnus2", "euler")
EXPRESSION = [{"force": ["= -4*x - 0.1*v_x + 0.2*t", 0, 0]}]
SPRING = [{"type": "spring", "to": "world", "to_at": [0, 0, 0], "stiffness": 4.0, "length": 0}]
CONTACT = {  # steps before the first one that is measured, and from there on
    "spheres_in_a_box": (600, 100), "stack_of_boxes": (10, 400),
    "marbles_in_drum": (200, 200), "newtons_cradle": (1, 1000),
}  # fmt: skip
CASES = {
    **{f"{m}, {n}, {lanes}": (n, lanes, m, []) for m in METHODS for n in (1, 10, 100, 1000) for lanes in (1, 16)},
    **{f"expression, 10, {lanes}": (10, lanes, "rkmk4", EXPRESSION) for lanes in (1, 16)},
    **{f"spring, 10, {lanes}": (10, lanes, "rkmk4", SPRING) for lanes in (1, 16)},
    **dict.fromkeys(CONTACT),
}  # fmt: skip


# --- what each environment does


def free_bodies(n_body: int, method: str, forces: list) -> dict:
    """A scene of free bodies, all children of the world."""
    bodies = {
        f"b{i}": {
            "mass": 2,
            "inertia": {"principal": [1, 2, 3 - 0.5]},
            "position": [3 * i, 0.2, 0.3],
            "angular_velocity": {"frame": "body", "value": [0.1 * i, 1.0 - 0.3 * i, 0.5]},
            "forces": forces,
        }
        for i in range(n_body)
    }
    simulation = {"duration": 1000.0, "step": 0.002, "integrator": method}
    return {"format": "rigidsim/1", "simulation": simulation, "world": {"gravity": [0, 0, -9.81]}, "bodies": bodies}


def imported(name: str, *modules: str):
    """A name of the first of these modules that there is: that of this version, then those of older ones."""
    found = next(module for module in modules if find_spec(module.rpartition(".")[0]) and find_spec(module))
    return getattr(import_module(found), name)


def prepared(case: str, general_code: bool = False) -> tuple[Callable, int, int]:
    """A function that makes a run which is on its way, its number of bodies in all lanes, and its steps if fixed."""
    import rigidsim

    build_world = imported("build_world", "rigidsim.blueprints", "rigidsim.building")
    BlockRun = imported("BlockRun", "rigidsim.engine.time.run", "rigidsim.engine.run")

    n_lane = CASES[case][1] if CASES.get(case) else 1
    if case in CONTACT:
        scene = rigidsim.Scene.from_file(SCENES / f"{case}.yaml")
    else:
        n_body, n_lane, *more = CASES[case]
        scene = rigidsim.Scene.from_dict(free_bodies(n_body, *more))
    world = build_world(scene)

    before, fixed = CONTACT.get(case, (1, 0))

    def make(before: int = before) -> Any:
        run = BlockRun([world], n_lane)
        for name in ("gear", "specialised"):  # the first in older versions
            if general_code and hasattr(run, name):
                setattr(run, name, type(getattr(run, name))("general code is measured"))
        run.advance(before)
        return run

    return make, len(world.state) * n_lane, fixed


def work(general_code: bool) -> None:
    """Take turns: read a case and a number of steps (0: find one), print the number and ns a body-step."""
    known: dict[str, tuple] = {}
    for line in sys.stdin:
        case, _, steps = line.strip().rpartition(" ")
        if case not in known:
            make, n_body, fixed = prepared(case, general_code)
            known[case] = make, n_body, fixed, None if fixed else make()
        make, n_body, fixed, run = known[case]
        run = run or make()
        steps = int(steps) or fixed or calibrated(run)
        begin = time.thread_time()
        run.advance(steps)
        print(steps, 1e9 * (time.thread_time() - begin) / (steps * n_body), flush=True)


def calibrated(run) -> int:
    """Steps that take about BUDGET."""
    begin = time.thread_time()
    run.advance(20)
    return max(5, int(20 * BUDGET / (time.thread_time() - begin)))


def first_step(case: str) -> None:
    """Print the seconds of processor time of this process up to the first step."""
    prepared(case)[0](1)
    print(time.process_time())


# --- the comparison


class Environment:
    """A Python interpreter with a version of rigidsim."""

    def __init__(self, python: str, general_code: bool):
        self.python = python
        command = [python, str(HERE), "--work", *(["--general-code"] if general_code else [])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, case: str, steps: int) -> tuple[int, float]:
        """Steps taken, and ns a body-step."""
        self._process.stdin.write(f"{case} {steps}\n")
        self._process.stdin.flush()
        steps, cost = self._process.stdout.readline().split()
        return int(steps), float(cost)

    def first_step(self, case: str) -> float:
        """Seconds from an empty cache to the first step."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self.python, str(HERE), "--first-step", case]
            environment = os.environ | {"RIGIDSIM_CACHE_DIR": folder}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return float(done.stdout)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="*")
    parser.add_argument("--cases", nargs="*", default=list(CASES), help="beginnings of names")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--general-code", action="store_true", help="never straight code")
    parser.add_argument("--compile", action="store_true", help="seconds to the first step, too")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--first-step", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        return work(chosen.general_code)
    if chosen.first_step:
        return first_step(chosen.first_step)
    both = [Environment(python, chosen.general_code) for python in chosen.pythons]
    heads = ["case (bodies, lanes)", "ns, first", "ns, second", "ratio"]
    heads += ["s, first", "s, second"] if chosen.compile else []
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for case in (case for case in CASES if case.startswith(tuple(chosen.cases))):
        steps = both[0].measure(case, 0)[0]
        turns = [[one.measure(case, steps)[1] for one in both] for _ in range(chosen.repeats)]
        costs = [min(of_one) for of_one in zip(*turns, strict=True)]
        cells = [case, *(f"{cost:.4g}" for cost in costs), f"{costs[0] / costs[1]:.3f}"]
        cells += [f"{one.first_step(case):.2f}" for one in both] if chosen.compile else []
        print("| " + " | ".join(cells) + " |", flush=True)
    return None


if __name__ == "__main__":
    main()
