"""Nanoseconds a body-step, ours and our peers', in one run: `python tests/perf/benchmark.py [--quick]`.

One core, one thread and processor time unless said; compile time apart. Peers (extra `bench`) are left out where they
are not installed.
Each figure is the median of five, after a first call that is not counted.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

import numpy as np

import rigidsim
from peers import INERTIA, MASS, PEERS
from rigidsim.blueprints import build_world, method_of
from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.assembly.lanes import LANES
from rigidsim.engine.integrators import BY_NAME
from rigidsim.engine.model import layout
from rigidsim.engine.time.run import BlockRun
from rigidsim.jit.kernels import watch_compilation
from rigidsim.scene.schema.integrators import MODELS

STEP = 0.002
REPEATS = 5


def rates(n_body: int, seed: int = 0) -> np.ndarray:
    """The same initial body rates for every engine."""
    return np.random.default_rng(seed).normal(size=(n_body, 3))


@cache
def flat(n_body: int, seed: int = 0) -> World:
    """Free bodies, all children of the world."""
    bodies = {
        f"b{i}": {
            "mass": MASS,
            "inertia": {"principal": list(INERTIA)},
            "position": [3.0 * i, 0, 0],
            "angular_velocity": {"frame": "body", "value": list(map(float, rate))},
        }
        for i, rate in enumerate(rates(n_body, seed))
    }
    simulation = {"duration": 1000.0, "step": STEP}
    world = {"gravity": [0, 0, -9.81]}
    scene = {"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies}
    return build_world(rigidsim.Scene.from_dict(scene))


def chain(n_body: int, seed: int = 0) -> World:
    """The same bodies, each the child of the one before."""
    world = flat(n_body, seed)
    node = world.model.node.copy()
    node[:, layout.NODE.parent] = np.arange(n_body)
    return world._replace(model=world.model._replace(node=node))


TREES = {"flat": flat, "chain": chain}


MOST_STEPS = 10**9
"""In one call."""


def worlds_of(tree: str, n_body: int, n_lane: int, method: str = "rkmk4") -> list[World]:
    """As many worlds as lanes."""
    worlds = [TREES[tree](n_body, seed) for seed in range(n_lane)]
    options = method_of(MODELS[method](name=method))
    return [world._replace(blueprint=world.blueprint._replace(method=options)) for world in worlds]


def block(worlds: list[World]) -> BlockRun:
    """A run of one world in one lane, or of sixteen in sixteen."""
    return BlockRun(worlds, 1 if len(worlds) == 1 else LANES)


def seconds_a_step(
    advance: Callable[[int], None], budget: float, clock: Callable[[], float] = time.process_time
) -> float:
    """Median time of one step, of calls that take the budget (s). Code may be made or chosen in the first call with a
    number of steps, which does not count.
    """

    def spent(n: int) -> float:
        begin = clock()
        advance(n)
        return clock() - begin

    n = 4
    while True:
        advance(n)
        taken = max(spent(n), 1e-9)
        if taken >= 0.5 * budget or n > MOST_STEPS:  # methods that choose their steps may take few for any n
            return statistics.median(spent(n) for _ in range(REPEATS)) / n
        n *= max(2, min(50, round(budget / taken)))


@contextmanager
def section(title: str) -> Iterator[None]:
    print(f"\n### {title}\n", flush=True)
    yield


def row(*cells: object) -> None:
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    row(*("---" for _ in cells))


def methods(budget: float, sizes: tuple[int, ...]) -> None:
    """Every integrator on flat and chain trees, at one and sixteen lanes."""
    with section("Integrators, ns a body-step"):
        head("method", "tree", "bodies", "1 lane", "16 lanes", "compile s")
        for method in BY_NAME:
            for tree in TREES:
                for n_body in sizes:
                    with watch_compilation() as compiling:
                        cells = [
                            seconds_a_step(block(worlds_of(tree, n_body, n_lane, method)).advance, budget)
                            / (n_body * n_lane)
                            for n_lane in (1, LANES)
                        ]
                    row(method, tree, n_body, *(f"{1e9 * cell:.1f}" for cell in cells), f"{compiling.seconds:.1f}")


def peers(budget: float, sizes: tuple[int, ...]) -> None:
    """rkmk4 on flat trees, and the peers on the same bodies."""
    with section("rkmk4 and peers, ns a body-step, one thread"):
        others = [peer for peer in PEERS if installed(peer)]
        ratios = ("best peer / 1 lane", "best peer / 16 lanes") if others else ()
        head("bodies", "rkmk4, 1 lane", "rkmk4, 16 lanes", *(peer.name for peer in others), *ratios)
        for n_body in sizes:
            ours = [
                seconds_a_step(block(worlds_of("flat", n_body, n_lane)).advance, budget) / (n_body * n_lane) * 1e9
                for n_lane in (1, LANES)
            ]
            theirs = [seconds_a_step(peer(rates(n_body), STEP).advance, budget) / n_body * 1e9 for peer in others]
            cells = [f"{min(theirs) / cost:.1f}" for cost in ours] if theirs else []
            row(n_body, *(f"{cost:.0f}" for cost in (*ours, *theirs)), *cells)


def installed(peer: type) -> bool:
    try:
        peer(rates(1), STEP)
    except ImportError:
        return False
    return True


def recording(budget: float) -> None:
    """What samples cost."""
    with section("Recording, rkmk4, 100 bodies, 1 lane"):
        head("samples", "ns a body-step", "more than none")
        plain = None
        for every in (0, 100, 10, 1):
            run = block(worlds_of("flat", 100, 1))
            samples = run.room(50_000 // 100 + 1)

            def advance(n: int, run=run, samples=samples, every=every) -> None:
                if not every:
                    run.advance(n)
                    return
                run.n = 0
                for begin in range(0, n, every * (len(samples.local) - 1)):
                    run.n, length = 0, min(n - begin, every * (len(samples.local) - 1))
                    run.advance(length, every, samples, 0)

            cost = seconds_a_step(advance, budget) / 100 * 1e9
            plain = plain or cost
            row(f"every {every} steps" if every else "none", f"{cost:.0f}", f"{cost / plain - 1:+.0%}")


def threads(budget: float) -> None:
    """Sixty-four blocks of sixteen worlds on one thread and on two."""
    with section("Threads, 64 blocks of 16 worlds, 10 bodies, rkmk4"):
        worlds = worlds_of("flat", 10, LANES)
        runs = [block(worlds) for _ in range(64)]
        spent = {}
        for count in (1, 2):
            with ThreadPoolExecutor(count) as pool:

                def advance(n: int, pool=pool) -> None:
                    list(pool.map(lambda run: run.advance(n), runs))

                spent[count] = seconds_a_step(advance, 2 * budget, time.perf_counter)
        head("threads", "times one")
        for count, seconds in spent.items():
            row(count, f"{spent[1] / seconds:.2f}")


SPRING = {"type": "spring", "to": "world", "to_at": [0, 0, 0], "stiffness": 4.0, "length": 0}
FORCES = {
    "none": [],
    "constant": [{"force": [0.1, 0.2, 0.3]}],
    "spring to the world, built in": [SPRING],
    "-4*x - 0.1*v_x + 0.2*t (5 operations)": [{"force": ["= -4*x - 0.1*v_x + 0.2*t", 0, 0]}],
    "the same along x, y and z": [{"force": [f"= -4*{c} - 0.1*v_{c} + 0.2*t" for c in "xyz"]}],
    "sin(3*t) + 8*exp(-t)": [{"force": ["= sin(3*t) + 8*exp(-t)", 0, 0]}],
}


def expressions(budget: float, n_body: int = 10) -> None:
    """What a force costs: built in, and as an expression."""
    with section(f"A force on each of {n_body} bodies, rkmk4, ns a body-step"):
        head("force", "1 lane", "16 lanes", "compile s")
        for name, forces in FORCES.items():
            body = {"mass": MASS, "inertia": {"principal": list(INERTIA)}, "forces": forces}
            bodies = {f"b{i}": body | {"position": [0.1 + i, 0.2, 0.3]} for i in range(n_body)}
            scene = {"format": "rigidsim/1", "simulation": {"duration": 1000.0, "step": STEP}, "bodies": bodies}
            world = build_world(rigidsim.Scene.from_dict(scene))
            with watch_compilation() as compiling:
                cells = [
                    seconds_a_step(BlockRun([world], n_lane).advance, budget) / (n_body * n_lane)
                    for n_lane in (1, LANES)
                ]
            row(name, *(f"{1e9 * cell:.1f}" for cell in cells), f"{compiling.seconds:.1f}")


def events(counts: tuple[int, ...]) -> None:
    """A ball that is struck again and again in a thousand steps, and what is kept of it."""
    with section("Events, one ball, rkmk4, 1 lane"):
        head("impulses", "seconds", "events a second")
        for count in counts:
            impulses = [{"time": (k + 0.5) / count, "impulse": [(-1) ** k, 0, 0]} for k in range(count)]
            body = {"mass": MASS, "inertia": {"principal": list(INERTIA)}, "impulses": impulses}
            scene = {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.001}, "bodies": {"ball": body}}
            simulation = rigidsim.Simulation(rigidsim.Scene.from_dict(scene))
            simulation.prepare()
            begin = time.perf_counter()
            simulation.step(simulation.n_step)
            spent = time.perf_counter() - begin
            row(len(simulation.events), f"{spent:.3f}", f"{count / spent:.0f}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes and short times, to see that it works")
    quick = parser.parse_args().quick
    budget = 0.01 if quick else 0.2
    print(f"{platform.platform()}, Python {platform.python_version()}, rigidsim {rigidsim.__version__}")
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    sizes = (1, 10) if quick else (1, 10, 100, 1000)
    methods(budget, sizes)
    peers(budget, sizes)
    recording(budget)
    expressions(budget)
    events((500,) if quick else (500, 5000))
    os.sched_setaffinity(0, cores)
    if len(cores) > 1:
        threads(budget)


if __name__ == "__main__":
    main()
