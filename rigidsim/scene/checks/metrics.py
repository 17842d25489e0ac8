"""Checks of metrics and conditions: bodies that do not exist, what cannot be read, times that no sample reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rigidsim.quantities.names import bodies_called, is_pattern, shortened
from rigidsim.quantities.vocabulary import CONTACT, JOINT, LOOP, OF_MASS, OF_RUN_METERED, REACTION, READ
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.checks.references import KnownPaths, coordinate_findings, known_loops
from rigidsim.scene.expressions import Expression, Reduction, StateRead
from rigidsim.scene.expressions.reductions import AT, PATTERNED, patterns
from rigidsim.scene.expressions.vocabulary import OWN_FRAMES
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.triggers import triggers_in
from rigidsim.scene.text.document import Path, shown
from rigidsim.tree.joints import changing_mass
from rigidsim.tree.nodes import WORLD

OBSERVERS = (WORLD, *OWN_FRAMES.values())


def metric_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every body that does not exist, every quantity that no metric can read, every time outside the run."""
    scene = hierarchy.scene
    metrics: dict[Path, Any] = {("metrics", name): metric for name, metric in scene.metrics.items()}
    metrics |= scene.optimise.expressions if scene.optimise else {}
    if not metrics:
        return
    has_scales = any(node.metres != 1.0 for node in hierarchy)
    duration, known = hierarchy.scene.simulation.duration, KnownPaths(node.path for node in hierarchy)
    loops = known_loops(hierarchy)
    for place, metric in metrics.items():
        if metric.asked and not metric.unit_where(has_scales):
            message = f"lengths in units of a scaled frame cannot be given in '{shown(metric.asked)}'"
            yield Finding("unit", message, place, "see the bodies from the world")
        yield from state_findings(hierarchy, metric, place, known, loops)
        for reduction in metric.reductions:
            time = reduction.arguments[0].value if reduction.kind == AT else 0.0
            if not 0.0 <= time <= duration:
                message = f"at({time:g}, ...) is outside the run, which lasts from 0 to {duration:g} s"
                yield Finding("time", message, place)
            yield from known.unclear(place, reduction.body)
            yield from _pattern_findings(reduction, place)


def trigger_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Likewise of the conditions of triggers."""
    triggers = [*triggers_in(hierarchy)]
    known, loops = KnownPaths(node.path for node in hierarchy if triggers), known_loops(hierarchy)
    for trigger in triggers:
        for key, condition in (("condition", trigger.condition), ("rearm", trigger.rearm)):
            place = (*trigger.place, key)
            for state in condition.states if condition else ():
                if is_pattern(state.body):
                    message = f"a condition on which of '{shown(state.body)}'?"
                    yield Finding("reference", message, place, "write the path of one body")
            if condition:
                yield from state_findings(hierarchy, condition, place, known, loops)
        if trigger.rearm is not None and not trigger.every:
            message = "what happens once is never armed again"
            yield Finding("when", message, (*trigger.place, "rearm"), "write every: true, or omit it")


def state_findings(
    hierarchy: Hierarchy, expression: Expression, place: tuple, known: KnownPaths, loops: KnownPaths
) -> Iterator[Finding]:
    """Every body that does not exist, and every quantity that no metric can read, in an expression."""
    for state in expression.states:
        if state.body and READ[state.quantity].needs == LOOP:
            yield from loops.unknown(place, state.body)
            continue
        if state in expression.own_states:
            yield from known.unclear(place, state.body, (WORLD,))
            yield from known.unclear(place, state.observer, OBSERVERS)
            yield from known.unclear(place, state.other)
        elif READ[state.quantity].needs == JOINT if state.body else False:
            continue  # said of the quantity
        yield from _reading_findings(hierarchy, state, place)


def _reading_findings(hierarchy: Hierarchy, state: StateRead, place: tuple) -> Iterator[Finding]:
    """A finding if a metric cannot read this quantity, or the body never has it."""
    if not state.body:
        if state.quantity not in OF_RUN_METERED:
            yield Finding("quantity", f"a metric cannot read '{state.quantity}'", place, _hint(OF_RUN_METERED))
        return
    kind = READ[state.quantity]
    if kind.needs == CONTACT and not any(node.body.shapes for node in hierarchy):
        yield Finding("quantity", f"no body has shapes, so none has '{state.quantity}'", place, "give bodies 'shapes'")
    if kind.needs in (JOINT, REACTION):
        yield from coordinate_findings(hierarchy, state.quantity, state.body, place)
    released = {event.body for event in hierarchy.scene.reparent}
    for path in bodies_called(state.body, [node.path for node in hierarchy]) if kind.of_free else ():
        node = hierarchy[path]
        if not is_pattern(state.body) and not node.is_moved() and path not in released:
            message = f"'{path}' is {node.kind}: only free and jointed bodies have {kind.of_free}"
            yield Finding("quantity", message, place)
        if kind.of_free == OF_MASS and node.joint is not None and node.joint.is_tank:
            yield Finding("quantity", changing_mass(path, OF_MASS), place)


def _pattern_findings(reduction: Reduction, place: tuple) -> Iterator[Finding]:
    """A finding if patterns stand for several bodies where that means nothing."""
    found = patterns(reduction)
    if len(found) > 1:
        message = f"{reduction.kind}() of more than one pattern: {', '.join(map(shown, found))}"
        yield Finding("reference", message, place, "read other bodies by their paths")
    elif found and reduction.kind not in PATTERNED:
        hint = f"a pattern of bodies has a meaning in {' and '.join(f'{name}()' for name in PATTERNED)} only"
        yield Finding("reference", f"{reduction.kind}() of which of '{shown(found[0])}'?", place, hint)


def _hint(known: Iterable[str]) -> str:
    return f"there are {', '.join(shortened(known))}"
