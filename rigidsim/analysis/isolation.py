"""How long a scene conserves momentum."""

from __future__ import annotations

import math

from rigidsim.containers.optional import not_none
from rigidsim.trajectory.header import Header
from rigidsim.tree.nodes import NO_TURN, ZERO


def isolated_until(header: Header) -> float:
    """The time (s) until which there are no external forces, so that momenta are conserved: inf if there never are any,
    -inf if there are at t = 0.

    A reparenting can add an external force: gravity on a released part, for example.
    """
    if not header.isolated:
        return -math.inf
    if not header.changes:
        return math.inf
    # Imported here to keep the engine out of reports on trajectories without reparentings.
    from rigidsim.blueprints import blueprint_of
    from rigidsim.engine.assembly.blueprint import is_isolated
    from rigidsim.engine.assembly.constants import model_of

    blueprint = blueprint_of(header.scene)
    history = header.whole_history(blueprint.tree, blueprint.schedule.reparentings)
    for begin, tree in list(zip(history.begins, history, strict=True))[1:]:
        tree = tree.begun(
            lambda node: not_none(node.joint)._replace(position=ZERO, orientation=NO_TURN)
        )  # places do not matter
        if not is_isolated(blueprint, tree, model_of(blueprint, tree)):
            return begin
    return math.inf
