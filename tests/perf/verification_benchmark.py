"""What verified steps of `taylor` cost, beside heyoka: `python tests/perf/verification_benchmark.py [--quick]`.

The problems of `work_precision.py`, one world, general code. Steps that are not verified are taken in a process of
its own, whose compiler finds no verification. Both processes and heyoka, which verifies no step, take turns. A figure
is the least processor time of the turns. Verification also lengthens steps that are better than they need to be, so
the cost of looking is the ratio of the times of a step; a step that is tried in vain counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rigidsim.engine.integrators import taylor
from rigidsim.jit import routine
from smooth_problems import CLASSIC, Problem
from work_precision import Figure, Heyoka, Ours, measured, table, tolerance_of

TURNS, POWERS = 9, (4, 8, 12)
OF_HEYOKA = (1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 1e-14)


@routine
def accept(expansion, tolerance, scratch, lanes):
    """In place of `verify`: each step is taken."""


def runners_of(problem: Problem, powers: tuple[int, ...]) -> list[Ours]:
    """`taylor` at some tolerances, in general code, which there is for both."""
    return [Ours(problem, tolerance_of("taylor", power), f"1e-{power:02}", is_straight=False) for power in powers]


def tries_of(runner: Ours) -> int:
    """The steps that the last run took or tried in vain."""
    steps = runner.run.steps
    return int(steps.taken + steps.rejected)


class Other:
    """A process without verification, that takes a turn when it is asked to."""

    def __init__(self, number: int, powers: tuple[int, ...], folder: str):
        command = [sys.executable, __file__, "--unverified", json.dumps([number, powers])]
        environment = os.environ | {"RIGIDSIM_CACHE_DIR": f"{folder}/unverified"}
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, turns: int) -> list[tuple[Figure, int]]:
        """The figures after so many turns more, and how many steps were tried in each run."""
        self._process.stdin.write(f"{turns}\n")
        self._process.stdin.flush()
        return [(Figure(*one), tries) for one, tries in json.loads(self._process.stdout.readline())]

    def end(self) -> None:
        """Let it go."""
        self._process.stdin.close()
        self._process.wait()


def serve(number: int, powers: list[int]) -> None:
    """That process."""
    taylor.verify = accept
    problem = CLASSIC[number]
    runners, exact = runners_of(problem, tuple(powers)), problem.exact()
    for line in sys.stdin:
        figures = measured(problem, runners, exact, int(line))
        print(json.dumps([*zip(figures, map(tries_of, runners), strict=True)]), flush=True)


def show(turns: int, powers: tuple[int, ...], folder: str) -> None:
    """The table; without heyoka its columns are empty."""
    try:
        import heyoka as hy
    except ImportError:
        hy = None
    row = table("Verification", "problem", "tolerance", "error", "ms", "steps", "unverified: error", "unverified: ms",
                "unverified: steps", "ratio of a step", "heyoka, ms", "verified / heyoka")  # fmt: skip
    for number, problem in enumerate(CLASSIC):
        other, exact = Other(number, powers, folder), problem.exact()
        peers = [Heyoka(hy, problem, tolerance) for tolerance in OF_HEYOKA] if hy else []
        runners = [*runners_of(problem, powers), *peers]
        for _ in range(turns):
            found, without = measured(problem, runners, exact, 1), other.ask(1)
        other.end()
        for one, runner, (plain, tries) in zip(found, runners, without, strict=False):
            enough = [each.seconds for each in found if each.name == "heyoka" and each.error <= one.error]
            beside = [f"{1e3 * min(enough):.3g}", f"{one.seconds / min(enough):.1f}"] if enough else ["-", "-"]
            own = tries_of(runner)
            ratio = one.seconds / own / (plain.seconds / tries)
            cells = [f"{1e3 * one.seconds:.3g}", own, f"{plain.error:.1e}", f"{1e3 * plain.seconds:.3g}", tries]
            row(problem.name, one.setting, f"{one.error:.1e}", *cells, f"{ratio:.2f}", *beside)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one tolerance, two turns")
    parser.add_argument("--unverified", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if chosen.unverified:
        serve(*json.loads(chosen.unverified))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RIGIDSIM_CACHE_DIR"] = folder
        Path(folder, "unverified").mkdir()
        show(2 if chosen.quick else TURNS, POWERS[:1] if chosen.quick else POWERS, folder)


if __name__ == "__main__":
    main()
