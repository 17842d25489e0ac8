"""What a run costs beside its steps: `python tests/perf/startup_benchmark.py [--quick]`.

The first table has seconds of processor time of whole commands, with an empty cache of compiled code and with a full
one; the difference is compilation. The second has milliseconds of a call of `simulate` for a torque-free top and one
step: of a scene that was simulated before, and of one with another number; then of reading that other scene, and of a
call beyond its blocks of samples where ten thousand are taken. Figures are the least of the turns.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import rigidsim
from work_precision import table

SCENES = Path(__file__).parents[2] / "scenes"
RUNS = ("shell_leaves_turret", "foucault_pendulum", "kapitza_pendulum", "double_pendulum", "four_bar", "car_crash",
        "newtons_cradle", "billiard_break")  # fmt: skip
TURNS = 5
RATE = "bodies.top.angular_velocity[0]"
TOP = {"mass": 1, "inertia": {"principal": [1, 2, 3]}, "angular_velocity": [0.01, 2, 0.01]}


def seconds_of(words: list[str], cache: str) -> float:
    """Processor time of a command with this cache, s."""
    command = [sys.executable, "-m", "rigidsim", *words]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=os.environ | {"RIGIDSIM_CACHE_DIR": cache}, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show_commands(names: tuple[str, ...], turns: int) -> None:
    """The first table."""
    row = table("Commands, s", "command", "empty cache", "full cache")
    with tempfile.TemporaryDirectory() as folder:
        row("`rigidsim --help`", "", f"{min(seconds_of(['--help'], folder) for _ in range(turns)):.2f}")
        for name in names:
            words = ["run", str(SCENES / f"{name}.yaml"), "-q", "--force", "-o", f"{folder}/{name}.h5"]
            first = seconds_of(words, folder)
            row(f"`rigidsim run {name}`", f"{first:.2f}", f"{min(seconds_of(words, folder) for _ in range(turns)):.2f}")


def top_with(method: str, rate: float, steps: int = 1) -> rigidsim.Scene:
    """A top that turns about its first axis at this rate, rad/s, for some steps."""
    simulation = {"duration": 0.01 * steps, "step": 0.01, "integrator": method}
    bodies = {"top": TOP | {"angular_velocity": [rate, 2, 0.01]}}
    return rigidsim.Scene.from_dict({"format": "rigidsim/1", "simulation": simulation, "bodies": bodies})


def least(call: Callable[[], object], turns: int) -> float:
    """The least processor time of a call, ms."""
    times = []
    for _ in range(turns):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return 1e3 * min(times)


def beyond_blocks(scene: rigidsim.Scene, turns: int) -> float:
    """The least time of a call less that of its blocks of samples alone, ms."""
    rigidsim.simulate(scene)
    runs = iter([rigidsim.Simulation(scene) for _ in range(turns)])

    def blocks() -> float:
        run = next(runs)
        run.prepare()
        begin = time.process_time()
        for _ in run.blocks():
            pass
        return 1e3 * (time.process_time() - begin)

    return least(lambda: rigidsim.simulate(scene), turns) - min(blocks() for _ in range(turns))


def show_calls(turns: int) -> None:
    """The second table."""
    heads = "the same scene again", "another number", "its reading", "keeping 10 000 samples"
    row = table("Calls of `simulate`, ms", "integrator", *heads)
    for method in ("rkmk4", "adaptive", "taylor"):
        scene = top_with(method, 0.01)
        others = iter([top_with(method, 0.02 + 0.01 * k) for k in range(turns + 1)])
        rigidsim.simulate(scene)
        rigidsim.simulate(next(others))
        again = least(lambda scene=scene: rigidsim.simulate(scene), turns)
        other = least(lambda others=others: rigidsim.simulate(next(others)), turns)
        reading = least(lambda scene=scene: scene.with_overrides([(RATE, 0.02)]), turns)
        kept = beyond_blocks(top_with(method, 0.01, 10_000), 1 + turns // 10)
        row(f"`{method}`", *(f"{spent:.2f}" for spent in (again, other, reading, kept)))


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two scenes, two turns")
    quick = parser.parse_args().quick
    show_calls(2 if quick else 200)
    show_commands(RUNS[:2] if quick else RUNS, 2 if quick else TURNS)


if __name__ == "__main__":
    main()
