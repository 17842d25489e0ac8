"""The tree of the engine: one preorder list whose handles are the numbers of the nodes, whatever is reparented."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rigidsim.physics.mass import Lump
from rigidsim.tree.nodes import Node, Tree

UNIT = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def node(index: int, parent: int, kind: str) -> Node:
    """A node whose scale is 2 wherever it is."""
    lump = Lump(1.0 + index, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    return Node(
        path=f"n{index}", index=index, parent=parent, kind=kind, scale=2.0, metres=2.0, mass=lump, center=lump.center
    )


def random_nodes(random: np.random.Generator, count: int) -> list[Node]:
    """Nodes in any order of the file, so that a parent may come after its child; free ones below the world."""
    number = random.permutation(count)
    parents = [0] + [int(random.integers(k + 1)) for k in range(1, count)]  # in the order they were made in
    kinds = ["free" if parent == 0 else str(random.choice(["free", "fixed", "prescribed"])) for parent in parents]
    made = [
        node(int(number[k]), 1 + int(number[parent - 1]) if parent else 0, kind)
        for k, (parent, kind) in enumerate(zip(parents, kinds, strict=True))
    ]
    return sorted(made, key=lambda made: made.index)


def lineage(nodes, index: int) -> list[int]:
    """A node and its ancestors."""
    found = [index]
    while nodes[found[-1]].parent:
        found.append(nodes[found[-1]].parent - 1)
    return found


def check(tree: Tree) -> None:
    """The list is a preorder of the nodes, and every column says what the parents do."""
    handles = list(tree.order.handles())
    assert [tree.order.value(handle) for handle in handles] == [tree.nodes[handle] for handle in handles]
    assert [found.index for found in tree.nodes] == list(range(len(tree.nodes)))
    for at, index in enumerate(handles):
        line = lineage(tree.nodes, index)
        below = {other for other in range(len(tree.nodes)) if index in lineage(tree.nodes, other)}
        assert set(handles[at : at + len(below)]) == below
        assert tree.subtree(index) == handles[at : at + len(below)]
        assert tree.depth[1 + index] == len(line)
        node, base = (
            tree.nodes[index],
            next((tree.nodes[above] for above in line if tree.nodes[above].kind != "fixed"), None),
        )
        assert tree.base(node) is base
        assert tree.moved_base(node) is (base if base and base.is_free() else None)
        assert tree.free_ancestor(node) is next(
            (tree.nodes[above] for above in line if tree.nodes[above].is_free()), None
        )
    for body in tree.free():
        parts = [tree.nodes[index] for index in handles if tree.moved_base(tree.nodes[index]) is body]
        assert tree.parts(body) == parts
        assert tree.composite(body).mass.mass == sum(part.mass.mass for part in parts)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_reparentings_splice_the_list_and_leave_numbers_and_the_tree_before_as_they_are(seed):
    random = np.random.default_rng(seed)
    tree = Tree.of(random_nodes(random, int(random.integers(1, 12))))
    check(tree)
    for _ in range(4):
        index = int(random.integers(len(tree.nodes)))
        targets = [0, *(1 + other for other in range(len(tree.nodes)) if other not in tree.subtree(index))]
        to, kind = int(random.choice(targets)), str(random.choice(["free", "fixed"]))
        before, order = tree.nodes, list(tree.order.handles())
        after = tree.moved(index, to, kind, UNIT if kind == "fixed" else None)
        check(after)
        assert (tree.nodes, list(tree.order.handles())) == (before, order)
        siblings = [other for other in after.order.handles() if after.nodes[other].parent == to]
        assert siblings[-1] == index
        moved = after.nodes[index]
        assert (moved.parent, moved.kind, moved.metres) == (to, kind, before[index].metres)
        assert moved.scale * moved.parent_metres == moved.metres
        tree = after


def test_a_tree_in_the_order_of_the_file_is_evaluated_in_it():
    nodes = [node(0, 0, "free"), node(1, 1, "fixed"), node(2, 2, "free"), node(3, 1, "free"), node(4, 0, "free")]
    tree = Tree.of(nodes)
    assert list(tree.order.handles()) == [0, 1, 2, 3, 4]
    assert list(tree.moved(1, 5, "fixed", UNIT).order.handles()) == [0, 3, 4, 1, 2]
    assert list(tree.moved(3, 3, "free", None).order.handles()) == [0, 1, 2, 3, 4]
