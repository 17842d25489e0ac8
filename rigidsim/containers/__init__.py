"""Containers: lazy pairs of the elements of a sequence, and a linked list in contiguous arrays."""

from rigidsim.containers.contiguous_list import ContiguousList
from rigidsim.containers.pairs import distinct_pairs, pairs

__all__ = ["ContiguousList", "distinct_pairs", "pairs"]
