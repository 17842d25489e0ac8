"""Nanoseconds a body-step, ours and our peers', in one run: `python tests/perf/benchmark.py [--quick]`.

One core, one thread unless said; compile time apart. Peers (extra `bench`) are left out where they are not installed.
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

import numpy as np

import rigidsim
from peers import INERTIA, MASS, PEERS
from rigidsim._jit import watch_compilation
from rigidsim.engine import layout
from rigidsim.engine.compiler import Compiled, compile_scene
from rigidsim.engine.lanes import LANES, block_of
from rigidsim.engine.run import BlockRun

STEP = 0.002
REPEATS = 5
METHODS = ("rkmk4", "magnus", "magnus2", "euler")


def rates(n_body: int, seed: int = 0) -> np.ndarray:
    """The same initial body rates for every engine."""
    return np.random.default_rng(seed).normal(size=(n_body, 3))


def flat(n_body: int, method: str, seed: int = 0) -> Compiled:
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
    simulation = {"duration": 1000.0, "step": STEP, "integrator": method}
    world = {"gravity": [0, 0, -9.81]}
    scene = {"format": "rigidsim/1", "simulation": simulation, "world": world, "bodies": bodies}
    return compile_scene(rigidsim.Scene.from_dict(scene))


def chain(n_body: int, method: str) -> Compiled:
    """The same bodies, each the child of the one before."""
    world = flat(n_body, method)
    return world._replace(model=world.model._replace(parent=np.arange(n_body)))


def block(worlds: list[Compiled]) -> BlockRun:
    """A run of one world in one lane, or of sixteen in sixteen."""
    if len(worlds) == 1:
        return BlockRun(worlds[0].method, worlds[0].model, worlds[0].state, 1)
    return BlockRun(worlds[0].method, *block_of(worlds, LANES), LANES)


def seconds_a_step(advance: Callable[[int], None], budget: float) -> float:
    """Median time of one step."""
    advance(3)
    begin = time.perf_counter()
    advance(5)
    n = max(3, int(budget * 5 / max(time.perf_counter() - begin, 1e-9)))
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        advance(n)
        times.append((time.perf_counter() - begin) / n)
    return statistics.median(times)


@contextmanager
def section(title: str) -> Iterator[None]:
    print(f"\n### {title}\n", flush=True)
    yield


def row(*cells: object) -> None:
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    row(*("---" for _ in cells))


def methods(budget: float) -> None:
    """Every integrator on one and on a hundred bodies, at one and sixteen lanes."""
    with section("Integrators, flat tree, ns a body-step"):
        head("method", "1 body, 1 lane", "1 body, 16 lanes", "100 bodies, 1 lane", "100 bodies, 16 lanes", "compile s")
        for method in METHODS:
            cells = []
            with watch_compilation() as compiling:
                for n_body in (1, 100):
                    for n_lane in (1, LANES):
                        run = block([flat(n_body, method, seed) for seed in range(n_lane)])
                        cells.append(seconds_a_step(run.advance, budget) / (n_body * n_lane) * 1e9)
            row(method, *(f"{c:.1f}" for c in cells), f"{compiling.seconds:.1f}")


def trees(budget: float, sizes: tuple[int, ...]) -> None:
    """rkmk4 on flat and chain trees, and the peers on the same flat ones."""
    with section("rkmk4 and peers, ns a body-step, one thread"):
        names = ["rkmk4 flat, 1 lane", "rkmk4 flat, 16 lanes", "rkmk4 chain, 1 lane"]
        peers = [peer for peer in PEERS if installed(peer)]
        ratios = ("best peer / 1 lane", "best peer / 16 lanes") if peers else ()
        head("bodies", *names, *(peer.name for peer in peers), *ratios)
        for n_body in sizes:
            worlds = [flat(n_body, "rkmk4", seed) for seed in range(LANES)]
            ours = [seconds_a_step(block(worlds[:1]).advance, budget) / n_body * 1e9]
            ours.append(seconds_a_step(block(worlds).advance, budget) / (n_body * LANES) * 1e9)
            ours.append(seconds_a_step(block([chain(n_body, "rkmk4")]).advance, budget) / n_body * 1e9)
            theirs = [seconds_a_step(peer(rates(n_body), STEP).advance, budget) / n_body * 1e9 for peer in peers]
            best = min(theirs, default=0.0)
            cells = (f"{best / ours[0]:.1f}", f"{best / ours[1]:.1f}") if peers else ()
            row(n_body, *(f"{c:.0f}" for c in (*ours, *theirs)), *cells)


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
            run = block([flat(100, "rkmk4")])
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
        worlds = [flat(10, "rkmk4", seed) for seed in range(LANES)]
        runs = [block(worlds) for _ in range(64)]
        spent = {}
        for count in (1, 2):
            with ThreadPoolExecutor(count) as pool:

                def advance(n: int, pool=pool) -> None:
                    list(pool.map(lambda run: run.advance(n), runs))

                spent[count] = seconds_a_step(advance, 2 * budget)
        print(f"two threads {spent[1] / spent[2]:.2f} times one")


def registers() -> None:
    """The widest registers in the lane loop's machine code."""
    from rigidsim.engine.integrators.rkmk4 import combine

    with section("Registers of a lane loop (rkmk4's combine)"):
        for n_lane in (1, LANES):
            rows = [np.zeros(layout.STATE_ROWS * n_lane) for _ in range(6)]
            combine(*rows, 0.1, 0.5, 1.0, 0.0, (0,) * n_lane)
        combine.recompile()  # code from the cache comes without its assembly
        for signature, text in combine.inspect_asm().items():
            counts = ", ".join(f"{register} {text.count(register)}" for register in ("zmm", "ymm", "xmm"))
            print(f"{signature[-1].count} lanes: {counts}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes and short times, to see that it works")
    quick = parser.parse_args().quick
    budget = 0.01 if quick else 0.2
    print(f"{platform.platform()}, Python {platform.python_version()}, rigidsim {rigidsim.__version__}")
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    methods(budget)
    trees(budget, (1, 10) if quick else (1, 10, 100, 1000))
    recording(budget)
    registers()
    os.sched_setaffinity(0, cores)
    threads(budget)


if __name__ == "__main__":
    main()
