"""Expressions: the tree of one (numbers, time, state, and operations on them), its value, and the text that parses back
to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rigidsim.physics.operations import CONDITION, JETS, NUMBER, TABLE, VALUES
from rigidsim.quantities.vocabulary import BODY, OF_RUN, READ
from rigidsim.scene.expressions.tables import Interpolant
from rigidsim.scene.expressions.vocabulary import (
    COUNT,
    DECLARED,
    DRIFT,
    OF_JOINTS,
    OWN_FRAMES,
    SELF,
    STATE_NAMES,
    TIME,
)
from rigidsim.tree.joints import NAMES as JOINT_NAMES
from rigidsim.tree.joints import part_of
from rigidsim.tree.nodes import WORLD


@dataclass(frozen=True, slots=True)
class Number:
    """A constant. Where a condition stands, 1 is true and 0 is false."""

    value: float


@dataclass(frozen=True, slots=True)
class Time:
    """The time since the start, s."""


@dataclass(frozen=True, slots=True)
class StateRead:
    """One component of a quantity of a body, as the observer sees it, in the observer's axes; or of a quantity of the
    whole run, if `body` is empty.

    `quantity` is a name of `rigidsim.quantities`, `component` the number of the component, that of the length of a
    vector is 3. "self" is the body that the expression acts on, "parent" its parent, "world" the world; other bodies
    are paths. The observers "@parent" and "@body" are the present parent of the body, and its own axes. `other` is the
    body that exerts a force of contact, empty for all.
    """

    quantity: str
    component: int
    body: str = "self"
    observer: str = "parent"
    other: str = ""


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of `physics.operations` on its arguments."""

    operation: str
    arguments: tuple[ExpressionTree, ...]


@dataclass(frozen=True, slots=True)
class Lookup:
    """The value of a table at its one argument."""

    table: Interpolant
    arguments: tuple[ExpressionTree, ...]


