"""The quantities that a scene and its bodies define under `let`: each is read after those that it uses."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import Any

from pydantic_core import PydanticCustomError

from rigidsim.quantities.names import bodies_called, is_pattern
from rigidsim.quantities.vocabulary import ANGLES, NORM, OF_BODIES, OF_RUN, SAME_AS
from rigidsim.scene.expressions import Expression, Number
from rigidsim.scene.expressions.reductions import on_bodies
from rigidsim.scene.expressions.tokens import NAME, quantities_in
from rigidsim.scene.expressions.vocabulary import OF_JOINTS, RESERVED, SELF
from rigidsim.scene.prepare.overrides import put
from rigidsim.scene.prepare.parameters import in_order
from rigidsim.scene.schema.let import KEY, Quantities
from rigidsim.scene.schema.problems import as_problems
from rigidsim.scene.text.document import Document, Path, body_path, shown
from rigidsim.scene.text.plain import bodies_in
from rigidsim.scene.values.base import BoundText, Reading, invalid, said
from rigidsim.scene.values.evaluation import is_expression, read_expression
from rigidsim.tree.joints import OF_TANKS

OF_BODY, OF_SCENE = frozenset({"time", "state", "units"}), frozenset({"time", "state", "paths"})
"""What a quantity of a body, and one of the scene, may use."""
TAKEN = {*RESERVED, *OF_JOINTS, *OF_BODIES, *OF_RUN, *SAME_AS, *ANGLES, NORM}.difference(OF_TANKS)
MOST_QUANTITIES = 10_000
EXAMPLE = 'let: {altitude: "= z - 100 m"}'

OTHERWISE = "choose another name"
BROKEN = Expression("", Number(math.nan))

Name = tuple[str, str]
"""The path of a body, empty for the scene, and the name of a quantity of it."""


def read_quantities(document: Document, reading: Reading) -> None:
    """Put the quantities into the validation context and into the document, with the problems with them."""
    places = {path: place for path, place in _owners(document) if _is_mapping(document, place)}
    given = [(path, document.value_at(place)) for path, place in places.items()]
    written = {(path, name): text for path, texts in given for name, text in texts.items()}
    if len(written) > MOST_QUANTITIES:
        message = f"there are more than {MOST_QUANTITIES} quantities"
        document.problems.append(document.problem("size", message, next(iter(places.values()))))
        return
    reader = _Reader(document, reading, places, written)
    reader.read()
    for path, place in places.items():
        own = {word: expression for (owner, word), expression in reader.expressions.items() if owner == path}
        put(document, place, document.twin(document.value_at(place), Quantities(path, own)))


def _owners(document: Document) -> Iterator[tuple[str, Path]]:
    """The paths of all bodies that have quantities, and that of the scene, each with the location of the quantities."""
    if KEY in document.data:
        yield "", (KEY,)
    for place, body in bodies_in(document.data.get("bodies"), ("bodies",)):
        if isinstance(body, dict) and KEY in body:
            yield body_path(place), (*place, KEY)


def _is_mapping(document: Document, place: Path) -> bool:
    written = document.value_at(place)
    if not isinstance(written, dict):
        message = f"expected names with expressions, got {shown(written)}"
        document.problems.append(document.problem("not-a-mapping", message, place, f"write {EXAMPLE}"))
    return isinstance(written, dict)


class _Reader:
    """Reads the quantities; those that cannot be read are NaN, as such parameters are."""

    def __init__(self, document: Document, reading: Reading, places: dict[str, Path], written: dict[Name, Any]):
        self.expressions: dict[Name, Expression] = {}
        self._document, self._reading, self._places, self._written = document, reading, places, written
        self._paths = [body_path(place) for place, _ in bodies_in(document.data.get("bodies"), ("bodies",))]

    def read(self) -> None:
        """Read each after those that it uses."""
        by_label = {_label(name): name for name in self._written}
        order, cycles = in_order({_label(name): [*map(_label, self._needs(name))] for name in self._written})
        for cycle in cycles:
            message = f"circular quantities: {shown(' -> '.join(cycle))}"
            self._tell("cycle", message, by_label[cycle[0]], "a quantity cannot use itself")
        circular = {label for cycle in cycles for label in cycle}
        for label in order:
            name = by_label[label]
            self._reading.scope.define(*name, BROKEN if label in circular else self._read(name))

    def _needs(self, name: Name) -> list[Name]:
        if not is_expression(self._written[name]):
            return []
        return [one for word, path in quantities_in(self._written[name]) for one in self._meant(name[0], word, path)]

    def _meant(self, own: str, word: str, path: str) -> list[Name]:
        """The quantities that a name in an expression of a body may mean."""
        if path:
            owners = [owner for owner, other in self._written if owner and other == word]
            return [(owner, word) for owner in bodies_called(own if path == SELF else path, owners)]
        return [one for one in ((own, word), ("", word)) if one in self._written][:1]

    def _read(self, name: Name) -> Expression:
        try:
            self._check_name(name)
        except PydanticCustomError as error:
            self._tell(error.type, said(error)["message"], name, said(error)["hint"], at_key=True)
            return BROKEN
        try:
            self.expressions[name] = self._expression(name)
        except PydanticCustomError as error:
            found = as_problems(self._document, self._place(name), self._written[name], error)
            self._document.problems.extend(found)
            return BROKEN
        return self.expressions[name]

    def _expression(self, name: Name) -> Expression:
        (path, _), text, scope = name, self._written[name], self._reading.scope
        if not is_expression(text):
            message = f"expected an expression, which begins with '=', got {shown(text)}"
            raise invalid("quantity-value", message, f"write {EXAMPLE}; a number is a parameter")
        scope.own = path
        try:
            expression = read_expression(text, self._reading, OF_BODY if path else OF_SCENE)
        finally:
            scope.own = ""
        if pattern := next((state.body for state in expression.own_states if is_pattern(state.body)), ""):
            raise invalid("quantity-value", f"'{shown(pattern)}' stands for several bodies", "name one body")
        return expression if path else on_bodies(expression, self._paths)

    def _check_name(self, name: Name) -> None:
        word, text = name[1], self._written[name]
        hidden = text.names.values if isinstance(text, BoundText) else ()
        check_name(word, {*self._reading.parameters, *hidden}, "quantity")
        other = "table" if word in self._reading.scope.tables else "quantity of the scene"
        if word in self._reading.scope.tables or (name[0] and ("", word) in self._written):
            raise invalid("quantity-name", f"there is a {other} '{word}', which this would hide", OTHERWISE)

    def _place(self, name: Name) -> Path:
        return (*self._places[name[0]], name[1])

    def _tell(self, code: str, message: str, name: Name, hint: str, at_key: bool = False) -> None:
        self._document.problems.append(self._document.problem(code, message, self._place(name), hint, at_key))


def check_name(name: str, parameters: Collection[str], what: str) -> None:
    """Raise the error for a name that a quantity or a table of a scene cannot have."""
    if not NAME.fullmatch(name):
        hint = "letters, digits and underscores, not beginning with a digit"
        raise invalid("quantity-name", f"a {what} cannot be called '{shown(name)}'", hint)
    if name in TAKEN:
        raise invalid("quantity-name", f"'{name}' has a meaning of its own in expressions", OTHERWISE)
    if name in parameters:
        raise invalid("quantity-name", f"there is a parameter '{name}', which this would hide", OTHERWISE)


def _label(name: Name) -> str:
    return ".".join(filter(None, name))
