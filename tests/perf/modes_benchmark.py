"""What stops, dry friction and motors of a rate cost: `python tests/perf/modes_benchmark.py [--quick]`.

Processor time of `rkmk4` at 1 ms in general code, least of several turns: of chains of hinges, ns a body and step, and
of single impacts, microseconds a lane, beside steps without.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "engine"))

from rigidsim.building import build_world
from rigidsim.engine.lanes import LANES
from rigidsim.engine.run import BlockRun
from scenes import make_scene
from work_precision import table

TURNS, STEPS = 7, 4000
KINDS = {
    "no modes": {},
    "slides": {"friction": 1e-9, "rate": 0.5},
    "limits": {"limits": [-1e3, 1e3]},
    "held": {"friction": 1e4},
    "motor holds": {"motor": {"rate": 1.0, "max_torque": 1e5}},
}


def chain(n: int, **keys) -> dict:
    """A chain of hinges with the same keys."""
    body: dict = {}
    for k in range(n):
        hinge = {"hinge": {"axis": [1, 0, 0], "angle": 0.1 * (k + 1)} | keys}
        inner = {"mass": 1.0, "inertia": {"principal": [0.1] * 3}, "center_of_mass": [0, 0, -0.5], "motion": hinge}
        body = inner | ({"position": [0, 0, -1]} if k < n - 1 else {}) | ({"children": {"next": body}} if body else {})
    return {"chain": body}


def seconds(bodies: dict, lanes: int, steps: int, turns: int) -> tuple[float, int]:
    """(least processor time, number of impacts) of so many steps from the start."""
    world, least, events = build_world(make_scene(bodies, duration=1e4, step=1e-3, gravity=[0, 0, -9.81])), 1e9, 0
    for _ in range(turns):
        block = BlockRun([world], lanes, keeps_events=True)
        block.specialised._is_possible = False
        block.prepare()
        begin = time.process_time()
        block.advance(steps)
        least = min(least, time.process_time() - begin)
        events = sum(len(one.event) for one in block.events)
    return least, events


def on_slide(n: int, **keys) -> dict:
    """A body on a slide, from which a chain hangs."""
    body = {"mass": 1.0, "inertia": {"principal": [0.1] * 3}, "motion": {"slide": keys}}
    return {"top": body | ({"children": chain(n - 1)} if n > 1 else {})}


def show_modes(steps: int, turns: int) -> None:
    """Chains of hinges."""
    row = table("Modes, ns a body and step", "hinges", "lanes", *KINDS)
    for n in (1, 3, 10):
        for lanes in (1, LANES):
            count = steps // (4 if lanes > 1 else 1)
            found = [seconds(chain(n, **keys), lanes, count, turns)[0] for keys in KINDS.values()]
            row(n, lanes, *(f"{1e9 * spent / count / lanes / n:.0f}" for spent in found))


def show_impacts(steps: int, turns: int) -> None:
    """A body that strikes a stop again and again, and one that meets none."""
    row = table("Impacts at stops, us a lane", "bodies", "lanes", "an impact", "a step")
    for n in (1, 5):
        for lanes in (1, LANES):
            ball = {"axis": [0, 0, 1], "limits": [0, None], "restitution": 1.0}
            near, count = seconds(on_slide(n, displacement=0.01, **ball), lanes, steps, turns)
            far, _ = seconds(on_slide(n, displacement=1e9, **ball), lanes, steps, turns)
            cost, step = 1e6 * (near - far) / count / lanes, 1e6 * far / steps / lanes
            row(n, lanes, f"{cost:.2f}", f"{step:.2f}")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few steps, once")
    steps, turns = (400, 1) if parser.parse_args().quick else (STEPS, TURNS)
    show_modes(steps, turns)
    show_impacts(2 * steps, turns)


if __name__ == "__main__":
    main()