@dataclass(frozen=True, slots=True)
class Reduction:
    """One number of a whole run, made of what the arguments are at its samples: `kind` is a fold of
    `physics.reductions`, or count, of the events called `events`; of those of contact of `body` with all below it, if
    it is given.
    """

    kind: str
    arguments: tuple[ExpressionTree, ...] = ()
    events: str = ""
    body: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A quantity that the `let` of a body defines, or that of the scene if `body` is empty. Its tree has paths in place
    of "self" and "parent", so it means the same wherever it is used.
    """

    name: str
    body: str
    tree: ExpressionTree = field(compare=False, repr=False)
    depth: int = field(default=2, compare=False, repr=False)  # levels of it, itself included


@dataclass(frozen=True, slots=True)
class Held:
    """A number that is constant between samples: a component of what the sensor of a body measured, or an output of a
    controller if `body` is empty. `number` is its place among all of the scene.
    """

    name: str
    body: str
    number: int


Leaf = Number | Time | StateRead | Reduction | Held
ExpressionTree = Leaf | Apply | Lookup | Named


def parts(tree: ExpressionTree, named: bool = True) -> Iterator[ExpressionTree]:
    """The tree and all parts of it from left to right, repeated ones too; not those within reductions. The parts of
    each named quantity come once, or not at all.
    """
    waiting, seen = [tree], set()
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Apply | Lookup):
            waiting.extend(reversed(node.arguments))
        elif isinstance(node, Named) and named and node not in seen:
            seen.add(node)
            waiting.append(node.tree)


def _may_be_length(quantity: str) -> bool:
    """Whether a quantity of a body is in units of length; a rate of a joint may be."""
    return "L" in READ[quantity].unit or (quantity in JOINT_NAMES and part_of(quantity) == "rate")


@dataclass(frozen=True)
class Expression:
    """A parsed expression; two are equal if their trees are. `names` are the parameters in it, `unit` its unit if it is
    known, and `is_sure` whether a value of another dimension would be an error; `asked` is the same if the text asks
    for it, and the tree then ends with the division by it.
    """

    text: str = field(compare=False)
    tree: ExpressionTree
    names: frozenset[str] = field(default=frozenset(), compare=False)
    unit: str = field(default="", compare=False)
    asked: str = ""
    is_sure: bool = field(default=False, compare=False)

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
        return self._states(named=True)

    @property
    def own_states(self) -> tuple[StateRead, ...]:
        """Those that are not within named quantities."""
        return self._states(named=False)

    def _states(self, named: bool) -> tuple[StateRead, ...]:
        inside = [argument for reduction in self.reductions for argument in reduction.arguments]
        found = (part for tree in (self.tree, *inside) for part in parts(tree, named) if isinstance(part, StateRead))
        return tuple(dict.fromkeys(found))

    @property
    def held(self) -> tuple[Held, ...]:
        """The readings and outputs in it, without duplicates, from left to right."""
        inside = [argument for reduction in self.reductions for argument in reduction.arguments]
        found = (part for tree in (self.tree, *inside) for part in parts(tree) if isinstance(part, Held))
        return tuple(dict.fromkeys(found))

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        """The reductions in it from left to right, repeated ones too."""
        return tuple(part for part in parts(self.tree) if isinstance(part, Reduction))

    def unit_where(self, has_scales: bool) -> str:
        """The unit. It is not known if the expression reads lengths in units of a frame that may not be metres."""
        lengths = (state for state in self.states if state.body and _may_be_length(state.quantity))
        is_scaled = has_scales and any(state.observer not in (WORLD, OWN_FRAMES[BODY]) for state in lengths)
        return "" if is_scaled else self.unit

    def evaluate(self, values: Mapping[Leaf, Any], functions: Mapping[str, Callable] = VALUES) -> Any:
        """The value, given those of leaves that are not numbers; `functions` computes each operation on such values."""
        known: dict[Leaf | Named, Any] = dict(values.items())
        return _evaluated(self.tree, known, functions)

    def jet(self, t: Any) -> tuple:
        """Value, first and second derivative with respect to time, of a function of time, as the stepper computes them;
        t (s) is a number or an array.
        """
        return self.evaluate({Time(): (t, 1.0, 0.0)}, JETS)

    def __str__(self) -> str:
        if self.asked and isinstance(self.tree, Apply):  # a conversion to that unit
            return f"= {printed(self.tree.arguments[0])} [{self.asked}]"
        return f"= {printed(self.tree)}"


def _evaluated(tree: ExpressionTree, values: dict[Leaf | Named, Any], functions: Mapping[str, Callable]) -> Any:
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Named):
        if tree not in values:
            values[tree] = _evaluated(tree.tree, values, functions)
        return values[tree]
    if isinstance(tree, Time | StateRead | Reduction | Held):
        return values[tree]
    if isinstance(tree, Lookup):
        return functions[TABLE](tree.table, _evaluated(tree.arguments[0], values, functions))
    return functions[tree.operation](*(_evaluated(argument, values, functions) for argument in tree.arguments))


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
    if isinstance(tree, Lookup):
        return f"{tree.table.name}({printed(tree.arguments[0])})", ATOM
    if isinstance(tree, Named | Held):
        return f"{tree.name}({_quoted(tree.body)})" if tree.body else tree.name, ATOM
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
        return f"{COUNT}({', '.join(map(_quoted, filter(None, (tree.events, tree.body))))})"
    kinds = (NUMBER, CONDITION if tree.kind == "first" else NUMBER)
    parts = (_printed(part, kind)[0] for part, kind in zip(tree.arguments, kinds, strict=False))
    return f"{tree.kind}({', '.join(parts)})"


def _bracketed(part: tuple[str, int], least: int) -> str:
    text, binding = part
    return text if binding >= least else f"({text})"


def _state(state: StateRead) -> str:
    name = STATE_NAMES.get((state.quantity, state.component))
    if state.quantity in OF_JOINTS and state.observer == "parent":
        return state.quantity if state.body == SELF else f"{state.quantity}({_quoted(state.body)})"
    if name is None or not state.body or state.observer in OWN_FRAMES.values():
        return _quoted(_named(state))
    if state.observer != "parent":
        return f"{name}({_quoted(state.body)}, {_quoted(state.observer)})"
    return name if state.body == "self" else f"{name}({_quoted(state.body)})"


def _named(state: StateRead) -> str:
    """The name of a quantity of a body or of the whole run."""
    kind = (READ if state.body else OF_RUN)[state.quantity]
    of = f"({state.other})" if state.other else ""
    parts = [state.body, state.quantity + of, *kind.accepts[state.component : state.component + 1]]
    frame = {observer: word for word, observer in OWN_FRAMES.items()}.get(state.observer, state.observer)
    return ".".join(filter(None, parts)) + (f"@{frame}" if state.body and frame != kind.default else "")


def _quoted(path: str) -> str:
    return f"'{path}'" if '"' in path else f'"{path}"'
