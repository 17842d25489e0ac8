"""What stops, dry friction and motors of a rate cost: `python tests/perf/modes_benchmark.py`.

Processor time of `rkmk4` at 1 ms in general code, least of several turns: of chains of hinges, ns a body and step, and
of single impacts, microseconds a lane, beside steps without.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "engine"))

from rigidsim.building import build_world
from rigidsim.engine.lanes import LANES
from rigidsim.engine.run import BlockRun
from scenes import make_scene

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


def seconds(bodies: dict, lanes: int, steps: int) -> tuple[float, int]:
    """(least processor time, number of impacts) of so many steps from the start."""
    world, least, events = build_world(make_scene(bodies, duration=1e4, step=1e-3, gravity=[0, 0, -9.81])), 1e9, 0
    for _ in range(TURNS):
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


def main() -> None:
    """Print both tables."""
    for n in (1, 3, 10):
        for lanes in (1, LANES):
            steps = STEPS // (4 if lanes > 1 else 1)
            found = {kind: seconds(chain(n, **keys), lanes, steps)[0] for kind, keys in KINDS.items()}
            each = {kind: 1e9 * x / steps / lanes / n for kind, x in found.items()}
            print(f"{n} hinges, {lanes} lanes:", ", ".join(f"{kind} {x:.0f}" for kind, x in each.items()), "ns")
    for n in (1, 5):
        for lanes in (1, LANES):
            ball = {"axis": [0, 0, 1], "limits": [0, None], "restitution": 1.0}
            near, count = seconds(on_slide(n, displacement=0.01, **ball), lanes, 2 * STEPS)
            far, _ = seconds(on_slide(n, displacement=1e9, **ball), lanes, 2 * STEPS)
            cost, step = 1e6 * (near - far) / count / lanes, 1e6 * far / (2 * STEPS) / lanes
            print(f"{n} bodies, {lanes} lanes: an impact {cost:.2f} us, a step {step:.2f} us")


if __name__ == "__main__":
    main()
