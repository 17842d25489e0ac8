"""The whole command `rigidsim sweep` against its steps alone, and a sweep that is killed at random and resumed:
`python tests/perf/sweep_kills.py [--quick] [--threads N] [--seed N]`.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import rigidsim
from rigidsim.engine.time.run import NO_SAMPLES
from rigidsim.scene import Scene
from rigidsim.sweeps.execution import runner_of
from rigidsim.sweeps.plan import make_plan
from rigidsim.sweeps.sweeping import contents_of
from rigidsim.sweeps.unfinished import done_of
from rigidsim.sweeps.variants import Variants

SCENE = Path(__file__).parents[2] / "scenes" / "flipping_axis.yaml"
STEPS = 1000
SETTINGS = ["simulation.duration=1", "simulation.step=1e-3"]
METRICS = {"fastest": "= max(hypot(omega_x('nut'), omega_z('nut')))", "rate": "= final(omega_y('nut'))"}
MASS, SPIN = "bodies.nut.mass", "bodies.nut.angular_velocity.value[1]"
KILLS = 3


def vary(runs: int) -> dict[str, str]:
    """A grid of so many runs."""
    return {MASS: "1:2:10", SPIN: f"5:15:{runs // 10}"}


class Command(NamedTuple):
    """How a command went."""

    code: int
    seconds: float
    cpu_seconds: float
    megabytes: float  # most memory


def start(path: Path, runs: int, threads: int, *options: str) -> subprocess.Popen:
    """The command, under way."""
    command = [sys.executable, "-m", "rigidsim", "sweep", str(SCENE), "-o", str(path), "--threads", str(threads), "-q"]
    command += [word for setting in SETTINGS for word in ("--set", setting)]
    command += [word for name, text in METRICS.items() for word in ("--metric", f"{name}={text}")]
    command += [word for name, values in vary(runs).items() for word in ("--vary", f"{name}={values}")]
    return subprocess.Popen([*command, *options])


def whole(path: Path, runs: int, threads: int, *options: str) -> Command:
    """The whole command."""
    begin, process = time.perf_counter(), start(path, runs, threads, *options)
    _, status, usage = os.wait4(process.pid, 0)
    spent = time.perf_counter() - begin
    return Command(os.waitstatus_to_exitcode(status), spent, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def steps_alone(runs: int) -> float:
    """Processor seconds of the steps of so many runs, sixteen side by side, least of some blocks."""
    scene = Scene.from_file(SCENE, SETTINGS)
    contents = contents_of(scene, make_plan(vary=vary(1000)), "final")
    (group, *_), _ = Variants(scene.document(), contents.plan.names).models(contents.plan.written(range(64)))
    runner, least = runner_of(group.world(0), contents.recording), float("inf")
    for begin in [*range(0, 64, 16)] * 3:
        entered = runner._entered(group, range(begin, begin + 16))
        since = time.process_time()
        for _ in entered.slices(STEPS, NO_SAMPLES, None, 0):
            pass
        least = min(least, time.process_time() - since)
    return least * runs / 16


def killed(path: Path, runs: int, threads: int, most: float, chosen: random.Random) -> list[int]:
    """Kill the command three times, at random within `most` seconds after its first results, then let it end; the runs
    that were done at each kill.
    """
    done = [0]
    for _ in range(KILLS):
        if path.exists():  # it was faster than the kill
            break
        process = start(path, runs, threads, *(["--resume"] if done_of(path) else []))
        while process.poll() is None and done_of(path) <= done[-1]:
            time.sleep(0.01)
        time.sleep(chosen.uniform(0, most))
        process.kill()
        process.wait()
        done.append(done_of(path))
    assert start(path, runs, threads, "--resume").wait() == 0
    return done[1:]


def content_hash(path: Path) -> str:
    """The content hash of a result file, after checking all of it."""
    with rigidsim.load_sweep(path) as sweep:
        sweep.verify()
        return sweep.content_hash


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few runs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="of the times of the kills")
    given = parser.parse_args()
    runs, chosen = 10_000 if given.quick else 100_000, random.Random(given.seed)
    alone = steps_alone(runs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        whole(path / "warm.h5", 1000, given.threads)
        print(f"### {runs} runs of {STEPS} steps with {len(METRICS)} metrics, {given.threads} threads\n")
        print("| | runs | wall, s | processor, s | memory, MB | file, MB |\n|---|---|---|---|---|---|")
        print(f"| steps alone | {runs} | | {alone:.2f} | | |")
        for count in (runs // 10, runs):
            file = path / f"{count}.h5"
            found = whole(file, count, given.threads)
            assert found.code == 0
            size = file.stat().st_size / 1e6
            spent = f"{found.seconds:.2f} | {found.cpu_seconds:.2f}"
            print(f"| whole command | {count} | {spent} | {found.megabytes:.0f} | {size:.1f} |")
        print(f"\nprocessor time of the command / of the steps alone: {found.cpu_seconds / alone:.2f}\n")
        done = killed(path / "killed.h5", runs, given.threads, found.seconds / (KILLS + 2), chosen)
        assert content_hash(path / "killed.h5") == content_hash(path / f"{runs}.h5")
        print(f"### Killed after {', '.join(map(str, done))} runs\n\nresumed: the same content hash")


if __name__ == "__main__":
    main()
