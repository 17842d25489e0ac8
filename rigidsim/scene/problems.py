"""Turns pydantic's errors into problems that say where in the text they are and what to do about them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ValidationError

from rigidsim.errors import Problem
from rigidsim.scene.base import FORM_MARK
from rigidsim.scene.document import Document, Path, shown

WORDED = {
    "model_type": ("not-a-mapping", "expected a mapping of keys to values"),
    "dict_type": ("not-a-mapping", "expected a mapping of names to bodies"),
    "tuple_type": ("not-a-list", "expected a list"),
    "string_type": ("not-text", "expected text"),
    "bool_type": ("not-a-boolean", "expected true or false"),
    "int_type": ("not-an-integer", "expected a whole number"),
}
"""pydantic's type of error: our code, and what was expected."""

MOST_WORDED = 1000
"""No one reads more, and a hostile scene can have millions."""


def problems_in(error: ValidationError, document: Document, allowed: dict[int, type[BaseModel]]) -> list[Problem]:
    """All problems of a failed validation. `allowed` has the model that each mapping was read as, by the id of it."""
    found = error.errors(include_url=False)
    problems = [_problem(details, document, allowed) for details in found[:MOST_WORDED]]
    if len(found) > MOST_WORDED:
        problems.append(document.problem("many", f"there are {len(found) - MOST_WORDED} further problems"))
    return problems


def _problem(details: dict[str, Any], document: Document, allowed: dict[int, type[BaseModel]]) -> Problem:
    path = tuple(part for part in details["loc"] if not (isinstance(part, str) and part.startswith(FORM_MARK)))
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(path, document, allowed)
    if kind == "missing":
        return _missing_key(path, document)
    if kind == "body-name":
        return document.problem(kind, context["message"], path[:-1], context["hint"], at_key=True)
    if value is None:
        return document.problem("empty", "has no value", path, "give it one, or leave the key out")
    if "message" in context:
        return document.problem(kind, context["message"], path, context["hint"])
    if kind == "literal_error":
        return _unknown_word(path, value, context["expected"], document)
    if kind in WORDED:
        code, expected = WORDED[kind]
        return document.problem(code, f"{expected}, got {shown(value)}", path)
    code = "length" if kind == "too_short" else "out-of-range"
    return document.problem(code, details["msg"][0].lower() + details["msg"][1:], path)


def _unknown_key(path: Path, document: Document, allowed: dict[int, type[BaseModel]]) -> Problem:
    key = path[-1]
    model = allowed.get(id(document.value_at(path[:-1])))
    keys = list(model.model_fields) if model else []
    close = get_close_matches(key, keys, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known here: {', '.join(keys)}"
    return document.problem("unknown-key", f"unknown key '{shown(key)}'", path, hint, at_key=True)


def _missing_key(path: Path, document: Document) -> Problem:
    hint = "begin the scene with 'format: rigidsim/1'" if path == ("format",) else ""
    return document.problem("missing-key", f"the key '{path[-1]}' is missing", path, hint)


def _unknown_word(path: Path, value: object, expected: str, document: Document) -> Problem:
    # Pydantic gives the words as text: 'body', 'parent' or 'world'.
    words = [word.strip("' ") for word in expected.replace(" or ", ",").split(",")]
    close = get_close_matches(value, words, n=1) if isinstance(value, str) else []
    hint = f"did you mean '{close[0]}'?" if close else f"write {' or '.join(words)}"
    return document.problem("unknown-value", f"{shown(value)} is not known here", path, hint)
