"""From numbers to models in their lanes: `python tests/perf/variants_benchmark.py [--quick]`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import LANES
from rigidsim.scene import Scene
from rigidsim.scene.text.reader import read_file
from rigidsim.sweeps.variants import Variants

SCENES = Path(__file__).parents[2] / "scenes"
CASES = {
    "flipping_axis": {"bodies.nut.mass": (0.5, 2.0), "bodies.nut.inertia.principal[1]": (0.31, 0.39)},
    "car_crash": {"drive": (10.0, 20.0), "blow": (9.0, 15.0), "aside": (-0.5, 0.5), "belt": (1e4, 3e4)},
}


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The shortest processor time of a call."""
    spent = []
    for _ in range(repeats):
        begin = time.process_time()
        work()
        spent.append(time.process_time() - begin)
    return min(spent)


def row(name: str, count: int, repeats: int) -> tuple[str, int, float, float, float]:
    """Scene, varied numbers, and ms per variant: read alone, read in columns, put into lanes."""
    path, chosen = SCENES / f"{name}.yaml", np.random.default_rng(1)
    columns = {key: chosen.uniform(*bounds, count) for key, bounds in CASES[name].items()}
    family = Variants(read_file(path), list(columns))
    groups, faults = family.models(columns)
    assert not faults
    assert not family.alone

    def fill() -> None:
        for group in groups:
            for begin in range(0, len(group), LANES):
                group.block(range(begin, min(begin + LANES, len(group))))

    first = [f"{key}={values[0]}" for key, values in columns.items()]
    alone = seconds(lambda: build_world(Scene.from_file(path, overrides=first)), 10 * repeats)
    shared = (seconds(lambda: family.models(columns), repeats), seconds(fill, repeats))
    return name, len(columns), 1e3 * alone, *(1e3 * spent / count for spent in shared)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few variants, once")
    count, repeats = (500, 1) if parser.parse_args().quick else (10_000, 5)
    print(f"### Setting up {count} variants, ms of one core for each\n")
    print("| scene | varied numbers | read alone | read in columns | into lanes |\n|---|---|---|---|---|")
    for name in CASES:
        scene, varied, *times = row(name, count, repeats)
        print(f"| {scene} | {varied} | {' | '.join(f'{spent:.4f}' for spent in times)} |")


if __name__ == "__main__":
    main()
