"""Converts pydantic's errors to problems with a location in the text and a hint."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from rigidsim.errors import Problem, did_you_mean, meant_by
from rigidsim.scene.schema.metrics import BAD_NAME
from rigidsim.scene.schema.oracle import BAD_KEY
from rigidsim.scene.text.document import Document, Path, shown
from rigidsim.scene.values.base import FORM_MARK, Reading, said, word_of
from rigidsim.scene.values.evaluation import FOLLOWS

WORDED = {
    "model_type": ("not-a-mapping", "expected a mapping of keys to values"),
    "dict_type": ("not-a-mapping", "expected a mapping of names to bodies"),
    "tuple_type": ("not-a-list", "expected a list"),
    "string_type": ("not-text", "expected text"),
    "bool_type": ("not-a-boolean", "expected true or false"),
    "int_type": ("not-an-integer", "expected a whole number"),
}
"""For each of pydantic's types of errors: the code of the problem, and the expected value as text."""

BOUNDS = {"less_than_equal": ("at most", "le"), "greater_than_equal": ("at least", "ge")}
UNKNOWN, MANY = "extra_forbidden", "many"
OF_KEY = "[key]"
"""The end of pydantic's path of a key that is not valid."""
MOST_WORDED = 1000
"""The largest number of problems reported in full; a hostile scene can have millions."""


def problems_in(error: ValidationError, document: Document, reading: Reading, above: Path = ()) -> list[Problem]:
    """All problems of a failed validation of the value at `above`; `reading` is the context of the validation."""
    # The copies of a body share its errors: each is reported, and counted, once.
    found: dict[tuple, tuple[Path, ErrorDetails]] = {}
    for details in error.errors(include_url=False):
        if details["type"] != FOLLOWS:
            path = above + tuple(part for part in details["loc"] if not str(part).startswith(FORM_MARK))
            found.setdefault((document.written(path), details["type"], details["msg"]), (path, details))
    # A key under another name is unknown, and not missing as well.
    meant = [(*path[:-1], meant_by(path[-1], _known(path, document, reading)))
             for path, details in islice(found.values(), MOST_WORDED) if details["type"] == UNKNOWN]  # fmt: skip
    for key in [key for key, (path, details) in found.items() if details["type"] == "missing" and path in meant]:
        del found[key]
    worded = islice(found.values(), MOST_WORDED)
    problems = [_problem(path, details, document, reading) for path, details in worded]
    if len(found) > MOST_WORDED:
        problems.append(document.problem(MANY, f"there are {len(found) - MOST_WORDED} further problems"))
    return problems


def as_problems(document: Document, path: Path, value: Any, error: PydanticCustomError) -> list[Problem]:
    """The problem for an error of the value at `path`; None if the same error has been reported elsewhere."""
    context = said(error)
    if error.type == FOLLOWS:
        return []
    if "offset" in context and isinstance(value, str):
        return [_inside(document, path, value, error.type, context)]
    return [document.problem(error.type, context["message"], path, context["hint"])]


def _problem(path: Path, details: ErrorDetails, document: Document, reading: Reading) -> Problem:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind == UNKNOWN:
        return _unknown_key(path, document, reading)
    if kind == "missing":
        hint = "begin the scene with 'format: rigidsim/1'" if path == ("format",) else ""
        return document.problem("missing-key", f"the key '{path[-1]}' is missing", path, hint)
    if "key" in context:
        keys = context["key"]
        path = (*path, *(keys if isinstance(keys, tuple) else (keys,)))
    if path[-1:] == (OF_KEY,) and "message" in context:
        return document.problem(kind, context["message"], path[:-1], context["hint"], at_key=True)
    if kind in ("body-name", BAD_NAME, BAD_KEY):
        return document.problem(kind, context["message"], path[:-1], context["hint"], at_key=True)
    if value is None:
        return document.problem("empty", "has no value", path, "give it one, or omit the key")
    if "offset" in context and isinstance(value, str):
        return _inside(document, path, value, kind, context)
    if "message" in context:
        return document.problem(kind, context["message"], path, context["hint"])
    if kind == "literal_error":
        return _unknown_word(path, value, context["expected"], document)
    if kind in WORDED:
        code, expected = WORDED[kind]
        return document.problem(code, f"{expected}, got {shown(value)}", path)
    if kind in BOUNDS:
        bound, key = BOUNDS[kind]
        return document.problem("out-of-range", f"must be {bound} {context[key]}, got {shown(value)}", path)
    if kind == "too_short":
        return document.problem("length", "there is no body; a scene needs at least one", path)
    return document.problem("invalid", details["msg"][0].lower() + details["msg"][1:], path)


def _inside(document: Document, path: Path, text: str, code: str, context: dict[str, Any]) -> Problem:
    """A problem within the text at `path`, at the `offset` in the context; located exactly if the text is on one
    line.
    """
    whole = document.problem(code, context["message"], path, context["hint"])
    line, column = whole.line, whole.column
    written = document.lines[line - 1] if 0 < line <= len(document.lines) else ""
    start = column if written[column - 1 : column] in ('"', "'") else column - 1
    if text and written.startswith(text, start):
        mark = (line, start + context["offset"] + 1)
        return document.problem_at(mark, code, context["message"], path, context["hint"])
    message = f"{context['message']}, at column {context['offset'] + 1} of '{shown(text)}'"
    return replace(whole, message=message)


def _known(path: Path, document: Document, reading: Reading) -> list[str]:
    """The keys that are allowed beside the one at a path."""
    model = reading.allowed.get(id(document.value_at(path[:-1])))
    keys = list(model.model_fields) if model else []
    if any(path == overridden for overridden, _ in document.overrides):
        keys += reading.parameters if len(path) == 1 else []
    return keys


def _unknown_key(path: Path, document: Document, reading: Reading) -> Problem:
    key, beside, keys = path[-1], document.value_at(path[:-1]), _known(path, document, reading)
    # Other programs write the type of a joint as a value.
    asked = beside.get(key) if key == "type" and isinstance(beside, dict) else key
    hint = did_you_mean(asked, keys, f"allowed keys: {', '.join(keys)}")
    message = f"unknown key '{shown(key)}'"
    if "type" in keys:
        model = reading.allowed[id(beside)]
        message = f"{message} for type '{word_of(model, 'type')}'{'' if 'type' in beside else ', the default type'}"
    return document.problem("unknown-key", message, path, hint, at_key=True)


def _unknown_word(path: Path, value: object, expected: str, document: Document) -> Problem:
    # Pydantic gives the words as text: 'body', 'parent' or 'world'.
    words = [word.strip("' ") for word in expected.replace(" or ", ",").split(",")]
    hint = did_you_mean(value, words, f"write {' or '.join(words)}")
    return document.problem("unknown-value", f"{shown(value)} is not known here", path, hint)
