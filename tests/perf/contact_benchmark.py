"""Milliseconds a step of bodies in contact, ours and our peers', in one run:
`python tests/perf/contact_benchmark.py [--quick] [--without NAME ...]`.

One core, one thread each, 5 ms, compile time apart; sleeping off but in the last part, where ours with and without it
take turns. Ours is the whole run with `rkmk4` and a sample every
20 steps. Between two slices of it each peer takes as many steps as it did, so all meet the same neighbours on the
machine. Peers (extra `bench`) are left out where they are not installed. Times are processor times, medians over
steps.
"""

from __future__ import annotations

import argparse
import os
import platform
import time

import numpy as np

import rigidsim
from contact_peers import PEERS
from piles import Depths, Pile, depths, scene_of, spheres, stack
from rigidsim.jit.kernels import watch_compilation

SLICES = 10  # of what is measured by turns


class Course:
    """What one engine did: time by steps, and how deep bodies sank."""

    def __init__(self, name: str, pile: Pile):
        self.name, self._pile = name, pile
        self._milliseconds, self._steps = [], []
        self.worst, self.drift, self.fastest, self.end = 0.0, 0.0, 0.0, Depths(0.0, 0.0, 0)

    def spent(self, steps: int, seconds: float) -> None:
        """So many steps took so long."""
        self._steps.append(steps)
        self._milliseconds.append(1e3 * seconds / steps)

    def moved(self, places: np.ndarray, velocities: np.ndarray) -> None:
        """Look at a state."""
        self.end = depths(self._pile, places)
        self.worst = max(self.worst, self.end.between, self.end.planes)
        self.fastest = float(np.linalg.norm(velocities, axis=1).max())
        self.drift = float(np.hypot(*(places[-1] - self._pile.places[-1])[:2]))

    @property
    def median(self) -> float:
        """Milliseconds a step."""
        return float(np.median(np.repeat(self._milliseconds, self._steps)))

    def row(self, first: Course) -> str:
        """A line of the table."""
        drift = self.drift if self._pile.kind == "box" else np.nan
        millimetres = (f"{1e3 * x:.3f}" for x in (self.end.between, self.end.planes, self.worst, drift))
        ratio = f"{self.median / first.median:.2f}"
        cells = (self.name, f"{self.median:.4f}", ratio, *millimetres, f"{self.fastest:.0e}", self.end.escaped)
        return "| " + " | ".join(map(str, cells)) + " |"


def compare(pile: Pile, steps: int, peers: list[type]) -> list[Course]:
    """Ours first, then each peer, side by side."""
    ours = Course("rigidsim", pile)
    others = [(peer(pile), Course(peer.name, pile)) for peer in peers]
    scene = scene_of(pile, steps)
    rigidsim.Simulation(scene).prepare()
    done, since = 0, time.process_time()

    def watch(n: int) -> bool:
        nonlocal done, since
        ours.spent(n - done, time.process_time() - since)
        for peer, course in others:
            begin = time.process_time()
            peer.advance(n - done)
            course.spent(n - done, time.process_time() - begin)
            course.moved(*peer.motion())
        done, since = n, time.process_time()
        return False

    trajectory = rigidsim.simulate(scene, watch=watch)
    samples = (trajectory.arrays[f"world/{quantity}"][:, 1:] for quantity in ("position", "velocity"))
    for places, velocities in zip(*samples, strict=True):  # without the ground, the first body
        ours.moved(places, velocities)
    return [ours, *(course for _, course in others)]


def table(title: str, pile: Pile, steps: int, peers: list[type]) -> Course:
    """Print one comparison; returns our course."""
    with watch_compilation() as compiling:
        courses = compare(pile, steps, peers)
    print(f"\n### {title}\n\ncompiled in {compiling.seconds:.1f} s\n")
    head = ("engine", "ms a step", "times ours", "between, mm", "planes, mm", "ever, mm", "drift, mm", "m/s", "escaped")
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for course in courses:
        print(course.row(courses[0]), flush=True)
    return courses[0]


def asleep(pile: Pile, settled: int, steps: int) -> tuple[float, float]:
    """Print what a step costs once all bodies sleep, beside the same pile awake, in slices by turns; returns both, ms.
    Both first take `settled` steps.
    """
    pair = [rigidsim.Simulation(scene_of(pile, settled + steps, sleep)) for sleep in (True, False)]
    for one in pair:
        one.step(settled)
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(SLICES):
        for one, times in zip(pair, spent, strict=True):
            begin = time.process_time()
            one.step(steps // SLICES)
            times.append(1e3 * (time.process_time() - begin) / (steps // SLICES))
    sleeps, wakes = (sum(event.cause == cause for event in pair[0].events) for cause in ("falls_asleep", "wakes"))
    rests, moves = (float(np.median(times)) for times in spent)
    print(f"\n### Asleep\n\n{sleeps - wakes} of {len(pile.places)} bodies sleep after {settled} steps")
    print(f"{rests:.4f} ms a step asleep, {moves:.4f} ms awake: {rests / moves:.3f}", flush=True)
    return rests, moves


def available(names: list[str]) -> list[type]:
    """The peers that can be imported and are not left out."""
    found = []
    for peer in PEERS:
        try:
            peer(stack(1))
        except ImportError:
            continue
        if peer.name not in names:
            found.append(peer)
    return found


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few bodies and steps, to see that it works")
    parser.add_argument("--without", nargs="*", default=[], help="peers to leave out")
    chosen = parser.parse_args()
    print(f"{platform.platform()}, Python {platform.python_version()}, rigidsim {rigidsim.__version__}")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peers = available(chosen.without)
    steps = 40 if chosen.quick else 1000
    few = table("Spheres", spheres(30 if chosen.quick else 666), steps, peers)
    table("Stack of ten boxes", stack(), steps, peers)
    many = table("Many spheres", spheres(100 if chosen.quick else 10_000), 20 if chosen.quick else 300, [])
    print(f"\nmany to few: {many.median / few.median:.1f}")
    asleep(spheres(30 if chosen.quick else 666), 300 if chosen.quick else 1000, 40 if chosen.quick else 1000)


if __name__ == "__main__":
    main()
