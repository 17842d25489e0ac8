"""The tree of an expression: numbers, time, state, and operations on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A constant. Where a condition stands, 1 is true and 0 is false."""

    value: float


@dataclass(frozen=True, slots=True)
class Time:
    """The time since the start, s."""


@dataclass(frozen=True, slots=True)
class StateRead:
    """One component of a body's state, as the observer sees it, in the observer's axes.

    `quantity` is position, velocity, angular_velocity, orientation (components w, x, y, z) or speed (component 0).
    "self" is the body that the expression acts on, "parent" its parent, "world" the world; other bodies are paths.
    """

    quantity: str
    component: int
    body: str = "self"
    observer: str = "parent"


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of `physics.operations` on its arguments."""

    operation: str
    arguments: tuple[ExpressionTree, ...]


@dataclass(frozen=True, slots=True)
class Reduction:
    """One number of a whole run, made of what the arguments are at its samples: `kind` is a fold of
    `physics.reductions`, or count, of the events called `events`.
    """

    kind: str
    arguments: tuple[ExpressionTree, ...] = ()
    events: str = ""


Leaf = Number | Time | StateRead | Reduction
ExpressionTree = Leaf | Apply


def leaves(tree: ExpressionTree) -> Iterator[Leaf]:
    """The leaves from left to right, repeated ones too; not those within reductions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Apply):
            waiting.extend(reversed(node.arguments))
        else:
            yield node


def operations(tree: ExpressionTree) -> Iterator[str]:
    """The operations of a tree, repeated ones too."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Apply):
            yield node.operation
            waiting.extend(node.arguments)
