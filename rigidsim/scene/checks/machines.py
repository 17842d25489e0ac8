"""Checks of state machines: states that do not exist, that lead to themselves, or that none leads to."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.errors import did_you_mean
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.changes import STATES
from rigidsim.scene.text.document import shown


def machine_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """The problems of all state machines."""
    for machine, states in hierarchy.scene.states.items():
        if not states:
            yield Finding("states", f"'{machine}' has no state", (STATES, machine))
        for name, state in states.items():
            for other in state.to:
                place = (STATES, machine, name, "to", other)
                if other not in states:
                    hint = did_you_mean(other, states, f"there are {', '.join(states)}")
                    yield Finding("states", f"'{machine}' has no state '{shown(other)}'", place, hint, at_key=True)
                elif other == name:
                    yield Finding("states", f"the state '{name}' cannot lead to itself", place, "add a second state")
        reached = {other for name, state in states.items() for other in state.to if other != name}
        for name in [*states][1:]:
            if name not in reached:
                message = f"no state of '{machine}' leads to '{name}'"
                yield Finding("states", message, (STATES, machine, name), "the first state is that at the start", True)
