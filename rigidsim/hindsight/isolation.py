"""How long a model conserves momentum."""

from __future__ import annotations

import math

from rigidsim.trajectory.header import Header


def isolated_until(header: Header) -> float:
    """The time (s) until which the bodies of a history act on each other only, so that momenta are conserved: infinite
    if they always do, minus infinity if they do not at the start.

    A change of the tree can end it, as something outside begins to act on a body: gravity on a released part, say.
    """
    if not header.isolated:
        return -math.inf
    if not header.changes:
        return math.inf
    # Only here, so that a history is looked at without loading what compiles.
    from rigidsim.engine.compiler.constants import model_of
    from rigidsim.engine.compiler.schedule import Schedule
    from rigidsim.engine.compiler.tree import Tree
    from rigidsim.hindsight.past import scene_of, tree_at

    scene = scene_of(header)
    start, schedule = Tree.of(scene), Schedule.of(scene)
    for begin, places in header.trees()[1:]:
        if not model_of(scene, tree_at(start, places), start, schedule).isolated:
            return begin
    return math.inf
