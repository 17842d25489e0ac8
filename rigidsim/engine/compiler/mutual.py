"""The free bodies that attract each other, as the kernels take them."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.compiler.tree import Node, Tree
from rigidsim.engine.model import Mutual, zeros
from rigidsim.scene.schema.gravity import MutualGravity


def mutual_of(mutual: MutualGravity | None, tree: Tree) -> Mutual:
    """Rows, GM and softening of the group; nobody, if there is none."""
    members = members_of(mutual, tree)
    rows = {node.path: row for row, node in enumerate(tree.free())}
    softening = [mutual.softening] if mutual else []
    depth = zeros(1 + len(tree.nodes)).astype(np.int64)
    for node in tree.outwards():
        depth[node.frame] = 1 + (depth[node.parent.frame] if node.parent else 0)
    return Mutual(
        member=np.array([rows[node.path] for node in members], dtype=np.int64),
        gm=np.array([mutual.constant * tree.carried(node).mass.mass for node in members]).reshape(-1, 1),
        soft=np.array([length * length for length in softening]).reshape(-1, 1),
        depth=depth,
    )


def members_of(mutual: MutualGravity | None, tree: Tree) -> list[Node]:
    """The free bodies that attract each other, in the order of their paths."""
    if mutual is None:
        return []
    if mutual.bodies is None:
        carriers = [node for node in tree.free() if node.spec.gravity]
    else:
        carriers = [tree.carrier(tree.by_path[path]) for path in mutual.bodies]
    return sorted({node.path: node for node in carriers}.values(), key=lambda node: node.path)


def links_of(mutual: MutualGravity | None, tree: Tree) -> set[int]:
    """The nodes whose links lie on the way of some member in to where it meets another one."""
    lineages = [[node.index for node in member.lineage()] for member in members_of(mutual, tree)]
    shared = set(lineages[0]).intersection(*lineages[1:]) if lineages else set()
    return {index for lineage in lineages for index in lineage[1:]} - shared
