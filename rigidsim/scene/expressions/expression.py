"""The public class of a parsed expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rigidsim.physics.operations import VALUES
from rigidsim.scene.expressions.printing import printed
from rigidsim.scene.expressions.tree import ExpressionTree, Leaf, Number, Reduction, StateRead, Time, leaves


@dataclass(frozen=True)
class Expression:
    """A parsed expression; two are equal if their trees are. `names` are the parameters in it."""

    text: str = field(compare=False)
    tree: ExpressionTree
    names: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def is_constant(self) -> bool:
        """Whether its value is independent of time and state."""
        return isinstance(self.tree, Number)

    @property
    def value(self) -> float:
        """The value of a constant expression."""
        if not isinstance(self.tree, Number):
            raise TypeError(f"'{self.text}' is not constant")
        return self.tree.value

    @property
    def states(self) -> tuple[StateRead, ...]:
        """The components of states in it, without duplicates, from left to right."""
        inside = [argument for reduction in self.reductions for argument in reduction.arguments]
        found = (leaf for tree in (self.tree, *inside) for leaf in leaves(tree) if isinstance(leaf, StateRead))
        return tuple(dict.fromkeys(found))

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        """The reductions in it from left to right, repeated ones too."""
        return tuple(leaf for leaf in leaves(self.tree) if isinstance(leaf, Reduction))

    def evaluate(self, values: Mapping[Leaf, Any], functions: Mapping[str, Callable] = VALUES) -> Any:
        """The value, given those of leaves that are not numbers; `functions` computes each operation on such values."""
        return _evaluated(self.tree, values, functions)

    def __str__(self) -> str:
        return f"= {printed(self.tree)}"


def _evaluated(tree: ExpressionTree, values: Mapping[Leaf, Any], functions: Mapping[str, Callable]) -> Any:
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Time | StateRead | Reduction):
        return values[tree]
    return functions[tree.operation](*(_evaluated(argument, values, functions) for argument in tree.arguments))
