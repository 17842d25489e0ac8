"""Metrics of a trajectory: reductions of its samples, with the bits of a run (`engine/outputs/metrics.py`)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from rigidsim.arguments import clipped, text
from rigidsim.errors import UsageError
from rigidsim.physics.reductions import FOLDS, MEMORY
from rigidsim.quantities.vocabulary import OF_RUN, READ, component_of
from rigidsim.scene.expressions import (
    METRIC,
    SAMPLE,
    Expression,
    ExpressionError,
    Reduction,
    Scope,
    StateRead,
    Time,
    parse,
)
from rigidsim.scene.expressions.reductions import inputs, on_bodies
from rigidsim.scene.expressions.tree import Leaf
from rigidsim.scene.expressions.vocabulary import COUNT
from rigidsim.trajectory.bodies import BodyMapping
from rigidsim.trajectory.events import BEGINS, IMPACT
from rigidsim.trajectory.samples import Source

BY_NAME = {fold.name: fold for fold in FOLDS}
SCHEDULED = {"impulses": "impulse", "reparentings": "reparent", "stops": "stop"}
TOUCHES = {"contacts": BEGINS, "impacts": IMPACT}


class MetricMeter:
    """The value of a metric, `= max(speed("ball"))`, over the samples of a trajectory. It may use the parameters of the
    scene; `unit` is its unit, if that is known. Raises UsageError for an invalid text or an unknown body.
    """

    def __init__(self, whole: Any, written: str):
        self._whole, self._events, self._taken = whole, whole.events, 0
        has_scales = bool((whole.header.scale != 1.0).any())
        self._expression = _parsed(text(written, "a metric"), whole, METRIC, "metric")
        self.unit = self._expression.unit_where(has_scales)
        if self._expression.asked and not self.unit:
            unit = clipped(self._expression.asked)
            raise UsageError(
                f"the metric {clipped(written)}: lengths in units of a scaled frame are not given in {unit}"
            )
        self._memories = {one: (0.0,) * MEMORY for one in self._expression.reductions if one.kind != COUNT}

    def add(self, part: BodyMapping) -> None:
        """Add the next samples."""
        time, begin = np.asarray(part.time), self._taken
        self._taken += len(time)
        source = Source(self._whole, slice(begin, self._taken), part)
        for reduction, memory in self._memories.items():
            given = [_values(source, Expression("", tree)).tolist() for tree in inputs(reduction)]
            unused = [[0.0] * len(time)] * (3 - len(given))
            for sample in zip(time.tolist(), *given, *unused, strict=True):
                memory = BY_NAME[reduction.kind].fold(memory, *sample)
            self._memories[reduction] = memory

    def result(self) -> float:
        """The value for the samples so far, and all events."""
        values: dict[Leaf, Any] = {one: BY_NAME[one.kind].result(memory) for one, memory in self._memories.items()}
        counts = (one for one in self._expression.reductions if one.kind == COUNT)
        return float(self._expression.evaluate(values | {one: self._count(one) for one in counts}))

    def _count(self, counted: Reduction) -> float:
        if counted.events in SCHEDULED:
            return float(sum(event.cause == SCHEDULED[counted.events] for event in self._events.scheduled))
        contact, body = self._events.contact, counted.body
        is_of = np.array([not body or f"{path}/".startswith(f"{body}/") for path in contact.nodes], dtype=bool)
        is_counted = contact.kind == TOUCHES[counted.events]
        return float(np.count_nonzero(is_counted & (is_of[contact.first] | is_of[contact.second])))


def values_of(source: Source, written: str) -> np.ndarray:
    """The values of an expression of time and state, `= speed("ball") / 2`, at each sample, (time). It may use the
    parameters of the scene.

    Raises UsageError for an invalid text or an unknown body.
    """
    return _values(source, _parsed(text(written, "an expression"), source.whole, SAMPLE, "expression"))


def unit_of(bodies: BodyMapping, written: str) -> str:
    """The unit of such an expression; empty for a pure number and if it is not known."""
    found = _parsed(text(written, "an expression"), bodies, SAMPLE, "expression")
    return found.unit_where(bool((bodies.header.scale != 1.0).any()))


def _values(source: Source, expression: Expression) -> np.ndarray:
    time = np.asarray(source.time)
    leaves: dict[Leaf, Any] = {Time(): time}
    leaves |= {state: _component(source, state) for state in expression.states}
    leaves |= {one: source.held(one.name, one.body) for one in expression.held}
    with np.errstate(all="ignore"):
        return np.broadcast_to(expression.evaluate(leaves), time.shape)


def _component(source: Source, state: StateRead) -> np.ndarray:
    kind = (READ if state.body else OF_RUN)[state.quantity]
    found = kind.columns(source, state.body, state.observer.removeprefix("@"), *filter(None, [state.other]))
    return component_of(found, kind, kind.accepts[state.component] if kind.components else "")


def _parsed(written: str, bodies: BodyMapping, allow: Collection[str], what: str) -> Expression:
    given = bodies.header.section("parameters")
    values, units = ({name: one.get(key) for name, one in given.items()} for key in ("value", "unit"))
    try:
        scope = bodies.header.scope or Scope(joints=bodies.header.joints)
        found = parse(written, values, allow, units, scope)
        return on_bodies(found, bodies.header.row_of)
    except ExpressionError as error:
        hint = f"; {error.hint}" if error.hint else ""
        message = f"the {what} {clipped(written)}: {error.message}, at column {error.offset + 1}{hint}"
        raise UsageError(message) from None
