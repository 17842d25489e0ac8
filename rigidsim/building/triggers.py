"""Triggers as records of a blueprint, and their conditions as numbers that change their signs."""

from __future__ import annotations

from collections.abc import Sequence

from rigidsim.building.metrics import metric_tables
from rigidsim.engine.assembly.blueprint import AskedVector, Schedule, TriggerRecord, TriggerTables
from rigidsim.scene.expressions import Apply, Expression, Reduction
from rigidsim.scene.expressions.reductions import margin
from rigidsim.scene.expressions.tree import ExpressionTree
from rigidsim.scene.hierarchy.loops import loop_names
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.triggers import triggers_in
from rigidsim.scene.schema.when import When
from rigidsim.tree.nodes import Tree


def trigger_tables(
    hierarchy: Hierarchy, tree: Tree, schedule: Schedule, asked: Sequence[AskedVector]
) -> TriggerTables | None:
    """The tables of the triggers of a scene, if it has any; `asked` is what metrics ask for."""
    found = [*triggers_in(hierarchy)]
    if not found:
        return None
    numbers = {f"{one.id} {k}": _final(each) for one in found for k, each in enumerate(guards_of(one.when))}
    return TriggerTables(
        tuple(
            TriggerRecord(one.id, one.kind, one.number, schedule.n_era + k, one.when.every, one.when.delay)
            for k, one in enumerate(found)
        ),
        metric_tables(numbers, tree, loop_names(hierarchy.scene.world.loops), asked),
    )


def guards_of(when: When) -> tuple[ExpressionTree, ExpressionTree]:
    """A number that is positive where a condition holds, and one that is not negative where it may happen again."""
    guard = margin(when.condition.tree)
    return guard, Apply("negate", (guard,)) if when.rearm is None else margin(when.rearm.tree)


def _final(tree: ExpressionTree) -> Expression:
    """A number as a metric, which reads a sample."""
    return Expression("", Reduction("final", (tree,)))
