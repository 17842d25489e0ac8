"""An expression as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rigidsim.physics.operations import VALUES
from rigidsim.scene.expressions.printing import printed
from rigidsim.scene.expressions.tree import ExpressionTree, Leaf, Number, StateRead, Time, leaves


@dataclass(frozen=True)
class Expression:
    """A parsed expression; two are equal if their trees are. `names` are the parameters that it mentions."""

    text: str = field(compare=False)
    tree: ExpressionTree
    names: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def is_constant(self) -> bool:
        """Whether it is one number, whatever the time and the state."""
        return isinstance(self.tree, Number)

    @property
    def value(self) -> float:
        """The number that a constant expression is."""
        if not isinstance(self.tree, Number):
            raise TypeError(f"'{self.text}' is not constant")
        return self.tree.value

    @property
    def states(self) -> tuple[StateRead, ...]:
        """The state that it mentions, each once, from left to right."""
        return tuple(dict.fromkeys(leaf for leaf in leaves(self.tree) if isinstance(leaf, StateRead)))

    def evaluate(self, values: Mapping[Leaf, Any], functions: Mapping[str, Callable] = VALUES) -> Any:
        """The value, given that of `Time()` and of each state; `functions` computes each operation on such values."""
        return _evaluated(self.tree, values, functions)

    def __str__(self) -> str:
        return f"= {printed(self.tree)}"


def _evaluated(tree: ExpressionTree, values: Mapping[Leaf, Any], functions: Mapping[str, Callable]) -> Any:
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Time | StateRead):
        return values[tree]
    return functions[tree.operation](*(_evaluated(argument, values, functions) for argument in tree.arguments))
