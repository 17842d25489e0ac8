"""The table of the free bodies that attract each other."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from rigidsim.engine.assembly.tree import Node, Tree
from rigidsim.engine.model import Mutual
from rigidsim.structures.columns import numbers_table


def mutual_of(mutual: SimpleNamespace | None, tree: Tree) -> Mutual | None:
    """Rows, GM and softening of the group; None if the scene has no mutual gravity."""
    if mutual is None:
        return None
    members = members_of(mutual, tree)
    return Mutual(
        member=np.array([tree.row(node) for node in members], dtype=np.int64),
        gm=numbers_table([[mutual.constant * tree.composite(node).mass.mass] for node in members], 1),
        soft=numbers_table([[mutual.softening * mutual.softening]], 1),
        depth=np.array(tree.depth, dtype=np.int64),
    )


def members_of(mutual: SimpleNamespace | None, tree: Tree) -> list[Node]:
    """The free bodies that attract each other, in the order of their paths."""
    if mutual is None:
        return []
    if mutual.bodies is None:
        carriers = [node for node in tree.free() if node.falls]
    else:
        carriers = [tree.carrier(tree.nodes[index]) for index in mutual.bodies]
    return sorted({node.index: node for node in carriers}.values(), key=lambda node: node.path)


def links_of(mutual: SimpleNamespace | None, tree: Tree) -> set[int]:
    """The nodes whose links are on the path from a member to its nearest common ancestor with another member."""
    lineages = [[node.index for node in tree.lineage(member)] for member in members_of(mutual, tree)]
    shared = set(lineages[0]).intersection(*lineages[1:]) if lineages else set()
    return {index for lineage in lineages for index in lineage[1:]} - shared
