"""Metrics of a trajectory: reductions of its samples, with the bits that a run computes (`engine/metrics.py`)."""

from __future__ import annotations

import json
from collections.abc import Collection

import numpy as np

from rigidsim.arguments import clipped, text
from rigidsim.engine.relative_motion import RelativeMotion
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.physics.quaternion import canonical
from rigidsim.physics.reductions import FOLDS, MEMORY
from rigidsim.physics.vector import norm
from rigidsim.scene.expressions import METRIC, SAMPLE, Expression, ExpressionError, Reduction, StateRead, Time, parse
from rigidsim.scene.expressions.reductions import ENERGIES, inputs
from rigidsim.scene.expressions.vocabulary import COUNT, WORLD
from rigidsim.trajectory.bodies import BodyMapping
from rigidsim.trajectory.contact_events import BEGINS, IMPACT
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.motion import Motion, columns, seen_from
from rigidsim.trajectory.timeline import Events

BY_NAME = {fold.name: fold for fold in FOLDS}
LEDGER = ("diagnostics/kinetic_energy", "diagnostics/potential_energy", "diagnostics/work")
SCHEDULED = {"impulses": "impulse", "reparentings": "reparent"}
TOUCHES = {"contacts": BEGINS, "impacts": IMPACT}


def metric_of(bodies: BodyMapping, events: Events, written: str) -> float:
    """The value of a metric, `= max(speed("ball"))`, over the samples of a trajectory. It may use the parameters of the
    scene.

    Raises UsageError for an invalid text or an unknown body.
    """
    expression = _parsed(text(written, "a metric"), bodies.header, METRIC, "metric")
    columns_of = _Columns(bodies, events)
    values = {reduction: columns_of.reduced(reduction) for reduction in expression.reductions}
    return float(expression.evaluate(values))


def values_of(bodies: BodyMapping, written: str) -> np.ndarray:
    """The values of an expression of time and state, `= speed("ball") / 2`, at each sample of a trajectory, (time). It
    may use the parameters of the scene.

    Raises UsageError for an invalid text or an unknown body.
    """
    expression = _parsed(text(written, "an expression"), bodies.header, SAMPLE, "expression")
    return _Columns(bodies, Events(bodies.header)).values(expression)


def _parsed(written: str, header: Header, allow: Collection[str], what: str) -> Expression:
    given = json.loads(header.scene_resolved or "{}").get("parameters", {})
    try:
        return parse(written, {name: parameter["value"] for name, parameter in given.items()}, allow)
    except ExpressionError as error:
        hint = f"; {error.hint}" if error.hint else ""
        message = f"the {what} {clipped(written)}: {error.message}, at column {error.offset + 1}{hint}"
        raise UsageError(message) from None


class _Columns:
    """What metrics read of a trajectory, each an array with one value for each sample."""

    def __init__(self, bodies: BodyMapping, events: Events):
        self._bodies, self._events, self._time = bodies, events, np.asarray(bodies.time)
        self._motions: dict[tuple[str, str], Motion] = {}

    def reduced(self, reduction: Reduction) -> float:
        """The value of a reduction."""
        if reduction.kind == COUNT:
            return float(self._count(reduction.events))
        given = [self.values(Expression("", tree)).tolist() for tree in inputs(reduction)]
        fold, result, memory = *BY_NAME[reduction.kind][1:], (0.0,) * MEMORY
        unused = [[0.0] * len(self._time)] * (3 - len(given))
        for sample in zip(self._time.tolist(), *given, *unused, strict=True):
            memory = fold(memory, *sample)
        return result(memory)

    def values(self, expression: Expression) -> np.ndarray:
        """The value of an expression at each sample."""
        leaves = {Time(): self._time}
        leaves |= {state: self._component(state) for state in expression.states}
        with np.errstate(all="ignore"):
            return np.broadcast_to(expression.evaluate(leaves), self._time.shape)

    def _component(self, state: StateRead) -> np.ndarray:
        if state.quantity == ENERGIES:
            if LEDGER[0] not in self._bodies.arrays:
                where = self._bodies.header.record_text
                raise NotRecordedError(f"drift: energies were not recorded ({where}); add 'diagnostics' there")
            return np.asarray(self._bodies.arrays[LEDGER[state.component]])
        motion = self._motion(state.body, state.observer)
        if state.quantity == "speed":
            return norm(columns(motion.velocity))
        if state.quantity == "orientation":
            return canonical(columns(motion.orientation))[state.component]
        return getattr(motion, state.quantity)[:, state.component]

    def _motion(self, body: str, observer: str) -> Motion:
        if (body, observer) not in self._motions:
            self._motions[body, observer] = self._seen(body, observer)
        return self._motions[body, observer]

    def _seen(self, body: str, observer: str) -> Motion:
        if body == observer == WORLD:
            at_rest = RelativeMotion.identity()
            return seen_from(lambda _: (at_rest, at_rest), self._time)
        return self._bodies[body].world if observer == WORLD else self._bodies.relative(body, observer)

    def _count(self, events: str) -> int:
        if events in SCHEDULED:
            return sum(event.cause == SCHEDULED[events] for event in self._events.scheduled)
        return int(np.count_nonzero(self._events.contact.kind == TOUCHES[events]))
