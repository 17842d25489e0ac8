"""A tree as text that parses back to the same tree."""

from __future__ import annotations

from rigidsim.physics.operations import CONDITION, NUMBER
from rigidsim.scene.expressions.tree import Apply, ExpressionTree, Number, Reduction, StateRead, Time
from rigidsim.scene.expressions.vocabulary import COUNT, DECLARED, DRIFT, STATE_NAMES, TIME

OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 10)
"""Precedences, lowest first."""

INFIX = {
    "or": ("or", OR),
    "and": ("and", AND),
    "less": ("<", COMPARISON),
    "less_equal": ("<=", COMPARISON),
    "equal": ("==", COMPARISON),
    "add": ("+", SUM),
    "subtract": ("-", SUM),
    "multiply": ("*", PRODUCT),
    "divide": ("/", PRODUCT),
    "power": ("^", POWER),
}
PREFIX = {"not": ("not ", NOT), "negate": ("-", SIGN)}


def printed(tree: ExpressionTree) -> str:
    """The tree as text, without the `=` before it."""
    return _printed(tree, NUMBER)[0]


def _printed(tree: ExpressionTree, kind: str) -> tuple[str, int]:
    """The text, and how tightly its outermost operation binds."""
    if isinstance(tree, Apply):
        return _operation(tree)
    if isinstance(tree, Number):
        if kind == CONDITION:
            return ("0.0 < 1.0" if tree.value else "1.0 < 0.0"), COMPARISON
        text = repr(tree.value)
        return text, SIGN if text.startswith("-") else ATOM
    if isinstance(tree, Reduction):
        return _reduction(tree), ATOM
    return (TIME if isinstance(tree, Time) else _state(tree)), ATOM


def _operation(tree: Apply) -> tuple[str, int]:
    operation, called = tree.operation, DECLARED[tree.operation]
    parts = [_printed(part, kind) for part, kind in zip(tree.arguments, called.takes, strict=True)]
    if operation in PREFIX:
        sign, binding = PREFIX[operation]
        return sign + _bracketed(parts[0], binding), binding
    if operation in INFIX:
        sign, binding = INFIX[operation]
        # Powers group from the right, comparisons not at all, the rest from the left.
        left = binding + (operation == "power" or binding == COMPARISON)
        right = binding + (operation != "power")
        return f"{_bracketed(parts[0], left)} {sign} {_bracketed(parts[1], right)}", binding
    return f"{called.word}({', '.join(text for text, _ in parts)})", ATOM


def _reduction(tree: Reduction) -> str:
    if tree.kind == DRIFT:
        return DRIFT
    if tree.kind == COUNT:
        return f"{COUNT}({_quoted(tree.events)})"
    kinds = (NUMBER, CONDITION if tree.kind == "first" else NUMBER)
    parts = (_printed(part, kind)[0] for part, kind in zip(tree.arguments, kinds, strict=False))
    return f"{tree.kind}({', '.join(parts)})"


def _bracketed(part: tuple[str, int], least: int) -> str:
    text, binding = part
    return text if binding >= least else f"({text})"


def _state(state: StateRead) -> str:
    name = STATE_NAMES[state.quantity, state.component]
    if state.observer != "parent":
        return f"{name}({_quoted(state.body)}, {_quoted(state.observer)})"
    return name if state.body == "self" else f"{name}({_quoted(state.body)})"


def _quoted(path: str) -> str:
    return f"'{path}'" if '"' in path else f'"{path}"'
