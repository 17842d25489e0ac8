"""Pairs of frames whose separation is needed, and the ways along the tree from the one to the other."""

from __future__ import annotations

import numpy as np

from rigidsim.engine.assembly.tree import Node, Tree
from rigidsim.engine.model import table


class FramePairs:
    """Each pair once, in the order of first mention."""

    def __init__(self, tree: Tree):
        self._tree = tree
        self._index: dict[tuple[int, int], int] = {}
        self._linked: set[int] = set()

    def index(self, first: int, second: int) -> int:
        """The number of the pair of these frames."""
        return self._index.setdefault((first, second), len(self._index))

    def link(self, nodes: set[int]) -> None:
        """Links that something else than a pair needs, too."""
        self._linked |= nodes

    def arrays(self) -> dict[str, np.ndarray]:
        """The pairs, their ways and the links those use, as the kernels take them."""
        ways = [self._way(first, second) for first, second in self._index]
        steps = [step for way in ways for step in way]
        begins = np.cumsum([0, *map(len, ways)]).tolist()
        return {
            "linked": np.array(sorted(self._linked.union(node.index for node, _ in steps)), dtype=np.int64),
            "pair": table([(*pair, first) for pair, first in zip([*self._index, (0, 0)], begins, strict=True)], 3),
            "way_node": np.array([node.index for node, _ in steps], dtype=np.int64),
            "way_sign": np.array([sign for _, sign in steps], dtype=np.float64),
        }

    def frames(self) -> set[int]:
        """All frames that occur."""
        return {frame for pair in self._index for frame in pair}

    def _way(self, first: int, second: int) -> list[tuple[Node, float]]:
        """The links from the first frame in to the nearest common ancestor and out to the second, with their signs."""
        inwards, outwards = self._tree.branches(first, second)
        return [*((node, -1.0) for node in inwards), *((node, 1.0) for node in reversed(outwards))]
