"""References to relatives of a body, in the plain data: `to: parent`, `"../hub"`, `"./wheel"`; and names with numbers
in the copies of a repeated body: `"seat_{index}"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic_core import PydanticCustomError

from rigidsim.errors import SceneError
from rigidsim.quantities.vocabulary import PARENT
from rigidsim.scene.expressions.tokens import LONGEST_WRITTEN, ExpressionError, tokens
from rigidsim.scene.prepare.overrides import put
from rigidsim.scene.prepare.parameters import si_value
from rigidsim.scene.text.document import Document, body_path, shown
from rigidsim.scene.text.document import Path as Place
from rigidsim.scene.text.plain import bodies_in
from rigidsim.scene.values.base import BoundText, Names, Reading, invalid
from rigidsim.scene.values.evaluation import is_expression
from rigidsim.tree.nodes import WORLD

NUMBERED = re.compile(r"\{([^{}]*)\}")
"""A number in a name."""
LOADS = ("forces", "impulses")
REFERENCES = ("to", "medium", "center", "frame")
"""Keys of loads that name bodies; `frame` has a meaning of its own for `parent`."""


def numbered(text: str, names: Names, reading: Reading) -> str:
    """The text of a copy with its numbers: `seat_{index}`, `seat_{mod(index + 1, count)}`. Raises
    PydanticCustomError.
    """

    def number(found: re.Match) -> str:
        value, _ = si_value(BoundText(f"= {found[1]}", names), reading)
        if value != round(value):
            raise invalid("repeat", f"{{{shown(found[1])}}} is {value:g}, not a whole number")
        return f"{round(value)}"

    return NUMBERED.sub(number, text)


def resolve_relatives(document: Document) -> None:
    """Put paths in place of references to relatives. Raises SceneError if there are problems with them."""
    n_problems = len(document.problems)
    for place, body in bodies_in(document.data.get("bodies")):
        if isinstance(body, dict):
            for where, text in _texts(body):
                _resolve(document, place, where, text)
    if len(document.problems) > n_problems:
        raise SceneError(document.problems)  # names of what is missing would be unknown


def _texts(body: dict) -> Iterator[tuple[Place, str]]:
    """The texts of a body, without those of its children, that may name a relative."""
    waiting: list[tuple[Place, Any]] = [((key,), value) for key, value in body.items() if key != "children"]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, dict | list):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += [((*where, key), item) for key, item in items]
        elif isinstance(value, str) and (is_expression(value) or (where[0] in LOADS and where[-1] in REFERENCES)):
            yield where, value


def _resolve(document: Document, place: Place, where: Place, text: str) -> None:
    path, at = body_path(place), (*place, *where)
    try:
        if not is_expression(text):
            is_parent = text == PARENT and where[-1] != "frame"
            found = relative(path, "..") if is_parent else relative(path, text)
        elif "./" in text or '".."' in text or "'..'" in text:
            found = "".join(_pieces(text, path))
        else:
            return
    except PydanticCustomError as error:
        document.problems.append(document.problem(error.type, error.message(), at))
        return
    if found != text:
        put(document, at, BoundText(found, text.names) if isinstance(text, BoundText) else found)


def _pieces(text: str, path: str) -> Iterator[str]:
    """The pieces of an expression, with the paths of relatives in it."""
    done = 0
    try:
        for token in tokens(text[:LONGEST_WRITTEN], text.find("=") + 1):
            if token.kind == "text":
                yield text[done : token.offset + 1]
                yield relative(path, token.text[1:-1])
                done = token.offset + len(token.text) - 1
    except ExpressionError:
        pass  # reported by the parser
    yield text[done:]


def relative(path: str, name: str) -> str:
    """The path that a name means at the body with this path: `..` is its parent, `../hub` a sibling, `./wheel` a
    child.
    """
    first, *rest = name.split("/")
    if first not in (".", ".."):
        return name
    found = path.split("/")
    for part in (first, *rest):
        if part == "..":
            if not found:
                raise invalid("reference", f"'{shown(name)}' leads out of the world", "")
            found.pop()
        elif part != ".":
            found.append(part)
    return "/".join(found) or WORLD
