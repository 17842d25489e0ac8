"""The names that a scene adds to expressions: quantities of the whole scene and of bodies, defined under `let`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from rigidsim.physics.operations import NUMBER
from rigidsim.quantities.dimensions import measure_of
from rigidsim.quantities.names import bodies_called, is_pattern
from rigidsim.quantities.vocabulary import PARENT
from rigidsim.scene.expressions.operands import Operand
from rigidsim.scene.expressions.tables import Interpolant
from rigidsim.scene.expressions.tokens import ExpressionError
from rigidsim.scene.expressions.tree import (
    Apply,
    Expression,
    ExpressionTree,
    Held,
    Lookup,
    Named,
    Number,
    StateRead,
    Time,
    parts,
)
from rigidsim.scene.expressions.vocabulary import OF_JOINTS, OWN_FRAMES, SELF, STATES
from rigidsim.tree.joints import NAMES, coordinate_called, coordinate_unit
from rigidsim.tree.nodes import WORLD

OF_LOADS = {*STATES.values(), *((name, 0) for name in OF_JOINTS)}
"""The components of quantities that loads can read."""


@dataclass
class Scope:
    """The quantities by the path of the body and by name, with an empty path for those of the whole scene. `own` is the
    body whose expressions are read, whose quantities need no path.
    """

    quantities: dict[tuple[str, str], Expression] = field(default_factory=dict)
    tables: dict[str, Interpolant | None] = field(default_factory=dict)  # None for one that could not be read
    own: str = ""
    held: list[Held] = field(default_factory=list)  # the readings of sensors and the outputs of controllers
    joints: Mapping[str, str] = field(default_factory=dict)  # the type of joint of each body that is ever on one

    def define(self, path: str, name: str, expression: Expression) -> None:
        """Add a quantity; a number is one wherever it is used."""
        tree = expression.tree
        named = tree if isinstance(tree, Number) else Named(name, path, absolute(tree, path), 1 + _depth(tree))
        self.quantities[path, name] = replace(expression, tree=named)

    def hold(self, path: str, name: str, unit: str) -> Held:
        """Add a number that is constant between samples, with its unit if that is known."""
        held = Held(name, path, len(self.held))
        self.held.append(held)
        self.quantities[path, name] = Expression(name, held, unit=unit, is_sure=bool(unit))
        return held

    def named(self, text: str, offset: int = 0) -> tuple[str, str] | None:
        """The path and the name that a text such as `rocket.altitude` stands for; None if it names no quantity of the
        scene. Raises ExpressionError.
        """
        path, _, name = text.rpartition(".")
        if path and self.owners(name):
            return self.of_body(name, path, offset), name
        return ("", name) if not path and ("", name) in self.quantities else None

    def of(self, name: str) -> Expression | None:
        """The quantity that a name means without a path: that of the body, or else of the scene."""
        return self.quantities.get((self.own, name)) or self.quantities.get(("", name))

    def owners(self, name: str) -> list[str]:
        """The bodies that have a quantity of this name."""
        return [path for path, other in self.quantities if path and other == name]

    def of_body(self, name: str, path: str, offset: int) -> str:
        """The path of the body, from it or the end of it, that has this quantity. Raises ExpressionError."""
        owners = self.owners(name)
        found = [self.own] if path == SELF and self.own in owners else bodies_called(path, owners)
        if len(found) == 1 and not is_pattern(path):
            return found[0]
        few = ", ".join(owners[:5])
        if len(found) > 1:
            raise ExpressionError(f"{len(found)} bodies called '{path}' have '{name}'", offset, f"write one of {few}")
        hint = f"bodies that have it: {few}" if owners else f"it is of the whole scene: write {name}"
        raise ExpressionError(f"'{path}' has no quantity '{name}' under let", offset, hint)

    def joint_unit(self, state: StateRead) -> str:
        """The unit of a coordinate of a joint, its rate or its motor; empty of other states, and if it is not known."""
        if state.quantity not in NAMES:
            return ""
        paths = [self.own] if state.body == SELF else bodies_called(state.body, self.joints)
        types = {self.joints[path] for path in paths if path in self.joints}
        having = (one for one in types if coordinate_called(state.quantity, one) is not None)
        found = {coordinate_unit(state.quantity, one) for one in having}
        return found.pop().replace("L", "m") if len(found) == 1 else ""

    def names(self) -> Iterator[str]:
        """The names that can be written without a path."""
        return (name for path, name in self.quantities if path in ("", self.own))


def operand_of(quantity: Expression, offset: int) -> Operand:
    """A quantity as part of another expression, with its unit."""
    sure = measure_of(quantity.unit)._replace(is_sure=quantity.is_sure) if quantity.unit else None
    return Operand(quantity.tree, NUMBER, offset, depth=_depth(quantity.tree), measure=sure)


def _depth(tree: ExpressionTree) -> int:
    """How many levels a tree has."""
    if isinstance(tree, Named):
        return tree.depth
    return 1 + max(map(_depth, tree.arguments)) if isinstance(tree, Apply | Lookup) else 1


def varies(tree: ExpressionTree) -> bool:
    """Whether it depends on time or state, or on what was sampled."""
    return any(isinstance(part, StateRead | Time | Held) for part in parts(tree))


def absolute(tree: ExpressionTree, path: str) -> ExpressionTree:
    """The tree of a quantity of the body with this path, with paths in place of `self` and `parent`. Its own motion is
    that in its present parent; any other one is seen from the parent at t = 0.
    """
    if not path:
        return tree
    if isinstance(tree, Apply | Lookup):
        return replace(tree, arguments=tuple(absolute(part, path) for part in tree.arguments))
    if not isinstance(tree, StateRead):
        return tree
    frames = {SELF: path, PARENT: path.rpartition("/")[0] or WORLD}
    body = frames.get(tree.body, tree.body)
    is_own = tree.observer == PARENT and (tree.body == SELF or tree.quantity in OF_JOINTS)
    return replace(tree, body=body, observer=OWN_FRAMES[PARENT] if is_own else frames.get(tree.observer, tree.observer))
