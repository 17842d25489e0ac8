"""Error against time, ours and our peers', in one run: `python tests/perf/work_precision.py [--quick]`.

All integrators of rigidsim, alone and in a block of sixteen worlds, and the peers that are installed (extra `bench`;
Basilisk, package bsk, by hand) move the same bodies from the same start to the same end, where they are compared with
the exact motion. They take turns, two runs each, so all meet the same neighbours on the machine; a figure is the least
processor time of its runs, on one core, to the end and without samples; of a block, for each world. What was made
before is not counted: seconds of compilation, from an empty cache, are beside. Ours is specialised code
where that can be made, unless said.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import rigidsim
from peers import OF_HIGH_ORDER
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import LANES
from rigidsim.engine.time.run import BlockRun
from rigidsim.engine.time.specialised import Specialised
from smooth_problems import CLASSIC, HARDER, MOMENTS, Problem, error

TURNS = 7
GENERAL = ", general code"
SPREAD = 0.01  # the largest change of the initial motion in the worlds of a block, relative
STEPS = {
    "euler": (5000, 50_000, 500_000), "magnus": (5000, 50_000, 500_000), "magnus2": (2000, 10_000, 50_000, 200_000),
    "rkmk4": (500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000),
}  # fmt: skip
STEPS_OF_PEERS = {
    "MuJoCo RK4": STEPS["rkmk4"][:-1], "Exudyn LG-RK44": STEPS["rkmk4"], "Basilisk RK4": STEPS["rkmk4"][:-2],
    "Exudyn LG-RK67": (500, 1000, 2000, 5000, 10_000, 20_000),
}  # fmt: skip
POWERS = {"adaptive": range(3, 14), "taylor": range(4, 17, 2)}  # tolerances, 10 to their negatives
TOLERANCE = {"adaptive": "rtol", "taylor": "tolerance"}  # the key of it
OF_HEYOKA = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 2.2e-16, 1e-18)
DECADES = range(4, 13)
AT, STEPS_OF_HARDER = (1e-8, 1e-12), (5000, 50_000)  # the tolerances of the harder scenes, and steps of rkmk4


class Figure(NamedTuple):
    """One point of the diagram."""

    problem: str
    name: str
    setting: str
    lanes: int
    seconds: float  # processor time of each world
    error: float  # m or rad, the larger
    compiling: float  # s


class Runner:
    """Something that moves a problem from its start to its end, again and again."""

    def __init__(self, name: str, setting: str, lanes: int):
        self.name, self.setting, self.lanes, self.compiling, self.seconds = name, setting, lanes, 0.0, np.inf

    def begin(self) -> None:
        """Go back to the start; not timed."""

    def go(self) -> None:
        """To the end."""

    def found(self) -> list[np.ndarray]:
        """What is watched, of the first world."""
        raise NotImplementedError

    def take_turn(self) -> None:
        """Run twice, and note the lesser time if it is the least: the first run finds the caches full of others."""
        for _ in range(2):
            self.begin()
            before = time.process_time()
            self.go()
            self.seconds = min(self.seconds, (time.process_time() - before) / self.lanes)


def changes(lanes: int) -> np.ndarray:
    """The change of the initial motion in each world; none in the first."""
    return SPREAD * np.array([(k + 1) // 2 * (-1) ** k for k in range(lanes)]) / max(1, lanes // 2)


class Ours(Runner):
    """An integrator of rigidsim."""

    def __init__(
        self, problem: Problem, method: dict[str, Any], setting: str, lanes: int = 1, is_straight: bool = True
    ):
        super().__init__(method["name"], setting, lanes)
        self._watched = problem.watched
        timing = {"duration": problem.duration, "integrator": method, "record_every": problem.duration}
        if setting.endswith(" steps"):
            timing["step"] = problem.duration / int(setting.split()[0])
        scenes = [{"format": "rigidsim/1", "simulation": timing, **problem.scene(by)} for by in changes(lanes)]
        worlds = [build_world(rigidsim.Scene.from_dict(scene)) for scene in scenes]
        before = time.process_time()
        self.run = BlockRun(worlds, lanes)
        self._start, self._n = self.run.state.copy(), worlds[0].blueprint.n_step
        if not is_straight or self.run.make_specialised() is None:
            self.run.specialised = Specialised("general code is measured")
            self.name += GENERAL
        self.run.prepare()
        self.compiling = time.process_time() - before
        self._paths = worlds[0].paths

    def begin(self) -> None:
        self.run.state[:] = self._start  # the same arrays, which the kernels know already; nothing else is remembered
        self.run.n, self.run.done, self.run.phase = 0, 0.0, 0

    def go(self) -> None:
        self.run.advance(self._n)

    def found(self) -> list[np.ndarray]:
        world = self.run.present().world
        arrays = [getattr(world, kind)[0, self._paths.index(path)] for kind, path, _ in self._watched]
        return [np.asarray(array).reshape(-1, self.lanes)[:, 0] for array in arrays]


class Peer(Runner):
    """An engine with steps of one length, of the top."""

    def __init__(self, problem: Problem, kind: type, n: int):
        super().__init__(kind.name, f"{n} steps", 1)
        self._make = lambda: kind(np.array([problem.rates]), problem.duration / n, MOMENTS, (0.0, 0.0, 0.0))
        self._n, self._engine = n, None

    def begin(self) -> None:
        self._engine = self._make()

    def go(self) -> None:
        self._engine.advance(self._n)

    def found(self) -> list[np.ndarray]:
        return [self._engine.orientation()]


class Heyoka(Runner):
    """heyoka, alone or a batch, of equations written by hand."""

    def __init__(self, hy: ModuleType, problem: Problem, tolerance: float, lanes: int = 1):
        super().__init__("heyoka", f"{tolerance:g}", lanes)
        self._watched, self._duration = problem.watched, problem.duration
        self._start = np.array([problem.start(by) for by in changes(lanes)]).T
        hy.llvm_state.clear_memcache()
        before = time.process_time()
        if lanes == 1:
            self._made = hy.taylor_adaptive(problem.equations(hy), self._start[:, 0], tol=tolerance)
        else:
            self._made = hy.taylor_adaptive_batch(problem.equations(hy), self._start, tol=tolerance)
        self.compiling = time.process_time() - before

    def begin(self) -> None:
        if self.lanes == 1:
            self._made.time = 0.0
            self._made.state[:] = self._start[:, 0]
        else:
            self._made.set_time(0.0)
            self._made.state[:] = self._start

    def go(self) -> None:
        self._made.propagate_until(self._duration)

    def found(self) -> list[np.ndarray]:
        state = self._made.state.reshape(len(self._start), -1)[:, 0]
        return [state[first : first + WIDTHS[kind]] for kind, _, first in self._watched]


WIDTHS = {"position": 3, "orientation": 4}


def in_extended_precision(hy: ModuleType, problem: Problem) -> list[np.ndarray]:
    """The end by heyoka with 64 bits of mantissa."""
    start, tolerance = np.array(problem.start(0.0), np.longdouble), np.longdouble(1e-21)
    equations = problem.equations(hy)
    fine = hy.taylor_adaptive(equations, start, tol=tolerance, fp_type=np.longdouble, compact_mode=True)
    fine.propagate_until(np.longdouble(problem.duration))
    return [fine.state[first : first + WIDTHS[kind]].copy() for kind, _, first in problem.watched]


# --- who runs


def tolerance_of(name: str, power: int) -> dict[str, Any]:
    """An integrator that chooses its steps, to a tolerance of 10 to this negative power."""
    return {"name": name, TOLERANCE[name]: 10.0**-power}


def of_all_integrators(problem: Problem, is_quick: bool) -> Iterator[Runner]:
    """Every integrator of ours, alone and in a block."""
    thin = slice(None, None, 4 if is_quick else 1)
    for lanes in (1, LANES):
        for name, numbers in STEPS.items():
            yield from (Ours(problem, {"name": name}, f"{n} steps", lanes) for n in numbers[thin])
        for name, powers in POWERS.items():
            for power in powers[thin]:
                yield Ours(problem, tolerance_of(name, power), f"1e-{power:02}", lanes)
    for power in POWERS["taylor"][thin]:
        yield Ours(problem, tolerance_of("taylor", power), f"1e-{power:02}", is_straight=False)


def of_peers(problem: Problem, hy: ModuleType | None, is_quick: bool) -> Iterator[Runner]:
    """The peers that are installed and have this problem."""
    thin = slice(None, None, 4 if is_quick else 1)
    for kind in OF_HIGH_ORDER if problem.rates else ():
        try:
            kind(np.array([problem.rates]), 0.01)
        except (ImportError, NotImplementedError) as problem_of_peer:
            print(f"{kind.name} is left out: {problem_of_peer}")
            continue
        yield from (Peer(problem, kind, n) for n in STEPS_OF_PEERS[kind.name][thin])
    if hy:
        for lanes in (1, hy.recommended_simd_size()):
            yield from (Heyoka(hy, problem, tolerance, lanes) for tolerance in OF_HEYOKA[thin])


def measured(problem: Problem, runners: list[Runner], exact: list[np.ndarray], turns: int) -> list[Figure]:
    """The figures of all, who take turns."""
    gc.collect()
    for _ in range(turns):
        for runner in runners:
            runner.take_turn()
    return [
        Figure(problem.name, one.name, one.setting, one.lanes, one.seconds,
               error(problem.watched, one.found(), exact), one.compiling)
        for one in runners
    ]  # fmt: skip


# --- what is shown


def table(title: str, *heads: str) -> Callable[..., None]:
    """Print a title and the head of a table; the function prints a row."""

    def row(*cells: object) -> None:
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)

    print(f"\n### {title}\n")
    row(*heads)
    row(*("---" for _ in heads))
    return row


def show_figures(problem: Problem, figures: list[Figure]) -> None:
    """All points of one problem."""
    row = table(f"{problem.name}, {problem.duration:g} s", "method", "lanes", "setting", "error", "ms", "compile s")
    for one in figures:
        row(one.name, one.lanes, one.setting, f"{one.error:.1e}", f"{1e3 * one.seconds:.4g}", f"{one.compiling:.2f}")


OURS = {name + code for name in (*STEPS, *POWERS) for code in ("", GENERAL)}
CONTENDERS = {
    "ours, 1 lane": lambda one: one.name in OURS and one.lanes == 1,
    "peers without heyoka": lambda one: one.name in STEPS_OF_PEERS,
    "heyoka, 1 lane": lambda one: one.name == "heyoka" and one.lanes == 1,
    "ours, a lane of 16": lambda one: one.name in OURS and one.lanes > 1,
    "heyoka, a lane of its batch": lambda one: one.name == "heyoka" and one.lanes > 1,
}


def show_front(problem: Problem, figures: list[Figure]) -> None:
    """The least time of each group to reach an error."""
    row = table(
        f"{problem.name}: least ms to an error", "error", *CONTENDERS, "ours / peers", "our lane / heyoka, 1 lane"
    )
    for power in DECADES:
        best = [
            min((one for one in figures if is_of(one) and one.error <= 10.0**-power), key=lambda one: one.seconds,
                default=None) for is_of in CONTENDERS.values()
        ]  # fmt: skip
        cells = [f"{1e3 * one.seconds:.3g} ({one.name} {one.setting})" if one else "-" for one in best]
        mine, others, single, lane, _ = (one.seconds if one else np.nan for one in best)
        row(f"1e-{power:02}", *cells, f"{mine / others:.3f}", f"{lane / single:.3f}")


def show_harder(figures: list[Figure]) -> None:
    """The harder scenes: each tolerance of each beside heyoka at the same."""
    row = table("Harder scenes", "scene", "tolerance", "method", "lanes", "error", "ms", "compile s", "time / heyoka's")
    for one in figures:
        like = next((other for other in figures if other.name == "heyoka" and _kind(other) == _kind(one)), None)
        ratio = f"{one.seconds / like.seconds:.2f}" if like else "-"
        numbers = f"{one.error:.1e}", f"{1e3 * one.seconds:.3g}", f"{one.compiling:.2f}"
        row(one.problem, one.setting, one.name, one.lanes, *numbers, ratio)


def _kind(one: Figure) -> tuple:
    """What is compared with each other."""
    return one.problem, one.setting, one.lanes > 1


# --- the run


def measure(is_quick: bool, hy: ModuleType | None) -> None:
    """The figures of the diagram and of the harder scenes, printed as they come."""
    turns, harder = 2 if is_quick else TURNS, []
    for problem in CLASSIC:
        runners = [*of_all_integrators(problem, is_quick), *of_peers(problem, hy, is_quick)]
        found = measured(problem, runners, problem.exact(), turns)
        show_figures(problem, found)
        show_front(problem, found)
    if hy is None:
        print("heyoka is left out, and so are the harder scenes: it is not installed")
        return
    for number, problem in enumerate(HARDER):
        runners: list[Runner] = []
        for tolerance in AT:
            for lanes in (1, LANES):
                for name in TOLERANCE:
                    runners.append(Ours(problem, {"name": name, TOLERANCE[name]: tolerance}, f"{tolerance:g}", lanes))
            runners += [Heyoka(hy, problem, tolerance, lanes) for lanes in (1, hy.recommended_simd_size())]
        runners += [
            Ours(problem, {"name": "rkmk4"}, f"{n} steps", lanes) for n in STEPS_OF_HARDER for lanes in (1, LANES)
        ]
        for one in runners:
            if one.name.startswith("taylor"):
                one.compiling = compiled_alone(number, one)
        harder += measured(problem, runners, in_extended_precision(hy, problem), turns)
    show_harder(harder)


def compiled_alone(number: int, one: Ours) -> float:
    """Seconds of processor time to compile what one of the harder scenes needs, in a new process."""
    asked = f"{number} {one.setting} {one.lanes}"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"RIGIDSIM_CACHE_DIR": folder}
        command = [sys.executable, __file__, "--compiling", asked]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def alone_in_process(number: str, setting: str, lanes: str) -> float:
    """The same, in that process."""
    return Ours(HARDER[int(number)], {"name": "taylor", "tolerance": float(setting)}, setting, int(lanes)).compiling


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few points and turns, to see that it works")
    parser.add_argument("--compiling", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    if chosen.compiling:
        print(alone_in_process(*chosen.compiling.split()))
        return
    try:
        import heyoka as hy

        hy.llvm_state.set_diskcache_enabled(False)
    except ImportError:
        hy = None
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RIGIDSIM_CACHE_DIR"] = folder
        measure(chosen.quick, hy)


if __name__ == "__main__":
    main()
