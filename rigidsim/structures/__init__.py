"""Containers: lazy pairs of the elements of a sequence, and a linked list in contiguous arrays."""

from rigidsim.structures.contiguous_list import ContiguousList
from rigidsim.structures.pairs import distinct_pairs, pairs

__all__ = ["ContiguousList", "distinct_pairs", "pairs"]
