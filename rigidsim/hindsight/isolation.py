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
    from rigidsim.engine.compiler.constants import is_isolated, loads_of
    from rigidsim.engine.compiler.schedule import Schedule
    from rigidsim.engine.compiler.tree import Tree
    from rigidsim.hindsight.past import scene_of, tree_at

    scene = scene_of(header)
    start, schedule = Tree.of(scene), Schedule.of(scene)
    # Of the trees of one instant only the last one lasts.
    for begin, places in dict(header.trees()[1:]).items():
        tree = tree_at(start, places)
        if not is_isolated(scene, tree, loads_of(scene, tree, start, schedule)):
            return begin
    return math.inf
