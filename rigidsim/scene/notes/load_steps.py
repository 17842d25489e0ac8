"""A step that is too long for a spring, or for what damps a body."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from rigidsim.physics.vector import norm, sub
from rigidsim.scene.hierarchy.mobility import Part, parts
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.notes.stability import growth, shorter, would_do
from rigidsim.scene.notes.step_length import ADVISED_TURN, LARGEST_TURN
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import Vector

MOST_GROWTH = math.log(1.01)
"""What a swing that should not grow may grow by in the whole run."""
DAMPED = 1.0
"""Of a rate of damping times the step, what is advised: with every integrator a speed then decays without a swing."""


class LoadRates(NamedTuple):
    """A spring, damper or drag: where it is written, how fast it swings (rad/s) and what it damps (1/s, at most) as if
    alone, at each free body that it acts on.
    """

    place: Path
    swing: float
    damping: dict[str, float]


def load_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Each spring that swings too fast for the step or grows in the run, and the strongest damping of each body where
    all that damps it is too much for the step.
    """
    simulation, loads = hierarchy.scene.simulation, list(_loads(hierarchy))
    step, method, steps = simulation.step, simulation.integrator, simulation.duration / simulation.step
    damped: dict[str, float] = {}
    for load in loads:
        for body, rate in load.damping.items():
            damped[body] = damped.get(body, 0.0) + rate
    told: set[str] = set()
    for load in sorted(loads, key=lambda load: -max(load.damping.values(), default=0.0)):
        # The largest eigenvalue of the dampers that share a body is at most their sum.
        rate = sum(damped[body] for body in load.damping)
        if growth(method, 0.0, rate * step) * steps > MOST_GROWTH and not told & load.damping.keys():
            told |= load.damping.keys()
            message = f"a step of {step:g} s is too long for what damps this body, at {rate:.3g} 1/s in all"
            advised = would_do(shorter(step, lambda h, rate=rate: rate * h <= DAMPED))
            yield load.place, f"{message}, so that '{method.name}' blows up; {advised}"
    for load in loads:
        yield from _swing_notes(hierarchy, load, sum(damped[body] for body in load.damping))


def _swing_notes(hierarchy: Hierarchy, load: LoadRates, damping: float) -> Iterator[tuple[Path, str]]:
    simulation = hierarchy.scene.simulation
    step, method, rate = simulation.step, simulation.integrator, load.swing
    if rate * step > LARGEST_TURN:
        period, advised = 2 * math.pi / rate, ADVISED_TURN / rate
        message = f"a step of {step:g} s is long for a spring with a period of {period:.3g} s"
        yield load.place, f"{message}; {advised:.1g} s would follow it"
        return

    def grown(h: float) -> float:
        return growth(method, rate * h, damping * h) * simulation.duration / h

    if rate and growth(method, 0.0, damping * step) <= 0 and grown(step) > MOST_GROWTH:
        factor = f"{math.exp(min(grown(step), 690)):.3g}"
        message = f"'{method.name}' lets this spring swing ever further, by a factor of {factor} in the end"
        yield load.place, f"{message}; {would_do(shorter(step, lambda h: grown(h) <= MOST_GROWTH))}, or rkmk4"


def _loads(hierarchy: Hierarchy) -> Iterator[LoadRates]:
    forces = [
        (node, index, force)
        for node in hierarchy
        for index, force in enumerate(node.body.forces)
        if force.kind.rates is not None
        and (force.during is None or force.during[0] < hierarchy.scene.simulation.duration)
    ]
    start = Starts(hierarchy)
    known = parts(hierarchy, start) if forces else {}
    for node, index, force in forces:
        path = node.path
        ends = [known[end] for end in (path, getattr(force, "to", "")) if end in known]
        if len({end.carrier.path for end in ends}) < len(ends):
            continue  # within one body

        def speed(at: Vector | None, medium: str, end: Part = ends[0]) -> float:
            return _speed(end, at, start, medium)

        swing, damping = force.kind.rates(force, ends, speed)
        damped = dict(zip((end.carrier.path for end in ends), damping, strict=False))
        yield LoadRates((*node.place, "forces", index), swing, damped)


def _speed(end: Part, at: Vector | None, start: Starts, medium: str) -> float:
    """How fast a point moves through a medium at the start, m/s."""
    body = start[end.carrier.path]
    point = body.point(end.point(at))
    return norm(sub(body.velocity_at(point), start[medium].velocity_at(point)))
