"""Triggers as records of a blueprint, and their conditions as numbers that change their signs."""

from __future__ import annotations

from collections.abc import Sequence

from rigidsim.blueprints.metrics import metric_tables
from rigidsim.engine.assembly.blueprint import AskedVector, Schedule, TriggerRecord, TriggerTables
from rigidsim.scene.expressions import Apply, Expression, Number, Reduction
from rigidsim.scene.expressions.reductions import guard_of
from rigidsim.scene.expressions.tree import ExpressionTree
from rigidsim.scene.hierarchy.loops import loop_names
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.triggers import Trigger, triggers_in
from rigidsim.tree.nodes import Tree

NEVER = Number(-1.0)


def trigger_tables(
    hierarchy: Hierarchy, tree: Tree, schedule: Schedule, asked: Sequence[AskedVector]
) -> TriggerTables | None:
    """The tables of the triggers of a scene, if it has any; `asked` is what metrics ask for."""
    found = [*triggers_in(hierarchy)]
    if not found:
        return None
    numbers = {f"{one.id} {k}": _final(each) for one in found for k, each in enumerate(guards_of(one))}
    return TriggerTables(
        tuple(
            TriggerRecord(
                one.id, one.kind, one.number, schedule.n_phase + k, one.every, one.delay, one.time, one.setting,
                one.passing, one.name,
            )
            for k, one in enumerate(found)
        ),
        metric_tables(numbers, tree, loop_names(hierarchy.scene.world.loops), asked),
    )  # fmt: skip


def guards_of(trigger: Trigger) -> tuple[ExpressionTree, ExpressionTree]:
    """A number that is positive where a condition holds, and one that is not negative where it may happen again; what
    has none never happens by one.
    """
    if trigger.condition is None:
        return NEVER, NEVER
    guard = guard_of(trigger.condition.tree)
    return guard, Apply("negate", (guard,)) if trigger.rearm is None else guard_of(trigger.rearm.tree)


def _final(tree: ExpressionTree) -> Expression:
    """A number as a metric, which reads a sample."""
    return Expression("", Reduction("final", (tree,)))
