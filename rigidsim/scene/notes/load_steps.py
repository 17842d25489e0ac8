"""Warnings about a step that is too long for a spring, or for the damping of a body."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from rigidsim.physics.vector import norm, sub
from rigidsim.scene.hierarchy.mobility import Part, parts
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.notes.stability import advised_step, growth, shorter
from rigidsim.scene.notes.step_length import ADVISED_TURN, LARGEST_TURN
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import Vector

MOST_GROWTH = math.log(1.01)
"""The largest growth factor, over the whole run, of an undamped oscillation."""
DAMPED = 1.0
"""The advised decay rate times the step: with every integrator a speed then decays without oscillation."""


class LoadRates(NamedTuple):
    """A spring, damper or drag: its location, its angular frequency (rad/s) and its largest decay rate (1/s) at each
    free body on which it acts, without other loads.
    """

    place: Path
    swing: float
    damping: dict[str, float]


def load_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Springs whose oscillation is too fast for the step or grows during the run, and the strongest damping of each
    body for whose total damping the step is too long.
    """
    simulation, loads = hierarchy.scene.simulation, list(_loads(hierarchy))
    step, method, steps = simulation.step, simulation.integrator, simulation.duration / simulation.step
    damped: dict[str, float] = {}
    for load in loads:
        for body, rate in load.damping.items():
            damped[body] = damped.get(body, 0.0) + rate
    reported: set[str] = set()
    for load in sorted(loads, key=lambda load: -max(load.damping.values(), default=0.0)):
        # The largest eigenvalue of the dampers that share a body is at most their sum.
        rate = sum(damped[body] for body in load.damping)
        if growth(method, 0.0, rate * step) * steps > MOST_GROWTH and not reported & load.damping.keys():
            reported |= load.damping.keys()
            message = f"a step of {step:g} s is too long for the damping of this body, {rate:.3g} 1/s in total"
            advised = advised_step(shorter(step, lambda h, rate=rate: rate * h <= DAMPED))
            yield load.place, f"{message}, so that '{method.name}' diverges; {advised}"
    for load in loads:
        yield from _swing_notes(hierarchy, load, sum(damped[body] for body in load.damping))


def _swing_notes(hierarchy: Hierarchy, load: LoadRates, damping: float) -> Iterator[tuple[Path, str]]:
    simulation = hierarchy.scene.simulation
    step, method, rate = simulation.step, simulation.integrator, load.swing
    if rate * step > LARGEST_TURN:
        period, advised = 2 * math.pi / rate, ADVISED_TURN / rate
        message = f"a step of {step:g} s is long for a spring with a period of {period:.3g} s"
        yield load.place, f"{message}; use at most {advised:.1g} s"
        return

    def grown(h: float) -> float:
        return growth(method, rate * h, damping * h) * simulation.duration / h

    if rate and growth(method, 0.0, damping * step) <= 0 and grown(step) > MOST_GROWTH:
        factor = f"{math.exp(min(grown(step), 690)):.3g}"
        message = f"with '{method.name}' the oscillation of this spring grows by a factor of {factor} during the run"
        yield load.place, f"{message}; {advised_step(shorter(step, lambda h: grown(h) <= MOST_GROWTH))}, or rkmk4"


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
    """The speed of a point relative to a medium at t = 0, m/s."""
    body = start[end.carrier.path]
    point = body.point(end.point(at))
    return norm(sub(body.velocity_at(point), start[medium].velocity_at(point)))
