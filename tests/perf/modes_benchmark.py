"""What stops, dry friction, motors of a rate and contact by events cost: `python tests/perf/modes_benchmark.py
[--quick]`.

Processor time of `rkmk4` at 1 ms in general code, least of several turns: of chains of hinges, ns a body and step; of
single impacts at stops, microseconds a lane, beside steps without; of bodies in contact, microseconds a step and an
impact, with `contact: events` and `stepping`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np

from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import LANES
from rigidsim.engine.time.run import BlockRun
from support.scenes import make_scene
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


def seconds(bodies: dict, lanes: int, steps: int, turns: int, **how) -> tuple[float, int]:
    """(least processor time, number of impacts) of so many steps from the start."""
    scene = make_scene(bodies, duration=1e4, step=1e-3, gravity=[0, 0, -9.81], **how)
    world, least, events = build_world(scene), 1e9, 0
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


def ball(x: float, height: float = 0.0, spin: float = 0.0, **keys) -> dict:
    """One of 0.1 m above a floor, which rolls across if it touches that."""
    rolls = {} if height else {"velocity": [0, 1, 0], "angular_velocity": [-10, 0, spin]}
    shape = {"type": "sphere", "radius": 0.1}
    return {"mass": 1, "shapes": [shape], "position": [x, 0, height + 0.1], "material": keys or ROUGH, **rolls}


ROUGH = {"friction": 2}
FLOOR = {"shapes": [{"type": "plane"}], "material": ROUGH}
BRICK = {
    "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.4, 0.6]}], "material": ROUGH,
    "position": [0, 0, float(np.hypot(0.1, 0.3))],
    "orientation": {"axis": [0, 1, 0], "angle": float(np.arctan2(0.1, 0.3))},
}  # fmt: skip
LASTS = {
    "a ball rolls": {"ball": ball(0)},
    "it spins, too": {"ball": ball(0, spin=3)},
    "four balls roll": {f"ball_{k}": ball(k) for k in range(4)},
    "a brick balances on an edge": {"brick": BRICK},
}


def show_contacts(steps: int, turns: int) -> None:
    """Bodies on a floor that touch it in all steps; bounces, beside a flight."""
    row = table("Contact by events, us a step", "scene", "events", "stepping", "ratio")
    for name, bodies in LASTS.items():
        found = [
            1e6 * seconds({"floor": FLOOR, **bodies}, 1, steps, turns, contact=mode)[0] / steps
            for mode in ("events", "stepping")
        ]
        row(name, *(f"{each:.2f}" for each in found), f"{found[0] / found[1]:.2f}")
    row = table("Bounces by events, us", "friction", "an impact", "a step of flight")
    falls = np.sqrt(2 * 1e-4 / 9.81)
    count = int((1e-3 * steps / falls + 1) / 2)
    for friction in (0.0, 0.5):
        high, low = ({"ball": ball(0, h, restitution=1, friction=friction)} for h in (1e3, 1e-4))
        far, near = (seconds({"floor": FLOOR, **one}, 1, steps, turns, contact="events")[0] for one in (high, low))
        row(friction, f"{1e6 * (near - far) / count:.1f}", f"{1e6 * far / steps:.2f}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few steps, once")
    steps, turns = (400, 1) if parser.parse_args().quick else (STEPS, TURNS)
    show_modes(steps, turns)
    show_impacts(2 * steps, turns)
    show_contacts(steps, turns)


if __name__ == "__main__":
    main()
